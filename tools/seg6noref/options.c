// SPDX-License-Identifier: GPL-2.0-only
/*
 * options.c - the table of global options, abbreviations included
 *
 * All options of ip are recognised, because the front end must find the object
 * behind them.  The order of the rows settles ambiguous abbreviations.
 */
#include <string.h>
#include <sys/socket.h>

#include "cmdline.h"
#include "options.h"

enum option_id {
	OPT_FAMILY, OPT_INET, OPT_INET6, OPT_OTHER_FAMILY, OPT_HUMAN, OPT_IEC,
	OPT_STATS, OPT_DETAILS, OPT_RESOLVE, OPT_ONELINE, OPT_VERSION,
	OPT_BATCH, OPT_JSON, OPT_PRETTY, OPT_HELP, OPT_NETNS, OPT_NUMERIC,
	OPT_FORCE, OPT_TIMESTAMP, OPT_TSHORT, OPT_NO_EFFECT, OPT_FOREIGN,
};

struct option_row {
	const char *name;
	enum option_id id;
	bool exact;		/* no abbreviation */
	bool value;		/* a word follows */
};

static const struct option_row option_table[] = {
	{ "loops",		OPT_NO_EFFECT,		false, true },
	{ "family",		OPT_FAMILY,		false, true },
	{ "4",			OPT_INET,		true, false },
	{ "6",			OPT_INET6,		true, false },
	{ "0",			OPT_OTHER_FAMILY,	true, false },
	{ "M",			OPT_OTHER_FAMILY,	true, false },
	{ "B",			OPT_OTHER_FAMILY,	true, false },
	{ "human-readable",	OPT_HUMAN,		false, false },
	{ "iec",		OPT_IEC,		false, false },
	{ "stats",		OPT_STATS,		false, false },
	{ "statistics",		OPT_STATS,		false, false },
	{ "details",		OPT_DETAILS,		false, false },
	{ "resolve",		OPT_RESOLVE,		false, false },
	{ "oneline",		OPT_ONELINE,		false, false },
	{ "timestamp",		OPT_TIMESTAMP,		false, false },
	{ "tshort",		OPT_TSHORT,		false, false },
	{ "Version",		OPT_VERSION,		false, false },
	{ "force",		OPT_FORCE,		false, false },
	{ "batch",		OPT_BATCH,		false, true },
	{ "brief",		OPT_NO_EFFECT,		false, false },
	{ "json",		OPT_JSON,		false, false },
	{ "pretty",		OPT_PRETTY,		false, false },
	{ "rcvbuf",		OPT_NO_EFFECT,		false, true },
	{ "color",		OPT_NO_EFFECT,		false, false },
	{ "help",		OPT_HELP,		false, false },
	{ "netns",		OPT_NETNS,		false, true },
	{ "Numeric",		OPT_NUMERIC,		false, false },
	{ "all",		OPT_FOREIGN,		false, false },
	{ "echo",		OPT_FOREIGN,		true, false },
	{ "version",		OPT_VERSION,		true, false },
};

static const struct option_row *option_find(const char *word)
{
	const struct option_row *row = option_table;
	const struct option_row *end;

	end = option_table + sizeof(option_table) / sizeof(option_table[0]);
	for (; row < end; row++)
		if (row->exact ? !strcmp(word, row->name)
			       : word_is_prefix(word, row->name))
			return row;
	/* Color alone may have its value glued on. */
	if (!strncmp(word, "color=", 6) || !strncmp(word, "c=", 2))
		return option_find("color");
	return NULL;
}

static int family_of(const char *word)
{
	if (!strcmp(word, "inet6"))
		return AF_INET6;
	if (!strcmp(word, "inet"))
		return AF_INET;
	return AF_PACKET;
}

static void option_apply(struct options *opts, enum option_id id,
			 const char *value)
{
	switch (id) {
	case OPT_FAMILY:
		opts->family = family_of(value);
		break;
	case OPT_INET:
		opts->family = AF_INET;
		break;
	case OPT_INET6:
		opts->family = AF_INET6;
		break;
	case OPT_OTHER_FAMILY:
		opts->family = AF_PACKET;
		break;
	case OPT_HUMAN:
		opts->human = true;
		break;
	case OPT_IEC:
		opts->human = true;
		opts->iec = true;
		break;
	case OPT_STATS:
		opts->stats++;
		break;
	case OPT_DETAILS:
		opts->details++;
		break;
	case OPT_RESOLVE:
		opts->resolve = true;
		break;
	case OPT_ONELINE:
		opts->oneline = true;
		break;
	case OPT_VERSION:
		opts->version = true;
		break;
	case OPT_BATCH:
		opts->batch = value;
		break;
	case OPT_JSON:
		opts->json = true;
		break;
	case OPT_PRETTY:
		opts->pretty = true;
		break;
	case OPT_HELP:
		opts->help = true;
		break;
	case OPT_NETNS:
		opts->netns = value;
		break;
	case OPT_NUMERIC:
		opts->numeric = true;
		break;
	case OPT_FORCE:
		opts->force = true;
		break;
	case OPT_TIMESTAMP:
		opts->timestamp = 1;
		break;
	case OPT_TSHORT:
		opts->timestamp = 2;
		break;
	case OPT_NO_EFFECT:
		break;
	case OPT_FOREIGN:
		opts->foreign = true;
		break;
	}
}

/*
 * Fill @opts from argv[1] on.  False, with opts->unknown set, at a word that is
 * no option or lacks its value.
 */
bool options_parse(char **argv, struct options *opts)
{
	const struct option_row *row;
	const char *value, *word;
	int i;

	memset(opts, 0, sizeof(*opts));
	for (i = 1; argv[i] && argv[i][0] == '-'; i++) {
		word = argv[i] + 1;
		if (!strcmp(word, "-")) {
			i++;
			break;
		}
		if (*word == '-')
			word++;
		row = option_find(word);
		value = row && row->value ? argv[i + 1] : NULL;
		if (!row || (row->value && !value)) {
			opts->unknown = argv[i];
			return false;
		}
		option_apply(opts, row->id, value);
		i += row->value;
		if (row->id == OPT_BATCH)
			opts->batch_at = i;
	}
	opts->object = i;
	return true;
}
