// SPDX-License-Identifier: GPL-2.0-only
/*
 * flow.c - packets of a flow, what leaves of them, and by how much ours is
 * expected to differ from in-tree (the departures are those of the README)
 */
#include <arpa/inet.h>

#include "soak.h"

#define ETH		14
#define IP6		40
#define TAG		16
#define BIG		1300
#define P_OTHER		252	/* unknown to everybody */

static const uint8_t magic[8] = "\xa5soak\x5a\xc3\x3c";

/* --- making --- */

/* An address behind the prefixes that routes are for. */
void pool_addr(struct rng *r, uint8_t *addr)
{
	/* The others are of nexthop objects and of several paths. */
	static const uint8_t prefixes[] = { 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1,
					    5, 5, 5, 5, 5, 2, 3, 4 };

	memset(addr, 0, 16);
	addr[0] = 0xfd;
	addr[3] = prefixes[below(r, ARRAY_LEN(prefixes))];
	addr[5] = below(r, SUBNETS);
	addr[15] = 1 + below(r, 2);
}

void pool_addr4(struct rng *r, uint8_t *addr)
{
	addr[0] = 172;
	addr[1] = 16 + below(r, 3);
	addr[2] = below(r, SUBNETS);
	addr[3] = 1 + below(r, 2);
}

static void pick_da(struct rng *r, uint8_t *da)
{
	static const int hosts[] = { 1, 1, 9, 9, 2 };
	unsigned int what = below(r, 100);

	if (what < 88)
		pool_addr(r, da);
	else if (what < 96)
		port_addr6(E0 + below(r, 5), da, hosts[below(r, 5)]);
	else if (what < 99)
		addr6(da, "2001:db8:77::1");
	else
		addr6(da, "fd77::1");
}

static void pick_da4(struct rng *r, struct flow *f)
{
	unsigned int what = below(r, 100);

	/* Only there is it known what in-tree sends to instead (D8). */
	if (f->sid == S_DX4_NH)
		port_addr4(E0, f->da4, LEAF);
	else if (what < 85)
		pool_addr4(r, f->da4);
	else if (what < 95)
		port_addr4(E0 + below(r, 5), f->da4, chance(r, 50) ? 1 : 9);
	else
		memcpy(f->da4, "\xc6\x33\x64\x01", 4);
}

static int pick_sid(struct rng *r)
{
	int i, all = 0, n;

	for (i = 0; i < SIDS; i++)
		all += sids[i].weight;
	n = below(r, all);
	for (i = 0; n >= sids[i].weight; i++)
		n -= sids[i].weight;
	return i;
}

/* Errors about these would go elsewhere, or not depend on the egress. */
static bool may_be_big(int sid)
{
	return sid != S_B6 && sid != S_ENCAPS && sid != S_X_OIF &&
	       sid != S_X_LINK;
}

/* Another host of the same net. */
static void other_host(struct flow *f)
{
	if (f->da[0] == 0xfd && f->da[1] == 0)
		f->da[15] ^= 3;
	else if (f->da[15] == 1 || f->da[15] == 9)
		f->da[15] ^= 8;
	if (f->da4[0] == 172)
		f->da4[3] ^= 3;
}

/*
 * The last ten bits of the seed are the like of a flow: what differs in one of
 * them is almost the same to a lookup.
 */
void flow_make(struct flow *f, uint32_t seed)
{
	struct rng r = { seed >> 10 };
	const struct sid *sid;
	int host;

	memset(f, 0, sizeof(*f));
	f->seed = seed;
	f->sid = pick_sid(&r);
	sid = &sids[f->sid];
	f->port = seed & 4 ? IN1 : IN0;
	if (sid->second && chance(&r, 15))
		f->port = AI;
	f->v4 = sid->action == SEG6NR_ACT_END_DX4 ||
		sid->action == SEG6NR_ACT_END_DT4 ||
		(sid->action == SEG6NR_ACT_END_DT46 && chance(&r, 50));
	host = seed & 8 ? 9 : 1;
	port_addr6(f->port, f->src, host);
	port_addr4(f->port, f->src4, host);
	pick_da(&r, f->da);
	pick_da4(&r, f);
	if (f->sid == S_CSID) {
		memset(f->da, 0, 16);
		put16(f->da, 0xfcbb);
		f->da[5] = 5 + below(&r, 3);
	}
	f->label = seed & 3;
	f->tc = seed & 16 ? 0x28 : 0;
	f->proto = seed & 32 ? P_OTHER : P_UDP;
	if (seed & 64)
		other_host(f);
	f->payload = TAG + (seed & 128 ? 16 : 0);
	if (may_be_big(f->sid) && (seed >> 8 & 3) == 3)
		f->payload = BIG;
}

