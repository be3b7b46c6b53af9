// SPDX-License-Identifier: GPL-2.0-only
/*
 * special_kunit.c - packets without a way leave no trace on the entries that
 * all of them share
 *
 * The null, prohibit and blackhole entries exist once per namespace; a
 * reference that is lost or left there is never missed until the namespace
 * goes.  Each row is a way for a packet to end at one of them.
 */
#include <linux/fib_rules.h>
#include <linux/in.h>
#include <linux/rtnetlink.h>
#include <net/ip6_fib.h>
#include <net/net_namespace.h>

#include "flow.h"
#include "harness.h"
#include "suites.h"
#include "watch.h"
#include "../module/compat.h"
#include "../module/uapi.h"

#define RULE_PRIORITY	500
#define NOWHERE_PLEN	64

/**
 * struct lost - a SID, and why its packets get nowhere
 * @flow: the SID
 * @goal: where the packet wants to go
 * @rule: FR_ACT_* of a rule for the destination, 0 for none
 * @route: RTN_* of a route to it, 0 for none
 */
struct lost {
	struct seg6nr_flow	flow;
	enum seg6nr_goal	goal;
	u8			rule;
	u8			route;
};

#define END	{ .action = SEG6NR_ACT_END }
#define END_T(_table)	\
	{ .action = SEG6NR_ACT_END_T, .table = (_table) }
#define END_X(_nh6)	\
	{ .action = SEG6NR_ACT_END_X, .nh6 = (_nh6) }
#define END_DX6(_nh6)	\
	{ .action = SEG6NR_ACT_END_DX6, .nh6 = (_nh6) }
#define END_DT6(_table)	\
	{ .action = SEG6NR_ACT_END_DT6, .table = (_table) }

static const struct lost lost_rows[] = {
	/* no route: the null entry */
	{ { .name = "end_miss", .sid = END }, SEG6NR_TO_NOWHERE },
	{ { .name = "end_x_miss", .sid = END_X(&seg6nr_addr_nowhere) } },
	{ { .name = "end_x_oif_miss", .by_oif = true,
	    .sid = END_X(&seg6nr_addr_nowhere) } },
	{ { .name = "end_t_miss", .sid = END_T(SEG6NR_TABLE_ROUTES) },
	  SEG6NR_TO_NOWHERE },
	{ { .name = "end_dx6_any_miss", .inner = IPPROTO_IPV6,
	    .sid = END_DX6(&seg6nr_addr_any) }, SEG6NR_TO_NOWHERE },
	{ { .name = "end_dx6_miss", .inner = IPPROTO_IPV6,
	    .sid = END_DX6(&seg6nr_addr_nowhere) } },
	{ { .name = "end_dt6_miss", .inner = IPPROTO_IPV6,
	    .sid = END_DT6(SEG6NR_TABLE_ROUTES) }, SEG6NR_TO_NOWHERE },

	/* no table: the blackhole entry */
	{ { .name = "end_t_missing_table",
	    .sid = END_T(SEG6NR_TABLE_MISSING) } },
	{ { .name = "end_dt6_missing_table", .inner = IPPROTO_IPV6,
	    .sid = END_DT6(SEG6NR_TABLE_MISSING) } },

	/* our own address, which only End.DT6 may deliver to */
	{ { .name = "end_loopback_reject", .sid = END }, SEG6NR_TO_OWN },
	{ { .name = "end_x_loopback_reject",
	    .sid = END_X(&seg6nr_addr_own) } },
	{ { .name = "end_x_oif_loopback_reject", .by_oif = true,
	    .sid = END_X(&seg6nr_addr_own) } },
	{ { .name = "end_dx6_any_loopback_reject", .inner = IPPROTO_IPV6,
	    .sid = END_DX6(&seg6nr_addr_any) }, SEG6NR_TO_OWN },
	{ { .name = "end_dx6_loopback_reject", .inner = IPPROTO_IPV6,
	    .sid = END_DX6(&seg6nr_addr_own) } },

	/* a rule says so: each of the three */
	{ { .name = "end_unreachable_rule", .sid = END }, SEG6NR_TO_NOWHERE,
	  .rule = FR_ACT_UNREACHABLE },
	{ { .name = "end_prohibit_rule", .sid = END }, SEG6NR_TO_NOWHERE,
	  .rule = FR_ACT_PROHIBIT },
	{ { .name = "end_blackhole_rule", .sid = END }, SEG6NR_TO_NOWHERE,
	  .rule = FR_ACT_BLACKHOLE },

	/* a route says so: a dst of its own */
	{ { .name = "end_unreachable_route", .sid = END }, SEG6NR_TO_NOWHERE,
	  .route = RTN_UNREACHABLE },
	{ { .name = "end_prohibit_route", .sid = END }, SEG6NR_TO_NOWHERE,
	  .route = RTN_PROHIBIT },
	{ { .name = "end_dx6_blackhole_route", .inner = IPPROTO_IPV6,
	    .sid = END_DX6(&seg6nr_addr_any) }, SEG6NR_TO_NOWHERE,
	  .route = RTN_BLACKHOLE },
};

