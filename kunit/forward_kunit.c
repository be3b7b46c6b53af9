// SPDX-License-Identifier: GPL-2.0-only
/*
 * forward_kunit.c - a packet that is forwarded borrows its route
 *
 * For each behaviour: how the packet holds the dst when it is handed on, and
 * that nothing is left on or missing from the dst once the packet is gone.
 */
#include <linux/in.h>
#include <linux/slab.h>
#include <net/dst.h>
#include <net/ip6_fib.h>

#include "flow.h"
#include "harness.h"
#include "suites.h"
#include "watch.h"
#include "../module/compat.h"

KUNIT_ARRAY_PARAM(flow, seg6nr_flows, seg6nr_flow_desc);

/* References of our own beside one per packet. */
#define SPARE_HOLDS	4

/* What a packet adds to the dst that it is forwarded by. */
static unsigned int own_refs(const struct seg6nr_flow *flow)
{
	return seg6nr_flow_hold(flow) == SEG6NR_LENT ? 0 : 1;
}

static void check_sight(struct kunit *test, const struct seg6nr_flow *flow,
			const struct seg6nr_sight *sight, unsigned int packets,
			unsigned int refs)
{
	unsigned int noref = seg6nr_flow_hold(flow) == SEG6NR_LENT ? packets : 0;

	KUNIT_EXPECT_EQ_MSG(test, sight->packets, packets,
			    "%s: expected %u packets forwarded, seen %u",
			    flow->name, packets, sight->packets);
	KUNIT_EXPECT_EQ_MSG(test, sight->noref, noref,
			    "%s: of %u packets expected %u without a reference, seen %u",
			    flow->name, packets, noref, sight->noref);
	KUNIT_EXPECT_EQ_MSG(test, sight->strangers, 0,
			    "%s: of %u packets %u had another dst than the first",
			    flow->name, packets, sight->strangers);
	KUNIT_EXPECT_EQ_MSG(test, sight->refs_max, refs,
			    "%s: %u packets: expected at most %u references, seen %u",
			    flow->name, packets, refs, sight->refs_max);
}

/* How many rt6_infos the namespace has ever made. */
static int allocations(void)
{
	return atomic_read(&seg6nr_env.net->ipv6.rt6_stats->fib_rt_alloc);
}

static void check_allocations(struct kunit *test,
			      const struct seg6nr_flow *flow, int before,
			      int expected, unsigned int packets)
{
	int made = allocations() - before;

	KUNIT_EXPECT_EQ_MSG(test, made, expected,
			    "%s: %u packets: expected %d dsts made, seen %d",
			    flow->name, packets, expected, made);
}

/* Volleys end at dst_input(): the forward path would unshare each packet. */
static void fire(struct kunit *test, struct seg6nr_watch *watch,
		 const struct seg6nr_account *account,
		 const struct seg6nr_frame *frame, unsigned int packets)
{
	bool volley = packets > 2;

	watch->end = volley ? SEG6NR_AT_INPUT : SEG6NR_AT_FORWARD;
	if (volley)
		seg6nr_tap(account->dst);
	seg6nr_watch_start(watch);
	if (volley)
		seg6nr_send_volley(test, frame, packets);
	else
		seg6nr_send(test, frame, packets);
	seg6nr_watch_stop(watch);
	if (volley)
		seg6nr_untap();
}

static void check_cached(struct kunit *test, const struct seg6nr_flow *flow,
			 unsigned int packets)
{
	struct seg6nr_account account;
	struct seg6nr_watch watch = {};
	struct seg6nr_frame frame;
	int before;

	seg6nr_flow_frame(flow, SEG6NR_TO_BEHIND, &frame);
	if (!seg6nr_account_first(test, &account, flow, &frame,
				  SEG6NR_AT_FORWARD, packets + SPARE_HOLDS))
		return;

	before = allocations();
	fire(test, &watch, &account, &frame, packets);
	check_allocations(test, flow, before, 0, packets);

	check_sight(test, flow, &watch.at[watch.end], packets,
		    account.base + own_refs(flow));
	seg6nr_account_check(test, &account, flow->name, packets);
	seg6nr_account_close(&account);
}

/*
 * Dsts that are made for one packet each.  All are held, so that what the
 * packets leave on them can be read.
 */
struct clones {
	unsigned int		count;
	unsigned int		room;
	unsigned int		not_single;
	unsigned int		not_marked;
	struct dst_entry	**dst;
};

#define CLONE_HOLDS	2

