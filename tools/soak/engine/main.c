// SPDX-License-Identifier: GPL-2.0-only
/*
 * main.c - engine of the twin soak, to run as root in a guest of the lab
 *
 *   engine [-n EVENTS] [-s SEED] [-l EVENTS] [-f STRETCH] [-i SHARD]
 *          [-o DIR] [-a MS] [-r REPRODUCER] [-R SECONDS] [-F] [-v] [-x]
 *
 * -l is how many events a stretch has, -f the first stretch, -a the age at
 * which answers of lookups are looked up anew.  -R has packets under way all
 * the time instead, and compares nothing; -F has allocations fail.
 */
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "soak.h"

#define PROGRESS	10	/* seconds */
#define SHRUNK		5	/* differences that are made smaller */

struct options {
	uint64_t events, seed, first;
	int length, shard;
	const char *dir, *reproducer;
	bool early, failures;
	int seconds;
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void parse(int argc, char **argv, struct options *o)
{
	int c;

	while ((c = getopt(argc, argv, "n:s:l:f:i:o:a:r:R:Fvx")) != -1) {
		switch (c) {
		case 'n':
			o->events = strtoull(optarg, NULL, 0);
			break;
		case 's':
			o->seed = strtoull(optarg, NULL, 0);
			break;
		case 'l':
			o->length = atoi(optarg);
			break;
		case 'f':
			o->first = strtoull(optarg, NULL, 0);
			break;
		case 'i':
			o->shard = atoi(optarg);
			break;
		case 'o':
			o->dir = optarg;
			break;
		case 'a':
			max_age = atoi(optarg);
			break;
		case 'r':
			o->reproducer = optarg;
			break;
		case 'R':
			o->seconds = atoi(optarg);
			break;
		case 'F':
			o->failures = true;
			break;
		case 'v':
			trace = true;
			break;
		case 'x':
			o->early = true;
			break;
		default:
			exit(2);
		}
	}
	if (o->length < 1 || o->length * 2 + 1 > MAX_ITEMS)
		exit(2);
}

/* --- leaks --- */

static const char *const caches[] = {
	"ip6_dst_cache", "fib6_node", "net_namespace", "ip_fib_alias"
};

#define CACHES		ARRAY_LEN(caches)

static void slab_counts(long *count)
{
	char line[300], name[64], path[120];
	long active;
	unsigned int i;
	FILE *f;

	for (i = 0; i < CACHES; i++) {
		snprintf(path, sizeof(path), "/sys/kernel/slab/%s/shrink",
			 caches[i]);
		put_sysctl(path, "1");
		count[i] = -1;
	}
	f = fopen("/proc/slabinfo", "r");
	while (f && fgets(line, sizeof(line), f))
		for (i = 0; sscanf(line, "%63s %ld", name, &active) == 2 &&
		     i < CACHES; i++)
			if (!strcmp(name, caches[i]))
				count[i] = active;
	if (f)
		fclose(f);
}

/* What is left of a namespace goes with the next one. */
static void turn_over(void)
{
	if (unshare(CLONE_NEWNET))
		die("unshare");
	space_enter(&first);
	nap(100);
}

/* Until nothing becomes less any more. */
static void quiet_counts(long *count)
{
	long last[CACHES];
	int same = 0;

	slab_counts(count);
	while (same < 5) {
		memcpy(last, count, sizeof(last));
		turn_over();
		slab_counts(count);
		same = memcmp(last, count, sizeof(last)) ? 0 : same + 1;
	}
}

/* Namespaces end behind our back: until then, more is there than before. */
static bool back_to(const long *base)
{
	long count[CACHES];
	bool more = true;
	unsigned int i;
	int tries;

	for (tries = 0; more && tries < 100; tries++) {
		turn_over();
		slab_counts(count);
		more = false;
		for (i = 0; i < CACHES; i++)
			more |= count[i] > base[i];
	}
	for (i = 0; i < CACHES; i++)
		printf("# %s: %ld before, %ld after\n", caches[i], base[i],
		       count[i]);
	return !more;
}

/* --- state and figures --- */

static void state_path(const struct options *o, char *path, size_t size)
{
	snprintf(path, size, "%s/state-%d", o->dir, o->shard);
}

static void save_state(const struct options *o, uint64_t next)
{
	char path[256], tmp[270];
	FILE *f;
	int i;

	if (!o->dir)
		return;
	state_path(o, path, sizeof(path));
	snprintf(tmp, sizeof(tmp), "%s.new", path);
	f = fopen(tmp, "w");
	if (!f)
		return;
	fprintf(f, "%llu %llu %llu %llu %llu %llu %llu %llu %llu %llu\n",
		(unsigned long long)next, (unsigned long long)tally.events,
		(unsigned long long)tally.refused,
		(unsigned long long)tally.packets,
		(unsigned long long)tally.delivered,
		(unsigned long long)tally.mismatches,
		(unsigned long long)tally.stretches,
		(unsigned long long)tally.hits,
		(unsigned long long)tally.misses,
		(unsigned long long)tally.maybes);
	for (i = 0; i < nkinds; i++)
		fprintf(f, "%llu\n", (unsigned long long)tally.by_kind[i]);
	fclose(f);
	rename(tmp, path);
}

static uint64_t load_state(const struct options *o)
{
	unsigned long long v[10] = { o->first }, n;
	char path[256];
	FILE *f;
	int i;

	if (!o->dir)
		return o->first;
	state_path(o, path, sizeof(path));
	f = fopen(path, "r");
	if (!f)
		return o->first;
	for (i = 0; i < 10 && fscanf(f, "%llu", &v[i]) == 1; i++)
		;
	tally.events = v[1];
	tally.refused = v[2];
	tally.packets = v[3];
	tally.delivered = v[4];
	tally.mismatches = v[5];
	tally.stretches = v[6];
	tally.hits = v[7];
	tally.misses = v[8];
	tally.maybes = v[9];
	for (i = 0; i < nkinds && fscanf(f, "%llu", &n) == 1; i++)
		tally.by_kind[i] = n;
	fclose(f);
	printf("# shard %d goes on at stretch %llu\n", o->shard, v[0]);
	return v[0];
}

static void print_tally(void)
{
	int i;

	printf("= events %llu\n= refused %llu\n= packets %llu\n"
	       "= delivered %llu\n= mismatches %llu\n= stretches %llu\n",
	       (unsigned long long)tally.events,
	       (unsigned long long)tally.refused,
	       (unsigned long long)tally.packets,
	       (unsigned long long)tally.delivered,
	       (unsigned long long)tally.mismatches,
	       (unsigned long long)tally.stretches);
	printf("= maybes %llu\n", (unsigned long long)tally.maybes);
	if (has_param("nexthop_cache"))
		printf("= hits %llu\n= misses %llu\n",
		       (unsigned long long)tally.hits,
		       (unsigned long long)tally.misses);
	for (i = 0; i < MAX_STATISTICS && statistics[i].name[0]; i++)
		printf("= stat %s %llu\n", statistics[i].name,
		       (unsigned long long)statistics[i].count);
	for (i = 0; i < nkinds; i++)
		if (!kinds[i].exists || kinds[i].exists())
			printf("= kind %s %llu\n", kinds[i].name,
			       (unsigned long long)tally.by_kind[i]);
}

static void progress(const struct options *o, uint64_t events, double start)
{
	printf("# shard %d: %llu of %llu events, %.0f/s, %llu %% delivered, "
	       "%llu mismatches\n", o->shard, (unsigned long long)tally.events,
	       (unsigned long long)o->events,
	       (tally.events - events) / (now() - start + 1e-9),
	       (unsigned long long)(tally.packets ?
				    tally.delivered * 100 / tally.packets : 0),
	       (unsigned long long)tally.mismatches);
	fflush(stdout);
}

/* --- differences --- */

static void save(const struct options *o, uint64_t stretch,
		 const struct item *items, int n)
{
	char path[256];
	FILE *f;

	if (!o->dir)
		return;
	snprintf(path, sizeof(path), "%s/mismatch-%llu-%llu.txt", o->dir,
		 (unsigned long long)o->seed, (unsigned long long)stretch);
	f = fopen(path, "w");
	if (!f)
		return;
	fprintf(f, "# %s\n", mismatch);
	stretch_write(f, items, n);
	fclose(f);
}

/* With all that is said on the way. */
static bool show(const struct item *items, int n)
{
	struct tally keep = tally;
	bool differ;

	trace = true;
	differ = stretch_run(items, n);
	trace = false;
	tally = keep;
	printf("# %s\n", differ ? mismatch : "no difference");
	return differ;
}

static void investigate(const struct options *o, uint64_t stretch,
			struct item *items, int n)
{
	struct tally keep = tally;

