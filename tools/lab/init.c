// SPDX-License-Identifier: GPL-2.0-only
/*
 * Process 1 of a lab guest: shows the host's root below a throw-away upper
 * layer, runs one command, leaves its exit status in a file on the host and
 * powers off. In C and static, because in an emulated or instrumented guest
 * every exec costs up to a second.
 *
 * The run directory of the host is mounted on RUN:
 *   argv, env   the command and its environment, NUL terminated strings
 *   conf        "key=value" lines: cwd, modules, out
 *   out         takes what the command writes to stdout and stderr
 *   status      takes its exit status
 *   kmemleak    takes the leak report, on kernels that make one
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#define STAGE	"/tmp"
#define LOWER	STAGE "/lower"
#define ROOT	STAGE "/root"
#define RUN	"/run/lab"
#define KMEMLEAK "/sys/kernel/debug/kmemleak"
/* 9p: large messages, and writes that reach the host at once where asked. */
#define P9_OPTS	"trans=virtio,version=9p2000.L,msize=512000,access=client"

static bool qemu;

static void power_off(void)
{
	sync();
	reboot(RB_POWER_OFF);
	for (;;)
		pause();
}

__attribute__((format(printf, 1, 2)))
static void die(const char *fmt, ...)
{
	int err = errno;
	va_list ap;

	fprintf(stderr, "lab init: ");
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, ": %s\n", strerror(err));
	power_off();
}

static void must_mount(const char *src, const char *dst, const char *type,
		       unsigned long flags, const char *opts)
{
	if (mount(src, dst, type, flags, opts))
		die("mount %s on %s", src, dst);
}

/* What this kernel may lack: a miss shows in the test that needs it. */
static void may_mount(const char *type, const char *dst)
{
	if (mount(type, dst, type, 0, NULL) && errno != ENODEV &&
	    errno != ENOENT)
		fprintf(stderr, "lab init: mount %s: %s\n", type,
			strerror(errno));
}

static void must_mkdir(const char *path)
{
	if (mkdir(path, 0755) && errno != EEXIST)
		die("mkdir %s", path);
}

static void mkdir_p(const char *path)
{
	char buf[4096], *p;

	snprintf(buf, sizeof(buf), "%s", path);
	for (p = buf + 1; *p; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		must_mkdir(buf);
		*p = '/';
	}
	must_mkdir(buf);
}

static char *slurp(const char *path, size_t *len)
{
	size_t size = 0, room = 65536;
	char *buf = malloc(room + 1);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (!buf || fd < 0)
		die("read %s", path);
	while ((n = read(fd, buf + size, room - size)) > 0) {
		size += n;
		if (size < room)
			continue;
		room *= 2;
		buf = realloc(buf, room + 1);
		if (!buf)
			die("memory for %s", path);
	}
	close(fd);
	buf[size] = '\0';
	if (len)
		*len = size;
	return buf;
}

static char **split_strings(const char *path)
{
	size_t len, n = 0, i;
	char *buf = slurp(path, &len), **vec;

	for (i = 0; i < len; i++)
		n += !buf[i];
	vec = calloc(n + 1, sizeof(*vec));
	if (!vec)
		die("memory");
	for (i = 0, n = 0; i < len; i += strlen(buf + i) + 1)
		vec[n++] = buf + i;
	return vec;
}

/* Value of "key=" in the run directory's conf, or NULL. */
static char *conf_get(const char *key)
{
	char *line = strtok(slurp(RUN "/conf", NULL), "\n");
	size_t len = strlen(key);

	for (; line; line = strtok(NULL, "\n"))
		if (!strncmp(line, key, len) && line[len] == '=')
			return line + len + 1;
	return NULL;
}

/* Modules that reach the host's root, in the order of their names. */
static void load_modules(void)
{
	struct dirent **list;
	int i, fd, n = scandir("/lab-modules", &list, NULL, alphasort);
	char path[512];

	for (i = 0; i < n; i++) {
		if (list[i]->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "/lab-modules/%s", list[i]->d_name);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0 || (syscall(SYS_finit_module, fd, "", 0) &&
			       errno != EEXIST))
			die("load %s", path);
		close(fd);
	}
}

