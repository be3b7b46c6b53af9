// SPDX-License-Identifier: GPL-2.0-only
/* routes.c - events: routes of all kinds, and nexthop objects */
#include <arpa/inet.h>
#include <stdlib.h>

#include "soak.h"

#define EXCL	(NLM_F_CREATE | NLM_F_EXCL)

static int apply(int undo, int flags, const struct rt *rt)
{
	show_rt(undo ? "del" : flags & NLM_F_REPLACE ? "replace" :
		flags & NLM_F_APPEND ? "append" : "add", rt);
	return nl_route(&w.main, undo ? RTM_DELROUTE : RTM_NEWROUTE,
			undo ? 0 : flags, rt);
}

static int pick_table(struct rng *r)
{
	static const int tables[] = {
		0, 0, 0, 0, TABLE_T, TABLE_T, TABLE_VRF, TABLE_VRF + 1,
		TABLE_RULE, RT_TABLE_LOCAL
	};

	return tables[below(r, ARRAY_LEN(tables))];
}

/* A port that packets leave by; those of VRFs only for routes of VRFs. */
int pick_egress(struct rng *r)
{
	return E0 + below(r, 3);
}

static int port_of_table(struct rng *r, int table)
{
	if (table >= TABLE_VRF && table < TABLE_VRF + VRFS && chance(r, 80))
		return V0 + table - TABLE_VRF;
	return pick_egress(r);
}

static void clear_host(uint8_t *addr, int octets, int plen)
{
	int i;

	for (i = 0; i < octets; i++)
		if (i * 8 >= plen)
			addr[i] = 0;
		else if (plen - i * 8 < 8)
			addr[i] &= 0xff00 >> (plen - i * 8);
}

static void pick_target4(struct rng *r, struct rt *rt)
{
	static const int plens[] = { 12, 16, 24, 32, 32, 0 };

	rt->family = AF_INET;
	if (chance(r, 70)) {
		rt->plen = plens[below(r, ARRAY_LEN(plens))];
		pool_addr4(r, rt->dst);
	} else {
		rt->plen = 32;
		port_addr4(E0 + below(r, 3), rt->dst, chance(r, 50) ? 1 : 9);
	}
	clear_host(rt->dst, 4, rt->plen);
}

/* What some packet, or some SID's next hop, is likely to be routed by. */
void pick_target(struct rng *r, struct rt *rt)
{
	static const int plens[] = { 16, 32, 48, 48, 64, 128, 128, 0 };
	static const char *const hops[] = {
		"fd00:1:1::1", "fd00:5::1", "fd00:0:1::1", "fd00:4:2::1",
		"2001:db8:77::1"
	};
	unsigned int what = below(r, 100);

	memset(rt, 0, sizeof(*rt));
	rt->table = pick_table(r);
	if (what < 20) {
		pick_target4(r, rt);
		return;
	}
	rt->family = AF_INET6;
	if (what < 70) {
		rt->plen = plens[below(r, ARRAY_LEN(plens))];
		/* Not in front of the SIDs: their twins have other hashes. */
		if (!rt->plen && rt->table)
			rt->plen = 8;
		pool_addr(r, rt->dst);
	} else if (what < 85) {
		rt->plen = chance(r, 70) ? 128 : 64;
		port_addr6(E0 + below(r, 3), rt->dst, chance(r, 70) ? 1 : 9);
	} else {
		rt->plen = chance(r, 70) ? 128 : 64;
		addr6(rt->dst, hops[below(r, ARRAY_LEN(hops))]);
	}
	clear_host(rt->dst, 16, rt->plen);
}

static void add_hop(struct rng *r, struct rt *rt)
{
	int port = port_of_table(r, rt->table), host = chance(r, 50) ? 1 : 9;
	struct hop *hop = &rt->hop[rt->hops++];
	unsigned int how = below(r, 100);

	if (w.port[port].index && !w.port[port].away)
		hop->index = w.port[port].index;
	else
		hop->index = w.port[E0].index;
	/* What is for a neighbour is on-link more often than not. */
	hop->has_via = how < (rt->dst[0] == 0x20 || rt->dst[0] == 10 ? 40 : 85);
	/*
	 * Of a next hop's on-link route in-tree has a copy, for 128 bits, before
	 * a rule may suppress short prefixes; ours obeys that rule.
	 */
	if (rt->family == AF_INET6 && rt->plen <= SUPPRESSED)
		hop->has_via = true;
	if (rt->family == AF_INET)
		port_addr4(port, hop->via, host);
	else if (how < 70 || !hop->has_via)
		port_addr6(port, hop->via, host);
	else
		addr6(hop->via, "fe80::1");
}

void pick_hop(struct rng *r, struct rt *rt)
{
	static const uint32_t metrics[] = { 0, 0, 512, 2000 };

	add_hop(r, rt);
	rt->metric = metrics[below(r, ARRAY_LEN(metrics))];
	if (rt->family == AF_INET6 && chance(r, 15))
		rt->pref = 1 + (chance(r, 50) ? 1 : 3);
	if (chance(r, 25))
		rt->mtu = 1280 + below(r, 3) * 60;
}

