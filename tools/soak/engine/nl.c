// SPDX-License-Identifier: GPL-2.0-only
/* nl.c - network namespaces, and what is asked of the kernel in them */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/ethtool.h>
#include <linux/genetlink.h>
#include <linux/if_link.h>
#include <linux/neighbour.h>
#include <linux/nexthop.h>
#include <linux/seg6_genl.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "soak.h"

#define PROTO_PROBE	253	/* experimental: nobody answers */

static char buf[8192] __attribute__((aligned(8)));

void die(const char *what)
{
	perror(what);
	exit(2);
}

void addr6(uint8_t *to, const char *text)
{
	if (inet_pton(AF_INET6, text, to) != 1)
		die(text);
}

/* --- namespaces --- */

void space_enter(const struct space *s)
{
	if (setns(s->fd, CLONE_NEWNET))
		die("setns");
}

/* A new namespace, or the one we are in; sockets into it, which pin it. */
int space_open(struct space *s)
{
	int one = 1;

	s->fd = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
	s->nl = mnl_socket_open2(NETLINK_ROUTE, SOCK_CLOEXEC);
	if (s->fd < 0 || !s->nl || mnl_socket_bind(s->nl, 0, 0))
		return -errno;
	mnl_socket_setsockopt(s->nl, NETLINK_EXT_ACK, &one, sizeof(one));
	mnl_socket_setsockopt(s->nl, NETLINK_CAP_ACK, &one, sizeof(one));
	s->udp = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	s->raw6 = socket(AF_INET6, SOCK_RAW | SOCK_CLOEXEC, PROTO_PROBE);
	s->raw4 = socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, PROTO_PROBE);
	return s->udp < 0 || s->raw6 < 0 || s->raw4 < 0 ? -errno : 0;
}

void space_close(struct space *s)
{
	mnl_socket_close(s->nl);
	close(s->udp);
	close(s->raw6);
	close(s->raw4);
	close(s->fd);
}

/* --- messages --- */

struct nlmsghdr *nl_new(int type, int flags)
{
	struct nlmsghdr *h = mnl_nlmsg_put_header(buf);

	h->nlmsg_type = type;
	h->nlmsg_flags = flags | NLM_F_REQUEST | NLM_F_ACK;
	return h;
}

int nl_talk(struct space *s, struct nlmsghdr *h)
{
	static char answer[16384] __attribute__((aligned(8)));
	static uint32_t seq;
	unsigned int port = mnl_socket_get_portid(s->nl);
	ssize_t n;

	h->nlmsg_seq = ++seq;
	if (mnl_socket_sendto(s->nl, h, h->nlmsg_len) < 0)
		return -errno;
	while ((n = mnl_socket_recvfrom(s->nl, answer, sizeof(answer))) > 0) {
		int ret = mnl_cb_run(answer, n, seq, port, NULL, NULL);

		if (ret < 0 && errno != ESRCH && errno != EPROTO)
			return -errno;
		if (ret == MNL_CB_STOP)
			return 0;
		if (ret < 0)
			return -errno;
	}
	return -errno;
}

static int octets(int family)
{
	return family == AF_INET6 ? 16 : 4;
}

static void put_hops(struct nlmsghdr *h, const struct rt *rt)
{
	struct nlattr *nest = mnl_attr_nest_start(h, RTA_MULTIPATH);
	int i;

	for (i = 0; i < rt->hops; i++) {
		struct rtnexthop *nh = mnl_nlmsg_get_payload_tail(h);

		memset(nh, 0, sizeof(*nh));
		nh->rtnh_ifindex = rt->hop[i].index;
		h->nlmsg_len += sizeof(*nh);
		if (rt->hop[i].has_via)
			mnl_attr_put(h, RTA_GATEWAY, octets(rt->family),
				     rt->hop[i].via);
		nh->rtnh_len = (char *)mnl_nlmsg_get_payload_tail(h) -
			       (char *)nh;
	}
	mnl_attr_nest_end(h, nest);
}

