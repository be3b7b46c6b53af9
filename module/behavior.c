// SPDX-License-Identifier: GPL-2.0-only
/*
 * behavior.c - the table of behaviours: what each is configured with, and the
 * way from its number to its code
 */
#include "seg6nr.h"

#define COUNT	BIT(SEG6NR_A_COUNTERS)
#define FLAVORS	(BIT(SEG6NR_A_FLAVORS) | BIT(REPLACE_CSID_BIT))

/* seg6nr_bit(SEG6NR_A_REPLACE_CSID), for static initialisers. */
#define REPLACE_CSID_BIT	(SEG6NR_A_MAX + 1)

static const struct seg6nr_behavior behaviors[SEG6NR_ACT_MAX + 1] = {
	[SEG6NR_ACT_END] = {
		.exists	= true,
		.allows	= FLAVORS | COUNT,
	},
	[SEG6NR_ACT_END_X] = {
		.exists	= true,
		.needs	= BIT(SEG6NR_A_NH6),
		.allows	= BIT(SEG6NR_A_OIF) | FLAVORS | COUNT,
	},
	[SEG6NR_ACT_END_T] = {
		.exists	= true,
		.needs	= BIT(SEG6NR_A_TABLE),
		.allows	= FLAVORS | COUNT,
	},
	[SEG6NR_ACT_END_DX2] = {
		.exists	= true,
		.needs	= BIT(SEG6NR_A_OIF),
		.allows	= COUNT,
	},
	[SEG6NR_ACT_END_DX6] = {
		.exists	= true,
		.needs	= BIT(SEG6NR_A_NH6),
		.allows	= COUNT,
	},
	[SEG6NR_ACT_END_DX4] = {
		.exists	= true,
		.needs	= BIT(SEG6NR_A_NH4),
		.allows	= COUNT,
	},
	[SEG6NR_ACT_END_DT6] = {
		.exists	= true,
		.one_of	= BIT(SEG6NR_A_TABLE) | BIT(SEG6NR_A_VRFTABLE),
		.allows	= COUNT,
	},
	[SEG6NR_ACT_END_DT4] = {
		.exists	= true,
		.needs	= BIT(SEG6NR_A_VRFTABLE),
		.allows	= COUNT,
	},
	[SEG6NR_ACT_END_DT46] = {
		.exists	= true,
		.needs	= BIT(SEG6NR_A_VRFTABLE),
		.allows	= COUNT,
	},
	[SEG6NR_ACT_END_B6] = {
		.exists	= true,
		.needs	= BIT(SEG6NR_A_SRH),
		.allows	= COUNT,
	},
	[SEG6NR_ACT_END_B6_ENCAPS] = {
		.exists	= true,
		.needs	= BIT(SEG6NR_A_SRH),
		.allows	= COUNT,
	},
	[SEG6NR_ACT_END_BPF] = {
		.exists	= true,
		.needs	= BIT(SEG6NR_A_BPF),
		.allows	= COUNT,
	},
};

/**
 * seg6nr_behavior() - look up what a behaviour is configured with
 * @action: SEG6NR_ACT_*, any value from the user
 *
 * Return: the table row, or NULL where this module has no such behaviour.
 */
const struct seg6nr_behavior *seg6nr_behavior(u32 action)
{
	if (action > SEG6NR_ACT_MAX || !behaviors[action].exists)
		return NULL;
	return &behaviors[action];
}
