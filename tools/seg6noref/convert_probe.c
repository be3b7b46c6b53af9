// SPDX-License-Identifier: GPL-2.0-only
/*
 * convert_probe.c - what the kernel's own encap takes, but does not keep
 *
 * It passes over what an action does not use, or what this kernel does not know
 * yet: flavors of End.T, counters on old ones.  Whether it does is found out
 * in a network namespace that nobody else sees and that goes with its socket:
 * a route is made there and looked at.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <net/if.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../../module/uapi.h"
#include "convert.h"
#include "encap.h"

#define REQUEST_SIZE	8192
/* The only device of a new namespace. */
#define LOOPBACK	1
/* Stands for our encap in a request that is to be rewritten. */
#define PRIVATE_TYPE	UINT16_MAX

/* What matters about an encap, and what became of it. */
struct shape {
	uint32_t present;
	uint32_t action;
	uint64_t flavors;
	bool has_lblen;
	bool has_nflen;
	bool kept;
	char why[256];
};

struct probe {
	struct nl nl;
	struct shape *shapes;
	size_t count;
	const char *why;	/* of the last that was not kept */
};

static int link_up(struct nl *nl)
{
	char buf[256] __attribute__((aligned(8)));
	struct ifinfomsg *ifi;
	struct nlmsghdr *nlh;

	nlh = mnl_nlmsg_put_header(buf);
	nlh->nlmsg_type = RTM_NEWLINK;
	ifi = mnl_nlmsg_put_extra_header(nlh, sizeof(*ifi));
	ifi->ifi_index = LOOPBACK;
	ifi->ifi_flags = IFF_UP;
	ifi->ifi_change = IFF_UP;
	return nl_request(nl, nlh);
}

/* A socket in a namespace of its own; this process comes back. */
static int open_inside(struct nl *nl)
{
	int home = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	int err;

	if (home < 0 || unshare(CLONE_NEWNET)) {
		complain("Error: cannot make a network namespace to try the kernel's %s in: %s.",
			 STOCK_NAME, strerror(errno));
		if (home >= 0)
			close(home);
		return EXIT_KERNEL;
	}
	err = nl_open(nl);
	if (setns(home, CLONE_NEWNET)) {
		complain("Error: cannot go back to the network namespace: %s.",
			 strerror(errno));
		err = EXIT_KERNEL;
	}
	close(home);
	return err ? err : link_up(nl);
}

struct probe *probe_open(void)
{
	struct probe *probe = calloc(1, sizeof(*probe));

	if (!probe) {
		complain("Error: out of memory.");
		return NULL;
	}
	if (!open_inside(&probe->nl))
		return probe;
	probe_close(probe);
	return NULL;
}

void probe_close(struct probe *probe)
{
	if (!probe)
		return;
	nl_close(&probe->nl);
	free(probe->shapes);
	free(probe);
}

/*
 * What can be tried where nothing else exists: without VRFs and programs, which
 * are given to actions that have no flavors.
 */
static void encap_reduce(struct encap *encap)
{
	uint32_t keep = 1u << SEG6NR_A_ACTION | 1u << SEG6NR_A_COUNTERS;

	encap->packets = 0;
	encap->bytes = 0;
	encap->errors = 0;
	if (encap_has(encap, SEG6NR_A_VRFTABLE) ||
	    encap_has(encap, SEG6NR_A_BPF)) {
		encap->present &= keep;
		encap->action = SEG6NR_ACT_END;
	}
	if (encap_has(encap, SEG6NR_A_OIF))
		encap->oif = LOOPBACK;
}

static void put_route(struct nlmsghdr *nlh)
{
	static const struct in6_addr dst = { .s6_addr = { 0xfc, [15] = 1 } };
	struct rtmsg *rtm;

	rtm = mnl_nlmsg_put_extra_header(nlh, sizeof(*rtm));
	rtm->rtm_family = AF_INET6;
	rtm->rtm_dst_len = 128;
	rtm->rtm_table = RT_TABLE_MAIN;
	rtm->rtm_protocol = RTPROT_BOOT;
	rtm->rtm_type = RTN_UNICAST;
	mnl_attr_put(nlh, RTA_DST, sizeof(dst), &dst);
	mnl_attr_put_u32(nlh, RTA_OIF, LOOPBACK);
}

static bool ask(struct probe *probe, struct nlmsghdr *nlh, struct shape *shape)
{
	const struct nlmsghdr *answer;

	if (nl_ask(&probe->nl, nlh, &answer)) {
		snprintf(shape->why, sizeof(shape->why), "it cannot be tried");
		return false;
	}
	return !extack_text(answer, shape->why, sizeof(shape->why));
}

static bool route_add(struct probe *probe, const struct encap *encap,
		      struct shape *shape)
{
	char buf[2][REQUEST_SIZE] __attribute__((aligned(8)));
	struct rewrite rw = { .from = PRIVATE_TYPE, .to = STOCK_SLOT };
	struct nlmsghdr *nlh;

