// SPDX-License-Identifier: GPL-2.0-only
/*
 * attr_kunit.c - the table of attributes, without routes: what is accepted,
 * that a dump fits its size and reads as what was configured, and what is said
 * of everything else
 */
#include "../module/attr.c"
#include "../module/behavior.c"

#include "env.h"
#include "flow.h"
#include "harness.h"
#include "suites.h"

#define ATTRS_MAX	4
#define CONFIG_SIZE	1024

/**
 * struct given - one attribute as a user gives it
 * @type: SEG6NR_A_*, 0 behind the last one
 * @len: of its payload
 * @words: the payload, nests are written out
 * @octets: the same
 */
struct given {
	u16	type;
	u8	len;
	union {
		u32	words[10];
		u8	octets[40];
	};
};

/* What stands in a word: the head of an attribute, an octet in front. */
#ifdef __BIG_ENDIAN
#define HDR(_l, _t)	((_l) << 16 | (_t))
#define OCTET(_v)	((_v) << 24)
#else
#define HDR(_l, _t)	((_l) | (_t) << 16)
#define OCTET(_v)	(_v)
#endif

#define WORD(_type, _v)	{ _type, 4, .words = { _v } }
#define ACTION(_a)	WORD(SEG6NR_A_ACTION, _a)
#define TABLE(_t)	WORD(SEG6NR_A_TABLE, _t)
#define VRFTABLE(_t)	WORD(SEG6NR_A_VRFTABLE, _t)
#define OIF(_i)		WORD(SEG6NR_A_OIF, _i)
#define NH4		{ SEG6NR_A_NH4, 4, .octets = { 192, 0, 2, 2 } }
#define NH6		\
	{ SEG6NR_A_NH6, 16, .octets = { 0x20, 0x01, [15] = 2 } }
#define SRH(_len, ...)	{ SEG6NR_A_SRH, _len, .octets = { __VA_ARGS__ } }
#define ONE_SEGMENT	SRH(24, 0, 2, 4, 0, 0, 0, 0, 0, 0x20, [23] = 1)
#define COUNT_3		\
	{ SEG6NR_A_COUNTERS, 36, .words = {				\
		HDR(12, SEG6NR_CNT_PACKETS),				\
		[3] = HDR(12, SEG6NR_CNT_BYTES),			\
		[6] = HDR(12, SEG6NR_CNT_ERRORS) } }
#define FLAVOR(_ops)	\
	{ SEG6NR_A_FLAVORS, 8, .words = {				\
		HDR(8, SEG6NR_FLV_OPERATION), _ops } }
#define NEXT_LENGTHS(_lb, _nf)	\
	{ SEG6NR_A_FLAVORS, 24, .words = {				\
		HDR(8, SEG6NR_FLV_OPERATION),				\
		BIT(SEG6NR_FLV_OP_NEXT_CSID),				\
		HDR(5, SEG6NR_FLV_LBLEN), OCTET(_lb),			\
		HDR(5, SEG6NR_FLV_NFLEN), OCTET(_nf) } }
#define REPLACE		{ SEG6NR_A_REPLACE_CSID, 0 }
#define REPLACE_LENGTHS(_lb, _nf)	\
	{ SEG6NR_A_REPLACE_CSID, 16, .words = {				\
		HDR(5, SEG6NR_FLV_LBLEN), OCTET(_lb),			\
		HDR(5, SEG6NR_FLV_NFLEN), OCTET(_nf) } }

/**
 * struct config - a configuration
 * @name: for messages
 * @given: its attributes
 * @err: 0 if it is to be accepted
 * @text: what is said otherwise
 */
struct config {
	const char	*name;
	struct given	given[ATTRS_MAX];
	int		err;
	const char	*text;
};

