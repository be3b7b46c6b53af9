// SPDX-License-Identifier: GPL-2.0-only
/*
 * unit_nl.c - requests and dumps against a kernel that is played
 *
 * The linker puts the __wrap_ functions in place of those that talk to the
 * socket.  While a script runs, they count what is sent and hand out its
 * datagrams; otherwise they get out of the way.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "unit.h"

#define MAX_GRAMS	16

ssize_t __real_recv(int fd, void *buf, size_t len, int flags);
ssize_t __wrap_recv(int fd, void *buf, size_t len, int flags);
ssize_t __real_mnl_socket_recvfrom(const struct mnl_socket *sock, void *buf,
				   size_t len);
ssize_t __wrap_mnl_socket_recvfrom(const struct mnl_socket *sock, void *buf,
				   size_t len);
ssize_t __real_mnl_socket_sendto(const struct mnl_socket *sock,
				 const void *req, size_t len);
ssize_t __wrap_mnl_socket_sendto(const struct mnl_socket *sock,
				 const void *req, size_t len);

struct gram {
	uint32_t seq;
	uint16_t type;
	uint16_t flags;
	size_t payload;		/* octets, all zero */
	size_t cut;		/* so many missing at the end */
};

static struct {
	const struct gram *grams;
	size_t count;
	size_t next;
	int sent;
	uint32_t portid;
} script;

static size_t gram_len(const struct gram *gram)
{
	return sizeof(struct nlmsghdr) + gram->payload - gram->cut;
}

ssize_t __wrap_recv(int fd, void *buf, size_t len, int flags)
{
	if (!script.grams)
		return __real_recv(fd, buf, len, flags);
	if (script.next == script.count) {
		errno = ENODATA;
		return -1;
	}
	return gram_len(&script.grams[script.next]);
}

ssize_t __wrap_mnl_socket_recvfrom(const struct mnl_socket *sock, void *buf,
				   size_t len)
{
	const struct gram *gram = &script.grams[script.next];
	struct nlmsghdr nlh = { 0 };

	if (!script.grams)
		return __real_mnl_socket_recvfrom(sock, buf, len);
	script.next++;
	if (gram_len(gram) > len)
		return -1;
	nlh.nlmsg_len = sizeof(nlh) + gram->payload;
	nlh.nlmsg_type = gram->type;
	nlh.nlmsg_flags = gram->flags;
	nlh.nlmsg_seq = gram->seq;
	nlh.nlmsg_pid = script.portid;
	memset(buf, 0, gram_len(gram));
	memcpy(buf, &nlh, sizeof(nlh));
	return gram_len(gram);
}

ssize_t __wrap_mnl_socket_sendto(const struct mnl_socket *sock,
				 const void *req, size_t len)
{
	if (!script.grams)
		return __real_mnl_socket_sendto(sock, req, len);
	script.sent++;
	return len;
}

/* Status, requests sent, messages kept, octets kept. */
static void check_dump(const char *name, const struct gram *grams,
		       const char *want)
{
	char buf[256] __attribute__((aligned(8)));
	const struct nlmsghdr *msg = NULL;
	struct nl_msgs msgs = { 0 };
	FILE *saved = stderr;
	char *errors, *got;
	int status, count = 0;
	struct nl nl;
	size_t len;

	nl_open(&nl);
	memset(&script, 0, sizeof(script));
	script.portid = nl.portid;
	script.grams = grams;
	while (grams[script.count].seq)
		script.count++;
	stderr = open_memstream(&errors, &len);
	status = nl_dump(&nl, mnl_nlmsg_put_header(buf), &msgs);
	fclose(stderr);
	stderr = saved;
	while ((msg = nl_msgs_next(&msgs, msg)))
		count++;
	if (asprintf(&got, "%d sent %d kept %d of %zu %s", status, script.sent,
		     count, msgs.len, errors) < 0)
		exit(1);
	script.grams = NULL;
	check(name, want, got);
	free(errors);
	free(got);
	nl_msgs_free(&msgs);
	nl_close(&nl);
}

#define ROUTE	RTM_NEWROUTE
#define DONE	NLMSG_DONE
#define MULTI	NLM_F_MULTI
#define TORN	(NLM_F_MULTI | NLM_F_DUMP_INTR)

