/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fuzz.h - types of the fuzzer's engine, prototypes by file
 *
 * An event is one packet, made by gen.c.  It goes to the in-tree encap in one
 * network namespace and to ours in another one that is set up alike (world.c).
 * model.c, decap.c and fib.c say from the packet alone what ours must do and by
 * which departures the in-tree code does otherwise; check.c compares.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "../../../module/uapi.h"
#include "../injector/inject.h"
#include "octets.h"

#define ARRAY_LEN(a)	(sizeof(a) / sizeof((a)[0]))

#define TREE		0	/* worlds */
#define OURS		1

#define MAX_PKT		66000
#define ETH		14
#define IP6		40

#define PSP		(1u << SEG6NR_FLV_OP_PSP)
#define USP		(1u << SEG6NR_FLV_OP_USP)
#define USD		(1u << SEG6NR_FLV_OP_USD)
#define NEXT		(1u << SEG6NR_FLV_OP_NEXT_CSID)

/* --- SIDs (sids.c) --- */

struct sid {
	const char *name;
	const char *text;	/* of the address */
	int plen;
	int action;
	const char *nh;		/* next hop */
	int table;		/* or VRF table, see vrf */
	bool vrf;
	int oif;		/* place + 1 */
	unsigned int flavors;
	int lb, nf;		/* octets */
	bool replace;
	const char *policy;	/* segments in wire order */
	bool policy_hmac;
	bool tree;		/* the in-tree encap has it too */
	int weight;
	/* filled in */
	uint8_t addr[16];
	uint8_t hop[16];
	uint8_t srh[256];
	int srh_len;
	int bound[INJ_WORLDS];
};

extern struct sid sids[];
extern const int nsids;

void sids_init(void);
int sid_attrs(const struct sid *sid, uint8_t *buf);
int sid_of(const uint8_t *addr);
int sid_pick(struct rng *r);

/* --- netlink (nl.c) --- */

struct nlmsg {
	uint8_t buf[8192];
	int len;
};

struct nl {
	int fd;
	uint32_t seq;
	char text[160];		/* of the last refusal */
	int slot;		/* of our encap */
};

int nl_open(struct nl *nl, int protocol);
void nl_begin(struct nlmsg *m, int type, int flags, const void *body, int len);
int nl_put(struct nlmsg *m, int type, const void *data, int len);
int nl_nest(struct nlmsg *m, int type);
void nl_end(struct nlmsg *m, int at);
int nl_talk(struct nl *nl, struct nlmsg *m, struct nlmsg *answer);
int put_attr(uint8_t *buf, int type, const void *data, int len);
const uint8_t *find_attr(const uint8_t *data, int len, int type, int *size);
int nl_hmac_key(uint32_t id, const char *secret);

/* --- worlds (world.c) --- */

void world_setup(int world, int inject_fd, int slot);
void world_hooks(void);
void world_enter(int world);
int world_route(struct nl *nl, int cmd, int flags, const uint8_t *dst, int plen,
		int dev, int slot, const uint8_t *encap, int len);
int place_ifindex(int place);
int encap_slot(void);
int vrf_ifindex(void);

#define MAC_OF_DEV(place)	{ 2, 0, 0, 0, 0x0a + (place), 2 }

/* --- events (gen.c) --- */

#define MUTATIONS	6

struct event {
	uint64_t seed;
	uint32_t off;		/* mutations and shapes left out, by bit */
	int sid;
	int dev;
	unsigned int flags;	/* INJ_* of the request */
	unsigned int linear, frag;
	/* GSO */
	unsigned int gso_size, l3, l4;
	int len;		/* octets of the IPv6 packet */
	uint8_t *pkt;		/* MAX_PKT octets, Ethernet header in front */
};

#define OFF_SHAPE	(1u << 16)	/* plain skb */
#define OFF_CLONE	(1u << 17)

void gen_event(struct event *e, uint64_t seed, uint32_t off);
void gen_gso(struct event *e, struct rng *r);
bool is_decap(const struct sid *sid);
extern const char *only_sid;
int only_index(void);


/* --- HMAC (hmac.c) --- */

void hmac_sha256(const uint8_t *key, int klen, const uint8_t *msg, int len,
		 uint8_t digest[32]);
bool srh_digest(const uint8_t *saddr, const uint8_t *srh, uint32_t key,
		uint8_t digest[32]);
const uint8_t *srh_hmac_tlv(const uint8_t *srh);
#define HMAC_KEY_ID	1
#define HMAC_SECRET	"seg6local-noref"

/* --- the model --- */

enum route_kind {
	R_FORWARD,		/* through place, to a MAC */
	R_SOLICIT,		/* through place, neighbour unknown */
	R_SID, R_PROBE, R_LOCAL, R_ERROR, R_BLACKHOLE, R_UNKNOWN
};