static const struct config accepted[] = {
	{ "end", { ACTION(1) } },
	{ "end_count", { ACTION(1), COUNT_3 } },
	{ "end_psp", { ACTION(1), FLAVOR(BIT(SEG6NR_FLV_OP_PSP)) } },
	{ "end_all_flavors", { ACTION(1), FLAVOR(0x1e), COUNT_3 } },
	{ "end_next_csid", { ACTION(1), FLAVOR(0x10) } },
	{ "end_next_csid_8_120", { ACTION(1), NEXT_LENGTHS(8, 120) } },
	{ "end_next_csid_120_8", { ACTION(1), NEXT_LENGTHS(120, 8) } },
	{ "end_replace_csid", { ACTION(1), REPLACE } },
	{ "end_replace_csid_32", { ACTION(1), REPLACE_LENGTHS(48, 32) } },
	{ "end_replace_csid_psp", { ACTION(1), FLAVOR(2), REPLACE } },
	{ "end_x", { ACTION(2), NH6 } },
	{ "end_x_oif", { ACTION(2), NH6, OIF(7), COUNT_3 } },
	{ "end_t", { ACTION(3), TABLE(9) } },
	{ "end_dx2", { ACTION(4), OIF(7) } },
	{ "end_dx6", { ACTION(5), NH6 } },
	{ "end_dx4", { ACTION(6), NH4 } },
	{ "end_dt6_table", { ACTION(7), TABLE(9) } },
	{ "end_dt6_vrftable", { ACTION(7), VRFTABLE(SEG6NR_TABLE_VRF) } },
	{ "end_dt4", { ACTION(8), VRFTABLE(SEG6NR_TABLE_VRF) } },
	{ "end_dt46", { ACTION(16), VRFTABLE(SEG6NR_TABLE_VRF), COUNT_3 } },
	{ "end_b6", { ACTION(9), ONE_SEGMENT } },
	{ "end_b6_encaps", { ACTION(10), ONE_SEGMENT, COUNT_3 } },
};

static const struct config refused[] = {
	{ "nothing", {}, -EINVAL, "action: missing" },
	{ "action_0", { ACTION(0) }, -EINVAL, "action: unknown" },
	{ "action_bm", { ACTION(11) }, -EINVAL, "action: unknown" },
	{ "action_17", { ACTION(17) }, -EINVAL, "action: unknown" },
	{ "action_twice", { ACTION(1), ACTION(1) }, -EINVAL,
	  "action: given twice" },
	{ "action_short", { { SEG6NR_A_ACTION, 2 } }, -ERANGE,
	  "action: wrong length" },
	{ "attribute_unknown", { ACTION(1), { 77, 4 } }, -EINVAL,
	  "encap: attribute unknown to this module" },
	{ "attribute_zero", { ACTION(1), { 63, 4 } }, -EINVAL,
	  "encap: attribute unknown to this module" },
	{ "end_table", { ACTION(1), TABLE(9) }, -EINVAL,
	  "table: not used by this action" },
	{ "end_x_no_nh6", { ACTION(2) }, -EINVAL, "nh6: missing" },
	{ "end_x_nh4", { ACTION(2), NH6, NH4 }, -EINVAL,
	  "nh4: not used by this action" },
	{ "end_x_oif_0", { ACTION(2), NH6, OIF(0) }, -EINVAL,
	  "oif: not a device index" },
	{ "end_x_nh6_short", { ACTION(2), { SEG6NR_A_NH6, 8 } }, -ERANGE,
	  "nh6: wrong length" },
	{ "end_x_iif", { ACTION(2), NH6, { SEG6NR_A_IIF, 4 } }, -EINVAL,
	  "iif: not used by this action" },
	{ "end_t_no_table", { ACTION(3) }, -EINVAL, "table: missing" },
	{ "end_dx2_no_oif", { ACTION(4) }, -EINVAL, "oif: missing" },
	{ "end_dx4_no_nh4", { ACTION(6) }, -EINVAL, "nh4: missing" },
	{ "end_dx4_flavors", { ACTION(6), NH4, FLAVOR(2) }, -EINVAL,
	  "flavors: not used by this action" },
	{ "end_dt6_neither", { ACTION(7) }, -EINVAL,
	  "table, vrftable: one of them must be given" },
	{ "end_dt6_both", { ACTION(7), TABLE(9), VRFTABLE(100) }, -EINVAL,
	  "table, vrftable: one of them must be given" },
	{ "end_dt4_no_vrf", { ACTION(8), VRFTABLE(9) }, -ENODEV,
	  "vrftable: none pretended" },
	{ "end_b6_no_srh", { ACTION(9) }, -EINVAL, "srh: missing" },
	{ "end_b6_srh_empty", { ACTION(9), SRH(0) }, -EINVAL,
	  "srh: wrong length" },
	{ "end_b6_srh_no_segment", { ACTION(9), SRH(8, 0, 0, 4) }, -EINVAL,
	  "srh: wrong length" },
	{ "end_b6_srh_length_field", { ACTION(9), SRH(24, 0, 3, 4) }, -EINVAL,
	  "srh: wrong length" },
	{ "end_b6_srh_left", { ACTION(9), SRH(24, 0, 2, 4, 1) }, -EINVAL,
	  "srh: malformed" },
	{ "end_b6_srh_type", { ACTION(9), SRH(24, 0, 2, 3) }, -EINVAL,
	  "srh: malformed" },
	{ "flavors_none", { ACTION(1), { SEG6NR_A_FLAVORS, 0 } }, -EINVAL,
	  "flavors: none given" },
	{ "flavors_zero", { ACTION(1), FLAVOR(0) }, -EOPNOTSUPP,
	  "flavors: unsupported flavor" },
	{ "flavors_unknown", { ACTION(1), FLAVOR(0x20) }, -EOPNOTSUPP,
	  "flavors: unsupported flavor" },
	{ "next_csid_lblen_0", { ACTION(1), NEXT_LENGTHS(0, 16) }, -EINVAL,
	  "flavors: lblen and nflen must be multiples of 8 that fit the address" },
	{ "next_csid_nflen_12", { ACTION(1), NEXT_LENGTHS(32, 12) }, -EINVAL,
	  "flavors: lblen and nflen must be multiples of 8 that fit the address" },
	{ "next_csid_too_long", { ACTION(1), NEXT_LENGTHS(120, 16) }, -EINVAL,
	  "flavors: lblen and nflen must be multiples of 8 that fit the address" },
	{ "replace_csid_next_csid", { ACTION(1), FLAVOR(0x10), REPLACE },
	  -EINVAL, "flavors: next-csid and replace-csid exclude each other" },
	{ "replace_csid_nflen_24", { ACTION(1), REPLACE_LENGTHS(32, 24) },
	  -EINVAL, "flavors: replace-csid wants an nflen of 16 or 32" },
	{ "replace_csid_no_argument", { ACTION(1), REPLACE_LENGTHS(112, 16) },
	  -EINVAL,
	  "flavors: lblen and nflen must be multiples of 8 that fit the address" },
	{ "count_empty", { ACTION(1), { SEG6NR_A_COUNTERS, 0 } }, -EINVAL,
	  "count: packets, bytes or errors missing" },
	{ "count_short", { ACTION(1), { SEG6NR_A_COUNTERS, 8,
	    .words = { HDR(8, SEG6NR_CNT_PACKETS) } } }, -EINVAL,
	  "count: unknown or malformed counter" },
	{ "bpf_without_program", { ACTION(15) }, -EINVAL,
	  "endpoint: missing" },
};

