/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hop.h - one next hop with our encap, of a multipath route or an object
 */
#ifndef SEG6NOREF_HOP_H
#define SEG6NOREF_HOP_H

#include <stdbool.h>
#include <stdint.h>
#include <netinet/in.h>
#include <libmnl/libmnl.h>

#include "cmdline.h"
#include "encap.h"

struct hop {
	uint32_t seen;			/* bits of enum hop_field */
	struct in6_addr gateway;	/* via */
	uint32_t oif;			/* dev */
	uint8_t others;			/* weight - 1, as the kernel has it */
	struct encap encap;
};

enum hop_field {
	H_VIA		= 1 << 0,
	H_DEV		= 1 << 1,
	H_WEIGHT	= 1 << 2,
	H_ONLINK	= 1 << 3,
	H_ENCAP		= 1 << 4,
};

/* The next hops of a multipath route. */
struct hops {
	struct hop *hop;
	size_t count;
};

/*
 * False if the word under the cursor is none of a next hop; else it and its
 * value are taken, and *@err is how that went.
 */
bool hop_word(struct hop *hop, struct cmdline *line, int *err);

/* Behind the first `nexthop', up to the end of the line. */
int hops_parse(struct hops *hops, struct cmdline *line);
bool hops_have_encap(const struct hops *hops);
bool hops_put(struct nlmsghdr *nlh, size_t size, const struct hops *hops,
	      uint16_t slot);
void hops_release(struct hops *hops);

#endif /* SEG6NOREF_HOP_H */
