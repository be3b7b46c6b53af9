// SPDX-License-Identifier: GPL-2.0-only
/*
 * gen.c - makes packets: headers in all orders that are likely to matter, then
 * up to MUTATIONS changes of fields that something depends on
 *
 * Everything follows from the seed; a bit of "off" leaves out one mutation, so
 * that a failing event can be made simpler.
 */
#include <arpa/inet.h>
#include <stdio.h>

#include "fuzz.h"

#define MAX_FIELDS	160

struct field {
	int off;
	uint8_t size;
};

struct gen {
	struct rng r;
	struct event *e;
	const struct sid *sid;
	uint8_t *d;		/* network header */
	int at;			/* octets so far */
	int nh;			/* where the next header goes */
	struct field field[MAX_FIELDS];
	int fields;
	int v4;			/* offset of an IPv4 header, or 0 */
};

static const char *const dests6[] = {
	"fc00:2::e", "fc00:2::e", "fc00:2::100", "fc00:2::100", "fc00:2::e",
	"fd0c::1", "fd0c::1", "fd0c::2", "fd0c::2", "fd55::1", "fd66::1",
	"fd67::1", "fd68::1", "fd99::9", "2001:db8:b::2", "::1", "ff02::1",
	"2001:db8:b::1", "2001:db8:a::1", "fd77::1", "fd44::1", "fd78::1",
	"2001:db8:b::77", "fe80::1", "fc00:1::e", "fc00:1::e", "fc00:1::e2",
	"fc00:1::9", "fc00:1::d6", "fc00:1::c", "fcbb:0:1:2:3::",
	"fcbb:0:1::", "fd0e::1", "2001:db8:d::2", "2001:db8:a::", "ff0e::5",
	"fc00:1::be", "fc00:1::b6", "fc00:1::d9",
};

static const char *const dests4[] = {
	"192.0.2.1", "192.0.2.1", "192.0.2.77", "198.18.0.1", "198.18.0.1",
	"10.0.2.1", "198.51.100.1", "203.0.113.200", "8.8.8.8", "10.0.1.2",
	"10.0.4.2", "10.0.2.77", "224.0.0.1", "10.0.2.2",
};

static void addr6(uint8_t *p, const char *text)
{
	inet_pton(AF_INET6, text, p);
}

static void note(struct gen *g, int off, int size)
{
	if (g->fields < MAX_FIELDS)
		g->field[g->fields++] = (struct field){ off, size };
}

static uint8_t *grow(struct gen *g, int len)
{
	uint8_t *p = g->d + g->at;

	memset(p, 0, len);
	g->at += len;
	return p;
}

/* Begin a header of a type that has its next-header octet first. */
static uint8_t *header(struct gen *g, int type, int len)
{
	g->d[g->nh] = type;
	g->nh = g->at;
	note(g, g->at, 1);
	return grow(g, len);
}

static void end_type(struct gen *g, int type)
{
	g->d[g->nh] = type;
}

static void dest6(struct gen *g, uint8_t *p)
{
	const struct sid *sid = g->sid;
	static const char *const vrf[] = { "fd44::1", "fd0e::1", "fd44::7",
					   "fd0e::9" };
	static const char *const t77[] = { "fd77::1", "fd0c::1", "fd78::1" };

	if ((sid->vrf || sid->table == 100) && chance(&g->r, 60))
		addr6(p, vrf[below(&g->r, ARRAY_LEN(vrf))]);
	else if (sid->table == 77 && chance(&g->r, 60))
		addr6(p, t77[below(&g->r, ARRAY_LEN(t77))]);
	else
		addr6(p, dests6[below(&g->r, ARRAY_LEN(dests6))]);
}

/* A container for C-SIDs: some slots used, some empty. */
static void container(struct gen *g, uint8_t *p)
{
	int i, nf = g->sid->nf;

	for (i = 0; i < 16; i += nf) {
		memset(p + i, 0, nf);
		if (chance(&g->r, 80))
			p[i + nf - 1] = 1 + below(&g->r, 250);
	}
	if (chance(&g->r, 20))
		memset(p, 0, 16);
}

