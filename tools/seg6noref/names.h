/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * names.h - names that stand for numbers: tables, protocols, scopes, devices
 */
#ifndef SEG6NOREF_NAMES_H
#define SEG6NOREF_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Large enough for any printed name or number. */
#define NAME_SIZE	64

enum name_kind { NAME_TABLE, NAME_PROTO, NAME_SCOPE };

bool name_to_number(enum name_kind kind, const char *name, uint32_t *number);
const char *number_to_name(enum name_kind kind, uint32_t number, bool numeric,
			   char buf[NAME_SIZE]);
void names_netns(const char *netns);
void names_free(void);

uint32_t device_index(const char *name);
void device_names_forget(void);
const char *device_name(uint32_t index, char buf[NAME_SIZE]);

#endif /* SEG6NOREF_NAMES_H */
