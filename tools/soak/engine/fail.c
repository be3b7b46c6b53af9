// SPDX-License-Identifier: GPL-2.0-only
/*
 * fail.c - allocations fail one after the other, each in a run of its own,
 * while a SID is configured and while it meets its first packet
 *
 * Needs a kernel with fault injection.  A packet may be lost then, but the next
 * one must go where in-tree sends it, and a SID is there or it is not.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "soak.h"

#define MAX_SITES	200
#define DEBUGFS		"/sys/kernel/debug/"

static struct outcome got;
static uint64_t injected;

static void prepare(void)
{
	static const char *const sources[] = { "failslab", "fail_page_alloc" };
	static const char *const settings[][2] = {
		{ "ignore-gfp-wait", "N" }, { "ignore-gfp-highmem", "N" },
		{ "verbose", "0" }, { "min-order", "0" },
	};
	char path[120];
	unsigned int i, k;

	for (i = 0; i < ARRAY_LEN(sources); i++) {
		for (k = 0; k < ARRAY_LEN(settings); k++) {
			snprintf(path, sizeof(path), DEBUGFS "%s/%s",
				 sources[i], settings[k][0]);
			put_sysctl(path, settings[k][1]);
		}
	}
}

/* Kept open: opening it could fail itself. */
static int nth_fd;

static void fail_nth(int nth)
{
	char value[16];
	int len = snprintf(value, sizeof(value), "%d", nth);

	if (pwrite(nth_fd, value, len, 0) != len)
		die("fail-nth");
}

/* Whether it has failed; from now on nothing does. */
static bool has_failed(void)
{
	char value[16] = "";

	if (pread(nth_fd, value, sizeof(value) - 1, 0) < 0)
		die("fail-nth");
	fail_nth(0);
	injected += atoi(value) == 0;
	return atoi(value) == 0;
}

static void take(int port, const uint8_t *data, int len)
{
	static struct frame f;
	uint32_t tag;
	int at;

	if (!find_tag(data, len, &tag, &at) || len > MAX_FRAME)
		return;
	f.port = port;
	f.len = len;
	memcpy(f.data, data, len);
	if (!frame_is_redirect(&f) && !got.frames++)
		got.frame = f;
}

static struct outcome pass(const struct flow *f, int twin)
{
	uint8_t frame[MAX_FRAME];

	/* What is left of those that were lost otherwise. */
	send_all(NULL);
	memset(&got, 0, sizeof(got));
	send_frame(f->port, frame, flow_packet(f, twin, 1, frame));
	send_all(take);
	frame_canonical(&got.frame, f->sid);
	return got;
}

static bool goes_right(const struct flow *f)
{
	static struct outcome tree, want, ours;

	tree = pass(f, TREE);
	expect(f, &tree, &want);
	ours = pass(f, OURS);
	return want.frames == ours.frames &&
	       (!want.frames || (want.frame.port == ours.frame.port &&
				 want.frame.len == ours.frame.len &&
				 !memcmp(want.frame.data, ours.frame.data,
					 want.frame.len)));
}

static bool complain(const char *what, int sid, int nth)
{
	printf("not ok failures: %s, %s, allocation %d\n", sids[sid].name, what,
	       nth);
	return false;
}

/* First packets of a SID that was configured anew, and the ones behind. */
static bool fail_packets(const struct flow *f)
{
	uint8_t frame[MAX_FRAME], burst[MAX_FRAME + 32];
	size_t len;
	int nth;

	len = put_frame(burst, f->port, frame,
			flow_packet(f, OURS, 1, frame));
	for (nth = 1; nth < MAX_SITES; nth++) {
		if (sid_put(&w.main, f->sid, OURS, 0, NLM_F_REPLACE))
			return complain("it cannot be replaced", f->sid, nth);
		fail_nth(nth);
		inject_some(burst, len);
		if (!has_failed())
			return true;
		if (!goes_right(f))
			return complain("the next packet", f->sid, nth);
	}
	return complain("no end", f->sid, nth);
}

static bool fail_setup(int sid)
{
	bool failed = true;
	int nth, err;

	for (nth = 1; failed && nth < MAX_SITES; nth++) {
		sid_del(&w.main, sid, OURS);
		fail_nth(nth);
		err = sid_put(&w.main, sid, OURS, 0, NLM_F_EXCL);
		failed = has_failed();
		/* The answer may be what was lost: ask again. */
		if (err)
			err = sid_put(&w.main, sid, OURS, 0, NLM_F_REPLACE);
		if (err)
			return complain("configuration", sid, nth);
	}
	return !failed || complain("no end of its configuration", sid, nth);
}

int failures(uint64_t seed)
{
	struct rng r = { seed };
	struct flow f;
	int sid, bad = 0;

	prepare();
	nth_fd = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	if (nth_fd < 0)
		die("fail-nth");
	world_build();
	for (sid = 0; sid < SIDS; sid++) {
		do
			flow_make(&f, rnd(&r));
		while (f.sid != sid || f.port == AI);
		bad += !fail_setup(sid);
		if (!goes_right(&f))
			bad += !complain("before anything fails", sid, 0);
		bad += !fail_packets(&f);
	}
	world_destroy();
	printf("%s failures # %llu allocations of %d SIDs\n",
	       bad || !injected ? "not ok" : "ok",
	       (unsigned long long)injected, SIDS);
	return bad || !injected;
}
