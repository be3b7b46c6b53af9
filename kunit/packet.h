/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * packet.h - build SRv6 frames and hand them to the kernel
 *
 * A frame is plain octets from the IPv6 header on, so that a case can damage
 * any of them; an skb is made of it afterwards.
 */
#ifndef SEG6NR_KUNIT_PACKET_H
#define SEG6NR_KUNIT_PACKET_H

#include <linux/in6.h>
#include <linux/skbuff.h>

#define SEG6NR_FRAME_MAX	256
#define SEG6NR_VISITS_MAX	10

/* Where things are in frames of seg6nr_frame_steered(). */
#define SEG6NR_OFF_NEXTHDR	6
#define SEG6NR_OFF_HOP_LIMIT	7
#define SEG6NR_OFF_SRH		40
#define SEG6NR_OFF_SRH_HDRLEN	(SEG6NR_OFF_SRH + 1)
#define SEG6NR_OFF_SRH_TYPE	(SEG6NR_OFF_SRH + 2)
#define SEG6NR_OFF_SRH_LEFT	(SEG6NR_OFF_SRH + 3)
#define SEG6NR_OFF_SRH_LAST	(SEG6NR_OFF_SRH + 4)
#define SEG6NR_OFF_SEGMENT0	(SEG6NR_OFF_SRH + 8)

/* Where the inner packet begins in frames of seg6nr_frame_inner*(). */
#define SEG6NR_OFF_INNER	64

struct dst_entry;
struct flowi6;

struct seg6nr_frame {
	unsigned int	len;
	u8		data[SEG6NR_FRAME_MAX];
};

void seg6nr_frame_steered(struct seg6nr_frame *frame,
			  const struct in6_addr *next);
void seg6nr_frame_far(struct seg6nr_frame *frame, const struct in6_addr *next);
void seg6nr_frame_next_csid(struct seg6nr_frame *frame,
			    const struct in6_addr *next);
void seg6nr_frame_replace_csid(struct seg6nr_frame *frame,
			       const struct in6_addr *next, u8 nflen);
void seg6nr_frame_ethernet(struct seg6nr_frame *frame);
void seg6nr_frame_list(struct seg6nr_frame *frame, const struct in6_addr *daddr,
		       const struct in6_addr *segments, u8 count, u8 left);
void seg6nr_frame_loop(struct seg6nr_frame *frame, unsigned int visits);
void seg6nr_frame_inner6(struct seg6nr_frame *frame,
			 const struct in6_addr *daddr);
void seg6nr_frame_inner4(struct seg6nr_frame *frame, __be32 daddr);

struct sk_buff *seg6nr_skb(const struct seg6nr_frame *frame);
struct sk_buff *seg6nr_skb_paged(const struct seg6nr_frame *frame);
struct sk_buff *seg6nr_volley_open(const struct seg6nr_frame *frame);
struct sk_buff *seg6nr_volley_skb(struct sk_buff *master,
				  const struct seg6nr_frame *frame);
struct dst_entry *seg6nr_route_noref(const struct sk_buff *skb,
				     struct flowi6 *fl6);
int seg6nr_inject(struct sk_buff *skb);
void seg6nr_receive(struct sk_buff *skb);

#endif /* SEG6NR_KUNIT_PACKET_H */
