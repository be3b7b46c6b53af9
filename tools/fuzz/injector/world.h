/* SPDX-License-Identifier: GPL-2.0-only */
/* world.h - the devices of the injector, and what leaves through them */
#ifndef SEG6NR_WORLD_H
#define SEG6NR_WORLD_H

#include <linux/netdevice.h>

#include "inject.h"

/* Where frames go while a packet is on its way. */
struct capture {
	u8	*buf;
	size_t	size;
	size_t	used;
	u16	frames;
	u16	flags;
	u16	world;
};

extern struct capture *capturing;

int world_add(struct net *net);
void worlds_remove(void);
void world_forget(void);
struct net_device *world_dev(unsigned int world, unsigned int dev);
long ports_send(struct inj_batch __user *arg);
int ports_init(void);
void ports_exit(void);
int probe_init(void);
void probe_exit(void);

#endif
