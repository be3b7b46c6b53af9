// SPDX-License-Identifier: GPL-2.0-only
/*
 * nexthop.c - nexthop add, replace and del
 */
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <linux/rtnetlink.h>

#include "nexthop.h"
#include "usage.h"
#include "value.h"

/* Abbreviations go to the first row that they fit, as with ip. */
static const struct nexthop_verb verbs[] = {
	{ "add",	false, RTM_NEWNEXTHOP, NLM_F_CREATE | NLM_F_EXCL },
	{ "replace",	false, RTM_NEWNEXTHOP, NLM_F_CREATE | NLM_F_REPLACE },
	{ "delete",	false, RTM_DELNEXTHOP, 0 },
	{ "list",	true,  0, 0 },
	{ "show",	true,  0, 0 },
	{ "lst",	true,  0, 0 },
	{ "get",	true,  0, 0 },
};

const struct nexthop_verb *nexthop_verb(const char *word)
{
	unsigned int i;

	for (i = 0; i < MNL_ARRAY_SIZE(verbs); i++)
		if (word_is_prefix(word, verbs[i].word))
			return &verbs[i];
	return NULL;
}

static int parse_id(struct nexthop *nexthop, struct cmdline *line)
{
	nexthop->has_id = true;
	return parse_u32(line, &nexthop->id, "invalid id value");
}

static int parse_protocol(struct nexthop *nexthop, struct cmdline *line)
{
	nexthop->has_protocol = true;
	return parse_name(line, NAME_PROTO, &nexthop->protocol);
}

/* Shown, but found by the kernel itself: taken, so that it can be typed back */
static int parse_scope(struct nexthop *nexthop, struct cmdline *line)
{
	uint8_t scope;

	(void)nexthop;
	return parse_name(line, NAME_SCOPE, &scope);
}

static const struct {
	const char *word;
	bool abbrev;
	int (*parse)(struct nexthop *nexthop, struct cmdline *line);
} rows[] = {
	{ "id",		false,	parse_id },
	{ "protocol",	true,	parse_protocol },
	{ "scope",	false,	parse_scope },
};

static int parse_own(struct nexthop *nexthop, struct cmdline *line)
{
	const char *word = cmdline_peek(line);
	unsigned int i;

	for (i = 0; i < MNL_ARRAY_SIZE(rows); i++)
		if (word_fits(word, rows[i].word, rows[i].abbrev))
			break;
	if (i == MNL_ARRAY_SIZE(rows)) {
		complain("Error: \"%s\" is not supported with encap %s.", word,
			 ENCAP_NAME);
		return EXIT_PARSE;
	}
	cmdline_skip(line);
	return rows[i].parse(nexthop, line);
}

int nexthop_parse(struct nexthop *nexthop, struct cmdline *line)
{
	int err = EXIT_OK;

	memset(nexthop, 0, sizeof(*nexthop));
	while (!err && cmdline_peek(line))
		if (!hop_word(&nexthop->hop, line, &err))
			err = parse_own(nexthop, line);
	if (!err && (nexthop->hop.seen & H_WEIGHT)) {
		complain("Error: a nexthop object has no weight, its group gives it.");
		err = EXIT_PARSE;
	}
	return err;
}

bool nexthop_build(struct nlmsghdr *nlh, size_t size, const void *what,
		   uint16_t slot)
{
	const struct nexthop *nexthop = what;
	const struct hop *hop = &nexthop->hop;
	struct nhmsg *nhm;
	bool good = true;

	nhm = mnl_nlmsg_put_extra_header(nlh, sizeof(*nhm));
	nhm->nh_family = nlh->nlmsg_type == RTM_NEWNEXTHOP ? AF_INET6 : AF_UNSPEC;
	nhm->nh_flags = hop->seen & H_ONLINK ? RTNH_F_ONLINK : 0;
	nhm->nh_protocol = nexthop->protocol;
	if (nexthop->has_id)
		good &= mnl_attr_put_u32_check(nlh, size, NHA_ID, nexthop->id);
	if (hop->seen & H_DEV)
		good &= mnl_attr_put_u32_check(nlh, size, NHA_OIF, hop->oif);
	if (hop->seen & H_VIA)
		good &= mnl_attr_put_check(nlh, size, NHA_GATEWAY, 16,
					   &hop->gateway);
	if (!good || !(hop->seen & H_ENCAP))
		return good;
	return encap_put(nlh, size, &hop->encap, NHA_ENCAP) &&
	       mnl_attr_put_u16_check(nlh, size, NHA_ENCAP_TYPE, slot);
}

static int nexthop_send(struct session *session, const struct nexthop *nexthop,
			const struct nexthop_verb *verb)
{
	const struct request request = {
		.name = "nexthop", .type = verb->type, .flags = verb->flags,
		.slot = nexthop->hop.seen & H_ENCAP, .value = nexthop,
		.build = nexthop_build,
	};

	return session_send(session, &request);
}

static int nexthop_modify(const struct nexthop_verb *verb,
			  struct session *session, struct cmdline *line)
{
	struct nexthop nexthop;
	int err;

	err = session_change(session);
	if (err)
		return err;
	err = nexthop_parse(&nexthop, line);
	if (!err && verb->type == RTM_NEWNEXTHOP &&
	    !(nexthop.hop.seen & H_ENCAP))
		err = complain_required("encap");
	if (!err && verb->type == RTM_DELNEXTHOP && !nexthop.has_id)
		err = complain_required("id");
	if (!err)
		err = nexthop_send(session, &nexthop, verb);
	if (nexthop.hop.seen & H_ENCAP)
		encap_release(&nexthop.hop.encap);
	return err;
}

int nexthop_command(struct session *session, struct cmdline *line)
{
	const struct nexthop_verb *verb;
	const char *word;

	word = cmdline_peek(line) ? cmdline_peek(line) : "list";
	if (!strcmp(word, "help")) {
		usage_nexthop(stdout);
		return EXIT_OK;
	}
	verb = nexthop_verb(word);
	if (cmdline_peek(line))
		cmdline_skip(line);
	if (verb && verb->list)
		return nexthop_show(session, line);
	if (verb)
		return nexthop_modify(verb, session, line);
	complain("Command \"%s\" is unknown, try \"seg6noref nexthop help\".",
		 word);
	return EXIT_PARSE;
}
