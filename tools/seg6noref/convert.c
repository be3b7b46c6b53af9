// SPDX-License-Identifier: GPL-2.0-only
/*
 * convert.c - move routes from the kernel's own encap to ours, or back
 *
 * Each route is replaced by one request, which the kernel carries out whole or
 * not at all: a packet finds the old route or the new one, and so does whoever
 * looks after this program has been interrupted.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "convert.h"
#include "encap.h"
#include "nexthop.h"
#include "route_filter.h"
#include "slot.h"
#include "usage.h"

struct convert {
	struct session *session;
	bool to_stock;
	bool dry_run;
	bool selected;		/* not simply all */
	uint32_t rate;		/* routes a second, 0 for no limit */
	double due;		/* when the next one is allowed, in seconds */
	struct route_filter filter;
	uint16_t from;
	uint16_t to;
	struct nl_msgs routes;
	struct nl_msgs nexthops;
	struct objects objects;
	struct probe *probe;
	struct rewrite rw;
	void *buf;
	struct out out;
	unsigned int done_routes;
	unsigned int done_nexthops;
	unsigned int refused;
};

static int parse_to(struct convert *conv, struct cmdline *line)
{
	const char *word;
	int err;

	err = cmdline_value(line, &word);
	if (err)
		return err;
	conv->to_stock = !strcmp(word, "stock");
	if (!conv->to_stock && strcmp(word, "noref"))
		return complain_invalid(word, "it is \"noref\" or \"stock\"");
	return EXIT_OK;
}

static int convert_parse(struct convert *conv, struct cmdline *line)
{
	int err = EXIT_OK;

	for (;;) {
		if (cmdline_accept(line, "--dry-run"))
			conv->dry_run = true;
		else if (cmdline_accept(line, "--to"))
			err = parse_to(conv, line);
		else if (cmdline_accept(line, "--rate"))
			err = parse_u32(line, &conv->rate,
					"invalid number of routes");
		else
			break;
		if (err)
			return err;
	}
	conv->selected = cmdline_peek(line);
	err = route_filter_parse(&conv->filter, line);
	if (!conv->filter.table_given)
		conv->filter.all_tables = true;
	return err;
}

static void describe(const struct nlmsghdr *msg, char *text, size_t size)
{
	const struct rtmsg *rtm = mnl_nlmsg_get_payload(msg);
	char addr[INET6_ADDRSTRLEN], table[NAME_SIZE];
	struct route_key key;

	route_key_get(msg, &key);
	inet_ntop(AF_INET6, &key.dst, addr, sizeof(addr));
	snprintf(text, size, "%s/%u table %s metric %u", addr,
		 rtm->rtm_dst_len,
		 number_to_name(NAME_TABLE, key.table, false, table),
		 key.metric);
}

static void refuse(struct convert *conv, const char *name, const char *why)
{
	struct out *out = &conv->out;

	conv->refused++;
	if (!out->json) {
		complain("Not converted: %s: %s", name, why);
		return;
	}
	out_open(out, '{', NULL);
	out_str(out, NULL, "route", name);
	out_str(out, NULL, "reason", why);
	out_close(out, '}');
}

static double seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

/* Wait until the rate allows for the next one; a delay is not made up for. */
static void rest(struct convert *conv)
{
	struct timespec pause;
	double ahead;

	if (!conv->rate || conv->dry_run)
		return;
	ahead = conv->due - seconds();
	conv->due = ahead > 0 ? conv->due : seconds();
	conv->due += 1.0 / conv->rate;
	if (ahead <= 0)
		return;
	pause.tv_sec = ahead;
	pause.tv_nsec = (ahead - pause.tv_sec) * 1e9;
	nanosleep(&pause, NULL);
}

typedef bool (*rewriter)(struct rewrite *rw, const struct nlmsghdr *msg);
typedef int (*replacer)(struct session *session, struct rewrite *rw,
			const struct nlmsghdr *msg, bool dry_run);

/* EXIT_OK also if it was refused and that has been said. */
static int convert_one(struct convert *conv, const struct nlmsghdr *msg,
		       const char *name, rewriter rewrite, replacer replace,
		       unsigned int *done)
{
	struct rewrite *rw = &conv->rw;
	const char *why = rw->why;
	int err = -1;

	rewrite_init(rw, conv->buf, NL_REQUEST_SIZE);
	if (rewrite(rw, msg) &&
	    (!conv->probe || probe_message(conv->probe, rw->nlh, &why)))
		err = replace(conv->session, rw, msg, conv->dry_run);
	rewrite_done(rw);
	if (err == REPLACE_LOST)
		return EXIT_KERNEL;
	if (err) {
		refuse(conv, name, why);
	} else {
		++*done;
		if (conv->session->opts->details)
			out_text(&conv->out, "%s\n", name);
	}
	rest(conv);
	return EXIT_OK;
}

static int convert_route(struct convert *conv, const struct nlmsghdr *msg,
			 const struct nlmsghdr *run)
{
	char name[256];

	describe(msg, name, sizeof(name));
	if (!route_is_first(&conv->routes, run, msg)) {
		refuse(conv, name,
		       "of several routes of one prefix and metric, the kernel replaces only the first");
		return EXIT_OK;
	}
	return convert_one(conv, msg, name, rewrite_route, route_replace,
			   &conv->done_routes);
}

