// SPDX-License-Identifier: GPL-2.0-only
/*
 * unit_extack.c - what the kernel says, and answers that are cut off
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/netlink.h>

#include "unit.h"

#define CAPPED		0x100
#define ACK_TLVS	0x200

#define REQUEST "fc00::1 dev lo encap seg6local_noref action End table 5"

struct answer {
	int error;
	bool capped;
	const char *text;
	int offset;		/* below 0: none */
	int miss_type;
	int miss_nest;
};

static struct nlmsghdr *answer_build(const struct answer *answer,
				     const struct nlmsghdr *req)
{
	struct nlmsghdr *nlh = calloc(1, NL_REQUEST_SIZE);
	struct nlmsgerr *err;

	mnl_nlmsg_put_header(nlh);
	nlh->nlmsg_type = NLMSG_ERROR;
	nlh->nlmsg_flags = ACK_TLVS | (answer->capped ? CAPPED : 0);
	err = mnl_nlmsg_put_extra_header(nlh, sizeof(*err));
	err->error = -(unsigned int)answer->error;
	err->msg = *req;
	if (!answer->capped)
		memcpy(mnl_nlmsg_put_extra_header(nlh, req->nlmsg_len -
						  sizeof(*req)),
		       req + 1, req->nlmsg_len - sizeof(*req));
	if (answer->text)
		mnl_attr_put_strz(nlh, 1, answer->text);
	if (answer->offset >= 0)
		mnl_attr_put_u32(nlh, 2, answer->offset);
	if (answer->miss_type >= 0)
		mnl_attr_put_u32(nlh, 5, answer->miss_type);
	if (answer->miss_nest >= 0)
		mnl_attr_put_u32(nlh, 6, answer->miss_nest);
	return nlh;
}

/* Status and text of a report, the caller frees it. */
static char *report(const struct nlmsghdr *nlh, const struct nlmsghdr *req)
{
	FILE *saved = stderr;
	char *errors, *all;
	size_t len;
	int status;

	stderr = open_memstream(&errors, &len);
	status = extack_report(nlh, req);
	fclose(stderr);
	stderr = saved;
	if (asprintf(&all, "%d %s", status, errors) < 0)
		exit(1);
	free(errors);
	return all;
}

static void check_answer(const char *name, struct answer answer,
			 const char *want)
{
	struct nlmsghdr *req = build_words("add", REQUEST);
	struct nlmsghdr *nlh = answer_build(&answer, req);
	char *got = report(nlh, req);

	check(name, want, got);
	free(got);
	free(nlh);
	free(req);
}

/* Where things are in REQUEST: behind the header, rtmsg, DST and OIF. */
enum {
	AT_OIF		= 16 + 12 + 20,
	AT_ENCAP	= AT_OIF + 8,
	AT_PRIVATE	= AT_ENCAP + 4,
	AT_ACTION	= AT_PRIVATE + 4,
	AT_TABLE	= AT_ACTION + 8,
};

static void test_answers(void)
{
	check_answer("acknowledged", (struct answer){ 0, true, NULL, -1, -1, -1 },
		     "0 ");
	check_answer("warning", (struct answer){ 0, true, "odd", -1, -1, -1 },
		     "0 Warning: odd.\n");
	check_answer("error without text",
		     (struct answer){ EEXIST, true, NULL, -1, -1, -1 },
		     "2 RTNETLINK answers: File exists\n");
	check_answer("error with text",
		     (struct answer){ EINVAL, true, "nh6: missing", -1, -1, -1 },
		     "2 Error: nh6: missing.\n");
	check_answer("text with a full stop",
		     (struct answer){ EINVAL, true, "No.", -1, -1, -1 },
		     "2 Error: No.\n");
	check_answer("request echoed",
		     (struct answer){ EINVAL, false, "no", AT_TABLE, -1, -1 },
		     "2 Error: no.\nOffending attribute: encap table\n");
	check_answer("an error that is none",
		     (struct answer){ -5, true, NULL, -1, -1, -1 },
		     "2 RTNETLINK answers: Bad message\n");
	check_answer("an error that cannot be turned round",
		     (struct answer){ INT32_MIN, true, NULL, -1, -1, -1 },
		     "2 RTNETLINK answers: Bad message\n");
	check_answer("attribute of the route",
		     (struct answer){ EINVAL, true, "no", AT_OIF, -1, -1 },
		     "2 Error: no.\nOffending attribute: dev\n");
	check_answer("the encap as a whole",
		     (struct answer){ EINVAL, true, "no", AT_PRIVATE, -1, -1 },
		     "2 Error: no.\nOffending attribute: encap\n");
	check_answer("attribute without text",
		     (struct answer){ EINVAL, true, NULL, AT_ACTION, -1, -1 },
		     "2 RTNETLINK answers: Invalid argument\nOffending attribute: encap action\n");
	check_answer("missing in the encap",
		     (struct answer){ EINVAL, true, "no", -1, 5, AT_PRIVATE },
		     "2 Error: no.\nMissing attribute: encap nh6\n");
	check_answer("missing in the route",
		     (struct answer){ EINVAL, true, "no", -1, 4, -1 },
		     "2 Error: no.\nMissing attribute: dev\n");
	check_answer("offset outside of the request",
		     (struct answer){ EINVAL, true, "no", 40000, -1, -1 },
		     "2 Error: no.\n");
	check_answer("offset inside of an attribute",
		     (struct answer){ EINVAL, true, "no", AT_TABLE + 4, -1, -1 },
		     "2 Error: no.\nOffending attribute: encap table\n");
}

/* Cut the answer at every length: nothing beyond its end may be read. */
static void test_cut(void)
{
	struct answer answer = { EINVAL, false, "no", AT_TABLE, 5, AT_PRIVATE };
	struct nlmsghdr *req = build_words("add", REQUEST);
	struct nlmsghdr *nlh = answer_build(&answer, req);
	struct nlmsghdr *copy;
	bool good = true;
	char *got;
	size_t len;

	for (len = sizeof(*nlh); len < nlh->nlmsg_len; len++) {
		copy = malloc(len);
		memcpy(copy, nlh, len);
		copy->nlmsg_len = len;
		got = report(copy, req);
		good &= got[0] == '2';
		free(got);
		free(copy);
	}
	check_true("an answer cut off is still an error", good);
	free(nlh);
	free(req);
}

void test_extack(void)
{
	test_answers();
	test_cut();
}
