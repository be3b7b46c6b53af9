// SPDX-License-Identifier: GPL-2.0-only
/* walk.c - stretches: made from a seed, walked, compared, made smaller */
#include <arpa/inet.h>
#include <sched.h>
#include <stddef.h>
#include <stdlib.h>

#include "soak.h"

#define ACTIVE		4	/* flows under way at a time */
#define REPEAT		14
#define SHRINK_RUNS	160

struct tally tally;
int cpus = 1;
bool trace;
char mismatch[3000];
struct statistic statistics[MAX_STATISTICS];

/* --- making --- */

struct pending {
	struct event event;
	int due;
};

static int pick_kind(struct rng *r)
{
	int i, all = 0, n;

	for (i = 0; i < nkinds; i++)
		if (!kinds[i].exists || kinds[i].exists())
			all += kinds[i].weight;
	n = below(r, all);
	for (i = 0; i < nkinds; i++) {
		if (kinds[i].exists && !kinds[i].exists())
			continue;
		if (n < kinds[i].weight)
			break;
		n -= kinds[i].weight;
	}
	return i;
}

/* What was done is undone some events later: the router stays a router. */
static struct event next_event(struct rng *r, struct pending *todo, int *n,
			       int now)
{
	struct event e = {};
	int i;

	for (i = 0; i < *n; i++) {
		if (todo[i].due > now)
			continue;
		e = todo[i].event;
		todo[i] = todo[--*n];
		break;
	}
	if (i == *n && !e.undo) {
		e.kind = pick_kind(r);
		e.seed = rnd(r);
	}
	if (e.undo + 1 < kinds[e.kind].steps) {
		todo[*n].event = e;
		todo[*n].event.undo++;
		todo[(*n)++].due = now + 1 + below(r, 8);
	}
	return e;
}

/* Now and then another flow; often one that is almost like its neighbour. */
static void next_flow(struct rng *r, uint32_t *flow)
{
	/* Mark and port are what is found depends on most often. */
	static const int bits[] = { 0, 1, 2, 2, 2, 6 };
	int i = below(r, ACTIVE);

	if (chance(r, 60))
		return;
	flow[i] = rnd(r);
	if (chance(r, 14))
		flow[i] = flow[(i + 1) % ACTIVE] ^
			  1u << bits[below(r, ARRAY_LEN(bits))];
}

int stretch_make(struct item *to, uint64_t seed, int events)
{
	struct rng r = { seed * 0x2545f4914f6cdd1dull };
	struct pending todo[16];
	uint32_t flow[ACTIVE];
	int i, n = 0, ntodo = 0, items = 0, cpu = 0;

	for (i = 0; i < ACTIVE; i++)
		flow[i] = rnd(&r);
	for (n = 0; n <= events; n++) {
		struct item *p;

		if (n) {
			p = &to[items++];
			memset(p, 0, sizeof(*p));
			p->event = next_event(&r, todo, &ntodo, n);
		}
		p = &to[items++];
		memset(p, 0, sizeof(*p));
		p->packets = true;
		/* Others may be left with what they know for some time. */
		if (chance(&r, 25))
			cpu ^= 1;
		p->cpu = cpu;
		p->flows = ACTIVE;
		p->repeat = REPEAT;
		memcpy(p->flow, flow, sizeof(flow));
		next_flow(&r, flow);
	}
	return items;
}

/* --- packets --- */

static uint32_t batch;

