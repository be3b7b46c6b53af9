/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * commands.h - run commands of this program
 */
#ifndef SEG6NOREF_COMMANDS_H
#define SEG6NOREF_COMMANDS_H

#include <stdbool.h>

#include "cmdline.h"
#include "session.h"

int command_run(struct session *session, char **words);
/* All lines of a file, "-" for standard input; @force: behind failures too. */
int command_file(struct session *session, const char *name, bool force);

#endif /* SEG6NOREF_COMMANDS_H */
