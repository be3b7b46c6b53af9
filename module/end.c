// SPDX-License-Identifier: GPL-2.0-only
/*
 * end.c - behaviours that keep the outer IPv6 header: End, End.X, End.T
 *
 * Each advances the SRH to its next segment and differs only in where the
 * packet is looked up afterwards (RFC 8986 sections 4.1 to 4.3).
 */
#include "seg6nr.h"

/* S13 to S14 of RFC 8986 section 4.1 and what guards them. */
static enum seg6nr_verdict next_segment(struct seg6nr_pkt *pkt)
{
	enum seg6nr_verdict verdict;
	unsigned int off;

	verdict = seg6nr_srh_find(pkt, &off);
	if (verdict != SEG6NR_FORWARD)
		return verdict;

	return seg6nr_srh_advance(pkt, off);
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
	enum seg6nr_verdict verdict;

	verdict = next_segment(pkt);
	if (verdict != SEG6NR_FORWARD)
		return verdict;

	return seg6nr_nexthop(pkt, &ipv6_hdr(pkt->skb)->daddr, 0);
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
	const struct seg6nr_lwt *slwt = pkt->slwt;
	enum seg6nr_verdict verdict;

	verdict = next_segment(pkt);
	if (verdict != SEG6NR_FORWARD)
		return verdict;

	if (seg6nr_has(slwt, SEG6NR_A_OIF))
		return seg6nr_nexthop_oif(pkt, &slwt->nh6, slwt->oif);

	return seg6nr_nexthop(pkt, &slwt->nh6, SEG6NR_NH_KNOWN);
}

/**
 * seg6nr_end_t() - End.T: forward by a given table (RFC 8986 4.3)
 * @pkt: the packet, its IPv6 header at skb->data
 *
 * Context: BH off, RCU read section.  The skb stays the caller's.
 *
 * Return: SEG6NR_FORWARD with a dst attached, or why not.
 */
enum seg6nr_verdict seg6nr_end_t(struct seg6nr_pkt *pkt)
{
	enum seg6nr_verdict verdict;

	verdict = next_segment(pkt);
	if (verdict != SEG6NR_FORWARD)
		return verdict;

	return seg6nr_nexthop_table(pkt, pkt->slwt->table, 0);
}
