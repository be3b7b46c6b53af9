// SPDX-License-Identifier: GPL-2.0-only
/*
 * route_get.c - which route a packet would take
 */
#include <net/if.h>
#include <netdb.h>
#include <string.h>
#include <sys/socket.h>

#include "nexthop.h"
#include "route.h"
#include "slot.h"

struct route_question {
	uint32_t given;		/* 1 << RTA_* */
	struct prefix dst;
	struct prefix src;	/* from */
	uint32_t iif;
	uint32_t oif;
	uint32_t mark;
	uint32_t uid;
	uint16_t sport;
	uint16_t dport;
	uint8_t protocol;	/* ipproto */
	bool fib_match;
};

static int read_host(struct prefix *prefix, struct cmdline *line)
{
	const char *word;
	int err;

	err = cmdline_value(line, &word);
	if (!err)
		err = parse_prefix(word, prefix);
	if (err || prefix->len == 128)
		return err;
	complain("Warning: /%u as prefix is invalid, only /128 (or none) is supported.",
		 prefix->len);
	prefix->len = 128;
	return EXIT_OK;
}

static int read_to(struct route_question *question, struct cmdline *line)
{
	return read_host(&question->dst, line);
}

static int read_from(struct route_question *question, struct cmdline *line)
{
	return read_host(&question->src, line);
}

static int read_iif(struct route_question *question, struct cmdline *line)
{
	return parse_device(line, &question->iif, EXIT_ADDRESS);
}

static int read_oif(struct route_question *question, struct cmdline *line)
{
	return parse_device(line, &question->oif, EXIT_ADDRESS);
}

/* A packet out of a VRF device is routed by that VRF's table. */
static int read_vrf(struct route_question *question, struct cmdline *line)
{
	struct cmdline name = *line;
	uint32_t table;
	int err;

	err = parse_vrf_name(&name, &table);
	return err ? err : read_oif(question, line);
}

static int read_mark(struct route_question *question, struct cmdline *line)
{
	return parse_u32(line, &question->mark, "invalid mark value");
}

static int read_uid(struct route_question *question, struct cmdline *line)
{
	return parse_u32(line, &question->uid, "invalid UID");
}

static int read_port(struct cmdline *line, uint16_t *value, const char *why)
{
	uint64_t number;
	int err;

	err = parse_number(line, UINT16_MAX, &number, why);
	if (!err)
		*value = htons(number);
	return err;
}

static int read_sport(struct route_question *question, struct cmdline *line)
{
	return read_port(line, &question->sport, "invalid sport");
}

static int read_dport(struct route_question *question, struct cmdline *line)
{
	return read_port(line, &question->dport, "invalid dport");
}

static int read_ipproto(struct route_question *question, struct cmdline *line)
{
	const struct protoent *entry;
	const char *word;
	uint64_t number;
	int err;

	err = cmdline_value(line, &word);
	if (err)
		return err;
	entry = getprotobyname(word);
	if (entry)
		number = entry->p_proto;
	else if (!word_number(word, UINT8_MAX, &number))
		return complain_invalid(word, "Invalid \"ipproto\" value\n");
	question->protocol = number;
	return EXIT_OK;
}

static int read_fibmatch(struct route_question *question, struct cmdline *line)
{
	(void)line;
	question->fib_match = true;
	return EXIT_OK;
}

static const struct {
	const char *word;
	bool abbrev;
	unsigned int type;
	int (*read)(struct route_question *question, struct cmdline *line);
} rows[] = {
	{ "from",	true,	RTA_SRC,	read_from },
	{ "iif",	true,	RTA_IIF,	read_iif },
	{ "mark",	true,	RTA_MARK,	read_mark },
	{ "oif",	true,	RTA_OIF,	read_oif },
	{ "dev",	false,	RTA_OIF,	read_oif },
	{ "vrf",	true,	RTA_OIF,	read_vrf },
	{ "uid",	true,	RTA_UID,	read_uid },
	{ "fibmatch",	true,	RTA_UNSPEC,	read_fibmatch },
	{ "sport",	true,	RTA_SPORT,	read_sport },
	{ "dport",	true,	RTA_DPORT,	read_dport },
	{ "ipproto",	true,	RTA_IP_PROTO,	read_ipproto },
	{ "to",		false,	RTA_DST,	read_to },
};

