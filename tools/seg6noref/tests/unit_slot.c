// SPDX-License-Identifier: GPL-2.0-only
/*
 * unit_slot.c - the real slot.c against a directory that plays /sys/module
 *
 * A program of its own: unit_slot prints "STATUS SLOT" for what slot_load(),
 * or with the argument "loaded" slot_loaded(), says.  host.sh sets the stage.
 */
#include <stdio.h>
#include <string.h>

#include "../cmdline.h"
#include "../slot.h"

int main(int argc, char **argv)
{
	uint16_t slot = 4711;
	int status;

	if (argc > 1 && !strcmp(argv[1], "loaded"))
		status = slot_loaded(&slot);
	else
		status = slot_load(&slot);
	printf("%d %u\n", status, slot);
	return 0;
}
