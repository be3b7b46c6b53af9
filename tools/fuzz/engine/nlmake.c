// SPDX-License-Identifier: GPL-2.0-only
/* nlmake.c - makes configurations of SIDs: right ones, then mostly spoilt */
#include <stdio.h>

#include "nlfuzz.h"

static const uint8_t actions[] = { 1, 1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 7, 8, 9,
				   9, 10, 10, 16 };

static struct nattr *add(struct message *m, int type, const void *data, int len)
{
	struct nattr *a = &m->attr[m->n];

	if (m->n == MAX_ATTRS || len > MAX_DATA)
		return &m->attr[0];
	m->n++;
	a->type = type;
	a->len = len;
	memcpy(a->data, data, len);
	return a;
}

static void add_u32(struct message *m, int type, uint32_t v)
{
	add(m, type, &v, sizeof(v));
}

static void add_nh(struct message *m, struct rng *r, int len)
{
	uint8_t addr[16] = { 0x20, 0x01, 0x0d, 0xb8, 0, 0xb };

	addr[len - 1] = below(r, 3);
	if (chance(r, 20))
		memset(addr, 0, 16);
	add(m, len == 4 ? SEG6NR_A_NH4 : SEG6NR_A_NH6, addr, len);
}

static void add_srh(struct message *m, struct rng *r)
{
	int i, n = chance(r, 10) ? 1 + below(r, 40) : 1 + below(r, 4);
	uint8_t srh[MAX_DATA] = {};
	int len = 8 + 16 * n;

	for (i = 8; i < len; i++)
		srh[i] = rnd(r) >> 8;
	srh[2] = 4;
	srh[3] = below(r, n);
	srh[4] = n - 1;
	if (chance(r, 15)) {
		srh[len] = 1;
		srh[len + 1] = 6;
		len += 8;
	}
	srh[1] = len / 8 - 1;
	add(m, SEG6NR_A_SRH, srh, len);
}

static void add_counters(struct message *m, struct rng *r)
{
	uint64_t v = chance(r, 50) ? 0 : rnd(r);
	uint8_t nest[128];
	int i, n = 0;

	for (i = SEG6NR_CNT_PACKETS; i <= SEG6NR_CNT_ERRORS; i++)
		if (!chance(r, 2))
			n += put_attr(nest + n, i, &v, 8);
	if (chance(r, 3))
		n += put_attr(nest + n, below(r, 8), &v, chance(r, 70) ? 8 : 4);
	add(m, SEG6NR_A_COUNTERS, nest, n);
}

static int lengths(uint8_t *nest, struct rng *r)
{
	static const uint8_t good[] = { 32, 32, 32, 16, 48, 40, 64, 120, 8 };
	uint8_t v;
	int n = 0;

	if (chance(r, 60)) {
		v = chance(r, 92) ? good[below(r, sizeof(good))] : rnd(r);
		n += put_attr(nest, SEG6NR_FLV_LBLEN, &v, 1);
	}
	if (chance(r, 60)) {
		v = chance(r, 92) ? (chance(r, 50) ? 16 : 32) : rnd(r);
		n += put_attr(nest + n, SEG6NR_FLV_NFLEN, &v, 1);
	}
	return n;
}

static void add_flavors(struct message *m, struct rng *r)
{
	uint32_t op = below(r, 16) << 1;
	uint8_t nest[128];
	int n = 0;

	if (chance(r, 4))
		op = rnd(r);
	if (!chance(r, 2))
		n += put_attr(nest, SEG6NR_FLV_OPERATION, &op, 4);
	if (op & NEXT || chance(r, 4))
		n += lengths(nest + n, r);
	if (chance(r, 2))
		n += put_attr(nest + n, below(r, 6), &op, 1 + below(r, 4));
	add(m, SEG6NR_A_FLAVORS, nest, n);
}

static void add_replace(struct message *m, struct rng *r)
{
	uint8_t nest[64];

	add(m, SEG6NR_A_REPLACE_CSID, nest, lengths(nest, r));
}

static void add_vrf(struct message *m, struct rng *r)
{
	add_u32(m, SEG6NR_A_VRFTABLE, chance(r, 95) ? 100 : below(r, 300));
}

static void add_oif(struct message *m, struct rng *r)
{
	add_u32(m, SEG6NR_A_OIF, chance(r, 93) ? 1 + below(r, 9) :
				 chance(r, 50) ? 0 : rnd(r));
}

