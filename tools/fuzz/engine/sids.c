// SPDX-License-Identifier: GPL-2.0-only
/* sids.c - the SIDs of both worlds, and the attributes that configure them */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>

#include "fuzz.h"

#define ACT(a)	.action = SEG6NR_ACT_##a
#define BOTH	.tree = true, .plen = 128
#define OWN	.plen = 128
#define NB	(INJ_NB + 1)
#define NA	(INJ_NA + 1)
#define ND	(INJ_ND + 1)

struct sid sids[] = {
	{ "e", "fc00:1::e", ACT(END), BOTH, .weight = 12 },
	{ "e2", "fc00:1::e2", ACT(END), BOTH, .weight = 1 },
	{ "p", "fc00:1::9", ACT(END), .flavors = PSP, BOTH, .weight = 6 },
	{ "n", "fcbb:0:1::", ACT(END), .flavors = NEXT, .lb = 4, .nf = 2,
	  .tree = true, .plen = 48, .weight = 5 },
	{ "np", "fcbb:0:2::", ACT(END), .flavors = NEXT | PSP, .lb = 4, .nf = 2,
	  .tree = true, .plen = 48, .weight = 4 },
	{ "n5", "fcb5:0:3:4500::", ACT(END), .flavors = NEXT, .lb = 5, .nf = 3,
	  .tree = true, .plen = 64, .weight = 2 },
	{ "u", "fc00:1::a1", ACT(END), .flavors = USP, OWN, .weight = 2 },
	{ "d", "fc00:1::a2", ACT(END), .flavors = USD, OWN, .weight = 3 },
	{ "pu", "fc00:1::a3", ACT(END), .flavors = PSP | USP, OWN,
	  .weight = 2 },
	{ "pd", "fc00:1::a4", ACT(END), .flavors = PSP | USD, OWN,
	  .weight = 2 },
	{ "pud", "fc00:1::a5", ACT(END), .flavors = PSP | USP | USD, OWN,
	  .weight = 2 },
	{ "nud", "fcbb:0:4::", ACT(END), .flavors = NEXT | USP | USD,
	  .lb = 4, .nf = 2, .plen = 48, .weight = 2 },
	{ "r32", "fc32:0:1:2::", ACT(END), .replace = true, .lb = 4, .nf = 4,
	  .plen = 64, .weight = 4 },
	{ "r16", "fc16:0:1::", ACT(END), .replace = true, .lb = 4, .nf = 2,
	  .plen = 48, .weight = 4 },
	{ "rp", "fc32:0:1:3::", ACT(END), .replace = true, .flavors = PSP,
	  .lb = 4, .nf = 4, .plen = 64, .weight = 2 },
	{ "rpd", "fc16:0:3::", ACT(END), .replace = true, .flavors = PSP | USD,
	  .lb = 4, .nf = 2, .plen = 48, .weight = 2 },

	{ "c", "fc00:1::c", ACT(END_X), .nh = "2001:db8:b::1", BOTH,
	  .weight = 3 },
	{ "cgw", "fc00:1::c:61", ACT(END_X), .nh = "fd55::1", BOTH,
	  .weight = 1 },
	{ "cno", "fc00:1::c:62", ACT(END_X), .nh = "fd56::1", BOTH,
	  .weight = 1 },
	{ "cown", "fc00:1::c:63", ACT(END_X), .nh = "2001:db8:b::2", BOTH,
	  .weight = 1 },
	{ "cany", "fc00:1::c:64", ACT(END_X), .nh = "::", BOTH, .weight = 1 },
	{ "coif", "fc00:1::c:65", ACT(END_X), .nh = "fe80::b", .oif = NB, BOTH,
	  .weight = 1 },
	{ "cif2", "fc00:1::c:66", ACT(END_X), .nh = "2001:db8:b::1", .oif = NA,
	  BOTH, .weight = 1 },
	{ "cvrf", "fc00:1::c:67", ACT(END_X), .nh = "2001:db8:d::1", .oif = ND,
	  BOTH, .weight = 1 },
	{ "cpro", "fc00:1::c:6a", ACT(END_X), .nh = "fd67::1", BOTH,
	  .weight = 1 },
	{ "cprb", "fc00:1::c:6b", ACT(END_X), .nh = "fd0c::1", BOTH,
	  .weight = 1 },
	{ "xn", "fcbb:0:11::", ACT(END_X), .nh = "2001:db8:b::1",
	  .flavors = NEXT, .lb = 4, .nf = 2, .tree = true, .plen = 48,
	  .weight = 2 },
	{ "xn32", "fcbb:0:12:7::", ACT(END_X), .nh = "2001:db8:b::1",
	  .flavors = NEXT, .lb = 4, .nf = 4, .tree = true, .plen = 64,
	  .weight = 1 },
	{ "xpud", "fc00:1::c:70", ACT(END_X), .nh = "2001:db8:b::1",
	  .flavors = PSP | USP | USD, OWN, .weight = 2 },
	{ "xr", "fc32:0:1:4::", ACT(END_X), .nh = "2001:db8:b::1",
	  .replace = true, .lb = 4, .nf = 4, .plen = 64, .weight = 1 },

