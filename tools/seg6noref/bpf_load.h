/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bpf_load.h - load a program of an object file
 */
#ifndef SEG6NOREF_BPF_LOAD_H
#define SEG6NOREF_BPF_LOAD_H

#include <stdbool.h>
#include <stddef.h>

/* Where iproute2 looks unless it is told. */
#define BPF_SECTION_DEFAULT	"prog"

struct bpf_object_words {
	const char *file;
	const char *section;	/* NULL unless given, like those below */
	const char *program;
	bool verbose;
};

/* Its descriptor, and its section; -1 after a complaint. */
int bpf_load(const struct bpf_object_words *words, char *section, size_t size);

#endif /* SEG6NOREF_BPF_LOAD_H */
