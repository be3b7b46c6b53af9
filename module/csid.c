// SPDX-License-Identifier: GPL-2.0-only
/*
 * csid.c - compressed SIDs of RFC 9800: several in one destination address
 *
 * NEXT-CSID (4.1) keeps them in the argument of the active one and shifts.
 * REPLACE-CSID (4.2) keeps them in the segment list, in containers of equal
 * slots, and counts slots down in the last bits of the destination.  Lengths
 * are whole octets here (attr.c sees to that).
 */
#include <linux/seg6.h>
#include <net/ipv6.h>

#include "seg6nr.h"

/**
 * seg6nr_next_csid_pending() - whether the destination holds a further C-SID
 * @slwt: state of a SID with the NEXT-CSID flavor
 * @daddr: the destination
 *
 * Return: true where the argument is not zero.
 */
bool seg6nr_next_csid_pending(const struct seg6nr_lwt *slwt,
			      const struct in6_addr *daddr)
{
	unsigned int arg = slwt->lb + slwt->nf;

	return memchr_inv(daddr->s6_addr + arg, 0, sizeof(*daddr) - arg);
}

/**
 * seg6nr_next_csid() - make the next C-SID of the destination the active one
 * @pkt: the packet, its IPv6 header at skb->data, a C-SID pending
 *
 * RFC 9800 4.1.1: no SRH is looked at.
 *
 * Context: BH off, RCU read section.  Header pointers die.
 *
 * Return: SEG6NR_FORWARD with the new destination in the IPv6 header, or why
 * the packet must be dropped.
 */
enum seg6nr_verdict seg6nr_next_csid(struct seg6nr_pkt *pkt)
{
	const struct seg6nr_lwt *slwt = pkt->slwt;
	struct sk_buff *skb = pkt->skb;
	enum seg6nr_verdict verdict;
	struct in6_addr daddr;
	unsigned int rest;

	verdict = seg6nr_hop_limit(pkt);
	if (verdict != SEG6NR_FORWARD)
		return verdict;
	if (skb_ensure_writable(skb, sizeof(struct ipv6hdr)))
		return SEG6NR_DROP_NOMEM;

	daddr = ipv6_hdr(skb)->daddr;
	rest = sizeof(daddr) - slwt->lb - slwt->nf;
	memmove(daddr.s6_addr + slwt->lb, daddr.s6_addr + slwt->lb + slwt->nf,
		rest);
	memset(daddr.s6_addr + slwt->lb + rest, 0, slwt->nf);

	seg6nr_rewrite(skb, &ipv6_hdr(skb)->daddr, &daddr, sizeof(daddr));
	return SEG6NR_FORWARD;
}

/* Slots are numbered from the front and used from the back. */
static const u8 *slot(const struct seg6nr_lwt *slwt,
		      const struct in6_addr *container, unsigned int index)
{
	return container->s6_addr + index * slwt->nf;
}

static bool slot_is_empty(const struct seg6nr_lwt *slwt,
			  const struct in6_addr *container, unsigned int index)
{
	return !memchr_inv(slot(slwt, container, index), 0, slwt->nf);
}

/* Two bits count four slots of 32 bits, three bits eight of 16. */
static unsigned int index_mask(const struct seg6nr_lwt *slwt)
{
	return sizeof(struct in6_addr) / slwt->nf - 1;
}

/* No segment left and no slot of the last container either. */
static bool is_last(const struct seg6nr_lwt *slwt,
		    const struct ipv6_sr_hdr *srh, unsigned int left,
		    unsigned int index)
{
	return !left && (!index ||
			 slot_is_empty(slwt, &srh->segments[0], index - 1));
}

static unsigned int index_of(const struct seg6nr_lwt *slwt,
			     const struct in6_addr *daddr)
{
	return daddr->s6_addr[15] & index_mask(slwt);
}

/**
 * seg6nr_replace_csid_pending() - whether an SRH holds a further C-SID
 * @pkt: the packet, its IPv6 header at skb->data
 * @at: where the SRH is, linear and valid
 *
 * Return: true unless its last segment is used up to the last slot.
 */
bool seg6nr_replace_csid_pending(const struct seg6nr_pkt *pkt,
				 const struct seg6nr_srh *at)
{
	const struct ipv6_sr_hdr *srh = seg6nr_srh(pkt->skb, at);

	return !is_last(pkt->slwt, srh, srh->segments_left,
			index_of(pkt->slwt, &ipv6_hdr(pkt->skb)->daddr));
}

/**
 * seg6nr_replace_csid() - put the next C-SID of the list into the destination
 * @pkt: the packet, its IPv6 header at skb->data
 * @at: where the SRH is, from seg6nr_srh_find(), a C-SID pending
 * @last: filled with whether nothing is left in the SRH now
 *
 * RFC 9800 4.2.1.  A packet that is refused has not been modified.
 *
 * Context: BH off, RCU read section.  Header pointers die.
 *
 * Return: SEG6NR_FORWARD with the new destination in the IPv6 header, or why
 * the packet must be dropped.
 */
enum seg6nr_verdict seg6nr_replace_csid(struct seg6nr_pkt *pkt,
					const struct seg6nr_srh *at, bool *last)
{
	const struct seg6nr_lwt *slwt = pkt->slwt;
	unsigned int mask = index_mask(slwt);
	struct sk_buff *skb = pkt->skb;
	enum seg6nr_verdict verdict;
	struct ipv6_sr_hdr *srh;
	struct in6_addr daddr;
	unsigned int index;
	u8 left;

	srh = seg6nr_srh(skb, at);
	daddr = ipv6_hdr(skb)->daddr;
	index = index_of(slwt, &daddr);
	left = srh->segments_left;

	verdict = seg6nr_hop_limit(pkt);
	if (verdict != SEG6NR_FORWARD)
		return verdict;
	/* Inside a container SL names a segment of the list (no reduced one). */
	if (index && left > srh->first_segment)
		return SEG6NR_DROP_BAD_SRH;
	if (skb_ensure_writable(skb, at->off + sizeof(*srh)))
		return SEG6NR_DROP_NOMEM;
	srh = seg6nr_srh(skb, at);

	if (!index) {
		left--;
		index = mask;
	} else if (slot_is_empty(slwt, &srh->segments[left], --index)) {
		/* The rest of the container is padding: a whole SID follows. */
		daddr = srh->segments[--left];
		index = 0;
		goto write;
	}
	memcpy(daddr.s6_addr + slwt->lb,
	       slot(slwt, &srh->segments[left], index), slwt->nf);
	daddr.s6_addr[15] = (daddr.s6_addr[15] & ~mask) | index;
write:
	if (ipv6_addr_is_multicast(&daddr))
		return SEG6NR_DROP_MULTICAST;
	*last = is_last(slwt, srh, left, index);
	seg6nr_srh_set_left(skb, at, left);
	seg6nr_rewrite(skb, &ipv6_hdr(skb)->daddr, &daddr, sizeof(daddr));
	return SEG6NR_FORWARD;
}
