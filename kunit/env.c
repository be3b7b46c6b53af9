// SPDX-License-Identifier: GPL-2.0-only
/*
 * env.c - build the network in which all cases run, and keep its books
 */
#include <linux/etherdevice.h>
#include <linux/if_arp.h>
#include <linux/inetdevice.h>
#include <linux/kmod.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <net/dst_ops.h>
#include <net/ip6_fib.h>
#include <net/ipv6.h>
#include <net/l3mdev.h>
#include <net/net_namespace.h>

#include "env.h"
#include "harness.h"
#include "netlink.h"
#include "netns.h"
#include "watch.h"

#define VRF_NAME	"seg6nr-vrf"

#define IN6(a, b, c, h) {						\
	.in6_u.u6_addr16 = { cpu_to_be16(a), cpu_to_be16(b),		\
			     cpu_to_be16(c), [7] = cpu_to_be16(h) },	\
}

const struct in6_addr seg6nr_addr_sid = IN6(0xfc00, 0x0001, 0, 1);
const struct in6_addr seg6nr_addr_peer = IN6(0x2001, 0x0db8, 1, 2);
const struct in6_addr seg6nr_addr_own = IN6(0x2001, 0x0db8, 1, 1);
const struct in6_addr seg6nr_addr_nexthop = IN6(0x2001, 0x0db8, 2, 2);
const struct in6_addr seg6nr_addr_behind = IN6(0x2001, 0x0db8, 0xe, 0x99);
const struct in6_addr seg6nr_addr_kept = IN6(0x2001, 0x0db8, 0xf, 0x99);
const struct in6_addr seg6nr_addr_nowhere = IN6(0xfd00, 0, 0, 1);
const struct in6_addr seg6nr_addr_vrf = IN6(0x2001, 0x0db8, 4, 1);
const struct in6_addr seg6nr_addr_csid = IN6(0x2001, 0x0db8, 0xc, 0);
const struct in6_addr seg6nr_addr_any = {};

static const struct in6_addr addr_out = IN6(0x2001, 0x0db8, 2, 1);
static const struct in6_addr addr_keep = IN6(0x2001, 0x0db8, 3, 1);
const struct in6_addr seg6nr_addr_keep_nexthop = IN6(0x2001, 0x0db8, 3, 2);
static const __be32 addr4_in = seg6nr_addr4_own;
static const __be32 addr4_peer = seg6nr_addr4_peer;
static const __be32 addr4_out = cpu_to_be32(0xc0000201);
static const __be32 addr4_out_nexthop = seg6nr_addr4_nexthop;
static const __be32 addr4_keep = cpu_to_be32(0xcb007101);
static const __be32 addr4_keep_nexthop = seg6nr_addr4_keep_nexthop;
static const __be32 addr4_vrf = seg6nr_addr4_vrf;
static const __be32 addr4_behind = seg6nr_addr4_behind;
static const __be32 addr4_kept = seg6nr_addr4_kept;

struct seg6nr_env seg6nr_env;

static netdev_tx_t dev_xmit(struct sk_buff *skb, struct net_device *dev)
{
	if (!seg6nr_watch_take(SEG6NR_AT_XMIT, skb))
		consume_skb(skb);
	return NETDEV_TX_OK;
}

static const struct net_device_ops dev_ops = {
	.ndo_start_xmit	= dev_xmit,
};

static void dev_setup(struct net_device *dev)
{
	ether_setup(dev);
	eth_hw_addr_random(dev);
	dev->netdev_ops = &dev_ops;
	dev->features |= NETIF_F_SG | NETIF_F_HW_CSUM;
	dev->priv_flags |= IFF_NO_QUEUE;
}

/**
 * seg6nr_dev_add() - make a device in the namespace and set it up
 * @name: its name
 * @keeps_dst: it wants the dst of packets
 *
 * Return: the device, or NULL, having said why to the log.
 */
struct net_device *seg6nr_dev_add(const char *name, bool keeps_dst)
{
	struct net_device *dev;
	int err;

	dev = alloc_netdev(0, name, NET_NAME_UNKNOWN, dev_setup);
	if (!dev)
		return NULL;

