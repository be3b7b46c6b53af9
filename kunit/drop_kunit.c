// SPDX-License-Identifier: GPL-2.0-only
/*
 * drop_kunit.c - a packet that is dropped is freed once, with all that it had
 *
 * One row per cause that a packet or the configuration can provoke.  Each is
 * sent twice: once with references of our own on the skb, so that freeing too
 * little or too much can be counted, and once without, so that it really goes
 * and takes along what hangs on it.
 */
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/netdevice.h>
#include <net/addrconf.h>
#include <net/ip6_fib.h>

#include "baggage.h"
#include "flow.h"
#include "harness.h"
#include "netns.h"
#include "suites.h"
#include "../module/uapi.h"

/**
 * struct drop - a SID, and a packet that it must drop
 * @flow: the SID
 * @goal: where the packet wants to go
 * @cause: line of /proc/net/seg6local_noref that counts it
 * @by_keep: the SID gets the wrong device as its oif
 * @require_hmac: the input device demands a HMAC
 * @spoil: damages the frame, may be NULL
 * @spoil_skb: damages the skb, may be NULL
 */
struct drop {
	struct seg6nr_flow	flow;
	enum seg6nr_goal	goal;
	const char		*cause;
	bool			by_keep;
	bool			require_hmac;
	void			(*spoil)(struct seg6nr_frame *frame);
	void			(*spoil_skb)(struct sk_buff *skb);
};

static void no_routing_header(struct seg6nr_frame *frame)
{
	frame->data[SEG6NR_OFF_NEXTHDR] = IPPROTO_UDP;
}

static void no_segment_left(struct seg6nr_frame *frame)
{
	frame->data[SEG6NR_OFF_SRH_LEFT] = 0;
}

static void a_segment_left(struct seg6nr_frame *frame)
{
	frame->data[SEG6NR_OFF_SRH_LEFT] = 1;
}

static void other_routing_type(struct seg6nr_frame *frame)
{
	frame->data[SEG6NR_OFF_SRH_TYPE] = 3;
}

static void last_entry_too_large(struct seg6nr_frame *frame)
{
	frame->data[SEG6NR_OFF_SRH_LAST] = 9;
}

static void header_beyond_packet(struct seg6nr_frame *frame)
{
	frame->data[SEG6NR_OFF_SRH_HDRLEN] = 100;
}

/* Read as a fragment header, the SRH has an offset. */
static void fragment(struct seg6nr_frame *frame)
{
	frame->data[SEG6NR_OFF_NEXTHDR] = IPPROTO_FRAGMENT;
}

static void hop_limit_used_up(struct seg6nr_frame *frame)
{
	frame->data[SEG6NR_OFF_HOP_LIMIT] = 1;
}

static void multicast_segment(struct seg6nr_frame *frame)
{
	frame->data[SEG6NR_OFF_SEGMENT0] = 0xff;
}

static void other_inner_type(struct seg6nr_frame *frame)
{
	frame->data[SEG6NR_OFF_SRH] = IPPROTO_UDP;
}

static void inner_version(struct seg6nr_frame *frame)
{
	frame->data[SEG6NR_OFF_INNER] ^= 0x70;
}

static void inner_ipv6_too_long(struct seg6nr_frame *frame)
{
	frame->data[SEG6NR_OFF_INNER + 4] = 1;
}

static void inner_ipv4_checksum(struct seg6nr_frame *frame)
{
	frame->data[SEG6NR_OFF_INNER + offsetof(struct iphdr, check)] ^= 1;
}

static void inner_ipv4_martian(struct seg6nr_frame *frame)
{
	struct iphdr *hdr = (void *)frame->data + SEG6NR_OFF_INNER;

	hdr->saddr = htonl(INADDR_BROADCAST);
	hdr->check = 0;
	hdr->check = ip_fast_csum(hdr, hdr->ihl);
}

/* So many visits to the same SID that none of them may go on. */
static void loop(struct seg6nr_frame *frame)
{
	seg6nr_frame_loop(frame, SEG6NR_VISITS_MAX);
}

static void other_protocol(struct sk_buff *skb)
{
	skb->protocol = htons(ETH_P_IP);
}

#define END	{ .action = SEG6NR_ACT_END }
#define END_X	\
	{ .action = SEG6NR_ACT_END_X, .nh6 = &seg6nr_addr_nexthop }
#define END_T(_table)	\
	{ .action = SEG6NR_ACT_END_T, .table = (_table) }
#define END_DX6	\
	{ .action = SEG6NR_ACT_END_DX6, .nh6 = &seg6nr_addr_any }
#define END_DX4(_nh4)	\
	{ .action = SEG6NR_ACT_END_DX4, .has_nh4 = true, .nh4 = (_nh4) }
