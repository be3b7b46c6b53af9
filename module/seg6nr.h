/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * seg6nr.h - private types of seg6local_noref, prototypes by defining file
 *
 * A packet goes lwt.c -> behavior.c -> end.c / decap.c -> srh.c, vrf.c ->
 * nexthop.c and back to lwt.c, which alone counts, frees and hands on.
 *
 * Words: _init/_exit module parts, _noref takes no reference.  Everything on
 * the packet path runs with BH off inside one RCU read section.
 */
#ifndef SEG6NR_H
#define SEG6NR_H

#include <linux/in.h>
#include <linux/in6.h>
#include <linux/ipv6.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/netdevice.h>
#include <linux/refcount.h>
#include <linux/seg6.h>
#include <linux/skbuff.h>
#include <linux/spinlock.h>
#include <linux/u64_stats_sync.h>

#include "compat.h"
#include "uapi.h"

struct netlink_ext_ack;
struct nlattr;
struct proc_dir_entry;
struct seq_file;

/* Local SIDs that one packet may visit on its way through this node. */
#define SEG6NR_MAX_DEPTH	8

/* Extension headers that are walked at most. */
#define SEG6NR_MAX_EXT_HDRS	12

struct seg6nr_counters {
	u64_stats_t		packets;
	u64_stats_t		bytes;
	u64_stats_t		errors;
	struct u64_stats_sync	syncp;
};

/**
 * struct seg6nr_lwt - one SID: what lwtunnel_state::data holds
 * @action: SEG6NR_ACT_*
 * @attrs: bit per SEG6NR_A_* that was configured
 * @table: routing table of End.T and End.DT6
 * @vrftable: routing table whose VRF receives the inner packet
 * @vrf_ifindex: device last seen to be that VRF; a hint, checked on use
 * @vrf_missed: jiffies of the last vain search for the VRF
 * @oif: device that End.X or End.DX2 must leave through
 * @flavors: bit per SEG6NR_FLV_OP_*
 * @lb: octets of the locator block in a C-SID
 * @nf: octets of its node and function
 * @nh4: next hop of End.DX4, 0.0.0.0 for "by inner destination"
 * @nh6: next hop of End.X and End.DX6
 * @net: namespace of the route, to compare with, never dereferenced
 * @srh_len: length of @srh
 * @srh: policy of End.B6 and End.B6.Encaps
 * @counters: per-CPU, NULL without "count"
 *
 * @inner: End.BPF: the same SID as a state of the kernel's own encap
 * @bpf_id: number of its program
 * @bpf_name: what the user calls it
 * @hops: the routes that each CPU holds for this SID, NULL for behaviours that
 *	  route nothing
 * @ways: how many next hops a CPU remembers, a power of two or 0
 * @holds: something has been in @hops
 * @holders: the list that @node is in
 * @node: in the list of the states of @net that can hold routes
 *
 * Constant after build_state() but for @vrf_ifindex and @vrf_missed, which are
 * written only when the VRF was not where it was before, and for what @hops
 * points to.
 */
struct seg6nr_lwt {
	u32			action;
	u32			attrs;
	u32			flavors;
	u8			lb;
	u8			nf;
	u8			ways;
	bool			holds;
	struct seg6nr_counters __percpu *counters;
	struct seg6nr_hops * __percpu *hops;
	struct seg6nr_holders	*holders;
	struct in6_addr		nh6;
	struct in_addr		nh4;
	u32			table;
	u32			vrftable;
	int			vrf_ifindex;
	u32			oif;
	u16			srh_len;
	unsigned long		vrf_missed;
	const struct net	*net;
	struct ipv6_sr_hdr	*srh;
	struct lwtunnel_state	*inner;
	char			*bpf_name;
	u32			bpf_id;
	struct list_head	node;
};

/*
 * What a behaviour says about a packet.  From SEG6NR_DROP on each value is a
 * cause of its own with a line in /proc/net/seg6local_noref (stats.c has the
 * names, the error numbers and the kernel's drop reasons).
 */