static void segment(struct gen *g, uint8_t *p)
{
	if (g->sid->replace && chance(&g->r, 70))
		container(g, p);
	else if (g->sid->flavors & NEXT && chance(&g->r, 20))
		addr6(p, "fcbb:0:1:2:3::");
	else
		dest6(g, p);
}

static void options(struct gen *g, int type)
{
	int len = chance(&g->r, 70) ? 8 : 16;
	uint8_t *p = header(g, type, len);

	p[1] = len / 8 - 1;
	note(g, g->at - len + 1, 1);
	if (chance(&g->r, 60)) {
		p[2] = 0x1e;	/* an experiment's, to be skipped */
		p[3] = len - 4;
	} else if (chance(&g->r, 10) && type == P_HBH) {
		p[2] = 5;	/* router alert */
		p[3] = 2;
		p[6] = 1;
		p[7] = 0;
		if (len > 8) {
			p[8] = 0x1e;
			p[9] = len - 10;
		}
	} else {
		p[2] = len == 8 ? 1 : 0x1e;
		p[3] = len - 4;
	}
	note(g, g->at - len + 2, 1);
	note(g, g->at - len + 3, 1);
}

static void fragment(struct gen *g)
{
	uint8_t *p = header(g, P_FRAG, 8);

	put32(p + 4, rnd(&g->r));
	if (chance(&g->r, 50))
		p[3] = 1;		/* the first one */
	else if (chance(&g->r, 50))
		put16(p + 2, 8 + below(&g->r, 2));
	note(g, g->at - 6, 2);
}

static void auth(struct gen *g)
{
	int words = 3 + below(&g->r, 4);
	uint8_t *p = header(g, P_AH, words * 4);

	p[1] = words - 2;
	note(g, g->at - words * 4 + 1, 1);
	/* Keep what follows where eight octets would put it, mostly. */
}

static void other_rh(struct gen *g)
{
	int n = below(&g->r, 3), len = 8 + 16 * n;
	uint8_t *p = header(g, P_RH, len);

	p[1] = len / 8 - 1;
	p[2] = chance(&g->r, 50) ? 4 : below(&g->r, 6);
	p[3] = chance(&g->r, 50) ? 0 : below(&g->r, 4);
	note(g, g->at - len + 1, 1);
	note(g, g->at - len + 2, 1);
	note(g, g->at - len + 3, 1);
}

static void tlvs(struct gen *g)
{
	static const struct {
		uint8_t len;
		uint8_t d[16];
	} forms[] = {
		{ 8, { 1, 6 } },		/* PadN */
		{ 8, { 0 } },			/* Pad1, eight times */
		{ 8, { 1, 5, 0, 0, 0, 0, 0, 0 } },	/* PadN, Pad1 */
		{ 8, { 0, 0x4d, 5, 1, 2, 3, 4, 5 } },	/* Pad1, unknown */
		{ 8, { 0x4d, 6, 1, 2, 3, 4, 5, 6 } },
		{ 8, { 0x4d, 7, 1, 2, 3, 4, 5, 6 } },	/* overruns */
		{ 8, { 0, 6, 1, 2, 3, 4, 5, 6 } },	/* type 0 with length */
		{ 16, { 1, 2, 0, 0, 0x4d, 10, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 } },
		{ 8, { 0x4d, 5, 1, 2, 3, 4, 5, 9 } },	/* one octet over */
		{ 8, { 0x4d, 0, 0, 0, 0x4e, 1, 1, 0 } },
	};
	int i = below(&g->r, ARRAY_LEN(forms));

	memcpy(grow(g, forms[i].len), forms[i].d, forms[i].len);
	note(g, g->at - forms[i].len, 1);
	note(g, g->at - forms[i].len + 1, 1);
}

