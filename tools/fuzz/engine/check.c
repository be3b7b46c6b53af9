// SPDX-License-Identifier: GPL-2.0-only
/* check.c - compares what ours did with the model and with the in-tree code */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "fuzz.h"

static const struct inj_frame *first_frame(const struct inj_res *res)
{
	return (const void *)((const uint8_t *)res + INJ_ALIGN(sizeof(*res)));
}

static const uint8_t *frame_data(const struct inj_frame *f)
{
	return (const uint8_t *)f + INJ_ALIGN(sizeof(*f));
}

static const struct inj_frame *next_frame(const struct inj_frame *f)
{
	return (const void *)(frame_data(f) + INJ_ALIGN(f->len));
}

static void complain(struct verdict *v, const char *fmt, ...)
{
	va_list args;

	if (v->fail)
		return;
	v->fail = true;
	va_start(args, fmt);
	vsnprintf(v->why, sizeof(v->why), fmt, args);
	va_end(args);
}

/* IPv4 packets of the node's own have an identification nobody can foresee. */
static bool is_own4(const uint8_t *d, int len)
{
	return len >= ETH + 20 && get16(d + 12) == 0x0800 && d[ETH + 9] == 1 &&
	       d[ETH + 12] == 10 && d[ETH + 13] == 0 && d[ETH + 15] == 2;
}

static bool same_data(const uint8_t *a, const uint8_t *b, int len)
{
	if (!memcmp(a, b, len))
		return true;
	if (!is_own4(a, len) || !is_own4(b, len))
		return false;
	return !memcmp(a, b, ETH + 4) &&
	       !memcmp(a + ETH + 6, b + ETH + 6, 4) &&
	       !memcmp(a + ETH + 12, b + ETH + 12, len - ETH - 12);
}

static bool same_frames(const struct inj_res *a, const struct inj_res *b)
{
	const struct inj_frame *f = first_frame(a), *g = first_frame(b);
	int i;

	if (a->frames != b->frames)
		return false;
	for (i = 0; i < a->frames; i++) {
		if (f->len != g->len || f->place != g->place ||
		    !same_data(frame_data(f), frame_data(g), f->len))
			return false;
		f = next_frame(f);
		g = next_frame(g);
	}
	return true;
}

static bool same_counts(const struct outcome *o, int n)
{
	return !memcmp(o->res[TREE]->count, o->res[OURS]->count,
		       n * sizeof(struct inj_count));
}

/* --- ours against the model --- */

static int ifindex_of(int place)
{
	static int index[INJ_PLACES + 1];

	if (!index[place])
		index[place] = place == INJ_PLACES ? vrf_ifindex() :
						     place_ifindex(place);
	return index[place];
}

/*
 * A reference is fine where the packet may be for the node itself, and where
 * the kernel had to make a route of IPv4 first, which it keeps from then on.
 */
static bool may_own(const struct expect *x)
{
	static int made;

	if (x->ipv4)
		return ++made <= 8;
	return x->data[24] == 0xff;
}

/* What the probe saw beside the octets. */
static void check_probe(const struct inj_frame *f, const struct expect *x,
			struct verdict *v)
{
	if (f->transport != x->transport)
		complain(v, "transport header at %d, not %d", f->transport,
			 x->transport);
	if (f->iif != ifindex_of(x->iif))
		complain(v, "iif %d, not %d", f->iif, ifindex_of(x->iif));
	if (!x->ipv4 && f->srcrt != x->srcrt)
		complain(v, "srcrt %d, not %d", f->srcrt, x->srcrt);
	if (x->decapped && !x->ipv4 && f->nhoff != 6)
		complain(v, "nhoff %d after decapsulation", f->nhoff);
	if (x->decapped && f->flags & INJ_F_HASH)
		complain(v, "hash of the outer packet kept");
	if (x->ipv4 != !!(f->flags & INJ_F_IPV4))
		complain(v, "wrong protocol");
	if (f->flags & INJ_F_OWNED && !may_own(x))
		complain(v, "a reference on a route that only forwards");
}

static void check_frames(const struct pred *p, const struct inj_res *res,
			 struct verdict *v)
{
	const struct inj_frame *f = first_frame(res);
	int i;

	if (res->frames != p->frames)
		complain(v, "%d frames, not %d", res->frames, p->frames);
	for (i = 0; i < p->frames && !v->fail; i++, f = next_frame(f)) {
		const struct expect *x = &p->frame[i];

		if (f->place != x->place)
			complain(v, "frame %d at place %d, not %d", i,
				 f->place, x->place);
		else if ((int)f->len != x->len)
			complain(v, "frame %d has %d octets, not %d", i,
				 f->len, x->len);
		else if (!same_data(frame_data(f), x->data, x->len))
			complain(v, "frame %d differs", i);
		else if (x->place == INJ_PROBE)
			check_probe(f, x, v);
	}
}

/* True whatever the packet is. */
static void check_always(const struct pred *p, const struct inj_res *res,
			 struct verdict *v)
{
	const struct inj_frame *f = first_frame(res);
	int i;

	if (res->flags & INJ_SPOILED)
		complain(v, "wrote to data shared with a clone");
	if (res->flags & INJ_OVERFLOW)
		complain(v, "more frames than fit");
	if (p->no_redirect && res->flags & INJ_REDIRECT)
		complain(v, "redirect for a source-routed packet");
	for (i = 0; i < res->frames; i++, f = next_frame(f))
		if (f->flags & INJ_F_CSUM_BAD)
			complain(v, "CHECKSUM_COMPLETE is not true");
}

