// SPDX-License-Identifier: GPL-2.0-only
/*
 * races.c - every CPU forwards as fast as it can while the configuration
 * changes, and while namespaces and the module itself come and go
 *
 * Nothing is compared: the kernel's own checks, references that are left and
 * devices that will not go are what shows a mistake.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "soak.h"

#define BURST		32
#define STRETCH		120	/* events */
#define PATIENCE	20	/* seconds for the module to go */

static atomic_bool stop;
static atomic_ulong sent;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* A few flows for some time, so that what is kept is used as well. */
static void *flood(void *arg)
{
	uint8_t frame[MAX_FRAME], *burst = malloc(BURST * (MAX_FRAME + 32));
	struct rng r = { (uintptr_t)arg };
	struct flow flow[4];
	cpu_set_t set;
	int i, len;
	size_t at;

	CPU_ZERO(&set);
	CPU_SET((uintptr_t)arg % cpus, &set);
	sched_setaffinity(0, sizeof(set), &set);
	/* Events come first. */
	setpriority(PRIO_PROCESS, gettid(), 15);
	for (i = 0; i < 4; i++)
		flow_make(&flow[i], rnd(&r));
	while (!stop) {
		if (chance(&r, 20))
			flow_make(&flow[below(&r, 4)], rnd(&r));
		for (at = i = 0; i < BURST; i++) {
			const struct flow *f = &flow[below(&r, 4)];

			len = flow_packet(f, chance(&r, 90) ? OURS : TREE, i,
					  frame);
			at += put_frame(burst + at, f->port, frame, len);
		}
		inject_some(burst, at);
		sent += BURST;
	}
	free(burst);
	return NULL;
}

/* Out and in again, under packets for SIDs that are not there meanwhile. */
static bool reload(void)
{
	double end = now() + PATIENCE;
	int i, err;

	second_destroy();
	for (i = 0; i < SIDS; i++)
		sid_del(&w.main, i, OURS);
	do {
		err = syscall(SYS_delete_module, SEG6NR_MODULE_NAME,
			      O_NONBLOCK) ? errno : 0;
		if (err)
			nap(50);
	} while (err && now() < end);
	if (err) {
		printf("not ok races_reload: %s\n", strerror(err));
		return false;
	}
	if (system("modprobe " SEG6NR_MODULE_NAME))
		die("modprobe");
	read_slot();
	for (i = 0; i < SIDS; i++)
		sid_put(&w.main, i, OURS, w.sid_now[i], NLM_F_REPLACE);
	return true;
}

static bool one_stretch(uint64_t seed, double *longest)
{
	static struct item items[MAX_ITEMS];
	int i, n = stretch_make(items, seed, STRETCH);
	bool good = true;

	world_build();
	for (i = 0; i < n; i++) {
		double start = now();

		if (items[i].packets)
			continue;
		if (i > n / 2 && good && i < n / 2 + 3)
			good = reload();
		start = now();
		event_run(&items[i].event);
		tally.events++;
		if (now() - start > *longest) {
			*longest = now() - start;
			if (trace)
				printf("#   %.2f s: %s\n", *longest, said);
		}
	}
	world_destroy();
	return good;
}

int races(uint64_t seed, int seconds)
{
	double end = now() + seconds, longest = 0;
	pthread_t threads[8];
	uint64_t stretches = 0;
	bool good = true;
	int i;

	for (i = 0; i < cpus && i < 8; i++)
		pthread_create(&threads[i], NULL, flood, (void *)(uintptr_t)i);
	while (good && now() < end) {
		good = one_stretch(seed << 32 ^ ++stretches, &longest);
		printf("# %llu events, %lu packets, longest %.2f s\n",
		       (unsigned long long)tally.events, sent, longest);
	}
	stop = true;
	while (i--)
		pthread_join(threads[i], NULL);
	if (good)
		printf("ok races # %llu events, %lu packets on %d CPUs, %llu "
		       "reloads, longest %.2f s\n",
		       (unsigned long long)tally.events, sent, cpus,
		       (unsigned long long)stretches, longest);
	return !good;
}
