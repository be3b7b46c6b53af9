// SPDX-License-Identifier: GPL-2.0-only
/*
 * unit_words.c - words to values: statuses, complaints, abbreviations, limits
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "../../../module/uapi.h"
#include "unit.h"

#define E	"encap seg6local_noref "

struct words_case {
	const char *words;
	int status;
	const char *errors;
};

static const struct words_case words_cases[] = {
	/* What iproute2 accepts, and what it should */
	{ "fc00::1 " E "action End dev lo", 0, "" },
	{ E "count action End dev lo fc00::1", 0, "" },
	{ "to fc00::1/64 dev lo metric 5 table 7 " E "action End", 0, "" },
	{ "fc00::1 dev lo " E "action End flavors next-csid", 0, "" },
	{ "fc00::1 dev lo " E "action End flavors NEXT-CSID,psp lblen 48", 0,
	  "" },
	{ "fc00::1 dev lo " E "action End flavors next-csid nflen 0x10", 0,
	  "" },
	{ "fc00::1 dev lo " E "action End.B6 srh segs fc00::1,fc00::2", 0, "" },
	{ "fc00::1 dev if77 proto 99 pri 7 " E "action End.X oif if5", 0, "" },
	{ "default via inet6 fe80::1 dev lo onlink pref low mtu lock 1400 "
	  E "action End.DT6 table main", 0, "" },
	{ "local fc00::1 dev lo ta 4294967295 " E "action End", 0, "" },

	{ "fc00::1 dev lo expires 9sec " E "action End flavors Replace-CSID nflen 32",
	  0, "" },
	{ "fc00::1 dev lo " E "action End flavors psp,replace-csid", 0, "" },
	{ "fc00::1 " E "action End.B6 segs 2 [ fc00::1 :: ] hmac AB dev lo", 0,
	  "" },
	{ "fc00::1 " E "action End packets 5 bytes 0x7 errors 0 dev lo", 0, "" },
	{ "fc00::1 metric 7 nexthop " E "action End via fe80::1 dev lo weight 256 "
	  "nexthop via inet6 fe80::2 dev lo onlink", 0, "" },
	{ "fc00::1 nhid 7 metric 5", 0, "" },

	{ "fc00::1 rtt 5 rttvar 1.25msecs rto_min lock 3sec features ecn "
	  "tcp_usec_ts hoplimit lock 255 mtu 65520 advmss 65495 window 0xffffffff",
	  0, "" },
	{ "fc00::1 congctl lock reno quick 0 fastopen 1 feat 0x10 ssth 2 cw 3 "
	  "initc 4 initr 5 re 6 w 7 rttv 9 tos 0", 0, "" },

	/* The encap */
	{ "fc00::1 " E "dev lo", 255, "Missing action type\n" },
	{ "fc00::1 " E "count", 255, "Missing action type\n" },
	{ "fc00::1 encap", 255, "Error: argument \"encap type\" is required\n" },
	{ "fc00::1 encap seg6local_nore action End", 255,
	  "Error: argument \"seg6local_nore\" is wrong: \"encap type\" value is invalid\n\n" },
	{ "fc00::1 " E "action end", 255,
	  "Error: argument \"end\" is wrong: \"action\" value is invalid\n\n" },
	{ "fc00::1 " E "action", 255,
	  "Command line is not complete. Try option \"help\"\n" },
	{ "fc00::1 " E "action End.T table 4294967296", 255,
	  "Error: argument \"4294967296\" is wrong: invalid table id\n\n" },
	{ "fc00::1 " E "action End.T table -1", 255,
	  "Error: argument \"-1\" is wrong: invalid table id\n\n" },
	{ "fc00::1 " E "action End.DT4 vrftable vrf100", 255,
	  "Error: argument \"vrf100\" is wrong: invalid vrf table id\n\n" },
	{ "fc00::1 " E "action End.DX4 nh4 1.2.3", 1,
	  "Error: inet address is expected rather than \"1.2.3\".\n" },
	{ "fc00::1 " E "action End.DX6 nh6 1.2.3.4", 1,
	  "Error: inet6 address is expected rather than \"1.2.3.4\".\n" },
	{ "fc00::1 " E "action End.X oif nope", 255,
	  "Cannot find device \"nope\"\n" },
	{ "fc00::1 " E "action End action End.T", 255,
	  "Error: either \"action\" is duplicate, or \"End.T\" is a garbage.\n" },
	{ "fc00::1 " E "action End count count", 255,
	  "Error: either \"count\" is duplicate, or \"count\" is a garbage.\n" },
	{ "fc00::1 " E "action End flavors psp,psp", 255,
	  "Error: argument \"psp,psp\" is wrong: invalid \"flavors\" attribute\n\n" },
	{ "fc00::1 " E "action End flavors psp,", 255,
	  "Error: argument \"psp,\" is wrong: invalid \"flavors\" attribute\n\n" },
	{ "fc00::1 " E "action End flavors next-csid lblen 256", 255,
	  "Error: argument \"256\" is wrong: \"locator-block length\" value is invalid\n\n" },
	{ "fc00::1 " E "action End flavors next-csid nflen x", 255,
	  "Error: argument \"x\" is wrong: \"locator-node function length\" value is invalid\n\n" },
	{ "fc00::1 " E "action End.B6 srh fc00::1", 255,
	  "Error: argument \"fc00::1\" is wrong: missing \"segs\" attribute for srh\n\n" },
	{ "fc00::1 " E "action End.B6 srh segs fc00::1,,fc00::2", 1,
	  "Error: inet6 address is expected rather than \"\".\n" },
	{ "fc00::1 " E "action End.B6 srh segs fc00::1 hmac key", 255,
	  "Error: argument \"key\" is wrong: \"hmac\" value is invalid\n\n" },
	{ "fc00::1 " E "action End.B6 segs fc00::1", 255,
	  "Command line is not complete. Try option \"help\"\n" },
	{ "fc00::1 " E "action End.B6 segs 1 fc00::1 ]", 255,
	  "Error: argument \"fc00::1\" is wrong: segs COUNT [ ADDRESS ... ] is expected\n\n" },
	{ "fc00::1 " E "action End.B6 segs 1 [ fc00::1", 255,
	  "Command line is not complete. Try option \"help\"\n" },
	{ "fc00::1 " E "action End.B6 segs 1 [ fc00::1 :: ]", 255,
	  "Error: argument \"1\" is wrong: not the number of segments given\n\n" },
	{ "fc00::1 " E "action End.B6 segs 0 [ ]", 255,
	  "Error: argument \"0\" is wrong: not the number of segments given\n\n" },
	{ "fc00::1 " E "action End.B6 segs 1 [ fc00::1 ] hmac 0x10", 255,
	  "Error: argument \"0x10\" is wrong: \"hmac\" value is invalid\n\n" },
	{ "fc00::1 " E "action End.B6 srh segs fc00::1 segs 1 [ fc00::1 ]", 255,
	  "Error: either \"segs\" is duplicate, or \"1\" is a garbage.\n" },
	{ "fc00::1 " E "action End packets 5 errors 0", 255,
	  "Error: argument \"bytes\" is required\n" },
	{ "fc00::1 " E "action End packets -5 bytes 0 errors 0", 255,
	  "Error: argument \"-5\" is wrong: counter value is invalid\n\n" },
	{ "fc00::1 " E "action End flavors usp flavors replace-csid", 255,
	  "Error: either \"flavors\" is duplicate, or \"replace-csid\" is a garbage.\n" },
	{ "fc00::1 " E "action End.BPF endpoint what x", 255,
	  "What mode is \"what\"?\nFailed to parse eBPF program: Operation not permitted\n" },
	{ "fc00::1 " E "action End.BPF endpoint p", 255,
	  "Command line is not complete. Try option \"help\"\n" },
	{ "fc00::1 " E "action End.BPF endpoint obj x sec", 255,
	  "Command line is not complete. Try option \"help\"\n" },
	{ "fc00::1 " E "action End.BPF endpoint pinned /nonexistent", 255,
	  "Cannot open pinned program \"/nonexistent\": No such file or directory\n" },

	/* The route */
	{ E "action End dev lo", 255,
	  "Error: argument \"PREFIX\" is required\n" },
	{ "10.0.0.0/8 " E "action End", 1,
	  "Error: inet6 prefix is expected rather than \"10.0.0.0/8\".\n" },
	{ "fc00::1/129 " E "action End", 1,
	  "Error: inet6 prefix is expected rather than \"fc00::1/129\".\n" },
	{ "fc00::1 fc00::2", 255,
	  "Error: either \"to\" is duplicate, or \"fc00::2\" is a garbage.\n" },
	{ "fc00::1 " E "action End flavors psp lblen 32", 255,
	  "Error: either \"to\" is duplicate, or \"lblen\" is a garbage.\n" },
	{ "fc00::1 dev nope", 1, "Cannot find device \"nope\"\n" },
	{ "fc00::1 metric 4294967296", 255,
	  "Error: argument \"4294967296\" is wrong: \"metric\" value is invalid\n\n" },
	{ "fc00::1 proto 256", 255,
	  "Error: argument \"256\" is wrong: \"protocol\" value is invalid\n\n" },
	{ "fc00::1 via 10.0.0.1", 1,
	  "Error: inet6 address is expected rather than \"10.0.0.1\".\n" },
	{ "blackhole fc00::1 " E "action End", 255,
	  "Error: a route of type \"blackhole\" carries no encap.\n" },
	{ "fc00::1 nexthop via fe80::1 metric 5", 255,
	  "Error: \"nexthop\" or end of line is expected instead of \"metric\"\n" },
	{ "fc00::1 nexthop via fe80::1 via fe80::2", 255,
	  "Error: either \"via\" is duplicate, or \"via\" is a garbage.\n" },
	{ "fc00::1 nexthop weight 0", 255,
	  "Error: argument \"0\" is wrong: \"weight\" is invalid\n\n" },
	{ "fc00::1 nexthop weight 257", 255,
	  "Error: argument \"257\" is wrong: \"weight\" is invalid\n\n" },
	{ "fc00::1 nexthop dev nope", 1, "Cannot find device \"nope\"\n" },
	{ "fc00::1 nexthop via fe80::1 " E "dev lo", 255,
	  "Missing action type\n" },
	{ "fc00::1 nexthop via fe80::1 encap seg6 mode encap", 255,
	  "Error: argument \"seg6\" is wrong: \"encap type\" value is invalid\n\n" },
	{ "fc00::1 nhid x", 255,
	  "Error: argument \"x\" is wrong: \"id\" value is invalid\n\n" },
	{ "fc00::1 expires 9min", 255,
	  "Error: argument \"9min\" is wrong: invalid \"expires\" value\n\n" },
	{ "fc00::1 hoplimit 256", 255,
	  "Error: argument \"256\" is wrong: \"hoplimit\" value is invalid\n\n" },
	{ "fc00::1 mtu 65521", 255,
	  "Error: argument \"65521\" is wrong: \"mtu\" value is invalid\n\n" },
	{ "fc00::1 quickack 2", 255,
	  "Error: argument \"2\" is wrong: \"quickack\" value is invalid\n\n" },
	{ "fc00::1 rtt 10parsecs", 255,
	  "Error: argument \"10parsecs\" is wrong: \"rtt\" value is invalid\n\n" },
	{ "fc00::1 rtt 1e3s", 255,
	  "Error: argument \"1e3s\" is wrong: \"rtt\" value is invalid\n\n" },
	{ "fc00::1 rttvar 1.2.3s", 255,
	  "Error: argument \"1.2.3s\" is wrong: \"rttvar\" value is invalid\n\n" },
	{ "fc00::1 rto_min 1.5", 255,
	  "Error: argument \"1.5\" is wrong: \"rto_min\" value is invalid\n\n" },
	{ "fc00::1 rtt 536871s", 255,
	  "Error: argument \"536871s\" is wrong: \"rtt\" value is invalid\n\n" },
	{ "fc00::1 features ssl", 255,
	  "Error: argument \"ssl\" is wrong: \"features\" value is invalid\n\n" },
	{ "fc00::1 congctl longer-than-any-name", 255,
	  "Error: argument \"longer-than-any-name\" is wrong: \"congctl\" value is invalid\n\n" },
	{ "fc00::1 congctl", 255,
	  "Command line is not complete. Try option \"help\"\n" },
	{ "fc00::1 mtu 1400 mtu 1500", 255,
	  "Error: either \"mtu\" is duplicate, or \"1500\" is a garbage.\n" },
	{ "fc00::1 tos 4", 2, "Error: IPv6 routes have no tos.\n" },
	{ "fc00::1 realms 4", 255,
	  "Error: \"realms\" is not supported with encap seg6local_noref.\n" },
	{ "fc00::1 table 7 vrf lo", 255,
	  "Error: either \"vrf\" is duplicate, or \"vrf\" is a garbage.\n" },
	{ "fc00::1 vrf lo", 255,
	  "Error: argument \"lo\" is wrong: Invalid VRF\n\n" },
};

