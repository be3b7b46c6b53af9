// SPDX-License-Identifier: GPL-2.0-only
/* events.c - the kinds of events, and those that are of no other file */
#include <arpa/inet.h>
#include <errno.h>
#include <stdarg.h>
#include <time.h>
#include <unistd.h>

#include "soak.h"

#define ETH		14
#define PROTO_PROBE	253
#define PARAMETERS	"/sys/module/" SEG6NR_MODULE_NAME "/parameters/"

int max_age = 60;
char said[400];

void say(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(said, sizeof(said), fmt, ap);
	va_end(ap);
}

void show_rt(const char *what, const struct rt *rt)
{
	char dst[INET6_ADDRSTRLEN], via[INET6_ADDRSTRLEN] = "";

	inet_ntop(rt->family, rt->dst, dst, sizeof(dst));
	if (rt->hops && rt->hop[0].has_via)
		inet_ntop(rt->family, rt->hop[0].via, via, sizeof(via));
	say("route %s %s/%d%s table %d type %d dev %d via %s%s metric %u mtu %u "
	    "nhid %u expires %u", what, dst, rt->plen,
	    rt->splen ? " from .." : "", rt->table, rt->type,
	    rt->hops ? rt->hop[0].index : 0, via, rt->hops > 1 ? " .." : "",
	    rt->metric, rt->mtu, rt->nhid, rt->expires);
}

void nap(int ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000L };

	nanosleep(&t, NULL);
}

bool has_param(const char *name)
{
	char path[120];

	snprintf(path, sizeof(path), PARAMETERS "%s", name);
	return !access(path, W_OK);
}

bool set_param(const char *name, const char *value)
{
	char path[120];

	snprintf(path, sizeof(path), PARAMETERS "%s", name);
	return put_sysctl(path, value);
}

/* --- what others tell the router --- */

static uint8_t *put_icmp6(uint8_t *p, const uint8_t *src, const uint8_t *dst,
			  int hops, int len)
{
	put32(p, 6u << 28);
	put16(p + 4, len);
	p[6] = P_ICMP6;
	p[7] = hops;
	memcpy(p + 8, src, 16);
	memcpy(p + 24, dst, 16);
	return p + 40;
}

/* A packet of the router's own is said to be too big for somewhere behind. */
static int pmtu6(const struct rt *rt, int mtu)
{
	uint8_t f[ETH + 40 + 8 + 40 + 16] = {}, from[16], own[16], *icmp, *q;
	int len = sizeof(f) - ETH - 40;

	port_addr6(IN0, from, 9);
	port_addr6(IN0, own, 2);
	memcpy(f, w.port[IN0].mac, 6);
	memcpy(f + 6, "\x02\x00\x00\x00\xff\x01\x86\xdd", 8);
	icmp = put_icmp6(f + ETH, from, own, 64, len);
	icmp[0] = 2;
	put32(icmp + 4, mtu);
	q = icmp + 8;
	put32(q, 6u << 28);
	put16(q + 4, 16);
	q[6] = PROTO_PROBE;
	q[7] = 60;
	memcpy(q + 8, own, 16);
	memcpy(q + 24, rt->dst, 16);
	put16(icmp + 2, l4_sum(from, own, 16, P_ICMP6, icmp, len));
	send_frame(IN0, f, sizeof(f));
	send_all(NULL);
	return 0;
}

static int pmtu4(const struct rt *rt, int mtu)
{
	uint8_t f[ETH + 20 + 8 + 20 + 16] = {}, *ip = f + ETH, *icmp = ip + 20;
	uint8_t *q = icmp + 8;

	memcpy(f, w.port[IN0].mac, 6);
	memcpy(f + 6, "\x02\x00\x00\x00\xff\x01\x08\x00", 8);
	ip[0] = 0x45;
	put16(ip + 2, sizeof(f) - ETH);
	ip[8] = 64;
	ip[9] = 1;
	port_addr4(IN0, ip + 12, 9);
	port_addr4(IN0, ip + 16, 2);
	put16(ip + 10, sum_fold(sum_add(0, ip, 20)));
	icmp[0] = 3;
	icmp[1] = 4;
	put16(icmp + 6, mtu);
	q[0] = 0x45;
	put16(q + 2, 36);
	q[8] = 60;
	q[9] = PROTO_PROBE;
	port_addr4(IN0, q + 12, 2);
	memcpy(q + 16, rt->dst, 4);
	put16(q + 10, sum_fold(sum_add(0, q, 20)));
	put16(icmp + 2, sum_fold(sum_add(0, icmp, 44)));
	send_frame(IN0, f, sizeof(f));
	send_all(NULL);
	return 0;
}

