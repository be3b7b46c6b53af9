// SPDX-License-Identifier: GPL-2.0-only
/*
 * model.c - what ours must do with a packet, written from the specification:
 * the way in, and the behaviours that keep the outer header
 */
#include <stdio.h>
#include <stdlib.h>

#include "fuzz.h"

#define MAX_DEPTH	8

const char *const dep_names[D_MAX] = {
	[1] = "D1", [2] = "D2", [3] = "D3", [5] = "D5", [6] = "D6", [7] = "D7",
	[8] = "D8", [10] = "D10", [12] = "D12", [13] = "D13", [14] = "D14",
	[15] = "D15", [16] = "D16", [18] = "D18", [20] = "D20", [22] = "D22",
	[23] = "D23", [24] = "D24", [25] = "D25", [27] = "D27", [29] = "D29",
	[D_S14] = "1.4", [D_S18] = "1.8", [D_S32] = "3.2",
};

void touch(struct pred *p, int sid)
{
	int i;

	for (i = 0; i < p->ntouched; i++)
		if (p->touched[i] == sid)
			return;
	if (p->ntouched < INJ_REQ_SIDS)
		p->touched[p->ntouched++] = sid;
}

void expect_frame(struct pred *p, const struct mpkt *k, int place, int neigh)
{
	uint8_t head[ETH] = { 2, 0, 0, 0, 0xff, neigh, 2, 0, 0, 0, 0x0a + place,
			      2, k->ipv4 ? 0x08 : 0x86, k->ipv4 ? 0 : 0xdd };
	int hlen = place == INJ_PROBE ? 0 : ETH;
	struct expect *x = &p->frame[p->frames];

	if (p->frames == MAX_EXPECT ||
	    p->room + hlen + k->len > EXPECT_ROOM) {
		p->any_out = true;
		return;
	}
	p->frames++;
	x->place = place;
	x->len = hlen + k->len;
	x->data = p->data + p->room;
	memcpy(x->data, head, hlen);
	memcpy(x->data + hlen, k->d, k->len);
	p->room += x->len;
	x->transport = k->transport;
	x->srcrt = k->srcrt;
	x->iif = k->iif;
	x->ipv4 = k->ipv4;
	x->decapped = k->decapped;
	x->encapped = k->encapped;
	x->forwarded = p->forwarding;
}

/* --- the SRH to act on (1.4) --- */

enum found { F_NONE, F_DROP, F_OK };

struct srh_at {
	struct ext e;
	bool behind_ah;		/* or an atomic fragment, see 3.2 */
};

static enum found check_srh(struct pred *p, const struct mpkt *k,
			    const struct ext *e)
{
	const uint8_t *srh = k->d + e->off;
	bool pad1;

	if (!srh_valid(srh, &pad1))
		return F_DROP;
	if (pad1)
		p->dep |= D_BIT(27);
	if (require_hmac(k->dev) >= 0 && e->off != k->transport)
		p->dep |= D_BIT(3);
	return hmac_passes(k, srh) ? F_OK : F_DROP;
}

static bool is_zero(const uint8_t *p, int len)
{
	while (len--)
		if (p[len])
			return false;
	return true;
}

/* Nothing left: SL 0, and no slot below @index of the last container. */
static bool replace_done(const struct sid *sid, const uint8_t *srh, int sl,
			 int index)
{
	return sl == 0 && (index == 0 ||
			   is_zero(srh + 8 + (index - 1) * sid->nf, sid->nf));
}

/*
 * An SRH without segments left: F_NONE to step over it, unless it holds C-SIDs
 * of the REPLACE-CSID flavor yet.
 */
static enum found check_used_up(struct pred *p, const struct mpkt *k,
				const struct ext *e, const struct sid *sid)
{
	const uint8_t *srh = k->d + e->off;
	bool pad1;

	if (!sid->replace || srh[2] != 4 || !srh_valid(srh, &pad1))
		return F_NONE;
	if (check_srh(p, k, e) != F_OK)
		return F_DROP;
	return replace_done(sid, srh, 0,
			    k->d[39] & (16 / sid->nf - 1)) ? F_NONE : F_OK;
}

