// SPDX-License-Identifier: GPL-2.0-only
/*
 * ktap.c - run the suites on a kernel without KUnit
 *
 * Each case runs in a thread of its own, as under KUnit, so that it may bind
 * itself to a CPU.
 */
#include <linux/completion.h>
#include <linux/kthread.h>
#include <linux/sched/task.h>

#include "ktap.h"

#define INDENT "    "

struct ktap_totals {
	unsigned int pass;
	unsigned int fail;
	unsigned int skip;
};

struct ktap_job {
	struct kunit			test;
	const struct kunit_suite	*suite;
	const struct kunit_case		*tc;
	struct completion		done;
};

static struct ktap_totals results;

module_param_named(passed, results.pass, uint, 0444);
MODULE_PARM_DESC(passed, "cases that passed (read only)");
module_param_named(failed, results.fail, uint, 0444);
MODULE_PARM_DESC(failed, "cases that failed (read only)");
module_param_named(skipped, results.skip, uint, 0444);
MODULE_PARM_DESC(skipped, "cases that were skipped (read only)");

static char *filter[8];
static unsigned int filters;
module_param_array(filter, charp, &filters, 0444);
MODULE_PARM_DESC(filter, "suites to run, parts of their names (default: all)");

static char *row[16];
static unsigned int rows;
module_param_array(row, charp, &rows, 0444);
MODULE_PARM_DESC(row, "rows and cases without rows to run, their names (default: all)");

static bool is_row_wanted(const char *name)
{
	unsigned int i;

	for (i = 0; i < rows; i++)
		if (!strcmp(name, row[i]))
			return true;
	return !rows;
}

const void *ktap_next_row(const struct ktap_rows *rows, const void *prev)
{
	const void *next = prev ? prev + rows->row : rows->first;

	return next < rows->first + rows->size ? next : NULL;
}

void ktap_info(const struct kunit *test, const char *fmt, ...)
{
	struct va_format vaf = { .fmt = fmt };
	va_list args;

	va_start(args, fmt);
	vaf.va = &args;
	pr_info(INDENT "# %s: %pV\n", test->name, &vaf);
	va_end(args);
}

void ktap_fail(struct kunit *test, const char *file, int line,
	       const char *fmt, ...)
{
	struct va_format vaf = { .fmt = fmt };
	va_list args;

	WRITE_ONCE(test->status, KUNIT_FAILURE);
	va_start(args, fmt);
	vaf.va = &args;
	pr_info(INDENT "# %s: EXPECTATION FAILED at %s:%d\n", test->name,
		kbasename(file), line);
	pr_info(INDENT "#     %pV\n", &vaf);
	va_end(args);
}

void ktap_skip(struct kunit *test, const char *fmt, ...)
{
	va_list args;

	test->status = KUNIT_SKIPPED;
	va_start(args, fmt);
	vscnprintf(test->status_comment, sizeof(test->status_comment), fmt,
		   args);
	va_end(args);
}

static int case_thread(void *data)
{
	struct ktap_job *job = data;
	int err = 0;

	if (job->suite->init)
		err = job->suite->init(&job->test);
	if (err)
		KUNIT_FAIL(&job->test, "failed to initialize (%d)", err);
	else
		job->tc->run_case(&job->test);
	if (job->suite->exit)
		job->suite->exit(&job->test);

	complete(&job->done);
	return 0;
}

static void run_job(struct ktap_job *job)
{
	struct task_struct *task;

	job->test.name = job->tc->name;
	job->test.status = KUNIT_SUCCESS;
	job->test.status_comment[0] = '\0';
	init_completion(&job->done);

	task = kthread_create(case_thread, job, "ktap_case");
	if (IS_ERR(task)) {
		KUNIT_FAIL(&job->test, "no thread (%ld)", PTR_ERR(task));
		return;
	}
	/* kthread_stop() waits until the thread has left our text. */
	get_task_struct(task);
	wake_up_process(task);
	wait_for_completion(&job->done);
	kthread_stop(task);
	put_task_struct(task);
}

static void count(struct ktap_totals *totals, enum ktap_status status)
{
	totals->pass += status == KUNIT_SUCCESS;
	totals->fail += status == KUNIT_FAILURE;
	totals->skip += status == KUNIT_SKIPPED;
}

static void add(struct ktap_totals *totals, const struct ktap_totals *more)
{
	totals->pass += more->pass;
	totals->fail += more->fail;
	totals->skip += more->skip;
}

