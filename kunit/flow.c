// SPDX-License-Identifier: GPL-2.0-only
/*
 * flow.c - the table of behaviours, and accounts of dst references
 */
#include <linux/in.h>
#include <linux/netdevice.h>
#include <net/dst.h>
#include <net/flow.h>

#include "flow.h"
#include "harness.h"
#include "netns.h"
#include "../module/compat.h"
#include "../module/uapi.h"

#define PSP		BIT(SEG6NR_FLV_OP_PSP)
#define USD		BIT(SEG6NR_FLV_OP_USD)
#define NEXT_CSID	BIT(SEG6NR_FLV_OP_NEXT_CSID)

static enum seg6nr_mode mode = SEG6NR_REMEMBER;

#define POLICY_LEN(_segments)	(8 + 16 * (_segments))

/* Towards what is behind the next hop, and for End.B6 back to the SID. */
const u8 seg6nr_insertion[POLICY_LEN(2)] __aligned(4) = {
	0, 4, 4, 1, 1, 0, 0, 0,
	[24] = 0x20, 0x01, 0x0d, 0xb8, 0x00, 0x0e, [39] = 0x99,
};

const u8 seg6nr_encapsulation[POLICY_LEN(1)] __aligned(4) = {
	0, 2, 4, 0, 0, 0, 0, 0,
	[8] = 0x20, 0x01, 0x0d, 0xb8, 0x00, 0x0e, [23] = 0x99,
};

