/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * compat.h - every difference between kernel versions, by feature name
 *
 * The top Kbuild looks features up in the target's headers and passes
 * SEG6NR_HAVE_*; no other file may ask.  A shim with the meaning of the
 * upstream function has the upstream name, one with another signature is
 * prefixed.  Newest first; each says which kernels need it.
 */
#ifndef SEG6NR_COMPAT_H
#define SEG6NR_COMPAT_H

#include <linux/kconfig.h>
#include <linux/ipv6.h>
#include <linux/lwtunnel.h>
#include <linux/skbuff.h>
#include <linux/slab.h>
#include <net/dst.h>
#include <net/if_inet6.h>
#ifdef SEG6NR_HAVE_NET_GSO_H
#include <net/gso.h>	/* split off linux/skbuff.h in 6.6; goes with 6.1 */
#endif
#include <net/ip6_fib.h>
#ifdef SEG6NR_HAVE_FIB6_STUB
#include <net/ipv6_stubs.h>
#endif
#include <net/lwtunnel.h>
#include <net/route.h>
#ifdef CONFIG_IPV6_SEG6_HMAC
#include <net/seg6_hmac.h>
#endif

#if !IS_ENABLED(CONFIG_IPV6) || IS_MODULE(CONFIG_IPV6)
#error "seg6local_noref needs a kernel with CONFIG_IPV6=y"
#endif
#ifndef CONFIG_LWTUNNEL
#error "seg6local_noref needs a kernel with CONFIG_LWTUNNEL=y"
#endif
#ifndef CONFIG_IPV6_SEG6_LWTUNNEL
#error "seg6local_noref needs a kernel with CONFIG_IPV6_SEG6_LWTUNNEL=y"
#endif
#ifndef CONFIG_NET_L3_MASTER_DEV
#error "seg6local_noref needs a kernel with CONFIG_NET_L3_MASTER_DEV=y"
#endif
#ifndef CONFIG_IPV6_MULTIPLE_TABLES
#error "seg6local_noref needs a kernel with CONFIG_IPV6_MULTIPLE_TABLES=y"
#endif

/*
 * The slot that no code of this kernel can ever claim.  Enumerators are
 * invisible to the preprocessor, hence the probe.  5.10 ends at RPL.
 */
#if defined(SEG6NR_HAVE_ENCAP_IOAM6) && \
	!IS_ENABLED(CONFIG_IPV6_IOAM6_LWTUNNEL)
#define SEG6NR_AUTO_SLOT		LWTUNNEL_ENCAP_IOAM6
#define SEG6NR_MODULE_ALIAS_SLOT()	MODULE_ALIAS_RTNL_LWT(IOAM6)
#elif !IS_ENABLED(CONFIG_IPV6_RPL_LWTUNNEL)
#define SEG6NR_AUTO_SLOT		LWTUNNEL_ENCAP_RPL
#define SEG6NR_MODULE_ALIAS_SLOT()	MODULE_ALIAS_RTNL_LWT(RPL)
#else
#define SEG6NR_AUTO_SLOT		LWTUNNEL_ENCAP_NONE
#define SEG6NR_MODULE_ALIAS_SLOT()
#endif

/* Drop reasons: 5.17 and later; goes with 5.10. */
#ifndef SEG6NR_HAVE_KFREE_SKB_REASON
enum skb_drop_reason {
	SKB_NOT_DROPPED_YET = 0,
	SKB_DROP_REASON_NOT_SPECIFIED,
	SKB_DROP_REASON_IP_INHDR,
	SKB_DROP_REASON_IP_INNOROUTES,
	SKB_DROP_REASON_NOMEM,
};

static inline void kfree_skb_reason(struct sk_buff *skb,
				    enum skb_drop_reason reason)
{
	kfree_skb(skb);
}
#endif /* !SEG6NR_HAVE_KFREE_SKB_REASON */

/* 7.0, backported as far as 6.12; goes with 6.1. */
#ifndef kmalloc_obj
#define kmalloc_obj(obj, gfp) kmalloc_array(1, sizeof(obj), gfp)
#define kzalloc_obj(obj, gfp) kcalloc(1, sizeof(obj), gfp)
#endif

/*
 * ip_route_input_noref() returns a drop reason since 6.13 and a negative errno
 * before; its tos argument changed type too, but a literal 0 suits both.  Goes
 * with 6.12.
 */
static inline enum skb_drop_reason
seg6nr_ip_route_input_noref(struct sk_buff *skb, __be32 daddr, __be32 saddr,
			    struct net_device *dev)
{
	int ret = ip_route_input_noref(skb, daddr, saddr, 0, dev);

	return ret < 0 ? SKB_DROP_REASON_NOT_SPECIFIED : ret;
}