#define END_DT6(_table)	\
	{ .action = SEG6NR_ACT_END_DT6, .table = (_table) }
#define END_DT4	\
	{ .action = SEG6NR_ACT_END_DT4, .vrftable = SEG6NR_TABLE_VRF }

#define USD	BIT(SEG6NR_FLV_OP_USD)
#define END_B6	\
	{ .action = SEG6NR_ACT_END_B6, .srh = (const void *)seg6nr_insertion }
#define END_B6_ENCAPS	\
	{ .action = SEG6NR_ACT_END_B6_ENCAPS,				\
	  .srh = (const void *)seg6nr_encapsulation }
#define END_DT46	\
	{ .action = SEG6NR_ACT_END_DT46, .vrftable = SEG6NR_TABLE_VRF }
#define END_DX2	\
	{ .action = SEG6NR_ACT_END_DX2, .oif = 9999 }

#define FLOW(_name, _inner, _sid...)	\
	.flow = { .name = _name, .inner = _inner, .sid = _sid }

static const struct drop drop_rows[] = {
	{ FLOW("end_not_ipv6", 0, END), .cause = "drop_not_ipv6",
	  .spoil_skb = other_protocol },
	{ FLOW("end_no_srh", 0, END), .cause = "drop_no_srh",
	  .spoil = no_routing_header },
	{ FLOW("end_no_segment_left", 0, END), .cause = "drop_no_srh",
	  .spoil = no_segment_left },
	{ FLOW("end_other_routing_type", 0, END), .cause = "drop_bad_srh",
	  .spoil = other_routing_type },
	{ FLOW("end_last_entry", 0, END), .cause = "drop_bad_srh",
	  .spoil = last_entry_too_large },
	{ FLOW("end_header_beyond_packet", 0, END), .cause = "drop_ext_hdrs",
	  .spoil = header_beyond_packet },
	{ FLOW("end_fragment", 0, END), .cause = "drop_fragment",
	  .spoil = fragment },
	{ FLOW("end_hop_limit", 0, END), .cause = "drop_hop_limit",
	  .spoil = hop_limit_used_up },
	{ FLOW("end_multicast_segment", 0, END), .cause = "drop_multicast",
	  .spoil = multicast_segment },
	{ FLOW("end_hmac_required", 0, END), .cause = "drop_hmac",
	  .require_hmac = true },
	{ FLOW("end_loop", 0, END), .cause = "drop_depth", .spoil = loop },
	{ FLOW("end_no_route", 0, END), SEG6NR_TO_NOWHERE, "unreachable" },
	{ FLOW("end_own_address", 0, END), SEG6NR_TO_OWN, "unreachable" },
	{ FLOW("end_x_no_srh", 0, END_X), .cause = "drop_no_srh",
	  .spoil = no_routing_header },
	{ FLOW("end_x_other_oif", 0, END_X), .cause = "drop_oif",
	  .by_keep = true },
	{ FLOW("end_t_no_srh", 0, END_T(SEG6NR_TABLE_ROUTES)),
	  .cause = "drop_no_srh", .spoil = no_routing_header },
	{ FLOW("end_t_missing_table", 0, END_T(SEG6NR_TABLE_MISSING)),
	  .cause = "unreachable" },
	{ FLOW("end_dx6_segment_left", IPPROTO_IPV6, END_DX6),
	  .cause = "drop_segments_left", .spoil = a_segment_left },
	{ FLOW("end_dx6_inner_type", IPPROTO_IPV6, END_DX6),
	  .cause = "drop_inner_type", .spoil = other_inner_type },
	{ FLOW("end_dx6_inner_version", IPPROTO_IPV6, END_DX6),
	  .cause = "drop_inner_hdr", .spoil = inner_version },
	{ FLOW("end_dx6_inner_length", IPPROTO_IPV6, END_DX6),
	  .cause = "drop_inner_hdr", .spoil = inner_ipv6_too_long },
	{ FLOW("end_dx6_no_route", IPPROTO_IPV6, END_DX6), SEG6NR_TO_NOWHERE,
	  "unreachable" },
	{ FLOW("end_dx4_segment_left", IPPROTO_IPIP, END_DX4(0)),
	  .cause = "drop_segments_left", .spoil = a_segment_left },
	{ FLOW("end_dx4_inner_type", IPPROTO_IPIP, END_DX4(0)),
	  .cause = "drop_inner_type", .spoil = other_inner_type },
	{ FLOW("end_dx4_inner_checksum", IPPROTO_IPIP, END_DX4(0)),
	  .cause = "drop_inner_hdr", .spoil = inner_ipv4_checksum },
	{ FLOW("end_dx4_martian", IPPROTO_IPIP, END_DX4(0)),
	  .cause = "drop_no_route", .spoil = inner_ipv4_martian },
	{ FLOW("end_dx4_no_route", IPPROTO_IPIP, END_DX4(0)),
	  SEG6NR_TO_NOWHERE, "unreachable" },
	{ FLOW("end_dt6_inner_type", IPPROTO_IPV6,
	       END_DT6(SEG6NR_TABLE_ROUTES)), .cause = "drop_inner_type",
	  .spoil = other_inner_type },
	{ FLOW("end_dt6_missing_table", IPPROTO_IPV6,
	       END_DT6(SEG6NR_TABLE_MISSING)), .cause = "unreachable" },
	{ FLOW("end_dt4_inner_type", IPPROTO_IPIP, END_DT4),
	  .cause = "drop_inner_type", .spoil = other_inner_type },
	{ FLOW("end_dt4_inner_checksum", IPPROTO_IPIP, END_DT4),
	  .cause = "drop_inner_hdr", .spoil = inner_ipv4_checksum },
	{ FLOW("end_dt4_martian", IPPROTO_IPIP, END_DT4),
	  .cause = "drop_no_route", .spoil = inner_ipv4_martian },
	{ FLOW("end_dt4_no_route", IPPROTO_IPIP, END_DT4), SEG6NR_TO_NOWHERE,
	  "unreachable" },
	{ FLOW("end_usd_inner_type", IPPROTO_IPV6,
	       { .action = SEG6NR_ACT_END, .flavors = USD }),
	  .cause = "drop_inner_type", .spoil = other_inner_type },
	{ FLOW("end_usd_inner_version", IPPROTO_IPIP,
	       { .action = SEG6NR_ACT_END, .flavors = USD }),
	  .cause = "drop_inner_hdr", .spoil = inner_version },
	{ FLOW("end_x_usd_ipv4", IPPROTO_IPIP,
	       { .action = SEG6NR_ACT_END_X, .flavors = USD,
		 .nh6 = &seg6nr_addr_nexthop }),
	  .cause = "drop_inner_type" },
	{ FLOW("end_t_usd_ipv4_no_vrf", IPPROTO_IPIP,
	       { .action = SEG6NR_ACT_END_T, .flavors = USD,
		 .table = SEG6NR_TABLE_ROUTES }),
	  .cause = "drop_vrf" },
	{ FLOW("end_b6_no_srh", 0, END_B6), .cause = "drop_no_srh",
	  .spoil = no_routing_header },
	{ FLOW("end_b6_hop_limit", 0, END_B6), .cause = "drop_hop_limit",
	  .spoil = hop_limit_used_up },
	{ FLOW("end_b6_encaps_no_srh", 0, END_B6_ENCAPS),
	  .cause = "drop_no_srh", .spoil = no_routing_header },
	{ FLOW("end_b6_encaps_hop_limit", 0, END_B6_ENCAPS),
	  .cause = "drop_hop_limit", .spoil = hop_limit_used_up },
	{ FLOW("end_b6_encaps_multicast", 0, END_B6_ENCAPS),
	  .cause = "drop_multicast", .spoil = multicast_segment },
	{ FLOW("end_dt46_inner_type", IPPROTO_IPV6, END_DT46),
	  .cause = "drop_inner_type", .spoil = other_inner_type },
	{ FLOW("end_dt46_segment_left", IPPROTO_IPIP, END_DT46),
	  .cause = "drop_segments_left", .spoil = a_segment_left },
	{ FLOW("end_dx2_no_device", IPPROTO_ETHERNET, END_DX2),
	  .cause = "drop_dev" },
	{ FLOW("end_dx2_inner_type", IPPROTO_ETHERNET, END_DX2),
	  .cause = "drop_inner_type", .spoil = other_inner_type },
	{ FLOW("end_dx2_segment_left", IPPROTO_ETHERNET, END_DX2),
	  .cause = "drop_segments_left", .spoil = a_segment_left },
};

