// SPDX-License-Identifier: GPL-2.0-only
/*
 * route_show.c - list routes as `ip -6 route show' does
 */
#include <sys/socket.h>

#include "names.h"
#include "nexthop.h"
#include "nl.h"
#include "route_filter.h"
#include "slot.h"

static int dump(struct session *session, uint32_t table, struct nl_msgs *msgs)
{
	char buf[256] __attribute__((aligned(8)));
	struct nlmsghdr *nlh;
	struct rtmsg *rtm;

	nlh = mnl_nlmsg_put_header(buf);
	nlh->nlmsg_type = RTM_GETROUTE;
	rtm = mnl_nlmsg_put_extra_header(nlh, sizeof(*rtm));
	rtm->rtm_family = AF_INET6;
	if (table)
		mnl_attr_put_u32(nlh, RTA_TABLE, table);
	return session_dump(session, nlh, msgs);
}

int route_dump(struct session *session, struct nl_msgs *msgs)
{
	return dump(session, 0, msgs);
}

/* Those of the right table, if the kernel selects them; others fit no filter */
int route_dump_filtered(struct session *session,
			const struct route_filter *filter,
			struct nl_msgs *msgs)
{
	return dump(session, filter->all_tables ? 0 : filter->table, msgs);
}

static void print_all(const struct options *opts,
		      const struct route_filter *filter,
		      const struct nl_msgs *msgs, uint16_t slot)
{
	const struct nlmsghdr *msg = NULL;
	struct out out;

	out_init(&out, stdout, opts);
	out_open(&out, '[', NULL);
	while ((msg = nl_msgs_next(msgs, msg)))
		if (route_wanted(filter, msg))
			route_print(&out, msg, slot, &filter->hidden);
	out_close(&out, ']');
	if (out.json)
		fputc('\n', out.file);
}

int route_show(struct session *session, struct cmdline *line)
{
	struct nl_msgs msgs = { .spool = true };
	struct route_filter filter;
	uint16_t slot;
	int err;

	device_names_forget();
	err = session_enter(session);
	if (!err)
		err = route_filter_parse(&filter, line);
	if (!err)
		err = slot_loaded(&slot);
	if (!err)
		err = nexthop_info_load(session);
	if (err)
		return err;
	err = route_dump_filtered(session, &filter, &msgs);
	if (err)
		complain("Dump terminated");
	else
		print_all(session->opts, &filter, &msgs, slot);
	nexthop_info_free();
	nl_msgs_free(&msgs);
	return err;
}
