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
#include "value.h"

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

static const char *const flavor_names[FLAVOR_END] = {
	[SEG6NR_FLV_OP_PSP]		= "psp",
	[SEG6NR_FLV_OP_USP]		= "usp",
	[SEG6NR_FLV_OP_USD]		= "usd",
	[SEG6NR_FLV_OP_NEXT_CSID]	= "next-csid",
	[FLAVOR_REPLACE_CSID]		= "replace-csid",
};

/* Flavors that take lengths. */
#define FLAVORS_CSID	(FLAVOR_BIT(SEG6NR_FLV_OP_NEXT_CSID) | \
			 FLAVOR_BIT(FLAVOR_REPLACE_CSID))

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
	return bit < FLAVOR_END ? flavor_names[bit] : NULL;
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
	(void)srh;
	return parse_address(line, &encap->nh6);
}

static int parse_iif(struct encap *encap, struct cmdline *line,
		     struct srh_words *srh)
{
	(void)srh;
	return parse_device(line, &encap->iif, EXIT_PARSE);
}

static int parse_oif(struct encap *encap, struct cmdline *line,
		     struct srh_words *srh)
{
	(void)srh;
	return parse_device(line, &encap->oif, EXIT_PARSE);
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

	for (bit = 0; bit < FLAVOR_END; bit++) {
		if (!flavor_names[bit] || strlen(flavor_names[bit]) != len ||
		    strncasecmp(flavor_names[bit], name, len))
			continue;
		if (encap->flavors & FLAVOR_BIT(bit))
			return false;
		encap->flavors |= FLAVOR_BIT(bit);
		return true;
	}
	return false;
}

static int parse_length(struct cmdline *line, const char *key, bool *has,
			uint8_t *length, const char *why)
{
	uint64_t value;
	int err;

	if (!cmdline_accept(line, key))
		return EXIT_OK;
	err = parse_number(line, UINT8_MAX, &value, why);
	if (err)
		return err;
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
	if (!(encap->flavors & FLAVORS_CSID))
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
	(void)encap;
	return srh_parse(srh, line);
}

static int parse_segs(struct encap *encap, struct cmdline *line,
		      struct srh_words *srh)
{
	(void)encap;
	return srh_parse_shown(srh, line);
}

static int parse_u64(struct cmdline *line, const char *key)
{
	uint64_t value;

	if (*key && !cmdline_accept(line, key))
		return complain_required(key);
	return parse_number(line, UINT64_MAX, &value,
			    "counter value is invalid");
}

/* Counters as they are shown ask for counters, which start at zero. */
static int parse_packets(struct encap *encap, struct cmdline *line,
			 struct srh_words *srh)
{
	int err;

	(void)encap;
	(void)srh;
	err = parse_u64(line, "");
	if (!err)
		err = parse_u64(line, "bytes");
	return err ? err : parse_u64(line, "errors");
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
	{ "packets",	SEG6NR_A_COUNTERS,	parse_packets },
	{ "flavors",	SEG6NR_A_FLAVORS,	parse_flavors },
	{ "srh",	SEG6NR_A_SRH,		parse_srh },
	{ "segs",	SEG6NR_A_SRH,		parse_segs },
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

	if (type == SEG6NR_A_REPLACE_CSID)
		type = SEG6NR_A_FLAVORS;
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

static int parse_options(struct encap *encap, struct cmdline *line,
			 struct srh_words *srh)
{
	const struct encap_row *row;
	const char *word;
	int err;

	while ((row = encap_find(cmdline_peek(line)))) {
		cmdline_skip(line);
		word = cmdline_peek(line);
		if (encap_has(encap, row->type))
			return complain_duplicate(row->word,
						  word ? word : row->word);
		encap->present |= 1u << row->type;
		err = row->parse(encap, line, srh);
		if (err)
			return err;
	}
	return EXIT_OK;
}

static int parse_type(struct cmdline *line)
{
	const char *type = cmdline_peek(line);

	if (!type)
		return complain_required("encap type");
	if (strcmp(type, ENCAP_NAME))
		return complain_invalid(type,
					"\"encap type\" value is invalid");
	cmdline_skip(line);
	return EXIT_OK;
}

int encap_parse(struct encap *encap, struct cmdline *line)
{
	struct srh_words srh = { 0 };
	int err;

	memset(encap, 0, sizeof(*encap));
	encap->prog = -1;
	err = parse_type(line);
	if (err)
		return err;
	if (cmdline_accept(line, "help")) {
		usage_encap(stderr);
		return EXIT_PARSE;
	}
	err = parse_options(encap, line, &srh);
	if (err)
		return err;
	if (!encap_has(encap, SEG6NR_A_ACTION)) {
		complain("Missing action type");
		return EXIT_PARSE;
	}
	if (!encap_has(encap, SEG6NR_A_SRH))
		return EXIT_OK;
	return srh_build(encap, &srh,
			 encap->action != SEG6NR_ACT_END_B6_ENCAPS);
}