static void catch_clone(struct seg6nr_watch *watch, struct sk_buff *skb)
{
	struct clones *clones = watch->priv;
	struct dst_entry *dst = skb_dst(skb);
	unsigned int i;

	if (clones->count == clones->room)
		return;
	clones->not_single += seg6nr_dst_refs(dst) != 1;
	clones->not_marked += !seg6nr_rt6_uncached(dst_rt6_info(dst));
	for (i = 0; i < CLONE_HOLDS; i++)
		dst_hold(dst);
	clones->dst[clones->count++] = dst;
}

static void check_clones(struct kunit *test, const struct seg6nr_flow *flow,
			 const struct clones *clones)
{
	unsigned int i, refs, off = 0, last = CLONE_HOLDS;

	for (i = 0; i < clones->count; i++) {
		refs = seg6nr_dst_refs(clones->dst[i]);
		if (refs != CLONE_HOLDS) {
			off++;
			last = refs;
		}
		for (; refs; refs--)
			dst_release(clones->dst[i]);
	}

	KUNIT_EXPECT_EQ_MSG(test, clones->not_marked, 0,
			    "%s: %u of %u dsts were not made for their packet",
			    flow->name, clones->not_marked, clones->count);
	KUNIT_EXPECT_EQ_MSG(test, clones->not_single, 0,
			    "%s: %u of %u packets had a dst with other than 1 reference",
			    flow->name, clones->not_single, clones->count);
	KUNIT_EXPECT_EQ_MSG(test, off, 0,
			    "%s: route after %u packets: expected %u references, seen %u on %u dsts",
			    flow->name, clones->count, CLONE_HOLDS, last, off);
}

/* The SID's own route and the one that is cloned are cached from then on. */
static void warm_up(struct kunit *test, const struct seg6nr_frame *frame)
{
	struct seg6nr_watch watch = { .end = SEG6NR_AT_FORWARD };

	seg6nr_watch_start(&watch);
	seg6nr_send(test, frame, 1);
	seg6nr_watch_stop(&watch);
}

static void check_cloned(struct kunit *test, const struct seg6nr_flow *flow,
			 unsigned int packets)
{
	struct clones clones = { .room = packets };
	struct seg6nr_watch watch = {
		.end = SEG6NR_AT_FORWARD,
		.look = catch_clone,
		.priv = &clones,
	};
	struct seg6nr_books books;
	struct seg6nr_frame frame;
	int before;

	clones.dst = kcalloc(packets, sizeof(*clones.dst), GFP_KERNEL);
	if (!clones.dst) {
		KUNIT_FAIL(test, "no memory for %u dsts", packets);
		return;
	}
	seg6nr_flow_frame(flow, SEG6NR_TO_BEHIND, &frame);
	warm_up(test, &frame);
	seg6nr_books_read(&books);

	before = allocations();
	seg6nr_watch_start(&watch);
	seg6nr_send_volley(test, &frame, packets);
	seg6nr_watch_stop(&watch);
	check_allocations(test, flow, before, packets, packets);

	KUNIT_EXPECT_EQ_MSG(test, clones.count, packets,
			    "%s: expected %u packets forwarded, seen %u",
			    flow->name, packets, clones.count);
	check_clones(test, flow, &clones);
	seg6nr_books_check(test, &books, flow->name);
	kfree(clones.dst);
}

static void check_references(struct kunit *test, unsigned int packets)
{
	const struct seg6nr_flow *flow = test->param_value;
	bool clone = seg6nr_flow_hold(flow) == SEG6NR_CLONE;

	if (clone && flow->inner == IPPROTO_IPIP) {
		kunit_mark_skipped(test, "what IPv4 makes is not counted");
		return;
	}
	if (!seg6nr_flow_open(test, flow))
		return;
	if (clone)
		check_cloned(test, flow, packets);
	else
		check_cached(test, flow, packets);
	seg6nr_flow_close(test, flow);
}

static void references_after_1_packet(struct kunit *test)
{
	check_references(test, 1);
}

static void references_after_2_packets(struct kunit *test)
{
	check_references(test, 2);
}

static void references_after_1000_packets(struct kunit *test)
{
	check_references(test, 1000);
}

/* At dst_input() itself, before the forward path has touched the packet. */
static void dst_input_reference(struct kunit *test)
{
	struct seg6nr_watch watch = { .end = SEG6NR_AT_INPUT };
	const struct seg6nr_flow *flow = test->param_value;
	struct seg6nr_account account;
	struct seg6nr_frame frame;

	if (seg6nr_flow_hold(flow) == SEG6NR_CLONE) {
		kunit_mark_skipped(test, "a new dst per packet: see references_*");
		return;
	}
	if (!seg6nr_flow_open(test, flow))
		return;

	seg6nr_flow_frame(flow, SEG6NR_TO_BEHIND, &frame);
	if (seg6nr_account_first(test, &account, flow, &frame,
				 SEG6NR_AT_FORWARD, 2 + SPARE_HOLDS)) {
		seg6nr_tap(account.dst);
		seg6nr_watch_start(&watch);
		seg6nr_send(test, &frame, 2);
		seg6nr_watch_stop(&watch);
		seg6nr_untap();
		check_sight(test, flow, &watch.at[SEG6NR_AT_INPUT], 2,
			    account.base + own_refs(flow));
		seg6nr_account_check(test, &account, flow->name, 2);
		seg6nr_account_close(&account);
	}
	seg6nr_flow_close(test, flow);
}

