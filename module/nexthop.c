// SPDX-License-Identifier: GPL-2.0-only
/*
 * nexthop.c - where a packet goes next, and who holds the route it goes by
 *
 * The only file that looks up, sets or references a dst.  Its promise: a route
 * that merely forwards is lent to the packet for the rest of the RCU read
 * section and nothing shared is written for it.  That is sound because every
 * path that keeps a packet longer (queues, qdiscs, neighbours, XFRM) converts
 * the loan with skb_dst_force() first.  Three exceptions:
 *  - an uncached dst comes with one reference of its own in spite of
 *    RT6_LOOKUP_F_DST_NOREF; the packet takes it over;
 *  - a dst for local delivery is forced here, because not every kernel forces
 *    it where local packets are queued;
 *  - the special entries (null, prohibit, blackhole) live as long as the
 *    namespace and are lent like any other.
 */
#include <linux/ipv6.h>
#include <net/ip6_route.h>
#include <net/ipv6.h>
#include <net/l3mdev.h>
#include <net/route.h>

#include "seg6nr.h"

/* The flow of an input lookup; zeroed, for rules compare what we don't set. */
static void flow_init(struct flowi6 *fl6, const struct seg6nr_pkt *pkt,
		      const struct in6_addr *daddr)
{
	const struct ipv6hdr *hdr = ipv6_hdr(pkt->skb);

	memset(fl6, 0, sizeof(*fl6));
	fl6->flowi6_iif = pkt->skb->dev->ifindex;
	fl6->flowi6_mark = pkt->skb->mark;
	fl6->flowi6_proto = hdr->nexthdr;
	fl6->flowlabel = ip6_flowinfo(hdr);
	fl6->saddr = hdr->saddr;
	fl6->daddr = *daddr;
}

static bool is_loopback(const struct dst_entry *dst)
{
	return READ_ONCE(dst->dev)->flags & IFF_LOOPBACK;
}

/*
 * Whether an IPv6 dst delivers to this node.  A VRF's own addresses have the
 * VRF as their device; the error entries, on the loopback too, deliver nothing.
 */
static bool is_local(const struct dst_entry *dst)
{
	const struct rt6_info *rt = dst_rt6_info(dst);

	if (dst->error)
		return false;

	return (rt->rt6i_flags & (RTF_LOCAL | RTF_ANYCAST)) ||
	       is_loopback(dst) || netif_is_l3_master(READ_ONCE(dst->dev));
}

/**
 * seg6nr_nexthop_is_tunnel() - whether a dst leads into a lightweight tunnel
 * @dst: the dst of a packet
 *
 * Return: true where dst_input() would run an encap's input function, the one
 * of another SID for instance.
 */
bool seg6nr_nexthop_is_tunnel(const struct dst_entry *dst)
{
	return dst->lwtstate && lwtunnel_input_redirect(dst->lwtstate);
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

	skb_dst_drop(skb);
	if (owned)
		skb_dst_set(skb, &rt->dst);
	else
		skb_dst_set_noref(skb, &rt->dst);

	if (is_local(&rt->dst) && !skb_dst_force(skb))
		return SEG6NR_DROP_NO_ROUTE;

	return SEG6NR_FORWARD;
}

static enum seg6nr_verdict attach_noref(struct seg6nr_pkt *pkt,
					struct rt6_info *rt,
					unsigned int flags)
{
	return attach(pkt, rt, seg6nr_rt6_uncached(rt), flags);
}

/**
 * seg6nr_nexthop() - look up by policy rules, as for a received packet
 * @pkt: the packet, its IPv6 header at the network header
 * @daddr: the packet's own destination, or a next hop to resolve instead
 * @flags: SEG6NR_NH_*
 *
 * A next hop that is on-link needs a dst that names it as gateway; the lookup
 * makes one for this packet (the one case that allocates).
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
	struct dst_entry *dst;
	struct flowi6 fl6;

	flow_init(&fl6, pkt, daddr);
	if (flags & SEG6NR_NH_KNOWN)
		fl6.flowi6_flags = FLOWI_FLAG_KNOWN_NH;

	dst = ip6_route_input_lookup(pkt->net, pkt->skb->dev, &fl6, pkt->skb,
				     RT6_LOOKUP_F_HAS_SADDR |
				     RT6_LOOKUP_F_DST_NOREF);

	return attach_noref(pkt, dst_rt6_info(dst), flags);
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
	struct net *net = pkt->net;
	struct fib6_table *tb;
	struct rt6_info *rt;
	struct flowi6 fl6;

	if (!table)
		return seg6nr_nexthop(pkt, daddr, flags);

	tb = fib6_get_table(net, table);
	if (!tb)
		return attach(pkt, net->ipv6.ip6_blk_hole_entry, false, flags);

	flow_init(&fl6, pkt, daddr);
	rt = ip6_pol_route(net, tb, 0, &fl6, pkt->skb,
			   RT6_LOOKUP_F_HAS_SADDR | RT6_LOOKUP_F_DST_NOREF);

	return attach_noref(pkt, rt, flags);
}

/* The device itself or the VRF that it stands for. */
static bool leaves_through(const struct dst_entry *dst, int oif)
{
	const struct net_device *dev = READ_ONCE(dst->dev);

	return dev->ifindex == oif || l3mdev_master_ifindex_rcu(dev) == oif;
}

