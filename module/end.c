// SPDX-License-Identifier: GPL-2.0-only
/*
 * end.c - behaviours that keep the outer IPv6 header: End, End.X, End.T and
 * their flavors
 *
 * Each makes the next segment the active one and differs only in where the
 * packet is looked up afterwards (RFC 8986 4.1 to 4.3, flavors 4.16; RFC 9800
 * section 4).
 */
#include <net/ipv6.h>

#include "seg6nr.h"
#include "srh.h"

/*
 * Where nothing is left to do with the SRH, the packet is for the upper layer
 * (RFC 8986 4.1.1), which a SID does not have here; USD stands for the one
 * upper layer that is: another IP packet.
 */
static __always_inline enum seg6nr_verdict
upper_layer(struct seg6nr_pkt *pkt,
	    enum seg6nr_verdict (*route)(struct seg6nr_pkt *),
	    enum seg6nr_verdict (*route_ipv4)(struct seg6nr_pkt *))
{
	enum seg6nr_verdict verdict;

	if (!seg6nr_has_flavor(pkt->slwt, SEG6NR_FLV_OP_USD))
		return SEG6NR_DROP_NO_SRH;

	verdict = seg6nr_decap_l3(pkt);
	if (verdict != SEG6NR_FORWARD)
		return verdict;

	return pkt->skb->protocol == htons(ETH_P_IP) ? route_ipv4(pkt) :
						       route(pkt);
}

/* Inlined into each behaviour, so that its routes are called directly. */
static __always_inline enum seg6nr_verdict
endpoint(struct seg6nr_pkt *pkt,
	 enum seg6nr_verdict (*route)(struct seg6nr_pkt *),
	 enum seg6nr_verdict (*route_ipv4)(struct seg6nr_pkt *))
{
	const struct seg6nr_lwt *slwt = pkt->slwt;
	enum seg6nr_verdict verdict;

	if (unlikely(seg6nr_has_flavor(slwt, SEG6NR_FLV_OP_NEXT_CSID)) &&
	    seg6nr_next_csid_pending(slwt, &ipv6_hdr(pkt->skb)->daddr))
		verdict = seg6nr_next_csid(pkt);
	else
		verdict = seg6nr_srh_next(pkt);

	if (likely(verdict == SEG6NR_FORWARD))
		return route(pkt);
	if (verdict == SEG6NR_DROP_NO_SRH)
		return upper_layer(pkt, route, route_ipv4);

	return verdict;
}

static enum seg6nr_verdict route_end(struct seg6nr_pkt *pkt)
{
	return seg6nr_nexthop(pkt, &ipv6_hdr(pkt->skb)->daddr, 0);
}

static enum seg6nr_verdict route_end_x(struct seg6nr_pkt *pkt)
{
	const struct seg6nr_lwt *slwt = pkt->slwt;

	if (seg6nr_has(slwt, SEG6NR_A_OIF))
		return seg6nr_nexthop_oif(pkt, &slwt->nh6, slwt->oif);

	return seg6nr_nexthop_known(pkt, &slwt->nh6);
}

static enum seg6nr_verdict route_end_t(struct seg6nr_pkt *pkt)
{
	return seg6nr_nexthop_table(pkt, pkt->slwt->table, 0);
}

static enum seg6nr_verdict route_end_ipv4(struct seg6nr_pkt *pkt)
{
	return seg6nr_nexthop_ipv4(pkt);
}

/* An IPv4 route cannot be told to use an IPv6 neighbour from here. */
static enum seg6nr_verdict route_end_x_ipv4(struct seg6nr_pkt *pkt)
{
	return SEG6NR_DROP_INNER_TYPE;
}

/* The kernel looks IPv4 up in a given table only on behalf of its VRF. */
static enum seg6nr_verdict route_end_t_ipv4(struct seg6nr_pkt *pkt)
{
	struct net_device *vrf = seg6nr_vrf_noref(pkt, pkt->slwt->table);

	return vrf ? seg6nr_route_in_vrf(pkt, vrf) : SEG6NR_DROP_VRF;
}

/**
 * seg6nr_end() - End: forward to the next segment (RFC 8986 4.1)
 * @pkt: the packet, its IPv6 header at skb->data
 *
 * Context: BH off, RCU read section.  The skb stays the caller's.
 *
 * Return: SEG6NR_FORWARD with a dst attached, or why not.
 */
enum seg6nr_verdict seg6nr_end(struct seg6nr_pkt *pkt)
{
	return endpoint(pkt, route_end, route_end_ipv4);
}

/**
 * seg6nr_end_x() - End.X: forward to a layer-3 adjacency (RFC 8986 4.2)
 * @pkt: the packet, its IPv6 header at skb->data
 *
 * Context: BH off, RCU read section.  The skb stays the caller's.
 *
 * Return: SEG6NR_FORWARD with a dst attached, or why not.
 */
enum seg6nr_verdict seg6nr_end_x(struct seg6nr_pkt *pkt)
{
	return endpoint(pkt, route_end_x, route_end_x_ipv4);
}

/**
 * seg6nr_end_t() - End.T: forward by a given table (RFC 8986 4.3)
 * @pkt: the packet, its IPv6 header at skb->data
 *
 * Context: BH off, RCU read section.  The skb stays the caller's unless the
 * verdict is SEG6NR_CONSUMED.
 *
 * Return: SEG6NR_FORWARD with a dst attached, or why not.
 */
enum seg6nr_verdict seg6nr_end_t(struct seg6nr_pkt *pkt)
{
	return endpoint(pkt, route_end_t, route_end_t_ipv4);
}
