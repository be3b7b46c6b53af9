// SPDX-License-Identifier: GPL-2.0-only
/*
 * held_kunit.c - routes to on-link next hops, which SIDs hold and lend
 *
 * A held route must be what the kernel would have made for the packet just
 * now, whatever has changed since it was made, and must not outlive its SID,
 * nor keep a device from going.
 */
#include <linux/fib_rules.h>
#include <linux/in.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <net/dst.h>
#include <net/ip6_fib.h>
#include <net/ip6_route.h>
#include <net/route.h>

#include "flow.h"
#include "harness.h"
#include "suites.h"
#include "watch.h"
#include "../module/compat.h"
#include "../module/uapi.h"

#define RULE_PRIORITY	500
#define NEXTHOP_ID	7
#define HOLDS		8

static const struct seg6nr_flow held_flows[] = {
	{
		.name = "end_x",
		.sid = { .action = SEG6NR_ACT_END_X,
			 .nh6 = &seg6nr_addr_nexthop },
	}, {
		.name = "end_dx6",
		.inner = IPPROTO_IPV6,
		.sid = { .action = SEG6NR_ACT_END_DX6,
			 .nh6 = &seg6nr_addr_nexthop },
	}, {
		.name = "end_dx4",
		.second = true,
		.inner = IPPROTO_IPIP,
		.sid = { .action = SEG6NR_ACT_END_DX4, .has_nh4 = true,
			 .nh4 = seg6nr_addr4_nexthop },
	},
};

KUNIT_ARRAY_PARAM(held, held_flows, seg6nr_flow_desc);

static bool is_ipv4(const struct seg6nr_flow *flow)
{
	return flow->inner == IPPROTO_IPIP;
}

/* Open the flow and have its SID make the route that it then holds. */
static bool open_held(struct kunit *test, const struct seg6nr_flow *flow,
		      struct seg6nr_frame *frame,
		      struct seg6nr_account *account)
{
	if (!seg6nr_flow_open(test, flow))
		return false;

	seg6nr_flow_frame(flow, SEG6NR_TO_BEHIND, frame);
	if (seg6nr_account_first(test, account, flow, frame, SEG6NR_AT_FORWARD,
				 HOLDS))
		return true;
	seg6nr_flow_close(test, flow);
	return false;
}

/* The SID has given its reference back: ours are left. */
static void check_released(struct kunit *test, const struct seg6nr_flow *flow,
			   struct seg6nr_account *account)
{
	account->base = account->holds;
	seg6nr_account_check(test, account, flow->name, 1);
}

/* Send one packet; NULL or the device that it was forwarded to. */
static const struct net_device *probe(struct kunit *test,
				      const struct seg6nr_frame *frame,
				      struct seg6nr_watch *watch)
{
	memset(watch, 0, sizeof(*watch));
	watch->end = SEG6NR_AT_FORWARD;
	watch->keep = true;
	seg6nr_watch_start(watch);
	seg6nr_send(test, frame, 1);
	return skb_queue_empty(&watch->kept) ?
	       NULL : skb_dst(skb_peek(&watch->kept))->dev;
}

/* By how much a flow's SID, once used, raises the count of dsts. */
static int entries_of(struct kunit *test, const struct seg6nr_flow *flow,
		      bool held)
{
	struct seg6nr_books before, during;
	struct seg6nr_account account;
	struct seg6nr_frame frame;

	seg6nr_books_read(&before);
	if (!open_held(test, flow, &frame, &account))
		return 0;
	seg6nr_books_read(&during);
	KUNIT_EXPECT_TRUE_MSG(test,
			      !held || account.dst->flags & DST_NOCOUNT,
			      "%s: the held route is counted", flow->name);
	seg6nr_account_close(&account);
	seg6nr_flow_close(test, flow);
	seg6nr_books_check(test, &before, flow->name);
	return during.entries - before.entries;
}

