// SPDX-License-Identifier: GPL-2.0-only
/*
 * convert_send.c - replace a route or a nexthop object, or see if it could be
 *
 * Without NLM_F_CREATE, what someone has removed meanwhile stays away.
 */
#include <errno.h>
#include <stdlib.h>
#include <linux/nexthop.h>

#include "convert.h"

static int send_rewritten(struct session *session, struct rewrite *rw,
			  uint16_t flags)
{
	const struct nlmsghdr *answer;

	rw->nlh->nlmsg_flags = flags;
	if (nl_ask(&session->nl, rw->nlh, &answer))
		return REPLACE_LOST;
	return extack_text(answer, rw->why, sizeof(rw->why));
}

/*
 * Have the kernel check the whole request and change nothing: it builds the
 * route, then finds that there is one, which an exclusive request forbids.
 */
static int route_check(struct session *session, struct rewrite *rw)
{
	int err = send_rewritten(session, rw, NLM_F_REPLACE | NLM_F_EXCL);

	return err == EEXIST ? 0 : err;
}

/* Put back what a replacement of several next hops has torn. */
static void route_repair(struct session *session, const struct rewrite *torn,
			 const struct nlmsghdr *msg)
{
	struct rewrite rw = { .from = torn->from, .to = torn->from };
	void *buf = malloc(NL_REQUEST_SIZE);

	if (!buf)
		return;
	rewrite_init(&rw, buf, NL_REQUEST_SIZE);
	if (rewrite_route(&rw, msg) &&
	    send_rewritten(session, &rw, NLM_F_CREATE | NLM_F_REPLACE))
		complain("Error: a route could not be put back: %s.", rw.why);
	rewrite_done(&rw);
	free(buf);
}

static bool is_multipath(const struct nlmsghdr *msg)
{
	const struct nlattr *attr;

	mnl_attr_for_each(attr, msg, sizeof(struct rtmsg))
		if (mnl_attr_get_type(attr) == RTA_MULTIPATH)
			return true;
	return false;
}

/*
 * A route of several next hops is replaced by its first one and then completed,
 * within one request: have it checked before.
 */
int route_replace(struct session *session, struct rewrite *rw,
		  const struct nlmsghdr *msg, bool dry_run)
{
	bool several = is_multipath(msg);
	int err = 0;

	if (dry_run || several)
		err = route_check(session, rw);
	if (err || dry_run)
		return err;
	err = send_rewritten(session, rw, NLM_F_REPLACE);
	if (err > 0 && several)
		route_repair(session, rw, msg);
	return err;
}

static int nexthop_remove(struct session *session, const struct nlmsghdr *msg)
{
	char buf[256] __attribute__((aligned(8)));
	const struct nlattr *attr;
	struct rewrite rw;

	rewrite_init(&rw, buf, sizeof(buf));
	rw.nlh->nlmsg_type = RTM_DELNEXTHOP;
	mnl_nlmsg_put_extra_header(rw.nlh, sizeof(struct nhmsg));
	mnl_attr_for_each(attr, msg, sizeof(struct nhmsg))
		if (mnl_attr_get_type(attr) == NHA_ID)
			rewrite_attr(&rw, attr);
	return send_rewritten(session, &rw, 0);
}

/* The same check as for routes, but that objects have no such pair of flags. */
static int nexthop_check(struct session *session, struct rewrite *rw,
			 const struct nlmsghdr *msg)
{
	int err = send_rewritten(session, rw, 0);

	if (err == EEXIST)
		return 0;
	if (err)
		return err;
	/* Removed by someone meanwhile, and now made again by us. */
	rewrite_fails(rw, "it is gone");
	return nexthop_remove(session, msg) < 0 ? REPLACE_LOST : ENOENT;
}

int nexthop_replace(struct session *session, struct rewrite *rw,
		    const struct nlmsghdr *msg, bool dry_run)
{
	return dry_run ? nexthop_check(session, rw, msg) :
			 send_rewritten(session, rw, NLM_F_REPLACE);
}
