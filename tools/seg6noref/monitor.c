// SPDX-License-Identifier: GPL-2.0-only
/*
 * monitor.c - routes and nexthop objects as they come and go, as `ip monitor'
 * shows them
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>

#include "monitor.h"
#include "names.h"
#include "nexthop.h"
#include "route.h"
#include "slot.h"
#include "usage.h"

/* Events of a burst wait here; the kernel may grant less. */
#define QUEUE_SIZE	(8 << 20)
#define DATAGRAM_SIZE	65536

struct monitor {
	const struct options *opts;
	struct mnl_socket *sock;
	bool route;
	bool nexthop;
	bool label;
	uint16_t slot;		/* 0 until the module is there */
};

static int monitor_parse(struct monitor *mon, struct cmdline *line)
{
	const char *word;
	bool all = false;

	while ((word = cmdline_peek(line))) {
		if (word_is_prefix(word, "route"))
			mon->route = true;
		else if (word_is_prefix(word, "nexthop"))
			mon->nexthop = true;
		else if (strcmp(word, "all") && strcmp(word, "label"))
			return complain_invalid(word, "not an object to monitor");
		/* As with ip, all of them means to tell them apart. */
		mon->label |= !strcmp(word, "all") || !strcmp(word, "label");
		all |= !strcmp(word, "all");
		cmdline_skip(line);
	}
	if (all || (!mon->route && !mon->nexthop)) {
		mon->route = true;
		mon->nexthop = true;
	}
	return EXIT_OK;
}

static int monitor_failed(const char *what)
{
	complain("%s: %s", what, strerror(errno));
	return EXIT_KERNEL;
}

static int join(struct monitor *mon, int group)
{
	if (mnl_socket_setsockopt(mon->sock, NETLINK_ADD_MEMBERSHIP, &group,
				  sizeof(group)))
		return monitor_failed("Cannot listen to rtnetlink");
	return EXIT_OK;
}

static int monitor_open(struct monitor *mon)
{
	int size = QUEUE_SIZE;
	int err = EXIT_OK;
	int fd;

	mon->sock = mnl_socket_open2(NETLINK_ROUTE, SOCK_CLOEXEC);
	if (!mon->sock ||
	    mnl_socket_bind(mon->sock, 0, MNL_SOCKET_AUTOPID))
		return monitor_failed("Cannot open netlink socket");
	fd = mnl_socket_get_fd(mon->sock);
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)))
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	if (mon->route)
		err = join(mon, RTNLGRP_IPV6_ROUTE);
	if (!err && mon->nexthop)
		err = join(mon, RTNLGRP_NEXTHOP);
	return err;
}

static void print_time(struct out *out, int timestamp)
{
	struct timeval tv;
	char text[64];
	struct tm tm;

	if (!timestamp || out->json)
		return;
	gettimeofday(&tv, NULL);
	localtime_r(&tv.tv_sec, &tm);
	if (timestamp > 1) {
		strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
		out_text(out, "[%s.%06ld] ", text, (long)tv.tv_usec);
	} else {
		strftime(text, sizeof(text), "%a %b %e %H:%M:%S %Y", &tm);
		out_text(out, "Timestamp: %s %ld usec\n", text,
			 (long)tv.tv_usec);
	}
}

static void print_route(struct monitor *mon, struct out *out,
			const struct nlmsghdr *msg)
{
	static const struct route_hidden hidden;

	if (mon->label)
		out_text(out, "[ROUTE]");
	route_print(out, msg, mon->slot, &hidden);
}

static void print_nexthop(struct monitor *mon, struct out *out,
			  const struct nlmsghdr *msg)
{
	if (mon->label)
		out_text(out, "[NEXTHOP]");
	nexthop_print(out, msg, mon->slot);
}

static const struct {
	uint16_t type;
	size_t header;
	void (*print)(struct monitor *mon, struct out *out,
		      const struct nlmsghdr *msg);
} events[] = {
	{ RTM_NEWROUTE,		sizeof(struct rtmsg),	print_route },
	{ RTM_DELROUTE,		sizeof(struct rtmsg),	print_route },
	{ RTM_NEWNEXTHOP,	sizeof(struct nhmsg),	print_nexthop },
	{ RTM_DELNEXTHOP,	sizeof(struct nhmsg),	print_nexthop },
};

/* In JSON each event is an object of its own, on a line of its own. */
static void monitor_event(struct monitor *mon, const struct nlmsghdr *msg)
{
	struct out out;
	unsigned int i;

	for (i = 0; i < MNL_ARRAY_SIZE(events); i++)
		if (events[i].type == msg->nlmsg_type)
			break;
	if (i == MNL_ARRAY_SIZE(events) ||
	    mnl_nlmsg_get_payload_len(msg) < events[i].header)
		return;
	out_init(&out, stdout, mon->opts);
	print_time(&out, mon->opts->timestamp);
	events[i].print(mon, &out, msg);
	if (out.json)
		fputc('\n', out.file);
}

/* The module may come after us; devices come and go. */
static int monitor_refresh(struct monitor *mon)
{
	device_names_forget();
	return mon->slot ? EXIT_OK : slot_loaded(&mon->slot);
}

static int monitor_run(struct monitor *mon)
{
	static char buf[DATAGRAM_SIZE] __attribute__((aligned(8)));
	const struct nlmsghdr *msg;
	ssize_t len;
	int err = EXIT_OK;
	int left;

	while (!err) {
		len = mnl_socket_recvfrom(mon->sock, buf, sizeof(buf));
		if (len < 0 && errno == ENOBUFS) {
			complain("Events came too fast: some are lost.");
			continue;
		}
		if (len < 0 && errno == EINTR)
			continue;
		if (len <= 0)
			return monitor_failed("Cannot receive from rtnetlink");
		err = monitor_refresh(mon);
		msg = (const struct nlmsghdr *)buf;
		for (left = len; nl_whole(msg, left);
		     msg = mnl_nlmsg_next(msg, &left))
			monitor_event(mon, msg);
		if (fflush(stdout))
			return monitor_failed("Cannot write the output");
	}
	return err;
}

int monitor_command(struct session *session, struct cmdline *line)
{
	struct monitor mon = { .opts = session->opts };
	int err;

	if (cmdline_accept(line, "help")) {
		usage_monitor(stdout);
		return EXIT_OK;
	}
	err = session_enter(session);
	if (!err)
		err = monitor_parse(&mon, line);
	if (!err)
		err = monitor_open(&mon);
	if (!err)
		err = monitor_run(&mon);
	if (mon.sock)
		mnl_socket_close(mon.sock);
	return err;
}