const struct seg6nr_flow seg6nr_flows[SEG6NR_FLOWS] = {
	{
		.name = "end",
		.hold = SEG6NR_LENT,
		.sid = { .action = SEG6NR_ACT_END },
	}, {
		.name = "end_x_gateway",
		.hold = SEG6NR_LENT,
		.sid = { .action = SEG6NR_ACT_END_X,
			 .nh6 = &seg6nr_addr_behind },
	}, {
		.name = "end_x_onlink",
		.hold = SEG6NR_LENT,
		.onlink = true,
		.sid = { .action = SEG6NR_ACT_END_X,
			 .nh6 = &seg6nr_addr_nexthop },
	}, {
		.name = "end_x_oif_gateway",
		.hold = SEG6NR_HELD,
		.by_oif = true,
		.sid = { .action = SEG6NR_ACT_END_X,
			 .nh6 = &seg6nr_addr_behind },
	}, {
		.name = "end_x_oif_onlink",
		.hold = SEG6NR_LENT,
		.onlink = true,
		.by_oif = true,
		.sid = { .action = SEG6NR_ACT_END_X,
			 .nh6 = &seg6nr_addr_nexthop },
	}, {
		.name = "end_t",
		.hold = SEG6NR_LENT,
		.sid = { .action = SEG6NR_ACT_END_T,
			 .table = SEG6NR_TABLE_ROUTES },
	}, {
		.name = "end_dx6_any",
		.hold = SEG6NR_LENT,
		.inner = IPPROTO_IPV6,
		.sid = { .action = SEG6NR_ACT_END_DX6,
			 .nh6 = &seg6nr_addr_any },
	}, {
		.name = "end_dx6_gateway",
		.hold = SEG6NR_LENT,
		.inner = IPPROTO_IPV6,
		.sid = { .action = SEG6NR_ACT_END_DX6,
			 .nh6 = &seg6nr_addr_behind },
	}, {
		.name = "end_dx6_onlink",
		.hold = SEG6NR_LENT,
		.onlink = true,
		.inner = IPPROTO_IPV6,
		.sid = { .action = SEG6NR_ACT_END_DX6,
			 .nh6 = &seg6nr_addr_nexthop },
	}, {
		.name = "end_dx4_any",
		.hold = SEG6NR_LENT,
		.inner = IPPROTO_IPIP,
		.sid = { .action = SEG6NR_ACT_END_DX4, .has_nh4 = true },
	}, {
		.name = "end_dx4_gateway",
		.hold = SEG6NR_LENT,
		.inner = IPPROTO_IPIP,
		.sid = { .action = SEG6NR_ACT_END_DX4, .has_nh4 = true,
			 .nh4 = seg6nr_addr4_behind },
	}, {
		.name = "end_dx4_onlink",
		.hold = SEG6NR_LENT,
		.onlink = true,
		.second = true,
		.inner = IPPROTO_IPIP,
		.sid = { .action = SEG6NR_ACT_END_DX4, .has_nh4 = true,
			 .nh4 = seg6nr_addr4_nexthop },
	}, {
		.name = "end_dt6",
		.hold = SEG6NR_LENT,
		.inner = IPPROTO_IPV6,
		.sid = { .action = SEG6NR_ACT_END_DT6,
			 .table = SEG6NR_TABLE_ROUTES },
	}, {
		.name = "end_dt4",
		.hold = SEG6NR_LENT,
		.inner = IPPROTO_IPIP,
		.sid = { .action = SEG6NR_ACT_END_DT4,
			 .vrftable = SEG6NR_TABLE_VRF },
	}, {
		.name = "end_psp_popped",
		.hold = SEG6NR_LENT,
		.srh = SEG6NR_SRH_NONE,
		.sid = { .action = SEG6NR_ACT_END, .flavors = PSP },
	}, {
		.name = "end_psp_kept",
		.hold = SEG6NR_LENT,
		.shape = SEG6NR_FAR,
		.sid = { .action = SEG6NR_ACT_END, .flavors = PSP },
	}, {
		.name = "end_next_csid",
		.hold = SEG6NR_LENT,
		.shape = SEG6NR_NEXT_CSID,
		.srh = SEG6NR_SRH_NONE,
		.sid = { .action = SEG6NR_ACT_END, .flavors = NEXT_CSID },
	}, {
		.name = "end_x_next_csid_onlink",
		.hold = SEG6NR_LENT,
		.onlink = true,
		.shape = SEG6NR_NEXT_CSID,
		.srh = SEG6NR_SRH_NONE,
		.sid = { .action = SEG6NR_ACT_END_X, .flavors = NEXT_CSID,
			 .nh6 = &seg6nr_addr_nexthop },
	}, {
		.name = "end_replace_csid_16",
		.hold = SEG6NR_LENT,
		.shape = SEG6NR_REPLACE_CSID,
		.sid = { .action = SEG6NR_ACT_END, .replace_nflen = 16 },
	}, {
		.name = "end_replace_csid_32",
		.hold = SEG6NR_LENT,
		.shape = SEG6NR_REPLACE_CSID,
		.sid = { .action = SEG6NR_ACT_END, .replace_nflen = 32 },
	}, {
		.name = "end_replace_csid_psp",
		.hold = SEG6NR_LENT,
		.shape = SEG6NR_REPLACE_CSID,
		.srh = SEG6NR_SRH_NONE,
		.sid = { .action = SEG6NR_ACT_END, .replace_nflen = 16,
			 .flavors = PSP },
	}, {
		.name = "end_usd_ipv6",
		.hold = SEG6NR_LENT,
		.inner = IPPROTO_IPV6,
		.sid = { .action = SEG6NR_ACT_END, .flavors = USD },
	}, {
		.name = "end_usd_ipv4",
		.hold = SEG6NR_LENT,
		.inner = IPPROTO_IPIP,
		.sid = { .action = SEG6NR_ACT_END, .flavors = USD },
	}, {
		.name = "end_x_usd_onlink",
		.hold = SEG6NR_LENT,
		.onlink = true,
		.inner = IPPROTO_IPV6,
		.sid = { .action = SEG6NR_ACT_END_X, .flavors = USD,
			 .nh6 = &seg6nr_addr_nexthop },
	}, {
		.name = "end_t_usd",
		.hold = SEG6NR_LENT,
		.inner = IPPROTO_IPV6,
		.sid = { .action = SEG6NR_ACT_END_T, .flavors = USD,
			 .table = SEG6NR_TABLE_ROUTES },
	}, {
		.name = "end_dt6_vrf",
		.hold = SEG6NR_LENT,
		.inner = IPPROTO_IPV6,
		.sid = { .action = SEG6NR_ACT_END_DT6,
			 .vrftable = SEG6NR_TABLE_VRF },
	}, {
		.name = "end_dt46_ipv4",
		.hold = SEG6NR_LENT,
		.inner = IPPROTO_IPIP,
		.sid = { .action = SEG6NR_ACT_END_DT46,
			 .vrftable = SEG6NR_TABLE_VRF },
	}, {
		.name = "end_dt46_ipv6",
		.hold = SEG6NR_LENT,
		.inner = IPPROTO_IPV6,
		.sid = { .action = SEG6NR_ACT_END_DT46,
			 .vrftable = SEG6NR_TABLE_VRF },
	}, {
		.name = "end_b6",
		.hold = SEG6NR_LENT,
		.sid = { .action = SEG6NR_ACT_END_B6,
			 .srh = (const void *)&seg6nr_insertion },
	}, {
		.name = "end_b6_encaps",
		.hold = SEG6NR_LENT,
		.sid = { .action = SEG6NR_ACT_END_B6_ENCAPS,
			 .srh = (const void *)&seg6nr_encapsulation },
	}, {
		.name = "end_b6_encaps_far",
		.hold = SEG6NR_LENT,
		.shape = SEG6NR_FAR,
		.sid = { .action = SEG6NR_ACT_END_B6_ENCAPS,
			 .srh = (const void *)&seg6nr_encapsulation },
	},
};

