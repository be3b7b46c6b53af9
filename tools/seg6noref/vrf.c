// SPDX-License-Identifier: GPL-2.0-only
/*
 * vrf.c - from the name of a VRF to its routing table
 */
#include <net/if.h>
#include <string.h>
#include <linux/if_link.h>

#include "nl.h"

/* The table in IFLA_LINKINFO, provided that its kind is vrf. */
uint32_t linkinfo_table(const struct nlattr *linkinfo)
{
	const struct nlattr *attr, *data = NULL;
	bool is_vrf = false;

	mnl_attr_for_each_nested(attr, linkinfo) {
		if (mnl_attr_get_type(attr) == IFLA_INFO_DATA)
			data = attr;
		else if (mnl_attr_get_type(attr) == IFLA_INFO_KIND)
			is_vrf = mnl_attr_get_payload_len(attr) >= 4 &&
				 !memcmp(mnl_attr_get_payload(attr), "vrf", 4);
	}
	if (!is_vrf || !data)
		return 0;
	mnl_attr_for_each_nested(attr, data)
		if (mnl_attr_get_type(attr) == IFLA_VRF_TABLE &&
		    mnl_attr_get_payload_len(attr) == sizeof(uint32_t))
			return mnl_attr_get_u32(attr);
	return 0;
}

static uint32_t link_table(const struct nlmsghdr *msg, int index)
{
	const struct ifinfomsg *ifi = mnl_nlmsg_get_payload(msg);
	const struct nlattr *attr;

	if (mnl_nlmsg_get_payload_len(msg) < sizeof(*ifi) ||
	    ifi->ifi_index != index)
		return 0;
	mnl_attr_for_each(attr, msg, sizeof(*ifi))
		if (mnl_attr_get_type(attr) == IFLA_LINKINFO)
			return linkinfo_table(attr);
	return 0;
}

uint32_t vrf_table(const char *name)
{
	char buf[256] __attribute__((aligned(8)));
	const struct nlmsghdr *msg = NULL;
	struct nl_msgs msgs = { 0 };
	struct ifinfomsg *ifi;
	struct nlmsghdr *nlh;
	uint32_t table = 0;
	struct nl nl;
	int index;

	index = if_nametoindex(name);
	if (!index || nl_open(&nl))
		return 0;
	nlh = mnl_nlmsg_put_header(buf);
	nlh->nlmsg_type = RTM_GETLINK;
	ifi = mnl_nlmsg_put_extra_header(nlh, sizeof(*ifi));
	ifi->ifi_index = index;
	if (!nl_query(&nl, nlh, &msgs))
		while (!table && (msg = nl_msgs_next(&msgs, msg)))
			table = link_table(msg, index);
	nl_msgs_free(&msgs);
	nl_close(&nl);
	return table;
}
