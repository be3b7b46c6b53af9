// SPDX-License-Identifier: GPL-2.0-only
/*
 * route_parse.c - the words of a route
 *
 * Table driven; the order of the rows settles abbreviations as ip does.  Words
 * of ip that make no sense beside our encap, or that nobody has needed, are
 * rows too: they get an answer instead of being taken for a prefix.
 */
#include <string.h>

#include "route.h"

struct route_row {
	const char *word;
	bool abbrev;
	uint32_t field;		/* may be given once */
	int (*parse)(struct route *route, struct cmdline *line, int arg);
	int arg;
};

static const char *const type_names[] = {
	[RTN_UNICAST]		= "unicast",
	[RTN_LOCAL]		= "local",
	[RTN_BROADCAST]		= "broadcast",
	[RTN_ANYCAST]		= "anycast",
	[RTN_MULTICAST]		= "multicast",
	[RTN_BLACKHOLE]		= "blackhole",
	[RTN_UNREACHABLE]	= "unreachable",
	[RTN_PROHIBIT]		= "prohibit",
	[RTN_THROW]		= "throw",
};

const char *route_type_name(uint8_t type)
{
	return type < MNL_ARRAY_SIZE(type_names) ? type_names[type] : NULL;
}

static int parse_to(struct route *route, struct cmdline *line, int arg)
{
	const char *word;
	int err;

	(void)arg;
	err = cmdline_value(line, &word);
	return err ? err : parse_prefix(word, &route->dst);
}

static int parse_from(struct route *route, struct cmdline *line, int arg)
{
	const char *word;
	int err;

	(void)arg;
	err = cmdline_value(line, &word);
	return err ? err : parse_prefix(word, &route->src);
}

static int parse_src(struct route *route, struct cmdline *line, int arg)
{
	(void)arg;
	return parse_address(line, &route->prefsrc);
}

/* The kernel takes an IPv6 gateway only, so the family is a matter of form. */
static int parse_via(struct route *route, struct cmdline *line, int arg)
{
	(void)arg;
	cmdline_accept(line, "inet6");
	return parse_address(line, &route->gateway);
}

/* Seconds, with the unit that is shown or without. */
static int parse_expires(struct route *route, struct cmdline *line, int arg)
{
	const char *word;
	char number[24];
	uint64_t value;
	size_t len;
	int err;

	(void)arg;
	err = cmdline_value(line, &word);
	if (err)
		return err;
	len = strlen(word);
	if (len > 3 && !strcmp(word + len - 3, "sec"))
		len -= 3;
	snprintf(number, sizeof(number), "%.*s", (int)len, word);
	if (len >= sizeof(number) || !word_number(number, UINT32_MAX, &value))
		return complain_invalid(word, "invalid \"expires\" value");
	route->expires = value;
	return EXIT_OK;
}

static int parse_metric(struct route *route, struct cmdline *line, int arg)
{
	(void)arg;
	return parse_u32(line, &route->priority, "\"metric\" value is invalid");
}

static int parse_scope(struct route *route, struct cmdline *line, int arg)
{
	(void)arg;
	return parse_name(line, NAME_SCOPE, &route->scope);
}

static int parse_proto(struct route *route, struct cmdline *line, int arg)
{
	(void)arg;
	return parse_name(line, NAME_PROTO, &route->protocol);
}

static int parse_table(struct route *route, struct cmdline *line, int arg)
{
	(void)arg;
	return parse_table_id(line, &route->table,
			      "\"table\" value is invalid");
}

static int parse_vrf(struct route *route, struct cmdline *line, int arg)
{
	(void)arg;
	return parse_vrf_name(line, &route->table);
}

static int parse_dev(struct route *route, struct cmdline *line, int arg)
{
	(void)arg;
	return parse_device(line, &route->oif, EXIT_ADDRESS);
}

