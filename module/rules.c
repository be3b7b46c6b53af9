// SPDX-License-Identifier: GPL-2.0-only
/*
 * rules.c - what the IPv6 policy rules of a namespace make a lookup depend on
 *
 * A remembered next hop is found by its destination, the device the packet came
 * in on and the mark.  That is enough where no rule looks at anything else; a
 * VRF's rule does not.
 */
#include <linux/rcupdate.h>
#include <linux/string.h>
#include <net/fib_rules.h>
#include <net/net_namespace.h>

#include "seg6nr.h"

/* Above the bits of the answer: the device changes seen, then the FIB's. */
#define CHANGES_SHIFT	2
#define CHANGES_MASK	GENMASK(29, 0)
#define GENID_SHIFT	32

/*
 * What IPv6 adds to a rule lies behind the common part, is zero without a
 * selector of its own (source, destination, traffic class, flow label), and is
 * nowhere declared.
 */
static bool has_ipv6_selectors(const struct fib_rules_ops *ops,
			       const struct fib_rule *rule)
{
	return memchr_inv(rule + 1, 0, ops->rule_size - sizeof(*rule));
}

/*
 * Ports, user and tunnel are never set in our flows, so that rules for them
 * say the same to each packet; the group of a device changes unannounced.
 */
static bool is_known(const struct fib_rules_ops *ops,
		     const struct fib_rule *rule)
{
	return !rule->ip_proto && rule->suppress_ifgroup == -1 &&
	       !has_ipv6_selectors(ops, rule);
}

static unsigned int judge(const struct fib_rules_ops *ops)
{
	unsigned int answer = SEG6NR_RULES_KNOWN | SEG6NR_RULES_PLAIN;
	const struct fib_rule *rule;

	if (!ops || ops->family != AF_INET6 ||
	    ops->rule_size <= sizeof(struct fib_rule))
		return 0;

	list_for_each_entry_rcu(rule, &ops->rules_list, list) {
		if (!is_known(ops, rule))
			answer &= ~SEG6NR_RULES_KNOWN;
		if (rule->suppress_ifgroup != -1 ||
		    rule->suppress_prefixlen != -1)
			answer &= ~SEG6NR_RULES_PLAIN;
	}
	return answer;
}

static u64 state_of(const struct net *net, const struct seg6nr_holders *holders)
{
	u64 changes = READ_ONCE(holders->changes) & CHANGES_MASK;

	return (u64)(u32)rt_genid_ipv6(net) << GENID_SHIFT |
	       changes << CHANGES_SHIFT;
}

/**
 * seg6nr_rules_now() - what the answer of a lookup depends on, looked at afresh
 * @net: the namespace
 *
 * A rule takes part in lookups before the change is announced.
 *
 * Context: RCU read section.
 *
 * Return: SEG6NR_RULES_* bits.
 */
unsigned int seg6nr_rules_now(const struct net *net)
{
	return judge(net->ipv6.fib6_rules_ops);
}

/**
 * seg6nr_rules() - what the answer of a lookup depends on
 * @net: the namespace
 * @holders: what the module has for it; the answer is kept there until routes,
 *	     rules or devices change
 *
 * Context: RCU read section.
 *
 * Return: SEG6NR_RULES_* bits.
 */
unsigned int seg6nr_rules(struct net *net, struct seg6nr_holders *holders)
{
	u64 answers = SEG6NR_RULES_KNOWN | SEG6NR_RULES_PLAIN;
	u64 kept = atomic64_read(&holders->rules);
	u64 now = state_of(net, holders);
	unsigned int answer;

	if ((kept & ~answers) == now)
		return kept & answers;

	/* A rule that comes after this look comes with a new state. */
	smp_rmb();
	answer = judge(net->ipv6.fib6_rules_ops);
	atomic64_set(&holders->rules, now | answer);
	return answer;
}
