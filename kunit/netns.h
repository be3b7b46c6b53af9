/* SPDX-License-Identifier: GPL-2.0-only */
/* netns.h - a network namespace of our own, and what can be read about it */
#ifndef SEG6NR_KUNIT_NETNS_H
#define SEG6NR_KUNIT_NETNS_H

#include <linux/types.h>

struct net;

/* Parameters of the module that cases change. */
enum seg6nr_param {
	SEG6NR_PARAM_CACHE,
	SEG6NR_PARAM_HOLD,
	SEG6NR_PARAM_MAX_AGE,	/* in milliseconds, 0 for unbounded */
	SEG6NR_PARAM_LIMIT,
	SEG6NR_PARAMS
};

#define SEG6NR_MAX_AGE		1000
#define SEG6NR_LIMIT		262144

struct net *seg6nr_netns_open(void);
void seg6nr_netns_close(void);
int seg6nr_stat(const char *name, u64 *value);
int seg6nr_param_set(enum seg6nr_param param, unsigned int value);
int seg6nr_module_refs(void);

#endif /* SEG6NR_KUNIT_NETNS_H */
