/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * uapi.h - the netlink ABI of seg6local_noref, shared by module and helper
 *
 * RTA_ENCAP_TYPE carries the number of the lwtunnel slot in which the module
 * registered (sysfs: parameters/encap_type).  RTA_ENCAP carries exactly one
 * attribute, SEG6NR_ENCAP, and that nest carries the attributes below.  The
 * number is out of the range that the slot's official owner will ever use, so
 * a stock tool which decodes the slot by its official meaning finds nothing
 * that it could misread.
 *
 * Attribute and action numbers are those of linux/seg6_local.h.  They are
 * repeated under names of our own because the headers of old kernels lack some
 * of them and an enumerator cannot be tested for by the preprocessor.
 */
#ifndef SEG6NR_UAPI_H
#define SEG6NR_UAPI_H

/* Raised whenever a message of one side could be misread by the other. */
#define SEG6NR_ABI_VERSION	1

#define SEG6NR_MODULE_NAME	"seg6local_noref"
#define SEG6NR_VERSION		"0.1.0"

/* Type of the only attribute inside RTA_ENCAP. */
#define SEG6NR_ENCAP		64

/* Attributes inside SEG6NR_ENCAP. */
enum {
	SEG6NR_A_UNSPEC		= 0,
	SEG6NR_A_ACTION		= 1,	/* u32, SEG6NR_ACT_* */
	SEG6NR_A_SRH		= 2,	/* binary, a whole SRH */
	SEG6NR_A_TABLE		= 3,	/* u32 */
	SEG6NR_A_NH4		= 4,	/* 4 octets */
	SEG6NR_A_NH6		= 5,	/* 16 octets */
	SEG6NR_A_IIF		= 6,	/* u32 */
	SEG6NR_A_OIF		= 7,	/* u32 */
	SEG6NR_A_BPF		= 8,	/* nest */
	SEG6NR_A_VRFTABLE	= 9,	/* u32 */
	SEG6NR_A_COUNTERS	= 10,	/* nest, SEG6NR_CNT_* */
	SEG6NR_A_FLAVORS	= 11,	/* nest */
	SEG6NR_A_MAX		= SEG6NR_A_FLAVORS,
	/* Extensions of this project, out of reach of the kernel's numbers. */
	SEG6NR_A_EXT		= 128,
	SEG6NR_A_REPLACE_CSID	= SEG6NR_A_EXT,	/* nest, SEG6NR_FLV_* lengths */
	SEG6NR_A_EXT_MAX	= SEG6NR_A_REPLACE_CSID
};

/* Values of SEG6NR_A_ACTION. */
enum {
	SEG6NR_ACT_UNSPEC	= 0,
	SEG6NR_ACT_END		= 1,
	SEG6NR_ACT_END_X	= 2,
	SEG6NR_ACT_END_T	= 3,
	SEG6NR_ACT_END_DX2	= 4,
	SEG6NR_ACT_END_DX6	= 5,
	SEG6NR_ACT_END_DX4	= 6,
	SEG6NR_ACT_END_DT6	= 7,
	SEG6NR_ACT_END_DT4	= 8,
	SEG6NR_ACT_END_B6	= 9,
	SEG6NR_ACT_END_B6_ENCAPS = 10,
	SEG6NR_ACT_END_BM	= 11,
	SEG6NR_ACT_END_S	= 12,
	SEG6NR_ACT_END_AS	= 13,
	SEG6NR_ACT_END_AM	= 14,
	SEG6NR_ACT_END_BPF	= 15,
	SEG6NR_ACT_END_DT46	= 16,
	SEG6NR_ACT_MAX		= SEG6NR_ACT_END_DT46
};

/* Attributes inside SEG6NR_A_COUNTERS, each u64. */
enum {
	SEG6NR_CNT_UNSPEC	= 0,
	SEG6NR_CNT_PAD		= 1,
	SEG6NR_CNT_PACKETS	= 2,
	SEG6NR_CNT_BYTES	= 3,
	SEG6NR_CNT_ERRORS	= 4,
	SEG6NR_CNT_MAX		= SEG6NR_CNT_ERRORS
};

/* Attributes inside SEG6NR_A_FLAVORS and SEG6NR_A_REPLACE_CSID. */
enum {
	SEG6NR_FLV_UNSPEC	= 0,
	SEG6NR_FLV_OPERATION	= 1,	/* u32, bit per SEG6NR_FLV_OP_* */
	SEG6NR_FLV_LBLEN	= 2,	/* u8, bits of the locator block */
	SEG6NR_FLV_NFLEN	= 3,	/* u8, bits of node and function */
	SEG6NR_FLV_MAX		= SEG6NR_FLV_NFLEN
};

/* Bit numbers in SEG6NR_FLV_OPERATION. */
enum {
	SEG6NR_FLV_OP_UNSPEC	= 0,
	SEG6NR_FLV_OP_PSP	= 1,
	SEG6NR_FLV_OP_USP	= 2,
	SEG6NR_FLV_OP_USD	= 3,
	SEG6NR_FLV_OP_NEXT_CSID	= 4,
};

/* What SEG6NR_FLV_LBLEN and SEG6NR_FLV_NFLEN are where they are not given. */
#define SEG6NR_LBLEN_DEFAULT	32
#define SEG6NR_NFLEN_DEFAULT	16

/* Attributes inside SEG6NR_A_BPF. */
enum {
	SEG6NR_BPF_UNSPEC	= 0,
	SEG6NR_BPF_PROG		= 1,	/* u32, fd to add and id in a dump */
	SEG6NR_BPF_NAME		= 2,	/* string */
	SEG6NR_BPF_MAX		= SEG6NR_BPF_NAME
};

#endif /* SEG6NR_UAPI_H */
