// SPDX-License-Identifier: GPL-2.0-only
/*
 * convert_load.c - traffic through SIDs while a command converts their routes
 *
 *	convert_load [-a] SIDS OBJECTS COMMAND [ARGUMENT...]
 *
 * First it is measured how many frames a second get through.  Then half as many
 * are sent while COMMAND runs: with -a, to all SIDs in turn; else to those
 * around the one that was converted last, as the kernel's own notifications
 * tell.  COMMAND is then to print a line for each route, and these lines are
 * read only as fast as SIDs have received both shortly before and shortly after
 * their turn, so that it has to wait for the frames.
 * The last OBJECTS of the SIDs are routes by nexthop objects, which go first.
 */
#include <errno.h>
#include <fcntl.h>
#include <libmnl/libmnl.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "convert_load.h"

#define BURST		8
/*
 * COMMAND gets ahead by as many lines as its buffer and the pipe hold, which are
 * less than these; so many SIDs have received before its turn comes.
 */
#define AHEAD		512
/* Frames around the turn go to as many SIDs before and behind it. */
#define AROUND		64
/* Octets of output that are let through at a time. */
#define LET_THROUGH	256

struct watch {
	struct mnl_socket *sock;
	uint32_t events;
	uint32_t *before;	/* frames sent to a SID until its turn */
	bool *turned;
};

struct run {
	struct load load;
	struct watch watch;
	bool all;		/* SIDs in turn, wherever the command is */
	uint32_t objects;
	uint32_t routes;	/* the SIDs before these */
	uint32_t next;
	/* All SIDs up to here have had their turn, ... */
	uint32_t at;
	/* ... and received again since, or have received at all. */
	uint32_t after;
	uint32_t before;
	int lines;		/* what the command prints, -1 without */
};

static int passed, failed;

static void check(const char *name, bool good, const char *what, uint64_t got)
{
	if (good)
		passed++;
	else
		failed++;
	printf("%s %d - %s\n", good ? "ok" : "not ok", passed + failed, name);
	if (!good)
		printf("# %s: %llu\n", what, (unsigned long long)got);
}

