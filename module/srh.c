// SPDX-License-Identifier: GPL-2.0-only
/*
 * srh.c - finding, judging and advancing segment routing headers
 *
 * Pure packet work: nothing here knows a route or a table.
 */
#include <linux/icmpv6.h>
#include <linux/seg6.h>
#include <net/addrconf.h>
#include <net/ipv6.h>

#include "seg6nr.h"

#define HMAC_FLAG	0x08

/* A position in the chain of extension headers. */
struct walk {
	unsigned int	off;	/* of the header, from skb->data */
	unsigned int	len;	/* of the header, inside the packet */
	unsigned int	count;	/* headers seen so far */
	u8		nexthdr; /* what kind of header this is */
	u8		head[4]; /* its first octets */
};

static bool is_ext_hdr(u8 nexthdr)
{
	switch (nexthdr) {
	case NEXTHDR_HOP:
	case NEXTHDR_ROUTING:
	case NEXTHDR_FRAGMENT:
	case NEXTHDR_AUTH:
	case NEXTHDR_DEST:
		return true;
	}
	return false;
}

/* Read the extension header at w->off; false if it does not fit the packet. */
static bool walk_read(struct walk *w, const struct sk_buff *skb)
{
	if (++w->count > SEG6NR_MAX_EXT_HDRS ||
	    skb_copy_bits(skb, w->off, w->head, sizeof(w->head)))
		return false;

	switch (w->nexthdr) {
	case NEXTHDR_FRAGMENT:
		w->len = sizeof(struct frag_hdr);
		break;
	case NEXTHDR_AUTH:
		w->len = (w->head[1] + 2) << 2;
		break;
	default:
		w->len = (w->head[1] + 1) << 3;
	}

	return w->len <= skb->len - w->off;
}

static void walk_next(struct walk *w)
{
	w->nexthdr = w->head[0];
	w->off += w->len;
}

static void walk_init(struct walk *w, const struct sk_buff *skb)
{
	w->off = sizeof(struct ipv6hdr);
	w->count = 0;
	w->nexthdr = ipv6_hdr(skb)->nexthdr;
}

/* Offset not zero or more to come (RFC 8200 4.5); atomic fragments are not. */
static bool is_fragment(const struct walk *w)
{
	return ((w->head[2] << 8 | w->head[3]) & (IP6_OFFSET | IP6_MF));
}

static u8 segments_left(const struct walk *w)
{
	return w->head[3];
}

static bool is_srh(const struct walk *w)
{
	return w->head[2] == IPV6_SRCRT_TYPE_4;
}

/*
 * The TLV area must be used up exactly.  @pad1 is the size of a TLV of type 0:
 * one octet by RFC 8754 section 2.1.1, any header and length to the kernel.
 */
static bool tlvs_fit(const u8 *tlv, unsigned int len, bool pad1)
{
	unsigned int size;

	while (len) {
		if (pad1 && !*tlv) {
			size = 1;
		} else {
			if (len < 2)
				return false;
			size = 2 + tlv[1];
		}
		if (size > len)
			return false;
		tlv += size;
		len -= size;
	}
	return true;
}

/* RFC 8754 section 2; the list may be reduced, hence SL up to LE + 1. */
static bool srh_is_valid(const struct ipv6_sr_hdr *srh)
{
	unsigned int len = (srh->hdrlen + 1) << 3;
	unsigned int list;

	if (srh->type != IPV6_SRCRT_TYPE_4 ||
	    srh->first_segment > (srh->hdrlen >> 1) - 1 ||
	    srh->segments_left > srh->first_segment + 1)
		return false;

	list = sizeof(*srh) + ((srh->first_segment + 1) << 4);

	return tlvs_fit((const u8 *)srh + list, len - list, true) ||
	       tlvs_fit((const u8 *)srh + list, len - list, false);
}

/*
 * Enforce the policy of the device for the SRH at @off.  The kernel's check
 * takes the SRH from the transport header, which need not be this one.
 */
