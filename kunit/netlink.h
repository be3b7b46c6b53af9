/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * netlink.h - configure a namespace from inside the kernel, as ip(8) would
 *
 * All functions talk to the namespace of the environment, sleep, and return 0
 * or the kernel's negative error; the text that came with the error is in
 * seg6nr_rtnl_text() until the next request.
 */
#ifndef SEG6NR_KUNIT_NETLINK_H
#define SEG6NR_KUNIT_NETLINK_H

#include <linux/in.h>
#include <linux/in6.h>
#include <linux/types.h>

struct ipv6_sr_hdr;
struct net;
struct sk_buff;

/**
 * struct seg6nr_sid - what a SID is configured with
 * @action: SEG6NR_ACT_*
 * @table: routing table, 0 for none given
 * @vrftable: VRF's routing table, 0 for none given
 * @oif: output device, 0 for none given
 * @nh6: next hop, NULL for none given
 * @nh4: next hop in network order, only with @has_nh4
 * @has_nh4: @nh4 is given, be it 0.0.0.0
 * @flavors: bit per SEG6NR_FLV_OP_*, 0 for none given
 * @replace_nflen: bits of a C-SID of the REPLACE-CSID flavor, 0 without that
 * @srh: policy, NULL for none given
 */
struct seg6nr_sid {
	u32			action;
	u32			table;
	u32			vrftable;
	u32			oif;
	const struct in6_addr	*nh6;
	__be32			nh4;
	bool			has_nh4;
	u32			flavors;
	u8			replace_nflen;
	const struct ipv6_sr_hdr *srh;
};

/**
 * struct seg6nr_route - a route to add or delete
 * @family: AF_INET or AF_INET6
 * @dst: prefix, of the family's address type
 * @plen: its length
 * @type: RTN_*, 0 for unicast
 * @table: 0 for main
 * @oif: ifindex, 0 for none
 * @gw: gateway or NULL
 * @nhid: nexthop object, 0 for none; in place of @oif and @gw
 * @sid: encap or NULL
 * @src: IPv6: source that packets must have, or NULL
 * @metric: 0 for the usual one
 * @expires: IPv6: seconds until it ends, 0 for never
 */
struct seg6nr_route {
	u8			family;
	u8			plen;
	u8			type;
	const void		*dst;
	const void		*gw;
	u32			table;
	int			oif;
	u32			nhid;
	const struct seg6nr_sid	*sid;
	const struct in6_addr	*src;
	u32			metric;
	u32			expires;
};

/**
 * struct seg6nr_rule - an IPv6 rule to add or delete
 * @action: FR_ACT_*
 * @table: of FR_ACT_TO_TBL
 * @priority: of the rule
 * @dst: destination or NULL
 * @src: source or NULL
 * @tos: traffic class, 0 for any
 * @proto: protocol, 0 for any
 * @mark: of the packet, 0 for any
 * @iif: name of the device that it comes in on, NULL for any
 * @l3mdev: the table of the VRF is asked, in place of @table
 * @suppress: longest prefix that is passed over, plus one, 0 for none
 * @suppress_group: group of devices that is, plus one, 0 for none
 */
struct seg6nr_rule {
	u8			action;
	u32			table;
	u32			priority;
	const struct in6_addr	*dst;
	const struct in6_addr	*src;
	u8			tos;
	u8			proto;
	u32			mark;
	const char		*iif;
	bool			l3mdev;
	u32			suppress;
	u32			suppress_group;
};

/**
 * struct seg6nr_sid_counters - counters of a SID, as the kernel dumps them
 * @packets: packets forwarded
 * @bytes: their octets
 * @errors: packets dropped
 */
struct seg6nr_sid_counters {
	u64 packets;
	u64 bytes;
	u64 errors;
};

struct sk_buff *seg6nr_rtnl_request(u16 type, u16 flags, const void *head,
				    int len);
int seg6nr_rtnl_ask(struct sk_buff *msg, int incomplete);
int seg6nr_rtnl_open(struct net *net);
void seg6nr_rtnl_close(void);
const char *seg6nr_rtnl_text(void);

int seg6nr_rtnl_link_up(int ifindex);
int seg6nr_rtnl_link_down(int ifindex);
int seg6nr_rtnl_link_master(int ifindex, int master);
int seg6nr_rtnl_link_mtu(int ifindex, u32 mtu);
int seg6nr_rtnl_link_rename(int ifindex, const char *name);
int seg6nr_rtnl_vrf_add(const char *name, u32 table);
int seg6nr_rtnl_link_del(int ifindex);
int seg6nr_rtnl_addr_add(u8 family, int ifindex, const void *addr, u8 plen);
int seg6nr_rtnl_addr_del(int ifindex, const struct in6_addr *addr, u8 plen);
int seg6nr_rtnl_neigh_add(u8 family, int ifindex, const void *addr,
			  const u8 *lladdr);
int seg6nr_rtnl_route_add(const struct seg6nr_route *route);
int seg6nr_rtnl_route_del(const struct seg6nr_route *route);
int seg6nr_rtnl_route_append(const struct seg6nr_route *route);
int seg6nr_rtnl_route_replace(const struct seg6nr_route *route);
int seg6nr_rtnl_nexthop_add(u32 id, int ifindex, const struct in6_addr *gw);
int seg6nr_rtnl_nexthop_replace(u32 id, int ifindex,
				const struct in6_addr *gw);
int seg6nr_rtnl_nexthop_group(u32 id, const u32 *members, unsigned int count);
int seg6nr_rtnl_nexthop_del(u32 id);
int seg6nr_rtnl_rule_add(const struct seg6nr_rule *rule);
int seg6nr_rtnl_rule_del(const struct seg6nr_rule *rule);
int seg6nr_rtnl_counters(const struct in6_addr *sid,
			 struct seg6nr_sid_counters *counters);

#endif /* SEG6NR_KUNIT_NETLINK_H */
