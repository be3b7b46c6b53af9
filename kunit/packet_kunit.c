// SPDX-License-Identifier: GPL-2.0-only
/*
 * packet_kunit.c - the state of the skb that a behaviour hands on
 *
 * What the wire does not show but the rest of the kernel relies on: checksum,
 * control block, conntrack, hash, and that octets shared with a clone stay.
 */
#include <linux/in.h>
#include <linux/ipv6.h>
#include <linux/netdevice.h>
#include <linux/slab.h>
#include <net/checksum.h>
#include <net/dst.h>
#include <net/ip.h>

#include "baggage.h"
#include "flow.h"
#include "harness.h"
#include "suites.h"
#include "watch.h"
#include "../module/uapi.h"

KUNIT_ARRAY_PARAM(flow, seg6nr_flows, seg6nr_flow_desc);

static bool is_decap(const struct seg6nr_flow *flow)
{
	return flow->inner;
}

static bool is_encap(const struct seg6nr_flow *flow)
{
	return flow->sid.action == SEG6NR_ACT_END_B6_ENCAPS;
}

/* An skb as it was when it was handed on. */
struct picture {
	unsigned int	len;
	u8		data[SEG6NR_FRAME_MAX];
	__be16		protocol;
	u8		ip_summed;
	bool		csum_true;
	bool		has_ct;
	u32		hash;
	int		transport;
	u8		cb[sizeof_field(struct sk_buff, cb)];
};

static bool csum_is_true(const struct sk_buff *skb)
{
	return csum_fold(skb->csum) ==
	       csum_fold(skb_checksum(skb, 0, skb->len, 0));
}

static void take_picture(struct seg6nr_watch *watch, struct sk_buff *skb)
{
	struct picture *pic = watch->priv;

	pic->len = min_t(unsigned int, skb->len, sizeof(pic->data));
	skb_copy_bits(skb, 0, pic->data, pic->len);
	pic->protocol = skb->protocol;
	pic->ip_summed = skb->ip_summed;
	pic->csum_true = csum_is_true(skb);
	pic->has_ct = skb_nfct(skb);
	pic->hash = skb->hash;
	pic->transport = skb_transport_offset(skb);
	memcpy(pic->cb, skb->cb, sizeof(pic->cb));
}

/*
 * Send @skb and look at it in dst_input().  A dst that is made for each packet
 * cannot be tapped; there the FORWARD hook has to do.
 */
static bool send_for_picture(struct kunit *test,
			     const struct seg6nr_flow *flow,
			     struct sk_buff *skb, struct picture *pic)
{
	struct seg6nr_watch watch = {
		.end = SEG6NR_AT_INPUT,
		.look = take_picture,
		.priv = pic,
	};
	struct seg6nr_account account;
	struct seg6nr_frame frame;

	memset(pic, 0, sizeof(*pic));
	seg6nr_flow_frame(flow, SEG6NR_TO_BEHIND, &frame);
	if (!skb ||
	    !seg6nr_account_first(test, &account, flow, &frame,
				  SEG6NR_AT_FORWARD, 4)) {
		KUNIT_FAIL(test, "%s: no packet sent", flow->name);
		kfree_skb(skb);
		return false;
	}

	if (seg6nr_flow_hold(flow) == SEG6NR_CLONE)
		watch.end = SEG6NR_AT_FORWARD;
	else
		seg6nr_tap(account.dst);
	seg6nr_watch_start(&watch);
	seg6nr_inject(skb);
	seg6nr_watch_stop(&watch);
	if (seg6nr_flow_hold(flow) != SEG6NR_CLONE)
		seg6nr_untap();
	seg6nr_account_check(test, &account, flow->name, 1);
	seg6nr_account_close(&account);

	KUNIT_EXPECT_EQ_MSG(test, watch.at[watch.end].packets, 1,
			    "%s: expected 1 packet handed on, seen %u",
			    flow->name, watch.at[watch.end].packets);
	return watch.at[watch.end].packets == 1;
}

static struct sk_buff *flow_skb(const struct seg6nr_flow *flow,
				struct seg6nr_frame *frame)
{
	seg6nr_flow_frame(flow, SEG6NR_TO_BEHIND, frame);
	return seg6nr_skb(frame);
}

/* A tap on the input device must go on seeing the packet as it came in. */
static void clone_not_written(struct kunit *test)
{
	const struct seg6nr_flow *flow = test->param_value;
	struct seg6nr_frame frame;
	struct sk_buff *skb, *tap;
	struct picture pic;

	if (!seg6nr_flow_open(test, flow))
		return;

	skb = flow_skb(flow, &frame);
	tap = skb ? skb_clone(skb, GFP_KERNEL) : NULL;
	if (!tap) {
		KUNIT_FAIL(test, "no memory for a packet");
		kfree_skb(skb);
		goto close_flow;
	}
	send_for_picture(test, flow, skb, &pic);
	KUNIT_EXPECT_EQ_MSG(test, tap->len, frame.len,
			    "%s: length of the clone: expected %u, seen %u",
			    flow->name, frame.len, tap->len);
	KUNIT_EXPECT_TRUE_MSG(test, !memcmp(tap->data, frame.data, frame.len),
			      "%s: octets of the clone were overwritten",
			      flow->name);
	kfree_skb(tap);
close_flow:
	seg6nr_flow_close(test, flow);
}

