// SPDX-License-Identifier: GPL-2.0-only
/*
 * stats.c - the module, what it counts in this namespace, and what its SIDs do
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "../../module/uapi.h"
#include "convert.h"
#include "module_state.h"
#include "route_filter.h"
#include "slot.h"
#include "stats.h"
#include "usage.h"

#define STATS_FILE	"/proc/net/" SEG6NR_MODULE_NAME

struct stats {
	struct out out;
	struct route_filter filter;
	const struct nlmsghdr *route;	/* whose encaps are being looked at */
	unsigned int sids;
	unsigned int counting;
	struct encap sum;
};

static void print_parameter(void *arg, const char *name, const char *value)
{
	struct out *out = arg;

	out_text(out, "parameter %s %s\n", name, value);
	out_str(out, NULL, name, value);
}

static void print_module(struct out *out, uint16_t slot)
{
	char text[128];

	out_open(out, '{', "module");
	out_text(out, "module ");
	out_str(out, "", "name", SEG6NR_MODULE_NAME);
	if (slot) {
		if (module_text("version", text, sizeof(text)))
			out_str(out, "version", "version", text);
		if (module_text("srcversion", text, sizeof(text)))
			out_str(out, "srcversion", "srcversion", text);
		out_uint(out, "abi", "abi", SEG6NR_ABI_VERSION);
		out_uint(out, "slot", "slot", slot);
		if (module_text("refcnt", text, sizeof(text)))
			out_str(out, "users", "users", text);
		out_text(out, "\n");
		out_open(out, '{', "parameters");
		module_parameters(print_parameter, out);
		out_close(out, '}');
	} else {
		out_text(out, "not loaded\n");
	}
	out_close(out, '}');
}

/* Lines NAME VALUE; what a later version of the module adds is shown too. */
static int print_counters(struct out *out)
{
	char name[128];
	unsigned long long value;
	FILE *file;

	file = fopen(STATS_FILE, "re");
	if (!file && errno != ENOENT) {
		complain("Error: cannot read %s: %s.", STATS_FILE,
			 strerror(errno));
		return EXIT_KERNEL;
	}
	out_open(out, '{', "counters");
	while (file && fscanf(file, "%127s %llu", name, &value) == 2) {
		out_count(out, name, value);
		out_text(out, "\n");
	}
	out_close(out, '}');
	if (file)
		fclose(file);
	return EXIT_OK;
}

static void print_place(struct out *out, const struct nlmsghdr *msg)
{
	const struct rtmsg *rtm = mnl_nlmsg_get_payload(msg);
	char addr[INET6_ADDRSTRLEN], dst[INET6_ADDRSTRLEN + 8];
	char table[NAME_SIZE];
	struct route_key key;

	route_key_get(msg, &key);
	inet_ntop(AF_INET6, &key.dst, addr, sizeof(addr));
	snprintf(dst, sizeof(dst), rtm->rtm_dst_len == 128 ? "%s" : "%s/%u",
		 addr, rtm->rtm_dst_len);
	out_text(out, "sid ");
	out_str(out, "", "dst", dst);
	out_str(out, "table", "table",
		number_to_name(NAME_TABLE, key.table, out->numeric, table));
	out_uint(out, "metric", "metric", key.metric);
}

static bool print_sid(void *arg, const struct nlattr *payload)
{
	struct stats *stats = arg;
	struct out *out = &stats->out;
	struct encap encap;

	encap_get(&encap, payload);
	stats->sids++;
	if (!encap_has(&encap, SEG6NR_A_COUNTERS))
		return true;
	stats->counting++;
	stats->sum.packets += encap.packets;
	stats->sum.bytes += encap.bytes;
	stats->sum.errors += encap.errors;
	out_open(out, '{', NULL);
	print_place(out, stats->route);
	out_str(out, "action", "action",
		action_name(encap.action) ? : "<unknown>");
	out_count(out, "packets", encap.packets);
	out_count(out, "bytes", encap.bytes);
	out_count(out, "errors", encap.errors);
	out_text(out, "\n");
	out_close(out, '}');
	return true;
}

static void print_sids(struct stats *stats, const struct nl_msgs *msgs,
		       uint16_t slot)
{
	struct out *out = &stats->out;

	out_open(out, '[', "sids");
	while (slot && (stats->route = nl_msgs_next(msgs, stats->route)))
		if (route_wanted(&stats->filter, stats->route))
			message_encaps(stats->route, slot, print_sid, stats);
	out_close(out, ']');
	out_open(out, '{', "total");
	out_text(out, "total ");
	out_uint(out, "sids", "sids", stats->sids);
	out_uint(out, "counting", "counting", stats->counting);
	out_count(out, "packets", stats->sum.packets);
	out_count(out, "bytes", stats->sum.bytes);
	out_count(out, "errors", stats->sum.errors);
	out_text(out, "\n");
	out_close(out, '}');
}

static int stats_print(struct session *session, struct stats *stats,
		       uint16_t slot)
{
	struct nl_msgs msgs = { 0 };
	int err;

	err = route_dump(session, &msgs);
	if (!err) {
		out_init(&stats->out, stdout, session->opts);
		out_open(&stats->out, '{', NULL);
		print_module(&stats->out, slot);
		err = print_counters(&stats->out);
		print_sids(stats, &msgs, slot);
		out_close(&stats->out, '}');
		if (stats->out.json)
			fputc('\n', stats->out.file);
	}
	nl_msgs_free(&msgs);
	return err;
}

int stats_command(struct session *session, struct cmdline *line)
{
	struct stats stats = { 0 };
	uint16_t slot;
	int err;

	if (cmdline_accept(line, "help")) {
		usage_stats(stdout);
		return EXIT_OK;
	}
	err = session_enter(session);
	if (!err)
		err = route_filter_parse(&stats.filter, line);
	if (!stats.filter.table_given)
		stats.filter.all_tables = true;
	if (!err)
		err = slot_loaded(&slot);
	return err ? err : stats_print(session, &stats, slot);
}
