// SPDX-License-Identifier: GPL-2.0-only
/*
 * nexthop.c - where a packet goes next, and who holds the route it goes by
 *
 * The only file that looks up, sets or references a dst, with hop.c, which is
 * its memory and nobody else's.  Its promise: a route that merely forwards is
 * lent to the packet for the rest of the RCU read section and nothing shared is
 * written for it.  That is sound because every path that keeps a packet longer
 * (queues, qdiscs, neighbours, XFRM) converts the loan with skb_dst_force()
 * first.  Three exceptions:
 *  - an uncached dst comes with one reference of its own in spite of
 *    RT6_LOOKUP_F_DST_NOREF; the packet takes it over, unless it can be held
 *    and lent from then on;
 *  - a dst for local delivery is forced here, because not every kernel forces
 *    it where local packets are queued;
 *  - the special entries (null, prohibit, blackhole) live as long as the
 *    namespace and are lent like any other.
 */
#include <linux/ipv6.h>
#include <net/ip.h>
#include <net/ip6_route.h>
#include <net/ipv6.h>
#include <net/l3mdev.h>
#include <net/route.h>

#include "hop.h"
#include "seg6nr.h"

static __always_inline bool is_loopback(const struct dst_entry *dst)
{
	return READ_ONCE(dst->dev)->flags & IFF_LOOPBACK;
}

/*
 * Whether an IPv6 packet is delivered to this node.  A VRF's own addresses have
 * the VRF as their device; the error entries, on the loopback too, deliver
 * nothing.
 */
static __always_inline bool is_local(const struct sk_buff *skb,
				     const struct rt6_info *rt)
{
	if (rt->dst.error)
		return false;

	return (rt->rt6i_flags & (RTF_LOCAL | RTF_ANYCAST)) ||
	       is_loopback(&rt->dst) ||
	       netif_is_l3_master(READ_ONCE(rt->dst.dev)) ||
	       ipv6_addr_is_multicast(&ipv6_hdr(skb)->daddr);
}

/**
 * seg6nr_nexthop_is_sid() - whether a dst leads to another SID of this node
 * @dst: the dst of a packet
 *
 * Other encaps hand the packet to the forward path, which spends a hop.
 *
 * Return: true where dst_input() would run an endpoint behaviour, ours or the
 * kernel's own.
 */
bool seg6nr_nexthop_is_sid(const struct dst_entry *dst)
{
	return dst->lwtstate &&
	       (dst->lwtstate->type == seg6nr_slot ||
		dst->lwtstate->type == LWTUNNEL_ENCAP_SEG6_LOCAL);
}

/*
 * Give a route to the packet.  @owned: it carries one reference, which goes to
 * the packet or is released here.  Otherwise it is lent: it was found in the
 * RCU read section that we are still in.
 */
static enum seg6nr_verdict attach(struct seg6nr_pkt *pkt, struct rt6_info *rt,
				  bool owned, unsigned int flags)
{
	struct sk_buff *skb = pkt->skb;

	if (!(flags & SEG6NR_NH_LOCAL) && !rt->dst.error &&
	    is_loopback(&rt->dst)) {
		if (owned)
			dst_release(&rt->dst);
		rt = pkt->net->ipv6.ip6_blk_hole_entry;
		owned = false;
	}

	if (owned) {
		skb_dst_drop(skb);
		skb_dst_set(skb, &rt->dst);
	} else {
		seg6nr_lend(skb, &rt->dst);
	}

	if (is_local(skb, rt) && !skb_dst_force(skb))
		return SEG6NR_DROP_NO_ROUTE;

	return SEG6NR_FORWARD;
}

/*
 * With a suppressing rule and nothing behind it, 5.10 returns a route whose
 * only reference it has released already.
 */
