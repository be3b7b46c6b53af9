// SPDX-License-Identifier: GPL-2.0-only
/*
 * packet.c - SRv6 frames, and the two ways in which they enter the kernel
 */
#include <linux/etherdevice.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/seg6.h>
#include <linux/udp.h>
#include <net/dst.h>
#include <net/ip6_fib.h>
#include <net/ip6_route.h>
#include <net/ipv6.h>

#include "env.h"
#include "packet.h"
#include "watch.h"

#define HOP_LIMIT	64
#define PAYLOAD_LEN	24

/* Room in front for whatever a device adds. */
#define HEADROOM	128

static void *append(struct seg6nr_frame *frame, unsigned int len)
{
	void *where = frame->data + frame->len;

	frame->len += len;
	return memset(where, 0, len);
}

static void put_ipv6(struct seg6nr_frame *frame, u8 nexthdr,
		     const struct in6_addr *saddr, const struct in6_addr *daddr)
{
	struct ipv6hdr *hdr = append(frame, sizeof(*hdr));

	hdr->version = 6;
	hdr->nexthdr = nexthdr;
	hdr->hop_limit = HOP_LIMIT;
	hdr->saddr = *saddr;
	hdr->daddr = *daddr;
}

static void put_srh(struct seg6nr_frame *frame, u8 nexthdr, u8 left,
		    const struct in6_addr *segments, u8 count)
{
	struct ipv6_sr_hdr *srh = append(frame, sizeof(*srh));

	srh->nexthdr = nexthdr;
	srh->hdrlen = 2 * count;
	srh->type = IPV6_SRCRT_TYPE_4;
	srh->segments_left = left;
	srh->first_segment = count - 1;
	memcpy(append(frame, count * sizeof(*segments)), segments,
	       count * sizeof(*segments));
}

static void put_udp(struct seg6nr_frame *frame)
{
	struct udphdr *udp = append(frame, sizeof(*udp));
	u8 *payload = append(frame, PAYLOAD_LEN);
	unsigned int i;

	udp->source = htons(4000);
	udp->dest = htons(4001);
	udp->len = htons(sizeof(*udp) + PAYLOAD_LEN);
	for (i = 0; i < PAYLOAD_LEN; i++)
		payload[i] = 'A' + i;
}

static void start_to(struct seg6nr_frame *frame, u8 nexthdr,
		     const struct in6_addr *daddr)
{
	frame->len = 0;
	put_ipv6(frame, nexthdr, &seg6nr_addr_peer, daddr);
}

static void start(struct seg6nr_frame *frame)
{
	start_to(frame, IPPROTO_ROUTING, &seg6nr_addr_sid);
}

static void finish(struct seg6nr_frame *frame)
{
	struct ipv6hdr *outer = (void *)frame->data;

	outer->payload_len = htons(frame->len - sizeof(*outer));
}

/**
 * seg6nr_frame_steered() - a UDP packet with one more segment to visit
 * @frame: made anew
 * @next: that segment
 */
void seg6nr_frame_steered(struct seg6nr_frame *frame,
			  const struct in6_addr *next)
{
	struct in6_addr segments[] = { *next, seg6nr_addr_sid };

	start(frame);
	put_srh(frame, IPPROTO_UDP, 1, segments, ARRAY_SIZE(segments));
	put_udp(frame);
	finish(frame);
}

/**
 * seg6nr_frame_far() - a UDP packet with two more segments to visit
 * @frame: made anew
 * @next: the first of them
 */
void seg6nr_frame_far(struct seg6nr_frame *frame, const struct in6_addr *next)
{
	struct in6_addr segments[] = {
		seg6nr_addr_nowhere, *next, seg6nr_addr_sid
	};

	start(frame);
	put_srh(frame, IPPROTO_UDP, 2, segments, ARRAY_SIZE(segments));
	put_udp(frame);
	finish(frame);
}

/* Octets of the block and of the shortest C-SID. */
#define BLOCK	4
#define CSID	2

/**
 * seg6nr_frame_next_csid() - a UDP packet with one more NEXT-CSID to visit
 * @frame: made anew
 * @next: of the block of seg6nr_addr_csid, the 16 bits behind it count
 */
void seg6nr_frame_next_csid(struct seg6nr_frame *frame,
			    const struct in6_addr *next)
{
	struct in6_addr daddr = seg6nr_addr_csid;

	memcpy(daddr.s6_addr + BLOCK + CSID, next->s6_addr + BLOCK, CSID);
	start_to(frame, IPPROTO_UDP, &daddr);
	put_udp(frame);
	finish(frame);
}

/**
 * seg6nr_frame_replace_csid() - a UDP packet with one more REPLACE-CSID to visit
 * @frame: made anew
 * @next: of the block of seg6nr_addr_csid, the @nflen bits behind it count
 * @nflen: 16 or 32
 */
