// SPDX-License-Identifier: GPL-2.0-only
/*
 * main.c - seg6noref, or ip if called so
 */
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "cmdline.h"
#include "ip_front.h"
#include "names.h"
#include "options.h"
#include "route.h"
#include "usage.h"

static int do_route(const struct options *opts, struct cmdline *line)
{
	const struct route_verb *verb;
	const char *word;

	word = cmdline_peek(line) ? cmdline_peek(line) : "show";
	if (!strcmp(word, "help")) {
		usage_route(stdout);
		return EXIT_OK;
	}
	verb = route_verb(word);
	if (cmdline_peek(line))
		cmdline_skip(line);
	if (verb && verb->list)
		return route_show(opts, line);
	if (verb && verb->type)
		return route_modify(verb, opts, line);
	complain("Command \"%s\" is unknown, try \"seg6noref route help\".",
		 word);
	return EXIT_PARSE;
}

static int do_help(const struct options *opts, struct cmdline *line)
{
	(void)opts;
	(void)line;
	usage_print(stdout);
	return EXIT_OK;
}

static const struct {
	const char *word;
	int (*run)(const struct options *opts, struct cmdline *line);
} objects[] = {
	{ "route",	do_route },
	{ "help",	do_help },
};

/* Options that make no sense without the rest of ip. */
static bool options_refused(const struct options *opts)
{
	const char *name = NULL;

	if (opts->family && opts->family != AF_INET6)
		name = "only -6 is supported";
	else if (opts->batch)
		name = "-batch is not supported";
	else if (opts->resolve)
		name = "-resolve is not supported";
	else if (opts->foreign)
		name = "-all and -echo are not supported";
	if (name)
		complain("Error: %s.", name);
	return name;
}

static int helper(char **argv)
{
	struct options opts;
	struct cmdline line;
	unsigned int i;

	if (!options_parse(argv, &opts)) {
		complain("Option \"%s\" is unknown or lacks its value, try \"seg6noref --help\".",
			 opts.unknown);
		return EXIT_PARSE;
	}
	if (opts.version) {
		version_print();
		return EXIT_OK;
	}
	if (opts.help)
		return do_help(&opts, NULL);
	line.next = argv + opts.object;
	if (!cmdline_peek(&line)) {
		usage_print(stderr);
		return EXIT_PARSE;
	}
	if (options_refused(&opts))
		return EXIT_PARSE;
	for (i = 0; i < sizeof(objects) / sizeof(objects[0]); i++) {
		if (word_is_prefix(cmdline_peek(&line), objects[i].word)) {
			cmdline_skip(&line);
			return objects[i].run(&opts, &line);
		}
	}
	complain("Object \"%s\" is unknown, try \"seg6noref --help\".",
		 cmdline_peek(&line));
	return EXIT_PARSE;
}

int main(int argc, char **argv)
{
	const char *name = argc ? strrchr(argv[0], '/') : NULL;
	int status;

	if (!argc)
		return EXIT_PARSE;
	name = name ? name + 1 : argv[0];
	status = strcmp(name, "ip") ? helper(argv) : ip_front(argv);
	if (fflush(stdout) || ferror(stdout)) {
		complain("Cannot write the output");
		status = status ? status : EXIT_KERNEL;
	}
	names_free();
	return status;
}