	dev_net_set(dev, seg6nr_env.net);
	if (keeps_dst)
		netif_keep_dst(dev);
	err = register_netdev(dev);
	if (!err)
		err = seg6nr_rtnl_link_up(dev->ifindex);
	if (err) {
		pr_err("device %s: error %d\n", name, err);
		if (dev->reg_state == NETREG_REGISTERED)
			unregister_netdev(dev);
		free_netdev(dev);
		return NULL;
	}
	return dev;
}

/**
 * seg6nr_dev_del() - undo seg6nr_dev_add()
 * @dev: the device, may be NULL
 */
void seg6nr_dev_del(struct net_device *dev)
{
	if (!dev)
		return;
	unregister_netdev(dev);
	free_netdev(dev);
}

/* Devices copy these when they are made.  Nobody else sees the namespace. */
static void set_sysctls(struct net *net)
{
	struct ipv6_devconf *dflt6 = net->ipv6.devconf_dflt;

	net->ipv6.devconf_all->forwarding = 1;
	dflt6->forwarding = 1;
	dflt6->accept_ra = 0;
	dflt6->accept_dad = 0;
	dflt6->dad_transmits = 0;
	dflt6->rtr_solicits = 0;
	dflt6->addr_gen_mode = IN6_ADDR_GEN_MODE_NONE;
	/* Each multicast report that is sent late makes a dst in between. */
	dflt6->force_mld_version = 1;
	dflt6->mldv1_unsolicited_report_interval = INT_MAX;

	IPV4_DEVCONF_ALL(net, FORWARDING) = 1;
	IPV4_DEVCONF_ALL(net, RP_FILTER) = 0;
	IPV4_DEVCONF(*net->ipv4.devconf_dflt, FORWARDING) = 1;
	IPV4_DEVCONF(*net->ipv4.devconf_dflt, RP_FILTER) = 0;
}

static int add_devices(void)
{
	seg6nr_env.in = seg6nr_dev_add("seg6nr-in", false);
	seg6nr_env.out = seg6nr_dev_add("seg6nr-out", false);
	seg6nr_env.keep = seg6nr_dev_add("seg6nr-keep", true);
	if (!seg6nr_env.in || !seg6nr_env.out || !seg6nr_env.keep)
		return -ENODEV;
	return 0;
}

static int add_addresses(void)
{
	const struct {
		u8			family;
		u8			plen;
		const struct net_device	*dev;
		const void		*addr;
		const void		*neigh;
	} rows[] = {
		{ AF_INET6, 64, seg6nr_env.in, &seg6nr_addr_own,
		  &seg6nr_addr_peer },
		{ AF_INET6, 64, seg6nr_env.out, &addr_out,
		  &seg6nr_addr_nexthop },
		{ AF_INET6, 64, seg6nr_env.keep, &addr_keep,
		  &seg6nr_addr_keep_nexthop },
		{ AF_INET, 24, seg6nr_env.in, &addr4_in, &addr4_peer },
		{ AF_INET, 24, seg6nr_env.out, &addr4_out,
		  &addr4_out_nexthop },
		{ AF_INET, 24, seg6nr_env.keep, &addr4_keep,
		  &addr4_keep_nexthop },
	};
	u8 lladdr[ETH_ALEN];
	unsigned int i;
	int err = 0;

	eth_random_addr(lladdr);
	for (i = 0; !err && i < ARRAY_SIZE(rows); i++) {
		int ifindex = rows[i].dev->ifindex;

		err = seg6nr_rtnl_addr_add(rows[i].family, ifindex,
					   rows[i].addr, rows[i].plen);
		if (!err)
			err = seg6nr_rtnl_neigh_add(rows[i].family, ifindex,
						    rows[i].neigh, lladdr);
	}
	return err;
}

/* Leaves the reason in no_vrf; cases that need a VRF are skipped then. */
static int add_vrf(void)
{
	struct net *net = seg6nr_env.net;
	int ifindex;
	int err;

	err = seg6nr_rtnl_vrf_add(VRF_NAME, SEG6NR_TABLE_VRF);
	if (err == -EOPNOTSUPP) {
		seg6nr_env.no_vrf = "this kernel has no VRF";
		return 0;
	}
	if (err)
		return err;

	ifindex = l3mdev_ifindex_lookup_by_table_id(L3MDEV_TYPE_VRF, net,
						    SEG6NR_TABLE_VRF);
	if (ifindex <= 0) {
		seg6nr_env.no_vrf = "net.vrf.strict_mode could not be set";
		return 0;
	}

	err = seg6nr_rtnl_link_up(ifindex);
	if (!err)
		err = seg6nr_rtnl_addr_add(AF_INET, ifindex, &addr4_vrf, 32);
	if (!err)
		err = seg6nr_rtnl_addr_add(AF_INET6, ifindex, &seg6nr_addr_vrf,
					   128);
	seg6nr_env.vrf = ifindex;
	return err;
}

