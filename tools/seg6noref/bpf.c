// SPDX-License-Identifier: GPL-2.0-only
/*
 * bpf.c - the words behind `endpoint'
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/bpf.h>

#include "bpf_load.h"
#include "encap.h"

static int open_pinned(const char *path)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.pathname = (uintptr_t)path;
	return syscall(SYS_bpf, BPF_OBJ_GET, &attr, sizeof(attr));
}

/* All forms but an object file are fatal in the same way. */
static int not_parsed(void)
{
	complain("Failed to parse eBPF program: Operation not permitted");
	return EXIT_PARSE;
}

/* What ip shows of a program: the file, and where in it. */
static int name_program(struct encap *encap, const char *path,
			const char *section)
{
	const char *base = strrchr(path, '/');

	if (snprintf(encap->prog_name, sizeof(encap->prog_name), "%s:[%s]",
		     base ? base + 1 : path, section) <
	    (int)sizeof(encap->prog_name))
		return EXIT_OK;
	return complain_invalid(path, "path is too long");
}

static int parse_pinned(struct encap *encap, struct cmdline *line)
{
	const char *path;
	int err;

	err = cmdline_value(line, &path);
	if (!err)
		err = name_program(encap, path, "*fsobj");
	if (err)
		return err;
	encap->prog = open_pinned(path);
	encap->has_prog = encap->prog >= 0;
	if (encap->has_prog)
		return EXIT_OK;
	complain("Cannot open pinned program \"%s\": %s", path,
		 strerror(errno));
	return EXIT_PARSE;
}

/*
 * Short forms as of ip, but for those of "program", which would hide words of
 * the route such as "proto".
 */
static int object_words(struct bpf_object_words *words, struct cmdline *line)
{
	const char *word;
	int err;

	memset(words, 0, sizeof(*words));
	err = cmdline_value(line, &words->file);
	while (!err && (word = cmdline_peek(line))) {
		if (!words->section && word_is_prefix(word, "section")) {
			cmdline_skip(line);
			err = cmdline_value(line, &words->section);
		} else if (!words->program && !strcmp(word, "program")) {
			cmdline_skip(line);
			err = cmdline_value(line, &words->program);
		} else if (!words->verbose && word_is_prefix(word, "verbose")) {
			cmdline_skip(line);
			words->verbose = true;
		} else {
			break;
		}
	}
	return err;
}

static int parse_object(struct encap *encap, struct cmdline *line)
{
	struct bpf_object_words words;
	char section[BPF_NAME_SIZE];
	int err;

	err = object_words(&words, line);
	if (err)
		return err;
	encap->prog = bpf_load(&words, section, sizeof(section));
	encap->has_prog = encap->prog >= 0;
	if (!encap->has_prog)
		return not_parsed();
	return name_program(encap, words.file, section);
}

static const struct {
	const char *word;
	int (*parse)(struct encap *encap, struct cmdline *line);
} modes[] = {
	{ "object-file",	parse_object },
	{ "pinned",		parse_pinned },
	{ "object-pinned",	parse_pinned },
	{ "fd",			parse_pinned },
};

/* The program stays open, see encap_release(). */
int bpf_parse(struct encap *encap, struct cmdline *line)
{
	const char *mode;
	unsigned int i;
	int err;

	err = cmdline_value(line, &mode);
	if (err)
		return err;
	for (i = 0; i < MNL_ARRAY_SIZE(modes); i++)
		if (word_is_prefix(mode, modes[i].word))
			return modes[i].parse(encap, line);
	complain("What mode is \"%s\"?", mode);
	return not_parsed();
}
