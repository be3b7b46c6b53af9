// SPDX-License-Identifier: GPL-2.0-only
/*
 * batch_ip.c - ip -batch, commands of ours among those of the real ip
 *
 * Each run of foreign lines goes to a real ip of its own as its batch.  It
 * counts lines from where its run begins and knows no name of the file, so what
 * it says of a failure is corrected on its way.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "batch.h"
#include "cmdline.h"
#include "encap.h"
#include "exec.h"
#include "ip_front.h"
#include "slot.h"

#define FAILED		"Command failed -:"

struct batch_ip {
	const char *path;	/* of the real ip */
	char **argv;
	struct session session;
};

/* Numbers of failed lines as the user's file has them. */
static void put_error(const struct batch *batch,
		      const struct batch_lines *lines, const char *text,
		      size_t len)
{
	unsigned long number;
	char *end;

	if (len > strlen(FAILED) && !strncmp(text, FAILED, strlen(FAILED))) {
		number = strtoul(text + strlen(FAILED), &end, 10);
		if (end == text + len - 1) {
			complain("Command failed %s:%lu", batch->name,
				 number + lines->first - 1);
			return;
		}
	}
	fwrite(text, 1, len, stderr);
}

/* Pass on whole lines of @pending, all of it if that was the @last. */
static void put_errors(const struct batch *batch,
		       const struct batch_lines *lines, char *pending,
		       size_t *len, bool last)
{
	char *at = pending, *newline;

	while ((newline = memchr(at, '\n', pending + *len - at))) {
		put_error(batch, lines, at, newline + 1 - at);
		at = newline + 1;
	}
	*len -= at - pending;
	memmove(pending, at, *len);
	if (last && *len) {
		fwrite(pending, 1, *len, stderr);
		*len = 0;
	}
}

/*
 * Relay what comes from @fd until it ends, or until the process behind @pidfd
 * has: one that it left behind may keep the other end open.
 */
static void relay_errors(const struct batch *batch,
			 const struct batch_lines *lines, int fd, int pidfd)
{
	struct pollfd fds[] = {
		{ .fd = fd, .events = POLLIN },
		{ .fd = pidfd, .events = POLLIN },
	};
	char pending[4096];
	size_t used = 0;
	ssize_t len;

	for (;;) {
		if (poll(fds, 2, -1) < 0) {
			if (errno == EINTR)
				continue;
			break;
		}
		if (!fds[0].revents && fds[1].revents)
			break;
		if (!fds[0].revents)
			continue;
		len = read(fd, pending + used, sizeof(pending) - 1 - used);
		if (len <= 0 && !(len < 0 && errno == EINTR))
			break;
		used += len > 0 ? len : 0;
		pending[used] = '\0';
		put_errors(batch, lines, pending, &used,
			   used == sizeof(pending) - 1);
	}
	put_errors(batch, lines, pending, &used, true);
}

/* The lines as a file to read from, -1 if that cannot be had. */
static int lines_file(const struct batch_lines *lines)
{
	size_t done = 0;
	ssize_t len = 0;
	int fd;

	fd = memfd_create("batch", MFD_CLOEXEC);
	while (fd >= 0 && done < lines->len) {
		len = write(fd, lines->data + done, lines->len - done);
		if (len < 0 && errno != EINTR)
			break;
		done += len > 0 ? len : 0;
	}
	if (len < 0 || (fd >= 0 && lseek(fd, 0, SEEK_SET))) {
		close(fd);
		return -1;
	}
	return fd;
}

static int real_ip_run(const struct batch *batch,
		       const struct batch_lines *lines, int input)
{
	const struct batch_ip *ip = batch->arg;
	int ends[2];
	int pidfd;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return EXIT_KERNEL;
	fflush(stdout);
	pid = fork();
	if (!pid) {
		dup2(input, STDIN_FILENO);
		dup2(ends[1], STDERR_FILENO);
		ip->argv[ip->session.opts->batch_at] = "-";
		_exit(ip_exec(ip->path, ip->argv));
	}
	close(ends[1]);
	pidfd = pid > 0 ? syscall(SYS_pidfd_open, pid, 0) : -1;
	if (pid > 0)
		relay_errors(batch, lines, ends[0], pidfd);
	if (pidfd >= 0)
		close(pidfd);
	close(ends[0]);
	return pid > 0 ? exec_status(pid) : EXIT_KERNEL;
}

