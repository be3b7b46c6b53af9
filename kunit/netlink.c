// SPDX-License-Identifier: GPL-2.0-only
/*
 * netlink.c - a small rtnetlink client inside the kernel
 *
 * Requests are handled within sendmsg(), in our context, so that the answer is
 * there as soon as it returns and nothing has to be waited for.
 */
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/mutex.h>
#include <linux/neighbour.h>
#include <linux/net.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <linux/seg6.h>
#include <net/netlink.h>

#include "env.h"
#include "netlink.h"
#include "../module/seg6nr_test.h"
#include "../module/uapi.h"

#define REPLY_SIZE 2048

static struct {
	struct socket	*sock;
	u32		seq;
	char		text[128];
	u8		reply[REPLY_SIZE];
} rtnl;

static int address_len(u8 family)
{
	return family == AF_INET ? 4 : sizeof(struct in6_addr);
}

/**
 * seg6nr_rtnl_open() - connect to a namespace's routing configuration
 * @net: the namespace; must outlive the connection
 *
 * Return: 0 or a negative error.
 */
int seg6nr_rtnl_open(struct net *net)
{
	struct socket *sock;
	int one = 1;
	int err;

	err = sock_create_kern(net, AF_NETLINK, SOCK_RAW, NETLINK_ROUTE, &sock);
	if (err)
		return err;

	err = sock->ops->setsockopt(sock, SOL_NETLINK, NETLINK_EXT_ACK,
				    KERNEL_SOCKPTR(&one), sizeof(one));
	if (err) {
		sock_release(sock);
		return err;
	}

	rtnl.sock = sock;
	return 0;
}

/** seg6nr_rtnl_close() - end the connection; nothing happens without one */
void seg6nr_rtnl_close(void)
{
	if (rtnl.sock)
		sock_release(rtnl.sock);
	rtnl.sock = NULL;
}

/**
 * seg6nr_rtnl_text() - what the kernel said about the last request
 *
 * Return: the extack text, "" if there was none.
 */
const char *seg6nr_rtnl_text(void)
{
	return rtnl.text;
}

/**
 * seg6nr_rtnl_request() - begin a request
 * @type: RTM_*
 * @flags: NLM_F_* beside NLM_F_REQUEST
 * @head: the header of its family
 * @len: length of @head
 *
 * Return: the message, to which attributes can be added, or NULL.
 */
struct sk_buff *seg6nr_rtnl_request(u16 type, u16 flags, const void *head,
				    int len)
{
	struct nlmsghdr *nlh;
	struct sk_buff *msg;

	msg = nlmsg_new(NLMSG_DEFAULT_SIZE, GFP_KERNEL);
	if (!msg)
		return NULL;

	nlh = nlmsg_put(msg, 0, ++rtnl.seq, type, len, NLM_F_REQUEST | flags);
	memcpy(nlmsg_data(nlh), head, len);
	return msg;
}

static void save_text(const struct nlmsghdr *nlh, int len)
{
	const struct nlmsgerr *ack = nlmsg_data(nlh);
	struct nlattr *tb[NLMSGERR_ATTR_MAX + 1];
	int skip = NLMSG_HDRLEN + sizeof(*ack);

	rtnl.text[0] = '\0';
	if (!(nlh->nlmsg_flags & NLM_F_ACK_TLVS))
		return;
	/* The ack of a failed request carries the whole of it, too. */
	if (!(nlh->nlmsg_flags & NLM_F_CAPPED))
		skip += ack->msg.nlmsg_len - NLMSG_HDRLEN;
	if (skip >= len ||
	    nla_parse_deprecated(tb, NLMSGERR_ATTR_MAX, (void *)nlh + skip,
				 len - skip, NULL, NULL))
		return;
	if (tb[NLMSGERR_ATTR_MSG])
		snprintf(rtnl.text, sizeof(rtnl.text), "%.*s",
			 nla_len(tb[NLMSGERR_ATTR_MSG]),
			 (const char *)nla_data(tb[NLMSGERR_ATTR_MSG]));
}

static int receive(void)
{
	struct kvec vec = { .iov_base = rtnl.reply, .iov_len = REPLY_SIZE };
	struct msghdr msg = {};

	return kernel_recvmsg(rtnl.sock, &msg, &vec, 1, REPLY_SIZE,
			      MSG_DONTWAIT);
}

