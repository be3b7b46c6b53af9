// SPDX-License-Identifier: GPL-2.0-only
/*
 * route_print.c - an RTM_NEWROUTE message as iproute2 prints it
 *
 * Of encaps only ours is decoded; of others the type word is shown.
 */
#include <arpa/inet.h>
#include <string.h>
#include <unistd.h>
#include <linux/lwtunnel.h>

#include "names.h"
#include "nexthop.h"
#include "route.h"

#define TB_SIZE		(RTA_NH_ID + 1)
#define HZ_USER		((int)sysconf(_SC_CLK_TCK))

#ifndef RTNH_F_TRAP
#define RTNH_F_TRAP	64
#endif

struct flag_name {
	uint32_t flag;
	const char *name;
};

static const struct flag_name flag_names[] = {
	{ RTNH_F_DEAD,		"dead" },
	{ RTNH_F_ONLINK,	"onlink" },
	{ RTNH_F_PERVASIVE,	"pervasive" },
	{ RTNH_F_OFFLOAD,	"offload" },
	{ RTNH_F_TRAP,		"trap" },
	{ RTM_F_NOTIFY,		"notify" },
	{ RTNH_F_LINKDOWN,	"linkdown" },
	{ RTNH_F_UNRESOLVED,	"unresolved" },
	{ RTM_F_OFFLOAD,	"rt_offload" },
	{ RTM_F_TRAP,		"rt_trap" },
};

static const char *const encap_types[] = {
	"none", "mpls", "ip", "ila", "ip6", "seg6", "bpf", "seg6local", "rpl",
	"ioam6", "xfrm",
};

/* Index attributes by type; those shorter than @min[type] are passed over. */
static void index_attrs(const struct nlattr *attr, const char *end,
			const struct nlattr *tb[TB_SIZE])
{
	static const uint8_t min[TB_SIZE] = {
		[RTA_DST] = 16, [RTA_SRC] = 16, [RTA_GATEWAY] = 16,
		[RTA_PREFSRC] = 16, [RTA_OIF] = 4, [RTA_PRIORITY] = 4,
		[RTA_TABLE] = 4, [RTA_ENCAP_TYPE] = 2, [RTA_PREF] = 1,
		[RTA_NH_ID] = 4, [RTA_IIF] = 4,
		[RTA_CACHEINFO] = sizeof(struct rta_cacheinfo),
	};
	unsigned int type;

	memset(tb, 0, TB_SIZE * sizeof(*tb));
	for (; mnl_attr_ok(attr, end - (const char *)attr);
	     attr = mnl_attr_next(attr)) {
		type = mnl_attr_get_type(attr);
		if (type < TB_SIZE &&
		    mnl_attr_get_payload_len(attr) >= min[type])
			tb[type] = attr;
	}
}

static void print_prefix(struct out *out, const char *label, const char *key,
			 const struct nlattr *attr, uint8_t len)
{
	char addr[INET6_ADDRSTRLEN], text[INET6_ADDRSTRLEN + 8];
	struct in6_addr any = IN6ADDR_ANY_INIT;

	inet_ntop(AF_INET6, attr ? mnl_attr_get_payload(attr) : &any, addr,
		  sizeof(addr));
	if (!attr && !len)
		snprintf(text, sizeof(text), "default");
	else if (len == 128)
		snprintf(text, sizeof(text), "%s", addr);
	else
		snprintf(text, sizeof(text), "%s/%u", addr, len);
	out_str(out, label, key, text);
}

void print_encap(struct out *out, const struct nlattr *payload,
		 const struct nlattr *type_attr, uint16_t slot)
{
	uint16_t type = mnl_attr_get_u16(type_attr);
	struct encap encap;
	const char *name;

	if (slot && type == slot)
		name = ENCAP_NAME;
	else if (type < MNL_ARRAY_SIZE(encap_types))
		name = encap_types[type];
	else
		name = "unknown";
	out_text(out, " encap %s ", name);
	out_open(out, '{', "encap");
	out_str(out, NULL, "encap_type", name);
	if (slot && type == slot) {
		encap_get(&encap, payload);
		encap_print(out, &encap);
	}
	out_close(out, '}');
}

