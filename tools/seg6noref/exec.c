// SPDX-License-Identifier: GPL-2.0-only
/*
 * exec.c - fork, exec, wait, and what the child printed
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmdline.h"
#include "exec.h"

#define STATUS_NO_EXEC	127

/* Wait for @pid; its exit status as a shell gives it. */
int exec_status(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return STATUS_NO_EXEC;
	if (WIFSIGNALED(status))
		return 128 + WTERMSIG(status);
	return WEXITSTATUS(status);
}

/* Look for argv[0] in PATH, then take @path. */
int exec_wait(const char *path, char **argv)
{
	pid_t pid = fork();

	if (pid < 0)
		return STATUS_NO_EXEC;
	if (!pid) {
		execvp(argv[0], argv);
		execv(path, argv);
		complain("Cannot run %s: %s", argv[0], strerror(errno));
		_exit(STATUS_NO_EXEC);
	}
	return exec_status(pid);
}

/* All that comes from @fd until it ends. */
static bool read_all(int fd, struct capture *capture)
{
	size_t room = 0;
	ssize_t len;
	char *grown;

	for (;;) {
		if (room - capture->len < 65536) {
			room = room ? room * 2 : 1 << 17;
			grown = realloc(capture->data, room);
			if (!grown)
				return false;
			capture->data = grown;
		}
		len = read(fd, capture->data + capture->len,
			   room - capture->len - 1);
		if (len < 0 && errno == EINTR)
			continue;
		if (len <= 0)
			break;
		capture->len += len;
	}
	capture->data[capture->len] = '\0';
	return !len;
}

static void child_run(const char *path, char **argv, int out, bool quiet)
{
	int null;

	dup2(out, STDOUT_FILENO);
	if (quiet) {
		null = open("/dev/null", O_WRONLY);
		if (null >= 0)
			dup2(null, STDERR_FILENO);
	}
	execv(path, argv);
	complain("Cannot run %s: %s", path, strerror(errno));
	_exit(STATUS_NO_EXEC);
}

/*
 * Run @path and keep what it prints; @quiet drops what it complains.  The
 * caller frees capture->data in every case.
 */
bool exec_capture(const char *path, char **argv, bool quiet,
		  struct capture *capture)
{
	int ends[2];
	bool good;
	pid_t pid;

	memset(capture, 0, sizeof(*capture));
	if (pipe2(ends, O_CLOEXEC))
		return false;
	pid = fork();
	if (!pid)
		child_run(path, argv, ends[1], quiet);
	close(ends[1]);
	good = pid > 0 && read_all(ends[0], capture);
	close(ends[0]);
	if (pid > 0)
		capture->status = exec_status(pid);
	return good;
}
