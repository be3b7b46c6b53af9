// SPDX-License-Identifier: GPL-2.0-only
/*
 * main.c - seg6noref, or ip if called so
 */
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "batch.h"
#include "cmdline.h"
#include "convert.h"
#include "ip_front.h"
#include "monitor.h"
#include "names.h"
#include "nexthop.h"
#include "options.h"
#include "ready.h"
#include "route.h"
#include "session.h"
#include "stats.h"
#include "usage.h"

static int do_help(struct session *session, struct cmdline *line)
{
	(void)session;
	(void)line;
	usage_print(stdout);
	return EXIT_OK;
}

static const struct {
	const char *word;
	int (*run)(struct session *session, struct cmdline *line);
} objects[] = {
	{ "route",	route_command },
	{ "nexthop",	nexthop_command },
	{ "convert",	convert_command },
	{ "monitor",	monitor_command },
	{ "stats",	stats_command },
	{ "check",	ready_command },
	{ "help",	do_help },
};

static int command(struct session *session, char **words)
{
	struct cmdline line = { .next = words };
	unsigned int i;

	for (i = 0; i < sizeof(objects) / sizeof(objects[0]); i++) {
		if (word_is_prefix(words[0], objects[i].word)) {
			cmdline_skip(&line);
			return objects[i].run(session, &line);
		}
	}
	complain("Object \"%s\" is unknown, try \"seg6noref --help\".",
		 words[0]);
	return EXIT_PARSE;
}

static int batch_line(const struct batch *batch, char **words)
{
	return command(batch->arg, words);
}

static int batch_file(struct session *session)
{
	struct batch batch = {
		.name = session->opts->batch, .force = session->opts->force,
		.arg = session, .run = batch_line,
	};
	int fd;
	int err;

	err = batch_open(batch.name, &fd);
	return err ? err : batch_run(&batch, fd);
}

/* Options that make no sense without the rest of ip. */
static bool options_refused(const struct options *opts)
{
	const char *name = NULL;

	if (opts->family && opts->family != AF_INET6)
		name = "only -6 is supported";
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
	struct session session = { .opts = &opts };
	int status;

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
		return do_help(NULL, NULL);
	if (!argv[opts.object] && !opts.batch) {
		usage_print(stderr);
		return EXIT_PARSE;
	}
	if (options_refused(&opts))
		return EXIT_PARSE;
	status = opts.batch ? batch_file(&session) :
			      command(&session, argv + opts.object);
	session_close(&session);
	return status;
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
