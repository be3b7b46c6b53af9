/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stats.h - state and counters of the module
 */
#ifndef SEG6NOREF_STATS_H
#define SEG6NOREF_STATS_H

#include "cmdline.h"
#include "session.h"

/* @line stands behind the word. */
int stats_command(struct session *session, struct cmdline *line);

#endif /* SEG6NOREF_STATS_H */
