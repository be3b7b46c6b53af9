// SPDX-License-Identifier: GPL-2.0-only
/*
 * world.c - the router that a stretch is walked on, a second one, and the way
 * back from what events have done to them
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "soak.h"

struct world w;
struct space first, aside;

const char *const port_names[PORTS] = {
	"in0", "in1", "e0", "e1", "e2", "v0", "v1", "x0", "home", "ai", "ae"
};

static const char *const vrf_names[VRFS] = { "vrf100", "vrf101" };

static const char *const sysctls[] = {
	"ipv6/conf/all/forwarding", "1",
	"ipv6/conf/default/accept_dad", "0",
	"ipv6/conf/default/dad_transmits", "0",
	"ipv6/conf/default/accept_ra", "2",
	"ipv6/conf/default/accept_ra_rt_info_max_plen", "128",
	"ipv6/conf/default/router_solicitations", "0",
	"ipv6/conf/default/addr_gen_mode", "1",
	"ipv6/auto_flowlabels", "0",
	"ipv6/icmp/ratelimit", "0",
	"ipv6/icmp/ratemask", "200",
	"ipv6/route/mtu_expires", "100000",
	"ipv6/route/gc_timeout", "100000",
	"ipv6/fib_multipath_hash_policy", "0",
	"ipv4/ip_forward", "1",
	"ipv4/icmp_ratelimit", "0",
	"ipv4/icmp_ratemask", "0",
	"ipv4/route/mtu_expires", "100000",
	"ipv4/fib_multipath_hash_policy", "0",
	"ipv4/fib_multipath_hash_seed", "4711",
	"ipv4/conf/all/rp_filter", "0",
	"ipv4/conf/default/rp_filter", "0",
	"ipv4/conf/all/send_redirects", "0",
	"ipv4/conf/default/send_redirects", "0",
	"vrf/strict_mode", "1",
};

/* --- addresses --- */

/* Ports of the second router are where those of the first one are. */
static int subnet(int port)
{
	return 0x10 + (port == AI ? IN0 : port == AE ? E0 : port);
}

void port_addr6(int port, uint8_t *addr, int host)
{
	const uint8_t prefix[16] = { 0x20, 1, 0xd, 0xb8, 0, subnet(port),
				     [15] = host };

	memcpy(addr, prefix, 16);
}

void port_addr4(int port, uint8_t *addr, int host)
{
	const uint8_t a[4] = { 10, 0, subnet(port), host };

	memcpy(addr, a, 4);
}

void neigh_addr(int port, int neigh, uint8_t *addr)
{
	switch (neigh) {
	case N_ONE:
	case N_NINE:
		port_addr6(port, addr, neigh == N_ONE ? 1 : 9);
		break;
	case N_LINK:
		addr6(addr, "fe80::1");
		break;
	case N_FAR:
		addr6(addr, "2001:db8:77::1");
		break;
	default:
		port_addr4(port, addr, neigh == N4_ONE ? 1 :
			   neigh == N4_NINE ? 9 : LEAF);
	}
}

void neigh_mac(int port, int neigh, uint8_t *mac)
{
	const uint8_t m[6] = { 2, 0x77, port, neigh, w.port[port].version[neigh],
			       1 };

	memcpy(mac, m, 6);
}

static void base_mac(int port, uint8_t *mac)
{
	const uint8_t m[6] = { 2, 0, 0, 0, port, 2 };

	memcpy(mac, m, 6);
}

int vrf_of(int port)
{
	return port == V0 ? VRF0 : port == V1 ? VRF1 : -1;
}

const char *port_name(int port)
{
	static char other[IFNAMSIZ];

	if (!w.renamed[port])
		return port_names[port];
	snprintf(other, sizeof(other), "r-%s", port_names[port]);
	return other;
}

static struct space *space_of(int port)
{
	return w.port[port].away ? &aside :
	       port >= ROUTER_PORTS ? &w.second : &w.main;
}

/* --- ports --- */

void port_open(int port, struct space *to)
{
	struct port *p = &w.port[port];

	base_mac(port, p->mac);
	if (nl_port_add(to, port_names[port], p->mac, port))
		die("making a port");
	p->index = index_of(to, port_names[port]);
	p->there = true;
	p->away = false;
	memset(p->version, 0, sizeof(p->version));
}

static void port_forget(int port)
{
	w.port[port].there = false;
	w.port[port].index = 0;
	w.port[port].away = false;
	w.renamed[port] = false;
}

void port_close(int port)
{
	if (w.port[port].there)
		nl_link_del(space_of(port), w.port[port].index);
	port_forget(port);
}

bool port_carrier(int port, bool on)
{
	if (!w.port[port].there ||
	    nl_link_u8(space_of(port), w.port[port].index, IFLA_CARRIER, on))
		return false;
	settle(space_of(port), port_name(port));
	return true;
}