static void watch_open(struct watch *watch, uint32_t sids)
{
	int group = RTNLGRP_IPV6_ROUTE;
	int size = 64 << 20;

	netns_go("nr");
	watch->sock = mnl_socket_open2(NETLINK_ROUTE,
				       SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (!watch->sock || mnl_socket_bind(watch->sock, 0, MNL_SOCKET_AUTOPID))
		die("cannot watch routes");
	setsockopt(mnl_socket_get_fd(watch->sock), SOL_SOCKET, SO_RCVBUFFORCE,
		   &size, sizeof(size));
	if (mnl_socket_setsockopt(watch->sock, NETLINK_ADD_MEMBERSHIP, &group,
				  sizeof(group)))
		die("cannot watch routes");
	watch->before = calloc(sids, sizeof(*watch->before));
	watch->turned = calloc(sids, sizeof(*watch->turned));
	if (!watch->before || !watch->turned)
		die("memory");
}

static void watch_message(struct run *run, const struct nlmsghdr *msg)
{
	struct watch *watch = &run->watch;
	const struct in6_addr *dst;
	const struct nlattr *attr;
	uint32_t sid;

	if (msg->nlmsg_type != RTM_NEWROUTE)
		return;
	mnl_attr_for_each(attr, msg, sizeof(struct rtmsg)) {
		if (mnl_attr_get_type(attr) != RTA_DST)
			continue;
		dst = mnl_attr_get_payload(attr);
		sid = ntohl(dst->s6_addr32[3]);
		if (dst->s6_addr[1] != 0x10 || sid >= run->load.sids)
			return;
		if (!watch->turned[sid])
			watch->before[sid] = run->load.count[sid];
		watch->turned[sid] = true;
		watch->events++;
	}
}

static void watch_read(struct run *run)
{
	static char buf[1 << 16];
	const struct nlmsghdr *msg;
	ssize_t len;
	int left;

	for (;;) {
		len = mnl_socket_recvfrom(run->watch.sock, buf, sizeof(buf));
		if (len < 0 && errno == EAGAIN)
			return;
		if (len < 0)
			die("cannot watch routes");
		msg = (const struct nlmsghdr *)buf;
		for (left = len; mnl_nlmsg_ok(msg, left);
		     msg = mnl_nlmsg_next(msg, &left))
			watch_message(run, msg);
	}
}

static void advance(struct run *run)
{
	const struct watch *watch = &run->watch;
	const uint32_t *count = run->load.count;

	while (run->at < run->routes && watch->turned[run->at])
		run->at++;
	while (run->after < run->at &&
	       count[run->after] > watch->before[run->after])
		run->after++;
	while (run->before < run->routes && count[run->before])
		run->before++;
}

/* Let the command go on if the SIDs around its place have received enough. */
static void let_through(struct run *run)
{
	char text[LET_THROUGH];

	advance(run);
	if (run->lines < 0 || run->after + AROUND < run->at ||
	    (run->before < run->at + AHEAD && run->before < run->routes))
		return;
	if (read(run->lines, text, sizeof(text)) < 0 && errno != EAGAIN)
		die("cannot read what the command prints");
}

/*
 * Who is to receive next: whoever has not since its turn, whoever has not at
 * all, those around the turn; and now and then one that goes by an object, for
 * these have their turn many at a time.
 */
static uint32_t choose(struct run *run)
{
	uint32_t from = run->at > AROUND ? run->at - AROUND : 0;
	uint32_t next = run->next++;

	if (run->all)
		return next % run->load.sids;
	switch (next % 4) {
	case 0:
		return run->routes + next / 4 % run->objects;
	case 1:
		if (run->after < run->at)
			return run->after + next / 4 % (run->at - run->after);
		break;
	case 2:
		if (run->before < run->routes)
			return (run->before + next / 4 % BURST) % run->routes;
		break;
	}
	return (from + next / 2 % (2 * AROUND)) % run->routes;
}

static void send_some(struct run *run)
{
	uint32_t sids[BURST];
	size_t i;

	for (i = 0; i < BURST; i++)
		sids[i] = choose(run);
	load_send(&run->load, sids, BURST);
	load_receive(&run->load);
}

/* Send at @rate, 0 for as fast as it goes, until @seconds or @child are over. */
static int send_for(struct run *run, double rate, double seconds, pid_t child)
{
	uint64_t first = run->load.seq;
	double start = now(), due;
	int status = 0;

	for (;;) {
		if (child && waitpid(child, &status, WNOHANG) == child)
			return status;
		if (seconds && now() - start > seconds)
			return 0;
		watch_read(run);
		let_through(run);
		due = rate ? start + (run->load.seq - first) / rate : 0;
		if (now() >= due)
			send_some(run);
		else
			usleep(20);
	}
}

/* Sequence numbers and counts begin anew. */
static void run_reset(struct run *run, bool all)
{
	struct load *load = &run->load;

	memset(load->seen, 0, MAX_PACKETS / 8);
	memset(load->count, 0, load->sids * sizeof(*load->count));
	load->seq = 0;
	load->received = 0;
	load->given_up = 0;
	load->doubled = 0;
	load->socket_drops = 0;
	run->all = all;
	run->at = 0;
	run->after = 0;
	run->before = 0;
}

/* Frames a second; what is lost here was too many. */
static double capacity(struct run *run)
{
	double start = now(), elapsed;

	run_reset(run, true);
	send_for(run, 0, 2, 0);
	elapsed = now() - start;
	load_settle(&run->load);
	printf("# capacity: %.0f frames a second, %llu of %llu came\n",
	       run->load.received / elapsed,
	       (unsigned long long)run->load.received,
	       (unsigned long long)run->load.seq);
	return run->load.received / elapsed;
}

static pid_t command_start(struct run *run, char **words)
{
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) || fcntl(ends[0], F_SETPIPE_SZ, 4096) < 0 ||
	    fcntl(ends[0], F_SETFL, O_NONBLOCK))
		die("pipe");
	fflush(stdout);
	pid = fork();
	if (!pid) {
		if (!run->all)
			dup2(ends[1], STDOUT_FILENO);
		execvp(words[0], words);
		die("%s", words[0]);
	}
	close(ends[1]);
	run->lines = ends[0];
	return pid;
}