static noinline enum seg6nr_verdict attach_odd(struct seg6nr_pkt *pkt,
					       struct rt6_info *rt,
					       unsigned int flags)
{
	bool owned = seg6nr_rt6_uncached(rt);

	if (owned && !seg6nr_dst_refs(&rt->dst))
		return attach(pkt, pkt->net->ipv6.ip6_blk_hole_entry, false,
			      flags);

	return attach(pkt, rt, owned, flags);
}

/* Attach what a lookup without reference returned, or else what is @held. */
static __always_inline enum seg6nr_verdict
attach_noref(struct seg6nr_pkt *pkt, struct rt6_info *rt, unsigned int flags,
	     bool held)
{
	if (unlikely(rt->dst.error || is_local(pkt->skb, rt)))
		return held ? attach(pkt, rt, false, flags) :
			      attach_odd(pkt, rt, flags);
	if (unlikely(!held && seg6nr_rt6_uncached(rt)))
		return attach_odd(pkt, rt, flags);

	seg6nr_lend(pkt->skb, &rt->dst);
	return SEG6NR_FORWARD;
}

static __always_inline struct rt6_info *
lookup_noref(struct seg6nr_pkt *pkt, struct flowi6 *fl6)
{
	struct dst_entry *dst;

	dst = ip6_route_input_lookup(pkt->net, pkt->skb->dev, fl6, pkt->skb,
				     RT6_LOOKUP_F_HAS_SADDR |
				     RT6_LOOKUP_F_DST_NOREF);
	return dst_rt6_info(dst);
}

/*
 * Whether the kernel, told that the destination is a next hop, would make a
 * route of its own from this answer: it names no gateway, nor is it an
 * exception or an error.  What it would make for the loopback is of no use.
 */
static __always_inline bool is_onlink(const struct rt6_info *rt)
{
	return !(rt->rt6i_flags & (RTF_GATEWAY | RTF_CACHE)) &&
	       !rt->dst.error && !is_loopback(&rt->dst);
}

/*
 * Whether the held route is what the kernel would make now from the answer @rt,
 * which stands for the route @from.
 */
static bool is_made_from(const struct rt6_info *clone,
			 const struct rt6_info *rt,
			 const struct fib6_info *from)
{
	return from && rcu_access_pointer(clone->from) == from &&
	       READ_ONCE(clone->dst.dev) == READ_ONCE(rt->dst.dev) &&
	       !(READ_ONCE(clone->rt6i_flags) & (RTF_MODIFIED | RTF_EXPIRES));
}

/* A route of no table whose input is the kernel's own encap @inner. */
static struct rt6_info *make_delegate(const struct seg6nr_pkt *pkt)
{
	const struct dst_entry *dst = skb_dst(pkt->skb);
	struct net_device *dev = READ_ONCE(dst->dev);
	struct rt6_info *rt;

	rt = ip6_dst_alloc(pkt->net, dev, 0);
	if (!rt)
		return NULL;

	rt->rt6i_idev = in6_dev_get(dev);
	rt->dst.input = lwtunnel_input;
	rt->dst.output = dst->output;
	rt->dst.lwtstate = lwtstate_get(pkt->slwt->inner);
	if (!rt->rt6i_idev) {
		dst_release(&rt->dst);
		return NULL;
	}
	return rt;
}

/**
 * seg6nr_nexthop_delegate() - make the kernel's own seg6local the next step
 * @pkt: the packet
 *
 * That encap finds its state behind the dst of the packet.
 *
 * Context: BH off, RCU read section.  The former dst of the skb is dropped.
 *
 * Return: SEG6NR_FORWARD with such a dst attached, or SEG6NR_DROP_NOMEM.
 */
enum seg6nr_verdict seg6nr_nexthop_delegate(struct seg6nr_pkt *pkt)
{
	const struct seg6nr_held *held = seg6nr_hop_held(pkt);
	const struct dst_entry *dst = skb_dst(pkt->skb);
	struct rt6_info *rt;

	if (held && READ_ONCE(held->dst->dev) == READ_ONCE(dst->dev)) {
		rt = dst_rt6_info(held->dst);
		return attach(pkt, rt, false, SEG6NR_NH_LOCAL);
	}

