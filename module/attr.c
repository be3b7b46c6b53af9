// SPDX-License-Identifier: GPL-2.0-only
/*
 * attr.c - the table of netlink attributes
 *
 * One row per attribute says how it is checked, parsed, dumped, measured,
 * compared and freed.  What a behaviour takes is in behavior.c.  The messages
 * use the words of ip-route(8), for that is what users typed.
 */
#include <linux/init.h>
#include <linux/percpu.h>
#include <net/netlink.h>

#include "seg6nr.h"

/* Payload of any length: attributes that no behaviour takes yet. */
#define ANY_LEN		0xffff

struct attr {
	const char *word;
	/* A row is plain, a field of fixed length, unless it is of any. */
	u16 len;
	u16 offset;
	int (*parse)(struct net *net, struct seg6nr_lwt *slwt,
		     const struct nlattr *attr, struct netlink_ext_ack *extack);
	int (*put)(struct sk_buff *skb, const struct seg6nr_lwt *slwt);
	int (*size)(const struct seg6nr_lwt *slwt);
	void (*destroy)(struct seg6nr_lwt *slwt);
};

/* Faults that any attribute can have. */
enum fault { MISSING, SURPLUS, TWICE, LENGTH, FAULTS };

static const char * const faults[FAULTS] = {
	[MISSING]	= "missing",
	[SURPLUS]	= "not used by this action",
	[TWICE]		= "given twice",
	[LENGTH]	= "wrong length",
};

/* "WORD: fault", made once, for extack keeps pointers and old ones no text. */
static char messages[SEG6NR_A_MAX + 1][FAULTS][40] __ro_after_init;

/**
 * seg6nr_refuse() - refuse a configuration and say why
 * @extack: may be NULL
 * @attr: the attribute at fault
 * @msg: "WORD: reason", static storage
 * @err: what to return
 *
 * Return: @err
 */
int seg6nr_refuse(struct netlink_ext_ack *extack, const struct nlattr *attr,
		  const char *msg, int err)
{
	if (extack) {
		extack->_msg = msg;
		NL_SET_BAD_ATTR(extack, attr);
	}
	return err;
}

static int parse_oif(struct net *net, struct seg6nr_lwt *slwt,
		     const struct nlattr *attr, struct netlink_ext_ack *extack)
{
	if (!slwt->oif || slwt->oif > INT_MAX)
		return seg6nr_refuse(extack, attr,
				     "oif: not a device index", -EINVAL);
	return 0;
}

static int parse_vrftable(struct net *net, struct seg6nr_lwt *slwt,
			  const struct nlattr *attr,
			  struct netlink_ext_ack *extack)
{
	return seg6nr_vrf_bind(net, slwt, attr, extack);
}

/* The values given are where a dump stood; counting starts at zero. */
static int parse_counters(struct net *net, struct seg6nr_lwt *slwt,
			  const struct nlattr *attr,
			  struct netlink_ext_ack *extack)
{
	const struct nlattr *pos;
	u32 seen = 0;
	int rem;

	nla_for_each_nested(pos, attr, rem) {
		int type = nla_type(pos);

		if (type > SEG6NR_CNT_MAX || (type > SEG6NR_CNT_PAD &&
					      nla_len(pos) != sizeof(u64)))
			return seg6nr_refuse(extack, pos,
					     "count: unknown or malformed counter",
					     -EINVAL);
		seen |= BIT(type);
	}
	if (~seen & (BIT(SEG6NR_CNT_PACKETS) | BIT(SEG6NR_CNT_BYTES) |
		     BIT(SEG6NR_CNT_ERRORS)))
		return seg6nr_refuse(extack, attr,
				     "count: packets, bytes or errors missing",
				     -EINVAL);

	slwt->counters = seg6nr_counters_alloc();
	return slwt->counters ? 0 : -ENOMEM;
}

static int put_counters(struct sk_buff *skb, const struct seg6nr_lwt *slwt)
{
	u64 sum[SEG6NR_CNT_MAX + 1] = {};
	struct nlattr *nest;
	int type;

	nest = nla_nest_start(skb, SEG6NR_A_COUNTERS);
	if (!nest)
		return -EMSGSIZE;

	seg6nr_counters_sum(slwt->counters, sum);
	for (type = SEG6NR_CNT_PACKETS; type <= SEG6NR_CNT_MAX; type++)
		if (nla_put_u64_64bit(skb, type, sum[type], SEG6NR_CNT_PAD))
			return -EMSGSIZE;

	nla_nest_end(skb, nest);
	return 0;
}

static int size_counters(const struct seg6nr_lwt *slwt)
{
	return nla_total_size(3 * nla_total_size_64bit(sizeof(u64)));
}

