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
#include <linux/slab.h>
#include <net/netlink.h>

#include "seg6nr.h"

/* Payload of any length: attributes that no behaviour takes yet. */
#define ANY_LEN		0xffff

/* Rows: the kernel's attributes by number, then those of our own. */
#define ROWS	(SEG6NR_A_MAX + 1 + SEG6NR_A_EXT_MAX - SEG6NR_A_EXT + 1)

struct attr {
	const char *word;
	/* A row is plain, a field of fixed length, unless it is of any. */
	u16 len;
	u16 offset;
	int (*parse)(const struct seg6nr_config *config,
		     struct seg6nr_lwt *slwt, const struct nlattr *attr,
		     struct netlink_ext_ack *extack);
	int (*put)(struct sk_buff *skb, const struct seg6nr_lwt *slwt);
	int (*size)(const struct seg6nr_lwt *slwt);
	bool (*equal)(const struct seg6nr_lwt *a, const struct seg6nr_lwt *b);
	void (*destroy)(struct seg6nr_lwt *slwt);
};

static int type_of_row(int row)
{
	return row <= SEG6NR_A_MAX ? row : row - SEG6NR_A_MAX - 1 + SEG6NR_A_EXT;
}

/* 0, a row without a word, for types that nobody knows. */
static int row_of_type(int type)
{
	if (type <= SEG6NR_A_MAX)
		return type;
	if (type >= SEG6NR_A_EXT && type <= SEG6NR_A_EXT_MAX)
		return type - SEG6NR_A_EXT + SEG6NR_A_MAX + 1;
	return 0;
}

/* Faults that any attribute can have. */
enum fault { MISSING, SURPLUS, TWICE, LENGTH, FAULTS };

static const char * const faults[FAULTS] = {
	[MISSING]	= "missing",
	[SURPLUS]	= "not used by this action",
	[TWICE]		= "given twice",
	[LENGTH]	= "wrong length",
};

/* "WORD: fault", made once, for extack keeps pointers and old ones no text. */
static char messages[ROWS][FAULTS][48] __ro_after_init;

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

static int parse_oif(const struct seg6nr_config *config,
		     struct seg6nr_lwt *slwt, const struct nlattr *attr,
		     struct netlink_ext_ack *extack)
{
	if (!slwt->oif || slwt->oif > INT_MAX)
		return seg6nr_refuse(extack, attr,
				     "oif: not a device index", -EINVAL);
	return 0;
}

static int parse_vrftable(const struct seg6nr_config *config,
			  struct seg6nr_lwt *slwt, const struct nlattr *attr,
			  struct netlink_ext_ack *extack)
{
	return seg6nr_vrf_bind(config->net, slwt, attr, extack);
}

/* The values given are where a dump stood; counting starts at zero. */
static int parse_counters(const struct seg6nr_config *config,
			  struct seg6nr_lwt *slwt, const struct nlattr *attr,
			  struct netlink_ext_ack *extack)
{
	const struct nlattr *pos;
	u32 seen = 0;
	int rem;

	nla_for_each_nested(pos, attr, rem) {
		int type = nla_type(pos);

		if (type == SEG6NR_CNT_PAD)
			continue;
		if (!type || type > SEG6NR_CNT_MAX || seen & BIT(type) ||
		    nla_len(pos) != sizeof(u64))
			return seg6nr_refuse(extack, pos,
					     "count: unknown or malformed counter",
					     -EINVAL);
		seen |= BIT(type);
	}
	if (rem > 0)
		return seg6nr_refuse(extack, attr, "count: wrong length",
				     -EINVAL);
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

static int parse_srh(const struct seg6nr_config *config,
		     struct seg6nr_lwt *slwt, const struct nlattr *attr,
		     struct netlink_ext_ack *extack)
{
	const struct ipv6_sr_hdr *srh = nla_data(attr);
	unsigned int len = nla_len(attr);

	if (len < sizeof(*srh) + sizeof(struct in6_addr) ||
	    len != (srh->hdrlen + 1) << 3)
		return seg6nr_refuse(extack, attr, "srh: wrong length",
				     -EINVAL);
	if (!seg6nr_srh_is_valid(srh) ||
	    srh->segments_left > srh->first_segment)
		return seg6nr_refuse(extack, attr, "srh: malformed", -EINVAL);

