// SPDX-License-Identifier: GPL-2.0-only
/*
 * csid_kunit.c - the arithmetic of compressed SIDs, without routes
 */
#include "../module/csid.c"

#include "env.h"
#include "harness.h"
#include "packet.h"
#include "suites.h"
#include "surgery.h"

static void fill(struct in6_addr *addr, u8 first)
{
	unsigned int i;

	for (i = 0; i < sizeof(*addr); i++)
		addr->s6_addr[i] = first + i;
}

/* Octet by octet: what is behind the active C-SID moves up to its place. */
static void shift(struct in6_addr *want, const struct in6_addr *addr,
		  unsigned int lb, unsigned int nf)
{
	unsigned int i;

	for (i = 0; i < sizeof(*addr); i++) {
		if (i < lb)
			want->s6_addr[i] = addr->s6_addr[i];
		else
			want->s6_addr[i] = i + nf < sizeof(*addr) ?
					   addr->s6_addr[i + nf] : 0;
	}
}

static void check_next(struct kunit *test, unsigned int lb, unsigned int nf)
{
	struct seg6nr_lwt slwt = { .lb = lb, .nf = nf };
	struct seg6nr_surgery op;
	struct seg6nr_frame frame;
	struct in6_addr want;
	struct ipv6hdr *hdr = (void *)frame.data;

	seg6nr_frame_steered(&frame, &seg6nr_addr_behind);
	fill(&hdr->daddr, 0x21);
	shift(&want, &hdr->daddr, lb, nf);
	if (!seg6nr_surgery_open(test, &op, &frame, &slwt))
		return;

	KUNIT_EXPECT_EQ_MSG(test, seg6nr_next_csid(&op.pkt), SEG6NR_FORWARD,
			    "lblen %u nflen %u: refused", lb * 8, nf * 8);
	KUNIT_EXPECT_TRUE_MSG(test,
			      ipv6_addr_equal(&ipv6_hdr(op.pkt.skb)->daddr,
					      &want),
			      "lblen %u nflen %u: expected %pI6c, seen %pI6c",
			      lb * 8, nf * 8, &want,
			      &ipv6_hdr(op.pkt.skb)->daddr);
	seg6nr_surgery_check_csum(test, &op, "next");
	seg6nr_surgery_close(&op);
}

static void next_csid_every_length(struct kunit *test)
{
	unsigned int lb, nf;

	for (lb = 1; lb <= 15; lb++)
		for (nf = 1; lb + nf <= 16; nf++)
			check_next(test, lb, nf);
}

/* Any octet of the argument counts, none of the block and of the active. */
static void next_csid_pending_every_octet(struct kunit *test)
{
	unsigned int lb, nf, i;

	for (lb = 1; lb <= 15; lb++) {
		for (nf = 1; lb + nf <= 16; nf++) {
			struct seg6nr_lwt slwt = { .lb = lb, .nf = nf };

			for (i = 0; i < 16; i++) {
				struct in6_addr daddr = {};
				bool want = i >= lb + nf;
				bool got;

				daddr.s6_addr[i] = 1;
				got = seg6nr_next_csid_pending(&slwt, &daddr);
				KUNIT_EXPECT_EQ_MSG(test, got, want,
						    "lblen %u nflen %u octet %u: expected %d, seen %d",
						    lb * 8, nf * 8, i, want,
						    got);
			}
		}
	}
}

#define BLOCK		4
#define CONTAINERS	3

/* Number @i as a C-SID of @nf octets, none of them zero. */
static void number(u8 *csid, unsigned int nf, unsigned int i)
{
	memset(csid, 0x40, nf);
	csid[nf - 1] = i + 1;
}

/* A packet at the first of 1 + @count C-SIDs, the rest in containers. */
static void listed(struct seg6nr_frame *frame, unsigned int nf,
		   unsigned int count)
{
	unsigned int slots = 16 / nf, used = DIV_ROUND_UP(count, slots), i;
	struct in6_addr list[CONTAINERS] = {};

	for (i = 0; i < count; i++)
		number(list[used - 1 - i / slots].s6_addr +
		       (slots - 1 - i % slots) * nf, nf, i);
	seg6nr_frame_list(frame, &seg6nr_addr_csid, list, used, used);
}

