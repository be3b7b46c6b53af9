// SPDX-License-Identifier: GPL-2.0-only
/*
 * life_kunit.c - SIDs and routes that go while packets are under way
 *
 * A packet that a queue keeps must keep what it points to, and not a moment
 * longer: the state of a SID, and with it the module, is free again when the
 * last one is gone.
 */
#include <linux/in.h>
#include <linux/netdevice.h>
#include <net/dst.h>

#include "flow.h"
#include "harness.h"
#include "suites.h"
#include "watch.h"

KUNIT_ARRAY_PARAM(flow, seg6nr_flows, seg6nr_flow_desc);

#define QUEUED	3

/* Fill a queue with packets of a flow. */
static void queue_packets(struct kunit *test, const struct seg6nr_flow *flow,
			  struct seg6nr_watch *watch)
{
	struct seg6nr_frame frame;

	seg6nr_flow_frame(flow, SEG6NR_TO_BEHIND, &frame);
	seg6nr_watch_start(watch);
	seg6nr_send(test, &frame, QUEUED);
	KUNIT_EXPECT_EQ_MSG(test, skb_queue_len(&watch->kept), QUEUED,
			    "%s: expected %u packets queued, seen %u",
			    flow->name, QUEUED, skb_queue_len(&watch->kept));
}

/* One reference per state: with the route and its dsts all must be back. */
static void state_freed_with_route(struct kunit *test)
{
	const struct seg6nr_flow *flow = test->param_value;
	struct seg6nr_watch watch = { .end = SEG6NR_AT_FORWARD };
	struct seg6nr_books before, during;
	struct seg6nr_frame frame;

	seg6nr_books_read(&before);
	if (!seg6nr_flow_open(test, flow))
		return;

	seg6nr_flow_frame(flow, SEG6NR_TO_BEHIND, &frame);
	seg6nr_watch_start(&watch);
	seg6nr_send(test, &frame, 2);
	seg6nr_watch_stop(&watch);
	seg6nr_books_read(&during);
	KUNIT_EXPECT_EQ_MSG(test, during.module_refs, before.module_refs + 1,
			    "%s: 1 SID: expected %d references to the module, seen %d",
			    flow->name, before.module_refs + 1,
			    during.module_refs);

	seg6nr_flow_close(test, flow);
	seg6nr_books_check_module(test, &before, flow->name);
}

/* The SID goes first, then the packets that it has forwarded. */
static void sid_deleted_while_queued(struct kunit *test)
{
	struct seg6nr_watch watch = {
		.end = SEG6NR_AT_FORWARD,
		.keep = true,
	};
	const struct seg6nr_flow *flow = test->param_value;
	struct seg6nr_books before;

	seg6nr_books_read(&before);
	if (!seg6nr_flow_open(test, flow))
		return;

	queue_packets(test, flow, &watch);
	seg6nr_flow_close(test, flow);
	/* What was forwarded needs the SID no more. */
	seg6nr_books_check_module(test, &before, flow->name);
	seg6nr_watch_stop(&watch);
}

/* All routes that packets go by are deleted, and made again. */
static void route_deleted_while_queued(struct kunit *test)
{
	struct seg6nr_watch watch = {
		.end = SEG6NR_AT_FORWARD,
		.keep = true,
	};
	const struct seg6nr_flow *flow = test->param_value;
	u8 family = flow->inner == IPPROTO_IPIP ? AF_INET : AF_INET6;
	struct seg6nr_books before;

	/* Without what earlier cases have cached. */
	seg6nr_env_lose_routes(test, family);
	seg6nr_env_regain_routes(test, family);
	seg6nr_books_read(&before);
	if (!seg6nr_flow_open(test, flow))
		return;

	queue_packets(test, flow, &watch);
	seg6nr_env_lose_routes(test, family);
	seg6nr_flow_close(test, flow);
	seg6nr_watch_stop(&watch);

	seg6nr_env_regain_routes(test, family);
	seg6nr_books_check(test, &before, flow->name);
}

/* A device that does not need it keeps a packet's dst: it must own it then. */
static void keep_dst_device_owns(struct kunit *test)
{
	struct seg6nr_watch watch = { .end = SEG6NR_AT_XMIT };
	const struct seg6nr_sight *at = &watch.at[SEG6NR_AT_XMIT];
	const struct seg6nr_flow *flow = test->param_value;
	struct seg6nr_account account;
	struct seg6nr_frame frame;

	if (!seg6nr_flow_by_goal(flow)) {
		kunit_mark_skipped(test, "the next hop is behind another device");
		return;
	}
	if (!seg6nr_flow_open(test, flow))
		return;

	seg6nr_flow_frame(flow, SEG6NR_TO_KEPT, &frame);
	if (!seg6nr_account_first(test, &account, flow, &frame, SEG6NR_AT_XMIT,
				  8))
		goto close_flow;

	seg6nr_watch_start(&watch);
	seg6nr_send(test, &frame, 2);
	seg6nr_watch_stop(&watch);
	KUNIT_EXPECT_EQ_MSG(test, at->packets, 2,
			    "%s: expected 2 packets transmitted, seen %u",
			    flow->name, at->packets);
	KUNIT_EXPECT_EQ_MSG(test, at->noref, 0,
			    "%s: of 2 packets expected 0 without a reference, seen %u",
			    flow->name, at->noref);
	KUNIT_EXPECT_EQ_MSG(test, at->refs_max, account.base + 1,
			    "%s: 2 packets: expected at most %u references, seen %u",
			    flow->name, account.base + 1, at->refs_max);
	seg6nr_account_check(test, &account, flow->name, 2);
	seg6nr_account_close(&account);
close_flow:
	seg6nr_flow_close(test, flow);
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(state_freed_with_route, flow_gen_params),
	KUNIT_CASE_PARAM(sid_deleted_while_queued, flow_gen_params),
	KUNIT_CASE_PARAM(route_deleted_while_queued, flow_gen_params),
	KUNIT_CASE_PARAM(keep_dst_device_owns, flow_gen_params),
	{}
};

struct kunit_suite seg6nr_life_suite = {
	.name = "seg6local_noref_life",
	.init = seg6nr_case_init,
	.test_cases = cases,
};
