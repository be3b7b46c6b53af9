// SPDX-License-Identifier: GPL-2.0-only
/*
 * world.c - devices that record what is sent through them, and a route type
 * that shows a packet as the behaviour under test has left it
 */
#include <linux/etherdevice.h>
#include <linux/icmpv6.h>
#include <linux/if_arp.h>
#include <linux/rtnetlink.h>
#include <net/arp.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include <net/lwtunnel.h>
#include <net/ndisc.h>

#include "world.h"

struct port {
	u16	world;
	u16	place;
};

static struct net_device *devs[INJ_WORLDS][INJ_DEVS];
static unsigned int worlds;

struct capture *capturing;

static const char * const names[INJ_DEVS] = {
	[INJ_NA] = "na", [INJ_NH] = "nh", [INJ_NN] = "nn",
	[INJ_NB] = "nb", [INJ_ND] = "nd",
};

/* Neighbours that somebody waits for. */
static struct question {
	struct neigh_table *tbl;
	struct net_device *dev;
	u8 addr[16];
} asked[16];
static unsigned int questions;

static void note_question(struct neigh_table *tbl, struct net_device *dev,
			  const struct sk_buff *skb, int off, int len)
{
	struct question *q = &asked[questions];

	if (questions == ARRAY_SIZE(asked) ||
	    skb_copy_bits(skb, off, q->addr, len))
		return;
	q->tbl = tbl;
	q->dev = dev;
	questions++;
}

static void put_frame(const struct sk_buff *skb, struct inj_frame *f)
{
	struct capture *c = capturing;
	size_t need = INJ_ALIGN(sizeof(*f)) + INJ_ALIGN(skb->len);

	if (c->used + need > c->size) {
		c->flags |= INJ_OVERFLOW;
		return;
	}
	f->len = skb->len;
	f->gso_size = skb_shinfo(skb)->gso_size;
	if (skb->encapsulation)
		f->flags |= INJ_F_ENCAP;
	memcpy(c->buf + c->used, f, sizeof(*f));
	c->used += INJ_ALIGN(sizeof(*f));
	memset(c->buf + c->used, 0, INJ_ALIGN(skb->len));
	skb_copy_bits(skb, 0, c->buf + c->used, skb->len);
	c->used += INJ_ALIGN(skb->len);
	c->frames++;
}

/* What a node says when it likes, or may say once a second only. */
static u16 chatter(const struct sk_buff *skb, struct net_device *dev)
{
	u8 head[ETH_HLEN + 40 + 8];

	if (!ether_addr_equal(skb->data + ETH_ALEN, dev->dev_addr))
		return 0;
	if (skb->protocol == htons(ETH_P_ARP)) {
		note_question(&arp_tbl, dev, skb, ETH_HLEN + 24, 4);
		return INJ_SOLICITED;
	}
	if (skb_copy_bits(skb, 0, head, sizeof(head)) ||
	    skb->protocol != htons(ETH_P_IPV6))
		return 0;
	if (head[20] != IPPROTO_ICMPV6)
		return 0;
	if (head[54] == NDISC_REDIRECT && head[21] == 255)
		return INJ_REDIRECT;
	if (head[54] == NDISC_NEIGHBOUR_SOLICITATION && head[21] == 255) {
		note_question(&nd_tbl, dev, skb, ETH_HLEN + 40 + 8, 16);
		return INJ_SOLICITED;
	}
	return 0;
}

static netdev_tx_t port_xmit(struct sk_buff *skb, struct net_device *dev)
{
	const struct port *port = netdev_priv(dev);
	struct inj_frame f = { .place = port->place };
	u16 what = chatter(skb, dev);

	if (!capturing || capturing->world != port->world)
		goto out;
	if (what) {
		capturing->flags |= what;
		goto out;
	}
	if (skb->ip_summed == CHECKSUM_PARTIAL) {
		if (skb_is_gso(skb))
			f.flags |= INJ_F_PARTIAL;
		else
			skb_checksum_help(skb);
	}
	put_frame(skb, &f);
out:
	dev_kfree_skb_any(skb);
	return NETDEV_TX_OK;
}

static const struct net_device_ops port_ops = {
	.ndo_start_xmit		= port_xmit,
	.ndo_validate_addr	= eth_validate_addr,
	.ndo_set_mac_address	= eth_mac_addr,
};

static void port_setup(struct net_device *dev)
{
	ether_setup(dev);
	dev->netdev_ops = &port_ops;
	dev->needs_free_netdev = true;
	dev->priv_flags |= IFF_NO_QUEUE;
	dev->lltx = true;
	dev->max_mtu = 0;
}

static struct net_device *port_add(struct net *net, u16 world, u16 place)
{
	struct net_device *dev;
	struct port *port;
	u8 mac[ETH_ALEN] = { 2, 0, 0, 0, 0x0a, 2 };

