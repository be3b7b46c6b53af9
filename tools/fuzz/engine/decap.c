// SPDX-License-Identifier: GPL-2.0-only
/*
 * decap.c - the model of the behaviours that remove the outer header
 * (specification 1.4, 1.9, 2.4 to 2.9)
 */
#include "fuzz.h"

static bool is_ext(int type)
{
	return type == P_HBH || type == P_RH || type == P_FRAG ||
	       type == P_AH || type == P_DO;
}

static int ext_len(int type, const uint8_t *d)
{
	if (type == P_FRAG)
		return 8;
	return type == P_AH ? (d[1] + 2) * 4 : (d[1] + 1) * 8;
}

void chain_walk(struct chain *c, const uint8_t *d, int len)
{
	int type = d[6], nhoff = 6, off = IP6;

	memset(c, 0, sizeof(*c));
	c->fragment = -1;
	while (is_ext(type)) {
		struct ext *e = &c->ext[c->n];
		int size = off + 8 > len ? 8 : ext_len(type, d + off);

		if (c->n == MAX_EXT || off + size > len) {
			c->bad = true;
			break;
		}
		*e = (struct ext){ type, off, size, nhoff };
		if (type == P_FRAG && c->fragment < 0 &&
		    get16(d + off + 2) & 0xfff9)
			c->fragment = c->n;
		c->n++;
		nhoff = off;
		type = d[off];
		off += size;
	}
	c->bad_at = c->n;
	c->final = type;
	c->off = off;
}

static bool tlvs_fit(const uint8_t *p, int len, bool pad1)
{
	while (len > 0) {
		int size;

		if (pad1 && p[0] == 0)
			size = 1;
		else if (len < 2)
			return false;
		else
			size = p[1] + 2;
		p += size;
		len -= size;
	}
	return !len;
}

/* @pad1: valid only if type 0 is one octet (D27). */
bool srh_valid(const uint8_t *srh, bool *pad1)
{
	int le = srh[4], len = (srh[1] + 1) * 8;
	const uint8_t *tlv = srh + 8 + 16 * (le + 1);

	*pad1 = false;
	if (srh[2] != 4 || le > srh[1] / 2 - 1 || srh[3] > le + 1)
		return false;
	len -= 8 + 16 * (le + 1);
	if (tlvs_fit(tlv, len, false))
		return true;
	*pad1 = tlvs_fit(tlv, len, true);
	return *pad1;
}

int require_hmac(int place)
{
	return place == INJ_NH ? 1 : place == INJ_NN ? -1 : 0;
}

bool hmac_passes(const struct mpkt *k, const uint8_t *srh)
{
	int policy = require_hmac(k->dev);
	const uint8_t *tlv;
	uint8_t digest[32];

	if (policy < 0)
		return true;
	tlv = srh_hmac_tlv(srh);
	if (!tlv)
		return policy == 0;
	return srh_digest(k->d + 8, srh, get32(tlv + 4), digest) &&
	       !memcmp(digest, tlv + 8, 32);
}

/* One routing header on the way; false: it forbids. */
static bool rh_allows(struct pred *p, const struct mpkt *k,
		      const struct ext *e, bool first)
{
	const uint8_t *srh = k->d + e->off;
	bool pad1, valid = srh_valid(srh, &pad1);

	if (pad1)
		p->dep |= D_BIT(27);
	if (srh[3]) {
		p->dep |= !first ? D_BIT(2) : !valid ? D_BIT(1) : 0;
		return false;
	}
	if (srh[2] != 4 || require_hmac(k->dev) < 0)
		return true;
	if (!valid) {
		if (require_hmac(k->dev) > 0)
			p->dep |= first ? D_BIT(1) : D_BIT(2);
		return require_hmac(k->dev) == 0;
	}
	if (e->off != k->transport)
		p->dep |= D_BIT(3);
	if (!first)
		p->dep |= D_BIT(2);
	return hmac_passes(k, srh);
}

/* Whether the packet may be decapsulated at all; @off: its payload. */
static bool acceptable(struct pred *p, const struct mpkt *k, int *type,
		       int *off)
{
	struct chain c;
	bool first = true;
	int i;

	chain_walk(&c, k->d, k->len);
	for (i = 0; i < c.n; i++) {
		if (i == c.fragment) {
			p->dep |= D_BIT(5);
			return false;
		}
		if (c.ext[i].type != P_RH)
			continue;
		if (!rh_allows(p, k, &c.ext[i], first))
			return false;
		first = false;
	}
	*type = c.final;
	*off = c.off;
	return !c.bad;
}

/* The inner header; -1 if nobody should go on with it, else its octets. */
static int inner6_len(struct pred *p, const uint8_t *d, int left)
{
	int total;

	if (left < IP6)
		return -1;
	total = IP6 + get16(d + 4);
	if (d[0] >> 4 != 6 || d[8] == 0xff || is_addr(d + 8, "::1") ||
	    (total == IP6 && d[6] == P_HBH) || total > left) {
		p->dep |= D_BIT(6);
		return -1;
	}
	return total;
}

