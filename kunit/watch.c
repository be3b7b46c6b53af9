// SPDX-License-Identifier: GPL-2.0-only
/*
 * watch.c - hooks through which test packets are seen and taken out
 */
#include <linux/netfilter.h>
#include <linux/netfilter_ipv4.h>
#include <linux/netfilter_ipv6.h>
#include <net/dst.h>
#include <net/lwtunnel.h>

#include "watch.h"
#include "../module/compat.h"

static struct seg6nr_watch *current_watch;

static struct {
	struct dst_entry	*dst;
	int			(*input)(struct sk_buff *skb);
} tapped;

static void see(struct seg6nr_sight *sight, const struct sk_buff *skb)
{
	struct dst_entry *dst = skb_dst(skb);

	if (!sight->packets++)
		sight->dst = dst;
	sight->strangers += dst != sight->dst;
	if (!dst)
		return;
	sight->noref += skb_dst_is_noref(skb);
	sight->refs_max = max(sight->refs_max, seg6nr_dst_refs(dst));
}

static void take(struct seg6nr_watch *watch, struct sk_buff *skb)
{
	if (watch->look)
		watch->look(watch, skb);

	for (; watch->holds; watch->holds--)
		dst_hold(skb_dst(skb));

	if (watch->keep && skb_dst_force(skb))
		__skb_queue_tail(&watch->kept, skb);
	else
		consume_skb(skb);
}

/**
 * seg6nr_watch_take() - a packet is at a point
 * @point: where
 * @skb: any packet
 *
 * Return: true if the packet was taken out and is gone for the caller.
 */
bool seg6nr_watch_take(enum seg6nr_point point, struct sk_buff *skb)
{
	struct seg6nr_watch *watch = READ_ONCE(current_watch);

	if ((skb->mark | SEG6NR_MARK_BITS) !=
	    (SEG6NR_MARK | SEG6NR_MARK_BITS) || !watch)
		return false;

	see(&watch->at[point], skb);
	if (point != watch->end)
		return false;
	take(watch, skb);
	return true;
}

static unsigned int at_forward(void *priv, struct sk_buff *skb,
			       const struct nf_hook_state *state)
{
	return seg6nr_watch_take(SEG6NR_AT_FORWARD, skb) ? NF_STOLEN :
							   NF_ACCEPT;
}

/* Under net.netfilter.nf_hooks_lwtunnel a SID's packets pass here, too. */
static unsigned int at_local(void *priv, struct sk_buff *skb,
			     const struct nf_hook_state *state)
{
	if (skb_dst(skb)->lwtstate)
		return NF_ACCEPT;
	return seg6nr_watch_take(SEG6NR_AT_LOCAL, skb) ? NF_STOLEN : NF_ACCEPT;
}

static int at_input(struct sk_buff *skb)
{
	if (seg6nr_watch_take(SEG6NR_AT_INPUT, skb))
		return 0;
	return tapped.input(skb);
}

static const struct nf_hook_ops hooks[] = {
	{
		.hook		= at_forward,
		.pf		= NFPROTO_IPV6,
		.hooknum	= NF_INET_FORWARD,
		.priority	= NF_IP6_PRI_FIRST,
	}, {
		.hook		= at_forward,
		.pf		= NFPROTO_IPV4,
		.hooknum	= NF_INET_FORWARD,
		.priority	= NF_IP_PRI_FIRST,
	}, {
		.hook		= at_local,
		.pf		= NFPROTO_IPV6,
		.hooknum	= NF_INET_LOCAL_IN,
		.priority	= NF_IP6_PRI_FIRST,
	}, {
		.hook		= at_local,
		.pf		= NFPROTO_IPV4,
		.hooknum	= NF_INET_LOCAL_IN,
		.priority	= NF_IP_PRI_FIRST,
	},
};

/**
 * seg6nr_watch_init() - get between the packets of a namespace
 * @net: the namespace
 *
 * Return: 0 or a negative error.
 */
int seg6nr_watch_init(struct net *net)
{
	return nf_register_net_hooks(net, hooks, ARRAY_SIZE(hooks));
}

/**
 * seg6nr_watch_exit() - undo seg6nr_watch_init()
 * @net: the namespace
 */
void seg6nr_watch_exit(struct net *net)
{
	nf_unregister_net_hooks(net, hooks, ARRAY_SIZE(hooks));
}

/**
 * seg6nr_watch_start() - watch packets from now on
 * @watch: what to do, results all zero; stays in use until it is stopped
 */
void seg6nr_watch_start(struct seg6nr_watch *watch)
{
	__skb_queue_head_init(&watch->kept);
	WRITE_ONCE(current_watch, watch);
}

/**
 * seg6nr_watch_stop() - watch no longer, free the packets that were kept
 * @watch: as it was started
 */
void seg6nr_watch_stop(struct seg6nr_watch *watch)
{
	WRITE_ONCE(current_watch, NULL);
	__skb_queue_purge(&watch->kept);
}

/**
 * seg6nr_tap() - see packets in the moment in which they are handed to a dst
 * @dst: a route of our namespace, held by the caller until seg6nr_untap()
 *
 * The forward path changes a packet before it gets to the first hook (the
 * checksum's state, for one).  The only way to see it as dst_input() does is
 * to be what it calls.
 *
 * One at a time.
 */
void seg6nr_tap(struct dst_entry *dst)
{
	tapped.dst = dst;
	tapped.input = dst->input;
	WRITE_ONCE(dst->input, at_input);
}

/** seg6nr_untap() - undo seg6nr_tap() */
void seg6nr_untap(void)
{
	WRITE_ONCE(tapped.dst->input, tapped.input);
	tapped.dst = NULL;
}
