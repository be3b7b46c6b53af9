// SPDX-License-Identifier: GPL-2.0-only
/* devices.c - events: ports, VRFs, addresses, neighbours and namespaces */
#include <arpa/inet.h>
#include <net/if.h>

#include "soak.h"

/* What goes with a port comes back with it. */
static int restore(int port)
{
	fix_port(port);
	fix_nexthops();
	fix_routes();
	say("%s as at the beginning", port_names[port]);
	return 0;
}

static int pick_port(struct rng *r)
{
	static const int ports[] = { E0, E0, E1, E1, E2, E2, V0, V1, IN1 };

	return ports[below(r, ARRAY_LEN(ports))];
}

static bool is_here(int port)
{
	return w.port[port].there && !w.port[port].away;
}

int do_vrf(struct rng *r, int undo)
{
	int vrf = below(r, VRFS), err;

	if (!undo) {
		say("link del vrf10%d", vrf);
		err = nl_link_del(&w.main, w.vrf[vrf]);
		w.vrf[vrf] = 0;
		return err;
	}
	fix_vrf(vrf);
	fix_port(vrf == VRF0 ? V0 : V1);
	fix_routes();
	sids_of_vrf(vrf, TREE);
	/* Ours finds it by itself, but looks ten times a second only. */
	if (chance(r, 20))
		nap(120);
	else
		sids_of_vrf(vrf, OURS);
	say("vrf10%d is back", vrf);
	return 0;
}

int do_enslave(struct rng *r, int undo)
{
	static const struct {
		int port, vrf;
	} cases[] = { { IN1, 0 }, { IN1, 0 }, { IN1, 1 }, { V0, 1 }, { V1, 0 },
		      { E2, 0 }, { V0, -1 }, { V1, -1 } };
	int i = below(r, ARRAY_LEN(cases)), port = cases[i].port, vrf;

	vrf = cases[i].vrf;
	if (undo)
		return restore(port);
	if (!is_here(port))
		return -1;
	say("link set %s master %s", port_names[port],
	    vrf < 0 ? "none" : vrf ? "vrf101" : "vrf100");
	return nl_link_u32(&w.main, w.port[port].index, IFLA_MASTER,
			   vrf < 0 ? 0 : w.vrf[vrf]);
}

static int own_address(struct rng *r, int undo, int cmd)
{
	int port = pick_port(r), err;
	uint8_t addr[16];

	if (undo)
		return restore(port);
	if (chance(r, 70)) {
		port_addr6(port, addr, 2);
		err = nl_addr(&w.main, cmd, w.port[port].index, AF_INET6, addr,
			      64);
	} else {
		port_addr4(port, addr, 2);
		err = nl_addr(&w.main, cmd, w.port[port].index, AF_INET, addr,
			      24);
	}
	say("addr del of %s", port_names[port]);
	return err;
}

int do_address(struct rng *r, int undo)
{
	int port = pick_port(r), family = AF_INET6, plen = 128;
	int cmd = undo ? RTM_DELADDR : RTM_NEWADDR;
	char text[INET6_ADDRSTRLEN];
	uint8_t addr[16];

	switch (below(r, 5)) {
	case 0:
		return own_address(r, undo, RTM_DELADDR);
	case 1:
		/* Another port's net: its route is there twice then. */
		port_addr6(E0 + below(r, 3), addr, 5);
		plen = 64;
		break;
	case 2:
		family = AF_INET;
		pool_addr4(r, addr);
		plen = chance(r, 50) ? 32 : 24;
		break;
	default:
		pool_addr(r, addr);
		plen = chance(r, 60) ? 128 : 64;
	}
	inet_ntop(family, addr, text, sizeof(text));
	say("addr %s %s/%d dev %s", undo ? "del" : "add", text, plen,
	    port_names[port]);
	return nl_addr(&w.main, cmd, w.port[port].index, family, addr, plen);
}

int do_link(struct rng *r, int undo)
{
	int port = pick_port(r), vrf = below(r, VRFS);

	if (chance(r, 10)) {
		if (!w.vrf[vrf])
			return -1;
		say("link set vrf10%d %s", vrf, undo ? "up" : "down");
		if (undo)
			fix_vrf(vrf);
		return nl_link(&w.main, w.vrf[vrf], IFF_UP, undo ? IFF_UP : 0);
	}
	if (undo)
		return restore(port);
	if (!is_here(port))
		return -1;
	say("link set %s down", port_names[port]);
	return nl_link(&w.main, w.port[port].index, IFF_UP, 0);
}

int do_carrier(struct rng *r, int undo)
{
	int port = pick_port(r);

	say("carrier of %s %s", port_names[port], undo ? "on" : "off");
	return port_carrier(port, undo) ? 0 : -1;
}

/*
 * Nobody is told when ignore_routes_with_linkdown changes: the answer of a
 * former lookup may be used until its age ends it.  The carrier goes before or
 * after that.
 */
