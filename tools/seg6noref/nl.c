// SPDX-License-Identifier: GPL-2.0-only
/*
 * nl.c - rtnetlink requests and dumps
 *
 * A dump is collected whole before anyone looks at it: only then is it known
 * whether the kernel could keep it consistent, and a torn one is asked again.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <linux/netlink.h>

#include "cmdline.h"
#include "nl.h"

#define DUMP_ATTEMPTS	10
/* Twice what the kernel ever puts into one datagram of a dump. */
#define BUFFER_SIZE	65536

static int nl_failed(const char *what)
{
	complain("%s: %s", what, strerror(errno));
	return EXIT_KERNEL;
}

void nl_close(struct nl *nl)
{
	int saved = errno;

	if (nl->sock)
		mnl_socket_close(nl->sock);
	free(nl->buf);
	memset(nl, 0, sizeof(*nl));
	errno = saved;
}

/* Receive one datagram of any size. */
static ssize_t nl_receive(struct nl *nl)
{
	int fd = mnl_socket_get_fd(nl->sock);
	ssize_t len;
	char *buf;

	do {
		len = recv(fd, nl->buf, nl->size, MSG_PEEK | MSG_TRUNC);
	} while (len < 0 && errno == EINTR);
	if (len < 0)
		return len;
	if ((size_t)len >= nl->size) {
		buf = realloc(nl->buf, (size_t)len + 1);
		if (!buf)
			return -1;
		nl->buf = buf;
		nl->size = (size_t)len + 1;
	}
	return mnl_socket_recvfrom(nl->sock, nl->buf, nl->size);
}

static int nl_send(struct nl *nl, struct nlmsghdr *req)
{
	req->nlmsg_seq = ++nl->seq;
	req->nlmsg_pid = 0;
	if (mnl_socket_sendto(nl->sock, req, req->nlmsg_len) < 0)
		return nl_failed("Cannot talk to rtnetlink");
	return EXIT_OK;
}

/*
 * The kernel sizes what it answers to a dump by the largest buffer that it has
 * seen at this socket.  Show it one before the first dump: a route by several
 * long policies does not fit into what it starts with, and it would say
 * nothing, not even where the dump ends.
 */
static void nl_show_buffer(struct nl *nl)
{
	struct nlmsghdr req = {
		.nlmsg_len = sizeof(req), .nlmsg_type = NLMSG_NOOP,
		.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK,
	};

	if (mnl_socket_sendto(nl->sock, &req, sizeof(req)) > 0)
		nl_receive(nl);
}

int nl_open(struct nl *nl)
{
	int one = 1;

	memset(nl, 0, sizeof(*nl));
	nl->sock = mnl_socket_open2(NETLINK_ROUTE, SOCK_CLOEXEC);
	if (!nl->sock)
		return nl_failed("Cannot open netlink socket");
	if (mnl_socket_bind(nl->sock, 0, MNL_SOCKET_AUTOPID) < 0) {
		nl_close(nl);
		return nl_failed("Cannot bind netlink socket");
	}
	/*
	 * The first two exist since Linux 4.12, without them there is less to
	 * print; the third since 4.20, without it the kernel selects nothing.
	 */
	mnl_socket_setsockopt(nl->sock, NETLINK_EXT_ACK, &one, sizeof(one));
	mnl_socket_setsockopt(nl->sock, NETLINK_CAP_ACK, &one, sizeof(one));
	mnl_socket_setsockopt(nl->sock, NETLINK_GET_STRICT_CHK, &one,
			      sizeof(one));
	nl->portid = mnl_socket_get_portid(nl->sock);
	nl->buf = malloc(BUFFER_SIZE);
	if (!nl->buf) {
		nl_close(nl);
		return nl_failed("Cannot receive from rtnetlink");
	}
	nl->size = BUFFER_SIZE;
	nl_show_buffer(nl);
	return EXIT_OK;
}