	rt = make_delegate(pkt);
	if (!rt)
		return SEG6NR_DROP_NOMEM;

	return attach(pkt, rt, !seg6nr_hop_hold(pkt, &rt->dst, NULL),
		      SEG6NR_NH_LOCAL);
}

/* Make the route to an on-link next hop, if possible one to be held. */
static noinline enum seg6nr_verdict make_onlink(struct seg6nr_pkt *pkt,
						struct flowi6 *fl6, bool hold)
{
	struct rt6_info *rt;

	fl6->flowi6_flags = FLOWI_FLAG_KNOWN_NH;
	rt = lookup_noref(pkt, fl6);
	if (hold && seg6nr_rt6_uncached(rt) && seg6nr_dst_refs(&rt->dst) &&
	    seg6nr_hop_hold(pkt, &rt->dst, NULL))
		return attach(pkt, rt, false, 0);

	return attach_odd(pkt, rt, 0);
}

/*
 * Whether the kernel has to make its route for each lookup: to rules that judge
 * the prefix that was found, such a route is as long as can be.
 */
static __always_inline bool wants_clone(const struct seg6nr_pkt *pkt)
{
	return !READ_ONCE(seg6nr_params.hold) ||
	       (READ_ONCE(pkt->net->ipv6.fib6_has_custom_rules) &&
		!(seg6nr_rules(pkt->net, pkt->slwt->holders) &
		  SEG6NR_RULES_PLAIN));
}

static enum seg6nr_verdict find_known(struct seg6nr_pkt *pkt,
				      const struct in6_addr *nexthop)
{
	const struct seg6nr_held *held;
	struct fib6_info *from;
	struct rt6_info *rt;
	struct flowi6 fl6;

	seg6nr_flow(&fl6, pkt, nexthop);
	if (unlikely(wants_clone(pkt)))
		return make_onlink(pkt, &fl6, READ_ONCE(seg6nr_params.hold));

	rt = lookup_noref(pkt, &fl6);
	if (!is_onlink(rt))
		return attach_noref(pkt, rt, 0, false);

	from = rcu_dereference(rt->from);
	if (unlikely(rt->sernum))
		from = seg6nr_hop_matched(pkt, NULL, nexthop, rt);
	held = seg6nr_hop_held(pkt);
	if (likely(held && is_made_from(dst_rt6_info(held->dst), rt, from)))
		return attach_noref(pkt, dst_rt6_info(held->dst), 0, true);

	return make_onlink(pkt, &fl6, from);
}

static noinline enum seg6nr_verdict learn_known(struct seg6nr_pkt *pkt,
						const struct in6_addr *nexthop)
{
	enum seg6nr_verdict verdict;
	struct seg6nr_fill fill;

	seg6nr_hop_begin(&fill, pkt, NULL, nexthop, pkt->skb->dev->ifindex,
			 pkt->skb->mark);
	verdict = find_known(pkt, nexthop);
	if (verdict == SEG6NR_FORWARD)
		seg6nr_hop_remember(pkt, &fill);
	return verdict;
}

/**
 * seg6nr_nexthop_known() - resolve a given next hop
 * @pkt: the packet, its IPv6 header at the network header
 * @nexthop: where to send it, from the SID's configuration
 *
 * Context: BH off, RCU read section.  The former dst of the skb is dropped.
 *
 * Return: as seg6nr_nexthop().
 */
enum seg6nr_verdict seg6nr_nexthop_known(struct seg6nr_pkt *pkt,
					 const struct in6_addr *nexthop)
{
	/* A group as the packet's destination makes it a local one. */
	if (!seg6nr_may_reuse(pkt) ||
	    ipv6_addr_is_multicast(&ipv6_hdr(pkt->skb)->daddr))
		return find_known(pkt, nexthop);
	if (likely(seg6nr_hop_reuse(pkt, nexthop, pkt->skb->dev->ifindex,
				    pkt->skb->mark)))
		return SEG6NR_FORWARD;

	return learn_known(pkt, nexthop);
}