static void test_complaints(void)
{
	const struct words_case *c;
	char want[512], got[512];
	struct route route;
	char *errors;
	size_t i;

	for (i = 0; i < MNL_ARRAY_SIZE(words_cases); i++) {
		c = &words_cases[i];
		snprintf(want, sizeof(want), "%d %s", c->status, c->errors);
		snprintf(got, sizeof(got), "%d ",
			 parse_words(c->words, &route, &errors));
		strncat(got, errors, sizeof(got) - strlen(got) - 1);
		free(errors);
		route_release(&route);
		check(c->words, want, got);
	}
}

/* Words for a route with @count segments. */
static char *segment_words(const char *action, int count, const char *tail)
{
	char *words;
	size_t len;
	FILE *file;
	int i;

	file = open_memstream(&words, &len);
	fprintf(file, "fc00::1 " E "action %s srh segs ", action);
	for (i = 1; i <= count; i++)
		fprintf(file, "%sfc00:1111:2222:3333:4444:5555:6666:%x",
			i > 1 ? "," : "", i);
	fprintf(file, "%s", tail);
	fclose(file);
	return words;
}

static void check_segments(const char *action, int count, const char *tail,
			   int status, unsigned int present)
{
	char *words = segment_words(action, count, tail);
	struct route route;
	char *errors;
	char name[64];
	bool good;

	good = parse_words(words, &route, &errors) == status;
	if (good && !status)
		good = srh_segments(route.encap.srh) == present &&
		       srh_segment(route.encap.srh, count - 1)->s6_addr[15] ==
		       count && srh_valid(route.encap.srh, route.encap.srh_len);
	snprintf(name, sizeof(name), "%s with %d segments%s", action, count,
		 tail);
	check_true(name, good);
	free(errors);
	free(words);
	route_release(&route);
}