	slwt->srh = kmemdup(srh, len, GFP_KERNEL_ACCOUNT);
	slwt->srh_len = len;
	return slwt->srh ? 0 : -ENOMEM;
}

static int put_srh(struct sk_buff *skb, const struct seg6nr_lwt *slwt)
{
	return nla_put(skb, SEG6NR_A_SRH, slwt->srh_len, slwt->srh);
}

static int size_srh(const struct seg6nr_lwt *slwt)
{
	return nla_total_size(slwt->srh_len);
}

static bool equal_srh(const struct seg6nr_lwt *a, const struct seg6nr_lwt *b)
{
	return a->srh_len == b->srh_len && !memcmp(a->srh, b->srh, a->srh_len);
}

static void destroy_srh(struct seg6nr_lwt *slwt)
{
	kfree(slwt->srh);
}

/* File the members of a nest of flavor attributes into @tb. */
static int file_flavors(const struct nlattr *attr, const struct nlattr **tb,
			struct netlink_ext_ack *extack)
{
	const struct nlattr *pos;
	int rem;

	nla_for_each_nested(pos, attr, rem) {
		int type = nla_type(pos);
		int len = type == SEG6NR_FLV_OPERATION ? sizeof(u32) :
							 sizeof(u8);

		if (!type || type > SEG6NR_FLV_MAX || nla_len(pos) != len)
			return seg6nr_refuse(extack, pos,
					     "flavors: unknown or malformed option",
					     -EINVAL);
		if (tb[type])
			return seg6nr_refuse(extack, pos,
					     "flavors: option given twice",
					     -EINVAL);
		tb[type] = pos;
	}
	if (rem > 0)
		return seg6nr_refuse(extack, attr, "flavors: wrong length",
				     -EINVAL);
	return 0;
}

static int parse_csid_lengths(struct seg6nr_lwt *slwt, const struct nlattr *attr,
			      const struct nlattr **tb, unsigned int max,
			      struct netlink_ext_ack *extack)
{
	unsigned int lblen = SEG6NR_LBLEN_DEFAULT;
	unsigned int nflen = SEG6NR_NFLEN_DEFAULT;

	if (tb[SEG6NR_FLV_LBLEN])
		lblen = nla_get_u8(tb[SEG6NR_FLV_LBLEN]);
	if (tb[SEG6NR_FLV_NFLEN])
		nflen = nla_get_u8(tb[SEG6NR_FLV_NFLEN]);

	if (!lblen || lblen % 8 || !nflen || nflen % 8 || lblen + nflen > max)
		return seg6nr_refuse(extack, attr,
				     "flavors: lblen and nflen must be multiples of 8 that fit the address",
				     -EINVAL);
	slwt->lb = lblen / 8;
	slwt->nf = nflen / 8;
	return 0;
}

static int parse_flavors(const struct seg6nr_config *config,
			 struct seg6nr_lwt *slwt, const struct nlattr *attr,
			 struct netlink_ext_ack *extack)
{
	const struct nlattr *tb[SEG6NR_FLV_MAX + 1] = {};
	int err;

	err = file_flavors(attr, tb, extack);
	if (err)
		return err;
	if (!tb[SEG6NR_FLV_OPERATION])
		return seg6nr_refuse(extack, attr, "flavors: none given",
				     -EINVAL);

	slwt->flavors = nla_get_u32(tb[SEG6NR_FLV_OPERATION]);
	if (!slwt->flavors || slwt->flavors & ~(BIT(SEG6NR_FLV_OP_PSP) |
						BIT(SEG6NR_FLV_OP_USP) |
						BIT(SEG6NR_FLV_OP_USD) |
						BIT(SEG6NR_FLV_OP_NEXT_CSID)))
		return seg6nr_refuse(extack, attr,
				     "flavors: unsupported flavor", -EOPNOTSUPP);