static int do_pmtu(struct rng *r, int undo)
{
	int mtu = 1280 + below(r, 4) * 40;
	char text[INET6_ADDRSTRLEN];
	struct rt rt;

	(void)undo;
	do
		pick_target(r, &rt);
	while (rt.plen < (rt.family == AF_INET ? 32 : 128));
	inet_ntop(rt.family, rt.dst, text, sizeof(text));
	say("PMTU %d to %s", mtu, text);
	return rt.family == AF_INET ? pmtu4(&rt, mtu) : pmtu6(&rt, mtu);
}

static void advertise(int port, const uint8_t *prefix, int plen, int pref,
		      uint32_t lifetime)
{
	uint8_t f[ETH + 40 + 16 + 16] = { 0x33, 0x33, 0, 0, 0, 1 }, *icmp, *o;
	uint8_t from[16], to[16];
	int len = sizeof(f) - ETH - 40;

	addr6(from, "fe80::1");
	addr6(to, "ff02::1");
	neigh_mac(port, N_LINK, f + 6);
	put16(f + 12, 0x86dd);
	icmp = put_icmp6(f + ETH, from, to, 255, len);
	icmp[0] = 134;
	o = icmp + 16;
	o[0] = 24;
	o[1] = 2;
	o[2] = plen;
	o[3] = (pref & 3) << 3;
	put32(o + 4, lifetime);
	memcpy(o + 8, prefix, 8);
	put16(icmp + 2, l4_sum(from, to, 16, P_ICMP6, icmp, len));
	send_frame(port, f, sizeof(f));
	send_all(NULL);
}

/*
 * A router says that it is the way to some prefix, and so does a worse one,
 * which then becomes the better one; rarely it ends by itself and is said anew:
 * then an answer from in between may be used until its age ends it.
 */
static int do_advert(struct rng *r, int undo)
{
	int port = pick_egress(r), plen = chance(r, 50) ? 48 : 64;
	int other = E0 + (port - E0 + 1) % 3, prefs[] = { 3, 1, 1 };
	bool ends = chance(r, 3);
	uint32_t lifetime = chance(r, 50) ? 0xffffffff : 9000;
	uint8_t prefix[16];

	pool_addr(r, prefix);
	if (plen == 48)
		prefix[6] = prefix[7] = 0;
	if (undo == 2)
		lifetime = 0;
	say("advertisement of fd00:%x:%x::/%d by %s, step %d%s", prefix[3],
	    prefix[5], plen, port_names[port], undo, ends ? ", ends" : "");
	if (ends) {
		advertise(port, prefix, plen, 0, undo ? lifetime : 1);
		nap(undo ? max_age + 20 : 1200);
		return 0;
	}
	advertise(port, prefix, plen, prefs[undo], lifetime);
	advertise(other, prefix, plen, 0, lifetime);
	return 0;
}

/* --- settings --- */

static int set_disabled(int port, int undo)
{
	if (undo) {
		fix_port(port);
		fix_nexthops();
		fix_routes();
		say("%s as at the beginning", port_names[port]);
		return 0;
	}
	say("disable_ipv6 of %s", port_names[port]);
	return sysctl_of(&w.main, "1", "ipv6/conf/%s/disable_ipv6",
			 port_name(port)) ? 0 : -1;
}

static int do_sysctl(struct rng *r, int undo)
{
	static const char *const paths[][3] = {
		{ "ipv6/conf/all/forwarding", "0", "1" },
		{ "ipv4/ip_forward", "0", "1" },
		{ "ipv6/fib_multipath_hash_policy", "1", "0" },
		{ "ipv6/fib_multipath_hash_policy", "2", "0" },
		{ "ipv4/fib_multipath_hash_policy", "1", "0" },
	};
	unsigned int i = below(r, ARRAY_LEN(paths) + 3);
	int port = E0 + below(r, 5);

	if (i == ARRAY_LEN(paths))
		return set_disabled(port, undo);
	if (i > ARRAY_LEN(paths)) {
		say("forwarding of %s %d", port_names[port], undo);
		return sysctl_of(&w.main, undo ? "1" : "0",
				 "ipv6/conf/%s/forwarding",
				 port_name(port)) ? 0 : -1;
	}
	say("%s %s", paths[i][0], paths[i][1 + undo]);
	return sysctl_of(&w.main, paths[i][1 + undo], "%s", paths[i][0]) ? 0 :
		-1;
}