static enum seg6nr_verdict find_by_rules(struct seg6nr_pkt *pkt,
					 const struct in6_addr *daddr,
					 unsigned int flags)
{
	struct flowi6 fl6;

	seg6nr_flow(&fl6, pkt, daddr);
	return attach_noref(pkt, lookup_noref(pkt, &fl6), flags, false);
}

static noinline enum seg6nr_verdict
learn_by_rules(struct seg6nr_pkt *pkt, const struct in6_addr *daddr,
	       unsigned int flags)
{
	enum seg6nr_verdict verdict;
	struct seg6nr_fill fill;

	seg6nr_hop_begin(&fill, pkt, NULL, daddr, pkt->skb->dev->ifindex,
			 pkt->skb->mark);
	verdict = find_by_rules(pkt, daddr, flags);
	if (verdict == SEG6NR_FORWARD)
		seg6nr_hop_remember(pkt, &fill);
	return verdict;
}

/**
 * seg6nr_nexthop() - look up by policy rules, as for a received packet
 * @pkt: the packet, its IPv6 header at the network header
 * @daddr: its destination
 * @flags: SEG6NR_NH_LOCAL or none
 *
 * Context: BH off, RCU read section.  The former dst of the skb is dropped.
 *
 * Return: SEG6NR_FORWARD with a dst attached, lent unless it is uncached or
 * local; an error entry counts as one.
 */
enum seg6nr_verdict seg6nr_nexthop(struct seg6nr_pkt *pkt,
				   const struct in6_addr *daddr,
				   unsigned int flags)
{
	if (!seg6nr_may_reuse(pkt))
		return find_by_rules(pkt, daddr, flags);
	if (likely(seg6nr_hop_reuse(pkt, daddr, pkt->skb->dev->ifindex,
				    pkt->skb->mark)))
		return SEG6NR_FORWARD;

	return learn_by_rules(pkt, daddr, flags);
}

static enum seg6nr_verdict find_in_table(struct seg6nr_pkt *pkt,
					 struct fib6_table *table,
					 const struct in6_addr *daddr,
					 unsigned int flags)
{
	struct rt6_info *rt;
	struct flowi6 fl6;

	if (!table)
		return attach(pkt, pkt->net->ipv6.ip6_blk_hole_entry, false,
			      flags);

	seg6nr_flow(&fl6, pkt, daddr);
	rt = ip6_pol_route(pkt->net, table, 0, &fl6, pkt->skb,
			   RT6_LOOKUP_F_HAS_SADDR | RT6_LOOKUP_F_DST_NOREF);
	return attach_noref(pkt, rt, flags, false);
}

static noinline enum seg6nr_verdict
learn_in_table(struct seg6nr_pkt *pkt, u32 id, const struct in6_addr *daddr,
	       unsigned int flags)
{
	struct fib6_table *table = fib6_get_table(pkt->net, id);
	enum seg6nr_verdict verdict;
	struct seg6nr_fill fill;

	seg6nr_hop_begin(&fill, pkt, table, daddr, 0, 0);
	verdict = find_in_table(pkt, table, daddr, flags);
	if (verdict == SEG6NR_FORWARD && table)
		seg6nr_hop_remember(pkt, &fill);
	return verdict;
}

/**
 * seg6nr_nexthop_table() - look the packet's destination up in one table
 * @pkt: the packet, its IPv6 header at the network header
 * @table: the table; 0 means by policy rules, one that does not exist is a
 *	   black hole
 * @flags: SEG6NR_NH_LOCAL or none
 *
 * Context: BH off, RCU read section.  The former dst of the skb is dropped.
 *
 * Return: as seg6nr_nexthop().
 */
