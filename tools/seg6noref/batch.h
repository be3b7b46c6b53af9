/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * batch.h - files of commands
 */
#ifndef SEG6NOREF_BATCH_H
#define SEG6NOREF_BATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "session.h"

/* Lines as they came, a run of them. */
struct batch_lines {
	char *data;
	size_t len;
	size_t room;
	unsigned int first;	/* number of the first in the file */
	bool words;		/* more than comments and blanks */
};

struct batch {
	const char *name;	/* of the file */
	bool force;		/* go on behind a failure */
	void *arg;
	/* Exit status of one command of ours. */
	int (*run)(const struct batch *batch, char **words);
	/* NULL, both of them, if all commands are ours. */
	bool (*ours)(const struct batch *batch, char **words);
	/* Exit status of a batch of the real ip. */
	int (*foreign)(const struct batch *batch,
		       const struct batch_lines *lines);
};

/* batch.c: run all lines in order. */
int batch_open(const char *name, int *fd);
int batch_run(const struct batch *batch, int fd);
char **batch_split(char *text);

/* batch_ip.c: called as ip, some of the lines or none being ours. */
int batch_ip(const char *path, char **argv, const struct options *opts);

#endif /* SEG6NOREF_BATCH_H */
