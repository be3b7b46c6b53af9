// SPDX-License-Identifier: GPL-2.0-only
/*
 * lwt.c - the lwtunnel encap: states are built and freed here, packets come in
 * and leave
 *
 * Behaviours only give verdicts; every skb is handed on or freed, and every
 * packet counted, in this file.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>
#include <linux/netfilter.h>
#include <linux/netfilter_ipv6.h>
#include <linux/percpu.h>
#include <net/ipv6.h>
#include <net/netlink.h>

#include "seg6nr.h"

/*
 * SIDs on this CPU that wait for a dst_input() of theirs to return.  Where
 * PREEMPT_RT lets several softirqs of a CPU interleave, they add up; the limit
 * leaves room for that, and a drop is the worst that comes of it.
 */
static DEFINE_PER_CPU(unsigned int, depth);

static atomic_t pinned __read_mostly = ATOMIC_INIT(0);

static struct seg6nr_lwt *seg6nr_lwt(const struct lwtunnel_state *lwtstate)
{
	return (struct seg6nr_lwt *)lwtstate->data;
}

/**
 * seg6nr_pkt_init() - begin work on a packet
 * @pkt: filled; @pkt->slwt is NULL where the packet has no dst of ours (any
 *	 more), as after a netfilter hook
 * @net: namespace
 * @skb: the packet, owned by the caller
 *
 * Context: RCU read section.
 */
void seg6nr_pkt_init(struct seg6nr_pkt *pkt, struct net *net,
		     struct sk_buff *skb)
{
	const struct dst_entry *dst = skb_dst(skb);

	pkt->skb = skb;
	pkt->net = net;
	pkt->reason = SKB_NOT_DROPPED_YET;
	pkt->rc = 0;
	pkt->slwt = NULL;
	if (dst && dst->lwtstate && dst->lwtstate->type == seg6nr_slot)
		pkt->slwt = seg6nr_lwt(dst->lwtstate);
}

/*
 * A packet that this node processes once more pays a hop for it; that bounds
 * loops between SIDs, which never meet the forward path's own decrement.
 */
static enum seg6nr_verdict spend_hop(struct seg6nr_pkt *pkt)
{
	enum seg6nr_verdict verdict;
	struct sk_buff *skb = pkt->skb;
	struct ipv6hdr *hdr;
	__be16 *word;

	verdict = seg6nr_hop_limit(pkt);
	if (verdict != SEG6NR_FORWARD)
		return verdict;
	if (skb_ensure_writable(skb, sizeof(*hdr)))
		return SEG6NR_DROP_NOMEM;

	hdr = ipv6_hdr(skb);
	word = (__be16 *)&hdr->nexthdr;
	skb_postpull_rcsum(skb, word, sizeof(*word));
	hdr->hop_limit--;
	skb_postpush_rcsum(skb, word, sizeof(*word));
	return SEG6NR_FORWARD;
}

/*
 * The forward path and the drivers take TCP or UDP of a GSO packet to be where
 * the transport header is, and drop what does not look like it; behind an SRH
 * it still stands on that.
 */
static void find_transport(struct sk_buff *skb)
{
	if (skb->protocol == htons(ETH_P_IPV6) && skb_is_gso(skb) &&
	    !skb->encapsulation &&
	    skb->ip_summed == CHECKSUM_PARTIAL && !seg6nr_nexthop_is_local(skb))
		skb_set_transport_header(skb, skb_checksum_start_offset(skb));
}

/* Congestion is a warning; the packet is on its way. */
static int forgive_congestion(int rc)
{
	return rc == NET_XMIT_CN ? 0 : rc;
}

/* The next hop is an error, or one more SID or tunnel. */
static noinline int hand_on_specially(struct seg6nr_pkt *pkt)
{
	const struct dst_entry *dst = skb_dst(pkt->skb);
	enum seg6nr_verdict verdict = SEG6NR_FORWARD;
	int error = dst->error;
	int rc;

	if (pkt->skb->protocol == htons(ETH_P_IPV6) &&
	    seg6nr_nexthop_is_sid(dst))
		verdict = spend_hop(pkt);
	else
		find_transport(pkt->skb);
	if (verdict != SEG6NR_FORWARD)
		return seg6nr_drop(pkt, verdict);

	rc = forgive_congestion(dst_input(pkt->skb));
	if (!error)
		return rc;

	/* IPv4 keeps errors positive. */
	seg6nr_count_unreachable(pkt);
	return rc ? rc : -abs(error);
}

static __always_inline int hand_on(struct seg6nr_pkt *pkt)
{
	const struct dst_entry *dst = skb_dst(pkt->skb);

	if (unlikely(dst->error || dst->lwtstate))
		return hand_on_specially(pkt);

	if (unlikely(skb_is_gso(pkt->skb)))
		find_transport(pkt->skb);
	return forgive_congestion(dst_input(pkt->skb));
}

