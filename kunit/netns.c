// SPDX-License-Identifier: GPL-2.0-only
/*
 * netns.c - a network namespace that nobody else uses
 *
 * The kernel exports no way to make one, so a process does it: a shell which
 * we start, which leaves for a new namespace, configures what only /proc/sys
 * can, and sleeps until we have taken our own reference.
 *
 * A namespace's statistics and a module's references are published as files
 * only.  They are opened here and read again whenever asked for.
 */
#include <linux/ctype.h>
#include <linux/delay.h>
#include <linux/fs.h>
#include <linux/kmod.h>
#include <linux/nsproxy.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/seq_file.h>
#include <linux/uio.h>
#include <net/net_namespace.h>

#include "netns.h"
#include "../module/uapi.h"

/* Starting a process takes seconds under a debug kernel in an emulator. */
#define HELPER_POLL_MS	10
#define HELPER_POLLS	(60 * 1000 / HELPER_POLL_MS)

#define TEXT_SIZE	2048

static const char * const params[SEG6NR_PARAMS] = {
	[SEG6NR_PARAM_CACHE]	= "nexthop_cache",
	[SEG6NR_PARAM_HOLD]	= "nexthop_hold",
	[SEG6NR_PARAM_MAX_AGE]	= "nexthop_cache_max_age",
	[SEG6NR_PARAM_LIMIT]	= "nexthop_cache_limit",
};

static struct {
	struct net		*net;
	struct task_struct	*helper;
	struct file		*stats;
	struct file		*refs;
	struct file		*params[SEG6NR_PARAMS];
	char			text[TEXT_SIZE];
} ns;

static int note_helper(struct subprocess_info *info, struct cred *new)
{
	ns.helper = get_task_struct(current);
	return 0;
}

static int start_helper(void)
{
	/* A VRF of ours is found by its table only in strict mode. */
	char *envp[4] = {
		"HOME=/",
		"SETUP=echo 1 >/proc/sys/net/vrf/strict_mode; exec sleep 600",
		"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
		NULL
	};
	char *argv[4] = {
		"/bin/sh", "-c",
		"exec unshare --net sh -c \"$SETUP\" 2>/dev/null",
		NULL
	};
	struct subprocess_info *info;

	info = call_usermodehelper_setup(argv[0], argv, envp, GFP_KERNEL,
					 note_helper, NULL, NULL);
	if (!info)
		return -ENOMEM;

	return call_usermodehelper_exec(info, UMH_WAIT_EXEC);
}

/*
 * The name tells when the shell is done and has become sleep(1).  Returns
 * -EAGAIN before, -ECHILD if there is nothing left to wait for.
 */
static int join_helper(void)
{
	int err = -EAGAIN;

	task_lock(ns.helper);
	if (!ns.helper->nsproxy) {
		err = -ECHILD;
	} else if (ns.helper->nsproxy->net_ns != &init_net &&
		   !strcmp(ns.helper->comm, "sleep")) {
		ns.net = get_net(ns.helper->nsproxy->net_ns);
		err = 0;
	}
	task_unlock(ns.helper);
	return err;
}

static int wait_for_helper(void)
{
	int err = -EAGAIN;
	int polls;

	for (polls = 0; err == -EAGAIN && polls < HELPER_POLLS; polls++) {
		msleep(HELPER_POLL_MS);
		err = join_helper();
	}
	return err;
}

static struct file *open_or_null(const char *path, int flags)
{
	struct file *file = filp_open(path, flags, 0);

	return IS_ERR(file) ? NULL : file;
}

static void open_files(void)
{
	char path[80];
	int i;

	snprintf(path, sizeof(path), "/proc/%d/net/" SEG6NR_MODULE_NAME,
		 task_pid_vnr(ns.helper));
	ns.stats = open_or_null(path, O_RDONLY);
	ns.refs = open_or_null("/sys/module/" SEG6NR_MODULE_NAME "/refcnt",
			       O_RDONLY);
	for (i = 0; i < SEG6NR_PARAMS; i++) {
		snprintf(path, sizeof(path),
			 "/sys/module/" SEG6NR_MODULE_NAME "/parameters/%s",
			 params[i]);
		ns.params[i] = open_or_null(path, O_RDWR);
	}
}

