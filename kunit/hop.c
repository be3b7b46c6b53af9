// SPDX-License-Identifier: GPL-2.0-only
/*
 * hop.c - probes of SIDs that remember next hops
 */
#include <linux/delay.h>
#include <linux/in.h>
#include <linux/netdevice.h>
#include <net/ip6_fib.h>
#include <net/ip6_route.h>
#include <net/l3mdev.h>

#include "harness.h"
#include "hop.h"
#include "netns.h"

const struct seg6nr_hop_flow seg6nr_hop_flows[SEG6NR_HOP_FLOWS] = {
	{ .name = "end", .action = SEG6NR_ACT_END },
	{ .name = "end_x_gateway", .action = SEG6NR_ACT_END_X, .known = true },
	{ .name = "end_x_onlink", .action = SEG6NR_ACT_END_X, .known = true,
	  .onlink = true },
	{ .name = "end_x_oif_gateway", .action = SEG6NR_ACT_END_X,
	  .known = true, .oif = true },
	{ .name = "end_x_oif_onlink", .action = SEG6NR_ACT_END_X,
	  .known = true, .onlink = true, .oif = true },
	{ .name = "end_t", .action = SEG6NR_ACT_END_T,
	  .table = SEG6NR_TABLE_ROUTES },
	{ .name = "end_dx6_any", .action = SEG6NR_ACT_END_DX6, .inner = true },
	{ .name = "end_dx6_onlink", .action = SEG6NR_ACT_END_DX6,
	  .inner = true, .known = true, .onlink = true },
	{ .name = "end_dt6", .action = SEG6NR_ACT_END_DT6, .inner = true,
	  .table = SEG6NR_TABLE_ROUTES },
	{ .name = "end_dt6_vrf", .action = SEG6NR_ACT_END_DT6, .inner = true,
	  .vrf = true },
};

static const char * const event_names[SEG6NR_HOP_EVENTS] = {
	[SEG6NR_HOP_HIT]		= "hit",
	[SEG6NR_HOP_MISS_EMPTY]		= "miss_empty",
	[SEG6NR_HOP_MISS_KEY]		= "miss_key",
	[SEG6NR_HOP_MISS_CHANGED]	= "miss_changed",
	[SEG6NR_HOP_MISS_ROUTE]		= "miss_route",
	[SEG6NR_HOP_MISS_AGE]		= "miss_age",
	[SEG6NR_HOP_BYPASS_HOST]	= "bypass_host",
	[SEG6NR_HOP_BYPASS_RULES]	= "bypass_rules",
	[SEG6NR_HOP_BYPASS_ROUTE]	= "bypass_route",
	[SEG6NR_HOP_BYPASS_BUSY]	= "bypass_busy",
	[SEG6NR_HOP_BYPASS_FULL]	= "bypass_full",
};

/**
 * seg6nr_place_env() - the place that is always there
 * @place: filled in
 */
void seg6nr_place_env(struct seg6nr_place *place)
{
	place->dev = seg6nr_env.out;
	place->nexthop = seg6nr_addr_nexthop;
	place->behind = seg6nr_addr_behind;
}

static struct seg6nr_route sid_route(const struct seg6nr_sid *sid)
{
	return (struct seg6nr_route) {
		.family = AF_INET6,
		.plen = 128,
		.dst = &seg6nr_addr_sid,
		.oif = seg6nr_env.in->ifindex,
		.sid = sid,
	};
}

/* The state behind the SID's route, which holds it until it is deleted. */
static struct seg6nr_lwt *find_state(void)
{
	struct flowi6 fl6 = {
		.flowi6_iif = seg6nr_env.in->ifindex,
		.daddr = seg6nr_addr_sid,
		.saddr = seg6nr_addr_peer,
	};
	struct lwtunnel_state *lwtstate;

	local_bh_disable();
	rcu_read_lock();
	lwtstate = seg6nr_route_noref(NULL, &fl6)->lwtstate;
	rcu_read_unlock();
	local_bh_enable();
	return lwtstate ? (struct seg6nr_lwt *)lwtstate->data : NULL;
}

/**
 * seg6nr_run_open() - make a SID
 * @test: the case; failed if this is not possible, or skipped
 * @run: filled in
 * @flow: what the SID does
 * @place: where it leads
 *
 * Return: true if the case may go on; it must call seg6nr_run_close() then.
 */
