/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ip_front.h - behave as ip when called under that name
 */
#ifndef SEG6NOREF_IP_FRONT_H
#define SEG6NOREF_IP_FRONT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "nl.h"
#include "options.h"
#include "session.h"

/* The encaps of one message in the order in which they are printed. */
struct encap_ref {
	const struct nlattr *payload;
	uint16_t type;
};

/* An IPv6 prefix as text. */
#define DESTINATION_SIZE	64

struct encap_refs {
	struct encap_ref *refs;
	size_t count;
	size_t room;
};

/* What a listing of the real ip is to be matched with. */
struct listing {
	const struct options *opts;
	struct nl_msgs msgs;
	uint16_t slot;
};

/* How a command is to be treated. */
enum treatment { HAND_ON, MODIFY_ROUTE, MODIFY_NEXTHOP, LIST, GET };

int ip_front(char **argv);
enum treatment ip_treatment(char **words, const struct options *opts);
int ip_command(enum treatment treatment, struct session *session, char **words);
int ip_exec(const char *path, char **argv);

/* ip_get.c: `ip ... route get', likewise. */
int ip_get(const char *path, char **argv, const struct options *opts);

/* ip_show.c: `ip ... route show' with our encap decoded. */
int ip_show(const char *path, char **argv, const struct options *opts);
bool listing_destination(const struct nlmsghdr *msg, char *text, size_t size);
bool listing_encaps(const struct nlmsghdr *msg, struct encap_refs *refs);
void listing_put_encap(FILE *file, const struct listing *listing,
		       const struct encap_ref *ref, int depth);

/*
 * Copy the listing @text to @file with the encap of ours put in.  False if text
 * and messages do not belong together.
 */
bool splice_text(FILE *file, const char *text, const struct listing *listing);
bool splice_json(FILE *file, const char *text, const struct listing *listing);

#endif /* SEG6NOREF_IP_FRONT_H */
