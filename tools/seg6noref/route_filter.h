/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * route_filter.h - select routes in the words of `ip -6 route show'
 */
#ifndef SEG6NOREF_ROUTE_FILTER_H
#define SEG6NOREF_ROUTE_FILTER_H

#include "route.h"

enum match_mode { MATCH_ANY, MATCH_EXACT, MATCH_ROOT, MATCH_MATCH };

struct prefix_filter {
	struct prefix prefix;
	enum match_mode mode;
};

struct route_filter {
	bool all_tables;
	bool table_given;	/* else it is the main table */
	uint32_t table;
	uint32_t dev;
	uint32_t metric;
	uint32_t proto;
	uint32_t scope;
	uint8_t type;
	struct prefix_filter dst;
	struct prefix_filter src;	/* from */
	struct prefix_filter via;
	struct prefix_filter prefsrc;	/* src */
	struct route_hidden hidden;
};

/* The fields that decide, as far as the message has them. */
struct route_key {
	struct in6_addr dst;
	struct in6_addr src;
	struct in6_addr via;
	struct in6_addr prefsrc;
	uint32_t table;
	uint32_t metric;
	uint32_t dev;
};

/* Words up to the end of the line; without any, the main table. */
int route_filter_parse(struct route_filter *filter, struct cmdline *line);
bool route_wanted(const struct route_filter *filter,
		  const struct nlmsghdr *msg);
/* route_show.c: the caller frees @msgs in every case. */
int route_dump_filtered(struct session *session,
			const struct route_filter *filter,
			struct nl_msgs *msgs);
void route_key_get(const struct nlmsghdr *msg, struct route_key *key);

#endif /* SEG6NOREF_ROUTE_FILTER_H */
