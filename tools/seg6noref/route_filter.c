// SPDX-License-Identifier: GPL-2.0-only
/*
 * route_filter.c - select routes in the words of `ip -6 route show'
 */
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>

#include "names.h"
#include "route_filter.h"

/* As with ip, the mode may be abbreviated; without one, exactly that prefix. */
static int read_prefix(struct prefix_filter *filter, struct cmdline *line)
{
	const char *word = cmdline_peek(line);
	int err;

	filter->mode = MATCH_EXACT;
	if (word && word_is_prefix(word, "root"))
		filter->mode = MATCH_ROOT;
	else if (word && word_is_prefix(word, "match"))
		filter->mode = MATCH_MATCH;
	if (word && (filter->mode != MATCH_EXACT ||
		     word_is_prefix(word, "exact")))
		cmdline_skip(line);
	err = cmdline_value(line, &word);
	return err ? err : parse_prefix(word, &filter->prefix);
}

static int filter_to(struct route_filter *filter, struct cmdline *line)
{
	return read_prefix(&filter->dst, line);
}

static int filter_from(struct route_filter *filter, struct cmdline *line)
{
	return read_prefix(&filter->src, line);
}

/* An address or all those with a prefix; a single one need not be shown. */
static int read_addresses(struct prefix_filter *filter, struct cmdline *line,
			  bool *hidden)
{
	const char *word;
	int err;

	filter->mode = MATCH_ROOT;
	err = cmdline_value(line, &word);
	if (!err)
		err = parse_prefix(word, &filter->prefix);
	*hidden = filter->prefix.len == 128;
	return err;
}

static int filter_via(struct route_filter *filter, struct cmdline *line)
{
	cmdline_accept(line, "inet6");
	return read_addresses(&filter->via, line, &filter->hidden.via);
}

static int filter_src(struct route_filter *filter, struct cmdline *line)
{
	return read_addresses(&filter->prefsrc, line, &filter->hidden.src);
}

static int filter_table(struct route_filter *filter, struct cmdline *line)
{
	filter->table_given = true;
	filter->all_tables = cmdline_accept(line, "all");
	filter->hidden.table = !filter->all_tables;
	return filter->all_tables ? EXIT_OK
				  : parse_table_id(line, &filter->table,
						   "\"table\" value is invalid");
}

static int filter_vrf(struct route_filter *filter, struct cmdline *line)
{
	filter->table_given = true;
	filter->all_tables = false;
	filter->hidden.table = true;
	return parse_vrf_name(line, &filter->table);
}

static int filter_dev(struct route_filter *filter, struct cmdline *line)
{
	filter->hidden.dev = true;
	return parse_device(line, &filter->dev, EXIT_ADDRESS);
}

/* A name or number of @kind, or all of them. */
static int read_name(struct cmdline *line, enum name_kind kind,
		     uint32_t *number, bool *given, const char *why)
{
	const char *word;
	int err;

	err = cmdline_value(line, &word);
	if (err)
		return err;
	*given = name_to_number(kind, word, number);
	if (*given || !strcmp(word, "all"))
		return EXIT_OK;
	return complain_invalid(word, why);
}

static int filter_proto(struct route_filter *filter, struct cmdline *line)
{
	return read_name(line, NAME_PROTO, &filter->proto,
			 &filter->hidden.proto, "invalid \"protocol\"");
}

static int filter_scope(struct route_filter *filter, struct cmdline *line)
{
	return read_name(line, NAME_SCOPE, &filter->scope,
			 &filter->hidden.scope, "invalid \"scope\"");
}

static int filter_type(struct route_filter *filter, struct cmdline *line)
{
	const char *word;
	uint64_t type;
	int err;

	err = cmdline_value(line, &word);
	if (err)
		return err;
	for (type = 1; route_type_name(type); type++)
		if (!strcmp(word, route_type_name(type)))
			break;
	if (!route_type_name(type) && !word_number(word, UINT8_MAX, &type))
		return complain_invalid(word, "node type value is invalid");
	filter->type = type;
	return EXIT_OK;
}

static int filter_metric(struct route_filter *filter, struct cmdline *line)
{
	filter->hidden.metric = true;
	return parse_u32(line, &filter->metric, "\"metric\" value is invalid");
}

static const struct {
	const char *word;
	bool abbrev;
	int (*parse)(struct route_filter *filter, struct cmdline *line);
} filter_rows[] = {
	{ "table",	true,	filter_table },
	{ "vrf",	false,	filter_vrf },
	{ "protocol",	true,	filter_proto },
	{ "scope",	true,	filter_scope },
	{ "type",	true,	filter_type },
	{ "dev",	false,	filter_dev },
	{ "oif",	false,	filter_dev },
	{ "metric",	true,	filter_metric },
	{ "priority",	true,	filter_metric },
	{ "preference",	false,	filter_metric },
	{ "via",	false,	filter_via },
	{ "src",	false,	filter_src },
	{ "from",	true,	filter_from },
	{ "to",		false,	filter_to },
};