/* @family: of the routes, AF_UNSPEC for both. */
static int change_routes(int (*change)(const struct seg6nr_route *route),
			 u8 family)
{
	int out = seg6nr_env.out->ifindex, keep = seg6nr_env.keep->ifindex;
	const struct seg6nr_route rows[] = {
		{ AF_INET6, 48, 0, &seg6nr_addr_behind, &seg6nr_addr_nexthop,
		  0, out },
		{ AF_INET6, 48, 0, &seg6nr_addr_kept, &seg6nr_addr_keep_nexthop,
		  0, keep },
		{ AF_INET6, 48, 0, &seg6nr_addr_behind, &seg6nr_addr_nexthop,
		  SEG6NR_TABLE_ROUTES, out },
		{ AF_INET6, 48, 0, &seg6nr_addr_kept, &seg6nr_addr_keep_nexthop,
		  SEG6NR_TABLE_ROUTES, keep },
		{ AF_INET6, 48, 0, &seg6nr_addr_behind, &seg6nr_addr_nexthop,
		  SEG6NR_TABLE_VRF, out },
		{ AF_INET6, 48, 0, &seg6nr_addr_kept, &seg6nr_addr_keep_nexthop,
		  SEG6NR_TABLE_VRF, keep },
		{ AF_INET, 32, 0, &addr4_behind, &addr4_out_nexthop, 0, out },
		{ AF_INET, 32, 0, &addr4_kept, &addr4_keep_nexthop, 0, keep },
		{ AF_INET, 32, 0, &addr4_behind, &addr4_out_nexthop,
		  SEG6NR_TABLE_VRF, out },
		{ AF_INET, 32, 0, &addr4_kept, &addr4_keep_nexthop,
		  SEG6NR_TABLE_VRF, keep },
	};
	unsigned int i;
	int err = 0;

	for (i = 0; !err && i < ARRAY_SIZE(rows); i++) {
		if (family == AF_UNSPEC || family == rows[i].family)
			err = change(&rows[i]);
	}
	return err;
}

static int build_network(void)
{
	int err;

	err = seg6nr_rtnl_link_up(LOOPBACK_IFINDEX);
	if (!err)
		err = add_devices();
	if (!err)
		err = add_addresses();
	if (!err)
		err = add_vrf();
	if (!err)
		err = change_routes(seg6nr_rtnl_route_add, AF_UNSPEC);
	if (err)
		pr_err("cannot build the test network: error %d %s\n", err,
		       seg6nr_rtnl_text());
	return err;
}

/**
 * seg6nr_env_init() - make the namespace and all that is in it
 *
 * Context: process, may sleep for seconds.
 *
 * Return: 0 or a negative error, having said why to the log.
 */
int seg6nr_env_init(void)
{
	struct net *net;
	int err;

	/* Strict mode can be set only where VRFs exist. */
	request_module("rtnl-link-vrf");

	net = seg6nr_netns_open();
	if (IS_ERR(net))
		return PTR_ERR(net);
	seg6nr_env.net = net;

	err = seg6nr_watch_init(net);
	if (err)
		goto close_netns;
	err = seg6nr_rtnl_open(net);
	if (err)
		goto exit_watch;

	set_sysctls(net);
	err = build_network();
	if (!err)
		return 0;

	seg6nr_env_exit();
	return err;

exit_watch:
	seg6nr_watch_exit(net);
close_netns:
	seg6nr_netns_close();
	return err;
}

