/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * value.h - values that follow the words of routes and next hops
 *
 * Each function returns an exit status, as all that read words do.
 */
#ifndef SEG6NOREF_VALUE_H
#define SEG6NOREF_VALUE_H

#include <stdint.h>
#include <netinet/in.h>

#include "cmdline.h"
#include "names.h"

struct prefix {
	struct in6_addr addr;
	uint8_t len;
};

int parse_prefix(const char *word, struct prefix *prefix);
int parse_address(struct cmdline *line, struct in6_addr *addr);
int parse_number(struct cmdline *line, uint64_t max, uint64_t *number,
		 const char *why);
int parse_u32(struct cmdline *line, uint32_t *value, const char *why);
int parse_name(struct cmdline *line, enum name_kind kind, uint8_t *value);
int parse_table_id(struct cmdline *line, uint32_t *table, const char *why);
int parse_vrf_name(struct cmdline *line, uint32_t *table);
/* @status is that of a device which does not exist. */
int parse_device(struct cmdline *line, uint32_t *index, int status);

#endif /* SEG6NOREF_VALUE_H */