static void print_address(struct out *out, const char *label, const char *key,
			  const struct nlattr *attr)
{
	char text[INET6_ADDRSTRLEN];

	inet_ntop(AF_INET6, mnl_attr_get_payload(attr), text, sizeof(text));
	out_str(out, label, key, text);
}

void print_flags(struct out *out, uint32_t flags)
{
	unsigned int i;

	out_open(out, '[', "flags");
	for (i = 0; i < MNL_ARRAY_SIZE(flag_names); i++) {
		if (!(flags & flag_names[i].flag))
			continue;
		out_text(out, "%s ", flag_names[i].name);
		out_item(out, flag_names[i].name);
	}
	out_close(out, ']');
}

static void print_pref(struct out *out, uint8_t pref)
{
	static const char *const names[] = { "medium", "high", NULL, "low" };
	const char *name = pref < 4 ? names[pref] : NULL;

	/* The last word of a line has no blank behind it. */
	if (name) {
		out_text(out, "pref %s", name);
		out_str(out, NULL, "pref", name);
	} else {
		out_text(out, "pref %u", pref);
		out_uint(out, NULL, "pref", pref);
	}
}

static void print_nexthop(struct out *out, const struct rtnexthop *nh,
			  uint16_t slot)
{
	const char *end = (const char *)nh + nh->rtnh_len;
	const struct nlattr *tb[TB_SIZE];
	char buf[NAME_SIZE];

	index_attrs((const struct nlattr *)RTNH_DATA(nh), end, tb);
	out_text(out, "%s\tnexthop ", out->oneline ? "\\" : "\n");
	out_open(out, '{', NULL);
	if (tb[RTA_ENCAP] && tb[RTA_ENCAP_TYPE])
		print_encap(out, tb[RTA_ENCAP], tb[RTA_ENCAP_TYPE], slot);
	if (tb[RTA_GATEWAY])
		print_address(out, "via", "gateway", tb[RTA_GATEWAY]);
	out_str(out, "dev", "dev", device_name(nh->rtnh_ifindex, buf));
	out_uint(out, "weight", "weight", nh->rtnh_hops + 1);
	print_flags(out, nh->rtnh_flags);
	out_close(out, '}');
}

static void print_multipath(struct out *out, const struct nlattr *attr,
			    uint16_t slot)
{
	const struct rtnexthop *nh = mnl_attr_get_payload(attr);
	size_t left = mnl_attr_get_payload_len(attr);
	size_t step;

	out_open(out, '[', "nexthops");
	while (left >= sizeof(*nh) && nh->rtnh_len >= sizeof(*nh) &&
	       nh->rtnh_len <= left) {
		print_nexthop(out, nh, slot);
		step = RTNH_ALIGN(nh->rtnh_len);
		if (step >= left)
			break;
		left -= step;
		nh = (const struct rtnexthop *)((const char *)nh + step);
	}
	out_close(out, ']');
}

/* Where it leads, up to the device. */
static void print_destination(struct out *out, const struct rtmsg *rtm,
			      const struct nlattr *tb[TB_SIZE], uint16_t slot,
			      const struct route_hidden *hidden)
{
	const char *type = route_type_name(rtm->rtm_type);
	char buf[NAME_SIZE];

	if (!type || out->numeric) {
		snprintf(buf, sizeof(buf), "%u", rtm->rtm_type);
		type = buf;
	}
	if (rtm->rtm_type != RTN_UNICAST || out->details)
		out_str(out, "", "type", type);
	print_prefix(out, "", "dst", tb[RTA_DST], rtm->rtm_dst_len);
	if (tb[RTA_SRC] || rtm->rtm_src_len)
		print_prefix(out, "from", "from", tb[RTA_SRC],
			     rtm->rtm_src_len);
	if (tb[RTA_NH_ID])
		out_uint(out, "nhid", "nhid", mnl_attr_get_u32(tb[RTA_NH_ID]));
	if (tb[RTA_ENCAP] && tb[RTA_ENCAP_TYPE])
		print_encap(out, tb[RTA_ENCAP], tb[RTA_ENCAP_TYPE], slot);
	if (tb[RTA_GATEWAY] && !hidden->via)
		print_address(out, "via", "gateway", tb[RTA_GATEWAY]);
	if (tb[RTA_OIF] && !hidden->dev)
		out_str(out, "dev", "dev",
			device_name(mnl_attr_get_u32(tb[RTA_OIF]), buf));
}

