// SPDX-License-Identifier: GPL-2.0-only
/*
 * hop.c - the memory of nexthop.c: routes that each CPU holds for each SID
 *
 * Two kinds, both of which exist only while nothing has to wait for them: they
 * are released when a device goes down or away and when a namespace ends, by
 * way of the list in netns.c.
 *
 * Held routes, to on-link next hops.  The route that a lookup finds for such a
 * next hop is for whole networks and names no neighbour, so the kernel can only
 * make one more route for each packet.  Here each CPU makes one for each SID
 * and lends it as long as every further lookup finds the route it was made
 * from.  That is no cache of the lookup's result: the lookup is done.
 *
 * Remembered next hops.  What a CPU found for its last packet to a SID is what
 * it would find now, if it depends on nothing but what is compared:
 *  - the destination, the device it came in on and the mark, where no policy
 *    rule and no route looks at more;
 *  - the FIB: whatever is added bumps the generation after it is in; whatever
 *    is removed is counted after it is out.  The answer itself is seen to go
 *    in its own node, for that counter can lose one of two at a time;
 *  - devices, counted by our notifier;
 *  - one route with one path: no other of the same metric that the state of
 *    neighbours or a hash could prefer.
 * What remains is a route that a setting or an advertisement brings back to
 * life where it stands, hence the age.
 */
#include <linux/jiffies.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <net/ip6_route.h>
#include <net/ipv6.h>
#include <net/l3mdev.h>
#include <net/nexthop.h>

#include "hop.h"

/* Next hops that a CPU remembers for a SID that can lead to several. */
#define MANY_WAYS	8

static void release_held(struct seg6nr_held *held)
{
	if (!held)
		return;
	/* Packets on loan keep the dst until their RCU read sections end. */
	dst_release(held->dst);
	dst_release(held->base);
	atomic_dec(&held->holders->held);
	kfree_rcu(held, rcu);
}

static void release_hop(struct seg6nr_hop *hop)
{
	if (!hop)
		return;
	dst_release(&hop->rt->dst);
	fib6_info_release(hop->from);
	atomic_dec(&hop->holders->hops);
	kfree_rcu(hop, rcu);
}

/* This CPU's, made if need be; NULL without memory. */
static struct seg6nr_hops *make_hops(struct seg6nr_lwt *slwt)
{
	struct seg6nr_hops *hops = seg6nr_hops_noref(slwt);
	struct seg6nr_hops *other;

	if (hops)
		return hops;
	hops = kzalloc(struct_size(hops, way, slwt->ways),
		       GFP_ATOMIC | __GFP_NOWARN);
	if (!hops)
		return NULL;

	if (!READ_ONCE(slwt->holds))
		WRITE_ONCE(slwt->holds, true);
	/* Softirqs of one CPU interleave under PREEMPT_RT. */
	other = cmpxchg(this_cpu_ptr(slwt->hops), NULL, hops);
	if (unlikely(other)) {
		kfree(hops);
		return other;
	}
	return hops;
}

/*
 * One route per SID and CPU must not count against the limit above which each
 * allocation looks for garbage.
 */
static void uncount(struct dst_entry *dst)
{
	dst->flags |= DST_NOCOUNT;
	dst_entries_add(dst->ops, -1);
}

/*
 * A tunnel behind the route may lead back to the SID that would hold it, and
 * neither would ever be freed.
 */
static bool may_loop(const struct seg6nr_pkt *pkt, const struct dst_entry *dst)
{
	return dst->lwtstate && dst->lwtstate != pkt->slwt->inner;
}

static bool may_hold(const struct seg6nr_pkt *pkt, const struct dst_entry *dst)
{
	return net_eq(pkt->net, pkt->slwt->net) &&
	       !READ_ONCE(seg6nr_net(pkt->net)->dying) &&
	       READ_ONCE(dst->dev)->reg_state == NETREG_REGISTERED;
}

/**
 * seg6nr_hop_hold() - hold a route to the SID's on-link next hop
 * @pkt: the packet that it was made for
 * @dst: the route; it carries one reference, which is held from now on
 * @base: IPv4: what it was made from, else NULL; one reference is taken
 *
 * Whoever purges after the device or namespace began to go either finds our
 * entry or is seen by the second look here: both are behind a full barrier.
 *
 * Context: BH off, RCU read section.
 *
 * Return: whether it is held; else the reference is still the caller's.
 */
bool seg6nr_hop_hold(const struct seg6nr_pkt *pkt, struct dst_entry *dst,
		     struct dst_entry *base)
{
	struct seg6nr_held *held;
	struct seg6nr_hops *hops;

