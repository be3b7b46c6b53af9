// SPDX-License-Identifier: GPL-2.0-only
/*
 * ip_front.c - called as ip: take the commands that are ours, hand the rest on
 *
 * The decision is made from the words alone, before anything is changed.  The
 * real ip gets its arguments as they came.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "batch.h"
#include "cmdline.h"
#include "encap.h"
#include "ip_front.h"
#include "nexthop.h"
#include "route.h"

#define ENV_IP		"SEG6NOREF_IP"
#define ENV_DEPTH	"SEG6NOREF_DEPTH"

/*
 * How often this program may hand on to itself, by way of other programs and
 * under other names: more than any script nests `ip netns exec', few enough to
 * end a loop at once.
 */
#define DEPTH_MAX	16

static bool depth_raise(void)
{
	const char *text = getenv(ENV_DEPTH);
	uint64_t depth = 0;
	char number[24];

	if (text && !word_number(text, DEPTH_MAX, &depth))
		depth = DEPTH_MAX;
	if (depth >= DEPTH_MAX) {
		complain("Error: seg6noref, called as ip, has called itself %d times: is there another ip in PATH? %s can name it.",
			 DEPTH_MAX, ENV_IP);
		return false;
	}
	snprintf(number, sizeof(number), "%u", (unsigned int)depth + 1);
	return !setenv(ENV_DEPTH, number, 1);
}

/* An executable file that is not this program. */
static bool is_real_ip(const char *path)
{
	struct stat self, other;

	if (stat(path, &other) || !S_ISREG(other.st_mode) ||
	    access(path, X_OK))
		return false;
	return stat("/proc/self/exe", &self) || self.st_dev != other.st_dev ||
	       self.st_ino != other.st_ino;
}

static bool search_dirs(const char *dirs, char *path, size_t size)
{
	size_t len;

	for (; dirs; dirs = dirs[len] ? dirs + len + 1 : NULL) {
		len = strcspn(dirs, ":");
		/* An empty entry means the current directory: not for root. */
		if (!len || len + sizeof("/ip") > size)
			continue;
		snprintf(path, size, "%.*s/ip", (int)len, dirs);
		if (is_real_ip(path))
			return true;
	}
	return false;
}

/* Path of the real ip in @path; false after a complaint. */
static bool ip_find(char *path, size_t size)
{
	const char *given = getenv(ENV_IP);

	if (!depth_raise())
		return false;
	if (given && *given) {
		if (is_real_ip(given) && strlen(given) < size) {
			strcpy(path, given);
			return true;
		}
		complain("Error: %s, named by %s, is not an ip to run.", given,
			 ENV_IP);
		return false;
	}
	if (search_dirs(getenv("PATH"), path, size) ||
	    search_dirs("/sbin:/bin:/usr/sbin:/usr/bin", path, size))
		return true;
	complain("Error: there is no other ip in PATH, /sbin, /bin, /usr/sbin or /usr/bin.");
	return false;
}

/* Become the real ip.  Its name must be "ip": it looks at it. */
int ip_exec(const char *path, char **argv)
{
	argv[0] = "ip";
	execv(path, argv);
	complain("Error: cannot run %s: %s.", path, strerror(errno));
	return EXIT_PARSE;
}

/* Shorter words are other objects of ip. */
static bool is_nexthop(const char *word)
{
	return strlen(word) > 2 && word_is_prefix(word, "nexthop");
}

static bool has_our_encap(char **words)
{
	for (; words[0] && words[1]; words++)
		if (!strcmp(words[0], "encap") && !strcmp(words[1], ENCAP_NAME))
			return true;
	return false;
}

/* An IPv6 address is among them: without -6, others may be asked for. */
static bool has_colon(char **words)
{
	for (; *words; words++)
		if (strchr(*words, ':'))
			return true;
	return false;
}

/* By its words, the object first. */
enum treatment ip_treatment(char **words, const struct options *opts)
{
	const struct nexthop_verb *nexthop;
	const struct route_verb *route;

	if (!words[0])
		return HAND_ON;
	if (is_nexthop(words[0])) {
		nexthop = words[1] ? nexthop_verb(words[1]) : NULL;
		return nexthop && nexthop->type && has_our_encap(words + 2) ?
		       MODIFY_NEXTHOP : HAND_ON;
	}
	if (!word_is_prefix(words[0], "route"))
		return HAND_ON;
	route = route_verb(words[1] ? words[1] : "list");
	if (route && route->type && has_our_encap(words + 2))
		return MODIFY_ROUTE;
	if (!route || opts->foreign ||
	    (opts->family != AF_UNSPEC && opts->family != AF_INET6))
		return HAND_ON;
	if (route->list)
		return LIST;
	return route->run == route_get && has_colon(words + 2) ? GET : HAND_ON;
}

/* Carry out a command of ours that changes something. */
int ip_command(enum treatment treatment, struct session *session, char **words)
{
	struct cmdline line = { .next = words + 1 };

	if (treatment == MODIFY_NEXTHOP)
		return nexthop_command(session, &line);
	return route_command(session, &line);
}

int ip_front(char **argv)
{
	enum treatment treatment = HAND_ON;
	struct options opts;
	struct session session = { .opts = &opts };
	char path[PATH_MAX];
	bool batch = false;
	int status;

	if (options_parse(argv, &opts) && !opts.help && !opts.version) {
		batch = opts.batch;
		if (!batch)
			treatment = ip_treatment(argv + opts.object, &opts);
	}
	if (treatment == MODIFY_ROUTE || treatment == MODIFY_NEXTHOP) {
		status = ip_command(treatment, &session, argv + opts.object);
		session_close(&session);
		return status;
	}
	if (!ip_find(path, sizeof(path)))
		return EXIT_PARSE;
	if (batch)
		return batch_ip(path, argv, &opts);
	if (treatment == LIST)
		return ip_show(path, argv, &opts);
	if (treatment == GET)
		return ip_get(path, argv, &opts);
	return ip_exec(path, argv);
}
