// SPDX-License-Identifier: GPL-2.0-only
/*
 * stats.c - what became of packets: counters of each SID, and for each
 * namespace the causes of drops in /proc/net/seg6local_noref
 */
#include <linux/percpu.h>
#include <linux/seq_file.h>
#include <linux/seq_file_net.h>

#include "seg6nr.h"

static const struct {
	const char *name;
	int err;
	enum skb_drop_reason reason;
} causes[SEG6NR_VERDICTS] = {
#define CAUSE(id, word, error, why) \
	[SEG6NR_DROP_##id] = { "drop_" word, error, SKB_DROP_REASON_##why }
	CAUSE(NOT_IPV6,	     "not_ipv6",      -EINVAL,	    NOT_SPECIFIED),
	CAUSE(NO_STATE,	     "no_state",      -EINVAL,	    NOT_SPECIFIED),
	CAUSE(DEPTH,	     "depth",	      -ENETDOWN,    NOT_SPECIFIED),
	CAUSE(NOMEM,	     "nomem",	      -ENOMEM,	    NOMEM),
	CAUSE(HOP_LIMIT,     "hop_limit",     -ETIMEDOUT,   IP_INHDR),
	CAUSE(EXT_HDRS,	     "ext_hdrs",      -EINVAL,	    IP_INHDR),
	CAUSE(FRAGMENT,	     "fragment",      -EINVAL,	    IP_INHDR),
	CAUSE(NO_SRH,	     "no_srh",	      -EINVAL,	    IP_INHDR),
	CAUSE(BAD_SRH,	     "bad_srh",	      -EINVAL,	    IP_INHDR),
	CAUSE(SEGMENTS_LEFT, "segments_left", -EINVAL,	    IP_INHDR),
	CAUSE(HMAC,	     "hmac",	      -EINVAL,	    NOT_SPECIFIED),
	CAUSE(MULTICAST,     "multicast",     -EINVAL,	    NOT_SPECIFIED),
	CAUSE(INNER_TYPE,    "inner_type",    -EINVAL,	    NOT_SPECIFIED),
	CAUSE(INNER_HDR,     "inner_hdr",     -EINVAL,	    IP_INHDR),
	CAUSE(NO_ROUTE,	     "no_route",      -EINVAL,	    IP_INNOROUTES),
	CAUSE(OIF,	     "oif",	      -ENETUNREACH, IP_INNOROUTES),
	CAUSE(VRF,	     "vrf",	      -EINVAL,	    NOT_SPECIFIED),
	CAUSE(DEV,	     "dev",	      -ENETDOWN,    NOT_SPECIFIED),
	CAUSE(TOO_BIG,	     "too_big",	      -EMSGSIZE,    NOT_SPECIFIED),
#undef CAUSE
};

static const char * const hop_events[SEG6NR_HOP_EVENTS] = {
	[SEG6NR_HOP_HIT]		= "nexthop_hit",
	[SEG6NR_HOP_MISS_EMPTY]		= "nexthop_miss_empty",
	[SEG6NR_HOP_MISS_KEY]		= "nexthop_miss_key",
	[SEG6NR_HOP_MISS_CHANGED]	= "nexthop_miss_changed",
	[SEG6NR_HOP_MISS_ROUTE]		= "nexthop_miss_route",
	[SEG6NR_HOP_MISS_AGE]		= "nexthop_miss_age",
	[SEG6NR_HOP_BYPASS_HOST]	= "nexthop_bypass_host",
	[SEG6NR_HOP_BYPASS_RULES]	= "nexthop_bypass_rules",
	[SEG6NR_HOP_BYPASS_ROUTE]	= "nexthop_bypass_route",
	[SEG6NR_HOP_BYPASS_BUSY]	= "nexthop_bypass_busy",
	[SEG6NR_HOP_BYPASS_FULL]	= "nexthop_bypass_full",
};

static void add_one(const struct seg6nr_pkt *pkt, enum seg6nr_verdict verdict)
{
	struct seg6nr_net *sn = seg6nr_net(pkt->net);

	this_cpu_inc(sn->stats->count[verdict]);
}

/**
 * seg6nr_drop() - count a packet and free it
 * @pkt: the packet
 * @verdict: why, SEG6NR_DROP_*
 *
 * Context: BH off.  Frees the skb.
 *
 * Return: the error number of that cause.
 */
int seg6nr_drop(struct seg6nr_pkt *pkt, enum seg6nr_verdict verdict)
{
	enum skb_drop_reason reason = pkt->reason;

	add_one(pkt, verdict);
	if (reason == SKB_NOT_DROPPED_YET ||
	    reason == SKB_DROP_REASON_NOT_SPECIFIED)
		reason = causes[verdict].reason;
	kfree_skb_reason(pkt->skb, reason);
	pkt->skb = NULL;

	return causes[verdict].err;
}

/**
 * seg6nr_count_unreachable() - count a packet given to an error route
 * @pkt: the packet, its skb gone
 *
 * Such a route tells the sender, where it is not a black hole.
 *
 * Context: BH off.
 */
void seg6nr_count_unreachable(const struct seg6nr_pkt *pkt)
{
	add_one(pkt, SEG6NR_UNREACHABLE);
}

static unsigned long total(const struct seg6nr_net *sn, int verdict)
{
	unsigned long sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu_ptr(sn->stats, cpu)->count[verdict]);
	return sum;
}

