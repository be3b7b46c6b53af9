// SPDX-License-Identifier: GPL-2.0-only
/*
 * slot.c - ask the module for its slot and its ABI, load it if need be
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "../../module/uapi.h"
#include "cmdline.h"
#include "exec.h"
#include "slot.h"

#ifndef MODULE_DIR
#define MODULE_DIR	"/sys/module/" SEG6NR_MODULE_NAME
#endif
#define SLOT_MAX	UINT16_MAX

/* A number from a file of the module's parameters. */
static int parameter_read(const char *name, uint64_t max, uint64_t *value)
{
	char path[128], text[32];
	FILE *file;
	bool good;

	snprintf(path, sizeof(path), MODULE_DIR "/parameters/%s", name);
	file = fopen(path, "re");
	if (!file) {
		complain("Error: cannot read %s: %s.", path, strerror(errno));
		return EXIT_KERNEL;
	}
	good = fgets(text, sizeof(text), file);
	fclose(file);
	if (good) {
		text[strcspn(text, "\n")] = '\0';
		good = word_number(text, max, value);
	}
	if (!good) {
		complain("Error: no number in %s.", path);
		return EXIT_KERNEL;
	}
	return EXIT_OK;
}

int slot_loaded(uint16_t *slot)
{
	uint64_t abi, number;
	int err;

	*slot = 0;
	if (access(MODULE_DIR, F_OK))
		return EXIT_OK;
	err = parameter_read("abi", UINT32_MAX, &abi);
	if (err)
		return err;
	if (abi != SEG6NR_ABI_VERSION) {
		complain("Error: the module %s speaks ABI version %llu, this seg6noref speaks version %d: install both from the same release.",
			 SEG6NR_MODULE_NAME, (unsigned long long)abi,
			 SEG6NR_ABI_VERSION);
		return EXIT_KERNEL;
	}
	err = parameter_read("encap_type", SLOT_MAX, &number);
	if (err)
		return err;
	*slot = number;
	return EXIT_OK;
}

static int load_failed(int status)
{
	struct utsname host;

	uname(&host);
	complain("Error: the kernel module %s is not loaded, and modprobe could not load it (exit status %d).",
		 SEG6NR_MODULE_NAME, status);
	if (geteuid())
		complain("Loading a module takes root.");
	else
		complain("Is it built for kernel %s? See \"dkms status %s\"; the headers of that kernel must be installed. The kernel log has the reason of a refusal.",
			 host.release, SEG6NR_MODULE_NAME);
	return EXIT_KERNEL;
}

int slot_load(uint16_t *slot)
{
	char *argv[] = { "modprobe", SEG6NR_MODULE_NAME, NULL };
	int status;
	int err;

	err = slot_loaded(slot);
	if (err || *slot)
		return err;
	status = exec_wait("/sbin/modprobe", argv);
	err = slot_loaded(slot);
	if (err || *slot)
		return err;
	return load_failed(status);
}
