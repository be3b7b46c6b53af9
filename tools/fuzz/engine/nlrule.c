// SPDX-License-Identifier: GPL-2.0-only
/*
 * nlrule.c - what the specification (section 4) says of a configuration: for
 * ours every fault, for the in-tree encap whether it is taken
 */
#include <errno.h>
#include <limits.h>
#include <linux/netlink.h>

#include "nlfuzz.h"

struct needs {
	uint32_t needs, one_of, allows;
};

#define B(a)	(1u << (a))
#define COUNT	B(SEG6NR_A_COUNTERS)
#define REPL	B(SEG6NR_A_MAX + 1)
#define FLV	(B(SEG6NR_A_FLAVORS) | REPL)

static const struct needs table[SEG6NR_ACT_MAX + 1] = {
	[SEG6NR_ACT_END] = { 0, 0, FLV | COUNT },
	[SEG6NR_ACT_END_X] = { B(SEG6NR_A_NH6), 0,
			       B(SEG6NR_A_OIF) | FLV | COUNT },
	[SEG6NR_ACT_END_T] = { B(SEG6NR_A_TABLE), 0, FLV | COUNT },
	[SEG6NR_ACT_END_DX2] = { B(SEG6NR_A_OIF), 0, COUNT },
	[SEG6NR_ACT_END_DX6] = { B(SEG6NR_A_NH6), 0, COUNT },
	[SEG6NR_ACT_END_DX4] = { B(SEG6NR_A_NH4), 0, COUNT },
	[SEG6NR_ACT_END_DT6] = { 0, B(SEG6NR_A_TABLE) | B(SEG6NR_A_VRFTABLE),
				 COUNT },
	[SEG6NR_ACT_END_DT4] = { B(SEG6NR_A_VRFTABLE), 0, COUNT },
	[SEG6NR_ACT_END_B6] = { B(SEG6NR_A_SRH), 0, COUNT },
	[SEG6NR_ACT_END_B6_ENCAPS] = { B(SEG6NR_A_SRH), 0, COUNT },
	[SEG6NR_ACT_END_BPF] = { B(SEG6NR_A_BPF), 0, COUNT },
	[SEG6NR_ACT_END_DT46] = { B(SEG6NR_A_VRFTABLE), 0, COUNT },
};

/* Fixed lengths; 0 where there is none. */
static const uint8_t fixed[SEG6NR_A_MAX + 2] = {
	[SEG6NR_A_ACTION] = 4, [SEG6NR_A_TABLE] = 4, [SEG6NR_A_NH4] = 4,
	[SEG6NR_A_NH6] = 16, [SEG6NR_A_OIF] = 4, [SEG6NR_A_VRFTABLE] = 4,
};

static int bit_of(int type)
{
	if (type >= SEG6NR_A_ACTION && type <= SEG6NR_A_MAX)
		return type;
	return type == SEG6NR_A_REPLACE_CSID ? SEG6NR_A_MAX + 1 : 0;
}

static uint32_t u32_of(const struct nattr *a)
{
	uint32_t v = 0;

	memcpy(&v, a->data, a->len < 4 ? a->len : 4);
	return v;
}

static bool action_exists(uint32_t v)
{
	return v >= SEG6NR_ACT_END && v <= SEG6NR_ACT_MAX &&
	       !(v >= SEG6NR_ACT_END_BM && v <= SEG6NR_ACT_END_AM);
}

static bool policy_is_valid(const struct nattr *a)
{
	uint8_t srh[4096] = {};
	bool pad1;

	if (a->len < 24 || a->len != (a->data[1] + 1) * 8)
		return false;
	memcpy(srh, a->data, a->len);
	return srh_valid(srh, &pad1) && srh[3] <= srh[4];
}

/* In-tree does not know the one-octet padding (D27). */
static bool policy_is_valid_in_tree(const struct nattr *a)
{
	bool pad1 = false;

	return policy_is_valid(a) && srh_valid(a->data, &pad1) && !pad1;
}

static void fault(struct ruling *r, int err)
{
	r->ours_ok = false;
	r->err[err] = true;
}

struct flavor_set {
	bool malformed;		/* to ours */
	bool unpadded;		/* the last member */
	bool short_member;	/* to in-tree: refused by its policy */
	bool op, lb, nf;
	uint32_t ops;
	unsigned int lblen, nflen;
};

