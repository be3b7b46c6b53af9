/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * convert.h - from the kernel's own encap seg6local to ours and back
 */
#ifndef SEG6NOREF_CONVERT_H
#define SEG6NOREF_CONVERT_H

#include <stdbool.h>
#include <stdint.h>

#include "cmdline.h"
#include "nl.h"
#include "session.h"

#define STOCK_NAME	"seg6local"
#define STOCK_SLOT	7		/* LWTUNNEL_ENCAP_SEG6_LOCAL */

/* A message that is being written after another. */
struct rewrite {
	uint16_t from;		/* encap types; the kernel's own, or our slot */
	uint16_t to;
	struct nlmsghdr *nlh;
	size_t size;
	bool dumped;		/* what is read came from a dump */
	bool changed;		/* some encap became another one */
	char why[256];		/* it could not be written */
	int *fds;		/* programs that the message refers to */
	size_t fd_count;
};

void rewrite_init(struct rewrite *rw, void *buf, size_t size);
void rewrite_done(struct rewrite *rw);
__attribute__((format(printf, 2, 3)))
bool rewrite_fails(struct rewrite *rw, const char *format, ...);
bool rewrite_attr(struct rewrite *rw, const struct nlattr *attr);

/* convert_encap.c: the attribute, of @type, and that with its encap type. */
bool rewrite_encap(struct rewrite *rw, const struct nlattr *payload,
		   uint16_t type, uint16_t type_type);

/*
 * convert_msg.c: a dumped route or nexthop object as a request to replace it.
 * The caller sets the flags.
 */
bool rewrite_route(struct rewrite *rw, const struct nlmsghdr *msg);
bool rewrite_nexthop(struct rewrite *rw, const struct nlmsghdr *msg);
/* The same of a request of our own, all of it. */
bool rewrite_request(struct rewrite *rw, const struct nlmsghdr *req);

/*
 * Show @visit, if there is one, each encap of that type in a message until it
 * returns false.  True if there is any, and none was refused.
 */
typedef bool (*encap_visitor)(void *arg, const struct nlattr *payload);
bool message_encaps(const struct nlmsghdr *msg, uint16_t type,
		    encap_visitor visit, void *arg);

/*
 * convert_probe.c: what the kernel's own encap takes, but does not keep.
 */
struct probe;

struct probe *probe_open(void);
void probe_close(struct probe *probe);
/* Whether nothing in @req would be lost; else why it would, in @why. */
bool probe_message(struct probe *probe, const struct nlmsghdr *req,
		   const char **why);

/*
 * convert_select.c: which nexthop objects the selected routes go by, and which
 * of several routes the kernel replaces.
 */
struct object {
	uint32_t id;
	const struct nlmsghdr *msg;
	bool inside;		/* a route that is selected goes by it */
	bool outside;		/* one that is not does */
};

struct objects {
	struct object *object;	/* in the order of their id */
	size_t count;
};

bool objects_index(struct objects *objects, const struct nl_msgs *nexthops);
void objects_use(struct objects *objects, const struct nlmsghdr *route,
		 bool selected);
void objects_free(struct objects *objects);
uint32_t route_nhid(const struct nlmsghdr *route);
/* The first of the routes of one prefix that stand together in a dump. */
const struct nlmsghdr *route_run(const struct nlmsghdr *run,
				 const struct nlmsghdr *route);
bool route_is_first(const struct nl_msgs *routes, const struct nlmsghdr *run,
		    const struct nlmsghdr *route);

/*
 * convert_send.c: replace @msg by what was written after it, or only have that
 * checked.  An errno if it was refused, with the reason in @rw.
 */
#define REPLACE_LOST	(-2)	/* the kernel cannot be talked to */

int route_replace(struct session *session, struct rewrite *rw,
		  const struct nlmsghdr *msg, bool dry_run);
int nexthop_replace(struct session *session, struct rewrite *rw,
		    const struct nlmsghdr *msg, bool dry_run);

/* convert.c: @line stands behind the word. */
int convert_command(struct session *session, struct cmdline *line);

#endif /* SEG6NOREF_CONVERT_H */