static void check_step(struct kunit *test, struct seg6nr_surgery *op,
		       unsigned int nf, unsigned int i, unsigned int count)
{
	unsigned int slots = 16 / nf, used = DIV_ROUND_UP(count, slots);
	const struct in6_addr *daddr;
	const struct ipv6_sr_hdr *srh;
	enum seg6nr_verdict verdict;
	struct seg6nr_srh at = {
		.off = SEG6NR_OFF_SRH,
		.len = 8 + 16 * used,
		.nhoff = SEG6NR_OFF_NEXTHDR,
	};
	unsigned int left = used - 1 - i / slots;
	unsigned int index = slots - 1 - i % slots;
	bool last = false;
	u8 want[4];

	KUNIT_EXPECT_TRUE_MSG(test, seg6nr_replace_csid_pending(&op->pkt, &at),
			      "nflen %u, C-SID %u of %u: not pending", nf * 8,
			      i, count);
	verdict = seg6nr_replace_csid(&op->pkt, &at, &last);
	KUNIT_EXPECT_EQ_MSG(test, verdict, SEG6NR_FORWARD,
			    "nflen %u, C-SID %u of %u: refused", nf * 8, i,
			    count);

	number(want, nf, i);
	srh = seg6nr_srh(op->pkt.skb, &at);
	daddr = &ipv6_hdr(op->pkt.skb)->daddr;
	KUNIT_EXPECT_TRUE_MSG(test,
			      !memcmp(daddr->s6_addr + BLOCK, want, nf) &&
			      !memcmp(daddr, &seg6nr_addr_csid, BLOCK),
			      "nflen %u, C-SID %u of %u: seen %pI6c", nf * 8,
			      i, count, daddr);
	KUNIT_EXPECT_EQ_MSG(test, daddr->s6_addr[15], index,
			    "nflen %u, C-SID %u of %u: expected index %u, seen %u",
			    nf * 8, i, count, index, daddr->s6_addr[15]);
	KUNIT_EXPECT_EQ_MSG(test, srh->segments_left, left,
			    "nflen %u, C-SID %u of %u: expected %u segments left, seen %u",
			    nf * 8, i, count, left, srh->segments_left);
	KUNIT_EXPECT_EQ_MSG(test, last, i == count - 1,
			    "nflen %u, C-SID %u of %u: last is %d", nf * 8, i,
			    count, last);
	seg6nr_surgery_check_csum(test, op, "replace");
	if (i == count - 1)
		KUNIT_EXPECT_TRUE_MSG(test,
				      !seg6nr_replace_csid_pending(&op->pkt,
								   &at),
				      "nflen %u, %u C-SIDs: one more is pending",
				      nf * 8, count);
}

/* Lists of every length, from the first C-SID to the last. */
static void check_lists(struct kunit *test, unsigned int nf)
{
	struct seg6nr_lwt slwt = { .lb = BLOCK, .nf = nf };
	struct seg6nr_surgery op;
	struct seg6nr_frame frame;
	unsigned int count, i;

	for (count = 1; count <= CONTAINERS * 16 / nf; count++) {
		listed(&frame, nf, count);
		if (!seg6nr_surgery_open(test, &op, &frame, &slwt))
			return;
		for (i = 0; i < count; i++)
			check_step(test, &op, nf, i, count);
		seg6nr_surgery_close(&op);
	}
}

static void replace_csid_16_every_step(struct kunit *test)
{
	check_lists(test, 2);
}

static void replace_csid_32_every_step(struct kunit *test)
{
	check_lists(test, 4);
}

