// SPDX-License-Identifier: GPL-2.0-only
/*
 * metric.c - the metrics of a route
 *
 * The kernel cuts some that are too large without a word; they are refused
 * here, for nothing is to be set but what was asked for.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/rtnetlink.h>

#include "metric.h"

#ifndef RTAX_FEATURE_TCP_USEC_TS
#define RTAX_FEATURE_TCP_USEC_TS	(1 << 4)
#endif

/* What a value is, as typed and as shown. */
enum metric_kind { NUMBER, TIME, FEATURES, ALGORITHM };

static const struct metric {
	const char *name;
	uint32_t max;		/* of numbers; 0 for any */
	enum metric_kind kind;
	unsigned int scale;	/* of times: units in a millisecond */
} metrics_table[METRIC_MAX + 1] = {
	[RTAX_MTU]		= { .name = "mtu", .max = 65520 },
	[RTAX_WINDOW]		= { .name = "window" },
	[RTAX_RTT]		= { .name = "rtt", .kind = TIME, .scale = 8 },
	[RTAX_RTTVAR]		= { .name = "rttvar", .kind = TIME,
				    .scale = 4 },
	[RTAX_SSTHRESH]		= { .name = "ssthresh" },
	[RTAX_CWND]		= { .name = "cwnd" },
	[RTAX_ADVMSS]		= { .name = "advmss", .max = 65495 },
	[RTAX_REORDERING]	= { .name = "reordering" },
	[RTAX_HOPLIMIT]		= { .name = "hoplimit", .max = 255 },
	[RTAX_INITCWND]		= { .name = "initcwnd" },
	[RTAX_FEATURES]		= { .name = "features", .kind = FEATURES },
	[RTAX_RTO_MIN]		= { .name = "rto_min", .kind = TIME,
				    .scale = 1 },
	[RTAX_INITRWND]		= { .name = "initrwnd" },
	[RTAX_QUICKACK]		= { .name = "quickack", .max = 1 },
	[RTAX_CC_ALGO]		= { .name = "congctl", .kind = ALGORITHM },
	[RTAX_FASTOPEN_NO_COOKIE] = { .name = "fastopen_no_cookie", .max = 1 },
};

static const struct {
	uint32_t bit;
	const char *name;
} features[] = {
	{ RTAX_FEATURE_ECN,		"ecn" },
	{ RTAX_FEATURE_TCP_USEC_TS,	"tcp_usec_ts" },
};

static int complain_metric(const char *word, const char *name)
{
	char why[64];

	snprintf(why, sizeof(why), "\"%s\" value is invalid", name);
	return complain_invalid(word, why);
}

static bool read_number(const char *word, uint32_t max, uint32_t *value)
{
	uint64_t number;

	if (!word_number(word, max ? max : UINT32_MAX, &number))
		return false;
	*value = number;
	return true;
}

/* Milliseconds in one of what @unit names, 0 for no such unit. */
static unsigned int time_unit(const char *unit)
{
	if (!strcmp(unit, "s") || !strcmp(unit, "sec") ||
	    !strcmp(unit, "secs"))
		return 1000;
	if (!strcmp(unit, "ms") || !strcmp(unit, "msec") ||
	    !strcmp(unit, "msecs"))
		return 1;
	return 0;
}

/*
 * A time with its unit, fractions allowed; without one, the number is meant as
 * the kernel has it.
 */
static bool read_time(const char *word, unsigned int scale, uint32_t *value)
{
	unsigned int unit;
	double number;
	char *end;

	if (read_number(word, 0, value))
		return true;
	if (*word < '0' || *word > '9' ||
	    strspn(word, "0123456789.") != strcspn(word, "ms"))
		return false;
	number = strtod(word, &end);
	unit = time_unit(end);
	number = number * unit + 0.5;
	if (!unit || number > UINT32_MAX / scale)
		return false;
	*value = (uint32_t)number * scale;
	return true;
}

/* By name, or in hexadecimal as one without a name is shown. */
static bool feature_bit(const char *word, uint32_t *bits)
{
	unsigned int i;
	uint32_t more;

	for (i = 0; word && i < MNL_ARRAY_SIZE(features); i++) {
		if (strcmp(features[i].name, word))
			continue;
		*bits |= features[i].bit;
		return true;
	}
	if (!word || strncmp(word, "0x", 2) || !read_number(word, 0, &more))
		return false;
	*bits |= more;
	return true;
}

/* One feature at least, all of them in a row. */
static bool read_features(const char *word, struct cmdline *line,
			  uint32_t *value)
{
	*value = 0;
	if (!feature_bit(word, value))
		return false;
	while (feature_bit(cmdline_peek(line), value))
		cmdline_skip(line);
	return true;
}

static bool read_value(struct metrics *metrics, struct cmdline *line, int rtax,
		       const char *word)
{
	const struct metric *metric = &metrics_table[rtax];
	uint32_t *value = &metrics->value[rtax];

	switch (metric->kind) {
	case TIME:
		return read_time(word, metric->scale, value);
	case FEATURES:
		return read_features(word, line, value);
	case ALGORITHM:
		return snprintf(metrics->congctl, sizeof(metrics->congctl),
				"%s", word) < (int)sizeof(metrics->congctl);
	case NUMBER:
		break;
	}
	return read_number(word, metric->max, value);
}

