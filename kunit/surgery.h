/* SPDX-License-Identifier: GPL-2.0-only */
/* surgery.h - a packet that one function of the module works on */
#ifndef SEG6NR_KUNIT_SURGERY_H
#define SEG6NR_KUNIT_SURGERY_H

#include "packet.h"
#include "../module/seg6nr.h"

struct kunit;

/**
 * struct seg6nr_surgery - the packet and a clone that must not be written to
 * @pkt: to be handed to the module's function
 * @clone: of the same octets
 * @before: what they are
 */
struct seg6nr_surgery {
	struct seg6nr_pkt	pkt;
	struct sk_buff		*clone;
	struct seg6nr_frame	before;
};

bool seg6nr_surgery_open(struct kunit *test, struct seg6nr_surgery *op,
			 const struct seg6nr_frame *frame,
			 struct seg6nr_lwt *slwt);
void seg6nr_surgery_check(struct kunit *test, const struct seg6nr_surgery *op,
			  const struct seg6nr_frame *want, const char *what);
void seg6nr_surgery_check_csum(struct kunit *test,
			       const struct seg6nr_surgery *op,
			       const char *what);
void seg6nr_surgery_close(struct seg6nr_surgery *op);

#endif /* SEG6NR_KUNIT_SURGERY_H */
