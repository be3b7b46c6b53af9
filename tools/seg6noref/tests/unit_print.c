// SPDX-License-Identifier: GPL-2.0-only
/*
 * unit_print.c - messages to text and JSON, and messages that lie
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "../../../module/uapi.h"
#include "unit.h"

#define E	"encap seg6local_noref "
#define ROUNDS	20000

static char *print(const struct nlmsghdr *nlh, struct out out)
{
	static const struct route_hidden hidden;
	char *text;
	size_t len;

	out.file = open_memstream(&text, &len);
	route_print(&out, nlh, TEST_SLOT, &hidden);
	fclose(out.file);
	return text;
}

struct print_case {
	const char *words;	/* behind "fc00::1 dev lo " E */
	const char *text;	/* behind "fc00::1  " E */
	const char *json;	/* behind "encap_type":"seg6local_noref", */
};

static const struct print_case print_cases[] = {
	{ "action End", "action End", "\"action\":\"End\"" },
	{ "count action End",
	  "action End packets 0 bytes 0 errors 0",
	  "\"action\":\"End\",\"stats64\":{\"packets\":0,\"bytes\":0,\"errors\":0}" },
	{ "action End.X oif lo nh6 fe80::1",
	  "action End.X nh6 fe80::1 oif lo",
	  "\"action\":\"End.X\",\"nh6\":\"fe80::1\",\"oif\":\"lo\"" },
	{ "action End.X oif if77 iif if88", "action End.X iif if88 oif if77",
	  "\"action\":\"End.X\",\"iif\":\"if88\",\"oif\":\"if77\"" },
	{ "action End.T table 254", "action End.T table main",
	  "\"action\":\"End.T\",\"table\":\"main\"" },
	{ "action End.DT46 vrftable 0x64", "action End.DT46 vrftable 100",
	  "\"action\":\"End.DT46\",\"vrftable\":\"100\"" },
	{ "action End.DX4 nh4 10.1.0.2", "action End.DX4 nh4 10.1.0.2",
	  "\"action\":\"End.DX4\",\"nh4\":\"10.1.0.2\"" },
	{ "action End.DX6 nh6 ::", "action End.DX6 nh6 ::",
	  "\"action\":\"End.DX6\",\"nh6\":\"::\"" },
	{ "action End flavors psp", "action End flavors psp",
	  "\"action\":\"End\",\"flavors\":[\"psp\"]" },
	{ "flavors next-csid,PSP nflen 16 action End",
	  "action End flavors psp,next-csid nflen 16",
	  "\"action\":\"End\",\"flavors\":[\"psp\",\"next-csid\"],\"nflen\":16" },
	{ "action End.X nh6 fc01::1 flavors replace-csid",
	  "action End.X nh6 fc01::1 flavors replace-csid",
	  "\"action\":\"End.X\",\"nh6\":\"fc01::1\",\"flavors\":[\"replace-csid\"]" },
	{ "action End flavors replace-csid,usd,psp lblen 32 nflen 16",
	  "action End flavors psp,usd,replace-csid lblen 32 nflen 16",
	  "\"action\":\"End\",\"flavors\":[\"psp\",\"usd\",\"replace-csid\"],\"lblen\":32,\"nflen\":16" },
	{ "action End.B6 srh segs fc02::1,fc02::2",
	  "action End.B6 segs 3 [ fc02::1 fc02::2 :: ]",
	  "\"action\":\"End.B6\",\"srh\":{\"segs\":[\"fc02::1\",\"fc02::2\",\"::\"]}" },
	{ "action End.B6.Encaps srh segs fc02::1 hmac 0xabcdef12",
	  "action End.B6.Encaps segs 1 [ fc02::1 ] hmac ABCDEF12",
	  "\"action\":\"End.B6.Encaps\",\"srh\":{\"segs\":[\"fc02::1\"],\"hmac\":\"0xabcdef12\"}" },
};