int route_filter_parse(struct route_filter *filter, struct cmdline *line)
{
	const char *word;
	unsigned int i;
	int err;

	memset(filter, 0, sizeof(*filter));
	filter->table = RT_TABLE_MAIN;
	filter->hidden.table = true;
	while ((word = cmdline_peek(line))) {
		for (i = 0; i < MNL_ARRAY_SIZE(filter_rows); i++)
			if (word_fits(word, filter_rows[i].word,
				      filter_rows[i].abbrev))
				break;
		if (i == MNL_ARRAY_SIZE(filter_rows)) {
			if (filter->dst.mode != MATCH_ANY)
				return complain_duplicate("to", word);
			err = filter_to(filter, line);
		} else {
			cmdline_skip(line);
			err = filter_rows[i].parse(filter, line);
		}
		if (err)
			return err;
	}
	return EXIT_OK;
}

/* The first @bits of two addresses agree. */
static bool bits_equal(const struct in6_addr *a, const struct in6_addr *b,
		       unsigned int bits)
{
	unsigned int bytes = bits / 8;
	uint8_t mask = 0xff00 >> (bits % 8);

	if (memcmp(a, b, bytes))
		return false;
	return !(bits % 8) ||
	       !((a->s6_addr[bytes] ^ b->s6_addr[bytes]) & mask);
}

static bool prefix_wanted(const struct prefix_filter *filter,
			  const struct in6_addr *addr, unsigned int len)
{
	const struct prefix *prefix = &filter->prefix;

	switch (filter->mode) {
	case MATCH_ANY:
		return true;
	case MATCH_EXACT:
		return len == prefix->len &&
		       bits_equal(addr, &prefix->addr, len);
	case MATCH_ROOT:
		return len >= prefix->len &&
		       bits_equal(addr, &prefix->addr, prefix->len);
	case MATCH_MATCH:
		return len <= prefix->len &&
		       bits_equal(addr, &prefix->addr, len);
	}
	return false;
}

static const struct {
	unsigned int type;
	size_t size;
	size_t offset;
} key_attrs[] = {
	{ RTA_DST,	16, offsetof(struct route_key, dst) },
	{ RTA_SRC,	16, offsetof(struct route_key, src) },
	{ RTA_GATEWAY,	16, offsetof(struct route_key, via) },
	{ RTA_PREFSRC,	16, offsetof(struct route_key, prefsrc) },
	{ RTA_TABLE,	4, offsetof(struct route_key, table) },
	{ RTA_PRIORITY,	4, offsetof(struct route_key, metric) },
	{ RTA_OIF,	4, offsetof(struct route_key, dev) },
};

void route_key_get(const struct nlmsghdr *msg, struct route_key *key)
{
	const struct rtmsg *rtm = mnl_nlmsg_get_payload(msg);
	const struct nlattr *attr;
	unsigned int i;

	memset(key, 0, sizeof(*key));
	key->table = rtm->rtm_table;
	mnl_attr_for_each(attr, msg, sizeof(*rtm)) {
		for (i = 0; i < MNL_ARRAY_SIZE(key_attrs); i++)
			if (mnl_attr_get_type(attr) == key_attrs[i].type)
				break;
		if (i == MNL_ARRAY_SIZE(key_attrs) ||
		    mnl_attr_get_payload_len(attr) < key_attrs[i].size)
			continue;
		memcpy((char *)key + key_attrs[i].offset,
		       mnl_attr_get_payload(attr), key_attrs[i].size);
	}
}

/* What is not given is the address of all zeros, which none is. */
static bool address_wanted(const struct prefix_filter *filter,
			   const struct in6_addr *addr)
{
	return filter->mode == MATCH_ANY ||
	       (!IN6_IS_ADDR_UNSPECIFIED(addr) &&
		prefix_wanted(filter, addr, 128));
}

/* Numbers that were given decide. */
static bool numbers_wanted(const struct route_filter *filter,
			   const struct rtmsg *rtm,
			   const struct route_key *key)
{
	const struct route_hidden *given = &filter->hidden;

	return (filter->all_tables || key->table == filter->table) &&
	       (!given->dev || key->dev == filter->dev) &&
	       (!given->metric || key->metric == filter->metric) &&
	       (!given->proto || rtm->rtm_protocol == filter->proto) &&
	       (!given->scope || rtm->rtm_scope == filter->scope) &&
	       (!filter->type || rtm->rtm_type == filter->type);
}

bool route_wanted(const struct route_filter *filter,
		  const struct nlmsghdr *msg)
{
	const struct rtmsg *rtm = mnl_nlmsg_get_payload(msg);
	struct route_key key;

	if (!route_printable(msg) || (rtm->rtm_flags & RTM_F_CLONED))
		return false;
	route_key_get(msg, &key);
	return numbers_wanted(filter, rtm, &key) &&
	       prefix_wanted(&filter->dst, &key.dst, rtm->rtm_dst_len) &&
	       prefix_wanted(&filter->src, &key.src, rtm->rtm_src_len) &&
	       address_wanted(&filter->via, &key.via) &&
	       address_wanted(&filter->prefsrc, &key.prefsrc);
}