/* Sign the SRH, well or not. */
static void sign(struct gen *g, uint8_t *srh)
{
	uint8_t *tlv = grow(g, 40);
	int how = below(&g->r, 10);

	srh[1] = (g->d + g->at - srh) / 8 - 1;
	if (how != 0)
		srh[5] |= 8;
	tlv[0] = 5;
	tlv[1] = 38;
	put32(tlv + 4, how == 1 ? 9 : HMAC_KEY_ID);
	if (!srh_digest(g->d + 8, srh, HMAC_KEY_ID, tlv + 8))
		return;
	if (how <= 3)
		tlv[8 + below(&g->r, 32)] ^= 1 << below(&g->r, 8);
	note(g, srh - g->d + 5, 1);
}

static int list_length(struct gen *g)
{
	if (chance(&g->r, 2))
		return 1 + below(&g->r, chance(&g->r, 80) ? 40 : 126);
	if (chance(&g->r, 3))
		return 13 + below(&g->r, 4);
	return 1 + below(&g->r, 4);
}

static void srh(struct gen *g, bool used_up)
{
	int i, start, n = list_length(g);
	int hmac = g->e->dev == INJ_NH ? 70 : 12;
	uint8_t *p;

	start = g->at;
	p = header(g, P_RH, 8 + 16 * n);
	for (i = 0; i < n; i++)
		segment(g, p + 8 + 16 * i);
	if (!g->sid->replace && chance(&g->r, 70))
		memcpy(p + 8 + 16 * (n - 1), g->d + 24, 16);
	p[2] = 4;
	p[4] = n - 1;
	p[3] = used_up ? 0 : 1 + below(&g->r, n > 1 ? n - 1 : 1);
	if (chance(&g->r, 4))
		p[3] = n;	/* reduced */
	if (chance(&g->r, 10))
		p[5] = 0x20;
	if (chance(&g->r, 20))
		put16(p + 6, rnd(&g->r));
	if (chance(&g->r, 15))
		tlvs(g);
	if (chance(&g->r, hmac))
		sign(g, p);
	p[1] = (g->at - start) / 8 - 1;
	for (i = 1; i < 6; i++)
		note(g, start + i, 1);
}

static void udp(struct gen *g, int alen, int src)
{
	int n = chance(&g->r, 3) ? 1350 + below(&g->r, 120) : below(&g->r, 40);
	int start = g->at;
	uint8_t *p = grow(g, 8 + n);

	put16(p, 1000 + below(&g->r, 3));
	put16(p + 2, 2000 + below(&g->r, 3));
	put16(p + 4, 8 + n);
	while (n--)
		p[8 + n] = rnd(&g->r) >> 8;
	put16(p + 6, l4_sum(g->d + src, g->d + src + alen, alen, P_UDP, p,
			    g->at - start));
}

static void echo6(struct gen *g, int ip)
{
	static const uint8_t types[] = { 128, 128, 128, 129, 1, 3, 135, 136 };
	int start = g->at, n = 16 + below(&g->r, 24);
	uint8_t *p = grow(g, 8 + n);

	p[0] = types[below(&g->r, ARRAY_LEN(types))];
	put16(p + 4, 77);
	put16(p + 2, l4_sum(g->d + ip + 8, g->d + ip + 24, 16, P_ICMP6, p,
			    g->at - start));
}

static void echo4(struct gen *g)
{
	uint8_t *p = grow(g, 16);

	p[0] = 8;
	put16(p + 4, 78);
	put16(p + 2, sum_fold(sum_add(0, p, 16)));
}

static void upper6(struct gen *g, int ip)
{
	switch (below(&g->r, 8)) {
	case 0:
	case 1:
		end_type(g, P_ICMP6);
		echo6(g, ip);
		break;
	case 2:
		end_type(g, P_NONE);
		grow(g, below(&g->r, 2) * 8);
		break;
	case 3:
		end_type(g, P_ESP);
		grow(g, 16);
		break;
	default:
		end_type(g, P_UDP);
		udp(g, 16, ip + 8);
	}
}

static void padding(struct gen *g)
{
	int n = chance(&g->r, 8) ? 1 + below(&g->r, 20) : 0;

	while (n--)
		*grow(g, 1) = rnd(&g->r);
}