struct route {
	enum route_kind kind;
	int place;
	uint8_t neigh;		/* last octet of the MAC */
	int sid;
	int code;		/* R_ERROR: of the ICMPv6 error */
};

/* A packet in the model. */
struct mpkt {
	uint8_t *d;		/* network header */
	int len;
	int transport;		/* offset */
	int srcrt;
	int iif;		/* place it came in by, INJ_PLACES for the VRF */
	int dev;		/* the same, but the VRF for its port */
	bool ipv4;
	bool decapped;
	bool encapped;
};

#define MAX_EXPECT	70
#define EXPECT_ROOM	(1 << 18)

struct expect {
	int place;
	int len;
	uint8_t *data;
	int transport;		/* probe only, as the next three */
	int srcrt;
	int iif;
	bool ipv4;
	bool decapped;
	bool encapped;
	bool forwarded;		/* not made here */
};

struct pred {
	uint64_t dep;		/* departures met, D_BIT() */
	bool delivered;
	bool may_arrive;	/* what the receive path does is not modelled */
	bool any_out;		/* frames are not predicted: as in-tree */
	bool any_count;		/* neither are the counters */
	bool no_redirect;
	struct expect frame[MAX_EXPECT];
	int frames;
	int room;
	uint8_t data[EXPECT_ROOM];
	struct inj_count count[96];
	int touched[INJ_REQ_SIDS];
	int ntouched;
	int depth;
	bool gso;
	bool forwarding;	/* the next frame is forwarded */
};

#define D_BIT(n)	(1ull << (n))
/* Sections of the specification that require what no number covers. */
#define D_S14		50	/* 1.4: the header chosen by PSP */
#define D_S18		51	/* 1.8: no GSO packet is lost */
#define D_S32		52	/* 3.2: PSP behind AH or an atomic fragment */
#define D_MAX		53
/* Departures that change counters only. */
#define D_COUNTERS	D_BIT(22)

extern const char *const dep_names[D_MAX];

void model(const struct event *e, struct pred *p);
int run_sid(struct pred *p, struct mpkt *k, int sid);
void expect_frame(struct pred *p, const struct mpkt *k, int place, int neigh);
void touch(struct pred *p, int sid);

/* fib.c */
struct route fib6(const uint8_t *da, int table, int iif);
struct route fib4(const uint8_t *da, bool vrf);
int hand_on(struct pred *p, struct mpkt *k, struct route r, bool local);
void icmp6(struct pred *p, const struct mpkt *k, int type, int code,
	   uint32_t word);
bool hop_limit_spent(struct pred *p, const struct mpkt *k);
bool is_addr(const uint8_t *a, const char *text);

/* decap.c */
int decap(struct pred *p, struct mpkt *k, int only);
bool odd4(const struct mpkt *k);
int run_decap(struct pred *p, struct mpkt *k, const struct sid *sid);
bool srh_valid(const uint8_t *srh, bool *pad1);
bool hmac_passes(const struct mpkt *k, const uint8_t *srh);
int require_hmac(int place);

/* Extension headers of a packet, in order. */
struct ext {
	int type, off, len, nhoff;
};

#define MAX_EXT		12

struct chain {
	struct ext ext[MAX_EXT];
	int n;
	int final;		/* next header behind the last */
	int off;		/* where that begins */
	bool bad;		/* runs out of the packet, or too many */
	int bad_at;		/* number of good ones in front */
	int fragment;		/* index of the first true fragment or -1 */
};

void chain_walk(struct chain *c, const uint8_t *d, int len);

/* gso.c */
int gso_segment(const struct event *e, int i, uint8_t *d);

/* --- running and comparing (check.c, run.c) --- */

struct outcome {
	struct inj_res *res[INJ_WORLDS];	/* NULL: not sent there */
	struct inj_count delta[INJ_WORLDS][INJ_REQ_SIDS];
};

struct verdict {
	bool fail;
	char why[200];
	uint64_t dep;		/* departures that made a difference */
	bool unmodelled;
};

void check_event(const struct event *e, const struct pred *p,
		 const struct outcome *o, struct verdict *v);
void print_outcome(const struct event *e, const struct pred *p,
		   const struct outcome *o, const struct verdict *v);

int run_packets(uint64_t seed, uint64_t first, uint64_t count);
int run_netlink(uint64_t seed, uint64_t first, uint64_t count);
void run_init(int fd);
void run_one(const struct event *e, struct pred *p, struct outcome *o);
void shrink(struct event *e);
int replay(const char *path);
void save_reproducer(const struct event *e, const struct verdict *v);

extern const char *out_dir;
extern int shard;
extern bool verbose;
extern bool stop_early;	/* at the first failure */

#endif