static void config_desc(const struct config *config, char *desc)
{
	strscpy(desc, config->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(accepted, accepted, config_desc);
KUNIT_ARRAY_PARAM(refused, refused, config_desc);

static struct sk_buff *new_message(struct kunit *test)
{
	struct sk_buff *msg = alloc_skb(CONFIG_SIZE, GFP_KERNEL);

	if (!msg)
		KUNIT_FAIL(test, "no memory for a message");
	return msg;
}

static struct sk_buff *configure(struct kunit *test,
				 const struct config *config)
{
	struct sk_buff *msg = new_message(test);
	struct nlattr *nest;
	int i;

	if (!msg)
		return NULL;
	nest = nla_nest_start(msg, SEG6NR_ENCAP);
	for (i = 0; i < ATTRS_MAX && config->given[i].type; i++)
		nla_put(msg, config->given[i].type, config->given[i].len,
			config->given[i].octets);
	nla_nest_end(msg, nest);
	return msg;
}

static int parse(struct seg6nr_lwt *slwt, const struct sk_buff *msg,
		 struct netlink_ext_ack *extack)
{
	const struct seg6nr_config config = { .net = seg6nr_env.net };

	memset(slwt, 0, sizeof(*slwt));
	return seg6nr_attrs_parse(&config, slwt, (void *)msg->data, extack);
}

static struct sk_buff *dump_state(struct kunit *test,
				  const struct config *config,
				  const struct seg6nr_lwt *slwt)
{
	struct sk_buff *msg = new_message(test);
	struct nlattr *nest;
	int err, size;

	if (!msg)
		return NULL;
	nest = nla_nest_start(msg, SEG6NR_ENCAP);
	err = seg6nr_attrs_put(msg, slwt);
	nla_nest_end(msg, nest);
	size = NLA_HDRLEN + seg6nr_attrs_size(slwt);
	KUNIT_EXPECT_EQ_MSG(test, err, 0, "%s: dump: error %d", config->name,
			    err);
	KUNIT_EXPECT_LE_MSG(test, msg->len, size,
			    "%s: dump of %u octets, size %d", config->name,
			    msg->len, size);
	return msg;
}

/* What is dumped is what was configured, and fits. */
static void attrs_round_trip(struct kunit *test)
{
	const struct config *config = test->param_value;
	struct sk_buff *msg = configure(test, config), *copy = NULL;
	struct netlink_ext_ack extack = {};
	struct seg6nr_lwt slwt, again;
	int err;

	if (!msg)
		return;
	err = parse(&slwt, msg, &extack);
	KUNIT_EXPECT_EQ_MSG(test, err, 0, "%s: error %d %s", config->name, err,
			    extack._msg ?: "");
	if (!err)
		copy = dump_state(test, config, &slwt);
	if (copy) {
		err = parse(&again, copy, &extack);
		KUNIT_EXPECT_EQ_MSG(test, err, 0, "%s: sent back: error %d %s",
				    config->name, err, extack._msg ?: "");
		KUNIT_EXPECT_TRUE_MSG(test,
				      err || seg6nr_attrs_equal(&slwt, &again),
				      "%s: sent back, it is not equal",
				      config->name);
		if (!err)
			seg6nr_attrs_destroy(&again);
		seg6nr_attrs_destroy(&slwt);
	}
	kfree_skb(copy);
	kfree_skb(msg);
}

/* No configuration is equal to any other. */
static void attrs_differ(struct kunit *test)
{
	const struct config *config = test->param_value;
	struct sk_buff *msg = configure(test, config), *other;
	struct seg6nr_lwt slwt, than;
	unsigned int i;

	if (!msg)
		return;
	if (parse(&slwt, msg, NULL)) {
		KUNIT_FAIL(test, "%s: refused", config->name);
		kfree_skb(msg);
		return;
	}
	for (i = 0; i < ARRAY_SIZE(accepted); i++) {
		other = configure(test, &accepted[i]);
		if (!other || parse(&than, other, NULL)) {
			KUNIT_FAIL(test, "%s: refused", accepted[i].name);
		} else {
			KUNIT_EXPECT_EQ_MSG(test,
					    seg6nr_attrs_equal(&slwt, &than),
					    config == &accepted[i],
					    "%s and %s", config->name,
					    accepted[i].name);
			seg6nr_attrs_destroy(&than);
		}
		kfree_skb(other);
	}
	seg6nr_attrs_destroy(&slwt);
	kfree_skb(msg);
}

static void attrs_refused(struct kunit *test)
{
	const struct config *config = test->param_value;
	struct sk_buff *msg = configure(test, config);
	struct netlink_ext_ack extack = {};
	struct seg6nr_lwt slwt;
	int err;

	if (!msg)
		return;
	err = parse(&slwt, msg, &extack);
	KUNIT_EXPECT_EQ_MSG(test, err, config->err,
			    "%s: expected error %d, seen %d", config->name,
			    config->err, err);
	KUNIT_EXPECT_TRUE_MSG(test,
			      extack._msg && !strcmp(extack._msg, config->text),
			      "%s: expected \"%s\", seen \"%s\"", config->name,
			      config->text, extack._msg ?: "");
	KUNIT_EXPECT_TRUE_MSG(test, extack.bad_attr,
			      "%s: no attribute is blamed", config->name);
	if (!err)
		seg6nr_attrs_destroy(&slwt);
	kfree_skb(msg);
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(attrs_round_trip, accepted_gen_params),
	KUNIT_CASE_PARAM(attrs_differ, accepted_gen_params),
	KUNIT_CASE_PARAM(attrs_refused, refused_gen_params),
	{}
};

struct kunit_suite seg6nr_attr_suite = {
	.name = "seg6local_noref_attr",
	.init = seg6nr_case_init,
	.test_cases = cases,
};
