/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cmdline.h - a cursor over the words of the command line, exit statuses and
 *	       the texts of complaints about words
 *
 * Every function that can fail returns an exit status: EXIT_OK, or another one
 * after having said on stderr what is wrong.  Nothing below main() exits.
 */
#ifndef SEG6NOREF_CMDLINE_H
#define SEG6NOREF_CMDLINE_H

#include <stdbool.h>
#include <stdint.h>

/* The statuses of iproute2, on which scripts and selftests rely. */
enum {
	EXIT_OK		= 0,
	EXIT_ADDRESS	= 1,	/* an address or a device of the route */
	EXIT_KERNEL	= 2,	/* the kernel, or the module, said no */
	EXIT_PARSE	= 255,	/* any other word */
};

struct cmdline {
	char **next;		/* ends with a NULL word, as argv does */
};

/* The word under the cursor, NULL at the end. */
static inline const char *cmdline_peek(const struct cmdline *line)
{
	return *line->next;
}

static inline void cmdline_skip(struct cmdline *line)
{
	line->next++;
}

bool cmdline_accept(struct cmdline *line, const char *word);
int cmdline_value(struct cmdline *line, const char **value);

bool word_is_prefix(const char *word, const char *full);
/* The whole word, or if @abbrev a part of it from its beginning. */
bool word_fits(const char *word, const char *full, bool abbrev);
bool word_number(const char *word, uint64_t max, uint64_t *value);

__attribute__((format(printf, 1, 2)))
void complain(const char *format, ...);
int complain_invalid(const char *word, const char *why);
int complain_duplicate(const char *key, const char *word);
int complain_required(const char *key);
int complain_address(const char *family, const char *what, const char *word);

#endif /* SEG6NOREF_CMDLINE_H */
