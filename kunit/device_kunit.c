// SPDX-License-Identifier: GPL-2.0-only
/*
 * device_kunit.c - devices that change, and go, below remembered next hops
 */
#include <linux/ktime.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <net/addrconf.h>
#include <net/ip6_fib.h>

#include "harness.h"
#include "hop.h"
#include "suites.h"

#define METRIC_OTHER	4096

static const struct in6_addr addr_tmp = {
	.s6_addr = { 0x20, 0x01, 0x0d, 0xb8, 0, 5, [15] = 1 },
};

static const struct in6_addr addr_tmp_nexthop = {
	.s6_addr = { 0x20, 0x01, 0x0d, 0xb8, 0, 5, [15] = 2 },
};

static const struct in6_addr addr_tmp_behind = {
	.s6_addr = { 0x20, 0x01, 0x0d, 0xb8, 0, 0xe5, [15] = 0x99 },
};

/**
 * struct stage - a device that packets leave through, and another one
 * @place: the first
 * @other: made by an event, or NULL
 * @run: the SID
 */
struct stage {
	struct seg6nr_place	place;
	struct net_device	*other;
	struct seg6nr_run	run;
};

static const u32 route_tables[] = {
	0, SEG6NR_TABLE_ROUTES, SEG6NR_TABLE_VRF
};

/* To the network behind the device, and a second best way to the same. */
static int add_routes(const struct seg6nr_place *place)
{
	struct seg6nr_route route = {
		.family = AF_INET6,
		.plen = 48,
		.dst = &place->behind,
	};
	unsigned int i;
	int err = 0;

	for (i = 0; !err && i < ARRAY_SIZE(route_tables); i++) {
		route.table = route_tables[i];
		route.oif = place->dev->ifindex;
		route.gw = &place->nexthop;
		route.metric = 0;
		err = seg6nr_rtnl_route_add(&route);
		if (err)
			break;
		route.oif = seg6nr_env.keep->ifindex;
		route.gw = &seg6nr_addr_keep_nexthop;
		route.metric = METRIC_OTHER;
		err = seg6nr_rtnl_route_add(&route);
	}
	return err;
}

static void del_routes(const struct seg6nr_place *place)
{
	struct seg6nr_route route = {
		.family = AF_INET6,
		.plen = 48,
		.dst = &place->behind,
		.gw = &seg6nr_addr_keep_nexthop,
		.oif = seg6nr_env.keep->ifindex,
		.metric = METRIC_OTHER,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(route_tables); i++) {
		route.table = route_tables[i];
		seg6nr_rtnl_route_del(&route);
	}
}

static bool place_open(struct kunit *test, struct seg6nr_place *place)
{
	int err = -ENODEV;

	place->nexthop = addr_tmp_nexthop;
	place->behind = addr_tmp_behind;
	place->dev = seg6nr_dev_add("seg6nr-tmp", false);
	if (place->dev)
		err = seg6nr_rtnl_addr_add(AF_INET6, place->dev->ifindex,
					   &addr_tmp, 64);
	if (!err)
		err = add_routes(place);
	if (!err)
		return true;

	KUNIT_FAIL(test, "cannot build a place: error %d %s", err,
		   seg6nr_rtnl_text());
	del_routes(place);
	seg6nr_dev_del(place->dev);
	return false;
}

static void place_close(struct seg6nr_place *place)
{
	del_routes(place);
	seg6nr_dev_del(place->dev);
	place->dev = NULL;
}

/* Returns an error. */
typedef int change_fn(struct stage *stage);

static int change_mtu(struct stage *stage)
{
	return seg6nr_rtnl_link_mtu(stage->place.dev->ifindex, 1400);
}

static int rename_device(struct stage *stage)
{
	return seg6nr_rtnl_link_rename(seg6nr_env.keep->ifindex,
				       "seg6nr-name");
}

static int rename_back(struct stage *stage)
{
	return seg6nr_rtnl_link_rename(seg6nr_env.keep->ifindex,
				       "seg6nr-keep");
}

static int add_other(struct stage *stage)
{
	stage->other = seg6nr_dev_add("seg6nr-other", false);
	return stage->other ? 0 : -ENODEV;
}

static int del_other(struct stage *stage)
{
	seg6nr_dev_del(stage->other);
	stage->other = NULL;
	return 0;
}

static int other_down(struct stage *stage)
{
	return seg6nr_rtnl_link_down(stage->other->ifindex);
}