	if (!READ_ONCE(seg6nr_params.hold) || !may_hold(pkt, dst) ||
	    may_loop(pkt, dst))
		return false;
	hops = make_hops(pkt->slwt);
	if (!hops)
		return false;
	held = kmalloc_obj(*held, GFP_ATOMIC | __GFP_NOWARN);
	if (!held)
		return false;
	if (base && !dst_hold_safe(base)) {
		kfree(held);
		return false;
	}

	uncount(dst);
	held->dst = dst;
	held->base = base;
	held->holders = pkt->slwt->holders;
	atomic_inc(&held->holders->held);
	release_held(unrcu_pointer(xchg(&hops->held, RCU_INITIALIZER(held))));

	if (!may_hold(pkt, dst))
		release_held(unrcu_pointer(xchg(&hops->held, NULL)));
	return true;
}

/* How many next hops a SID leads to, as far as its behaviour tells. */
static unsigned int ways_of(const struct seg6nr_lwt *slwt)
{
	switch (slwt->action) {
	case SEG6NR_ACT_END_X:
	case SEG6NR_ACT_END_B6:
	case SEG6NR_ACT_END_B6_ENCAPS:
		return 1;
	case SEG6NR_ACT_END_DX6:
		return ipv6_addr_any(&slwt->nh6) ? MANY_WAYS : 1;
	case SEG6NR_ACT_END:
	case SEG6NR_ACT_END_T:
	case SEG6NR_ACT_END_DT6:
	case SEG6NR_ACT_END_DT46:
		return MANY_WAYS;
	}
	return 0;
}

/**
 * seg6nr_nexthop_init_state() - prepare a state for holding routes
 * @slwt: the state, its attributes parsed
 *
 * Context: process context, may sleep.
 *
 * Return: 0 or -ENOMEM.
 */
int seg6nr_nexthop_init_state(struct seg6nr_lwt *slwt)
{
	slwt->ways = ways_of(slwt);
	if (!slwt->ways && slwt->action != SEG6NR_ACT_END_BPF &&
	    !slwt->nh4.s_addr)
		return 0;

	slwt->hops = __alloc_percpu_gfp(sizeof(*slwt->hops),
					__alignof__(*slwt->hops),
					GFP_KERNEL_ACCOUNT);
	return slwt->hops ? 0 : -ENOMEM;
}

/* The caller's barrier is behind what made it purge. */
static void purge_hops(struct seg6nr_hops *hops, unsigned int ways)
{
	while (ways--) {
		if (rcu_access_pointer(hops->way[ways]))
			release_hop(unrcu_pointer(xchg(&hops->way[ways],
						       NULL)));
	}
	if (rcu_access_pointer(hops->held))
		release_held(unrcu_pointer(xchg(&hops->held, NULL)));
}

/**
 * seg6nr_nexthop_purge() - release the routes that a state holds
 * @slwt: the state
 *
 * Context: any; packets may be using the state.  Idempotent.
 */
void seg6nr_nexthop_purge(struct seg6nr_lwt *slwt)
{
	struct seg6nr_hops *hops;
	int cpu;

	if (!READ_ONCE(slwt->holds))
		return;
	for_each_possible_cpu(cpu) {
		hops = READ_ONCE(*per_cpu_ptr(slwt->hops, cpu));
		if (hops)
			purge_hops(hops, slwt->ways);
	}
}

/**
 * seg6nr_nexthop_exit_state() - undo seg6nr_nexthop_init_state()
 * @slwt: the state, out of reach of packets
 *
 * Context: any, softirq included.
 */
void seg6nr_nexthop_exit_state(struct seg6nr_lwt *slwt)
{
	int cpu;

	if (!slwt->hops)
		return;
	seg6nr_nexthop_purge(slwt);
	for_each_possible_cpu(cpu)
		kfree(*per_cpu_ptr(slwt->hops, cpu));
	free_percpu(slwt->hops);
}

/**
 * seg6nr_hop_matched() - find the route that a lookup stands for
 * @pkt: the packet
 * @table: the table that was asked, NULL where rules chose
 * @daddr: what was looked up
 * @rt: the answer
 *
 * An answer by way of a nexthop object is shared by all routes that use the
 * object; there the match is looked for once more, which rules that judge what
 * was found would not allow.
 *
 * Context: BH off, RCU read section; valid as long, no reference.
 *
 * Return: NULL where it cannot be told.
 */
