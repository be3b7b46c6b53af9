// SPDX-License-Identifier: GPL-2.0-only
/*
 * commands.c - the table of commands, run from words or from a file of them
 */
#include <stdio.h>

#include "batch.h"
#include "commands.h"
#include "convert.h"
#include "monitor.h"
#include "nexthop.h"
#include "ready.h"
#include "restore.h"
#include "route.h"
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
	{ "restore",	restore_command },
	{ "help",	do_help },
};

int command_run(struct session *session, char **words)
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
	return command_run(batch->arg, words);
}

int command_file(struct session *session, const char *name, bool force)
{
	struct batch batch = {
		.name = name, .force = force, .arg = session,
		.run = batch_line,
	};
	int fd;
	int err;

	if (session->in_file) {
		complain("Error: a file of commands cannot name another one.");
		return EXIT_PARSE;
	}
	err = batch_open(batch.name, &fd);
	if (err)
		return err;
	session->in_file = true;
	err = batch_run(&batch, fd);
	session->in_file = false;
	return err;
}
