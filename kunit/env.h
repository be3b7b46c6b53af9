/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * env.h - the network in which all cases run
 *
 *     peer ----- in [ our namespace ] out ------ next hop, and what is behind
 *                          |   |
 *                         vrf keep ------ the same; holds on to dsts
 *
 * One SID, seg6nr_addr_sid, whose behaviour each case chooses.
 */
#ifndef SEG6NR_KUNIT_ENV_H
#define SEG6NR_KUNIT_ENV_H

#include <linux/in6.h>
#include <linux/types.h>

struct kunit;
struct net;
struct net_device;

#define SEG6NR_TABLE_ROUTES	200	/* where End.T and End.DT6 look */
#define SEG6NR_TABLE_VRF	100
#define SEG6NR_TABLE_MISSING	77

/**
 * struct seg6nr_env - the network
 * @net: its namespace
 * @in: where packets come in
 * @out: where they leave
 * @keep: where they leave, too, but with their dst
 * @vrf: ifindex of the VRF, 0 if @no_vrf
 * @no_vrf: why there is none, else NULL
 */
struct seg6nr_env {
	struct net		*net;
	struct net_device	*in;
	struct net_device	*out;
	struct net_device	*keep;
	int			vrf;
	const char		*no_vrf;
};

/**
 * struct seg6nr_books - what must be the same before and after
 * @entries: counted IPv6 dsts of the namespace
 * @in_refs: references to the input device
 * @out_refs: references to the output device
 * @module_refs: references to the module, one per state
 */
struct seg6nr_books {
	int entries;
	int in_refs;
	int out_refs;
	int module_refs;
};

extern struct seg6nr_env seg6nr_env;

extern const struct in6_addr seg6nr_addr_sid;
extern const struct in6_addr seg6nr_addr_peer;		/* sends packets */
extern const struct in6_addr seg6nr_addr_own;		/* ours, on in */
extern const struct in6_addr seg6nr_addr_nexthop;	/* neighbour on out */
extern const struct in6_addr seg6nr_addr_behind;	/* through nexthop */
extern const struct in6_addr seg6nr_addr_kept;		/* through keep */
extern const struct in6_addr seg6nr_addr_nowhere;	/* no route */
extern const struct in6_addr seg6nr_addr_keep_nexthop;	/* on keep */
extern const struct in6_addr seg6nr_addr_vrf;		/* the VRF's own */
extern const struct in6_addr seg6nr_addr_csid;		/* SID of C-SIDs, /48 */
extern const struct in6_addr seg6nr_addr_any;
#define seg6nr_addr4_peer	htonl(0xc6336402)	/* 198.51.100.2 */
#define seg6nr_addr4_own	htonl(0xc6336401)	/* 198.51.100.1 */
#define seg6nr_addr4_nexthop	htonl(0xc0000202)	/* 192.0.2.2 */
#define seg6nr_addr4_keep_nexthop htonl(0xcb007102)	/* 203.0.113.2 */
#define seg6nr_addr4_behind	htonl(0xc6120063)	/* 198.18.0.99 */
#define seg6nr_addr4_kept	htonl(0xc6130063)	/* 198.19.0.99 */
#define seg6nr_addr4_nowhere	htonl(0x0a010101)	/* 10.1.1.1 */
#define seg6nr_addr4_vrf	htonl(0x0a630001)	/* 10.99.0.1, VRF */

struct net_device *seg6nr_dev_add(const char *name, bool keeps_dst);
void seg6nr_dev_del(struct net_device *dev);
int seg6nr_env_init(void);
void seg6nr_env_exit(void);
void seg6nr_env_lose_routes(struct kunit *test, u8 family);
void seg6nr_env_regain_routes(struct kunit *test, u8 family);
int seg6nr_case_init(struct kunit *test);
void seg6nr_settle(void);
void seg6nr_books_read(struct seg6nr_books *books);
void seg6nr_books_check(struct kunit *test, const struct seg6nr_books *before,
			const char *what);
void seg6nr_books_check_module(struct kunit *test,
			       const struct seg6nr_books *before,
			       const char *what);

#endif /* SEG6NR_KUNIT_ENV_H */