static enum found find_srh(struct pred *p, const struct mpkt *k,
			   struct srh_at *at, const struct sid *sid)
{
	bool ah = false;
	struct chain c;
	enum found f;
	int i, rhs = 0;

	chain_walk(&c, k->d, k->len);
	for (i = 0; i < c.n; i++) {
		const struct ext *e = &c.ext[i];

		if (i == c.fragment) {
			p->dep |= D_BIT(5);
			return F_DROP;
		}
		if (e->type == P_AH || e->type == P_FRAG)
			ah = true;
		if (e->type != P_RH)
			continue;
		at->e = *e;
		at->behind_ah = ah;
		if (k->d[e->off + 3]) {
			if (rhs)
				p->dep |= D_BIT(D_S14);
			return check_srh(p, k, e);
		}
		rhs++;
		f = check_used_up(p, k, e, sid);
		if (f != F_NONE)
			return f;
	}
	return c.bad ? F_DROP : F_NONE;
}

static bool spoils(struct pred *p, const uint8_t *segment)
{
	if (segment[0] != 0xff)
		return false;
	p->dep |= D_BIT(29);
	return true;
}

/* The next segment becomes the destination; false: dropped. */
static bool advance(struct pred *p, struct mpkt *k, const struct srh_at *at)
{
	uint8_t *srh = k->d + at->e.off, *next;

	if (hop_limit_spent(p, k))
		return false;
	next = srh + 8 + 16 * (srh[3] - 1);
	if (spoils(p, next))
		return false;
	srh[3]--;
	memcpy(k->d + 24, next, 16);
	k->srcrt = at->e.off;
	return true;
}

static bool pop(struct pred *p, struct mpkt *k, const struct srh_at *at)
{
	const struct ext *e = &at->e;

	if (at->behind_ah)
		p->dep |= D_BIT(D_S32);
	if (k->transport > e->off) {
		if (k->transport < e->off + e->len)
			return false;
		k->transport -= e->len;
	}
	k->d[e->nhoff] = k->d[e->off];
	memmove(k->d + e->len, k->d, e->off);
	k->d += e->len;
	k->len -= e->len;
	put16(k->d + 4, k->len - IP6);
	k->srcrt = 0;
	return true;
}

/* --- C-SIDs (3.3, 3.4) --- */

static bool shift(struct pred *p, struct mpkt *k, const struct sid *sid)
{
	uint8_t *da = k->d + 24;

	if (hop_limit_spent(p, k))
		return false;
	memmove(da + sid->lb, da + sid->lb + sid->nf, 16 - sid->lb - sid->nf);
	memset(da + 16 - sid->nf, 0, sid->nf);
	return true;
}

static enum found replace(struct pred *p, struct mpkt *k,
			  const struct sid *sid, const struct srh_at *at,
			  bool *last)
{
	uint8_t *srh = k->d + at->e.off, da[16];
	int mask = 16 / sid->nf - 1, index, sl = srh[3];

	memcpy(da, k->d + 24, 16);
	index = da[15] & mask;
	if (hop_limit_spent(p, k))
		return F_DROP;
	if (index) {
		if (sl > srh[4])
			return F_DROP;
		index--;
		if (is_zero(srh + 8 + 16 * sl + index * sid->nf, sid->nf)) {
			sl--;
			memcpy(da, srh + 8 + 16 * sl, 16);
			index = 0;
			goto store;
		}
	} else {
		sl--;
		index = mask;
	}
	memcpy(da + sid->lb, srh + 8 + 16 * sl + index * sid->nf, sid->nf);
	da[15] = (da[15] & ~mask) | index;
store:
	if (da[0] == 0xff)
		return F_DROP;
	*last = replace_done(sid, srh, sl, index);
	srh[3] = sl;
	memcpy(k->d + 24, da, 16);
	k->srcrt = at->e.off;
	return F_OK;
}