static enum seg6nr_verdict replace_in(struct kunit *test,
				      const struct seg6nr_frame *frame,
				      struct in6_addr *daddr, u8 *left)
{
	struct seg6nr_lwt slwt = { .lb = BLOCK, .nf = 2 };
	struct seg6nr_srh at = {
		.off = SEG6NR_OFF_SRH,
		.len = 8 + 16 * 2,
		.nhoff = SEG6NR_OFF_NEXTHDR,
	};
	enum seg6nr_verdict verdict;
	struct seg6nr_surgery op;
	bool last;

	if (!seg6nr_surgery_open(test, &op, frame, &slwt))
		return SEG6NR_VERDICTS;
	verdict = seg6nr_replace_csid(&op.pkt, &at, &last);
	*daddr = ipv6_hdr(op.pkt.skb)->daddr;
	*left = seg6nr_srh(op.pkt.skb, &at)->segments_left;
	if (verdict != SEG6NR_FORWARD)
		seg6nr_surgery_check(test, &op, frame, "refused");
	seg6nr_surgery_check_csum(test, &op, "replace");
	seg6nr_surgery_close(&op);
	return verdict;
}

/* Behind the last C-SID of a container that is not full: a whole SID. */
static void replace_csid_whole_sid_follows(struct kunit *test)
{
	struct in6_addr list[2] = { seg6nr_addr_behind, {} };
	struct in6_addr at7 = seg6nr_addr_csid, daddr = {};
	struct seg6nr_frame frame;
	enum seg6nr_verdict verdict;
	u8 left = 9;

	at7.s6_addr[15] = 7;
	list[1].s6_addr[15] = 1;
	seg6nr_frame_list(&frame, &at7, list, 2, 1);
	verdict = replace_in(test, &frame, &daddr, &left);
	KUNIT_EXPECT_EQ_MSG(test, verdict, SEG6NR_FORWARD, "refused");
	KUNIT_EXPECT_TRUE_MSG(test,
			      ipv6_addr_equal(&daddr, &seg6nr_addr_behind),
			      "seen %pI6c", &daddr);
	KUNIT_EXPECT_EQ_MSG(test, left, 0, "segments left: seen %u", left);
}

static void replace_csid_refusals(struct kunit *test)
{
	struct in6_addr list[2] = { { .s6_addr = { 0xff, 2 } }, {} };
	struct in6_addr at7 = seg6nr_addr_csid, daddr;
	enum seg6nr_verdict verdict;
	struct seg6nr_frame frame;
	u8 left;

	at7.s6_addr[15] = 7;
	seg6nr_frame_list(&frame, &at7, list, 2, 1);
	verdict = replace_in(test, &frame, &daddr, &left);
	KUNIT_EXPECT_EQ_MSG(test, verdict, SEG6NR_DROP_MULTICAST,
			    "multicast: seen verdict %d", verdict);

	seg6nr_frame_list(&frame, &at7, list, 2, 2);
	verdict = replace_in(test, &frame, &daddr, &left);
	KUNIT_EXPECT_EQ_MSG(test, verdict, SEG6NR_DROP_BAD_SRH,
			    "index in a segment beyond the list: seen verdict %d",
			    verdict);

	seg6nr_frame_list(&frame, &at7, list, 2, 1);
	frame.data[SEG6NR_OFF_HOP_LIMIT] = 1;
	verdict = replace_in(test, &frame, &daddr, &left);
	KUNIT_EXPECT_EQ_MSG(test, verdict, SEG6NR_DROP_HOP_LIMIT,
			    "hop limit: seen verdict %d", verdict);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(next_csid_every_length),
	KUNIT_CASE(next_csid_pending_every_octet),
	KUNIT_CASE(replace_csid_16_every_step),
	KUNIT_CASE(replace_csid_32_every_step),
	KUNIT_CASE(replace_csid_whole_sid_follows),
	KUNIT_CASE(replace_csid_refusals),
	{}
};

struct kunit_suite seg6nr_csid_suite = {
	.name = "seg6local_noref_csid",
	.init = seg6nr_case_init,
	.test_cases = cases,
};
