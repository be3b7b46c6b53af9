// SPDX-License-Identifier: GPL-2.0-only
/*
 * encap_attr.c - struct encap to and from netlink attributes
 *
 * What arrives is checked before it is read: an attribute of a wrong length is
 * remembered as broken and shown as such, unknown ones are passed over.
 */
#include <ctype.h>
#include <string.h>
#include <linux/rtnetlink.h>

#include "../../module/uapi.h"
#include "encap.h"

static bool put_counters(struct nlmsghdr *nlh, size_t size)
{
	struct nlattr *nest;

	nest = mnl_attr_nest_start_check(nlh, size, SEG6NR_A_COUNTERS);
	if (!nest ||
	    !mnl_attr_put_u64_check(nlh, size, SEG6NR_CNT_PACKETS, 0) ||
	    !mnl_attr_put_u64_check(nlh, size, SEG6NR_CNT_BYTES, 0) ||
	    !mnl_attr_put_u64_check(nlh, size, SEG6NR_CNT_ERRORS, 0))
		return false;
	mnl_attr_nest_end(nlh, nest);
	return true;
}

static bool put_lengths(struct nlmsghdr *nlh, size_t size,
			const struct encap *encap)
{
	if (encap->has_lblen &&
	    !mnl_attr_put_u8_check(nlh, size, SEG6NR_FLV_LBLEN, encap->lblen))
		return false;
	return !encap->has_nflen ||
	       mnl_attr_put_u8_check(nlh, size, SEG6NR_FLV_NFLEN,
				     encap->nflen);
}

static bool put_replace_csid(struct nlmsghdr *nlh, size_t size,
			     const struct encap *encap)
{
	struct nlattr *nest;

	nest = mnl_attr_nest_start_check(nlh, size, SEG6NR_A_REPLACE_CSID);
	if (!nest || !put_lengths(nlh, size, encap))
		return false;
	mnl_attr_nest_end(nlh, nest);
	return true;
}

/* Lengths belong to the one CSID flavor; with both the module refuses them. */
static bool put_flavors(struct nlmsghdr *nlh, size_t size,
			const struct encap *encap)
{
	const uint32_t operation = encap->flavors;
	struct nlattr *nest;

	if (operation) {
		nest = mnl_attr_nest_start_check(nlh, size, SEG6NR_A_FLAVORS);
		if (!nest ||
		    !mnl_attr_put_u32_check(nlh, size, SEG6NR_FLV_OPERATION,
					    operation))
			return false;
		if ((operation & FLAVOR_BIT(SEG6NR_FLV_OP_NEXT_CSID)) &&
		    !put_lengths(nlh, size, encap))
			return false;
		mnl_attr_nest_end(nlh, nest);
	}
	return !(encap->flavors & FLAVOR_BIT(FLAVOR_REPLACE_CSID)) ||
	       put_replace_csid(nlh, size, encap);
}

static bool put_bpf(struct nlmsghdr *nlh, size_t size,
		    const struct encap *encap)
{
	struct nlattr *nest;

	nest = mnl_attr_nest_start_check(nlh, size, SEG6NR_A_BPF);
	if (!nest ||
	    !mnl_attr_put_u32_check(nlh, size, SEG6NR_BPF_PROG,
				    encap->prog) ||
	    !mnl_attr_put_strz_check(nlh, size, SEG6NR_BPF_NAME,
				     encap->prog_name))
		return false;
	mnl_attr_nest_end(nlh, nest);
	return true;
}

static bool put_one(struct nlmsghdr *nlh, size_t size,
		    const struct encap *encap, int type)
{
	switch (type) {
	case SEG6NR_A_ACTION:
		return mnl_attr_put_u32_check(nlh, size, type, encap->action);
	case SEG6NR_A_SRH:
		return mnl_attr_put_check(nlh, size, type, encap->srh_len,
					  encap->srh);
	case SEG6NR_A_TABLE:
		return mnl_attr_put_u32_check(nlh, size, type, encap->table);
	case SEG6NR_A_NH4:
		return mnl_attr_put_check(nlh, size, type, sizeof(encap->nh4),
					  &encap->nh4);
	case SEG6NR_A_NH6:
		return mnl_attr_put_check(nlh, size, type, sizeof(encap->nh6),
					  &encap->nh6);
	case SEG6NR_A_IIF:
		return mnl_attr_put_u32_check(nlh, size, type, encap->iif);
	case SEG6NR_A_OIF:
		return mnl_attr_put_u32_check(nlh, size, type, encap->oif);
	case SEG6NR_A_BPF:
		return put_bpf(nlh, size, encap);
	case SEG6NR_A_VRFTABLE:
		return mnl_attr_put_u32_check(nlh, size, type,
					      encap->vrftable);
	case SEG6NR_A_COUNTERS:
		return put_counters(nlh, size);
	case SEG6NR_A_FLAVORS:
		return put_flavors(nlh, size, encap);
	}
	return true;
}

/* All that @encap has, as @rta_type; the attribute with the slot is not ours. */
bool encap_put(struct nlmsghdr *nlh, size_t size, const struct encap *encap,
	       uint16_t rta_type)
{
	struct nlattr *nest, *private;
	int type;

	nest = mnl_attr_nest_start_check(nlh, size, rta_type);
	if (!nest)
		return false;
	private = mnl_attr_nest_start_check(nlh, size, SEG6NR_ENCAP);
	if (!private)
		return false;
	for (type = 1; type <= SEG6NR_A_MAX; type++)
		if (encap_has(encap, type) && !put_one(nlh, size, encap, type))
			return false;
	mnl_attr_nest_end(nlh, private);
	mnl_attr_nest_end(nlh, nest);
	return true;
}