/* What the device summed up must be the sum of what is handed on. */
static void checksum_complete_true(struct kunit *test)
{
	const struct seg6nr_flow *flow = test->param_value;
	struct seg6nr_frame frame;
	struct sk_buff *skb;
	struct picture pic;
	u8 summed;

	if (seg6nr_flow_hold(flow) == SEG6NR_CLONE) {
		kunit_mark_skipped(test, "the forward path has ended the checksum");
		return;
	}
	if (!seg6nr_flow_open(test, flow))
		return;

	skb = flow_skb(flow, &frame);
	if (skb) {
		skb->ip_summed = CHECKSUM_COMPLETE;
		skb->csum = csum_partial(skb->data, skb->len, 0);
	}
	/* The device cannot have known the sum of a header put in front. */
	summed = is_encap(flow) ? CHECKSUM_NONE : CHECKSUM_COMPLETE;
	if (send_for_picture(test, flow, skb, &pic)) {
		KUNIT_EXPECT_EQ_MSG(test, pic.ip_summed, summed,
				    "%s: expected ip_summed %u, seen %u",
				    flow->name, summed, pic.ip_summed);
		KUNIT_EXPECT_TRUE_MSG(test,
				      pic.csum_true || summed == CHECKSUM_NONE,
				      "%s: CHECKSUM_COMPLETE is not that of the octets",
				      flow->name);
	}
	seg6nr_flow_close(test, flow);
}

/* Where the octets lie must make no difference. */
static void paged_packet_same(struct kunit *test)
{
	const struct seg6nr_flow *flow = test->param_value;
	struct picture linear, paged;
	struct seg6nr_frame frame;

	if (!seg6nr_flow_open(test, flow))
		return;

	seg6nr_flow_frame(flow, SEG6NR_TO_BEHIND, &frame);
	if (send_for_picture(test, flow, seg6nr_skb(&frame), &linear) &&
	    send_for_picture(test, flow, seg6nr_skb_paged(&frame), &paged)) {
		KUNIT_EXPECT_EQ_MSG(test, paged.len, linear.len,
				    "%s: expected %u octets, seen %u",
				    flow->name, linear.len, paged.len);
		KUNIT_EXPECT_TRUE_MSG(test,
				      !memcmp(paged.data, linear.data,
					      linear.len),
				      "%s: a paged packet comes out different",
				      flow->name);
	}
	seg6nr_flow_close(test, flow);
}

/* As the receive path leaves it behind an option header, and full of it. */
static void fill_cb(const struct seg6nr_flow *flow, struct sk_buff *skb)
{
	struct inet6_skb_parm *cb = IP6CB(skb);
	int iif = cb->iif;

	if (is_decap(flow))
		memset(cb, 0xa5, sizeof(*cb));
	cb->iif = iif;
	cb->nhoff = offsetof(struct ipv6hdr, nexthdr);
	cb->flags = IP6SKB_HOPBYHOP;
}

/* What it must be then; returns how much of it counts. */
static unsigned int expected_cb(const struct seg6nr_flow *flow, u8 *cb)
{
	struct inet6_skb_parm *cb6 = (void *)cb;
	struct inet_skb_parm *cb4 = (void *)cb;
	bool vrf = flow->sid.vrftable;

	if (flow->inner == IPPROTO_IPIP) {
		cb4->iif = vrf ? seg6nr_env.vrf : seg6nr_env.in->ifindex;
		cb4->flags = vrf ? IPSKB_L3SLAVE : 0;
		return sizeof(*cb4);
	}

	cb6->iif = vrf ? seg6nr_env.vrf : seg6nr_env.in->ifindex;
	cb6->nhoff = offsetof(struct ipv6hdr, nexthdr);
	cb6->flags = vrf ? IP6SKB_L3SLAVE : 0;
	if (!is_decap(flow)) {
		/* A new outer header has no options. */
		cb6->flags = is_encap(flow) ? 0 : IP6SKB_HOPBYHOP;
		cb6->srcrt = flow->srh == SEG6NR_SRH_THERE ? SEG6NR_OFF_SRH : 0;
	}
	return sizeof(*cb6);
}

/* The receive path's notes about the outer packet do not fit the inner one. */
static void control_block_after(struct kunit *test)
{
	const struct seg6nr_flow *flow = test->param_value;
	struct seg6nr_frame frame;
	struct picture pic, want = {};
	struct sk_buff *skb;
	unsigned int i, len;

	if (seg6nr_flow_hold(flow) == SEG6NR_CLONE) {
		kunit_mark_skipped(test, "same code as with a gateway");
		return;
	}
	if (!seg6nr_flow_open(test, flow))
		return;

	len = expected_cb(flow, want.cb);
	skb = flow_skb(flow, &frame);
	if (skb)
		fill_cb(flow, skb);
	if (send_for_picture(test, flow, skb, &pic)) {
		for (i = 0; i < len && pic.cb[i] == want.cb[i]; i++)
			;
		KUNIT_EXPECT_EQ_MSG(test, i, len,
				    "%s: control block at octet %u: expected %#x, seen %#x",
				    flow->name, i, want.cb[i], pic.cb[i]);
	}
	seg6nr_flow_close(test, flow);
}

