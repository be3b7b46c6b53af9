// SPDX-License-Identifier: GPL-2.0-only
/*
 * ready_read.c - devices and SIDs of this namespace
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/if_link.h>

#include "../../module/uapi.h"
#include "convert.h"
#include "module_state.h"
#include "ready.h"
#include "route_filter.h"

static void device_take(struct device *device, const struct nlmsghdr *msg)
{
	const struct ifinfomsg *ifi = mnl_nlmsg_get_payload(msg);
	const struct nlattr *attr;
	size_t len;

	device->index = ifi->ifi_index;
	device->up = ifi->ifi_flags & IFF_UP;
	device->loopback = ifi->ifi_flags & IFF_LOOPBACK;
	mnl_attr_for_each(attr, msg, sizeof(*ifi)) {
		len = mnl_attr_get_payload_len(attr);
		switch (mnl_attr_get_type(attr)) {
		case IFLA_IFNAME:
			snprintf(device->name, sizeof(device->name), "%.*s",
				 (int)len, mnl_attr_get_str(attr));
			break;
		case IFLA_MTU:
			if (len == sizeof(uint32_t))
				device->mtu = mnl_attr_get_u32(attr);
			break;
		case IFLA_LINKINFO:
			device->vrf_table = linkinfo_table(attr);
			break;
		}
	}
}

static int out_of_memory(void)
{
	complain("Error: out of memory.");
	return EXIT_KERNEL;
}

static int devices_read(struct ready *ready)
{
	char buf[256] __attribute__((aligned(8)));
	const struct nlmsghdr *msg = NULL;
	struct nl_msgs msgs = { 0 };
	struct nlmsghdr *nlh;
	struct device *grown;
	int err;

	nlh = mnl_nlmsg_put_header(buf);
	nlh->nlmsg_type = RTM_GETLINK;
	mnl_nlmsg_put_extra_header(nlh, sizeof(struct ifinfomsg));
	err = session_dump(ready->session, nlh, &msgs);
	while (!err && (msg = nl_msgs_next(&msgs, msg))) {
		if (mnl_nlmsg_get_payload_len(msg) < sizeof(struct ifinfomsg))
			continue;
		grown = realloc(ready->devices, (ready->device_count + 1) *
						sizeof(*grown));
		if (!grown) {
			err = out_of_memory();
			break;
		}
		ready->devices = grown;
		memset(&grown[ready->device_count], 0, sizeof(*grown));
		device_take(&grown[ready->device_count++], msg);
	}
	nl_msgs_free(&msgs);
	return err;
}

/* The route that is being looked at, and what was found so far. */
struct finder {
	struct ready *ready;
	const struct nlmsghdr *msg;
	bool ours;
};

static bool sid_take(void *arg, const struct nlattr *payload)
{
	const struct finder *finder = arg;
	const struct rtmsg *rtm = mnl_nlmsg_get_payload(finder->msg);
	struct ready *ready = finder->ready;
	struct route_key key;
	struct sid *grown, *sid;
	struct encap encap;
	uint32_t hmac_key;

	/* Doubling at the powers of two. */
	if (!(ready->sid_count & (ready->sid_count - 1))) {
		grown = realloc(ready->sids, (ready->sid_count * 2 + 1) *
					     sizeof(*grown));
		if (!grown)
			return false;
		ready->sids = grown;
	}
	sid = &ready->sids[ready->sid_count++];
	if (finder->ours)
		encap_get(&encap, payload);
	else
		encap_get_stock(&encap, payload);
	route_key_get(finder->msg, &key);
	sid->action = encap.action;
	sid->vrftable = encap.vrftable;
	sid->segments = encap.srh_len ? srh_segments(encap.srh) : 0;
	sid->hmac = encap.srh_len &&
		    srh_hmac(encap.srh, encap.srh_len, &hmac_key);
	sid->ours = finder->ours;
	sid->dst = key.dst;
	sid->len = rtm->rtm_dst_len;
	sid->type = rtm->rtm_type;
	sid->dev = key.dev;
	sid->flags = rtm->rtm_flags;
	return true;
}

static int sids_read(struct ready *ready)
{
	struct finder finder = { .ready = ready };

	while ((finder.msg = nl_msgs_next(&ready->routes, finder.msg))) {
		if (finder.msg->nlmsg_type != RTM_NEWROUTE ||
		    mnl_nlmsg_get_payload_len(finder.msg) <
		    sizeof(struct rtmsg))
			continue;
		finder.ours = false;
		if (ready->slot != STOCK_SLOT)
			message_encaps(finder.msg, STOCK_SLOT, sid_take,
				       &finder);
		finder.ours = true;
		if (ready->slot)
			message_encaps(finder.msg, ready->slot, sid_take,
				       &finder);
	}
	return EXIT_OK;
}

/* What is wrong here is said by the check of the module. */
static void slot_read(struct ready *ready)
{
	char text[32];

	ready->abi = -1;
	if (module_text("parameters/abi", text, sizeof(text)))
		ready->abi = atoi(text);
	if (ready->abi == SEG6NR_ABI_VERSION &&
	    module_text("parameters/encap_type", text, sizeof(text)))
		ready->slot = atoi(text);
}

int ready_read(struct ready *ready)
{
	int err;

	err = devices_read(ready);
	if (!err)
		err = route_dump(ready->session, &ready->routes);
	if (err)
		return err;
	slot_read(ready);
	return sids_read(ready);
}

void ready_free(struct ready *ready)
{
	nl_msgs_free(&ready->routes);
	free(ready->devices);
	free(ready->sids);
}