enum seg6nr_verdict seg6nr_nexthop_table(struct seg6nr_pkt *pkt, u32 table,
					 unsigned int flags)
{
	const struct in6_addr *daddr = &ipv6_hdr(pkt->skb)->daddr;

	if (unlikely(!table))
		return seg6nr_nexthop(pkt, daddr, flags);
	if (!seg6nr_may_reuse(pkt))
		return find_in_table(pkt, fib6_get_table(pkt->net, table),
				     daddr, flags);
	if (likely(seg6nr_hop_reuse(pkt, daddr, 0, 0)))
		return SEG6NR_FORWARD;

	return learn_in_table(pkt, table, daddr, flags);
}

/* The device itself or the VRF that it stands for. */
static bool leaves_through(const struct dst_entry *dst, int oif)
{
	const struct net_device *dev = READ_ONCE(dst->dev);

	return dev->ifindex == oif || l3mdev_master_ifindex_rcu(dev) == oif;
}

/* An output lookup, which always returns a reference; @known: of a next hop. */
static struct rt6_info *lookup_oif(const struct seg6nr_pkt *pkt,
				   const struct in6_addr *daddr, int oif,
				   bool known)
{
	struct flowi6 fl6;

	seg6nr_flow(&fl6, pkt, daddr);
	fl6.flowi6_iif = LOOPBACK_IFINDEX;
	fl6.flowi6_oif = oif;
	fl6.flowi6_flags = known ? FLOWI_FLAG_KNOWN_NH : 0;
	return dst_rt6_info(ip6_route_output(pkt->net, NULL, &fl6));
}

/*
 * Attach the answer @rt of lookup_oif(), whose reference is ours; that of an
 * error entry, the null entry too, is given back at once.
 */
static enum seg6nr_verdict attach_oif(struct seg6nr_pkt *pkt,
				      struct rt6_info *rt, int oif)
{
	if (rt->dst.error) {
		dst_release(&rt->dst);
		return attach(pkt, rt, false, 0);
	}
	if (!is_loopback(&rt->dst) && !leaves_through(&rt->dst, oif)) {
		dst_release(&rt->dst);
		return SEG6NR_DROP_OIF;
	}
	if (seg6nr_rt6_uncached(rt) && seg6nr_hop_hold(pkt, &rt->dst, NULL))
		return attach(pkt, rt, false, 0);

	return attach(pkt, rt, true, 0);
}

/* The held route, where the answer @rt of a plain lookup_oif() leads to it. */
static struct rt6_info *held_behind(const struct seg6nr_pkt *pkt,
				    const struct rt6_info *rt, int oif)
{
	const struct seg6nr_held *held = seg6nr_hop_held(pkt);
	struct rt6_info *clone;

	if (!held || rt->sernum)
		return NULL;
	clone = dst_rt6_info(held->dst);
	if (!is_made_from(clone, rt, rcu_dereference(rt->from)) ||
	    !leaves_through(&clone->dst, oif))
		return NULL;
	return clone;
}

static enum seg6nr_verdict find_behind(struct seg6nr_pkt *pkt,
				       const struct in6_addr *daddr, int oif)
{
	struct rt6_info *rt, *clone;

	rt = lookup_oif(pkt, daddr, oif, wants_clone(pkt));
	if (!is_onlink(rt) || seg6nr_rt6_uncached(rt))
		return attach_oif(pkt, rt, oif);

	clone = held_behind(pkt, rt, oif);
	dst_release(&rt->dst);
	if (clone)
		return attach(pkt, clone, false, 0);

	return attach_oif(pkt, lookup_oif(pkt, daddr, oif, true), oif);
}

static noinline enum seg6nr_verdict
learn_behind(struct seg6nr_pkt *pkt, const struct in6_addr *daddr, int oif)
{
	enum seg6nr_verdict verdict;
	struct seg6nr_fill fill;

	seg6nr_hop_begin(&fill, pkt, NULL, daddr, 0, pkt->skb->mark);
	verdict = find_behind(pkt, daddr, oif);
	if (verdict == SEG6NR_FORWARD &&
	    !dst_rt6_info(skb_dst(pkt->skb))->sernum)
		seg6nr_hop_remember(pkt, &fill);
	return verdict;
}