int metric_parse(struct metrics *metrics, struct cmdline *line, int rtax)
{
	const char *name = metrics_table[rtax].name;
	const uint32_t bit = 1u << rtax;
	const char *word;
	int err;

	/* As of ip: what TCP measures would soon replace it. */
	if (cmdline_accept(line, "lock") || rtax == RTAX_RTO_MIN)
		metrics->lock |= bit;
	if (metrics->set & bit)
		return complain_duplicate(name, cmdline_peek(line) ?
					  cmdline_peek(line) : "");
	metrics->set |= bit;
	err = cmdline_value(line, &word);
	if (err)
		return err;
	return read_value(metrics, line, rtax, word) ?
	       EXIT_OK : complain_metric(word, name);
}

static bool metric_put(struct nlmsghdr *nlh, size_t size,
		       const struct metrics *metrics, int rtax)
{
	if (rtax == RTAX_CC_ALGO)
		return mnl_attr_put_strz_check(nlh, size, rtax,
					       metrics->congctl);
	return mnl_attr_put_u32_check(nlh, size, rtax, metrics->value[rtax]);
}

bool metrics_put(struct nlmsghdr *nlh, size_t size,
		 const struct metrics *metrics)
{
	struct nlattr *nest;
	int i;

	if (!metrics->set)
		return true;
	nest = mnl_attr_nest_start_check(nlh, size, RTA_METRICS);
	if (!nest)
		return false;
	if (metrics->lock &&
	    !mnl_attr_put_u32_check(nlh, size, RTAX_LOCK, metrics->lock))
		return false;
	for (i = 1; i <= METRIC_MAX; i++)
		if ((metrics->set & (1u << i)) &&
		    !metric_put(nlh, size, metrics, i))
			return false;
	mnl_attr_nest_end(nlh, nest);
	return true;
}

/* From a second on in seconds, without zeros at the end. */
static void print_time(struct out *out, const char *name, uint32_t ms)
{
	char text[32];
	size_t len;

	if (ms < 1000) {
		out_text(out, "%ums ", ms);
	} else {
		len = snprintf(text, sizeof(text), "%u.%03u", ms / 1000,
			       ms % 1000);
		while (text[len - 1] == '0')
			text[--len] = '\0';
		if (text[len - 1] == '.')
			text[--len] = '\0';
		out_text(out, "%ss ", text);
	}
	out_uint(out, NULL, name, ms);
}

static void print_features(struct out *out, uint32_t value)
{
	uint32_t left = value;
	unsigned int i;

	for (i = 0; i < MNL_ARRAY_SIZE(features); i++) {
		if (!(value & features[i].bit))
			continue;
		out_text(out, "%s ", features[i].name);
		out_null(out, features[i].name);
		left &= ~features[i].bit;
	}
	if (!left && value)
		return;
	out_text(out, "0x%x ", left);
	out_uint(out, NULL, "features", left);
}

static void print_value(struct out *out, unsigned int rtax, const char *name,
			uint32_t value)
{
	switch (rtax <= METRIC_MAX ? metrics_table[rtax].kind : NUMBER) {
	case TIME:
		print_time(out, name, value / metrics_table[rtax].scale);
		break;
	case FEATURES:
		print_features(out, value);
		break;
	default:
		out_text(out, "%u ", value);
		out_uint(out, NULL, name, value);
	}
}

/* The kernel leaves out what is zero, but not that it is locked. */
static void print_metric(struct out *out, unsigned int rtax,
			 const struct nlattr *attr, bool locked)
{
	const char *name = rtax <= METRIC_MAX ? metrics_table[rtax].name : NULL;
	char number[16];

	if (!name) {
		snprintf(number, sizeof(number), "metric%u", rtax);
		name = number;
	}
	out_text(out, "%s %s", name, locked ? "lock " : "");
	if (rtax == RTAX_CC_ALGO)
		out_str(out, "", "congestion",
			attr ? mnl_attr_get_str(attr) : "");
	else
		print_value(out, rtax, name, attr ? mnl_attr_get_u32(attr) : 0);
}

static bool metric_valid(const struct nlattr *attr)
{
	if (mnl_attr_get_type(attr) == RTAX_CC_ALGO)
		return !mnl_attr_validate(attr, MNL_TYPE_NUL_STRING);
	return mnl_attr_get_payload_len(attr) >= sizeof(uint32_t);
}

void metrics_print(struct out *out, const struct nlattr *nest)
{
	const struct nlattr *tb[32] = { NULL };
	const struct nlattr *attr;
	unsigned int rtax;
	uint32_t locks;

	mnl_attr_for_each_nested(attr, nest)
		if (mnl_attr_get_type(attr) < MNL_ARRAY_SIZE(tb) &&
		    metric_valid(attr))
			tb[mnl_attr_get_type(attr)] = attr;
	locks = tb[RTAX_LOCK] ? mnl_attr_get_u32(tb[RTAX_LOCK]) : 0;
	out_open(out, '[', "metrics");
	out_open(out, '{', NULL);
	for (rtax = RTAX_LOCK + 1; rtax < MNL_ARRAY_SIZE(tb); rtax++)
		if (tb[rtax] || (locks & (1u << rtax)))
			print_metric(out, rtax, tb[rtax],
				     locks & (1u << rtax));
	out_close(out, '}');
	out_close(out, ']');
}
