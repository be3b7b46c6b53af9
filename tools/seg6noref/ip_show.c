// SPDX-License-Identifier: GPL-2.0-only
/*
 * ip_show.c - `ip -6 route show' with our routes decoded among all others
 *
 * `ip route save' writes the messages of exactly those routes that `ip route
 * show' with the same words prints, in the same order.  So both are run, and
 * the encap of the n-th message goes into the n-th entry of the listing; all
 * else in it stays as the real ip printed it, and no filter or format of any
 * version has to be known here.  Should a route come or go between the two
 * runs, they do not fit together, and both are repeated.
 */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "cmdline.h"
#include "encap.h"
#include "exec.h"
#include "ip_front.h"
#include "out.h"
#include "route.h"
#include "session.h"
#include "slot.h"

#define SAVE_MAGIC	0x45311224
#define ATTEMPTS	8

/* argv of the real ip for `route save' with the words of `route show'. */
static char **save_argv(char **argv, const struct options *opts)
{
	char **words = argv + opts->object;
	size_t count = 0, n = 0;
	char **save;

	while (words[count])
		count++;
	save = calloc(count + 8, sizeof(*save));
	if (!save)
		return NULL;
	save[n++] = "ip";
	if (opts->family == AF_INET6)
		save[n++] = "-6";
	if (opts->netns) {
		save[n++] = "-n";
		save[n++] = (char *)opts->netns;
	}
	save[n++] = "route";
	save[n++] = "save";
	for (words += words[1] ? 2 : 1; *words; words++)
		save[n++] = *words;
	return save;
}

/* Fill listing->msgs; false if the real ip gave anything but saved routes. */
static bool routes_saved(const char *path, char **save,
			 struct listing *listing)
{
	struct capture capture;
	uint32_t magic;
	bool good;

	good = exec_capture(path, save, true, &capture) && !capture.status &&
	       capture.len >= sizeof(magic);
	if (good) {
		memcpy(&magic, capture.data, sizeof(magic));
		listing->msgs.len = 0;
		good = magic == SAVE_MAGIC &&
		       !nl_msgs_add(&listing->msgs,
				    capture.data + sizeof(magic),
				    capture.len - sizeof(magic));
	}
	free(capture.data);
	return good;
}

static bool refs_add(struct encap_refs *refs, const struct nlattr *payload,
		     const struct nlattr *type)
{
	size_t room = refs->room ? refs->room * 2 : 8;
	struct encap_ref *grown;

	if (!payload || !type || mnl_attr_get_payload_len(type) < 2)
		return true;
	if (refs->count == refs->room) {
		grown = realloc(refs->refs, room * sizeof(*grown));
		if (!grown)
			return false;
		refs->refs = grown;
		refs->room = room;
	}
	refs->refs[refs->count].payload = payload;
	refs->refs[refs->count++].type = mnl_attr_get_u16(type);
	return true;
}

/* Add what the attributes up to @end hold, and return their RTA_MULTIPATH. */
static const struct nlattr *attrs_encap(const struct nlattr *attr,
					const char *end,
					struct encap_refs *refs, bool *good)
{
	const struct nlattr *payload = NULL, *type = NULL, *multipath = NULL;

	for (; mnl_attr_ok(attr, end - (const char *)attr);
	     attr = mnl_attr_next(attr)) {
		switch (mnl_attr_get_type(attr)) {
		case RTA_ENCAP:
			payload = attr;
			break;
		case RTA_ENCAP_TYPE:
			type = attr;
			break;
		case RTA_MULTIPATH:
			multipath = attr;
			break;
		}
	}
	*good &= refs_add(refs, payload, type);
	return multipath;
}

/* All encaps of @msg; the caller frees refs->refs, and may reuse @refs. */
bool listing_encaps(const struct nlmsghdr *msg, struct encap_refs *refs)
{
	const struct nlattr *attrs, *multipath;
	const struct rtnexthop *nh;
	bool good = true;
	size_t left, step;

	refs->count = 0;
	if (mnl_nlmsg_get_payload_len(msg) < sizeof(struct rtmsg))
		return false;
	attrs = mnl_nlmsg_get_payload_offset(msg, sizeof(struct rtmsg));
	multipath = attrs_encap(attrs, mnl_nlmsg_get_payload_tail(msg), refs,
				&good);
	if (!multipath)
		return good;
	nh = mnl_attr_get_payload(multipath);
	left = mnl_attr_get_payload_len(multipath);
	while (left >= sizeof(*nh) && nh->rtnh_len >= sizeof(*nh) &&
	       nh->rtnh_len <= left) {
		attrs_encap((const struct nlattr *)RTNH_DATA(nh),
			    (const char *)nh + nh->rtnh_len, refs, &good);
		step = RTNH_ALIGN(nh->rtnh_len);
		if (step >= left)
			break;
		left -= step;
		nh = RTNH_NEXT(nh);
	}
	return good;
}

