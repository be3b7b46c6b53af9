/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * unit.h - results in TAP, and what the unit tests share
 */
#ifndef SEG6NOREF_UNIT_H
#define SEG6NOREF_UNIT_H

#include <stdbool.h>
#include <stddef.h>

#include "../nl.h"
#include "../route.h"

/* The slot that slot_fixed.c gives. */
#define TEST_SLOT	9

void check(const char *name, const char *want, const char *got);
void check_true(const char *name, bool good);

/* Words into a route; what was complained is in @errors if that is given. */
int parse_words(const char *words, struct route *route, char **errors);
/* Words into the message of @verb, aborting where they do not parse. */
struct nlmsghdr *build_words(const char *verb, const char *words);

void test_words(void);
void test_messages(void);
void test_printing(void);
void test_extack(void);
void test_listings(void);
void test_nl(void);
void test_nexthops(void);
void test_conversions(void);

#endif /* SEG6NOREF_UNIT_H */
