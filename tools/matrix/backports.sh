# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Edits of a header tree that do what a stable kernel may do one day: give an
# old kernel the new form of what compat.h has a shim for. Each is a function
# backport_MACRO, called in the tree's include directory.

# Puts stdin in front of a header's last line, which ends its guard.
add_to() {
	local end

	end=$(tail -n 1 "$1")
	{
		head -n -1 "$1"
		cat
		echo "$end"
	} >"$1.new"
	mv "$1.new" "$1"
}

# sed that fails when it has nothing to do. The tree is made of links to a
# cached one: files are replaced, never written.
edit() {
	sed -E "$1" "$2" >"$2.new"
	! cmp -s "$2" "$2.new" || return 1
	mv "$2.new" "$2"
}

backport_SEG6NR_HAVE_SKB_CLEAR_TSTAMP() {
	add_to linux/skbuff.h <<-'EOT'
	static inline void skb_clear_tstamp(struct sk_buff *skb)
	{
		skb->tstamp = 0;
	}
	EOT
}

backport_SEG6NR_HAVE_KFREE_SKB_REASON() {
	add_to linux/skbuff.h <<-'EOT'
	enum skb_drop_reason {
		SKB_NOT_DROPPED_YET = 0,
		SKB_DROP_REASON_NOT_SPECIFIED,
		SKB_DROP_REASON_IP_INHDR,
		SKB_DROP_REASON_IP_INNOROUTES,
		SKB_DROP_REASON_NOMEM,
	};
	void kfree_skb_reason(struct sk_buff *skb, enum skb_drop_reason reason);
	EOT
}

backport_SEG6NR_HAVE_DST_RT6_INFO() {
	add_to net/ip6_fib.h <<-'EOT'
	static inline struct rt6_info *dst_rt6_info(struct dst_entry *dst)
	{
		return container_of(dst, struct rt6_info, dst);
	}
	EOT
}

backport_SEG6NR_HAVE_NET_GSO_H() {
	printf '%s\n' '#pragma once' '#include <linux/skbuff.h>' >net/gso.h
}

backport_SEG6NR_HAVE_RT_DST_ALLOC_NOPOLICY() {
	edit 's/bool nopolicy, bool noxfrm/bool noxfrm/' net/route.h
}

backport_SEG6NR_HAVE_RT6I_UNCACHED_LIST() {
	edit 's/^(.*)rt6i_uncached_list;/struct { int n; } gone_from_here;/' \
		net/ip6_fib.h &&
		edit '/struct lwtunnel_state/s/$/\nvoid *rt_uncached_list;/' \
			net/dst.h
}

backport_kmalloc_obj() {
	add_to linux/slab.h <<-'EOT'
	#define kmalloc_obj(obj, gfp) ((typeof(obj) *)kmalloc(sizeof(obj), gfp))
	EOT
}