static void test_segments(void)
{
	check_segments("End.B6.Encaps", 1, "", 0, 1);
	check_segments("End.B6.Encaps", 127, "", 0, 127);
	check_segments("End.B6.Encaps", 128, "", 255, 0);
	check_segments("End.B6.Encaps", 125, " hmac 7", 0, 125);
	check_segments("End.B6.Encaps", 126, " hmac 7", 255, 0);
	check_segments("End.B6", 126, "", 0, 127);
	check_segments("End.B6", 127, "", 255, 0);
}

struct options_case {
	char *argv[8];
	bool good;
	int object;
	int family;
};

static void test_options(void)
{
	static struct options_case cases[] = {
		{ { "ip", "-6", "route" }, true, 2, AF_INET6 },
		{ { "ip", "--netns", "x", "-6", "r" }, true, 4, AF_INET6 },
		{ { "ip", "-n", "x", "-s", "-s", "r" }, true, 5, 0 },
		{ { "ip", "-f", "inet6", "--", "route" }, true, 4, AF_INET6 },
		{ { "ip", "-family", "bridge", "r" }, true, 3, AF_PACKET },
		{ { "ip", "-c=auto", "-j", "r" }, true, 3, 0 },
		{ { "ip", "-rc", "1024", "-4", "r" }, true, 4, AF_INET },
		{ { "ip", "-wrong", "r" }, false, 0, 0 },
		{ { "ip", "-6", "-n" }, false, 0, AF_INET6 },
	};
	struct options opts;
	char name[64];
	bool good;
	size_t i;

	for (i = 0; i < MNL_ARRAY_SIZE(cases); i++) {
		good = options_parse(cases[i].argv, &opts) == cases[i].good &&
		       opts.family == cases[i].family;
		if (good && cases[i].good)
			good = opts.object == cases[i].object;
		snprintf(name, sizeof(name), "options %zu: %s %s", i,
			 cases[i].argv[1], cases[i].argv[2]);
		check_true(name, good);
	}
}

static void test_verbs(void)
{
	static const char *const pairs[][2] = {
		{ "a", "add" }, { "ap", "append" }, { "r", "replace" },
		{ "c", "change" }, { "chg", "chg" }, { "d", "delete" },
		{ "del", "delete" }, { "p", "prepend" }, { "t", "test" },
		{ "s", "show" }, { "l", "list" }, { "ls", "lst" },
		{ "f", "flush" }, { "g", "get" }, { "save", NULL },
		{ "", NULL },
	};
	const struct route_verb *verb;
	char name[64];
	size_t i;

	for (i = 0; i < MNL_ARRAY_SIZE(pairs); i++) {
		verb = route_verb(pairs[i][0]);
		snprintf(name, sizeof(name), "verb \"%s\"", pairs[i][0]);
		check(name, pairs[i][1] ? pairs[i][1] : "none",
		      verb ? verb->word : "none");
	}
}

void test_words(void)
{
	test_complaints();
	test_segments();
	test_options();
	test_verbs();
}
