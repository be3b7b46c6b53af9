/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * nexthop.h - nexthop objects with our encap
 */
#ifndef SEG6NOREF_NEXTHOP_H
#define SEG6NOREF_NEXTHOP_H

#include <stdbool.h>
#include <stdint.h>
#include <linux/nexthop.h>

#include "hop.h"
#include "out.h"
#include "session.h"

struct nexthop {
	bool has_id;
	bool has_protocol;
	uint32_t id;
	uint8_t protocol;
	struct hop hop;
};

struct nexthop_verb {
	const char *word;
	bool list;
	uint16_t type;		/* RTM_NEWNEXTHOP, RTM_DELNEXTHOP; 0: none */
	uint16_t flags;
};

/* nexthop.c: @line stands at the verb. */
const struct nexthop_verb *nexthop_verb(const char *word);
int nexthop_command(struct session *session, struct cmdline *line);
int nexthop_parse(struct nexthop *nexthop, struct cmdline *line);
bool nexthop_build(struct nlmsghdr *nlh, size_t size, const void *nexthop,
		   uint16_t slot);

/* nexthop_show.c */
int nexthop_dump(struct session *session, struct nl_msgs *msgs);
int nexthop_show(struct session *session, struct cmdline *line);
/* Whether @msg is a nexthop object, long enough for what all of them have. */
bool nexthop_printable(const struct nlmsghdr *msg);
void nexthop_print(struct out *out, const struct nlmsghdr *msg, uint16_t slot);
void nexthop_print_fields(struct out *out, const struct nlmsghdr *msg,
			  uint16_t slot);

/* nexthop_info.c: the objects behind the routes of a listing. */
int nexthop_info_load(struct session *session);
void nexthop_info_print(struct out *out, uint32_t id, uint16_t slot);
void nexthop_info_free(void);

#endif /* SEG6NOREF_NEXTHOP_H */
