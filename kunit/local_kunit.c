// SPDX-License-Identifier: GPL-2.0-only
/*
 * local_kunit.c - a packet for this node owns a reference to its route
 *
 * Not every kernel takes one where local packets are queued, so it must be
 * there before they are handed on, and be given back with the packet.
 */
#include <linux/in.h>
#include <linux/rtnetlink.h>
#include <net/dst.h>

#include "flow.h"
#include "harness.h"
#include "suites.h"
#include "watch.h"
#include "../module/uapi.h"

static const struct seg6nr_flow local_flows[] = {
	{
		.name = "end_dt6_local_table",
		.inner = IPPROTO_IPV6,
		.sid = { .action = SEG6NR_ACT_END_DT6,
			 .table = RT_TABLE_LOCAL },
	}, {
		.name = "end_dx4_any",
		.inner = IPPROTO_IPIP,
		.sid = { .action = SEG6NR_ACT_END_DX4, .has_nh4 = true },
	}, {
		.name = "end_dt4",
		.inner = IPPROTO_IPIP,
		.sid = { .action = SEG6NR_ACT_END_DT4,
			 .vrftable = SEG6NR_TABLE_VRF },
	}, {
		.name = "end_dt6_vrf",
		.inner = IPPROTO_IPV6,
		.sid = { .action = SEG6NR_ACT_END_DT6,
			 .vrftable = SEG6NR_TABLE_VRF },
	}, {
		.name = "end_dt46_ipv4",
		.inner = IPPROTO_IPIP,
		.sid = { .action = SEG6NR_ACT_END_DT46,
			 .vrftable = SEG6NR_TABLE_VRF },
	}, {
		.name = "end_dt46_ipv6",
		.inner = IPPROTO_IPV6,
		.sid = { .action = SEG6NR_ACT_END_DT46,
			 .vrftable = SEG6NR_TABLE_VRF },
	}, {
		.name = "end_usd_ipv4",
		.inner = IPPROTO_IPIP,
		.sid = { .action = SEG6NR_ACT_END,
			 .flavors = BIT(SEG6NR_FLV_OP_USD) },
	},
};

KUNIT_ARRAY_PARAM(local, local_flows, seg6nr_flow_desc);

/* References of our own beside one per packet. */
#define SPARE_HOLDS	4

static void check_local(struct kunit *test, const struct seg6nr_flow *flow,
			const struct seg6nr_frame *frame, unsigned int packets)
{
	struct seg6nr_watch watch = { .end = SEG6NR_AT_LOCAL };
	const struct seg6nr_sight *at = &watch.at[SEG6NR_AT_LOCAL];
	struct seg6nr_account account;

	if (!seg6nr_account_first(test, &account, flow, frame, SEG6NR_AT_LOCAL,
				  packets + SPARE_HOLDS))
		return;

	seg6nr_watch_start(&watch);
	seg6nr_send_volley(test, frame, packets);
	seg6nr_watch_stop(&watch);

	KUNIT_EXPECT_EQ_MSG(test, at->packets, packets,
			    "%s: expected %u packets delivered, seen %u",
			    flow->name, packets, at->packets);
	KUNIT_EXPECT_EQ_MSG(test, at->noref, 0,
			    "%s: of %u packets expected 0 without a reference, seen %u",
			    flow->name, packets, at->noref);
	KUNIT_EXPECT_EQ_MSG(test, at->strangers, 0,
			    "%s: of %u packets %u had another dst than the first",
			    flow->name, packets, at->strangers);
	KUNIT_EXPECT_EQ_MSG(test, at->refs_max, account.base + 1,
			    "%s: %u packets: expected at most %u references, seen %u",
			    flow->name, packets, account.base + 1,
			    at->refs_max);
	seg6nr_account_check(test, &account, flow->name, packets);
	seg6nr_account_close(&account);
}

static void local_in_owns_reference(struct kunit *test)
{
	const struct seg6nr_flow *flow = test->param_value;
	struct seg6nr_frame frame;

	if (!seg6nr_flow_open(test, flow))
		return;

	seg6nr_flow_frame(flow, SEG6NR_TO_OWN, &frame);
	check_local(test, flow, &frame, 1);
	check_local(test, flow, &frame, 2);
	check_local(test, flow, &frame, 1000);
	seg6nr_flow_close(test, flow);
}

/* At dst_input() already: what follows may queue before any hook is reached. */
static void dst_input_owns_reference(struct kunit *test)
{
	struct seg6nr_watch watch = { .end = SEG6NR_AT_INPUT };
	const struct seg6nr_sight *at = &watch.at[SEG6NR_AT_INPUT];
	const struct seg6nr_flow *flow = test->param_value;
	struct seg6nr_account account;
	struct seg6nr_frame frame;

	if (!seg6nr_flow_open(test, flow))
		return;

	seg6nr_flow_frame(flow, SEG6NR_TO_OWN, &frame);
	if (!seg6nr_account_first(test, &account, flow, &frame, SEG6NR_AT_LOCAL,
				  SPARE_HOLDS))
		goto close_flow;

	seg6nr_tap(account.dst);
	seg6nr_watch_start(&watch);
	seg6nr_send(test, &frame, 2);
	seg6nr_watch_stop(&watch);
	seg6nr_untap();

	KUNIT_EXPECT_EQ_MSG(test, at->packets, 2,
			    "%s: expected 2 packets delivered, seen %u",
			    flow->name, at->packets);
	KUNIT_EXPECT_EQ_MSG(test, at->noref, 0,
			    "%s: of 2 packets expected 0 without a reference, seen %u",
			    flow->name, at->noref);
	seg6nr_account_check(test, &account, flow->name, 2);
	seg6nr_account_close(&account);
close_flow:
	seg6nr_flow_close(test, flow);
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(dst_input_owns_reference, local_gen_params),
	KUNIT_CASE_PARAM(local_in_owns_reference, local_gen_params),
	{}
};

struct kunit_suite seg6nr_local_suite = {
	.name = "seg6local_noref_local",
	.init = seg6nr_case_init,
	.test_cases = cases,
};
