// SPDX-License-Identifier: GPL-2.0-only
/*
 * nexthop_show.c - nexthop objects in the format of `ip nexthop show'
 */
#include <arpa/inet.h>
#include <string.h>
#include <sys/socket.h>
#include <linux/rtnetlink.h>

#include "nexthop.h"
#include "route.h"
#include "slot.h"
#include "value.h"

#define TB_SIZE		(NHA_FDB + 1)

struct nexthop_filter {
	uint32_t id;
	uint32_t dev;
};

static void index_attrs(const struct nlmsghdr *msg,
			const struct nlattr *tb[TB_SIZE])
{
	static const uint8_t min[TB_SIZE] = {
		[NHA_ID] = 4, [NHA_GROUP_TYPE] = 2, [NHA_OIF] = 4,
		[NHA_ENCAP_TYPE] = 2, [NHA_GATEWAY] = 4,
	};
	const struct nlattr *attr;
	unsigned int type;

	memset(tb, 0, TB_SIZE * sizeof(*tb));
	mnl_attr_for_each(attr, msg, sizeof(struct nhmsg)) {
		type = mnl_attr_get_type(attr);
		if (type < TB_SIZE &&
		    mnl_attr_get_payload_len(attr) >= min[type])
			tb[type] = attr;
	}
}

static void print_group(struct out *out, const struct nlattr *attr)
{
	const struct nexthop_grp *entry = mnl_attr_get_payload(attr);
	size_t count = mnl_attr_get_payload_len(attr) / sizeof(*entry);
	size_t i;

	out_text(out, "group ");
	out_open(out, '[', "group");
	for (i = 0; i < count; i++) {
		out_text(out, "%s%u", i ? "/" : "", entry[i].id);
		if (entry[i].weight)
			out_text(out, ",%u", entry[i].weight + 1u);
		out_open(out, '{', NULL);
		out_uint(out, NULL, "id", entry[i].id);
		if (entry[i].weight)
			out_uint(out, NULL, "weight", entry[i].weight + 1u);
		out_close(out, '}');
	}
	out_text(out, " ");
	out_close(out, ']');
}

/* Groups over several paths by hash are the rule and go without a word. */
static void print_group_type(struct out *out, const struct nlattr *attr)
{
	uint16_t type = mnl_attr_get_u16(attr);
	char number[16];

	if (type == NEXTHOP_GRP_TYPE_MPATH)
		return;
	snprintf(number, sizeof(number), "%u", type);
	out_str(out, "type", "type", type == 1 ? "resilient" : number);
}

static void print_gateway(struct out *out, const struct nlattr *attr,
			  uint8_t family)
{
	char text[INET6_ADDRSTRLEN];

	if (family != AF_INET && mnl_attr_get_payload_len(attr) < 16)
		return;
	inet_ntop(family == AF_INET ? AF_INET : AF_INET6,
		  mnl_attr_get_payload(attr), text, sizeof(text));
	out_str(out, "via", "gateway", text);
}

static void print_fixed(struct out *out, const struct nhmsg *nhm)
{
	char buf[NAME_SIZE];

	if (nhm->nh_scope != RT_SCOPE_UNIVERSE || out->details)
		out_str(out, "scope", "scope",
			number_to_name(NAME_SCOPE, nhm->nh_scope, out->numeric,
				       buf));
}

static void print_protocol(struct out *out, const struct nhmsg *nhm)
{
	char buf[NAME_SIZE];

	if (nhm->nh_protocol != RTPROT_UNSPEC || out->details)
		out_str(out, "proto", "protocol",
			number_to_name(NAME_PROTO, nhm->nh_protocol,
				       out->numeric, buf));
}

/* A flag of the object: a word alone, null in JSON. */
static void print_word(struct out *out, const struct nlattr *attr,
		       const char *word)
{
	if (!attr)
		return;
	out_text(out, "%s ", word);
	out_null(out, word);
}