	{ "t", "fc00:1::7", ACT(END_T), .table = 77, BOTH, .weight = 3 },
	{ "tabs", "fc00:1::7:71", ACT(END_T), .table = 4242, BOTH,
	  .weight = 1 },
	{ "t0", "fc00:1::7:72", ACT(END_T), .table = 0, BOTH, .weight = 1 },
	{ "tp", "fc00:1::7:73", ACT(END_T), .table = 77, .flavors = PSP, OWN,
	  .weight = 2 },
	{ "tn", "fcbb:0:21::", ACT(END_T), .table = 77, .lb = 4, .nf = 2,
	  .flavors = NEXT | PSP, .plen = 48, .weight = 1 },
	{ "tud", "fc00:1::7:74", ACT(END_T), .table = 100, .flavors = USP | USD,
	  OWN, .weight = 2 },

	{ "d2", "fc00:1::d2", ACT(END_DX2), .oif = ND, BOTH, .weight = 4 },
	{ "d2b", "fc00:1::d2:1", ACT(END_DX2), .oif = NB, BOTH, .weight = 2 },
	{ "d6", "fc00:1::d6", ACT(END_DX6), .nh = "::", BOTH, .weight = 7 },
	{ "d6r", "fc00:1::d6:1", ACT(END_DX6), .nh = "2001:db8:b::1", BOTH,
	  .weight = 2 },
	{ "d6g", "fc00:1::d6:2", ACT(END_DX6), .nh = "fd55::1", BOTH,
	  .weight = 1 },
	{ "d6n", "fc00:1::d6:3", ACT(END_DX6), .nh = "fd56::1", BOTH,
	  .weight = 1 },
	{ "d6o", "fc00:1::d6:4", ACT(END_DX6), .nh = "2001:db8:b::2", BOTH,
	  .weight = 1 },
	{ "d6p", "fc00:1::d6:5", ACT(END_DX6), .nh = "fd0c::1", BOTH,
	  .weight = 2 },
	{ "d4", "fc00:1::d4", ACT(END_DX4), .nh = "0.0.0.0", BOTH,
	  .weight = 7 },
	{ "d4r", "fc00:1::d4:1", ACT(END_DX4), .nh = "10.0.2.1", BOTH,
	  .weight = 2 },
	{ "d4g", "fc00:1::d4:2", ACT(END_DX4), .nh = "192.0.2.9", BOTH,
	  .weight = 1 },
	{ "d4n", "fc00:1::d4:3", ACT(END_DX4), .nh = "8.8.8.8", BOTH,
	  .weight = 1 },
	{ "dt6", "fc00:1::d7", ACT(END_DT6), .table = 77, BOTH, .weight = 3 },
	{ "dt6l", "fc00:1::d7:1", ACT(END_DT6), .table = 255, BOTH,
	  .weight = 2 },
	{ "dt6a", "fc00:1::d7:2", ACT(END_DT6), .table = 4242, BOTH,
	  .weight = 1 },
	{ "dt60", "fc00:1::d7:3", ACT(END_DT6), .table = 0, BOTH,
	  .weight = 2 },
	{ "dt6v", "fc00:1::d7:4", ACT(END_DT6), .table = 100, .vrf = true, BOTH,
	  .weight = 4 },
	{ "dt4", "fc00:1::d8", ACT(END_DT4), .table = 100, .vrf = true, BOTH,
	  .weight = 4 },
	{ "dt46", "fc00:1::d9", ACT(END_DT46), .table = 100, .vrf = true, BOTH,
	  .weight = 5 },

	{ "b", "fc00:1::b6", ACT(END_B6), .policy = "::,fc00:2::6,fc00:2::5",
	  BOTH, .weight = 4 },
	{ "bp", "fc00:1::b6:1", ACT(END_B6), .policy = "::,fd0c::5", BOTH,
	  .weight = 2 },
	{ "bh", "fc00:1::b6:2", ACT(END_B6), .policy = "::,fc00:2::5",
	  .policy_hmac = true, BOTH, .weight = 1 },
	{ "be", "fc00:1::be", ACT(END_B6_ENCAPS),
	  .policy = "fc00:2::6,fc00:2::5", BOTH, .weight = 4 },
	{ "bep", "fc00:1::be:1", ACT(END_B6_ENCAPS), .policy = "fd0c::5", BOTH,
	  .weight = 2 },
	{ "beh", "fc00:1::be:2", ACT(END_B6_ENCAPS),
	  .policy = "fc00:2::6,fc00:2::5", .policy_hmac = true, BOTH,
	  .weight = 1 },
};

const int nsids = ARRAY_LEN(sids);

