// SPDX-License-Identifier: GPL-2.0-only
/*
 * seeds.c - commands into seeds for the fuzz targets
 *
 *	seeds DIR <BATCH
 *
 * Writes DIR/words/N with the words of each command, and DIR/messages/N with
 * what a kernel would answer to it and what an ip would list of that.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../batch.h"
#include "../cmdline.h"
#include "../nexthop.h"
#include "../route.h"
#include "fuzz.h"

static FILE *seed_open(const char *dir, const char *target, char kind,
		       unsigned int number)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s/%c%u", dir, target, kind, number);
	file = fopen(path, "w");
	if (!file) {
		perror(path);
		exit(1);
	}
	return file;
}

static bool build_route(struct nlmsghdr *nlh, char **words)
{
	struct cmdline line = { .next = words };
	struct route route;
	bool good;

	nlh->nlmsg_type = RTM_NEWROUTE;
	good = !route_parse(&route, &line) &&
	       route_build(nlh, NL_REQUEST_SIZE, &route, FUZZ_SLOT);
	route_release(&route);
	return good;
}

static bool build_nexthop(struct nlmsghdr *nlh, char **words)
{
	struct cmdline line = { .next = words };
	struct nexthop nexthop;
	bool good;

	nlh->nlmsg_type = RTM_NEWNEXTHOP;
	good = !nexthop_parse(&nexthop, &line) &&
	       nexthop_build(nlh, NL_REQUEST_SIZE, &nexthop, FUZZ_SLOT);
	if (nexthop.hop.seen & H_ENCAP)
		encap_release(&nexthop.hop.encap);
	return good;
}

static void put_message(const char *dir, const struct nlmsghdr *nlh,
			unsigned int number)
{
	FILE *file = seed_open(dir, "messages", 'm', number);

	fputc(0, file);
	fwrite(nlh, 1, nlh->nlmsg_len, file);
	fclose(file);
}

/* A refusal of the request that blames its last attribute. */
static void put_refusal(const char *dir, const struct nlmsghdr *nlh,
			unsigned int number)
{
	static const char text[] = "not today";
	char buf[256] __attribute__((aligned(8)));
	struct nlmsghdr *answer = mnl_nlmsg_put_header(buf);
	struct nlmsgerr *err;
	FILE *file;

	answer->nlmsg_type = NLMSG_ERROR;
	answer->nlmsg_flags = 0x300;	/* capped, with attributes */
	err = mnl_nlmsg_put_extra_header(answer, sizeof(*err));
	err->error = -22;
	err->msg = *nlh;
	mnl_attr_put_strz(answer, NLMSGERR_ATTR_MSG, text);
	mnl_attr_put_u32(answer, NLMSGERR_ATTR_OFFS, nlh->nlmsg_len - 8);
	file = seed_open(dir, "messages", 'a', number);
	fputc(1, file);
	fwrite(nlh, 1, nlh->nlmsg_len, file);
	fwrite(answer, 1, answer->nlmsg_len, file);
	fclose(file);
}

/* Slot 0 is nobody's: the encap is shown as ip shows it. */
static void put_listing(const char *dir, const struct nlmsghdr *nlh,
			unsigned int number, bool json)
{
	static const struct route_hidden nothing;
	const struct options opts = { .json = json };
	struct out out;
	FILE *file;

	file = seed_open(dir, "messages", json ? 'j' : 't', number);
	fputc(json ? 3 : 2, file);
	out_init(&out, file, &opts);
	out_open(&out, '[', NULL);
	route_print(&out, nlh, 0, &nothing);
	out_close(&out, ']');
	fputc('\0', file);
	fwrite(nlh, 1, nlh->nlmsg_len, file);
	fclose(file);
}

static void put_words(const char *dir, char **words, unsigned int number)
{
	FILE *file = seed_open(dir, "words", 'w', number);

	for (; *words; words++)
		fprintf(file, "%s%s", *words, words[1] ? " " : "");
	fclose(file);
}

static void put_seeds(const char *dir, char **words, unsigned int number)
{
	char *buf = calloc(1, NL_REQUEST_SIZE);
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buf);
	bool object = !strcmp(words[0], "nexthop");

	put_words(dir, words + 2, number);
	if (object ? build_nexthop(nlh, words + 2)
		   : build_route(nlh, words + 2)) {
		put_message(dir, nlh, number);
		put_refusal(dir, nlh, number);
		if (!object) {
			put_listing(dir, nlh, number, false);
			put_listing(dir, nlh, number, true);
		}
	}
	free(buf);
}

int main(int argc, char **argv)
{
	unsigned int number = 0;
	char *line = NULL;
	size_t room = 0;
	char **words;

	if (argc != 2)
		return 1;
	while (getline(&line, &room, stdin) > 0) {
		words = batch_split(line);
		if (words && words[0] && words[1])
			put_seeds(argv[1], words, number++);
		free(words);
	}
	free(line);
	printf("%u commands\n", number);
	return !number;
}
