// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_words.c - what a user may type: options, routes and nexthop objects
 *
 * The input is a line of a batch.  What parses is built and shown, and what is
 * shown has to parse again and be shown the same.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../batch.h"
#include "../nexthop.h"
#include "../options.h"
#include "../route.h"
#include "../route_filter.h"
#include "fuzz.h"

struct shown {
	char *text;
	size_t len;
	struct out out;
};

static void shown_open(struct shown *shown, bool json)
{
	const struct options opts = { .json = json, .oneline = true,
				      .stats = 1 };

	out_init(&shown->out, open_memstream(&shown->text, &shown->len),
		 &opts);
}

static void check_json(const char *text)
{
	if (json_valid(text))
		return;
	printf("not JSON: %s\n", text);
	fflush(stdout);
	abort();
}

/* The message of @route as text; NULL if it fits into none. */
static char *route_text(const struct route *route, bool json)
{
	static const struct route_hidden nothing;
	char *buf = calloc(1, NL_REQUEST_SIZE);
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buf);
	struct shown shown = { .text = NULL };

	nlh->nlmsg_type = RTM_NEWROUTE;
	if (route_build(nlh, NL_REQUEST_SIZE, route, FUZZ_SLOT)) {
		shown_open(&shown, json);
		route_print(&shown.out, nlh, FUZZ_SLOT, &nothing);
		fclose(shown.out.file);
	}
	free(buf);
	return shown.text;
}

static char *nexthop_text(const struct nexthop *nexthop, bool json)
{
	char *buf = calloc(1, NL_REQUEST_SIZE);
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buf);
	struct shown shown = { .text = NULL };

	nlh->nlmsg_type = RTM_NEWNEXTHOP;
	if (nexthop_build(nlh, NL_REQUEST_SIZE, nexthop, FUZZ_SLOT)) {
		shown_open(&shown, json);
		nexthop_print(&shown.out, nlh, FUZZ_SLOT);
		fclose(shown.out.file);
	}
	free(buf);
	return shown.text;
}

/* What a kernel shows has a device, which also ends the words of an encap. */
static bool complete(const struct route *route)
{
	size_t i;

	for (i = 0; i < route->hops.count; i++)
		if (!(route->hops.hop[i].seen & H_DEV))
			return false;
	return route->hops.count || (route->seen & R_DEV);
}

static char *parsed_route(char **words, bool json)
{
	struct cmdline line = { .next = words };
	struct route route;
	char *text = NULL;

	if (!route_parse(&route, &line))
		text = route_text(&route, json);
	/* A local route belongs to another table than it says. */
	if (text && !json && (route.type != RTN_UNICAST || !complete(&route)))
		*text = '\0';
	route_release(&route);
	return text;
}

static char *parsed_nexthop(char **words, bool json)
{
	struct cmdline line = { .next = words };
	struct nexthop nexthop;
	char *text = NULL;

	if (!nexthop_parse(&nexthop, &line))
		text = nexthop_text(&nexthop, json);
	if (nexthop.hop.seen & H_ENCAP)
		encap_release(&nexthop.hop.encap);
	return text;
}

static char *again(const char *text, char *(*parsed)(char **words, bool json))
{
	char *copy = strdup(text), *at, *shown;
	char **words;

	for (at = copy; *at; at++)
		if (*at == '\\')
			*at = ' ';
	words = batch_split(copy);
	shown = parsed(words, false);
	free(words);
	free(copy);
	return shown;
}

/* A program can be shown, but not be typed as it is shown. */
static void check_shown(char **words, char *(*parsed)(char **words, bool json))
{
	char *json = parsed(words, true), *text, *second;

	if (json)
		check_json(json);
	free(json);
	text = parsed(words, false);
	if (text && *text && !strstr(text, " endpoint ")) {
		second = again(text, parsed);
		if (!second || strcmp(text, second)) {
			printf("shown:  %s\nagain:  %s\n", text,
			       second ? second : "(refused)");
			fflush(stdout);
			abort();
		}
		free(second);
	}
	free(text);
}

static void check_others(char **words)
{
	struct cmdline line = { .next = words };
	struct route_filter filter;
	struct options opts;

	route_filter_parse(&filter, &line);
	if (words[0])
		options_parse(words, &opts);
	line.next = words;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);
	char **words = batch_split(text);

	if (words) {
		check_shown(words, parsed_route);
		check_shown(words, parsed_nexthop);
		check_others(words);
	}
	free(words);
	free(text);
	return 0;
}
