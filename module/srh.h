/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * srh.h - the parts of srh.c that most packets need, to be inlined
 */
#ifndef SEG6NR_SRH_H
#define SEG6NR_SRH_H

#include <linux/seg6.h>
#include <net/addrconf.h>
#include <net/ipv6.h>

#include "seg6nr.h"

bool seg6nr_srh_tlvs_fit(const u8 *tlv, unsigned int len);
bool seg6nr_hmac_is_right(struct sk_buff *skb, unsigned int off);
enum seg6nr_verdict seg6nr_hop_limit_spent(struct seg6nr_pkt *pkt);
enum seg6nr_verdict seg6nr_srh_next_anywhere(struct seg6nr_pkt *pkt);
enum seg6nr_verdict seg6nr_srh_pop_usual(struct seg6nr_pkt *pkt);

/* RFC 8754 section 2; the list may be reduced, hence SL up to LE + 1. */
static __always_inline bool
seg6nr_srh_is_sane(const struct ipv6_sr_hdr *srh)
{
	unsigned int len = (srh->hdrlen + 1) << 3;
	unsigned int list;

	if (srh->type != IPV6_SRCRT_TYPE_4 ||
	    srh->first_segment > (srh->hdrlen >> 1) - 1 ||
	    srh->segments_left > srh->first_segment + 1)
		return false;

	list = sizeof(*srh) + ((srh->first_segment + 1) << 4);
	if (likely(list == len))
		return true;

	return seg6nr_srh_tlvs_fit((const u8 *)srh + list, len - list);
}

/* Enforce the policy of the device for the SRH at @off. */
static __always_inline bool seg6nr_hmac_is_valid(struct sk_buff *skb,
						 unsigned int off)
{
	const struct inet6_dev *idev = __in6_dev_get(skb->dev);
	const struct ipv6_sr_hdr *srh;
	int policy;

	if (!idev)
		return false;

	policy = seg6nr_require_hmac(idev);
	if (policy < 0)
		return true;

	srh = (struct ipv6_sr_hdr *)(skb->data + off);
	if (likely(!(srh->flags & SR6_FLAG1_HMAC)))
		return !policy;

	return seg6nr_hmac_is_right(skb, off);
}

/*
 * Whether the packet is like most: an SRH with segments left right behind the
 * IPv6 header, in a linear skb of our own that no checksum goes with.
 */
static __always_inline bool seg6nr_srh_is_usual(const struct seg6nr_pkt *pkt)
{
	const struct sk_buff *skb = pkt->skb;
	const struct ipv6hdr *hdr = (struct ipv6hdr *)skb->data;
	const struct ipv6_sr_hdr *srh = (struct ipv6_sr_hdr *)(hdr + 1);
	unsigned int room = skb_headlen(skb);

	return hdr->nexthdr == NEXTHDR_ROUTING &&
	       room >= sizeof(*hdr) + sizeof(*srh) && srh->segments_left &&
	       room >= sizeof(*hdr) + ((srh->hdrlen + 1) << 3) &&
	       !skb_cloned(skb) && !seg6nr_has_csum(skb) &&
	       !seg6nr_has(pkt->slwt, SEG6NR_A_REPLACE_CSID);
}

/**
 * seg6nr_srh_next() - act on the SRH: the next segment becomes the active one
 * @pkt: the packet, its IPv6 header at skb->data
 *
 * RFC 8986 4.1 S01 to S14, and 4.16.1 where no segment is left then.
 *
 * Context: BH off, RCU read section.  Header pointers die.
 *
 * Return: SEG6NR_FORWARD with the new destination in the IPv6 header, or why
 * not; SEG6NR_DROP_NO_SRH where there is none to act on.
 */
static __always_inline enum seg6nr_verdict
seg6nr_srh_next(struct seg6nr_pkt *pkt)
{
	struct sk_buff *skb = pkt->skb;
	struct ipv6hdr *hdr = (struct ipv6hdr *)skb->data;
	struct ipv6_sr_hdr *srh = (struct ipv6_sr_hdr *)(hdr + 1);
	const struct in6_addr *next;
	u8 left;

	if (unlikely(!seg6nr_srh_is_usual(pkt)))
		return seg6nr_srh_next_anywhere(pkt);
	if (unlikely(!seg6nr_srh_is_sane(srh)))
		return SEG6NR_DROP_BAD_SRH;
	if (unlikely(!seg6nr_hmac_is_valid(skb, sizeof(*hdr))))
		return SEG6NR_DROP_HMAC;
	if (unlikely(hdr->hop_limit <= 1))
		return seg6nr_hop_limit_spent(pkt);

	left = srh->segments_left - 1;
	next = &srh->segments[left];
	if (unlikely(ipv6_addr_is_multicast(next)))
		return SEG6NR_DROP_MULTICAST;

	srh->segments_left = left;
	IP6CB(skb)->srcrt = sizeof(*hdr);
	hdr->daddr = *next;
	if (left || !seg6nr_has_flavor(pkt->slwt, SEG6NR_FLV_OP_PSP))
		return SEG6NR_FORWARD;

	return seg6nr_srh_pop_usual(pkt);
}

#endif /* SEG6NR_SRH_H */