void use_cpu(int cpu)
{
	static int now = -1;
	cpu_set_t set;

	cpu %= cpus;
	if (cpus < 2 || cpu == now)
		return;
	now = cpu;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static struct outcome outcomes[MAX_FLOWS * MAX_REPEAT * TWINS];

/* What is not of this batch is nobody's. */
static void take(int port, const uint8_t *data, int len)
{
	static struct frame f;
	struct outcome *o;
	uint32_t tag;
	int at;

	if (!find_tag(data, len, &tag, &at) || tag >> 8 != batch ||
	    (tag & 0xff) >= ARRAY_LEN(outcomes) || len > MAX_FRAME)
		return;
	o = &outcomes[tag & 0xff];
	f.port = port;
	f.len = len;
	memcpy(f.data, data, len);
	if (frame_is_redirect(&f))
		o->redirects++;
	else if (!o->frames++)
		memcpy(&o->frame, &f, offsetof(struct frame, data) + len);
}

static bool same(const struct outcome *a, const struct outcome *b)
{
	return a->frames == b->frames &&
	       (!a->frames || (a->frame.port == b->frame.port &&
			       a->frame.len == b->frame.len &&
			       !memcmp(a->frame.data, b->frame.data,
				       a->frame.len)));
}

static void report(const struct flow *f, int nth, const struct outcome *tree,
		   const struct outcome *want, const struct outcome *ours)
{
	char flow[300], t[500], e[500], o[500];

	flow_text(f, flow, sizeof(flow));
	outcome_text(tree, t, sizeof(t));
	outcome_text(want, e, sizeof(e));
	outcome_text(ours, o, sizeof(o));
	snprintf(mismatch, sizeof(mismatch),
		 "%s, packet %d\n#   in-tree:  %s\n#   expected: %s\n"
		 "#   ours:     %s", flow, nth, t, e, o);
}

/* False: they differ. */
static bool judge(const struct flow *f, int nth, struct outcome *two)
{
	struct outcome want;
	bool kept = sids[f->sid].action <= SEG6NR_ACT_END_T &&
		    !sids[f->sid].flavors;

	frame_canonical(&two[TREE].frame, f->sid);
	frame_canonical(&two[OURS].frame, f->sid);
	expect(f, &two[TREE], &want);
	tally.packets++;
	if (two[TREE].frames == 1 && !frame_is_error(&two[TREE].frame))
		tally.delivered++;
	/* D23: a source-routed packet is never answered with a redirect. */
	if (same(&want, &two[OURS]) && !(kept && two[OURS].redirects))
		return true;
	if (want.maybe && (!two[OURS].frames ||
			   (!want.frames && frame_is_error(&two[OURS].frame)))) {
		tally.maybes++;
		return true;
	}
	report(f, nth, &two[TREE], &want, &two[OURS]);
	return false;
}

static void send_twins(const struct flow *f, int index, bool swap)
{
	uint8_t buf[MAX_FRAME];
	int i, len;

	for (i = 0; i < TWINS; i++) {
		int twin = i ^ swap;

		len = flow_packet(f, twin, batch << 8 | (index * 2 + twin),
				  buf);
		send_frame(f->port, buf, len);
	}
}

/*
 * The packets of a flow differ in what a lookup does not depend on but where a
 * rule or route says so: source, class, protocol.
 */
static void nth_of_flow(struct flow *f, uint32_t seed, int n)
{
	static const uint32_t twist[] = { 0, 8, 0, 16, 0, 32 };

	flow_make(f, seed ^ twist[n % ARRAY_LEN(twist)]);
}

static bool run_packets(const struct item *p)
{
	struct flow f;
	int i, k;

	use_cpu(p->cpu);
	batch = (batch + 1) & 0xffffff;
	for (i = 0; i < p->flows * p->repeat * TWINS; i++)
		outcomes[i].frames = outcomes[i].redirects =
			outcomes[i].frame.len = 0;
	for (i = 0; i < p->flows; i++) {
		for (k = 0; k < p->repeat; k++) {
			nth_of_flow(&f, p->flow[i], k);
			if (f.port != AI || w.has_second)
				send_twins(&f, i * p->repeat + k, (i + k) & 1);
		}
	}
	send_all(take);
	for (i = 0; i < p->flows * p->repeat; i++) {
		nth_of_flow(&f, p->flow[i / p->repeat], i % p->repeat);
		if (f.port == AI && !w.has_second)
			continue;
		if (!judge(&f, i % p->repeat, &outcomes[i * 2]))
			return false;
	}
	return true;
}

/* --- what the module counts --- */

static void add_statistic(const char *name, uint64_t count)
{
	struct statistic *s = statistics;

	while (s < statistics + MAX_STATISTICS && s->name[0] &&
	       strcmp(s->name, name))
		s++;
	if (s == statistics + MAX_STATISTICS)
		return;
	strcpy(s->name, name);
	s->count += count;
	if (!strcmp(name, "nexthop_hit"))
		tally.hits += count;
	else if (!strncmp(name, "nexthop_miss", 12) ||
		 !strncmp(name, "nexthop_bypass", 14))
		tally.misses += count;
}

/* Before a namespace goes. */
void collect_statistics(const struct space *s)
{
	unsigned long long count;
	char name[48];
	FILE *f;

	space_enter(s);
	f = fopen("/proc/thread-self/net/" SEG6NR_MODULE_NAME, "r");
	while (f && fscanf(f, "%47s %llu", name, &count) == 2)
		add_statistic(name, count);
	if (f)
		fclose(f);
}

/* --- walking --- */

/* True: the twins differed, and the stretch ended there. */
bool stretch_run(const struct item *items, int n)
{
	bool differ = false;
	int i, err;

	mismatch[0] = 0;
	world_build();
	for (i = 0; i < n && !differ; i++) {
		if (items[i].packets) {
			differ = !run_packets(&items[i]);
			continue;
		}
		err = event_run(&items[i].event);
		tally.events++;
		tally.refused += !!err;
		tally.by_kind[items[i].event.kind]++;
		if (trace)
			printf("#   %s%s%s\n", said, err ? ": " : "",
			       err == -1 ? "not possible" :
			       err ? strerror(-err) : "");
	}
	world_destroy();
	tally.stretches++;
	return differ;
}

/* Those that stay must fail still; keeps the shorter list then. */
static bool still_fails(struct item *items, int *n, const struct item *less,
			int nless)
{
	struct tally keep = tally;
	bool fails = stretch_run(less, nless);

	tally = keep;
	if (fails) {
		memcpy(items, less, nless * sizeof(*less));
		*n = nless;
	}
	return fails;
}

static int without(struct item *to, const struct item *items, int n, int from,
		   int count)
{
	if (from + count > n)
		count = n - from;
	memcpy(to, items, from * sizeof(*to));
	memcpy(to + from, items + from + count,
	       (n - from - count) * sizeof(*to));
	return n - count;
}

static void fewer_flows(struct item *items, int *n, int *runs)
{
	static struct item less[MAX_ITEMS];
	int i, k;

	for (i = 0; i < *n; i++) {
		for (k = 0; items[i].packets && k < items[i].flows &&
		     items[i].flows > 1 && (*runs)-- > 0;) {
			struct item *p = &less[i];

			memcpy(less, items, *n * sizeof(*less));
			memmove(&p->flow[k], &p->flow[k + 1],
				(p->flows - k - 1) * sizeof(p->flow[0]));
			p->flows--;
			if (!still_fails(items, n, less, *n))
				k++;
		}
	}
}

/* Leave out what the difference does not need, in ever smaller parts. */
void stretch_shrink(struct item *items, int *n)
{
	static struct item less[MAX_ITEMS];
	int size, from, runs = SHRINK_RUNS;

	for (size = *n / 2; size; size /= 2)
		for (from = 0; from < *n && runs > 0; runs--)
			if (!still_fails(items, n, less,
					 without(less, items, *n, from, size)))
				from += size;
	runs = SHRINK_RUNS / 2;
	fewer_flows(items, n, &runs);
}

/* --- files --- */

void stretch_write(FILE *f, const struct item *items, int n)
{
	int i, k;

	for (i = 0; i < n; i++) {
		const struct item *p = &items[i];

		if (!p->packets) {
			fprintf(f, "event %s %u %d\n",
				kinds[p->event.kind].name, p->event.seed,
				p->event.undo);
			continue;
		}
		fprintf(f, "packets %d %d %d", p->cpu, p->repeat, p->flows);
		for (k = 0; k < p->flows; k++)
			fprintf(f, " %u", p->flow[k]);
		fprintf(f, "\n");
	}
}

static int kind_by_name(const char *name)
{
	int i;

	for (i = 0; i < nkinds; i++)
		if (!strcmp(kinds[i].name, name))
			return i;
	return -1;
}

int stretch_read(FILE *f, struct item *items)
{
	char line[400], name[40];
	int n = 0, undo, at, more, k;

	while (n < MAX_ITEMS && fgets(line, sizeof(line), f)) {
		struct item *p = &items[n];

		memset(p, 0, sizeof(*p));
		if (sscanf(line, "event %39s %u %d", name, &p->event.seed,
			   &undo) == 3) {
			p->event.undo = undo;
			p->event.kind = kind_by_name(name);
			n += p->event.kind >= 0;
		} else if (sscanf(line, "packets %d %d %d%n", &p->cpu,
				  &p->repeat, &p->flows, &at) == 3 &&
			   p->flows <= MAX_FLOWS && p->repeat <= MAX_REPEAT) {
			p->packets = true;
			for (k = 0; k < p->flows; k++, at += more)
				sscanf(line + at, " %u%n", &p->flow[k], &more);
			n++;
		}
	}
	return n;
}
