// SPDX-License-Identifier: GPL-2.0-only
/*
 * run.c - the packet side: batches of events through the injector, tallies,
 * progress, the state to resume from, and making failures smaller
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <time.h>

#include "fuzz.h"

#define BATCH		64
#define PROGRESS	10	/* seconds */
#define MAX_SAVED	40

const char *out_dir;
int shard;
bool verbose;
bool stop_early;

static int inject_fd;
static uint8_t *in_buf, *out_buf;

static struct {
	uint64_t events, arrived, unexplained, unmodelled, compared;
	uint64_t by_dep[D_MAX];
} tally;

void run_init(int fd)
{
	inject_fd = fd;
	in_buf = malloc(INJ_BUFFER);
	out_buf = malloc(INJ_BUFFER);
}

static void put_request(size_t *at, const struct event *e, int world,
			const struct pred *p)
{
	struct inj_req *req = (struct inj_req *)(in_buf + *at);
	int i;

	memset(req, 0, sizeof(*req));
	req->len = e->len + ETH;
	req->world = world;
	req->dev = e->dev;
	req->flags = e->flags;
	req->linear = e->linear;
	req->frag = e->frag;
	req->gso_size = e->gso_size;
	req->l3 = e->l3;
	req->l4 = e->l4;
	req->sids = p->ntouched;
	for (i = 0; i < p->ntouched; i++)
		req->sid[i] = world == TREE && !sids[p->touched[i]].tree ?
			      INJ_SIDS : sids[p->touched[i]].bound[world];
	*at += INJ_ALIGN(sizeof(*req));
	memcpy(in_buf + *at, e->pkt, req->len);
	*at += INJ_ALIGN(req->len);
}

static void inject(size_t len)
{
	struct inj_batch batch = {
		.in = (uintptr_t)in_buf, .out = (uintptr_t)out_buf,
		.in_len = len, .out_len = INJ_BUFFER,
	};

	if (ioctl(inject_fd, INJ_BATCH, &batch)) {
		perror("INJ_BATCH");
		exit(2);
	}
}

/* Whether in-tree has all of what the packet goes through. */
static bool comparable(const struct event *e, const struct pred *p)
{
	int i;

	for (i = 0; i < p->ntouched; i++)
		if (!sids[p->touched[i]].tree)
			return false;
	return sids[e->sid].tree;
}

static void take(struct outcome *o, size_t *at, int world)
{
	o->res[world] = (struct inj_res *)(out_buf + *at);
	*at += o->res[world]->size;
}

void run_one(const struct event *e, struct pred *p, struct outcome *o)
{
	size_t at = 0;

	model(e, p);
	memset(o, 0, sizeof(*o));
	put_request(&at, e, OURS, p);
	if (comparable(e, p))
		put_request(&at, e, TREE, p);
	inject(at);
	at = 0;
	take(o, &at, OURS);
	if (comparable(e, p))
		take(o, &at, TREE);
}

static bool fails(struct event *e, uint32_t off, struct verdict *v)
{
	static struct pred p;
	struct outcome o;

	gen_event(e, e->seed, off);
	run_one(e, &p, &o);
	check_event(e, &p, &o, v);
	return v->fail;
}

/* Shorter payload while it still fails; the lengths stay as they are. */
static void shorten(struct event *e)
{
	static struct pred p;
	struct outcome o;
	struct verdict v;
	int step, len;

	for (step = e->len / 2; step; step /= 2) {
		for (len = e->len; len - step >= IP6; len = e->len) {
			unsigned int plen = get16(e->pkt + ETH + 4);

			e->len = len - step;
			if ((int)plen == len - IP6)
				put16(e->pkt + ETH + 4, e->len - IP6);
			run_one(e, &p, &o);
			check_event(e, &p, &o, &v);
			if (v.fail)
				continue;
			e->len = len;
			put16(e->pkt + ETH + 4, plen);
			break;
		}
	}
}

/* Leave out what the failure does not need. */
void shrink(struct event *e)
{
	static const uint32_t bits[] = { OFF_SHAPE, OFF_CLONE, 1, 2, 4, 8, 16,
					 32, 64 };
	uint32_t off = e->off;
	struct verdict v;
	unsigned int i;

	for (i = 0; i < ARRAY_LEN(bits); i++)
		if (fails(e, off | bits[i], &v))
			off |= bits[i];
	fails(e, off, &v);
	if (!e->gso_size)
		shorten(e);
}

