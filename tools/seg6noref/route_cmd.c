// SPDX-License-Identifier: GPL-2.0-only
/*
 * route_cmd.c - route add, replace, change, append, prepend, test and del
 */
#include <stdio.h>
#include <string.h>

#include "route.h"
#include "usage.h"

/* Abbreviations go to the first row that they fit, as with ip. */
static const struct route_verb verbs[] = {
	{ "list",	false, 0, 0, true },
	{ "show",	false, 0, 0, true },
	{ "lst",	false, 0, 0, true },
	{ "get",	false, 0, 0, false },
	{ "add",	false, RTM_NEWROUTE, NLM_F_CREATE | NLM_F_EXCL, false },
	{ "change",	false, RTM_NEWROUTE, NLM_F_REPLACE, false },
	{ "chg",	true,  RTM_NEWROUTE, NLM_F_REPLACE, false },
	{ "replace",	false, RTM_NEWROUTE, NLM_F_CREATE | NLM_F_REPLACE,
	  false },
	{ "prepend",	false, RTM_NEWROUTE, NLM_F_CREATE, false },
	{ "append",	false, RTM_NEWROUTE, NLM_F_CREATE | NLM_F_APPEND,
	  false },
	{ "test",	false, RTM_NEWROUTE, NLM_F_EXCL, false },
	{ "delete",	false, RTM_DELROUTE, 0, false },
};

const struct route_verb *route_verb(const char *word)
{
	unsigned int i;

	for (i = 0; i < MNL_ARRAY_SIZE(verbs); i++)
		if (verbs[i].exact ? !strcmp(word, verbs[i].word)
				   : word_is_prefix(word, verbs[i].word))
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

	err = session_check(session);
	if (!err)
		err = session_enter(session);
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
	if (verb && verb->list)
		return route_show(session, line);
	if (verb && verb->type)
		return route_modify(verb, session, line);
	complain("Command \"%s\" is unknown, try \"seg6noref route help\".",
		 word);
	return EXIT_PARSE;
}
