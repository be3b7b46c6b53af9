// SPDX-License-Identifier: GPL-2.0-only
/*
 * netns.c - network namespaces, and the devices in them that go away
 *
 * A held route keeps its device and its namespace from being destroyed, so
 * states that can hold some are listed here to be purged in time.
 */
#include <linux/percpu.h>
#include <linux/refcount.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/proc_fs.h>
#include <net/addrconf.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>

#include "seg6nr.h"

static unsigned int net_id;

static struct seg6nr_holders *holders_alloc(void)
{
	struct seg6nr_holders *holders;

	holders = kzalloc_obj(*holders, GFP_KERNEL_ACCOUNT);
	if (!holders)
		return NULL;
	holders->stats = __alloc_percpu_gfp(sizeof(*holders->stats),
					    __alignof__(*holders->stats),
					    GFP_KERNEL_ACCOUNT);
	if (!holders->stats) {
		kfree(holders);
		return NULL;
	}
	mutex_init(&holders->purging);
	spin_lock_init(&holders->lock);
	INIT_LIST_HEAD(&holders->list);
	refcount_set(&holders->refs, 1);
	return holders;
}

static void holders_put(struct seg6nr_holders *holders)
{
	if (!refcount_dec_and_test(&holders->refs))
		return;
	free_percpu(holders->stats);
	kfree(holders);
}

/**
 * seg6nr_net() - what the module has for a namespace
 * @net: the namespace
 *
 * Context: any, while @net is alive.
 *
 * Return: never NULL.
 */
struct seg6nr_net *seg6nr_net(const struct net *net)
{
	return net_generic(net, net_id);
}

/**
 * seg6nr_netns_add() - list a state that can hold routes
 * @net: its namespace
 * @slwt: the state, complete; others are left alone
 *
 * Context: process context.
 */
void seg6nr_netns_add(struct net *net, struct seg6nr_lwt *slwt)
{
	struct seg6nr_holders *holders = seg6nr_net(net)->holders;

	if (!slwt->hops)
		return;
	refcount_inc(&holders->refs);
	slwt->holders = holders;
	spin_lock_bh(&holders->lock);
	list_add(&slwt->node, &holders->list);
	spin_unlock_bh(&holders->lock);
}

/**
 * seg6nr_netns_del() - take a state off its list
 * @slwt: the state, listed or not
 *
 * Context: any, softirq included.
 */
void seg6nr_netns_del(struct seg6nr_lwt *slwt)
{
	struct seg6nr_holders *holders = slwt->holders;

	if (!holders)
		return;
	spin_lock_bh(&holders->lock);
	list_del(&slwt->node);
	spin_unlock_bh(&holders->lock);
}

/**
 * seg6nr_netns_put() - a state does not count in its namespace any more
 * @slwt: the state, off the list, its routes released
 *
 * Context: any, softirq included.
 */
void seg6nr_netns_put(struct seg6nr_lwt *slwt)
{
	if (slwt->holders)
		holders_put(slwt->holders);
}

/* States whose routes are released between two chances for others to run. */
#define PURGE_BATCH	64

/* Purge some of the states in @todo; false once it is empty. */
static bool purge_some(struct seg6nr_holders *holders, struct list_head *todo)
{
	struct seg6nr_lwt *slwt;
	int i;

	spin_lock_bh(&holders->lock);
	for (i = 0; i < PURGE_BATCH && !list_empty(todo); i++) {
		slwt = list_first_entry(todo, struct seg6nr_lwt, node);
		list_move(&slwt->node, &holders->list);
		seg6nr_nexthop_purge(slwt);
	}
	spin_unlock_bh(&holders->lock);
	return i == PURGE_BATCH;
}

