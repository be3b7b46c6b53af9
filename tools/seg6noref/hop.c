// SPDX-License-Identifier: GPL-2.0-only
/*
 * hop.c - next hops, from words to attributes
 */
#include <stdlib.h>
#include <string.h>
#include <linux/rtnetlink.h>

#include "hop.h"
#include "value.h"

static int parse_via(struct hop *hop, struct cmdline *line)
{
	cmdline_accept(line, "inet6");
	return parse_address(line, &hop->gateway);
}

static int parse_dev(struct hop *hop, struct cmdline *line)
{
	return parse_device(line, &hop->oif, EXIT_ADDRESS);
}

static int parse_weight(struct hop *hop, struct cmdline *line)
{
	const char *word;
	uint64_t weight;
	int err;

	err = cmdline_value(line, &word);
	if (err)
		return err;
	if (!word_number(word, 256, &weight) || !weight)
		return complain_invalid(word, "\"weight\" is invalid");
	hop->others = weight - 1;
	return EXIT_OK;
}

static int parse_onlink(struct hop *hop, struct cmdline *line)
{
	(void)hop;
	(void)line;
	return EXIT_OK;
}

static int parse_encap(struct hop *hop, struct cmdline *line)
{
	return encap_parse(&hop->encap, line);
}

static const struct {
	const char *word;
	enum hop_field field;
	int (*parse)(struct hop *hop, struct cmdline *line);
} rows[] = {
	{ "via",	H_VIA,		parse_via },
	{ "dev",	H_DEV,		parse_dev },
	{ "weight",	H_WEIGHT,	parse_weight },
	{ "onlink",	H_ONLINK,	parse_onlink },
	{ "encap",	H_ENCAP,	parse_encap },
};

bool hop_word(struct hop *hop, struct cmdline *line, int *err)
{
	const char *word = cmdline_peek(line);
	unsigned int i;

	for (i = 0; i < MNL_ARRAY_SIZE(rows); i++)
		if (!strcmp(word, rows[i].word))
			break;
	if (i == MNL_ARRAY_SIZE(rows))
		return false;
	cmdline_skip(line);
	if (hop->seen & rows[i].field) {
		*err = complain_duplicate(word, word);
		return true;
	}
	hop->seen |= rows[i].field;
	*err = rows[i].parse(hop, line);
	return true;
}

static struct hop *hops_add(struct hops *hops)
{
	struct hop *grown;

	grown = realloc(hops->hop, (hops->count + 1) * sizeof(*grown));
	if (!grown)
		return NULL;
	hops->hop = grown;
	memset(&grown[hops->count], 0, sizeof(*grown));
	return &grown[hops->count++];
}

static int hop_parse(struct hop *hop, struct cmdline *line)
{
	int err = EXIT_OK;

	while (!err && cmdline_peek(line) && hop_word(hop, line, &err))
		;
	return err;
}

int hops_parse(struct hops *hops, struct cmdline *line)
{
	struct hop *hop;
	int err;

	do {
		hop = hops_add(hops);
		if (!hop) {
			complain("Error: out of memory.");
			return EXIT_KERNEL;
		}
		err = hop_parse(hop, line);
		if (err)
			return err;
	} while (cmdline_accept(line, "nexthop"));
	if (!cmdline_peek(line))
		return EXIT_OK;
	complain("Error: \"nexthop\" or end of line is expected instead of \"%s\"",
		 cmdline_peek(line));
	return EXIT_PARSE;
}

bool hops_have_encap(const struct hops *hops)
{
	size_t i;

	for (i = 0; i < hops->count; i++)
		if (hops->hop[i].seen & H_ENCAP)
			return true;
	return false;
}

static bool hop_put(struct nlmsghdr *nlh, size_t size, const struct hop *hop,
		    uint16_t slot)
{
	struct rtnexthop *nh = mnl_nlmsg_get_payload_tail(nlh);
	bool good = true;

	if (nlh->nlmsg_len + sizeof(*nh) > size)
		return false;
	memset(nh, 0, sizeof(*nh));
	nlh->nlmsg_len += sizeof(*nh);
	nh->rtnh_flags = hop->seen & H_ONLINK ? RTNH_F_ONLINK : 0;
	nh->rtnh_hops = hop->others;
	nh->rtnh_ifindex = hop->oif;
	if (hop->seen & H_VIA)
		good = mnl_attr_put_check(nlh, size, RTA_GATEWAY, 16,
					  &hop->gateway);
	if (hop->seen & H_ENCAP)
		good = good && encap_put(nlh, size, &hop->encap, RTA_ENCAP) &&
		       mnl_attr_put_u16_check(nlh, size, RTA_ENCAP_TYPE, slot);
	nh->rtnh_len = (char *)mnl_nlmsg_get_payload_tail(nlh) - (char *)nh;
	return good;
}

/* RTA_MULTIPATH; it holds structures and is no nest of attributes. */
bool hops_put(struct nlmsghdr *nlh, size_t size, const struct hops *hops,
	      uint16_t slot)
{
	struct nlattr *attr;
	size_t i;

	attr = mnl_attr_nest_start_check(nlh, size, RTA_MULTIPATH);
	if (!attr)
		return false;
	attr->nla_type = RTA_MULTIPATH;
	for (i = 0; i < hops->count; i++)
		if (!hop_put(nlh, size, &hops->hop[i], slot))
			return false;
	mnl_attr_nest_end(nlh, attr);
	return true;
}

void hops_release(struct hops *hops)
{
	size_t i;

	for (i = 0; i < hops->count; i++)
		if (hops->hop[i].seen & H_ENCAP)
			encap_release(&hops->hop[i].encap);
	free(hops->hop);
	memset(hops, 0, sizeof(*hops));
}
