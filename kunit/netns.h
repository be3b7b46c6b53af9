/* SPDX-License-Identifier: GPL-2.0-only */
/* netns.h - a network namespace of our own, and what can be read about it */
#ifndef SEG6NR_KUNIT_NETNS_H
#define SEG6NR_KUNIT_NETNS_H

#include <linux/types.h>

struct net;

struct net *seg6nr_netns_open(void);
void seg6nr_netns_close(void);
int seg6nr_stat(const char *name, u64 *value);
int seg6nr_module_refs(void);

#endif /* SEG6NR_KUNIT_NETNS_H */
