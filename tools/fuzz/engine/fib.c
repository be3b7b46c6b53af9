// SPDX-License-Identifier: GPL-2.0-only
/*
 * fib.c - the model of what surrounds a behaviour: the routes of world.c, the
 * forward path, and ICMPv6 errors
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>

#include "fuzz.h"

#define MAIN	254
#define LOCAL	255
#define MTU	1500

struct entry {
	int table;
	const char *dst;
	int plen;
	enum route_kind kind;
	int place;
	int neigh;		/* or the code of the error */
	uint8_t addr[16];
};

#define ERR_NO_ROUTE	0
#define ERR_PROHIBITED	1
/* The device of a VRF's own addresses is no loopback, so they pass (D21). */
#define ON_VRF		1

static struct entry fib[] = {
	{ LOCAL, "::1", 128, R_LOCAL, 0, 0, {} },
	{ LOCAL, "2001:db8:a::2", 128, R_LOCAL, 0, 0, {} },
	{ LOCAL, "2001:db8:a::", 128, R_LOCAL, 0, 0, {} },
	{ LOCAL, "2001:db8:b::2", 128, R_LOCAL, 0, 0, {} },
	{ LOCAL, "2001:db8:b::", 128, R_LOCAL, 0, 0, {} },
	{ LOCAL, "ff00::", 8, R_UNKNOWN, 0, 0, {} },
	{ MAIN, "2001:db8:a::1", 128, R_FORWARD, INJ_NA, 0x01, {} },
	{ MAIN, "2001:db8:a::100", 128, R_FORWARD, INJ_NA, 0x02, {} },
	{ MAIN, "2001:db8:a::", 64, R_SOLICIT, INJ_NA, 0, {} },
	{ MAIN, "2001:db8:b::1", 128, R_FORWARD, INJ_NB, 0x11, {} },
	{ MAIN, "2001:db8:b::", 64, R_SOLICIT, INJ_NB, 0, {} },
	{ MAIN, "fc00:2::", 32, R_FORWARD, INJ_NB, 0x11, {} },
	{ MAIN, "fcbb::", 16, R_FORWARD, INJ_NB, 0x11, {} },
	{ MAIN, "fcb5::", 16, R_FORWARD, INJ_NB, 0x11, {} },
	{ MAIN, "fc32::", 16, R_FORWARD, INJ_NB, 0x11, {} },
	{ MAIN, "fc16::", 16, R_FORWARD, INJ_NB, 0x11, {} },
	{ MAIN, "fd55::", 16, R_FORWARD, INJ_NB, 0x11, {} },
	{ MAIN, "fd66::", 16, R_BLACKHOLE, 0, 0, {} },
	{ MAIN, "fd67::", 16, R_ERROR, 0, ERR_PROHIBITED, {} },
	{ MAIN, "fd68::", 16, R_ERROR, 0, ERR_NO_ROUTE, {} },
	{ MAIN, "fd0c::", 16, R_PROBE, INJ_NB, 0, {} },
	{ MAIN, "fe80::", 10, R_UNKNOWN, 0, 0, {} },
	{ MAIN, "ff00::", 8, R_UNKNOWN, 0, 0, {} },
	{ 77, "fd77::", 16, R_FORWARD, INJ_NB, 0x11, {} },
	{ 77, "fd78::", 16, R_ERROR, 0, ERR_PROHIBITED, {} },
	{ 77, "fd0c::", 16, R_PROBE, INJ_NB, 0, {} },
	{ 100, "2001:db8:d::2", 128, R_LOCAL, 0, ON_VRF, {} },
	{ 100, "2001:db8:d::", 128, R_LOCAL, 0, ON_VRF, {} },
	{ 100, "2001:db8:d::1", 128, R_FORWARD, INJ_ND, 0x21, {} },
	{ 100, "2001:db8:d::", 64, R_SOLICIT, INJ_ND, 0, {} },
	{ 100, "fd44::", 16, R_FORWARD, INJ_ND, 0x21, {} },
	{ 100, "fd0e::", 16, R_PROBE, INJ_ND, 0, {} },
	{ 100, "fe80::", 10, R_UNKNOWN, 0, 0, {} },
	{ 100, "ff00::", 8, R_UNKNOWN, 0, 0, {} },
};