static int send(struct sk_buff *skb)
{
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	struct msghdr msg = {
		/*
		 * With a destination given, our right to configure is judged
		 * by the task's credentials; without one by those of the
		 * socket's file, which a kernel socket does not have.
		 */
		.msg_name = &kernel,
		.msg_namelen = sizeof(kernel),
	};
	struct nlmsghdr *nlh = nlmsg_hdr(skb);
	struct kvec vec = { .iov_base = nlh };

	nlmsg_end(skb, nlh);
	vec.iov_len = nlh->nlmsg_len;
	return kernel_sendmsg(rtnl.sock, &msg, &vec, 1, vec.iov_len);
}

/**
 * seg6nr_rtnl_ask() - send a request that is acknowledged
 * @msg: the request, taken over
 * @incomplete: an attribute did not fit in
 *
 * Return: the kernel's answer.
 */
int seg6nr_rtnl_ask(struct sk_buff *msg, int incomplete)
{
	const struct nlmsghdr *nlh = (const void *)rtnl.reply;
	const struct nlmsgerr *ack = nlmsg_data(nlh);
	int err = -EMSGSIZE;

	if (!incomplete)
		err = send(msg);
	nlmsg_free(msg);
	if (err < 0)
		return err;

	err = receive();
	if (err < 0)
		return err;
	if (nlh->nlmsg_seq != rtnl.seq || nlh->nlmsg_type != NLMSG_ERROR)
		return -EPROTO;

	save_text(nlh, err);
	return ack->error;
}

static int change_link(int ifindex, unsigned int flags)
{
	struct ifinfomsg ifm = {
		.ifi_index = ifindex,
		.ifi_flags = flags,
		.ifi_change = IFF_UP,
	};
	struct sk_buff *msg;

	msg = seg6nr_rtnl_request(RTM_NEWLINK, NLM_F_ACK, &ifm, sizeof(ifm));
	return msg ? seg6nr_rtnl_ask(msg, 0) : -ENOMEM;
}

/**
 * seg6nr_rtnl_link_up() - set a device up
 * @ifindex: the device
 *
 * Return: 0 or a negative error.
 */
int seg6nr_rtnl_link_up(int ifindex)
{
	return change_link(ifindex, IFF_UP);
}

/**
 * seg6nr_rtnl_link_down() - set a device down
 * @ifindex: the device
 *
 * Return: 0 or a negative error.
 */
int seg6nr_rtnl_link_down(int ifindex)
{
	return change_link(ifindex, 0);
}

/**
 * seg6nr_rtnl_link_master() - put a device into a VRF
 * @ifindex: the device
 * @master: the VRF, 0 to take it out of the one that it is in
 *
 * Return: 0 or a negative error.
 */
int seg6nr_rtnl_link_master(int ifindex, int master)
{
	struct ifinfomsg ifm = { .ifi_index = ifindex };
	struct sk_buff *msg;

	msg = seg6nr_rtnl_request(RTM_NEWLINK, NLM_F_ACK, &ifm, sizeof(ifm));
	if (!msg)
		return -ENOMEM;
	return seg6nr_rtnl_ask(msg, nla_put_u32(msg, IFLA_MASTER, master));
}

/**
 * seg6nr_rtnl_link_mtu() - set the MTU of a device
 * @ifindex: the device
 * @mtu: the MTU
 *
 * Return: 0 or a negative error.
 */
int seg6nr_rtnl_link_mtu(int ifindex, u32 mtu)
{
	struct ifinfomsg ifm = { .ifi_index = ifindex };
	struct sk_buff *msg;

	msg = seg6nr_rtnl_request(RTM_NEWLINK, NLM_F_ACK, &ifm, sizeof(ifm));
	if (!msg)
		return -ENOMEM;
	return seg6nr_rtnl_ask(msg, nla_put_u32(msg, IFLA_MTU, mtu));
}

/**
 * seg6nr_rtnl_link_rename() - give a device another name
 * @ifindex: the device
 * @name: the name
 *
 * Return: 0 or a negative error.
 */
int seg6nr_rtnl_link_rename(int ifindex, const char *name)
{
	struct ifinfomsg ifm = { .ifi_index = ifindex };
	struct sk_buff *msg;

	msg = seg6nr_rtnl_request(RTM_NEWLINK, NLM_F_ACK, &ifm, sizeof(ifm));
	if (!msg)
		return -ENOMEM;
	return seg6nr_rtnl_ask(msg, nla_put_string(msg, IFLA_IFNAME, name));
}

