/* SPDX-License-Identifier: GPL-2.0-only */
/* baggage.h - things that hang on an skb and must go when it goes */
#ifndef SEG6NR_KUNIT_BAGGAGE_H
#define SEG6NR_KUNIT_BAGGAGE_H

#include <linux/skbuff.h>

struct kunit;
struct nf_conn;

/**
 * struct seg6nr_baggage - what was hung on an skb
 * @ct: a connection tracking entry, or NULL without conntrack
 * @ext: an extension, or NULL without those
 */
struct seg6nr_baggage {
	struct nf_conn	*ct;
	struct skb_ext	*ext;
};

bool seg6nr_baggage_load(struct seg6nr_baggage *baggage, struct sk_buff *skb);
void seg6nr_baggage_check(struct kunit *test,
			  const struct seg6nr_baggage *baggage,
			  const char *what);
void seg6nr_baggage_free(struct seg6nr_baggage *baggage);

#endif /* SEG6NR_KUNIT_BAGGAGE_H */