/* Have the routes made that are cached from then on. */
static void warm_up(struct kunit *test, const struct seg6nr_flow *flow)
{
	struct seg6nr_account account;
	struct seg6nr_frame frame;

	if (!open_held(test, flow, &frame, &account))
		return;
	seg6nr_account_close(&account);
	seg6nr_flow_close(test, flow);
}

/* The route is out of the count that triggers the search for garbage. */
static void held_route_not_counted(struct kunit *test)
{
	const struct seg6nr_flow *flow = test->param_value;
	struct seg6nr_flow cached = *flow;
	int held, own;

	/* What a next hop behind a gateway needs is the SID's own route. */
	cached.sid.nh4 = cached.sid.nh4 ? seg6nr_addr4_behind : 0;
	cached.sid.nh6 = cached.sid.nh6 ? &seg6nr_addr_behind : NULL;
	warm_up(test, flow);
	warm_up(test, &cached);

	own = entries_of(test, &cached, false);
	held = entries_of(test, flow, true);
	KUNIT_EXPECT_EQ_MSG(test, held, own,
			    "%s: expected %d more dst entries, seen %d",
			    flow->name, own, held);
}

static void sid_deletion_releases(struct kunit *test)
{
	const struct seg6nr_flow *flow = test->param_value;
	struct seg6nr_account account;
	struct seg6nr_frame frame;
	struct seg6nr_books books;

	if (!open_held(test, flow, &frame, &account))
		return;
	seg6nr_flow_close(test, flow);
	/* States are freed behind RCU. */
	seg6nr_books_read(&books);
	check_released(test, flow, &account);
	seg6nr_account_close(&account);
}

/* Any device's: a route may have lost its own to the kernel by then. */
static void device_down_releases(struct kunit *test)
{
	const struct seg6nr_flow *flow = test->param_value;
	struct net_device *dev = seg6nr_dev_add("seg6nr-tmp", false);
	struct seg6nr_account account;
	struct seg6nr_frame frame;

	if (!dev) {
		KUNIT_FAIL(test, "%s: cannot add a device", flow->name);
		return;
	}
	if (!open_held(test, flow, &frame, &account))
		goto del_dev;
	seg6nr_rtnl_link_down(dev->ifindex);
	check_released(test, flow, &account);
	seg6nr_account_close(&account);
	seg6nr_flow_close(test, flow);
del_dev:
	seg6nr_dev_del(dev);
}

static const struct in6_addr addr_tmp = {
	.s6_addr = { 0x20, 0x01, 0x0d, 0xb8, 0, 5, [15] = 1 },
};

static const struct in6_addr addr_tmp_nexthop = {
	.s6_addr = { 0x20, 0x01, 0x0d, 0xb8, 0, 5, [15] = 2 },
};

#define addr4_tmp_nexthop	htonl(0xcb007202)	/* 203.0.114.2 */

/* A device that a held route leads through; nothing may wait for it. */
static struct net_device *add_device(void)
{
	struct net_device *dev = seg6nr_dev_add("seg6nr-tmp", false);
	__be32 addr4 = htonl(0xcb007201);

	if (dev && (seg6nr_rtnl_addr_add(AF_INET6, dev->ifindex, &addr_tmp,
					 64) ||
		    seg6nr_rtnl_addr_add(AF_INET, dev->ifindex, &addr4, 24))) {
		seg6nr_dev_del(dev);
		return NULL;
	}
	return dev;
}

static void device_goes(struct kunit *test)
{
	struct seg6nr_flow flow = *(struct seg6nr_flow *)test->param_value;
	struct seg6nr_account account;
	struct seg6nr_books before;
	struct seg6nr_frame frame;
	struct net_device *dev;

	seg6nr_books_read(&before);
	dev = add_device();
	if (!dev) {
		KUNIT_FAIL(test, "%s: cannot add a device", flow.name);
		return;
	}
	flow.sid.nh4 = flow.sid.nh4 ? addr4_tmp_nexthop : 0;
	flow.sid.nh6 = flow.sid.nh6 ? &addr_tmp_nexthop : NULL;
	if (!open_held(test, &flow, &frame, &account)) {
		seg6nr_dev_del(dev);
		return;
	}
	KUNIT_EXPECT_TRUE_MSG(test, account.dst->dev == dev,
			      "%s: the packet left through %s", flow.name,
			      account.dst->dev->name);
	seg6nr_account_close(&account);
	/* Returns when the last reference is gone. */
	seg6nr_dev_del(dev);
	seg6nr_flow_close(test, &flow);
	seg6nr_books_check(test, &before, flow.name);
}