enum seg6nr_verdict {
	SEG6NR_FORWARD,		/* a dst is attached: hand the packet to it */
	SEG6NR_CONSUMED,	/* the skb is gone, pkt->rc tells how */
	SEG6NR_DROP,
	SEG6NR_DROP_NOT_IPV6 = SEG6NR_DROP,
	SEG6NR_DROP_NO_STATE,
	SEG6NR_DROP_DEPTH,
	SEG6NR_DROP_NOMEM,
	SEG6NR_DROP_HOP_LIMIT,
	SEG6NR_DROP_EXT_HDRS,
	SEG6NR_DROP_FRAGMENT,
	SEG6NR_DROP_NO_SRH,
	SEG6NR_DROP_BAD_SRH,
	SEG6NR_DROP_SEGMENTS_LEFT,
	SEG6NR_DROP_HMAC,
	SEG6NR_DROP_MULTICAST,
	SEG6NR_DROP_INNER_TYPE,
	SEG6NR_DROP_INNER_HDR,
	SEG6NR_DROP_NO_ROUTE,
	SEG6NR_DROP_OIF,
	SEG6NR_DROP_VRF,
	SEG6NR_DROP_DEV,
	SEG6NR_DROP_TOO_BIG,
	SEG6NR_VERDICTS
};

/**
 * struct seg6nr_pkt - a packet on its way through one behaviour
 * @skb: the packet; NULL once SEG6NR_CONSUMED
 * @net: namespace of the device it came in on
 * @slwt: the SID's state, valid until the RCU read section ends even though
 *	  the dst that led to it may be dropped earlier
 * @reason: drop reason found deeper down, else SKB_NOT_DROPPED_YET
 * @rc: return value of a packet that was consumed
 */
struct seg6nr_pkt {
	struct sk_buff		*skb;
	struct net		*net;
	struct seg6nr_lwt	*slwt;
	enum skb_drop_reason	reason;
	int			rc;
};

/* By verdict; a packet that went to an error route counts as unreachable. */
#define SEG6NR_UNREACHABLE	SEG6NR_FORWARD

struct seg6nr_stats {
	unsigned long		count[SEG6NR_VERDICTS];
};

/*
 * What came of looking for a remembered next hop, and why one could not be
 * remembered.  Each has a line in /proc/net/seg6local_noref.
 */
enum seg6nr_hop_event {
	SEG6NR_HOP_HIT,
	SEG6NR_HOP_MISS_EMPTY,
	SEG6NR_HOP_MISS_KEY,		/* another packet's */
	SEG6NR_HOP_MISS_CHANGED,	/* routes, rules or devices */
	SEG6NR_HOP_MISS_ROUTE,		/* itself no longer good */
	SEG6NR_HOP_MISS_AGE,
	SEG6NR_HOP_BYPASS_HOST,		/* not forwarding, or source routes */
	SEG6NR_HOP_BYPASS_RULES,	/* they look at more than we compare */
	SEG6NR_HOP_BYPASS_ROUTE,	/* not the only possible answer */
	SEG6NR_HOP_BYPASS_BUSY,		/* another's place, taken just now */
	SEG6NR_HOP_BYPASS_FULL,		/* limit of the namespace, memory */
	SEG6NR_HOP_EVENTS
};

struct seg6nr_hop_stats {
	unsigned long		count[SEG6NR_HOP_EVENTS];
};

/**
 * struct seg6nr_holders - the states of one namespace that can hold routes
 * @changes: counts what may alter a route without a trace in the FIB
 * @stats: of remembered next hops, per-CPU
 * @rules: what rules.c found last, and when
 * @hops: next hops remembered now
 * @held: routes held now for on-link next hops
 * @purges: how often all were released
 * @lock: guards @list
 * @list: of &seg6nr_lwt.node
 * @purging: one purge at a time
 * @refs: one of the namespace and one of each state, for a state may be freed
 *	  after its namespace
 */