#define QUEUED	3

/* What a queue does: force the dst, keep the packet, free it much later. */
static void skb_dst_force_balanced(struct kunit *test)
{
	struct seg6nr_watch watch = {
		.end = SEG6NR_AT_FORWARD,
		.keep = true,
	};
	const struct seg6nr_flow *flow = test->param_value;
	bool clone = seg6nr_flow_hold(flow) == SEG6NR_CLONE;
	struct seg6nr_account account;
	unsigned int refs, expected;
	struct seg6nr_frame frame;
	struct seg6nr_books books;

	if (!seg6nr_flow_open(test, flow))
		return;
	seg6nr_flow_frame(flow, SEG6NR_TO_BEHIND, &frame);
	if (!seg6nr_account_first(test, &account, flow, &frame,
				  SEG6NR_AT_FORWARD, QUEUED + SPARE_HOLDS))
		goto close_flow;
	seg6nr_books_read(&books);

	seg6nr_watch_start(&watch);
	seg6nr_send(test, &frame, QUEUED);
	KUNIT_EXPECT_EQ_MSG(test, skb_queue_len(&watch.kept), QUEUED,
			    "%s: expected %u packets queued, seen %u",
			    flow->name, QUEUED, skb_queue_len(&watch.kept));
	if (!skb_queue_empty(&watch.kept)) {
		refs = seg6nr_dst_refs(skb_dst(skb_peek_tail(&watch.kept)));
		expected = clone ? 1 : account.base + QUEUED;
		KUNIT_EXPECT_EQ_MSG(test, refs, expected,
				    "%s: %u packets queued: expected %u references, seen %u",
				    flow->name, QUEUED, expected, refs);
	}
	seg6nr_watch_stop(&watch);

	seg6nr_account_check(test, &account, flow->name, QUEUED);
	seg6nr_books_check(test, &books, flow->name);
	seg6nr_account_close(&account);
close_flow:
	seg6nr_flow_close(test, flow);
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(dst_input_reference, flow_gen_params),
	KUNIT_CASE_PARAM(references_after_1_packet, flow_gen_params),
	KUNIT_CASE_PARAM(references_after_2_packets, flow_gen_params),
	KUNIT_CASE_PARAM(references_after_1000_packets, flow_gen_params),
	KUNIT_CASE_PARAM(skb_dst_force_balanced, flow_gen_params),
	{}
};

struct kunit_suite seg6nr_forward_suite = {
	.name = "seg6local_noref_forward",
	.init = seg6nr_case_init,
	.test_cases = cases,
};

static void back_to_default(struct kunit *test)
{
	seg6nr_flow_mode(SEG6NR_REMEMBER);
}

static int keep_init(struct kunit *test)
{
	return seg6nr_flow_mode(SEG6NR_KEEP) ?: seg6nr_case_init(test);
}

static struct kunit_case keep_cases[] = {
	KUNIT_CASE_PARAM(dst_input_reference, flow_gen_params),
	KUNIT_CASE_PARAM(references_after_1_packet, flow_gen_params),
	KUNIT_CASE_PARAM(references_after_2_packets, flow_gen_params),
	KUNIT_CASE_PARAM(skb_dst_force_balanced, flow_gen_params),
	{}
};

struct kunit_suite seg6nr_keep_suite = {
	.name = "seg6local_noref_forward_keep",
	.init = keep_init,
	.exit = back_to_default,
	.test_cases = keep_cases,
};

static int look_up_init(struct kunit *test)
{
	return seg6nr_flow_mode(SEG6NR_LOOK_UP) ?: seg6nr_case_init(test);
}

static struct kunit_case look_up_cases[] = {
	KUNIT_CASE_PARAM(dst_input_reference, flow_gen_params),
	KUNIT_CASE_PARAM(references_after_1_packet, flow_gen_params),
	KUNIT_CASE_PARAM(references_after_2_packets, flow_gen_params),
	KUNIT_CASE_PARAM(skb_dst_force_balanced, flow_gen_params),
	{}
};

struct kunit_suite seg6nr_look_up_suite = {
	.name = "seg6local_noref_forward_look_up",
	.init = look_up_init,
	.exit = back_to_default,
	.test_cases = look_up_cases,
};