void seg6nr_frame_replace_csid(struct seg6nr_frame *frame,
			       const struct in6_addr *next, u8 nflen)
{
	unsigned int nf = nflen / 8;
	struct in6_addr container = {};

	memcpy(container.s6_addr + sizeof(container) - nf,
	       next->s6_addr + BLOCK, nf);
	start_to(frame, IPPROTO_ROUTING, &seg6nr_addr_csid);
	put_srh(frame, IPPROTO_UDP, 1, &container, 1);
	put_udp(frame);
	finish(frame);
}

/**
 * seg6nr_frame_list() - a UDP packet with any segment list
 * @frame: made anew
 * @daddr: its destination
 * @segments: the list as it stands in the SRH
 * @count: its length
 * @left: segments left
 */
void seg6nr_frame_list(struct seg6nr_frame *frame, const struct in6_addr *daddr,
		       const struct in6_addr *segments, u8 count, u8 left)
{
	start_to(frame, IPPROTO_ROUTING, daddr);
	put_srh(frame, IPPROTO_UDP, left, segments, count);
	put_udp(frame);
	finish(frame);
}

/**
 * seg6nr_frame_ethernet() - an Ethernet frame in a packet that ends at the SID
 * @frame: made anew
 */
void seg6nr_frame_ethernet(struct seg6nr_frame *frame)
{
	struct ethhdr *eth;

	start(frame);
	put_srh(frame, IPPROTO_ETHERNET, 0, &seg6nr_addr_sid, 1);
	eth = append(frame, sizeof(*eth));
	memset(eth->h_dest, 0x02, ETH_ALEN);
	memset(eth->h_source, 0x06, ETH_ALEN);
	eth->h_proto = htons(ETH_P_802_EX1);
	memset(append(frame, PAYLOAD_LEN), 'E', PAYLOAD_LEN);
	finish(frame);
}

/**
 * seg6nr_frame_loop() - a UDP packet that visits the SID again and again
 * @frame: made anew
 * @visits: how often, at most SEG6NR_VISITS_MAX
 */
void seg6nr_frame_loop(struct seg6nr_frame *frame, unsigned int visits)
{
	struct in6_addr segments[SEG6NR_VISITS_MAX];
	unsigned int i;

	for (i = 0; i < visits; i++)
		segments[i] = seg6nr_addr_sid;

	start(frame);
	put_srh(frame, IPPROTO_UDP, visits - 1, segments, visits);
	put_udp(frame);
	finish(frame);
}

/**
 * seg6nr_frame_inner6() - UDP over IPv6 in a packet that ends at the SID
 * @frame: made anew
 * @daddr: the inner packet's destination
 */
void seg6nr_frame_inner6(struct seg6nr_frame *frame,
			 const struct in6_addr *daddr)
{
	struct ipv6hdr *inner;

	start(frame);
	put_srh(frame, IPPROTO_IPV6, 0, &seg6nr_addr_sid, 1);
	inner = (void *)frame->data + frame->len;
	put_ipv6(frame, IPPROTO_UDP, &seg6nr_addr_peer, daddr);
	put_udp(frame);
	inner->payload_len = htons(sizeof(struct udphdr) + PAYLOAD_LEN);
	finish(frame);
}

/**
 * seg6nr_frame_inner4() - UDP over IPv4 in a packet that ends at the SID
 * @frame: made anew
 * @daddr: the inner packet's destination
 */
void seg6nr_frame_inner4(struct seg6nr_frame *frame, __be32 daddr)
{
	struct iphdr *inner;

	start(frame);
	put_srh(frame, IPPROTO_IPIP, 0, &seg6nr_addr_sid, 1);
	inner = append(frame, sizeof(*inner));
	inner->version = 4;
	inner->ihl = sizeof(*inner) / 4;
	inner->tot_len = htons(sizeof(*inner) + sizeof(struct udphdr) +
			       PAYLOAD_LEN);
	inner->ttl = HOP_LIMIT;
	inner->protocol = IPPROTO_UDP;
	inner->saddr = seg6nr_addr4_peer;
	inner->daddr = daddr;
	inner->check = ip_fast_csum(inner, inner->ihl);
	put_udp(frame);
	finish(frame);
}

/* What a driver and the receive path have set by the time of dst_input(). */
static void dress(struct sk_buff *skb)
{
	struct net_device *dev = seg6nr_env.in;
	struct ethhdr *eth = skb_push(skb, ETH_HLEN);

	ether_addr_copy(eth->h_dest, dev->dev_addr);
	eth_random_addr(eth->h_source);
	eth->h_proto = htons(ETH_P_IPV6);
	skb_reset_mac_header(skb);
	skb_pull(skb, ETH_HLEN);

	skb->dev = dev;
	skb->skb_iif = dev->ifindex;
	skb->mark = SEG6NR_MARK;
	skb->protocol = htons(ETH_P_IPV6);
	skb->pkt_type = PACKET_HOST;
	skb_reset_network_header(skb);
	skb_reset_mac_len(skb);
	skb_set_transport_header(skb, sizeof(struct ipv6hdr));
	IP6CB(skb)->iif = dev->ifindex;
	IP6CB(skb)->nhoff = offsetof(struct ipv6hdr, nexthdr);
}