struct seg6nr_holders {
	u32			changes;
	struct seg6nr_hop_stats __percpu *stats;

	atomic64_t		rules ____cacheline_aligned_in_smp;
	atomic_t		hops;
	atomic_t		held;
	unsigned long		purges;
	spinlock_t		lock;	/* guards list */
	struct list_head	list;
	struct mutex		purging;	/* one purge at a time */
	refcount_t		refs;
};

/**
 * struct seg6nr_net - a network namespace
 * @stats: what became of packets, per-CPU
 * @holders: the states that can hold routes
 * @dying: no route may be held any more
 */
struct seg6nr_net {
	struct seg6nr_stats __percpu *stats;
	struct seg6nr_holders	*holders;
	bool			dying;
};

/**
 * struct seg6nr_srh - where an SRH stands in a packet
 * @off: its offset from skb->data
 * @len: its length
 * @nhoff: offset of the octet in front of it that announces it
 */
struct seg6nr_srh {
	unsigned int		off;
	unsigned int		len;
	unsigned int		nhoff;
};

static inline struct ipv6_sr_hdr *seg6nr_srh(const struct sk_buff *skb,
					     const struct seg6nr_srh *at)
{
	return (struct ipv6_sr_hdr *)(skb->data + at->off);
}

/* Bit of an attribute in masks; those of our own follow the kernel's. */
static inline u32 seg6nr_bit(int attr)
{
	return BIT(attr < SEG6NR_A_EXT ? attr :
		   attr - SEG6NR_A_EXT + SEG6NR_A_MAX + 1);
}

static inline bool seg6nr_has(const struct seg6nr_lwt *slwt, int attr)
{
	return slwt->attrs & seg6nr_bit(attr);
}

/* What a device says about the octets of a packet has to be kept true. */
static inline bool seg6nr_has_csum(const struct sk_buff *skb)
{
	return skb->ip_summed == CHECKSUM_COMPLETE ||
	       skb->ip_summed == CHECKSUM_PARTIAL;
}

/* skb_ensure_writable(), mostly without a call. */
static inline int seg6nr_ensure_writable(struct sk_buff *skb, unsigned int len)
{
	if (likely(len <= skb_headlen(skb) && !skb_cloned(skb)))
		return 0;
	return skb_ensure_writable(skb, len);
}

static inline bool seg6nr_has_flavor(const struct seg6nr_lwt *slwt, int op)
{
	return slwt->flavors & BIT(op);
}

/* main.c: the slot, __ro_after_init */
extern int seg6nr_slot;

/* param.c: what the administrator can change about next hops at any time */
extern struct seg6nr_params {
	bool		hold;		/* on-link routes */
	bool		cache;		/* remember next hops */
	unsigned int	limit;		/* of those, in a namespace */
	unsigned long	max_age;	/* of one, in jiffies */
} seg6nr_params;

/* lwt.c */
extern const struct lwtunnel_encap_ops seg6nr_encap_ops;

void seg6nr_pkt_init(struct seg6nr_pkt *pkt, struct net *net,
		     struct sk_buff *skb);
int seg6nr_finish(struct seg6nr_pkt *pkt, enum seg6nr_verdict verdict);
void seg6nr_pin_module(void);

/* What is known of a route under construction. */
struct seg6nr_config {
	struct net *net;
	const void *cfg;	/* the kernel's own, for a state inside ours */
};

/* attr.c: process context, may sleep */
void seg6nr_attrs_init(void);
int seg6nr_refuse(struct netlink_ext_ack *extack, const struct nlattr *attr,
		  const char *msg, int err);
int seg6nr_attrs_parse(const struct seg6nr_config *config,
		       struct seg6nr_lwt *slwt,
		       const struct nlattr *nest,
		       struct netlink_ext_ack *extack);
void seg6nr_attrs_destroy(struct seg6nr_lwt *slwt);
int seg6nr_attrs_put(struct sk_buff *skb, const struct seg6nr_lwt *slwt);
int seg6nr_attrs_size(const struct seg6nr_lwt *slwt);
bool seg6nr_attrs_equal(const struct seg6nr_lwt *a, const struct seg6nr_lwt *b);

