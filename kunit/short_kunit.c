// SPDX-License-Identifier: GPL-2.0-only
/*
 * short_kunit.c - the short way of the usual packet, and the general one
 *
 * Most packets have their SRH right behind the IPv6 header, in a linear skb
 * that nobody shares and no checksum goes with; code of its own deals with
 * them.  The same octets in any other skb must come out the same.
 */
#include <linux/netdevice.h>
#include <net/addrconf.h>
#include <net/dst.h>

#include "flow.h"
#include "harness.h"
#include "netns.h"
#include "suites.h"
#include "../module/compat.h"

#define HMAC_FLAG	0x08
#define SRH_FLAGS	(SEG6NR_OFF_SRH + 5)

/**
 * struct srh_shape - what is changed in a packet that a behaviour accepts
 * @name: for messages
 * @hop_limit: of the IPv6 header, 0 as it is
 * @octets: what to write, by offset; ends at an offset of 0
 * @require_hmac: the device's policy
 */
struct srh_shape {
	const char	*name;
	u8		hop_limit;
	struct {
		u8	off;
		u8	value;
	}		octets[4];
	int		require_hmac;
};

static const struct srh_shape shapes[] = {
	{ "plain" },
	{ "hop_limit_1", .hop_limit = 1 },
	{ "hop_limit_2", .hop_limit = 2 },
	{ "hop_limit_255", .hop_limit = 255 },
	{ "type_3", .octets = { { SEG6NR_OFF_SRH_TYPE, 3 } } },
	{ "last_entry_beyond", .octets = { { SEG6NR_OFF_SRH_LAST, 2 } } },
	{ "last_entry_255", .octets = { { SEG6NR_OFF_SRH_LAST, 255 } } },
	{ "left_0", .octets = { { SEG6NR_OFF_SRH_LEFT, 0 } } },
	{ "left_2", .octets = { { SEG6NR_OFF_SRH_LEFT, 2 } } },
	{ "left_3", .octets = { { SEG6NR_OFF_SRH_LEFT, 3 } } },
	{ "left_255", .octets = { { SEG6NR_OFF_SRH_LEFT, 255 } } },
	{ "second_entry_tlv", .octets = {
		{ SEG6NR_OFF_SRH_LAST, 0 }, { SEG6NR_OFF_SEGMENT0 + 16, 4 },
		{ SEG6NR_OFF_SEGMENT0 + 17, 14 } } },
	{ "second_entry_no_tlv", .octets = {
		{ SEG6NR_OFF_SRH_LAST, 0 }, { SEG6NR_OFF_SEGMENT0 + 16, 4 },
		{ SEG6NR_OFF_SEGMENT0 + 17, 15 } } },
	{ "no_length", .octets = { { SEG6NR_OFF_SRH_HDRLEN, 0 } } },
	{ "length_beyond_packet", .octets = { { SEG6NR_OFF_SRH_HDRLEN, 200 } } },
	{ "length_1", .octets = { { SEG6NR_OFF_SRH_HDRLEN, 1 } } },
	{ "multicast_segment", .octets = { { SEG6NR_OFF_SEGMENT0, 0xff } } },
	{ "hmac_flag", .octets = { { SRH_FLAGS, HMAC_FLAG } } },
	{ "hmac_flag_no_policy", .octets = { { SRH_FLAGS, HMAC_FLAG } },
	  .require_hmac = -1 },
	{ "hmac_required", .require_hmac = 1 },
	{ "hmac_flag_required", .octets = { { SRH_FLAGS, HMAC_FLAG } },
	  .require_hmac = 1 },
	{ "other_flags", .octets = { { SRH_FLAGS, 0xf7 } } },
	{ "upper_layer", .octets = { { SEG6NR_OFF_NEXTHDR, IPPROTO_UDP } } },
	{ "inner_version_6", .octets = { { SEG6NR_OFF_INNER, 0x50 } } },
	{ "inner_loopback", .octets = { { SEG6NR_OFF_INNER + 8, 0xff } } },
	{ "inner_length", .octets = { { SEG6NR_OFF_INNER + 5, 0xff } } },
	{ "inner_type_4", .octets = { { SEG6NR_OFF_SRH, IPPROTO_IPIP } } },
	{ "inner_type_ethernet", .octets = {
		{ SEG6NR_OFF_SRH, IPPROTO_ETHERNET } } },
};