bool seg6nr_run_open(struct kunit *test, struct seg6nr_run *run,
		     const struct seg6nr_hop_flow *flow,
		     const struct seg6nr_place *place)
{
	struct seg6nr_route route;
	int err;

	if (!SEG6NR_STORES_IN_ORDER || (flow->vrf && seg6nr_env.no_vrf))
		return false;

	memset(run, 0, sizeof(*run));
	run->flow = flow;
	run->in = seg6nr_env.in;
	run->mark = SEG6NR_MARK;
	run->place = *place;
	run->goal = flow->onlink ? place->nexthop : place->behind;
	run->table = flow->vrf ? SEG6NR_TABLE_VRF : flow->table;
	run->sid.action = flow->action;
	run->sid.table = flow->table;
	run->sid.vrftable = flow->vrf ? SEG6NR_TABLE_VRF : 0;
	run->sid.oif = flow->oif ? place->dev->ifindex : 0;
	if (flow->known)
		run->sid.nh6 = &run->goal;
	else if (flow->action == SEG6NR_ACT_END_DX6)
		run->sid.nh6 = &seg6nr_addr_any;
	if (flow->inner)
		seg6nr_frame_inner6(&run->frame, &run->place.behind);
	else
		seg6nr_frame_steered(&run->frame, &run->place.behind);

	route = sid_route(&run->sid);
	err = seg6nr_rtnl_route_add(&route);
	if (err) {
		KUNIT_FAIL(test, "%s: cannot add the SID: error %d %s",
			   flow->name, err, seg6nr_rtnl_text());
		return false;
	}
	run->slwt = find_state();
	if (run->slwt && run->slwt->holders)
		return true;
	KUNIT_FAIL(test, "%s: the SID has no state", flow->name);
	seg6nr_run_close(test, run);
	return false;
}

/**
 * seg6nr_run_close() - delete the SID
 * @test: the case
 * @run: as it was opened
 */
void seg6nr_run_close(struct kunit *test, struct seg6nr_run *run)
{
	struct seg6nr_route route = sid_route(NULL);

	if (seg6nr_rtnl_route_del(&route))
		KUNIT_FAIL(test, "%s: cannot delete the SID: %s",
			   run->flow->name, seg6nr_rtnl_text());
}

/**
 * seg6nr_run_hop() - what this CPU remembers for the goal
 * @run: the SID
 *
 * Return: NULL for nothing.
 */
struct seg6nr_hop *seg6nr_run_hop(const struct seg6nr_run *run)
{
	struct seg6nr_hops *hops;
	struct seg6nr_hop *hop = NULL;

	local_bh_disable();
	rcu_read_lock();
	hops = seg6nr_hops_noref(run->slwt);
	if (hops)
		hop = rcu_dereference(hops->way[seg6nr_way_of(run->slwt,
							      &run->goal)]);
	rcu_read_unlock();
	local_bh_enable();
	return hop;
}

/**
 * seg6nr_run_count() - how often something has happened in the namespace
 * @run: any SID
 * @event: what
 *
 * Return: the sum over all CPUs.
 */
unsigned long seg6nr_run_count(const struct seg6nr_run *run, int event)
{
	struct seg6nr_hop_stats __percpu *stats = run->slwt->holders->stats;
	unsigned long sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu_ptr(stats, cpu)->count[event]);
	return sum;
}

/**
 * struct answer - what the kernel finds
 * @dst: compared only, it may be gone
 * @dev: NULL where packets are not forwarded
 * @gateway: of the route
 * @prefix: what it leads to
 * @multipath: the packet is marked so that errors about it follow its path
 * @clone: another one is made for each lookup
 * @refused: it leads elsewhere than the SID may
 */
struct answer {
	const struct dst_entry	*dst;
	const struct net_device	*dev;
	struct in6_addr		gateway;
	struct in6_addr		prefix;
	bool			multipath;
	bool			clone;
	bool			refused;
};

/* One lookup; @owned: it brings a reference. */
static struct dst_entry *look_up(const struct seg6nr_run *run, bool *owned)
{
	const int flags = RT6_LOOKUP_F_HAS_SADDR | RT6_LOOKUP_F_DST_NOREF;
	struct net_device *dev = run->in;
	struct net *net = seg6nr_env.net;
	struct flowi6 fl6 = {
		.flowi6_mark = run->mark,
		.flowi6_proto = run->flow->inner ? IPPROTO_UDP :
						   IPPROTO_ROUTING,
		.flowi6_flags = run->flow->known ? FLOWI_FLAG_KNOWN_NH : 0,
		.saddr = seg6nr_addr_peer,
		.daddr = run->goal,
	};
	struct dst_entry *dst;

