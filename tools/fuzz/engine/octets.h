/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * octets.h - random numbers, numbers in network order and checksums: what every
 * engine that makes packets needs
 */
#ifndef OCTETS_H
#define OCTETS_H

#include <stdbool.h>
#include <stdint.h>

enum { P_HBH = 0, P_IPIP = 4, P_TCP = 6, P_UDP = 17, P_IPV6 = 41, P_RH = 43,
	P_FRAG = 44, P_ESP = 50, P_AH = 51, P_ICMP6 = 58, P_NONE = 59,
	P_DO = 60, P_ETH = 143 };

/* --- random numbers --- */

struct rng {
	uint64_t s;
};

static inline uint64_t rnd(struct rng *r)
{
	uint64_t z = (r->s += 0x9e3779b97f4a7c15ull);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

static inline unsigned int below(struct rng *r, unsigned int n)
{
	return (rnd(r) >> 16) % n;
}

static inline bool chance(struct rng *r, unsigned int percent)
{
	return below(r, 100) < percent;
}

static inline unsigned int get16(const uint8_t *p)
{
	return p[0] << 8 | p[1];
}

static inline void put16(uint8_t *p, unsigned int v)
{
	p[0] = v >> 8;
	p[1] = v;
}

static inline uint32_t get32(const uint8_t *p)
{
	return (uint32_t)get16(p) << 16 | get16(p + 2);
}

static inline void put32(uint8_t *p, uint32_t v)
{
	put16(p, v >> 16);
	put16(p + 2, v);
}

/* --- checksums (octets.c) --- */

uint32_t sum_add(uint32_t sum, const uint8_t *p, int len);
unsigned int sum_fold(uint32_t sum);
unsigned int l4_sum(const uint8_t *src, const uint8_t *dst, int alen,
		    int proto, const uint8_t *p, int len);

#endif
