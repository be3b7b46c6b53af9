// SPDX-License-Identifier: GPL-2.0-only
/* octets.c - Internet checksums */
#include "octets.h"

uint32_t sum_add(uint32_t sum, const uint8_t *p, int len)
{
	for (; len > 1; len -= 2, p += 2)
		sum += get16(p);
	return len ? sum + (p[0] << 8) : sum;
}

unsigned int sum_fold(uint32_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return ~sum & 0xffff;
}

/* Checksum of a transport header and its payload, its own field being zero. */
unsigned int l4_sum(const uint8_t *src, const uint8_t *dst, int alen,
		    int proto, const uint8_t *p, int len)
{
	uint32_t sum = sum_add(sum_add(0, src, alen), dst, alen) + proto + len;
	unsigned int result = sum_fold(sum_add(sum, p, len));

	return result || proto != P_UDP ? result : 0xffff;
}