static void put_metrics(struct nlmsghdr *h, const struct rt *rt)
{
	struct nlattr *nest;

	if (!rt->mtu)
		return;
	nest = mnl_attr_nest_start(h, RTA_METRICS);
	mnl_attr_put_u32(h, RTAX_MTU, rt->mtu);
	/* Only then do forwarded packets obey it. */
	mnl_attr_put_u32(h, RTAX_LOCK, 1 << RTAX_MTU);
	mnl_attr_nest_end(h, nest);
}

int nl_route(struct space *s, int cmd, int flags, const struct rt *rt)
{
	struct nlmsghdr *h = nl_new(cmd, flags);
	struct rtmsg *m = mnl_nlmsg_put_extra_header(h, sizeof(*m));
	int len = octets(rt->family);

	m->rtm_family = rt->family;
	m->rtm_dst_len = rt->plen;
	m->rtm_src_len = rt->splen;
	m->rtm_protocol = RTPROT_STATIC;
	m->rtm_type = rt->type ? rt->type : RTN_UNICAST;
	if (rt->family == AF_INET && m->rtm_type == RTN_UNICAST &&
	    rt->hops == 1 && !rt->hop[0].has_via)
		m->rtm_scope = RT_SCOPE_LINK;
	mnl_attr_put_u32(h, RTA_TABLE, rt->table ? rt->table : RT_TABLE_MAIN);
	mnl_attr_put(h, RTA_DST, len, rt->dst);
	if (rt->splen)
		mnl_attr_put(h, RTA_SRC, len, rt->src);
	if (rt->metric)
		mnl_attr_put_u32(h, RTA_PRIORITY, rt->metric);
	if (rt->nhid)
		mnl_attr_put_u32(h, RTA_NH_ID, rt->nhid);
	if (rt->expires)
		mnl_attr_put_u32(h, RTA_EXPIRES, rt->expires);
	if (rt->pref)
		mnl_attr_put_u8(h, RTA_PREF, rt->pref - 1);
	put_metrics(h, rt);
	if (rt->hops > 1) {
		put_hops(h, rt);
	} else if (rt->hops) {
		mnl_attr_put_u32(h, RTA_OIF, rt->hop[0].index);
		if (rt->hop[0].has_via)
			mnl_attr_put(h, RTA_GATEWAY, len, rt->hop[0].via);
	}
	return nl_talk(s, h);
}

static struct nlmsghdr *link_msg(int type, int flags, int index)
{
	struct nlmsghdr *h = nl_new(type, flags);
	struct ifinfomsg *m = mnl_nlmsg_put_extra_header(h, sizeof(*m));

	m->ifi_index = index;
	return h;
}

int nl_link(struct space *s, int index, unsigned int change,
	    unsigned int flags)
{
	struct nlmsghdr *h = link_msg(RTM_NEWLINK, 0, index);
	struct ifinfomsg *m = mnl_nlmsg_get_payload(h);

	m->ifi_change = change;
	m->ifi_flags = flags;
	return nl_talk(s, h);
}

int nl_link_u8(struct space *s, int index, int attr, uint8_t value)
{
	struct nlmsghdr *h = link_msg(RTM_NEWLINK, 0, index);

	mnl_attr_put_u8(h, attr, value);
	return nl_talk(s, h);
}

int nl_link_u32(struct space *s, int index, int attr, uint32_t value)
{
	struct nlmsghdr *h = link_msg(RTM_NEWLINK, 0, index);

	mnl_attr_put_u32(h, attr, value);
	return nl_talk(s, h);
}

int nl_link_str(struct space *s, int index, int attr, const char *value)
{
	struct nlmsghdr *h = link_msg(RTM_NEWLINK, 0, index);

	mnl_attr_put_strz(h, attr, value);
	return nl_talk(s, h);
}

int nl_link_mac(struct space *s, int index, const uint8_t *mac)
{
	struct nlmsghdr *h = link_msg(RTM_NEWLINK, 0, index);

	mnl_attr_put(h, IFLA_ADDRESS, 6, mac);
	return nl_talk(s, h);
}

int nl_link_del(struct space *s, int index)
{
	return nl_talk(s, link_msg(RTM_DELLINK, 0, index));
}

