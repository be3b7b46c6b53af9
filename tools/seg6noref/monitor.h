/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * monitor.h - routes and nexthop objects as they come and go
 */
#ifndef SEG6NOREF_MONITOR_H
#define SEG6NOREF_MONITOR_H

#include "cmdline.h"
#include "session.h"

/* @line stands behind the word.  Ends by a signal or a failure only. */
int monitor_command(struct session *session, struct cmdline *line);

#endif /* SEG6NOREF_MONITOR_H */