/* --- End, End.X, End.T (2.1 to 2.3, 3.2) --- */

static int route_on(struct pred *p, struct mpkt *k, const struct sid *sid)
{
	struct route r;

	switch (sid->action) {
	case SEG6NR_ACT_END_X:
		if (!strcmp(sid->name, "coif")) {
			r = (struct route){ .kind = R_FORWARD,
					    .place = INJ_NB, .neigh = 0x12 };
			return hand_on(p, k, r, false);
		}
		r = fib6(sid->hop, 0,
			 sid->oif == INJ_ND + 1 ? INJ_PLACES :
			 sid->oif ? INJ_NA : k->dev);
		if (sid->oif && r.place != sid->oif - 1) {
			p->dep |= D_BIT(18);
			return 1;
		}
		return hand_on(p, k, r, false);
	case SEG6NR_ACT_END_T:
		return hand_on(p, k, fib6(k->d + 24, sid->table, k->dev),
			       false);
	}
	return hand_on(p, k, fib6(k->d + 24, 0, k->dev), false);
}

static int route_on4(struct pred *p, struct mpkt *k, const struct sid *sid)
{
	bool vrf = sid->action == SEG6NR_ACT_END_T;

	if (sid->action == SEG6NR_ACT_END_X || (vrf && sid->table != 100))
		return 1;
	if (odd4(k)) {
		p->any_out = p->any_count = true;
		return 0;
	}
	if (vrf)
		k->iif = k->dev = INJ_PLACES;
	return hand_on(p, k, fib4(k->d + 16, k->dev == INJ_PLACES),
		       true);
}

static int upper_layer(struct pred *p, struct mpkt *k, const struct sid *sid)
{
	if (!(sid->flavors & USD) || !decap(p, k, 0))
		return 1;
	return k->ipv4 ? route_on4(p, k, sid) : route_on(p, k, sid);
}

static int endpoint(struct pred *p, struct mpkt *k, const struct sid *sid)
{
	struct srh_at at;
	enum found f;
	bool last = false;

	if (sid->flavors & NEXT &&
	    !is_zero(k->d + 24 + sid->lb + sid->nf, 16 - sid->lb - sid->nf))
		return shift(p, k, sid) ? route_on(p, k, sid) : 1;

	f = find_srh(p, k, &at, sid);
	if (f == F_OK && sid->replace) {
		f = replace(p, k, sid, &at, &last);
	} else if (f == F_OK) {
		if (!advance(p, k, &at))
			return 1;
		last = !k->d[at.e.off + 3];
	}
	if (f == F_NONE)
		return upper_layer(p, k, sid);
	if (f == F_DROP)
		return 1;
	if (last && sid->flavors & PSP) {
		if (sid->flavors & NEXT)
			p->dep |= D_BIT(16);
		if (!pop(p, k, &at))
			return 1;
	}
	return route_on(p, k, sid);
}

/* --- End.B6, End.B6.Encaps (2.10, 2.11) --- */

/* The policy as it stands in the packet, whose source is @saddr. */
static void put_policy(uint8_t *at, const struct sid *sid, int nh,
		       const uint8_t *first, const uint8_t *saddr)
{
	memcpy(at, sid->srh, sid->srh_len);
	at[0] = nh;
	if (first)
		memcpy(at + 8, first, 16);
	if (sid->policy_hmac)
		srh_digest(saddr, at, HMAC_KEY_ID, at + sid->srh_len - 32);
}