static void check_counts(const struct pred *p, const struct inj_res *res,
			 struct verdict *v)
{
	int i;

	for (i = 0; i < p->ntouched; i++) {
		const struct inj_count *a = &res->count[i];
		const struct inj_count *b = &p->count[p->touched[i]];

		if (memcmp(a, b, sizeof(*a)))
			complain(v, "%s counts %d/%d/%d, not %d/%d/%d",
				 sids[p->touched[i]].name, (int)a->packets,
				 (int)a->bytes, (int)a->errors, (int)b->packets,
				 (int)b->bytes, (int)b->errors);
	}
}

static bool has_bad_sum(const struct inj_res *res)
{
	const struct inj_frame *f = first_frame(res);
	int i;

	for (i = 0; i < res->frames; i++, f = next_frame(f))
		if (f->flags & INJ_F_CSUM_BAD)
			return true;
	return false;
}

static void compare_worlds(const struct pred *p, const struct outcome *o,
			   struct verdict *v)
{
	bool frames = same_frames(o->res[TREE], o->res[OURS]);
	bool counts = same_counts(o, p->ntouched);
	uint64_t excuse = p->dep & ~D_COUNTERS;

	/* Not to be seen in octets, and of no excuse for them. */
	if (has_bad_sum(o->res[TREE]))
		v->dep |= D_BIT(10);
	if (frames && counts)
		return;
	v->dep |= p->dep;
	if (!frames && !excuse)
		complain(v, "output differs from in-tree's");
	if (!counts && !p->dep)
		complain(v, "counters differ from in-tree's");
	/* Neither predicted nor as in-tree. */
	if ((!frames && p->any_out) || (!counts && p->any_count))
		v->unmodelled = true;
}

/* The receive path kept it: then it has to do so in both worlds. */
static bool never_came(const struct pred *p, const struct outcome *o)
{
	static const struct inj_count none;

	return p->may_arrive &&
	       !memcmp(&o->res[OURS]->count[0], &none, sizeof(none));
}

void check_event(const struct event *e, const struct pred *p,
		 const struct outcome *o, struct verdict *v)
{
	memset(v, 0, sizeof(*v));
	if (never_came(p, o)) {
		if (o->res[TREE] &&
		    (!same_frames(o->res[TREE], o->res[OURS]) ||
		     !same_counts(o, 1)))
			complain(v, "kept by the receive path in one world");
		return;
	}
	check_always(p, o->res[OURS], v);
	if (!p->any_out)
		check_frames(p, o->res[OURS], v);
	if (!p->any_count)
		check_counts(p, o->res[OURS], v);
	if (o->res[TREE])
		compare_worlds(p, o, v);
	else if (p->any_out || p->any_count)
		v->unmodelled = true;
	(void)e;
}

/* --- reports --- */

static void hex(const char *what, const uint8_t *d, int len)
{
	int i;

	printf("# %s", what);
	for (i = 0; i < len; i++) {
		if (i % 32 == 0)
			printf("\n#   %04x ", i);
		printf("%02x%s", d[i], i % 4 == 3 ? " " : "");
	}
	printf("\n");
}

static void print_result(const char *who, const struct pred *p,
			 const struct inj_res *res)
{
	const struct inj_frame *f = first_frame(res);
	char title[80];
	int i;

	for (i = 0; i < p->ntouched; i++)
		printf("# %s: %s counts %d/%d/%d\n", who,
		       sids[p->touched[i]].name, (int)res->count[i].packets,
		       (int)res->count[i].bytes, (int)res->count[i].errors);
	printf("# %s: flags %x\n", who, res->flags);
	for (i = 0; i < res->frames; i++, f = next_frame(f)) {
		snprintf(title, sizeof(title),
			 "%s: place %d, %d octets, flags %x gso %d", who,
			 f->place, f->len, f->flags, f->gso_size);
		hex(title, frame_data(f), f->len);
	}
}

void print_outcome(const struct event *e, const struct pred *p,
		   const struct outcome *o, const struct verdict *v)
{
	char title[80];
	int i;

	printf("# unexplained: %s\n# seed %llu off %x SID %s dev %d flags %x "
	       "linear %u frag %u\n", v->why, (unsigned long long)e->seed,
	       e->off, sids[e->sid].name, e->dev, e->flags, e->linear, e->frag);
	printf("# departures:");
	for (i = 0; i < D_MAX; i++)
		if (p->dep & D_BIT(i))
			printf(" %s", dep_names[i]);
	printf("%s%s\n", p->any_out ? " output-unpredicted" : "",
	       p->any_count ? " counters-unpredicted" : "");
	hex("packet", e->pkt + ETH, e->len);
	for (i = 0; i < p->frames; i++) {
		snprintf(title, sizeof(title), "model: place %d, %d octets",
			 p->frame[i].place, p->frame[i].len);
		hex(title, p->frame[i].data, p->frame[i].len);
	}
	for (i = 0; i < p->ntouched; i++)
		printf("# model: %s counts %d/%d/%d\n",
		       sids[p->touched[i]].name,
		       (int)p->count[p->touched[i]].packets,
		       (int)p->count[p->touched[i]].bytes,
		       (int)p->count[p->touched[i]].errors);
	print_result("ours", p, o->res[OURS]);
	if (o->res[TREE])
		print_result("tree", p, o->res[TREE]);
}
