// SPDX-License-Identifier: GPL-2.0-only
/*
 * unit_listing.c - our encap put into listings of the real ip
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "../ip_front.h"
#include "unit.h"

#define E	"encap seg6local_noref "

/* Append the route of @words. */
static void add_route(struct listing *listing, const char *words)
{
	struct nlmsghdr *nlh = build_words("add", words);

	nl_msgs_add(&listing->msgs, nlh, nlh->nlmsg_len);
	free(nlh);
}

static void put_encap(struct nlmsghdr *nlh, const char *words, uint16_t type)
{
	char all[256];
	struct route route;

	snprintf(all, sizeof(all), "fc00::1 " E "%s", words);
	parse_words(all, &route, NULL);
	encap_put(nlh, NL_REQUEST_SIZE, &route.encap, RTA_ENCAP);
	mnl_attr_put_u16(nlh, RTA_ENCAP_TYPE, type);
}

/* Append fc00::e by two next hops, the first and the second of @types. */
static void add_multipath(struct listing *listing, const uint16_t types[2])
{
	struct nlmsghdr *nlh = build_words("add", "fc00::e");
	static const char *const words[] = {
		"action End", "action End.T table 7",
	};
	struct rtnexthop *nh;
	struct nlattr *nest;
	int i;

	nest = mnl_attr_nest_start(nlh, RTA_MULTIPATH);
	for (i = 0; i < 2; i++) {
		nh = mnl_nlmsg_get_payload_tail(nlh);
		memset(nh, 0, sizeof(*nh));
		nlh->nlmsg_len += sizeof(*nh);
		nh->rtnh_ifindex = 1;
		if (types[i])
			put_encap(nlh, words[i], types[i]);
		nh->rtnh_len = (char *)mnl_nlmsg_get_payload_tail(nlh) -
			       (char *)nh;
	}
	mnl_attr_nest_end(nlh, nest);
	nl_msgs_add(&listing->msgs, nlh, nlh->nlmsg_len);
	free(nlh);
}

static void check_splice(const char *name, const struct listing *listing,
			 const char *text, const char *want)
{
	char *got;
	size_t len;
	FILE *file;
	bool good;

	file = open_memstream(&got, &len);
	good = listing->opts->json ? splice_json(file, text, listing)
				   : splice_text(file, text, listing);
	fclose(file);
	check(name, want, good ? got : "no match");
	free(got);
}

#define OTHER	"fc01::/64 dev lo proto kernel metric 256 pref medium\n"
#define NO	"no match"

static void test_text(void)
{
	struct options opts = { 0 };
	struct listing l = { .opts = &opts, .slot = TEST_SLOT };

	add_route(&l, "fc00::/64 dev lo");
	add_route(&l, "fc00::1 dev lo " E "action End count");
	add_route(&l, "fc00::2/127 dev lo " E "action End.T table main");
	check_splice("text", &l,
		     "fc00::/64 dev lo metric 1\n"
		     "fc00::1  encap ioam6 dev lo metric 1\n"
		     "fc00::2/127  encap unknown dev lo\n",
		     "fc00::/64 dev lo metric 1\n"
		     "fc00::1  " E "action End dev lo metric 1\n"
		     "fc00::2/127  " E "action End.T table main dev lo\n");
	check_splice("a device called encap", &l,
		     "fc00::/64 dev encap proto x\n"
		     "fc00::1  encap ioam6 dev encap metric 1\n"
		     "fc00::2/127  encap ioam6 dev encap \n",
		     "fc00::/64 dev encap proto x\n"
		     "fc00::1  " E "action End dev encap metric 1\n"
		     "fc00::2/127  " E "action End.T table main dev encap \n");
	check_splice("color and type", &l,
		     "unicast \033[34mfc00::/64 \033[0mdev lo\n"
		     "\033[1;34mfc00::1 \033[0m encap ioam6 dev lo\n    cache\n"
		     "unicast fc00::2/127  encap ioam6 dev lo\n",
		     "unicast \033[34mfc00::/64 \033[0mdev lo\n"
		     "\033[1;34mfc00::1 \033[0m " E "action End dev lo\n    cache\n"
		     "unicast fc00::2/127  " E "action End.T table main dev lo\n");
	check_splice("a line too few", &l,
		     "fc00::/64 dev lo\nfc00::1  encap ioam6 dev lo\n", NO);
	check_splice("a line too many", &l,
		     "fc00::/64 dev lo\nfc00::1  encap ioam6 dev lo\n"
		     "fc00::2/127  encap ioam6 dev lo\n" OTHER, NO);
	check_splice("another order", &l,
		     "fc00::/64 dev lo\nfc00::2/127  encap ioam6 dev lo\n"
		     "fc00::1  encap ioam6 dev lo\n", NO);
	check_splice("an encap where there was none", &l,
		     "fc00::/64  encap ioam6 dev lo\n"
		     "fc00::1  encap ioam6 dev lo\n"
		     "fc00::2/127  encap ioam6 dev lo\n", NO);
	check_splice("no encap where there was one", &l,
		     "fc00::/64 dev lo\nfc00::1 dev lo\n"
		     "fc00::2/127  encap ioam6 dev lo\n", NO);
	check_splice("nothing", &l, "", NO);
	opts.stats = 1;
	opts.numeric = true;
	check_splice("-s -N", &l,
		     "fc00::/64 dev lo\nfc00::1  encap ioam6 dev lo\n"
		     "fc00::2/127  encap ioam6 dev lo\n",
		     "fc00::/64 dev lo\n"
		     "fc00::1  " E "action End packets 0 bytes 0 errors 0 dev lo\n"
		     "fc00::2/127  " E "action End.T table 254 dev lo\n");
	nl_msgs_free(&l.msgs);
}