static void destroy_counters(struct seg6nr_lwt *slwt)
{
	free_percpu(slwt->counters);
}

#define FIELD(name)	offsetof(struct seg6nr_lwt, name)

static const struct attr attrs[SEG6NR_A_MAX + 1] = {
	[SEG6NR_A_ACTION]	= { "action", sizeof(u32), FIELD(action) },
	[SEG6NR_A_SRH]		= { "srh", ANY_LEN },
	[SEG6NR_A_TABLE]	= { "table", sizeof(u32), FIELD(table) },
	[SEG6NR_A_NH4]		= { "nh4", sizeof(struct in_addr), FIELD(nh4) },
	[SEG6NR_A_NH6]		= { "nh6", sizeof(struct in6_addr),
				    FIELD(nh6) },
	[SEG6NR_A_IIF]		= { "iif", ANY_LEN },
	[SEG6NR_A_OIF]		= { "oif", sizeof(u32), FIELD(oif),
				    .parse = parse_oif },
	[SEG6NR_A_BPF]		= { "endpoint", ANY_LEN },
	[SEG6NR_A_VRFTABLE]	= { "vrftable", sizeof(u32), FIELD(vrftable),
				    .parse = parse_vrftable },
	[SEG6NR_A_COUNTERS]	= { "count", ANY_LEN,
				    .parse = parse_counters,
				    .put = put_counters,
				    .size = size_counters,
				    .destroy = destroy_counters },
	[SEG6NR_A_FLAVORS]	= { "flavors", ANY_LEN },
};

/**
 * seg6nr_attrs_init() - make the messages for users
 */
void __init seg6nr_attrs_init(void)
{
	int type, fault;

	for (type = SEG6NR_A_ACTION; type <= SEG6NR_A_MAX; type++)
		for (fault = 0; fault < FAULTS; fault++)
			snprintf(messages[type][fault],
				 sizeof(messages[type][fault]), "%s: %s",
				 attrs[type].word, faults[fault]);
}

static int refuse_fault(struct netlink_ext_ack *extack,
			const struct nlattr *attr, int type, enum fault fault,
			int err)
{
	return seg6nr_refuse(extack, attr, messages[type][fault], err);
}

static bool is_plain(int type)
{
	return attrs[type].len != ANY_LEN;
}

/* File the attributes by type; each known, of its length and given once. */
static int sort(const struct nlattr *nest, const struct nlattr **tb,
		struct netlink_ext_ack *extack)
{
	const struct nlattr *pos;
	int rem;

	nla_for_each_nested(pos, nest, rem) {
		int type = nla_type(pos);

		if (type > SEG6NR_A_MAX || !attrs[type].word)
			return seg6nr_refuse(extack, pos,
					     "encap: attribute unknown to this module",
					     -EINVAL);
		if (tb[type])
			return refuse_fault(extack, pos, type, TWICE, -EINVAL);
		if (is_plain(type) && nla_len(pos) != attrs[type].len)
			return refuse_fault(extack, pos, type, LENGTH, -ERANGE);
		tb[type] = pos;
	}
	if (rem)
		return seg6nr_refuse(extack, nest,
				     "encap: octets left over behind the attributes",
				     -EINVAL);
	return 0;
}

/* Numbers that no kernel gives a behaviour: 11 to 14 are names only. */
#define UNDEFINED_ACTIONS						\
	(BIT_ULL(SEG6NR_ACT_UNSPEC) | GENMASK_ULL(63, SEG6NR_ACT_MAX + 1) | \
	 GENMASK_ULL(SEG6NR_ACT_END_AM, SEG6NR_ACT_END_BM))

/* Whether the action exists and takes just what is given. */
static int check(const struct nlattr *nest, const struct nlattr **tb,
		 struct netlink_ext_ack *extack)
{
	const struct nlattr *action = tb[SEG6NR_A_ACTION];
	const struct seg6nr_behavior *behavior;
	int type;

	if (!action)
		return refuse_fault(extack, nest, SEG6NR_A_ACTION, MISSING,
				    -EINVAL);

	if (BIT_ULL(min_t(u32, nla_get_u32(action), 63)) & UNDEFINED_ACTIONS)
		return seg6nr_refuse(extack, action, "action: unknown",
				     -EINVAL);
	behavior = seg6nr_behavior(nla_get_u32(action));
	if (!behavior)
		return seg6nr_refuse(extack, action,
				     "action: not supported by this module",
				     -EOPNOTSUPP);

