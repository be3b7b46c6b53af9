/* SPDX-License-Identifier: GPL-2.0-only */
/* seg6nr_test.h - what the module exports to its own test module */
#ifndef SEG6NR_TEST_H
#define SEG6NR_TEST_H

int seg6nr_encap_slot(void);

#endif /* SEG6NR_TEST_H */