void save_reproducer(const struct event *e, const struct verdict *v)
{
	char path[256];
	FILE *f;
	int i;

	if (!out_dir)
		return;
	snprintf(path, sizeof(path), "%s/unexplained-%llu.txt", out_dir,
		 (unsigned long long)e->seed);
	f = fopen(path, "w");
	if (!f)
		return;
	fprintf(f, "# %s\n", v->why);
	fprintf(f, "sid %s dev %d flags %u linear %u frag %u gso %u %u %u\n",
		sids[e->sid].name, e->dev, e->flags, e->linear, e->frag,
		e->gso_size, e->l3, e->l4);
	for (i = 0; i < e->len; i++)
		fprintf(f, "%02x", e->pkt[ETH + i]);
	fprintf(f, "\n");
	fclose(f);
}

static void report_failure(const struct event *e, const char *why)
{
	static uint8_t pkt[ETH + MAX_PKT];
	static struct pred p;
	struct event small = *e;
	struct verdict v;
	struct outcome o;

	tally.unexplained++;
	if (tally.unexplained > MAX_SAVED)
		return;
	small.pkt = pkt;
	memcpy(pkt, e->pkt, ETH + e->len);
	run_one(&small, &p, &o);
	check_event(&small, &p, &o, &v);
	if (!v.fail) {
		/* It takes what went before. */
		printf("# seed %llu SID %s failed once, not twice: %s\n",
		       (unsigned long long)e->seed, sids[e->sid].name, why);
		return;
	}
	shrink(&small);
	run_one(&small, &p, &o);
	check_event(&small, &p, &o, &v);
	print_outcome(&small, &p, &o, &v);
	save_reproducer(&small, &v);
}

static void count_one(const struct pred *p, const struct outcome *o,
		      const struct verdict *v)
{
	int i;

	tally.events++;
	tally.arrived += p->delivered;
	tally.compared += !!o->res[TREE];
	tally.unmodelled += v->unmodelled;
	for (i = 0; i < D_MAX; i++)
		if (v->dep & D_BIT(i))
			tally.by_dep[i]++;
}

static void run_batch(struct event *e, struct pred **p, int n)
{
	static struct verdict verdicts[BATCH];
	struct outcome o;
	size_t at = 0;
	int i;

	for (i = 0; i < n; i++) {
		put_request(&at, &e[i], OURS, p[i]);
		if (comparable(&e[i], p[i]))
			put_request(&at, &e[i], TREE, p[i]);
	}
	inject(at);
	at = 0;
	for (i = 0; i < n; i++) {
		memset(&o, 0, sizeof(o));
		take(&o, &at, OURS);
		if (comparable(&e[i], p[i]))
			take(&o, &at, TREE);
		check_event(&e[i], p[i], &o, &verdicts[i]);
		count_one(p[i], &o, &verdicts[i]);
		/* As it was: some failures do not come twice. */
		if ((verdicts[i].fail && tally.unexplained < MAX_SAVED) ||
		    (verdicts[i].unmodelled && verbose))
			print_outcome(&e[i], p[i], &o, &verdicts[i]);
		if (verdicts[i].unmodelled && verbose)
			printf("# unmodelled seed %llu SID %s\n",
			       (unsigned long long)e[i].seed,
			       sids[e[i].sid].name);
	}
	for (i = 0; i < n; i++)
		if (verdicts[i].fail)
			report_failure(&e[i], verdicts[i].why);
}