bool is_addr(const uint8_t *a, const char *text)
{
	uint8_t b[16];

	inet_pton(AF_INET6, text, b);
	return !memcmp(a, b, 16);
}

static bool covers(const struct entry *e, const uint8_t *da)
{
	int n = e->plen / 8, rest = e->plen % 8;

	if (memcmp(e->addr, da, n))
		return false;
	return !rest || !((e->addr[n] ^ da[n]) >> (8 - rest));
}

static void fib_init(void)
{
	unsigned int i;

	if (fib[0].addr[15])
		return;
	for (i = 0; i < ARRAY_LEN(fib); i++)
		inet_pton(AF_INET6, fib[i].dst, fib[i].addr);
}

static bool look_in(const uint8_t *da, int table, struct route *r)
{
	const struct entry *best = NULL;
	unsigned int i;
	int sid;

	for (i = 0; i < ARRAY_LEN(fib); i++)
		if (fib[i].table == table && covers(&fib[i], da) &&
		    (!best || fib[i].plen > best->plen))
			best = &fib[i];
	sid = table == MAIN ? sid_of(da) : -1;
	if (sid >= 0 && (!best || sids[sid].plen > best->plen)) {
		*r = (struct route){ .kind = R_SID, .place = INJ_NA,
				     .sid = sid };
		return true;
	}
	if (!best)
		return false;
	*r = (struct route){ .kind = best->kind, .place = best->place,
			     .neigh = best->neigh, .code = best->neigh };
	return true;
}

/* Addresses that are looked for behind the ingress only. */
static bool look_strict(const uint8_t *da, int iif, struct route *r)
{
	static const uint8_t zero[6];

	if (is_addr(da, "::1")) {
		r->kind = R_ERROR;
		return true;
	}
	if (da[0] == 0xff && iif == INJ_PLACES) {
		r->kind = R_ERROR;
		return true;
	}
	if (da[0] != 0xfe || (da[1] & 0xc0) != 0x80)
		return false;
	r->place = iif;
	r->kind = R_ERROR;
	/* Only na has addresses of this kind. */
	if (iif == INJ_NA && da[1] == 0x80 && !memcmp(da + 2, zero, 6)) {
		if (is_addr(da, "fe80::") || is_addr(da, "fe80::2a"))
			r->kind = R_LOCAL;
		else
			r->kind = R_SOLICIT;
	}
	return true;
}

/* @table 0: by the rules, for a packet that came in by @iif. */
struct route fib6(const uint8_t *da, int table, int iif)
{
	struct route r = { .kind = R_ERROR, .code = ERR_NO_ROUTE };

	fib_init();
	if (table == 4242) {
		r.kind = R_BLACKHOLE;
		return r;
	}
	if (table) {
		look_in(da, table, &r);
		/* The routers' anycast address of any device. */
		if (is_addr(da, "fe80::"))
			r.kind = R_UNKNOWN;
		return r;
	}
	if (look_strict(da, iif, &r) || look_in(da, LOCAL, &r) ||
	    (iif == INJ_PLACES && look_in(da, 100, &r)))
		return r;
	look_in(da, MAIN, &r);
	return r;
}

struct route fib4(const uint8_t *a, bool vrf)
{
	struct route r = { .kind = R_ERROR };
	uint32_t da = get32(a);

