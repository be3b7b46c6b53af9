// SPDX-License-Identifier: GPL-2.0-only
/*
 * ready_sids.c - SIDs that cannot work where they are
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "../../module/uapi.h"
#include "ready.h"
#include "route_filter.h"

/* More of a kind are counted, not shown. */
#define SHOWN_MAX	5

/* What any IPv6 link has to carry. */
#define MTU_MIN		1280
/* An IPv6 header, the fixed part of an SRH, and its HMAC. */
#define IPV6_LEN	40
#define SRH_LEN		8
#define HMAC_LEN	40

struct kind {
	const char *check;
	const char *remedy;
	const char *why;
	bool (*is)(const struct ready *ready, const struct sid *sid);
};

/* The kernel turns a route by the loopback device into one that rejects. */
static bool on_loopback(const struct ready *ready, const struct sid *sid)
{
	const struct device *device = ready_device(ready, sid->dev);

	return device && device->loopback && sid->type == RTN_UNICAST;
}

static bool is_dead(const struct ready *ready, const struct sid *sid)
{
	(void)ready;
	return sid->flags & (RTNH_F_DEAD | RTNH_F_LINKDOWN);
}

static int address_compare(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct in6_addr));
}

/* Addresses of this machine, by their routes. */
static struct in6_addr *local_addresses(const struct ready *ready,
					size_t *count)
{
	const struct nlmsghdr *msg = NULL;
	const struct rtmsg *rtm;
	struct in6_addr *addr;
	struct route_key key;
	size_t room = 1;

	*count = 0;
	while ((msg = nl_msgs_next(&ready->routes, msg)))
		room++;
	addr = calloc(room, sizeof(*addr));
	while (addr && (msg = nl_msgs_next(&ready->routes, msg))) {
		if (mnl_nlmsg_get_payload_len(msg) < sizeof(*rtm))
			continue;
		rtm = mnl_nlmsg_get_payload(msg);
		route_key_get(msg, &key);
		if (rtm->rtm_type == RTN_LOCAL && rtm->rtm_dst_len == 128 &&
		    rtm->rtm_protocol == RTPROT_KERNEL)
			addr[(*count)++] = key.dst;
	}
	if (addr)
		qsort(addr, *count, sizeof(*addr), address_compare);
	return addr;
}

static void sid_text(const struct sid *sid, char *text, size_t size)
{
	char addr[INET6_ADDRSTRLEN];

	inet_ntop(AF_INET6, &sid->dst, addr, sizeof(addr));
	snprintf(text, size, "%s/%u", addr, sid->len);
}

/* The SIDs of a kind, the first few by name. */
static bool check_kind(struct ready *ready, const struct kind *kind)
{
	char text[INET6_ADDRSTRLEN + 8];
	char list[512] = "";
	unsigned int count = 0;
	size_t i, len = 0;

	for (i = 0; i < ready->sid_count; i++) {
		if (!kind->is(ready, &ready->sids[i]) || count++ >= SHOWN_MAX)
			continue;
		sid_text(&ready->sids[i], text, sizeof(text));
		len += snprintf(list + len, sizeof(list) - len, "%s%s",
				len ? ", " : "", text);
	}
	if (count > SHOWN_MAX)
		snprintf(list + len, sizeof(list) - len, " and %u more",
			 count - SHOWN_MAX);
	if (count)
		ready_say(ready, kind->check, READY_PROBLEM, kind->remedy,
			  "%s: %s", list, kind->why);
	return count;
}

static const struct kind kinds[] = {
	{ "loopback", "seg6noref route replace SID encap ... dev DEVICE, with the device by which packets come, or a dummy one",
	  "the route goes by the loopback device, and the kernel makes it one that rejects all packets",
	  on_loopback },
	{ "device", "ip link set DEVICE up, or another device for the route",
	  "the device of the route is down", is_dead },
};

/* The table of local addresses is asked before all others. */
static bool check_local(struct ready *ready)
{
	char text[INET6_ADDRSTRLEN + 8];
	struct in6_addr *addr;
	bool any = false;
	size_t i, count;

	addr = local_addresses(ready, &count);
	for (i = 0; addr && i < ready->sid_count; i++) {
		if (ready->sids[i].len != 128 ||
		    !bsearch(&ready->sids[i].dst, addr, count, sizeof(*addr),
			     address_compare))
			continue;
		any = true;
		sid_text(&ready->sids[i], text, sizeof(text));
		ready_say(ready, "address", READY_PROBLEM,
			  "ip -6 addr del ADDRESS dev DEVICE, or another SID",
			  "%s is an address of this machine as well, which comes first: packets to it are taken in and its SID does not see them",
			  text);
	}
	free(addr);
	return any;
}

void check_sids(struct ready *ready)
{
	bool any = check_local(ready);
	size_t i;

	for (i = 0; i < MNL_ARRAY_SIZE(kinds); i++)
		any |= check_kind(ready, &kinds[i]);
	if (!any)
		ready_say(ready, "SIDs", READY_OK, NULL,
			  "none that cannot work where it is");
}

/* By how much a packet grows in a policy. */
static uint32_t growth(const struct sid *sid)
{
	uint32_t len = SRH_LEN + 16 * sid->segments;

	if (!sid->segments)
		return 0;
	if (sid->action == SEG6NR_ACT_END_B6_ENCAPS)
		len += IPV6_LEN;
	return sid->hmac ? len + HMAC_LEN : len;
}

/* The device that carries least. */
static const struct device *narrowest(const struct ready *ready)
{
	const struct device *device = NULL;
	size_t i;

	for (i = 0; i < ready->device_count; i++)
		if (ready->devices[i].up && !ready->devices[i].loopback &&
		    ready->devices[i].mtu >= MTU_MIN &&
		    (!device || ready->devices[i].mtu < device->mtu))
			device = &ready->devices[i];
	return device;
}

void check_mtu(struct ready *ready)
{
	const struct device *device = narrowest(ready);
	const struct sid *worst = NULL;
	char text[INET6_ADDRSTRLEN + 8];
	size_t i;

	for (i = 0; i < ready->sid_count; i++)
		if (!worst || growth(&ready->sids[i]) > growth(worst))
			worst = &ready->sids[i];
	if (!worst || !growth(worst) || !device)
		return;
	sid_text(worst, text, sizeof(text));
	if (device->mtu < MTU_MIN + growth(worst))
		ready_say(ready, "mtu", READY_PROBLEM,
			  "a larger MTU on the devices between SRv6 nodes, by the length of the longest policy",
			  "%s makes packets %u octets longer, and %s carries %u: even a packet of %u octets, which any IPv6 link has to carry, does not fit",
			  text, growth(worst), device->name, device->mtu,
			  MTU_MIN);
	else
		ready_say(ready, "mtu", READY_OK, NULL,
			  "%s makes packets %u octets longer: of those that leave by %s, the narrowest device, none may have been longer than %u",
			  text, growth(worst), device->name,
			  device->mtu - growth(worst));
}