static void shape_desc(const struct srh_shape *shape, char *desc)
{
	strscpy(desc, shape->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(shape, shapes, shape_desc);

/* Behaviours by which code they are made of. */
static const char * const flow_names[] = {
	"end", "end_psp_popped", "end_x_onlink", "end_t", "end_next_csid",
	"end_usd_ipv6", "end_dx6_any", "end_dx4_any", "end_dt6",
	"end_b6_encaps",
};

/* In which skb the octets are. */
enum way { SHORT, CLONED, PAGED, SUMMED, WAYS };

static const char * const way_names[WAYS] = {
	"short", "cloned", "paged", "summed"
};

/**
 * struct outcome - what became of a packet
 * @rc: what dst_input() said
 * @cause: line of /proc/net/seg6local_noref that grew, "" for none
 * @len: octets that were forwarded, 0 for none
 * @srcrt: of the control block
 * @network: offset of the network header
 * @transport: and of the transport header
 * @data: the octets
 */
struct outcome {
	int		rc;
	const char	*cause;
	unsigned int	len;
	unsigned int	srcrt;
	int		network;
	int		transport;
	u8		data[SEG6NR_FRAME_MAX];
};

static const char * const causes[] = {
	"unreachable", "drop_hop_limit", "drop_ext_hdrs", "drop_no_srh",
	"drop_bad_srh", "drop_segments_left", "drop_hmac", "drop_multicast",
	"drop_inner_type", "drop_inner_hdr", "drop_no_route", "drop_nomem",
};

static void note_octets(struct seg6nr_watch *watch, struct sk_buff *skb)
{
	struct outcome *out = watch->priv;

	out->len = min_t(unsigned int, skb->len, SEG6NR_FRAME_MAX);
	skb_copy_bits(skb, 0, out->data, out->len);
	out->network = skb_network_offset(skb);
	out->transport = skb_transport_offset(skb);
	if (skb->protocol == htons(ETH_P_IPV6))
		out->srcrt = IP6CB(skb)->srcrt;
}

static struct sk_buff *make(const struct seg6nr_frame *frame, enum way way,
			    struct sk_buff **clone)
{
	struct sk_buff *skb;

	*clone = NULL;
	skb = way == PAGED ? seg6nr_skb_paged(frame) : seg6nr_skb(frame);
	if (!skb)
		return NULL;
	if (way == CLONED)
		*clone = skb_clone(skb, GFP_KERNEL);
	if (way == SUMMED) {
		skb->ip_summed = CHECKSUM_COMPLETE;
		skb->csum = csum_partial(skb->data, skb->len, 0);
	}
	return skb;
}

static void read_causes(u64 *counts)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(causes); i++) {
		if (seg6nr_stat(causes[i], &counts[i]))
			counts[i] = 0;
	}
}

static bool send_one(const struct seg6nr_frame *frame, enum way way,
		     struct outcome *out)
{
	u64 before[ARRAY_SIZE(causes)], after[ARRAY_SIZE(causes)];
	struct seg6nr_watch watch = {
		.end = SEG6NR_AT_FORWARD,
		.look = note_octets,
		.priv = out,
	};
	struct sk_buff *skb, *clone;
	unsigned int i;

	memset(out, 0, sizeof(*out));
	out->cause = "";
	skb = make(frame, way, &clone);
	if (!skb)
		return false;
	read_causes(before);
	seg6nr_watch_start(&watch);
	out->rc = seg6nr_inject(skb);
	seg6nr_watch_stop(&watch);
	kfree_skb(clone);
	read_causes(after);
	for (i = 0; i < ARRAY_SIZE(causes); i++) {
		if (after[i] != before[i])
			out->cause = causes[i];
	}
	return true;
}

static void compare(struct kunit *test, const char *flow,
		    const struct srh_shape *shape, enum way way,
		    const struct outcome *want, const struct outcome *seen)
{
	unsigned int i;

	for (i = 0; i < want->len && want->data[i] == seen->data[i]; i++)
		;
	KUNIT_EXPECT_TRUE_MSG(test, seen->rc == want->rc &&
			      seen->cause == want->cause,
			      "%s: %s: %s: expected %d %s, seen %d %s", flow,
			      shape->name, way_names[way], want->rc,
			      want->cause, seen->rc, seen->cause);
	KUNIT_EXPECT_TRUE_MSG(test, seen->len == want->len && i == want->len,
			      "%s: %s: %s: expected %u octets, seen %u, which differ at %u",
			      flow, shape->name, way_names[way], want->len,
			      seen->len, i);
	KUNIT_EXPECT_TRUE_MSG(test, seen->srcrt == want->srcrt &&
			      seen->network == want->network &&
			      seen->transport == want->transport,
			      "%s: %s: %s: expected srcrt %u, headers at %d, %d, seen %u, %d, %d",
			      flow, shape->name, way_names[way], want->srcrt,
			      want->network, want->transport, seen->srcrt,
			      seen->network, seen->transport);
}

static const struct seg6nr_flow *flow_by_name(const char *name)
{
	unsigned int i;

	for (i = 0; i < SEG6NR_FLOWS; i++) {
		if (!strcmp(seg6nr_flows[i].name, name))
			return &seg6nr_flows[i];
	}
	return NULL;
}

static void set_policy(int require_hmac)
{
	struct inet6_dev *idev;

	rcu_read_lock();
	idev = __in6_dev_get(seg6nr_env.in);
#ifdef CONFIG_IPV6_SEG6_HMAC
	if (idev)
		WRITE_ONCE(idev->cnf.seg6_require_hmac, require_hmac);
#endif
	rcu_read_unlock();
}

static void shape_frame(const struct seg6nr_flow *flow,
			const struct srh_shape *shape,
			struct seg6nr_frame *frame)
{
	unsigned int i;

