// SPDX-License-Identifier: GPL-2.0-only
/*
 * pretend.c - what the module's files under direct test call in others of its
 * files, as simple as can be
 */
#include <linux/percpu.h>
#include <net/netlink.h>

#include "env.h"
#include "../module/seg6nr.h"

/* Only one table has a VRF. */
int seg6nr_vrf_bind(struct net *net, struct seg6nr_lwt *slwt,
		    const struct nlattr *attr, struct netlink_ext_ack *extack)
{
	if (slwt->vrftable == SEG6NR_TABLE_VRF)
		return 0;
	return seg6nr_refuse(extack, attr, "vrftable: none pretended", -ENODEV);
}

struct seg6nr_counters __percpu *seg6nr_counters_alloc(void)
{
	return alloc_percpu(struct seg6nr_counters);
}

void seg6nr_counters_sum(struct seg6nr_counters __percpu *counters,
			 u64 sum[SEG6NR_CNT_MAX + 1])
{
	sum[SEG6NR_CNT_PACKETS] = 1;
	sum[SEG6NR_CNT_BYTES] = 2;
	sum[SEG6NR_CNT_ERRORS] = 3;
}

int seg6nr_bpf_parse(const struct seg6nr_config *config,
		     struct seg6nr_lwt *slwt, const struct nlattr *attr,
		     struct netlink_ext_ack *extack)
{
	return seg6nr_refuse(extack, attr, "endpoint: none pretended",
			     -EOPNOTSUPP);
}

int seg6nr_bpf_put(struct sk_buff *skb, const struct seg6nr_lwt *slwt)
{
	return 0;
}

int seg6nr_bpf_size(const struct seg6nr_lwt *slwt)
{
	return 0;
}

bool seg6nr_bpf_equal(const struct seg6nr_lwt *a, const struct seg6nr_lwt *b)
{
	return true;
}

void seg6nr_bpf_destroy(struct seg6nr_lwt *slwt)
{
}

/* behavior.c is here for its table; no packet gets there. */
#define PRETEND_HANDLER(_name)						\
	enum seg6nr_verdict seg6nr_##_name(struct seg6nr_pkt *pkt)	\
	{								\
		return SEG6NR_DROP_NO_STATE;				\
	}

PRETEND_HANDLER(end)
PRETEND_HANDLER(end_x)
PRETEND_HANDLER(end_t)
PRETEND_HANDLER(end_dx2)
PRETEND_HANDLER(end_dx6)
PRETEND_HANDLER(end_dx4)
PRETEND_HANDLER(end_dt6)
PRETEND_HANDLER(end_dt4)
PRETEND_HANDLER(end_dt46)
PRETEND_HANDLER(end_b6)
PRETEND_HANDLER(end_b6_encaps)
PRETEND_HANDLER(end_bpf)