static void make_policy(struct sid *sid)
{
	char text[200], *word, *save = NULL;
	uint8_t *p = sid->srh + 8;
	int n = 0;

	snprintf(text, sizeof(text), "%s", sid->policy);
	for (word = strtok_r(text, ",", &save); word;
	     word = strtok_r(NULL, ",", &save)) {
		inet_pton(AF_INET6, word, p);
		p += 16;
		n++;
	}
	sid->srh[2] = 4;
	sid->srh[3] = n - 1;
	sid->srh[4] = n - 1;
	if (sid->policy_hmac) {
		sid->srh[5] = 8;
		p[0] = 5;
		p[1] = 38;
		put32(p + 4, HMAC_KEY_ID);
		p += 40;
	}
	sid->srh_len = p - sid->srh;
	sid->srh[1] = sid->srh_len / 8 - 1;
}

void sids_init(void)
{
	int i;

	for (i = 0; i < nsids; i++) {
		struct sid *sid = &sids[i];

		inet_pton(AF_INET6, sid->text, sid->addr);
		if (sid->nh)
			inet_pton(strchr(sid->nh, ':') ? AF_INET6 : AF_INET,
				  sid->nh, sid->hop);
		if (sid->policy)
			make_policy(sid);
	}
}

static int put_u32(uint8_t *buf, int type, uint32_t v)
{
	return put_attr(buf, type, &v, sizeof(v));
}

static int put_lengths(uint8_t *buf, const struct sid *sid)
{
	uint8_t bits = sid->lb * 8;
	int n = put_attr(buf, SEG6NR_FLV_LBLEN, &bits, 1);

	bits = sid->nf * 8;
	return n + put_attr(buf + n, SEG6NR_FLV_NFLEN, &bits, 1);
}

static int put_flavors(uint8_t *buf, const struct sid *sid)
{
	uint8_t nest[64];
	int n, len = 0;

	if (sid->flavors) {
		n = put_u32(nest, SEG6NR_FLV_OPERATION, sid->flavors);
		if (sid->flavors & NEXT)
			n += put_lengths(nest + n, sid);
		len = put_attr(buf, SEG6NR_A_FLAVORS | 0x8000, nest, n);
	}
	if (sid->replace) {
		n = put_lengths(nest, sid);
		len += put_attr(buf + len, SEG6NR_A_REPLACE_CSID | 0x8000, nest,
				n);
	}
	return len;
}

/* The attributes of a SID as SEG6_LOCAL has them; returns their length. */
int sid_attrs(const struct sid *sid, uint8_t *buf)
{
	static const uint64_t zero;
	bool v4 = sid->action == SEG6NR_ACT_END_DX4;
	uint8_t nest[64];
	int i, n = 0, len;

	len = put_u32(buf, SEG6NR_A_ACTION, sid->action);
	if (sid->policy)
		len += put_attr(buf + len, SEG6NR_A_SRH, sid->srh,
				sid->srh_len);
	if (sid->action == SEG6NR_ACT_END_T ||
	    (sid->action == SEG6NR_ACT_END_DT6 && !sid->vrf))
		len += put_u32(buf + len, SEG6NR_A_TABLE, sid->table);
	if (sid->nh)
		len += put_attr(buf + len, v4 ? SEG6NR_A_NH4 : SEG6NR_A_NH6,
				sid->hop, v4 ? 4 : 16);
	if (sid->oif)
		len += put_u32(buf + len, SEG6NR_A_OIF,
			       place_ifindex(sid->oif - 1));
	if (sid->vrf)
		len += put_u32(buf + len, SEG6NR_A_VRFTABLE, sid->table);
	for (i = SEG6NR_CNT_PACKETS; i <= SEG6NR_CNT_ERRORS; i++)
		n += put_attr(nest + n, i, &zero, sizeof(zero));
	len += put_attr(buf + len, SEG6NR_A_COUNTERS | 0x8000, nest, n);
	return len + put_flavors(buf + len, sid);
}

static bool prefix_fits(const uint8_t *addr, const struct sid *sid)
{
	return !memcmp(addr, sid->addr, sid->plen / 8);
}

/* The SID an address leads to by the main table, or -1. */
int sid_of(const uint8_t *addr)
{
	int i, best = -1;

	for (i = 0; i < nsids; i++)
		if (prefix_fits(addr, &sids[i]) &&
		    (best < 0 || sids[i].plen > sids[best].plen))
			best = i;
	return best;
}

const char *only_sid;

int only_index(void)
{
	int i;

	for (i = 0; i < nsids; i++)
		if (!strcmp(sids[i].name, only_sid))
			return i;
	fprintf(stderr, "no SID %s\n", only_sid);
	exit(2);
}

int sid_pick(struct rng *r)
{
	static int total;
	int i, w;

	if (only_sid)
		return only_index();
	if (!total)
		for (i = 0; i < nsids; i++)
			total += sids[i].weight;
	w = below(r, total);
	for (i = 0; w >= sids[i].weight; i++)
		w -= sids[i].weight;
	return i;
}