static int convert_routes(struct convert *conv)
{
	const struct nlmsghdr *msg = NULL, *run = NULL;
	int err = EXIT_OK;

	while (!err && (msg = nl_msgs_next(&conv->routes, msg))) {
		if (mnl_nlmsg_get_payload_len(msg) < sizeof(struct rtmsg))
			continue;
		run = route_run(run, msg);
		if (!route_wanted(&conv->filter, msg) || route_nhid(msg) ||
		    !message_encaps(msg, conv->from, NULL, NULL))
			continue;
		err = convert_route(conv, msg, run);
	}
	return err;
}

static int convert_nexthop(struct convert *conv, const struct object *object)
{
	char name[32];

	snprintf(name, sizeof(name), "nexthop id %u", object->id);
	if (conv->selected && object->outside) {
		refuse(conv, name,
		       "a route that is not selected goes by it as well");
		return EXIT_OK;
	}
	return convert_one(conv, object->msg, name, rewrite_nexthop,
			   nexthop_replace, &conv->done_nexthops);
}

static int convert_nexthops(struct convert *conv)
{
	const struct object *object;
	int err = EXIT_OK;
	size_t i;

	for (i = 0; !err && i < conv->objects.count; i++) {
		object = &conv->objects.object[i];
		if ((!conv->selected || object->inside) &&
		    message_encaps(object->msg, conv->from, NULL, NULL))
			err = convert_nexthop(conv, object);
	}
	return err;
}

/* Both lists, and which objects belong to what is selected. */
static int convert_read(struct convert *conv)
{
	const struct nlmsghdr *msg = NULL;
	int err;

	err = route_dump(conv->session, &conv->routes);
	if (!err)
		err = nexthop_dump(conv->session, &conv->nexthops);
	if (err)
		return err;
	conv->buf = malloc(NL_REQUEST_SIZE);
	if (!conv->buf || !objects_index(&conv->objects, &conv->nexthops)) {
		complain("Error: out of memory.");
		return EXIT_KERNEL;
	}
	while ((msg = nl_msgs_next(&conv->routes, msg)))
		if (mnl_nlmsg_get_payload_len(msg) >= sizeof(struct rtmsg))
			objects_use(&conv->objects, msg,
				    route_wanted(&conv->filter, msg));
	return EXIT_OK;
}

/* Which encap is which; not loading the module to move away from it. */
static int convert_types(struct convert *conv)
{
	uint16_t slot;
	int err;

	err = conv->to_stock ? slot_loaded(&slot) :
			       session_slot(conv->session);
	if (err)
		return err;
	if (!conv->to_stock)
		slot = conv->session->slot;
	if (slot == STOCK_SLOT) {
		complain("Error: the module has the number of %s: this kernel has no other.",
			 STOCK_NAME);
		return EXIT_KERNEL;
	}
	conv->from = conv->to_stock ? slot : STOCK_SLOT;
	conv->to = conv->to_stock ? STOCK_SLOT : slot;
	conv->rw.from = conv->from;
	conv->rw.to = conv->to;
	return EXIT_OK;
}

static void report_open(struct convert *conv)
{
	struct out *out = &conv->out;

	out_init(out, stdout, conv->session->opts);
	out_open(out, '{', NULL);
	out_str(out, NULL, "to", conv->to_stock ? STOCK_NAME : ENCAP_NAME);
	out_open(out, '[', "refused");
}

static void report_close(struct convert *conv)
{
	struct out *out = &conv->out;

	out_close(out, ']');
	out_uint(out, NULL, "routes", conv->done_routes);
	out_uint(out, NULL, "nexthops", conv->done_nexthops);
	if (conv->dry_run)
		out_null(out, "dry_run");
	out_close(out, '}');
	if (out->json)
		fputc('\n', out->file);
	out_text(out, "%u routes and %u nexthop objects %s to %s, %u not\n",
		 conv->done_routes, conv->done_nexthops,
		 conv->dry_run ? "could be converted" : "converted",
		 conv->to_stock ? STOCK_NAME : ENCAP_NAME, conv->refused);
}

static int convert_run(struct convert *conv)
{
	int err;

	if (conv->to_stock && conv->from) {
		conv->probe = probe_open();
		if (!conv->probe)
			return EXIT_KERNEL;
	}
	report_open(conv);
	err = convert_nexthops(conv);
	if (!err)
		err = convert_routes(conv);
	report_close(conv);
	return err || !conv->refused ? err : EXIT_KERNEL;
}

int convert_command(struct session *session, struct cmdline *line)
{
	struct convert conv = { .session = session };
	int err;

	if (cmdline_accept(line, "help")) {
		usage_convert(stdout);
		return EXIT_OK;
	}
	err = session_enter(session);
	if (!err)
		err = convert_parse(&conv, line);
	if (!err)
		err = convert_types(&conv);
	if (!err)
		err = convert_read(&conv);
	if (!err)
		err = convert_run(&conv);
	probe_close(conv.probe);
	objects_free(&conv.objects);
	nl_msgs_free(&conv.routes);
	nl_msgs_free(&conv.nexthops);
	free(conv.buf);
	return err;
}
