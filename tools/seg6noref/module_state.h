/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * module_state.h - what the module and /proc/sys tell in files
 */
#ifndef SEG6NOREF_MODULE_STATE_H
#define SEG6NOREF_MODULE_STATE_H

#include <stdbool.h>
#include <stddef.h>

bool module_loaded(void);
/* The first line of a file of the module's directory in sysfs. */
bool module_text(const char *name, char *text, size_t size);
/* Show @visit each parameter and its value. */
void module_parameters(void (*visit)(void *arg, const char *name,
				     const char *value), void *arg);

/* The first line of @path; false, and an empty text, without one. */
bool file_line(const char *path, char *text, size_t size);
/* A sysctl by its path below /proc/sys; false if there is none. */
__attribute__((format(printf, 2, 3)))
bool sysctl_number(int *value, const char *format, ...);

#endif /* SEG6NOREF_MODULE_STATE_H */