/* Seeds of neighbours must have nothing in common. */
static uint64_t seed_of(uint64_t seed, uint64_t index)
{
	struct rng r = { seed * 0x2545f4914f6cdd1dull + index };

	return rnd(&r) ^ index;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void save_state(uint64_t seed, uint64_t next)
{
	char path[256], tmp[300];
	FILE *f;
	int i;

	if (!out_dir)
		return;
	snprintf(path, sizeof(path), "%s/state-%d", out_dir, shard);
	snprintf(tmp, sizeof(tmp), "%s.new", path);
	f = fopen(tmp, "w");
	if (!f)
		return;
	fprintf(f, "seed %llu\nnext %llu\npackets %llu\narrived %llu\n"
		"compared %llu\nunexplained %llu\nunmodelled %llu\n",
		(unsigned long long)seed, (unsigned long long)next,
		(unsigned long long)tally.events,
		(unsigned long long)tally.arrived,
		(unsigned long long)tally.compared,
		(unsigned long long)tally.unexplained,
		(unsigned long long)tally.unmodelled);
	for (i = 0; i < D_MAX; i++)
		if (tally.by_dep[i])
			fprintf(f, "dep %s %llu\n", dep_names[i],
				(unsigned long long)tally.by_dep[i]);
	fclose(f);
	rename(tmp, path);
}

static int dep_index(const char *name)
{
	int i;

	for (i = 0; i < D_MAX; i++)
		if (dep_names[i] && !strcmp(dep_names[i], name))
			return i;
	return 0;
}

/* Go on where an earlier run stopped; returns the next index. */
static uint64_t load_state(uint64_t next)
{
	unsigned long long v;
	char path[256], key[32], name[16];
	FILE *f;

	if (!out_dir)
		return next;
	snprintf(path, sizeof(path), "%s/state-%d", out_dir, shard);
	f = fopen(path, "r");
	if (!f)
		return next;
	if (fscanf(f, "seed %llu next %llu", &v, &v) != 2 || v < next)
		goto out;
	next = v;
	while (fscanf(f, "%31s", key) == 1) {
		if (!strcmp(key, "dep")) {
			if (fscanf(f, "%15s %llu", name, &v) == 2)
				tally.by_dep[dep_index(name)] = v;
			continue;
		}
		if (fscanf(f, "%llu", &v) != 1)
			break;
		if (!strcmp(key, "packets"))
			tally.events = v;
		else if (!strcmp(key, "arrived"))
			tally.arrived = v;
		else if (!strcmp(key, "compared"))
			tally.compared = v;
		else if (!strcmp(key, "unexplained"))
			tally.unexplained = v;
		else if (!strcmp(key, "unmodelled"))
			tally.unmodelled = v;
	}
	printf("# shard %d: goes on at %llu\n", shard,
	       (unsigned long long)next);
out:
	fclose(f);
	return next;
}

static void progress(uint64_t done, uint64_t count, double start)
{
	printf("# shard %d: %llu of %llu packets, %.0f/s, %llu unexplained\n",
	       shard, (unsigned long long)done, (unsigned long long)count,
	       done / (now() - start + 1e-9),
	       (unsigned long long)tally.unexplained);
	fflush(stdout);
}

static void print_tally(void)
{
	int i;

	printf("= packets %llu\n= arrived %llu\n= compared %llu\n",
	       (unsigned long long)tally.events,
	       (unsigned long long)tally.arrived,
	       (unsigned long long)tally.compared);
	for (i = 0; i < D_MAX; i++)
		if (tally.by_dep[i])
			printf("= dep %s %llu\n", dep_names[i],
			       (unsigned long long)tally.by_dep[i]);
	printf("= unmodelled %llu\n= unexplained %llu\n",
	       (unsigned long long)tally.unmodelled,
	       (unsigned long long)tally.unexplained);
}

int run_packets(uint64_t seed, uint64_t first, uint64_t count)
{
	static struct event e[BATCH];
	struct pred *p[BATCH];
	double start = now(), said = start;
	uint64_t done = load_state(first) - first;
	int i, n;

	for (i = 0; i < BATCH; i++) {
		e[i].pkt = malloc(ETH + MAX_PKT);
		p[i] = malloc(sizeof(*p[i]));
	}
	while (done < count && !(stop_early && tally.unexplained)) {
		n = count - done < BATCH ? count - done : BATCH;
		for (i = 0; i < n; i++) {
			gen_event(&e[i], seed_of(seed, first + done + i), 0);
			model(&e[i], p[i]);
		}
		run_batch(e, p, n);
		done += n;
		if (now() - said >= PROGRESS) {
			said = now();
			progress(done, count, start);
			save_state(seed, first + done);
		}
	}
	progress(done, count, start);
	save_state(seed, first + done);
	print_tally();
	return tally.unexplained != 0;
}

static bool read_event(FILE *f, struct event *e)
{
	char name[32], line[300];
	unsigned int octet;

	if (!fgets(line, sizeof(line), f) ||
	    fscanf(f, "sid %31s dev %d flags %u linear %u frag %u gso %u %u %u ",
		   name, &e->dev, &e->flags, &e->linear, &e->frag, &e->gso_size,
		   &e->l3, &e->l4) != 8)
		return false;
	only_sid = name;
	e->sid = only_index();
	while (e->len < MAX_PKT && fscanf(f, "%2x", &octet) == 1)
		e->pkt[ETH + e->len++] = octet;
	return e->len >= IP6;
}

/* A saved reproducer once more. */
int replay(const char *path)
{
	static const uint8_t mac[6] = MAC_OF_DEV(0);
	static uint8_t pkt[ETH + MAX_PKT];
	static struct pred p;
	struct event e = { .pkt = pkt };
	struct verdict v;
	struct outcome o;
	FILE *f = fopen(path, "r");

	if (!f || !read_event(f, &e)) {
		fprintf(stderr, "%s: no reproducer\n", path);
		return 2;
	}
	fclose(f);
	memcpy(pkt, mac, 6);
	pkt[4] += e.dev;
	memcpy(pkt + 6, "\x02\x00\x00\x00\xff\x01\x86\xdd", 8);
	run_one(&e, &p, &o);
	check_event(&e, &p, &o, &v);
	print_outcome(&e, &p, &o, &v);
	return v.fail;
}