/**
 * seg6nr_rtnl_vrf_add() - create a VRF, down
 * @name: of the device
 * @table: its routing table
 *
 * Return: 0 or a negative error, -EOPNOTSUPP where the kernel has no VRFs.
 */
int seg6nr_rtnl_vrf_add(const char *name, u32 table)
{
	struct nlattr *info, *data;
	struct ifinfomsg ifm = {};
	struct sk_buff *msg;
	int bad;

	msg = seg6nr_rtnl_request(RTM_NEWLINK,
				  NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL,
				  &ifm, sizeof(ifm));
	if (!msg)
		return -ENOMEM;

	/* The message is large enough for these nests. */
	bad = nla_put_string(msg, IFLA_IFNAME, name);
	info = nla_nest_start_noflag(msg, IFLA_LINKINFO);
	bad |= nla_put_string(msg, IFLA_INFO_KIND, "vrf");
	data = nla_nest_start_noflag(msg, IFLA_INFO_DATA);
	bad |= nla_put_u32(msg, IFLA_VRF_TABLE, table);
	nla_nest_end(msg, data);
	nla_nest_end(msg, info);
	return seg6nr_rtnl_ask(msg, bad);
}

/**
 * seg6nr_rtnl_link_del() - delete a device that has a kind
 * @ifindex: the device
 *
 * Return: 0 or a negative error.
 */
int seg6nr_rtnl_link_del(int ifindex)
{
	struct ifinfomsg ifm = { .ifi_index = ifindex };
	struct sk_buff *msg;

	msg = seg6nr_rtnl_request(RTM_DELLINK, NLM_F_ACK, &ifm, sizeof(ifm));
	return msg ? seg6nr_rtnl_ask(msg, 0) : -ENOMEM;
}

/**
 * seg6nr_rtnl_addr_add() - give a device an address, usable at once
 * @family: AF_INET or AF_INET6
 * @ifindex: the device
 * @addr: the address
 * @plen: its prefix length
 *
 * Return: 0 or a negative error.
 */
int seg6nr_rtnl_addr_add(u8 family, int ifindex, const void *addr, u8 plen)
{
	struct ifaddrmsg ifa = {
		.ifa_family = family,
		.ifa_prefixlen = plen,
		.ifa_index = ifindex,
	};
	struct sk_buff *msg;
	int bad;

	msg = seg6nr_rtnl_request(RTM_NEWADDR,
				  NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL,
				  &ifa, sizeof(ifa));
	if (!msg)
		return -ENOMEM;

	bad = nla_put(msg, IFA_LOCAL, address_len(family), addr);
	bad |= nla_put(msg, IFA_ADDRESS, address_len(family), addr);
	bad |= nla_put_u32(msg, IFA_FLAGS, IFA_F_NODAD);
	return seg6nr_rtnl_ask(msg, bad);
}

/**
 * seg6nr_rtnl_addr_del() - take an IPv6 address from a device
 * @ifindex: the device
 * @addr: the address
 * @plen: its prefix length
 *
 * Return: 0 or a negative error.
 */
int seg6nr_rtnl_addr_del(int ifindex, const struct in6_addr *addr, u8 plen)
{
	struct ifaddrmsg ifa = {
		.ifa_family = AF_INET6,
		.ifa_prefixlen = plen,
		.ifa_index = ifindex,
	};
	struct sk_buff *msg;

	msg = seg6nr_rtnl_request(RTM_DELADDR, NLM_F_ACK, &ifa, sizeof(ifa));
	if (!msg)
		return -ENOMEM;
	return seg6nr_rtnl_ask(msg, nla_put_in6_addr(msg, IFA_LOCAL, addr));
}

/**
 * seg6nr_rtnl_neigh_add() - make a neighbour known for good
 * @family: AF_INET or AF_INET6
 * @ifindex: the device it is behind
 * @addr: its address
 * @lladdr: its Ethernet address
 *
 * Return: 0 or a negative error.
 */