	printf("# mismatch in stretch %llu: %s\n", (unsigned long long)stretch,
	       mismatch);
	save(o, stretch, items, n);
	if (tally.mismatches > SHRUNK)
		return;
	if (stretch_run(items, n)) {
		stretch_shrink(items, &n);
		stretch_run(items, n);
		save(o, stretch, items, n);
		printf("# what it takes, of stretch %llu:\n",
		       (unsigned long long)stretch);
		show(items, n);
	} else {
		printf("# not again in a second walk\n");
	}
	tally = keep;
}

static int replay(const struct options *o)
{
	static struct item items[MAX_ITEMS];
	FILE *f = fopen(o->reproducer, "r");
	int n;

	if (!f)
		die(o->reproducer);
	n = stretch_read(f, items);
	fclose(f);
	return show(items, n);
}

static int walk(const struct options *o)
{
	static struct item items[MAX_ITEMS];
	uint64_t next = load_state(o), before = tally.events;
	double start = now(), said_at = start;
	long base[CACHES];
	int n;

	/* What a first router leaves for good is no leak. */
	world_build();
	world_destroy();
	quiet_counts(base);
	while (tally.events < o->events && !(o->early && tally.mismatches)) {
		uint64_t left = o->events - tally.events;

		n = stretch_make(items, o->seed << 32 ^ next,
				 left < (uint64_t)o->length ? (int)left :
				 o->length);
		if (stretch_run(items, n)) {
			tally.mismatches++;
			investigate(o, next, items, n);
		}
		next++;
		if (now() - said_at >= PROGRESS) {
			said_at = now();
			progress(o, before, start);
			save_state(o, next);
		}
	}
	progress(o, before, start);
	save_state(o, next);
	print_tally();
	if (!back_to(base)) {
		printf("not ok soak_leak: objects are left\n");
		return 1;
	}
	return tally.mismatches != 0;
}

void read_slot(void)
{
	FILE *f = fopen("/sys/module/" SEG6NR_MODULE_NAME
			"/parameters/encap_type", "r");

	if (!f || fscanf(f, "%d", &slot) != 1)
		die("encap_type");
	fclose(f);
}

int main(int argc, char **argv)
{
	struct options o = { .seed = 1, .length = 200 };
	char age[16];

	setvbuf(stdout, NULL, _IOLBF, 0);
	parse(argc, argv, &o);
	read_slot();
	cpus = sysconf(_SC_NPROCESSORS_ONLN);
	snprintf(age, sizeof(age), "%d", max_age);
	set_param("nexthop_cache_max_age", age);
	inject_init();
	world_init();
	if (o.reproducer)
		return replay(&o);
	if (o.seconds)
		return races(o.seed, o.seconds);
	return o.failures ? failures(o.seed) : walk(&o);
}