/**
 * seg6nr_netns_open() - make the namespace
 *
 * Context: process, sleeps for as long as a few programs take to start.
 *
 * Return: the namespace, valid until seg6nr_netns_close(), or an ERR_PTR(),
 * having said why to the log.
 */
struct net *seg6nr_netns_open(void)
{
	int err;

	err = start_helper();
	if (err) {
		pr_err("no test namespace: cannot run /bin/sh (%d)\n", err);
		goto put_helper;
	}

	err = wait_for_helper();
	if (err == -ECHILD)
		pr_err("no test namespace: \"unshare --net\" failed; it is part of util-linux\n");
	else if (err)
		pr_err("no test namespace: the helper process is not ready (%d)\n",
		       err);
	else
		open_files();
	send_sig(SIGKILL, ns.helper, 1);

put_helper:
	if (ns.helper)
		put_task_struct(ns.helper);
	ns.helper = NULL;
	return err ? ERR_PTR(err) : ns.net;
}

/** seg6nr_netns_close() - give the namespace up; it may not exist */
void seg6nr_netns_close(void)
{
	int i;

	for (i = 0; i < SEG6NR_PARAMS; i++) {
		if (ns.params[i])
			filp_close(ns.params[i], NULL);
	}
	if (ns.stats)
		filp_close(ns.stats, NULL);
	if (ns.refs)
		filp_close(ns.refs, NULL);
	if (ns.net)
		put_net(ns.net);
	memset(&ns, 0, sizeof(ns));
}

/*
 * Files of /proc/net refuse kernel_read(), for they have no read_iter of their
 * own; the sequence behind them does have one.
 */
static int read_stats(void)
{
	struct kvec vec = { .iov_base = ns.text, .iov_len = TEXT_SIZE - 1 };
	struct iov_iter iter;
	struct kiocb iocb;
	ssize_t len;

	if (!ns.stats)
		return -ENOENT;
	init_sync_kiocb(&iocb, ns.stats);
	iov_iter_kvec(&iter, READ, &vec, 1, vec.iov_len);
	len = seq_read_iter(&iocb, &iter);
	if (len < 0)
		return len;
	ns.text[len] = '\0';
	return 0;
}

/**
 * seg6nr_stat() - read one line of the namespace's /proc/net/seg6local_noref
 * @name: its name
 * @value: filled in
 *
 * Return: 0, or a negative error if there is no such line.
 */
int seg6nr_stat(const char *name, u64 *value)
{
	size_t len = strlen(name);
	char *line, *rest;
	int err;

	err = read_stats();
	if (err)
		return err;

	rest = ns.text;
	while ((line = strsep(&rest, "\n"))) {
		if (!strncmp(line, name, len) && isspace(line[len]))
			return kstrtou64(skip_spaces(line + len), 10, value);
	}
	return -ENOENT;
}

/**
 * seg6nr_param_set() - set a parameter of the module
 * @param: which
 * @value: of booleans, too
 *
 * Return: 0 or a negative error.
 */
int seg6nr_param_set(enum seg6nr_param param, unsigned int value)
{
	char text[16];
	loff_t pos = 0;
	ssize_t len;

	if (!ns.params[param])
		return -ENOENT;
	snprintf(text, sizeof(text), "%u", value);
	len = kernel_write(ns.params[param], text, strlen(text), &pos);
	return min_t(ssize_t, len, 0);
}

/**
 * seg6nr_module_refs() - who uses the module: each SID's state, and ourselves
 *
 * Return: the number, or a negative error.
 */
int seg6nr_module_refs(void)
{
	char text[16] = "";
	loff_t pos = 0;
	ssize_t len;
	int refs;
	int err;

	if (!ns.refs)
		return -ENOENT;
	len = kernel_read(ns.refs, text, sizeof(text) - 1, &pos);
	if (len < 0)
		return len;
	err = kstrtoint(strim(text), 10, &refs);
	return err ?: refs;
}