static void test_multipath(void)
{
	static const uint16_t ours[] = { TEST_SLOT, TEST_SLOT };
	static const uint16_t second[] = { 7, TEST_SLOT };
	static const uint16_t none[] = { 0, TEST_SLOT };
	struct options opts = { 0 };
	struct listing l = { .opts = &opts, .slot = TEST_SLOT };

	add_multipath(&l, ours);
	check_splice("multipath", &l,
		     "fc00::e metric 1 pref medium\n"
		     "\tnexthop  encap ioam6 via fc01::2 dev lo weight 1 \n"
		     "\tnexthop  encap ioam6 via fc01::3 dev lo weight 2 \n",
		     "fc00::e metric 1 pref medium\n"
		     "\tnexthop  " E "action End via fc01::2 dev lo weight 1 \n"
		     "\tnexthop  " E "action End.T table 7 via fc01::3 dev lo weight 2 \n");
	l.msgs.len = 0;
	add_multipath(&l, second);
	check_splice("multipath, -o, ours second", &l,
		     "fc00::e metric 1\\\tnexthop  encap seg6local action End dev lo weight 1 \\\tnexthop  encap ioam6 dev lo weight 2 \n",
		     "fc00::e metric 1\\\tnexthop  encap seg6local action End dev lo weight 1 \\\tnexthop  " E "action End.T table 7 dev lo weight 2 \n");
	opts.json = true;
	check_splice("multipath in JSON, both shapes", &l,
		     "[{\"dst\":\"fc00::e\",\"flags\":[],\"nexthops\":[{\"encap\":{\"encap_type\":\"seg6local\",\"action\":\"End\"},\"dev\":\"lo\"},{\"encap\":\"ioam6\",\"dev\":\"lo\",\"flags\":[]}]}]\n",
		     "[{\"dst\":\"fc00::e\",\"flags\":[],\"nexthops\":[{\"encap\":{\"encap_type\":\"seg6local\",\"action\":\"End\"},\"dev\":\"lo\"},{\"encap\":{\"encap_type\":\"seg6local_noref\",\"action\":\"End.T\",\"table\":\"7\"},\"dev\":\"lo\",\"flags\":[]}]}]\n");
	l.msgs.len = 0;
	add_multipath(&l, none);
	check_splice("multipath in JSON, one encap", &l,
		     "[{\"dst\":\"fc00::e\",\"nexthops\":[{\"dev\":\"lo\"},{\"encap\":\"ioam6\"}]}]",
		     "[{\"dst\":\"fc00::e\",\"nexthops\":[{\"dev\":\"lo\"},{\"encap\":{\"encap_type\":\"seg6local_noref\",\"action\":\"End.T\",\"table\":\"7\"}}]}]");
	nl_msgs_free(&l.msgs);
}

/* A route by a nexthop object, whose encap -d shows twice. */
static void test_objects(void)
{
	struct options opts = { .details = 1 };
	struct listing l = { .opts = &opts, .slot = TEST_SLOT };

	add_route(&l, "fc00::1 dev lo " E "action End");
	check_splice("object behind a route", &l,
		     "unicast fc00::1 nhid 1  encap ioam6 dev lo metric 1\n"
		     "\tnh_info id 1  encap ioam6 dev lo scope link \n",
		     "unicast fc00::1 nhid 1  " E "action End dev lo metric 1\n"
		     "\tnh_info id 1  " E "action End dev lo scope link \n");
	check_splice("object behind a route, -o", &l,
		     "unicast fc00::1 nhid 1  encap ioam6 dev lo\\\tnh_info id 1  encap ioam6 dev lo \n",
		     "unicast fc00::1 nhid 1  " E "action End dev lo\\\tnh_info id 1  " E "action End dev lo \n");
	check_splice("object behind a route, and one encap too many", &l,
		     "fc00::1 nhid 1  encap ioam6 dev lo metric 1\n"
		     "\tnh_info id 1  encap ioam6 dev lo\\\tnexthop  encap ioam6 \n",
		     NO);
	opts.json = true;
	check_splice("object behind a route, in JSON", &l,
		     "[{\"dst\":\"fc00::1\",\"encap\":\"ioam6\",\"nh_info\":{\"id\":1,\"encap\":{\"encap_type\":\"ioam6\"},\"dev\":\"lo\"}}]",
		     "[{\"dst\":\"fc00::1\",\"encap\":{\"encap_type\":\"seg6local_noref\",\"action\":\"End\"},\"nh_info\":{\"id\":1,\"encap\":{\"encap_type\":\"seg6local_noref\",\"action\":\"End\"},\"dev\":\"lo\"}}]");
	l.msgs.len = 0;
	add_route(&l, "fc00::1 nhid 7");
	opts.json = false;
	check_splice("group behind a route", &l,
		     "fc00::1 nhid 7 metric 1 \n\tnh_info id 7 group 1,3/2 scope global proto unspec \n",
		     "fc00::1 nhid 7 metric 1 \n\tnh_info id 7 group 1,3/2 scope global proto unspec \n");
	nl_msgs_free(&l.msgs);
}