/* behavior.c */
struct seg6nr_behavior {
	bool exists;
	u32 needs;		/* seg6nr_bit() of each attribute required */
	u32 one_of;		/* of those of which just one is required */
	u32 allows;		/* of those that are optional */
};

const struct seg6nr_behavior *seg6nr_behavior(u32 action);

/* end.c: handlers that keep the outer header */
enum seg6nr_verdict seg6nr_end(struct seg6nr_pkt *pkt);
enum seg6nr_verdict seg6nr_end_x(struct seg6nr_pkt *pkt);
enum seg6nr_verdict seg6nr_end_t(struct seg6nr_pkt *pkt);

/* policy.c: handlers that bind a policy */
enum seg6nr_verdict seg6nr_end_b6(struct seg6nr_pkt *pkt);
enum seg6nr_verdict seg6nr_end_b6_encaps(struct seg6nr_pkt *pkt);

/* bpf.c */
int seg6nr_bpf_parse(const struct seg6nr_config *config,
		     struct seg6nr_lwt *slwt, const struct nlattr *attr,
		     struct netlink_ext_ack *extack);
int seg6nr_bpf_put(struct sk_buff *skb, const struct seg6nr_lwt *slwt);
int seg6nr_bpf_size(const struct seg6nr_lwt *slwt);
bool seg6nr_bpf_equal(const struct seg6nr_lwt *a, const struct seg6nr_lwt *b);
void seg6nr_bpf_destroy(struct seg6nr_lwt *slwt);
enum seg6nr_verdict seg6nr_end_bpf(struct seg6nr_pkt *pkt);

/* decap.c: handlers that remove the outer header */
enum seg6nr_verdict seg6nr_decap_l3(struct seg6nr_pkt *pkt);
enum seg6nr_verdict seg6nr_end_dx2(struct seg6nr_pkt *pkt);
enum seg6nr_verdict seg6nr_end_dx6(struct seg6nr_pkt *pkt);
enum seg6nr_verdict seg6nr_end_dx4(struct seg6nr_pkt *pkt);
enum seg6nr_verdict seg6nr_end_dt6(struct seg6nr_pkt *pkt);
enum seg6nr_verdict seg6nr_end_dt4(struct seg6nr_pkt *pkt);
enum seg6nr_verdict seg6nr_end_dt46(struct seg6nr_pkt *pkt);

/* srh.c: header pointers taken before any of these are stale after it */
bool seg6nr_srh_is_valid(const struct ipv6_sr_hdr *srh);
enum seg6nr_verdict seg6nr_srh_find(struct seg6nr_pkt *pkt,
				    struct seg6nr_srh *at, bool replace);
enum seg6nr_verdict seg6nr_srh_advance(struct seg6nr_pkt *pkt,
				       const struct seg6nr_srh *at, bool *last);
enum seg6nr_verdict seg6nr_srh_pop(struct seg6nr_pkt *pkt,
				   const struct seg6nr_srh *at);
enum seg6nr_verdict seg6nr_srh_push(struct seg6nr_pkt *pkt,
				    const struct ipv6_sr_hdr *srh,
				    unsigned int len);
enum seg6nr_verdict seg6nr_decap_find(struct seg6nr_pkt *pkt, u8 *inner,
				      unsigned int *off);
enum seg6nr_verdict seg6nr_hop_limit(struct seg6nr_pkt *pkt);
void seg6nr_srh_set_left(struct sk_buff *skb, const struct seg6nr_srh *at,
			 u8 left);
void seg6nr_rewrite(struct sk_buff *skb, void *at, const void *with,
		    unsigned int len);
void seg6nr_set_daddr(struct sk_buff *skb, const struct in6_addr *daddr);
void seg6nr_payload_len(struct sk_buff *skb);

