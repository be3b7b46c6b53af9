/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * harness.h - what the test sources are written against
 *
 * KUnit where the kernel has it, else the stand-in with the same names.  Only
 * the part of KUnit that both offer may be used: no KUNIT_ASSERT_*, which ends
 * the thread and would leave routes and packets behind; a case checks, cleans
 * up and returns.
 */
#ifndef SEG6NR_HARNESS_H
#define SEG6NR_HARNESS_H

#ifdef SEG6NR_KTAP
#include "ktap.h"
#else
#include <kunit/test.h>

/* KUnit starts the suites by itself once the module is live. */
#define seg6nr_run_suites()	0
#endif /* SEG6NR_KTAP */

#endif /* SEG6NR_HARNESS_H */