static void base(struct message *m, struct rng *r)
{
	int action = actions[below(r, sizeof(actions))];

	add_u32(m, SEG6NR_A_ACTION, action);
	if (action == SEG6NR_ACT_END_X || action == SEG6NR_ACT_END_DX6)
		add_nh(m, r, 16);
	if (action == SEG6NR_ACT_END_DX4)
		add_nh(m, r, 4);
	if (action == SEG6NR_ACT_END_T ||
	    (action == SEG6NR_ACT_END_DT6 && chance(r, 50)))
		add_u32(m, SEG6NR_A_TABLE, chance(r, 50) ? 77 : rnd(r));
	else if (action == SEG6NR_ACT_END_DT6 ||
		 action == SEG6NR_ACT_END_DT4 || action == SEG6NR_ACT_END_DT46)
		add_vrf(m, r);
	if (action == SEG6NR_ACT_END_DX2 ||
	    (action == SEG6NR_ACT_END_X && chance(r, 30)))
		add_oif(m, r);
	if (action == SEG6NR_ACT_END_B6 || action == SEG6NR_ACT_END_B6_ENCAPS)
		add_srh(m, r);
	if (chance(r, 60))
		add_counters(m, r);
	if (action > SEG6NR_ACT_END_T)
		return;
	if (chance(r, 60))
		add_flavors(m, r);
	if (chance(r, 20))
		add_replace(m, r);
}

static void add_any(struct message *m, struct rng *r)
{
	uint8_t junk[32];
	int i;

	for (i = 0; i < 32; i++)
		junk[i] = rnd(r);
	switch (below(r, 10)) {
	case 0:
		add_u32(m, SEG6NR_A_TABLE, rnd(r));
		break;
	case 1:
		add_nh(m, r, chance(r, 50) ? 4 : 16);
		break;
	case 2:
		add_oif(m, r);
		break;
	case 3:
		add_vrf(m, r);
		break;
	case 4:
		add_srh(m, r);
		break;
	case 5:
		add_flavors(m, r);
		break;
	case 6:
		add_u32(m, SEG6NR_A_IIF, rnd(r));
		break;
	case 7:
		add_counters(m, r);
		break;
	default:
		add(m, below(r, 200), junk, below(r, 32));
	}
}

static void drop(struct message *m, int i)
{
	memmove(&m->attr[i], &m->attr[i + 1],
		(m->n - i - 1) * sizeof(m->attr[0]));
	m->n--;
}

static void spoil(struct message *m, struct rng *r)
{
	struct nattr *a;
	int i = m->n ? below(r, m->n) : 0;

	if (!m->n) {
		add_any(m, r);
		return;
	}
	a = &m->attr[i];
	switch (below(r, 10)) {
	case 0:
	case 1:
		drop(m, i);
		break;
	case 2:
	case 3:
		add_any(m, r);
		break;
	case 4:
		add(m, a->type, a->data, a->len);
		break;
	case 5:
		a->len = below(r, a->len + 1);
		break;
	case 6:
		if (a->len < MAX_DATA - 8) {
			memset(a->data + a->len, rnd(r), 8);
			a->len += 1 + below(r, 8);
		}
		break;
	case 7:
		if (a->len)
			a->data[below(r, a->len < 8 ? a->len : 8)] =
				chance(r, 50) ? below(r, 20) : rnd(r);
		break;
	case 8:
		if (a->len)
			a->data[below(r, a->len)] ^= 1 << below(r, 8);
		break;
	case 9:
		if (chance(r, 50))
			m->trailing = 1 + below(r, 3);
		else
			m->wrap = below(r, WRAP_KINDS);
	}
}

static void shuffle(struct message *m, struct rng *r)
{
	int i, j;

	for (i = m->n - 1; i > 0; i--) {
		struct nattr t = m->attr[i];

		j = below(r, i + 1);
		m->attr[i] = m->attr[j];
		m->attr[j] = t;
	}
}

void make_message(struct message *m, uint64_t seed)
{
	struct rng r = { seed };

	m->n = 0;
	m->trailing = 0;
	m->wrap = WRAP_RIGHT;
	m->seed = seed;
	m->ipv4 = chance(&r, 1);
	base(m, &r);
	if (chance(&r, 50)) {
		spoil(m, &r);
		while (chance(&r, 30))
			spoil(m, &r);
	}
	if (chance(&r, 20))
		shuffle(m, &r);
}

int attrs_bytes(const struct message *m, uint8_t *buf)
{
	int i, len = 0;

	for (i = 0; i < m->n; i++)
		len += put_attr(buf + len, m->attr[i].type, m->attr[i].data,
				m->attr[i].len);
	memset(buf + len, 0, m->trailing);
	return len + m->trailing;
}
