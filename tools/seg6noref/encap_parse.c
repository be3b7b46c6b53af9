// SPDX-License-Identifier: GPL-2.0-only
/*
 * encap_parse.c - the words behind `encap seg6local_noref'
 *
 * They come in any order, each at most once; the first word that is none of
 * them goes back to the route parser.  Whether they make sense together is for
 * the module to say.
 */
#include <arpa/inet.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "../../module/uapi.h"
#include "encap.h"
#include "names.h"
#include "usage.h"

static const char *const action_names[SEG6NR_ACT_MAX + 1] = {
	[SEG6NR_ACT_END]		= "End",
	[SEG6NR_ACT_END_X]		= "End.X",
	[SEG6NR_ACT_END_T]		= "End.T",
	[SEG6NR_ACT_END_DX2]		= "End.DX2",
	[SEG6NR_ACT_END_DX6]		= "End.DX6",
	[SEG6NR_ACT_END_DX4]		= "End.DX4",
	[SEG6NR_ACT_END_DT6]		= "End.DT6",
	[SEG6NR_ACT_END_DT4]		= "End.DT4",
	[SEG6NR_ACT_END_B6]		= "End.B6",
	[SEG6NR_ACT_END_B6_ENCAPS]	= "End.B6.Encaps",
	[SEG6NR_ACT_END_BM]		= "End.BM",
	[SEG6NR_ACT_END_S]		= "End.S",
	[SEG6NR_ACT_END_AS]		= "End.AS",
	[SEG6NR_ACT_END_AM]		= "End.AM",
	[SEG6NR_ACT_END_BPF]		= "End.BPF",
	[SEG6NR_ACT_END_DT46]		= "End.DT46",
};

/* Bit numbers of the flavour operations. */
static const char *const flavor_names[] = {
	[1] = "psp", [2] = "usp", [3] = "usd", [4] = "next-csid",
};

#define FLAVOR_NEXT_CSID	4

/* SRH words, kept until the action is known. */
struct srh_words {
	const char *segs;
	uint32_t hmac_key;
};

struct encap_row {
	const char *word;
	unsigned int type;
	int (*parse)(struct encap *encap, struct cmdline *line,
		     struct srh_words *srh);
};

const char *action_name(uint32_t action)
{
	return action <= SEG6NR_ACT_MAX ? action_names[action] : NULL;
}

const char *flavor_name(unsigned int bit)
{
	return bit < MNL_ARRAY_SIZE(flavor_names) ? flavor_names[bit] : NULL;
}

static int parse_action(struct encap *encap, struct cmdline *line,
			struct srh_words *srh)
{
	const char *word;
	uint32_t action;
	int err;

	(void)srh;
	err = cmdline_value(line, &word);
	if (err)
		return err;
	for (action = 1; action <= SEG6NR_ACT_MAX; action++) {
		if (!strcmp(action_names[action], word)) {
			encap->action = action;
			return EXIT_OK;
		}
	}
	return complain_invalid(word, "\"action\" value is invalid");
}

static int parse_table_id(struct cmdline *line, uint32_t *table,
			  const char *why)
{
	const char *word;
	int err;

	err = cmdline_value(line, &word);
	if (err)
		return err;
	if (!name_to_number(NAME_TABLE, word, table))
		return complain_invalid(word, why);
	return EXIT_OK;
}

static int parse_table(struct encap *encap, struct cmdline *line,
		       struct srh_words *srh)
{
	(void)srh;
	return parse_table_id(line, &encap->table, "invalid table id");
}

static int parse_vrftable(struct encap *encap, struct cmdline *line,
			  struct srh_words *srh)
{
	(void)srh;
	return parse_table_id(line, &encap->vrftable, "invalid vrf table id");
}

static int parse_nh4(struct encap *encap, struct cmdline *line,
		     struct srh_words *srh)
{
	const char *word;
	int err;

	(void)srh;
	err = cmdline_value(line, &word);
	if (err)
		return err;
	if (inet_pton(AF_INET, word, &encap->nh4) != 1)
		return complain_address("inet", "address", word);
	return EXIT_OK;
}

static int parse_nh6(struct encap *encap, struct cmdline *line,
		     struct srh_words *srh)
{
	const char *word;
	int err;

	(void)srh;
	err = cmdline_value(line, &word);
	if (err)
		return err;
	if (inet_pton(AF_INET6, word, &encap->nh6) != 1)
		return complain_address("inet6", "address", word);
	return EXIT_OK;
}

static int parse_device(struct cmdline *line, uint32_t *index)
{
	const char *word;
	int err;

	err = cmdline_value(line, &word);
	if (err)
		return err;
	*index = device_index(word);
	if (!*index) {
		complain("Cannot find device \"%s\"", word);
		return EXIT_PARSE;
	}
	return EXIT_OK;
}

static int parse_iif(struct encap *encap, struct cmdline *line,
		     struct srh_words *srh)
{
	(void)srh;
	return parse_device(line, &encap->iif);
}

static int parse_oif(struct encap *encap, struct cmdline *line,
		     struct srh_words *srh)
{
	(void)srh;
	return parse_device(line, &encap->oif);
}

static int parse_count(struct encap *encap, struct cmdline *line,
		       struct srh_words *srh)
{
	(void)encap;
	(void)line;
	(void)srh;
	return EXIT_OK;
}