static void put_entry(int port, int neigh, int version)
{
	int family = neigh < N4_ONE ? AF_INET6 : AF_INET;
	struct port *p = &w.port[port];
	uint8_t addr[16], mac[6];

	p->version[neigh] = version;
	neigh_addr(port, neigh, addr);
	neigh_mac(port, neigh, mac);
	if (!version)
		nl_neigh(space_of(port), RTM_DELNEIGH, p->index, family, addr,
			 NULL);
	/*
	 * An unknown one is asked for: groups pass over a neighbour that does
	 * not answer, but only once it was asked; the twins must see the same.
	 */
	nl_neigh(space_of(port), RTM_NEWNEIGH, p->index, family, addr,
		 version ? mac : NULL);
}

/* Where the leaf is unknown, the others are: see expect_next_hop(). */
void put_neigh(int port, int neigh, int version)
{
	put_entry(port, neigh, neigh == N4_LEAF ? 1 : version);
	if (neigh == N4_ONE || neigh == N4_NINE)
		put_entry(port, N4_LEAF, 1);
}

void fix_neigh(int port, int neigh)
{
	put_neigh(port, neigh, 1);
}

static void fix_addresses(int port)
{
	struct space *s = space_of(port);
	uint8_t addr[16];
	int i;

	port_addr6(port, addr, 2);
	nl_addr(s, RTM_NEWADDR, w.port[port].index, AF_INET6, addr, 64);
	addr6(addr, "fe80::2");
	nl_addr(s, RTM_NEWADDR, w.port[port].index, AF_INET6, addr, 64);
	port_addr4(port, addr, 2);
	nl_addr(s, RTM_NEWADDR, w.port[port].index, AF_INET, addr, 24);
	for (i = 0; i < NEIGHS; i++)
		fix_neigh(port, i);
}

static void fix_device(int port)
{
	struct port *p = &w.port[port];
	struct space *s = space_of(port);
	const char *name = port_name(port);
	uint8_t mac[6];

	base_mac(port, mac);
	if (memcmp(mac, p->mac, 6)) {
		nl_link_mac(s, p->index, mac);
		memcpy(p->mac, mac, 6);
	}
	nl_link_u32(s, p->index, IFLA_MTU, 1500);
	nl_link_u32(s, p->index, IFLA_GROUP, 0);
	if (port < ROUTER_PORTS)
		nl_link_u32(s, p->index, IFLA_MASTER, vrf_of(port) < 0 ? 0 :
			    w.vrf[vrf_of(port)]);
	sysctl_of(s, "0", "ipv6/conf/%s/disable_ipv6", name);
	sysctl_of(s, "1", "ipv6/conf/%s/forwarding", name);
	/* Nothing may happen because somebody has waited for too long. */
	sysctl_of(s, "600000", "ipv6/neigh/%s/retrans_time_ms", name);
	sysctl_of(s, "600000", "ipv4/neigh/%s/retrans_time_ms", name);
	sysctl_of(s, "0", "ipv6/conf/%s/ignore_routes_with_linkdown", name);
	sysctl_of(s, "0", "ipv4/conf/%s/ignore_routes_with_linkdown", name);
	port_carrier(port, true);
	nl_link(s, p->index, IFF_UP, IFF_UP);
	settle(s, name);
}

/* Whatever has happened to a port, have it as it was at the beginning. */
void fix_port(int port)
{
	struct port *p = &w.port[port];

	if (p->there && p->away) {
		nl_link_u32(&aside, p->index, IFLA_NET_NS_FD, w.main.fd);
		p->away = false;
		p->index = index_of(&w.main, port_name(port));
	}
	if (!p->there)
		port_open(port, port < ROUTER_PORTS ? &w.main : &w.second);
	if (w.renamed[port]) {
		nl_link_str(&w.main, p->index, IFLA_IFNAME, port_names[port]);
		w.renamed[port] = false;
	}
	fix_device(port);
	fix_addresses(port);
}

void fix_vrf(int vrf)
{
	const uint8_t addr[16] = { 0x20, 1, 0xd, 0xb8, 0, 0x64 + vrf, [15] = 2 };
	int port = vrf == VRF0 ? V0 : V1;

	if (!w.vrf[vrf]) {
		nl_vrf_add(&w.main, vrf_names[vrf], TABLE_VRF + vrf);
		w.vrf[vrf] = index_of(&w.main, vrf_names[vrf]);
	}
	nl_link(&w.main, w.vrf[vrf], IFF_UP, IFF_UP);
	nl_addr(&w.main, RTM_NEWADDR, w.vrf[vrf], AF_INET6, addr, 128);
	if (w.port[port].there && !w.port[port].away)
		nl_link_u32(&w.main, w.port[port].index, IFLA_MASTER,
			    w.vrf[vrf]);
}

