/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * options.h - what stands before the object: seg6noref OPTIONS route ...
 */
#ifndef SEG6NOREF_OPTIONS_H
#define SEG6NOREF_OPTIONS_H

#include <stdbool.h>

struct options {
	const char *netns;
	const char *unknown;	/* the option that nobody knows */
	int family;		/* AF_UNSPEC until one is given */
	int stats;
	int details;
	bool numeric;
	bool oneline;
	bool json;
	bool pretty;
	bool human;
	bool iec;
	bool resolve;		/* names for addresses: left to the real ip */
	const char *batch;	/* the file, "-" for standard input */
	int batch_at;		/* index in argv of that word */
	bool force;
	int timestamp;		/* 1: -timestamp, 2: -tshort */
	bool version;
	bool help;
	bool foreign;		/* given an option that only ip implements */
	int object;		/* index in argv of the word after them */
};

bool options_parse(char **argv, struct options *opts);

#endif /* SEG6NOREF_OPTIONS_H */
