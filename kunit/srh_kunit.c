// SPDX-License-Identifier: GPL-2.0-only
/*
 * srh_kunit.c - judging, finding, advancing, inserting and removing SRHs,
 * without routes
 */
#include "../module/srh.c"

#include "env.h"
#include "harness.h"
#include "suites.h"
#include "surgery.h"

#define VALID_MAX	2048

/**
 * struct validity - an SRH, and whether RFC 8754 allows it
 * @name: for messages
 * @hdrlen: its length field
 * @last: last entry
 * @left: segments left
 * @type: routing type
 * @tlv: octets behind the list, the rest is zero
 * @valid: the verdict
 */
struct validity {
	const char	*name;
	u8		hdrlen;
	u8		last;
	u8		left;
	u8		type;
	u8		tlv[16];
	bool		valid;
};

static const struct validity validities[] = {
	{ "one_segment", 2, 0, 0, 4, {}, true },
	{ "one_segment_left", 2, 0, 1, 4, {}, true },
	{ "too_many_left", 2, 0, 2, 4, {}, false },
	{ "two_segments_reduced", 4, 1, 2, 4, {}, true },
	{ "two_segments_too_many_left", 4, 1, 3, 4, {}, false },
	{ "last_entry_beyond_list", 2, 1, 0, 4, {}, false },
	{ "no_list", 0, 0, 0, 4, {}, false },
	{ "half_a_list", 1, 0, 0, 4, {}, false },
	{ "longest_list", 254, 126, 127, 4, {}, true },
	{ "longest_list_too_many_left", 254, 126, 128, 4, {}, false },
	{ "longest_list_and_eight_octets", 255, 126, 127, 4, {}, true },
	{ "other_type", 2, 0, 0, 3, {}, false },
	{ "eight_pad1", 3, 0, 0, 4, {}, true },
	{ "second_entry_all_pad1", 4, 0, 0, 4, {}, true },
	{ "padn_exact", 3, 0, 0, 4, { 4, 6 }, true },
	{ "padn_shortest", 3, 0, 0, 4, { 4, 0, 4, 0, 4, 0, 4, 0 }, true },
	{ "tlv_too_long", 3, 0, 0, 4, { 4, 7 }, false },
	{ "tlv_far_too_long", 3, 0, 0, 4, { 4, 255 }, false },
	{ "tlv_then_pad1", 3, 0, 0, 4, { 4, 5 }, true },
	{ "tlv_then_half_tlv", 3, 0, 0, 4, { 4, 5, [7] = 9 }, false },
	{ "pad1_one_octet", 3, 0, 0, 4, { 0, 5, 5, 1, 1, 1, 1, 1 }, true },
	{ "pad1_with_length", 3, 0, 0, 4, { 0, 6, 32, 1, 1, 1, 1, 1 }, true },
	{ "pad1_neither", 3, 0, 0, 4, { 0, 7, 32, 1, 1, 1, 1, 1 }, false },
	{ "unknown_tlv", 4, 0, 0, 4, { 200, 14 }, true },
	{ "two_tlvs", 4, 0, 0, 4, { 200, 6, [8] = 201, 6 }, true },
	{ "second_tlv_too_long", 4, 0, 0, 4, { 200, 6, [8] = 201, 7 }, false },
};

