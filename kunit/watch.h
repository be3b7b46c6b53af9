/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * watch.h - see test packets pass through the kernel, and take them out
 *
 * A packet of ours carries a mark.  At each point that it passes, its dst is
 * looked at; at the last one it is freed or kept.  Everything happens in the
 * task that sends, with BH off, so nothing here is locked.
 */
#ifndef SEG6NR_KUNIT_WATCH_H
#define SEG6NR_KUNIT_WATCH_H

#include <linux/skbuff.h>

struct net;

/* skb->mark of test packets. */
#define SEG6NR_MARK	0x53523601

/* In these it may differ. */
#define SEG6NR_MARK_BITS	0xf0

/* Where packets are seen, in the order in which they get there. */
enum seg6nr_point {
	SEG6NR_AT_INPUT,	/* dst_input(), only of a tapped dst */
	SEG6NR_AT_FORWARD,	/* netfilter FORWARD */
	SEG6NR_AT_LOCAL,	/* netfilter LOCAL_IN */
	SEG6NR_AT_XMIT,		/* our devices' transmit function */
	SEG6NR_POINTS
};

/**
 * struct seg6nr_sight - what was seen at one point
 * @packets: how many passed
 * @noref: of these, how many had their dst without a reference
 * @strangers: how many had another dst than the first
 * @dst: the dst of the first
 * @refs_max: the most references that a packet's dst had
 */
struct seg6nr_sight {
	unsigned int		packets;
	unsigned int		noref;
	unsigned int		strangers;
	unsigned int		refs_max;
	struct dst_entry	*dst;
};

/**
 * struct seg6nr_watch - what to do with packets, and what became of them
 * @end: where to take them out
 * @keep: force their dst there and keep them, as a queue does
 * @holds: references to take there, once, on the first packet's dst
 * @look: called there, before any of this, may be NULL
 * @priv: for @look
 * @kept: the packets of @keep
 * @at: results
 */
struct seg6nr_watch {
	enum seg6nr_point	end;
	bool			keep;
	unsigned int		holds;
	void			(*look)(struct seg6nr_watch *watch,
					struct sk_buff *skb);
	void			*priv;
	struct sk_buff_head	kept;
	struct seg6nr_sight	at[SEG6NR_POINTS];
};

int seg6nr_watch_init(struct net *net);
void seg6nr_watch_exit(struct net *net);
void seg6nr_watch_start(struct seg6nr_watch *watch);
void seg6nr_watch_stop(struct seg6nr_watch *watch);
bool seg6nr_watch_take(enum seg6nr_point point, struct sk_buff *skb);
void seg6nr_tap(struct dst_entry *dst);
void seg6nr_untap(void);

#endif /* SEG6NR_KUNIT_WATCH_H */
