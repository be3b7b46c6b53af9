// SPDX-License-Identifier: GPL-2.0-only
/*
 * decap.c - behaviours that remove the outer IPv6 header: End.DX* and End.DT*
 * (RFC 8986 sections 4.4 to 4.9)
 *
 * The inner header is judged before anything is removed: what comes out of a
 * tunnel has not been through the checks of the normal receive path.
 */
#include <linux/etherdevice.h>
#include <linux/if_arp.h>
#include <linux/if_vlan.h>
#include <linux/netfilter.h>
#include <linux/netfilter_ipv4.h>
#include <linux/netfilter_ipv6.h>
#include <net/ip.h>
#include <net/ip_tunnels.h>
#include <net/ipv6.h>

#include "seg6nr.h"

/*
 * Make the inner header at @off the network header, its payload of @hlen octets
 * later the transport header, and forget what was known of the outer packet.
 * @total: length of the inner packet; what lies behind it is padding.  A GSO
 * packet is many on the wire, its length field speaks for none of them.
 */
static __always_inline enum seg6nr_verdict
remove_outer(struct seg6nr_pkt *pkt, unsigned int off, unsigned int hlen,
	     unsigned int total)
{
	struct sk_buff *skb = pkt->skb;
	int err = 0;

	if (iptunnel_pull_offloads(skb))
		return SEG6NR_DROP_NOMEM;

	if (unlikely(seg6nr_has_csum(skb)))
		skb_pull_rcsum(skb, off);
	else
		__skb_pull(skb, off);
	if (skb->len != total && !skb_is_gso(skb))
		err = pskb_trim_rcsum(skb, total);
	if (err)
		return err == -ENOMEM ? SEG6NR_DROP_NOMEM :
					SEG6NR_DROP_INNER_HDR;

	skb_reset_network_header(skb);
	skb_set_transport_header(skb, hlen);
	nf_reset_ct(skb);
	/* One tunnel carries many flows; its own hash would merge them. */
	skb_clear_hash(skb);
	return SEG6NR_FORWARD;
}

/* The control block as the receive path of an IPv6 packet leaves it. */
static void reset_cb_ipv6(struct sk_buff *skb)
{
	int iif = IP6CB(skb)->iif;
	u16 flags = IP6CB(skb)->flags & IP6SKB_L3SLAVE;

	memset(IP6CB(skb), 0, sizeof(*IP6CB(skb)));
	IP6CB(skb)->iif = iif;
	IP6CB(skb)->flags = flags;
	IP6CB(skb)->nhoff = offsetof(struct ipv6hdr, nexthdr);
}

/* From the outer IPv6 control block to one of an IPv4 packet. */
static void reset_cb_ipv4(struct sk_buff *skb)
{
	bool slave = ipv6_l3mdev_skb(IP6CB(skb)->flags);
	int iif = IP6CB(skb)->iif;

	memset(IPCB(skb), 0, sizeof(*IPCB(skb)));
	IPCB(skb)->iif = iif;
	if (slave)
		IPCB(skb)->flags = IPSKB_L3SLAVE;
}

/*
 * RFC 8200 section 3; a jumbogram has its length where we do not look.  The
 * receive path would not let such sources in either.
 */
static __always_inline bool
ipv6_hdr_is_sane(const struct sk_buff *skb, unsigned int off,
		 unsigned int *total)
{
	const struct ipv6hdr *hdr = (struct ipv6hdr *)(skb->data + off);
	unsigned int len = ntohs(hdr->payload_len);

	*total = sizeof(*hdr) + len;
	if (hdr->version != 6 || ipv6_addr_loopback(&hdr->saddr) ||
	    ipv6_addr_is_multicast(&hdr->saddr))
		return false;
	if (skb_is_gso(skb))
		return true;
	if (!len && hdr->nexthdr == NEXTHDR_HOP)
		return false;

	return *total <= skb->len - off;
}

static __always_inline enum seg6nr_verdict
decap_ipv6(struct seg6nr_pkt *pkt, unsigned int off)
{
	struct sk_buff *skb = pkt->skb;
	enum seg6nr_verdict verdict;
	unsigned int total;

	if (!pskb_may_pull(skb, off + sizeof(struct ipv6hdr)) ||
	    !ipv6_hdr_is_sane(skb, off, &total))
		return SEG6NR_DROP_INNER_HDR;

	verdict = remove_outer(pkt, off, sizeof(struct ipv6hdr), total);
	if (verdict != SEG6NR_FORWARD)
		return verdict;

	skb->protocol = htons(ETH_P_IPV6);
	reset_cb_ipv6(skb);
	return SEG6NR_FORWARD;
}

