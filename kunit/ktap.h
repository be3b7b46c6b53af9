/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ktap.h - the part of KUnit's interface that our suites use
 *
 * For kernels that are built without CONFIG_KUNIT, which is every Debian
 * kernel.  Names and meaning are KUnit's; the results go to the kernel log as
 * KTAP and, summed up, to /sys/module/seg6local_noref_ktap/parameters/.
 */
#ifndef SEG6NR_KTAP_H
#define SEG6NR_KTAP_H

#include <linux/kernel.h>
#include <linux/module.h>

#define KUNIT_PARAM_DESC_SIZE	128
#define KTAP_COMMENT_SIZE	256

enum ktap_status {
	KUNIT_SUCCESS,
	KUNIT_FAILURE,
	KUNIT_SKIPPED,
};

struct kunit {
	void			*priv;
	const char		*name;
	const void		*param_value;
	enum ktap_status	status;
	char			status_comment[KTAP_COMMENT_SIZE];
};

struct kunit_case {
	void			(*run_case)(struct kunit *test);
	const char		*name;
	const void		*(*generate_params)(const void *prev,
						    char *desc);
};

struct kunit_suite {
	const char		*name;
	int			(*init)(struct kunit *test);
	void			(*exit)(struct kunit *test);
	struct kunit_case	*test_cases;
};

#define KUNIT_CASE(_fn)	{ .run_case = _fn, .name = #_fn }
#define KUNIT_CASE_PARAM(_fn, _gen)	\
	{ .run_case = _fn, .name = #_fn, .generate_params = _gen }

/* Rows of a parameter table, of whatever type. */
struct ktap_rows {
	const void	*first;
	size_t		row;
	size_t		size;
};

#define KTAP_ROWS(_array) {						\
	.first = (_array),						\
	.row = sizeof((_array)[0]),					\
	.size = sizeof(_array),						\
}

#define KUNIT_ARRAY_PARAM(_name, _array, _get_desc)			\
	static const void *_name##_gen_params(const void *prev, char *desc) \
	{								\
		const struct ktap_rows rows = KTAP_ROWS(_array);	\
		const void *next = ktap_next_row(&rows, prev);		\
									\
		if (next)						\
			_get_desc(next, desc);				\
		return next;						\
	}

const void *ktap_next_row(const struct ktap_rows *rows, const void *prev);
void __printf(2, 3) ktap_info(const struct kunit *test, const char *fmt, ...);
void __printf(4, 5) ktap_fail(struct kunit *test, const char *file, int line,
			      const char *fmt, ...);
void __printf(2, 3) ktap_skip(struct kunit *test, const char *fmt, ...);

#define kunit_info(_test, _fmt, ...)	\
	ktap_info(_test, _fmt, ##__VA_ARGS__)
#define kunit_mark_skipped(_test, _fmt, ...)	\
	ktap_skip(_test, _fmt, ##__VA_ARGS__)

#define KUNIT_FAIL(_test, _fmt, ...)	\
	ktap_fail(_test, __FILE__, __LINE__, _fmt, ##__VA_ARGS__)

#define KTAP_COMPARE(_test, _l, _op, _r, _fmt, ...)			\
do {									\
	long long __l = (long long)(_l);				\
	long long __r = (long long)(_r);				\
									\
	if (!(__l _op __r))						\
		ktap_fail(_test, __FILE__, __LINE__,			\
			  "%s (%lld) " #_op " %s (%lld): " _fmt,	\
			  #_l, __l, #_r, __r, ##__VA_ARGS__);		\
} while (0)

#define KUNIT_EXPECT_EQ_MSG(_test, _l, _r, _fmt, ...)	\
	KTAP_COMPARE(_test, _l, ==, _r, _fmt, ##__VA_ARGS__)
#define KUNIT_EXPECT_LE_MSG(_test, _l, _r, _fmt, ...)	\
	KTAP_COMPARE(_test, _l, <=, _r, _fmt, ##__VA_ARGS__)
#define KUNIT_EXPECT_TRUE_MSG(_test, _cond, _fmt, ...)			\
do {									\
	if (!(_cond))							\
		ktap_fail(_test, __FILE__, __LINE__, "%s: " _fmt,	\
			  #_cond, ##__VA_ARGS__);			\
} while (0)

int ktap_run(struct kunit_suite *const *suites, unsigned int count);

#define kunit_test_suites(...)	\
	static struct kunit_suite *const ktap_suites[] = { __VA_ARGS__ }

#define seg6nr_run_suites()	ktap_run(ktap_suites, ARRAY_SIZE(ktap_suites))

#endif /* SEG6NR_KTAP_H */
