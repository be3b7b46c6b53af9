// SPDX-License-Identifier: GPL-2.0-only
#include "fuzz.h"
void gen_gso(struct event *e, struct rng *r) { (void)e; (void)r; }