/* RFC 1122 section 3.2.1; leaves the header linear. */
static __always_inline bool
ipv4_hdr_is_sane(struct sk_buff *skb, unsigned int off, unsigned int *hlen,
		 unsigned int *total)
{
	const struct iphdr *hdr;

	if (!pskb_may_pull(skb, off + sizeof(*hdr)))
		return false;
	hdr = (struct iphdr *)(skb->data + off);
	*hlen = hdr->ihl << 2;
	*total = ntohs(hdr->tot_len);
	if (hdr->version != 4 || *hlen < sizeof(*hdr) ||
	    !pskb_may_pull(skb, off + *hlen))
		return false;

	hdr = (struct iphdr *)(skb->data + off);
	if (ip_fast_csum((u8 *)hdr, hdr->ihl))
		return false;
	if (skb_is_gso(skb))
		return true;

	return *total >= *hlen && *total <= skb->len - off;
}

static __always_inline enum seg6nr_verdict
decap_ipv4(struct seg6nr_pkt *pkt, unsigned int off)
{
	struct sk_buff *skb = pkt->skb;
	enum seg6nr_verdict verdict;
	unsigned int hlen, total;

	if (!ipv4_hdr_is_sane(skb, off, &hlen, &total))
		return SEG6NR_DROP_INNER_HDR;

	verdict = remove_outer(pkt, off, hlen, total);
	if (verdict != SEG6NR_FORWARD)
		return verdict;

	skb->protocol = htons(ETH_P_IP);
	reset_cb_ipv4(skb);
	return SEG6NR_FORWARD;
}

static __always_inline enum seg6nr_verdict
decap_at(struct seg6nr_pkt *pkt, u8 inner, unsigned int off, u8 only)
{
	if (only && inner != only)
		return SEG6NR_DROP_INNER_TYPE;
	if (inner == IPPROTO_IPV6)
		return decap_ipv6(pkt, off);
	if (inner == IPPROTO_IPIP)
		return decap_ipv4(pkt, off);

	return SEG6NR_DROP_INNER_TYPE;
}

/* decap() by way of all headers. */
static noinline enum seg6nr_verdict decap_anywhere(struct seg6nr_pkt *pkt,
						   u8 only)
{
	enum seg6nr_verdict verdict;
	unsigned int off;
	u8 inner;

	verdict = seg6nr_decap_find(pkt, &inner, &off);
	if (verdict != SEG6NR_FORWARD)
		return verdict;

	return decap_at(pkt, inner, off, only);
}

/*
 * Where the payload is behind a linear SRH that is used up and needs no HMAC;
 * 0 if that is not what follows the IPv6 header.
 */
static __always_inline unsigned int behind_srh(const struct sk_buff *skb,
					       const struct ipv6_sr_hdr *srh)
{
	unsigned int off = sizeof(struct ipv6hdr) + sizeof(*srh);
	const struct inet6_dev *idev = __in6_dev_get(skb->dev);

	if (skb_headlen(skb) < off || srh->type != IPV6_SRCRT_TYPE_4 ||
	    srh->segments_left || srh->flags & SR6_FLAG1_HMAC ||
	    !idev || seg6nr_require_hmac(idev) > 0)
		return 0;

	off += srh->hdrlen << 3;
	return off <= skb_headlen(skb) ? off : 0;
}

/* Remove the outer header of an IP packet; @only: of this kind, 0 for both. */
static __always_inline enum seg6nr_verdict decap(struct seg6nr_pkt *pkt,
						 u8 only)
{
	const struct ipv6hdr *hdr = (struct ipv6hdr *)pkt->skb->data;
	const struct ipv6_sr_hdr *srh = (struct ipv6_sr_hdr *)(hdr + 1);
	unsigned int off = sizeof(*hdr);
	u8 inner = hdr->nexthdr;

	if (inner == NEXTHDR_ROUTING) {
		off = behind_srh(pkt->skb, srh);
		inner = off ? srh->nexthdr : NEXTHDR_ROUTING;
	}
	if (likely(inner == IPPROTO_IPV6 || inner == IPPROTO_IPIP))
		return decap_at(pkt, inner, off, only);

	return decap_anywhere(pkt, only);
}