	if (seg6nr_has_flavor(slwt, SEG6NR_FLV_OP_NEXT_CSID))
		return parse_csid_lengths(slwt, attr, tb, 128, extack);
	if (tb[SEG6NR_FLV_LBLEN] || tb[SEG6NR_FLV_NFLEN])
		return seg6nr_refuse(extack, attr,
				     "flavors: lblen and nflen need next-csid",
				     -EINVAL);
	return 0;
}

static int put_flavors(struct sk_buff *skb, const struct seg6nr_lwt *slwt)
{
	struct nlattr *nest;

	nest = nla_nest_start(skb, SEG6NR_A_FLAVORS);
	if (!nest || nla_put_u32(skb, SEG6NR_FLV_OPERATION, slwt->flavors))
		return -EMSGSIZE;
	if (seg6nr_has_flavor(slwt, SEG6NR_FLV_OP_NEXT_CSID) &&
	    (nla_put_u8(skb, SEG6NR_FLV_LBLEN, slwt->lb * 8) ||
	     nla_put_u8(skb, SEG6NR_FLV_NFLEN, slwt->nf * 8)))
		return -EMSGSIZE;

	nla_nest_end(skb, nest);
	return 0;
}

static int size_flavors(const struct seg6nr_lwt *slwt)
{
	return nla_total_size(nla_total_size(sizeof(u32)) +
			      2 * nla_total_size(sizeof(u8)));
}

static bool equal_flavors(const struct seg6nr_lwt *a,
			  const struct seg6nr_lwt *b)
{
	return a->flavors == b->flavors && a->lb == b->lb && a->nf == b->nf;
}

/* RFC 9800 4.2: the argument, which counts slots, must not be empty. */
static int parse_replace_csid(const struct seg6nr_config *config,
			      struct seg6nr_lwt *slwt, const struct nlattr *attr,
			      struct netlink_ext_ack *extack)
{
	const struct nlattr *tb[SEG6NR_FLV_MAX + 1] = {};
	int err;

	if (seg6nr_has_flavor(slwt, SEG6NR_FLV_OP_NEXT_CSID))
		return seg6nr_refuse(extack, attr,
				     "flavors: next-csid and replace-csid exclude each other",
				     -EINVAL);

	err = file_flavors(attr, tb, extack);
	if (!err)
		err = parse_csid_lengths(slwt, attr, tb, 120, extack);
	if (err)
		return err;