/* A directory of the host; in QEMU it has a tag, in user mode its path. */
static void mount_host(const char *tag, const char *path, const char *dst,
		       bool readonly)
{
	unsigned long flags = readonly ? MS_RDONLY : 0;
	const char *opts = P9_OPTS ",cache=none";

	if (!qemu) {
		must_mount("none", dst, "hostfs", flags, path);
		return;
	}
	if (readonly)
		opts = P9_OPTS ",cache=loose";
	must_mount(tag, dst, "9p", flags, opts);
}

/* Own messages go to the kernel log: there may be no console to see. */
static void open_log(void)
{
	int fd;

	must_mkdir(STAGE);
	must_mount("tmpfs", STAGE, "tmpfs", 0, "mode=0755,size=75%");
	if (mknod(STAGE "/kmsg", S_IFCHR | 0600, makedev(1, 11)))
		die("mknod");
	fd = open(STAGE "/kmsg", O_WRONLY);
	if (fd < 0 || dup2(fd, 2) < 0)
		die("open kernel log");
	setvbuf(stderr, NULL, _IOLBF, 1024);
}

static void enter_root(void)
{
	const char *lower = "/";
	char opts[256];

	must_mkdir(STAGE "/up");
	must_mkdir(STAGE "/work");
	must_mkdir(ROOT);
	if (qemu) {
		lower = LOWER;
		must_mkdir(LOWER);
		mount_host("lab_root", "/", LOWER, true);
	}
	snprintf(opts, sizeof(opts), "lowerdir=%s,upperdir=" STAGE
		 "/up,workdir=" STAGE "/work", lower);
	must_mount("overlay", ROOT, "overlay", 0, opts);
	/* Not a plain chroot: that would forbid user name spaces. */
	if (chdir(ROOT))
		die("chdir " ROOT);
	must_mount(".", "/", NULL, MS_MOVE, NULL);
	if (chroot(".") || chdir("/"))
		die("chroot");
}

static void mount_system(void)
{
	must_mount("proc", "/proc", "proc", 0, NULL);
	must_mount("sysfs", "/sys", "sysfs", 0, NULL);
	must_mount("devtmpfs", "/dev", "devtmpfs", 0, NULL);
	must_mkdir("/dev/pts");
	must_mkdir("/dev/shm");
	may_mount("devpts", "/dev/pts");
	must_mount("tmpfs", "/dev/shm", "tmpfs", 0, "mode=1777");
	must_mount("tmpfs", "/run", "tmpfs", 0, "mode=0755");
	must_mkdir("/run/lock");
	must_mkdir("/run/netns");
	may_mount("debugfs", "/sys/kernel/debug");
	may_mount("tracefs", "/sys/kernel/tracing");
	may_mount("cgroup2", "/sys/fs/cgroup");
	may_mount("bpf", "/sys/fs/bpf");
	if (symlink("/proc/self/fd", "/dev/fd") ||
	    symlink("/proc/self/fd/0", "/dev/stdin") ||
	    symlink("/proc/self/fd/1", "/dev/stdout") ||
	    symlink("/proc/self/fd/2", "/dev/stderr"))
		die("links in /dev");
}

static void loopback_up(void)
{
	struct ifreq ifr = { .ifr_name = "lo", .ifr_flags = IFF_UP };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &ifr))
		die("lo up");
	close(fd);
}

static void bind_modules(void)
{
	char *src = conf_get("modules"), dst[256];
	struct utsname uts;

	uname(&uts);
	snprintf(dst, sizeof(dst), "/lib/modules/%s", uts.release);
	mkdir_p(dst);
	if (src)
		must_mount(src, dst, NULL, MS_BIND, NULL);
}

static void setup(const char *run)
{
	char *out;

	enter_root();
	mount_system();
	must_mkdir(RUN);
	mount_host("lab_run", run, RUN, false);
	bind_modules();
	out = conf_get("out");
	if (out) {
		mkdir_p(out);
		mount_host("lab_out", out, out, false);
	}
	loopback_up();
	if (sethostname("lab", 3))
		die("host name");
}