static bool hmac_is_valid(struct sk_buff *skb, unsigned int off)
{
	const struct inet6_dev *idev = __in6_dev_get(skb->dev);
	const struct ipv6_sr_hdr *srh;
	int transport, policy;
	bool valid;

	if (!idev)
		return false;

	policy = seg6nr_require_hmac(idev);
	if (policy < 0)
		return true;

	srh = (struct ipv6_sr_hdr *)(skb->data + off);
	if (!(srh->flags & HMAC_FLAG))
		return !policy;

	transport = skb_transport_offset(skb);
	skb_set_transport_header(skb, off);
	valid = seg6_hmac_validate_skb(skb);
	skb_set_transport_header(skb, transport);

	return valid;
}

/**
 * seg6nr_srh_find() - find the SRH that this node has to act on
 * @pkt: the packet, its IPv6 header at skb->data
 * @off: filled with the offset of the SRH from skb->data
 *
 * That is the first routing header with segments left; those used up are
 * stepped over (RFC 8200 4.4).  The SRH is linear and passed the HMAC policy of
 * the device on success.
 *
 * Context: BH off, RCU read section.  Header pointers die.
 *
 * Return: SEG6NR_FORWARD, or why there is no such SRH.
 */
enum seg6nr_verdict seg6nr_srh_find(struct seg6nr_pkt *pkt, unsigned int *off)
{
	struct sk_buff *skb = pkt->skb;
	struct walk w;

	for (walk_init(&w, skb); is_ext_hdr(w.nexthdr); walk_next(&w)) {
		if (!walk_read(&w, skb))
			return SEG6NR_DROP_EXT_HDRS;
		if (w.nexthdr == NEXTHDR_FRAGMENT && is_fragment(&w))
			return SEG6NR_DROP_FRAGMENT;
		if (w.nexthdr == NEXTHDR_ROUTING && segments_left(&w))
			break;
	}
	if (w.nexthdr != NEXTHDR_ROUTING)
		return SEG6NR_DROP_NO_SRH;

	if (!pskb_may_pull(skb, w.off + w.len))
		return SEG6NR_DROP_NOMEM;
	if (!srh_is_valid((struct ipv6_sr_hdr *)(skb->data + w.off)))
		return SEG6NR_DROP_BAD_SRH;
	if (!hmac_is_valid(skb, w.off))
		return SEG6NR_DROP_HMAC;

	*off = w.off;
	return SEG6NR_FORWARD;
}

/**
 * seg6nr_hop_limit() - refuse a packet whose hop limit is used up
 * @pkt: the packet, its IPv6 header at the network header, not yet modified
 *
 * RFC 8986 4.1 S05: the ICMPv6 error quotes the packet as it came.
 *
 * Context: BH off, RCU read section.  The skb stays the caller's.
 *
 * Return: SEG6NR_FORWARD or SEG6NR_DROP_HOP_LIMIT.
 */
enum seg6nr_verdict seg6nr_hop_limit(struct seg6nr_pkt *pkt)
{
	struct sk_buff *skb = pkt->skb;

	if (likely(ipv6_hdr(skb)->hop_limit > 1))
		return SEG6NR_FORWARD;

	__IP6_INC_STATS(pkt->net, __in6_dev_get(skb->dev),
			IPSTATS_MIB_INHDRERRORS);
	icmpv6_send(skb, ICMPV6_TIME_EXCEED, ICMPV6_EXC_HOPLIMIT, 0);
	return SEG6NR_DROP_HOP_LIMIT;
}

/* Write header octets of a received packet, keeping CHECKSUM_COMPLETE true. */
static void rewrite(struct sk_buff *skb, void *at, const void *with,
		    unsigned int len)
{
	skb_postpull_rcsum(skb, at, len);
	memcpy(at, with, len);
	skb_postpush_rcsum(skb, at, len);
}

/**
 * seg6nr_srh_advance() - make the next segment the active one
 * @pkt: the packet, its IPv6 header at skb->data
 * @off: offset of the SRH, from seg6nr_srh_find()
 *
 * RFC 8986 4.1 S05 to S14.  A packet that is refused has not been modified.
 *
 * Context: BH off, RCU read section.  Header pointers die; data shared with a
 * clone is copied before the first write.
 *
 * Return: SEG6NR_FORWARD with the new destination in the IPv6 header, or why
 * the packet must be dropped.
 */