/**
 * seg6nr_nexthop_oif() - resolve a next hop behind a given device
 * @pkt: the packet, its IPv6 header at the network header
 * @daddr: the next hop
 * @oif: the device, or a VRF, that the packet must leave through
 *
 * An output lookup, which alone follows @oif into its VRF.  The reference that
 * comes with it is on a route of this CPU's own.
 *
 * Context: BH off, RCU read section.  The former dst of the skb is dropped.
 *
 * Return: SEG6NR_FORWARD with a dst attached, SEG6NR_DROP_OIF where the next
 * hop is not behind @oif (RFC 8986 4.2: the adjacency is the user's).
 */
enum seg6nr_verdict seg6nr_nexthop_oif(struct seg6nr_pkt *pkt,
				       const struct in6_addr *daddr, int oif)
{
	/* Without a source the lookup takes @oif for a scope. */
	if (!seg6nr_may_reuse(pkt) ||
	    ipv6_addr_any(&ipv6_hdr(pkt->skb)->saddr) ||
	    ipv6_addr_is_multicast(&ipv6_hdr(pkt->skb)->daddr))
		return find_behind(pkt, daddr, oif);
	if (likely(seg6nr_hop_reuse(pkt, daddr, 0, pkt->skb->mark)))
		return SEG6NR_FORWARD;

	return learn_behind(pkt, daddr, oif);
}

/* Look an IPv4 packet up as a received one; the dst is attached. */
static enum seg6nr_verdict lookup_ipv4(struct seg6nr_pkt *pkt, __be32 daddr)
{
	struct sk_buff *skb = pkt->skb;

	skb_dst_drop(skb);
	pkt->reason = seg6nr_ip_route_input_noref(skb, daddr,
						  ip_hdr(skb)->saddr, skb->dev);
	if (pkt->reason != SKB_NOT_DROPPED_YET)
		return SEG6NR_DROP_NO_ROUTE;

	if (skb_rtable(skb)->rt_flags &
	    (RTCF_LOCAL | RTCF_BROADCAST | RTCF_MULTICAST))
		return skb_dst_force(skb) ? SEG6NR_FORWARD :
					    SEG6NR_DROP_NO_ROUTE;
	return SEG6NR_FORWARD;
}

/**
 * seg6nr_nexthop_ipv4() - look an IPv4 packet up as a received one
 * @pkt: the packet, its IPv4 header at the network header
 *
 * Source validation applies.  The kernel lends its cached route and gives a
 * reference with one that it had to make.
 *
 * Context: BH off, RCU read section.  The former dst of the skb is dropped.
 *
 * Return: SEG6NR_FORWARD with a dst attached, referenced if it is for local
 * delivery; SEG6NR_DROP_NO_ROUTE with the kernel's reason in @pkt.
 */
enum seg6nr_verdict seg6nr_nexthop_ipv4(struct seg6nr_pkt *pkt)
{
	return lookup_ipv4(pkt, ip_hdr(pkt->skb)->daddr);
}

/* A route like @like, but by way of a neighbour; one reference is returned. */
static struct rtable *make_ipv4(const struct rtable *like, __be32 nexthop)
{
	struct rtable *rt;

	rt = seg6nr_rt_dst_alloc(READ_ONCE(like->dst.dev), like);
	if (!rt)
		return NULL;

