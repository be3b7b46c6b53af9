// SPDX-License-Identifier: GPL-2.0-only
/*
 * route_build.c - struct route as RTM_NEWROUTE or RTM_DELROUTE
 */
#include <sys/socket.h>

#include "route.h"

/* Attributes of the route proper; flags and fixed fields are elsewhere. */
static bool put_attributes(struct nlmsghdr *nlh, size_t size,
			   const struct route *route)
{
	const uint32_t seen = route->seen;
	bool good = true;

	if (route->dst.len)
		good &= mnl_attr_put_check(nlh, size, RTA_DST, 16,
					   &route->dst.addr);
	if (route->src.len)
		good &= mnl_attr_put_check(nlh, size, RTA_SRC, 16,
					   &route->src.addr);
	if (seen & R_VIA)
		good &= mnl_attr_put_check(nlh, size, RTA_GATEWAY, 16,
					   &route->gateway);
	if (seen & R_SRC)
		good &= mnl_attr_put_check(nlh, size, RTA_PREFSRC, 16,
					   &route->prefsrc);
	if (seen & R_DEV)
		good &= mnl_attr_put_u32_check(nlh, size, RTA_OIF, route->oif);
	if (seen & R_METRIC)
		good &= mnl_attr_put_u32_check(nlh, size, RTA_PRIORITY,
					       route->priority);
	if (seen & R_EXPIRES)
		good &= mnl_attr_put_u32_check(nlh, size, RTA_EXPIRES,
					       route->expires);
	if (seen & R_PREF)
		good &= mnl_attr_put_u8_check(nlh, size, RTA_PREF,
					      route->pref);
	if (seen & R_NHID)
		good &= mnl_attr_put_u32_check(nlh, size, RTA_NH_ID,
					       route->nhid);
	return good && metrics_put(nlh, size, &route->metrics);
}

static uint32_t table_of(const struct route *route)
{
	if (route->seen & R_TABLE)
		return route->table;
	if (route->type == RTN_LOCAL || route->type == RTN_BROADCAST ||
	    route->type == RTN_ANYCAST)
		return RT_TABLE_LOCAL;
	return RT_TABLE_MAIN;
}

/* A deletion leaves open what was not given; the kernel then does not match. */
static void fill_header(struct rtmsg *rtm, const struct route *route,
			uint16_t msg_type)
{
	const bool delete = msg_type == RTM_DELROUTE;
	const uint32_t seen = route->seen;

	rtm->rtm_family = AF_INET6;
	rtm->rtm_dst_len = route->dst.len;
	rtm->rtm_src_len = route->src.len;
	rtm->rtm_flags = seen & R_ONLINK ? RTNH_F_ONLINK : 0;
	rtm->rtm_scope = delete ? RT_SCOPE_NOWHERE : RT_SCOPE_UNIVERSE;
	if (seen & R_SCOPE)
		rtm->rtm_scope = route->scope;
	if (!delete || (seen & R_TYPE))
		rtm->rtm_type = route->type;
	if (!delete)
		rtm->rtm_protocol = RTPROT_BOOT;
	if (seen & R_PROTO)
		rtm->rtm_protocol = route->protocol;
}

bool route_build(struct nlmsghdr *nlh, size_t size, const void *what,
		 uint16_t slot)
{
	const struct route *route = what;
	uint32_t table = table_of(route);
	struct rtmsg *rtm;

	rtm = mnl_nlmsg_put_extra_header(nlh, sizeof(*rtm));
	fill_header(rtm, route, nlh->nlmsg_type);
	rtm->rtm_table = table < 256 ? table : RT_TABLE_UNSPEC;
	if (table >= 256 &&
	    !mnl_attr_put_u32_check(nlh, size, RTA_TABLE, table))
		return false;
	if (!put_attributes(nlh, size, route))
		return false;
	if ((route->seen & R_HOPS) &&
	    !hops_put(nlh, size, &route->hops, slot))
		return false;
	if (!(route->seen & R_ENCAP))
		return true;
	return encap_put(nlh, size, &route->encap, RTA_ENCAP) &&
	       mnl_attr_put_u16_check(nlh, size, RTA_ENCAP_TYPE, slot);
}
