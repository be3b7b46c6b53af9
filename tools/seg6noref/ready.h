/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ready.h - whether this machine can do what its SIDs are to do
 */
#ifndef SEG6NOREF_READY_H
#define SEG6NOREF_READY_H

#include <stdbool.h>
#include <stdint.h>
#include <net/if.h>

#include "cmdline.h"
#include "encap.h"
#include "out.h"
#include "session.h"

struct device {
	uint32_t index;
	uint32_t mtu;
	uint32_t vrf_table;	/* 0 unless it is a VRF */
	bool up;
	bool loopback;
	char name[IF_NAMESIZE];
};

/* A SID, of the module or of the kernel, and where its route is. */
struct sid {
	uint32_t action;
	uint32_t vrftable;	/* 0 if it names none */
	unsigned int segments;	/* of the policy that it has */
	bool hmac;		/* in that */
	bool ours;
	struct in6_addr dst;
	uint8_t len;
	uint8_t type;
	uint32_t dev;
	uint32_t flags;
};

struct ready {
	struct session *session;
	struct out out;
	int abi;		/* of the module; -1 without one */
	uint16_t slot;		/* 0 also if it speaks another ABI */
	unsigned int problems;
	struct nl_msgs routes;
	struct device *devices;
	size_t device_count;
	struct sid *sids;
	size_t sid_count;
};

enum ready_state { READY_OK, READY_NOTE, READY_PROBLEM };

/* ready.c: @remedy, what to do, or NULL; then what there is to say. */
__attribute__((format(printf, 5, 6)))
void ready_say(struct ready *ready, const char *check, enum ready_state state,
	       const char *remedy, const char *format, ...);
const struct device *ready_device(const struct ready *ready, uint32_t index);
const struct device *ready_vrf(const struct ready *ready, uint32_t table);

/* ready_read.c: devices and SIDs. */
int ready_read(struct ready *ready);
void ready_free(struct ready *ready);

/* ready_host.c: the module and the settings of this machine. */
void check_module(struct ready *ready);
void check_forwarding(struct ready *ready);
void check_rp_filter(struct ready *ready);
void check_vrf(struct ready *ready);
void check_seg6(struct ready *ready);

/* ready_sids.c: the SIDs one by one. */
void check_sids(struct ready *ready);
void check_mtu(struct ready *ready);

/* ready.c: @line stands behind the word. */
int ready_command(struct session *session, struct cmdline *line);

#endif /* SEG6NOREF_READY_H */