static void test_fields(void)
{
	const struct out json_out = { .json = true, .stats = true };
	const struct out text_out = { .stats = true };
	const struct print_case *c;
	char words[512], want[1024];
	struct nlmsghdr *nlh;
	char *got;
	size_t i;

	for (i = 0; i < MNL_ARRAY_SIZE(print_cases); i++) {
		c = &print_cases[i];
		snprintf(words, sizeof(words), "fc00::1 dev lo " E "%s",
			 c->words);
		nlh = build_words("add", words);
		snprintf(want, sizeof(want), "fc00::1  " E "%s dev lo \n",
			 c->text);
		got = print(nlh, text_out);
		check(c->words, want, got);
		free(got);
		snprintf(want, sizeof(want),
			 "{\"dst\":\"fc00::1\",\"encap\":{\"encap_type\":\"seg6local_noref\",%s},\"dev\":\"lo\",\"flags\":[]}",
			 c->json);
		got = print(nlh, json_out);
		snprintf(words, sizeof(words), "JSON: %s", c->words);
		check(words, want, got);
		free(got);
		free(nlh);
	}
}

/* What is printed can be typed and gives the same message. */
static void test_fixed_points(void)
{
	const struct out out = { .stats = true };
	struct nlmsghdr *first, *second;
	char words[512], name[600];
	char *text;
	size_t i;

	for (i = 0; i < MNL_ARRAY_SIZE(print_cases); i++) {
		snprintf(words, sizeof(words), "fc00::1 dev lo " E "%s",
			 print_cases[i].words);
		first = build_words("add", words);
		text = print(first, out);
		text[strlen(text) - 1] = '\0';
		second = build_words("add", text);
		snprintf(name, sizeof(name), "typed back: %s", text);
		check_true(name, first->nlmsg_len == second->nlmsg_len &&
			   !memcmp(first, second, first->nlmsg_len));
		free(text);
		free(first);
		free(second);
	}
}

/* An encap with one attribute, of @len octets of 0xff. */
static struct nlmsghdr *build_one(uint16_t type, size_t len)
{
	struct nlmsghdr *nlh = calloc(1, NL_REQUEST_SIZE);
	unsigned char junk[64];
	struct nlattr *outer, *inner;
	struct rtmsg *rtm;

	memset(junk, 0xff, sizeof(junk));
	mnl_nlmsg_put_header(nlh);
	rtm = mnl_nlmsg_put_extra_header(nlh, sizeof(*rtm));
	rtm->rtm_family = AF_INET6;
	rtm->rtm_type = RTN_UNICAST;
	rtm->rtm_protocol = RTPROT_BOOT;
	rtm->rtm_table = RT_TABLE_MAIN;
	outer = mnl_attr_nest_start(nlh, RTA_ENCAP);
	inner = mnl_attr_nest_start(nlh, SEG6NR_ENCAP);
	mnl_attr_put(nlh, type, len, junk);
	mnl_attr_nest_end(nlh, inner);
	mnl_attr_nest_end(nlh, outer);
	mnl_attr_put_u16(nlh, RTA_ENCAP_TYPE, TEST_SLOT);
	return nlh;
}

struct lie_case {
	uint16_t type;
	size_t len;
	const char *text;
};

static void test_lies(void)
{
	static const struct lie_case cases[] = {
		{ SEG6NR_A_ACTION, 0, "action <invalid> " },
		{ SEG6NR_A_ACTION, 3, "action <invalid> " },
		{ SEG6NR_A_ACTION, 4, "action <invalid> " },
		{ SEG6NR_A_TABLE, 2, "table <invalid> " },
		{ SEG6NR_A_NH6, 15, "nh6 <invalid> " },
		{ SEG6NR_A_NH4, 8, "nh4 <invalid> " },
		{ SEG6NR_A_OIF, 1, "oif <invalid> " },
		{ SEG6NR_A_SRH, 7, "srh <invalid> " },
		{ SEG6NR_A_SRH, 40, "srh <invalid> " },
		{ SEG6NR_A_COUNTERS, 3, "packets 0 bytes 0 errors 0 " },
		{ SEG6NR_A_BPF, 2, "endpoint " },
		{ SEG6NR_A_FLAVORS, 8, "flavors  " },
		{ SEG6NR_A_REPLACE_CSID, 3, "flavors replace-csid " },
		{ SEG6NR_A_REPLACE_CSID, 8, "flavors replace-csid " },
		{ 12, 4, "" },
		{ 200, 4, "" },
	};
	const struct out out = { .stats = true };
	char name[64], want[128];
	struct nlmsghdr *nlh;
	char *got;
	size_t i;

	for (i = 0; i < MNL_ARRAY_SIZE(cases); i++) {
		nlh = build_one(cases[i].type, cases[i].len);
		snprintf(want, sizeof(want), "default  " E "%s\n",
			 cases[i].text);
		snprintf(name, sizeof(name), "attribute %u of %zu octets",
			 cases[i].type, cases[i].len);
		got = print(nlh, out);
		check(name, want, got);
		free(got);
		free(nlh);
	}
}

