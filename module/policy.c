// SPDX-License-Identifier: GPL-2.0-only
/*
 * policy.c - behaviours that bind an SRv6 policy: End.B6 (insertion) and
 * End.B6.Encaps (RFC 8986 4.13)
 */
#include <linux/icmpv6.h>
#include <net/ip_tunnels.h>
#include <net/ipv6.h>
#include <net/seg6.h>

#include "seg6nr.h"

static bool leads_to_multicast(const struct ipv6_sr_hdr *srh)
{
	return ipv6_addr_is_multicast(&srh->segments[srh->first_segment]);
}

/**
 * seg6nr_end_b6() - End.B6: insert a policy in front of the active segment
 * @pkt: the packet, its IPv6 header at skb->data
 *
 * Not in RFC 8986.  As in the kernel's own encap the received SRH is not
 * advanced, so that the policy's last segment is this SID again.
 *
 * Context: BH off, RCU read section.  The skb stays the caller's.
 *
 * Return: SEG6NR_FORWARD with a dst attached, or why not.
 */
enum seg6nr_verdict seg6nr_end_b6(struct seg6nr_pkt *pkt)
{
	const struct seg6nr_lwt *slwt = pkt->slwt;
	enum seg6nr_verdict verdict;
	struct seg6nr_srh at;

	verdict = seg6nr_srh_find(pkt, &at, false);
	if (verdict != SEG6NR_FORWARD)
		return verdict;
	verdict = seg6nr_hop_limit(pkt);
	if (verdict != SEG6NR_FORWARD)
		return verdict;
	if (leads_to_multicast(slwt->srh))
		return SEG6NR_DROP_MULTICAST;

	verdict = seg6nr_srh_push(pkt, slwt->srh, slwt->srh_len);
	if (verdict != SEG6NR_FORWARD)
		return verdict;

	return seg6nr_nexthop(pkt, &ipv6_hdr(pkt->skb)->daddr, 0);
}

/* What the control block said of the inner packet is not true of the outer. */
static void reset_cb(struct sk_buff *skb)
{
	IP6CB(skb)->flags &= ~(IP6SKB_ROUTERALERT | IP6SKB_JUMBOGRAM |
			       IP6SKB_HOPBYHOP);
	IP6CB(skb)->frag_max_size = 0;
	IP6CB(skb)->nhoff = offsetof(struct ipv6hdr, nexthdr);
	IP6CB(skb)->srcrt = sizeof(struct ipv6hdr);
}

/* The inner packet pays for this hop; its header is private by now. */
static void spend_inner_hop(struct sk_buff *skb, unsigned int outer)
{
	struct ipv6hdr *inner = (struct ipv6hdr *)(skb->data + outer);
	u8 word[2] = { inner->nexthdr, inner->hop_limit - 1 };

	seg6nr_rewrite(skb, &inner->nexthdr, word, sizeof(word));
}

/*
 * Segmentation takes TCP or UDP to be where the inner transport header is; the
 * one of an IPv6 packet with an SRH is the SRH.
 */
static int handle_offloads(struct sk_buff *skb)
{
	bool nested = skb->encapsulation;

	if (iptunnel_handle_offloads(skb, SKB_GSO_IPXIP6))
		return -ENOMEM;
	if (nested)
		return 0;

	skb_set_inner_protocol(skb, htons(ETH_P_IPV6));
	if (skb->ip_summed == CHECKSUM_PARTIAL)
		skb_set_inner_transport_header(skb,
					       skb_checksum_start_offset(skb));
	return 0;
}

static enum seg6nr_verdict encapsulate(struct seg6nr_pkt *pkt)
{
	const struct seg6nr_lwt *slwt = pkt->slwt;
	struct sk_buff *skb = pkt->skb;
	int err;

	if (handle_offloads(skb))
		return SEG6NR_DROP_NOMEM;

	err = seg6_do_srh_encap(skb, slwt->srh, IPPROTO_IPV6);
	if (err)
		return err == -ENOMEM ? SEG6NR_DROP_NOMEM : SEG6NR_DROP_HMAC;

	skb_set_transport_header(skb, sizeof(struct ipv6hdr));
	spend_inner_hop(skb, sizeof(struct ipv6hdr) + slwt->srh_len);
	seg6nr_payload_len(skb);
	reset_cb(skb);
	return SEG6NR_FORWARD;
}

/*
 * What the forward path would say of the outer packet; @frag_max is the size of
 * the largest fragment where the inner packet was put together here.
 */
static bool is_too_big(const struct sk_buff *skb, unsigned int mtu,
		       unsigned int frag_max, unsigned int outer)
{
	if (skb->len <= mtu)
		return false;
	if (frag_max && frag_max + outer > mtu)
		return true;
	if (skb->ignore_df)
		return false;

	return !skb_is_gso(skb) || !skb_gso_validate_network_len(skb, mtu);
}

/*
 * Tell the sender of the inner packet how much fits, for nobody else can act on
 * it: the outer header has this node as its source (RFC 2473 7.1).
 */
static enum seg6nr_verdict check_mtu(struct seg6nr_pkt *pkt,
				     unsigned int frag_max)
{
	unsigned int outer = sizeof(struct ipv6hdr) + pkt->slwt->srh_len;
	struct sk_buff *skb = pkt->skb;
	struct dst_entry *dst = skb_dst(skb);
	unsigned int mtu;

	if (dst->error || seg6nr_nexthop_is_sid(dst) ||
	    seg6nr_nexthop_is_local(skb))
		return SEG6NR_FORWARD;
	mtu = dst_mtu(dst);
	if (!is_too_big(skb, mtu, frag_max, outer))
		return SEG6NR_FORWARD;

	skb_pull(skb, outer);
	skb_reset_network_header(skb);
	skb_set_transport_header(skb, sizeof(struct ipv6hdr));
	icmpv6_send(skb, ICMPV6_PKT_TOOBIG, 0,
		    max_t(int, mtu - outer, IPV6_MIN_MTU));
	return SEG6NR_DROP_TOO_BIG;
}

/**
 * seg6nr_end_b6_encaps() - End.B6.Encaps: send the packet through a policy
 * @pkt: the packet, its IPv6 header at skb->data
 *
 * RFC 8986 4.13.
 *
 * Context: BH off, RCU read section.  The skb stays the caller's.
 *
 * Return: SEG6NR_FORWARD with a dst attached, or why not.
 */
enum seg6nr_verdict seg6nr_end_b6_encaps(struct seg6nr_pkt *pkt)
{
	enum seg6nr_verdict verdict;
	struct seg6nr_srh at;
	unsigned int frag_max;
	bool last;

	if (leads_to_multicast(pkt->slwt->srh))
		return SEG6NR_DROP_MULTICAST;
	verdict = seg6nr_srh_find(pkt, &at, false);
	if (verdict != SEG6NR_FORWARD)
		return verdict;
	verdict = seg6nr_srh_advance(pkt, &at, &last);
	if (verdict != SEG6NR_FORWARD)
		return verdict;
	frag_max = IP6CB(pkt->skb)->frag_max_size;
	verdict = encapsulate(pkt);
	if (verdict != SEG6NR_FORWARD)
		return verdict;

	verdict = seg6nr_nexthop(pkt, &ipv6_hdr(pkt->skb)->daddr, 0);
	if (verdict != SEG6NR_FORWARD)
		return verdict;

	return check_mtu(pkt, frag_max);
}
