/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * slot.h - which lwtunnel slot the module occupies
 */
#ifndef SEG6NOREF_SLOT_H
#define SEG6NOREF_SLOT_H

#include <stdint.h>

/* EXIT_OK and the slot; 0 as slot while the module is not loaded. */
int slot_loaded(uint16_t *slot);

/* The same, but load the module if need be. */
int slot_load(uint16_t *slot);

#endif /* SEG6NOREF_SLOT_H */