/** seg6nr_env_exit() - undo seg6nr_env_init() */
void seg6nr_env_exit(void)
{
	if (seg6nr_env.vrf)
		seg6nr_rtnl_link_del(seg6nr_env.vrf);
	seg6nr_dev_del(seg6nr_env.keep);
	seg6nr_dev_del(seg6nr_env.out);
	seg6nr_dev_del(seg6nr_env.in);
	seg6nr_rtnl_close();
	seg6nr_watch_exit(seg6nr_env.net);
	seg6nr_netns_close();
	memset(&seg6nr_env, 0, sizeof(seg6nr_env));
}

/**
 * seg6nr_env_lose_routes() - delete all routes that packets go by
 * @test: the case; failed if this is not possible
 * @family: AF_INET or AF_INET6
 */
void seg6nr_env_lose_routes(struct kunit *test, u8 family)
{
	int err = change_routes(seg6nr_rtnl_route_del, family);

	if (err)
		KUNIT_FAIL(test, "cannot delete the routes: error %d %s", err,
			   seg6nr_rtnl_text());
}

/**
 * seg6nr_env_regain_routes() - undo seg6nr_env_lose_routes()
 * @test: the case; failed if this is not possible
 * @family: the same as there
 */
void seg6nr_env_regain_routes(struct kunit *test, u8 family)
{
	int err = change_routes(seg6nr_rtnl_route_add, family);

	if (err)
		KUNIT_FAIL(test, "cannot add the routes: error %d %s", err,
			   seg6nr_rtnl_text());
}

/**
 * seg6nr_case_init() - what each case starts with: it stays on its CPU
 * @test: the case, in its own thread
 *
 * The kernel caches IPv6 dsts per CPU; a count taken on one would not be that
 * of the next.
 *
 * Return: 0 or a negative error.
 */
int seg6nr_case_init(struct kunit *test)
{
	return set_cpus_allowed_ptr(current,
				    cpumask_of(raw_smp_processor_id()));
}

/**
 * seg6nr_settle() - wait until what was deleted is gone, and what that held
 */
void seg6nr_settle(void)
{
	int hops;

	/* A clone's end frees its route's, whose end frees per-CPU ones. */
	for (hops = 0; hops < 3; hops++)
		rcu_barrier();
}

/**
 * seg6nr_books_read() - count what is in use, once RCU has freed what it can
 * @books: filled in
 */
void seg6nr_books_read(struct seg6nr_books *books)
{
	struct netns_ipv6 *ns = &seg6nr_env.net->ipv6;

	seg6nr_settle();
	books->entries = dst_entries_get_slow(&ns->ip6_dst_ops);
	books->in_refs = netdev_refcnt_read(seg6nr_env.in);
	books->out_refs = netdev_refcnt_read(seg6nr_env.out);
	books->module_refs = seg6nr_module_refs();
}

static void check_module(struct kunit *test, const struct seg6nr_books *before,
			 const struct seg6nr_books *now, const char *what)
{
	KUNIT_EXPECT_EQ_MSG(test, now->module_refs, before->module_refs,
			    "%s: expected %d references to the module, seen %d",
			    what, before->module_refs, now->module_refs);
}

/**
 * seg6nr_books_check_module() - compare the module's references only
 * @test: the case
 * @before: an earlier count
 * @what: what happened since, for the message
 */
void seg6nr_books_check_module(struct kunit *test,
			       const struct seg6nr_books *before,
			       const char *what)
{
	struct seg6nr_books now;

	seg6nr_books_read(&now);
	check_module(test, before, &now, what);
}

/**
 * seg6nr_books_check() - compare with an earlier count
 * @test: the case
 * @before: that count
 * @what: what happened since, for the message
 */
void seg6nr_books_check(struct kunit *test, const struct seg6nr_books *before,
			const char *what)
{
	struct seg6nr_books now;

	seg6nr_books_read(&now);
	KUNIT_EXPECT_EQ_MSG(test, now.entries, before->entries,
			    "%s: expected %d dst entries, seen %d", what,
			    before->entries, now.entries);
	KUNIT_EXPECT_EQ_MSG(test, now.in_refs, before->in_refs,
			    "%s: expected %d references to the input device, seen %d",
			    what, before->in_refs, now.in_refs);
	KUNIT_EXPECT_EQ_MSG(test, now.out_refs, before->out_refs,
			    "%s: expected %d references to the output device, seen %d",
			    what, before->out_refs, now.out_refs);
	check_module(test, before, &now, what);
}
