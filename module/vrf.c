// SPDX-License-Identifier: GPL-2.0-only
/*
 * vrf.c - from a routing table to its VRF, and handing packets to it
 */
#include <net/ip.h>
#include <net/ipv6.h>
#include <net/l3mdev.h>

#include "seg6nr.h"

static bool is_vrf_of_table(const struct net_device *dev, u32 table)
{
	return dev && netif_is_l3_master(dev) &&
	       dev->l3mdev_ops->l3mdev_l3_rcv &&
	       l3mdev_fib_table_rcu(dev) == table;
}

/**
 * seg6nr_vrf_bind() - check that a table has a VRF and remember which
 * @net: namespace of the route
 * @slwt: the state under construction, @slwt->vrftable set
 * @attr: the attribute to blame
 * @extack: where to say why not
 *
 * The kernel keeps the map from table to VRF only in its strict mode.
 *
 * Context: process context.
 *
 * Return: 0, -EPERM with strict mode off, -ENODEV without such a VRF, or what
 * the kernel says where it knows no VRFs at all.
 */
int seg6nr_vrf_bind(struct net *net, struct seg6nr_lwt *slwt,
		    const struct nlattr *attr, struct netlink_ext_ack *extack)
{
	int ifindex;

	ifindex = l3mdev_ifindex_lookup_by_table_id(L3MDEV_TYPE_VRF, net,
						    slwt->vrftable);
	if (ifindex == -EPERM)
		return seg6nr_refuse(extack, attr,
				     "vrftable: strict mode for VRF is disabled (sysctl net.vrf.strict_mode)",
				     ifindex);
	if (ifindex == -ENODEV)
		return seg6nr_refuse(extack, attr,
				     "vrftable: table has no associated VRF device",
				     ifindex);
	if (ifindex < 0)
		return seg6nr_refuse(extack, attr,
				     "vrftable: no VRF support (module vrf not loaded)",
				     ifindex);

	slwt->vrf_ifindex = ifindex;
	return 0;
}

/*
 * The map itself cannot be asked here: its lock is taken with BH on elsewhere.
 * A VRF that is gone may be so for long, hence ten searches a second at most,
 * by whichever CPU comes first.
 */
static struct net_device *find_vrf(struct seg6nr_pkt *pkt, u32 table)
{
	struct seg6nr_lwt *slwt = pkt->slwt;
	unsigned long missed = READ_ONCE(slwt->vrf_missed);
	unsigned long now = jiffies;
	struct net_device *dev;

	if (time_in_range(now, missed, missed + HZ / 10) ||
	    cmpxchg(&slwt->vrf_missed, missed, now) != missed)
		return NULL;

	for_each_netdev_rcu(pkt->net, dev) {
		if (is_vrf_of_table(dev, table)) {
			WRITE_ONCE(slwt->vrf_ifindex, dev->ifindex);
			return dev;
		}
	}
	return NULL;
}

/**
 * seg6nr_vrf_noref() - find the VRF that a SID delivers to
 * @pkt: the packet
 * @table: its routing table, always the same for one SID
 *
 * A VRF that was deleted and made again has a new ifindex; the table is what
 * the user configured.
 *
 * Context: RCU read section.  Takes no reference on the device.
 *
 * Return: the VRF, or NULL while there is none (or in a foreign namespace).
 */
struct net_device *seg6nr_vrf_noref(struct seg6nr_pkt *pkt, u32 table)
{
	const struct seg6nr_lwt *slwt = pkt->slwt;
	struct net_device *dev;

	if (!net_eq(pkt->net, slwt->net))
		return NULL;

	dev = dev_get_by_index_rcu(pkt->net, READ_ONCE(slwt->vrf_ifindex));
	if (likely(is_vrf_of_table(dev, table)))
		return dev;

	return find_vrf(pkt, table);
}

/*
 * Let the VRF receive the packet: it counts it, shows it to taps and runs
 * PRE_ROUTING on it.
 */
static enum seg6nr_verdict receive(struct seg6nr_pkt *pkt,
				   struct net_device *vrf, u16 family)
{
	struct sk_buff *skb = pkt->skb;

	seg6nr_nexthop_detach(skb);
	/* The frame that the mac header shows is not the one inside. */
	skb_unset_mac_header(skb);

	skb = vrf->l3mdev_ops->l3mdev_l3_rcv(vrf, skb, family);
	pkt->skb = skb;
	if (!skb) {
		pkt->rc = 0;
		return SEG6NR_CONSUMED;
	}

	return skb->dev == vrf ? SEG6NR_FORWARD : SEG6NR_DROP_VRF;
}

/**
 * seg6nr_route_in_vrf() - hand a decapsulated packet to a VRF and route it
 * @pkt: the packet, network and transport header set, its control block reset;
 *	 skb->protocol tells the family
 * @vrf: from seg6nr_vrf_noref()
 *
 * To sockets the packet came from the VRF, not from the underlay.
 *
 * Context: BH off, RCU read section.  The dst of the skb is dropped; the SID's
 * state remains valid.
 *
 * Return: SEG6NR_FORWARD with a dst attached, SEG6NR_CONSUMED where netfilter
 * took the packet, SEG6NR_DROP_VRF where the VRF left it outside, or why else
 * not.
 */
enum seg6nr_verdict seg6nr_route_in_vrf(struct seg6nr_pkt *pkt,
					struct net_device *vrf)
{
	bool ipv4 = pkt->skb->protocol == htons(ETH_P_IP);
	enum seg6nr_verdict verdict;

	if (ipv4)
		IPCB(pkt->skb)->iif = vrf->ifindex;
	else
		IP6CB(pkt->skb)->iif = vrf->ifindex;

	verdict = receive(pkt, vrf, ipv4 ? AF_INET : AF_INET6);
	if (verdict != SEG6NR_FORWARD)
		return verdict;

	if (ipv4)
		return seg6nr_nexthop_ipv4(pkt);

	return seg6nr_nexthop(pkt, &ipv6_hdr(pkt->skb)->daddr, SEG6NR_NH_LOCAL);
}