/* Where it belongs, up to its priority. */
static void print_attributes(struct out *out, const struct rtmsg *rtm,
			     const struct nlattr *tb[TB_SIZE],
			     const struct route_hidden *hidden)
{
	const bool numeric = out->numeric;
	uint32_t table = rtm->rtm_table;
	char buf[NAME_SIZE];

	if (tb[RTA_TABLE])
		table = mnl_attr_get_u32(tb[RTA_TABLE]);
	if ((table != RT_TABLE_MAIN || out->details) && !hidden->table)
		out_str(out, "table", "table",
			number_to_name(NAME_TABLE, table, numeric, buf));
	if ((rtm->rtm_protocol != RTPROT_BOOT || out->details) &&
	    !hidden->proto)
		out_str(out, "proto", "protocol",
			number_to_name(NAME_PROTO, rtm->rtm_protocol, numeric,
				       buf));
	if ((rtm->rtm_scope != RT_SCOPE_UNIVERSE || out->details) &&
	    !hidden->scope)
		out_str(out, "scope", "scope",
			number_to_name(NAME_SCOPE, rtm->rtm_scope, numeric,
				       buf));
	if (tb[RTA_PREFSRC] && !hidden->src)
		print_address(out, "src", "prefsrc", tb[RTA_PREFSRC]);
	if (tb[RTA_PRIORITY] && !hidden->metric)
		out_uint(out, "metric", "metric",
			 mnl_attr_get_u32(tb[RTA_PRIORITY]));
}

static void print_cacheinfo(struct out *out, const struct nlattr *attr)
{
	const struct rta_cacheinfo *info = mnl_attr_get_payload(attr);
	int hz = HZ_USER;

	if (info->rta_expires) {
		out_text(out, "expires %dsec ",
			 (int)info->rta_expires / (hz > 0 ? hz : 100));
		out_uint(out, NULL, "expires",
			 info->rta_expires / (hz > 0 ? hz : 100));
	}
	if (info->rta_error) {
		out_text(out, "error %d ", (int)info->rta_error);
		out_uint(out, NULL, "error", info->rta_error);
	}
}

bool route_printable(const struct nlmsghdr *msg)
{
	const struct rtmsg *rtm = mnl_nlmsg_get_payload(msg);

	return msg->nlmsg_type == RTM_NEWROUTE &&
	       mnl_nlmsg_get_payload_len(msg) >= sizeof(*rtm) &&
	       rtm->rtm_family == AF_INET6;
}

void print_deleted(struct out *out, bool deleted)
{
	if (!deleted)
		return;
	out_text(out, "Deleted ");
	out_true(out, "deleted");
}

void route_print(struct out *out, const struct nlmsghdr *msg, uint16_t slot,
		 const struct route_hidden *hidden)
{
	const struct rtmsg *rtm = mnl_nlmsg_get_payload(msg);
	const struct nlattr *tb[TB_SIZE];
	char buf[NAME_SIZE];

	index_attrs(mnl_nlmsg_get_payload_offset(msg, sizeof(*rtm)),
		    mnl_nlmsg_get_payload_tail(msg), tb);
	out_open(out, '{', NULL);
	print_deleted(out, msg->nlmsg_type == RTM_DELROUTE);
	print_destination(out, rtm, tb, slot, hidden);
	print_attributes(out, rtm, tb, hidden);
	print_flags(out, rtm->rtm_flags);
	if (tb[RTA_CACHEINFO])
		print_cacheinfo(out, tb[RTA_CACHEINFO]);
	if (tb[RTA_METRICS])
		metrics_print(out, tb[RTA_METRICS]);
	if (tb[RTA_IIF])
		out_str(out, "iif", "iif",
			device_name(mnl_attr_get_u32(tb[RTA_IIF]), buf));
	if (tb[RTA_PREF])
		print_pref(out, mnl_attr_get_u8(tb[RTA_PREF]));
	if (tb[RTA_NH_ID] && out->details)
		nexthop_info_print(out, mnl_attr_get_u32(tb[RTA_NH_ID]), slot);
	if (tb[RTA_MULTIPATH])
		print_multipath(out, tb[RTA_MULTIPATH], slot);
	out_text(out, "\n");
	out_close(out, '}');
}
