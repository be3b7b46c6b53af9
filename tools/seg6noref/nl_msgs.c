// SPDX-License-Identifier: GPL-2.0-only
/*
 * nl_msgs.c - messages kept until all of them are there
 *
 * Those that may be many are kept in a temporary file but for the last of
 * them, so that a dump takes as little memory whatever its size.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmdline.h"
#include "nl.h"

/* So much is held in memory at a time, unless one message is longer. */
#define SPOOL_SIZE	(1 << 20)

struct nl_spool {
	FILE *file;
	char *data;		/* a part of the file */
	size_t len;
	size_t room;
};

static bool grow(char **data, size_t *room, size_t size)
{
	size_t wanted = *room ? *room : 65536;
	char *grown;

	while (wanted < size)
		wanted *= 2;
	if (wanted == *room)
		return true;
	grown = realloc(*data, wanted);
	if (!grown)
		return false;
	*data = grown;
	*room = wanted;
	return true;
}

static void spool_free(struct nl_spool *spool)
{
	if (!spool)
		return;
	if (spool->file)
		fclose(spool->file);
	free(spool->data);
	free(spool);
}

/* Where no file can be had, memory has to do. */
static struct nl_spool *spool_new(void)
{
	struct nl_spool *spool = calloc(1, sizeof(*spool));

	if (!spool)
		return NULL;
	spool->file = tmpfile();
	if (spool->file)
		return spool;
	free(spool);
	return NULL;
}

static int spool_out(struct nl_msgs *msgs)
{
	if (!msgs->spooled)
		msgs->spooled = spool_new();
	if (!msgs->spooled) {
		msgs->spool = false;
		return 0;
	}
	if (fwrite(msgs->data, 1, msgs->len, msgs->spooled->file) != msgs->len)
		return -EIO;
	msgs->len = 0;
	return 0;
}

/*
 * The message @from octets into the part of the file that is there, or in the
 * next part of it; NULL at its end.
 */
static const struct nlmsghdr *spool_at(struct nl_spool *spool, size_t from)
{
	size_t left = spool->len - from, want = sizeof(struct nlmsghdr);
	const struct nlmsghdr *msg;

	for (;;) {
		msg = (const struct nlmsghdr *)(spool->data + from);
		if (left >= sizeof(*msg))
			want = NLMSG_ALIGN(msg->nlmsg_len);
		if (left >= want)
			return msg;
		memmove(spool->data, spool->data + from, left);
		if (!grow(&spool->data, &spool->room, want > SPOOL_SIZE ?
			  want : SPOOL_SIZE))
			return NULL;
		from = 0;
		spool->len = left + fread(spool->data + left, 1,
					  spool->room - left, spool->file);
		if (spool->len == left) {
			if (ferror(spool->file))
				complain("Cannot read back what was listed: %s",
					 strerror(errno));
			return NULL;
		}
		left = spool->len;
	}
}

static const struct nlmsghdr *spool_first(struct nl_spool *spool)
{
	rewind(spool->file);
	spool->len = 0;
	if (!grow(&spool->data, &spool->room, SPOOL_SIZE))
		return NULL;
	return spool_at(spool, 0);
}

static bool in_spool(const struct nl_spool *spool, const struct nlmsghdr *msg)
{
	const char *at = (const char *)msg;

	return at >= spool->data && at < spool->data + spool->len;
}

int nl_msgs_add(struct nl_msgs *msgs, const void *data, size_t len)
{
	int err;

	if (msgs->spool && msgs->len &&
	    msgs->len + NLMSG_ALIGN(len) > SPOOL_SIZE) {
		err = spool_out(msgs);
		if (err)
			return err;
	}
	if (!grow(&msgs->data, &msgs->room, msgs->len + NLMSG_ALIGN(len)))
		return -ENOMEM;
	memcpy(msgs->data + msgs->len, data, len);
	memset(msgs->data + msgs->len + len, 0, NLMSG_ALIGN(len) - len);
	msgs->len += NLMSG_ALIGN(len);
	return 0;
}

/* Begin anew. */
void nl_msgs_empty(struct nl_msgs *msgs)
{
	spool_free(msgs->spooled);
	msgs->spooled = NULL;
	msgs->len = 0;
}

void nl_msgs_free(struct nl_msgs *msgs)
{
	nl_msgs_empty(msgs);
	free(msgs->data);
	memset(msgs, 0, sizeof(*msgs));
}

/* The message @from octets into memory; NULL at the end or at junk. */
static const struct nlmsghdr *memory_at(const struct nl_msgs *msgs,
					size_t from)
{
	const struct nlmsghdr *msg;

	if (from > msgs->len || msgs->len - from < sizeof(*msg))
		return NULL;
	msg = (const void *)(msgs->data + from);
	if (msg->nlmsg_len < sizeof(*msg) || msg->nlmsg_len > msgs->len - from)
		return NULL;
	return msg;
}

const struct nlmsghdr *nl_msgs_next(const struct nl_msgs *msgs,
				    const struct nlmsghdr *msg)
{
	struct nl_spool *spool = msgs->spooled;
	const struct nlmsghdr *next;
	const char *end;

	end = msg ? (const char *)msg + NLMSG_ALIGN(msg->nlmsg_len) : NULL;
	if (spool && (!msg || in_spool(spool, msg))) {
		next = msg ? spool_at(spool, end - spool->data) :
			     spool_first(spool);
		return next ? next : memory_at(msgs, 0);
	}
	return memory_at(msgs, msg ? end - msgs->data : 0);
}