static void inner6(struct gen *g)
{
	int ip = g->at;
	uint8_t *p = grow(g, IP6);

	end_type(g, P_IPV6);
	g->nh = ip + 6;
	p[0] = 0x60 | below(&g->r, 16);
	p[1] = rnd(&g->r);
	p[7] = chance(&g->r, 90) ? 64 : below(&g->r, 3);
	addr6(p + 8, chance(&g->r, 85) ? "2001:db8:a::100" :
	      chance(&g->r, 50) ? "2001:db8:a::1" :
	      chance(&g->r, 60) ? "fd98::1" :
	      chance(&g->r, 50) ? "::1" : "ff02::5");
	dest6(g, p + 24);
	if (chance(&g->r, 4))
		options(g, P_HBH);
	if (chance(&g->r, 4))
		srh(g, chance(&g->r, 50));
	upper6(g, ip);
	put16(p + 4, g->at - ip - IP6);
	note(g, ip, 1);
	note(g, ip + 4, 2);
	note(g, ip + 6, 1);
	note(g, ip + 7, 1);
	padding(g);
}

static void ip_sum(uint8_t *p)
{
	put16(p + 10, 0);
	put16(p + 10, sum_fold(sum_add(0, p, (p[0] & 15) * 4)));
}

static void inner4(struct gen *g)
{
	int ip = g->at, opt = chance(&g->r, 15) ? 4 + 4 * below(&g->r, 3) : 0;
	bool echo = chance(&g->r, 30);
	uint8_t *p = grow(g, 20 + opt);

	end_type(g, P_IPIP);
	p[0] = 0x45 + opt / 4;
	p[1] = chance(&g->r, 30) ? below(&g->r, 256) : 0;
	put16(p + 4, rnd(&g->r));
	p[6] = chance(&g->r, 50) ? 0x40 : 0;
	p[8] = chance(&g->r, 90) ? 64 : below(&g->r, 3);
	p[9] = echo ? 1 : P_UDP;
	inet_pton(AF_INET, chance(&g->r, 80) ? "10.9.9.9" : "10.0.1.1", p + 12);
	inet_pton(AF_INET, dests4[below(&g->r, ARRAY_LEN(dests4))], p + 16);
	memset(p + 20, 1, opt);
	if (echo)
		echo4(g);
	else
		udp(g, 4, ip + 12);
	put16(p + 2, g->at - ip);
	ip_sum(p);
	g->v4 = ip;
	note(g, ip, 1);
	note(g, ip + 2, 2);
	note(g, ip + 6, 2);
	note(g, ip + 8, 1);
	note(g, ip + 10, 2);
	padding(g);
}

static void inner_eth(struct gen *g)
{
	static const uint16_t types[] = { 0x0800, 0x86dd, 0x88b5, 0x8100,
					  0x0806, 38, 0x05ff, 0x0600 };
	static const uint16_t sizes[] = { 14, 13, 12, 60, 64, 100, 1514, 1515,
					  1518, 1519, 1530 };
	int n = sizes[below(&g->r, ARRAY_LEN(sizes))];
	uint8_t *p = grow(g, n);

	end_type(g, P_ETH);
	for (int i = 0; i < n; i++)
		p[i] = rnd(&g->r) >> 8;
	p[0] = 2;
	p[6] = 6;
	if (n >= 14)
		put16(p + 12, types[below(&g->r, ARRAY_LEN(types))]);
}

bool is_decap(const struct sid *sid)
{
	return sid->action >= SEG6NR_ACT_END_DX2 &&
	       (sid->action <= SEG6NR_ACT_END_DT4 ||
		sid->action == SEG6NR_ACT_END_DT46);
}

