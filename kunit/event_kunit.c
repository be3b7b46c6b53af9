// SPDX-License-Identifier: GPL-2.0-only
/*
 * event_kunit.c - routes, rules, objects and addresses that come and go
 *
 * Whatever changes between two packets, the second one must go where a lookup
 * leads, and the module must say why it did not use the first one's next hop.
 */
#include <linux/delay.h>
#include <linux/fib_rules.h>
#include <linux/in.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <net/ip6_fib.h>
#include <net/ip6_route.h>

#include "harness.h"
#include "hop.h"
#include "suites.h"

#define TABLE_EARLIER	210
#define RULE_PRIORITY	500
#define OBJECT_ID	7
#define OTHER_ID	8
#define GROUP_ID	9

/* Which SIDs an event is for. */
enum whom { ALL, BY_RULES, BY_TABLE, ONLINK, GATEWAY, NOT_BY_OIF, DIRECT_OIF };

/* Where a route of a step leads. */
enum way {
	OTHER,		/* by way of another device's neighbour */
	SAME,		/* as the SID's present answer does */
	OBJECT,		/* to the nexthop object */
	GROUP,		/* to the group */
};

struct step;

/* Returns an error. */
typedef int action_fn(struct seg6nr_run *run, const struct step *step);

/**
 * struct step - one change, and what packets show behind it
 * @act: make it
 * @del: undo it instead
 * @plen: of a route, 0 for that of the present answer
 * @type: RTN_* or FR_ACT_*
 * @table: of a route or rule, 0 for the SID's
 * @way: see there
 * @append: the route stands beside others
 * @metric: of the route, 0 for the usual one
 * @rule: selectors
 * @blind: the kernel's choice is a matter of chance
 * @wait: milliseconds for the kernel to finish what it puts off
 * @looked: what the first packet finds, SEG6NR_HOP_MISS_CHANGED where unset
 * @hit: it finds what is remembered
 * @bypass: why the answer is not remembered
 */
struct step {
	action_fn		*act;
	bool			del;
	u8			plen;
	u8			type;
	u32			table;
	enum way		way;
	bool			append;
	u32			metric;
	struct seg6nr_rule	rule;
	bool			blind;
	unsigned int		wait;
	enum seg6nr_hop_event	looked;
	bool			hit;
	enum seg6nr_hop_event	bypass;
};

#define STEPS_MAX 8

struct event {
	const char	*name;
	enum whom	whom;
	struct step	steps[STEPS_MAX];
};

static action_fn do_route, do_rule, do_object, do_group, do_address,
		 do_forwarding, do_exception, do_pmtu, do_expiry, do_source,
		 do_lost, do_sernum, do_obsolete, do_flag, do_replace;

#define ROUTE(...)	{ .act = do_route, ##__VA_ARGS__ }
#define NO_ROUTE(...)	{ .act = do_route, .del = true, ##__VA_ARGS__ }
#define RULE(...)	{ .act = do_rule, ##__VA_ARGS__ }
#define NO_RULE(...)	{ .act = do_rule, .del = true, ##__VA_ARGS__ }
#define ACT(_act, ...)	{ .act = do_##_act, ##__VA_ARGS__ }
#define UNDO(_act, ...)	{ .act = do_##_act, .del = true, ##__VA_ARGS__ }

/* A rule of the given selectors: a packet looks at more than is compared. */
#define UNKNOWN_RULE(...) {						\
	RULE(.rule = { __VA_ARGS__ }, .bypass = SEG6NR_HOP_BYPASS_RULES), \
	NO_RULE(.rule = { __VA_ARGS__ }),				\
}

#define KNOWN_RULE(...)	\
	{ RULE(.rule = { __VA_ARGS__ }), NO_RULE(.rule = { __VA_ARGS__ }) }

#define NOT_SOLE .blind = true, .bypass = SEG6NR_HOP_BYPASS_ROUTE
#define ROUTE_GONE .looked = SEG6NR_HOP_MISS_ROUTE
#define ROUTE_BAD ROUTE_GONE, .bypass = SEG6NR_HOP_BYPASS_ROUTE

/* What 7.2 and later do not let modules ask is not remembered. */
#define OBJECT_IN_TABLE	\
	(SEG6NR_MATCHES_IN_TABLE ? 0 : SEG6NR_HOP_BYPASS_ROUTE)