static int foreign_run(const struct batch *batch,
		       const struct batch_lines *lines)
{
	int input = lines_file(lines);
	int status;

	if (input < 0) {
		complain("Error: cannot hand lines to ip: %s.",
			 strerror(errno));
		return EXIT_KERNEL;
	}
	status = real_ip_run(batch, lines, input);
	close(input);
	return status;
}

/* What is shown asks the real ip too, and becomes it where none is ours. */
static int show_run(const struct batch_ip *ip, enum treatment treatment,
		    char **words)
{
	const struct options *opts = ip->session.opts;
	size_t count = 0, n;
	struct options own;
	char **argv;
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid)
		return pid > 0 ? exec_status(pid) : EXIT_KERNEL;
	while (words[count])
		count++;
	argv = calloc(opts->object + count + 1, sizeof(*argv));
	if (!argv)
		_exit(EXIT_KERNEL);
	/* The options but for -batch FILE. */
	n = opts->batch_at - 1;
	memcpy(argv, ip->argv, n * sizeof(*argv));
	memcpy(argv + n, ip->argv + opts->batch_at + 1,
	       (opts->object - opts->batch_at - 1) * sizeof(*argv));
	n = opts->object - 2;
	memcpy(argv + n, words, count * sizeof(*argv));
	options_parse(argv, &own);
	status = treatment == GET ? ip_get(ip->path, argv, &own)
				  : ip_show(ip->path, argv, &own);
	fflush(stdout);
	_exit(status);
}

static bool line_ours(const struct batch *batch, char **words)
{
	const struct batch_ip *ip = batch->arg;
	enum treatment treatment = ip_treatment(words, ip->session.opts);
	uint16_t slot;

	if (treatment == LIST || treatment == GET)
		return !slot_loaded(&slot) && slot;
	return treatment != HAND_ON;
}

static int line_run(const struct batch *batch, char **words)
{
	struct batch_ip *ip = batch->arg;
	enum treatment treatment = ip_treatment(words, ip->session.opts);

	if (treatment == LIST || treatment == GET)
		return show_run(ip, treatment, words);
	return ip_command(treatment, &ip->session, words);
}

/* Whether a file that can be read twice has the name of our encap in it. */
static bool file_mentions(int fd, const char *name)
{
	size_t keep = strlen(name) - 1;
	char data[65536];
	size_t left = 0;
	ssize_t len;

	while ((len = read(fd, data + left, sizeof(data) - left)) > 0) {
		left += len;
		if (memmem(data, left, name, keep + 1))
			return true;
		if (left > keep) {
			memmove(data, data + left - keep, keep);
			left = keep;
		}
	}
	return false;
}

/* Without a route of ours, and none to come, the real ip does it all. */
static bool all_foreign(int fd)
{
	off_t start = lseek(fd, 0, SEEK_CUR);
	bool mentioned;
	uint16_t slot;

	if (start < 0 || slot_loaded(&slot) || slot)
		return false;
	mentioned = file_mentions(fd, ENCAP_NAME);
	lseek(fd, start, SEEK_SET);
	return !mentioned;
}

int batch_ip(const char *path, char **argv, const struct options *opts)
{
	struct batch_ip ip = {
		.path = path, .argv = argv, .session.opts = opts,
	};
	struct batch batch = {
		.name = opts->batch, .force = opts->force, .arg = &ip,
		.run = line_run, .ours = line_ours, .foreign = foreign_run,
	};
	int status;
	int fd;

	status = batch_open(opts->batch, &fd);
	if (status)
		return status;
	if (all_foreign(fd))
		return ip_exec(path, argv);
	status = batch_run(&batch, fd);
	session_close(&ip.session);
	return status;
}
