/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hop.h - SIDs that remember next hops, and what each packet of theirs shows
 *
 * A probe sends one packet, compares its route with what the kernel finds at
 * that time, and the module's statistics with what is expected.
 */
#ifndef SEG6NR_KUNIT_HOP_H
#define SEG6NR_KUNIT_HOP_H

#include "flow.h"
#include "../module/hop.h"

#define SEG6NR_HOP_FLOWS	10

/**
 * struct seg6nr_hop_flow - a behaviour that remembers
 * @name: for messages
 * @action: SEG6NR_ACT_*
 * @inner: the packet is IPv6 in IPv6
 * @known: the SID is configured with its next hop
 * @onlink: which is a neighbour
 * @oif: the SID gets the device, too
 * @table: the SID looks up there, 0 for by rules
 * @vrf: the SID has the VRF do it
 */
struct seg6nr_hop_flow {
	const char	*name;
	u32		action;
	bool		inner;
	bool		known;
	bool		onlink;
	bool		oif;
	u32		table;
	bool		vrf;
};

extern const struct seg6nr_hop_flow seg6nr_hop_flows[SEG6NR_HOP_FLOWS];

/**
 * struct seg6nr_place - where packets go
 * @dev: the device
 * @nexthop: a neighbour behind it
 * @behind: what is routed by way of that
 */
struct seg6nr_place {
	struct net_device	*dev;
	struct in6_addr		nexthop;
	struct in6_addr		behind;
};

/**
 * struct seg6nr_run - a SID in use
 * @flow: what it does
 * @place: where to
 * @goal: what it looks up
 * @table: where the routes to that are, 0 for main
 * @frame: a packet for it
 * @sid: its configuration
 * @slwt: its state
 * @in: the device that packets come in on
 * @mark: of packets
 * @blind: the kernel's answer is not compared, for chance is part of it
 */
struct seg6nr_run {
	const struct seg6nr_hop_flow	*flow;
	struct seg6nr_place		place;
	struct in6_addr			goal;
	u32				table;
	struct seg6nr_frame		frame;
	struct seg6nr_sid		sid;
	struct seg6nr_lwt		*slwt;
	struct net_device		*in;
	u32				mark;
	bool				blind;
};

/* Nothing is counted: the memory is not asked. */
#define SEG6NR_HOP_NONE	SEG6NR_HOP_EVENTS

bool seg6nr_run_open(struct kunit *test, struct seg6nr_run *run,
		     const struct seg6nr_hop_flow *flow,
		     const struct seg6nr_place *place);
void seg6nr_run_close(struct kunit *test, struct seg6nr_run *run);
void seg6nr_place_env(struct seg6nr_place *place);
struct seg6nr_hop *seg6nr_run_hop(const struct seg6nr_run *run);
unsigned long seg6nr_run_count(const struct seg6nr_run *run, int event);
bool seg6nr_probe(struct kunit *test, const struct seg6nr_run *run,
		  const char *what, enum seg6nr_hop_event looked,
		  enum seg6nr_hop_event bypass);
void seg6nr_probe_twice(struct kunit *test, const struct seg6nr_run *run,
			const char *what, enum seg6nr_hop_event looked,
			enum seg6nr_hop_event bypass);
void seg6nr_run_warm_up(struct kunit *test, const struct seg6nr_run *run);
void seg6nr_next_jiffy(void);
int seg6nr_hop_init(struct kunit *test);
void seg6nr_hop_exit(struct kunit *test);

#endif /* SEG6NR_KUNIT_HOP_H */