/* csid.c */
bool seg6nr_next_csid_pending(const struct seg6nr_lwt *slwt,
			      const struct in6_addr *daddr);
enum seg6nr_verdict seg6nr_next_csid(struct seg6nr_pkt *pkt);
bool seg6nr_replace_csid_pending(const struct seg6nr_pkt *pkt,
				 const struct seg6nr_srh *at);
enum seg6nr_verdict seg6nr_replace_csid(struct seg6nr_pkt *pkt,
					const struct seg6nr_srh *at,
					bool *last);

/* vrf.c */
int seg6nr_vrf_bind(struct net *net, struct seg6nr_lwt *slwt,
		    const struct nlattr *attr, struct netlink_ext_ack *extack);
struct net_device *seg6nr_vrf_noref(struct seg6nr_pkt *pkt, u32 table);
enum seg6nr_verdict seg6nr_route_in_vrf(struct seg6nr_pkt *pkt,
					struct net_device *vrf);

/* nexthop.c: the only file that looks up, sets or references a dst */
#define SEG6NR_NH_LOCAL		BIT(0)	/* may be delivered to this node */

enum seg6nr_verdict seg6nr_nexthop(struct seg6nr_pkt *pkt,
				   const struct in6_addr *daddr,
				   unsigned int flags);
enum seg6nr_verdict seg6nr_nexthop_table(struct seg6nr_pkt *pkt, u32 table,
					 unsigned int flags);
enum seg6nr_verdict seg6nr_nexthop_oif(struct seg6nr_pkt *pkt,
				       const struct in6_addr *daddr, int oif);
enum seg6nr_verdict seg6nr_nexthop_known(struct seg6nr_pkt *pkt,
					 const struct in6_addr *nexthop);
enum seg6nr_verdict seg6nr_nexthop_delegate(struct seg6nr_pkt *pkt);
enum seg6nr_verdict seg6nr_nexthop_ipv4(struct seg6nr_pkt *pkt);
enum seg6nr_verdict seg6nr_nexthop_known_ipv4(struct seg6nr_pkt *pkt,
					      __be32 nexthop);
int seg6nr_nexthop_init_state(struct seg6nr_lwt *slwt);
void seg6nr_nexthop_exit_state(struct seg6nr_lwt *slwt);
void seg6nr_nexthop_purge(struct seg6nr_lwt *slwt);
void seg6nr_nexthop_detach(struct sk_buff *skb);
bool seg6nr_nexthop_is_sid(const struct dst_entry *dst);
bool seg6nr_nexthop_is_local(const struct sk_buff *skb);

/* rules.c */
#define SEG6NR_RULES_KNOWN	BIT(0)	/* iif, destination and mark decide */
#define SEG6NR_RULES_PLAIN	BIT(1)	/* none looks at the route found */

unsigned int seg6nr_rules(struct net *net, struct seg6nr_holders *holders);
unsigned int seg6nr_rules_now(const struct net *net);

/* netns.c */
struct seg6nr_net *seg6nr_net(const struct net *net);
int seg6nr_netns_init(void);
void seg6nr_netns_exit(void);
void seg6nr_netns_add(struct net *net, struct seg6nr_lwt *slwt);
void seg6nr_netns_del(struct seg6nr_lwt *slwt);
void seg6nr_netns_put(struct seg6nr_lwt *slwt);

/* stats.c */
int seg6nr_stats_show(struct seq_file *seq, void *v);
int seg6nr_drop(struct seg6nr_pkt *pkt, enum seg6nr_verdict verdict);
void seg6nr_count_unreachable(const struct seg6nr_pkt *pkt);
struct seg6nr_counters __percpu *seg6nr_counters_alloc(void);
void seg6nr_counters_add(struct seg6nr_counters __percpu *counters,
			 unsigned int len, int rc);
void seg6nr_counters_sum(struct seg6nr_counters __percpu *counters,
			 u64 sum[SEG6NR_CNT_MAX + 1]);

#endif /* SEG6NR_H */