static pid_t start_command(int fd)
{
	char **argv = split_strings(RUN "/argv");
	char **env = split_strings(RUN "/env");
	char *cwd = conf_get("cwd");
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (pid)
		return pid;
	setsid();
	dup2(open("/dev/null", O_RDONLY), 0);
	dup2(fd, 1);
	dup2(fd, 2);
	if (cwd && chdir(cwd)) {
		fprintf(stderr, "lab: chdir %s: %s\n", cwd, strerror(errno));
		_exit(126);
	}
	environ = env;
	execvp(argv[0], argv);
	fprintf(stderr, "lab: %s: %s\n", argv[0], strerror(errno));
	_exit(errno == ENOENT ? 127 : 126);
}

/* Copies what is there, a pipe's worth at most, and does not wait for more. */
static void drain(int from, int to)
{
	static char buf[65536];
	ssize_t n, done, w;
	int i;

	for (i = 0; i < 32 && (n = read(from, buf, sizeof(buf))) > 0; i++)
		for (done = 0; done < n; done += w) {
			w = write(to, buf + done, n - done);
			if (w <= 0)
				die("write output");
		}
}

static bool reap(pid_t pid, int *status)
{
	bool found = false;
	pid_t got;
	int st;

	while ((got = waitpid(-1, &st, WNOHANG)) > 0)
		if (got == pid) {
			*status = st;
			found = true;
		}
	return found;
}

static void on_child(int sig)
{
	(void)sig;
}

static int run_command(void)
{
	struct sigaction sa = { .sa_handler = on_child };
	struct timespec second = { .tv_sec = 1 };
	sigset_t block, normal;
	struct pollfd pfd;
	int p[2], out, st = 0;
	bool done;
	pid_t pid;

	out = open(RUN "/out", O_WRONLY | O_APPEND | O_CLOEXEC);
	if (out < 0 || pipe2(p, O_CLOEXEC))
		die("output");
	pid = start_command(p[1]);
	sigaction(SIGCHLD, &sa, NULL);
	sigemptyset(&block);
	sigaddset(&block, SIGCHLD);
	sigprocmask(SIG_BLOCK, &block, &normal);
	close(p[1]);
	fcntl(p[0], F_SETFL, O_NONBLOCK);
	pfd.fd = p[0];
	pfd.events = POLLIN;
	do {
		/* The command's end counts, not that of what it left behind. */
		done = reap(pid, &st);
		if (!done)
			ppoll(&pfd, 1, &second, &normal);
		drain(p[0], out);
		if (pfd.revents & POLLHUP)
			pfd.fd = -1;
	} while (!done);
	close(out);
	return WIFEXITED(st) ? WEXITSTATUS(st) : 128 + WTERMSIG(st);
}

static void put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		die("write %s", path);
	close(fd);
}

/*
 * An object counts as leaked when it is older than five seconds and two scans
 * in a row found no pointer to it.
 */
static void report_leaks(void)
{
	int fd = open(KMEMLEAK, O_RDWR | O_CLOEXEC);
	char *text;

	if (fd < 0)
		return;
	close(fd);
	sleep(6);
	put(KMEMLEAK, "scan");
	put(KMEMLEAK, "scan");
	text = slurp(KMEMLEAK, NULL);
	put(RUN "/kmemleak", text);
}

static void write_status(int status)
{
	char text[16];

	snprintf(text, sizeof(text), "%d\n", status);
	put(RUN "/status.new", text);
	if (rename(RUN "/status.new", RUN "/status"))
		die("rename status");
}

int main(int argc, char **argv)
{
	char *run = getenv("lab_run");
	int status;

	(void)argc;
	(void)argv;
	open_log();
	qemu = !access("/lab-modules", F_OK);
	if (qemu)
		load_modules();
	if (!run)
		die("no lab_run= on the command line");
	setup(run);
	status = run_command();
	kill(-1, SIGKILL);
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
	report_leaks();
	write_status(status);
	power_off();
}