/**
 * seg6nr_decap_l3() - remove the outer header of an IP packet (USD)
 * @pkt: the packet, its IPv6 header at skb->data
 *
 * RFC 8986 4.16.3.
 *
 * Context: BH off, RCU read section.  The skb stays the caller's.
 *
 * Return: SEG6NR_FORWARD with the inner header at skb->data and skb->protocol
 * telling which it is, or why not.
 */
enum seg6nr_verdict seg6nr_decap_l3(struct seg6nr_pkt *pkt)
{
	return decap(pkt, 0);
}

/*
 * The inner packet's way through PRE_ROUTING.  It may be queued there and come
 * back later on another CPU, and NAT may drop its dst; hence nothing but the
 * skb is passed, and each continuation below says what it needs of the dst.
 */
static enum seg6nr_verdict prerouting(struct seg6nr_pkt *pkt, u8 family,
				      int (*okfn)(struct net *, struct sock *,
						  struct sk_buff *))
{
	struct sk_buff *skb = pkt->skb;

	/* The hooks may have been off yet when the packet came in. */
	seg6nr_pin_module();
	pkt->rc = NF_HOOK(family, NF_INET_PRE_ROUTING, pkt->net, NULL, skb,
			  skb->dev, NULL, okfn);
	pkt->skb = NULL;
	return SEG6NR_CONSUMED;
}

static enum seg6nr_verdict route_by_nh6(struct seg6nr_pkt *pkt)
{
	return seg6nr_nexthop_known(pkt, &pkt->slwt->nh6);
}

static enum seg6nr_verdict route_by_ipv6_daddr(struct seg6nr_pkt *pkt)
{
	return seg6nr_nexthop(pkt, &ipv6_hdr(pkt->skb)->daddr, 0);
}

static enum seg6nr_verdict route_by_nh4(struct seg6nr_pkt *pkt)
{
	return seg6nr_nexthop_known_ipv4(pkt, pkt->slwt->nh4.s_addr);
}

static enum seg6nr_verdict route_by_ipv4_daddr(struct seg6nr_pkt *pkt)
{
	return seg6nr_nexthop_ipv4(pkt);
}

/* What such a SID remembers is what a lookup of the destination finds. */
static bool routes_by_daddr(const struct seg6nr_lwt *slwt)
{
	return slwt->action == SEG6NR_ACT_END_DX6 &&
	       ipv6_addr_any(&slwt->nh6);
}

/*
 * Continue behind PRE_ROUTING.  A configured next hop is in the state of a SID
 * with that @action, which is out of reach once the dst is gone or another's;
 * the inner destination, no @action, never is.
 */
static int continue_with(struct net *net, struct sk_buff *skb, u32 action,
			 enum seg6nr_verdict (*route)(struct seg6nr_pkt *))
{
	struct seg6nr_pkt pkt;
	int rc;

	rcu_read_lock();
	seg6nr_pkt_init(&pkt, net, skb);
	if (!action && pkt.slwt && !routes_by_daddr(pkt.slwt))
		pkt.slwt = NULL;
	if (action && (!pkt.slwt || pkt.slwt->action != action))
		rc = seg6nr_finish(&pkt, SEG6NR_DROP_NO_STATE);
	else
		rc = seg6nr_finish(&pkt, route(&pkt));
	rcu_read_unlock();
	return rc;
}

static int continue_by_nh6(struct net *net, struct sock *sk,
			   struct sk_buff *skb)
{
	return continue_with(net, skb, SEG6NR_ACT_END_DX6, route_by_nh6);
}

static int continue_by_ipv6_daddr(struct net *net, struct sock *sk,
				  struct sk_buff *skb)
{
	return continue_with(net, skb, 0, route_by_ipv6_daddr);
}

static int continue_by_nh4(struct net *net, struct sock *sk,
			   struct sk_buff *skb)
{
	return continue_with(net, skb, SEG6NR_ACT_END_DX4, route_by_nh4);
}

