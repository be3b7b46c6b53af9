/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * exec.h - run other programs
 */
#ifndef SEG6NOREF_EXEC_H
#define SEG6NOREF_EXEC_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Output of a program, closed by a NUL that len does not count. */
struct capture {
	char *data;
	size_t len;
	int status;
};

int exec_status(pid_t pid);
int exec_wait(const char *path, char **argv);
bool exec_capture(const char *path, char **argv, bool quiet,
		  struct capture *capture);

#endif /* SEG6NOREF_EXEC_H */