enum seg6nr_verdict seg6nr_srh_advance(struct seg6nr_pkt *pkt,
				       unsigned int off)
{
	struct sk_buff *skb = pkt->skb;
	enum seg6nr_verdict verdict;
	struct ipv6_sr_hdr *srh;
	struct in6_addr *next;
	u8 head[4];

	verdict = seg6nr_hop_limit(pkt);
	if (verdict != SEG6NR_FORWARD)
		return verdict;

	if (skb_ensure_writable(skb, off + sizeof(*srh)))
		return SEG6NR_DROP_NOMEM;

	srh = (struct ipv6_sr_hdr *)(skb->data + off);
	next = &srh->segments[srh->segments_left - 1];
	if (ipv6_addr_is_multicast(next))
		return SEG6NR_DROP_MULTICAST;

	/* A checksum wants whole words. */
	memcpy(head, srh, sizeof(head));
	head[3]--;
	rewrite(skb, srh, head, sizeof(head));
	rewrite(skb, &ipv6_hdr(skb)->daddr, next, sizeof(*next));

	/* No ICMPv6 redirects for a source-routed packet. */
	IP6CB(skb)->srcrt = off;
	return SEG6NR_FORWARD;
}

/* A used-up routing header in front of a payload to be decapsulated. */
static enum seg6nr_verdict check_used_up(struct sk_buff *skb,
					 const struct walk *w)
{
	const struct inet6_dev *idev;
	int policy;

	if (segments_left(w))
		return SEG6NR_DROP_SEGMENTS_LEFT;
	if (!is_srh(w))
		return SEG6NR_FORWARD;

	idev = __in6_dev_get(skb->dev);
	if (!idev)
		return SEG6NR_DROP_HMAC;
	policy = seg6nr_require_hmac(idev);
	if (policy < 0)
		return SEG6NR_FORWARD;

	if (!pskb_may_pull(skb, w->off + w->len))
		return SEG6NR_DROP_NOMEM;
	if (!srh_is_valid((struct ipv6_sr_hdr *)(skb->data + w->off)))
		return policy ? SEG6NR_DROP_BAD_SRH : SEG6NR_FORWARD;

	return hmac_is_valid(skb, w->off) ? SEG6NR_FORWARD : SEG6NR_DROP_HMAC;
}

/**
 * seg6nr_decap_find() - find the payload of a packet that ends its journey here
 * @pkt: the packet, its IPv6 header at skb->data
 * @inner: the next-header value that the behaviour decapsulates
 * @off: filled with the offset of the payload from skb->data
 *
 * Every routing header on the way must be used up (RFC 8986 4.4 to 4.8, S02),
 * those of type 4 must satisfy the HMAC policy, and the packet must be whole.
 *
 * Context: BH off, RCU read section.  Header pointers die.
 *
 * Return: SEG6NR_FORWARD, or why the packet must not be decapsulated.
 */
enum seg6nr_verdict seg6nr_decap_find(struct seg6nr_pkt *pkt, u8 inner,
				      unsigned int *off)
{
	enum seg6nr_verdict verdict;
	struct walk w;

	for (walk_init(&w, pkt->skb); is_ext_hdr(w.nexthdr); walk_next(&w)) {
		if (!walk_read(&w, pkt->skb))
			return SEG6NR_DROP_EXT_HDRS;
		if (w.nexthdr == NEXTHDR_FRAGMENT && is_fragment(&w))
			return SEG6NR_DROP_FRAGMENT;
		if (w.nexthdr != NEXTHDR_ROUTING)
			continue;
		verdict = check_used_up(pkt->skb, &w);
		if (verdict != SEG6NR_FORWARD)
			return verdict;
	}
	if (w.nexthdr != inner)
		return SEG6NR_DROP_INNER_TYPE;

	*off = w.off;
	return SEG6NR_FORWARD;
}