static const struct event events[] = {
	{ "more_specific_route", ALL, {
		ROUTE(.plen = 128), NO_ROUTE(.plen = 128),
	} },
	{ "more_specific_route_the_same_way", ALL, {
		ROUTE(.plen = 128, .way = SAME),
		NO_ROUTE(.plen = 128, .way = SAME),
	} },
	{ "route_of_another_metric", ALL, {
		ROUTE(.metric = 4096), NO_ROUTE(.metric = 4096),
	} },
	{ "second_path", ALL, {
		ROUTE(.plen = 120, .way = SAME),
		ROUTE(.plen = 120, .append = true, NOT_SOLE),
		NO_ROUTE(.plen = 120),
		NO_ROUTE(.plen = 120, .way = SAME),
	} },
	{ "route_replaced", ALL, {
		ROUTE(.plen = 128, .way = SAME),
		ACT(replace, .plen = 128),
		NO_ROUTE(.plen = 128),
	} },
	{ "unreachable_route", ALL, {
		ROUTE(.plen = 128, .type = RTN_UNREACHABLE),
		NO_ROUTE(.plen = 128, .type = RTN_UNREACHABLE),
	} },
	{ "blackhole_route", ALL, {
		ROUTE(.plen = 128, .type = RTN_BLACKHOLE),
		NO_ROUTE(.plen = 128, .type = RTN_BLACKHOLE),
	} },
	{ "throw_route", ALL, {
		ROUTE(.plen = 128, .type = RTN_THROW),
		NO_ROUTE(.plen = 128, .type = RTN_THROW),
	} },
	{ "earlier_table", BY_RULES, {
		RULE(.table = TABLE_EARLIER),
		ROUTE(.plen = 64, .table = TABLE_EARLIER),
		ROUTE(.plen = 128, .table = TABLE_EARLIER, .type = RTN_THROW),
		NO_ROUTE(.plen = 128, .table = TABLE_EARLIER,
			 .type = RTN_THROW),
		NO_ROUTE(.plen = 64, .table = TABLE_EARLIER),
		NO_RULE(.table = TABLE_EARLIER),
	} },
	{ "other_table", BY_TABLE, {
		ROUTE(.plen = 128, .table = TABLE_EARLIER),
		NO_ROUTE(.plen = 128, .table = TABLE_EARLIER),
	} },
	{ "rule_from", ALL, UNKNOWN_RULE(.src = &seg6nr_addr_peer) },
	{ "rule_to", ALL, UNKNOWN_RULE(.dst = &seg6nr_addr_nowhere) },
	{ "rule_tos", ALL, UNKNOWN_RULE(.tos = 0x10) },
	{ "rule_ipproto", ALL, UNKNOWN_RULE(.proto = IPPROTO_UDP) },
	{ "rule_suppress_ifgroup", ALL, UNKNOWN_RULE(.suppress_group = 12) },
	{ "rule_fwmark", ALL, KNOWN_RULE(.mark = SEG6NR_MARK) },
	{ "rule_iif", ALL, KNOWN_RULE(.iif = "seg6nr-in") },
	{ "rule_suppress_prefixlength", ALL, KNOWN_RULE(.suppress = 1) },
	{ "rule_l3mdev", ALL, KNOWN_RULE(.l3mdev = true) },
	{ "source_route", ALL, {
		ACT(source, .bypass = SEG6NR_HOP_BYPASS_HOST), UNDO(source),
	} },
	{ "own_address", BY_RULES, {
		ACT(address, .wait = 100), UNDO(address, .wait = 100),
	} },
	{ "forwarding_off_and_on", ALL, {
		ACT(forwarding, .blind = true,
		    .bypass = SEG6NR_HOP_BYPASS_HOST),
		UNDO(forwarding, .hit = true),
	} },
	{ "pmtu_exception", NOT_BY_OIF, {
		ROUTE(.plen = 128, .way = SAME),
		ACT(exception),
		NO_ROUTE(.plen = 128, .way = SAME),
	} },
	{ "pmtu_of_held_route", ONLINK, { ACT(pmtu, ROUTE_GONE) } },
	{ "expiry_set_in_place", ALL, {
		ROUTE(.plen = 128, .way = SAME),
		ACT(expiry, ROUTE_BAD),
		UNDO(expiry, .hit = true),
		NO_ROUTE(.plen = 128, .way = SAME),
	} },
	{ "deletion_not_counted", ALL, {
		ROUTE(.plen = 128, .way = SAME), ACT(lost, ROUTE_GONE),
	} },
	{ "node_changed_only", ALL, {
		ACT(sernum, ROUTE_GONE), UNDO(sernum, ROUTE_GONE),
	} },
	{ "route_dead", ALL, {
		ACT(obsolete, ROUTE_BAD), UNDO(obsolete, .hit = true),
	} },
	{ "route_expires", GATEWAY, {
		ACT(flag, ROUTE_BAD), UNDO(flag, .hit = true),
	} },
	{ "object", NOT_BY_OIF, {
		ACT(object, .hit = true),
		ROUTE(.plen = 128, .way = OBJECT),
		NO_ROUTE(.plen = 128, .way = OBJECT),
		UNDO(object, .hit = true),
	} },
	{ "object_replaced", NOT_BY_OIF, {
		ACT(object, .hit = true),
		ROUTE(.plen = 128, .way = OBJECT),
		ACT(object, .append = true),
		NO_ROUTE(.plen = 128, .way = OBJECT),
		UNDO(object, .hit = true),
	} },
	{ "object_deleted", NOT_BY_OIF, {
		ACT(object, .hit = true),
		ROUTE(.plen = 128, .way = OBJECT), UNDO(object),
	} },
	{ "object_behind_device", DIRECT_OIF, {
		ACT(object, .hit = true),
		ROUTE(.plen = 128, .way = OBJECT), UNDO(object),
	} },
	{ "group", NOT_BY_OIF, {
		ACT(object, .hit = true), ACT(group, .hit = true),
		ROUTE(.plen = 128, .way = GROUP, NOT_SOLE),
		NO_ROUTE(.plen = 128, .way = GROUP),
		UNDO(group, .hit = true), UNDO(object, .hit = true),
	} },
};