int seg6nr_rtnl_neigh_add(u8 family, int ifindex, const void *addr,
			  const u8 *lladdr)
{
	struct ndmsg ndm = {
		.ndm_family = family,
		.ndm_ifindex = ifindex,
		.ndm_state = NUD_PERMANENT,
	};
	struct sk_buff *msg;
	int bad;

	msg = seg6nr_rtnl_request(RTM_NEWNEIGH,
				  NLM_F_ACK | NLM_F_CREATE | NLM_F_REPLACE,
				  &ndm, sizeof(ndm));
	if (!msg)
		return -ENOMEM;

	bad = nla_put(msg, NDA_DST, address_len(family), addr);
	bad |= nla_put(msg, NDA_LLADDR, ETH_ALEN, lladdr);
	return seg6nr_rtnl_ask(msg, bad);
}

/* Counters are asked for by sending them, at zero. */
static int put_counters(struct sk_buff *msg)
{
	struct nlattr *nest = nla_nest_start(msg, SEG6NR_A_COUNTERS);
	int attr, bad = 0;

	for (attr = SEG6NR_CNT_PACKETS; attr <= SEG6NR_CNT_MAX; attr++)
		bad |= nla_put_u64_64bit(msg, attr, 0, SEG6NR_CNT_PAD);
	nla_nest_end(msg, nest);
	return bad;
}

static int put_flavors(struct sk_buff *msg, const struct seg6nr_sid *sid)
{
	struct nlattr *nest;
	int bad = 0;

	if (sid->flavors) {
		nest = nla_nest_start(msg, SEG6NR_A_FLAVORS);
		bad |= nla_put_u32(msg, SEG6NR_FLV_OPERATION, sid->flavors);
		nla_nest_end(msg, nest);
	}
	if (sid->replace_nflen) {
		nest = nla_nest_start(msg, SEG6NR_A_REPLACE_CSID);
		bad |= nla_put_u8(msg, SEG6NR_FLV_NFLEN, sid->replace_nflen);
		nla_nest_end(msg, nest);
	}
	return bad;
}

static int put_sid(struct sk_buff *msg, const struct seg6nr_sid *sid)
{
	struct nlattr *encap, *nest;
	int bad;

	bad = nla_put_u16(msg, RTA_ENCAP_TYPE, seg6nr_encap_slot());
	encap = nla_nest_start(msg, RTA_ENCAP);
	nest = nla_nest_start(msg, SEG6NR_ENCAP);

	bad |= nla_put_u32(msg, SEG6NR_A_ACTION, sid->action);
	bad |= put_counters(msg);
	if (sid->table)
		bad |= nla_put_u32(msg, SEG6NR_A_TABLE, sid->table);
	if (sid->vrftable)
		bad |= nla_put_u32(msg, SEG6NR_A_VRFTABLE, sid->vrftable);
	if (sid->oif)
		bad |= nla_put_u32(msg, SEG6NR_A_OIF, sid->oif);
	if (sid->nh6)
		bad |= nla_put_in6_addr(msg, SEG6NR_A_NH6, sid->nh6);
	if (sid->has_nh4)
		bad |= nla_put_in_addr(msg, SEG6NR_A_NH4, sid->nh4);
	if (sid->srh)
		bad |= nla_put(msg, SEG6NR_A_SRH, (sid->srh->hdrlen + 1) << 3,
			       sid->srh);
	bad |= put_flavors(msg, sid);

	nla_nest_end(msg, nest);
	nla_nest_end(msg, encap);
	return bad;
}

static int change_route(u16 type, u16 flags, const struct seg6nr_route *route)
{
	int len = address_len(route->family);
	struct rtmsg rtm = {
		.rtm_family = route->family,
		.rtm_dst_len = route->plen,
		.rtm_src_len = route->src ? 128 : 0,
		.rtm_protocol = RTPROT_STATIC,
		.rtm_scope = RT_SCOPE_UNIVERSE,
		.rtm_type = route->type ?: RTN_UNICAST,
	};
	struct sk_buff *msg;
	int bad;

	msg = seg6nr_rtnl_request(type, NLM_F_ACK | flags, &rtm, sizeof(rtm));
	if (!msg)
		return -ENOMEM;

	bad = nla_put(msg, RTA_DST, len, route->dst);
	bad |= nla_put_u32(msg, RTA_TABLE, route->table ?: RT_TABLE_MAIN);
	if (route->gw)
		bad |= nla_put(msg, RTA_GATEWAY, len, route->gw);
	if (route->src)
		bad |= nla_put(msg, RTA_SRC, len, route->src);
	if (route->metric)
		bad |= nla_put_u32(msg, RTA_PRIORITY, route->metric);
	if (route->expires)
		bad |= nla_put_u32(msg, RTA_EXPIRES, route->expires);
	if (route->nhid)
		bad |= nla_put_u32(msg, RTA_NH_ID, route->nhid);
	if (route->oif)
		bad |= nla_put_u32(msg, RTA_OIF, route->oif);
	if (route->sid)
		bad |= put_sid(msg, route->sid);
	return seg6nr_rtnl_ask(msg, bad);
}