static bool decapsulates(int sid)
{
	return sids[sid].action >= SEG6NR_ACT_END_DX6 &&
	       sids[sid].action != SEG6NR_ACT_END_B6 &&
	       sids[sid].action != SEG6NR_ACT_END_B6_ENCAPS;
}

static int put_ip6(uint8_t *p, const struct flow *f, int next, int len,
		   const uint8_t *src, const uint8_t *dst)
{
	put32(p, 6u << 28 | f->tc << 20 | f->label);
	put16(p + 4, len);
	p[6] = next;
	p[7] = 64;
	memcpy(p + 8, src, 16);
	memcpy(p + 24, dst, 16);
	return IP6;
}

/* The sum of the tag's octets does not depend on the tag. */
static int put_udp(uint8_t *p, const struct flow *f, uint32_t tag,
		   const uint8_t *src, const uint8_t *dst, int alen)
{
	int len = 8 + f->payload;

	memset(p, 0, len);
	put16(p, 4000 + f->label);
	put16(p + 2, 5000);
	put16(p + 4, len);
	memcpy(p + 8, magic, 8);
	put32(p + 16, tag);
	put32(p + 20, ~tag);
	put16(p + 6, l4_sum(src, dst, alen, P_UDP, p, len));
	return len;
}

static int put_inner(uint8_t *p, const struct flow *f, uint32_t tag)
{
	int len = 8 + f->payload;

	if (!f->v4) {
		put_ip6(p, f, f->proto, len, f->src, f->da);
		return IP6 + put_udp(p + IP6, f, tag, f->src, f->da, 16);
	}
	memset(p, 0, 20);
	p[0] = 0x45;
	p[1] = f->tc;
	put16(p + 2, 20 + len);
	put16(p + 6, 0x4000);
	p[8] = 64;
	p[9] = f->proto;
	memcpy(p + 12, f->src4, 4);
	memcpy(p + 16, f->da4, 4);
	put16(p + 10, sum_fold(sum_add(0, p, 20)));
	return 20 + put_udp(p + 20, f, tag, f->src4, f->da4, 4);
}

/* The next segment and one that is done with, so that no twin is named. */
static int put_srh(uint8_t *p, const struct flow *f)
{
	const uint8_t head[8] = { P_UDP, 4, 4, 1, 1 };

	memcpy(p, head, 8);
	memcpy(p + 8, f->da, 16);
	addr6(p + 24, "fc00:9::9");
	return 40;
}

int flow_packet(const struct flow *f, int twin, uint32_t tag, uint8_t *to)
{
	uint8_t *p = to + ETH + IP6, dst[16];
	int next = P_RH;

	memcpy(to, w.port[f->port].mac, 6);
	memcpy(to + 6, "\x02\x00\x00\x00\xff\x01\x86\xdd", 8);
	sid_addr(f->sid, twin, dst);
	if (decapsulates(f->sid)) {
		next = f->v4 ? P_IPIP : P_IPV6;
		p += put_inner(p, f, tag);
	} else if (f->sid == S_CSID) {
		next = P_UDP;
		dst[7] = f->da[5];
		p += put_udp(p, f, tag, f->src, f->da, 16);
	} else {
		p += put_srh(p, f);
		p += put_udp(p, f, tag, f->src, f->da, 16);
	}
	put_ip6(to + ETH, f, next, p - to - ETH - IP6, f->src, dst);
	return p - to;
}

void flow_text(const struct flow *f, char *to, size_t size)
{
	char da[INET6_ADDRSTRLEN], src[INET6_ADDRSTRLEN];

	inet_ntop(f->v4 ? AF_INET : AF_INET6, f->v4 ? f->da4 : f->da, da,
		  sizeof(da));
	inet_ntop(f->v4 ? AF_INET : AF_INET6, f->v4 ? f->src4 : f->src, src,
		  sizeof(src));
	snprintf(to, size, "%s from %s: %s > %s label %d tc %d %s payload %d",
		 sids[f->sid].name, port_names[f->port], src, da, f->label,
		 f->tc, f->proto == P_UDP ? "UDP" : "other", f->payload);
}

/* --- reading --- */

/* Which packet a frame comes from; false: from none. */
bool find_tag(const uint8_t *data, int len, uint32_t *tag, int *at)
{
	const uint8_t *p = memmem(data, len, magic, 8);

	if (!p || p + TAG > data + len)
		return false;
	*at = p - data;
	*tag = get32(p + 8);
	return true;
}

