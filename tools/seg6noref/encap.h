/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * encap.h - one encap seg6local_noref as a value, and what can be done with it
 *
 *	words --encap_parse()--> struct encap --encap_put()--> message
 *	message --encap_get()--> struct encap --encap_print()--> text, JSON
 */
#ifndef SEG6NOREF_ENCAP_H
#define SEG6NOREF_ENCAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <netinet/in.h>
#include <libmnl/libmnl.h>

#include "cmdline.h"
#include "out.h"

#define ENCAP_NAME	"seg6local_noref"

/* The length field of an SRH counts units of 8 octets behind the first 8. */
#define SRH_MAX_LEN	(8 + 255 * 8)
#define SRH_MAX_SEGS	127
#define BPF_NAME_SIZE	256

/* Flavors by number: the kernel's are bits of a u32, behind them ours. */
#define FLAVOR_REPLACE_CSID	32
#define FLAVOR_END		33
#define FLAVOR_BIT(number)	(UINT64_C(1) << (number))

struct encap {
	/* 1 << SEG6NR_A_*; SEG6NR_A_FLAVORS stands for all kinds of them. */
	uint32_t present;
	uint32_t broken;	/* likewise: came too short or malformed */
	uint32_t action;
	uint32_t table;
	uint32_t vrftable;
	uint32_t iif;
	uint32_t oif;
	struct in_addr nh4;
	struct in6_addr nh6;
	uint64_t flavors;	/* FLAVOR_BIT() of each */
	bool has_lblen;
	bool has_nflen;
	uint8_t lblen;
	uint8_t nflen;
	uint64_t packets;
	uint64_t bytes;
	uint64_t errors;
	bool has_prog;
	int prog;
	char prog_name[BPF_NAME_SIZE];
	uint16_t srh_len;
	uint8_t srh[SRH_MAX_LEN] __attribute__((aligned(8)));
};

static inline bool encap_has(const struct encap *encap, int type)
{
	return encap->present & (1u << type);
}

/* encap_parse.c: @line stands behind `encap'. */
int encap_parse(struct encap *encap, struct cmdline *line);
void encap_release(struct encap *encap);
const char *encap_word(unsigned int type);
const char *action_name(uint32_t action);
const char *flavor_name(unsigned int bit);

/* bpf.c: the same behind `endpoint'. */
int bpf_parse(struct encap *encap, struct cmdline *line);

/* encap_attr.c: false if @size does not hold it. */
bool encap_put(struct nlmsghdr *nlh, size_t size, const struct encap *encap,
	       uint16_t rta_type);
void encap_get(struct encap *encap, const struct nlattr *rta_encap);
void encap_get_stock(struct encap *encap, const struct nlattr *rta_encap);

/* encap_print.c: the fields behind the encap type, each followed by a blank. */
void encap_print(struct out *out, const struct encap *encap);

/* What was typed of an SRH, kept until the action is known. */
struct srh_words {
	struct in6_addr segs[SRH_MAX_SEGS];	/* in the order of the path */
	unsigned int count;
	uint32_t hmac_key;
	bool hmac;
	bool shown;		/* in the form in which it is shown */
};

/* srh.c */
int srh_parse(struct srh_words *words, struct cmdline *line);
int srh_parse_shown(struct srh_words *words, struct cmdline *line);
int srh_build(struct encap *encap, const struct srh_words *words,
	      bool last_zero);
bool srh_valid(const uint8_t *srh, size_t len);
unsigned int srh_segments(const uint8_t *srh);
const struct in6_addr *srh_segment(const uint8_t *srh, unsigned int typed);
bool srh_hmac(const uint8_t *srh, size_t len, uint32_t *key);

#endif /* SEG6NOREF_ENCAP_H */
