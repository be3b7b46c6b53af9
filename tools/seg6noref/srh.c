// SPDX-License-Identifier: GPL-2.0-only
/*
 * srh.c - build a segment routing header and look into one (RFC 8754)
 *
 *	 0: next header, length, type 4, segments left
 *	 4: last entry, flags, tag
 *	 8: segment list, the last segment of the path first
 *	    TLVs; a keyed one (type 5) announced by a flag
 */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <linux/ipv6.h>

#include "../../module/uapi.h"
#include "encap.h"

#define SRH_HEAD		8
#define SRH_TYPE		4
#define SRH_FLAG_HMAC		0x08
#define SRH_MAX_SEGS		127
#define HMAC_TLV_TYPE		5
#define HMAC_TLV_LEN		40

enum { LENGTH = 1, TYPE = 2, LEFT = 3, LAST = 4, FLAGS = 5 };

static unsigned int count_segments(const char *segs)
{
	unsigned int count = 1;

	for (; *segs; segs++)
		count += *segs == ',';
	return count;
}

/* Parse @segs, one address between commas, into @list from its end on. */
static int fill_segments(const char *segs, struct in6_addr *list,
			 unsigned int count)
{
	char word[INET6_ADDRSTRLEN];
	size_t len;

	for (;;) {
		len = strcspn(segs, ",");
		if (len >= sizeof(word))
			return complain_address("inet6", "address", segs);
		memcpy(word, segs, len);
		word[len] = '\0';
		if (inet_pton(AF_INET6, word, &list[--count]) != 1)
			return complain_address("inet6", "address", word);
		if (!segs[len])
			return EXIT_OK;
		segs += len + 1;
	}
}

static void put_hmac_tlv(uint8_t *tlv, uint32_t key)
{
	uint32_t wire = htonl(key);

	memset(tlv, 0, HMAC_TLV_LEN);
	tlv[0] = HMAC_TLV_TYPE;
	tlv[1] = HMAC_TLV_LEN - 2;
	memcpy(tlv + 4, &wire, sizeof(wire));
}

int srh_build(struct encap *encap, const char *segs, uint32_t hmac_key,
	      bool last_zero)
{
	size_t tlv_len = hmac_key ? HMAC_TLV_LEN : 0;
	unsigned int typed = count_segments(segs);
	unsigned int count = typed + last_zero;
	struct in6_addr list[SRH_MAX_SEGS];
	uint8_t *srh = encap->srh;
	size_t len;
	int err;

	len = SRH_HEAD + count * sizeof(list[0]) + tlv_len;
	if (count > SRH_MAX_SEGS || len > sizeof(encap->srh)) {
		complain("Error: %u segments do not fit into an SRH%s%s.",
			 typed, last_zero ? " with the one that is added" : "",
			 tlv_len ? " with an HMAC" : "");
		return EXIT_PARSE;
	}
	memset(list, 0, sizeof(list));
	err = fill_segments(segs, list + last_zero, typed);
	if (err)
		return err;
	memset(srh, 0, SRH_HEAD);
	srh[LENGTH] = (len - SRH_HEAD) / 8;
	srh[TYPE] = SRH_TYPE;
	srh[LEFT] = count - 1;
	srh[LAST] = count - 1;
	memcpy(srh + SRH_HEAD, list, count * sizeof(list[0]));
	if (tlv_len) {
		srh[FLAGS] |= SRH_FLAG_HMAC;
		put_hmac_tlv(srh + len - tlv_len, hmac_key);
	}
	encap->srh_len = len;
	return EXIT_OK;
}

/* The segment list lies within both the attribute and the header's length. */
bool srh_valid(const uint8_t *srh, size_t len)
{
	size_t list;

	if (len < SRH_HEAD || len < SRH_HEAD + (size_t)srh[LENGTH] * 8)
		return false;
	list = ((size_t)srh[LAST] + 1) * sizeof(struct in6_addr);
	return list <= (size_t)srh[LENGTH] * 8;
}

unsigned int srh_segments(const uint8_t *srh)
{
	return srh[LAST] + 1;
}

/* Segment number @typed in the order of the path, as users type it. */
const struct in6_addr *srh_segment(const uint8_t *srh, unsigned int typed)
{
	const struct in6_addr *list = (const void *)(srh + SRH_HEAD);

	return &list[srh[LAST] - typed];
}

/* The key of the HMAC, which has to be the first TLV and the flag set. */
bool srh_hmac(const uint8_t *srh, size_t len, uint32_t *key)
{
	size_t at = SRH_HEAD + srh_segments(srh) * sizeof(struct in6_addr);
	uint32_t wire;

	if (!(srh[FLAGS] & SRH_FLAG_HMAC) || len < at + HMAC_TLV_LEN ||
	    srh[at] != HMAC_TLV_TYPE)
		return false;
	memcpy(&wire, srh + at + 4, sizeof(wire));
	*key = ntohl(wire);
	return true;
}