static int continue_by_ipv4_daddr(struct net *net, struct sock *sk,
				  struct sk_buff *skb)
{
	return continue_with(net, skb, 0, route_by_ipv4_daddr);
}

/**
 * seg6nr_end_dx6() - End.DX6: decapsulate towards an IPv6 adjacency
 * @pkt: the packet, its IPv6 header at skb->data
 *
 * RFC 8986 4.4.  A next hop of :: stands for the inner destination.
 *
 * Context: BH off, RCU read section.  The skb stays the caller's unless the
 * verdict is SEG6NR_CONSUMED.
 *
 * Return: SEG6NR_FORWARD with a dst attached, or why not.
 */
enum seg6nr_verdict seg6nr_end_dx6(struct seg6nr_pkt *pkt)
{
	bool by_daddr = ipv6_addr_any(&pkt->slwt->nh6);
	enum seg6nr_verdict verdict;

	verdict = decap(pkt, IPPROTO_IPV6);
	if (verdict != SEG6NR_FORWARD)
		return verdict;

	if (seg6nr_nf_hooks_enabled())
		return prerouting(pkt, NFPROTO_IPV6,
				  by_daddr ? continue_by_ipv6_daddr :
					     continue_by_nh6);

	return by_daddr ? route_by_ipv6_daddr(pkt) : route_by_nh6(pkt);
}

/**
 * seg6nr_end_dx4() - End.DX4: decapsulate towards an IPv4 adjacency
 * @pkt: the packet, its IPv6 header at skb->data
 *
 * RFC 8986 4.5.  A next hop of 0.0.0.0 stands for the inner destination.
 *
 * Context: BH off, RCU read section.  The skb stays the caller's unless the
 * verdict is SEG6NR_CONSUMED.
 *
 * Return: SEG6NR_FORWARD with a dst attached, or why not.
 */
enum seg6nr_verdict seg6nr_end_dx4(struct seg6nr_pkt *pkt)
{
	bool by_daddr = !pkt->slwt->nh4.s_addr;
	enum seg6nr_verdict verdict;

	verdict = decap(pkt, IPPROTO_IPIP);
	if (verdict != SEG6NR_FORWARD)
		return verdict;

	if (seg6nr_nf_hooks_enabled())
		return prerouting(pkt, NFPROTO_IPV4,
				  by_daddr ? continue_by_ipv4_daddr :
					     continue_by_nh4);

	return by_daddr ? route_by_ipv4_daddr(pkt) : route_by_nh4(pkt);
}

static enum seg6nr_verdict decap_to_vrf(struct seg6nr_pkt *pkt, u8 only)
{
	struct net_device *vrf = seg6nr_vrf_noref(pkt, pkt->slwt->vrftable);
	enum seg6nr_verdict verdict;

	if (!vrf)
		return SEG6NR_DROP_VRF;

	verdict = decap(pkt, only);
	if (verdict != SEG6NR_FORWARD)
		return verdict;

	return seg6nr_route_in_vrf(pkt, vrf);
}

/**
 * seg6nr_end_dt6() - End.DT6: decapsulate and look up in a table
 * @pkt: the packet, its IPv6 header at skb->data
 *
 * RFC 8986 4.6.  Local delivery is possible: table 255 is this node.
 *
 * Context: BH off, RCU read section.  The skb stays the caller's unless the
 * verdict is SEG6NR_CONSUMED.
 *
 * Return: SEG6NR_FORWARD with a dst attached, or why not.
 */
enum seg6nr_verdict seg6nr_end_dt6(struct seg6nr_pkt *pkt)
{
	enum seg6nr_verdict verdict;

	if (seg6nr_has(pkt->slwt, SEG6NR_A_VRFTABLE))
		return decap_to_vrf(pkt, IPPROTO_IPV6);

	verdict = decap(pkt, IPPROTO_IPV6);
	if (verdict != SEG6NR_FORWARD)
		return verdict;

	return seg6nr_nexthop_table(pkt, pkt->slwt->table, SEG6NR_NH_LOCAL);
}

/**
 * seg6nr_end_dt4() - End.DT4: decapsulate IPv4 into a VRF (RFC 8986 4.7)
 * @pkt: the packet, its IPv6 header at skb->data
 *
 * Context: BH off, RCU read section.  The skb stays the caller's unless the
 * verdict is SEG6NR_CONSUMED.
 *
 * Return: SEG6NR_FORWARD with a dst attached, or why not.
 */
