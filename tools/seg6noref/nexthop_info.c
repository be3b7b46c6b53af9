// SPDX-License-Identifier: GPL-2.0-only
/*
 * nexthop_info.c - with -d, a route by a nexthop object repeats what that has
 *
 * The objects are asked for once per listing.
 */
#include <stdlib.h>
#include <string.h>

#include "nexthop.h"

struct entry {
	uint32_t id;
	const struct nlmsghdr *msg;
};

static struct nl_msgs dump;
static struct entry *entries;
static size_t count;

static int compare(const void *a, const void *b)
{
	const struct entry *left = a, *right = b;

	return left->id < right->id ? -1 : left->id > right->id;
}

static uint32_t id_of(const struct nlmsghdr *msg)
{
	const struct nlattr *attr;

	if (nexthop_printable(msg))
		mnl_attr_for_each(attr, msg, sizeof(struct nhmsg))
			if (mnl_attr_get_type(attr) == NHA_ID &&
			    mnl_attr_get_payload_len(attr) == sizeof(uint32_t))
				return mnl_attr_get_u32(attr);
	return 0;
}

static bool entries_fill(void)
{
	const struct nlmsghdr *msg = NULL;
	size_t all = 0;

	while ((msg = nl_msgs_next(&dump, msg)))
		all++;
	entries = calloc(all + 1, sizeof(*entries));
	if (!entries)
		return false;
	while ((msg = nl_msgs_next(&dump, msg)))
		if (id_of(msg))
			entries[count++] = (struct entry){ id_of(msg), msg };
	qsort(entries, count, sizeof(*entries), compare);
	return true;
}

int nexthop_info_load(struct session *session)
{
	int err;

	nexthop_info_free();
	if (!session->opts->details)
		return EXIT_OK;
	err = nexthop_dump(session, &dump);
	if (err || entries_fill())
		return err;
	complain("Error: out of memory.");
	return EXIT_KERNEL;
}

void nexthop_info_print(struct out *out, uint32_t id, uint16_t slot)
{
	const struct entry key = { .id = id };
	const struct entry *found = NULL;

	if (count)
		found = bsearch(&key, entries, count, sizeof(*entries),
				compare);
	if (!found)
		return;
	out_text(out, "%s\tnh_info ", out->oneline ? "\\" : "\n");
	out_open(out, '{', "nh_info");
	nexthop_print_fields(out, found->msg, slot);
	out_close(out, '}');
}

void nexthop_info_free(void)
{
	nl_msgs_free(&dump);
	free(entries);
	entries = NULL;
	count = 0;
}