static int end_b6(struct pred *p, struct mpkt *k, const struct sid *sid)
{
	int off = IP6, nhoff = 6;
	struct srh_at at;
	struct chain c;
	uint8_t *new;

	if (find_srh(p, k, &at, sid) != F_OK || hop_limit_spent(p, k))
		return 1;
	chain_walk(&c, k->d, k->len);
	if (c.ext[0].type == P_HBH) {
		nhoff = off;
		off += c.ext[0].len;
	}
	if (k->d[nhoff] == P_DO && k->d[off] == P_RH) {
		nhoff = off;
		off += (k->d[off + 1] + 1) * 8;
	}
	if (off != IP6)
		p->dep |= D_BIT(14);
	k->d -= sid->srh_len;
	memmove(k->d, k->d + sid->srh_len, off);
	k->len += sid->srh_len;
	new = k->d + off;
	put_policy(new, sid, k->d[nhoff], k->d + 24, k->d + 8);
	k->d[nhoff] = P_RH;
	memcpy(k->d + 24, new + 8 + 16 * new[4], 16);
	put16(k->d + 4, k->len - IP6);
	k->srcrt = off;
	if (k->transport > off)
		k->transport = off;
	return hand_on(p, k, fib6(k->d + 24, 0, k->dev), false);
}

static int too_big(struct pred *p, struct mpkt *k, int outer)
{
	struct mpkt inner = *k;
	int fits = 1500 - outer;

	inner.d += outer;
	inner.len -= outer;
	icmp6(p, &inner, 2, 0, fits < 1280 ? 1280 : fits);
	return 1;
}

static int end_b6_encaps(struct pred *p, struct mpkt *k, const struct sid *sid)
{
	static const uint8_t node[16] = { 0x20, 0x01, 0x0d, 0xb8, 0, 0xa, 0, 0,
					  0, 0, 0, 0, 0, 0, 0, 2 };
	int outer = IP6 + sid->srh_len;
	const uint8_t *inner = k->d;
	struct srh_at at;
	struct route r;

	if (find_srh(p, k, &at, sid) != F_OK || !advance(p, k, &at))
		return 1;
	p->dep |= D_BIT(13) | (p->gso ? D_BIT(12) : 0);
	k->d -= outer;
	k->len += outer;
	memcpy(k->d, inner, 4);
	put16(k->d + 4, k->len - IP6);
	k->d[6] = P_RH;
	k->d[7] = inner[7];
	k->d[outer + 7]--;
	memcpy(k->d + 8, node, 16);
	put_policy(k->d + IP6, sid, P_IPV6, NULL, k->d + 8);
	memcpy(k->d + 24, k->d + IP6 + 8 + 16 * sid->srh[4], 16);
	k->transport = IP6;
	k->srcrt = IP6;
	k->encapped = true;
	r = fib6(k->d + 24, 0, k->dev);
	if (k->len > 1500 && !p->gso &&
	    (r.kind == R_FORWARD || r.kind == R_PROBE))
		return too_big(p, k, outer);
	return hand_on(p, k, r, false);
}

static int behave(struct pred *p, struct mpkt *k, const struct sid *sid)
{
	switch (sid->action) {
	case SEG6NR_ACT_END:
	case SEG6NR_ACT_END_X:
	case SEG6NR_ACT_END_T:
		return endpoint(p, k, sid);
	case SEG6NR_ACT_END_B6:
		return end_b6(p, k, sid);
	case SEG6NR_ACT_END_B6_ENCAPS:
		return end_b6_encaps(p, k, sid);
	}
	return run_decap(p, k, sid);
}

int run_sid(struct pred *p, struct mpkt *k, int sid)
{
	int rc = 1, len = k->len;

	touch(p, sid);
	if (++p->depth <= MAX_DEPTH)
		rc = behave(p, k, &sids[sid]);
	p->depth--;
	if (rc) {
		p->count[sid].errors++;
	} else {
		p->count[sid].packets++;
		p->count[sid].bytes += len;
	}
	return rc;
}

/* --- the way in (1.1) --- */

/* Hop-by-hop options: 1 fine, 0 dropped, -1 not known to this model. */
static int options_pass(const uint8_t *d, int len)
{
	int pad = 0, off = 2;

	while (off < len) {
		int size;

		if (d[off] == 0) {
			size = 1;
			pad++;
		} else {
			if (off + 2 > len)
				return 0;
			size = d[off + 1] + 2;
			if (off + size > len)
				return 0;
			if (d[off] == 1) {
				pad += size;
				if (!is_zero(d + off + 2, size - 2))
					return 0;
			} else if (d[off] >= 0x40 || d[off] == 5 ||
				   d[off] == 7 || d[off] == 0x31) {
				return -1;
			} else {
				pad = 0;
			}
		}
		if (pad > 7)
			return 0;
		off += size;
	}
	return 1;
}

