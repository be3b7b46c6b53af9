// SPDX-License-Identifier: GPL-2.0-only
/*
 * unit_convert.c - messages with one encap turned into messages with the other
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/nexthop.h>

#include "../../../module/uapi.h"
#include "../convert.h"
#include "unit.h"

#define E	"encap seg6local_noref action "
#define ROUNDS	20000
/* No attribute of a route that is known today. */
#define RTA_UNKNOWN	60

static const char *const words[] = {
	"fc00::1 " E "End dev lo",
	"fc00::/64 from fc01::/16 " E "End.X nh6 fe80::1 oif lo count flavors psp,next-csid "
	"lblen 32 nflen 16 metric 7 table 900 proto static mtu lock 1400 dev lo",
	"fc00::1 via fe80::2 dev lo onlink pref high src fc00::2 " E
	"End.B6.Encaps srh segs fc00::3,fc00::4 hmac 7 count",
	"fc00::1 nexthop via fc01::2 dev lo weight 3 " E "End.DX4 nh4 10.0.0.1 "
	"nexthop via fc01::3 dev lo nexthop via fc01::4 dev lo onlink " E
	"End.T table 7 flavors usd count",
};

static struct rewrite rewriting(uint16_t from, uint16_t to, size_t size)
{
	struct rewrite rw = { .from = from, .to = to };

	rewrite_init(&rw, calloc(1, NL_REQUEST_SIZE), size);
	return rw;
}

static bool equal(const struct nlmsghdr *a, const struct nlmsghdr *b)
{
	return a->nlmsg_len == b->nlmsg_len && !memcmp(a, b, a->nlmsg_len);
}

/* There and back it is the same message, octet by octet. */
static void test_round_trips(void)
{
	struct rewrite there, back;
	struct nlmsghdr *nlh;
	char name[300];
	size_t i;

	for (i = 0; i < MNL_ARRAY_SIZE(words); i++) {
		nlh = build_words("replace", words[i]);
		there = rewriting(TEST_SLOT, STOCK_SLOT, NL_REQUEST_SIZE);
		back = rewriting(STOCK_SLOT, TEST_SLOT, NL_REQUEST_SIZE);
		snprintf(name, sizeof(name), "to stock: %s", words[i]);
		check_true(name, rewrite_request(&there, nlh) &&
			   there.changed &&
			   message_encaps(there.nlh, STOCK_SLOT, NULL, NULL) &&
			   !message_encaps(there.nlh, TEST_SLOT, NULL, NULL));
		snprintf(name, sizeof(name), "and back: %s", words[i]);
		check_true(name, rewrite_request(&back, there.nlh) &&
			   equal(nlh, back.nlh));
		free(there.nlh);
		free(back.nlh);
		free(nlh);
	}
}

/* What became of a dumped route, in the words of its attributes. */
static void check_route(const char *name, const struct nlmsghdr *msg,
			size_t size, const char *want)
{
	struct rewrite rw = rewriting(TEST_SLOT, STOCK_SLOT, size);
	const struct nlattr *attr;
	char got[512];
	size_t len;

	if (!rewrite_route(&rw, msg)) {
		snprintf(got, sizeof(got), "refused: %s", rw.why);
	} else {
		len = snprintf(got, sizeof(got), "flags %x",
			       ((struct rtmsg *)
				mnl_nlmsg_get_payload(rw.nlh))->rtm_flags);
		mnl_attr_for_each(attr, rw.nlh, sizeof(struct rtmsg))
			len += snprintf(got + len, sizeof(got) - len, " %u:%u",
					mnl_attr_get_type(attr),
					mnl_attr_get_payload_len(attr));
	}
	check(name, want, got);
	rewrite_done(&rw);
	free(rw.nlh);
}

static struct nlmsghdr *dumped(const char *text, uint16_t type,
			       const void *data, size_t len)
{
	struct nlmsghdr *nlh = build_words("add", text);

	mnl_attr_put(nlh, type, len, data);
	return nlh;
}