	rt->rt_genid = like->rt_genid;
	rt->rt_is_input = 1;
	rt->rt_iif = like->rt_iif;
	rt->rt_pmtu = like->rt_pmtu;
	rt->dst.expires = like->dst.expires;
	rt->rt_mtu_locked = like->rt_mtu_locked;
	rt->rt_uses_gateway = 1;
	rt->rt_gw_family = AF_INET;
	rt->rt_gw4 = nexthop;
	rt->dst.input = like->dst.input;
	rt->dst.output = like->dst.output;
	rt->dst.lwtstate = lwtstate_get(like->dst.lwtstate);
	if (like->dst._metrics & DST_METRICS_REFCOUNTED)
		ip_dst_init_metrics(&rt->dst,
				    (struct dst_metrics *)
				    DST_METRICS_PTR(&like->dst));
#ifdef CONFIG_IP_ROUTE_CLASSID
	rt->dst.tclassid = like->dst.tclassid;
#endif
	return rt;
}

/* The path MTU of the route underneath changes in place. */
static bool is_held_for(const struct seg6nr_held *held,
			const struct rtable *base)
{
	const struct rtable *rt;

	if (!held || held->base != &base->dst)
		return false;

	rt = container_of(held->dst, struct rtable, dst);
	return READ_ONCE(rt->dst.dev) == READ_ONCE(base->dst.dev) &&
	       rt->rt_pmtu == base->rt_pmtu &&
	       rt->dst.expires == base->dst.expires;
}

/**
 * seg6nr_nexthop_known_ipv4() - resolve a given IPv4 next hop
 * @pkt: the packet, its IPv4 header at the network header
 * @nexthop: where to send it, from the SID's configuration
 *
 * The kernel's route to a neighbour names no gateway: the packet would go to
 * whoever answers for its own destination.  RFC 8986 4.5 wants it sent to the
 * next hop, so a route that names it is put in place.
 *
 * Context: BH off, RCU read section.  The former dst of the skb is dropped.
 *
 * Return: as seg6nr_nexthop_ipv4(); SEG6NR_DROP_NOMEM without memory for the
 * route.
 */
enum seg6nr_verdict seg6nr_nexthop_known_ipv4(struct seg6nr_pkt *pkt,
					      __be32 nexthop)
{
	struct sk_buff *skb = pkt->skb;
	const struct seg6nr_held *held;
	enum seg6nr_verdict verdict;
	struct rtable *base, *rt;

	verdict = lookup_ipv4(pkt, nexthop);
	if (verdict != SEG6NR_FORWARD)
		return verdict;

	base = skb_rtable(skb);
	if (base->dst.error || base->rt_gw_family ||
	    base->rt_flags & (RTCF_LOCAL | RTCF_BROADCAST | RTCF_MULTICAST) ||
	    ip_hdr(skb)->daddr == nexthop)
		return SEG6NR_FORWARD;

	held = seg6nr_hop_held(pkt);
	if (is_held_for(held, base)) {
		skb_dst_drop(skb);
		skb_dst_set_noref(skb, held->dst);
		return SEG6NR_FORWARD;
	}

	rt = make_ipv4(base, nexthop);
	if (!rt)
		return SEG6NR_DROP_NOMEM;
	/* A route that was made for this packet will not be found again. */
	if (skb_dst_is_noref(skb) &&
	    seg6nr_hop_hold(pkt, &rt->dst, &base->dst)) {
		skb_dst_drop(skb);
		skb_dst_set_noref(skb, &rt->dst);
	} else {
		skb_dst_drop(skb);
		skb_dst_set(skb, &rt->dst);
	}
	return SEG6NR_FORWARD;
}

/**
 * seg6nr_nexthop_is_local() - whether an IPv6 packet is delivered to this node
 * @skb: the packet, a dst attached
 *
 * Return: true if so.
 */
bool seg6nr_nexthop_is_local(const struct sk_buff *skb)
{
	return is_local(skb, dst_rt6_info(skb_dst(skb)));
}

/**
 * seg6nr_nexthop_detach() - leave the packet without a dst
 * @skb: the packet
 *
 * The SID's state remains valid until the RCU read section ends.
 */
void seg6nr_nexthop_detach(struct sk_buff *skb)
{
	skb_dst_drop(skb);
}
