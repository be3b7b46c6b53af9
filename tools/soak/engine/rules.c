// SPDX-License-Identifier: GPL-2.0-only
/* rules.c - events: policy rules with every selector there is */
#include <arpa/inet.h>
#include <endian.h>
#include <linux/fib_rules.h>
#include <net/if.h>

#include "soak.h"

/* What headers of old distributions lack. */
#define RULE_DSCP		25	/* FRA_DSCP */
#define RULE_FLOWLABEL		26	/* FRA_FLOWLABEL */
#define RULE_FLOWLABEL_MASK	27

struct rule {
	struct fib_rule_hdr hdr;
	uint8_t dst[16], src[16];
	uint32_t priority, table, mark, mask, target;
	const char *iif, *oif;
	int suppress_len, suppress_group;	/* -1: none */
	int proto, dscp, label;			/* -1: none */
	bool uid, sport, dport, tun, l3mdev;
};

static void select_address(struct rng *r, struct rule *q, bool source)
{
	uint8_t *addr = source ? q->src : q->dst;
	bool v4 = q->hdr.family == AF_INET;
	int plen;

	if (v4) {
		plen = chance(r, 50) ? 32 : 24;
		if (source)
			port_addr4(IN0 + below(r, 2), addr, 1);
		else
			pool_addr4(r, addr);
	} else {
		plen = chance(r, 50) ? 128 : source ? 64 : 48;
		if (source)
			port_addr6(IN0 + below(r, 2), addr, 1);
		else
			pool_addr(r, addr);
	}
	if (plen == 64 || plen == 48)
		memset(addr + plen / 8, 0, 16 - plen / 8);
	if (plen == 24)
		addr[3] = 0;
	if (source)
		q->hdr.src_len = plen;
	else
		q->hdr.dst_len = plen;
}

static void select_one(struct rng *r, struct rule *q)
{
	static const char *const iifs[] = { "in0", "in1", "r-in1", "e1", "lo",
					    "vrf100", "vrf101" };
	static const int protos[] = { P_RH, P_UDP, P_IPV6, P_IPIP };

	switch (1 + below(r, 15)) {
	case 1:
		select_address(r, q, true);
		break;
	case 2:
	case 3:
		select_address(r, q, false);
		break;
	case 4:
	case 5:
		q->iif = iifs[below(r, ARRAY_LEN(iifs))];
		break;
	case 6:
		q->oif = iifs[below(r, ARRAY_LEN(iifs))];
		break;
	case 7:
		q->mark = below(r, 4) << 24;
		q->mask = chance(r, 50) ? 0xffffffff : 0x01000000;
		q->mark &= q->mask;
		break;
	case 8:
		q->hdr.tos = 0x28;
		break;
	case 9:
		q->proto = protos[below(r, ARRAY_LEN(protos))];
		break;
	case 10:
		q->sport = chance(r, 50);
		q->dport = !q->sport;
		break;
	case 11:
		q->uid = true;
		break;
	case 12:
		q->tun = true;
		break;
	case 13:
		q->dscp = 10;
		break;
	case 14:
		q->label = below(r, 4);
		break;
	default:
		q->l3mdev = true;
	}
}

static void pick_action(struct rng *r, struct rule *q)
{
	static const int tables[] = { TABLE_RULE, TABLE_RULE, TABLE_T,
				      RT_TABLE_MAIN, TABLE_VRF };
	unsigned int what = below(r, 100);

	if (q->l3mdev) {
		q->hdr.action = FR_ACT_TO_TBL;
	} else if (what < 75) {
		q->hdr.action = FR_ACT_TO_TBL;
		q->table = tables[below(r, ARRAY_LEN(tables))];
		if (chance(r, 25))
			q->suppress_len = below(r, 4) * SUPPRESSED / 3;
		if (chance(r, 10))
			q->suppress_group = 7;
	} else if (what < 85) {
		q->hdr.action = FR_ACT_GOTO;
		q->target = 32766;
	} else {
		q->hdr.action = FR_ACT_BLACKHOLE + below(r, 3);
	}
}

