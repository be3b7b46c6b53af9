/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hop.h - between nexthop.c and its memory, hop.c; for no other file
 */
#ifndef SEG6NR_HOP_H
#define SEG6NR_HOP_H

#include <linux/percpu.h>
#include <net/dst.h>
#include <net/ip6_fib.h>

#include "seg6nr.h"

/**
 * struct seg6nr_held - a route to an on-link next hop, of one CPU and SID
 * @dst: the route, one reference held; names the next hop as its gateway
 * @base: IPv4: the route that @dst was made from, one reference held, so that
 *	  its address cannot come to mean another one
 * @holders: where it is counted
 * @rcu: readers may still look at us
 */
struct seg6nr_held {
	struct dst_entry	*dst;
	struct dst_entry	*base;
	struct seg6nr_holders	*holders;
	struct rcu_head		rcu;
};

/* What a lookup may depend on and no route shows. */
struct seg6nr_epoch {
	int			genid;	 /* of the FIB: something was added */
	u32			removed; /* routes deleted so far */
	u32			changes; /* of devices */
};

/**
 * struct seg6nr_fill - a lookup whose answer may be remembered
 * @wanted: it may so far
 * @epoch: before the lookup
 * @table: the only one that is asked, NULL where rules choose
 * @flow: what is asked, set by the caller
 * @daddr: as in struct seg6nr_hop, like the others
 * @iif: see there
 * @mark: see there
 */
struct seg6nr_fill {
	bool			wanted;
	struct seg6nr_epoch		epoch;
	struct fib6_table	*table;
	const struct flowi6	*flow;
	struct in6_addr		daddr;
	int			iif;
	u32			mark;
};

bool seg6nr_hop_reuse(struct seg6nr_pkt *pkt, const struct in6_addr *daddr,
		      int iif, u32 mark);
void seg6nr_hop_begin(struct seg6nr_fill *fill, const struct seg6nr_pkt *pkt,
		      struct fib6_table *table, const struct in6_addr *daddr,
		      int iif, u32 mark);
void seg6nr_hop_remember(const struct seg6nr_pkt *pkt,
			 const struct seg6nr_fill *fill, struct fib6_info *from);
struct fib6_info *seg6nr_hop_matched(const struct seg6nr_pkt *pkt,
				     struct fib6_table *table,
				     const struct flowi6 *fl6,
				     const struct rt6_info *rt);
bool seg6nr_hop_hold(const struct seg6nr_pkt *pkt, struct dst_entry *dst,
		     struct dst_entry *base);
const struct seg6nr_held *seg6nr_hop_held(const struct seg6nr_pkt *pkt);

#endif /* SEG6NR_HOP_H */