	if (tb[SEG6NR_FLV_OPERATION] || (slwt->nf != 2 && slwt->nf != 4))
		return seg6nr_refuse(extack, attr,
				     "flavors: replace-csid wants an nflen of 16 or 32",
				     -EINVAL);
	return 0;
}

static int put_replace_csid(struct sk_buff *skb, const struct seg6nr_lwt *slwt)
{
	struct nlattr *nest;

	nest = nla_nest_start(skb, SEG6NR_A_REPLACE_CSID);
	if (!nest || nla_put_u8(skb, SEG6NR_FLV_LBLEN, slwt->lb * 8) ||
	    nla_put_u8(skb, SEG6NR_FLV_NFLEN, slwt->nf * 8))
		return -EMSGSIZE;

	nla_nest_end(skb, nest);
	return 0;
}

#define FIELD(name)	offsetof(struct seg6nr_lwt, name)

static const struct attr attrs[ROWS] = {
	[SEG6NR_A_ACTION]	= { "action", sizeof(u32), FIELD(action) },
	[SEG6NR_A_SRH]		= { "srh", ANY_LEN,
				    .parse = parse_srh,
				    .put = put_srh,
				    .size = size_srh,
				    .equal = equal_srh,
				    .destroy = destroy_srh },
	[SEG6NR_A_TABLE]	= { "table", sizeof(u32), FIELD(table) },
	[SEG6NR_A_NH4]		= { "nh4", sizeof(struct in_addr), FIELD(nh4) },
	[SEG6NR_A_NH6]		= { "nh6", sizeof(struct in6_addr),
				    FIELD(nh6) },
	[SEG6NR_A_IIF]		= { "iif", ANY_LEN },
	[SEG6NR_A_OIF]		= { "oif", sizeof(u32), FIELD(oif),
				    .parse = parse_oif },
	[SEG6NR_A_BPF]		= { "endpoint", ANY_LEN,
				    .parse = seg6nr_bpf_parse,
				    .put = seg6nr_bpf_put,
				    .size = seg6nr_bpf_size,
				    .equal = seg6nr_bpf_equal,
				    .destroy = seg6nr_bpf_destroy },
	[SEG6NR_A_VRFTABLE]	= { "vrftable", sizeof(u32), FIELD(vrftable),
				    .parse = parse_vrftable },
	[SEG6NR_A_COUNTERS]	= { "count", ANY_LEN,
				    .parse = parse_counters,
				    .put = put_counters,
				    .size = size_counters,
				    .destroy = destroy_counters },
	[SEG6NR_A_FLAVORS]	= { "flavors", ANY_LEN,
				    .parse = parse_flavors,
				    .put = put_flavors,
				    .size = size_flavors,
				    .equal = equal_flavors },
	[SEG6NR_A_MAX + 1]	= { "flavors replace-csid", ANY_LEN,
				    .parse = parse_replace_csid,
				    .put = put_replace_csid,
				    .size = size_flavors,
				    .equal = equal_flavors },
};

/**
 * seg6nr_attrs_init() - make the messages for users
 */
void __init seg6nr_attrs_init(void)
{
	int row, fault;

	for (row = SEG6NR_A_ACTION; row < ROWS; row++)
		for (fault = 0; fault < FAULTS; fault++)
			snprintf(messages[row][fault],
				 sizeof(messages[row][fault]), "%s: %s",
				 attrs[row].word, faults[fault]);
}

static int refuse_fault(struct netlink_ext_ack *extack,
			const struct nlattr *attr, int row, enum fault fault,
			int err)
{
	return seg6nr_refuse(extack, attr, messages[row][fault], err);
}

static bool is_plain(int row)
{
	return attrs[row].len != ANY_LEN;
}

/* File the attributes by row; each known, of its length and given once. */
static int file_attrs(const struct nlattr *nest, const struct nlattr **tb,
		      struct netlink_ext_ack *extack)
{
	const struct nlattr *pos;
	int rem;

	nla_for_each_nested(pos, nest, rem) {
		int row = row_of_type(nla_type(pos));

		if (!attrs[row].word)
			return seg6nr_refuse(extack, pos,
					     "encap: attribute unknown to this module",
					     -EINVAL);
		if (tb[row])
			return refuse_fault(extack, pos, row, TWICE, -EINVAL);
		if (is_plain(row) && nla_len(pos) != attrs[row].len)
			return refuse_fault(extack, pos, row, LENGTH, -ERANGE);
		tb[row] = pos;
	}
	if (rem > 0)
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
static int check_action(const struct nlattr *nest, const struct nlattr **tb,
			struct netlink_ext_ack *extack)
{
	const struct nlattr *action = tb[SEG6NR_A_ACTION];
	const struct seg6nr_behavior *behavior;
	u32 given = BIT(SEG6NR_A_ACTION);
	int row;

	if (!action)
		return refuse_fault(extack, nest, SEG6NR_A_ACTION, MISSING,
				    -EINVAL);

	if (BIT_ULL(min_t(u32, nla_get_u32(action), 63)) & UNDEFINED_ACTIONS)
		return seg6nr_refuse(extack, action, "action: unknown",
				     -EINVAL);
	behavior = seg6nr_behavior(nla_get_u32(action));
	if (!behavior)
		return seg6nr_refuse(extack, action, "action: unknown",
				     -EINVAL);

