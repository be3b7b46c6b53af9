// SPDX-License-Identifier: GPL-2.0-only
/*
 * ip_get.c - `ip -6 route get' with our encap decoded
 *
 * The real ip is asked first.  Only where its answer has an encap at all the
 * same question is asked and answered here.
 */
#include <stdlib.h>
#include <string.h>

#include "cmdline.h"
#include "exec.h"
#include "ip_front.h"
#include "route.h"
#include "slot.h"

/* What the helper's own `route get' has no answer to. */
static bool beyond_us(char **words, const struct options *opts)
{
	static const char *const more[] = { "notify", "connected", "as" };
	unsigned int i;

	for (; *words; words++)
		for (i = 0; i < MNL_ARRAY_SIZE(more); i++)
			if (word_is_prefix(*words, more[i]))
				return true;
	return opts->resolve;
}

/* In text and in JSON, with colors or without. */
static bool has_encap(const char *answer)
{
	return strstr(answer, " encap ") || strstr(answer, "\"encap\"");
}

static int answer_ourselves(char **words, const struct options *opts)
{
	struct session session = { .opts = opts };
	struct cmdline line = { .next = words };
	int status;

	status = route_get(&session, &line);
	session_close(&session);
	return status;
}

int ip_get(const char *path, char **argv, const struct options *opts)
{
	char **words = argv + opts->object + 2;
	struct capture capture;
	uint16_t slot;
	int status;

	if (beyond_us(words, opts) || slot_loaded(&slot) || !slot)
		return ip_exec(path, argv);
	argv[0] = "ip";
	if (!exec_capture(path, argv, false, &capture)) {
		free(capture.data);
		return ip_exec(path, argv);
	}
	status = capture.status;
	if (!status && has_encap(capture.data))
		status = answer_ourselves(words, opts);
	else
		fwrite(capture.data, 1, capture.len, stdout);
	free(capture.data);
	return status;
}
