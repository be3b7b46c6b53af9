// SPDX-License-Identifier: GPL-2.0-only
/*
 * gso.c - packets that stand for several: how one is made, and which ones they
 * are on the wire
 */
#include <arpa/inet.h>

#include "fuzz.h"

#define TCP_LEN	20

static int put_ip6(uint8_t *d, struct rng *r, const char *dst, int nh)
{
	memset(d, 0, IP6);
	d[0] = 0x60;
	if (chance(r, 30))
		d[1] = rnd(r);
	d[6] = nh;
	d[7] = 64;
	inet_pton(AF_INET6, "2001:db8:a::100", d + 8);
	inet_pton(AF_INET6, dst, d + 24);
	return IP6;
}

static int put_ip4(uint8_t *d, struct rng *r, const char *dst)
{
	memset(d, 0, 20);
	d[0] = 0x45;
	put16(d + 4, rnd(r));
	d[6] = chance(r, 50) ? 0x40 : 0;
	d[8] = 64;
	d[9] = P_TCP;
	inet_pton(AF_INET, "10.9.9.9", d + 12);
	inet_pton(AF_INET, dst, d + 16);
	return 20;
}

/* Returns the octets of the list's header. */
static int put_srh(uint8_t *d, struct rng *r, const struct sid *sid, int nh)
{
	/* Behind a list that is kept the kernel takes an octet of the last
	 * segment for the length of the TCP header; some let it go on.
	 */
	static const char *const next[] = { "fc00:2::e", "fd0c::1",
					    "fc00:2:5000::e", "fd0c:0:6000::1",
					    "fc00:2:7000::e", "fd77:0:5000::1",
					    "fc00:1::d9", "fc00:1::e",
					    "fd99::9", "fd77::1" };
	bool dec = is_decap(sid);
	int n = 1 + below(r, 2), len = 8 + 16 * n;

	if (dec && chance(r, 50))
		return 0;
	memset(d, 0, len);
	d[0] = nh;
	d[1] = len / 8 - 1;
	d[2] = 4;
	d[3] = dec ? 0 : n;
	d[4] = n - 1;
	while (n--)
		inet_pton(AF_INET6, next[below(r, ARRAY_LEN(next))],
			  d + 8 + 16 * n);
	return len;
}

static void put_tcp(uint8_t *d, struct rng *r)
{
	memset(d, 0, TCP_LEN);
	put16(d, 1000 + below(r, 3));
	put16(d + 2, 5201);
	put32(d + 4, rnd(r));
	put32(d + 8, rnd(r));
	d[12] = 0x50;
	d[13] = chance(r, 50) ? 0x18 : 0x11;
	put16(d + 14, 512);
}

static const uint8_t *src_of(const struct event *e, int *alen)
{
	const uint8_t *ip = e->pkt + ETH + e->l3;

	*alen = e->flags & INJ_GSO4 ? 4 : 16;
	return ip + (e->flags & INJ_GSO4 ? 12 : 8);
}

/* What CHECKSUM_PARTIAL has in the field: the sum of the pseudo header. */
static void seed_check(struct event *e)
{
	uint8_t *tcp = e->pkt + ETH + e->l4;
	int alen, len = e->len - e->l4;
	const uint8_t *src = src_of(e, &alen);
	uint32_t sum = sum_add(0, src, 2 * alen) + P_TCP + len;

	put16(tcp + 16, ~sum_fold(sum) & 0xffff);
}

static void set_lengths(const struct event *e, uint8_t *d, int len)
{
	uint8_t *ip = d + e->l3;

	put16(d + 4, len - IP6);
	if (!(e->flags & INJ_TUNNEL))
		return;
	if (e->flags & INJ_GSO6) {
		put16(ip + 4, len - e->l3 - IP6);
		return;
	}
	put16(ip + 2, len - e->l3);
	put16(ip + 10, 0);
	put16(ip + 10, sum_fold(sum_add(0, ip, 20)));
}

