/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * convert_load.h - frames to SIDs, numbered, and what came of them
 */
#ifndef SEG6NOREF_CONVERT_LOAD_H
#define SEG6NOREF_CONVERT_LOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAX_PACKETS	(1u << 24)

/* The last octets of each frame. */
struct trailer {
	uint32_t magic;
	uint32_t sid;
	uint64_t seq;
};

struct load {
	int tx;
	int rx;
	uint32_t sids;
	uint64_t seq;			/* of the next frame, so many are sent */
	uint64_t received;
	uint64_t given_up;		/* not waited for any more */
	uint64_t doubled;
	uint64_t socket_drops;		/* not the router's */
	uint8_t *seen;			/* a bit per sequence number */
	uint32_t *count;		/* frames sent, per SID */
};

/*
 * convert_frames.c.  A host that is busy with other things may forward less than
 * it did a moment ago: of what was sent, so much is on its way at most, which is
 * less than the queues of a router hold.
 */
#define IN_FLIGHT	256

void load_open(struct load *load, uint32_t sids);
void load_send(struct load *load, const uint32_t *sids, size_t count);
void load_receive(struct load *load);
/* Wait for what is still under way; how many never came. */
uint64_t load_settle(struct load *load);

__attribute__((noreturn, format(printf, 1, 2)))
void die(const char *format, ...);
void netns_go(const char *name);
double now(void);

#endif /* SEG6NOREF_CONVERT_LOAD_H */