static int other_up(struct stage *stage)
{
	return seg6nr_rtnl_link_up(stage->other->ifindex);
}

static int device_down(struct stage *stage)
{
	return seg6nr_rtnl_link_down(stage->place.dev->ifindex);
}

static int device_gone(struct stage *stage)
{
	seg6nr_dev_del(stage->place.dev);
	stage->place.dev = NULL;
	return 0;
}

static int other_into_vrf(struct stage *stage)
{
	return seg6nr_rtnl_link_master(stage->other->ifindex, seg6nr_env.vrf);
}

static int other_out_of_vrf(struct stage *stage)
{
	return seg6nr_rtnl_link_master(stage->other->ifindex, 0);
}

static int into_vrf(struct stage *stage)
{
	return seg6nr_rtnl_link_master(stage->place.dev->ifindex,
				       seg6nr_env.vrf);
}

/* What the link watch does some time after a driver says so. */
static int set_carrier(struct stage *stage, bool on)
{
	struct net_device *dev = stage->place.dev;

	rtnl_lock();
	if (on)
		clear_bit(__LINK_STATE_NOCARRIER, &dev->state);
	else
		set_bit(__LINK_STATE_NOCARRIER, &dev->state);
	WRITE_ONCE(dev->operstate, on ? IF_OPER_UP : IF_OPER_DOWN);
	netdev_state_change(dev);
	rtnl_unlock();
	return 0;
}

static int carrier_off(struct stage *stage)
{
	return set_carrier(stage, false);
}

static int carrier_on(struct stage *stage)
{
	return set_carrier(stage, true);
}

static int set_ignore(struct stage *stage)
{
	struct inet6_dev *idev;

	rcu_read_lock();
	idev = __in6_dev_get(stage->place.dev);
	if (idev)
		WRITE_ONCE(idev->cnf.ignore_routes_with_linkdown, 1);
	rcu_read_unlock();
	return idev ? 0 : -ENODEV;
}

/**
 * struct change - one change of a device
 * @make: makes it
 * @looked: what the next packet finds, SEG6NR_HOP_MISS_CHANGED where unset
 * @hit: it finds what is remembered
 * @purges: nothing is held any more
 * @unseen: the module is not told
 * @bypass: why the next hop is not remembered then
 */
struct change {
	change_fn		*make;
	enum seg6nr_hop_event	looked;
	bool			hit;
	bool			purges;
	bool			unseen;
	enum seg6nr_hop_event	bypass;
};

#define CHANGES_MAX 6

struct series {
	const char	*name;
	bool		needs_vrf;
	struct change	changes[CHANGES_MAX];
};

#define PURGED .purges = true, .looked = SEG6NR_HOP_MISS_EMPTY

static const struct series series[] = {
	{ "mtu", false, { { change_mtu } } },
	{ "rename", false, { { rename_device }, { rename_back } } },
	{ "other_device", false, {
		{ add_other }, { other_down, PURGED }, { other_up },
		{ del_other, PURGED },
	} },
	{ "down", false, { { device_down, PURGED } } },
	{ "gone", false, { { device_gone, PURGED } } },
	{ "other_device_in_vrf", true, {
		{ add_other }, { other_down, PURGED }, { other_into_vrf },
		{ other_out_of_vrf }, { del_other, PURGED },
	} },
	{ "device_in_vrf", true, { { into_vrf, PURGED } } },
	{ "carrier", false, {
		{ carrier_off, .bypass = SEG6NR_HOP_BYPASS_ROUTE },
		{ carrier_on },
	} },
	{ "carrier_ignoring_routes", false, {
		{ set_ignore, .unseen = true, .hit = true },
		/* The first of two ways is passed over, not gone. */
		{ carrier_off, .bypass = SEG6NR_HOP_BYPASS_ROUTE },
		{ carrier_on },
	} },
};

