// SPDX-License-Identifier: GPL-2.0-only
/*
 * out.c - text fields, and JSON laid out as iproute2 lays it out
 *
 * Pretty JSON puts every member and every closing brace on a line of its own,
 * four blanks per level; brackets stay where they are, one blank inside.
 */
#include <stdarg.h>
#include <string.h>

#include "out.h"

void out_init(struct out *out, FILE *file, const struct options *opts)
{
	memset(out, 0, sizeof(*out));
	out->file = file;
	out->json = opts->json;
	out->pretty = opts->json && opts->pretty;
	out->human = opts->human;
	out->iec = opts->iec;
	out->stats = opts->stats;
	out->details = opts->details;
	out->numeric = opts->numeric;
	out->oneline = opts->oneline;
}

static void json_text(struct out *out, const char *text)
{
	const unsigned char *at = (const unsigned char *)text;

	fputc('"', out->file);
	for (; *at; at++) {
		if (*at == '"' || *at == '\\')
			fprintf(out->file, "\\%c", *at);
		else if (*at < 0x20)
			fprintf(out->file, "\\u%04x", *at);
		else
			fputc(*at, out->file);
	}
	fputc('"', out->file);
}

static void json_newline(struct out *out)
{
	if (out->pretty)
		fprintf(out->file, "\n%*s", 4 * out->depth, "");
}

/* What stands before a member or an element. */
static void json_lead(struct out *out, const char *key)
{
	if (out->more)
		fputc(',', out->file);
	out->more = true;
	if (!key)
		return;
	json_newline(out);
	json_text(out, key);
	fputs(out->pretty ? ": " : ":", out->file);
}

/* Open an object '{' or an array '[', in JSON only. */
void out_open(struct out *out, char bracket, const char *key)
{
	if (!out->json)
		return;
	json_lead(out, key);
	fputc(bracket, out->file);
	if (out->pretty && bracket == '[')
		fputc(' ', out->file);
	out->depth++;
	out->more = false;
}

void out_close(struct out *out, char bracket)
{
	bool filled = out->more;

	if (!out->json)
		return;
	out->depth--;
	if (bracket == '}' && filled)
		json_newline(out);
	if (bracket == ']' && filled && out->pretty)
		fputc(' ', out->file);
	fputc(bracket, out->file);
	out->more = true;
}

void out_text(struct out *out, const char *format, ...)
{
	va_list args;

	if (out->json)
		return;
	va_start(args, format);
	vfprintf(out->file, format, args);
	va_end(args);
}

/* No label: nothing in text.  No key: nothing in JSON. */
void out_str(struct out *out, const char *label, const char *key,
	     const char *value)
{
	if (!out->json) {
		if (label)
			fprintf(out->file, "%s%s%s ", label,
				*label ? " " : "", value);
		return;
	}
	if (!key)
		return;
	json_lead(out, key);
	json_text(out, value);
}

void out_uint(struct out *out, const char *label, const char *key,
	      uint64_t value)
{
	if (!out->json) {
		if (label)
			fprintf(out->file, "%s %llu ", label,
				(unsigned long long)value);
		return;
	}
	if (!key)
		return;
	json_lead(out, key);
	fprintf(out->file, "%llu", (unsigned long long)value);
}

void out_null(struct out *out, const char *key)
{
	if (!out->json)
		return;
	json_lead(out, key);
	fputs("null", out->file);
}

void out_true(struct out *out, const char *key)
{
	if (!out->json)
		return;
	json_lead(out, key);
	fputs("true", out->file);
}

/* An element of an open array, in JSON only. */
void out_item(struct out *out, const char *value)
{
	if (!out->json)
		return;
	json_lead(out, NULL);
	json_text(out, value);
}

/* Three significant digits and a unit. */
static void print_human(FILE *file, uint64_t value, bool iec)
{
	const double base = iec ? 1024 : 1000;
	const char *unit = "kMGTPE";
	double scaled = value / base;

	for (; scaled >= base && unit[1]; unit++)
		scaled /= base;
	fprintf(file, "%.*f%c%s ",
		scaled >= 100 ? 0 : scaled >= 10 ? 1 : 2, scaled, *unit,
		iec ? "i" : "");
}

/* A counter: a plain number unless text for humans is wanted. */
void out_count(struct out *out, const char *key, uint64_t value)
{
	if (out->json || !out->human || value < (out->iec ? 1024 : 1000)) {
		out_uint(out, key, key, value);
		return;
	}
	fprintf(out->file, "%s ", key);
	print_human(out->file, value, out->iec);
}