static void test_dumps(void)
{
	const struct rta_cacheinfo expires = { .rta_expires = 12301 };
	const struct rta_cacheinfo expired = { .rta_expires = -5 };
	const struct rta_cacheinfo never = { .rta_lastuse = 3 };
	const char *route = "fc00::1 dev lo " E "End";
	struct nlmsghdr *nlh;
	struct rtmsg *rtm;

	nlh = dumped(route, RTA_CACHEINFO, &expires, sizeof(expires));
	rtm = mnl_nlmsg_get_payload(nlh);
	rtm->rtm_flags = RTNH_F_ONLINK | RTNH_F_LINKDOWN | RTM_F_OFFLOAD;
	check_route("flags and expiry of a dump", nlh, NL_REQUEST_SIZE,
		    "flags 4 1:16 4:4 22:8 21:2 23:4");
	free(nlh);
	nlh = dumped(route, RTA_CACHEINFO, &never, sizeof(never));
	check_route("without expiry", nlh, NL_REQUEST_SIZE,
		    "flags 0 1:16 4:4 22:8 21:2");
	check_route("too long", nlh, 64,
		    "refused: it does not fit into a message");
	free(nlh);
	nlh = dumped(route, RTA_CACHEINFO, &expired, sizeof(expired));
	check_route("expired", nlh, NL_REQUEST_SIZE, "refused: it has expired");
	free(nlh);
	nlh = dumped(route, RTA_UNKNOWN, "1234", 4);
	check_route("an attribute that nobody knows", nlh, NL_REQUEST_SIZE,
		    "refused: its attribute 60 is unknown to this program");
	free(nlh);
	nlh = build_words("add", "fc00::1 dev lo " E "End flavors replace-csid");
	check_route("replace-csid", nlh, NL_REQUEST_SIZE,
		    "refused: replace-csid: the kernel's seg6local has no such thing");
	free(nlh);
}

static bool take_encap(void *arg, const struct nlattr *payload)
{
	encap_get_stock(arg, payload);
	return true;
}

/* Counters of a dump have counted; those of a request have not. */
static void test_counters(void)
{
	struct rewrite rw = rewriting(TEST_SLOT, STOCK_SLOT, NL_REQUEST_SIZE);
	const uint64_t nine = 9, zero = 0;
	struct encap encap = { .packets = 1 };
	struct nlmsghdr *nlh;
	char *at;

	nlh = build_words("add", "fc00::1 dev lo " E "End count");
	at = memmem(nlh, nlh->nlmsg_len, "\x0c\0\2\0", 4);
	if (at && !memcmp(at + 4, &zero, sizeof(zero)))
		memcpy(at + 4, &nine, sizeof(nine));
	check_true("a dump that has counted",
		   at && memmem(nlh, nlh->nlmsg_len, &nine, sizeof(nine)));
	check_true("counters start anew", rewrite_route(&rw, nlh) &&
		   message_encaps(rw.nlh, STOCK_SLOT, take_encap, &encap) &&
		   encap_has(&encap, SEG6NR_A_COUNTERS) && !encap.packets);
	free(rw.nlh);
	free(nlh);
}

static void test_other_encaps(void)
{
	struct rewrite rw = rewriting(77, STOCK_SLOT, NL_REQUEST_SIZE);
	struct nlmsghdr *nlh = build_words("add", words[3]);

	check_true("an encap that may not be copied",
		   !rewrite_route(&rw, nlh) &&
		   strstr(rw.why, "cannot be carried over"));
	free(rw.nlh);
	free(nlh);
}

static void add_route(struct nl_msgs *msgs, const char *text)
{
	struct nlmsghdr *nlh = build_words("add", text);

	nlh->nlmsg_type = RTM_NEWROUTE;
	nl_msgs_add(msgs, nlh, nlh->nlmsg_len);
	free(nlh);
}