static enum ktap_status verdict(const struct ktap_totals *totals)
{
	if (totals->fail)
		return KUNIT_FAILURE;
	return totals->pass ? KUNIT_SUCCESS : KUNIT_SKIPPED;
}

static void print_result(const char *indent, enum ktap_status status,
			 unsigned int number, const char *name,
			 const char *comment)
{
	const char *ok = status == KUNIT_FAILURE ? "not ok" : "ok";

	if (status == KUNIT_SKIPPED)
		pr_info("%s%s %u %s # SKIP %s\n", indent, ok, number, name,
			comment);
	else
		pr_info("%s%s %u %s\n", indent, ok, number, name);
}

static void print_totals(const char *indent, const char *prefix,
			 const struct ktap_totals *totals)
{
	pr_info("%s# %s pass:%u fail:%u skip:%u total:%u\n", indent, prefix,
		totals->pass, totals->fail, totals->skip,
		totals->pass + totals->fail + totals->skip);
}

static void run_rows(struct ktap_job *job, struct ktap_totals *totals)
{
	char desc[KUNIT_PARAM_DESC_SIZE] = "";
	const void *param = NULL;
	unsigned int number = 0;

	while ((param = job->tc->generate_params(param, desc)))
		number++;
	pr_info(INDENT INDENT "KTAP version 1\n");
	pr_info(INDENT INDENT "# Subtest: %s\n", job->tc->name);
	pr_info(INDENT INDENT "1..%u\n", number);

	number = 0;
	while ((param = job->tc->generate_params(param, desc))) {
		if (!is_row_wanted(desc))
			continue;
		job->test.param_value = param;
		run_job(job);
		print_result(INDENT INDENT, job->test.status, ++number, desc,
			     job->test.status_comment);
		count(totals, job->test.status);
	}
}

/* Rows count as cases of their own. */
static enum ktap_status run_case(const struct kunit_suite *suite,
				 const struct kunit_case *tc,
				 unsigned int number,
				 struct ktap_totals *totals)
{
	struct ktap_job job = { .suite = suite, .tc = tc };
	struct ktap_totals own = {};

	if (tc->generate_params) {
		run_rows(&job, &own);
	} else if (is_row_wanted(tc->name)) {
		run_job(&job);
		count(&own, job.test.status);
	}
	add(totals, &own);
	print_result(INDENT, verdict(&own), number, tc->name,
		     job.test.status_comment);
	return verdict(&own);
}

static enum ktap_status run_suite(const struct kunit_suite *suite,
				  struct ktap_totals *totals)
{
	const struct kunit_case *tc;
	struct ktap_totals own = {};
	unsigned int number = 0;

	pr_info(INDENT "KTAP version 1\n");
	pr_info(INDENT "# Subtest: %s\n", suite->name);
	for (tc = suite->test_cases; tc->run_case; tc++)
		number++;
	pr_info(INDENT "1..%u\n", number);

	number = 0;
	for (tc = suite->test_cases; tc->run_case; tc++)
		run_case(suite, tc, ++number, &own);

	print_totals(INDENT, suite->name, &own);
	add(totals, &own);
	return verdict(&own);
}

static bool is_chosen(const struct kunit_suite *suite)
{
	unsigned int i;

	for (i = 0; i < filters; i++)
		if (strstr(suite->name, filter[i]))
			return true;
	return !filters;
}

/**
 * ktap_run() - run suites and print their results to the kernel log as KTAP
 * @suites: the suites, in the order to run them
 * @count: how many
 *
 * Context: process, sleeps until the last case has ended.
 *
 * Return: 0; results are told by the log and the module's parameters, so that
 * a failing case does not keep the module from being looked at.
 */
int ktap_run(struct kunit_suite *const *suites, unsigned int count)
{
	unsigned int i, chosen = 0, number = 0;
	struct ktap_totals totals = {};

	pr_info("KTAP version 1\n");
	for (i = 0; i < count; i++)
		chosen += is_chosen(suites[i]);
	pr_info("1..%u\n", chosen);
	for (i = 0; i < count; i++)
		if (is_chosen(suites[i]))
			print_result("", run_suite(suites[i], &totals),
				     ++number, suites[i]->name,
				     "every case was skipped");
	print_totals("", "Totals:", &totals);
	results = totals;
	return 0;
}