#define OURS	"{\"encap_type\":\"seg6local_noref\",\"action\":\"End\"}"

static void test_json(void)
{
	struct options opts = { .json = true };
	struct listing l = { .opts = &opts, .slot = TEST_SLOT };

	check_splice("empty JSON", &l, "[ ]\n", "[ ]\n");
	add_route(&l, "fc00::/64 dev lo");
	add_route(&l, "fc00::1 dev lo " E "action End count");
	check_splice("JSON before 6.3", &l,
		     "[{\"dst\":\"fc00::/64\",\"dev\":\"l\\\"}o\"},{\"dst\":\"fc00::1\",\"encap\":\"ioam6\",\"dev\":\"lo\",\"metric\":-1}]\n",
		     "[{\"dst\":\"fc00::/64\",\"dev\":\"l\\\"}o\"},{\"dst\":\"fc00::1\",\"encap\":"
		     OURS ",\"dev\":\"lo\",\"metric\":-1}]\n");
	check_splice("JSON since 6.3", &l,
		     "[{\"dst\":\"fc00::/64\"},{\"dst\":\"fc00::1\",\"encap\":{\"encap_type\":\"ioam6\"},\"flags\":[]}]\n",
		     "[{\"dst\":\"fc00::/64\"},{\"dst\":\"fc00::1\",\"encap\":"
		     OURS ",\"flags\":[]}]\n");
	check_splice("JSON, another destination", &l,
		     "[{\"dst\":\"fc00::/64\"},{\"dst\":\"fc00::2\",\"encap\":\"ioam6\"}]",
		     NO);
	check_splice("JSON, one object", &l, "[{\"dst\":\"fc00::/64\"}]", NO);
	check_splice("JSON, no encap where there was one", &l,
		     "[{\"dst\":\"fc00::/64\"},{\"dst\":\"fc00::1\"}]", NO);
	check_splice("JSON, an encap where there was none", &l,
		     "[{\"dst\":\"fc00::/64\",\"encap\":\"x\"},{\"dst\":\"fc00::1\",\"encap\":\"ioam6\"}]",
		     NO);
	check_splice("JSON cut off", &l,
		     "[{\"dst\":\"fc00::/64\"},{\"dst\":\"fc00::1\",\"enc", NO);
	check_splice("no JSON", &l, "fc00::/64 dev lo\n", NO);
	opts.pretty = true;
	check_splice("pretty JSON", &l,
		     "[ {\n        \"dst\": \"fc00::/64\"\n    },{\n"
		     "        \"dst\": \"fc00::1\",\n        \"encap\": \"ioam6\",\n"
		     "        \"dev\": \"lo\"\n    } ]\n",
		     "[ {\n        \"dst\": \"fc00::/64\"\n    },{\n"
		     "        \"dst\": \"fc00::1\",\n        \"encap\": {\n"
		     "            \"encap_type\": \"seg6local_noref\",\n"
		     "            \"action\": \"End\"\n        },\n"
		     "        \"dev\": \"lo\"\n    } ]\n");
	nl_msgs_free(&l.msgs);
}

/* Flip octets of multipath routes; the sanitizers watch, see unit_print.c. */
static void test_mutations(void)
{
	static const uint16_t ours[] = { TEST_SLOT, TEST_SLOT };
	static const struct route_hidden hidden;
	struct options opts = { 0 };
	struct listing l = { .opts = &opts, .slot = TEST_SLOT };
	struct encap_refs refs = { 0 };
	struct out out = { 0 };
	struct nlmsghdr *copy;
	unsigned int round;
	size_t len, i;

	add_multipath(&l, ours);
	len = l.msgs.len;
	out.file = fopen("/dev/null", "w");
	for (round = 0; round < 256 * (len - sizeof(*copy)); round++) {
		copy = malloc(len);
		memcpy(copy, l.msgs.data, len);
		((uint8_t *)(copy + 1))[round / 256] = round;
		route_print(&out, copy, TEST_SLOT, &hidden);
		if (listing_encaps(copy, &refs))
			for (i = 0; i < refs.count; i++)
				listing_put_encap(out.file, &l, &refs.refs[i],
						  0);
		free(copy);
	}
	fclose(out.file);
	free(refs.refs);
	nl_msgs_free(&l.msgs);
	check_true("mutated multipath routes do no harm", round > 0);
}

void test_listings(void)
{
	test_mutations();
	test_text();
	test_multipath();
	test_objects();
	test_json();
}
