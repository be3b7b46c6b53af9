/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * route.h - one route with our encap, from words to message; and the listing
 */
#ifndef SEG6NOREF_ROUTE_H
#define SEG6NOREF_ROUTE_H

#include <stdbool.h>
#include <stdint.h>
#include <netinet/in.h>
#include <linux/rtnetlink.h>

#include "cmdline.h"
#include "encap.h"
#include "hop.h"
#include "metric.h"
#include "out.h"
#include "session.h"
#include "value.h"

struct route {
	struct prefix dst;
	struct prefix src;		/* from */
	struct in6_addr gateway;	/* via */
	struct in6_addr prefsrc;	/* src */
	uint32_t seen;			/* bits of enum route_field */
	uint32_t table;
	uint32_t oif;
	uint32_t priority;		/* metric */
	uint32_t expires;
	uint8_t type;
	uint8_t protocol;
	uint8_t scope;
	uint8_t pref;
	struct metrics metrics;
	uint32_t nhid;
	struct encap encap;
	struct hops hops;		/* nexthop ... */
};

enum route_field {
	R_DST		= 1 << 0,
	R_FROM		= 1 << 1,
	R_VIA		= 1 << 2,
	R_SRC		= 1 << 3,
	R_TABLE		= 1 << 4,
	R_DEV		= 1 << 5,
	R_METRIC	= 1 << 6,
	R_EXPIRES	= 1 << 7,
	R_TYPE		= 1 << 8,
	R_PROTO		= 1 << 9,
	R_SCOPE		= 1 << 10,
	R_PREF		= 1 << 11,
	R_ONLINK	= 1 << 12,
	R_ENCAP		= 1 << 13,
	R_NHID		= 1 << 14,
	R_HOPS		= 1 << 15,
};

struct route_verb {
	const char *word;
	bool exact;
	uint16_t type;		/* RTM_NEWROUTE, RTM_DELROUTE; 0: no change */
	uint16_t flags;
	bool list;
	/* Instead of a change; @line stands behind the verb. */
	int (*run)(struct session *session, struct cmdline *line);
};

/* route_cmd.c: @line stands at the verb. */
const struct route_verb *route_verb(const char *word);
int route_command(struct session *session, struct cmdline *line);

/* route_parse.c: what it opened is to be released, whatever it returned. */
int route_parse(struct route *route, struct cmdline *line);
void route_release(struct route *route);
const char *route_type_name(uint8_t type);

/* route_build.c: struct route to a message of the type and flags of @nlh. */
bool route_build(struct nlmsghdr *nlh, size_t size, const void *route,
		 uint16_t slot);

/* route_print.c */
struct route_hidden {		/* fields that a filter makes redundant */
	bool dev;
	bool table;
	bool proto;
	bool metric;
	bool scope;
	bool via;
	bool src;
};

void print_encap(struct out *out, const struct nlattr *payload,
		 const struct nlattr *type_attr, uint16_t slot);
void print_deleted(struct out *out, bool deleted);
void print_flags(struct out *out, uint32_t flags);
/* Whether @msg is an IPv6 route, long enough for what all of them have. */
bool route_printable(const struct nlmsghdr *msg);
void route_print(struct out *out, const struct nlmsghdr *msg, uint16_t slot,
		 const struct route_hidden *hidden);

/* route_show.c */
int route_dump(struct session *session, struct nl_msgs *msgs);
int route_show(struct session *session, struct cmdline *line);

/* route_get.c, route_flush.c */
int route_get(struct session *session, struct cmdline *line);
int route_flush(struct session *session, struct cmdline *line);

#endif /* SEG6NOREF_ROUTE_H */