static void drop_desc(const struct drop *drop, char *desc)
{
	strscpy(desc, drop->flow.name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(drop, drop_rows, drop_desc);

static struct sk_buff *make_packet(struct kunit *test, const struct drop *drop)
{
	struct seg6nr_frame frame;
	struct sk_buff *skb;

	seg6nr_flow_frame(&drop->flow, drop->goal, &frame);
	if (drop->spoil)
		drop->spoil(&frame);
	skb = seg6nr_skb(&frame);
	if (!skb)
		KUNIT_FAIL(test, "no memory for a packet");
	else if (drop->spoil_skb)
		drop->spoil_skb(skb);
	return skb;
}

#define EXTRA_REFS	2U

static bool check_freed_once(struct kunit *test, const struct drop *drop)
{
	struct sk_buff *skb = make_packet(test, drop);
	unsigned int left, seen;

	if (!skb)
		return false;
	refcount_add(EXTRA_REFS, &skb->users);
	seg6nr_inject(skb);
	left = refcount_read(&skb->users);
	seen = EXTRA_REFS + 1 - left;
	KUNIT_EXPECT_EQ_MSG(test, seen, 1,
			    "%s: 1 packet: expected 1 reference to the skb released, seen %u",
			    drop->flow.name, seen);
	/* One that was not released may still be in use. */
	for (left = min(left, EXTRA_REFS); left; left--)
		kfree_skb(skb);
	return seen == 1;
}

static void check_baggage(struct kunit *test, const struct drop *drop)
{
	struct sk_buff *skb = make_packet(test, drop);
	struct seg6nr_baggage baggage;

	if (!skb)
		return;
	if (seg6nr_baggage_load(&baggage, skb)) {
		seg6nr_inject(skb);
		seg6nr_baggage_check(test, &baggage, drop->flow.name);
	} else {
		KUNIT_FAIL(test, "no memory for what hangs on a packet");
		kfree_skb(skb);
	}
	seg6nr_baggage_free(&baggage);
}

static void check_counters(struct kunit *test, const struct drop *drop,
			   u64 before, unsigned int errors)
{
	struct seg6nr_sid_counters counters;
	u64 now;
	int err;

	err = seg6nr_stat(drop->cause, &now);
	if (err)
		KUNIT_FAIL(test, "%s: no counter %s", drop->flow.name,
			   drop->cause);
	else
		KUNIT_EXPECT_EQ_MSG(test, now - before, 2,
				    "%s: 2 packets: expected %s to count 2, seen %llu",
				    drop->flow.name, drop->cause, now - before);

	err = seg6nr_rtnl_counters(&seg6nr_addr_sid, &counters);
	if (err) {
		KUNIT_FAIL(test, "%s: cannot read the SID's counters: %d",
			   drop->flow.name, err);
		return;
	}
	KUNIT_EXPECT_EQ_MSG(test, counters.errors, errors,
			    "%s: expected %u errors of the SID, seen %llu",
			    drop->flow.name, errors, counters.errors);
	KUNIT_EXPECT_EQ_MSG(test, counters.packets, 0,
			    "%s: expected 0 good packets of the SID, seen %llu",
			    drop->flow.name, counters.packets);
}

/* SIDs that a packet may visit, see the module's SEG6NR_MAX_DEPTH. */
#define MAX_VISITS	8

/* Each SID on the way of a looping packet counts it. */
static unsigned int errors_of(const struct drop *drop)
{
	if (drop->spoil_skb == other_protocol)
		return 0;
	return drop->spoil == loop ? 2 * (MAX_VISITS + 1) : 2;
}

#ifdef CONFIG_IPV6_SEG6_HMAC
static void set_hmac_policy(bool required)
{
	struct inet6_dev *idev = in6_dev_get(seg6nr_env.in);

	WRITE_ONCE(idev->cnf.seg6_require_hmac, required);
	in6_dev_put(idev);
}
#else
static void set_hmac_policy(bool required)
{
}
#endif /* CONFIG_IPV6_SEG6_HMAC */

static void send_both(struct kunit *test, const struct drop *drop,
		      unsigned int round)
{
	struct seg6nr_account account;
	u64 before = 0;

	seg6nr_stat(drop->cause, &before);
	seg6nr_account_open_route(&account, "route of the SID",
				  &seg6nr_addr_sid, 4 * SEG6NR_VISITS_MAX);
	set_hmac_policy(drop->require_hmac);

	/* What is freed twice for real may take the machine with it. */
	if (check_freed_once(test, drop))
		check_baggage(test, drop);

	set_hmac_policy(false);
	seg6nr_account_check(test, &account, drop->flow.name, 2);
	seg6nr_account_close(&account);
	check_counters(test, drop, before, round * errors_of(drop));
}

static void drop_frees_once(struct kunit *test)
{
	const struct drop *drop = test->param_value;
	struct seg6nr_flow flow = drop->flow;
	struct seg6nr_books books;

	if (drop->require_hmac && !IS_ENABLED(CONFIG_IPV6_SEG6_HMAC)) {
		kunit_mark_skipped(test, "this kernel has no SRH HMAC");
		return;
	}
	if (drop->by_keep)
		flow.sid.oif = seg6nr_env.keep->ifindex;
	if (!seg6nr_flow_open(test, &flow))
		return;

	/* The first round makes the dsts that are cached from then on. */
	send_both(test, drop, 1);
	seg6nr_books_read(&books);
	send_both(test, drop, 2);
	seg6nr_books_check(test, &books, flow.name);
	seg6nr_flow_close(test, &flow);
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(drop_frees_once, drop_gen_params),
	{}
};

struct kunit_suite seg6nr_drop_suite = {
	.name = "seg6local_noref_drop",
	.init = seg6nr_case_init,
	.test_cases = cases,
};
