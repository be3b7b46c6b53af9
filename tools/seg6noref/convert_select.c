// SPDX-License-Identifier: GPL-2.0-only
/*
 * convert_select.c - nexthop objects by their routes, and routes among others
 * of the same prefix
 */
#include <stdlib.h>
#include <string.h>
#include <linux/nexthop.h>

#include "convert.h"
#include "route_filter.h"

static const struct nlattr *attr_find(const struct nlmsghdr *msg,
				      size_t header, uint16_t type, size_t min)
{
	const struct nlattr *attr;

	mnl_attr_for_each(attr, msg, header)
		if (mnl_attr_get_type(attr) == type &&
		    mnl_attr_get_payload_len(attr) >= min)
			return attr;
	return NULL;
}

static const struct nlattr *route_attr(const struct nlmsghdr *msg,
				       uint16_t type, size_t min)
{
	return attr_find(msg, sizeof(struct rtmsg), type, min);
}

uint32_t route_nhid(const struct nlmsghdr *route)
{
	const struct nlattr *attr = route_attr(route, RTA_NH_ID, 4);

	return attr ? mnl_attr_get_u32(attr) : 0;
}

static int object_compare(const void *a, const void *b)
{
	const struct object *first = a, *second = b;

	return first->id < second->id ? -1 : first->id > second->id;
}

static struct object *object_find(const struct objects *objects, uint32_t id)
{
	const struct object key = { .id = id };

	if (!objects->count)
		return NULL;
	return bsearch(&key, objects->object, objects->count,
		       sizeof(*objects->object), object_compare);
}

/* The objects of a dump.  False if memory is short. */
bool objects_index(struct objects *objects, const struct nl_msgs *nexthops)
{
	const struct nlmsghdr *msg = NULL;
	const struct nlattr *attr;
	size_t count = 0;

	while ((msg = nl_msgs_next(nexthops, msg)))
		count++;
	objects->count = 0;
	objects->object = calloc(count + 1, sizeof(*objects->object));
	if (!objects->object)
		return false;
	while ((msg = nl_msgs_next(nexthops, msg))) {
		if (msg->nlmsg_type != RTM_NEWNEXTHOP ||
		    mnl_nlmsg_get_payload_len(msg) < sizeof(struct nhmsg))
			continue;
		attr = attr_find(msg, sizeof(struct nhmsg), NHA_ID, 4);
		if (attr)
			objects->object[objects->count++] = (struct object){
				.id = mnl_attr_get_u32(attr), .msg = msg,
			};
	}
	qsort(objects->object, objects->count, sizeof(*objects->object),
	      object_compare);
	return true;
}

void objects_free(struct objects *objects)
{
	free(objects->object);
	memset(objects, 0, sizeof(*objects));
}

static void object_mark(struct object *object, bool selected)
{
	if (object && selected)
		object->inside = true;
	else if (object)
		object->outside = true;
}

/* Note that @route goes by its object, and by the members of its group. */
void objects_use(struct objects *objects, const struct nlmsghdr *route,
		 bool selected)
{
	struct object *object = object_find(objects, route_nhid(route));
	const struct nexthop_grp *entry;
	const struct nlattr *attr;
	size_t i, count;

	object_mark(object, selected);
	if (!object)
		return;
	attr = attr_find(object->msg, sizeof(struct nhmsg), NHA_GROUP,
			 sizeof(*entry));
	if (!attr)
		return;
	entry = mnl_attr_get_payload(attr);
	count = mnl_attr_get_payload_len(attr) / sizeof(*entry);
	for (i = 0; i < count; i++)
		object_mark(object_find(objects, entry[i].id), selected);
}

/* Both hang at the same place of the kernel's tree. */
static bool same_prefix(const struct nlmsghdr *a, const struct nlmsghdr *b)
{
	const struct rtmsg *first = mnl_nlmsg_get_payload(a);
	const struct rtmsg *second = mnl_nlmsg_get_payload(b);
	const struct nlattr *from_a = route_attr(a, RTA_SRC, 16);
	const struct nlattr *from_b = route_attr(b, RTA_SRC, 16);
	struct route_key key_a, key_b;

	route_key_get(a, &key_a);
	route_key_get(b, &key_b);
	if (key_a.table != key_b.table ||
	    first->rtm_dst_len != second->rtm_dst_len ||
	    memcmp(&key_a.dst, &key_b.dst, sizeof(key_a.dst)) ||
	    first->rtm_src_len != second->rtm_src_len || !from_a != !from_b)
		return false;
	return !from_a || !memcmp(mnl_attr_get_payload(from_a),
				  mnl_attr_get_payload(from_b), 16);
}

/* Those with gateways of their own are siblings, and replaced by such only. */
static bool has_gateway(const struct nlmsghdr *msg)
{
	const struct rtmsg *rtm = mnl_nlmsg_get_payload(msg);

	return (route_attr(msg, RTA_GATEWAY, 0) ||
		route_attr(msg, RTA_VIA, 0) ||
		route_attr(msg, RTA_MULTIPATH, 0)) &&
	       !route_nhid(msg) && rtm->rtm_protocol != RTPROT_RA;
}

const struct nlmsghdr *route_run(const struct nlmsghdr *run,
				 const struct nlmsghdr *route)
{
	return run && same_prefix(run, route) ? run : route;
}

bool route_is_first(const struct nl_msgs *routes, const struct nlmsghdr *run,
		    const struct nlmsghdr *route)
{
	struct route_key key, other;
	const struct nlmsghdr *msg;

	route_key_get(route, &key);
	for (msg = run; msg != route; msg = nl_msgs_next(routes, msg)) {
		route_key_get(msg, &other);
		if (other.metric == key.metric &&
		    has_gateway(msg) == has_gateway(route))
			return false;
	}
	return true;
}
