// SPDX-License-Identifier: GPL-2.0-only
/*
 * route_cmd.c - route add, replace, change, append, prepend, test and del
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "names.h"
#include "nl.h"
#include "route.h"
#include "slot.h"

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

/* Move this process into the namespace that ip netns knows by @netns. */
int netns_enter(const char *netns)
{
	char path[4096];
	int fd;

	if (!netns)
		return EXIT_OK;
	snprintf(path, sizeof(path), "/run/netns/%s", netns);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		complain("Cannot open network namespace \"%s\": %s", netns,
			 strerror(errno));
		return EXIT_PARSE;
	}
	if (setns(fd, CLONE_NEWNET)) {
		complain("setting the network namespace \"%s\" failed: %s",
			 netns, strerror(errno));
		close(fd);
		return EXIT_PARSE;
	}
	close(fd);
	names_netns(netns);
	return EXIT_OK;
}

static int route_send(const struct route *route, const struct route_verb *verb)
{
	char buf[NL_REQUEST_SIZE] __attribute__((aligned(8)));
	struct nlmsghdr *nlh;
	uint16_t slot = 0;
	struct nl nl;
	int err;

	if (route->seen & R_ENCAP) {
		err = slot_load(&slot);
		if (err)
			return err;
	}
	nlh = mnl_nlmsg_put_header(buf);
	if (!route_build(nlh, sizeof(buf), route, verb, slot)) {
		complain("Error: the route does not fit into a message.");
		return EXIT_PARSE;
	}
	err = nl_open(&nl);
	if (err)
		return err;
	err = nl_request(&nl, nlh);
	nl_close(&nl);
	return err;
}

/* Everything is parsed and checked before the first thing is changed. */
int route_modify(const struct route_verb *verb, const struct options *opts,
		 struct cmdline *line)
{
	struct route route;
	int err;

	if (opts->family && opts->family != AF_INET6) {
		complain("Error: encap %s is for IPv6 routes only.",
			 ENCAP_NAME);
		return EXIT_PARSE;
	}
	if (opts->foreign) {
		complain("Error: -all and -echo are not supported with encap %s.",
			 ENCAP_NAME);
		return EXIT_PARSE;
	}
	err = netns_enter(opts->netns);
	if (err)
		return err;
	err = route_parse(&route, line);
	if (!err && !(route.seen & R_ENCAP) && verb->type != RTM_DELROUTE)
		err = complain_required("encap");
	if (!err)
		err = route_send(&route, verb);
	if (route.seen & R_ENCAP)
		encap_release(&route.encap);
	return err;
}