static int parse_pref(struct route *route, struct cmdline *line, int arg)
{
	static const char *const prefs[] = { "medium", "high", NULL, "low" };
	const char *word;
	uint64_t value;
	int err;

	(void)arg;
	err = cmdline_value(line, &word);
	if (err)
		return err;
	for (value = 0; value < MNL_ARRAY_SIZE(prefs); value++)
		if (prefs[value] && !strcmp(prefs[value], word))
			break;
	if (value == MNL_ARRAY_SIZE(prefs) &&
	    !word_number(word, UINT8_MAX, &value))
		return complain_invalid(word, "\"pref\" value is invalid");
	route->pref = value;
	return EXIT_OK;
}

static int parse_rtax(struct route *route, struct cmdline *line, int rtax)
{
	return metric_parse(&route->metrics, line, rtax);
}

static int parse_onlink(struct route *route, struct cmdline *line, int arg)
{
	(void)route;
	(void)line;
	(void)arg;
	return EXIT_OK;
}

static int parse_encap(struct route *route, struct cmdline *line, int arg)
{
	(void)arg;
	return encap_parse(&route->encap, line);
}

static int parse_nexthop(struct route *route, struct cmdline *line, int arg)
{
	(void)arg;
	return hops_parse(&route->hops, line);
}

static int parse_nhid(struct route *route, struct cmdline *line, int arg)
{
	(void)arg;
	return parse_u32(line, &route->nhid, "\"id\" value is invalid");
}

/* The kernel would drop the encap of such a route without a word. */
static int parse_type(struct route *route, struct cmdline *line, int type)
{
	(void)line;
	if (type == RTN_BLACKHOLE || type == RTN_UNREACHABLE ||
	    type == RTN_PROHIBIT || type == RTN_THROW) {
		complain("Error: a route of type \"%s\" carries no encap.",
			 route_type_name(type));
		return EXIT_PARSE;
	}
	route->type = type;
	return EXIT_OK;
}

/* The kernel has none for IPv6, other than for IPv4; new ones say so. */
static int parse_tos(struct route *route, struct cmdline *line, int arg)
{
	const char *word;
	int err;

	(void)route;
	(void)arg;
	err = cmdline_value(line, &word);
	if (err || !strcmp(word, "0"))
		return err;
	complain("Error: IPv6 routes have no tos.");
	return EXIT_KERNEL;
}

static int parse_unsupported(struct route *route, struct cmdline *line, int arg)
{
	(void)route;
	(void)arg;
	complain("Error: \"%s\" is not supported with encap %s.",
		 line->next[-1], ENCAP_NAME);
	return EXIT_PARSE;
}

