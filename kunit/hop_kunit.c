// SPDX-License-Identifier: GPL-2.0-only
/*
 * hop_kunit.c - what using a next hop again costs, what is told apart, what is
 * never remembered, and how much and how long
 */
#include <linux/etherdevice.h>
#include <linux/fib_rules.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <net/ip6_fib.h>

#include "harness.h"
#include "hop.h"
#include "netns.h"
#include "suites.h"

#define PACKETS		200
#define RULE_PRIORITY	500

static void flow_desc(const struct seg6nr_hop_flow *flow, char *desc)
{
	strscpy(desc, flow->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(hop_flow, seg6nr_hop_flows, flow_desc);

/* A SID that has the next hop of its goal in its memory. */
static bool open_warm(struct kunit *test, struct seg6nr_run *run,
		      const struct seg6nr_hop_flow *flow)
{
	struct seg6nr_place place;

	seg6nr_place_env(&place);
	if (!seg6nr_run_open(test, run, flow, &place)) {
		kunit_mark_skipped(test, "no VRF, or not on this architecture");
		return false;
	}
	seg6nr_probe_twice(test, run, "first", SEG6NR_HOP_MISS_EMPTY, 0);
	if (seg6nr_run_hop(run))
		return true;
	KUNIT_FAIL(test, "%s: nothing is remembered", flow->name);
	seg6nr_run_close(test, run);
	return false;
}

static const struct seg6nr_hop_flow *flow_end = &seg6nr_hop_flows[0];
static const struct seg6nr_hop_flow *flow_end_x = &seg6nr_hop_flows[2];
static const struct seg6nr_hop_flow *flow_end_t = &seg6nr_hop_flows[5];
static const struct seg6nr_hop_flow *flow_dx6 = &seg6nr_hop_flows[7];

/* What packets cost: nothing is allocated, looked up or referenced. */
static void packets_hit(struct kunit *test)
{
	const struct seg6nr_hop_flow *flow = test->param_value;
	struct rt6_statistics *stats = seg6nr_env.net->ipv6.rt6_stats;
	struct seg6nr_watch watch = { .end = SEG6NR_AT_FORWARD };
	const struct seg6nr_sight *at = &watch.at[SEG6NR_AT_FORWARD];
	unsigned int dst_refs, from_refs;
	unsigned long hits;
	struct seg6nr_run run;
	struct seg6nr_hop *hop;
	int made;

	if (!open_warm(test, &run, flow))
		return;
	/* The kernel's own answers are gone then. */
	seg6nr_settle();
	hop = seg6nr_run_hop(&run);
	dst_refs = seg6nr_dst_refs(&hop->rt->dst);
	from_refs = refcount_read(&hop->from->fib6_ref);
	made = atomic_read(&stats->fib_rt_alloc);
	hits = seg6nr_run_count(&run, SEG6NR_HOP_HIT);

	seg6nr_watch_start(&watch);
	seg6nr_send(test, &run.frame, PACKETS);
	seg6nr_watch_stop(&watch);

	hits = seg6nr_run_count(&run, SEG6NR_HOP_HIT) - hits;
	made = atomic_read(&stats->fib_rt_alloc) - made;
	KUNIT_EXPECT_TRUE_MSG(test, seg6nr_run_hop(&run) == hop,
			      "%s: it was remembered anew", flow->name);
	KUNIT_EXPECT_EQ_MSG(test, hits, PACKETS, "%s: hits", flow->name);
	KUNIT_EXPECT_EQ_MSG(test, made, 0, "%s: dsts made", flow->name);
	KUNIT_EXPECT_EQ_MSG(test, at->noref, PACKETS,
			    "%s: packets without a reference", flow->name);
	KUNIT_EXPECT_EQ_MSG(test, at->refs_max, dst_refs,
			    "%s: references of the route meanwhile",
			    flow->name);
	KUNIT_EXPECT_EQ_MSG(test, seg6nr_dst_refs(&hop->rt->dst), dst_refs,
			    "%s: references of the route", flow->name);
	KUNIT_EXPECT_EQ_MSG(test, refcount_read(&hop->from->fib6_ref),
			    from_refs, "%s: references of the FIB's route",
			    flow->name);
	seg6nr_run_close(test, &run);
}

/* The memory goes with the SID, and gives back what it holds. */
static void sid_deletion_forgets(struct kunit *test)
{
	const struct seg6nr_hop_flow *flow = test->param_value;
	struct seg6nr_books books;
	struct seg6nr_holders *holders;
	struct fib6_info *from;
	struct seg6nr_run run;
	unsigned int refs;

	if (!open_warm(test, &run, flow))
		return;
	seg6nr_run_close(test, &run);
	seg6nr_books_read(&books);
	if (!open_warm(test, &run, flow))
		return;
	holders = run.slwt->holders;
	refcount_inc(&holders->refs);
	from = seg6nr_run_hop(&run)->from;
	fib6_info_hold(from);
	seg6nr_settle();
	refs = refcount_read(&from->fib6_ref);
	KUNIT_EXPECT_EQ_MSG(test, atomic_read(&holders->hops), 1,
			    "%s: next hops remembered", flow->name);
	seg6nr_run_close(test, &run);
	seg6nr_books_check(test, &books, flow->name);
	/* A held route has one of its own. */
	KUNIT_EXPECT_EQ_MSG(test, refcount_read(&from->fib6_ref),
			    refs - 1 - flow->onlink,
			    "%s: references of the FIB's route", flow->name);
	KUNIT_EXPECT_EQ_MSG(test, atomic_read(&holders->hops), 0,
			    "%s: next hops remembered by nobody", flow->name);
	KUNIT_EXPECT_EQ_MSG(test, atomic_read(&holders->held), 0,
			    "%s: routes held by nobody", flow->name);
	fib6_info_release(from);
	/* Never the last one: the namespace has its own. */
	refcount_dec(&holders->refs);
}

#define TABLE_EARLIER	210
#define OTHER_MARK	(SEG6NR_MARK ^ SEG6NR_MARK_BITS)

/* Packets that a rule is about go another way; @add or take it back. */
static int change_exception(const struct seg6nr_run *run,
			    const struct seg6nr_rule *selectors, bool add)
{
	struct seg6nr_rule rule = *selectors;
	const struct seg6nr_route route = {
		.family = AF_INET6,
		.plen = 128,
		.dst = &run->goal,
		.gw = &seg6nr_addr_keep_nexthop,
		.oif = seg6nr_env.keep->ifindex,
		.table = TABLE_EARLIER,
	};
	int err;

	rule.action = FR_ACT_TO_TBL;
	rule.table = TABLE_EARLIER;
	rule.priority = RULE_PRIORITY;
	err = (add ? seg6nr_rtnl_rule_add : seg6nr_rtnl_rule_del)(&rule);
	return err ?: (add ? seg6nr_rtnl_route_add :
			     seg6nr_rtnl_route_del)(&route);
}

/* @mark and @in: of the packets that the rule is about. */
static void check_key(struct kunit *test, const struct seg6nr_hop_flow *flow,
		      const struct seg6nr_rule *selectors, u32 mark,
		      struct net_device *in, bool in_key)
{
	struct seg6nr_run run;
	int event = in_key ? SEG6NR_HOP_MISS_KEY : SEG6NR_HOP_HIT;

	if (!open_warm(test, &run, flow))
		return;
	if (change_exception(&run, selectors, true))
		KUNIT_FAIL(test, "cannot add: %s", seg6nr_rtnl_text());
	seg6nr_probe_twice(test, &run, "usual packet",
			   SEG6NR_HOP_MISS_CHANGED, 0);

	run.mark = mark;
	run.in = in;
	seg6nr_next_jiffy();
	seg6nr_probe_twice(test, &run, "other packet", event, 0);

	run.mark = SEG6NR_MARK;
	run.in = seg6nr_env.in;
	seg6nr_next_jiffy();
	seg6nr_probe_twice(test, &run, "usual one again", event, 0);
	if (change_exception(&run, selectors, false))
		KUNIT_FAIL(test, "cannot delete: %s", seg6nr_rtnl_text());
	seg6nr_run_close(test, &run);
}

static void marks_told_apart(struct kunit *test)
{
	const struct seg6nr_hop_flow *flow = test->param_value;
	const struct seg6nr_rule rule = { .mark = OTHER_MARK };

	if (flow->oif || flow->vrf)
		return;
	check_key(test, flow, &rule, OTHER_MARK, seg6nr_env.in, !flow->table);
}

static void devices_told_apart(struct kunit *test)
{
	const struct seg6nr_hop_flow *flow = test->param_value;
	const struct seg6nr_rule rule = { .iif = "seg6nr-keep" };

	if (flow->oif || flow->vrf)
		return;
	check_key(test, flow, &rule, SEG6NR_MARK, seg6nr_env.keep,
		  !flow->table);
}

/* Let the packets of a SID go to what is behind the other device. */
static void aim_at(struct seg6nr_run *run, const struct in6_addr *goal)
{
	run->goal = *goal;
	if (run->flow->inner)
		seg6nr_frame_inner6(&run->frame, goal);
	else
		seg6nr_frame_steered(&run->frame, goal);
}

/* An address of the prefix of @like that has another place, or the same. */
static struct in6_addr find_address(const struct seg6nr_run *run,
				    const struct in6_addr *like, bool same)
{
	unsigned int way = seg6nr_way_of(run->slwt, &run->goal);
	struct in6_addr addr = *like;

	do {
		be16_add_cpu(&addr.s6_addr16[7], 1);
	} while ((seg6nr_way_of(run->slwt, &addr) == way) != same);
	return addr;
}

static void destinations_told_apart(struct kunit *test)
{
	const struct seg6nr_hop_flow *flow = test->param_value;
	struct in6_addr first, other;
	struct seg6nr_run run;

	if (flow->known)
		return;
	if (!open_warm(test, &run, flow))
		return;
	first = run.goal;
	other = find_address(&run, &seg6nr_addr_kept, false);
	aim_at(&run, &other);
	seg6nr_probe_twice(test, &run, "another place",
			   SEG6NR_HOP_MISS_EMPTY, 0);
	aim_at(&run, &first);
	seg6nr_probe(test, &run, "first again", SEG6NR_HOP_HIT, 0);

	other = find_address(&run, &seg6nr_addr_kept, true);
	aim_at(&run, &other);
	seg6nr_next_jiffy();
	seg6nr_probe_twice(test, &run, "the same place",
			   SEG6NR_HOP_MISS_KEY, 0);
	seg6nr_run_close(test, &run);
}

/* Neighbouring addresses are what a node sends to. */
static void places_all_used(struct kunit *test)
{
	struct in6_addr addr = seg6nr_addr_kept;
	struct seg6nr_run run;
	unsigned int i, used = 0;

	if (!open_warm(test, &run, flow_end))
		return;
	for (i = 0; i < 256; i++) {
		addr.s6_addr[15] = i;
		used |= BIT(seg6nr_way_of(run.slwt, &addr));
	}
	KUNIT_EXPECT_EQ_MSG(test, used, BIT(run.slwt->ways) - 1,
			    "places used by 256 addresses of one network");
	seg6nr_run_close(test, &run);
}

/* A place that is in use is not taken in the same jiffy. */
static void busy_place_not_taken(struct kunit *test)
{
	struct in6_addr first, other;
	struct seg6nr_run run;

	if (!open_warm(test, &run, flow_end))
		return;
	first = run.goal;
	other = find_address(&run, &seg6nr_addr_kept, true);
	/* It came in just now, however long this takes. */
	seg6nr_run_hop(&run)->stamp = jiffies + 60 * HZ;
	aim_at(&run, &other);
	seg6nr_probe_twice(test, &run, "busy", SEG6NR_HOP_MISS_KEY,
			   SEG6NR_HOP_BYPASS_BUSY);
	aim_at(&run, &first);
	seg6nr_probe(test, &run, "who was there", SEG6NR_HOP_HIT, 0);
	seg6nr_run_hop(&run)->stamp = jiffies - 1;
	aim_at(&run, &other);
	seg6nr_probe_twice(test, &run, "free", SEG6NR_HOP_MISS_KEY, 0);
	seg6nr_run_close(test, &run);
}

static void old_one_looked_up_again(struct kunit *test)
{
	struct seg6nr_run run;

	if (!open_warm(test, &run, flow_end))
		return;
	seg6nr_param_set(SEG6NR_PARAM_MAX_AGE, 1000);
	seg6nr_run_hop(&run)->stamp = jiffies - HZ - 2;
	seg6nr_probe(test, &run, "old", SEG6NR_HOP_MISS_AGE, 0);
	seg6nr_param_set(SEG6NR_PARAM_MAX_AGE, 0);
	seg6nr_probe(test, &run, "new", SEG6NR_HOP_HIT, 0);
	seg6nr_run_hop(&run)->stamp = jiffies - 3600 * HZ;
	seg6nr_probe(test, &run, "no limit", SEG6NR_HOP_HIT, 0);
	seg6nr_run_close(test, &run);
}

/* What is remembered in the namespace is bounded; so is memory. */
static void limit_kept(struct kunit *test)
{
	struct seg6nr_run run;
	struct in6_addr other;

	seg6nr_settle();
	if (!open_warm(test, &run, flow_end))
		return;
	seg6nr_param_set(SEG6NR_PARAM_LIMIT, 1);
	seg6nr_probe(test, &run, "at the limit", SEG6NR_HOP_HIT, 0);
	other = find_address(&run, &seg6nr_addr_kept, false);
	aim_at(&run, &other);
	seg6nr_probe_twice(test, &run, "beyond", SEG6NR_HOP_MISS_EMPTY,
			   SEG6NR_HOP_BYPASS_FULL);
	seg6nr_param_set(SEG6NR_PARAM_LIMIT, 2);
	seg6nr_probe_twice(test, &run, "raised", SEG6NR_HOP_MISS_EMPTY, 0);
	KUNIT_EXPECT_EQ_MSG(test, atomic_read(&run.slwt->holders->hops), 2,
			    "next hops remembered");
	seg6nr_run_close(test, &run);
}

/* Switched off, nothing is used that was remembered, or counted. */
static void off_means_looked_up(struct kunit *test)
{
	const struct seg6nr_hop_flow *flow = test->param_value;
	struct seg6nr_run run;

	if (!open_warm(test, &run, flow))
		return;
	seg6nr_param_set(SEG6NR_PARAM_CACHE, false);
	seg6nr_probe(test, &run, "off", SEG6NR_HOP_NONE, 0);
	seg6nr_param_set(SEG6NR_PARAM_CACHE, true);
	seg6nr_probe(test, &run, "on", SEG6NR_HOP_HIT, 0);
	seg6nr_run_close(test, &run);
}

/* A route that was made for one packet is nobody's answer. */
static void route_not_held_not_remembered(struct kunit *test)
{
	struct seg6nr_place place;
	struct seg6nr_run run;

	seg6nr_place_env(&place);
	seg6nr_param_set(SEG6NR_PARAM_HOLD, false);
	if (seg6nr_run_open(test, &run, flow_end_x, &place)) {
		seg6nr_probe_twice(test, &run, "not held",
				   SEG6NR_HOP_MISS_EMPTY,
				   SEG6NR_HOP_BYPASS_ROUTE);
		seg6nr_run_close(test, &run);
	}
	seg6nr_param_set(SEG6NR_PARAM_HOLD, true);
}

/* A SID that remembers the next one, and that the first, would never go. */
static void next_sid_not_remembered(struct kunit *test)
{
	const struct seg6nr_sid next = { .action = SEG6NR_ACT_END };
	struct seg6nr_route route = {
		.family = AF_INET6,
		.plen = 128,
		.dst = &seg6nr_addr_nowhere,
		.oif = seg6nr_env.in->ifindex,
		.sid = &next,
	};
	struct seg6nr_books before;
	struct seg6nr_run run;

	seg6nr_books_read(&before);
	if (!open_warm(test, &run, flow_end))
		return;
	if (seg6nr_rtnl_route_add(&route))
		KUNIT_FAIL(test, "cannot add the next SID");
	aim_at(&run, &seg6nr_addr_nowhere);
	/* The packet ends at the next SID, which finds no segment left. */
	run.blind = true;
	seg6nr_next_jiffy();
	seg6nr_probe_twice(test, &run, "next SID",
			   seg6nr_run_hop(&run) ? SEG6NR_HOP_MISS_KEY :
						  SEG6NR_HOP_MISS_EMPTY,
			   SEG6NR_HOP_BYPASS_ROUTE);
	seg6nr_rtnl_route_del(&route);
	seg6nr_run_close(test, &run);
	seg6nr_books_check_module(test, &before, "two SIDs");
}

#define OBJECT_ID	7

/*
 * Routes by the same object share what a lookup returns, which names the first
 * of them for ever; the second one's end, once uncounted, must be seen.
 */
static void object_of_two_routes(struct kunit *test)
{
	struct rt6_statistics *stats = seg6nr_env.net->ipv6.rt6_stats;
	struct seg6nr_route route = {
		.family = AF_INET6,
		.nhid = OBJECT_ID,
	};
	struct in6_addr goal, prefix;
	struct seg6nr_run run;
	u32 removed;

	if (!open_warm(test, &run, flow_end))
		return;
	goal = run.goal;
	ipv6_addr_prefix(&prefix, &goal, 112);
	route.dst = &prefix;
	route.plen = 112;
	if (seg6nr_rtnl_nexthop_add(OBJECT_ID, seg6nr_env.out->ifindex,
				    &seg6nr_addr_nexthop) ||
	    seg6nr_rtnl_route_add(&route))
		KUNIT_FAIL(test, "cannot add: %s", seg6nr_rtnl_text());
	seg6nr_probe_twice(test, &run, "first", SEG6NR_HOP_MISS_CHANGED, 0);
	route.dst = &goal;
	route.plen = 128;
	if (seg6nr_rtnl_route_add(&route))
		KUNIT_FAIL(test, "cannot add: %s", seg6nr_rtnl_text());
	seg6nr_probe_twice(test, &run, "second", SEG6NR_HOP_MISS_CHANGED, 0);

	removed = stats->fib_discarded_routes;
	if (seg6nr_rtnl_route_del(&route))
		KUNIT_FAIL(test, "cannot delete: %s", seg6nr_rtnl_text());
	stats->fib_discarded_routes = removed;
	seg6nr_next_jiffy();
	seg6nr_probe_twice(test, &run, "second gone", SEG6NR_HOP_MISS_ROUTE, 0);
	seg6nr_rtnl_nexthop_del(OBJECT_ID);
	seg6nr_run_close(test, &run);
}

/* This node's own address is not a next hop. */
static void local_not_remembered(struct kunit *test)
{
	struct seg6nr_place place;
	struct seg6nr_run run;

	seg6nr_place_env(&place);
	if (!seg6nr_run_open(test, &run, &seg6nr_hop_flows[9], &place)) {
		kunit_mark_skipped(test, "no VRF");
		return;
	}
	aim_at(&run, &seg6nr_addr_own);
	run.blind = true;
	seg6nr_probe_twice(test, &run, "local", SEG6NR_HOP_MISS_EMPTY,
			   SEG6NR_HOP_BYPASS_ROUTE);
	seg6nr_run_close(test, &run);
}

/* To a group the packet is local, by whatever next hop. */
static void multicast_not_asked(struct kunit *test)
{
	static const struct in6_addr group = {
		.s6_addr = { 0xff, 0x0e, [15] = 1 },
	};
	struct seg6nr_run run;

	if (!open_warm(test, &run, flow_dx6))
		return;
	seg6nr_frame_inner6(&run.frame, &group);
	run.blind = true;
	seg6nr_probe(test, &run, "group", SEG6NR_HOP_NONE, 0);
	seg6nr_run_close(test, &run);
}

/* /proc/net/seg6local_noref says the same. */
static void lines_tell_the_same(struct kunit *test)
{
	u64 hit = 0, empty = 0, entries = 0;
	struct seg6nr_run run;

	seg6nr_settle();
	if (!open_warm(test, &run, flow_end_t))
		return;
	if (seg6nr_stat("nexthop_hit", &hit) ||
	    seg6nr_stat("nexthop_miss_empty", &empty) ||
	    seg6nr_stat("nexthop_entries", &entries))
		KUNIT_FAIL(test, "a line is missing");
	KUNIT_EXPECT_EQ_MSG(test, hit, seg6nr_run_count(&run, SEG6NR_HOP_HIT),
			    "nexthop_hit");
	KUNIT_EXPECT_EQ_MSG(test, empty,
			    seg6nr_run_count(&run, SEG6NR_HOP_MISS_EMPTY),
			    "nexthop_miss_empty");
	KUNIT_EXPECT_EQ_MSG(test, entries, 1, "nexthop_entries");
	seg6nr_run_close(test, &run);
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(packets_hit, hop_flow_gen_params),
	KUNIT_CASE_PARAM(sid_deletion_forgets, hop_flow_gen_params),
	KUNIT_CASE_PARAM(marks_told_apart, hop_flow_gen_params),
	KUNIT_CASE_PARAM(devices_told_apart, hop_flow_gen_params),
	KUNIT_CASE_PARAM(destinations_told_apart, hop_flow_gen_params),
	KUNIT_CASE(places_all_used),
	KUNIT_CASE(busy_place_not_taken),
	KUNIT_CASE(old_one_looked_up_again),
	KUNIT_CASE(limit_kept),
	KUNIT_CASE_PARAM(off_means_looked_up, hop_flow_gen_params),
	KUNIT_CASE(route_not_held_not_remembered),
	KUNIT_CASE(next_sid_not_remembered),
	KUNIT_CASE(object_of_two_routes),
	KUNIT_CASE(local_not_remembered),
	KUNIT_CASE(multicast_not_asked),
	KUNIT_CASE(lines_tell_the_same),
	{}
};

struct kunit_suite seg6nr_hop_suite = {
	.name = "seg6local_noref_hop",
	.init = seg6nr_hop_init,
	.exit = seg6nr_hop_exit,
	.test_cases = cases,
};