static void read_flavors(const struct nattr *a, struct flavor_set *f)
{
	const uint8_t *p = a->data;
	int rem = a->len;
	struct nlattr nla;

	memset(f, 0, sizeof(*f));
	f->lblen = SEG6NR_LBLEN_DEFAULT;
	f->nflen = SEG6NR_NFLEN_DEFAULT;
	while (rem >= 4) {
		memcpy(&nla, p, 4);
		if (nla.nla_len < 4 || nla.nla_len > rem)
			break;
		int type = nla.nla_type & NLA_TYPE_MASK, len = nla.nla_len - 4;
		bool *seen = type == 1 ? &f->op : type == 2 ? &f->lb : &f->nf;

		if (!type || type > SEG6NR_FLV_MAX) {
			f->malformed = true;
		} else {
			if (*seen || len != (type == 1 ? 4 : 1))
				f->malformed = true;
			if (len < (type == 1 ? 4 : 1))
				f->short_member = true;
			*seen = true;
			if (type == 1 && len >= 4)
				memcpy(&f->ops, p + 4, 4);
			else if (type == 2 && len >= 1)
				f->lblen = p[4];
			else if (type == 3 && len >= 1)
				f->nflen = p[4];
		}
		p += NLA_ALIGN(nla.nla_len);
		rem -= NLA_ALIGN(nla.nla_len);
	}
	if (rem > 0)
		f->malformed = true;
	f->unpadded = rem < 0;
}

static bool lengths_fit(const struct flavor_set *f, unsigned int max)
{
	return f->lblen >= 8 && f->lblen % 8 == 0 && f->nflen >= 8 &&
	       f->nflen % 8 == 0 && f->lblen + f->nflen <= max;
}

static void rule_flavors(const struct nattr *flv, const struct nattr *repl,
			 struct ruling *r)
{
	struct flavor_set f = {}, g;

	if (flv) {
		read_flavors(flv, &f);
		r->either |= f.unpadded;
		if (f.malformed || !f.op)
			fault(r, EINVAL);
		if (f.op && (!f.ops || f.ops & ~(PSP | USP | USD | NEXT)))
			fault(r, EOPNOTSUPP);
		if (f.ops & NEXT ? !lengths_fit(&f, 128) : f.lb || f.nf)
			fault(r, EINVAL);
	}
	if (repl) {
		read_flavors(repl, &g);
		r->either |= g.unpadded;
		if (g.malformed || g.op || !lengths_fit(&g, 120) ||
		    (g.nflen != 16 && g.nflen != 32) || f.ops & NEXT)
			fault(r, EINVAL);
	}
}

/* Sets the two opinions on a nest of counters. */
static void read_counters(const struct nattr *a, bool *ours, bool *tree)
{
	const uint8_t *p = a->data;
	unsigned int seen = 0;
	struct nlattr nla;
	int rem = a->len;

	*ours = *tree = true;
	while (rem >= 4) {
		memcpy(&nla, p, 4);
		if (nla.nla_len < 4 || nla.nla_len > rem)
			break;
		int type = nla.nla_type & NLA_TYPE_MASK, len = nla.nla_len - 4;

		if (type != SEG6NR_CNT_PAD &&
		    (type < 2 || type > 4 || len != 8 || seen & B(type)))
			*ours = false;
		if (type >= 2 && type <= 4) {
			if (len < 8)
				*tree = false;
			seen |= B(type);
		}
		p += NLA_ALIGN(nla.nla_len);
		rem -= NLA_ALIGN(nla.nla_len);
	}
	if (rem)
		*ours = false;
	if ((seen & 0x1c) != 0x1c)
		*ours = *tree = false;
}

/* The contents of what an action has use for. */
static void rule_values(const struct nattr *const *tb, struct ruling *r)
{
	const struct nattr *a;
	bool ours, tree;

	a = tb[SEG6NR_A_SRH];
	if (a && !policy_is_valid(a))
		fault(r, EINVAL);
	a = tb[SEG6NR_A_OIF];
	if (a && (!u32_of(a) || u32_of(a) > INT_MAX))
		fault(r, EINVAL);
	a = tb[SEG6NR_A_VRFTABLE];
	if (a && u32_of(a) != 100)
		fault(r, ENODEV);
	a = tb[SEG6NR_A_COUNTERS];
	if (a) {
		read_counters(a, &ours, &tree);
		if (!ours)
			fault(r, EINVAL);
	}
	rule_flavors(tb[SEG6NR_A_FLAVORS], tb[SEG6NR_A_MAX + 1], r);
}

