// SPDX-License-Identifier: GPL-2.0-only
/*
 * session.c - namespace, slot and socket, each taken when it is first needed
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cmdline.h"
#include "encap.h"
#include "names.h"
#include "session.h"
#include "slot.h"

/* Move this process into the namespace that ip netns knows by @netns. */
int netns_enter(const char *netns)
{
	char path[4096];
	int fd;

	if (!netns)
		return EXIT_OK;
	snprintf(path, sizeof(path), "/run/netns/%s", netns);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		complain("Cannot open network namespace \"%s\": %s", netns,
			 strerror(errno));
		return EXIT_PARSE;
	}
	if (setns(fd, CLONE_NEWNET)) {
		complain("setting the network namespace \"%s\" failed: %s",
			 netns, strerror(errno));
		close(fd);
		return EXIT_PARSE;
	}
	close(fd);
	names_netns(netns);
	return EXIT_OK;
}

int session_enter(struct session *session)
{
	int err;

	if (session->entered)
		return EXIT_OK;
	err = netns_enter(session->opts->netns);
	session->entered = !err;
	return err;
}

/* Options that ip gives a meaning which a change by us would not keep. */
int session_check(const struct session *session)
{
	const struct options *opts = session->opts;

	if (opts->family && opts->family != AF_INET6) {
		complain("Error: encap %s is for IPv6 routes only.",
			 ENCAP_NAME);
		return EXIT_PARSE;
	}
	if (opts->foreign) {
		complain("Error: -all and -echo are not supported with encap %s.",
			 ENCAP_NAME);
		return EXIT_PARSE;
	}
	return EXIT_OK;
}

int session_change(struct session *session)
{
	int err = session_check(session);

	return err ? err : session_enter(session);
}

/* Load the module if need be. */
int session_slot(struct session *session)
{
	return session->slot ? EXIT_OK : slot_load(&session->slot);
}

static int session_open(struct session *session)
{
	int err = session_enter(session);

	if (err || session->nl.sock)
		return err;
	return nl_open(&session->nl);
}

int session_request(struct session *session, struct nlmsghdr *req)
{
	int err = session_open(session);

	if (err)
		return err;
	return session->send ? session->send(session, req) :
			       nl_request(&session->nl, req);
}

/* The same, with what is answered in @msgs, which the caller frees. */
int session_query(struct session *session, struct nlmsghdr *req,
		  struct nl_msgs *msgs)
{
	int err = session_open(session);

	return err ? err : nl_query(&session->nl, req, msgs);
}

int session_dump(struct session *session, struct nlmsghdr *req,
		 struct nl_msgs *msgs)
{
	int err = session_open(session);

	return err ? err : nl_dump(&session->nl, req, msgs);
}

/* Everything is known to fit before the first octet is sent. */
int session_send(struct session *session, const struct request *request)
{
	struct nlmsghdr *nlh;
	int err = EXIT_OK;
	void *buf;

	if (request->slot)
		err = session_slot(session);
	if (err)
		return err;
	buf = malloc(NL_REQUEST_SIZE);
	if (!buf) {
		complain("Error: out of memory.");
		return EXIT_KERNEL;
	}
	nlh = mnl_nlmsg_put_header(buf);
	nlh->nlmsg_type = request->type;
	nlh->nlmsg_flags = request->flags;
	if (request->build(nlh, NL_REQUEST_SIZE, request->value,
			   session->slot)) {
		err = session_request(session, nlh);
	} else {
		complain("Error: the %s does not fit into a message.",
			 request->name);
		err = EXIT_PARSE;
	}
	free(buf);
	return err;
}

void session_close(struct session *session)
{
	nl_close(&session->nl);
}
