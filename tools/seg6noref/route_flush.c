// SPDX-License-Identifier: GPL-2.0-only
/*
 * route_flush.c - delete the routes that `route show' with the same words lists
 *
 * One message per route, of what tells routes apart and nothing else: what a
 * dump says about a route by a nexthop object, the kernel does not take back.
 */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "route_filter.h"
#include "slot.h"

/* Others may add what fits while we delete. */
#define ROUNDS_MAX	10

struct flush {
	struct session *session;
	struct route_filter filter;
	uint16_t slot;
	unsigned int round;
	unsigned int deleted;
};

static bool identifies(unsigned int type, bool object, bool multipath)
{
	switch (type) {
	case RTA_DST:
	case RTA_SRC:
	case RTA_TABLE:
	case RTA_PRIORITY:
		return true;
	case RTA_NH_ID:
		return object;
	case RTA_OIF:
	case RTA_GATEWAY:
		return !object && !multipath;
	}
	return false;
}

/* A deletion of the route in @msg, at most as long as that. */
static void deletion(struct nlmsghdr *nlh, const struct nlmsghdr *msg)
{
	const struct rtmsg *rtm = mnl_nlmsg_get_payload(msg);
	bool object = false, multipath = false;
	const struct nlattr *attr;
	struct rtmsg *to;

	mnl_attr_for_each(attr, msg, sizeof(*rtm)) {
		object |= mnl_attr_get_type(attr) == RTA_NH_ID;
		multipath |= mnl_attr_get_type(attr) == RTA_MULTIPATH;
	}
	nlh->nlmsg_type = RTM_DELROUTE;
	to = mnl_nlmsg_put_extra_header(nlh, sizeof(*to));
	*to = *rtm;
	to->rtm_flags = 0;
	mnl_attr_for_each(attr, msg, sizeof(*rtm))
		if (identifies(mnl_attr_get_type(attr), object, multipath) &&
		    mnl_attr_get_payload_len(attr) <= sizeof(struct in6_addr))
			mnl_attr_put(nlh, mnl_attr_get_type(attr),
				     mnl_attr_get_payload_len(attr),
				     mnl_attr_get_payload(attr));
}

/* The route that every namespace has and that cannot be deleted. */
static bool is_null_route(const struct nlmsghdr *msg)
{
	const struct rtmsg *rtm = mnl_nlmsg_get_payload(msg);
	struct route_key key;

	route_key_get(msg, &key);
	return !rtm->rtm_dst_len && rtm->rtm_type == RTN_UNREACHABLE &&
	       key.metric == UINT32_MAX;
}

static int delete_one(struct flush *flush, const struct nlmsghdr *msg)
{
	char buf[512] __attribute__((aligned(8)));
	const struct nlmsghdr *answer;
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buf);
	struct out out;
	char text[256];
	int err;

	deletion(nlh, msg);
	err = nl_ask(&flush->session->nl, nlh, &answer);
	if (err)
		return err;
	/* Gone already, be it with its device. */
	if (extack_text(answer, text, sizeof(text)) == ESRCH)
		return EXIT_OK;
	err = extack_report(answer, nlh);
	if (err)
		return err;
	flush->deleted++;
	if (flush->session->opts->stats > 1) {
		out_init(&out, stdout, flush->session->opts);
		out.json = false;
		route_print(&out, msg, flush->slot, &flush->filter.hidden);
	}
	return EXIT_OK;
}

static int delete_all(struct flush *flush, const struct nl_msgs *msgs)
{
	const struct nlmsghdr *msg = NULL;
	int err = EXIT_OK;

	flush->deleted = 0;
	while (!err && (msg = nl_msgs_next(msgs, msg)))
		if (route_wanted(&flush->filter, msg) && !is_null_route(msg))
			err = delete_one(flush, msg);
	return err;
}

static int flush_round(struct flush *flush)
{
	struct nl_msgs msgs = { .spool = true };
	int err;

	err = route_dump_filtered(flush->session, &flush->filter, &msgs);
	if (!err)
		err = delete_all(flush, &msgs);
	nl_msgs_free(&msgs);
	return err;
}

static int flush_rounds(struct flush *flush)
{
	const bool report = flush->session->opts->stats;
	int err;

	for (flush->round = 1; flush->round <= ROUNDS_MAX; flush->round++) {
		err = flush_round(flush);
		if (err)
			return err;
		if (!flush->deleted)
			break;
		if (report)
			printf("\n*** Round %u, deleting %u entries ***\n",
			       flush->round, flush->deleted);
	}
	if (flush->round > ROUNDS_MAX) {
		complain("*** Flush not complete bailing out after %d rounds",
			 ROUNDS_MAX);
		return EXIT_ADDRESS;
	}
	if (!report)
		return EXIT_OK;
	if (flush->round == 1)
		puts("Nothing to flush.");
	else
		printf("*** Flush is complete after %u round%s ***\n",
		       flush->round - 1, flush->round == 2 ? "" : "s");
	return EXIT_OK;
}

int route_flush(struct session *session, struct cmdline *line)
{
	struct flush flush = { .session = session };
	int err;

	if (!cmdline_peek(line)) {
		complain("\"route flush\" requires arguments.");
		return EXIT_ADDRESS;
	}
	device_names_forget();
	err = session_enter(session);
	if (!err)
		err = route_filter_parse(&flush.filter, line);
	if (!err)
		err = slot_loaded(&flush.slot);
	if (err)
		return err;
	err = flush_rounds(&flush);
	if (err)
		complain("Flush terminated");
	return err;
}
