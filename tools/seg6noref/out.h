/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * out.h - one printer for text and JSON
 *
 * In text, a field is LABEL, a blank, the value and a blank; in JSON, a member
 * of the object that is open.
 */
#ifndef SEG6NOREF_OUT_H
#define SEG6NOREF_OUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "options.h"

struct out {
	FILE *file;
	bool json;
	bool pretty;
	bool human;
	bool iec;
	bool stats;
	bool details;
	bool numeric;
	bool oneline;
	int depth;		/* objects that are open */
	bool more;		/* something stands before in this object */
};

void out_init(struct out *out, FILE *file, const struct options *opts);
void out_open(struct out *out, char bracket, const char *key);
void out_close(struct out *out, char bracket);

void out_str(struct out *out, const char *label, const char *key,
	     const char *value);
void out_uint(struct out *out, const char *label, const char *key,
	      uint64_t value);
void out_null(struct out *out, const char *key);
void out_true(struct out *out, const char *key);
void out_item(struct out *out, const char *value);
void out_count(struct out *out, const char *key, uint64_t value);

__attribute__((format(printf, 2, 3)))
void out_text(struct out *out, const char *format, ...);

#endif /* SEG6NOREF_OUT_H */
