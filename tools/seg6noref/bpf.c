// SPDX-License-Identifier: GPL-2.0-only
/*
 * bpf.c - the words behind `endpoint'
 *
 * Pinned programs only: loading an object file takes a BPF loader, which
 * bpftool is.  The name is the one that ip gives to a pinned program.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/bpf.h>

#include "encap.h"

static int open_pinned(const char *path)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.pathname = (uintptr_t)path;
	return syscall(SYS_bpf, BPF_OBJ_GET, &attr, sizeof(attr));
}

static int refuse_mode(const char *mode)
{
	if (word_is_prefix(mode, "object-file"))
		complain("Load and pin the program first, then give pinned PATH (see bpftool prog load)");
	else
		complain("What mode is \"%s\"?", mode);
	complain("Failed to parse eBPF program: Operation not permitted");
	return EXIT_PARSE;
}

/* pinned PATH, the program being opened; see encap_release() */
int bpf_parse(struct encap *encap, struct cmdline *line)
{
	const char *mode, *path, *base;
	int err;

	err = cmdline_value(line, &mode);
	if (err)
		return err;
	if (strcmp(mode, "pinned") && strcmp(mode, "object-pinned") &&
	    strcmp(mode, "fd"))
		return refuse_mode(mode);
	err = cmdline_value(line, &path);
	if (err)
		return err;
	base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	if (snprintf(encap->prog_name, sizeof(encap->prog_name), "%s:[*fsobj]",
		     base) >= (int)sizeof(encap->prog_name))
		return complain_invalid(path, "path is too long");
	encap->prog = open_pinned(path);
	if (encap->prog < 0) {
		complain("Cannot open pinned program \"%s\": %s", path,
			 strerror(errno));
		return EXIT_PARSE;
	}
	encap->has_prog = true;
	return EXIT_OK;
}
