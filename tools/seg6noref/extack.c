// SPDX-License-Identifier: GPL-2.0-only
/*
 * extack.c - say what the kernel said about a request
 *
 * The first line has the form that iproute2 gives it, which scripts look for.
 * A second one names the attribute at fault by its word on the command line.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <linux/netlink.h>
#include <linux/nexthop.h>

#include "../../module/uapi.h"
#include "cmdline.h"
#include "encap.h"
#include "nl.h"

#define NL_ATTR_MSG		1
#define NL_ATTR_OFFS		2
#define NL_ATTR_MISS_TYPE	5
#define NL_ATTR_MISS_NEST	6
#define NL_F_CAPPED		0x100
#define NL_F_ACK_TLVS		0x200

struct extack {
	char text[512];
	uint32_t offset;	/* of the attribute at fault in the request */
	uint32_t miss_nest;	/* of the nest in which one is missing */
	uint32_t miss_type;
	bool has_offset;
	bool has_miss_nest;
	bool has_miss_type;
};

static const char *const route_words[] = {
	[RTA_DST]		= "to",
	[RTA_SRC]		= "from",
	[RTA_OIF]		= "dev",
	[RTA_GATEWAY]		= "via",
	[RTA_PRIORITY]		= "metric",
	[RTA_PREFSRC]		= "src",
	[RTA_METRICS]		= "metrics",
	[RTA_TABLE]		= "table",
	[RTA_PREF]		= "pref",
	[RTA_ENCAP_TYPE]	= "encap type",
	[RTA_ENCAP]		= "encap",
	[RTA_EXPIRES]		= "expires",
	[RTA_MULTIPATH]		= "nexthop",
	[RTA_NH_ID]		= "nhid",
};

static const char *route_word(unsigned int type)
{
	return type < MNL_ARRAY_SIZE(route_words) ? route_words[type] : NULL;
}

/* Append a word, or the number of an attribute without one, to @path. */
static void path_add(char *path, size_t size, const char *word,
		     unsigned int type)
{
	size_t len = strlen(path);

	if (len)
		len += snprintf(path + len, size - len, " ");
	if (word)
		snprintf(path + len, size - len, "%s", word);
	else
		snprintf(path + len, size - len, "attribute %u", type);
}

static const char *const nexthop_words[] = {
	[NHA_ID]		= "id",
	[NHA_OIF]		= "dev",
	[NHA_GATEWAY]		= "via",
	[NHA_ENCAP_TYPE]	= "encap type",
	[NHA_ENCAP]		= "encap",
};

static bool is_nexthop(const struct nlmsghdr *req)
{
	return req->nlmsg_type == RTM_NEWNEXTHOP ||
	       req->nlmsg_type == RTM_DELNEXTHOP;
}

static const char *top_word(const struct nlmsghdr *req, unsigned int type)
{
	if (!is_nexthop(req))
		return route_word(type);
	return type < MNL_ARRAY_SIZE(nexthop_words) ? nexthop_words[type] :
						      NULL;
}

/* Words for attribute @type inside @depth nests. */
static const char *nested_word(const struct nlmsghdr *req, int depth,
			       unsigned int type)
{
	if (depth == 0)
		return top_word(req, type);
	return depth == 2 ? encap_word(type) : NULL;
}

/* Attributes of the next hop that @target is in, and where they end. */
static const struct nlattr *enter_multipath(const struct nlattr *attr,
					    const char *target,
					    const char **end)
{
	const struct rtnexthop *nh = mnl_attr_get_payload(attr);
	size_t left = mnl_attr_get_payload_len(attr);
	const char *next;

	while (left >= sizeof(*nh) && nh->rtnh_len >= sizeof(*nh) &&
	       nh->rtnh_len <= left) {
		next = (const char *)nh + RTNH_ALIGN(nh->rtnh_len);
		if (target < next) {
			*end = (const char *)nh + nh->rtnh_len;
			return (const struct nlattr *)RTNH_DATA(nh);
		}
		left -= nh->rtnh_len;
		nh = (const struct rtnexthop *)next;
	}
	return NULL;
}

static bool is_multipath(const struct nlmsghdr *req, int depth,
			 unsigned int type)
{
	return !depth && type == RTA_MULTIPATH && !is_nexthop(req);
}

/*
 * Write into @path the words that lead to the attribute at @offset of @req.
 * SEG6NR_ENCAP itself has no word: users do not see that nest.
 */
static void path_to(const struct nlmsghdr *req, uint32_t offset, char *path,
		    size_t size)
{
	const char *target = (const char *)req + offset;
	const char *end = (const char *)req + req->nlmsg_len;
	const struct nlattr *attr;
	unsigned int type;
	int depth = 0;

	*path = '\0';
	if (offset >= req->nlmsg_len)
		return;
	attr = mnl_nlmsg_get_payload_offset(req, is_nexthop(req) ?
					    sizeof(struct nhmsg) :
					    sizeof(struct rtmsg));
	while (attr && (const char *)attr <= target &&
	       mnl_attr_ok(attr, end - (const char *)attr)) {
		if (target >= (const char *)mnl_attr_next(attr)) {
			attr = mnl_attr_next(attr);
			continue;
		}
		type = mnl_attr_get_type(attr);
		if (depth != 1 || type != SEG6NR_ENCAP)
			path_add(path, size, nested_word(req, depth, type),
				 type);
		if (target == (const char *)attr)
			return;
		if (is_multipath(req, depth, type)) {
			attr = enter_multipath(attr, target, &end);
			continue;
		}
		if (!(attr->nla_type & NLA_F_NESTED))
			return;
		end = (const char *)attr + attr->nla_len;
		attr = mnl_attr_get_payload(attr);
		depth++;
	}
}