static void event_desc(const struct event *event, char *desc)
{
	strscpy(desc, event->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(event, events, event_desc);

static bool concerns(const struct event *event,
		     const struct seg6nr_hop_flow *flow)
{
	switch (event->whom) {
	case BY_RULES:
		return !flow->table;
	case BY_TABLE:
		return flow->table;
	case ONLINK:
		return flow->onlink;
	case GATEWAY:
		return !flow->onlink;
	case NOT_BY_OIF:
		return !flow->oif;
	case DIRECT_OIF:
		return flow->oif && flow->onlink;
	case ALL:
		break;
	}
	return true;
}

/* The route to the goal that leads as @way says. */
static struct seg6nr_route route_of(struct seg6nr_run *run,
				    const struct step *step,
				    struct in6_addr *prefix)
{
	const struct seg6nr_place *place = &run->place;
	struct seg6nr_route route = {
		.family = AF_INET6,
		.plen = step->plen ?: run->flow->onlink ? 64 : 48,
		.type = step->type,
		.table = step->table ?: run->table,
		.dst = prefix,
		.metric = step->metric,
	};

	ipv6_addr_prefix(prefix, &run->goal, route.plen);
	if (step->type && step->type != RTN_UNICAST)
		return route;
	if (step->way == OBJECT || step->way == GROUP) {
		route.nhid = step->way == OBJECT ? OBJECT_ID : GROUP_ID;
		return route;
	}
	route.oif = (step->way == SAME ? place->dev :
					 seg6nr_env.keep)->ifindex;
	if (step->way == OTHER)
		route.gw = &seg6nr_addr_keep_nexthop;
	else if (!run->flow->onlink)
		route.gw = &place->nexthop;
	return route;
}

static int do_route(struct seg6nr_run *run, const struct step *step)
{
	struct in6_addr prefix;
	const struct seg6nr_route route = route_of(run, step, &prefix);

	if (step->del)
		return seg6nr_rtnl_route_del(&route);
	return (step->append ? seg6nr_rtnl_route_append :
			       seg6nr_rtnl_route_add)(&route);
}

static int do_replace(struct seg6nr_run *run, const struct step *step)
{
	struct in6_addr prefix;
	const struct seg6nr_route route = route_of(run, step, &prefix);

	return seg6nr_rtnl_route_replace(&route);
}

/* A source of its own comes by way of another device. */
static int do_source(struct seg6nr_run *run, const struct step *step)
{
	struct step as_usual = *step;
	struct in6_addr prefix;
	struct seg6nr_route route;

	as_usual.plen = 128;
	route = route_of(run, &as_usual, &prefix);
	route.src = &seg6nr_addr_peer;
	return (step->del ? seg6nr_rtnl_route_del : seg6nr_rtnl_route_add)
		(&route);
}

static int do_rule(struct seg6nr_run *run, const struct step *step)
{
	struct seg6nr_rule rule = step->rule;

	rule.action = step->type ?: FR_ACT_TO_TBL;
	rule.priority = RULE_PRIORITY;
	if (!step->type && !rule.l3mdev)
		rule.table = rule.suppress ? RT_TABLE_MAIN : TABLE_EARLIER;
	return (step->del ? seg6nr_rtnl_rule_del : seg6nr_rtnl_rule_add)
		(&rule);
}

/* @append: the object is there and leads elsewhere from now on. */
static int do_object(struct seg6nr_run *run, const struct step *step)
{
	bool onlink = run->flow->onlink;

	if (step->del)
		return seg6nr_rtnl_nexthop_del(OBJECT_ID);
	if (step->append)
		return seg6nr_rtnl_nexthop_replace(OBJECT_ID,
						   seg6nr_env.keep->ifindex,
						   onlink ? NULL :
						   &seg6nr_addr_keep_nexthop);
	return seg6nr_rtnl_nexthop_add(OBJECT_ID, run->place.dev->ifindex,
				       onlink ? NULL : &run->place.nexthop);
}

static int do_group(struct seg6nr_run *run, const struct step *step)
{
	const u32 members[] = { OBJECT_ID, OTHER_ID };
	int err;

	if (step->del) {
		err = seg6nr_rtnl_nexthop_del(GROUP_ID);
		return err ?: seg6nr_rtnl_nexthop_del(OTHER_ID);
	}
	err = seg6nr_rtnl_nexthop_add(OTHER_ID, seg6nr_env.keep->ifindex,
				      &seg6nr_addr_keep_nexthop);
	return err ?: seg6nr_rtnl_nexthop_group(GROUP_ID, members, 2);
}

static int do_address(struct seg6nr_run *run, const struct step *step)
{
	int ifindex = seg6nr_env.keep->ifindex;

	if (step->del)
		return seg6nr_rtnl_addr_del(ifindex, &run->goal, 128);
	return seg6nr_rtnl_addr_add(AF_INET6, ifindex, &run->goal, 128);
}

static int do_forwarding(struct seg6nr_run *run, const struct step *step)
{
	WRITE_ONCE(seg6nr_env.net->ipv6.devconf_all->forwarding, step->del);
	return 0;
}

static void note_dst(struct seg6nr_watch *watch, struct sk_buff *skb)
{
	struct dst_entry **dst = watch->priv;

	if (dst_hold_safe(skb_dst(skb)))
		*dst = skb_dst(skb);
}

/* What a packet goes by now, a reference on it. */
static struct dst_entry *present_dst(struct seg6nr_run *run)
{
	struct dst_entry *dst = NULL;
	struct seg6nr_watch watch = {
		.end = SEG6NR_AT_FORWARD,
		.look = note_dst,
		.priv = &dst,
	};
	struct sk_buff *skb = seg6nr_skb(&run->frame);

	if (!skb)
		return NULL;
	seg6nr_watch_start(&watch);
	seg6nr_inject(skb);
	seg6nr_watch_stop(&watch);
	return dst;
}

/* Learn, on the route in use, that the path to the goal is narrow. */
static int update_pmtu(struct seg6nr_run *run)
{
	struct sk_buff *skb = seg6nr_skb(&run->frame);
	struct dst_entry *dst = present_dst(run);

	if (skb && dst) {
		ipv6_hdr(skb)->daddr = run->goal;
		local_bh_disable();
		dst->ops->update_pmtu(dst, NULL, skb, IPV6_MIN_MTU, false);
		local_bh_enable();
	}
	kfree_skb(skb);
	dst_release(dst);
	return skb && dst ? 0 : -ENOMEM;
}

static int do_exception(struct seg6nr_run *run, const struct step *step)
{
	return update_pmtu(run);
}

static int do_pmtu(struct seg6nr_run *run, const struct step *step)
{
	return update_pmtu(run);
}

/* As an advertisement does. */
static int do_expiry(struct seg6nr_run *run, const struct step *step)
{
	struct seg6nr_hop *hop = seg6nr_run_hop(run);
	struct fib6_info *from = hop ? hop->from : NULL;

	if (!from)
		return -ENOENT;
	from->expires = jiffies + 1000 * HZ;
	WRITE_ONCE(from->fib6_flags, step->del ?
		   from->fib6_flags & ~RTF_EXPIRES :
		   from->fib6_flags | RTF_EXPIRES);
	return 0;
}

/* Two deletions at a time in two tables may be counted as one. */
static int do_lost(struct seg6nr_run *run, const struct step *step)
{
	const struct step same = { .plen = 128, .way = SAME, .del = true };
	struct rt6_statistics *stats = seg6nr_env.net->ipv6.rt6_stats;
	u32 before = stats->fib_discarded_routes;
	int err;

	err = do_route(run, &same);
	stats->fib_discarded_routes = before;
	return err;
}

static int do_sernum(struct seg6nr_run *run, const struct step *step)
{
	struct seg6nr_hop *hop = seg6nr_run_hop(run);
	struct fib6_node *fn;

	if (!hop)
		return -ENOENT;
	rcu_read_lock();
	fn = rcu_dereference(hop->from->fib6_node);
	WRITE_ONCE(fn->fn_sernum, fn->fn_sernum + (step->del ? 1 : -1));
	rcu_read_unlock();
	return 0;
}

static int do_obsolete(struct seg6nr_run *run, const struct step *step)
{
	struct seg6nr_hop *hop = seg6nr_run_hop(run);

	if (!hop)
		return -ENOENT;
	WRITE_ONCE(hop->rt->dst.obsolete, step->del ? DST_OBSOLETE_FORCE_CHK :
						      DST_OBSOLETE_DEAD);
	return 0;
}

static int do_flag(struct seg6nr_run *run, const struct step *step)
{
	struct seg6nr_hop *hop = seg6nr_run_hop(run);

	if (!hop)
		return -ENOENT;
	hop->rt->rt6i_flags ^= RTF_EXPIRES;
	return 0;
}

/* Why the answer behind a step is not remembered by this SID. */
static enum seg6nr_hop_event bypass_of(const struct seg6nr_run *run,
				       const struct step *step)
{
	if (step->bypass == SEG6NR_HOP_BYPASS_RULES && run->flow->table)
		return 0;
	if (step->act == do_exception && !run->flow->onlink)
		return SEG6NR_HOP_BYPASS_ROUTE;
	if (step->act == do_object && step->append && run->flow->table)
		return OBJECT_IN_TABLE;
	if (step->act == do_route && step->way == OBJECT && !step->del &&
	    run->flow->table)
		return OBJECT_IN_TABLE;
	return step->bypass;
}

static enum seg6nr_hop_event looked_of(const struct seg6nr_run *run,
				       const struct step *step)
{
	if (step->hit)
		return SEG6NR_HOP_HIT;
	/* There it is the held route that is changed. */
	if (step->act == do_exception && run->flow->onlink)
		return SEG6NR_HOP_MISS_ROUTE;
	return step->looked ?: SEG6NR_HOP_MISS_CHANGED;
}

static void take_step(struct kunit *test, struct seg6nr_run *run,
		      const struct event *event, unsigned int number)
{
	const struct step *step = &event->steps[number];
	enum seg6nr_hop_event looked;
	char what[64];
	int err;

	err = step->act(run, step);
	if (err)
		KUNIT_FAIL(test, "%s: %s: step %u: error %d %s",
			   run->flow->name, event->name, number, err,
			   seg6nr_rtnl_text());
	if (step->wait)
		msleep(step->wait);
	looked = looked_of(run, step);
	if (looked == SEG6NR_HOP_MISS_ROUTE)
		seg6nr_next_jiffy();
	run->blind = step->blind;
	snprintf(what, sizeof(what), "%s: step %u", event->name, number);
	seg6nr_probe_twice(test, run, what, looked, bypass_of(run, step));
}

/* A packet behind each step of an event goes where a lookup leads. */
static void next_packet_follows(struct kunit *test)
{
	const struct event *event = test->param_value;
	struct seg6nr_place place;
	struct seg6nr_run run;
	unsigned int f, i;

	seg6nr_place_env(&place);
	for (f = 0; f < SEG6NR_HOP_FLOWS; f++) {
		if (!concerns(event, &seg6nr_hop_flows[f]) ||
		    !seg6nr_run_open(test, &run, &seg6nr_hop_flows[f], &place))
			continue;
		seg6nr_probe_twice(test, &run, "before",
				   SEG6NR_HOP_MISS_EMPTY, 0);
		for (i = 0; i < STEPS_MAX && event->steps[i].act; i++)
			take_step(test, &run, event, i);
		seg6nr_run_close(test, &run);
	}
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(next_packet_follows, event_gen_params),
	{}
};

struct kunit_suite seg6nr_event_suite = {
	.name = "seg6local_noref_event",
	.init = seg6nr_hop_init,
	.exit = seg6nr_hop_exit,
	.test_cases = cases,
};
