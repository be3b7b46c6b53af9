// SPDX-License-Identifier: GPL-2.0-only
/*
 * netlink_rule.c - policy rules and nexthop objects, for the client in
 * netlink.c
 */
#include <linux/fib_rules.h>
#include <linux/nexthop.h>
#include <linux/rtnetlink.h>
#include <net/netlink.h>

#include "netlink.h"

static int change_rule(u16 type, u16 flags, const struct seg6nr_rule *rule)
{
	struct fib_rule_hdr frh = {
		.family = AF_INET6,
		.dst_len = rule->dst ? 128 : 0,
		.src_len = rule->src ? 128 : 0,
		.tos = rule->tos,
		.action = rule->action,
	};
	struct sk_buff *msg;
	int bad;

	msg = seg6nr_rtnl_request(type, NLM_F_ACK | flags, &frh, sizeof(frh));
	if (!msg)
		return -ENOMEM;

	bad = nla_put_u32(msg, FRA_PRIORITY, rule->priority);
	if (rule->table)
		bad |= nla_put_u32(msg, FRA_TABLE, rule->table);
	if (rule->dst)
		bad |= nla_put_in6_addr(msg, FRA_DST, rule->dst);
	if (rule->src)
		bad |= nla_put_in6_addr(msg, FRA_SRC, rule->src);
	if (rule->proto)
		bad |= nla_put_u8(msg, FRA_IP_PROTO, rule->proto);
	if (rule->mark)
		bad |= nla_put_u32(msg, FRA_FWMARK, rule->mark);
	if (rule->iif)
		bad |= nla_put_string(msg, FRA_IIFNAME, rule->iif);
	if (rule->l3mdev)
		bad |= nla_put_u8(msg, FRA_L3MDEV, 1);
	if (rule->suppress)
		bad |= nla_put_u32(msg, FRA_SUPPRESS_PREFIXLEN,
				   rule->suppress - 1);
	if (rule->suppress_group)
		bad |= nla_put_u32(msg, FRA_SUPPRESS_IFGROUP,
				   rule->suppress_group - 1);
	return seg6nr_rtnl_ask(msg, bad);
}

/**
 * seg6nr_rtnl_rule_add() - add an IPv6 rule
 * @rule: the rule
 *
 * Return: 0 or a negative error.
 */
int seg6nr_rtnl_rule_add(const struct seg6nr_rule *rule)
{
	return change_rule(RTM_NEWRULE, NLM_F_CREATE | NLM_F_EXCL, rule);
}

/**
 * seg6nr_rtnl_rule_del() - delete an IPv6 rule
 * @rule: as it was added
 *
 * Return: 0 or a negative error.
 */
int seg6nr_rtnl_rule_del(const struct seg6nr_rule *rule)
{
	return change_rule(RTM_DELRULE, 0, rule);
}

static int change_nexthop(u16 flags, u32 id, int ifindex,
			  const struct in6_addr *gw)
{
	struct nhmsg nhm = {
		.nh_family = AF_INET6,
		.nh_protocol = RTPROT_STATIC,
	};
	struct sk_buff *msg;
	int bad;

	msg = seg6nr_rtnl_request(RTM_NEWNEXTHOP,
				  NLM_F_ACK | NLM_F_CREATE | flags, &nhm,
				  sizeof(nhm));
	if (!msg)
		return -ENOMEM;

	bad = nla_put_u32(msg, NHA_ID, id);
	bad |= nla_put_u32(msg, NHA_OIF, ifindex);
	if (gw)
		bad |= nla_put_in6_addr(msg, NHA_GATEWAY, gw);
	return seg6nr_rtnl_ask(msg, bad);
}

/**
 * seg6nr_rtnl_nexthop_add() - make an IPv6 nexthop object
 * @id: its number
 * @ifindex: the device it leads through
 * @gw: the gateway, NULL for the destination itself
 *
 * Return: 0 or a negative error.
 */
int seg6nr_rtnl_nexthop_add(u32 id, int ifindex, const struct in6_addr *gw)
{
	return change_nexthop(NLM_F_EXCL, id, ifindex, gw);
}

/**
 * seg6nr_rtnl_nexthop_replace() - change a nexthop object
 * @id: its number
 * @ifindex: as in seg6nr_rtnl_nexthop_add()
 * @gw: as there
 *
 * Return: 0 or a negative error.
 */
int seg6nr_rtnl_nexthop_replace(u32 id, int ifindex, const struct in6_addr *gw)
{
	return change_nexthop(NLM_F_REPLACE, id, ifindex, gw);
}

/**
 * seg6nr_rtnl_nexthop_group() - make a group of nexthop objects
 * @id: its number
 * @members: theirs, at most two
 * @count: how many
 *
 * Return: 0 or a negative error.
 */
int seg6nr_rtnl_nexthop_group(u32 id, const u32 *members, unsigned int count)
{
	struct nhmsg nhm = { .nh_protocol = RTPROT_STATIC };
	struct nexthop_grp group[2] = {};
	struct sk_buff *msg;
	unsigned int i;
	int bad;

	msg = seg6nr_rtnl_request(RTM_NEWNEXTHOP,
				  NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL, &nhm,
				  sizeof(nhm));
	if (!msg)
		return -ENOMEM;

	for (i = 0; i < count && i < ARRAY_SIZE(group); i++)
		group[i].id = members[i];
	bad = nla_put_u32(msg, NHA_ID, id);
	bad |= nla_put(msg, NHA_GROUP, i * sizeof(group[0]), group);
	return seg6nr_rtnl_ask(msg, bad);
}

/**
 * seg6nr_rtnl_nexthop_del() - delete a nexthop object
 * @id: its number
 *
 * Return: 0 or a negative error.
 */
int seg6nr_rtnl_nexthop_del(u32 id)
{
	struct nhmsg nhm = { .nh_family = AF_UNSPEC };
	struct sk_buff *msg;

	msg = seg6nr_rtnl_request(RTM_DELNEXTHOP, NLM_F_ACK, &nhm, sizeof(nhm));
	return msg ? seg6nr_rtnl_ask(msg, nla_put_u32(msg, NHA_ID, id)) :
		     -ENOMEM;
}
