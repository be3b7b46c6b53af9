// SPDX-License-Identifier: GPL-2.0-only
/*
 * restore.c - the routes of a file, for the start of a machine
 *
 * After an upgrade of the kernel the module may be missing.  Its routes are
 * installed with the kernel's own encap then: slower, but the SIDs answer.
 */
#include <stdio.h>
#include <stdlib.h>

#include "commands.h"
#include "convert.h"
#include "encap.h"
#include "restore.h"
#include "usage.h"

/* Stands for the slot in requests until they are rewritten. */
#define PRIVATE_TYPE	UINT16_MAX

static int send_rewritten(struct session *session, struct rewrite *rw)
{
	bool adds = rw->nlh->nlmsg_type == RTM_NEWROUTE ||
		    rw->nlh->nlmsg_type == RTM_NEWNEXTHOP;
	const char *why;

	if (rw->changed && adds &&
	    !probe_message(session->send_arg, rw->nlh, &why)) {
		complain("Error: %s.", why);
		return EXIT_KERNEL;
	}
	return nl_request(&session->nl, rw->nlh);
}

/* A request for our encap, sent as one for the kernel's own. */
static int send_stock(struct session *session, struct nlmsghdr *req)
{
	struct rewrite rw = { .from = PRIVATE_TYPE, .to = STOCK_SLOT };
	void *buf = malloc(NL_REQUEST_SIZE);
	int err;

	if (!buf) {
		complain("Error: out of memory.");
		return EXIT_KERNEL;
	}
	rewrite_init(&rw, buf, NL_REQUEST_SIZE);
	if (rewrite_request(&rw, req)) {
		err = send_rewritten(session, &rw);
	} else {
		complain("Error: %s.", rw.why);
		err = EXIT_KERNEL;
	}
	rewrite_done(&rw);
	free(buf);
	return err;
}

static int restore_stock(struct session *session, const char *file)
{
	struct probe *probe = probe_open();
	int err;

	if (!probe)
		return EXIT_KERNEL;
	session->send = send_stock;
	session->send_arg = probe;
	session->slot = PRIVATE_TYPE;
	err = command_file(session, file, true);
	session->send = NULL;
	session->slot = 0;
	probe_close(probe);
	complain("The routes of %s have encap %s of the kernel, not %s.  Once the module is there: seg6noref convert",
		 file, STOCK_NAME, ENCAP_NAME);
	return err;
}

static int restore_run(struct session *session, const char *file, bool stock)
{
	int err;

	err = session_enter(session);
	if (err)
		return err;
	if (!stock && session_slot(session)) {
		complain("Warning: without the module, the routes of %s are installed with encap %s of the kernel.",
			 file, STOCK_NAME);
		stock = true;
	}
	return stock ? restore_stock(session, file) :
		       command_file(session, file, true);
}

int restore_command(struct session *session, struct cmdline *line)
{
	const char *file;
	bool stock;
	int err;

	if (cmdline_accept(line, "help")) {
		usage_restore(stdout);
		return EXIT_OK;
	}
	stock = cmdline_accept(line, "--stock");
	err = cmdline_value(line, &file);
	if (!err && cmdline_peek(line))
		err = complain_invalid(cmdline_peek(line),
				       "there is one file");
	return err ? err : restore_run(session, file, stock);
}