/* The argument nopolicy of rt_dst_alloc() ended with 5.19; goes with 5.10. */
static inline struct rtable *seg6nr_rt_dst_alloc(struct net_device *dev,
						 const struct rtable *like)
{
	bool noxfrm = like->dst.flags & DST_NOXFRM;

#ifdef SEG6NR_HAVE_RT_DST_ALLOC_NOPOLICY
	return rt_dst_alloc(dev, like->rt_flags, like->rt_type,
			    like->dst.flags & DST_NOPOLICY, noxfrm);
#else
	return rt_dst_alloc(dev, like->rt_flags, like->rt_type, noxfrm);
#endif
}

/* 5.18; goes with 5.10. */
#ifndef SEG6NR_HAVE_SKB_CLEAR_TSTAMP
static inline void skb_clear_tstamp(struct sk_buff *skb)
{
	skb->tstamp = 0;
}
#endif /* !SEG6NR_HAVE_SKB_CLEAR_TSTAMP */

/* 6.10, backported as far as 6.1; goes with 5.10. */
#ifndef SEG6NR_HAVE_DST_RT6_INFO
#define dst_rt6_info(_ptr) container_of(_ptr, struct rt6_info, dst)
#endif

/*
 * Whether a lookup that was asked for a borrowed dst returned one that carries
 * a reference all the same.  The pointer is the mark: it is set once and never
 * cleared, while the list behind it is emptied when the device goes away.  The
 * member moved into struct dst_entry in 6.4; the split goes with 6.1.
 */
static inline bool seg6nr_rt6_uncached(const struct rt6_info *rt)
{
#ifdef SEG6NR_HAVE_RT6I_UNCACHED_LIST
	return rt->rt6i_uncached_list;
#else
	return rt->dst.rt_uncached_list;
#endif
}

/* The reference count of a dst, for tests; rcuref since 6.4. */
static inline unsigned int seg6nr_dst_refs(struct dst_entry *dst)
{
#ifdef SEG6NR_HAVE_DST_RCUREF
	return rcuref_read(&dst->__rcuref);
#else
	return atomic_read(&dst->__refcnt);
#endif
}

/* Whether seg6nr_fib6_lookup() can be asked for one table, for tests. */
#ifdef SEG6NR_HAVE_FIB6_STUB
#define SEG6NR_MATCHES_IN_TABLE	true
#else
#define SEG6NR_MATCHES_IN_TABLE	false
#endif

/*
 * The route that a lookup matches, before a path is chosen: by policy rules, or
 * in @table.  Exported by name since 7.2, by rules only; behind a table of
 * functions before.  Goes with 6.12.
 */
static inline int seg6nr_fib6_lookup(struct net *net, struct fib6_table *table,
				     int iif, struct flowi6 *fl6,
				     struct fib6_result *res, int strict)
{
#ifdef SEG6NR_HAVE_FIB6_STUB
	if (table)
		return ipv6_stub->fib6_table_lookup(net, table, iif, fl6, res,
						    strict);
	return ipv6_stub->fib6_lookup(net, iif, fl6, res, strict);
#else
	return table ? -EOPNOTSUPP : fib6_lookup(net, iif, fl6, res, strict);
#endif
}

/* Marks a packet that was given one of several paths; goes with 5.10. */
#ifndef IP6SKB_MULTIPATH
#define IP6SKB_MULTIPATH	0
#endif

/*
 * Whether each CPU sees the stores of another in the order they were made.  A
 * route is taken out of the FIB and then counted, with nothing in between that
 * would order the two for those who look.
 */
#if defined(CONFIG_X86) || defined(CONFIG_UML_X86)
#define SEG6NR_STORES_IN_ORDER	true
#else
#define SEG6NR_STORES_IN_ORDER	false
#endif

/*
 * net.netfilter.nf_hooks_lwtunnel came with 5.15; goes with 5.10.  So did the
 * IOAM6 slot: a probe that misses the hooks must not pass unnoticed, for an
 * administrator's rules would be skipped.
 */
#if defined(SEG6NR_HAVE_ENCAP_IOAM6) != defined(SEG6NR_HAVE_NF_HOOKS_LWTUNNEL)
#error "seg6local_noref: cannot tell whether this kernel has nf_hooks_lwtunnel"
#endif

static inline bool seg6nr_nf_hooks_enabled(void)
{
#ifdef SEG6NR_HAVE_NF_HOOKS_LWTUNNEL
	return static_branch_unlikely(&nf_hooks_lwtunnel_enabled);
#else
	return false;
#endif
}

/* A kernel without SRH HMAC has no policy to enforce. */
static inline int seg6nr_require_hmac(const struct inet6_dev *idev)
{
#ifdef CONFIG_IPV6_SEG6_HMAC
	return READ_ONCE(idev->cnf.seg6_require_hmac);
#else
	return -1;
#endif
}

#ifndef CONFIG_IPV6_SEG6_HMAC
static inline bool seg6_hmac_validate_skb(struct sk_buff *skb)
{
	return false;
}

static inline int seg6_push_hmac(struct net *net, struct in6_addr *saddr,
				 struct ipv6_sr_hdr *srh)
{
	return -ENOENT;
}
#endif /* !CONFIG_IPV6_SEG6_HMAC */

#endif /* SEG6NR_COMPAT_H */