static void rule_ours(const struct message *m, struct ruling *r)
{
	const struct nattr *tb[SEG6NR_A_MAX + 2] = {};
	const struct needs *n;
	uint32_t given = 0;
	int i;

	if (m->ipv4 || m->wrap != WRAP_RIGHT || m->trailing)
		fault(r, EINVAL);
	for (i = 0; i < m->n; i++) {
		const struct nattr *a = &m->attr[i];
		int bit = bit_of(a->type & NLA_TYPE_MASK);

		if (!bit || tb[bit])
			fault(r, EINVAL);
		if (bit && fixed[bit] && a->len != fixed[bit])
			fault(r, ERANGE);
		tb[bit] = a;
		given |= B(bit);
	}
	if (!tb[SEG6NR_A_ACTION] ||
	    !action_exists(u32_of(tb[SEG6NR_A_ACTION]))) {
		fault(r, EINVAL);
		return;
	}
	n = &table[u32_of(tb[SEG6NR_A_ACTION])];
	given &= ~(B(0) | B(SEG6NR_A_ACTION));
	if ((given & n->needs) != n->needs ||
	    given & ~(n->needs | n->one_of | n->allows) ||
	    (n->one_of && __builtin_popcount(given & n->one_of) != 1))
		fault(r, EINVAL);
	rule_values(tb, r);
}

/* --- in-tree --- */

/* Its policy: short ones and wrong next hops are refused, used or not. */
static bool tree_lengths_ok(const struct message *m)
{
	int i;

	for (i = 0; i < m->n; i++) {
		int type = m->attr[i].type & NLA_TYPE_MASK;
		int len = m->attr[i].len;

		if ((type == SEG6NR_A_NH4 && len != 4) ||
		    (type == SEG6NR_A_NH6 && len != 16))
			return false;
		if ((type == SEG6NR_A_ACTION || type == SEG6NR_A_TABLE ||
		     type == SEG6NR_A_IIF || type == SEG6NR_A_OIF ||
		     type == SEG6NR_A_VRFTABLE) && len < 4)
			return false;
		if ((type == SEG6NR_A_BPF || type == SEG6NR_A_COUNTERS ||
		     type == SEG6NR_A_FLAVORS) && len && len < 4)
			return false;
	}
	return true;
}

static bool tree_flavors_ok(const struct nattr *a, uint32_t action)
{
	uint32_t supported = action == SEG6NR_ACT_END ? PSP | NEXT : NEXT;
	struct flavor_set f;

	if (action != SEG6NR_ACT_END && action != SEG6NR_ACT_END_X)
		return true;
	read_flavors(a, &f);
	if (f.short_member || !f.op || f.ops & ~supported)
		return false;
	return !(f.ops & NEXT) || lengths_fit(&f, 128);
}

static bool tree_values_ok(const struct nattr *const *tb, uint32_t action)
{
	uint32_t uses = table[action].needs | table[action].one_of;
	bool ours, tree = true;

	if (uses & B(SEG6NR_A_SRH) &&
	    !policy_is_valid_in_tree(tb[SEG6NR_A_SRH]))
		return false;
	if (uses & B(SEG6NR_A_VRFTABLE) && tb[SEG6NR_A_VRFTABLE] &&
	    u32_of(tb[SEG6NR_A_VRFTABLE]) != 100)
		return false;
	if (tb[SEG6NR_A_COUNTERS])
		read_counters(tb[SEG6NR_A_COUNTERS], &ours, &tree);
	if (!tree)
		return false;
	return !tb[SEG6NR_A_FLAVORS] ||
	       tree_flavors_ok(tb[SEG6NR_A_FLAVORS], action);
}

static void rule_tree(const struct message *m, struct ruling *r)
{
	const struct nattr *tb[SEG6NR_A_MAX + 2] = {};
	uint32_t given = 0, action;
	const struct needs *n;
	int i;

	r->tree_known = true;
	for (i = 0; i < m->n; i++) {
		int bit = bit_of(m->attr[i].type & NLA_TYPE_MASK);

		tb[bit] = &m->attr[i];
		given |= B(bit);
		if (bit == SEG6NR_A_BPF)
			r->tree_known = false;
	}
	if (m->ipv4 || !tb[SEG6NR_A_ACTION] || !tree_lengths_ok(m))
		return;
	action = u32_of(tb[SEG6NR_A_ACTION]);
	if (!action_exists(action))
		return;
	n = &table[action];
	if ((given & n->needs) != n->needs ||
	    (n->one_of && __builtin_popcount(given & n->one_of) != 1))
		return;
	r->tree_ok = tree_values_ok(tb, action);
}

void rule(const struct message *m, struct ruling *r)
{
	memset(r, 0, sizeof(*r));
	r->ours_ok = true;
	rule_ours(m, r);
	if (r->either)
		r->err[EINVAL] = true;
	rule_tree(m, r);
}