	nlh = mnl_nlmsg_put_header(buf[0]);
	nlh->nlmsg_type = RTM_NEWROUTE;
	nlh->nlmsg_flags = NLM_F_CREATE | NLM_F_EXCL;
	put_route(nlh);
	rewrite_init(&rw, buf[1], REQUEST_SIZE);
	if (!encap_put(nlh, REQUEST_SIZE, encap, RTA_ENCAP) ||
	    !mnl_attr_put_u16_check(nlh, REQUEST_SIZE, RTA_ENCAP_TYPE,
				    PRIVATE_TYPE) ||
	    !rewrite_request(&rw, nlh)) {
		snprintf(shape->why, sizeof(shape->why), "it cannot be tried");
		return false;
	}
	return ask(probe, rw.nlh, shape);
}

static void route_del(struct probe *probe)
{
	char buf[256] __attribute__((aligned(8)));
	struct shape ignored;
	struct nlmsghdr *nlh;

	nlh = mnl_nlmsg_put_header(buf);
	nlh->nlmsg_type = RTM_DELROUTE;
	put_route(nlh);
	ask(probe, nlh, &ignored);
}

static bool take_encap(void *arg, const struct nlattr *payload)
{
	encap_get_stock(arg, payload);
	return true;
}

/* The encap as the kernel shows it: of the only route that has one. */
static bool route_get(struct probe *probe, struct encap *encap)
{
	char buf[256] __attribute__((aligned(8)));
	const struct nlmsghdr *msg = NULL;
	struct nl_msgs msgs = { 0 };
	struct nlmsghdr *nlh;
	struct rtmsg *rtm;
	bool found = false;

	nlh = mnl_nlmsg_put_header(buf);
	nlh->nlmsg_type = RTM_GETROUTE;
	rtm = mnl_nlmsg_put_extra_header(nlh, sizeof(*rtm));
	rtm->rtm_family = AF_INET6;
	if (!nl_dump(&probe->nl, nlh, &msgs))
		while (!found && (msg = nl_msgs_next(&msgs, msg)))
			found = msg->nlmsg_type == RTM_NEWROUTE &&
				message_encaps(msg, STOCK_SLOT, take_encap,
					       encap);
	nl_msgs_free(&msgs);
	return found;
}

static bool lost(struct shape *shape, const char *word)
{
	snprintf(shape->why, sizeof(shape->why),
		 "%s: this kernel's %s takes it here and does not keep it",
		 word, STOCK_NAME);
	return false;
}

static bool compare(const struct encap *want, const struct encap *got,
		    struct shape *shape)
{
	unsigned int type, bit;

	for (type = 1; type <= SEG6NR_A_MAX; type++)
		if (encap_has(want, type) && !encap_has(got, type))
			return lost(shape, encap_word(type));
	for (bit = 0; bit < FLAVOR_END; bit++)
		if (want->flavors & ~got->flavors & FLAVOR_BIT(bit))
			return lost(shape, flavor_name(bit) ? : "a flavor");
	if (want->has_lblen && want->lblen != got->lblen)
		return lost(shape, "lblen");
	if (want->has_nflen && want->nflen != got->nflen)
		return lost(shape, "nflen");
	return want->action == got->action || lost(shape, "action");
}

static void shape_try(struct probe *probe, const struct encap *encap,
		      struct shape *shape)
{
	struct encap got = { 0 };

	if (!route_add(probe, encap, shape))
		return;
	if (route_get(probe, &got))
		shape->kept = compare(encap, &got, shape);
	else
		lost(shape, "encap");
	route_del(probe);
}

static struct shape *shape_find(struct probe *probe, const struct encap *encap)
{
	struct shape *shape, *grown;
	size_t i;

	for (i = 0; i < probe->count; i++) {
		shape = &probe->shapes[i];
		if (shape->present == encap->present &&
		    shape->action == encap->action &&
		    shape->flavors == encap->flavors &&
		    shape->has_lblen == encap->has_lblen &&
		    shape->has_nflen == encap->has_nflen)
			return shape;
	}
	grown = realloc(probe->shapes, (i + 1) * sizeof(*grown));
	if (!grown)
		return NULL;
	probe->shapes = grown;
	probe->count++;
	shape = &grown[i];
	*shape = (struct shape){
		.present = encap->present, .action = encap->action,
		.flavors = encap->flavors, .has_lblen = encap->has_lblen,
		.has_nflen = encap->has_nflen,
	};
	shape_try(probe, encap, shape);
	return shape;
}

static bool encap_kept(void *arg, const struct nlattr *payload)
{
	struct probe *probe = arg;
	const struct shape *shape;
	struct encap encap;

	encap_get_stock(&encap, payload);
	encap_reduce(&encap);
	shape = shape_find(probe, &encap);
	probe->why = shape ? shape->why : "out of memory";
	return shape && shape->kept;
}

bool probe_message(struct probe *probe, const struct nlmsghdr *req,
		   const char **why)
{
	if (message_encaps(req, STOCK_SLOT, encap_kept, probe))
		return true;
	*why = probe->why;
	return false;
}