	dev = alloc_netdev(sizeof(*port), names[place], NET_NAME_USER,
			   port_setup);
	if (!dev)
		return NULL;
	port = netdev_priv(dev);
	port->world = world;
	port->place = place;
	dev_net_set(dev, net);
	/* One egress segments in software, the other in "hardware". */
	dev->features = NETIF_F_SG;
	if (place == INJ_ND)
		dev->features |= NETIF_F_HW_CSUM | NETIF_F_TSO | NETIF_F_TSO6;
	dev->hw_features = dev->features;
	dev->hw_enc_features = dev->features;
	mac[4] += place;
	eth_hw_addr_set(dev, mac);
	if (register_netdevice(dev)) {
		free_netdev(dev);
		return NULL;
	}
	return dev;
}

int world_add(struct net *net)
{
	int i;

	if (worlds == INJ_WORLDS)
		return -ENOSPC;
	rtnl_lock();
	for (i = 0; i < INJ_DEVS; i++) {
		devs[worlds][i] = port_add(net, worlds, i);
		if (!devs[worlds][i])
			break;
	}
	rtnl_unlock();
	return i == INJ_DEVS ? worlds++ : -EEXIST;
}

void worlds_remove(void)
{
	int w, i;

	rtnl_lock();
	for (w = 0; w < INJ_WORLDS; w++) {
		for (i = 0; i < INJ_DEVS; i++) {
			if (devs[w][i])
				unregister_netdevice(devs[w][i]);
			devs[w][i] = NULL;
		}
	}
	worlds = 0;
	rtnl_unlock();
}

/*
 * Give up on neighbours that were asked for: packets that wait for them keep
 * hold of the socket that ICMP errors are sent from, until none can be sent.
 */
void world_forget(void)
{
	struct neighbour *n;

	local_bh_disable();
	while (questions) {
		struct question q = asked[--questions];

		n = neigh_lookup(q.tbl, q.addr, q.dev);
		if (!n)
			continue;
		neigh_update(n, NULL, NUD_FAILED,
			     NEIGH_UPDATE_F_OVERRIDE | NEIGH_UPDATE_F_ADMIN, 0);
		neigh_release(n);
	}
	local_bh_enable();
}

struct net_device *world_dev(unsigned int world, unsigned int dev)
{
	if (world >= worlds || dev >= INJ_DEVS)
		return NULL;
	return devs[world][dev];
}

static void probe_csum(const struct sk_buff *skb, struct inj_frame *f)
{
	__wsum sum;

	if (skb->ip_summed != CHECKSUM_COMPLETE)
		return;
	f->flags |= INJ_F_COMPLETE;
	sum = skb_checksum(skb, 0, skb->len, 0);
	/* The two zeroes of one's complement are the same sum. */
	if ((csum_fold(sum) & 0xffff) != (csum_fold(skb->csum) & 0xffff) &&
	    csum_fold(csum_sub(sum, skb->csum)) != (__force __sum16)0xffff &&
	    csum_fold(csum_sub(sum, skb->csum)) != 0)
		f->flags |= INJ_F_CSUM_BAD;
}

static int probe_input(struct sk_buff *skb)
{
	struct inj_frame f = { .place = INJ_PROBE };

	if (!capturing)
		goto out;
	probe_csum(skb, &f);
	f.transport = skb_transport_offset(skb) - skb_network_offset(skb);
	if (skb->hash)
		f.flags |= INJ_F_HASH;
	if (!skb_dst_is_noref(skb))
		f.flags |= INJ_F_OWNED;
	if (skb->ip_summed == CHECKSUM_PARTIAL)
		f.flags |= INJ_F_PARTIAL;
	if (skb->protocol == htons(ETH_P_IP)) {
		f.flags |= INJ_F_IPV4;
		f.iif = IPCB(skb)->iif;
		f.cbflags = IPCB(skb)->flags;
	} else {
		f.iif = IP6CB(skb)->iif;
		f.srcrt = IP6CB(skb)->srcrt;
		f.nhoff = IP6CB(skb)->nhoff;
		f.cbflags = IP6CB(skb)->flags;
	}
	put_frame(skb, &f);
out:
	kfree_skb(skb);
	return 0;
}

static int probe_build(struct net *net, struct nlattr *encap,
		       unsigned int family, const void *cfg,
		       struct lwtunnel_state **ts,
		       struct netlink_ext_ack *extack)
{
	struct lwtunnel_state *state = lwtunnel_state_alloc(0);

	if (!state)
		return -ENOMEM;
	state->type = INJ_PROBE_SLOT;
	state->flags |= LWTUNNEL_STATE_INPUT_REDIRECT;
	*ts = state;
	return 0;
}

static int probe_fill(struct sk_buff *skb, struct lwtunnel_state *state)
{
	return 0;
}

static int probe_size(struct lwtunnel_state *state)
{
	return 0;
}

static int probe_cmp(struct lwtunnel_state *a, struct lwtunnel_state *b)
{
	return 0;
}

static const struct lwtunnel_encap_ops probe_ops = {
	.build_state	= probe_build,
	.input		= probe_input,
	.fill_encap	= probe_fill,
	.get_encap_size	= probe_size,
	.cmp_encap	= probe_cmp,
	.owner		= THIS_MODULE,
};

int probe_init(void)
{
	return lwtunnel_encap_add_ops(&probe_ops, INJ_PROBE_SLOT);
}

void probe_exit(void)
{
	lwtunnel_encap_del_ops(&probe_ops, INJ_PROBE_SLOT);
}
