// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_messages.c - what a kernel, or another ip, may answer
 *
 * The first octet says what the rest is: a route, a nexthop object, an answer
 * to a request, or a listing of the real ip in text or JSON with the messages
 * that belong to it behind a NUL.  JSON that comes out has to be JSON.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../ip_front.h"
#include "../names.h"
#include "../nexthop.h"
#include "../nl.h"
#include "../route.h"
#include "fuzz.h"

static const struct options views[] = {
	{ .stats = 1 },
	{ .details = 1, .numeric = true, .oneline = true },
	{ .json = true, .stats = 1 },
	{ .json = true, .pretty = true, .details = 1, .stats = 1 },
};

static void check_json(const struct options *opts, const char *text)
{
	if (!opts->json || json_valid(text))
		return;
	printf("not JSON: %s\n", text);
	fflush(stdout);
	abort();
}

static void show(const struct nlmsghdr *msg, bool object)
{
	static const struct route_hidden nothing;
	struct out out;
	char *text;
	size_t i, len;

	for (i = 0; i < MNL_ARRAY_SIZE(views); i++) {
		out_init(&out, open_memstream(&text, &len), &views[i]);
		if (object)
			nexthop_print(&out, msg, FUZZ_SLOT);
		else
			route_print(&out, msg, FUZZ_SLOT, &nothing);
		fclose(out.file);
		check_json(&views[i], text);
		free(text);
	}
}

/* The messages as they are kept, which starts with being whole. */
static bool keep(struct nl_msgs *msgs, const uint8_t *data, size_t size)
{
	const struct nlmsghdr *msg;
	char *copy = malloc(size + 1);
	int left = size;

	memcpy(copy, data, size);
	msg = (const struct nlmsghdr *)copy;
	for (; nl_whole(msg, left); msg = mnl_nlmsg_next(msg, &left))
		nl_msgs_add(msgs, msg, msg->nlmsg_len);
	free(copy);
	return nl_msgs_next(msgs, NULL);
}

static void shown(const uint8_t *data, size_t size)
{
	const struct nlmsghdr *msg = NULL;
	struct nl_msgs msgs = { 0 };

	keep(&msgs, data, size);
	while ((msg = nl_msgs_next(&msgs, msg))) {
		if (route_printable(msg))
			show(msg, false);
		if (nexthop_printable(msg))
			show(msg, true);
	}
	nl_msgs_free(&msgs);
}

/* The request first, then what answers it. */
static void answered(const uint8_t *data, size_t size)
{
	const struct nlmsghdr *req, *answer;
	struct nl_msgs msgs = { 0 };
	char text[64];

	if (keep(&msgs, data, size)) {
		req = nl_msgs_next(&msgs, NULL);
		answer = nl_msgs_next(&msgs, req);
		if (answer && (answer->nlmsg_type == NLMSG_ERROR ||
			       answer->nlmsg_type == NLMSG_DONE)) {
			extack_report(answer, req);
			extack_text(answer, text, sizeof(text));
		}
	}
	nl_msgs_free(&msgs);
}

static void spliced(const uint8_t *data, size_t size, bool json)
{
	const struct options opts = { .json = json, .stats = 1 };
	struct listing listing = { .opts = &opts, .slot = FUZZ_SLOT };
	size_t len = strnlen((const char *)data, size);
	char *listed, *result;
	FILE *file;
	bool good;

	if (len == size)
		return;
	listed = strdup((const char *)data);
	keep(&listing.msgs, data + len + 1, size - len - 1);
	file = open_memstream(&result, &len);
	good = json ? splice_json(file, listed, &listing)
		    : splice_text(file, listed, &listing);
	fclose(file);
	if (good && json && json_valid(listed))
		check_json(&opts, result);
	free(result);
	free(listed);
	nl_msgs_free(&listing.msgs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	switch (data[0] % 4) {
	case 0:
		shown(data + 1, size - 1);
		break;
	case 1:
		answered(data + 1, size - 1);
		break;
	case 2:
		spliced(data + 1, size - 1, false);
		break;
	case 3:
		spliced(data + 1, size - 1, true);
		break;
	}
	return 0;
}