static int link_add(struct space *s, const char *name, const char *kind,
		    const uint8_t *mac, int attr, uint32_t value)
{
	struct nlmsghdr *h = link_msg(RTM_NEWLINK,
				      NLM_F_CREATE | NLM_F_EXCL, 0);
	struct nlattr *info, *data;

	mnl_attr_put_strz(h, IFLA_IFNAME, name);
	if (mac)
		mnl_attr_put(h, IFLA_ADDRESS, 6, mac);
	info = mnl_attr_nest_start(h, IFLA_LINKINFO);
	mnl_attr_put_strz(h, IFLA_INFO_KIND, kind);
	data = mnl_attr_nest_start(h, IFLA_INFO_DATA);
	mnl_attr_put_u32(h, attr, value);
	mnl_attr_nest_end(h, data);
	mnl_attr_nest_end(h, info);
	return nl_talk(s, h);
}

int nl_vrf_add(struct space *s, const char *name, uint32_t table)
{
	return link_add(s, name, "vrf", NULL, IFLA_VRF_TABLE, table);
}

int nl_port_add(struct space *s, const char *name, const uint8_t *mac,
		int number)
{
	return link_add(s, name, INJ_LINK, mac, INJ_LINK_PORT, number);
}

int nl_addr(struct space *s, int cmd, int index, int family,
	    const uint8_t *addr, int plen)
{
	struct nlmsghdr *h = nl_new(cmd, cmd == RTM_NEWADDR ?
				    NLM_F_CREATE | NLM_F_EXCL : 0);
	struct ifaddrmsg *m = mnl_nlmsg_put_extra_header(h, sizeof(*m));

	m->ifa_family = family;
	m->ifa_prefixlen = plen;
	m->ifa_index = index;
	if (family == AF_INET6)
		m->ifa_flags = IFA_F_NODAD;
	mnl_attr_put(h, IFA_LOCAL, octets(family), addr);
	if (family == AF_INET)
		mnl_attr_put(h, IFA_ADDRESS, 4, addr);
	return nl_talk(s, h);
}

/* Added without a MAC address, a neighbour is asked for. */
int nl_neigh(struct space *s, int cmd, int index, int family,
	     const uint8_t *addr, const uint8_t *mac)
{
	struct nlmsghdr *h = nl_new(cmd, cmd == RTM_NEWNEIGH ?
				    NLM_F_CREATE | NLM_F_REPLACE : 0);
	struct ndmsg *m = mnl_nlmsg_put_extra_header(h, sizeof(*m));

	m->ndm_family = family;
	m->ndm_ifindex = index;
	if (mac || cmd == RTM_DELNEIGH)
		m->ndm_state = NUD_PERMANENT;
	else
		m->ndm_flags = NTF_USE;
	mnl_attr_put(h, NDA_DST, octets(family), addr);
	if (mac)
		mnl_attr_put(h, NDA_LLADDR, 6, mac);
	return nl_talk(s, h);
}

static struct nlmsghdr *nexthop_msg(int cmd, uint32_t id, int family)
{
	struct nlmsghdr *h = nl_new(cmd, cmd == RTM_NEWNEXTHOP ?
				    NLM_F_CREATE | NLM_F_REPLACE : 0);
	struct nhmsg *m = mnl_nlmsg_put_extra_header(h, sizeof(*m));

	m->nh_family = family;
	mnl_attr_put_u32(h, NHA_ID, id);
	return h;
}

int nl_nexthop(struct space *s, int cmd, uint32_t id, const struct hop *hop,
	       bool blackhole)
{
	struct nlmsghdr *h = nexthop_msg(cmd, id, cmd == RTM_NEWNEXTHOP ?
					 AF_INET6 : AF_UNSPEC);

	if (blackhole) {
		mnl_attr_put(h, NHA_BLACKHOLE, 0, NULL);
	} else if (hop) {
		mnl_attr_put_u32(h, NHA_OIF, hop->index);
		if (hop->has_via)
			mnl_attr_put(h, NHA_GATEWAY, 16, hop->via);
	}
	return nl_talk(s, h);
}