/**
 * seg6nr_nexthop_oif() - resolve a next hop behind a given device
 * @pkt: the packet, its IPv6 header at the network header
 * @daddr: the next hop
 * @oif: the device, or a VRF, that the packet must leave through
 *
 * An output lookup, which alone follows @oif into its VRF.  The kernel returns
 * a reference with it whatever one asks for.
 *
 * Context: BH off, RCU read section.  The former dst of the skb is dropped.
 *
 * Return: SEG6NR_FORWARD with a referenced dst attached, SEG6NR_DROP_OIF where
 * the next hop is not behind @oif (RFC 8986 4.2: the adjacency is the user's).
 */
enum seg6nr_verdict seg6nr_nexthop_oif(struct seg6nr_pkt *pkt,
				       const struct in6_addr *daddr, int oif)
{
	struct dst_entry *dst;
	struct flowi6 fl6;

	flow_init(&fl6, pkt, daddr);
	fl6.flowi6_iif = LOOPBACK_IFINDEX;
	fl6.flowi6_oif = oif;
	fl6.flowi6_flags = FLOWI_FLAG_KNOWN_NH;

	dst = ip6_route_output(pkt->net, NULL, &fl6);
	if (!dst->error && !is_loopback(dst) && !leaves_through(dst, oif)) {
		dst_release(dst);
		return SEG6NR_DROP_OIF;
	}

	return attach(pkt, dst_rt6_info(dst), true, 0);
}

/*
 * An input route to a neighbour has no gateway: the packet would be sent to
 * whoever answers for its own destination, not to the configured next hop.
 */
static bool misses_next_hop(const struct rtable *rt, const struct sk_buff *skb,
			    __be32 nexthop)
{
	return !rt->rt_gw_family && ip_hdr(skb)->daddr != nexthop;
}

/**
 * seg6nr_nexthop_ipv4() - look an IPv4 packet up as a received one
 * @pkt: the packet, its IPv4 header at the network header
 * @daddr: its own destination, or a next hop to resolve instead
 *
 * Source validation applies.  The kernel lends its cached route and gives a
 * reference with one that it had to make.
 *
 * Context: BH off, RCU read section.  The former dst of the skb is dropped.
 *
 * Return: SEG6NR_FORWARD with a dst attached, referenced if it is for local
 * delivery; SEG6NR_DROP_NO_ROUTE with the kernel's reason in @pkt;
 * SEG6NR_DROP_NH4_ONLINK where @daddr is a neighbour, which an input route
 * cannot express.
 */
enum seg6nr_verdict seg6nr_nexthop_ipv4(struct seg6nr_pkt *pkt, __be32 daddr)
{
	struct sk_buff *skb = pkt->skb;
	const struct rtable *rt;

	skb_dst_drop(skb);
	pkt->reason = seg6nr_ip_route_input_noref(skb, daddr,
						  ip_hdr(skb)->saddr, skb->dev);
	if (pkt->reason != SKB_NOT_DROPPED_YET)
		return SEG6NR_DROP_NO_ROUTE;

	rt = skb_rtable(skb);
	if (rt->dst.error)
		return SEG6NR_FORWARD;

	if (rt->rt_flags & (RTCF_LOCAL | RTCF_BROADCAST | RTCF_MULTICAST))
		return skb_dst_force(skb) ? SEG6NR_FORWARD :
					    SEG6NR_DROP_NO_ROUTE;

	if (misses_next_hop(rt, skb, daddr))
		return SEG6NR_DROP_NH4_ONLINK;

	return SEG6NR_FORWARD;
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
