// SPDX-License-Identifier: GPL-2.0-only
/*
 * cmdline.c - the word cursor, and complaints in the words of iproute2
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmdline.h"

/* Take the next word if it is exactly @word. */
bool cmdline_accept(struct cmdline *line, const char *word)
{
	if (!*line->next || strcmp(*line->next, word))
		return false;
	line->next++;
	return true;
}

/* Take the next word, which must exist. */
int cmdline_value(struct cmdline *line, const char **value)
{
	if (!*line->next) {
		complain("Command line is not complete. Try option \"help\"");
		return EXIT_PARSE;
	}
	*value = *line->next++;
	return EXIT_OK;
}

bool word_is_prefix(const char *word, const char *full)
{
	size_t len = strlen(word);

	return len && !strncmp(word, full, len);
}

bool word_fits(const char *word, const char *full, bool abbrev)
{
	return abbrev ? word_is_prefix(word, full) : !strcmp(word, full);
}

/*
 * A whole number in any base that C knows, up to @max.  Signs and blanks, which
 * strtoull() would take, are refused: "-1" must not become a large value.
 */
bool word_number(const char *word, uint64_t max, uint64_t *value)
{
	unsigned long long number;
	char *end;

	if (*word < '0' || *word > '9')
		return false;
	errno = 0;
	number = strtoull(word, &end, 0);
	if (errno || *end || number > max)
		return false;
	*value = number;
	return true;
}

void complain(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}

int complain_invalid(const char *word, const char *why)
{
	complain("Error: argument \"%s\" is wrong: %s\n", word, why);
	return EXIT_PARSE;
}

int complain_duplicate(const char *key, const char *word)
{
	complain("Error: either \"%s\" is duplicate, or \"%s\" is a garbage.",
		 key, word);
	return EXIT_PARSE;
}

int complain_required(const char *key)
{
	complain("Error: argument \"%s\" is required", key);
	return EXIT_PARSE;
}

int complain_address(const char *family, const char *what, const char *word)
{
	complain("Error: %s %s is expected rather than \"%s\".", family, what,
		 word);
	return EXIT_ADDRESS;
}