	if (run->flow->oif) {
		fl6.flowi6_iif = LOOPBACK_IFINDEX;
		fl6.flowi6_oif = run->place.dev->ifindex;
		*owned = true;
		return ip6_route_output(net, NULL, &fl6);
	}
	if (run->flow->vrf)
		dev = dev_get_by_index_rcu(net, seg6nr_env.vrf);
	fl6.flowi6_iif = dev->ifindex;
	if (run->flow->table)
		dst = &ip6_pol_route(net, fib6_get_table(net, run->table), 0,
				     &fl6, NULL, flags)->dst;
	else
		dst = ip6_route_input_lookup(net, dev, &fl6, NULL, flags);
	*owned = seg6nr_rt6_uncached(dst_rt6_info(dst));
	return dst;
}

static void ask(const struct seg6nr_run *run, struct answer *answer)
{
	const struct fib6_info *from;
	const struct rt6_info *rt;
	struct dst_entry *dst;
	bool owned;

	local_bh_disable();
	rcu_read_lock();
	dst = look_up(run, &owned);
	rt = dst_rt6_info(dst);
	answer->dst = dst;
	answer->dev = dst->error ? NULL : dst->dev;
	answer->gateway = rt->rt6i_gateway;
	answer->prefix = rt->rt6i_dst.addr;
	answer->clone = seg6nr_rt6_uncached(rt);
	from = rcu_dereference(rt->from);
	/* What is shared by an object's routes has a number. */
	answer->multipath = IP6SKB_MULTIPATH && !run->flow->oif &&
			    (rt->sernum || (from && from->nh));
	if (answer->dev && (answer->dev->flags & IFF_LOOPBACK ||
			    netif_is_l3_master(answer->dev)))
		answer->dev = NULL;
	answer->refused = run->flow->oif && answer->dev &&
			  answer->dev != run->place.dev;
	if (answer->refused)
		answer->dev = NULL;
	if (owned)
		dst_release(dst);
	rcu_read_unlock();
	local_bh_enable();
}

static void note_route(struct seg6nr_watch *watch, struct sk_buff *skb)
{
	struct answer *seen = watch->priv;
	const struct rt6_info *rt = dst_rt6_info(skb_dst(skb));

	seen->dst = skb_dst(skb);
	seen->dev = skb_dst(skb)->dev;
	seen->gateway = rt->rt6i_gateway;
	seen->prefix = rt->rt6i_dst.addr;
	seen->multipath = IP6CB(skb)->flags & IP6SKB_MULTIPATH;
}

static void compare(struct kunit *test, const struct seg6nr_run *run,
		    const char *what, const struct answer *want,
		    const struct answer *seen)
{
	const char *name = run->flow->name;

	KUNIT_EXPECT_TRUE_MSG(test, seen->dev == want->dev,
			      "%s: %s: expected device %s, seen %s", name, what,
			      want->dev ? want->dev->name : "none",
			      seen->dev ? seen->dev->name : "none");
	if (!seen->dev || seen->dev != want->dev)
		return;

	KUNIT_EXPECT_TRUE_MSG(test,
			      ipv6_addr_equal(&seen->gateway, &want->gateway) &&
			      ipv6_addr_equal(&seen->prefix, &want->prefix),
			      "%s: %s: expected %pI6c via %pI6c, seen %pI6c via %pI6c",
			      name, what, &want->prefix, &want->gateway,
			      &seen->prefix, &seen->gateway);
	KUNIT_EXPECT_EQ_MSG(test, seen->multipath, want->multipath,
			    "%s: %s: mark of a chosen path", name, what);
	KUNIT_EXPECT_TRUE_MSG(test, want->clone || seen->dst == want->dst,
			      "%s: %s: another route than the kernel's", name,
			      what);
}

static void check_counts(struct kunit *test, const struct seg6nr_run *run,
			 const char *what, const unsigned long *before,
			 enum seg6nr_hop_event looked,
			 enum seg6nr_hop_event bypass)
{
	unsigned long seen;
	int event;

	for (event = 0; event < SEG6NR_HOP_EVENTS; event++) {
		seen = seg6nr_run_count(run, event) - before[event];
		KUNIT_EXPECT_EQ_MSG(test, seen,
				    event == looked || (bypass && event == bypass),
				    "%s: %s: %s", run->flow->name, what,
				    event_names[event]);
	}
}

static void send_one(struct kunit *test, const struct seg6nr_run *run)
{
	struct sk_buff *skb = seg6nr_skb(&run->frame);

	if (!skb) {
		KUNIT_FAIL(test, "no memory for a packet");
		return;
	}
	skb->mark = run->mark;
	skb->dev = run->in;
	seg6nr_inject(skb);
}