struct fib6_info *seg6nr_hop_matched(const struct seg6nr_pkt *pkt,
				     struct fib6_table *table,
				     const struct in6_addr *daddr,
				     const struct rt6_info *rt)
{
	struct fib6_result res = {};
	struct flowi6 fl6;
	int strict = 0;

	if (!rt->sernum)
		return rcu_dereference(rt->from);

	if (!net_eq(pkt->net, pkt->slwt->net) ||
	    !READ_ONCE(pkt->net->ipv6.devconf_all->forwarding))
		return NULL;
	if (!table && !(seg6nr_rules(pkt->net, pkt->slwt->holders) &
			SEG6NR_RULES_PLAIN))
		return NULL;

	seg6nr_flow(&fl6, pkt, daddr);
	if (!table && rt6_need_strict(daddr))
		strict = RT6_LOOKUP_F_IFACE;
	if (seg6nr_fib6_lookup(pkt->net, table, table ? 0 : fl6.flowi6_iif,
			       &fl6, &res, strict))
		return NULL;
	return res.f6i && res.f6i->nh ? res.f6i : NULL;
}

/**
 * seg6nr_hop_begin() - before a lookup whose answer may be remembered
 * @fill: filled
 * @pkt: the packet, of those that seg6nr_may_reuse() allows
 * @table: the only table that is asked, NULL where rules choose
 * @daddr: as for seg6nr_hop_reuse(), like the others
 * @iif: see there
 * @mark: see there
 *
 * Context: BH off, RCU read section, the one that seg6nr_hop_remember() is
 * called in.
 */
void seg6nr_hop_begin(struct seg6nr_fill *fill, const struct seg6nr_pkt *pkt,
		      struct fib6_table *table, const struct in6_addr *daddr,
		      int iif, u32 mark)
{
	fill->wanted = false;
	seg6nr_epoch_read(&fill->epoch, pkt);
	/* What is looked at from here on is not older than that. */
	smp_rmb();

	if (seg6nr_host_decides(pkt->net)) {
		seg6nr_hop_count(pkt, SEG6NR_HOP_BYPASS_HOST);
		return;
	}
	if (!table && !(seg6nr_rules(pkt->net, pkt->slwt->holders) &
			SEG6NR_RULES_KNOWN)) {
		seg6nr_hop_count(pkt, SEG6NR_HOP_BYPASS_RULES);
		return;
	}
	fill->wanted = true;
	fill->table = table;
	fill->daddr = *daddr;
	fill->iif = iif;
	fill->mark = mark;
}

/*
 * No other route of its node could be the answer, whatever becomes of
 * neighbours.  @dev: where that is prescribed, as for a link-local next hop,
 * routes by way of others are none.
 */
static bool is_sole(const struct fib6_info *from, const struct net_device *dev)
{
	const struct fib6_node *fn = rcu_dereference(from->fib6_node);
	const struct fib6_info *other;

	if (!fn)
		return false;
	for (other = rcu_dereference(fn->leaf); other;
	     other = rcu_dereference(other->fib6_next)) {
		if (other->fib6_metric > from->fib6_metric)
			break;
		if (other != from &&
		    (!dev || other->nh || other->fib6_nh->fib_nh_dev == dev))
			return false;
	}
	return true;
}

/* The route has one path, which works. */
static bool has_one_path(const struct fib6_info *from)
{
	const struct fib6_nh *nh = from->fib6_nh;

	if (READ_ONCE(from->fib6_nsiblings) || from->fib6_flags & RTF_EXPIRES)
		return false;
	if (from->nh) {
		if (from->nh->is_group)
			return false;
		nh = nexthop_fib6_nh(from->nh);
		if (!nh)
			return false;
	}
	return !(nh->fib_nh_flags & (RTNH_F_DEAD | RTNH_F_LINKDOWN));
}

static bool is_held(const struct seg6nr_pkt *pkt, const struct dst_entry *dst)
{
	const struct seg6nr_held *held = seg6nr_hop_held(pkt);

	return held && held->dst == dst;
}

/* The answer belongs to this nexthop object, not to another one's member. */
static bool is_of_object(const struct rt6_info *rt,
			 const struct fib6_info *from)
{
	struct fib6_nh *nh = nexthop_fib6_nh(from->nh);

	return READ_ONCE(*this_cpu_ptr(nh->rt6i_pcpu)) == rt;
}

/* Whether an answer that leads out of this node may be remembered. */
static bool is_lasting(const struct seg6nr_pkt *pkt,
		       const struct seg6nr_fill *fill,
		       const struct rt6_info *rt, const struct fib6_info *from)
{
	bool strict = rt6_need_strict(&fill->daddr) && !fill->table;
	const struct dst_entry *dst = &rt->dst;

	if (dst->error || dst->lwtstate || seg6nr_nexthop_is_local(pkt->skb) ||
	    dst->obsolete != DST_OBSOLETE_FORCE_CHK ||
	    rt->rt6i_flags & (RTF_EXPIRES | RTF_MODIFIED))
		return false;
	if (!from || from->fib6_src.plen || !has_one_path(from) ||
	    !is_sole(from, strict ? dst->dev : NULL))
		return false;
	if (!(rt->rt6i_flags & RTF_PCPU))
		return is_held(pkt, dst);

	return !from->nh || is_of_object(rt, from);
}