/* One name of the list, of @len letters. */
static bool flavor_add(struct encap *encap, const char *name, size_t len)
{
	unsigned int bit;

	for (bit = 1; bit < MNL_ARRAY_SIZE(flavor_names); bit++) {
		if (strlen(flavor_names[bit]) != len ||
		    strncasecmp(flavor_names[bit], name, len))
			continue;
		if (encap->flavors & (1u << bit))
			return false;
		encap->flavors |= 1u << bit;
		return true;
	}
	return false;
}

static int parse_length(struct cmdline *line, const char *key, bool *has,
			uint8_t *length, const char *why)
{
	const char *word;
	uint64_t value;
	int err;

	if (!cmdline_accept(line, key))
		return EXIT_OK;
	err = cmdline_value(line, &word);
	if (err)
		return err;
	if (!word_number(word, UINT8_MAX, &value))
		return complain_invalid(word, why);
	*has = true;
	*length = value;
	return EXIT_OK;
}

static int parse_flavors(struct encap *encap, struct cmdline *line,
			 struct srh_words *srh)
{
	const char *word, *item;
	size_t len;
	int err;

	(void)srh;
	err = cmdline_value(line, &word);
	if (err)
		return err;
	for (item = word;; item += len + 1) {
		len = strcspn(item, ",");
		if (!flavor_add(encap, item, len))
			return complain_invalid(word,
						"invalid \"flavors\" attribute");
		if (!item[len])
			break;
	}
	if (!(encap->flavors & (1u << FLAVOR_NEXT_CSID)))
		return EXIT_OK;
	err = parse_length(line, "lblen", &encap->has_lblen, &encap->lblen,
			   "\"locator-block length\" value is invalid");
	if (err)
		return err;
	return parse_length(line, "nflen", &encap->has_nflen, &encap->nflen,
			    "\"locator-node function length\" value is invalid");
}

static int parse_srh(struct encap *encap, struct cmdline *line,
		     struct srh_words *srh)
{
	const char *word;
	uint64_t key;
	int err;

	(void)encap;
	err = cmdline_value(line, &word);
	if (err)
		return err;
	if (strcmp(word, "segs"))
		return complain_invalid(word,
					"missing \"segs\" attribute for srh");
	err = cmdline_value(line, &srh->segs);
	if (err || !cmdline_accept(line, "hmac"))
		return err;
	err = cmdline_value(line, &word);
	if (err)
		return err;
	if (!word_number(word, UINT32_MAX, &key))
		return complain_invalid(word, "\"hmac\" value is invalid");
	srh->hmac_key = key;
	return EXIT_OK;
}

static int parse_endpoint(struct encap *encap, struct cmdline *line,
			  struct srh_words *srh)
{
	(void)srh;
	return bpf_parse(encap, line);
}

static const struct encap_row encap_rows[] = {
	{ "action",	SEG6NR_A_ACTION,	parse_action },
	{ "table",	SEG6NR_A_TABLE,		parse_table },
	{ "vrftable",	SEG6NR_A_VRFTABLE,	parse_vrftable },
	{ "nh4",	SEG6NR_A_NH4,		parse_nh4 },
	{ "nh6",	SEG6NR_A_NH6,		parse_nh6 },
	{ "iif",	SEG6NR_A_IIF,		parse_iif },
	{ "oif",	SEG6NR_A_OIF,		parse_oif },
	{ "count",	SEG6NR_A_COUNTERS,	parse_count },
	{ "flavors",	SEG6NR_A_FLAVORS,	parse_flavors },
	{ "srh",	SEG6NR_A_SRH,		parse_srh },
	{ "endpoint",	SEG6NR_A_BPF,		parse_endpoint },
};

static const struct encap_row *encap_find(const char *word)
{
	unsigned int i;

	for (i = 0; word && i < MNL_ARRAY_SIZE(encap_rows); i++)
		if (!strcmp(encap_rows[i].word, word))
			return &encap_rows[i];
	return NULL;
}

/* The word for attribute @type, NULL if it has none. */
const char *encap_word(unsigned int type)
{
	unsigned int i;

	for (i = 0; i < MNL_ARRAY_SIZE(encap_rows); i++)
		if (encap_rows[i].type == type)
			return encap_rows[i].word;
	return NULL;
}

/* Give back what parsing opened, once the message is sent. */
void encap_release(struct encap *encap)
{
	if (encap->has_prog && encap->prog >= 0)
		close(encap->prog);
	encap->has_prog = false;
	encap->prog = -1;
}

int encap_parse(struct encap *encap, struct cmdline *line)
{
	struct srh_words srh = { 0 };
	const struct encap_row *row;
	int err;

	memset(encap, 0, sizeof(*encap));
	encap->prog = -1;
	if (cmdline_accept(line, "help")) {
		usage_encap(stderr);
		return EXIT_PARSE;
	}
	while ((row = encap_find(cmdline_peek(line)))) {
		cmdline_skip(line);
		if (encap_has(encap, row->type))
			return complain_duplicate(row->word,
						  cmdline_peek(line) ?
						  cmdline_peek(line) :
						  row->word);
		encap->present |= 1u << row->type;
		err = row->parse(encap, line, &srh);
		if (err)
			return err;
	}
	if (!encap_has(encap, SEG6NR_A_ACTION)) {
		complain("Missing action type");
		return EXIT_PARSE;
	}
	if (!srh.segs)
		return EXIT_OK;
	return srh_build(encap, srh.segs, srh.hmac_key,
			 encap->action != SEG6NR_ACT_END_B6_ENCAPS);
}