	if (da == 0x0a000102 || da == 0x0a000202) {
		r.kind = R_LOCAL;
	} else if (da >> 8 == 0x0a0004 && vrf) {
		r.kind = da == 0x0a000402 ? R_LOCAL : R_UNKNOWN;
	} else if (da >> 8 == 0xc00002) {
		r.kind = R_FORWARD;
		r.place = vrf ? INJ_ND : INJ_NB;
		r.neigh = vrf ? 0x21 : 0x11;
	} else if (da >> 16 == 0xc612) {
		r.kind = R_PROBE;
	} else if (da == 0x0a000201) {
		r.kind = R_FORWARD;
		r.place = INJ_NB;
		r.neigh = 0x11;
	} else if (da >> 8 == 0x0a0002 && (da & 255) && (da & 255) != 255) {
		r.kind = R_SOLICIT;
	} else if (da >> 8 == 0xc63364) {
		r.kind = R_BLACKHOLE;
	} else if (da >> 7 == 0xcb0071 * 2 + 1) {
		r.code = ERR_PROHIBITED;
	} else if (da >> 24 == 0 || da >> 8 == 0x0a0001 ||
		   da >> 8 == 0x0a0002 || da >> 24 == 127 ||
		   da >> 28 >= 14) {
		r.kind = R_UNKNOWN;
	}
	return r;
}

/* --- ICMPv6 --- */

/* Errors, and what cannot be told from one, get no error. */
static bool is_ineligible(const uint8_t *d, int len)
{
	int off = IP6, type = d[6], n = 0;
	bool part = false;

	while (type == P_HBH || type == P_RH || type == P_DO || type == P_AH ||
	       type == P_FRAG || type == P_NONE) {
		if (type == P_NONE || off + 2 > len || ++n > MAX_EXT)
			return false;
		if (type == P_FRAG) {
			if (off + 4 > len)
				return false;
			if (get16(d + off + 2) & 0xfff8)
				return false;
			part = get16(d + off + 2);
			type = d[off];
			off += 8;
			continue;
		}
		int size = type == P_AH ? (d[off + 1] + 2) * 4 :
					  (d[off + 1] + 1) * 8;

		type = d[off];
		off += size;
	}
	if (type != P_ICMP6)
		return false;
	if (off >= len)
		return !part;
	return !(d[off] & 0x80);
}

static bool in_vrf(int place)
{
	return place == INJ_PLACES || place == INJ_ND;
}

/* Whether an error about a packet to @da has that as its source. */
static bool is_own(const uint8_t *da, int dev)
{
	if (is_addr(da, "2001:db8:a::") || is_addr(da, "2001:db8:b::") ||
	    is_addr(da, "2001:db8:d::"))
		return true;
	if (in_vrf(dev))
		return is_addr(da, "2001:db8:d::2");
	return is_addr(da, "2001:db8:a::2") || is_addr(da, "2001:db8:b::2");
}

/* An error about @k as it stands; what happens to @k is for the caller. */
void icmp6(struct pred *p, const struct mpkt *k, int type, int code,
	   uint32_t word)
{
	static uint8_t buf[1400];
	struct mpkt err = { .d = buf + 40 };
	const uint8_t *src = k->d + 8, *da = k->d + 24;
	int quote = k->len < 1280 - 48 ? k->len : 1280 - 48;
	struct route back = fib6(src, 0, INJ_NA);

	if (src[0] == 0xfe || is_addr(da, "fe80::")) {
		p->any_out = true;
		return;
	}
	if ((da[0] == 0xff && type != 2) || src[0] == 0xff ||
	    is_addr(src, "::") || is_ineligible(k->d, k->len))
		return;
	if (back.kind == R_ERROR || back.kind == R_BLACKHOLE ||
	    back.kind == R_SOLICIT)
		return;
	if (back.kind != R_FORWARD || back.place != INJ_NA) {
		p->any_out = true;
		return;
	}
	memset(buf, 0, sizeof(buf));
	err.len = IP6 + 8 + quote;
	err.d[0] = 0x60;
	put16(err.d + 4, 8 + quote);
	err.d[6] = P_ICMP6;
	err.d[7] = 64;
	inet_pton(AF_INET6, in_vrf(k->iif) ? "2001:db8:d::2" :
					     "2001:db8:a::2", err.d + 8);
	if (is_own(da, k->dev))
		memcpy(err.d + 8, da, 16);
	memcpy(err.d + 24, src, 16);
	err.d[IP6] = type;
	err.d[IP6 + 1] = code;
	put32(err.d + IP6 + 4, word);
	memcpy(err.d + IP6 + 8, k->d, quote);
	put16(err.d + IP6 + 2, l4_sum(err.d + 8, err.d + 24, 16, P_ICMP6,
				      err.d + IP6, 8 + quote));
	expect_frame(p, &err, INJ_NA, back.neigh);
}

