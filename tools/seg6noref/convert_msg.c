// SPDX-License-Identifier: GPL-2.0-only
/*
 * convert_msg.c - routes and nexthop objects with another encap in them
 *
 * A route is read from the kernel's dump and written as the request that makes
 * the same one.  What this program does not know in it stops the conversion:
 * nothing may be lost on the way.
 */
#include <string.h>
#include <unistd.h>
#include <linux/lwtunnel.h>
#include <linux/nexthop.h>

#include "convert.h"

/* What to do with an attribute of a dump. */
enum fate {
	FATE_UNKNOWN,		/* refuse */
	FATE_COPY,
	FATE_DROP,
	FATE_ENCAP,
	FATE_ENCAP_TYPE,	/* goes with its encap */
	FATE_MULTIPATH,
	FATE_CACHEINFO,
};

static const uint8_t route_fates[] = {
	[RTA_DST]		= FATE_COPY,
	[RTA_SRC]		= FATE_COPY,
	[RTA_OIF]		= FATE_COPY,
	[RTA_GATEWAY]		= FATE_COPY,
	[RTA_PRIORITY]		= FATE_COPY,
	[RTA_PREFSRC]		= FATE_COPY,
	[RTA_METRICS]		= FATE_COPY,
	[RTA_MULTIPATH]		= FATE_MULTIPATH,
	[RTA_CACHEINFO]		= FATE_CACHEINFO,
	[RTA_TABLE]		= FATE_COPY,
	[RTA_VIA]		= FATE_COPY,
	[RTA_PREF]		= FATE_COPY,
	[RTA_ENCAP_TYPE]	= FATE_ENCAP_TYPE,
	[RTA_ENCAP]		= FATE_ENCAP,
	[RTA_PAD]		= FATE_DROP,
};

static const uint8_t nexthop_fates[] = {
	[NHA_ID]		= FATE_COPY,
	[NHA_OIF]		= FATE_COPY,
	[NHA_GATEWAY]		= FATE_COPY,
	[NHA_ENCAP_TYPE]	= FATE_ENCAP_TYPE,
	[NHA_ENCAP]		= FATE_ENCAP,
};

/* One kind of message, or of list of attributes. */
struct kind {
	const uint8_t *fates;	/* NULL: a request, all of it is known */
	size_t count;
	uint16_t encap;
	uint16_t encap_type;
	uint16_t multipath;	/* 0: cannot be */
};

static const struct kind route_kind = {
	route_fates, MNL_ARRAY_SIZE(route_fates), RTA_ENCAP, RTA_ENCAP_TYPE,
	RTA_MULTIPATH,
};

static const struct kind nexthop_kind = {
	nexthop_fates, MNL_ARRAY_SIZE(nexthop_fates), NHA_ENCAP,
	NHA_ENCAP_TYPE, 0,
};

/* Attributes from @attr to @end. */
struct span {
	const struct nlattr *attr;
	const char *end;
};

#define span_for_each(attr, span)					   \
	for ((attr) = (span)->attr;					   \
	     mnl_attr_ok((attr), (span)->end - (const char *)(attr));	   \
	     (attr) = mnl_attr_next(attr))

static struct span message_span(const struct nlmsghdr *msg, size_t header)
{
	return (struct span){
		mnl_nlmsg_get_payload_offset(msg, header),
		mnl_nlmsg_get_payload_tail(msg),
	};
}

static bool is_nexthop(const struct nlmsghdr *msg)
{
	return msg->nlmsg_type == RTM_NEWNEXTHOP ||
	       msg->nlmsg_type == RTM_DELNEXTHOP;
}

static size_t header_len(const struct nlmsghdr *msg)
{
	return is_nexthop(msg) ? sizeof(struct nhmsg) : sizeof(struct rtmsg);
}

static bool hop_ok(const struct rtnexthop *nh, size_t left)
{
	return left >= sizeof(*nh) && nh->rtnh_len >= sizeof(*nh) &&
	       nh->rtnh_len <= left;
}

static const struct rtnexthop *hop_next(const struct rtnexthop *nh,
					size_t *left)
{
	size_t step = RTNH_ALIGN(nh->rtnh_len);

	*left -= step < *left ? step : *left;
	return (const struct rtnexthop *)((const char *)nh + step);
}

static struct span hop_span(const struct rtnexthop *nh)
{
	return (struct span){
		(const struct nlattr *)RTNH_DATA(nh),
		(const char *)nh + nh->rtnh_len,
	};
}

