/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * restore.h - install the routes of a file, if need be without the module
 */
#ifndef SEG6NOREF_RESTORE_H
#define SEG6NOREF_RESTORE_H

#include "cmdline.h"
#include "session.h"

/* @line stands behind the word. */
int restore_command(struct session *session, struct cmdline *line);

#endif /* SEG6NOREF_RESTORE_H */
