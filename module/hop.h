/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hop.h - between nexthop.c and its memory, hop.c; for no other file
 *
 * What a remembered next hop needs to be used again is here, to be inlined.
 */
#ifndef SEG6NR_HOP_H
#define SEG6NR_HOP_H

#include <linux/hash.h>
#include <linux/jiffies.h>
#include <linux/percpu.h>
#include <net/dst.h>
#include <net/ip6_fib.h>
#include <net/ipv6.h>

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

/* All but the addresses; that they are neighbours saves half of the stores. */
static __always_inline void seg6nr_flow_clear(struct flowi6 *fl6)
{
	size_t head = offsetof(struct flowi6, daddr);
	size_t tail = offsetofend(struct flowi6, saddr);

	if (tail - head != 2 * sizeof(struct in6_addr)) {
		memset(fl6, 0, sizeof(*fl6));
		return;
	}
	memset(fl6, 0, head);
	memset((u8 *)fl6 + tail, 0, sizeof(*fl6) - tail);
}

/* The flow of an input lookup; zeroed, for rules compare what we don't set. */
static __always_inline void seg6nr_flow(struct flowi6 *fl6,
					const struct seg6nr_pkt *pkt,
					const struct in6_addr *daddr)
{
	const struct ipv6hdr *hdr = ipv6_hdr(pkt->skb);

	seg6nr_flow_clear(fl6);
	fl6->flowi6_iif = pkt->skb->dev->ifindex;
	fl6->flowi6_mark = pkt->skb->mark;
	fl6->flowi6_proto = hdr->nexthdr;
	fl6->flowlabel = ip6_flowinfo(hdr);
	fl6->saddr = hdr->saddr;
	fl6->daddr = *daddr;
}

/* Lend the packet a dst, mostly in place of another one that was lent. */
static __always_inline void seg6nr_lend(struct sk_buff *skb,
					struct dst_entry *dst)
{
	if (likely(skb->_skb_refdst & SKB_DST_NOREF)) {
		skb->_skb_refdst = (unsigned long)dst | SKB_DST_NOREF;
	} else {
		skb_dst_drop(skb);
		skb_dst_set_noref(skb, dst);
	}
}

/* What a lookup may depend on and no route shows. */
struct seg6nr_epoch {
	int			genid;	 /* of the FIB: something was added */
	u32			removed; /* routes deleted so far */
	u32			changes; /* of devices */
};

/**
 * struct seg6nr_hop - the answer of a lookup, remembered by one CPU for one SID
 * @daddr: what was looked up
 * @iif: the device that the packet came in on, 0 where that does not matter
 * @mark: of the packet, 0 where that does not matter
 * @epoch: when
 * @cookie: of the FIB node that @from is in
 * @multipath: what the lookup marks the packet with
 * @stamp: jiffies
 * @rt: the answer, one reference held
 * @from: the route it stands for, one reference held
 * @holders: where it is counted
 * @rcu: readers may still look at us
 *
 * Never changed once it can be seen.
 */
struct seg6nr_hop {
	struct in6_addr		daddr;
	int			iif;
	u32			mark;
	struct seg6nr_epoch	epoch;
	u32			cookie;
	u16			multipath;
	unsigned long		stamp;
	struct rt6_info		*rt;
	struct fib6_info	*from;
	struct seg6nr_holders	*holders;
	struct rcu_head		rcu;
};

static_assert(sizeof(struct seg6nr_hop) <= 128);

/**
 * struct seg6nr_hops - what one CPU holds for one SID
 * @held: route to the on-link next hop
 * @way: remembered next hops, &seg6nr_lwt.ways of them
 */
struct seg6nr_hops {
	struct seg6nr_held __rcu	*held;
	struct seg6nr_hop __rcu		*way[];
};

/* This CPU's; NULL as long as there is nothing in them. */
static inline struct seg6nr_hops *
seg6nr_hops_noref(const struct seg6nr_lwt *slwt)
{
	return READ_ONCE(*this_cpu_ptr(slwt->hops));
}

/* What this CPU holds for the SID of a packet, valid in its RCU section. */
static __always_inline const struct seg6nr_held *
seg6nr_hop_held(const struct seg6nr_pkt *pkt)
{
	const struct seg6nr_hops *hops = seg6nr_hops_noref(pkt->slwt);

	return hops ? rcu_dereference(hops->held) : NULL;
}

static inline void seg6nr_hop_count(const struct seg6nr_pkt *pkt,
				    enum seg6nr_hop_event event)
{
	/* May lose one where PREEMPT_RT interleaves softirqs. */
	raw_cpu_inc(pkt->slwt->holders->stats->count[event]);
}

static __always_inline void
seg6nr_epoch_read(struct seg6nr_epoch *epoch, const struct seg6nr_pkt *pkt)
{
	const struct net *net = pkt->net;

	epoch->changes = READ_ONCE(pkt->slwt->holders->changes);
	epoch->removed =
		READ_ONCE(net->ipv6.rt6_stats->fib_discarded_routes);
	epoch->genid = rt_genid_ipv6(net);
}

static __always_inline bool
seg6nr_epoch_is(const struct seg6nr_epoch *epoch, const struct seg6nr_pkt *pkt)
{
	struct seg6nr_epoch now;

	seg6nr_epoch_read(&now, pkt);
	return now.changes == epoch->changes &&
	       now.removed == epoch->removed && now.genid == epoch->genid;
}