static __always_inline int finish(struct seg6nr_pkt *pkt,
				  enum seg6nr_verdict verdict)
{
	if (likely(verdict == SEG6NR_FORWARD))
		return hand_on(pkt);
	if (verdict == SEG6NR_CONSUMED)
		return forgive_congestion(pkt->rc);
	return seg6nr_drop(pkt, verdict);
}

/**
 * seg6nr_finish() - carry out a verdict
 * @pkt: the packet
 * @verdict: what a behaviour said
 *
 * Context: BH off, RCU read section.  Hands the skb on or frees it.
 *
 * Return: 0 where the packet went on, else an error or NET_XMIT_* code.
 */
int seg6nr_finish(struct seg6nr_pkt *pkt, enum seg6nr_verdict verdict)
{
	return finish(pkt, verdict);
}

/*
 * Run the behaviour of the SID.  A switch, not a pointer in the table of
 * behavior.c: with retpolines an indirect call costs more than finding the
 * case.
 */
static __always_inline enum seg6nr_verdict behave(struct seg6nr_pkt *pkt)
{
	switch (pkt->slwt->action) {
	case SEG6NR_ACT_END:
		return seg6nr_end(pkt);
	case SEG6NR_ACT_END_X:
		return seg6nr_end_x(pkt);
	case SEG6NR_ACT_END_T:
		return seg6nr_end_t(pkt);
	case SEG6NR_ACT_END_DX2:
		return seg6nr_end_dx2(pkt);
	case SEG6NR_ACT_END_DX6:
		return seg6nr_end_dx6(pkt);
	case SEG6NR_ACT_END_DX4:
		return seg6nr_end_dx4(pkt);
	case SEG6NR_ACT_END_DT6:
		return seg6nr_end_dt6(pkt);
	case SEG6NR_ACT_END_DT4:
		return seg6nr_end_dt4(pkt);
	case SEG6NR_ACT_END_DT46:
		return seg6nr_end_dt46(pkt);
	case SEG6NR_ACT_END_B6:
		return seg6nr_end_b6(pkt);
	case SEG6NR_ACT_END_B6_ENCAPS:
		return seg6nr_end_b6_encaps(pkt);
	case SEG6NR_ACT_END_BPF:
		return seg6nr_end_bpf(pkt);
	}
	return SEG6NR_DROP_NO_STATE;
}

/* The SID of a packet is known, and so is that the packet has one. */
static __always_inline int run(struct seg6nr_pkt *pkt)
{
	struct seg6nr_counters __percpu *counters = pkt->slwt->counters;
	enum seg6nr_verdict verdict;
	unsigned int len = pkt->skb->len;
	int rc;

	if (likely(this_cpu_inc_return(depth) <= SEG6NR_MAX_DEPTH))
		verdict = behave(pkt);
	else
		verdict = SEG6NR_DROP_DEPTH;
	rc = finish(pkt, verdict);
	this_cpu_dec(depth);

	if (counters)
		seg6nr_counters_add(counters, len, rc);
	return rc;
}

/* Behind a hook, which may have taken the dst away. */
static int run_hooked(struct net *net, struct sock *sk, struct sk_buff *skb)
{
	struct seg6nr_pkt pkt;
	int rc;

	rcu_read_lock();
	seg6nr_pkt_init(&pkt, net, skb);
	if (likely(pkt.slwt))
		rc = run(&pkt);
	else
		rc = seg6nr_finish(&pkt, SEG6NR_DROP_NO_STATE);
	rcu_read_unlock();
	return rc;
}

/**
 * seg6nr_pin_module() - never to be unloaded again
 *
 * To be called before a netfilter hook runs.  A verdict on a queued packet
 * returns into our text, by when nothing else may hold the module: NAT can have
 * dropped the dst.
 *
 * Context: any, with a packet that holds the module for now.
 */
void seg6nr_pin_module(void)
{
	if (!atomic_read(&pinned) && !atomic_xchg(&pinned, 1)) {
		__module_get(THIS_MODULE);
		pr_notice("net.netfilter.nf_hooks_lwtunnel is on: the module cannot be unloaded any more\n");
	}
}

/* The kernel's own encap runs the hooks for these. */
static bool is_delegated(const struct sk_buff *skb)
{
	return seg6nr_lwt(skb_dst(skb)->lwtstate)->inner;
}

static int receive(struct net *net, struct sk_buff *skb)
{
	struct seg6nr_pkt pkt = {
		.skb	= skb,
		.net	= net,
		.slwt	= seg6nr_lwt(skb_dst(skb)->lwtstate),
		.reason	= SKB_NOT_DROPPED_YET,
	};

	if (unlikely(skb->protocol != htons(ETH_P_IPV6)))
		return seg6nr_finish(&pkt, SEG6NR_DROP_NOT_IPV6);

	if (seg6nr_nf_hooks_enabled() && !is_delegated(skb)) {
		seg6nr_pin_module();
		return NF_HOOK(NFPROTO_IPV6, NF_INET_LOCAL_IN, net, NULL, skb,
			       skb->dev, NULL, run_hooked);
	}

	return run(&pkt);
}