static int put_inner(struct event *e, struct rng *r, uint8_t *d, int at,
		     const struct sid *sid)
{
	static const char *const to6[] = { "fc00:2::100", "fd0c::1" };
	static const char *const to4[] = { "192.0.2.1", "198.18.0.1" };
	static const char *const vrf6[] = { "fd44::1", "fd0e::1" };
	bool vrf = sid->vrf || sid->table == 100;

	e->l3 = at;
	if (e->flags & INJ_GSO4)
		return at + put_ip4(d + at, r, to4[below(r, 2)]);
	return at + put_ip6(d + at, r, sid->table == 77 ? "fd77::1" :
			    vrf ? vrf6[below(r, 2)] : to6[below(r, 2)], P_TCP);
}

static void shape(struct event *e, struct rng *r)
{
	e->linear = 65535;
	if (chance(r, 50) && !(e->off & OFF_SHAPE)) {
		e->linear = e->l4 + TCP_LEN + below(r, 100);
		e->frag = e->len / 12 + 1;
	}
	if (chance(r, 20) && !(e->off & OFF_CLONE))
		e->flags |= INJ_CLONE;
}

void gen_gso(struct event *e, struct rng *r)
{
	static const uint8_t mac[6] = MAC_OF_DEV(0);
	const struct sid *sid = &sids[e->sid];
	bool v4 = sid->action == SEG6NR_ACT_END_DX4 ||
		  sid->action == SEG6NR_ACT_END_DT4 || chance(r, 30);
	bool tunnel = is_decap(sid) || chance(r, 60);
	uint8_t *d = e->pkt + ETH;
	int at, len, i;

	memcpy(e->pkt, mac, 6);
	e->dev = INJ_NA;
	memcpy(e->pkt + 6, "\x02\x00\x00\x00\xff\x01\x86\xdd", 8);
	e->flags = (v4 && tunnel ? INJ_GSO4 : INJ_GSO6) |
		   (tunnel ? INJ_TUNNEL : 0);
	at = put_ip6(d, r, "::", P_RH);
	memcpy(d + 24, sid->addr, 16);
	inet_pton(AF_INET6, "2001:db8:a::1", d + 8);
	i = !tunnel ? P_TCP : e->flags & INJ_GSO4 ? P_IPIP : P_IPV6;
	len = put_srh(d + at, r, sid, i);
	if (!len)
		d[6] = i;
	at += len;
	if (tunnel)
		at = put_inner(e, r, d, at, sid);
	e->l4 = at;
	put_tcp(d + at, r);
	e->gso_size = 200 + below(r, 800);
	len = e->gso_size + 1 + below(r, 10000);
	at += TCP_LEN;
	for (i = 0; i < len; i++)
		d[at + i] = rnd(r) >> 8;
	e->len = at + len;
	set_lengths(e, d, e->len);
	seed_check(e);
	shape(e, r);
}

/* The @i-th packet on the wire; returns its octets, 0 behind the last. */
int gso_segment(const struct event *e, int i, uint8_t *d)
{
	int head = e->l4 + TCP_LEN, from = head + i * (int)e->gso_size;
	int alen, left = e->len - from, n;
	const uint8_t *src = src_of(e, &alen), *whole = e->pkt + ETH;
	uint8_t *tcp = d + e->l4;

	if (left <= 0)
		return 0;
	n = left < (int)e->gso_size ? left : (int)e->gso_size;
	memcpy(d, whole, head);
	memcpy(d + head, whole + from, n);
	put32(tcp + 4, get32(tcp + 4) + i * e->gso_size);
	/* FIN and PSH are for the end. */
	if (left > n)
		tcp[13] &= ~0x09;
	if (e->flags & INJ_GSO4)
		put16(d + e->l3 + 4, get16(d + e->l3 + 4) + i);
	set_lengths(e, d, head + n);
	put16(tcp + 16, 0);
	put16(tcp + 16, l4_sum(src, src + alen, alen, P_TCP, tcp,
			       TCP_LEN + n));
	return head + n;
}