static void payload(struct gen *g)
{
	const struct sid *sid = g->sid;
	bool fitting = is_decap(sid) ? chance(&g->r, 92) :
		       sid->flavors & USD ? chance(&g->r, 60) : false;
	int kind = below(&g->r, 12);

	if (fitting) {
		switch (sid->action) {
		case SEG6NR_ACT_END_DX2:
			kind = 2;
			break;
		case SEG6NR_ACT_END_DX4:
		case SEG6NR_ACT_END_DT4:
			kind = 1;
			break;
		case SEG6NR_ACT_END_DX6:
		case SEG6NR_ACT_END_DT6:
			kind = 0;
			break;
		default:
			kind = below(&g->r, 2);
		}
	}
	if (kind == 0)
		inner6(g);
	else if (kind == 1)
		inner4(g);
	else if (kind == 2)
		inner_eth(g);
	else
		upper6(g, 0);
}

/* What stands between the IPv6 header and the payload. */
static void headers(struct gen *g)
{
	bool dec = is_decap(g->sid);
	int i, n;

	if (chance(&g->r, 10))
		options(g, P_HBH);
	if (chance(&g->r, 8))
		options(g, P_DO);
	if (chance(&g->r, 3))
		fragment(g);
	if (chance(&g->r, 3))
		auth(g);
	if (chance(&g->r, 4))
		other_rh(g);
	if (chance(&g->r, 5))
		srh(g, true);
	if (dec ? chance(&g->r, 60) : chance(&g->r, 92))
		srh(g, dec ? chance(&g->r, 85) :
		    g->sid->flavors & (USP | USD) ? chance(&g->r, 40) :
						    chance(&g->r, 5));
	if (chance(&g->r, 4))
		srh(g, chance(&g->r, 50));
	if (chance(&g->r, 4))
		auth(g);
	if (chance(&g->r, 3))
		fragment(g);
	if (chance(&g->r, 3))
		options(g, P_DO);
	n = chance(&g->r, 1) ? 10 + below(&g->r, 4) : 0;
	for (i = 0; i < n; i++)
		options(g, P_DO);
	if (chance(&g->r, 1))
		options(g, P_HBH);
}

/* The argument of a C-SID. */
static void argument(struct gen *g)
{
	uint8_t *da = g->d + 24;
	int from = g->sid->plen / 8;

	if (g->sid->replace) {
		int mask = 16 / g->sid->nf - 1;

		if (chance(&g->r, 75))
			da[15] = below(&g->r, mask + 1);
		if (chance(&g->r, 10))
			da[15] |= rnd(&g->r);
		if (chance(&g->r, 10))
			da[12] = rnd(&g->r);
		return;
	}
	if (!(g->sid->flavors & NEXT) || chance(&g->r, 45))
		return;
	for (int i = from + 1; i < 16; i += 2)
		if (chance(&g->r, 60))
			da[i] = 1 + below(&g->r, 5);
	if (chance(&g->r, 20))
		memset(da + from, 0, g->sid->nf);
}

static void outer(struct gen *g)
{
	uint8_t *p = grow(g, IP6);

	p[0] = 0x60;
	if (chance(&g->r, 25)) {
		p[0] |= below(&g->r, 16);
		put16(p + 1, rnd(&g->r));
	}
	p[7] = chance(&g->r, 92) ? 64 : below(&g->r, 12);
	addr6(p + 8, chance(&g->r, 98) ? "2001:db8:a::1" :
	      chance(&g->r, 40) ? "fd98::1" :
	      chance(&g->r, 40) ? "fe80::1" : "::");
	memcpy(p + 24, g->sid->addr, 16);
	argument(g);
	g->nh = 6;
	note(g, 6, 1);
	note(g, 7, 1);
}

static unsigned int strange(struct gen *g, unsigned int old, int size)
{
	unsigned int max = size == 1 ? 255 : 65535;

	switch (below(&g->r, 6)) {
	case 0:
		return old + 1;
	case 1:
		return old - 1;
	case 2:
		return chance(&g->r, 50) ? 0 : max;
	case 3:
		return old ^ 1u << below(&g->r, 8 * size);
	case 4:
		return below(&g->r, 10);
	}
	return rnd(&g->r);
}

