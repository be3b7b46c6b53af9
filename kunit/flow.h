/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * flow.h - the behaviours under test, and accounts of dst references
 */
#ifndef SEG6NR_KUNIT_FLOW_H
#define SEG6NR_KUNIT_FLOW_H

#include "env.h"
#include "netlink.h"
#include "packet.h"
#include "watch.h"

struct dst_entry;
struct kunit;

/* What a packet must look like for a behaviour to act on it. */
enum seg6nr_shape {
	SEG6NR_STEERED,		/* one more segment, or used up around @inner */
	SEG6NR_FAR,		/* two more segments */
	SEG6NR_NEXT_CSID,	/* one more C-SID in the destination, no SRH */
	SEG6NR_REPLACE_CSID,	/* one more C-SID in the list */
};

/* What the SRH that it had or got is, when the packet is handed on. */
enum seg6nr_srh_after {
	SEG6NR_SRH_THERE,	/* behind the IPv6 header */
	SEG6NR_SRH_NONE,
};

/* How a packet must hold the route that it is forwarded by. */
enum seg6nr_hold {
	SEG6NR_LENT,	/* the cached dst, without a reference */
	SEG6NR_HELD,	/* the cached dst, with the one it was looked up with */
	SEG6NR_CLONE,	/* a dst made for this packet, with its only one */
};

/* What the module does about next hops, each more than the one before. */
enum seg6nr_mode {
	SEG6NR_LOOK_UP,		/* what the kernel does, too */
	SEG6NR_KEEP,		/* holds what the kernel would make anew */
	SEG6NR_REMEMBER,	/* does not look up what it has found before */
};

/**
 * struct seg6nr_flow - one behaviour, one way of configuring it
 * @name: for messages
 * @hold: what to expect where routes are looked up for each packet
 * @onlink: the kernel would make a dst for each packet
 * @shape: of the packet
 * @srh: what is left of the SRH, where the outer packet goes on
 * @inner: type of the inner packet, 0 if the outer one goes on
 * @by_oif: the SID gets the output device as its oif
 * @second: the dst that is kept is made for the second packet; for the first
 *	    the kernel makes the one that it is made from
 * @sid: the rest of its configuration
 */
struct seg6nr_flow {
	const char		*name;
	enum seg6nr_hold	hold;
	enum seg6nr_shape	shape;
	enum seg6nr_srh_after	srh;
	u8			inner;
	bool			onlink;
	bool			by_oif;
	bool			second;
	struct seg6nr_sid	sid;
};

/* Where the (inner) packet wants to go. */
enum seg6nr_goal {
	SEG6NR_TO_BEHIND,
	SEG6NR_TO_KEPT,
	SEG6NR_TO_OWN,
	SEG6NR_TO_NOWHERE,
};

#define SEG6NR_FLOWS 31

extern const u8 seg6nr_insertion[];
extern const u8 seg6nr_encapsulation[];
extern const struct seg6nr_flow seg6nr_flows[SEG6NR_FLOWS];

void seg6nr_flow_desc(const struct seg6nr_flow *flow, char *desc);
bool seg6nr_flow_open(struct kunit *test, const struct seg6nr_flow *flow);
void seg6nr_flow_close(struct kunit *test, const struct seg6nr_flow *flow);
int seg6nr_flow_mode(enum seg6nr_mode to);
enum seg6nr_hold seg6nr_flow_hold(const struct seg6nr_flow *flow);
bool seg6nr_flow_by_goal(const struct seg6nr_flow *flow);
void seg6nr_flow_frame(const struct seg6nr_flow *flow, enum seg6nr_goal goal,
		       struct seg6nr_frame *frame);
void seg6nr_send(struct kunit *test, const struct seg6nr_frame *frame,
		 unsigned int count);
void seg6nr_send_volley(struct kunit *test, const struct seg6nr_frame *frame,
			unsigned int count);

/**
 * struct seg6nr_account - references of one dst
 * @what: its name in messages
 * @dst: the dst
 * @base: its references when the account was opened, @holds among them
 * @holds: our own, so many that not even a fault per packet ends its life
 */
struct seg6nr_account {
	const char		*what;
	struct dst_entry	*dst;
	unsigned int		base;
	unsigned int		holds;
};

void seg6nr_account_open(struct seg6nr_account *account, const char *what,
			 struct dst_entry *dst, unsigned int holds);
bool seg6nr_account_first(struct kunit *test, struct seg6nr_account *account,
			  const struct seg6nr_flow *flow,
			  const struct seg6nr_frame *frame,
			  enum seg6nr_point point, unsigned int holds);
void seg6nr_account_open_route(struct seg6nr_account *account,
			       const char *what, const struct in6_addr *daddr,
			       unsigned int holds);
void seg6nr_account_check(struct kunit *test, struct seg6nr_account *account,
			  const char *flow, unsigned int packets);
void seg6nr_account_close(struct seg6nr_account *account);

#endif /* SEG6NR_KUNIT_FLOW_H */