	for (type = SEG6NR_A_ACTION + 1; type <= SEG6NR_A_MAX; type++) {
		if (!tb[type] && (behavior->needs & BIT(type)))
			return refuse_fault(extack, nest, type, MISSING,
					    -EINVAL);
		if (tb[type] &&
		    !((behavior->needs | behavior->allows) & BIT(type)))
			return refuse_fault(extack, tb[type], type, SURPLUS,
					    -EINVAL);
	}
	return 0;
}

static int parse_one(struct net *net, struct seg6nr_lwt *slwt,
		     const struct nlattr *attr, struct netlink_ext_ack *extack)
{
	const struct attr *row = &attrs[nla_type(attr)];
	int err;

	if (row->len != ANY_LEN)
		memcpy((u8 *)slwt + row->offset, nla_data(attr), row->len);
	if (row->parse) {
		err = row->parse(net, slwt, attr, extack);
		if (err)
			return err;
	}
	slwt->attrs |= BIT(nla_type(attr));
	return 0;
}

/**
 * seg6nr_attrs_parse() - fill a state from its attributes
 * @net: namespace of the route
 * @slwt: zeroed state; holds nothing to be freed on failure
 * @nest: the attribute SEG6NR_ENCAP
 * @extack: where to say what is wrong
 *
 * Context: process context, may sleep.
 *
 * Return: 0 or the error that the message in @extack explains.
 */
int seg6nr_attrs_parse(struct net *net, struct seg6nr_lwt *slwt,
		       const struct nlattr *nest,
		       struct netlink_ext_ack *extack)
{
	const struct nlattr *tb[SEG6NR_A_MAX + 1] = {};
	int type, err;

	err = sort(nest, tb, extack);
	if (!err)
		err = check(nest, tb, extack);
	if (err)
		return err;

	slwt->net = net;
	for (type = SEG6NR_A_ACTION; type <= SEG6NR_A_MAX; type++) {
		if (!tb[type])
			continue;
		err = parse_one(net, slwt, tb[type], extack);
		if (err) {
			seg6nr_attrs_destroy(slwt);
			return err;
		}
	}
	return 0;
}

/**
 * seg6nr_attrs_destroy() - free what the attributes of a state hold
 * @slwt: the state, itself not freed
 *
 * Context: any, softirq included.
 */
void seg6nr_attrs_destroy(struct seg6nr_lwt *slwt)
{
	int type;

	for (type = SEG6NR_A_ACTION; type <= SEG6NR_A_MAX; type++)
		if (seg6nr_has(slwt, type) && attrs[type].destroy)
			attrs[type].destroy(slwt);
}

static int put_one(struct sk_buff *skb, const struct seg6nr_lwt *slwt, int type)
{
	const struct attr *row = &attrs[type];

	if (row->put)
		return row->put(skb, slwt);

	return nla_put(skb, type, row->len, (const u8 *)slwt + row->offset);
}

/**
 * seg6nr_attrs_put() - dump a state
 * @skb: message under construction, the nest opened
 * @slwt: the state
 *
 * A dump sent back is accepted and compares equal.
 *
 * Return: 0, or -EMSGSIZE with the message to be cut back by the caller.
 */
int seg6nr_attrs_put(struct sk_buff *skb, const struct seg6nr_lwt *slwt)
{
	int type;

	for (type = SEG6NR_A_ACTION; type <= SEG6NR_A_MAX; type++)
		if (seg6nr_has(slwt, type) && put_one(skb, slwt, type))
			return -EMSGSIZE;
	return 0;
}

/**
 * seg6nr_attrs_size() - octets that seg6nr_attrs_put() needs at most
 * @slwt: the state
 *
 * Return: the size, padding included.
 */
int seg6nr_attrs_size(const struct seg6nr_lwt *slwt)
{
	int size = 0;
	int type;

	for (type = SEG6NR_A_ACTION; type <= SEG6NR_A_MAX; type++) {
		if (!seg6nr_has(slwt, type))
			continue;
		size += attrs[type].size ? attrs[type].size(slwt) :
					   nla_total_size(attrs[type].len);
	}
	return size;
}

/**
 * seg6nr_attrs_equal() - whether two states were configured alike
 * @a: one
 * @b: the other
 *
 * Counters are equal by being there.
 *
 * Return: true if so.
 */
bool seg6nr_attrs_equal(const struct seg6nr_lwt *a, const struct seg6nr_lwt *b)
{
	int type;

	if (a->attrs != b->attrs)
		return false;

	for (type = SEG6NR_A_ACTION; type <= SEG6NR_A_MAX; type++)
		if (seg6nr_has(a, type) && is_plain(type) &&
		    memcmp((const u8 *)a + attrs[type].offset,
			   (const u8 *)b + attrs[type].offset,
			   attrs[type].len))
			return false;
	return true;
}