/**
 * seg6nr_flow_desc() - tell a flow's name, for KUNIT_ARRAY_PARAM()
 * @flow: the flow
 * @desc: KUNIT_PARAM_DESC_SIZE octets
 */
void seg6nr_flow_desc(const struct seg6nr_flow *flow, char *desc)
{
	strscpy(desc, flow->name, KUNIT_PARAM_DESC_SIZE);
}

/* A remembered next hop is one more reference to its route. */
static bool is_remembered(const struct seg6nr_flow *flow)
{
	return SEG6NR_STORES_IN_ORDER && mode == SEG6NR_REMEMBER &&
	       flow->inner != IPPROTO_IPIP;
}

static struct seg6nr_route sid_route(const struct seg6nr_flow *flow,
				     const struct seg6nr_sid *sid)
{
	bool csid = flow->shape == SEG6NR_NEXT_CSID ||
		    flow->shape == SEG6NR_REPLACE_CSID;

	return (struct seg6nr_route) {
		.family = AF_INET6,
		.plen = csid ? 48 : 128,
		.dst = csid ? &seg6nr_addr_csid : &seg6nr_addr_sid,
		.oif = seg6nr_env.in->ifindex,
		.sid = sid,
	};
}

/**
 * seg6nr_flow_open() - give the SID a behaviour
 * @test: the case; skipped or failed if this is not possible
 * @flow: the behaviour
 *
 * Return: true if the case may go on; it must call seg6nr_flow_close() then.
 */
bool seg6nr_flow_open(struct kunit *test, const struct seg6nr_flow *flow)
{
	struct seg6nr_sid sid = flow->sid;
	struct seg6nr_route route = sid_route(flow, &sid);
	int err;

	if (sid.vrftable && seg6nr_env.no_vrf) {
		kunit_mark_skipped(test, "%s", seg6nr_env.no_vrf);
		return false;
	}
	if (flow->by_oif)
		sid.oif = seg6nr_env.out->ifindex;

	err = seg6nr_rtnl_route_add(&route);
	if (err)
		KUNIT_FAIL(test, "%s: cannot add the SID: error %d %s",
			   flow->name, err, seg6nr_rtnl_text());
	return !err;
}

/**
 * seg6nr_flow_close() - undo seg6nr_flow_open()
 * @test: the case
 * @flow: the behaviour
 */
void seg6nr_flow_close(struct kunit *test, const struct seg6nr_flow *flow)
{
	struct seg6nr_route route = sid_route(flow, NULL);
	int err = seg6nr_rtnl_route_del(&route);

	if (err)
		KUNIT_FAIL(test, "%s: cannot delete the SID: error %d %s",
			   flow->name, err, seg6nr_rtnl_text());
}

/**
 * seg6nr_flow_mode() - choose what the module does about next hops
 * @to: the mode
 *
 * Return: 0 or a negative error.
 */
int seg6nr_flow_mode(enum seg6nr_mode to)
{
	bool cache = SEG6NR_STORES_IN_ORDER && to == SEG6NR_REMEMBER;
	int err;

	mode = to;
	err = seg6nr_param_set(SEG6NR_PARAM_CACHE, cache);
	return err ?: seg6nr_param_set(SEG6NR_PARAM_HOLD,
				       to != SEG6NR_LOOK_UP);
}