static void lost_desc(const struct lost *lost, char *desc)
{
	strscpy(desc, lost->flow.name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(lost, lost_rows, lost_desc);

enum {
	NULL_ENTRY,
	PROHIBIT_ENTRY,
	BLACKHOLE_ENTRY,
	NOWHERE_ROUTE,
	OWN_ROUTE,
	SID_ROUTE,
	ACCOUNTS
};

static void open_accounts(struct seg6nr_account accounts[ACCOUNTS],
			  unsigned int holds)
{
	struct netns_ipv6 *ns = &seg6nr_env.net->ipv6;

	seg6nr_account_open(&accounts[NULL_ENTRY], "null entry",
			    &ns->ip6_null_entry->dst, holds);
	seg6nr_account_open(&accounts[PROHIBIT_ENTRY], "prohibit entry",
			    &ns->ip6_prohibit_entry->dst, holds);
	seg6nr_account_open(&accounts[BLACKHOLE_ENTRY], "blackhole entry",
			    &ns->ip6_blk_hole_entry->dst, holds);
	seg6nr_account_open_route(&accounts[NOWHERE_ROUTE],
				  "route of the destination",
				  &seg6nr_addr_nowhere, holds);
	seg6nr_account_open_route(&accounts[OWN_ROUTE],
				  "route of the own address",
				  &seg6nr_addr_own, holds);
	seg6nr_account_open_route(&accounts[SID_ROUTE], "route of the SID",
				  &seg6nr_addr_sid, holds);
}

/*
 * Two accounts may be of the same dst.  All take their holds before any is
 * used as the base, so that each sees those of the other.
 */
static void rebase(struct seg6nr_account accounts[ACCOUNTS])
{
	int i;

	for (i = 0; i < ACCOUNTS; i++)
		accounts[i].base = seg6nr_dst_refs(accounts[i].dst);
}

static void check_lost(struct kunit *test, const struct lost *lost,
		       unsigned int packets)
{
	struct seg6nr_account accounts[ACCOUNTS];
	struct seg6nr_watch watch = { .end = SEG6NR_AT_FORWARD };
	struct seg6nr_frame frame;
	int i;

	seg6nr_flow_frame(&lost->flow, lost->goal, &frame);
	open_accounts(accounts, packets + 4);
	rebase(accounts);

	seg6nr_watch_start(&watch);
	seg6nr_send_volley(test, &frame, packets);
	seg6nr_watch_stop(&watch);

	KUNIT_EXPECT_EQ_MSG(test, watch.at[SEG6NR_AT_FORWARD].packets, 0,
			    "%s: expected 0 of %u packets forwarded, seen %u",
			    lost->flow.name, packets,
			    watch.at[SEG6NR_AT_FORWARD].packets);
	for (i = 0; i < ACCOUNTS; i++)
		seg6nr_account_check(test, &accounts[i], lost->flow.name,
				     packets);
	for (i = 0; i < ACCOUNTS; i++)
		seg6nr_account_close(&accounts[i]);
}

static int change_obstacle(const struct lost *lost, bool add)
{
	const struct seg6nr_route route = {
		.family = AF_INET6,
		.plen = NOWHERE_PLEN,
		.type = lost->route,
		.dst = &seg6nr_addr_nowhere,
	};
	const struct seg6nr_rule rule = {
		.action = lost->rule,
		.priority = RULE_PRIORITY,
		.dst = &seg6nr_addr_nowhere,
	};

	if (lost->rule)
		return (add ? seg6nr_rtnl_rule_add : seg6nr_rtnl_rule_del)
			(&rule);
	if (lost->route)
		return (add ? seg6nr_rtnl_route_add : seg6nr_rtnl_route_del)
			(&route);
	return 0;
}

static void special_entries_unchanged(struct kunit *test)
{
	static const unsigned int bursts[] = { 1, 2, 100 };
	const struct lost *lost = test->param_value;
	struct seg6nr_books books;
	unsigned int i;
	int err;

	err = change_obstacle(lost, true);
	if (err) {
		KUNIT_FAIL(test, "%s: cannot add the rule or route: error %d %s",
			   lost->flow.name, err, seg6nr_rtnl_text());
		return;
	}
	if (!seg6nr_flow_open(test, &lost->flow))
		goto remove_obstacle;

	/* The first burst makes the dsts that are cached from then on. */
	check_lost(test, lost, 1);
	seg6nr_books_read(&books);
	for (i = 0; i < ARRAY_SIZE(bursts); i++)
		check_lost(test, lost, bursts[i]);
	seg6nr_books_check(test, &books, lost->flow.name);

	seg6nr_flow_close(test, &lost->flow);
remove_obstacle:
	change_obstacle(lost, false);
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(special_entries_unchanged, lost_gen_params),
	{}
};

struct kunit_suite seg6nr_special_suite = {
	.name = "seg6local_noref_special",
	.init = seg6nr_case_init,
	.test_cases = cases,
};