void nexthop_print_fields(struct out *out, const struct nlmsghdr *msg,
			  uint16_t slot)
{
	const struct nhmsg *nhm = mnl_nlmsg_get_payload(msg);
	const struct nlattr *tb[TB_SIZE];
	char buf[NAME_SIZE];

	index_attrs(msg, tb);
	if (tb[NHA_ID])
		out_uint(out, "id", "id", mnl_attr_get_u32(tb[NHA_ID]));
	if (tb[NHA_GROUP])
		print_group(out, tb[NHA_GROUP]);
	if (tb[NHA_GROUP_TYPE])
		print_group_type(out, tb[NHA_GROUP_TYPE]);
	if (tb[NHA_ENCAP] && tb[NHA_ENCAP_TYPE])
		print_encap(out, tb[NHA_ENCAP], tb[NHA_ENCAP_TYPE], slot);
	if (tb[NHA_GATEWAY])
		print_gateway(out, tb[NHA_GATEWAY], nhm->nh_family);
	if (tb[NHA_OIF])
		out_str(out, "dev", "dev",
			device_name(mnl_attr_get_u32(tb[NHA_OIF]), buf));
	print_fixed(out, nhm);
	print_word(out, tb[NHA_BLACKHOLE], "blackhole");
	print_protocol(out, nhm);
	print_word(out, tb[NHA_FDB], "fdb");
	print_flags(out, nhm->nh_flags);
}

void nexthop_print(struct out *out, const struct nlmsghdr *msg, uint16_t slot)
{
	out_open(out, '{', NULL);
	print_deleted(out, msg->nlmsg_type == RTM_DELNEXTHOP);
	nexthop_print_fields(out, msg, slot);
	out_text(out, "\n");
	out_close(out, '}');
}

bool nexthop_printable(const struct nlmsghdr *msg)
{
	return msg->nlmsg_type == RTM_NEWNEXTHOP &&
	       mnl_nlmsg_get_payload_len(msg) >= sizeof(struct nhmsg);
}

static bool wanted(const struct nexthop_filter *filter,
		   const struct nlmsghdr *msg)
{
	const struct nlattr *tb[TB_SIZE];

	if (!nexthop_printable(msg))
		return false;
	index_attrs(msg, tb);
	if (filter->id &&
	    (!tb[NHA_ID] || mnl_attr_get_u32(tb[NHA_ID]) != filter->id))
		return false;
	return !filter->dev ||
	       (tb[NHA_OIF] && mnl_attr_get_u32(tb[NHA_OIF]) == filter->dev);
}

static int filter_parse(struct nexthop_filter *filter, struct cmdline *line)
{
	int err = EXIT_OK;

	memset(filter, 0, sizeof(*filter));
	while (!err && cmdline_peek(line)) {
		if (cmdline_accept(line, "id"))
			err = parse_u32(line, &filter->id, "invalid id value");
		else if (cmdline_accept(line, "dev"))
			err = parse_device(line, &filter->dev, EXIT_ADDRESS);
		else
			return complain_duplicate("id", cmdline_peek(line));
	}
	return err;
}

int nexthop_dump(struct session *session, struct nl_msgs *msgs)
{
	char buf[256] __attribute__((aligned(8)));
	struct nlmsghdr *nlh;

	nlh = mnl_nlmsg_put_header(buf);
	nlh->nlmsg_type = RTM_GETNEXTHOP;
	mnl_nlmsg_put_extra_header(nlh, sizeof(struct nhmsg));
	return session_dump(session, nlh, msgs);
}

int nexthop_show(struct session *session, struct cmdline *line)
{
	const struct nlmsghdr *msg = NULL;
	struct nl_msgs msgs = { 0 };
	struct nexthop_filter filter;
	struct out out;
	uint16_t slot;
	int err;

	device_names_forget();
	err = session_enter(session);
	if (!err)
		err = filter_parse(&filter, line);
	if (!err)
		err = slot_loaded(&slot);
	if (!err)
		err = nexthop_dump(session, &msgs);
	if (!err) {
		out_init(&out, stdout, session->opts);
		out_open(&out, '[', NULL);
		while ((msg = nl_msgs_next(&msgs, msg)))
			if (wanted(&filter, msg))
				nexthop_print(&out, msg, slot);
		out_close(&out, ']');
		if (out.json)
			fputc('\n', out.file);
	}
	nl_msgs_free(&msgs);
	return err;
}