static void series_desc(const struct series *row, char *desc)
{
	strscpy(desc, row->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(series, series, series_desc);

static void make_change(struct kunit *test, struct stage *stage,
			const struct series *row, unsigned int number)
{
	const struct seg6nr_holders *holders = stage->run.slwt->holders;
	const struct change *change = &row->changes[number];
	const char *flow = stage->run.flow->name;
	enum seg6nr_hop_event looked = change->looked;
	u32 changes = READ_ONCE(holders->changes);
	char what[64];

	if (change->make(stage))
		KUNIT_FAIL(test, "%s: %s: change %u: %s", flow, row->name,
			   number, seg6nr_rtnl_text());
	KUNIT_EXPECT_EQ_MSG(test, changes == READ_ONCE(holders->changes),
			    change->unseen, "%s: %s: change %u: seen", flow,
			    row->name, number);
	if (change->purges)
		KUNIT_EXPECT_EQ_MSG(test, atomic_read(&holders->hops) +
				    atomic_read(&holders->held), 0,
				    "%s: %s: change %u: held still", flow,
				    row->name, number);
	if (!looked && !change->hit)
		looked = SEG6NR_HOP_MISS_CHANGED;
	/* The kernel has no device to ask about any more. */
	if (!stage->place.dev) {
		stage->run.flow = NULL;
		return;
	}
	snprintf(what, sizeof(what), "%s: change %u", row->name, number);
	seg6nr_probe_twice(test, &stage->run, what, looked, change->bypass);
}

static void run_series(struct kunit *test, struct stage *stage,
		       const struct seg6nr_hop_flow *flow)
{
	const struct series *row = test->param_value;
	unsigned int i;

	if (!seg6nr_run_open(test, &stage->run, flow, &stage->place))
		return;
	seg6nr_run_warm_up(test, &stage->run);
	for (i = 0; i < CHANGES_MAX && row->changes[i].make; i++)
		make_change(test, stage, row, i);
	stage->run.flow = flow;
	seg6nr_run_close(test, &stage->run);
	del_other(stage);
}

/* Before 6.2 a device that is up keeps its name. */
static bool may_rename(struct stage *stage)
{
	if (rename_device(stage) == -EBUSY)
		return false;
	rename_back(stage);
	return true;
}

/* A packet behind each change of a device goes where a lookup leads. */
static void next_packet_follows_device(struct kunit *test)
{
	const struct series *row = test->param_value;
	struct stage stage = {};
	unsigned int f;

	if (row->needs_vrf && seg6nr_env.no_vrf) {
		kunit_mark_skipped(test, "%s", seg6nr_env.no_vrf);
		return;
	}
	if (row->changes[0].make == rename_device && !may_rename(&stage)) {
		kunit_mark_skipped(test, "this kernel renames no device that is up");
		return;
	}
	for (f = 0; f < SEG6NR_HOP_FLOWS; f++) {
		/* The others look up as these do. */
		if (seg6nr_hop_flows[f].inner && !seg6nr_hop_flows[f].vrf)
			continue;
		if (!place_open(test, &stage.place))
			return;
		run_series(test, &stage, &seg6nr_hop_flows[f]);
		place_close(&stage.place);
	}
}

static void flow_desc(const struct seg6nr_hop_flow *flow, char *desc)
{
	strscpy(desc, flow->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(hop_flow, seg6nr_hop_flows, flow_desc);

static s64 ms_to_leave(struct stage *stage)
{
	ktime_t start = ktime_get();

	device_gone(stage);
	return ktime_ms_delta(ktime_get(), start);
}

/*
 * A warm memory keeps no device.  The kernel looks whether one is kept once a
 * second, on top of what a device that nobody keeps takes.
 */
static void device_leaves_at_once(struct kunit *test)
{
	const struct seg6nr_hop_flow *flow = test->param_value;
	struct seg6nr_books before;
	struct stage stage = {};
	s64 cold, warm;

	seg6nr_books_read(&before);
	if (!place_open(test, &stage.place))
		return;
	cold = ms_to_leave(&stage);
	place_close(&stage.place);

	if (!place_open(test, &stage.place))
		return;
	if (!seg6nr_run_open(test, &stage.run, flow, &stage.place))
		goto close_place;
	seg6nr_run_warm_up(test, &stage.run);
	warm = ms_to_leave(&stage);
	KUNIT_EXPECT_TRUE_MSG(test, warm < cold + 1000,
			      "%s: the device took %lld ms to go, a cold one %lld",
			      flow->name, warm, cold);
	seg6nr_run_close(test, &stage.run);
close_place:
	place_close(&stage.place);
	seg6nr_books_check(test, &before, flow->name);
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(next_packet_follows_device, series_gen_params),
	/* Last, for it does not return where a device cannot go. */
	KUNIT_CASE_PARAM(device_leaves_at_once, hop_flow_gen_params),
	{}
};

struct kunit_suite seg6nr_device_suite = {
	.name = "seg6local_noref_device",
	.init = seg6nr_hop_init,
	.exit = seg6nr_hop_exit,
	.test_cases = cases,
};