	for (row = SEG6NR_A_ACTION + 1; row < ROWS; row++) {
		if (tb[row])
			given |= BIT(row);
		if (~given & behavior->needs & BIT(row))
			return refuse_fault(extack, nest, row, MISSING,
					    -EINVAL);
		if (given & BIT(row) & ~(behavior->needs | behavior->one_of |
					 behavior->allows))
			return refuse_fault(extack, tb[row], row, SURPLUS,
					    -EINVAL);
	}
	if (behavior->one_of && hweight32(given & behavior->one_of) != 1)
		return seg6nr_refuse(extack, nest,
				     "table, vrftable: one of them must be given",
				     -EINVAL);
	return 0;
}

static int parse_one(const struct seg6nr_config *config,
		     struct seg6nr_lwt *slwt, int row,
		     const struct nlattr *attr, struct netlink_ext_ack *extack)
{
	int err;

	if (is_plain(row))
		memcpy((u8 *)slwt + attrs[row].offset, nla_data(attr),
		       attrs[row].len);
	if (attrs[row].parse) {
		err = attrs[row].parse(config, slwt, attr, extack);
		if (err)
			return err;
	}
	slwt->attrs |= BIT(row);
	return 0;
}

/**
 * seg6nr_attrs_parse() - fill a state from its attributes
 * @config: of the route
 * @slwt: zeroed state; holds nothing to be freed on failure
 * @nest: the attribute SEG6NR_ENCAP
 * @extack: where to say what is wrong
 *
 * Context: process context, may sleep.
 *
 * Return: 0 or the error that the message in @extack explains.
 */
int seg6nr_attrs_parse(const struct seg6nr_config *config,
		       struct seg6nr_lwt *slwt,
		       const struct nlattr *nest,
		       struct netlink_ext_ack *extack)
{
	const struct nlattr *tb[ROWS] = {};
	int row, err;

	err = file_attrs(nest, tb, extack);
	if (!err)
		err = check_action(nest, tb, extack);
	if (err)
		return err;

	slwt->net = config->net;
	slwt->vrf_missed = jiffies - HZ;
	for (row = SEG6NR_A_ACTION; row < ROWS; row++) {
		if (!tb[row])
			continue;
		err = parse_one(config, slwt, row, tb[row], extack);
		if (err) {
			seg6nr_attrs_destroy(slwt);
			return err;
		}
	}
	return 0;
}

static bool has_row(const struct seg6nr_lwt *slwt, int row)
{
	return slwt->attrs & BIT(row);
}

/**
 * seg6nr_attrs_destroy() - free what the attributes of a state hold
 * @slwt: the state, itself not freed
 *
 * Context: any, softirq included.
 */
void seg6nr_attrs_destroy(struct seg6nr_lwt *slwt)
{
	int row;

	for (row = SEG6NR_A_ACTION; row < ROWS; row++)
		if (has_row(slwt, row) && attrs[row].destroy)
			attrs[row].destroy(slwt);
}

static int put_one(struct sk_buff *skb, const struct seg6nr_lwt *slwt, int row)
{
	if (attrs[row].put)
		return attrs[row].put(skb, slwt);
	if (!is_plain(row))
		return -EMSGSIZE;

	return nla_put(skb, type_of_row(row), attrs[row].len,
		       (const u8 *)slwt + attrs[row].offset);
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
	int row;

	for (row = SEG6NR_A_ACTION; row < ROWS; row++)
		if (has_row(slwt, row) && put_one(skb, slwt, row))
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
	int row;

	for (row = SEG6NR_A_ACTION; row < ROWS; row++) {
		if (!has_row(slwt, row))
			continue;
		size += attrs[row].size ? attrs[row].size(slwt) :
					  nla_total_size(attrs[row].len);
	}
	return size;
}

static bool equal_one(const struct seg6nr_lwt *a, const struct seg6nr_lwt *b,
		      int row)
{
	if (attrs[row].equal)
		return attrs[row].equal(a, b);
	/* Counters are equal by being there. */
	if (!is_plain(row))
		return true;

	return !memcmp((const u8 *)a + attrs[row].offset,
		       (const u8 *)b + attrs[row].offset, attrs[row].len);
}

/**
 * seg6nr_attrs_equal() - whether two states were configured alike
 * @a: one
 * @b: the other
 *
 * Return: true if so.
 */
bool seg6nr_attrs_equal(const struct seg6nr_lwt *a, const struct seg6nr_lwt *b)
{
	int row;

	if (a->attrs != b->attrs)
		return false;

	for (row = SEG6NR_A_ACTION; row < ROWS; row++)
		if (has_row(a, row) && !equal_one(a, b, row))
			return false;
	return true;
}
