// SPDX-License-Identifier: GPL-2.0-only
/*
 * stand_ins.c - in place of what reaches out of the process
 */
#include "../bpf_load.h"
#include "../cmdline.h"
#include "../slot.h"
#include "fuzz.h"

int bpf_load(const struct bpf_object_words *words, char *section, size_t size)
{
	(void)words;
	(void)section;
	(void)size;
	return -1;
}

int slot_loaded(uint16_t *slot)
{
	*slot = FUZZ_SLOT;
	return EXIT_OK;
}

int slot_load(uint16_t *slot)
{
	return slot_loaded(slot);
}
