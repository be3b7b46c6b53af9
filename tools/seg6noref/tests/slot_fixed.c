// SPDX-License-Identifier: GPL-2.0-only
/*
 * slot_fixed.c - stands in for slot.c where no module is
 *
 * The unit tests build messages for the IOAM6 slot.  The program that host.sh
 * runs takes the routes of the kernel's own seg6local for ours: their payload
 * is not in our nest, so nothing of it is decoded, but all the rest is real.
 */
#include "../cmdline.h"
#include "../slot.h"

int slot_loaded(uint16_t *slot)
{
	*slot = FIXED_SLOT;
	return EXIT_OK;
}

int slot_load(uint16_t *slot)
{
	return slot_loaded(slot);
}
