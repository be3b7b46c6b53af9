// SPDX-License-Identifier: GPL-2.0-only
/*
 * unit.c - runs the unit tests and reports in TAP
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../names.h"
#include "unit.h"

static int passed;
static int failed;

static void put_lines(const char *label, const char *text)
{
	size_t len;

	for (;; text += len + 1) {
		len = strcspn(text, "\n");
		printf("# %s: %.*s\n", label, (int)len, text);
		if (!text[len])
			return;
	}
}

void check(const char *name, const char *want, const char *got)
{
	if (!strcmp(want, got)) {
		printf("ok %d - %s\n", ++passed + failed, name);
		return;
	}
	printf("not ok %d - %s\n", passed + ++failed, name);
	put_lines("want", want);
	put_lines("got ", got);
}

void check_true(const char *name, bool good)
{
	check(name, "true", good ? "true" : "false");
}

static char **split(char *words)
{
	char **argv = calloc(strlen(words) / 2 + 2, sizeof(*argv));
	size_t count = 0;
	char *word;

	for (word = strtok(words, " "); word; word = strtok(NULL, " "))
		argv[count++] = word;
	return argv;
}

int parse_words(const char *words, struct route *route, char **errors)
{
	FILE *saved = stderr;
	struct cmdline line;
	char **argv, *copy;
	size_t len;
	int status;

	copy = strdup(words);
	argv = split(copy);
	line.next = argv;
	if (errors)
		stderr = open_memstream(errors, &len);
	status = route_parse(route, &line);
	if (errors) {
		fclose(stderr);
		stderr = saved;
	}
	free(argv);
	free(copy);
	return status;
}

struct nlmsghdr *build_words(const char *verb, const char *words)
{
	struct nlmsghdr *nlh = calloc(1, NL_REQUEST_SIZE);
	struct route route;

	mnl_nlmsg_put_header(nlh);
	nlh->nlmsg_type = route_verb(verb)->type;
	nlh->nlmsg_flags = route_verb(verb)->flags;
	if (parse_words(words, &route, NULL) ||
	    !route_build(nlh, NL_REQUEST_SIZE, &route, TEST_SLOT)) {
		printf("Bail out! cannot build: %s\n", words);
		exit(1);
	}
	route_release(&route);
	return nlh;
}

int main(void)
{
	test_words();
	test_messages();
	test_printing();
	test_extack();
	test_listings();
	test_nl();
	test_nexthops();
	test_conversions();
	names_free();
	printf("1..%d\n%d passed, %d failed\n", passed + failed, passed,
	       failed);
	return failed != 0;
}