int do_linkdown(struct rng *r, int undo)
{
	bool all = chance(r, 20), after = chance(r, 40);
	int port = pick_port(r);
	const char *value = undo == 2 ? "0" : "1";
	const char *name = all ? "all" : port_name(port);

	if (undo == 2 || undo == after) {
		say("carrier of %s %s", port_names[port],
		    undo == 2 ? "on" : "off");
		port_carrier(port, undo == 2);
	}
	if (undo == 2 || undo != after) {
		say("ignore_routes_with_linkdown of %s %s", name, value);
		sysctl_of(&w.main, value,
			  "ipv6/conf/%s/ignore_routes_with_linkdown", name);
		sysctl_of(&w.main, value,
			  "ipv4/conf/%s/ignore_routes_with_linkdown", name);
		nap(max_age + 20);
	}
	return 0;
}

int do_mtu(struct rng *r, int undo)
{
	static const int mtus[] = { 1280, 1300, 1400, 1400, 1320, 2000, 1000 };
	int port = pick_port(r), mtu = mtus[below(r, ARRAY_LEN(mtus))];
	int err, i;

	/* Below the least MTU of IPv6 all of that is gone. */
	if (undo && mtu < 1280)
		return restore(port);
	if (undo)
		mtu = 1500;
	if (!is_here(port))
		return -1;
	say("link set %s mtu %d", port_names[port], mtu);
	err = nl_link_u32(&w.main, w.port[port].index, IFLA_MTU, mtu);
	/* If IPv6 is there again, its neighbours are not. */
	for (i = 0; i < NEIGHS && mtu >= 1280; i++)
		put_neigh(port, i, w.port[port].version[i]);
	return err;
}

int do_neigh(struct rng *r, int undo)
{
	int port = E0 + below(r, 5), neigh = below(r, N4_LEAF);
	int version = chance(r, 35) ? 0 : 2 + below(r, 200);

	if (!is_here(port))
		return -1;
	say("neighbour %d of %s is now %d", neigh, port_names[port],
	    undo ? 1 : version);
	put_neigh(port, neigh, undo ? 1 : version);
	return 0;
}

/* --- ports come and go --- */

static int new_port(struct rng *r)
{
	struct rt rt;
	int i;

	if (w.port[X0].there)
		return -1;
	fix_port(X0);
	for (i = 0; i < 2; i++) {
		do
			pick_target(r, &rt);
		while (rt.family != AF_INET6 || rt.plen < 48);
		rt.hops = 1;
		rt.hop[0].index = w.port[X0].index;
		rt.hop[0].has_via = true;
		port_addr6(X0, rt.hop[0].via, 1);
		nl_route(&w.main, RTM_NEWROUTE, NLM_F_CREATE | NLM_F_EXCL, &rt);
	}
	show_rt("x0 is there, and", &rt);
	return 0;
}

int do_device(struct rng *r, int undo)
{
	int port = chance(r, 60) ? X0 : E2;

	if (port == X0 && !undo)
		return new_port(r);
	if (port == E2 && undo)
		return restore(E2);
	say("%s is destroyed", port_names[port]);
	port_close(port);
	return 0;
}

int do_rename(struct rng *r, int undo)
{
	int port = chance(r, 30) ? E1 : IN1, err;
	char name[IFNAMSIZ];

	if (!is_here(port) || w.renamed[port] != undo)
		return -1;
	snprintf(name, sizeof(name), "%s%s", undo ? "" : "r-",
		 port_names[port]);
	say("link set %s name %s", port_name(port), name);
	err = nl_link_str(&w.main, w.port[port].index, IFLA_IFNAME, name);
	if (!err)
		w.renamed[port] = !undo;
	return err;
}

int do_move(struct rng *r, int undo)
{
	int port = E0 + below(r, 3), err;
	struct port *p = &w.port[port];

	if (undo)
		return restore(port);
	if (!is_here(port))
		return -1;
	say("link set %s netns aside", port_names[port]);
	err = nl_link_u32(&w.main, p->index, IFLA_NET_NS_FD, aside.fd);
	if (err)
		return err;
	p->away = true;
	p->index = index_of(&aside, port_name(port));
	return 0;
}

int do_space(struct rng *r, int undo)
{
	(void)r;
	say("the second router %s", undo ? "is destroyed" : "is there");
	if (undo)
		second_destroy();
	else
		second_build();
	return 0;
}

/* A rule passes over routes by a port's group; nobody is told of changes. */
int do_ifgroup(struct rng *r, int undo)
{
	int port = pick_port(r);

	if (undo != 1)
		group_rule(undo);
	if (!undo || !is_here(port))
		return undo ? -1 : 0;
	say("link set %s group %d", port_names[port], undo == 2 ? 0 : 7);
	return nl_link_u32(&w.main, w.port[port].index, IFLA_GROUP,
			   undo == 2 ? 0 : 7);
}

/* All neighbours are forgotten with it, those for good too. */
int do_mac(struct rng *r, int undo)
{
	int port = pick_port(r), err, i;
	bool forget = chance(r, 20);
	uint8_t mac[6] = { 2, 0, 0, 1, port, below(r, 256) };

	if (undo)
		return restore(port);
	if (!is_here(port))
		return -1;
	say("link set %s address ..:%02x", port_names[port], mac[5]);
	err = nl_link_mac(&w.main, w.port[port].index, mac);
	if (err)
		return err;
	memcpy(w.port[port].mac, mac, 6);
	for (i = 0; i < NEIGHS; i++)
		put_neigh(port, i, forget ? 0 : w.port[port].version[i]);
	return 0;
}
