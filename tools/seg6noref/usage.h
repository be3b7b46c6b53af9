/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * usage.h - help texts and version
 */
#ifndef SEG6NOREF_USAGE_H
#define SEG6NOREF_USAGE_H

#include <stdio.h>

void usage_print(FILE *file);
void usage_route(FILE *file);
void usage_nexthop(FILE *file);
void usage_encap(FILE *file);
void usage_convert(FILE *file);
void usage_monitor(FILE *file);
void usage_stats(FILE *file);
void usage_check(FILE *file);
void usage_restore(FILE *file);
void version_print(void);

#endif /* SEG6NOREF_USAGE_H */