int do_route(struct rng *r, int undo)
{
	static const int flags[] = { EXCL, EXCL, NLM_F_CREATE | NLM_F_REPLACE,
				     NLM_F_CREATE | NLM_F_APPEND };
	struct rt rt;
	int how = flags[below(r, ARRAY_LEN(flags))], err;

	pick_target(r, &rt);
	pick_hop(r, &rt);
	err = apply(undo, how, &rt);
	if (undo && how & NLM_F_REPLACE)
		fix_routes();
	return err;
}

/* A route of the beginning goes; or all of them that a port has. */
int do_base(struct rng *r, int undo)
{
	struct rt rt;

	if (undo) {
		fix_nexthops();
		fix_routes();
		say("routes of the beginning");
		return 0;
	}
	if (!base_route(below(r, base_routes()), &rt))
		return -1;
	return apply(true, 0, &rt);
}

int do_special(struct rng *r, int undo)
{
	static const int types[] = { RTN_THROW, RTN_THROW, RTN_UNREACHABLE,
				     RTN_BLACKHOLE, RTN_PROHIBIT };
	struct rt rt;

	pick_target(r, &rt);
	rt.type = types[below(r, ARRAY_LEN(types))];
	rt.metric = chance(r, 50) ? 0 : 100;
	return apply(undo, EXCL, &rt);
}

/* Several paths: a route made of them, or one more for a base route. */
int do_sibling(struct rng *r, int undo)
{
	struct rt rt;

	if (chance(r, 50)) {
		pick_target(r, &rt);
		add_hop(r, &rt);
		rt.hop[0].has_via = true;
		add_hop(r, &rt);
		rt.hop[1].has_via = true;
		return apply(undo, EXCL, &rt);
	}
	if (!base_route(below(r, base_routes()), &rt) || rt.nhid)
		return -1;
	rt.hops = 0;
	add_hop(r, &rt);
	rt.hop[0].has_via = true;
	return apply(undo, NLM_F_CREATE | NLM_F_APPEND, &rt);
}

/* Where the source decides. */
int do_source(struct rng *r, int undo)
{
	struct rt rt;

	do
		pick_target(r, &rt);
	while (rt.family != AF_INET6);
	rt.splen = chance(r, 50) ? 128 : 64;
	port_addr6(chance(r, 60) ? IN0 : IN1, rt.src, chance(r, 60) ? 1 : 9);
	clear_host(rt.src, 16, rt.splen);
	pick_hop(r, &rt);
	return apply(undo, EXCL, &rt);
}

/* One that ends by itself; rarely that is waited for. */
int do_expiring(struct rng *r, int undo)
{
	bool wait = chance(r, 2);
	struct rt rt;
	int err;

	do
		pick_target(r, &rt);
	while (rt.family != AF_INET6);
	pick_hop(r, &rt);
	rt.expires = wait ? 1 : 100000;
	err = apply(undo, EXCL, &rt);
	if (wait && !undo)
		nap(1200);
	return err;
}

/* --- nexthop objects --- */

static void some_hop(struct rng *r, struct hop *hop)
{
	int port = pick_egress(r);

	memset(hop, 0, sizeof(*hop));
	hop->index = w.port[port].index;
	hop->has_via = chance(r, 85);
	port_addr6(port, hop->via, chance(r, 50) ? 1 : 9);
}

int do_nexthop(struct rng *r, int undo)
{
	uint32_t id = 1 + below(r, 3);
	bool blackhole = chance(r, 10);
	struct hop hop;

	if (undo) {
		fix_nexthops();
		fix_routes();
		say("nexthop objects of the beginning");
		return 0;
	}
	if (chance(r, 35)) {
		say("nexthop del id %u", id);
		return nl_nexthop(&w.main, RTM_DELNEXTHOP, id, NULL, false);
	}
	some_hop(r, &hop);
	say("nexthop replace id %u dev %d%s%s", id, hop.index,
	    hop.has_via ? " via" : "", blackhole ? " blackhole" : "");
	return nl_nexthop(&w.main, RTM_NEWNEXTHOP, id, &hop, blackhole);
}

int do_group(struct rng *r, int undo)
{
	uint32_t ids[2] = { 1, 2 };
	int weights[2] = { 1 + below(r, 3), 1 + below(r, 3) };
	int n = 1 + below(r, 2);
	bool resilient = chance(r, 30);

	if (undo) {
		fix_nexthops();
		fix_routes();
		say("nexthop groups of the beginning");
		return 0;
	}
	if (chance(r, 50))
		ids[0] = 2, ids[1] = 1;
	if (chance(r, 20)) {
		say("nexthop del id 10");
		return nl_nexthop(&w.main, RTM_DELNEXTHOP, 10, NULL, false);
	}
	say("nexthop replace id %d group of %d, first %u", resilient ? 11 : 10,
	    n, ids[0]);
	return nl_group(&w.main, resilient ? 11 : 10, ids, weights, n,
			resilient);
}

int do_object_route(struct rng *r, int undo)
{
	static const uint32_t ids[] = { 1, 2, 3, 10, 11 };
	struct rt rt;

	do
		pick_target(r, &rt);
	while (rt.family != AF_INET6);
	rt.nhid = ids[below(r, ARRAY_LEN(ids))];
	rt.metric = chance(r, 60) ? 0 : 512;
	return apply(undo, EXCL, &rt);
}