/* A path MTU that was learnt for one packet's route is not another's. */
static void modified_route_replaced(struct kunit *test)
{
	const struct seg6nr_flow *flow = test->param_value;
	struct seg6nr_account account;
	struct seg6nr_watch watch;
	struct seg6nr_frame frame;

	if (is_ipv4(flow)) {
		kunit_mark_skipped(test, "IPv4 makes another route of its own");
		return;
	}
	if (!open_held(test, flow, &frame, &account))
		return;

	account.dst->ops->update_pmtu(account.dst, NULL, NULL, IPV6_MIN_MTU,
				      false);
	KUNIT_EXPECT_EQ_MSG(test, dst_mtu(account.dst), IPV6_MIN_MTU,
			    "%s: the MTU did not change", flow->name);
	probe(test, &frame, &watch);
	KUNIT_EXPECT_TRUE_MSG(test,
			      watch.at[SEG6NR_AT_FORWARD].packets == 1 &&
			      watch.at[SEG6NR_AT_FORWARD].dst != account.dst,
			      "%s: a modified route was lent", flow->name);
	KUNIT_EXPECT_EQ_MSG(test, watch.at[SEG6NR_AT_FORWARD].noref, 1,
			    "%s: the new route was not lent", flow->name);
	seg6nr_watch_stop(&watch);
	check_released(test, flow, &account);
	seg6nr_account_close(&account);
	seg6nr_flow_close(test, flow);
}

/* Steps of an event that changes where a next hop is. */
enum step_kind { STEP_END, STEP_ROUTE, STEP_RULE, STEP_NEXTHOP };

struct step {
	enum step_kind	kind;
	bool		del;
	u8		plen;	/* of a route */
	u8		type;	/* RTN_* or FR_ACT_* */
	u32		table;
	bool		object;	/* route by the nexthop object */
	bool		direct;	/* route or object without gateway */
};