enum seg6nr_verdict seg6nr_end_dt4(struct seg6nr_pkt *pkt)
{
	return decap_to_vrf(pkt, IPPROTO_IPIP);
}

/**
 * seg6nr_end_dt46() - End.DT46: decapsulate IP into a VRF (RFC 8986 4.8)
 * @pkt: the packet, its IPv6 header at skb->data
 *
 * Context: BH off, RCU read section.  The skb stays the caller's unless the
 * verdict is SEG6NR_CONSUMED.
 *
 * Return: SEG6NR_FORWARD with a dst attached, or why not.
 */
enum seg6nr_verdict seg6nr_end_dt46(struct seg6nr_pkt *pkt)
{
	return decap_to_vrf(pkt, 0);
}

/* As a bridge port takes it: a VLAN tag is not part of the MTU. */
static bool fits(const struct sk_buff *skb, const struct net_device *dev)
{
	return skb_is_gso(skb) ||
	       skb->len <= READ_ONCE(dev->mtu) + ETH_HLEN + VLAN_HLEN;
}

/* The device End.DX2 sends through, ready to send. */
static struct net_device *dx2_device(const struct seg6nr_pkt *pkt)
{
	struct net_device *dev;

	dev = dev_get_by_index_rcu(pkt->net, pkt->slwt->oif);
	if (!dev || dev->type != ARPHRD_ETHER || !(dev->flags & IFF_UP) ||
	    !netif_carrier_ok(dev))
		return NULL;
	return dev;
}

/* Make the skb what a driver would have received, minus its history. */
static void reset_to_frame(struct sk_buff *skb, struct net_device *dev)
{
	u16 type = ntohs(eth_hdr(skb)->h_proto);

	skb->protocol = type >= ETH_P_802_3_MIN ? htons(type) :
						  htons(ETH_P_802_2);
	skb_set_network_header(skb, ETH_HLEN);
	if (skb->ip_summed == CHECKSUM_PARTIAL)
		skb_set_transport_header(skb, skb_checksum_start_offset(skb));
	else
		skb_set_transport_header(skb, ETH_HLEN);
	skb_reset_mac_len(skb);
	if (skb->ip_summed == CHECKSUM_COMPLETE)
		skb->ip_summed = CHECKSUM_NONE;

	seg6nr_nexthop_detach(skb);
	nf_reset_ct(skb);
	skb_orphan(skb);
	skb_clear_hash(skb);
	/* A qdisc would take the time of reception for one of departure. */
	skb_clear_tstamp(skb);
	skb->dev = dev;
}

/**
 * seg6nr_end_dx2() - End.DX2: decapsulate a frame and send it (RFC 8986 4.9)
 * @pkt: the packet, its IPv6 header at skb->data
 *
 * Context: BH off, RCU read section.  The skb stays the caller's unless the
 * verdict is SEG6NR_CONSUMED.
 *
 * Return: SEG6NR_CONSUMED with what the device's queue said, or why not.
 */
enum seg6nr_verdict seg6nr_end_dx2(struct seg6nr_pkt *pkt)
{
	struct net_device *dev = dx2_device(pkt);
	struct sk_buff *skb = pkt->skb;
	enum seg6nr_verdict verdict;
	unsigned int off;
	u8 inner;

	verdict = seg6nr_decap_find(pkt, &inner, &off);
	if (verdict != SEG6NR_FORWARD)
		return verdict;
	if (inner != IPPROTO_ETHERNET)
		return SEG6NR_DROP_INNER_TYPE;
	if (!pskb_may_pull(skb, off + ETH_HLEN))
		return SEG6NR_DROP_INNER_HDR;
	if (!dev)
		return SEG6NR_DROP_DEV;
	if (iptunnel_pull_offloads(skb))
		return SEG6NR_DROP_NOMEM;

	skb_pull_rcsum(skb, off);
	skb_reset_mac_header(skb);
	if (!fits(skb, dev))
		return SEG6NR_DROP_TOO_BIG;

	reset_to_frame(skb, dev);
	pkt->skb = NULL;
	pkt->rc = dev_queue_xmit(skb);
	return SEG6NR_CONSUMED;
}
