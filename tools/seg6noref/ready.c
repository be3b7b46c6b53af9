// SPDX-License-Identifier: GPL-2.0-only
/*
 * ready.c - check this machine and say in plain words what to do
 */
#include <stdarg.h>
#include <stdio.h>

#include "ready.h"
#include "usage.h"

static const struct {
	const char *text;
	const char *json;
} states[] = {
	[READY_OK]	= { "ok      ", "ok" },
	[READY_NOTE]	= { "note    ", "note" },
	[READY_PROBLEM]	= { "PROBLEM ", "problem" },
};

void ready_say(struct ready *ready, const char *check, enum ready_state state,
	       const char *remedy, const char *format, ...)
{
	struct out *out = &ready->out;
	char text[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	ready->problems += state == READY_PROBLEM;
	out_text(out, "%s%s: %s\n", states[state].text, check, text);
	if (remedy)
		out_text(out, "        to do: %s\n", remedy);
	out_open(out, '{', NULL);
	out_str(out, NULL, "check", check);
	out_str(out, NULL, "state", states[state].json);
	out_str(out, NULL, "text", text);
	if (remedy)
		out_str(out, NULL, "to_do", remedy);
	out_close(out, '}');
}

const struct device *ready_device(const struct ready *ready, uint32_t index)
{
	size_t i;

	for (i = 0; i < ready->device_count; i++)
		if (ready->devices[i].index == index)
			return &ready->devices[i];
	return NULL;
}

/* The VRF that has this table. */
const struct device *ready_vrf(const struct ready *ready, uint32_t table)
{
	size_t i;

	for (i = 0; table && i < ready->device_count; i++)
		if (ready->devices[i].vrf_table == table)
			return &ready->devices[i];
	return NULL;
}

static void (*const checks[])(struct ready *ready) = {
	check_module, check_forwarding, check_vrf, check_rp_filter, check_seg6,
	check_sids, check_mtu,
};

static void run_checks(struct ready *ready)
{
	struct out *out = &ready->out;
	size_t i;

	out_init(out, stdout, ready->session->opts);
	out_open(out, '{', NULL);
	out_open(out, '[', "checks");
	for (i = 0; i < MNL_ARRAY_SIZE(checks); i++)
		checks[i](ready);
	out_close(out, ']');
	out_uint(out, NULL, "problems", ready->problems);
	out_uint(out, NULL, "sids", ready->sid_count);
	out_close(out, '}');
	if (out->json)
		fputc('\n', out->file);
	if (ready->problems)
		out_text(out, "Not ready: %u problem%s.\n", ready->problems,
			 ready->problems == 1 ? "" : "s");
	else
		out_text(out, "Ready.\n");
}

int ready_command(struct session *session, struct cmdline *line)
{
	struct ready ready = { .session = session };
	int err;

	if (cmdline_accept(line, "help")) {
		usage_check(stdout);
		return EXIT_OK;
	}
	if (cmdline_peek(line))
		return complain_invalid(cmdline_peek(line), "no such word here");
	err = session_enter(session);
	if (!err)
		err = ready_read(&ready);
	if (!err) {
		run_checks(&ready);
		/* 1 to a script: not ready. */
		err = ready.problems ? EXIT_ADDRESS : EXIT_OK;
	}
	ready_free(&ready);
	return err;
}