/* Send @req; what comes before its acknowledgement goes to @msgs, if given. */
static int nl_await(struct nl *nl, struct nlmsghdr *req, struct nl_msgs *msgs,
		    const struct nlmsghdr **answer)
{
	const struct nlmsghdr *msg;
	ssize_t len;
	int left;
	int err;

	req->nlmsg_flags |= NLM_F_REQUEST | NLM_F_ACK;
	err = nl_send(nl, req);
	if (err)
		return err;
	for (;;) {
		len = nl_receive(nl);
		if (len < 0)
			return nl_failed("Cannot receive from rtnetlink");
		msg = (const struct nlmsghdr *)nl->buf;
		for (left = len; nl_whole(msg, left);
		     msg = mnl_nlmsg_next(msg, &left)) {
			if (!mnl_nlmsg_seq_ok(msg, req->nlmsg_seq))
				continue;
			if (msg->nlmsg_type == NLMSG_ERROR) {
				*answer = msg;
				return EXIT_OK;
			}
			if (msgs && nl_msgs_add(msgs, msg, msg->nlmsg_len)) {
				complain("Out of memory");
				return EXIT_KERNEL;
			}
		}
	}
}

/* Send @req; *@answer is its acknowledgement, until the next request. */
int nl_ask(struct nl *nl, struct nlmsghdr *req, const struct nlmsghdr **answer)
{
	return nl_await(nl, req, NULL, answer);
}

/* Send @req and collect what answers it; the caller frees @msgs. */
int nl_query(struct nl *nl, struct nlmsghdr *req, struct nl_msgs *msgs)
{
	const struct nlmsghdr *answer;
	int err;

	err = nl_await(nl, req, msgs, &answer);
	return err ? err : extack_report(answer, req);
}

/* Send @req, wait for its acknowledgement and say what that says. */
int nl_request(struct nl *nl, struct nlmsghdr *req)
{
	const struct nlmsghdr *answer;
	int err;

	err = nl_ask(nl, req, &answer);
	return err ? err : extack_report(answer, req);
}

enum dump_state { DUMP_MORE, DUMP_DONE, DUMP_FAILED };

/* Sort the messages of one datagram: into @msgs, or into the dump's state. */
static enum dump_state dump_take(struct nl *nl, size_t len,
				 const struct nlmsghdr *req,
				 struct nl_msgs *msgs, bool *torn)
{
	const struct nlmsghdr *msg = (const struct nlmsghdr *)nl->buf;
	int left = len;

	for (; nl_whole(msg, left); msg = mnl_nlmsg_next(msg, &left)) {
		if (!mnl_nlmsg_seq_ok(msg, req->nlmsg_seq) ||
		    !mnl_nlmsg_portid_ok(msg, nl->portid))
			continue;
		if (msg->nlmsg_flags & NLM_F_DUMP_INTR)
			*torn = true;
		if (msg->nlmsg_type == NLMSG_DONE ||
		    msg->nlmsg_type == NLMSG_ERROR)
			return extack_report(msg, req) ? DUMP_FAILED
						       : DUMP_DONE;
		if (nl_msgs_add(msgs, msg, msg->nlmsg_len)) {
			complain("Out of memory");
			return DUMP_FAILED;
		}
	}
	return DUMP_MORE;
}

static int dump_once(struct nl *nl, struct nlmsghdr *req,
		     struct nl_msgs *msgs, bool *torn)
{
	enum dump_state state;
	ssize_t len;
	int err;

	err = nl_send(nl, req);
	if (err)
		return err;
	do {
		len = nl_receive(nl);
		if (len < 0)
			return nl_failed("Cannot receive from rtnetlink");
		if (!len) {
			complain("Error: a route is too large for the kernel to list.");
			return EXIT_KERNEL;
		}
		state = dump_take(nl, len, req, msgs, torn);
	} while (state == DUMP_MORE);
	return state == DUMP_DONE ? EXIT_OK : EXIT_KERNEL;
}

/* Collect a whole dump; the caller frees @msgs in every case. */
int nl_dump(struct nl *nl, struct nlmsghdr *req, struct nl_msgs *msgs)
{
	int attempt;
	bool torn;
	int err;

	req->nlmsg_flags |= NLM_F_REQUEST | NLM_F_DUMP;
	for (attempt = 0; attempt < DUMP_ATTEMPTS; attempt++) {
		torn = false;
		nl_msgs_empty(msgs);
		err = dump_once(nl, req, msgs, &torn);
		if (err || !torn)
			return err;
	}
	complain("Dump was interrupted and may be inconsistent.");
	return EXIT_OK;
}
