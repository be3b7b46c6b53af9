// SPDX-License-Identifier: GPL-2.0-only
/*
 * ip_json.c - put our encaps into a listing in JSON
 *
 * The text of the real ip is walked just as far as needed to find the values of
 * "encap", at the top of a route and in its "nexthops".  Older versions have
 * the name of the encap there, newer ones an object; ours becomes an object.
 */
#include <stdlib.h>
#include <string.h>

#include "ip_front.h"

/* Objects and arrays open at a route's members, and at those of a nexthop. */
#define ROUTE_DEPTH	2
#define NEXTHOP_DEPTH	4
#define NH_INFO_DEPTH	3

struct walk {
	FILE *file;
	const struct listing *listing;
	const struct nlmsghdr *msg;
	struct encap_refs refs;
	size_t next;		/* reference to use */
	const char *from;	/* what is copied up to here */
	const char *at;
};

static void skip_blanks(struct walk *walk)
{
	walk->at += strspn(walk->at, " \t\r\n");
}

/* Skip blanks and take @c. */
static bool take(struct walk *walk, char c)
{
	skip_blanks(walk);
	if (*walk->at != c)
		return false;
	walk->at++;
	return true;
}

static bool skip_string(struct walk *walk)
{
	if (!take(walk, '"'))
		return false;
	for (; *walk->at && *walk->at != '"'; walk->at++)
		if (*walk->at == '\\' && walk->at[1])
			walk->at++;
	return take(walk, '"');
}

/* A value of any kind; what is inside brackets need not make sense. */
static bool skip_value(struct walk *walk)
{
	size_t depth = 0;

	do {
		skip_blanks(walk);
		switch (*walk->at) {
		case '\0':
			return false;
		case '"':
			if (!skip_string(walk))
				return false;
			break;
		case '{':
		case '[':
			depth++;
			walk->at++;
			break;
		case '}':
		case ']':
			if (!depth)
				return false;
			depth--;
			walk->at++;
			break;
		case ',':
		case ':':
			if (!depth)
				return false;
			walk->at++;
			break;
		default:
			walk->at += strcspn(walk->at, " \t\r\n,:]}");
		}
	} while (depth);
	return true;
}

/* Pass over the value of "encap", or put ours in its place. */
static bool splice_value(struct walk *walk, int depth)
{
	const struct encap_ref *ref;

	if (walk->next >= walk->refs.count)
		return false;
	ref = &walk->refs.refs[walk->next++];
	skip_blanks(walk);
	if (ref->type != walk->listing->slot)
		return skip_value(walk);
	fwrite(walk->from, 1, walk->at - walk->from, walk->file);
	listing_put_encap(walk->file, walk->listing, ref, depth);
	if (!skip_value(walk))
		return false;
	walk->from = walk->at;
	return true;
}

static bool key_is(const char *begin, const char *end, const char *key)
{
	return (size_t)(end - begin) == strlen(key) &&
	       !memcmp(begin, key, end - begin);
}

/* The string at the cursor is the destination of the message. */
static bool same_destination(struct walk *walk)
{
	char text[DESTINATION_SIZE];
	const char *begin;

	skip_blanks(walk);
	begin = walk->at + 1;
	if (!skip_string(walk))
		return false;
	if (walk->listing->opts->resolve ||
	    !listing_destination(walk->msg, text, sizeof(text)))
		return true;
	return key_is(begin, walk->at - 1, text);
}

static bool splice_object(struct walk *walk, int depth);

static bool splice_nexthops(struct walk *walk)
{
	if (!take(walk, '['))
		return false;
	if (take(walk, ']'))
		return true;
	do {
		if (!splice_object(walk, NEXTHOP_DEPTH))
			return false;
	} while (take(walk, ','));
	return take(walk, ']');
}

/* With -d: what the nexthop object has, the encap of the route once more. */
static bool splice_nh_info(struct walk *walk)
{
	size_t next = walk->next;
	bool good;

	walk->next = 0;
	good = splice_object(walk, NH_INFO_DEPTH);
	walk->next = next;
	return good;
}

static bool splice_member(struct walk *walk, int depth)
{
	const char *begin, *end;

	skip_blanks(walk);
	begin = walk->at + 1;
	if (!skip_string(walk))
		return false;
	end = walk->at - 1;
	if (!take(walk, ':'))
		return false;
	if (key_is(begin, end, "encap"))
		return splice_value(walk, depth);
	if (depth == ROUTE_DEPTH && key_is(begin, end, "nexthops"))
		return splice_nexthops(walk);
	if (depth == ROUTE_DEPTH && key_is(begin, end, "nh_info"))
		return splice_nh_info(walk);
	if (depth == ROUTE_DEPTH && key_is(begin, end, "dst"))
		return same_destination(walk);
	return skip_value(walk);
}

static bool splice_object(struct walk *walk, int depth)
{
	if (!take(walk, '{'))
		return false;
	if (take(walk, '}'))
		return true;
	do {
		if (!splice_member(walk, depth))
			return false;
	} while (take(walk, ','));
	return take(walk, '}');
}

bool splice_json(FILE *file, const char *text, const struct listing *listing)
{
	struct walk walk = {
		.file = file, .listing = listing, .from = text, .at = text,
	};
	bool good = take(&walk, '[');
	bool first = true;

	while (good && (walk.msg = nl_msgs_next(&listing->msgs, walk.msg))) {
		walk.next = 0;
		good = (first || take(&walk, ',')) &&
		       listing_encaps(walk.msg, &walk.refs) &&
		       splice_object(&walk, ROUTE_DEPTH) &&
		       walk.next == walk.refs.count;
		first = false;
	}
	good = good && take(&walk, ']');
	fputs(walk.from, file);
	free(walk.refs.refs);
	return good;
}
