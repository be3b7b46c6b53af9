// SPDX-License-Identifier: GPL-2.0-only
/*
 * value.c - values that follow the words of routes and next hops
 */
#include <arpa/inet.h>
#include <string.h>

#include "names.h"
#include "nl.h"
#include "value.h"

/* default, or ADDRESS[/LENGTH] */
int parse_prefix(const char *word, struct prefix *prefix)
{
	char addr[INET6_ADDRSTRLEN];
	size_t len = strcspn(word, "/");
	uint64_t bits = 128;

	memset(prefix, 0, sizeof(*prefix));
	if (!strcmp(word, "default") || !strcmp(word, "any") ||
	    !strcmp(word, "all"))
		return EXIT_OK;
	if (len >= sizeof(addr) ||
	    (word[len] && !word_number(word + len + 1, 128, &bits)))
		return complain_address("inet6", "prefix", word);
	memcpy(addr, word, len);
	addr[len] = '\0';
	if (inet_pton(AF_INET6, addr, &prefix->addr) != 1)
		return complain_address("inet6", "prefix", word);
	prefix->len = bits;
	return EXIT_OK;
}

int parse_address(struct cmdline *line, struct in6_addr *addr)
{
	const char *word;
	int err;

	err = cmdline_value(line, &word);
	if (err)
		return err;
	if (inet_pton(AF_INET6, word, addr) != 1)
		return complain_address("inet6", "address", word);
	return EXIT_OK;
}

int parse_number(struct cmdline *line, uint64_t max, uint64_t *number,
		 const char *why)
{
	const char *word;
	int err;

	err = cmdline_value(line, &word);
	if (err || word_number(word, max, number))
		return err;
	return complain_invalid(word, why);
}

int parse_u32(struct cmdline *line, uint32_t *value, const char *why)
{
	uint64_t number;
	int err;

	err = parse_number(line, UINT32_MAX, &number, why);
	if (!err)
		*value = number;
	return err;
}

/* Protocols and scopes, by name or number. */
int parse_name(struct cmdline *line, enum name_kind kind, uint8_t *value)
{
	const char *word;
	uint32_t number;
	int err;

	err = cmdline_value(line, &word);
	if (err)
		return err;
	if (!name_to_number(kind, word, &number))
		return complain_invalid(word, kind == NAME_PROTO ?
					"\"protocol\" value is invalid" :
					"invalid \"scope\" value");
	*value = number;
	return EXIT_OK;
}

int parse_table_id(struct cmdline *line, uint32_t *table, const char *why)
{
	const char *word;
	int err;

	err = cmdline_value(line, &word);
	if (err)
		return err;
	if (!name_to_number(NAME_TABLE, word, table))
		return complain_invalid(word, why);
	return EXIT_OK;
}

int parse_vrf_name(struct cmdline *line, uint32_t *table)
{
	const char *word;
	int err;

	err = cmdline_value(line, &word);
	if (err)
		return err;
	*table = vrf_table(word);
	if (!*table)
		return complain_invalid(word, "Invalid VRF");
	return EXIT_OK;
}

int parse_device(struct cmdline *line, uint32_t *index, int status)
{
	const char *word;
	int err;

	err = cmdline_value(line, &word);
	if (err)
		return err;
	*index = device_index(word);
	if (!*index) {
		complain("Cannot find device \"%s\"", word);
		return status;
	}
	return EXIT_OK;
}