static struct sk_buff *make(const struct seg6nr_frame *frame,
			    unsigned int linear)
{
	struct sk_buff *skb = alloc_skb_fclone(HEADROOM + frame->len,
					       GFP_KERNEL);

	if (!skb)
		return NULL;
	skb_reserve(skb, HEADROOM);
	skb_put_data(skb, frame->data, linear);
	dress(skb);
	return skb;
}

/**
 * seg6nr_skb() - make an skb of a frame, as our input device received it
 * @frame: the frame
 *
 * Context: process, may sleep.
 *
 * Return: the skb or NULL.
 */
struct sk_buff *seg6nr_skb(const struct seg6nr_frame *frame)
{
	return make(frame, frame->len);
}

/**
 * seg6nr_skb_paged() - the same with all but the IPv6 header in a page
 * @frame: the frame
 *
 * Context: process, may sleep.
 *
 * Return: the skb or NULL.
 */
struct sk_buff *seg6nr_skb_paged(const struct seg6nr_frame *frame)
{
	unsigned int linear = sizeof(struct ipv6hdr);
	unsigned int rest = frame->len - linear;
	struct sk_buff *skb = make(frame, linear);
	struct page *page;

	if (!skb)
		return NULL;
	page = alloc_page(GFP_KERNEL);
	if (!page) {
		kfree_skb(skb);
		return NULL;
	}
	/* What an earlier packet left here could pass for this one's. */
	memset(skb_tail_pointer(skb), 0xa5, skb_tailroom(skb));
	memcpy(page_address(page), frame->data + linear, rest);
	skb_add_rx_frag(skb, 0, page, 0, rest, PAGE_SIZE);
	return skb;
}

/**
 * seg6nr_volley_open() - get ready to send many copies of a frame
 * @frame: the frame; must stay
 *
 * Under a debug kernel allocating an skb takes longer than all the rest of a
 * packet's life.  A volley's packets are clones of one skb, which comes with
 * room for one; as it has given up its headers they may be written in place.
 *
 * Context: process, may sleep.
 *
 * Return: that skb, freed with kfree_skb(), or NULL.
 */
struct sk_buff *seg6nr_volley_open(const struct seg6nr_frame *frame)
{
	struct sk_buff *master = seg6nr_skb(frame);

	if (master) {
		skb_pull(master, frame->len);
		__skb_header_release(master);
	}
	return master;
}

/**
 * seg6nr_volley_skb() - make the next packet of a volley
 * @master: from seg6nr_volley_open()
 * @frame: the same as there
 *
 * Context: any.  The last packet must be gone.
 *
 * Return: the skb or NULL.
 */
struct sk_buff *seg6nr_volley_skb(struct sk_buff *master,
				  const struct seg6nr_frame *frame)
{
	struct sk_buff *skb = skb_clone(master, GFP_ATOMIC);

	if (skb)
		memcpy(skb_push(skb, frame->len), frame->data, frame->len);
	return skb;
}

/**
 * seg6nr_route_noref() - look a packet's route up as the input path does
 * @skb: the packet, may be NULL
 * @fl6: its flow
 *
 * Context: BH off, RCU read section, whose end is the end of the dst, too.
 *
 * Return: the dst, an error entry if there is none.
 */
struct dst_entry *seg6nr_route_noref(const struct sk_buff *skb,
				     struct flowi6 *fl6)
{
	return ip6_route_input_lookup(seg6nr_env.net, seg6nr_env.in, fl6, skb,
				      RT6_LOOKUP_F_HAS_SADDR |
				      RT6_LOOKUP_F_DST_NOREF);
}

/**
 * seg6nr_inject() - hand a packet to the SID's route, as ip6_rcv_finish() does
 * @skb: the packet, handed over
 *
 * For packets whose owner wants to see them go: the receive path proper would
 * run their destructor and refuse to work on a shared one.
 *
 * Return: what dst_input() returned.
 */
int seg6nr_inject(struct sk_buff *skb)
{
	const struct ipv6hdr *hdr = ipv6_hdr(skb);
	struct flowi6 fl6 = {
		.flowi6_iif = skb->dev->ifindex,
		.flowi6_mark = skb->mark,
		.flowi6_proto = hdr->nexthdr,
		.flowlabel = ip6_flowinfo(hdr),
		.daddr = hdr->daddr,
		.saddr = hdr->saddr,
	};
	int rc;

	local_bh_disable();
	rcu_read_lock();
	skb_dst_set_noref(skb, seg6nr_route_noref(skb, &fl6));
	rc = dst_input(skb);
	rcu_read_unlock();
	local_bh_enable();
	return rc;
}

/**
 * seg6nr_receive() - hand a packet to the receive path, as a driver does
 * @skb: the packet, handed over
 */
void seg6nr_receive(struct sk_buff *skb)
{
	local_bh_disable();
	netif_receive_skb(skb);
	local_bh_enable();
}