static bool is_icmp6(const struct frame *f)
{
	return f->len > ETH + IP6 + 8 && get16(f->data + 12) == 0x86dd &&
	       f->data[ETH + 6] == P_ICMP6;
}

static bool is_icmp4(const struct frame *f)
{
	return f->len > ETH + 28 && get16(f->data + 12) == 0x0800 &&
	       f->data[ETH + 9] == 1;
}

bool frame_is_error(const struct frame *f)
{
	return is_icmp4(f) || (is_icmp6(f) && f->data[ETH + IP6] < 128);
}

bool frame_is_redirect(const struct frame *f)
{
	return is_icmp6(f) && f->data[ETH + IP6] == 137;
}

/* Without what tells the twins apart by design. */
void frame_canonical(struct frame *f, int sid)
{
	uint8_t tree[16], ours[16], *p;
	int at, len = 16;
	uint32_t tag;

	if (find_tag(f->data, f->len, &tag, &at))
		memset(f->data + at, 0, TAG);
	sid_addr(sid, TREE, tree);
	sid_addr(sid, OURS, ours);
	if (sid == S_CSID)
		len = 6;
	while ((p = memmem(f->data, f->len, tree, len)))
		memcpy(p, ours, len);
	if (is_icmp6(f))
		put16(f->data + ETH + IP6 + 2, 0);
	/*
	 * D20: to in-tree a packet in a VRF came in by the underlay, and that
	 * is where errors take their source address from.
	 */
	if (is_icmp6(f) && sids[sid].vrf)
		memset(f->data + ETH + 8, 0, 16);
	if (is_icmp4(f)) {
		put16(f->data + ETH + 4, 0);
		put16(f->data + ETH + 10, 0);
		put16(f->data + ETH + 22, 0);
	}
}

/* --- expecting --- */

/* D13: the inner packet pays for its hop. */
static void expect_hop(struct frame *f)
{
	uint8_t *srh = f->data + ETH + IP6;
	int off = ETH + IP6 + (srh[1] + 1) * 8;

	if (f->data[ETH + 6] == P_RH && srh[0] == P_IPV6 &&
	    off + IP6 <= f->len)
		f->data[off + 7]--;
}

/* D8: to the next hop, where in-tree asks for the destination itself. */
static void expect_next_hop(const struct flow *f, struct outcome *o)
{
	int port = o->frame.port, to;
	uint8_t mac[6], nh[4];

	neigh_mac(port, N4_LEAF, mac);
	if (memcmp(mac, o->frame.data, 6))
		return;
	inet_pton(AF_INET, f->port == AI ? sids[f->sid].nh[0] : sid_nh(f->sid),
		  nh);
	to = nh[3] == 1 ? N4_ONE : N4_NINE;
	if (!w.port[port].version[to]) {
		o->frames = 0;
		return;
	}
	neigh_mac(port, to, o->frame.data);
}

/* What ours has to do, from what in-tree did. */
void expect(const struct flow *f, const struct outcome *tree,
	    struct outcome *to)
{
	uint8_t sid[16];

	*to = *tree;
	/*
	 * D20 again: with another source address an error goes by other rules,
	 * and there may be no address to send it from.
	 */
	to->maybe = sids[f->sid].vrf && !f->v4 &&
		    (!tree->frames || frame_is_error(&tree->frame));
	if (to->frames != 1 || frame_is_error(&to->frame))
		return;
	/* Another route may be found for a SID: then none of them runs. */
	sid_addr(f->sid, OURS, sid);
	if (!memcmp(to->frame.data + ETH + 24, sid, f->sid == S_CSID ? 6 : 16))
		return;
	/* D18: through that port or not at all. */
	if (sids[f->sid].oif && to->frame.port != sids[f->sid].oif - 1)
		to->frames = 0;
	else if (f->sid == S_ENCAPS)
		expect_hop(&to->frame);
	else if (f->sid == S_DX4_NH)
		expect_next_hop(f, to);
}

void outcome_text(const struct outcome *o, char *to, size_t size)
{
	int i, n;

	if (!o->frames) {
		snprintf(to, size, "nothing");
		return;
	}
	n = snprintf(to, size, "%d frame, %s%d octets through %s: ", o->frames,
		     frame_is_error(&o->frame) ? "ICMP error, " : "",
		     o->frame.len, port_names[o->frame.port]);
	for (i = 0; i < o->frame.len && i < 160; i++)
		n += snprintf(to + n, size - n, "%02x%s", o->frame.data[i],
			      i == 5 || i == 13 || i == 53 ? " " : "");
}
