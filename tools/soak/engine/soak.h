/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * soak.h - types of the twin soak, prototypes by file
 *
 * A walk is made of stretches.  Each builds a router in a new network
 * namespace (world.c), changes its configuration event by event (events.c,
 * change.c) and sends packets behind each event, each one to a SID of the
 * in-tree encap and to its twin of ours (sids.c, flow.c): they must leave the
 * same way.  walk.c makes, compares and shrinks stretches.
 */
#ifndef SOAK_H
#define SOAK_H

#include <libmnl/libmnl.h>
#include <linux/rtnetlink.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "../../../module/uapi.h"
#include "../../fuzz/engine/octets.h"
#include "../../fuzz/injector/inject.h"

#define ARRAY_LEN(a)	(sizeof(a) / sizeof((a)[0]))

enum { TREE, OURS, TWINS };

/*
 * Ports, every one of the injector's.  Packets come in by the first two and
 * leave by the others; V0 and V1 are those of the VRFs, X0 comes and goes, SIDs
 * are routes of HOME.  The last two are of the second router.
 */
enum {
	IN0, IN1, E0, E1, E2, V0, V1, X0, HOME, ROUTER_PORTS,
	AI = ROUTER_PORTS, AE, PORTS
};

enum { VRF0, VRF1, VRFS };

#define TABLE_T		77	/* End.T and End.DT6 */
#define SUPPRESSED	48	/* longest prefix that a rule suppresses */

#define TABLE_RULE	200	/* to be had by rules only */
#define TABLE_PORT	201	/* for one port */
#define TABLE_MARK	202	/* for one mark */
#define TABLE_VRF	100	/* and the one behind it */

/*
 * Neighbours behind each port: host 1 and 9, fe80::1, and 2001:db8:77::1.  The
 * last one is nobody's gateway.
 */
enum { N_ONE, N_NINE, N_LINK, N_FAR, N4_ONE, N4_NINE, N4_LEAF, NEIGHS };

#define LEAF		33	/* host number */

/* A network namespace, with what acts in it from outside. */
struct space {
	int fd;
	struct mnl_socket *nl;
	int udp;		/* for ioctl() */
	int raw6, raw4;		/* receive what PMTU errors quote */
};

struct port {
	bool there;
	int index;
	bool away;		/* in the namespace aside */
	uint8_t mac[6];
	uint8_t version[NEIGHS];	/* of MAC addresses; 0: no entry */
};

/* --- netlink (nl.c) --- */

struct hop {
	int index;
	uint8_t via[16];
	bool has_via;
};

struct rt {
	int family;
	int table;		/* 0: main */
	int type;		/* 0: unicast */
	uint8_t dst[16], src[16];
	int plen, splen;
	struct hop hop[4];
	int hops;
	uint32_t metric, mtu, expires, nhid;
	int pref;		/* + 1 */
};

int space_open(struct space *s);
void space_close(struct space *s);
void space_enter(const struct space *s);
struct nlmsghdr *nl_new(int type, int flags);
int nl_talk(struct space *s, struct nlmsghdr *h);
int nl_route(struct space *s, int cmd, int flags, const struct rt *rt);
int nl_link(struct space *s, int index, unsigned int change,
	    unsigned int flags);
int nl_link_u8(struct space *s, int index, int attr, uint8_t value);
int nl_link_u32(struct space *s, int index, int attr, uint32_t value);
int nl_link_str(struct space *s, int index, int attr, const char *value);
int nl_link_mac(struct space *s, int index, const uint8_t *mac);
int nl_link_del(struct space *s, int index);
int nl_port_add(struct space *s, const char *name, const uint8_t *mac,
		int number);
int nl_vrf_add(struct space *s, const char *name, uint32_t table);
int nl_addr(struct space *s, int cmd, int index, int family,
	    const uint8_t *addr, int plen);
int nl_neigh(struct space *s, int cmd, int index, int family,
	     const uint8_t *addr, const uint8_t *mac);
int nl_nexthop(struct space *s, int cmd, uint32_t id, const struct hop *hop,
	       bool blackhole);
