// SPDX-License-Identifier: GPL-2.0-only
/*
 * unit_nexthop.c - nexthop objects: words, messages, printing
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../nexthop.h"
#include "unit.h"

#define E	"encap seg6local_noref "
#define ROUNDS	20000

struct nexthop_case {
	const char *words;
	int status;
	const char *text;	/* printed, or complained */
};

static const struct nexthop_case cases[] = {
	{ "id 1 dev lo " E "action End", 0,
	  "id 1  " E "action End dev lo \n" },
	{ E "action End.X oif lo nh6 fe80::1 flavors replace-csid via fe80::2 "
	  "dev lo id 0x10 onlink proto static", 0,
	  "id 16  " E "action End.X nh6 fe80::1 oif lo flavors replace-csid "
	  "via fe80::2 dev lo proto static onlink \n" },
	{ "id 2 scope link proto bgp via inet6 fe80::2 dev if77 " E
	  "action End.B6 segs 2 [ fc00::1 :: ]", 0,
	  "id 2  " E "action End.B6 segs 2 [ fc00::1 :: ] via fe80::2 dev if77 proto bgp \n" },
	{ "id -1", 255,
	  "Error: argument \"-1\" is wrong: invalid id value\n\n" },
	{ "id 1 group 2/3", 255,
	  "Error: \"group\" is not supported with encap seg6local_noref.\n" },
	{ "id 1 weight 3", 255,
	  "Error: a nexthop object has no weight, its group gives it.\n" },
	{ "id 1 via 10.0.0.1", 1,
	  "Error: inet6 address is expected rather than \"10.0.0.1\".\n" },
	{ "id 1 proto 256", 255,
	  "Error: argument \"256\" is wrong: \"protocol\" value is invalid\n\n" },
	{ "id 1 dev lo dev lo", 255,
	  "Error: either \"dev\" is duplicate, or \"dev\" is a garbage.\n" },
};

static int parse(const char *words, struct nexthop *nexthop, char **errors)
{
	char *copy = strdup(words);
	FILE *saved = stderr;
	struct cmdline line;
	char *argv[64];
	size_t count = 0, len;
	int status;
	char *word;

	for (word = strtok(copy, " "); word; word = strtok(NULL, " "))
		argv[count++] = word;
	argv[count] = NULL;
	line.next = argv;
	stderr = open_memstream(errors, &len);
	status = nexthop_parse(nexthop, &line);
	fclose(stderr);
	stderr = saved;
	free(copy);
	return status;
}

static char *print(const struct nlmsghdr *nlh, struct out out)
{
	char *text;
	size_t len;

	out.file = open_memstream(&text, &len);
	nexthop_print(&out, nlh, TEST_SLOT);
	fclose(out.file);
	return text;
}

static struct nlmsghdr *build(const struct nexthop *nexthop)
{
	struct nlmsghdr *nlh = calloc(1, NL_REQUEST_SIZE);

	mnl_nlmsg_put_header(nlh);
	nlh->nlmsg_type = RTM_NEWNEXTHOP;
	nlh->nlmsg_flags = NLM_F_CREATE | NLM_F_EXCL;
	nexthop_build(nlh, NL_REQUEST_SIZE, nexthop, TEST_SLOT);
	return nlh;
}

static void test_cases(void)
{
	const struct out out = { 0 };
	struct nexthop nexthop;
	struct nlmsghdr *nlh;
	char want[512], got[512], name[256];
	char *text, *errors;
	int status;
	size_t i;

	for (i = 0; i < MNL_ARRAY_SIZE(cases); i++) {
		status = parse(cases[i].words, &nexthop, &errors);
		nlh = build(&nexthop);
		text = status ? strdup(errors) : print(nlh, out);
		snprintf(want, sizeof(want), "%d %s", cases[i].status,
			 cases[i].text);
		snprintf(got, sizeof(got), "%d %s", status, text);
		snprintf(name, sizeof(name), "nexthop %s", cases[i].words);
		check(name, want, got);
		free(text);
		free(nlh);
		free(errors);
	}
}

/* As unit_print.c does to routes: the sanitizers are to find nothing. */
static void test_mutations(void)
{
	struct nlmsghdr *nlh, *copy;
	uint32_t seed = 20240229;
	struct nexthop nexthop;
	struct out out = { 0 };
	char *errors;
	size_t len;
	int round;

	parse(cases[1].words, &nexthop, &errors);
	free(errors);
	nlh = build(&nexthop);
	mnl_attr_put(nlh, NHA_GROUP, 16, "\1\0\0\0\2\0\0\0\3\0\0\0\0\0\0\0");
	mnl_attr_put_u16(nlh, NHA_GROUP_TYPE, 1);
	mnl_attr_put(nlh, NHA_BLACKHOLE, 0, NULL);
	len = nlh->nlmsg_len;
	for (round = 0; round < ROUNDS; round++) {
		/* A block of its own, for its end to be noticed. */
		copy = malloc(len);
		memcpy(copy, nlh, len);
		seed = seed * 69069 + 1;
		((char *)copy)[MNL_NLMSG_HDRLEN + (seed >> 8) %
			       (len - MNL_NLMSG_HDRLEN)] = seed >> 24;
		out.json = round & 1;
		free(print(copy, out));
		free(copy);
	}
	free(nlh);
	check_true("mutated nexthop objects", round == ROUNDS);
}

void test_nexthops(void)
{
	test_cases();
	test_mutations();
}
