/* SPDX-License-Identifier: GPL-2.0-only */
/* suites.h - all suites, one per *_kunit.c */
#ifndef SEG6NR_KUNIT_SUITES_H
#define SEG6NR_KUNIT_SUITES_H

struct kunit_suite;

extern struct kunit_suite seg6nr_forward_suite;
extern struct kunit_suite seg6nr_keep_suite;
extern struct kunit_suite seg6nr_look_up_suite;
extern struct kunit_suite seg6nr_special_suite;
extern struct kunit_suite seg6nr_local_suite;
extern struct kunit_suite seg6nr_drop_suite;
extern struct kunit_suite seg6nr_packet_suite;
extern struct kunit_suite seg6nr_held_suite;
extern struct kunit_suite seg6nr_event_suite;
extern struct kunit_suite seg6nr_device_suite;
extern struct kunit_suite seg6nr_hop_suite;
extern struct kunit_suite seg6nr_short_suite;
extern struct kunit_suite seg6nr_dx2_suite;
extern struct kunit_suite seg6nr_life_suite;
extern struct kunit_suite seg6nr_srh_suite;
extern struct kunit_suite seg6nr_csid_suite;
extern struct kunit_suite seg6nr_attr_suite;

#endif /* SEG6NR_KUNIT_SUITES_H */
