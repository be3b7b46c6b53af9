// SPDX-License-Identifier: GPL-2.0-only
/*
 * module_state.c - small files of sysfs and procfs
 */
#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../module/uapi.h"
#include "module_state.h"

#ifndef MODULE_DIR
#define MODULE_DIR	"/sys/module/" SEG6NR_MODULE_NAME
#endif
#ifndef SYSCTL_DIR
#define SYSCTL_DIR	"/proc/sys"
#endif

bool file_line(const char *path, char *text, size_t size)
{
	FILE *file = fopen(path, "re");
	bool good;

	text[0] = '\0';
	if (!file)
		return false;
	good = fgets(text, size, file);
	fclose(file);
	text[strcspn(text, "\n")] = '\0';
	return good;
}

bool module_loaded(void)
{
	return !access(MODULE_DIR, F_OK);
}

bool module_text(const char *name, char *text, size_t size)
{
	char path[512];

	snprintf(path, sizeof(path), MODULE_DIR "/%s", name);
	return file_line(path, text, size);
}

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

void module_parameters(void (*visit)(void *arg, const char *name,
				     const char *value), void *arg)
{
	char name[300], value[128];
	struct dirent **entries;
	int count, i;

	count = scandir(MODULE_DIR "/parameters", &entries, is_visible,
			alphasort);
	for (i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "parameters/%s",
			 entries[i]->d_name);
		if (module_text(name, value, sizeof(value)))
			visit(arg, entries[i]->d_name, value);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
}

bool sysctl_number(int *value, const char *format, ...)
{
	char path[512] = SYSCTL_DIR "/", text[32], *end;
	size_t len = strlen(path);
	va_list args;

	va_start(args, format);
	vsnprintf(path + len, sizeof(path) - len, format, args);
	va_end(args);
	if (!file_line(path, text, sizeof(text)))
		return false;
	*value = strtol(text, &end, 10);
	return end != text;
}
