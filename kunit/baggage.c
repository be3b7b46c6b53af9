// SPDX-License-Identifier: GPL-2.0-only
/*
 * baggage.c - a destructor, a conntrack entry and an extension for an skb
 *
 * Each is counted by whoever is attached, and we keep more references than can
 * be lost by one packet, so that a wrong count can be read and nothing breaks.
 */
#include <net/netfilter/nf_conntrack.h>

#include "baggage.h"
#include "harness.h"

#define OWN_REFS	4

/* Runs of the destructor since baggage was loaded. */
static unsigned int destroyed;

static void count_destroyed(struct sk_buff *skb)
{
	destroyed++;
}

#if IS_ENABLED(CONFIG_NF_CONNTRACK)
/*
 * Never in any table, so that no conntrack code has to be loaded for it: only
 * the count matters.
 */
static struct nf_conn entry;

static void load_ct(struct seg6nr_baggage *baggage, struct sk_buff *skb)
{
	baggage->ct = &entry;
	refcount_set(&entry.ct_general.use, OWN_REFS + 1);
	skb_set_nfct(skb, (unsigned long)&entry | IP_CT_NEW);
}

static unsigned int ct_refs(const struct seg6nr_baggage *baggage)
{
	return refcount_read(&baggage->ct->ct_general.use);
}
#else
static void load_ct(struct seg6nr_baggage *baggage, struct sk_buff *skb)
{
}

static unsigned int ct_refs(const struct seg6nr_baggage *baggage)
{
	return OWN_REFS;
}
#endif /* CONFIG_NF_CONNTRACK */

#ifdef CONFIG_SKB_EXTENSIONS
/* The last kind: whatever it is, it is no business of routing. */
static bool load_ext(struct seg6nr_baggage *baggage, struct sk_buff *skb)
{
	void *data = skb_ext_add(skb, SKB_EXT_NUM - 1);

	if (!data)
		return false;
	memset(data, 0, (skb->extensions->chunks << 3) -
			(data - (void *)skb->extensions));
	baggage->ext = skb->extensions;
	refcount_add(OWN_REFS, &baggage->ext->refcnt);
	return true;
}

static unsigned int ext_refs(const struct seg6nr_baggage *baggage)
{
	return refcount_read(&baggage->ext->refcnt);
}

static void put_ext(struct seg6nr_baggage *baggage)
{
	if (!baggage->ext)
		return;
	refcount_set(&baggage->ext->refcnt, 1);
	__skb_ext_put(baggage->ext);
}
#else
static bool load_ext(struct seg6nr_baggage *baggage, struct sk_buff *skb)
{
	return true;
}

static unsigned int ext_refs(const struct seg6nr_baggage *baggage)
{
	return OWN_REFS;
}

static void put_ext(struct seg6nr_baggage *baggage)
{
}
#endif /* CONFIG_SKB_EXTENSIONS */

/**
 * seg6nr_baggage_load() - hang things on an skb
 * @baggage: filled in; seg6nr_baggage_free() it when the skb is gone
 * @skb: the skb, without any of them yet
 *
 * Context: process, may sleep.
 *
 * Return: false if memory is short, with part of it done.
 */
bool seg6nr_baggage_load(struct seg6nr_baggage *baggage, struct sk_buff *skb)
{
	memset(baggage, 0, sizeof(*baggage));
	destroyed = 0;
	skb->destructor = count_destroyed;
	load_ct(baggage, skb);
	return load_ext(baggage, skb);
}

/**
 * seg6nr_baggage_check() - all must be gone, once
 * @test: the case
 * @baggage: from seg6nr_baggage_load()
 * @what: what became of the packet, for the message
 */
void seg6nr_baggage_check(struct kunit *test,
			  const struct seg6nr_baggage *baggage,
			  const char *what)
{
	KUNIT_EXPECT_EQ_MSG(test, destroyed, 1,
			    "%s: 1 packet: expected 1 skb freed, seen %u",
			    what, destroyed);
	KUNIT_EXPECT_EQ_MSG(test, ct_refs(baggage), OWN_REFS,
			    "%s: 1 packet: expected %u references to the conntrack entry, seen %u",
			    what, OWN_REFS, ct_refs(baggage));
	KUNIT_EXPECT_EQ_MSG(test, ext_refs(baggage), OWN_REFS,
			    "%s: 1 packet: expected %u references to the extension, seen %u",
			    what, OWN_REFS, ext_refs(baggage));
}

/**
 * seg6nr_baggage_free() - give up what was hung on an skb
 * @baggage: from seg6nr_baggage_load()
 */
void seg6nr_baggage_free(struct seg6nr_baggage *baggage)
{
	put_ext(baggage);
}