/**
 * seg6nr_flow_hold() - how a packet that is not the first holds its route
 * @flow: the flow
 *
 * Return: what to expect in the mode that was chosen.
 */
enum seg6nr_hold seg6nr_flow_hold(const struct seg6nr_flow *flow)
{
	if (mode == SEG6NR_LOOK_UP && flow->onlink)
		return SEG6NR_CLONE;
	return is_remembered(flow) ? SEG6NR_LENT : flow->hold;
}

/**
 * seg6nr_flow_by_goal() - whether the packet's destination chooses the route
 * @flow: the flow
 *
 * Return: false if a configured next hop or policy does.
 */
bool seg6nr_flow_by_goal(const struct seg6nr_flow *flow)
{
	const struct seg6nr_sid *sid = &flow->sid;

	return !sid->nh4 && !sid->srh && (!sid->nh6 || ipv6_addr_any(sid->nh6));
}

/**
 * seg6nr_flow_frame() - make a frame that a behaviour accepts
 * @flow: the behaviour
 * @goal: where it shall go in the end
 * @frame: made anew
 */
void seg6nr_flow_frame(const struct seg6nr_flow *flow, enum seg6nr_goal goal,
		       struct seg6nr_frame *frame)
{
	const struct {
		const struct in6_addr	*ipv6;
		__be32			ipv4;
	} goals[] = {
		[SEG6NR_TO_BEHIND] = {
			&seg6nr_addr_behind, seg6nr_addr4_behind
		},
		[SEG6NR_TO_KEPT] = {
			&seg6nr_addr_kept, seg6nr_addr4_kept
		},
		[SEG6NR_TO_OWN] = {
			flow->sid.vrftable ? &seg6nr_addr_vrf :
					     &seg6nr_addr_own,
			flow->sid.vrftable ? seg6nr_addr4_vrf :
					     seg6nr_addr4_own
		},
		[SEG6NR_TO_NOWHERE] = {
			&seg6nr_addr_nowhere, seg6nr_addr4_nowhere
		},
	};

	if (flow->inner == IPPROTO_IPV6)
		seg6nr_frame_inner6(frame, goals[goal].ipv6);
	else if (flow->inner == IPPROTO_IPIP)
		seg6nr_frame_inner4(frame, goals[goal].ipv4);
	else if (flow->inner == IPPROTO_ETHERNET)
		seg6nr_frame_ethernet(frame);
	else if (flow->shape == SEG6NR_FAR)
		seg6nr_frame_far(frame, goals[goal].ipv6);
	else if (flow->shape == SEG6NR_NEXT_CSID)
		seg6nr_frame_next_csid(frame, goals[goal].ipv6);
	else if (flow->shape == SEG6NR_REPLACE_CSID)
		seg6nr_frame_replace_csid(frame, goals[goal].ipv6,
					  flow->sid.replace_nflen);
	else
		seg6nr_frame_steered(frame, goals[goal].ipv6);
}

/**
 * seg6nr_send() - send copies of a frame to the SID
 * @test: the case; failed if memory is short
 * @frame: the frame
 * @count: how many
 */
void seg6nr_send(struct kunit *test, const struct seg6nr_frame *frame,
		 unsigned int count)
{
	struct sk_buff *skb;

	while (count--) {
		skb = seg6nr_skb(frame);
		if (!skb) {
			KUNIT_FAIL(test, "no memory for a packet");
			return;
		}
		seg6nr_inject(skb);
	}
}

/**
 * seg6nr_send_volley() - send many copies of a frame, none of which is kept
 * @test: the case; failed if memory is short
 * @frame: the frame
 * @count: how many
 */
void seg6nr_send_volley(struct kunit *test, const struct seg6nr_frame *frame,
			unsigned int count)
{
	struct sk_buff *master = seg6nr_volley_open(frame);
	struct sk_buff *skb;

	if (!master) {
		KUNIT_FAIL(test, "no memory for a packet");
		return;
	}
	while (count--) {
		skb = seg6nr_volley_skb(master, frame);
		if (!skb) {
			KUNIT_FAIL(test, "no memory for a packet");
			break;
		}
		seg6nr_inject(skb);
	}
	kfree_skb(master);
}

/**
 * seg6nr_account_open() - begin to watch a dst's references
 * @account: the account
 * @what: name of the dst for messages
 * @dst: a dst that is alive
 * @holds: references to take, more than the packets that follow
 */