static int question_word(struct route_question *question, struct cmdline *line)
{
	const char *word = cmdline_peek(line);
	unsigned int i;

	for (i = 0; i < MNL_ARRAY_SIZE(rows); i++)
		if (word_fits(word, rows[i].word, rows[i].abbrev))
			break;
	if (i < MNL_ARRAY_SIZE(rows))
		cmdline_skip(line);
	else
		i--;
	if (rows[i].type && (question->given & (1u << rows[i].type)))
		return complain_duplicate(rows[i].word, word);
	question->given |= 1u << rows[i].type;
	return rows[i].read(question, line);
}

static int question_parse(struct route_question *question,
			  struct cmdline *line)
{
	int err = EXIT_OK;

	memset(question, 0, sizeof(*question));
	while (!err && cmdline_peek(line))
		err = question_word(question, line);
	if (!err && !(question->given & (1u << RTA_DST))) {
		complain("need at least a destination address");
		err = EXIT_ADDRESS;
	}
	return err;
}

/* All of it fits by far. */
static void question_build(struct nlmsghdr *nlh,
			   const struct route_question *question)
{
	const struct {
		unsigned int type;
		size_t size;
		const void *value;
	} values[] = {
		{ RTA_DST,	16, &question->dst.addr },
		{ RTA_SRC,	16, &question->src.addr },
		{ RTA_IIF,	4, &question->iif },
		{ RTA_OIF,	4, &question->oif },
		{ RTA_MARK,	4, &question->mark },
		{ RTA_UID,	4, &question->uid },
		{ RTA_SPORT,	2, &question->sport },
		{ RTA_DPORT,	2, &question->dport },
		{ RTA_IP_PROTO,	1, &question->protocol },
	};
	struct rtmsg *rtm;
	unsigned int i;

	nlh->nlmsg_type = RTM_GETROUTE;
	rtm = mnl_nlmsg_put_extra_header(nlh, sizeof(*rtm));
	rtm->rtm_family = AF_INET6;
	rtm->rtm_dst_len = question->dst.len;
	rtm->rtm_src_len = question->src.len;
	rtm->rtm_flags = question->fib_match ? RTM_F_FIB_MATCH : 0;
	for (i = 0; i < MNL_ARRAY_SIZE(values); i++)
		if (question->given & (1u << values[i].type))
			mnl_attr_put(nlh, values[i].type, values[i].size,
				     values[i].value);
}

static void answer_print(struct session *session, const struct nl_msgs *msgs,
			 uint16_t slot)
{
	static const struct route_hidden nothing;
	const struct nlmsghdr *msg = NULL;
	struct out out;

	out_init(&out, stdout, session->opts);
	out_open(&out, '[', NULL);
	while ((msg = nl_msgs_next(msgs, msg)))
		if (route_printable(msg))
			route_print(&out, msg, slot, &nothing);
	out_close(&out, ']');
	if (out.json)
		fputc('\n', out.file);
}

int route_get(struct session *session, struct cmdline *line)
{
	char buf[512] __attribute__((aligned(8)));
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buf);
	struct route_question question;
	struct nl_msgs msgs = { 0 };
	uint16_t slot;
	int err;

	device_names_forget();
	err = session_enter(session);
	if (!err)
		err = question_parse(&question, line);
	if (!err)
		err = slot_loaded(&slot);
	if (err)
		return err;
	question_build(nlh, &question);
	err = nexthop_info_load(session);
	if (!err)
		err = session_query(session, nlh, &msgs);
	if (!err)
		answer_print(session, &msgs, slot);
	nexthop_info_free();
	nl_msgs_free(&msgs);
	return err;
}