/* May sleep: there can be very many states. */
static void purge(struct net *net)
{
	struct seg6nr_holders *holders = seg6nr_net(net)->holders;
	LIST_HEAD(todo);

	/* Whoever is about to hold has counted, or will look once more. */
	if (!atomic_read(&holders->hops) && !atomic_read(&holders->held))
		return;

	mutex_lock(&holders->purging);
	holders->purges++;
	spin_lock_bh(&holders->lock);
	list_splice_init(&holders->list, &todo);
	spin_unlock_bh(&holders->lock);
	while (purge_some(holders, &todo))
		cond_resched();
	mutex_unlock(&holders->purging);
}

/* For what is remembered: the answer of a lookup may be another one now. */
static void note_change(struct net *net)
{
	struct seg6nr_holders *holders = seg6nr_net(net)->holders;

	WRITE_ONCE(holders->changes, holders->changes + 1);
	/* Whoever sees a purged slot has to see this too. */
	smp_mb();
}

/*
 * Purged are all routes of the namespace, not those of this device: one that
 * was flushed names another device by now.  The event is repeated while the
 * device waits.
 */
static int device_event(struct notifier_block *nb, unsigned long event,
			void *ptr)
{
	struct net *net = dev_net(netdev_notifier_info_to_dev(ptr));

	switch (event) {
	case NETDEV_DOWN:
	case NETDEV_UNREGISTER:
		note_change(net);
		purge(net);
		break;
	case NETDEV_REGISTER:
	case NETDEV_UP:
	case NETDEV_CHANGE:
	case NETDEV_CHANGENAME:
	case NETDEV_CHANGEUPPER:
	case NETDEV_CHANGEMTU:
		note_change(net);
		break;
	}
	return NOTIFY_DONE;
}

/* Behind the FIB's own: what they change is changed when we are told. */
static struct notifier_block device_notifier = {
	.notifier_call	= device_event,
	.priority	= ADDRCONF_NOTIFY_PRIORITY - 20,
};

static int __net_init netns_init(struct net *net)
{
	struct seg6nr_net *sn = seg6nr_net(net);

	sn->holders = holders_alloc();
	if (!sn->holders)
		return -ENOMEM;
	sn->stats = __alloc_percpu_gfp(sizeof(*sn->stats),
				       __alignof__(*sn->stats),
				       GFP_KERNEL_ACCOUNT);
	if (!sn->stats)
		goto put_holders;

	if (!proc_create_net_single(SEG6NR_MODULE_NAME, 0444, net->proc_net,
				    seg6nr_stats_show, NULL))
		goto free_stats;
	return 0;

free_stats:
	free_percpu(sn->stats);
put_holders:
	holders_put(sn->holders);
	return -ENOMEM;
}

/* The routes of a namespace are counted inside it: release them early. */
static void __net_exit netns_pre_exit(struct net *net)
{
	WRITE_ONCE(seg6nr_net(net)->dying, true);
	/* Against hold(): the flag is seen there or the route is seen here. */
	smp_mb();
	purge(net);
}

static void __net_exit netns_exit(struct net *net)
{
	struct seg6nr_net *sn = seg6nr_net(net);

	remove_proc_entry(SEG6NR_MODULE_NAME, net->proc_net);
	free_percpu(sn->stats);
	holders_put(sn->holders);
}

static struct pernet_operations net_ops = {
	.init		= netns_init,
	.pre_exit	= netns_pre_exit,
	.exit		= netns_exit,
	.id		= &net_id,
	.size		= sizeof(struct seg6nr_net),
};

/**
 * seg6nr_netns_init() - begin to follow namespaces and devices
 *
 * Return: 0 or an error.
 */
int seg6nr_netns_init(void)
{
	int err;

	err = register_pernet_subsys(&net_ops);
	if (err)
		return err;

	err = register_netdevice_notifier(&device_notifier);
	if (err)
		unregister_pernet_subsys(&net_ops);
	return err;
}

/**
 * seg6nr_netns_exit() - undo seg6nr_netns_init()
 *
 * Context: no packet may be inside the module any more, no state may be left.
 */
void seg6nr_netns_exit(void)
{
	unregister_netdevice_notifier(&device_notifier);
	unregister_pernet_subsys(&net_ops);
}