static void check_turns(const struct run *run)
{
	const uint32_t routes = run->routes;
	const struct watch *watch = &run->watch;
	uint32_t i, missed = 0, dry = 0;

	for (i = 0; i < routes; i++) {
		missed += !watch->turned[i];
		if (watch->before[i] && run->load.count[i] > watch->before[i])
			continue;
		if (!run->all && dry++ < 8)
			printf("# SID %u: %u frames before, %u in all\n", i,
			       watch->before[i], run->load.count[i]);
	}
	check("each SID had its turn", !missed, "SIDs without", missed);
	if (!run->all)
		check("each SID received right before and right behind its turn",
		      !dry, "SIDs that did not", dry);
	for (i = routes, dry = 0; i < run->load.sids; i++)
		dry += !run->load.count[i];
	check("routes by objects received as well", !dry, "SIDs that did not",
	      dry);
}

static void check_frames(struct run *run, const char *when)
{
	uint64_t lost = load_settle(&run->load);
	char name[128];

	snprintf(name, sizeof(name), "%s: no frame is lost", when);
	check(name, !lost && !run->load.socket_drops, "lost",
	      lost + run->load.socket_drops);
	snprintf(name, sizeof(name), "%s: none comes twice", when);
	check(name, !run->load.doubled, "doubled", run->load.doubled);
}

/* The command with traffic before, meanwhile and behind; frames a second. */
static double convert_under_load(struct run *run, char **words, double half)
{
	double start = now(), rate;
	int status;

	send_for(run, half, 0.5, 0);
	status = send_for(run, half, 0, command_start(run, words));
	send_for(run, half, 0.5, 0);
	rate = run->load.seq / (now() - start);
	printf("# %llu frames, %.0f a second, %u events in %.1f s\n",
	       (unsigned long long)run->load.seq, rate, run->watch.events,
	       now() - start);
	check("the command succeeds", !status, "status", status);
	return rate;
}

static void convert(struct run *run, char **words, bool all)
{
	double half = capacity(run) / 2, rate, after;

	run_reset(run, true);
	send_for(run, half, 1, 0);
	check_frames(run, "half of the capacity, nothing else going on");
	run_reset(run, all);
	rate = convert_under_load(run, words, half);
	check_turns(run);
	check_frames(run, "while routes are converted");
	run_reset(run, true);
	send_for(run, half, 1, 0);
	check_frames(run, "afterwards");
	if (all)
		return;
	/* On a host that has other work it may be another one by now. */
	after = capacity(run) / 2;
	check("that was half of the capacity",
	      rate > 0.9 * (after < half ? after : half), "frames a second",
	      rate);
}

int main(int argc, char **argv)
{
	struct run run = { 0 };
	bool all = false;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc > 1 && !strcmp(argv[1], "-a")) {
		all = true;
		argv++;
		argc--;
	}
	if (argc < 4) {
		printf("usage: convert_load [-a] SIDS OBJECTS COMMAND...\n");
		return 2;
	}
	run.lines = -1;
	run.objects = strtoul(argv[2], NULL, 0);
	load_open(&run.load, strtoul(argv[1], NULL, 0));
	run.routes = run.load.sids - run.objects;
	watch_open(&run.watch, run.load.sids);
	convert(&run, argv + 3, all);
	printf("%d passed, %d failed\n", passed, failed);
	return failed;
}