/* --- routes of the beginning --- */

struct base {
	const char *dst;
	int plen, table;
	int port[2], host[2];	/* host 0: fe80::1 */
	int hops;
	uint32_t nhid;
};

static const struct base bases[] = {
	{ "fd00::", 32, 0, { E0 }, { 1 }, 1, 0 },
	{ "fd00:1::", 32, 0, { E1 }, { 1 }, 1, 0 },
	{ "fd00:2::", 32, 0, {}, {}, 0, 1 },
	{ "fd00:3::", 32, 0, {}, {}, 0, 10 },
	{ "fd00:4::", 32, 0, { E0, E1 }, { 1, 9 }, 2, 0 },
	{ "fd00:5::", 32, 0, { E2 }, { 0 }, 1, 0 },
	{ "fd00:0:1::", 48, 0, { E1 }, { 9 }, 1, 0 },
	{ "fd00:1:1::", 48, 0, { E2 }, { 9 }, 1, 0 },
	{ "fd00:2:1::", 48, 0, { E0 }, { 9 }, 1, 0 },
	{ "fcbb::", 16, 0, { E1 }, { 1 }, 1, 0 },
	{ "2001:db8:77::", 64, 0, {}, {}, 0, 3 },
	{ "fd00::", 16, TABLE_T, { E1 }, { 1 }, 1, 0 },
	{ "fd00:1::", 32, TABLE_T, { E2 }, { 1 }, 1, 0 },
	{ "fd00:2::", 32, TABLE_T, {}, {}, 0, 2 },
	{ "fd00::", 16, TABLE_RULE, { E2 }, { 9 }, 1, 0 },
	{ "fd00:5::", 32, TABLE_PORT, { E0 }, { 1 }, 1, 0 },
	{ "2001:db8:12::1", 128, TABLE_PORT, { E1 }, { 1 }, 1, 0 },
	{ "fd00:1::", 32, TABLE_MARK, { E0 }, { 9 }, 1, 0 },
	{ "2001:db8:14::1", 128, TABLE_MARK, { E0 }, { 1 }, 1, 0 },
	{ "fd00::", 16, TABLE_VRF, { V0 }, { 1 }, 1, 0 },
	{ "fd00:1::", 32, TABLE_VRF, { V0 }, { 9 }, 1, 0 },
	{ "fd00::", 16, TABLE_VRF + 1, { V1 }, { 1 }, 1, 0 },
	{ "172.16.0.0", 16, 0, { E0 }, { 1 }, 1, 0 },
	{ "172.17.0.0", 16, 0, { E1 }, { 1 }, 1, 0 },
	{ "172.18.0.0", 16, 0, { E2 }, { 9 }, 1, 0 },
	{ "172.16.0.0", 12, TABLE_RULE, { E2 }, { 1 }, 1, 0 },
	{ "172.16.0.0", 12, TABLE_VRF, { V0 }, { 1 }, 1, 0 },
	{ "172.16.0.0", 12, TABLE_VRF + 1, { V1 }, { 9 }, 1, 0 },
};

int base_routes(void)
{
	return ARRAY_LEN(bases);
}

/* False if a port that it needs is not there. */
bool base_route(int i, struct rt *rt)
{
	const struct base *b = &bases[i];
	int k;

	memset(rt, 0, sizeof(*rt));
	rt->family = strchr(b->dst, ':') ? AF_INET6 : AF_INET;
	rt->table = b->table;
	rt->plen = b->plen;
	rt->nhid = b->nhid;
	rt->hops = b->hops;
	if (inet_pton(rt->family, b->dst, rt->dst) != 1)
		die(b->dst);
	for (k = 0; k < b->hops; k++) {
		rt->hop[k].index = w.port[b->port[k]].index;
		rt->hop[k].has_via = true;
		if (rt->family == AF_INET)
			port_addr4(b->port[k], rt->hop[k].via, b->host[k]);
		else if (b->host[k])
			port_addr6(b->port[k], rt->hop[k].via, b->host[k]);
		else
			addr6(rt->hop[k].via, "fe80::1");
		if (!rt->hop[k].index || w.port[b->port[k]].away)
			return false;
	}
	return true;
}

void fix_routes(void)
{
	struct rt rt;
	int i;

	for (i = 0; i < base_routes(); i++)
		if (base_route(i, &rt))
			nl_route(&w.main, RTM_NEWROUTE,
				 NLM_F_CREATE | NLM_F_EXCL, &rt);
}

