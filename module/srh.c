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
#include "srh.h"

/* A position in the chain of extension headers. */
struct walk {
	unsigned int	off;	/* of the header, from skb->data */
	unsigned int	nhoff;	/* of the octet that announces it */
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
	if (++w->count > SEG6NR_MAX_EXT_HDRS)
		return false;
	if (likely(w->off + sizeof(w->head) <= skb_headlen(skb)))
		memcpy(w->head, skb->data + w->off, sizeof(w->head));
	else if (skb_copy_bits(skb, w->off, w->head, sizeof(w->head)))
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
	w->nhoff = w->off;
	w->off += w->len;
}

static void walk_init(struct walk *w, const struct sk_buff *skb)
{
	w->off = sizeof(struct ipv6hdr);
	w->nhoff = offsetof(struct ipv6hdr, nexthdr);
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

/**
 * seg6nr_srh_tlvs_fit() - whether the rest of an SRH is TLVs and nothing else
 * @tlv: what follows the segment list
 * @len: octets of it
 *
 * Context: any.
 *
 * Return: true if so, by either reading of type 0.
 */
bool seg6nr_srh_tlvs_fit(const u8 *tlv, unsigned int len)
{
	return tlvs_fit(tlv, len, true) || tlvs_fit(tlv, len, false);
}

/**
 * seg6nr_srh_is_valid() - judge an SRH by RFC 8754 section 2
 * @srh: the header, all its octets readable
 *
 * The list may be reduced, hence SL up to LE + 1.
 *
 * Context: any.
 *
 * Return: true where it may be acted on.
 */
bool seg6nr_srh_is_valid(const struct ipv6_sr_hdr *srh)
{
	return seg6nr_srh_is_sane(srh);
}

/**
 * seg6nr_hmac_is_right() - check the HMAC of an SRH
 * @skb: the packet
 * @off: where the SRH is, linear
 *
 * The kernel's check takes the SRH from the transport header, which need not be
 * this one.
 *
 * Context: BH off, RCU read section.
 *
 * Return: true if so.
 */
bool seg6nr_hmac_is_right(struct sk_buff *skb, unsigned int off)
{
	int transport = skb_transport_offset(skb);
	bool right;

	skb_set_transport_header(skb, off);
	right = seg6_hmac_validate_skb(skb);
	skb_set_transport_header(skb, transport);
	return right;
}

static enum seg6nr_verdict check_active(struct sk_buff *skb,
					const struct seg6nr_srh *at)
{
	if (!pskb_may_pull(skb, at->off + at->len))
		return SEG6NR_DROP_NOMEM;
	if (!seg6nr_srh_is_sane((struct ipv6_sr_hdr *)(skb->data + at->off)))
		return SEG6NR_DROP_BAD_SRH;

	return seg6nr_hmac_is_valid(skb, at->off) ? SEG6NR_FORWARD :
						    SEG6NR_DROP_HMAC;
}

static void locate(struct seg6nr_srh *at, const struct walk *w)
{
	at->off = w->off;
	at->len = w->len;
	at->nhoff = w->nhoff;
}

/**
 * seg6nr_srh_find() - find the SRH that this node has to act on
 * @pkt: the packet, its IPv6 header at skb->data
 * @at: filled with where the SRH is
 * @replace: an SRH without segments left may hold REPLACE-CSIDs yet
 *
 * That is the first routing header with segments left; those used up are
 * stepped over (RFC 8200 4.4).  The SRH is linear and passed the HMAC policy of
 * the device on success.
 *
 * Context: BH off, RCU read section.  Header pointers die.
 *
 * Return: SEG6NR_FORWARD, or why there is no such SRH.
 */
enum seg6nr_verdict seg6nr_srh_find(struct seg6nr_pkt *pkt,
				    struct seg6nr_srh *at, bool replace)
{
	struct sk_buff *skb = pkt->skb;
	enum seg6nr_verdict verdict;
	struct walk w;

	for (walk_init(&w, skb); is_ext_hdr(w.nexthdr); walk_next(&w)) {
		if (!walk_read(&w, skb))
			return SEG6NR_DROP_EXT_HDRS;
		if (w.nexthdr == NEXTHDR_FRAGMENT && is_fragment(&w))
			return SEG6NR_DROP_FRAGMENT;
		if (w.nexthdr != NEXTHDR_ROUTING)
			continue;
		if (!segments_left(&w) && !(replace && is_srh(&w)))
			continue;

		locate(at, &w);
		verdict = check_active(skb, at);
		if (segments_left(&w) || verdict == SEG6NR_DROP_HMAC ||
		    (verdict == SEG6NR_FORWARD &&
		     seg6nr_replace_csid_pending(pkt, at)))
			return verdict;
	}

	return SEG6NR_DROP_NO_SRH;
}

/**
 * seg6nr_hop_limit_spent() - tell the sender of a packet whose hops are used up
 * @pkt: the packet, its IPv6 header at the network header, not yet modified
 *
 * Context: BH off, RCU read section.  The skb stays the caller's.
 *
 * Return: SEG6NR_DROP_HOP_LIMIT
 */
enum seg6nr_verdict seg6nr_hop_limit_spent(struct seg6nr_pkt *pkt)
{
	struct sk_buff *skb = pkt->skb;

	__IP6_INC_STATS(pkt->net, __in6_dev_get(skb->dev),
			IPSTATS_MIB_INHDRERRORS);
	icmpv6_send(skb, ICMPV6_TIME_EXCEED, ICMPV6_EXC_HOPLIMIT, 0);
	return SEG6NR_DROP_HOP_LIMIT;
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

	return seg6nr_hop_limit_spent(pkt);
}

/**
 * seg6nr_rewrite() - write header octets, keeping CHECKSUM_COMPLETE true
 * @skb: the packet, writable there
 * @at: where, at an even offset from skb->data
 * @with: the new octets
 * @len: how many, an even number
 *
 * Context: any.
 */
void seg6nr_rewrite(struct sk_buff *skb, void *at, const void *with,
		    unsigned int len)
{
	skb_postpull_rcsum(skb, at, len);
	memcpy(at, with, len);
	skb_postpush_rcsum(skb, at, len);
}

/**
 * seg6nr_set_daddr() - write the destination address
 * @skb: the packet, its IPv6 header at skb->data and writable
 * @daddr: the new one, not in the header itself
 *
 * Context: any.
 */
void seg6nr_set_daddr(struct sk_buff *skb, const struct in6_addr *daddr)
{
	struct in6_addr *old = &((struct ipv6hdr *)skb->data)->daddr;

	if (unlikely(seg6nr_has_csum(skb)))
		seg6nr_rewrite(skb, old, daddr, sizeof(*daddr));
	else
		*old = *daddr;
}

/* A checksum wants whole words, an octet of a header is half of one. */
static void rewrite_octet(struct sk_buff *skb, unsigned int off, u8 value)
{
	u8 *word = skb->data + (off & ~1U);
	u8 new[2] = { word[0], word[1] };

	new[off & 1] = value;
	seg6nr_rewrite(skb, word, new, sizeof(new));
}

/**
 * seg6nr_payload_len() - set the payload length after a header came or went
 * @skb: the packet, its IPv6 header at skb->data and writable
 *
 * A GSO packet may be longer than the field can say, which zero stands for.
 *
 * Context: any.
 */
void seg6nr_payload_len(struct sk_buff *skb)
{
	unsigned int len = skb->len - sizeof(struct ipv6hdr);
	__be16 value = len <= IPV6_MAXPLEN ? htons(len) : 0;

	seg6nr_rewrite(skb, &ipv6_hdr(skb)->payload_len, &value, sizeof(value));
}

/**
 * seg6nr_srh_advance() - make the next segment the active one
 * @pkt: the packet, its IPv6 header at skb->data
 * @at: where the SRH is, from seg6nr_srh_find()
 * @last: filled with whether no segment is left now
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
				       const struct seg6nr_srh *at, bool *last)
{
	struct sk_buff *skb = pkt->skb;
	enum seg6nr_verdict verdict;
	struct ipv6_sr_hdr *srh;
	struct in6_addr *next;
	u8 left;

	verdict = seg6nr_hop_limit(pkt);
	if (verdict != SEG6NR_FORWARD)
		return verdict;

	if (seg6nr_ensure_writable(skb, at->off + sizeof(*srh)))
		return SEG6NR_DROP_NOMEM;

	srh = seg6nr_srh(skb, at);
	left = srh->segments_left - 1;
	next = &srh->segments[left];
	if (ipv6_addr_is_multicast(next))
		return SEG6NR_DROP_MULTICAST;

	*last = !left;
	seg6nr_srh_set_left(skb, at, left);
	seg6nr_set_daddr(skb, next);
	return SEG6NR_FORWARD;
}

/**
 * seg6nr_srh_set_left() - write segments left
 * @skb: the packet, writable as far as the fixed part of the SRH
 * @at: where the SRH is
 * @left: the new value
 *
 * Context: any.
 */
void seg6nr_srh_set_left(struct sk_buff *skb, const struct seg6nr_srh *at,
			 u8 left)
{
	if (unlikely(seg6nr_has_csum(skb)))
		rewrite_octet(skb, at->off + offsetof(struct ipv6_sr_hdr,
						      segments_left), left);
	else
		seg6nr_srh(skb, at)->segments_left = left;
	/* No ICMPv6 redirects for a source-routed packet. */
	IP6CB(skb)->srcrt = at->off;
}

/**
 * seg6nr_srh_pop() - take the SRH out of the packet
 * @pkt: the packet, its IPv6 header at skb->data
 * @at: where the SRH is
 *
 * RFC 8986 4.16.1.  The headers in front of it move up to what follows it.
 *
 * Context: BH off, RCU read section.  Header pointers die.
 *
 * Return: SEG6NR_FORWARD, or why the packet must be dropped.
 */
enum seg6nr_verdict seg6nr_srh_pop(struct seg6nr_pkt *pkt,
				   const struct seg6nr_srh *at)
{
	struct sk_buff *skb = pkt->skb;
	unsigned int transport = skb_transport_offset(skb);

	if (transport > at->off) {
		if (transport < at->off + at->len)
			return SEG6NR_DROP_EXT_HDRS;
		transport -= at->len;
	}
	if (skb_ensure_writable(skb, at->off + at->len))
		return SEG6NR_DROP_NOMEM;

	rewrite_octet(skb, at->nhoff, seg6nr_srh(skb, at)->nexthdr);
	skb_postpull_rcsum(skb, skb->data + at->off, at->len);
	memmove(skb->data + at->len, skb->data, at->off);
	__skb_pull(skb, at->len);

	skb_reset_network_header(skb);
	skb_mac_header_rebuild(skb);
	skb_set_transport_header(skb, transport);
	seg6nr_payload_len(skb);
	IP6CB(skb)->srcrt = 0;
	return SEG6NR_FORWARD;
}

/**
 * seg6nr_srh_next_anywhere() - seg6nr_srh_next() for packets not like most
 * @pkt: the packet, its IPv6 header at skb->data
 *
 * With the SRH anywhere, in any skb, of any flavor.
 *
 * Context: BH off, RCU read section.  Header pointers die.
 *
 * Return: as seg6nr_srh_next().
 */
enum seg6nr_verdict seg6nr_srh_next_anywhere(struct seg6nr_pkt *pkt)
{
	const struct seg6nr_lwt *slwt = pkt->slwt;
	enum seg6nr_verdict verdict;
	struct seg6nr_srh at;
	bool replace, last;

	replace = seg6nr_has(slwt, SEG6NR_A_REPLACE_CSID);
	verdict = seg6nr_srh_find(pkt, &at, replace);
	if (verdict != SEG6NR_FORWARD)
		return verdict;

	verdict = replace ? seg6nr_replace_csid(pkt, &at, &last) :
			    seg6nr_srh_advance(pkt, &at, &last);
	if (verdict != SEG6NR_FORWARD || !last ||
	    !seg6nr_has_flavor(slwt, SEG6NR_FLV_OP_PSP))
		return verdict;

	return seg6nr_srh_pop(pkt, &at);
}

/**
 * seg6nr_srh_pop_usual() - take the SRH out from where most are
 * @pkt: the packet, its IPv6 header at skb->data, the SRH behind it
 *
 * Context: BH off, RCU read section.  Header pointers die.
 *
 * Return: as seg6nr_srh_pop().
 */
enum seg6nr_verdict seg6nr_srh_pop_usual(struct seg6nr_pkt *pkt)
{
	struct seg6nr_srh at = {
		.off = sizeof(struct ipv6hdr),
		.nhoff = offsetof(struct ipv6hdr, nexthdr),
	};

	at.len = (seg6nr_srh(pkt->skb, &at)->hdrlen + 1) << 3;
	return seg6nr_srh_pop(pkt, &at);
}

/**
 * seg6nr_srh_push() - insert an SRH whose last segment is the destination
 * @pkt: the packet, its IPv6 header at skb->data
 * @srh: the policy, its first octets and list as to be sent
 * @len: its length
 *
 * Behind hop-by-hop options, and behind destination options that stand in
 * front of a routing header (the order of RFC 8200 4.1).
 *
 * Context: BH off, RCU read section.  Header pointers die.
 *
 * Return: SEG6NR_FORWARD with the first segment of the policy active, or why
 * the packet must be dropped.
 */
enum seg6nr_verdict seg6nr_srh_push(struct seg6nr_pkt *pkt,
				    const struct ipv6_sr_hdr *srh,
				    unsigned int len)
{
	struct sk_buff *skb = pkt->skb;
	struct ipv6_sr_hdr *new;
	struct seg6nr_srh at;
	unsigned int transport;
	struct walk w;

	walk_init(&w, skb);
	if (w.nexthdr == NEXTHDR_HOP) {
		if (!walk_read(&w, skb))
			return SEG6NR_DROP_EXT_HDRS;
		walk_next(&w);
	}
	locate(&at, &w);
	at.len = len;
	if (w.nexthdr == NEXTHDR_DEST && walk_read(&w, skb) &&
	    w.head[0] == NEXTHDR_ROUTING) {
		at.nhoff = w.off;
		at.off = w.off + w.len;
	}

	if (!pskb_may_pull(skb, at.off) ||
	    skb_cow_head(skb, len + skb->mac_len))
		return SEG6NR_DROP_NOMEM;

	/* It marks where parsing stands, behind hop-by-hop options if any. */
	transport = min_t(unsigned int, skb_transport_offset(skb), at.off);
	__skb_push(skb, len);
	skb_reset_network_header(skb);
	/* First of all, for the headers move into where it was. */
	skb_mac_header_rebuild(skb);
	memmove(skb->data, skb->data + len, at.off);
	skb_set_transport_header(skb, transport);

	new = seg6nr_srh(skb, &at);
	memcpy(new, srh, len);
	new->nexthdr = skb->data[at.nhoff];
	new->segments[0] = ipv6_hdr(skb)->daddr;
	if ((new->flags & SR6_FLAG1_HMAC) &&
	    seg6_push_hmac(pkt->net, &ipv6_hdr(skb)->saddr, new))
		return SEG6NR_DROP_HMAC;

	skb_postpush_rcsum(skb, new, len);
	rewrite_octet(skb, at.nhoff, NEXTHDR_ROUTING);
	seg6nr_rewrite(skb, &ipv6_hdr(skb)->daddr,
		       &new->segments[new->first_segment],
		       sizeof(struct in6_addr));
	seg6nr_payload_len(skb);
	IP6CB(skb)->srcrt = at.off;
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
	if (!seg6nr_srh_is_valid((struct ipv6_sr_hdr *)(skb->data + w->off)))
		return policy ? SEG6NR_DROP_BAD_SRH : SEG6NR_FORWARD;

	return seg6nr_hmac_is_valid(skb, w->off) ? SEG6NR_FORWARD :
						   SEG6NR_DROP_HMAC;
}

/**
 * seg6nr_decap_find() - find the payload of a packet that ends its journey here
 * @pkt: the packet, its IPv6 header at skb->data
 * @inner: filled with the next-header value of the payload
 * @off: filled with the offset of the payload from skb->data
 *
 * Every routing header on the way must be used up (RFC 8986 4.4 to 4.8, S02),
 * those of type 4 must satisfy the HMAC policy, and the packet must be whole.
 *
 * Context: BH off, RCU read section.  Header pointers die.
 *
 * Return: SEG6NR_FORWARD, or why the packet must not be decapsulated.
 */
enum seg6nr_verdict seg6nr_decap_find(struct seg6nr_pkt *pkt, u8 *inner,
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

	*inner = w.nexthdr;
	*off = w.off;
	return SEG6NR_FORWARD;
}