static void test_dumps(void)
{
	static const struct gram plain[MAX_GRAMS] = {
		{ 1, ROUTE, MULTI, 100, 0 }, { 1, ROUTE, MULTI, 101, 0 },
		{ 1, DONE, MULTI, 4, 0 },
	};
	static const struct gram torn[MAX_GRAMS] = {
		{ 1, ROUTE, MULTI, 100, 0 }, { 1, ROUTE, TORN, 100, 0 },
		{ 1, DONE, MULTI, 4, 0 },
		{ 2, ROUTE, MULTI, 20, 0 }, { 2, DONE, MULTI, 4, 0 },
	};
	static const struct gram torn_at_end[MAX_GRAMS] = {
		{ 1, ROUTE, MULTI, 100, 0 }, { 1, DONE, TORN, 4, 0 },
		{ 2, DONE, MULTI, 4, 0 },
	};
	static const struct gram always[MAX_GRAMS] = {
		{ 1, DONE, TORN, 4, 0 }, { 2, DONE, TORN, 4, 0 },
		{ 3, DONE, TORN, 4, 0 }, { 4, DONE, TORN, 4, 0 },
		{ 5, DONE, TORN, 4, 0 }, { 6, DONE, TORN, 4, 0 },
		{ 7, DONE, TORN, 4, 0 }, { 8, DONE, TORN, 4, 0 },
		{ 9, DONE, TORN, 4, 0 }, { 10, DONE, TORN, 4, 0 },
	};
	static const struct gram stale[MAX_GRAMS] = {
		{ 77, ROUTE, MULTI, 100, 0 }, { 77, DONE, MULTI, 4, 0 },
		{ 1, ROUTE, MULTI, 100, 0 }, { 1, DONE, MULTI, 4, 0 },
	};
	static const struct gram big[MAX_GRAMS] = {
		{ 1, ROUTE, MULTI, 16, 0 }, { 1, ROUTE, MULTI, 300000, 0 },
		{ 1, ROUTE, MULTI, 70000, 0 }, { 1, DONE, MULTI, 4, 0 },
	};
	static const struct gram cut[MAX_GRAMS] = {
		{ 1, ROUTE, MULTI, 100, 50 }, { 1, ROUTE, MULTI, 100, 0 },
		{ 1, DONE, MULTI, 4, 0 },
	};
	static const struct gram ends[MAX_GRAMS] = {
		{ 1, ROUTE, MULTI, 100, 0 },
	};
	static const struct gram empty[MAX_GRAMS] = {
		{ 1, ROUTE, MULTI, 0, sizeof(struct nlmsghdr) },
		{ 1, DONE, MULTI, 4, 0 },
	};

	check_dump("dump", plain, "0 sent 1 kept 2 of 236 ");
	check_dump("dump torn once", torn, "0 sent 2 kept 1 of 36 ");
	check_dump("dump torn at its end", torn_at_end, "0 sent 2 kept 0 of 0 ");
	check_dump("dump torn always", always,
		   "0 sent 10 kept 0 of 0 Dump was interrupted and may be inconsistent.\n");
	check_dump("answers to another request", stale,
		   "0 sent 1 kept 1 of 116 ");
	check_dump("datagrams of any size", big,
		   "0 sent 1 kept 3 of 370064 ");
	check_dump("a message cut off", cut, "0 sent 1 kept 1 of 116 ");
	check_dump("a route that no answer holds", empty,
		   "2 sent 1 kept 0 of 0 Error: a route is too large for the kernel to list.\n");
	check_dump("a dump without an end", ends,
		   "2 sent 1 kept 1 of 116 Cannot receive from rtnetlink: No data available\n");
}

/* A message as long as its number wants it, which its payload repeats. */
static int add_numbered(struct nl_msgs *msgs, uint32_t number, size_t len)
{
	struct nlmsghdr *msg = calloc(1, len);
	int err;

	msg->nlmsg_len = len;
	memcpy(mnl_nlmsg_get_payload(msg), &number, sizeof(number));
	err = nl_msgs_add(msgs, msg, len);
	free(msg);
	return err;
}

static size_t length_of(uint32_t number)
{
	if (number == 2500)
		return 3000000;
	return sizeof(struct nlmsghdr) + sizeof(number) + number * 7919 % 2000;
}

static uint32_t count_numbered(const struct nl_msgs *msgs)
{
	const struct nlmsghdr *msg = NULL;
	uint32_t number = 0;

	while ((msg = nl_msgs_next(msgs, msg)))
		if (msg->nlmsg_len != length_of(number) ||
		    memcmp(mnl_nlmsg_get_payload(msg), &number, 4))
			return UINT32_MAX;
		else
			number++;
	return number;
}

/* More than is held in memory, read twice, and begun anew. */
static void test_spool(void)
{
	struct nl_msgs msgs = { .spool = true };
	char got[64];
	uint32_t i;

	check_true("spool: empty", !nl_msgs_next(&msgs, NULL));
	for (i = 0; i < 10; i++)
		add_numbered(&msgs, i, length_of(i));
	check_true("spool: few", count_numbered(&msgs) == 10 && !msgs.spooled);
	for (; i < 5000; i++)
		if (add_numbered(&msgs, i, length_of(i)))
			break;
	snprintf(got, sizeof(got), "%u of %u", count_numbered(&msgs), i);
	check("spool: many", "5000 of 5000", got);
	snprintf(got, sizeof(got), "%u of %u", count_numbered(&msgs), i);
	check("spool: many, again", "5000 of 5000", got);
	check_true("spool: little in memory", msgs.spooled &&
		   msgs.room <= 1 << 22 && msgs.len <= 1 << 20);
	nl_msgs_empty(&msgs);
	check_true("spool: emptied", !nl_msgs_next(&msgs, NULL));
	add_numbered(&msgs, 0, length_of(0));
	check_true("spool: begun anew", count_numbered(&msgs) == 1);
	nl_msgs_free(&msgs);
}

void test_nl(void)
{
	test_spool();
	test_dumps();
}