static void extack_parse(const struct nlattr *attr, const char *end,
			 struct extack *ext)
{
	size_t len;

	for (; mnl_attr_ok(attr, end - (const char *)attr);
	     attr = mnl_attr_next(attr)) {
		len = mnl_attr_get_payload_len(attr);
		switch (mnl_attr_get_type(attr)) {
		case NL_ATTR_MSG:
			if (len >= sizeof(ext->text))
				len = sizeof(ext->text) - 1;
			memcpy(ext->text, mnl_attr_get_payload(attr), len);
			ext->text[len] = '\0';
			continue;
		case NL_ATTR_OFFS:
		case NL_ATTR_MISS_TYPE:
		case NL_ATTR_MISS_NEST:
			break;
		default:
			continue;
		}
		if (len < sizeof(uint32_t))
			continue;
		if (mnl_attr_get_type(attr) == NL_ATTR_OFFS) {
			ext->offset = mnl_attr_get_u32(attr);
			ext->has_offset = true;
		} else if (mnl_attr_get_type(attr) == NL_ATTR_MISS_TYPE) {
			ext->miss_type = mnl_attr_get_u32(attr);
			ext->has_miss_type = true;
		} else {
			ext->miss_nest = mnl_attr_get_u32(attr);
			ext->has_miss_nest = true;
		}
	}
}

/* An attribute is missing at the top or in the nest that the kernel names. */
static void report_missing(const struct extack *ext,
			   const struct nlmsghdr *req)
{
	const char *word = top_word(req, ext->miss_type);
	char path[256] = "";

	if (ext->has_miss_nest) {
		path_to(req, ext->miss_nest, path, sizeof(path));
		word = encap_word(ext->miss_type);
	}
	path_add(path, sizeof(path), word, ext->miss_type);
	complain("Missing attribute: %s", path);
}

static void report_attribute(const struct extack *ext,
			     const struct nlmsghdr *req)
{
	char path[256];

	if (ext->has_offset) {
		path_to(req, ext->offset, path, sizeof(path));
		if (*path)
			complain("Offending attribute: %s", path);
	}
	if (ext->has_miss_type)
		report_missing(ext, req);
}

/* What an answer has as its negative errno may be anything. */
static int valid_error(int error)
{
	return error > 0 || error < -4095 ? -EBADMSG : error;
}

/* Errno of the answer, and where its extended attributes begin. */
static int answer_parse(const struct nlmsghdr *answer,
			const struct nlattr **attr)
{
	const struct nlmsgerr *err = mnl_nlmsg_get_payload(answer);
	size_t len = mnl_nlmsg_get_payload_len(answer);
	size_t at = sizeof(*err);

	*attr = NULL;
	if (answer->nlmsg_type == NLMSG_DONE) {
		if (len < sizeof(int))
			return 0;
		*attr = mnl_nlmsg_get_payload_offset(answer, sizeof(int));
		return valid_error(*(const int *)
				   mnl_nlmsg_get_payload(answer));
	}
	if (len < sizeof(*err))
		return -EBADMSG;
	if (!(answer->nlmsg_flags & NL_F_CAPPED) &&
	    err->msg.nlmsg_len > sizeof(err->msg))
		at += err->msg.nlmsg_len - sizeof(err->msg);
	if ((answer->nlmsg_flags & NL_F_ACK_TLVS) && at < len)
		*attr = mnl_nlmsg_get_payload_offset(answer, MNL_ALIGN(at));
	return valid_error(err->error);
}

int extack_text(const struct nlmsghdr *answer, char *text, size_t size)
{
	const struct nlattr *attr;
	struct extack ext = { 0 };
	int error;

	error = answer_parse(answer, &attr);
	if (attr)
		extack_parse(attr, (const char *)answer + answer->nlmsg_len,
			     &ext);
	snprintf(text, size, "%s", *ext.text ? ext.text : strerror(-error));
	return -error;
}

/*
 * Print what @answer holds; EXIT_OK if it is an acknowledgement, perhaps with
 * a warning.
 */
int extack_report(const struct nlmsghdr *answer, const struct nlmsghdr *req)
{
	const char *end = (const char *)answer + answer->nlmsg_len;
	const struct nlattr *attr;
	struct extack ext = { 0 };
	const char *stop;
	int error;
	size_t len;

	error = answer_parse(answer, &attr);
	if (attr)
		extack_parse(attr, end, &ext);
	len = strlen(ext.text);
	stop = len && ext.text[len - 1] != '.' && ext.text[len - 1] != '\n' ?
	       "." : "";
	if (!error) {
		if (len)
			complain("Warning: %s%s", ext.text, stop);
		return EXIT_OK;
	}
	if (len)
		complain("Error: %s%s", ext.text, stop);
	else
		complain("RTNETLINK answers: %s", strerror(-error));
	report_attribute(&ext, req);
	return EXIT_KERNEL;
}
