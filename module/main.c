// SPDX-License-Identifier: GPL-2.0-only
/*
 * main.c - loading and unloading: which lwtunnel slot, and the order of things
 *
 * The kernel has a fixed set of encap numbers and none to spare.  We register
 * under the number of an encap that this very kernel was built without, so
 * that nothing else can ever ask for it.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>
#include <net/lwtunnel.h>

#include "seg6nr.h"
#include "seg6nr_test.h"

static int encap_type = LWTUNNEL_ENCAP_NONE;
module_param(encap_type, int, 0444);
MODULE_PARM_DESC(encap_type,
		 "lwtunnel slot to register in (default: one that this kernel can never use)");

static int abi = SEG6NR_ABI_VERSION;
module_param(abi, int, 0444);
MODULE_PARM_DESC(abi, "version of the netlink ABI (read only)");

int seg6nr_slot __ro_after_init;

/**
 * seg6nr_encap_slot() - tell the lwtunnel slot in use
 *
 * For the test module, which by using this symbol also makes modprobe load us
 * first.  Any context.
 *
 * Return: the number in RTA_ENCAP_TYPE that selects this module.
 */
int seg6nr_encap_slot(void)
{
	return seg6nr_slot;
}
EXPORT_SYMBOL_GPL(seg6nr_encap_slot);

static int __init choose_slot(void)
{
	if (abi != SEG6NR_ABI_VERSION) {
		pr_err("abi= can be read, not chosen; this module speaks %d\n",
		       SEG6NR_ABI_VERSION);
		return -EINVAL;
	}
	if (encap_type == LWTUNNEL_ENCAP_NONE)
		encap_type = SEG6NR_AUTO_SLOT;
	if (encap_type == LWTUNNEL_ENCAP_NONE) {
		pr_err("no lwtunnel slot of this kernel is free for good: choose one with encap_type=\n");
		return -EBUSY;
	}
	if (encap_type < 0 || encap_type > LWTUNNEL_ENCAP_MAX) {
		pr_err("encap_type=%d: this kernel has slots 1 to %d\n",
		       encap_type, LWTUNNEL_ENCAP_MAX);
		return -ERANGE;
	}

	seg6nr_slot = encap_type;
	return 0;
}

static int __init seg6nr_init(void)
{
	int err;

	err = choose_slot();
	if (err)
		return err;

	seg6nr_attrs_init();
	err = seg6nr_netns_init();
	if (err)
		return err;

	/* Last: from here on routes can be added and packets arrive. */
	err = lwtunnel_encap_add_ops(&seg6nr_encap_ops, seg6nr_slot);
	if (err) {
		pr_err("encap_type=%d: lwtunnel slot %d is already taken\n",
		       seg6nr_slot, seg6nr_slot);
		/* Not -EEXIST, which modprobe takes for "loaded already". */
		err = -EBUSY;
		goto exit_netns;
	}
	return 0;

exit_netns:
	seg6nr_netns_exit();
	return err;
}

static void __exit seg6nr_exit(void)
{
	/* Waits for the packets that are inside our input function. */
	lwtunnel_encap_del_ops(&seg6nr_encap_ops, seg6nr_slot);
	seg6nr_netns_exit();
	/* For what was handed to kfree_rcu() and dst_release() meanwhile. */
	rcu_barrier();
}

module_init(seg6nr_init);
module_exit(seg6nr_exit);

MODULE_DESCRIPTION("SRv6 endpoint behaviours without per-packet route references");
MODULE_AUTHOR("The seg6local_noref authors");
MODULE_VERSION(SEG6NR_VERSION);
MODULE_LICENSE("GPL");
SEG6NR_MODULE_ALIAS_SLOT();