/* One letter for each route: whether it is the first of its kind. */
static void test_first(void)
{
	const struct nlmsghdr *msg = NULL, *run = NULL;
	struct nl_msgs msgs = { 0 };
	char got[16];
	size_t i = 0;

	add_route(&msgs, "fc00::1 dev lo metric 1 " E "End");
	add_route(&msgs, "fc00::1 dev lo metric 1 " E "End.T table 7");
	add_route(&msgs, "fc00::1 dev lo via fc01::1 metric 1 " E "End");
	add_route(&msgs, "fc00::1 dev lo via fc01::2 metric 1 " E "End");
	add_route(&msgs, "fc00::1 dev lo metric 2 " E "End");
	add_route(&msgs, "fc00::1 from fc05::/16 dev lo metric 2 " E "End");
	add_route(&msgs, "fc00::1 from fc06::/16 dev lo metric 2 " E "End");
	add_route(&msgs, "fc00::/64 dev lo metric 2 " E "End");
	add_route(&msgs, "fc00::/65 dev lo metric 2 " E "End");
	add_route(&msgs, "fc00::/65 dev lo table 5 metric 2 " E "End");
	while ((msg = nl_msgs_next(&msgs, msg))) {
		run = route_run(run, msg);
		got[i++] = route_is_first(&msgs, run, msg) ? 'y' : 'n';
	}
	got[i] = '\0';
	check("the first of several routes", "ynynyyyyyy", got);
	nl_msgs_free(&msgs);
}

static void add_object(struct nl_msgs *msgs, uint32_t id, const char *group)
{
	struct nexthop_grp entries[8] = { 0 };
	char buf[256] __attribute__((aligned(8)));
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buf);
	size_t i;

	nlh->nlmsg_type = RTM_NEWNEXTHOP;
	mnl_nlmsg_put_extra_header(nlh, sizeof(struct nhmsg));
	mnl_attr_put_u32(nlh, NHA_ID, id);
	for (i = 0; group[i]; i++)
		entries[i].id = group[i] - '0';
	if (i)
		mnl_attr_put(nlh, NHA_GROUP, i * sizeof(*entries), entries);
	nl_msgs_add(msgs, nlh, nlh->nlmsg_len);
}

static void add_use(struct objects *objects, const char *text, bool selected)
{
	struct nlmsghdr *nlh = build_words("add", text);

	objects_use(objects, nlh, selected);
	free(nlh);
}

static void test_objects(void)
{
	struct objects objects = { 0 };
	struct nl_msgs msgs = { 0 };
	char got[64] = "";
	size_t i, len = 0;

	add_object(&msgs, 5, "34");
	add_object(&msgs, 3, "");
	add_object(&msgs, 4, "");
	add_object(&msgs, 1, "");
	objects_index(&objects, &msgs);
	add_use(&objects, "fc00::1 nhid 5", true);
	add_use(&objects, "fc00::2 nhid 4", false);
	add_use(&objects, "fc00::3 nhid 9", true);
	for (i = 0; i < objects.count; i++)
		len += snprintf(got + len, sizeof(got) - len, "%u%s%s ",
				objects.object[i].id,
				objects.object[i].inside ? "i" : "",
				objects.object[i].outside ? "o" : "");
	check("objects by their routes", "1 3i 4io 5i ", got);
	objects_free(&objects);
	nl_msgs_free(&msgs);
}

/* The sanitizers are to find nothing. */
static void test_mutations(void)
{
	struct nlmsghdr *nlh, *copy;
	uint32_t seed = 20260229;
	struct rewrite rw;
	size_t len;
	int round;

	for (round = 0; round < ROUNDS; round++) {
		nlh = build_words("add", words[round % 4]);
		len = nlh->nlmsg_len;
		/* A block of its own, for its end to be noticed. */
		copy = malloc(len);
		memcpy(copy, nlh, len);
		seed = seed * 69069 + 1;
		((char *)copy)[MNL_NLMSG_HDRLEN + (seed >> 8) %
			       (len - MNL_NLMSG_HDRLEN)] = seed >> 24;
		rw = rewriting(TEST_SLOT, STOCK_SLOT, NL_REQUEST_SIZE);
		rewrite_route(&rw, copy);
		rewrite_done(&rw);
		message_encaps(copy, TEST_SLOT, NULL, NULL);
		free(rw.nlh);
		free(copy);
		free(nlh);
	}
	check_true("mutated routes", round == ROUNDS);
}

void test_conversions(void)
{
	test_round_trips();
	test_dumps();
	test_counters();
	test_other_encaps();
	test_first();
	test_objects();
	test_mutations();
}