/* Other answers are possible for the same packet, or for the same key. */
static inline bool seg6nr_host_decides(const struct net *net)
{
	return !READ_ONCE(net->ipv6.devconf_all->forwarding) ||
	       fib6_routes_require_src(net);
}

static __always_inline bool seg6nr_is_in_fib(const struct fib6_info *from,
					     u32 cookie)
{
	const struct fib6_node *fn = rcu_dereference(from->fib6_node);

	return fn && READ_ONCE(fn->fn_sernum) == cookie &&
	       !(READ_ONCE(from->fib6_flags) & RTF_EXPIRES);
}

static __always_inline bool seg6nr_hop_is_good(const struct seg6nr_hop *hop)
{
	const struct rt6_info *rt = hop->rt;

	return READ_ONCE(rt->dst.obsolete) == DST_OBSOLETE_FORCE_CHK &&
	       !(READ_ONCE(rt->rt6i_flags) & (RTF_MODIFIED | RTF_EXPIRES)) &&
	       seg6nr_is_in_fib(hop->from, hop->cookie);
}

static __always_inline enum seg6nr_hop_event
seg6nr_hop_judge(const struct seg6nr_hop *hop, const struct seg6nr_pkt *pkt,
		 const struct in6_addr *daddr, int iif, u32 mark)
{
	if (unlikely(!ipv6_addr_equal(&hop->daddr, daddr) ||
		     hop->iif != iif || hop->mark != mark))
		return SEG6NR_HOP_MISS_KEY;
	if (unlikely(!seg6nr_epoch_is(&hop->epoch, pkt) ||
		     seg6nr_host_decides(pkt->net)))
		return SEG6NR_HOP_MISS_CHANGED;
	if (unlikely(!seg6nr_hop_is_good(hop)))
		return SEG6NR_HOP_MISS_ROUTE;
	if (unlikely(jiffies - hop->stamp > READ_ONCE(seg6nr_params.max_age)))
		return SEG6NR_HOP_MISS_AGE;
	return SEG6NR_HOP_HIT;
}

static __always_inline unsigned int
seg6nr_way_of(const struct seg6nr_lwt *slwt, const struct in6_addr *daddr)
{
	const __be32 *a = daddr->s6_addr32;

	if (slwt->ways == 1)
		return 0;
	/* The upper bits, to which every octet of the address contributes. */
	return hash_32((__force u32)(a[0] ^ a[1] ^ a[2] ^ a[3]), 3) &
	       (slwt->ways - 1);
}

/*
 * Whether next hops are remembered for packets like this one.  A device may
 * hand a packet to the routes of another namespace (ipvlan l3s), where nobody
 * would purge what we hold of its own.
 */
static __always_inline bool seg6nr_may_reuse(const struct seg6nr_pkt *pkt)
{
	const struct seg6nr_lwt *slwt = pkt->slwt;

	return READ_ONCE(seg6nr_params.cache) && slwt && slwt->ways &&
	       net_eq(pkt->net, slwt->net);
}

/**
 * seg6nr_hop_reuse() - lend the packet the next hop remembered for its like
 * @pkt: the packet, of those that seg6nr_may_reuse() allows
 * @daddr: what would be looked up
 * @iif: the device it came in on, 0 where that does not matter
 * @mark: its mark, 0 where that does not matter
 *
 * Context: BH off, RCU read section.  On success the former dst of the skb is
 * dropped.
 *
 * Return: whether a dst is attached.
 */
static __always_inline bool
seg6nr_hop_reuse(struct seg6nr_pkt *pkt, const struct in6_addr *daddr, int iif,
		 u32 mark)
{
	enum seg6nr_hop_event event = SEG6NR_HOP_MISS_EMPTY;
	const struct seg6nr_hop *hop = NULL;
	const struct seg6nr_hops *hops;
	struct sk_buff *skb = pkt->skb;

	hops = seg6nr_hops_noref(pkt->slwt);
	if (likely(hops))
		hop = rcu_dereference(hops->way[seg6nr_way_of(pkt->slwt,
							      daddr)]);
	if (likely(hop))
		event = seg6nr_hop_judge(hop, pkt, daddr, iif, mark);
	seg6nr_hop_count(pkt, event);
	if (unlikely(event != SEG6NR_HOP_HIT))
		return false;

	IP6CB(skb)->flags |= hop->multipath;
	seg6nr_lend(skb, &hop->rt->dst);
	return true;
}

/**
 * struct seg6nr_fill - a lookup whose answer may be remembered
 * @wanted: it may so far
 * @epoch: before the lookup
 * @table: the only one that is asked, NULL where rules choose
 * @daddr: as in struct seg6nr_hop, like the others
 * @iif: see there
 * @mark: see there
 */
struct seg6nr_fill {
	bool			wanted;
	struct seg6nr_epoch		epoch;
	struct fib6_table	*table;
	struct in6_addr		daddr;
	int			iif;
	u32			mark;
};

void seg6nr_hop_begin(struct seg6nr_fill *fill, const struct seg6nr_pkt *pkt,
		      struct fib6_table *table, const struct in6_addr *daddr,
		      int iif, u32 mark);
void seg6nr_hop_remember(const struct seg6nr_pkt *pkt,
			 const struct seg6nr_fill *fill);
struct fib6_info *seg6nr_hop_matched(const struct seg6nr_pkt *pkt,
				     struct fib6_table *table,
				     const struct in6_addr *daddr,
				     const struct rt6_info *rt);
bool seg6nr_hop_hold(const struct seg6nr_pkt *pkt, struct dst_entry *dst,
		     struct dst_entry *base);

#endif /* SEG6NR_HOP_H */