#define ROUTE(_plen, ...)	\
	{ .kind = STEP_ROUTE, .plen = _plen, ##__VA_ARGS__ }
#define NO_ROUTE(_plen, ...)	\
	{ .kind = STEP_ROUTE, .del = true, .plen = _plen, ##__VA_ARGS__ }
#define RULE(_type)		{ .kind = STEP_RULE, .type = _type }
#define NO_RULE(_type)		\
	{ .kind = STEP_RULE, .del = true, .type = _type }
#define OBJECT(...)		{ .kind = STEP_NEXTHOP, ##__VA_ARGS__ }
#define NO_OBJECT		{ .kind = STEP_NEXTHOP, .del = true }

#define STEPS_MAX 8

struct event {
	const char	*name;
	struct step	steps[STEPS_MAX];
};

static const struct event events[] = {
	{ "more_specific_route", { ROUTE(128), NO_ROUTE(128) } },
	{ "more_specific_direct_route", {
		ROUTE(128, .direct = true),
		NO_ROUTE(128, .direct = true),
	} },
	{ "unreachable_route", {
		ROUTE(128, .type = RTN_UNREACHABLE),
		NO_ROUTE(128, .type = RTN_UNREACHABLE),
	} },
	{ "prohibit_rule", {
		RULE(FR_ACT_PROHIBIT), NO_RULE(FR_ACT_PROHIBIT),
	} },
	{ "route_in_earlier_table", {
		RULE(FR_ACT_TO_TBL),
		ROUTE(128, .table = SEG6NR_TABLE_ROUTES),
		NO_ROUTE(128, .table = SEG6NR_TABLE_ROUTES),
		ROUTE(128, .table = SEG6NR_TABLE_ROUTES),
		NO_RULE(FR_ACT_TO_TBL),
		NO_ROUTE(128, .table = SEG6NR_TABLE_ROUTES),
	} },
	{ "throw_route_in_earlier_table", {
		RULE(FR_ACT_TO_TBL),
		ROUTE(64, .table = SEG6NR_TABLE_ROUTES),
		ROUTE(128, .table = SEG6NR_TABLE_ROUTES, .type = RTN_THROW),
		NO_ROUTE(128, .table = SEG6NR_TABLE_ROUTES, .type = RTN_THROW),
		NO_ROUTE(64, .table = SEG6NR_TABLE_ROUTES),
		NO_RULE(FR_ACT_TO_TBL),
	} },
	{ "route_by_nexthop_object", {
		OBJECT(), ROUTE(128, .object = true),
		NO_ROUTE(128, .object = true), NO_OBJECT,
	} },
	{ "direct_route_by_nexthop_object", {
		OBJECT(.direct = true), ROUTE(128, .object = true),
		NO_ROUTE(128, .object = true), NO_OBJECT,
	} },
	{ "nexthop_object_deleted", {
		OBJECT(.direct = true), ROUTE(128, .object = true), NO_OBJECT,
	} },
};

static void event_desc(const struct event *event, char *desc)
{
	strscpy(desc, event->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(event, events, event_desc);

static int do_route(const struct step *step)
{
	bool error = step->type && step->type != RTN_UNICAST;
	struct seg6nr_route route = {
		.family = AF_INET6,
		.plen = step->plen,
		.type = step->type,
		.table = step->table,
		.dst = &seg6nr_addr_nexthop,
		.nhid = step->object ? NEXTHOP_ID : 0,
	};
	struct in6_addr prefix = seg6nr_addr_nexthop;

	if (step->plen == 64) {
		memset(prefix.s6_addr + 8, 0, 8);
		route.dst = &prefix;
	}
	if (!error && !step->object) {
		route.oif = seg6nr_env.keep->ifindex;
		route.gw = step->direct ? NULL : &seg6nr_addr_keep_nexthop;
	}
	return (step->del ? seg6nr_rtnl_route_del : seg6nr_rtnl_route_add)
		(&route);
}

static int do_step(const struct step *step)
{
	const struct seg6nr_rule rule = {
		.action = step->type,
		.table = step->type == FR_ACT_TO_TBL ? SEG6NR_TABLE_ROUTES : 0,
		.priority = RULE_PRIORITY,
		.dst = &seg6nr_addr_nexthop,
	};

	switch (step->kind) {
	case STEP_ROUTE:
		return do_route(step);
	case STEP_RULE:
		return (step->del ? seg6nr_rtnl_rule_del : seg6nr_rtnl_rule_add)
			(&rule);
	case STEP_NEXTHOP:
		if (step->del)
			return seg6nr_rtnl_nexthop_del(NEXTHOP_ID);
		return seg6nr_rtnl_nexthop_add(NEXTHOP_ID,
					       seg6nr_env.keep->ifindex,
					       step->direct ? NULL :
					       &seg6nr_addr_keep_nexthop);
	case STEP_END:
		break;
	}
	return 0;
}

/* What the kernel says now: device and gateway, no device for an error. */
static void ask_kernel(const struct net_device **dev, struct in6_addr *gateway)
{
	struct flowi6 fl6 = {
		.flowi6_iif = seg6nr_env.in->ifindex,
		.flowi6_mark = SEG6NR_MARK,
		.flowi6_proto = IPPROTO_ROUTING,
		.flowi6_flags = FLOWI_FLAG_KNOWN_NH,
		.saddr = seg6nr_addr_peer,
		.daddr = seg6nr_addr_nexthop,
	};
	struct dst_entry *dst;

	local_bh_disable();
	rcu_read_lock();
	dst = seg6nr_route_noref(NULL, &fl6);
	*dev = dst->error ? NULL : dst->dev;
	*gateway = dst_rt6_info(dst)->rt6i_gateway;
	if (seg6nr_rt6_uncached(dst_rt6_info(dst)))
		dst_release(dst);
	rcu_read_unlock();
	local_bh_enable();
}

static void check_answer(struct kunit *test, const struct event *event,
			 unsigned int step, const struct seg6nr_frame *frame)
{
	const struct net_device *dev, *seen;
	struct in6_addr gateway, via = {};
	struct seg6nr_watch watch;

	ask_kernel(&dev, &gateway);
	seen = probe(test, frame, &watch);
	if (seen)
		via = dst_rt6_info(skb_dst(skb_peek(&watch.kept)))->rt6i_gateway;
	seg6nr_watch_stop(&watch);

	KUNIT_EXPECT_TRUE_MSG(test, seen == dev,
			      "%s: after step %u expected device %s, seen %s",
			      event->name, step, dev ? dev->name : "none",
			      seen ? seen->name : "none");
	if (seen && seen == dev)
		KUNIT_EXPECT_TRUE_MSG(test, ipv6_addr_equal(&via, &gateway),
				      "%s: after step %u expected gateway %pI6c, seen %pI6c",
				      event->name, step, &gateway, &via);
}

/* A packet behind the event goes where a fresh lookup leads. */
static void answer_follows_event(struct kunit *test)
{
	const struct event *event = test->param_value;
	const struct seg6nr_flow *flow = &held_flows[0];
	struct seg6nr_account account;
	struct seg6nr_books before;
	struct seg6nr_frame frame;
	unsigned int i;
	int err;

	seg6nr_books_read(&before);
	if (!open_held(test, flow, &frame, &account))
		return;
	for (i = 0; i < STEPS_MAX && event->steps[i].kind; i++) {
		err = do_step(&event->steps[i]);
		if (err)
			KUNIT_FAIL(test, "%s: step %u: error %d %s",
				   event->name, i, err, seg6nr_rtnl_text());
		check_answer(test, event, i, &frame);
	}
	seg6nr_account_close(&account);
	seg6nr_flow_close(test, flow);
	seg6nr_books_check_module(test, &before, event->name);
}

/* The same of IPv4, whose routes are made here. */
static void ipv4_answer_follows_route(struct kunit *test)
{
	const struct seg6nr_flow *flow = &held_flows[2];
	__be32 nexthop = seg6nr_addr4_nexthop, gw = seg6nr_addr4_keep_nexthop;
	const struct seg6nr_route route = {
		.family = AF_INET,
		.plen = 32,
		.dst = &nexthop,
		.gw = &gw,
		.oif = seg6nr_env.keep->ifindex,
	};
	const struct net_device *dev;
	struct seg6nr_account account;
	struct seg6nr_watch watch;
	struct seg6nr_frame frame;
	int round;

	if (!open_held(test, flow, &frame, &account))
		return;
	for (round = 0; round < 2; round++) {
		if (seg6nr_rtnl_route_add(&route))
			KUNIT_FAIL(test, "%s: cannot add a route", flow->name);
		dev = probe(test, &frame, &watch);
		KUNIT_EXPECT_TRUE_MSG(test, dev == seg6nr_env.keep,
				      "%s: added: seen device %s", flow->name,
				      dev ? dev->name : "none");
		seg6nr_watch_stop(&watch);

		if (seg6nr_rtnl_route_del(&route))
			KUNIT_FAIL(test, "%s: cannot delete it", flow->name);
		dev = probe(test, &frame, &watch);
		KUNIT_EXPECT_TRUE_MSG(test, dev == seg6nr_env.out,
				      "%s: deleted: seen device %s",
				      flow->name, dev ? dev->name : "none");
		seg6nr_watch_stop(&watch);
	}
	seg6nr_account_close(&account);
	seg6nr_flow_close(test, flow);
}

/* Its routes are shared by prefixes; which one was found is looked for. */
static void nexthop_object_held(struct kunit *test)
{
	const struct step object = OBJECT(.direct = true);
	const struct step route = ROUTE(128, .object = true);
	const struct step no_route = NO_ROUTE(128, .object = true);
	const struct step no_object = NO_OBJECT;
	const struct seg6nr_flow *flow = &held_flows[0];
	struct seg6nr_watch watch = {
		.end = SEG6NR_AT_FORWARD,
		.keep = true,
	};
	const struct seg6nr_sight *at = &watch.at[SEG6NR_AT_FORWARD];
	struct seg6nr_frame frame;

	if (!seg6nr_flow_open(test, flow))
		return;
	if (do_step(&object) || do_step(&route))
		KUNIT_FAIL(test, "%s: cannot add the route", seg6nr_rtnl_text());

	seg6nr_flow_frame(flow, SEG6NR_TO_BEHIND, &frame);
	seg6nr_watch_start(&watch);
	seg6nr_send(test, &frame, 3);
	seg6nr_watch_stop(&watch);
	KUNIT_EXPECT_EQ_MSG(test, at->packets, 3,
			    "expected 3 packets forwarded, seen %u",
			    at->packets);
	KUNIT_EXPECT_EQ_MSG(test, at->noref, 3,
			    "expected 3 without a reference, seen %u",
			    at->noref);
	KUNIT_EXPECT_EQ_MSG(test, at->strangers, 0,
			    "expected 1 route for 3 packets, seen %u",
			    at->strangers + 1);
	if (do_step(&no_route) || do_step(&no_object))
		KUNIT_FAIL(test, "%s: cannot delete it", seg6nr_rtnl_text());
	seg6nr_flow_close(test, flow);
}

/* The IPv4 route underneath is held along, by one reference. */
static void held_base_balanced(struct kunit *test)
{
	const __be32 nexthop = seg6nr_addr4_nexthop;
	const struct seg6nr_flow *flow = &held_flows[2];
	struct seg6nr_account account, held;
	struct seg6nr_frame frame;
	struct seg6nr_books books;

	if (!seg6nr_flow_open(test, flow))
		return;
	/* A packet to the next hop itself goes by it. */
	seg6nr_frame_inner4(&frame, nexthop);
	if (!seg6nr_account_first(test, &account, flow, &frame,
				  SEG6NR_AT_FORWARD, HOLDS)) {
		seg6nr_flow_close(test, flow);
		return;
	}
	seg6nr_flow_close(test, flow);

	if (open_held(test, flow, &frame, &held)) {
		account.base++;
		seg6nr_account_check(test, &account, "base of a held route", 2);
		seg6nr_account_close(&held);
		seg6nr_flow_close(test, flow);
		seg6nr_books_read(&books);
		account.base--;
		seg6nr_account_check(test, &account, "base of a former one", 2);
	}
	seg6nr_account_close(&account);
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(held_route_not_counted, held_gen_params),
	KUNIT_CASE_PARAM(sid_deletion_releases, held_gen_params),
	KUNIT_CASE_PARAM(device_down_releases, held_gen_params),
	KUNIT_CASE_PARAM(modified_route_replaced, held_gen_params),
	KUNIT_CASE_PARAM(answer_follows_event, event_gen_params),
	KUNIT_CASE(ipv4_answer_follows_route),
	KUNIT_CASE(nexthop_object_held),
	KUNIT_CASE(held_base_balanced),
	/* Last, for it does not return where a device cannot go. */
	KUNIT_CASE_PARAM(device_goes, held_gen_params),
	{}
};

/* Each packet looks up, or there would be less to see. */
static int held_init(struct kunit *test)
{
	return seg6nr_flow_mode(SEG6NR_KEEP) ?: seg6nr_case_init(test);
}

static void held_exit(struct kunit *test)
{
	seg6nr_flow_mode(SEG6NR_REMEMBER);
}

struct kunit_suite seg6nr_held_suite = {
	.name = "seg6local_noref_held",
	.init = held_init,
	.exit = held_exit,
	.test_cases = cases,
};
