// SPDX-License-Identifier: GPL-2.0-only
/*
 * main.c - seg6noref, or ip if called so
 */
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "cmdline.h"
#include "commands.h"
#include "ip_front.h"
#include "names.h"
#include "options.h"
#include "session.h"
#include "usage.h"

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
	if (opts.help) {
		usage_print(stdout);
		return EXIT_OK;
	}
	if (!argv[opts.object] && !opts.batch) {
		usage_print(stderr);
		return EXIT_PARSE;
	}
	if (options_refused(&opts))
		return EXIT_PARSE;
	status = opts.batch ?
		 command_file(&session, opts.batch, opts.force) :
		 command_run(&session, argv + opts.object);
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
