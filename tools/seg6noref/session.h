/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * session.h - what the commands of one run, or one batch, share
 */
#ifndef SEG6NOREF_SESSION_H
#define SEG6NOREF_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "nl.h"
#include "options.h"

struct session {
	const struct options *opts;
	bool entered;		/* the namespace of opts */
	bool in_file;		/* the command stands in one */
	struct nl nl;		/* no socket until the first request */
	uint16_t slot;		/* 0 until the module has been asked */
	/* What to send requests by, instead of nl_request(). */
	int (*send)(struct session *session, struct nlmsghdr *req);
	void *send_arg;
};

/* Exit statuses, all of them; to be called in any order, any number of times */
int session_check(const struct session *session);
int session_enter(struct session *session);
int session_change(struct session *session);	/* the two of them */
int session_slot(struct session *session);
int session_request(struct session *session, struct nlmsghdr *req);
int session_query(struct session *session, struct nlmsghdr *req,
		  struct nl_msgs *msgs);
int session_dump(struct session *session, struct nlmsghdr *req,
		 struct nl_msgs *msgs);

/*
 * What a message is made of: @build appends @value to one of @type and @flags,
 * and returns false if @size does not hold it.
 */
struct request {
	const char *name;	/* of what it changes, for users */
	uint16_t type;
	uint16_t flags;
	bool slot;		/* wants the module */
	const void *value;
	bool (*build)(struct nlmsghdr *nlh, size_t size, const void *value,
		      uint16_t slot);
};

int session_send(struct session *session, const struct request *request);

void session_close(struct session *session);

int netns_enter(const char *netns);

#endif /* SEG6NOREF_SESSION_H */