	seg6nr_flow_frame(flow, SEG6NR_TO_BEHIND, frame);
	if (shape->hop_limit)
		frame->data[SEG6NR_OFF_HOP_LIMIT] = shape->hop_limit;
	for (i = 0; i < ARRAY_SIZE(shape->octets) && shape->octets[i].off; i++)
		frame->data[shape->octets[i].off] = shape->octets[i].value;
}

static void compare_ways(struct kunit *test, const struct seg6nr_flow *flow,
			 const struct srh_shape *shape)
{
	struct outcome *out = kcalloc(2, sizeof(*out), GFP_KERNEL);
	struct seg6nr_frame frame;
	enum way way;

	if (!out || !seg6nr_flow_open(test, flow)) {
		kfree(out);
		return;
	}
	shape_frame(flow, shape, &frame);
	set_policy(shape->require_hmac);
	for (way = SHORT; way < WAYS; way++) {
		if (!send_one(&frame, way, &out[way != SHORT]))
			KUNIT_FAIL(test, "no memory for a packet");
		if (way != SHORT)
			compare(test, flow->name, shape, way, &out[0], &out[1]);
	}
	set_policy(0);
	seg6nr_flow_close(test, flow);
	kfree(out);
}

/* The same octets leave the same way, or are dropped for the same cause. */
static void ways_agree(struct kunit *test)
{
	const struct srh_shape *shape = test->param_value;
	const struct seg6nr_flow *flow;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(flow_names); i++) {
		flow = flow_by_name(flow_names[i]);
		if (flow)
			compare_ways(test, flow, shape);
		else
			KUNIT_FAIL(test, "no flow %s", flow_names[i]);
	}
}

/**
 * struct verdict - what both ways must say of a shape
 * @flow: the behaviour
 * @shape: the shape
 * @cause: why the packet is dropped, "" if it is not
 */
struct verdict {
	const char *flow;
	const char *shape;
	const char *cause;
};

static const struct verdict verdicts[] = {
	{ "end", "plain", "" },
	{ "end", "hop_limit_1", "drop_hop_limit" },
	{ "end", "hop_limit_2", "" },
	{ "end", "type_3", "drop_bad_srh" },
	{ "end", "last_entry_beyond", "drop_bad_srh" },
	{ "end", "left_3", "drop_bad_srh" },
	{ "end", "second_entry_no_tlv", "drop_bad_srh" },
	{ "end", "length_beyond_packet", "drop_ext_hdrs" },
	{ "end", "multicast_segment", "drop_multicast" },
	{ "end", "hmac_flag", "" },
	{ "end", "hmac_required", "drop_hmac" },
	{ "end", "hmac_flag_required", "drop_hmac" },
	{ "end", "hmac_flag_no_policy", "" },
	{ "end_dx6_any", "plain", "" },
	{ "end_dx6_any", "hmac_required", "drop_hmac" },
	{ "end_dx6_any", "hmac_flag", "" },
	{ "end_dx6_any", "hmac_flag_required", "drop_hmac" },
	{ "end_dx6_any", "left_2", "drop_segments_left" },
	{ "end_dx6_any", "inner_version_6", "drop_inner_hdr" },
	{ "end_dx6_any", "inner_type_4", "drop_inner_type" },
	{ "end_dx6_any", "length_beyond_packet", "drop_ext_hdrs" },
};

static void verdict_desc(const struct verdict *row, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s_%s", row->flow, row->shape);
}

KUNIT_ARRAY_PARAM(verdict, verdicts, verdict_desc);

static void check_verdict(struct kunit *test, const struct verdict *row,
			  const struct srh_shape *shape)
{
	const struct seg6nr_flow *flow = flow_by_name(row->flow);
	struct seg6nr_frame frame;
	struct outcome *out;
	enum way way;

	out = kmalloc_obj(*out, GFP_KERNEL);
	if (!out || !seg6nr_flow_open(test, flow)) {
		kfree(out);
		return;
	}
	shape_frame(flow, shape, &frame);
	set_policy(shape->require_hmac);
	for (way = SHORT; way < WAYS; way++) {
		if (!send_one(&frame, way, out))
			continue;
		KUNIT_EXPECT_TRUE_MSG(test, !strcmp(out->cause, row->cause) &&
				      !!out->len == !*row->cause,
				      "%s: expected \"%s\", seen \"%s\" and %u octets",
				      way_names[way], row->cause, out->cause,
				      out->len);
	}
	set_policy(0);
	seg6nr_flow_close(test, flow);
	kfree(out);
}

/* And it is the right cause. */
static void verdict_is_right(struct kunit *test)
{
	const struct verdict *row = test->param_value;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(shapes); i++) {
		if (!strcmp(shapes[i].name, row->shape))
			check_verdict(test, row, &shapes[i]);
	}
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(ways_agree, shape_gen_params),
	KUNIT_CASE_PARAM(verdict_is_right, verdict_gen_params),
	{}
};

struct kunit_suite seg6nr_short_suite = {
	.name = "seg6local_noref_short",
	.init = seg6nr_case_init,
	.test_cases = cases,
};