static void mutate(struct gen *g)
{
	int how = below(&g->r, 20), i;

	if (how < 14 && g->fields) {
		struct field f = g->field[below(&g->r, g->fields)];

		if (f.off + f.size > g->at)
			return;
		if (f.size == 1)
			g->d[f.off] = strange(g, g->d[f.off], 1);
		else
			put16(g->d + f.off,
			      strange(g, get16(g->d + f.off), 2));
	} else if (how < 16) {
		g->at -= below(&g->r, g->at - IP6 + 1);
	} else if (how == 16) {
		for (i = below(&g->r, 24); i > 0; i--)
			*grow(g, 1) = rnd(&g->r);
	} else if (g->at > IP6) {
		g->d[IP6 + below(&g->r, g->at - IP6)] ^=
			1 << below(&g->r, 8);
	}
}

static void shape(struct gen *g)
{
	struct event *e = g->e;

	e->linear = 65535;
	if (chance(&g->r, 30)) {
		e->linear = chance(&g->r, 50) ? 40 + below(&g->r, 100) :
						below(&g->r, 60);
		e->frag = 8 + below(&g->r, 500);
		if (e->frag < (unsigned int)g->at / 12)
			e->frag = g->at / 12 + 1;
	}
	if (chance(&g->r, 25))
		e->flags |= INJ_COMPLETE;
	if (chance(&g->r, 15))
		e->flags |= INJ_CLONE;
}

static void finish(struct gen *g)
{
	static const uint8_t mac[6] = MAC_OF_DEV(0);
	struct event *e = g->e;

	memcpy(e->pkt, mac, 6);
	e->pkt[4] += e->dev;
	memcpy(e->pkt + 6, "\x02\x00\x00\x00\xff\x01\x86\xdd", 8);
	e->len = g->at;
	shape(g);
	if (e->off & OFF_SHAPE) {
		e->linear = 65535;
		e->flags &= ~(unsigned int)INJ_COMPLETE;
	}
	if (e->off & OFF_CLONE)
		e->flags &= ~(unsigned int)INJ_CLONE;
}

static void mutations(struct gen *g)
{
	bool some = chance(&g->r, 45), resum = chance(&g->r, 70);
	int i, before = g->at;

	for (i = 0; i < MUTATIONS && some; i++) {
		uint64_t s = rnd(&g->r), keep = g->r.s;

		/* Each has numbers of its own, so that one can be left out. */
		g->r.s = s;
		if (!(g->e->off & 1u << i))
			mutate(g);
		g->r.s = keep;
		some = chance(&g->r, 40);
	}
	if (g->v4 && resum && g->at > g->v4 + 60)
		ip_sum(g->d + g->v4);
	/* The length the packet says it has: kept, or what it is now. */
	if (g->at == before || chance(&g->r, 60))
		put16(g->d + 4, g->at - IP6);
	else
		put16(g->d + 4, before - IP6);
	if (chance(&g->r, 1) && !(g->e->off & 1u << MUTATIONS))
		put16(g->d + 4, strange(g, g->at - IP6, 2));
}

void gen_event(struct event *e, uint64_t seed, uint32_t off)
{
	static const uint8_t devs[] = { INJ_NA, INJ_NA, INJ_NA, INJ_NA, INJ_NH,
					INJ_NH, INJ_NN, INJ_ND };
	struct gen g = { .r = { seed }, .e = e };
	uint8_t *pkt = e->pkt;

	rnd(&g.r);
	memset(e, 0, sizeof(*e));
	e->pkt = pkt;
	e->seed = seed;
	e->off = off;
	e->sid = sid_pick(&g.r);
	e->dev = devs[below(&g.r, ARRAY_LEN(devs))];
	if (chance(&g.r, 3) && sids[e->sid].action != SEG6NR_ACT_END_DX2) {
		gen_gso(e, &g.r);
		return;
	}
	g.sid = &sids[e->sid];
	g.d = pkt + ETH;
	outer(&g);
	headers(&g);
	payload(&g);
	mutations(&g);
	finish(&g);
}
