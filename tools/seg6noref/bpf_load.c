// SPDX-License-Identifier: GPL-2.0-only
/*
 * bpf_load.c - load a program of an object file, with libbpf
 *
 * Built without that library, only pinned programs can be given.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bpf_load.h"
#include "cmdline.h"

#ifndef HAVE_LIBBPF

int bpf_load(const struct bpf_object_words *words, char *section, size_t size)
{
	(void)section;
	(void)size;
	complain("This seg6noref was built without libbpf. Load and pin the program of %s first, then give pinned PATH (see bpftool prog load)",
		 words->file);
	return -1;
}

#else

#include <bpf/libbpf.h>

static bool verbose;

static int print_log(enum libbpf_print_level level, const char *format,
		     va_list args)
{
	if (level == LIBBPF_DEBUG && !verbose)
		return 0;
	return vfprintf(stderr, format, args);
}

static bool is_wanted(const struct bpf_program *prog,
		      const struct bpf_object_words *words)
{
	if (words->program && strcmp(bpf_program__name(prog), words->program))
		return false;
	return (words->program && !words->section) ||
	       !strcmp(bpf_program__section_name(prog), words->section ?
		       words->section : BPF_SECTION_DEFAULT);
}

/* The program that was asked for, the only one that is going to be loaded. */
static struct bpf_program *choose(struct bpf_object *object,
				  const struct bpf_object_words *words)
{
	struct bpf_program *prog, *found = NULL;

	bpf_object__for_each_program(prog, object) {
		if (!found && is_wanted(prog, words)) {
			found = prog;
			bpf_program__set_type(prog,
					      BPF_PROG_TYPE_LWT_SEG6LOCAL);
		} else {
			bpf_program__set_autoload(prog, false);
		}
	}
	return found;
}

static int load(struct bpf_object *object, const struct bpf_object_words *words,
		char *section, size_t size)
{
	struct bpf_program *prog = choose(object, words);

	if (!prog) {
		complain("Error: no program %s in %s.", words->program ?
			 words->program : words->section ? words->section :
			 BPF_SECTION_DEFAULT, words->file);
		return -1;
	}
	if (verbose)
		bpf_program__set_log_level(prog, 1);
	if (bpf_object__load(object)) {
		complain("Cannot load %s: %s", words->file, strerror(errno));
		return -1;
	}
	snprintf(section, size, "%s", bpf_program__section_name(prog));
	return fcntl(bpf_program__fd(prog), F_DUPFD_CLOEXEC, 0);
}

int bpf_load(const struct bpf_object_words *words, char *section, size_t size)
{
	struct bpf_object *object;
	int fd;

	verbose = words->verbose;
	libbpf_set_print(print_log);
	object = bpf_object__open_file(words->file, NULL);
	if (!object) {
		complain("Cannot open %s: %s", words->file, strerror(errno));
		return -1;
	}
	fd = load(object, words, section, size);
	bpf_object__close(object);
	return fd;
}

#endif