/* The type of the encap in @span, LWTUNNEL_ENCAP_NONE without one. */
static uint16_t span_encap_type(const struct span *span,
				const struct kind *kind)
{
	const struct nlattr *attr;

	span_for_each(attr, span)
		if (mnl_attr_get_type(attr) == kind->encap_type &&
		    mnl_attr_get_payload_len(attr) == sizeof(uint16_t))
			return mnl_attr_get_u16(attr);
	return LWTUNNEL_ENCAP_NONE;
}

static bool encap_other(struct rewrite *rw, const struct nlattr *attr,
			const struct kind *kind, uint16_t type)
{
	/* These say in a dump what they take in a request; others may not. */
	if (rw->dumped && type != LWTUNNEL_ENCAP_SEG6 &&
	    type != LWTUNNEL_ENCAP_MPLS)
		return rewrite_fails(rw, "another next hop has an encap that cannot be carried over");
	if (!rewrite_attr(rw, attr))
		return false;
	return mnl_attr_put_u16_check(rw->nlh, rw->size, kind->encap_type,
				      type) ||
	       rewrite_fails(rw, "it does not fit into a message");
}

static bool put_encap(struct rewrite *rw, const struct nlattr *attr,
		      const struct span *span, const struct kind *kind)
{
	uint16_t from = rw->from;
	uint16_t type;
	bool good;

	type = span_encap_type(span, kind);
	if (type != rw->from && type != rw->to)
		return encap_other(rw, attr, kind, type);
	/* One that is there already is only brought into a request's form. */
	rw->from = type;
	good = rewrite_encap(rw, attr, kind->encap, kind->encap_type);
	rw->from = from;
	rw->changed |= type == from;
	return good;
}

static bool put_attrs(struct rewrite *rw, const struct span *span,
		      const struct kind *kind);

static bool put_hop(struct rewrite *rw, const struct rtnexthop *from)
{
	struct rtnexthop *nh = mnl_nlmsg_get_payload_tail(rw->nlh);
	const struct span span = hop_span(from);

	if (rw->nlh->nlmsg_len + sizeof(*nh) > rw->size)
		return rewrite_fails(rw, "it does not fit into a message");
	*nh = *from;
	nh->rtnh_flags &= RTNH_F_ONLINK;
	rw->nlh->nlmsg_len += sizeof(*nh);
	if (!put_attrs(rw, &span, &route_kind))
		return false;
	nh->rtnh_len = (char *)mnl_nlmsg_get_payload_tail(rw->nlh) -
		       (char *)nh;
	return true;
}

static bool put_multipath(struct rewrite *rw, const struct nlattr *attr)
{
	const struct rtnexthop *nh = mnl_attr_get_payload(attr);
	size_t left = mnl_attr_get_payload_len(attr);
	struct nlattr *nest;

	nest = mnl_attr_nest_start_check(rw->nlh, rw->size, RTA_MULTIPATH);
	if (!nest)
		return rewrite_fails(rw, "it does not fit into a message");
	nest->nla_type = RTA_MULTIPATH;
	for (; hop_ok(nh, left); nh = hop_next(nh, &left))
		if (!put_hop(rw, nh))
			return false;
	mnl_attr_nest_end(rw->nlh, nest);
	return !left || rewrite_fails(rw, "malformed next hops");
}

/* Seconds are what a request counts in: up to one more than was left. */
static bool put_expires(struct rewrite *rw, const struct nlattr *attr)
{
	const struct rta_cacheinfo *info = mnl_attr_get_payload(attr);
	uint32_t hz = sysconf(_SC_CLK_TCK);

	if (mnl_attr_get_payload_len(attr) < sizeof(*info))
		return rewrite_fails(rw, "malformed cacheinfo");
	if (!info->rta_expires)
		return true;
	if ((int32_t)info->rta_expires < 0)
		return rewrite_fails(rw, "it has expired");
	return mnl_attr_put_u32_check(rw->nlh, rw->size, RTA_EXPIRES,
				      (info->rta_expires + hz - 1) / hz) ||
	       rewrite_fails(rw, "it does not fit into a message");
}

static enum fate attr_fate(const struct rewrite *rw, uint16_t type,
			   const struct kind *kind)
{
	if (type == kind->encap)
		return FATE_ENCAP;
	if (type == kind->encap_type)
		return FATE_ENCAP_TYPE;
	if (kind->multipath && type == kind->multipath)
		return FATE_MULTIPATH;
	if (!rw->dumped)
		return FATE_COPY;
	return type < kind->count ? kind->fates[type] : FATE_UNKNOWN;
}