int nl_group(struct space *s, uint32_t id, const uint32_t *ids,
	     const int *weights, int n, bool resilient)
{
	struct nlmsghdr *h = nexthop_msg(RTM_NEWNEXTHOP, id, AF_UNSPEC);
	struct nexthop_grp grp[8] = {};
	struct nlattr *nest;
	int i;

	for (i = 0; i < n; i++) {
		grp[i].id = ids[i];
		grp[i].weight = weights[i];
	}
	mnl_attr_put(h, NHA_GROUP, n * sizeof(*grp), grp);
	if (resilient) {
		mnl_attr_put_u16(h, NHA_GROUP_TYPE, NEXTHOP_GRP_TYPE_RES);
		nest = mnl_attr_nest_start(h, NHA_RES_GROUP);
		mnl_attr_put_u16(h, NHA_RES_GROUP_BUCKETS, 8);
		/* Long: buckets must not move while packets are under way. */
		mnl_attr_put_u32(h, NHA_RES_GROUP_IDLE_TIMER, 1 << 24);
		mnl_attr_nest_end(h, nest);
	}
	return nl_talk(s, h);
}

static int family_id(const struct nlattr *attr, void *data)
{
	if (mnl_attr_get_type(attr) == CTRL_ATTR_FAMILY_ID)
		*(int *)data = mnl_attr_get_u16(attr);
	return MNL_CB_OK;
}

static int family_msg(const struct nlmsghdr *h, void *data)
{
	return mnl_attr_parse(h, sizeof(struct genlmsghdr), family_id, data);
}

static int genl_family(struct mnl_socket *nl)
{
	struct nlmsghdr *h = nl_new(GENL_ID_CTRL, 0);
	struct genlmsghdr *g = mnl_nlmsg_put_extra_header(h, sizeof(*g));
	int id = -ENOENT;
	ssize_t n;

	g->cmd = CTRL_CMD_GETFAMILY;
	g->version = 1;
	mnl_attr_put_strz(h, CTRL_ATTR_FAMILY_NAME, SEG6_GENL_NAME);
	h->nlmsg_flags = NLM_F_REQUEST;
	mnl_socket_sendto(nl, h, h->nlmsg_len);
	n = mnl_socket_recvfrom(nl, buf, sizeof(buf));
	if (n > 0)
		mnl_cb_run(buf, n, 0, 0, family_msg, &id);
	return id;
}

/* The source address of encapsulated packets, of the namespace. */
int nl_tunsrc(struct space *s, const uint8_t *addr)
{
	struct space genl = *s;
	struct genlmsghdr *g;
	struct nlmsghdr *h;
	int err;

	space_enter(s);
	genl.nl = mnl_socket_open(NETLINK_GENERIC);
	if (!genl.nl || mnl_socket_bind(genl.nl, 0, 0))
		return -errno;
	err = genl_family(genl.nl);
	if (err > 0) {
		h = nl_new(err, 0);
		g = mnl_nlmsg_put_extra_header(h, sizeof(*g));
		g->cmd = SEG6_CMD_SET_TUNSRC;
		g->version = 1;
		mnl_attr_put(h, SEG6_ATTR_DST, 16, addr);
		err = nl_talk(&genl, h);
	}
	mnl_socket_close(genl.nl);
	return err;
}

/* --- devices and sysctls --- */

/* Changes of carrier wait for a worker: have it done now. */
void settle(struct space *s, const char *name)
{
	struct ethtool_value value = { .cmd = ETHTOOL_GLINK };
	struct ifreq ifr = { .ifr_data = (void *)&value };

	strncpy(ifr.ifr_name, name, IFNAMSIZ - 1);
	ioctl(s->udp, SIOCETHTOOL, &ifr);
}

int index_of(struct space *s, const char *name)
{
	struct ifreq ifr = {};

	strncpy(ifr.ifr_name, name, IFNAMSIZ - 1);
	return ioctl(s->udp, SIOCGIFINDEX, &ifr) ? 0 : ifr.ifr_ifindex;
}

bool put_sysctl(const char *path, const char *value)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool done;

	if (fd < 0)
		return false;
	done = write(fd, value, strlen(value)) >= 0;
	close(fd);
	return done;
}

bool sysctl_of(const struct space *s, const char *value, const char *fmt, ...)
{
	char path[160] = "/proc/sys/net/";
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(path + 14, sizeof(path) - 14, fmt, ap);
	va_end(ap);
	space_enter(s);
	return put_sysctl(path, value);
}