/* A name for the terminal: at most @size - 1 octets, none that controls it. */
static void get_name(const struct nlattr *attr, char *name, size_t size)
{
	const char *from = mnl_attr_get_payload(attr);
	size_t len = mnl_attr_get_payload_len(attr);
	size_t i;

	for (i = 0; i < len && i < size - 1 && from[i]; i++)
		name[i] = iscntrl((unsigned char)from[i]) ? '?' : from[i];
	name[i] = '\0';
}

/* Copy a payload of exactly @len octets. */
static bool get_exact(const struct nlattr *attr, void *to, size_t len)
{
	if (mnl_attr_get_payload_len(attr) != len)
		return false;
	memcpy(to, mnl_attr_get_payload(attr), len);
	return true;
}

static bool get_counters(struct encap *encap, const struct nlattr *nest)
{
	const struct nlattr *attr;
	bool good = true;

	mnl_attr_for_each_nested(attr, nest) {
		switch (mnl_attr_get_type(attr)) {
		case SEG6NR_CNT_PACKETS:
			good &= get_exact(attr, &encap->packets, 8);
			break;
		case SEG6NR_CNT_BYTES:
			good &= get_exact(attr, &encap->bytes, 8);
			break;
		case SEG6NR_CNT_ERRORS:
			good &= get_exact(attr, &encap->errors, 8);
			break;
		}
	}
	return good;
}

static bool get_flavors(struct encap *encap, const struct nlattr *nest)
{
	const struct nlattr *attr;
	uint32_t operation = 0;
	bool good = true;

	mnl_attr_for_each_nested(attr, nest) {
		switch (mnl_attr_get_type(attr)) {
		case SEG6NR_FLV_OPERATION:
			good &= get_exact(attr, &operation, 4);
			break;
		case SEG6NR_FLV_LBLEN:
			encap->has_lblen = get_exact(attr, &encap->lblen, 1);
			good &= encap->has_lblen;
			break;
		case SEG6NR_FLV_NFLEN:
			encap->has_nflen = get_exact(attr, &encap->nflen, 1);
			good &= encap->has_nflen;
			break;
		}
	}
	encap->flavors |= operation;
	return good;
}

static bool get_bpf(struct encap *encap, const struct nlattr *nest)
{
	const struct nlattr *attr;
	bool good = true;

	mnl_attr_for_each_nested(attr, nest) {
		switch (mnl_attr_get_type(attr)) {
		case SEG6NR_BPF_PROG:
			encap->has_prog = get_exact(attr, &encap->prog, 4);
			good &= encap->has_prog;
			break;
		case SEG6NR_BPF_NAME:
			get_name(attr, encap->prog_name,
				 sizeof(encap->prog_name));
			break;
		}
	}
	return good;
}

static bool get_srh(struct encap *encap, const struct nlattr *attr)
{
	const uint8_t *srh = mnl_attr_get_payload(attr);
	size_t len = mnl_attr_get_payload_len(attr);

	if (len > sizeof(encap->srh) || !srh_valid(srh, len))
		return false;
	memcpy(encap->srh, srh, len);
	encap->srh_len = len;
	return true;
}

static bool get_one(struct encap *encap, const struct nlattr *attr, int type)
{
	switch (type) {
	case SEG6NR_A_ACTION:
		return get_exact(attr, &encap->action, 4);
	case SEG6NR_A_SRH:
		return get_srh(encap, attr);
	case SEG6NR_A_TABLE:
		return get_exact(attr, &encap->table, 4);
	case SEG6NR_A_NH4:
		return get_exact(attr, &encap->nh4, 4);
	case SEG6NR_A_NH6:
		return get_exact(attr, &encap->nh6, 16);
	case SEG6NR_A_IIF:
		return get_exact(attr, &encap->iif, 4);
	case SEG6NR_A_OIF:
		return get_exact(attr, &encap->oif, 4);
	case SEG6NR_A_BPF:
		return get_bpf(encap, attr);
	case SEG6NR_A_VRFTABLE:
		return get_exact(attr, &encap->vrftable, 4);
	case SEG6NR_A_COUNTERS:
		return get_counters(encap, attr);
	case SEG6NR_A_FLAVORS:
		return get_flavors(encap, attr);
	}
	return true;
}

static void get_attribute(struct encap *encap, const struct nlattr *attr)
{
	unsigned int type = mnl_attr_get_type(attr);

	if (type == SEG6NR_A_REPLACE_CSID) {
		encap->flavors |= FLAVOR_BIT(FLAVOR_REPLACE_CSID);
		type = SEG6NR_A_FLAVORS;
	}
	if (!type || type > SEG6NR_A_MAX)
		return;
	encap->present |= 1u << type;
	if (!get_one(encap, attr, type))
		encap->broken |= 1u << type;
}

static void encap_clear(struct encap *encap)
{
	memset(encap, 0, sizeof(*encap));
	encap->prog = -1;
}

void encap_get(struct encap *encap, const struct nlattr *rta_encap)
{
	const struct nlattr *private, *attr;

	encap_clear(encap);
	mnl_attr_for_each_nested(private, rta_encap) {
		if (mnl_attr_get_type(private) != SEG6NR_ENCAP)
			continue;
		mnl_attr_for_each_nested(attr, private)
			get_attribute(encap, attr);
	}
}

/* The same of the kernel's own encap, which has no nest around it. */
void encap_get_stock(struct encap *encap, const struct nlattr *rta_encap)
{
	const struct nlattr *attr;

	encap_clear(encap);
	mnl_attr_for_each_nested(attr, rta_encap)
		get_attribute(encap, attr);
}