/* --- ICMPv4 --- */

static bool is_error4(const uint8_t *d, int len)
{
	int hlen = (d[0] & 15) * 4;

	return d[9] == 1 && (hlen >= len || (d[hlen] != 8 && d[hlen] != 0));
}

/* As icmp6(); the identification stays zero, nobody compares it. */
static void icmp4(struct pred *p, const struct mpkt *k, int type, int code)
{
	static uint8_t buf[700];
	struct mpkt err = { .d = buf, .ipv4 = true };
	int quote = k->len < 576 - 28 ? k->len : 576 - 28;

	if (get16(k->d + 6) & 0x1fff || is_error4(k->d, k->len) ||
	    get32(k->d + 12) != 0x0a000101)
		return;
	memset(buf, 0, sizeof(buf));
	err.len = 28 + quote;
	err.d[0] = 0x45;
	err.d[1] = (k->d[1] & 0x1e) | 0xc0;
	put16(err.d + 2, err.len);
	err.d[8] = 64;
	err.d[9] = 1;
	/* Only what was delivered is answered by its destination. */
	if (type == 3 && code == 3)
		memcpy(err.d + 12, k->d + 16, 4);
	else
		put32(err.d + 12, in_vrf(k->dev) ? 0x0a000402 : 0x0a000102);
	memcpy(err.d + 16, k->d + 12, 4);
	put16(err.d + 10, sum_fold(sum_add(0, err.d, 20)));
	err.d[20] = type;
	err.d[21] = code;
	memcpy(err.d + 28, k->d, quote);
	put16(err.d + 22, sum_fold(sum_add(0, err.d + 20, 8 + quote)));
	expect_frame(p, &err, INJ_NA, 0x01);
}

static void echo_reply4(struct pred *p, const struct mpkt *k, int hlen)
{
	static uint8_t buf[MAX_PKT];
	struct mpkt r = { .d = buf, .ipv4 = true };
	int len = k->len - hlen;

	r.len = 20 + len;
	memset(buf, 0, 20);
	buf[0] = 0x45;
	buf[1] = k->d[1];
	put16(buf + 2, r.len);
	buf[8] = 64;
	buf[9] = 1;
	memcpy(buf + 12, k->d + 16, 4);
	memcpy(buf + 16, k->d + 12, 4);
	put16(buf + 10, sum_fold(sum_add(0, buf, 20)));
	memcpy(buf + 20, k->d + hlen, len);
	buf[20] = 0;
	put16(buf + 22, 0);
	put16(buf + 22, sum_fold(sum_add(0, buf + 20, len)));
	expect_frame(p, &r, INJ_NA, 0x01);
}

/* IPv4 for the node itself: echo, ports that nobody listens on. */
static void deliver4(struct pred *p, const struct mpkt *k)
{
	int hlen = (k->d[0] & 15) * 4, len = k->len - hlen;
	const uint8_t *l4 = k->d + hlen;
	struct mpkt seen = *k;
	uint8_t copy[2000];

	if (get16(k->d + 6) & 0x3fff || get32(k->d + 12) != 0x0a000101)
		return;
	if (len < 8 || len > 1480 || (k->d[9] != 1 && k->d[9] != P_UDP)) {
		p->any_out = true;
		return;
	}
	if (k->d[9] == 1) {
		if (l4[0] == 8 && !sum_fold(sum_add(0, l4, len)))
			echo_reply4(p, k, hlen);
		return;
	}
	if ((int)get16(l4 + 4) > len || get16(l4 + 4) < 8)
		return;
	memcpy(copy, l4, len);
	put16(copy + 6, 0);
	if (get16(l4 + 6) &&
	    get16(l4 + 6) != l4_sum(k->d + 12, k->d + 16, 4, P_UDP, copy,
				    get16(l4 + 4)))
		return;
	/* UDP cuts off what its own length leaves out. */
	seen.len = hlen + get16(l4 + 4);
	icmp4(p, &seen, 3, 3);
}

