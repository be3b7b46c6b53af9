// SPDX-License-Identifier: GPL-2.0-only
/*
 * json.c - whether a text is JSON (RFC 8259), strings in any encoding
 */
#include <string.h>

#include "fuzz.h"

#define DEPTH_MAX	32

static const char *blanks(const char *at)
{
	return at + strspn(at, " \t\r\n");
}

/* Each of these returns what follows, NULL if there is no such thing at @at. */
static const char *value(const char *at, int depth);

static const char *string(const char *at)
{
	if (*at++ != '"')
		return NULL;
	while (*at != '"') {
		if ((unsigned char)*at < 0x20)
			return NULL;
		if (*at != '\\') {
			at++;
		} else if (at[1] == 'u') {
			if (strspn(at + 2, "0123456789abcdefABCDEF") < 4)
				return NULL;
			at += 6;
		} else {
			if (!at[1] || !strchr("\"\\/bfnrt", at[1]))
				return NULL;
			at += 2;
		}
	}
	return at + 1;
}

static const char *number(const char *at)
{
	size_t digits;

	at += *at == '-';
	digits = strspn(at, "0123456789");
	if (!digits || (*at == '0' && digits > 1))
		return NULL;
	return at + digits;
}

static const char *member(const char *at, int depth)
{
	at = string(blanks(at));
	if (!at)
		return NULL;
	at = blanks(at);
	return *at == ':' ? value(at + 1, depth) : NULL;
}

/* The members or elements up to @end, behind the opening bracket. */
static const char *list(const char *at, char end, int depth)
{
	at = blanks(at);
	if (*at == end)
		return at + 1;
	for (;;) {
		at = end == '}' ? member(at, depth) : value(at, depth);
		if (!at)
			return NULL;
		at = blanks(at);
		if (*at == end)
			return at + 1;
		if (*at++ != ',')
			return NULL;
	}
}

static const char *value(const char *at, int depth)
{
	if (depth > DEPTH_MAX)
		return NULL;
	at = blanks(at);
	if (*at == '{')
		return list(at + 1, '}', depth + 1);
	if (*at == '[')
		return list(at + 1, ']', depth + 1);
	if (*at == '"')
		return string(at);
	if (!strncmp(at, "null", 4))
		return at + 4;
	return number(at);
}

bool json_valid(const char *text)
{
	const char *end = value(text, 0);

	return end && !*blanks(end);
}