static int inner4_len(struct pred *p, const uint8_t *d, int left)
{
	int hlen, total;

	if (left < 20)
		return -1;
	hlen = (d[0] & 15) * 4;
	total = get16(d + 2);
	if (d[0] >> 4 != 4 || hlen < 20 || hlen > left ||
	    sum_fold(sum_add(0, d, hlen)) != 0 || total < hlen ||
	    total > left) {
		p->dep |= D_BIT(6);
		return -1;
	}
	return total;
}

/*
 * Remove the outer header in front of a packet of protocol @only, of any if 0;
 * false: dropped.
 */
int decap(struct pred *p, struct mpkt *k, int only)
{
	int type, off, len;

	if (!acceptable(p, k, &type, &off))
		return 0;
	if ((only && type != only) || (type != P_IPV6 && type != P_IPIP))
		return 0;
	if (type == P_IPV6)
		len = inner6_len(p, k->d + off, k->len - off);
	else
		len = inner4_len(p, k->d + off, k->len - off);
	if (len < 0)
		return 0;
	if (len < k->len - off)
		p->dep |= D_BIT(6);
	k->d += off;
	k->len = len;
	k->ipv4 = type == P_IPIP;
	k->transport = k->ipv4 ? (k->d[0] & 15) * 4 : IP6;
	k->srcrt = 0;
	k->decapped = true;
	if (k->ipv4 && k->transport > 20)
		p->dep |= D_BIT(7);
	return 1;
}

static bool is_discovery(const struct mpkt *k)
{
	return k->d[6] == P_ICMP6 && k->len >= IP6 + 8 && k->d[IP6] >= 133 &&
	       k->d[IP6] <= 137;
}

/*
 * A source that validation may take offence at: of no single host, or one that
 * the node has, as its own or as the ends of a network.
 */
bool odd4(const struct mpkt *k)
{
	uint32_t sa = get32(k->d + 12);
	uint32_t host = sa & 255;

	if (sa >> 16 == 0x0a00)
		return host == 0 || host == 2 || host == 255;
	return sa >> 24 == 0 || sa >> 24 == 127 || sa >> 29 == 7;
}

static int dx4(struct pred *p, struct mpkt *k, const uint8_t *hop)
{
	bool given = hop[0];
	struct route r;

	if (!decap(p, k, P_IPIP))
		return 1;
	r = fib4(given ? hop : k->d + 16, k->dev == INJ_PLACES);
	if (odd4(k)) {
		if (r.kind == R_ERROR || r.kind == R_BLACKHOLE)
			p->dep |= D_BIT(22);
		p->any_out = p->any_count = true;
		return 0;
	}
	if (given && r.kind == R_FORWARD && get32(hop) >> 8 == 0x0a0002)
		p->dep |= D_BIT(8);
	return hand_on(p, k, r, true);
}

static int into_vrf(struct pred *p, struct mpkt *k, int only)
{
	bool inside = k->dev == INJ_PLACES;

	if (!decap(p, k, only))
		return 1;
	p->dep |= D_BIT(20);
	k->iif = k->dev = INJ_PLACES;
	if (k->ipv4) {
		if (odd4(k)) {
			p->any_out = p->any_count = true;
			return 0;
		}
		return hand_on(p, k, fib4(k->d + 16, true), true);
	}
	/* The VRF leaves it where it came in. */
	if (is_discovery(k) && !inside)
		return 1;
	return hand_on(p, k, fib6(k->d + 24, 0, INJ_PLACES), true);
}

static int dx2(struct pred *p, struct mpkt *k, const struct sid *sid)
{
	struct expect *x;
	int type, off, len;

	if (!acceptable(p, k, &type, &off))
		return 1;
	len = k->len - off;
	if (type != P_ETH || len < ETH)
		return 1;
	if (get16(k->d + off + 12) < 0x600 || len > 1514)
		p->dep |= D_BIT(15);
	if (len > 1518)
		return 1;
	x = &p->frame[p->frames++];
	x->place = sid->oif - 1;
	x->len = len;
	x->data = p->data + p->room;
	memcpy(x->data, k->d + off, len);
	p->room += len;
	return 0;
}

int run_decap(struct pred *p, struct mpkt *k, const struct sid *sid)
{
	switch (sid->action) {
	case SEG6NR_ACT_END_DX2:
		return dx2(p, k, sid);
	case SEG6NR_ACT_END_DX4:
		return dx4(p, k, sid->hop);
	case SEG6NR_ACT_END_DX6:
		if (!decap(p, k, P_IPV6))
			return 1;
		if (is_addr(sid->hop, "::"))
			return hand_on(p, k, fib6(k->d + 24, 0, k->dev), false);
		return hand_on(p, k, fib6(sid->hop, 0, k->dev), false);
	case SEG6NR_ACT_END_DT6:
		if (sid->vrf)
			return into_vrf(p, k, P_IPV6);
		if (!decap(p, k, P_IPV6))
			return 1;
		return hand_on(p, k, fib6(k->d + 24, sid->table, k->dev), true);
	case SEG6NR_ACT_END_DT4:
		return into_vrf(p, k, P_IPIP);
	case SEG6NR_ACT_END_DT46:
		return into_vrf(p, k, 0);
	}
	return 1;
}
