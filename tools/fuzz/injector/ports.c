// SPDX-License-Identifier: GPL-2.0-only
/*
 * ports.c - a link type whose devices come, go, lose their carrier and move
 * between namespaces like any other, but receive what INJ_SEND gives them and
 * keep what is sent through them for it to fetch
 */
#include <linux/etherdevice.h>
#include <linux/ethtool.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <net/netlink.h>
#include <net/rtnetlink.h>

#include "world.h"

#define ROOM		(4 << 20)
#define HEADROOM	96
#define MAX_SEND	10000

struct tap {
	u32 number;
};

static struct net_device __rcu *taps[INJ_PORTS];

/* Frames that have left, and a spare one to change it for while it is read. */
static u8 *left, *spare;
static size_t left_len;
static DEFINE_SPINLOCK(left_lock);
static DEFINE_MUTEX(fetch_lock);

static netdev_tx_t tap_xmit(struct sk_buff *skb, struct net_device *dev)
{
	const struct tap *tap = netdev_priv(dev);
	size_t need = INJ_ALIGN(sizeof(struct inj_frame)) +
		      INJ_ALIGN(skb->len);
	struct inj_frame *f;

	if (skb->ip_summed == CHECKSUM_PARTIAL)
		skb_checksum_help(skb);
	spin_lock(&left_lock);
	if (left_len + need <= ROOM) {
		f = (struct inj_frame *)(left + left_len);
		memset(f, 0, need);
		f->len = skb->len;
		f->place = tap->number;
		skb_copy_bits(skb, 0, (u8 *)f + INJ_ALIGN(sizeof(*f)),
			      skb->len);
		left_len += need;
	}
	spin_unlock(&left_lock);
	dev_kfree_skb_any(skb);
	return NETDEV_TX_OK;
}

static int tap_change_carrier(struct net_device *dev, bool on)
{
	if (on)
		netif_carrier_on(dev);
	else
		netif_carrier_off(dev);
	return 0;
}

static void tap_uninit(struct net_device *dev)
{
	const struct tap *tap = netdev_priv(dev);

	/* Its successor may be there already. */
	cmpxchg((struct net_device __force **)&taps[tap->number], dev, NULL);
}

static const struct net_device_ops tap_ops = {
	.ndo_uninit		= tap_uninit,
	.ndo_start_xmit		= tap_xmit,
	.ndo_validate_addr	= eth_validate_addr,
	.ndo_set_mac_address	= eth_mac_addr,
	.ndo_change_carrier	= tap_change_carrier,
};

/* Asking has a change of the carrier take effect at once. */
static const struct ethtool_ops tap_ethtool_ops = {
	.get_link	= ethtool_op_get_link,
};

static void tap_setup(struct net_device *dev)
{
	ether_setup(dev);
	dev->netdev_ops = &tap_ops;
	dev->ethtool_ops = &tap_ethtool_ops;
	dev->needs_free_netdev = true;
	dev->priv_flags |= IFF_NO_QUEUE | IFF_LIVE_ADDR_CHANGE;
	dev->lltx = true;
	dev->min_mtu = 0;
	dev->max_mtu = 0;
}

static int tap_newlink(struct net_device *dev,
		       struct rtnl_newlink_params *params,
		       struct netlink_ext_ack *extack)
{
	struct tap *tap = netdev_priv(dev);
	int err;

	if (!params->data || !params->data[INJ_LINK_PORT])
		return -EINVAL;
	tap->number = nla_get_u32(params->data[INJ_LINK_PORT]);
	if (tap->number >= INJ_PORTS)
		return -ERANGE;
	err = register_netdevice(dev);
	if (!err)
		rcu_assign_pointer(taps[tap->number], dev);
	return err;
}

static const struct nla_policy tap_policy[INJ_LINK_MAX + 1] = {
	[INJ_LINK_PORT] = { .type = NLA_U32 },
};

static struct rtnl_link_ops tap_link_ops = {
	.kind		= INJ_LINK,
	.priv_size	= sizeof(struct tap),
	.setup		= tap_setup,
	.newlink	= tap_newlink,
	.maxtype	= INJ_LINK_MAX,
	.policy		= tap_policy,
};

/* A port that is not there or down takes nothing. */
static void receive(struct sk_buff *skb, u32 number)
{
	struct net_device *dev;

	local_bh_disable();
	rcu_read_lock();
	dev = number < INJ_PORTS ? rcu_dereference(taps[number]) : NULL;
	if (dev && netif_running(dev)) {
		skb->dev = dev;
		skb->protocol = eth_type_trans(skb, dev);
		skb_reset_network_header(skb);
		netif_receive_skb(skb);
	} else {
		kfree_skb(skb);
	}
	rcu_read_unlock();
	local_bh_enable();
}

static int send_one(const struct inj_send *send, const void __user *frame)
{
	struct sk_buff *skb;

	if (send->len < ETH_HLEN || send->len > MAX_SEND)
		return -EINVAL;
	skb = alloc_skb(HEADROOM + send->len + 16, GFP_KERNEL);
	if (!skb)
		return -ENOMEM;
	skb_reserve(skb, HEADROOM);
	if (copy_from_user(skb_put(skb, send->len), frame, send->len)) {
		kfree_skb(skb);
		return -EFAULT;
	}
	receive(skb, send->port);
	return 0;
}

static int send_all(struct inj_batch *batch)
{
	const u8 __user *in = u64_to_user_ptr(batch->in);
	const u32 head = INJ_ALIGN(sizeof(struct inj_send));
	struct inj_send send;
	size_t at = 0;
	int err;

	for (batch->done = 0; at + head <= batch->in_len; batch->done++) {
		if (copy_from_user(&send, in + at, sizeof(send)))
			return -EFAULT;
		if (send.len > batch->in_len - at - head)
			return -EINVAL;
		err = send_one(&send, in + at + head);
		if (err)
			return err;
		at += head + INJ_ALIGN(send.len);
	}
	return 0;
}

static int fetch(struct inj_batch *batch)
{
	int err = 0;

	mutex_lock(&fetch_lock);
	spin_lock_bh(&left_lock);
	swap(left, spare);
	batch->used = left_len;
	left_len = 0;
	spin_unlock_bh(&left_lock);
	if (batch->used > batch->out_len)
		err = -ENOSPC;
	else if (copy_to_user(u64_to_user_ptr(batch->out), spare, batch->used))
		err = -EFAULT;
	mutex_unlock(&fetch_lock);
	return err;
}

/* Without room to fetch to nothing is fetched. */
long ports_send(struct inj_batch __user *arg)
{
	struct inj_batch batch;
	int err;

	if (copy_from_user(&batch, arg, sizeof(batch)))
		return -EFAULT;
	err = send_all(&batch);
	if (!err && batch.out_len)
		err = fetch(&batch);
	if (!err && copy_to_user(arg, &batch, sizeof(batch)))
		err = -EFAULT;
	return err;
}

int ports_init(void)
{
	int err = -ENOMEM;

	left = vmalloc(ROOM);
	spare = vmalloc(ROOM);
	if (left && spare)
		err = rtnl_link_register(&tap_link_ops);
	if (err) {
		vfree(left);
		vfree(spare);
	}
	return err;
}

void ports_exit(void)
{
	rtnl_link_unregister(&tap_link_ops);
	vfree(left);
	vfree(spare);
}