static void validity_desc(const struct validity *row, char *desc)
{
	strscpy(desc, row->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(validity, validities, validity_desc);

static void srh_is_valid(struct kunit *test)
{
	const struct validity *row = test->param_value;
	unsigned int end = (row->hdrlen + 1) * 8;
	unsigned int list = 8 + 16 * (row->last + 1);
	u8 *octets = kzalloc(VALID_MAX + 16, GFP_KERNEL);
	bool seen;

	if (!octets) {
		KUNIT_FAIL(test, "no memory for an SRH");
		return;
	}
	octets[1] = row->hdrlen;
	octets[2] = row->type;
	octets[3] = row->left;
	octets[4] = row->last;
	if (list < end)
		memcpy(octets + list, row->tlv, end - list);
	/* What is read behind the end makes a difference. */
	octets[end] = 0xff;
	seen = seg6nr_srh_is_valid((struct ipv6_sr_hdr *)octets);
	KUNIT_EXPECT_EQ_MSG(test, seen, row->valid, "%s: expected %d, seen %d",
			    row->name, row->valid, seen);
	kfree(octets);
}

/**
 * struct chain - headers in front of the one that an operation is about
 * @name: for messages
 * @hdrs: their types, IPv6's own first
 * @push: how many of them an SRH is inserted behind
 */
struct chain {
	const char	*name;
	u8		hdrs[4];
	unsigned int	push;
};

#define NONE	NEXTHDR_NONE

static const struct chain chains[] = {
	{ "plain", { NONE }, 0 },
	{ "hop_by_hop", { NEXTHDR_HOP, NONE }, 1 },
	{ "destination", { NEXTHDR_DEST, NONE }, 1 },
	{ "hop_by_hop_destination", { NEXTHDR_HOP, NEXTHDR_DEST, NONE }, 2 },
	{ "atomic_fragment", { NEXTHDR_FRAGMENT, NONE }, 0 },
	{ "hop_by_hop_fragment", { NEXTHDR_HOP, NEXTHDR_FRAGMENT, NONE }, 1 },
};

static void chain_desc(const struct chain *chain, char *desc)
{
	strscpy(desc, chain->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(chain, chains, chain_desc);

static void insert(struct seg6nr_frame *frame, unsigned int off,
		   const void *octets, unsigned int len)
{
	struct ipv6hdr *hdr = (void *)frame->data;

	memmove(frame->data + off + len, frame->data + off, frame->len - off);
	memcpy(frame->data + off, octets, len);
	frame->len += len;
	hdr->payload_len = htons(frame->len - sizeof(*hdr));
}

/* Put a header in front of the one at @off that *@type announces. */
static void put_header(struct seg6nr_frame *frame, unsigned int off,
		       unsigned int announced, u8 type, const void *octets,
		       unsigned int len)
{
	u8 next = frame->data[announced];

	insert(frame, off, octets, len);
	frame->data[off] = next;
	frame->data[announced] = type;
}

/* Put the whole chain behind the IPv6 header; returns where it ends. */
static unsigned int put_chain(struct seg6nr_frame *frame,
			      const struct chain *chain, unsigned int count,
			      unsigned int *announced)
{
	const u8 options[8] = { 0, 0, 1, 4 }, fragment[8] = {};
	unsigned int off = SEG6NR_OFF_SRH, i;

	*announced = SEG6NR_OFF_NEXTHDR;
	for (i = 0; i < count && chain->hdrs[i] != NONE; i++) {
		put_header(frame, off, *announced, chain->hdrs[i],
			   chain->hdrs[i] == NEXTHDR_FRAGMENT ? fragment :
								options, 8);
		*announced = off;
		off += 8;
	}
	return off;
}

#define UDP_FRAME_SRH	(8 + 2 * 16)

/* A packet without SRH. */
static void bare_frame(struct seg6nr_frame *frame, const struct in6_addr *daddr)
{
	struct ipv6hdr *hdr = (void *)frame->data;

	seg6nr_frame_steered(frame, daddr);
	frame->data[SEG6NR_OFF_NEXTHDR] = frame->data[SEG6NR_OFF_SRH];
	frame->len -= UDP_FRAME_SRH;
	memmove(frame->data + SEG6NR_OFF_SRH,
		frame->data + SEG6NR_OFF_SRH + UDP_FRAME_SRH,
		frame->len - SEG6NR_OFF_SRH);
	hdr->payload_len = htons(frame->len - sizeof(*hdr));
}

static void srh_find_behind(struct kunit *test)
{
	const struct chain *chain = test->param_value;
	struct seg6nr_srh want = { .len = UDP_FRAME_SRH }, seen = {};
	enum seg6nr_verdict verdict;
	struct seg6nr_surgery op;
	struct seg6nr_frame frame;

	seg6nr_frame_steered(&frame, &seg6nr_addr_behind);
	want.off = put_chain(&frame, chain, 4, &want.nhoff);
	if (!seg6nr_surgery_open(test, &op, &frame, NULL))
		return;
	verdict = seg6nr_srh_find(&op.pkt, &seen, false);
	KUNIT_EXPECT_EQ_MSG(test, verdict, SEG6NR_FORWARD, "%s: not found",
			    chain->name);
	KUNIT_EXPECT_TRUE_MSG(test, !memcmp(&seen, &want, sizeof(want)),
			      "%s: seen at %u, %u octets, announced at %u",
			      chain->name, seen.off, seen.len, seen.nhoff);
	seg6nr_surgery_close(&op);
}

static void srh_pop_behind(struct kunit *test)
{
	const struct chain *chain = test->param_value;
	struct seg6nr_srh at = { .len = UDP_FRAME_SRH };
	struct seg6nr_frame frame, want;
	enum seg6nr_verdict verdict;
	struct seg6nr_surgery op;
	unsigned int unused;
	int transport;

	seg6nr_frame_steered(&frame, &seg6nr_addr_behind);
	at.off = put_chain(&frame, chain, 4, &at.nhoff);
	bare_frame(&want, &seg6nr_addr_behind);
	put_chain(&want, chain, 4, &unused);
	if (!seg6nr_surgery_open(test, &op, &frame, NULL))
		return;

	verdict = seg6nr_srh_pop(&op.pkt, &at);
	KUNIT_EXPECT_EQ_MSG(test, verdict, SEG6NR_FORWARD, "%s: refused",
			    chain->name);
	seg6nr_surgery_check(test, &op, &want, chain->name);
	seg6nr_surgery_check_csum(test, &op, chain->name);
	transport = skb_transport_offset(op.pkt.skb);
	KUNIT_EXPECT_EQ_MSG(test, transport, SEG6NR_OFF_SRH,
			    "%s: transport header at %d", chain->name,
			    transport);
	seg6nr_surgery_close(&op);
}

/* What stood behind the SRH moves by its length, what was in it has no place. */
static void srh_pop_transport_header(struct kunit *test)
{
	static const struct {
		int before, after;
	} rows[] = { { 40, 40 }, { 80, 40 }, { 88, 48 }, { 48, -1 } };
	const struct seg6nr_srh at = { SEG6NR_OFF_SRH, UDP_FRAME_SRH,
				       SEG6NR_OFF_NEXTHDR };
	struct seg6nr_frame frame;
	struct seg6nr_surgery op;
	unsigned int i;
	int seen;

	seg6nr_frame_steered(&frame, &seg6nr_addr_behind);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		if (!seg6nr_surgery_open(test, &op, &frame, NULL))
			return;
		skb_set_transport_header(op.pkt.skb, rows[i].before);
		seen = seg6nr_srh_pop(&op.pkt, &at) == SEG6NR_FORWARD ?
		       skb_transport_offset(op.pkt.skb) : -1;
		KUNIT_EXPECT_EQ_MSG(test, seen, rows[i].after,
				    "at %d: expected %d, seen %d",
				    rows[i].before, rows[i].after, seen);
		seg6nr_surgery_close(&op);
	}
}

/* Policy: one segment to go to, then the packet's own destination. */
static void policy(u8 srh[UDP_FRAME_SRH])
{
	memset(srh, 0, UDP_FRAME_SRH);
	srh[1] = 4;
	srh[2] = IPV6_SRCRT_TYPE_4;
	srh[3] = 1;
	srh[4] = 1;
	memcpy(srh + 24, &seg6nr_addr_kept, 16);
}

/* @routed: what follows the chain is a routing header, else UDP. */
static void check_push(struct kunit *test, const struct chain *chain,
		       bool routed)
{
	unsigned int behind = chain->push, announced;
	u8 srh[UDP_FRAME_SRH], own[UDP_FRAME_SRH];
	struct seg6nr_frame frame, want;
	enum seg6nr_verdict verdict;
	struct seg6nr_surgery op;
	unsigned int off;

	/* Destination options for the last hop only stay behind the SRH. */
	if (!routed && behind && chain->hdrs[behind - 1] == NEXTHDR_DEST)
		behind--;
	if (routed)
		seg6nr_frame_steered(&frame, &seg6nr_addr_behind);
	else
		bare_frame(&frame, &seg6nr_addr_behind);
	put_chain(&frame, chain, 4, &announced);

	policy(srh);
	memcpy(own, srh, sizeof(own));
	memcpy(own + 8, frame.data + 24, 16);
	want = frame;
	off = SEG6NR_OFF_SRH + 8 * behind;
	announced = behind ? off - 8 : SEG6NR_OFF_NEXTHDR;
	put_header(&want, off, announced, NEXTHDR_ROUTING, own, sizeof(own));
	memcpy(want.data + 24, &seg6nr_addr_kept, 16);

	if (!seg6nr_surgery_open(test, &op, &frame, NULL))
		return;
	verdict = seg6nr_srh_push(&op.pkt, (void *)srh, sizeof(srh));
	KUNIT_EXPECT_EQ_MSG(test, verdict, SEG6NR_FORWARD, "%s: refused",
			    chain->name);
	seg6nr_surgery_check(test, &op, &want, chain->name);
	seg6nr_surgery_check_csum(test, &op, chain->name);
	KUNIT_EXPECT_EQ_MSG(test, IP6CB(op.pkt.skb)->srcrt, off,
			    "%s: expected srcrt %u, seen %u", chain->name, off,
			    IP6CB(op.pkt.skb)->srcrt);
	seg6nr_surgery_close(&op);
}

static void srh_push_in_front_of_srh(struct kunit *test)
{
	check_push(test, test->param_value, true);
}

static void srh_push_in_front_of_payload(struct kunit *test)
{
	check_push(test, test->param_value, false);
}

/* From the last entry of a list of two to the end. */
static void srh_advance_to_the_end(struct kunit *test)
{
	const struct seg6nr_srh at = { SEG6NR_OFF_SRH, UDP_FRAME_SRH,
				       SEG6NR_OFF_NEXTHDR };
	const struct in6_addr list[2] = {
		seg6nr_addr_behind, seg6nr_addr_kept
	};
	struct seg6nr_frame frame, want;
	enum seg6nr_verdict verdict;
	struct seg6nr_surgery op;
	u8 left;

	seg6nr_frame_list(&frame, &seg6nr_addr_sid, list, 2, 2);
	if (!seg6nr_surgery_open(test, &op, &frame, NULL))
		return;
	for (left = 2; left--;) {
		bool last = left;

		verdict = seg6nr_srh_advance(&op.pkt, &at, &last);
		seg6nr_frame_list(&want, &list[left], list, 2, left);
		KUNIT_EXPECT_EQ_MSG(test, verdict, SEG6NR_FORWARD,
				    "%u left: refused", left);
		KUNIT_EXPECT_EQ_MSG(test, last, !left, "%u left: last is %d",
				    left, last);
		seg6nr_surgery_check(test, &op, &want, "advance");
		seg6nr_surgery_check_csum(test, &op, "advance");
	}
	seg6nr_surgery_close(&op);
}

/* A packet that is refused is as it was. */
static void srh_advance_refusals(struct kunit *test)
{
	static const struct {
		unsigned int		off;
		u8			value;
		enum seg6nr_verdict	verdict;
	} rows[] = {
		{ SEG6NR_OFF_HOP_LIMIT, 1, SEG6NR_DROP_HOP_LIMIT },
		{ SEG6NR_OFF_HOP_LIMIT, 0, SEG6NR_DROP_HOP_LIMIT },
		{ SEG6NR_OFF_SEGMENT0, 0xff, SEG6NR_DROP_MULTICAST },
	};
	const struct seg6nr_srh at = { SEG6NR_OFF_SRH, UDP_FRAME_SRH,
				       SEG6NR_OFF_NEXTHDR };
	enum seg6nr_verdict verdict;
	struct seg6nr_frame frame;
	struct seg6nr_surgery op;
	unsigned int i;
	bool last;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		seg6nr_frame_steered(&frame, &seg6nr_addr_behind);
		frame.data[rows[i].off] = rows[i].value;
		if (!seg6nr_surgery_open(test, &op, &frame, NULL))
			return;
		verdict = seg6nr_srh_advance(&op.pkt, &at, &last);
		KUNIT_EXPECT_EQ_MSG(test, verdict, rows[i].verdict,
				    "row %u: expected verdict %d, seen %d", i,
				    rows[i].verdict, verdict);
		seg6nr_surgery_check(test, &op, &frame, "refused");
		seg6nr_surgery_check_csum(test, &op, "refused");
		seg6nr_surgery_close(&op);
	}
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(srh_is_valid, validity_gen_params),
	KUNIT_CASE_PARAM(srh_find_behind, chain_gen_params),
	KUNIT_CASE_PARAM(srh_pop_behind, chain_gen_params),
	KUNIT_CASE_PARAM(srh_push_in_front_of_srh, chain_gen_params),
	KUNIT_CASE_PARAM(srh_push_in_front_of_payload, chain_gen_params),
	KUNIT_CASE(srh_pop_transport_header),
	KUNIT_CASE(srh_advance_to_the_end),
	KUNIT_CASE(srh_advance_refusals),
	{}
};

struct kunit_suite seg6nr_srh_suite = {
	.name = "seg6local_noref_srh",
	.init = seg6nr_case_init,
	.test_cases = cases,
};
