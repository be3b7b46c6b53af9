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
#define HMAC_TLV_TYPE		5
#define HMAC_TLV_LEN		40

enum { LENGTH = 1, TYPE = 2, LEFT = 3, LAST = 4, FLAGS = 5 };

/* One address of @len letters as the next of @words. */
static int add_segment(struct srh_words *words, const char *segment, size_t len)
{
	char word[INET6_ADDRSTRLEN];

	if (len >= sizeof(word))
		return complain_address("inet6", "address", segment);
	memcpy(word, segment, len);
	word[len] = '\0';
	if (words->count == SRH_MAX_SEGS) {
		complain("Error: more than %d segments do not fit into an SRH.",
			 SRH_MAX_SEGS);
		return EXIT_PARSE;
	}
	if (inet_pton(AF_INET6, word, &words->segs[words->count]) != 1)
		return complain_address("inet6", "address", word);
	words->count++;
	return EXIT_OK;
}

/* As users type it: segs ADDRESS[,ADDRESS...] [ hmac KEY ] */
int srh_parse(struct srh_words *words, struct cmdline *line)
{
	const char *word, *item;
	uint64_t key;
	size_t len;
	int err;

	err = cmdline_value(line, &word);
	if (err)
		return err;
	if (strcmp(word, "segs"))
		return complain_invalid(word,
					"missing \"segs\" attribute for srh");
	err = cmdline_value(line, &word);
	for (item = word; !err; item += len + 1) {
		len = strcspn(item, ",");
		err = add_segment(words, item, len);
		if (!item[len])
			break;
	}
	if (err || !cmdline_accept(line, "hmac"))
		return err;
	err = cmdline_value(line, &word);
	if (err)
		return err;
	if (!word_number(word, UINT32_MAX, &key))
		return complain_invalid(word, "\"hmac\" value is invalid");
	words->hmac_key = key;
	words->hmac = key;
	return EXIT_OK;
}

/* Whether @word is up to eight hexadecimal digits and nothing else. */
static bool word_hex(const char *word, uint32_t *value)
{
	size_t len = strlen(word);

	if (!len || len > 8 || strspn(word, "0123456789abcdefABCDEF") != len)
		return false;
	*value = strtoul(word, NULL, 16);
	return true;
}

static int expect_bracket(struct cmdline *line, const char *bracket)
{
	const char *word;
	int err;

	err = cmdline_value(line, &word);
	if (err || !strcmp(word, bracket))
		return err;
	return complain_invalid(word, "segs COUNT [ ADDRESS ... ] is expected");
}

/* As it is shown: COUNT [ ADDRESS ... ] [ hmac HEX ], every segment there. */
int srh_parse_shown(struct srh_words *words, struct cmdline *line)
{
	const char *count, *word;
	uint64_t number;
	int err;

	words->shown = true;
	err = cmdline_value(line, &count);
	if (!err)
		err = expect_bracket(line, "[");
	while (!err && cmdline_peek(line) && strcmp(cmdline_peek(line), "]")) {
		word = cmdline_peek(line);
		cmdline_skip(line);
		err = add_segment(words, word, strlen(word));
	}
	if (!err)
		err = expect_bracket(line, "]");
	if (err)
		return err;
	if (!word_number(count, SRH_MAX_SEGS, &number) || !number ||
	    number != words->count)
		return complain_invalid(count,
					"not the number of segments given");
	if (!cmdline_accept(line, "hmac"))
		return EXIT_OK;
	err = cmdline_value(line, &word);
	if (err)
		return err;
	words->hmac = true;
	return word_hex(word, &words->hmac_key) ? EXIT_OK :
		complain_invalid(word, "\"hmac\" value is invalid");
}

static void put_hmac_tlv(uint8_t *tlv, uint32_t key)
{
	uint32_t wire = htonl(key);

	memset(tlv, 0, HMAC_TLV_LEN);
	tlv[0] = HMAC_TLV_TYPE;
	tlv[1] = HMAC_TLV_LEN - 2;
	memcpy(tlv + 4, &wire, sizeof(wire));
}

/* The SRH of @words; @last_zero appends a segment to those that were typed. */
int srh_build(struct encap *encap, const struct srh_words *words,
	      bool last_zero)
{
	size_t tlv_len = words->hmac ? HMAC_TLV_LEN : 0;
	bool zero = last_zero && !words->shown;
	unsigned int count = words->count + zero;
	uint8_t *srh = encap->srh;
	struct in6_addr *list;
	unsigned int i;
	size_t len;

	len = SRH_HEAD + count * sizeof(*list) + tlv_len;
	if (count > SRH_MAX_SEGS || len > sizeof(encap->srh)) {
		complain("Error: %u segments do not fit into an SRH%s%s.",
			 words->count,
			 zero ? " with the one that is added" : "",
			 tlv_len ? " with an HMAC" : "");
		return EXIT_PARSE;
	}
	memset(srh, 0, len);
	srh[LENGTH] = (len - SRH_HEAD) / 8;
	srh[TYPE] = SRH_TYPE;
	srh[LEFT] = count - 1;
	srh[LAST] = count - 1;
	list = (struct in6_addr *)(srh + SRH_HEAD);
	for (i = 0; i < words->count; i++)
		list[count - 1 - i] = words->segs[i];
	if (words->hmac) {
		srh[FLAGS] |= SRH_FLAG_HMAC;
		put_hmac_tlv(srh + len - tlv_len, words->hmac_key);
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
