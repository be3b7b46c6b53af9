/* SPDX-License-Identifier: GPL-2.0-only */
/* nlfuzz.h - what the netlink side of the fuzzer has in common */
#ifndef FUZZ_NLFUZZ_H
#define FUZZ_NLFUZZ_H

#include "fuzz.h"

#define MAX_ATTRS	24
#define MAX_DATA	700

struct nattr {
	int type;
	int len;
	uint8_t data[MAX_DATA];
};

enum wrap { WRAP_RIGHT, WRAP_NONE, WRAP_TYPE, WRAP_MORE, WRAP_KINDS };

struct message {
	uint64_t seed;
	struct nattr attr[MAX_ATTRS];
	int n;
	int trailing;		/* octets behind the last attribute */
	enum wrap wrap;
	bool ipv4;
};

/* What has to become of a message. */
struct ruling {
	bool ours_ok;
	bool either;		/* ours may refuse it all the same */
	bool err[256];		/* errors that its faults may be refused with */
	bool tree_known;	/* the specification speaks of in-tree */
	bool tree_ok;
};

void make_message(struct message *m, uint64_t seed);
void rule(const struct message *m, struct ruling *r);
int attrs_bytes(const struct message *m, uint8_t *buf);

#endif