/**
 * seg6nr_probe() - send a packet and see what becomes of it
 * @test: the case
 * @run: the SID
 * @what: has happened before, for messages
 * @looked: what is found in the memory, SEG6NR_HOP_NONE if it is not asked
 * @bypass: why the answer is not remembered, 0 if it is, or where the answer
 *	    tells: an error is not, and nothing is counted if the SID refuses it
 *
 * Return: whether the answer is remembered.
 */
bool seg6nr_probe(struct kunit *test, const struct seg6nr_run *run,
		  const char *what, enum seg6nr_hop_event looked,
		  enum seg6nr_hop_event bypass)
{
	struct answer want, seen = {};
	struct seg6nr_watch watch = {
		.end = SEG6NR_AT_FORWARD,
		.look = note_route,
		.priv = &seen,
	};
	unsigned long before[SEG6NR_HOP_EVENTS];
	int event;

	ask(run, &want);
	for (event = 0; event < SEG6NR_HOP_EVENTS; event++)
		before[event] = seg6nr_run_count(run, event);
	seg6nr_watch_start(&watch);
	send_one(test, run);
	seg6nr_watch_stop(&watch);

	if (!run->blind)
		compare(test, run, what, &want, &seen);
	if (!bypass && !want.dev && !want.refused && looked != SEG6NR_HOP_HIT &&
	    looked != SEG6NR_HOP_NONE)
		bypass = SEG6NR_HOP_BYPASS_ROUTE;
	if (want.refused && bypass == SEG6NR_HOP_BYPASS_ROUTE)
		bypass = 0;
	check_counts(test, run, what, before, looked, bypass);
	return want.dev && !bypass;
}

/**
 * seg6nr_run_warm_up() - send packets until the last two were hits
 * @test: the case
 * @run: the SID
 *
 * For places that are new: the kernel puts some work on them off.
 */
void seg6nr_run_warm_up(struct kunit *test, const struct seg6nr_run *run)
{
	unsigned long hits;
	int tries, i;

	for (tries = 0; tries < 100; tries++) {
		hits = seg6nr_run_count(run, SEG6NR_HOP_HIT);
		for (i = 0; i < 2; i++) {
			msleep(20);
			send_one(test, run);
		}
		if (seg6nr_run_count(run, SEG6NR_HOP_HIT) == hits + 2)
			return;
	}
	KUNIT_FAIL(test, "%s: it does not get warm", run->flow->name);
}

/**
 * seg6nr_probe_twice() - the same, and see whether it was remembered
 * @test: the case
 * @run: the SID
 * @what: has happened before, for messages
 * @looked: as for seg6nr_probe()
 * @bypass: as there
 */
void seg6nr_probe_twice(struct kunit *test, const struct seg6nr_run *run,
			const char *what, enum seg6nr_hop_event looked,
			enum seg6nr_hop_event bypass)
{
	if (seg6nr_probe(test, run, what, looked, bypass))
		looked = SEG6NR_HOP_HIT;
	seg6nr_probe(test, run, what, looked, bypass);
}

/**
 * seg6nr_next_jiffy() - wait until places are free again
 *
 * A remembered next hop is not driven out in the jiffy that it came in.
 */
void seg6nr_next_jiffy(void)
{
	unsigned long now = jiffies;

	while (!time_after(jiffies, now))
		usleep_range(1000, 2000);
}

/**
 * seg6nr_hop_init() - what each case about remembered next hops starts with
 * @test: the case
 *
 * Nothing gets old while a slow machine works.
 *
 * Return: 0 or a negative error.
 */
int seg6nr_hop_init(struct kunit *test)
{
	int err;

	if (!SEG6NR_STORES_IN_ORDER)
		kunit_mark_skipped(test, "not on this architecture");
	err = seg6nr_flow_mode(SEG6NR_REMEMBER);
	if (!err)
		err = seg6nr_param_set(SEG6NR_PARAM_MAX_AGE, 0);
	return err ?: seg6nr_case_init(test);
}

/**
 * seg6nr_hop_exit() - undo seg6nr_hop_init()
 * @test: the case
 */
void seg6nr_hop_exit(struct kunit *test)
{
	seg6nr_param_set(SEG6NR_PARAM_MAX_AGE, SEG6NR_MAX_AGE);
	seg6nr_param_set(SEG6NR_PARAM_LIMIT, SEG6NR_LIMIT);
}
