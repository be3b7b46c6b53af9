// SPDX-License-Identifier: GPL-2.0-only
/*
 * main.c - engine of the fuzzer, to run as root in a guest of the lab
 *
 *   engine [-n PACKETS] [-m MESSAGES] [-s SEED] [-i SHARD]
 *          [-f FIRST_PACKET] [-g FIRST_MESSAGE] [-o DIR] [-S SID]
 *          [-r REPRODUCER] [-v] [-x] [-H]
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "fuzz.h"

struct options {
	uint64_t packets, messages, seed, first, first_message;
	const char *reproducer;
	bool hooks;
};

static void parse(int argc, char **argv, struct options *o)
{
	int c;

	while ((c = getopt(argc, argv, "n:m:s:f:g:i:o:S:r:vxH")) != -1) {
		switch (c) {
		case 'n':
			o->packets = strtoull(optarg, NULL, 0);
			break;
		case 'm':
			o->messages = strtoull(optarg, NULL, 0);
			break;
		case 's':
			o->seed = strtoull(optarg, NULL, 0);
			break;
		case 'f':
			o->first = strtoull(optarg, NULL, 0);
			break;
		case 'g':
			o->first_message = strtoull(optarg, NULL, 0);
			break;
		case 'i':
			shard = atoi(optarg);
			break;
		case 'o':
			out_dir = optarg;
			break;
		case 'S':
			only_sid = optarg;
			break;
		case 'r':
			o->reproducer = optarg;
			break;
		case 'H':
			o->hooks = true;
			break;
		case 'x':
			stop_early = true;
			break;
		case 'v':
			verbose = true;
			break;
		default:
			exit(2);
		}
	}
}

int main(int argc, char **argv)
{
	struct options o = { .seed = 1 };
	int fd, slot, rc = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	parse(argc, argv, &o);
	fd = open(INJ_PATH, O_RDWR | O_CLOEXEC);
	if (fd < 0) {
		perror(INJ_PATH);
		return 2;
	}
	sids_init();
	slot = encap_slot();
	world_setup(TREE, fd, slot);
	world_setup(OURS, fd, slot);
	if (o.hooks)
		world_hooks();
	run_init(fd);
	if (o.reproducer)
		return replay(o.reproducer);
	if (o.packets)
		rc |= run_packets(o.seed, o.first, o.packets);
	if (o.messages && !(rc && stop_early))
		rc |= run_netlink(o.seed, o.first_message, o.messages);
	return rc;
}