static bool put_attr(struct rewrite *rw, const struct nlattr *attr,
		     const struct span *span, const struct kind *kind)
{
	uint16_t type = mnl_attr_get_type(attr);

	switch (attr_fate(rw, type, kind)) {
	case FATE_COPY:
		return rewrite_attr(rw, attr);
	case FATE_ENCAP:
		return put_encap(rw, attr, span, kind);
	case FATE_MULTIPATH:
		return put_multipath(rw, attr);
	case FATE_CACHEINFO:
		return put_expires(rw, attr);
	case FATE_DROP:
	case FATE_ENCAP_TYPE:
		return true;
	case FATE_UNKNOWN:
		break;
	}
	return rewrite_fails(rw, "its attribute %u is unknown to this program",
			     type);
}

static bool put_attrs(struct rewrite *rw, const struct span *span,
		      const struct kind *kind)
{
	const struct nlattr *attr;

	span_for_each(attr, span)
		if (!put_attr(rw, attr, span, kind))
			return false;
	return true;
}

/* What is asked about the encaps of a message, and what came out. */
struct encap_walk {
	const struct kind *kind;
	uint16_t type;
	encap_visitor visit;
	void *arg;
	bool any;
};

static bool walk_span(struct encap_walk *walk, const struct span *span);

static bool walk_hops(struct encap_walk *walk, const struct nlattr *attr)
{
	const struct rtnexthop *nh = mnl_attr_get_payload(attr);
	size_t left = mnl_attr_get_payload_len(attr);
	struct span span;

	for (; hop_ok(nh, left); nh = hop_next(nh, &left)) {
		span = hop_span(nh);
		if (!walk_span(walk, &span))
			return false;
	}
	return true;
}

/* False as soon as one is refused. */
static bool walk_span(struct encap_walk *walk, const struct span *span)
{
	const struct kind *kind = walk->kind;
	const struct nlattr *attr;
	uint16_t type;

	span_for_each(attr, span) {
		type = mnl_attr_get_type(attr);
		if (kind->multipath && type == kind->multipath) {
			if (!walk_hops(walk, attr))
				return false;
		} else if (type == kind->encap &&
			   span_encap_type(span, kind) == walk->type) {
			walk->any = true;
			if (walk->visit && !walk->visit(walk->arg, attr))
				return false;
		}
	}
	return true;
}

bool message_encaps(const struct nlmsghdr *msg, uint16_t type,
		    encap_visitor visit, void *arg)
{
	const struct span span = message_span(msg, header_len(msg));
	struct encap_walk walk = {
		.kind = is_nexthop(msg) ? &nexthop_kind : &route_kind,
		.type = type, .visit = visit, .arg = arg,
	};

	return walk_span(&walk, &span) && walk.any;
}

bool rewrite_route(struct rewrite *rw, const struct nlmsghdr *msg)
{
	const struct span span = message_span(msg, sizeof(struct rtmsg));
	struct rtmsg *rtm;

	rw->dumped = true;
	rw->nlh->nlmsg_type = RTM_NEWROUTE;
	rtm = mnl_nlmsg_put_extra_header(rw->nlh, sizeof(*rtm));
	memcpy(rtm, mnl_nlmsg_get_payload(msg), sizeof(*rtm));
	rtm->rtm_flags &= RTNH_F_ONLINK;
	return put_attrs(rw, &span, &route_kind);
}

bool rewrite_nexthop(struct rewrite *rw, const struct nlmsghdr *msg)
{
	const struct span span = message_span(msg, sizeof(struct nhmsg));
	struct nhmsg *nhm;

	rw->dumped = true;
	rw->nlh->nlmsg_type = RTM_NEWNEXTHOP;
	nhm = mnl_nlmsg_put_extra_header(rw->nlh, sizeof(*nhm));
	memcpy(nhm, mnl_nlmsg_get_payload(msg), sizeof(*nhm));
	/* The kernel finds the scope, and takes none. */
	nhm->nh_scope = 0;
	nhm->nh_flags &= RTNH_F_ONLINK;
	return put_attrs(rw, &span, &nexthop_kind);
}

bool rewrite_request(struct rewrite *rw, const struct nlmsghdr *req)
{
	const struct span span = message_span(req, header_len(req));
	void *to;

	rw->dumped = false;
	rw->nlh->nlmsg_type = req->nlmsg_type;
	rw->nlh->nlmsg_flags = req->nlmsg_flags;
	to = mnl_nlmsg_put_extra_header(rw->nlh, header_len(req));
	memcpy(to, mnl_nlmsg_get_payload(req), header_len(req));
	return put_attrs(rw, &span,
			 is_nexthop(req) ? &nexthop_kind : &route_kind);
}
