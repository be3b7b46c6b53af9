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

#include "cmdline.h"
#include "encap.h"
#include "ip_front.h"
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

static bool has_our_encap(char **words)
{
	for (; words[0] && words[1]; words++)
		if (!strcmp(words[0], "encap") && !strcmp(words[1], ENCAP_NAME))
			return true;
	return false;
}

/* How the words of a command are to be treated. */
enum treatment { HAND_ON, MODIFY, LIST };

static enum treatment treatment_of(char **argv, const struct options *opts,
				   const struct route_verb **verb)
{
	char **words = argv + opts->object;

	if (opts->batch || opts->help || opts->version || !words[0] ||
	    !word_is_prefix(words[0], "route"))
		return HAND_ON;
	*verb = route_verb(words[1] ? words[1] : "list");
	if (!*verb)
		return HAND_ON;
	if ((*verb)->type && has_our_encap(words + 2))
		return MODIFY;
	if ((*verb)->list && !opts->foreign &&
	    (opts->family == AF_UNSPEC || opts->family == AF_INET6))
		return LIST;
	return HAND_ON;
}

int ip_front(char **argv)
{
	enum treatment treatment = HAND_ON;
	const struct route_verb *verb;
	struct options opts;
	struct cmdline line;
	char path[PATH_MAX];

	if (options_parse(argv, &opts))
		treatment = treatment_of(argv, &opts, &verb);
	if (treatment == MODIFY) {
		line.next = argv + opts.object + 2;
		return route_modify(verb, &opts, &line);
	}
	if (!ip_find(path, sizeof(path)))
		return EXIT_PARSE;
	if (treatment == LIST)
		return ip_show(path, argv, &opts);
	return ip_exec(path, argv);
}
