// SPDX-License-Identifier: GPL-2.0-only
/*
 * surgery.c - hand a packet to one function of the module, and look at it
 *
 * In between, BH is off and RCU is read, as on the packet path.
 */
#include <linux/etherdevice.h>
#include <net/checksum.h>

#include "env.h"
#include "harness.h"
#include "surgery.h"

/**
 * seg6nr_surgery_open() - make the packet
 * @test: the case; failed without memory
 * @op: filled in
 * @frame: its octets
 * @slwt: the SID's state, may be NULL
 *
 * Return: true if the case may go on; it must not sleep until it calls
 * seg6nr_surgery_close() then.
 */
bool seg6nr_surgery_open(struct kunit *test, struct seg6nr_surgery *op,
			 const struct seg6nr_frame *frame,
			 struct seg6nr_lwt *slwt)
{
	struct sk_buff *skb = seg6nr_skb(frame);

	memset(&op->pkt, 0, sizeof(op->pkt));
	op->before = *frame;
	op->clone = skb ? skb_clone(skb, GFP_KERNEL) : NULL;
	if (!op->clone) {
		KUNIT_FAIL(test, "no memory for a packet");
		kfree_skb(skb);
		return false;
	}
	skb->ip_summed = CHECKSUM_COMPLETE;
	skb->csum = csum_partial(skb->data, skb->len, 0);
	op->pkt.skb = skb;
	op->pkt.net = seg6nr_env.net;
	op->pkt.slwt = slwt;
	local_bh_disable();
	rcu_read_lock();
	/* For sparse: handed to seg6nr_surgery_close(). */
	__release(RCU);
	return true;
}

/**
 * seg6nr_surgery_check() - the packet must be what is expected now
 * @test: the case
 * @op: the packet
 * @want: its octets
 * @what: for messages
 */
void seg6nr_surgery_check(struct kunit *test, const struct seg6nr_surgery *op,
			  const struct seg6nr_frame *want, const char *what)
{
	const struct sk_buff *skb = op->pkt.skb;
	unsigned int i, len = min(skb->len, want->len);
	u8 seen[SEG6NR_FRAME_MAX] = {};

	skb_copy_bits(skb, 0, seen, len);
	for (i = 0; i < len && seen[i] == want->data[i]; i++)
		;
	KUNIT_EXPECT_EQ_MSG(test, skb->len, want->len,
			    "%s: expected %u octets, seen %u", what, want->len,
			    skb->len);
	KUNIT_EXPECT_EQ_MSG(test, i, len,
			    "%s: at octet %u expected %#x, seen %#x", what, i,
			    want->data[min(i, want->len - 1)],
			    seen[min(i, want->len - 1)]);
	KUNIT_EXPECT_EQ_MSG(test, skb_network_offset(skb), 0,
			    "%s: network header at %d", what,
			    skb_network_offset(skb));
	KUNIT_EXPECT_TRUE_MSG(test,
			      ether_addr_equal(eth_hdr(skb)->h_dest,
					       seg6nr_env.in->dev_addr) &&
			      skb->data - skb_mac_header(skb) == ETH_HLEN,
			      "%s: the mac header is lost", what);
}

/**
 * seg6nr_surgery_check_csum() - so must the sum, and the clone
 * @test: the case
 * @op: the packet
 * @what: for messages
 */
void seg6nr_surgery_check_csum(struct kunit *test,
			       const struct seg6nr_surgery *op,
			       const char *what)
{
	const struct sk_buff *skb = op->pkt.skb;

	KUNIT_EXPECT_TRUE_MSG(test,
			      csum_fold(skb->csum) ==
			      csum_fold(skb_checksum(skb, 0, skb->len, 0)),
			      "%s: CHECKSUM_COMPLETE is not that of the octets",
			      what);
	KUNIT_EXPECT_TRUE_MSG(test,
			      !memcmp(op->clone->data, op->before.data,
				      op->before.len),
			      "%s: the clone was written to", what);
}

/**
 * seg6nr_surgery_close() - free the packet
 * @op: as it was opened
 */
void seg6nr_surgery_close(struct seg6nr_surgery *op)
{
	__acquire(RCU);
	rcu_read_unlock();
	local_bh_enable();
	kfree_skb(op->pkt.skb);
	kfree_skb(op->clone);
}
