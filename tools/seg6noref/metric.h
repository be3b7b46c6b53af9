/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * metric.h - the metrics of a route: RTA_METRICS from and to words
 */
#ifndef SEG6NOREF_METRIC_H
#define SEG6NOREF_METRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <libmnl/libmnl.h>

#include "cmdline.h"
#include "out.h"

/* The last metric that the kernel has. */
#define METRIC_MAX	17

struct metrics {
	uint32_t set;			/* 1 << RTAX_* */
	uint32_t lock;			/* likewise */
	uint32_t value[METRIC_MAX + 1];
	char congctl[16];		/* as long as the kernel's */
};

/* @line stands behind the word of @rtax. */
int metric_parse(struct metrics *metrics, struct cmdline *line, int rtax);
bool metrics_put(struct nlmsghdr *nlh, size_t size,
		 const struct metrics *metrics);
void metrics_print(struct out *out, const struct nlattr *nest);

#endif /* SEG6NOREF_METRIC_H */