void seg6nr_account_open(struct seg6nr_account *account, const char *what,
			 struct dst_entry *dst, unsigned int holds)
{
	unsigned int i;

	for (i = 0; i < holds; i++)
		dst_hold(dst);
	account->what = what;
	account->dst = dst;
	account->holds = holds;
	account->base = seg6nr_dst_refs(dst);
}

/* Those that are gone may hold the same route for a while. */
static void wait_until_forgotten(void)
{
	u64 entries = 0;
	int tries;

	for (tries = 0; tries < 10; tries++) {
		if (seg6nr_stat("nexthop_entries", &entries) || !entries)
			return;
		rcu_barrier();
	}
}

/**
 * seg6nr_account_first() - the same for the dst of a flow's first packet
 * @test: the case; failed if the packet leaves anything on the dst
 * @account: the account
 * @flow: the flow, its SID open
 * @frame: the packet
 * @point: where it is seen and ends
 * @holds: references to take, more than the packets that follow
 *
 * The packet also warms the caches up: the next one finds the dst instead of
 * making it.  A cached dst has one reference, the cache's; one that was made
 * for the packet has none once that is gone.
 *
 * Return: false if the packet does not get there, and the case is failed.
 */
bool seg6nr_account_first(struct kunit *test, struct seg6nr_account *account,
			  const struct seg6nr_flow *flow,
			  const struct seg6nr_frame *frame,
			  enum seg6nr_point point, unsigned int holds)
{
	struct seg6nr_watch before = { .end = point };
	struct seg6nr_watch watch = { .end = point, .holds = holds };

	wait_until_forgotten();
	if (flow->second) {
		seg6nr_watch_start(&before);
		seg6nr_send(test, frame, 1);
		seg6nr_watch_stop(&before);
	}
	seg6nr_watch_start(&watch);
	seg6nr_send(test, frame, 1);
	seg6nr_watch_stop(&watch);
	if (!watch.at[point].packets) {
		KUNIT_FAIL(test, "%s: the first packet does not get through",
			   flow->name);
		return false;
	}

	account->what = "route";
	account->dst = watch.at[point].dst;
	account->holds = holds;
	account->base = holds + (seg6nr_flow_hold(flow) != SEG6NR_CLONE) +
			(point != SEG6NR_AT_LOCAL && is_remembered(flow));
	seg6nr_account_check(test, account, flow->name, 1);
	return true;
}

/**
 * seg6nr_account_open_route() - the same for the dst of an IPv6 destination
 * @account: the account
 * @what: name of the dst for messages
 * @daddr: the destination, looked up as the input path does
 * @holds: references to take, more than the packets that follow
 */
void seg6nr_account_open_route(struct seg6nr_account *account,
			       const char *what, const struct in6_addr *daddr,
			       unsigned int holds)
{
	struct flowi6 fl6 = {
		.flowi6_iif = seg6nr_env.in->ifindex,
		.daddr = *daddr,
		.saddr = seg6nr_addr_peer,
	};

	local_bh_disable();
	rcu_read_lock();
	seg6nr_account_open(account, what,
			    seg6nr_route_noref(NULL, &fl6), holds);
	rcu_read_unlock();
	local_bh_enable();
}

/**
 * seg6nr_account_check() - a dst must have the references that it had
 * @test: the case
 * @account: the account
 * @flow: name of what was tested, for the message
 * @packets: how many were sent, for the message
 *
 * What is wrong is set right afterwards: a fault shall fail its case, not make
 * every later one fail, nor the machine.
 */
void seg6nr_account_check(struct kunit *test, struct seg6nr_account *account,
			  const char *flow, unsigned int packets)
{
	unsigned int now = seg6nr_dst_refs(account->dst);

	KUNIT_EXPECT_EQ_MSG(test, now, account->base,
			    "%s: %s after %u packets: expected %u references, seen %u",
			    flow, account->what, packets, account->base, now);
	for (; now < account->base; now++)
		dst_hold(account->dst);
	for (; now > account->base; now--)
		dst_release(account->dst);
}

/**
 * seg6nr_account_close() - stop watching, give our own references back
 * @account: the account
 */
void seg6nr_account_close(struct seg6nr_account *account)
{
	for (; account->holds; account->holds--)
		dst_release(account->dst);
}