bool hop_limit_spent(struct pred *p, const struct mpkt *k)
{
	if (k->d[7] > 1)
		return false;
	p->dep |= D_BIT(25);
	icmp6(p, k, 3, 0, 0);
	return true;
}

/* --- the forward path; true where the packet is lost --- */

static void forward_frame(struct pred *p, const struct mpkt *k, struct route r)
{
	p->forwarding = true;
	expect_frame(p, k, r.place, r.neigh);
	p->forwarding = false;
}

static int forward6(struct pred *p, struct mpkt *k, struct route r)
{
	const uint8_t *src = k->d + 8;

	if (k->d[7] <= 1) {
		icmp6(p, k, 3, 0, 0);
		return 1;
	}
	if (r.place == k->iif && k->srcrt) {
		p->no_redirect = true;
		p->dep |= D_BIT(23);
	}
	if (r.place != k->iif || k->srcrt) {
		if (is_addr(src, "::") || is_addr(src, "::1") ||
		    src[0] == 0xff)
			return 1;
		if (src[0] == 0xfe && (src[1] & 0xc0) == 0x80) {
			p->any_out = true;
			return 1;
		}
	}
	if (k->len > MTU && !p->gso) {
		/* The kernel blames the egress here. */
		k->dev = r.place;
		icmp6(p, k, 2, 0, MTU);
		return 1;
	}
	k->d[7]--;
	/* A group of this node or of no scope goes no further. */
	if (k->d[24] == 0xff && (k->d[25] & 15) <= 1)
		return 0;
	if (r.kind == R_FORWARD)
		forward_frame(p, k, r);
	return 0;
}

static int forward4(struct pred *p, struct mpkt *k, struct route r)
{
	uint32_t sum = get16(k->d + 10) + 0x100;

	if (k->len > MTU && !p->gso) {
		p->any_out = p->any_count = true;
		return 0;
	}
	if (k->d[8] <= 1) {
		icmp4(p, k, 11, 0);
		return 1;
	}
	put16(k->d + 10, sum + (sum >= 0xffff));
	k->d[8]--;
	if (r.kind == R_FORWARD)
		forward_frame(p, k, r);
	return 0;
}

static int nested(struct pred *p, struct mpkt *k, int sid)
{
	p->dep |= D_BIT(24);
	if (k->d[7] <= 1) {
		icmp6(p, k, 3, 0, 0);
		return 1;
	}
	k->d[7]--;
	return run_sid(p, k, sid);
}

/* @local: this behaviour may deliver to the node itself. */
int hand_on(struct pred *p, struct mpkt *k, struct route r, bool local)
{
	if (r.kind == R_LOCAL && !local && r.code != ON_VRF)
		r.kind = R_BLACKHOLE;
	switch (r.kind) {
	case R_SID:
		return nested(p, k, r.sid);
	case R_PROBE:
		expect_frame(p, k, INJ_PROBE, 0);
		return 0;
	case R_FORWARD:
	case R_SOLICIT:
		return k->ipv4 ? forward4(p, k, r) : forward6(p, k, r);
	case R_ERROR:
		p->dep |= D_BIT(22);
		if (k->ipv4)
			icmp4(p, k, 3, r.code == ERR_PROHIBITED ? 13 : 0);
		else
			icmp6(p, k, 1, r.code, 0);
		return 1;
	case R_BLACKHOLE:
		p->dep |= D_BIT(22);
		return 1;
	case R_LOCAL:
		if (k->ipv4)
			deliver4(p, k);
		else
			p->any_out = true;
		return 0;
	case R_UNKNOWN:
		break;
	}
	p->any_out = p->any_count = true;
	return 0;
}
