// SPDX-License-Identifier: GPL-2.0-only
/*
 * main.c - the test module: its network, then its suites
 */
#include <linux/module.h>

#include "env.h"
#include "harness.h"
#include "suites.h"
#include "../module/seg6nr.h"

kunit_test_suites(&seg6nr_srh_suite, &seg6nr_csid_suite, &seg6nr_attr_suite,
		  &seg6nr_short_suite, &seg6nr_forward_suite,
		  &seg6nr_keep_suite, &seg6nr_look_up_suite,
		  &seg6nr_special_suite, &seg6nr_local_suite,
		  &seg6nr_drop_suite, &seg6nr_packet_suite,
		  &seg6nr_held_suite, &seg6nr_event_suite,
		  &seg6nr_device_suite, &seg6nr_hop_suite, &seg6nr_dx2_suite,
		  &seg6nr_life_suite);

static int __init seg6nr_kunit_init(void)
{
	int err;

	/* Of our own copy of the table. */
	seg6nr_attrs_init();
	err = seg6nr_env_init();
	if (err)
		return err;

	return seg6nr_run_suites();
}

static void __exit seg6nr_kunit_exit(void)
{
	seg6nr_env_exit();
}

module_init(seg6nr_kunit_init);
module_exit(seg6nr_kunit_exit);

MODULE_DESCRIPTION("Tests of seg6local_noref on real routes");
MODULE_AUTHOR("The seg6local_noref authors");
MODULE_LICENSE("GPL");