int nl_group(struct space *s, uint32_t id, const uint32_t *ids,
	     const int *weights, int n, bool resilient);
int nl_tunsrc(struct space *s, const uint8_t *addr);
void settle(struct space *s, const char *name);
int index_of(struct space *s, const char *name);
bool put_sysctl(const char *path, const char *value);
bool sysctl_of(const struct space *s, const char *value, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void addr6(uint8_t *to, const char *text);
void die(const char *what);

/* --- the routers (world.c) --- */

struct world {
	struct space main, second;
	bool has_second;
	struct port port[PORTS];
	int vrf[VRFS];		/* index, 0: is not there */
	bool renamed[PORTS];
	int sid_now[32];	/* variant that is configured, by SID */
};

extern struct world w;
extern struct space first, aside;
extern const char *const port_names[PORTS];

void world_init(void);
void world_build(void);
void world_destroy(void);
void second_build(void);
void second_destroy(void);
void mark_by_label(void);	/* mark.c */
void collect_statistics(const struct space *s);	/* walk.c */
void port_open(int port, struct space *to);
void port_close(int port);
bool port_carrier(int port, bool on);
void fix_port(int port);
void fix_vrf(int vrf);
void fix_routes(void);
void fix_nexthops(void);
void fix_sysctls(void);
void fix_neigh(int port, int neigh);
void put_neigh(int port, int neigh, int version);
void neigh_addr(int port, int neigh, uint8_t *addr);
void neigh_mac(int port, int neigh, uint8_t *mac);
int base_routes(void);
bool base_route(int i, struct rt *rt);
void port_addr6(int port, uint8_t *addr, int host);
void port_addr4(int port, uint8_t *addr, int host);
const char *port_name(int port);
int vrf_of(int port);
void second_routes(void);

/* --- the twins (sids.c) --- */

enum {
	S_END, S_PSP, S_CSID, S_X, S_X_GW, S_X_LINK, S_X_OIF, S_X_OBJ, S_X_MANY,
	S_X_BACK, S_T, S_T_VRF, S_DX6, S_DX6_NH, S_DX6_GW, S_DT6, S_DT6_VRF0,
	S_DT6_VRF1, S_DX4, S_DX4_GW, S_DX4_NH, S_DT4, S_DT46, S_B6, S_ENCAPS,
	SIDS
};

struct sid {
	const char *name;
	int action;
	const char *nh[3];	/* next hop, by variant */
	int table[3];
	int vrf;		/* + 1 */
	int oif;		/* port + 1 */
	unsigned int flavors;
	const char *segs[2];	/* of the policy, the last one first */
	bool second;		/* the second router has it too */
	int weight;
};

extern const struct sid sids[SIDS];
extern int slot;

void sid_addr(int sid, int twin, uint8_t *addr);
int sid_put(struct space *s, int sid, int twin, int variant, int flags);
int sid_del(struct space *s, int sid, int twin);
void sids_put(struct space *s, bool second);
void sids_of_vrf(int vrf, int twin);
const char *sid_nh(int sid);
int sid_variants(int sid);

/* --- packets (flow.c) --- */

#define MAX_FRAME	2048

struct flow {
	uint32_t seed;
	int sid, port;
	bool v4;		/* what is inside */
	uint8_t src[16], da[16];
	uint8_t src4[4], da4[4];
	int label, tc, proto, payload;
};

struct frame {
	int port, len;
	uint8_t data[MAX_FRAME];
};

struct outcome {
	bool maybe;		/* expected: this or nothing */
	int frames, redirects;
	struct frame frame;	/* the first one */
};

void flow_make(struct flow *f, uint32_t seed);
int flow_packet(const struct flow *f, int twin, uint32_t tag, uint8_t *to);
void flow_text(const struct flow *f, char *to, size_t size);
bool find_tag(const uint8_t *data, int len, uint32_t *tag, int *at);
bool frame_is_redirect(const struct frame *f);
void frame_canonical(struct frame *f, int sid);
bool frame_is_error(const struct frame *f);
void expect(const struct flow *f, const struct outcome *tree,
	    struct outcome *to);
void outcome_text(const struct outcome *o, char *to, size_t size);

#define SUBNETS		3

void pool_addr(struct rng *r, uint8_t *addr);
void pool_addr4(struct rng *r, uint8_t *addr);

/* --- the injector (inject.c) --- */

void inject_init(void);
int inject_some(const uint8_t *frames, size_t len);
size_t put_frame(uint8_t *to, int port, const uint8_t *frame, int len);
void send_frame(int port, const uint8_t *frame, int len);
void send_all(void (*left)(int port, const uint8_t *data, int len));

/* --- events (events.c, change.c, objects.c) --- */

struct event {
	int kind;
	int undo;		/* step: 0 does, 1 undoes, unless there are 3 */
	uint32_t seed;
};

struct kind {
	const char *name;
	/* What is wrong with an event is not known beforehand: it may fail. */
	int (*run)(struct rng *r, int undo);
	int weight;
	int steps;
	bool (*exists)(void);	/* can this kernel do it? */
};

extern const struct kind kinds[];
extern const int nkinds;
extern int max_age;		/* ms, of the layer that skips lookups */
extern char said[400];		/* what the last event did */

void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
int event_run(const struct event *e);
void show_rt(const char *what, const struct rt *rt);
void pick_target(struct rng *r, struct rt *rt);
void pick_hop(struct rng *r, struct rt *rt);
int pick_egress(struct rng *r);
void nap(int ms);
bool has_param(const char *name);
bool set_param(const char *name, const char *value);

/* routes.c */
int do_route(struct rng *r, int undo);
int do_base(struct rng *r, int undo);
int do_special(struct rng *r, int undo);
int do_sibling(struct rng *r, int undo);
int do_source(struct rng *r, int undo);
int do_expiring(struct rng *r, int undo);
int do_nexthop(struct rng *r, int undo);
int do_group(struct rng *r, int undo);
int do_object_route(struct rng *r, int undo);

/* rules.c */
void base_rules(void);
int group_rule(int undo);
int do_rule(struct rng *r, int undo);

/* devices.c */
int do_vrf(struct rng *r, int undo);
int do_enslave(struct rng *r, int undo);
int do_address(struct rng *r, int undo);
int do_link(struct rng *r, int undo);
int do_carrier(struct rng *r, int undo);
int do_linkdown(struct rng *r, int undo);
int do_mtu(struct rng *r, int undo);
int do_neigh(struct rng *r, int undo);
int do_device(struct rng *r, int undo);
int do_rename(struct rng *r, int undo);
int do_move(struct rng *r, int undo);
int do_space(struct rng *r, int undo);
int do_ifgroup(struct rng *r, int undo);
int do_mac(struct rng *r, int undo);

/* --- walking (walk.c) --- */

#define MAX_FLOWS	6
#define MAX_ITEMS	1200
#define MAX_REPEAT	14

struct item {
	bool packets;
	struct event event;
	/* Or packets */
	int cpu, flows, repeat;
	uint32_t flow[MAX_FLOWS];
};

struct tally {
	uint64_t events, refused, packets, delivered, mismatches, stretches;
	uint64_t hits, misses, maybes;
	uint64_t by_kind[64];
};

/* Lines of /proc/net/seg6local_noref, of all routers that were. */
struct statistic {
	char name[48];
	uint64_t count;
};

#define MAX_STATISTICS	64
extern struct statistic statistics[MAX_STATISTICS];

extern struct tally tally;
extern int cpus;
extern bool trace;

int stretch_make(struct item *to, uint64_t seed, int events);
bool stretch_run(const struct item *items, int n);
void stretch_shrink(struct item *items, int *n);
void stretch_write(FILE *f, const struct item *items, int n);
int stretch_read(FILE *f, struct item *items);
void use_cpu(int cpu);
extern char mismatch[3000];

/* races.c, fail.c */
int races(uint64_t seed, int seconds);
int failures(uint64_t seed);
void read_slot(void);

#endif