static struct seg6nr_hop *make_hop(const struct seg6nr_pkt *pkt,
				   const struct seg6nr_fill *fill,
				   struct rt6_info *rt, struct fib6_info *from)
{
	struct seg6nr_holders *holders = pkt->slwt->holders;
	struct seg6nr_hop *hop;

	hop = kmalloc_obj(*hop, GFP_ATOMIC | __GFP_NOWARN);
	if (!hop)
		return NULL;
	if (!fib6_info_hold_safe(from))
		goto free_hop;
	if (!dst_hold_safe(&rt->dst))
		goto put_from;

	hop->daddr = fill->daddr;
	hop->iif = fill->iif;
	hop->mark = fill->mark;
	hop->epoch = fill->epoch;
	/* A lookup behind a given device has no packet to mark. */
	if (from->nh && (fill->table || fill->iif))
		hop->multipath = IP6SKB_MULTIPATH;
	else
		hop->multipath = 0;
	hop->stamp = jiffies;
	hop->rt = rt;
	hop->from = from;
	hop->holders = holders;
	atomic_inc(&holders->hops);
	return hop;

put_from:
	fib6_info_release(from);
free_hop:
	kfree(hop);
	return NULL;
}

/*
 * Whether the place is free for another destination.  Two that are in use at a
 * time would drive each other out with every packet.
 */
static bool is_busy(const struct seg6nr_pkt *pkt, const struct seg6nr_hop *old)
{
	return old && !time_after(jiffies, old->stamp) &&
	       seg6nr_epoch_is(&old->epoch, pkt);
}

/* Replacing one makes it no more of them. */
static bool is_full(const struct seg6nr_holders *holders,
		    const struct seg6nr_hop *old)
{
	return !old &&
	       atomic_read(&holders->hops) >= READ_ONCE(seg6nr_params.limit);
}

static enum seg6nr_hop_event try_remember(const struct seg6nr_pkt *pkt,
					  const struct seg6nr_fill *fill,
					  struct rt6_info *rt,
					  struct fib6_info *from)
{
	const struct seg6nr_hop *old;
	struct seg6nr_hop __rcu **way;
	struct seg6nr_hops *hops;
	struct fib6_node *fn;
	struct seg6nr_hop *hop;

	if (!is_lasting(pkt, fill, rt, from))
		return SEG6NR_HOP_BYPASS_ROUTE;
	if (!fill->table && !(seg6nr_rules_now(pkt->net) & SEG6NR_RULES_KNOWN))
		return SEG6NR_HOP_BYPASS_RULES;
	hops = make_hops(pkt->slwt);
	if (!hops)
		return SEG6NR_HOP_BYPASS_FULL;
	way = &hops->way[seg6nr_way_of(pkt->slwt, &fill->daddr)];
	old = rcu_dereference(*way);
	if (is_busy(pkt, old))
		return SEG6NR_HOP_BYPASS_BUSY;
	if (is_full(pkt->slwt->holders, old))
		return SEG6NR_HOP_BYPASS_FULL;

	hop = make_hop(pkt, fill, rt, from);
	if (!hop)
		return SEG6NR_HOP_BYPASS_FULL;
	fn = rcu_dereference(from->fib6_node);
	hop->cookie = fn ? READ_ONCE(fn->fn_sernum) : 0;
	/* All of the above was true at one time, if it is that time still. */
	smp_rmb();
	if (!fn || !seg6nr_epoch_is(&fill->epoch, pkt) ||
	    !may_hold(pkt, &rt->dst)) {
		release_hop(hop);
		return SEG6NR_HOP_BYPASS_BUSY;
	}

	release_hop(unrcu_pointer(xchg(way, RCU_INITIALIZER(hop))));
	/* As in hold(). */
	if (!may_hold(pkt, &rt->dst))
		release_hop(unrcu_pointer(xchg(way, NULL)));
	return SEG6NR_HOP_HIT;
}

/**
 * seg6nr_hop_remember() - remember the answer that the packet was given
 * @pkt: the packet, the answer attached to it
 * @fill: from seg6nr_hop_begin()
 *
 * Context: BH off, RCU read section.  Takes references of its own.
 */
void seg6nr_hop_remember(const struct seg6nr_pkt *pkt,
			 const struct seg6nr_fill *fill)
{
	struct rt6_info *rt = dst_rt6_info(skb_dst(pkt->skb));
	enum seg6nr_hop_event event;
	struct fib6_info *from;

	if (!fill->wanted)
		return;
	from = seg6nr_hop_matched(pkt, fill->table, &fill->daddr, rt);
	event = try_remember(pkt, fill, rt, from);
	if (event != SEG6NR_HOP_HIT)
		seg6nr_hop_count(pkt, event);
}

