// SPDX-License-Identifier: GPL-2.0-only
/*
 * convert.c - move routes from the kernel's own encap to ours, or back
 *
 * Each route is replaced by one request, which the kernel carries out whole or
 * not at all: a packet finds the old route or the new one, and so does whoever
 * looks after this program has been interrupted.
 */
#include <arpa/inet.h>
#include <errno.h>
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

/* An errno, 0 included; negative if the kernel cannot be talked to at all. */
static int convert_send(struct convert *conv, struct nlmsghdr *nlh,
			uint16_t flags, char *why, size_t size)
{
	const struct nlmsghdr *answer;

	nlh->nlmsg_flags = flags;
	if (nl_ask(&conv->session->nl, nlh, &answer))
		return -1;
	return extack_text(answer, why, size);
}

/*
 * Have the kernel check the whole request and change nothing: it builds the
 * route, then finds that there is one, which an exclusive request forbids.
 */
static int route_check(struct convert *conv, char *why, size_t size)
{
	int err;

	err = convert_send(conv, conv->rw.nlh, NLM_F_REPLACE | NLM_F_EXCL,
			   why, size);
	return err == EEXIST ? 0 : err;
}

/* Put back what a replacement of several next hops has torn. */
static void route_repair(struct convert *conv, const struct nlmsghdr *msg)
{
	struct rewrite rw = { .from = conv->from, .to = conv->from };
	void *buf = malloc(NL_REQUEST_SIZE);
	char why[256];

	if (!buf)
		return;
	rewrite_init(&rw, buf, NL_REQUEST_SIZE);
	if (rewrite_route(&rw, msg) &&
	    convert_send(conv, rw.nlh, NLM_F_CREATE | NLM_F_REPLACE, why,
			 sizeof(why)))
		complain("Error: a route could not be put back: %s.", why);
	rewrite_done(&rw);
	free(buf);
}

static bool is_multipath(const struct nlmsghdr *msg)
{
	const struct nlattr *attr;

	mnl_attr_for_each(attr, msg, sizeof(struct rtmsg))
		if (mnl_attr_get_type(attr) == RTA_MULTIPATH)
			return true;
	return false;
}

/*
 * A route of several next hops is replaced by its first one and then completed,
 * within one request: have it checked before.
 */
static int route_replace(struct convert *conv, const struct nlmsghdr *msg,
			 char *why, size_t size)
{
	bool several = is_multipath(msg);
	int err = 0;

	if (conv->dry_run || several)
		err = route_check(conv, why, size);
	if (err || conv->dry_run)
		return err;
	err = convert_send(conv, conv->rw.nlh, NLM_F_REPLACE, why, size);
	if (err > 0 && several)
		route_repair(conv, msg);
	return err;
}

static int nexthop_remove(struct convert *conv, const struct nlmsghdr *msg)
{
	char buf[256] __attribute__((aligned(8)));
	const struct nlattr *attr;
	struct nlmsghdr *nlh;
	char why[256];

	nlh = mnl_nlmsg_put_header(buf);
	nlh->nlmsg_type = RTM_DELNEXTHOP;
	mnl_nlmsg_put_extra_header(nlh, sizeof(struct nhmsg));
	mnl_attr_for_each(attr, msg, sizeof(struct nhmsg))
		if (mnl_attr_get_type(attr) == NHA_ID)
			mnl_attr_put_u32(nlh, NHA_ID, mnl_attr_get_u32(attr));
	return convert_send(conv, nlh, 0, why, sizeof(why));
}

/* The same check as for routes, but that objects have no such pair of flags. */
static int nexthop_check(struct convert *conv, const struct nlmsghdr *msg,
			 char *why, size_t size)
{
	int err;

	err = convert_send(conv, conv->rw.nlh, 0, why, size);
	if (err == EEXIST)
		return 0;
	if (err)
		return err;
	/* Removed by someone meanwhile, and now made again by us. */
	snprintf(why, size, "it is gone");
	return nexthop_remove(conv, msg) < 0 ? -1 : ENOENT;
}

static int nexthop_replace(struct convert *conv, const struct nlmsghdr *msg,
			   char *why, size_t size)
{
	if (conv->dry_run)
		return nexthop_check(conv, msg, why, size);
	return convert_send(conv, conv->rw.nlh, NLM_F_REPLACE, why, size);
}

typedef bool (*rewriter)(struct rewrite *rw, const struct nlmsghdr *msg);
typedef int (*replacer)(struct convert *conv, const struct nlmsghdr *msg,
			char *why, size_t size);

/* EXIT_OK also if it was refused and that has been said. */
static int convert_one(struct convert *conv, const struct nlmsghdr *msg,
		       const char *name, rewriter rewrite, replacer replace,
		       unsigned int *done)
{
	const char *lost;
	char why[256];
	int err = 0;

	rewrite_init(&conv->rw, conv->buf, NL_REQUEST_SIZE);
	if (!rewrite(&conv->rw, msg))
		refuse(conv, name, conv->rw.why);
	else if (conv->probe && !probe_message(conv->probe, conv->rw.nlh,
					       &lost))
		refuse(conv, name, lost);
	else if ((err = replace(conv, msg, why, sizeof(why))) > 0)
		refuse(conv, name, why);
	else if (!err)
		++*done;
	rewrite_done(&conv->rw);
	if (!err && conv->session->opts->details && !conv->out.json)
		out_text(&conv->out, "%s\n", name);
	rest(conv);
	return err < 0 ? EXIT_KERNEL : EXIT_OK;
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