/*
 * The destination of @msg as the real ip prints it; false where that is not
 * known to be its address.
 */
bool listing_destination(const struct nlmsghdr *msg, char *text, size_t size)
{
	const struct rtmsg *rtm = mnl_nlmsg_get_payload(msg);
	char addr[INET6_ADDRSTRLEN];
	const struct nlattr *attr;

	if (rtm->rtm_family != AF_INET6)
		return false;
	mnl_attr_for_each(attr, msg, sizeof(*rtm)) {
		if (mnl_attr_get_type(attr) != RTA_DST ||
		    mnl_attr_get_payload_len(attr) != sizeof(struct in6_addr))
			continue;
		inet_ntop(AF_INET6, mnl_attr_get_payload(attr), addr,
			  sizeof(addr));
		if (rtm->rtm_dst_len == 128)
			snprintf(text, size, "%s", addr);
		else
			snprintf(text, size, "%s/%u", addr, rtm->rtm_dst_len);
		return true;
	}
	return false;
}

/* The encap as text, or as the JSON object that is the value of "encap". */
void listing_put_encap(FILE *file, const struct listing *listing,
		       const struct encap_ref *ref, int depth)
{
	struct encap encap;
	struct out out;

	out_init(&out, file, listing->opts);
	out.depth = depth;
	encap_get(&encap, ref->payload);
	out_text(&out, "%s ", ENCAP_NAME);
	out_open(&out, '{', NULL);
	out_str(&out, NULL, "encap_type", ENCAP_NAME);
	encap_print(&out, &encap);
	out_close(&out, '}');
}

static bool any_of_ours(const struct listing *listing)
{
	const struct nlmsghdr *msg = NULL;
	struct encap_refs refs = { 0 };
	bool found = false;
	size_t i;

	while (!found && (msg = nl_msgs_next(&listing->msgs, msg)))
		if (listing_encaps(msg, &refs))
			for (i = 0; i < refs.count; i++)
				found |= refs.refs[i].type == listing->slot;
	free(refs.refs);
	return found;
}

static bool listing_splice(const char *text, const struct listing *listing)
{
	char *result = NULL;
	size_t len = 0;
	FILE *file;
	bool good;

	file = open_memstream(&result, &len);
	if (!file)
		return false;
	good = listing->opts->json ? splice_json(file, text, listing)
				   : splice_text(file, text, listing);
	if (fclose(file))
		good = false;
	if (good)
		fwrite(result, 1, len, stdout);
	free(result);
	return good;
}

/*
 * List with the real ip until its listing fits what was saved.  A listing that
 * never does, under a storm of changes, is shown as it is.
 */
static int show_spliced(const char *path, char **argv, char **save,
			struct listing *listing)
{
	struct capture show;
	bool good, done = false;
	int attempt, status;

	argv[0] = "ip";
	for (attempt = 1; !done; attempt++) {
		good = exec_capture(path, argv, false, &show);
		if (!good) {
			free(show.data);
			return ip_exec(path, argv);
		}
		status = show.status;
		done = listing_splice(show.data, listing);
		if (!done && (attempt == ATTEMPTS || status ||
			      !routes_saved(path, save, listing))) {
			complain("Warning: encap %s is not decoded, the routes keep changing.",
				 ENCAP_NAME);
			fwrite(show.data, 1, show.len, stdout);
			done = true;
		}
		free(show.data);
	}
	return status;
}

int ip_show(const char *path, char **argv, const struct options *opts)
{
	struct listing listing = { .opts = opts };
	bool ours = false;
	char **save;
	int status;

	/* A module of another ABI has been complained about. */
	if (slot_loaded(&listing.slot) || !listing.slot)
		return ip_exec(path, argv);
	save = save_argv(argv, opts);
	if (save && routes_saved(path, save, &listing))
		ours = any_of_ours(&listing);
	if (ours && !netns_enter(opts->netns))
		status = show_spliced(path, argv, save, &listing);
	else
		status = ip_exec(path, argv);
	nl_msgs_free(&listing.msgs);
	free(save);
	return status;
}