/**
 * seg6nr_rtnl_route_add() - add a route that must not exist yet
 * @route: the route
 *
 * Return: 0 or a negative error.
 */
int seg6nr_rtnl_route_add(const struct seg6nr_route *route)
{
	return change_route(RTM_NEWROUTE, NLM_F_CREATE | NLM_F_EXCL, route);
}

/**
 * seg6nr_rtnl_route_append() - add one more route beside others
 * @route: the route
 *
 * Return: 0 or a negative error.
 */
int seg6nr_rtnl_route_append(const struct seg6nr_route *route)
{
	return change_route(RTM_NEWROUTE, NLM_F_CREATE | NLM_F_APPEND, route);
}

/**
 * seg6nr_rtnl_route_replace() - put a route in another one's place
 * @route: the new one
 *
 * Return: 0 or a negative error.
 */
int seg6nr_rtnl_route_replace(const struct seg6nr_route *route)
{
	return change_route(RTM_NEWROUTE, NLM_F_REPLACE, route);
}

/**
 * seg6nr_rtnl_route_del() - delete a route
 * @route: the route as it was added
 *
 * Return: 0 or a negative error.
 */
int seg6nr_rtnl_route_del(const struct seg6nr_route *route)
{
	struct seg6nr_route bare = *route;

	bare.sid = NULL;
	return change_route(RTM_DELROUTE, 0, &bare);
}

static int parse_counters(struct nlattr *encap,
			  struct seg6nr_sid_counters *counters)
{
	struct nlattr *nest, *cnt;

	nest = nla_find(nla_data(encap), nla_len(encap), SEG6NR_ENCAP);
	if (!nest)
		return -ENODATA;
	nest = nla_find(nla_data(nest), nla_len(nest), SEG6NR_A_COUNTERS);
	if (!nest)
		return -ENODATA;

	cnt = nla_find(nla_data(nest), nla_len(nest), SEG6NR_CNT_PACKETS);
	counters->packets = cnt ? nla_get_u64(cnt) : 0;
	cnt = nla_find(nla_data(nest), nla_len(nest), SEG6NR_CNT_BYTES);
	counters->bytes = cnt ? nla_get_u64(cnt) : 0;
	cnt = nla_find(nla_data(nest), nla_len(nest), SEG6NR_CNT_ERRORS);
	counters->errors = cnt ? nla_get_u64(cnt) : 0;
	return 0;
}

/**
 * seg6nr_rtnl_counters() - read a SID's counters
 * @sid: its address
 * @counters: filled in
 *
 * Return: 0 or a negative error.
 */
int seg6nr_rtnl_counters(const struct in6_addr *sid,
			 struct seg6nr_sid_counters *counters)
{
	const struct nlmsghdr *nlh = (const void *)rtnl.reply;
	struct rtmsg rtm = {
		.rtm_family = AF_INET6,
		.rtm_dst_len = 128,
		.rtm_flags = RTM_F_FIB_MATCH,
	};
	struct nlattr *encap;
	struct sk_buff *msg;
	int err;

	msg = seg6nr_rtnl_request(RTM_GETROUTE, 0, &rtm, sizeof(rtm));
	if (!msg)
		return -ENOMEM;
	err = nla_put_in6_addr(msg, RTA_DST, sid);
	if (!err)
		err = send(msg);
	nlmsg_free(msg);
	if (err < 0)
		return err;

	err = receive();
	if (err < 0)
		return err;
	if (nlh->nlmsg_seq != rtnl.seq || nlh->nlmsg_type != RTM_NEWROUTE)
		return -EPROTO;

	encap = nlmsg_find_attr(nlh, sizeof(rtm), RTA_ENCAP);
	return encap ? parse_counters(encap, counters) : -ENODATA;
}
