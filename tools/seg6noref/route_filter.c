// SPDX-License-Identifier: GPL-2.0-only
/*
 * route_filter.c - select routes in the words of `ip -6 route show'
 */
#include <string.h>
#include <sys/socket.h>

#include "names.h"
#include "route_filter.h"

static int filter_prefix(struct route_filter *filter, struct cmdline *line)
{
	const char *word;
	int err;

	cmdline_accept(line, "to");
	filter->mode = MATCH_EXACT;
	if (cmdline_accept(line, "root"))
		filter->mode = MATCH_ROOT;
	else if (cmdline_accept(line, "match"))
		filter->mode = MATCH_MATCH;
	else
		cmdline_accept(line, "exact");
	err = cmdline_value(line, &word);
	return err ? err : parse_prefix(word, &filter->prefix);
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

static int filter_proto(struct route_filter *filter, struct cmdline *line)
{
	const char *word;
	int err;

	filter->hidden.proto = true;
	err = cmdline_value(line, &word);
	if (err)
		return err;
	if (!name_to_number(NAME_PROTO, word, &filter->proto))
		return complain_invalid(word, "invalid \"protocol\"");
	return EXIT_OK;
}

static int filter_metric(struct route_filter *filter, struct cmdline *line)
{
	const char *word;
	uint64_t value;
	int err;

	filter->hidden.metric = true;
	err = cmdline_value(line, &word);
	if (err)
		return err;
	if (!word_number(word, UINT32_MAX, &value))
		return complain_invalid(word, "\"metric\" value is invalid");
	filter->metric = value;
	return EXIT_OK;
}

static const struct {
	const char *word;
	bool abbrev;
	int (*parse)(struct route_filter *filter, struct cmdline *line);
} filter_rows[] = {
	{ "table",	true,	filter_table },
	{ "vrf",	false,	filter_vrf },
	{ "protocol",	true,	filter_proto },
	{ "dev",	false,	filter_dev },
	{ "oif",	false,	filter_dev },
	{ "metric",	true,	filter_metric },
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
			if (!strcmp(word, filter_rows[i].word) ||
			    (filter_rows[i].abbrev &&
			     word_is_prefix(word, filter_rows[i].word)))
				break;
		if (i == MNL_ARRAY_SIZE(filter_rows)) {
			if (filter->mode != MATCH_ANY)
				return complain_duplicate("to", word);
			err = filter_prefix(filter, line);
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

static bool prefix_wanted(const struct route_filter *filter,
			  const struct rtmsg *rtm, const struct in6_addr *dst)
{
	const struct prefix *prefix = &filter->prefix;

	switch (filter->mode) {
	case MATCH_ANY:
		return true;
	case MATCH_EXACT:
		return rtm->rtm_dst_len == prefix->len &&
		       bits_equal(dst, &prefix->addr, prefix->len);
	case MATCH_ROOT:
		return rtm->rtm_dst_len >= prefix->len &&
		       bits_equal(dst, &prefix->addr, prefix->len);
	case MATCH_MATCH:
		return rtm->rtm_dst_len <= prefix->len &&
		       bits_equal(dst, &prefix->addr, rtm->rtm_dst_len);
	}
	return false;
}

void route_key_get(const struct nlmsghdr *msg, struct route_key *key)
{
	const struct rtmsg *rtm = mnl_nlmsg_get_payload(msg);
	const struct nlattr *attr;
	size_t len;

	memset(key, 0, sizeof(*key));
	key->table = rtm->rtm_table;
	mnl_attr_for_each(attr, msg, sizeof(*rtm)) {
		len = mnl_attr_get_payload_len(attr);
		if (mnl_attr_get_type(attr) == RTA_DST &&
		    len >= sizeof(key->dst))
			memcpy(&key->dst, mnl_attr_get_payload(attr),
			       sizeof(key->dst));
		if (len < sizeof(uint32_t))
			continue;
		if (mnl_attr_get_type(attr) == RTA_TABLE)
			key->table = mnl_attr_get_u32(attr);
		else if (mnl_attr_get_type(attr) == RTA_PRIORITY)
			key->metric = mnl_attr_get_u32(attr);
		else if (mnl_attr_get_type(attr) == RTA_OIF)
			key->dev = mnl_attr_get_u32(attr);
	}
}

bool route_wanted(const struct route_filter *filter,
		  const struct nlmsghdr *msg)
{
	const struct rtmsg *rtm = mnl_nlmsg_get_payload(msg);
	struct route_key key;

	if (msg->nlmsg_type != RTM_NEWROUTE ||
	    mnl_nlmsg_get_payload_len(msg) < sizeof(*rtm) ||
	    rtm->rtm_family != AF_INET6 || (rtm->rtm_flags & RTM_F_CLONED))
		return false;
	route_key_get(msg, &key);
	if (!filter->all_tables && key.table != filter->table)
		return false;
	if (filter->hidden.dev && key.dev != filter->dev)
		return false;
	if (filter->hidden.metric && key.metric != filter->metric)
		return false;
	if (filter->hidden.proto && rtm->rtm_protocol != filter->proto)
		return false;
	return prefix_wanted(filter, rtm, &key.dst);
}
