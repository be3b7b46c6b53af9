/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * nl.h - one rtnetlink socket, requests with their answer, whole dumps
 */
#ifndef SEG6NOREF_NL_H
#define SEG6NOREF_NL_H

#include <stdbool.h>
#include <stddef.h>
#include <libmnl/libmnl.h>
#include <linux/rtnetlink.h>

/* Room for a request: as long as lengths of attributes can express. */
#define NL_REQUEST_SIZE	65536

struct nl {
	struct mnl_socket *sock;
	unsigned int portid;
	unsigned int seq;
	char *buf;
	size_t size;
};

/*
 * Messages back to back, each aligned as netlink aligns them.  With @spool they
 * may be any number; each is then there until the next one is asked for.
 */
struct nl_msgs {
	bool spool;
	char *data;
	size_t len;
	size_t room;
	struct nl_spool *spooled;	/* all but the last ones */
};

/* As mnl_nlmsg_ok(), which takes lengths of 2 GiB and more for negative. */
static inline bool nl_whole(const struct nlmsghdr *msg, int left)
{
	return mnl_nlmsg_ok(msg, left) && msg->nlmsg_len <= (size_t)left;
}

int nl_open(struct nl *nl);
void nl_close(struct nl *nl);
int nl_ask(struct nl *nl, struct nlmsghdr *req,
	   const struct nlmsghdr **answer);
int nl_query(struct nl *nl, struct nlmsghdr *req, struct nl_msgs *msgs);
int nl_request(struct nl *nl, struct nlmsghdr *req);
int nl_dump(struct nl *nl, struct nlmsghdr *req, struct nl_msgs *msgs);

/* nl_msgs.c */
int nl_msgs_add(struct nl_msgs *msgs, const void *data, size_t len);
void nl_msgs_empty(struct nl_msgs *msgs);
void nl_msgs_free(struct nl_msgs *msgs);
/* The message behind @msg, the first for NULL; NULL at the end or at junk. */
const struct nlmsghdr *nl_msgs_next(const struct nl_msgs *msgs,
				    const struct nlmsghdr *msg);

/* extack.c: print what a NLMSG_ERROR or NLMSG_DONE answer to @req says. */
int extack_report(const struct nlmsghdr *answer, const struct nlmsghdr *req);
/* The errno in an answer, and the reason in @text, without printing them. */
int extack_text(const struct nlmsghdr *answer, char *text, size_t size);

/* vrf.c: the table of the VRF device with that name, 0 if it is none. */
uint32_t vrf_table(const char *name);
/* The same of a device by its IFLA_LINKINFO. */
uint32_t linkinfo_table(const struct nlattr *linkinfo);

#endif /* SEG6NOREF_NL_H */