static void test_human(void)
{
	static const struct {
		uint64_t value;
		bool iec;
		const char *text;
	} cases[] = {
		{ 999, false, "packets 999 " },
		{ 1500, false, "packets 1.50k " },
		{ 318000, false, "packets 318k " },
		{ 12345678, false, "packets 12.3M " },
		{ 1000, true, "packets 1000 " },
		{ 1500, true, "packets 1.46ki " },
		{ 318000, true, "packets 311ki " },
		{ UINT64_MAX, false, "packets 18.4E " },
	};
	struct out out = { .human = true };
	char *got;
	size_t i, len;

	for (i = 0; i < MNL_ARRAY_SIZE(cases); i++) {
		out.file = open_memstream(&got, &len);
		out.iec = cases[i].iec;
		out_count(&out, "packets", cases[i].value);
		fclose(out.file);
		check(cases[i].text, cases[i].text, got);
		free(got);
	}
}

/* Numbers as good as any, the same on every run. */
static uint32_t next_random(uint32_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

/*
 * Flip octets behind the fixed headers and print: the sanitizers that this is
 * built with end the run at the first read of what is not ours.
 */
static void test_mutations(void)
{
	static const char *const words[] = {
		"mutated: fc00::1 dev lo mtu 1400 " E
		"action End.B6 srh segs fc00::1,fc00::2 hmac 7 count",
		"mutated: fc00::1 dev lo via fe80::1 " E
		"action End.X nh6 fe80::1 oif lo flavors next-csid lblen 32 count",
		"mutated: fc00::1 nexthop via fe80::1 dev lo " E
		"action End flavors psp,replace-csid nexthop via fe80::2 " E
		"action End.T table 7 count",
		"mutated: fc00::1 from fc00::/16 dev lo " E
		"action End.DT46 vrftable 7 table 8 nh4 1.2.3.4 iif lo",
	};
	struct nlmsghdr *nlh, *copy;
	uint32_t seed = 20240229;
	struct out out = { 0 };
	size_t len, at, i;
	int round;

	for (i = 0; i < MNL_ARRAY_SIZE(words); i++) {
		nlh = build_words("add", strchr(words[i], ' ') + 1);
		len = nlh->nlmsg_len;
		for (round = 0; round < ROUNDS; round++) {
			/* A block of its own, for its end to be noticed. */
			copy = malloc(len);
			memcpy(copy, nlh, len);
			at = MNL_NLMSG_HDRLEN + next_random(&seed) %
			     (len - MNL_NLMSG_HDRLEN);
			((char *)copy)[at] = next_random(&seed);
			at = MNL_NLMSG_HDRLEN + next_random(&seed) %
			     (len - MNL_NLMSG_HDRLEN);
			((char *)copy)[at] ^= 1 << next_random(&seed) % 8;
			out.json = round & 1;
			out.stats = true;
			free(print(copy, out));
			free(copy);
		}
		free(nlh);
		check_true(words[i], round == ROUNDS);
	}
}

void test_printing(void)
{
	test_fields();
	test_fixed_points();
	test_lies();
	test_human();
	test_mutations();
}
