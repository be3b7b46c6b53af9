// SPDX-License-Identifier: GPL-2.0-only
/*
 * ip_text.c - put our encaps into a listing in text
 *
 * An entry begins at a line that does not begin with a blank or a tab.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "ip_front.h"

#define ESC	'\033'

/* The position behind the entry that begins at @text. */
static const char *entry_end(const char *text)
{
	do {
		text += strcspn(text, "\n");
		if (*text)
			text++;
	} while (*text == ' ' || *text == '\t');
	return text;
}

/* @at is behind a blank, color codes apart. */
static bool behind_blank(const char *begin, const char *at)
{
	const char *from = at;

	while (from > begin && from[-1] == 'm') {
		for (from--; from > begin && *from != ESC; from--)
			;
		if (*from != ESC)
			return false;
	}
	return from > begin && from[-1] == ' ';
}

/*
 * The next " encap " of an entry, or @end.  The real ip puts a blank before the
 * one that ends the word before; a device called encap follows but one.
 */
static const char *find_encap(const char *begin, const char *at,
			      const char *end)
{
	static const char mark[] = " encap ";
	const size_t len = sizeof(mark) - 1;

	for (; at + len < end; at++)
		if (!memcmp(at, mark, len) && behind_blank(begin, at))
			return at;
	return end;
}

/* Skip color codes. */
static const char *skip_color(const char *at)
{
	while (*at == ESC) {
		at += strcspn(at, "m");
		at += *at == 'm';
	}
	return at;
}

static bool word_at(const char *at, const char *word)
{
	size_t len = strlen(word);

	return !strncmp(at, word, len) && isspace((unsigned char)at[len]);
}

/* The destination of @msg is the first or second word of the entry. */
static bool same_destination(const char *entry, const struct nlmsghdr *msg)
{
	char text[DESTINATION_SIZE];

	if (!listing_destination(msg, text, sizeof(text)))
		return true;
	entry = skip_color(entry);
	if (word_at(entry, text))
		return true;
	entry += strcspn(entry, " \n");
	return *entry == ' ' && word_at(skip_color(entry + 1), text);
}

/*
 * With -d, a route by a nexthop object repeats what the object has, on a line
 * that begins with a tab and "nh_info".
 */
static bool in_nh_info(const char *begin, const char *at)
{
	const char *tab = memrchr(begin, '\t', at - begin);

	return tab && word_at(tab + 1, "nh_info");
}

/* The reference for the encap at @at, counted by @next; NULL for one too many */
static const struct encap_ref *ref_for(const struct encap_refs *refs,
				       const char *begin, const char *at,
				       size_t *next)
{
	if (in_nh_info(begin, at))
		return refs->count ? &refs->refs[0] : NULL;
	return *next < refs->count ? &refs->refs[(*next)++] : NULL;
}

static bool splice_entry(FILE *file, const char *begin, const char *end,
			 const struct listing *listing,
			 const struct encap_refs *refs)
{
	const char *from = begin, *at = begin;
	const struct encap_ref *ref;
	size_t next = 0;

	while ((at = find_encap(begin, at, end)) != end) {
		ref = ref_for(refs, begin, at, &next);
		if (!ref)
			return false;
		at += strlen(" encap ");
		if (ref->type != listing->slot)
			continue;
		fwrite(from, 1, at - from, file);
		listing_put_encap(file, listing, ref, 0);
		from = at + strcspn(at, " \n");
		from += *from == ' ';
		at = from - 1;
	}
	fwrite(from, 1, end - from, file);
	return next == refs->count;
}

bool splice_text(FILE *file, const char *text, const struct listing *listing)
{
	const struct nlmsghdr *msg = NULL;
	struct encap_refs refs = { 0 };
	const char *end;
	bool good = true;

	while (good && (msg = nl_msgs_next(&listing->msgs, msg))) {
		end = entry_end(text);
		good = *text && listing_encaps(msg, &refs) &&
		       (listing->opts->resolve ||
			same_destination(text, msg)) &&
		       splice_entry(file, text, end, listing, &refs);
		text = end;
	}
	free(refs.refs);
	return good && !*text;
}
