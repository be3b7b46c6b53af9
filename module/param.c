// SPDX-License-Identifier: GPL-2.0-only
/*
 * param.c - module parameters of the next-hop layer
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/module.h>

#include "seg6nr.h"

struct seg6nr_params seg6nr_params __read_mostly = {
	.hold		= true,
	.cache		= SEG6NR_STORES_IN_ORDER,
	.max_age	= HZ,
	.limit		= 262144,
};

module_param_named(nexthop_hold, seg6nr_params.hold, bool, 0644);
MODULE_PARM_DESC(nexthop_hold,
		 "hold routes to on-link next hops (off for measurements only)");

static int set_cache(const char *val, const struct kernel_param *kp)
{
	bool on;
	int err;

	/* The name alone switches it on, as with every bool. */
	err = kstrtobool(val ?: "1", &on);
	if (err)
		return err;
	if (on && !SEG6NR_STORES_IN_ORDER) {
		pr_err("nexthop_cache: not on this architecture\n");
		return -EOPNOTSUPP;
	}
	WRITE_ONCE(*(bool *)kp->arg, on);
	return 0;
}

static const struct kernel_param_ops cache_ops = {
	.flags = KERNEL_PARAM_OPS_FL_NOARG,
	.set = set_cache,
	.get = param_get_bool,
};

module_param_cb(nexthop_cache, &cache_ops, &seg6nr_params.cache, 0644);
__MODULE_PARM_TYPE(nexthop_cache, "bool");
MODULE_PARM_DESC(nexthop_cache,
		 "use the last packet's next hop again while nothing has changed");

static unsigned int max_age_ms = 1000;

static int set_max_age(const char *val, const struct kernel_param *kp)
{
	int err = param_set_uint(val, kp);

	if (err)
		return err;
	WRITE_ONCE(seg6nr_params.max_age,
		   max_age_ms ? msecs_to_jiffies(max_age_ms) : ULONG_MAX);
	return 0;
}

static const struct kernel_param_ops max_age_ops = {
	.set = set_max_age,
	.get = param_get_uint,
};

module_param_cb(nexthop_cache_max_age, &max_age_ops, &max_age_ms, 0644);
__MODULE_PARM_TYPE(nexthop_cache_max_age, "uint");
MODULE_PARM_DESC(nexthop_cache_max_age,
		 "milliseconds until it is looked up again all the same (default 1000; 0: never, a route revived in place goes unnoticed)");

module_param_named(nexthop_cache_limit, seg6nr_params.limit, uint, 0644);
MODULE_PARM_DESC(nexthop_cache_limit,
		 "next hops that a network namespace may remember (default 262144)");