/*
 * lwtunnel_input() has us in an RCU read section, and got here by way of our
 * state.  It would free the skb once more for -EOPNOTSUPP.
 */
static int seg6nr_input(struct sk_buff *skb)
{
	int rc = receive(dev_net(skb->dev), skb);

	return unlikely(rc == -EOPNOTSUPP) ? -EINVAL : rc;
}

/* The one attribute that RTA_ENCAP may hold for us. */
static const struct nlattr *find_nest(const struct nlattr *encap,
				      struct netlink_ext_ack *extack)
{
	const struct nlattr *attr = nla_data(encap);
	int len = nla_len(encap);

	if (!nla_ok(attr, len) || nla_type(attr) != SEG6NR_ENCAP) {
		seg6nr_refuse(extack, encap,
			      "encap: not a seg6local_noref route (private attribute missing)",
			      -EINVAL);
		return NULL;
	}
	if (NLA_ALIGN(attr->nla_len) < len) {
		seg6nr_refuse(extack, encap,
			      "encap: more than the private attribute given",
			      -EINVAL);
		return NULL;
	}
	return attr;
}

/* What the behaviour may put in front of a packet. */
static unsigned int headroom(const struct seg6nr_lwt *slwt)
{
	if (slwt->action == SEG6NR_ACT_END_B6_ENCAPS)
		return sizeof(struct ipv6hdr) + slwt->srh_len;
	return slwt->srh_len;
}

static int seg6nr_build_state(struct net *net, struct nlattr *encap,
			      unsigned int family, const void *cfg,
			      struct lwtunnel_state **ts,
			      struct netlink_ext_ack *extack)
{
	struct seg6nr_config config = { .net = net, .cfg = cfg };
	struct lwtunnel_state *lwtstate;
	const struct nlattr *nest;
	struct seg6nr_lwt *slwt;
	int err;

	if (family != AF_INET6)
		return seg6nr_refuse(extack, encap,
				     "encap: seg6local_noref works on IPv6 routes only",
				     -EINVAL);

	nest = find_nest(encap, extack);
	if (!nest)
		return -EINVAL;

	lwtstate = lwtunnel_state_alloc(sizeof(struct seg6nr_lwt));
	if (!lwtstate)
		return -ENOMEM;

	slwt = seg6nr_lwt(lwtstate);
	err = seg6nr_attrs_parse(&config, slwt, nest, extack);
	if (err)
		goto free_state;
	err = seg6nr_nexthop_init_state(slwt);
	if (err)
		goto destroy_attrs;

	lwtstate->type = seg6nr_slot;
	lwtstate->flags |= LWTUNNEL_STATE_INPUT_REDIRECT;
	lwtstate->headroom = headroom(slwt);
	seg6nr_netns_add(net, slwt);
	*ts = lwtstate;
	return 0;

destroy_attrs:
	seg6nr_attrs_destroy(slwt);
free_state:
	kfree(lwtstate);
	return err;
}

/* From an RCU callback: no packet can see the state any more. */
static void seg6nr_destroy_state(struct lwtunnel_state *lwtstate)
{
	struct seg6nr_lwt *slwt = seg6nr_lwt(lwtstate);

	seg6nr_netns_del(slwt);
	seg6nr_nexthop_exit_state(slwt);
	seg6nr_netns_put(slwt);
	seg6nr_attrs_destroy(slwt);
}

static int seg6nr_fill_encap(struct sk_buff *skb,
			     struct lwtunnel_state *lwtstate)
{
	struct nlattr *nest;

	nest = nla_nest_start(skb, SEG6NR_ENCAP);
	if (!nest)
		return -EMSGSIZE;

	if (seg6nr_attrs_put(skb, seg6nr_lwt(lwtstate))) {
		nla_nest_cancel(skb, nest);
		return -EMSGSIZE;
	}
	nla_nest_end(skb, nest);
	return 0;
}

static int seg6nr_get_encap_size(struct lwtunnel_state *lwtstate)
{
	return nla_total_size(seg6nr_attrs_size(seg6nr_lwt(lwtstate)));
}

static int seg6nr_cmp_encap(struct lwtunnel_state *a, struct lwtunnel_state *b)
{
	return !seg6nr_attrs_equal(seg6nr_lwt(a), seg6nr_lwt(b));
}

const struct lwtunnel_encap_ops seg6nr_encap_ops = {
	.build_state	= seg6nr_build_state,
	.destroy_state	= seg6nr_destroy_state,
	.input		= seg6nr_input,
	.fill_encap	= seg6nr_fill_encap,
	.get_encap_size	= seg6nr_get_encap_size,
	.cmp_encap	= seg6nr_cmp_encap,
	.owner		= THIS_MODULE,
};