static unsigned long hop_total(const struct seg6nr_holders *holders, int event)
{
	unsigned long sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu_ptr(holders->stats,
					     cpu)->count[event]);
	return sum;
}

static void show_hops(struct seq_file *seq,
		      const struct seg6nr_holders *holders)
{
	int event;

	for (event = 0; event < SEG6NR_HOP_EVENTS; event++)
		seq_printf(seq, "%s %lu\n", hop_events[event],
			   hop_total(holders, event));
	seq_printf(seq, "nexthop_entries %u\n", atomic_read(&holders->hops));
	seq_printf(seq, "nexthop_held %u\n", atomic_read(&holders->held));
	seq_printf(seq, "nexthop_purges %lu\n", READ_ONCE(holders->purges));
}

/**
 * seg6nr_stats_show() - print the statistics of a namespace
 * @seq: file of that namespace
 * @v: unused
 *
 * Return: 0
 */
int seg6nr_stats_show(struct seq_file *seq, void *v)
{
	const struct seg6nr_net *sn = seg6nr_net(seq_file_single_net(seq));
	int verdict;

	seq_printf(seq, "unreachable %lu\n", total(sn, SEG6NR_UNREACHABLE));
	for (verdict = SEG6NR_DROP; verdict < SEG6NR_VERDICTS; verdict++)
		seq_printf(seq, "%s %lu\n", causes[verdict].name,
			   total(sn, verdict));
	show_hops(seq, sn->holders);
	return 0;
}

/**
 * seg6nr_counters_alloc() - make the counters of a SID
 *
 * Context: process context, may sleep.  Charged to the memory control group of
 * whoever adds the route.
 *
 * Return: zeroed per-CPU counters, to be freed with free_percpu(), or NULL.
 */
struct seg6nr_counters __percpu *seg6nr_counters_alloc(void)
{
	struct seg6nr_counters __percpu *counters;
	int cpu;

	counters = __alloc_percpu_gfp(sizeof(*counters), __alignof__(*counters),
				      GFP_KERNEL_ACCOUNT);
	if (!counters)
		return NULL;

	for_each_possible_cpu(cpu)
		u64_stats_init(&per_cpu_ptr(counters, cpu)->syncp);
	return counters;
}

/**
 * seg6nr_counters_add() - count one packet for a SID
 * @counters: of the SID
 * @len: octets of the packet as it came, from its IPv6 header on
 * @rc: 0 where it went on
 *
 * Context: BH off.  Writes to this CPU's counters only.
 */
void seg6nr_counters_add(struct seg6nr_counters __percpu *counters,
			 unsigned int len, int rc)
{
	struct seg6nr_counters *c = this_cpu_ptr(counters);

	u64_stats_update_begin(&c->syncp);
	if (likely(!rc)) {
		u64_stats_inc(&c->packets);
		u64_stats_add(&c->bytes, len);
	} else {
		u64_stats_inc(&c->errors);
	}
	u64_stats_update_end(&c->syncp);
}

/**
 * seg6nr_counters_sum() - read the counters of a SID
 * @counters: of the SID
 * @sum: zeroed, filled by SEG6NR_CNT_*
 *
 * Context: any.
 */
void seg6nr_counters_sum(struct seg6nr_counters __percpu *counters,
			 u64 sum[SEG6NR_CNT_MAX + 1])
{
	int cpu;

	for_each_possible_cpu(cpu) {
		const struct seg6nr_counters *c = per_cpu_ptr(counters, cpu);
		u64 packets, bytes, errors;
		unsigned int start;

		do {
			start = u64_stats_fetch_begin(&c->syncp);
			packets = u64_stats_read(&c->packets);
			bytes = u64_stats_read(&c->bytes);
			errors = u64_stats_read(&c->errors);
		} while (u64_stats_fetch_retry(&c->syncp, start));

		sum[SEG6NR_CNT_PACKETS] += packets;
		sum[SEG6NR_CNT_BYTES] += bytes;
		sum[SEG6NR_CNT_ERRORS] += errors;
	}
}
