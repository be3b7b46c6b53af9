// SPDX-License-Identifier: GPL-2.0-only
/*
 * convert_encap.c - the attributes of one encap in the form of another
 *
 * Both speak the same attributes, ours inside a nest of its own.  What a dump
 * says otherwise than a request has to is written anew: counters start at zero,
 * and a program is named by a descriptor instead of its number.  All else is
 * carried over as it came.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/bpf.h>

#include "../../module/uapi.h"
#include "convert.h"

void rewrite_init(struct rewrite *rw, void *buf, size_t size)
{
	rw->nlh = mnl_nlmsg_put_header(buf);
	rw->size = size;
	rw->changed = false;
	rw->why[0] = '\0';
}

/* Close the programs that the message referred to. */
void rewrite_done(struct rewrite *rw)
{
	size_t i;

	for (i = 0; i < rw->fd_count; i++)
		close(rw->fds[i]);
	free(rw->fds);
	rw->fds = NULL;
	rw->fd_count = 0;
}

bool rewrite_fails(struct rewrite *rw, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(rw->why, sizeof(rw->why), format, args);
	va_end(args);
	return false;
}

static bool too_long(struct rewrite *rw)
{
	return rewrite_fails(rw, "it does not fit into a message");
}

/* Copy @attr, with the flags in its type. */
bool rewrite_attr(struct rewrite *rw, const struct nlattr *attr)
{
	return mnl_attr_put_check(rw->nlh, rw->size, attr->nla_type,
				  mnl_attr_get_payload_len(attr),
				  mnl_attr_get_payload(attr)) || too_long(rw);
}

static struct nlattr *nest_start(struct rewrite *rw, uint16_t type)
{
	struct nlattr *nest;

	nest = mnl_attr_nest_start_check(rw->nlh, rw->size, type);
	if (!nest)
		too_long(rw);
	return nest;
}

static bool put_counters(struct rewrite *rw)
{
	struct nlattr *nest = nest_start(rw, SEG6NR_A_COUNTERS);
	uint16_t type;

	if (!nest)
		return false;
	for (type = SEG6NR_CNT_PACKETS; type <= SEG6NR_CNT_ERRORS; type++)
		if (!mnl_attr_put_u64_check(rw->nlh, rw->size, type, 0))
			return too_long(rw);
	mnl_attr_nest_end(rw->nlh, nest);
	return true;
}

/* A descriptor for the program, which lives as long as the rewriting. */
static bool open_program(struct rewrite *rw, uint32_t id, uint32_t *prog)
{
	union bpf_attr attr;
	int *grown;
	int fd;

	grown = realloc(rw->fds, (rw->fd_count + 1) * sizeof(*grown));
	if (!grown)
		return rewrite_fails(rw, "out of memory");
	rw->fds = grown;
	memset(&attr, 0, sizeof(attr));
	attr.prog_id = id;
	fd = syscall(SYS_bpf, BPF_PROG_GET_FD_BY_ID, &attr, sizeof(attr));
	if (fd < 0)
		return rewrite_fails(rw, "endpoint: cannot open the program %u: %s",
				     id, strerror(errno));
	rw->fds[rw->fd_count++] = fd;
	*prog = fd;
	return true;
}

static bool put_program(struct rewrite *rw, const struct nlattr *from)
{
	struct nlattr *nest = nest_start(rw, SEG6NR_A_BPF);
	const struct nlattr *attr;
	uint32_t prog = 0;

	if (!nest)
		return false;
	mnl_attr_for_each_nested(attr, from) {
		if (mnl_attr_get_type(attr) != SEG6NR_BPF_PROG) {
			if (!rewrite_attr(rw, attr))
				return false;
			continue;
		}
		if (mnl_attr_get_payload_len(attr) != sizeof(prog))
			return rewrite_fails(rw, "endpoint: malformed");
		if (!open_program(rw, mnl_attr_get_u32(attr), &prog))
			return false;
		if (!mnl_attr_put_u32_check(rw->nlh, rw->size,
					    SEG6NR_BPF_PROG, prog))
			return too_long(rw);
	}
	mnl_attr_nest_end(rw->nlh, nest);
	return true;
}

static bool put_one(struct rewrite *rw, const struct nlattr *attr)
{
	uint16_t type = mnl_attr_get_type(attr);

	if (type >= SEG6NR_A_EXT && rw->to == STOCK_SLOT)
		return rewrite_fails(rw, "%s: the kernel's %s has no such thing",
				     type == SEG6NR_A_REPLACE_CSID ?
				     "replace-csid" : "an extension",
				     STOCK_NAME);
	if (type == SEG6NR_A_COUNTERS)
		return put_counters(rw);
	if (type == SEG6NR_A_BPF && rw->dumped)
		return put_program(rw, attr);
	return rewrite_attr(rw, attr);
}

/* The nest that our encap has around its attributes. */
static const struct nlattr *private_nest(const struct nlattr *payload)
{
	const struct nlattr *attr;

	mnl_attr_for_each_nested(attr, payload)
		if (mnl_attr_get_type(attr) == SEG6NR_ENCAP)
			return attr;
	return NULL;
}

bool rewrite_encap(struct rewrite *rw, const struct nlattr *payload,
		   uint16_t type, uint16_t type_type)
{
	const struct nlattr *from = payload, *attr;
	struct nlattr *nest, *private = NULL;

	if (rw->from != STOCK_SLOT)
		from = private_nest(payload);
	if (!from)
		return rewrite_fails(rw, "malformed encap");
	nest = nest_start(rw, type);
	if (nest && rw->to != STOCK_SLOT)
		private = nest_start(rw, SEG6NR_ENCAP);
	if (!nest || (rw->to != STOCK_SLOT && !private))
		return false;
	mnl_attr_for_each_nested(attr, from)
		if (!put_one(rw, attr))
			return false;
	if (private)
		mnl_attr_nest_end(rw->nlh, private);
	mnl_attr_nest_end(rw->nlh, nest);
	if (!mnl_attr_put_u16_check(rw->nlh, rw->size, type_type, rw->to))
		return too_long(rw);
	return true;
}