/* Objects 1 and 2 have gateways, 3 is on-link, 10 is a group, 11 resilient. */
void fix_nexthops(void)
{
	static const int ports[] = { E2, E0, E1 };
	static const uint32_t ids[] = { 1, 2 };
	static const int weights[] = { 1, 1 };
	struct hop hop;
	int i;

	for (i = 0; i < 3; i++) {
		memset(&hop, 0, sizeof(hop));
		hop.index = w.port[ports[i]].index;
		hop.has_via = i < 2;
		port_addr6(ports[i], hop.via, i ? 9 : 1);
		nl_nexthop(&w.main, RTM_NEWNEXTHOP, i + 1, &hop, false);
	}
	nl_group(&w.main, 10, ids, weights, 2, false);
	nl_group(&w.main, 11, ids, weights, 2, true);
}

void fix_sysctls(void)
{
	char path[160];
	unsigned int i;

	space_enter(&w.main);
	for (i = 0; i < ARRAY_LEN(sysctls); i += 2) {
		snprintf(path, sizeof(path), "/proc/sys/net/%s", sysctls[i]);
		put_sysctl(path, sysctls[i + 1]);
	}
}

/* --- whole routers --- */

static void new_space(struct space *s)
{
	if (unshare(CLONE_NEWNET))
		die("unshare");
	if (space_open(s))
		die("sockets of a namespace");
}

void world_init(void)
{
	if (space_open(&first))
		die("netlink");
	space_enter(&first);
	/* Otherwise most of the time is spent waiting for grace periods. */
	put_sysctl("/sys/kernel/rcu_expedited", "1");
	put_sysctl("/proc/sys/net/ipv4/route/error_cost", "0");
	put_sysctl("/proc/sys/net/ipv6/neigh/default/gc_thresh1", "100000");
	put_sysctl("/proc/sys/net/ipv6/neigh/default/gc_thresh2", "100000");
	put_sysctl("/proc/sys/net/ipv6/neigh/default/gc_thresh3", "100000");
	put_sysctl("/proc/sys/net/ipv4/neigh/default/gc_thresh1", "100000");
	put_sysctl("/proc/sys/net/ipv4/neigh/default/gc_thresh2", "100000");
	put_sysctl("/proc/sys/net/ipv4/neigh/default/gc_thresh3", "100000");
	new_space(&aside);
	space_enter(&first);
}

void world_build(void)
{
	uint8_t addr[16];
	int i;

	space_enter(&first);
	set_param("nexthop_cache", "Y");
	set_param("nexthop_hold", "Y");
	new_space(&w.main);
	mark_by_label();
	fix_sysctls();
	nl_link(&w.main, 1, IFF_UP, IFF_UP);
	fix_vrf(VRF0);
	fix_vrf(VRF1);
	for (i = 0; i < ROUTER_PORTS; i++)
		if (i != X0)
			fix_port(i);
	base_rules();
	fix_nexthops();
	fix_routes();
	port_addr6(HOME, addr, 2);
	nl_tunsrc(&w.main, addr);
	sids_put(&w.main, false);
	space_enter(&first);
}

/* Nothing is unconfigured: the namespace goes with all that is in it. */
void world_destroy(void)
{
	int i;

	second_destroy();
	collect_statistics(&w.main);
	for (i = 0; i < ROUTER_PORTS; i++)
		if (w.port[i].away)
			port_close(i);
		else
			port_forget(i);
	space_enter(&first);
	space_close(&w.main);
	memset(w.vrf, 0, sizeof(w.vrf));
	memset(w.sid_now, 0, sizeof(w.sid_now));
}

void second_routes(void)
{
	static const char *const dsts[] = { "fd00::", "172.16.0.0" };
	int i;

	for (i = 0; i < 2; i++) {
		struct rt rt = { .family = i ? AF_INET : AF_INET6,
				 .plen = i ? 12 : 16, .hops = 1 };

		inet_pton(rt.family, dsts[i], rt.dst);
		rt.hop[0].index = w.port[AE].index;
		rt.hop[0].has_via = true;
		if (i)
			port_addr4(AE, rt.hop[0].via, 1);
		else
			port_addr6(AE, rt.hop[0].via, 1);
		nl_route(&w.second, RTM_NEWROUTE, NLM_F_CREATE | NLM_F_EXCL,
			 &rt);
	}
}

void second_build(void)
{
	struct space keep = w.main;

	if (w.has_second)
		return;
	space_enter(&first);
	new_space(&w.second);
	w.has_second = true;
	/* The sysctls are written by name of the main one. */
	w.main = w.second;
	fix_sysctls();
	w.main = keep;
	nl_link(&w.second, 1, IFF_UP, IFF_UP);
	fix_port(AI);
	fix_port(AE);
	second_routes();
	sids_put(&w.second, true);
	space_enter(&w.main);
}

void second_destroy(void)
{
	if (!w.has_second)
		return;
	w.has_second = false;
	collect_statistics(&w.second);
	space_enter(&first);
	space_close(&w.second);
	port_forget(AI);
	port_forget(AE);
}