static int do_flush(struct rng *r, int undo)
{
	(void)undo;
	say("route flush cache");
	if (chance(r, 70))
		return sysctl_of(&w.main, "0", "ipv6/route/flush") ? 0 : -1;
	return sysctl_of(&w.main, "1", "ipv4/route/flush") ? 0 : -1;
}

static bool has_cache(void)
{
	return has_param("nexthop_cache");
}

static int do_param(struct rng *r, int undo)
{
	const char *name = "nexthop_cache";

	if (chance(r, 30) && has_param("nexthop_hold"))
		name = "nexthop_hold";
	say("%s %s", name, undo ? "Y" : "N");
	return set_param(name, undo ? "Y" : "N") ? 0 : -1;
}

/* Both twins at once; those of VRFs could not be had without the VRF. */
static int do_sid(struct rng *r, int undo)
{
	int sid = below(r, SIDS), i, variant, err = 0;
	bool replace = chance(r, 60), swap = chance(r, 50);

	while (sids[sid].vrf)
		sid = (sid + 1) % SIDS;
	variant = undo ? 0 : below(r, sid_variants(sid));
	say("SID %s with %s", sids[sid].name,
	    sids[sid].nh[variant] ? sids[sid].nh[variant] : "another table");
	for (i = 0; i < TWINS; i++) {
		if (!replace)
			sid_del(&w.main, sid, i ^ swap);
		err |= sid_put(&w.main, sid, i ^ swap, variant,
			       replace ? NLM_F_REPLACE : NLM_F_EXCL);
	}
	w.sid_now[sid] = variant;
	return err;
}

const struct kind kinds[] = {
	{ "route", do_route, 14, 2, NULL },
	{ "base_route", do_base, 4, 2, NULL },
	{ "special_route", do_special, 6, 2, NULL },
	{ "sibling", do_sibling, 4, 2, NULL },
	{ "source_route", do_source, 2, 2, NULL },
	{ "expiring_route", do_expiring, 3, 2, NULL },
	{ "rule", do_rule, 8, 2, NULL },
	{ "vrf", do_vrf, 3, 2, NULL },
	{ "enslave", do_enslave, 4, 2, NULL },
	{ "address", do_address, 5, 2, NULL },
	{ "link", do_link, 3, 2, NULL },
	{ "carrier", do_carrier, 3, 2, NULL },
	{ "linkdown_sysctl", do_linkdown, 2, 3, NULL },
	{ "mtu", do_mtu, 3, 2, NULL },
	{ "pmtu", do_pmtu, 5, 1, NULL },
	{ "nexthop", do_nexthop, 4, 2, NULL },
	{ "nexthop_group", do_group, 2, 2, NULL },
	{ "object_route", do_object_route, 3, 2, NULL },
	{ "neighbour", do_neigh, 4, 2, NULL },
	{ "sysctl", do_sysctl, 4, 2, NULL },
	{ "device", do_device, 3, 2, NULL },
	{ "rename", do_rename, 3, 2, NULL },
	{ "move", do_move, 2, 2, NULL },
	{ "namespace", do_space, 2, 2, NULL },
	{ "advertisement", do_advert, 3, 3, NULL },
	{ "sid", do_sid, 5, 2, NULL },
	{ "ifgroup", do_ifgroup, 2, 3, NULL },
	{ "mac", do_mac, 2, 2, NULL },
	{ "flush", do_flush, 4, 1, NULL },
	{ "parameter", do_param, 2, 2, has_cache },
};

const int nkinds = ARRAY_LEN(kinds);

int event_run(const struct event *e)
{
	struct rng r = { e->seed };

	say("%s", kinds[e->kind].name);
	return kinds[e->kind].run(&r, e->undo);
}
