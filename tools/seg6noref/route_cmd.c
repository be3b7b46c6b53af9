// SPDX-License-Identifier: GPL-2.0-only
/*
 * route_cmd.c - the commands on routes, and those that change one
 */
#include <stdio.h>
#include <string.h>

#include "route.h"
#include "usage.h"

/* Abbreviations go to the first row that they fit, as with ip. */
static const struct route_verb verbs[] = {
	{ .word = "list", .list = true, .run = route_show },
	{ .word = "show", .list = true, .run = route_show },
	{ .word = "lst", .list = true, .run = route_show },
	{ .word = "get", .run = route_get },
	{ .word = "add", .type = RTM_NEWROUTE,
	  .flags = NLM_F_CREATE | NLM_F_EXCL },
	{ .word = "change", .type = RTM_NEWROUTE, .flags = NLM_F_REPLACE },
	{ .word = "chg", .exact = true, .type = RTM_NEWROUTE,
	  .flags = NLM_F_REPLACE },
	{ .word = "replace", .type = RTM_NEWROUTE,
	  .flags = NLM_F_CREATE | NLM_F_REPLACE },
	{ .word = "prepend", .type = RTM_NEWROUTE, .flags = NLM_F_CREATE },
	{ .word = "append", .type = RTM_NEWROUTE,
	  .flags = NLM_F_CREATE | NLM_F_APPEND },
	{ .word = "test", .type = RTM_NEWROUTE, .flags = NLM_F_EXCL },
	{ .word = "delete", .type = RTM_DELROUTE },
	{ .word = "flush", .run = route_flush },
};

const struct route_verb *route_verb(const char *word)
{
	unsigned int i;

	for (i = 0; i < MNL_ARRAY_SIZE(verbs); i++)
		if (word_fits(word, verbs[i].word, !verbs[i].exact))
			return &verbs[i];
	return NULL;
}

static bool has_encap(const struct route *route)
{
	return (route->seen & R_ENCAP) || hops_have_encap(&route->hops);
}

static int route_send(const struct route *route, const struct route_verb *verb,
		      struct session *session)
{
	const struct request request = {
		.name = "route", .type = verb->type, .flags = verb->flags,
		.slot = has_encap(route), .value = route,
		.build = route_build,
	};

	return session_send(session, &request);
}

/* Everything is parsed and checked before the first thing is changed. */
static int route_modify(const struct route_verb *verb, struct session *session,
			struct cmdline *line)
{
	struct route route;
	int err;

	err = session_change(session);
	if (err)
		return err;
	err = route_parse(&route, line);
	if (!err && !has_encap(&route) && !(route.seen & R_NHID) &&
	    verb->type != RTM_DELROUTE)
		err = complain_required("encap");
	if (!err)
		err = route_send(&route, verb, session);
	route_release(&route);
	return err;
}

int route_command(struct session *session, struct cmdline *line)
{
	const struct route_verb *verb;
	const char *word;

	word = cmdline_peek(line) ? cmdline_peek(line) : "show";
	if (!strcmp(word, "help")) {
		usage_route(stdout);
		return EXIT_OK;
	}
	verb = route_verb(word);
	if (cmdline_peek(line))
		cmdline_skip(line);
	if (verb && verb->run)
		return verb->run(session, line);
	if (verb)
		return route_modify(verb, session, line);
	complain("Command \"%s\" is unknown, try \"seg6noref route help\".",
		 word);
	return EXIT_PARSE;
}
