// SPDX-License-Identifier: GPL-2.0-only
/*
 * encap_print.c - the fields of an encap, in the order and words of iproute2
 *
 * A field that came malformed is shown as <invalid>, never skipped.
 */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "../../module/uapi.h"
#include "encap.h"
#include "names.h"

static void print_action(struct out *out, const struct encap *encap)
{
	const char *name = action_name(encap->action);

	if (encap->action > SEG6NR_ACT_MAX)
		name = "<invalid>";
	else if (!name)
		name = "<unknown>";
	out_str(out, "action", "action", name);
}

static void print_srh(struct out *out, const struct encap *encap)
{
	unsigned int i, count = srh_segments(encap->srh);
	char text[INET6_ADDRSTRLEN];
	uint32_t key;

	out_text(out, "segs %u [ ", count);
	out_open(out, '{', "srh");
	out_open(out, '[', "segs");
	for (i = 0; i < count; i++) {
		inet_ntop(AF_INET6, srh_segment(encap->srh, i), text,
			  sizeof(text));
		out_text(out, "%s ", text);
		out_item(out, text);
	}
	out_text(out, "] ");
	out_close(out, ']');
	if (srh_hmac(encap->srh, encap->srh_len, &key)) {
		snprintf(text, sizeof(text), "0x%x", key);
		out_str(out, NULL, "hmac", text);
		out_text(out, "hmac %X ", key);
	}
	out_close(out, '}');
}

static void print_table(struct out *out, const struct encap *encap)
{
	char buf[NAME_SIZE];

	out_str(out, "table", "table",
		number_to_name(NAME_TABLE, encap->table, out->numeric, buf));
}

static void print_vrftable(struct out *out, const struct encap *encap)
{
	char buf[NAME_SIZE];

	out_str(out, "vrftable", "vrftable",
		number_to_name(NAME_TABLE, encap->vrftable, out->numeric,
			       buf));
}

static void print_nh4(struct out *out, const struct encap *encap)
{
	char text[INET_ADDRSTRLEN];

	inet_ntop(AF_INET, &encap->nh4, text, sizeof(text));
	out_str(out, "nh4", "nh4", text);
}

static void print_nh6(struct out *out, const struct encap *encap)
{
	char text[INET6_ADDRSTRLEN];

	inet_ntop(AF_INET6, &encap->nh6, text, sizeof(text));
	out_str(out, "nh6", "nh6", text);
}

static void print_iif(struct out *out, const struct encap *encap)
{
	char buf[NAME_SIZE];

	out_str(out, "iif", "iif", device_name(encap->iif, buf));
}

static void print_oif(struct out *out, const struct encap *encap)
{
	char buf[NAME_SIZE];

	out_str(out, "oif", "oif", device_name(encap->oif, buf));
}

static void print_endpoint(struct out *out, const struct encap *encap)
{
	const char *name = encap->prog_name;

	out_text(out, "endpoint %s%s", name, *name ? " " : "");
	out_str(out, NULL, "endpoint", *name ? name : "<unknown>");
}

static void print_counters(struct out *out, const struct encap *encap)
{
	if (!out->stats)
		return;
	out_open(out, '{', "stats64");
	out_count(out, "packets", encap->packets);
	out_count(out, "bytes", encap->bytes);
	out_count(out, "errors", encap->errors);
	out_close(out, '}');
}

/* Bits without a name are shown as their number. */
static void print_flavors(struct out *out, const struct encap *encap)
{
	const char *comma = "";
	unsigned int bit;
	char number[16];
	const char *name;

	out_text(out, "flavors ");
	out_open(out, '[', "flavors");
	for (bit = 0; bit < FLAVOR_END; bit++) {
		if (!(encap->flavors & FLAVOR_BIT(bit)))
			continue;
		name = flavor_name(bit);
		if (!name) {
			snprintf(number, sizeof(number), "%u", bit);
			name = number;
		}
		out_text(out, "%s%s", comma, name);
		out_item(out, name);
		comma = ",";
	}
	out_text(out, " ");
	out_close(out, ']');
	if (encap->has_lblen)
		out_uint(out, "lblen", "lblen", encap->lblen);
	if (encap->has_nflen)
		out_uint(out, "nflen", "nflen", encap->nflen);
}

/* In the order of printing. */
static const struct {
	unsigned int type;
	void (*print)(struct out *out, const struct encap *encap);
} print_rows[] = {
	{ SEG6NR_A_ACTION,	print_action },
	{ SEG6NR_A_SRH,		print_srh },
	{ SEG6NR_A_TABLE,	print_table },
	{ SEG6NR_A_VRFTABLE,	print_vrftable },
	{ SEG6NR_A_NH4,		print_nh4 },
	{ SEG6NR_A_NH6,		print_nh6 },
	{ SEG6NR_A_IIF,		print_iif },
	{ SEG6NR_A_OIF,		print_oif },
	{ SEG6NR_A_BPF,		print_endpoint },
	{ SEG6NR_A_COUNTERS,	print_counters },
	{ SEG6NR_A_FLAVORS,	print_flavors },
};

void encap_print(struct out *out, const struct encap *encap)
{
	const char *word;
	unsigned int i;

	for (i = 0; i < MNL_ARRAY_SIZE(print_rows); i++) {
		if (!encap_has(encap, print_rows[i].type))
			continue;
		word = encap_word(print_rows[i].type);
		if (encap->broken & (1u << print_rows[i].type))
			out_str(out, word, word, "<invalid>");
		else
			print_rows[i].print(out, encap);
	}
}
