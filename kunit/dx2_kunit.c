// SPDX-License-Identifier: GPL-2.0-only
/*
 * dx2_kunit.c - End.DX2 sends a frame by a device, without any route
 */
#include <linux/etherdevice.h>
#include <linux/in.h>
#include <linux/netdevice.h>
#include <net/checksum.h>

#include "baggage.h"
#include "flow.h"
#include "harness.h"
#include "suites.h"
#include "watch.h"
#include "../module/uapi.h"

/* A device that wants the dst would see one that was left on the frame. */
static const struct seg6nr_flow dx2_flow = {
	.name = "end_dx2",
	.inner = IPPROTO_ETHERNET,
	.sid = { .action = SEG6NR_ACT_END_DX2 },
};

/* A frame as the device got it. */
struct sent {
	struct seg6nr_frame	octets;
	__be16			protocol;
	u8			ip_summed;
	bool			has_dst;
	bool			has_ct;
	u32			hash;
	int			network;
};

static void look(struct seg6nr_watch *watch, struct sk_buff *skb)
{
	struct sent *sent = watch->priv;

	sent->octets.len = min_t(unsigned int, skb->len, SEG6NR_FRAME_MAX);
	skb_copy_bits(skb, 0, sent->octets.data, sent->octets.len);
	sent->protocol = skb->protocol;
	sent->ip_summed = skb->ip_summed;
	sent->has_dst = skb_dst(skb);
	sent->has_ct = skb_nfct(skb);
	sent->hash = skb->hash;
	sent->network = skb_network_offset(skb);
}

static bool open_sid(struct kunit *test)
{
	struct seg6nr_flow flow = dx2_flow;

	flow.sid.oif = seg6nr_env.keep->ifindex;
	return seg6nr_flow_open(test, &flow);
}

static void check_sent(struct kunit *test, const struct sent *sent,
		       const struct seg6nr_frame *frame)
{
	const u8 *inner = frame->data + SEG6NR_OFF_INNER;
	unsigned int len = frame->len - SEG6NR_OFF_INNER;

	KUNIT_EXPECT_EQ_MSG(test, sent->octets.len, len,
			    "expected %u octets, seen %u", len,
			    sent->octets.len);
	KUNIT_EXPECT_TRUE_MSG(test, !memcmp(sent->octets.data, inner, len),
			      "the frame has changed");
	KUNIT_EXPECT_TRUE_MSG(test, !sent->has_dst, "a dst was left");
	KUNIT_EXPECT_TRUE_MSG(test, !sent->has_ct,
			      "a conntrack entry was left");
	KUNIT_EXPECT_EQ_MSG(test, sent->hash, 0, "flow hash: seen %#x",
			    sent->hash);
	KUNIT_EXPECT_EQ_MSG(test, sent->network, ETH_HLEN,
			    "network header: seen at %d", sent->network);
	KUNIT_EXPECT_EQ_MSG(test, ntohs(sent->protocol), ETH_P_802_EX1,
			    "protocol: seen %#x", ntohs(sent->protocol));
	KUNIT_EXPECT_TRUE_MSG(test, sent->ip_summed != CHECKSUM_COMPLETE,
			      "a received checksum was left");
}

static void send_one(struct kunit *test, bool paged)
{
	struct seg6nr_baggage baggage = {};
	struct sent sent = {};
	struct seg6nr_watch watch = {
		.end = SEG6NR_AT_XMIT,
		.look = look,
		.priv = &sent,
	};
	struct seg6nr_frame frame;
	struct sk_buff *skb, *tap;

	seg6nr_frame_ethernet(&frame);
	skb = paged ? seg6nr_skb_paged(&frame) : seg6nr_skb(&frame);
	tap = skb && !paged ? skb_clone(skb, GFP_KERNEL) : NULL;
	if (!skb || !seg6nr_baggage_load(&baggage, skb)) {
		KUNIT_FAIL(test, "no memory for a packet");
		kfree_skb(skb);
		goto free;
	}
	skb->ip_summed = CHECKSUM_COMPLETE;
	skb->csum = skb_checksum(skb, 0, skb->len, 0);
	skb_set_hash(skb, 0x1234, PKT_HASH_TYPE_L3);
	seg6nr_watch_start(&watch);
	seg6nr_inject(skb);
	seg6nr_watch_stop(&watch);
	check_sent(test, &sent, &frame);
	if (tap)
		KUNIT_EXPECT_TRUE_MSG(test,
				      !memcmp(tap->data, frame.data, frame.len),
				      "octets of the clone were overwritten");
	seg6nr_baggage_check(test, &baggage, dx2_flow.name);
free:
	kfree_skb(tap);
	seg6nr_baggage_free(&baggage);
}

static void dx2_frame_sent(struct kunit *test)
{
	if (!open_sid(test))
		return;
	send_one(test, false);
	send_one(test, true);
	seg6nr_flow_close(test, &dx2_flow);
}

/* The SID's own route is all that there is, and it is lent. */
static void dx2_references(struct kunit *test)
{
	static const unsigned int bursts[] = { 1, 2, 1000 };
	struct seg6nr_watch watch = { .end = SEG6NR_AT_XMIT };
	struct seg6nr_account account;
	struct seg6nr_books books;
	struct seg6nr_frame frame;
	unsigned int i, sum = 0;

	if (!open_sid(test))
		return;
	seg6nr_frame_ethernet(&frame);
	seg6nr_account_open_route(&account, "route of the SID",
				  &seg6nr_addr_sid, 1010);
	seg6nr_books_read(&books);
	seg6nr_watch_start(&watch);
	for (i = 0; i < ARRAY_SIZE(bursts); i++) {
		seg6nr_send_volley(test, &frame, bursts[i]);
		sum += bursts[i];
		seg6nr_account_check(test, &account, dx2_flow.name, bursts[i]);
	}
	seg6nr_watch_stop(&watch);
	KUNIT_EXPECT_EQ_MSG(test, watch.at[SEG6NR_AT_XMIT].packets, sum,
			    "expected %u frames sent, seen %u", sum,
			    watch.at[SEG6NR_AT_XMIT].packets);
	seg6nr_books_check(test, &books, dx2_flow.name);
	seg6nr_account_close(&account);
	seg6nr_flow_close(test, &dx2_flow);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(dx2_frame_sent),
	KUNIT_CASE(dx2_references),
	{}
};

struct kunit_suite seg6nr_dx2_suite = {
	.name = "seg6local_noref_dx2",
	.init = seg6nr_case_init,
	.test_cases = cases,
};