/* Same values as options_pass(). */
static int arrives(struct mpkt *k)
{
	int plen = get16(k->d + 4), len;

	if (k->len < IP6 || k->d[0] >> 4 != 6 || k->d[8] == 0xff ||
	    is_addr(k->d + 8, "::1"))
		return 0;
	if (plen || k->d[6] != P_HBH) {
		if (IP6 + plen > k->len)
			return 0;
		k->len = IP6 + plen;
	}
	if (k->d[6] != P_HBH)
		return 1;
	if (k->len < IP6 + 8)
		return 0;
	len = (k->d[IP6 + 1] + 1) * 8;
	if (IP6 + len > k->len)
		return 0;
	k->transport = IP6 + len;
	return plen ? options_pass(k->d + IP6, len) : -1;
}

/* What is before the packet in the buffer, for headers to be pushed. */
#define ROOM	4096

static uint8_t work[ROOM + MAX_PKT];

static struct mpkt start(const struct event *e, int len)
{
	return (struct mpkt){ .d = work + ROOM, .len = len, .transport = IP6,
			      .iif = e->dev,
			      .dev = e->dev == INJ_ND ? INJ_PLACES : e->dev };
}

#define TCP_WORDS	5

/*
 * Where an SRH stays in front of TCP, forwarding leaves the transport header on
 * it, and kernels since 7.2 drop at the egress what cannot be TCP there. Ours
 * has moved it to TCP by then.
 */
static void find_tcp(struct pred *p, const struct event *e)
{
	struct expect *x = &p->frame[0];
	int head = x->place == INJ_PROBE ? 0 : ETH;

	if (e->flags & INJ_TUNNEL || x->encapped ||
	    (x->place != INJ_PROBE && !x->forwarded))
		return;
	if (x->data[head + x->transport + 12] >> 4 < TCP_WORDS)
		p->dep |= D_BIT(D_S18);
	x->transport = x->len - head - (e->len - e->l4);
}

/*
 * A GSO packet is what its segments are, but counted as one. It is looked at as
 * the whole, and where an egress segments it in software, piece by piece.
 */
static void run_gso(struct pred *p, const struct event *e)
{
	struct inj_count count[ARRAY_LEN(p->count)];
	struct mpkt k = start(e, e->len);
	const struct expect *x = &p->frame[0];
	int i, len;

	memcpy(k.d, e->pkt + ETH, e->len);
	p->delivered = true;
	run_sid(p, &k, e->sid);
	if (p->frames == 1)
		find_tcp(p, e);
	if (p->frames != 1 || !x->forwarded)
		return;
	if (x->place == INJ_ND && (x->decapped || !(e->flags & INJ_TUNNEL)))
		return;
	memcpy(count, p->count, sizeof(count));
	p->frames = p->room = 0;
	for (i = 0; (len = gso_segment(e, i, work + ROOM)); i++) {
		k = start(e, len);
		run_sid(p, &k, e->sid);
	}
	memcpy(p->count, count, sizeof(count));
}

void model(const struct event *e, struct pred *p)
{
	struct mpkt k = start(e, e->len);
	int in;

	p->dep = 0;
	p->any_out = p->any_count = p->no_redirect = p->may_arrive = false;
	p->forwarding = false;
	p->frames = p->room = p->ntouched = p->depth = 0;
	memset(p->count, 0, sizeof(p->count));
	touch(p, e->sid);
	p->gso = e->gso_size;
	if (p->gso) {
		run_gso(p, e);
		return;
	}
	memcpy(k.d, e->pkt + ETH, e->len);
	in = arrives(&k);
	p->delivered = in > 0;
	p->may_arrive = in < 0;
	if (in)
		run_sid(p, &k, e->sid);
}