static const struct route_row route_rows[] = {
	{ "src",	false, R_SRC,	  parse_src,	0 },
	{ "as",		false, 0,	  parse_unsupported, 0 },
	{ "via",	false, R_VIA,	  parse_via,	0 },
	{ "from",	false, R_FROM,	  parse_from,	0 },
	{ "tos",	false, 0,	  parse_tos,	0 },
	{ "dsfield",	true,  0,	  parse_tos,	0 },
	{ "expires",	true,  R_EXPIRES, parse_expires, 0 },
	{ "metric",	true,  R_METRIC,  parse_metric,	0 },
	{ "priority",	true,  R_METRIC,  parse_metric,	0 },
	{ "preference",	false, R_METRIC,  parse_metric,	0 },
	{ "scope",	true,  R_SCOPE,	  parse_scope,	0 },
	{ "mtu",	false, 0, parse_rtax, RTAX_MTU },
	{ "hoplimit",	false, 0, parse_rtax, RTAX_HOPLIMIT },
	{ "advmss",	false, 0, parse_rtax, RTAX_ADVMSS },
	{ "reordering",	true,  0, parse_rtax, RTAX_REORDERING },
	{ "rtt",	false, 0, parse_rtax, RTAX_RTT },
	{ "rto_min",	false, 0, parse_rtax, RTAX_RTO_MIN },
	{ "window",	true,  0, parse_rtax, RTAX_WINDOW },
	{ "cwnd",	true,  0, parse_rtax, RTAX_CWND },
	{ "initcwnd",	true,  0, parse_rtax, RTAX_INITCWND },
	{ "initrwnd",	true,  0, parse_rtax, RTAX_INITRWND },
	{ "features",	true,  0, parse_rtax, RTAX_FEATURES },
	{ "quickack",	true,  0, parse_rtax, RTAX_QUICKACK },
	{ "congctl",	true,  0, parse_rtax, RTAX_CC_ALGO },
	{ "rttvar",	true,  0, parse_rtax, RTAX_RTTVAR },
	{ "ssthresh",	true,  0, parse_rtax, RTAX_SSTHRESH },
	{ "realms",	true,  0, parse_unsupported, 0 },
	{ "onlink",	false, R_ONLINK,  parse_onlink,	0 },
	{ "nexthop",	false, R_HOPS,	  parse_nexthop, 0 },
	{ "nhid",	false, R_NHID,	  parse_nhid,	0 },
	{ "protocol",	true,  R_PROTO,	  parse_proto,	0 },
	{ "table",	true,  R_TABLE,	  parse_table,	0 },
	{ "vrf",	false, R_TABLE,	  parse_vrf,	0 },
	{ "dev",	false, R_DEV,	  parse_dev,	0 },
	{ "oif",	false, R_DEV,	  parse_dev,	0 },
	{ "pref",	false, R_PREF,	  parse_pref,	0 },
	{ "encap",	false, R_ENCAP,	  parse_encap,	0 },
	{ "ttl-propagate", false, 0,	  parse_unsupported, 0 },
	{ "fastopen_no_cookie", true,  0, parse_rtax, RTAX_FASTOPEN_NO_COOKIE },
	{ "to",		false, R_DST,	  parse_to,	0 },
	{ "unicast",	false, R_TYPE, parse_type, RTN_UNICAST },
	{ "local",	false, R_TYPE, parse_type, RTN_LOCAL },
	{ "broadcast",	false, R_TYPE, parse_type, RTN_BROADCAST },
	{ "anycast",	false, R_TYPE, parse_type, RTN_ANYCAST },
	{ "multicast",	false, R_TYPE, parse_type, RTN_MULTICAST },
	{ "blackhole",	false, R_TYPE, parse_type, RTN_BLACKHOLE },
	{ "unreachable", false, R_TYPE, parse_type, RTN_UNREACHABLE },
	{ "prohibit",	false, R_TYPE, parse_type, RTN_PROHIBIT },
	{ "throw",	false, R_TYPE, parse_type, RTN_THROW },
};

static const struct route_row *route_find(const char *word)
{
	unsigned int i;

	for (i = 0; i < MNL_ARRAY_SIZE(route_rows); i++)
		if (word_fits(word, route_rows[i].word, route_rows[i].abbrev))
			return &route_rows[i];
	return NULL;
}

/* Parse all words; the first that is no keyword is the prefix. */
int route_parse(struct route *route, struct cmdline *line)
{
	const struct route_row *row;
	const char *word;
	int err;

	memset(route, 0, sizeof(*route));
	route->type = RTN_UNICAST;
	while ((word = cmdline_peek(line))) {
		row = route_find(word);
		if (row)
			cmdline_skip(line);
		else
			row = route_find("to");
		if (route->seen & row->field)
			return complain_duplicate(row->word, word);
		route->seen |= row->field;
		err = row->parse(route, line, row->arg);
		if (err)
			return err;
	}
	return route->seen & R_DST ? EXIT_OK : complain_required("PREFIX");
}

/* Give back what parsing opened. */
void route_release(struct route *route)
{
	if (route->seen & R_ENCAP)
		encap_release(&route->encap);
	hops_release(&route->hops);
}