/* Behind the first header, be it the one that came or the inner one. */
static void transport_header_after(struct kunit *test)
{
	const struct seg6nr_flow *flow = test->param_value;
	int offset = flow->inner == IPPROTO_IPIP ? sizeof(struct iphdr) :
						   sizeof(struct ipv6hdr);
	struct seg6nr_frame frame;
	struct picture pic;

	if (!seg6nr_flow_open(test, flow))
		return;

	if (send_for_picture(test, flow, flow_skb(flow, &frame), &pic))
		KUNIT_EXPECT_EQ_MSG(test, pic.transport, offset,
				    "%s: transport header: expected at %d, seen at %d",
				    flow->name, offset, pic.transport);
	seg6nr_flow_close(test, flow);
}

/* Conntrack entry and flow hash are the outer packet's. */
static void outer_state_reset(struct kunit *test)
{
	const struct seg6nr_flow *flow = test->param_value;
	struct seg6nr_baggage baggage = {};
	struct seg6nr_frame frame;
	bool keeps, has_ct;
	struct sk_buff *skb;
	struct picture pic;
	u32 hash = 0x1234;

	if (!seg6nr_flow_open(test, flow))
		return;

	skb = flow_skb(flow, &frame);
	if (!skb || !seg6nr_baggage_load(&baggage, skb)) {
		KUNIT_FAIL(test, "no memory for what hangs on a packet");
		kfree_skb(skb);
		goto free_baggage;
	}
	skb_set_hash(skb, hash, PKT_HASH_TYPE_L3);
	keeps = !is_decap(flow);
	has_ct = keeps && baggage.ct;
	if (send_for_picture(test, flow, skb, &pic)) {
		KUNIT_EXPECT_EQ_MSG(test, pic.has_ct, has_ct,
				    "%s: conntrack entry: expected %d, seen %d",
				    flow->name, has_ct, pic.has_ct);
		KUNIT_EXPECT_EQ_MSG(test, pic.hash, keeps ? hash : 0,
				    "%s: flow hash: expected %#x, seen %#x",
				    flow->name, keeps ? hash : 0, pic.hash);
	}
	seg6nr_baggage_check(test, &baggage, flow->name);
free_baggage:
	seg6nr_baggage_free(&baggage);
	seg6nr_flow_close(test, flow);
}

/* All the way from the driver to the driver, as real packets go. */
static void receive_to_transmit(struct kunit *test)
{
	struct seg6nr_watch watch = { .end = SEG6NR_AT_XMIT };
	const struct seg6nr_flow *flow = test->param_value;
	struct seg6nr_frame frame;
	struct sk_buff *skb;
	unsigned int noref = 0;
	int i;

	if (!seg6nr_flow_open(test, flow))
		return;

	seg6nr_watch_start(&watch);
	for (i = 0; i < 2; i++) {
		skb = flow_skb(flow, &frame);
		if (skb)
			seg6nr_receive(skb);
		/* The first one only warms the caches up. */
		if (i == 0)
			noref = watch.at[SEG6NR_AT_FORWARD].noref;
	}
	seg6nr_watch_stop(&watch);

	noref = watch.at[SEG6NR_AT_FORWARD].noref - noref;
	KUNIT_EXPECT_EQ_MSG(test, watch.at[SEG6NR_AT_XMIT].packets, 2,
			    "%s: expected 2 packets transmitted, seen %u",
			    flow->name, watch.at[SEG6NR_AT_XMIT].packets);
	KUNIT_EXPECT_EQ_MSG(test, noref, seg6nr_flow_hold(flow) == SEG6NR_LENT,
			    "%s: of 1 packet expected %u without a reference, seen %u",
			    flow->name, seg6nr_flow_hold(flow) == SEG6NR_LENT, noref);
	seg6nr_flow_close(test, flow);
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(receive_to_transmit, flow_gen_params),
	KUNIT_CASE_PARAM(clone_not_written, flow_gen_params),
	KUNIT_CASE_PARAM(checksum_complete_true, flow_gen_params),
	KUNIT_CASE_PARAM(paged_packet_same, flow_gen_params),
	KUNIT_CASE_PARAM(control_block_after, flow_gen_params),
	KUNIT_CASE_PARAM(transport_header_after, flow_gen_params),
	KUNIT_CASE_PARAM(outer_state_reset, flow_gen_params),
	{}
};

struct kunit_suite seg6nr_packet_suite = {
	.name = "seg6local_noref_packet",
	.init = seg6nr_case_init,
	.test_cases = cases,
};