static void put_rule(struct nlmsghdr *h, const struct rule *q)
{
	const struct fib_rule_port_range ports = { 4000, 5000 };
	const struct fib_rule_uid_range uids = { 0, 0 };
	int len = q->hdr.family == AF_INET ? 4 : 16;

	mnl_attr_put_u32(h, FRA_PRIORITY, q->priority);
	if (q->hdr.dst_len)
		mnl_attr_put(h, FRA_DST, len, q->dst);
	if (q->hdr.src_len)
		mnl_attr_put(h, FRA_SRC, len, q->src);
	if (q->iif)
		mnl_attr_put_strz(h, FRA_IIFNAME, q->iif);
	if (q->oif)
		mnl_attr_put_strz(h, FRA_OIFNAME, q->oif);
	if (q->mask) {
		mnl_attr_put_u32(h, FRA_FWMARK, q->mark);
		mnl_attr_put_u32(h, FRA_FWMASK, q->mask);
	}
	if (q->table)
		mnl_attr_put_u32(h, FRA_TABLE, q->table);
	if (q->target)
		mnl_attr_put_u32(h, FRA_GOTO, q->target);
	if (q->suppress_len >= 0)
		mnl_attr_put_u32(h, FRA_SUPPRESS_PREFIXLEN, q->suppress_len);
	if (q->suppress_group >= 0)
		mnl_attr_put_u32(h, FRA_SUPPRESS_IFGROUP, q->suppress_group);
	if (q->proto >= 0)
		mnl_attr_put_u8(h, FRA_IP_PROTO, q->proto);
	if (q->dscp >= 0)
		mnl_attr_put_u8(h, RULE_DSCP, q->dscp);
	if (q->label >= 0) {
		mnl_attr_put_u32(h, RULE_FLOWLABEL, htonl(q->label));
		mnl_attr_put_u32(h, RULE_FLOWLABEL_MASK, htonl(15));
	}
	if (q->uid)
		mnl_attr_put(h, FRA_UID_RANGE, sizeof(uids), &uids);
	if (q->sport)
		mnl_attr_put(h, FRA_SPORT_RANGE, sizeof(ports), &ports);
	if (q->dport)
		mnl_attr_put(h, FRA_DPORT_RANGE, sizeof(ports), &ports);
	if (q->tun)
		mnl_attr_put_u64(h, FRA_TUN_ID, htobe64(7));
	if (q->l3mdev)
		mnl_attr_put_u8(h, FRA_L3MDEV, 1);
}

static void show_rule(const struct rule *q, int undo)
{
	say("rule %s%s pref %u%s%s%s%s%s%s%s%s%s%s%s%s%s action %d table %u "
	    "suppress %d %d", undo ? "del" : "add",
	    q->hdr.family == AF_INET ? " v4" : "", q->priority,
	    q->hdr.flags & FIB_RULE_INVERT ? " not" : "",
	    q->hdr.src_len ? " from" : "", q->hdr.dst_len ? " to" : "",
	    q->iif ? " iif " : "", q->iif ? q->iif : "",
	    q->oif ? " oif" : "", q->mask ? " fwmark" : "",
	    q->hdr.tos ? " tos" : "", q->proto >= 0 ? " ipproto" : "",
	    q->label >= 0 ? " flowlabel" : "", q->l3mdev ? " l3mdev" : "",
	    q->uid ? " uid" : "", q->sport || q->dport ? " port" : "",
	    q->hdr.action, q->table, q->suppress_len, q->suppress_group);
}

static const struct rule no_selector = {
	.suppress_len = -1, .suppress_group = -1, .proto = -1, .dscp = -1,
	.label = -1
};

static int send_rule(const struct rule *q, int undo)
{
	struct nlmsghdr *h = nl_new(undo ? RTM_DELRULE : RTM_NEWRULE,
				    undo ? 0 : NLM_F_CREATE | NLM_F_EXCL);

	memcpy(mnl_nlmsg_put_extra_header(h, sizeof(q->hdr)), &q->hdr,
	       sizeof(q->hdr));
	put_rule(h, q);
	return nl_talk(&w.main, h);
}

/*
 * Rules that are there all the time: what is found depends on the port that a
 * packet came in by, on its name, and on the mark.
 */
void base_rules(void)
{
	static const struct {
		const char *iif;
		uint32_t mark, table;
	} rules[] = {
		{ "r-in1", 0, TABLE_RULE },
		{ "in1", 0, TABLE_PORT },
		{ NULL, 3 << 24, TABLE_MARK },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_LEN(rules); i++) {
		struct rule q = no_selector;

		q.hdr.family = AF_INET6;
		q.hdr.action = FR_ACT_TO_TBL;
		q.priority = 950 + i;
		q.iif = rules[i].iif;
		q.mark = rules[i].mark;
		q.mask = q.mark ? 0xffffffff : 0;
		q.table = rules[i].table;
		if (send_rule(&q, false))
			die("rule of the beginning");
	}
}

/* Main before all other tables, but not by ports of group 7. */
int group_rule(int undo)
{
	struct rule q = no_selector;

	q.hdr.family = AF_INET6;
	q.hdr.action = FR_ACT_TO_TBL;
	q.priority = 3;
	q.table = RT_TABLE_MAIN;
	q.suppress_group = 7;
	show_rule(&q, undo);
	return send_rule(&q, undo);
}

int do_rule(struct rng *r, int undo)
{
	struct rule q = no_selector;

	q.hdr.family = chance(r, 80) ? AF_INET6 : AF_INET;
	q.priority = chance(r, 80) ? 1 + below(r, 900) : 2000 + below(r, 900);
	select_one(r, &q);
	if (chance(r, 30))
		select_one(r, &q);
	if (chance(r, 10))
		q.hdr.flags |= FIB_RULE_INVERT;
	pick_action(r, &q);
	show_rule(&q, undo);
	return send_rule(&q, undo);
}
