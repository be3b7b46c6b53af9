// SPDX-License-Identifier: GPL-2.0-only
/*
 * world.c - two network namespaces that differ in one thing only: whose encap
 * the routes to the SIDs have
 *
 *   na, nh, nn   ingress, with seg6_require_hmac 0, 1 and -1
 *   nb           egress; segments in software
 *   nd           egress, a port of vrf100; segments "in hardware"
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "fuzz.h"

#define SEG6_LOCAL_SLOT	7

static int netns[INJ_WORLDS] = { -1, -1 };

static const char *const sysctls[] = {
	"net/ipv6/conf/all/forwarding", "1",
	"net/ipv6/conf/default/accept_dad", "0",
	"net/ipv6/conf/default/dad_transmits", "0",
	"net/ipv6/conf/default/accept_ra", "0",
	"net/ipv6/conf/default/router_solicitations", "0",
	"net/ipv6/conf/default/addr_gen_mode", "1",
	"net/ipv6/auto_flowlabels", "0",
	"net/ipv6/icmp/ratelimit", "0",
	"net/ipv6/icmp/ratemask", "200",
	"net/ipv6/ip6frag_low_thresh", "0",
	"net/ipv6/ip6frag_high_thresh", "0",
	"net/ipv4/ip_forward", "1",
	"net/ipv4/ipfrag_low_thresh", "0",
	"net/ipv4/ipfrag_high_thresh", "0",
	"net/ipv4/icmp_ratelimit", "0",
	"net/ipv4/icmp_ratemask", "0",
	"net/ipv4/conf/all/rp_filter", "0",
	"net/ipv4/conf/default/rp_filter", "0",
	"net/ipv4/conf/all/send_redirects", "0",
	"net/ipv4/conf/default/send_redirects", "0",
};

static const char links[] =
	"link set lo up\n"
	"link add vrf100 type vrf table 100\n"
	"link set vrf100 up\n"
	"link set nd master vrf100\n"
	"link set na up\nlink set nh up\nlink set nn up\n"
	"link set nb up\nlink set nd up\n"
	"addr add 2001:db8:a::2/64 dev na nodad\n"
	"addr add 10.0.1.2/24 dev na\n"
	"addr add fe80::2a/64 dev na nodad\n"
	"addr add 2001:db8:b::2/64 dev nb nodad\n"
	"addr add 10.0.2.2/24 dev nb\n"
	"addr add fe80::2b/64 dev nb nodad\n"
	"addr add 2001:db8:d::2/64 dev nd nodad\n"
	"addr add 10.0.4.2/24 dev nd\n";

/* The last octet of a neighbour's MAC address is how fib.c calls it. */
static const char routes[] =
	"neigh add 2001:db8:a::1 lladdr 02:00:00:00:ff:01 dev na nud permanent\n"
	"neigh add 2001:db8:a::100 lladdr 02:00:00:00:ff:02 dev na nud permanent\n"
	"neigh add 10.0.1.1 lladdr 02:00:00:00:ff:01 dev na nud permanent\n"
	"neigh add 2001:db8:b::1 lladdr 02:00:00:00:ff:11 dev nb nud permanent\n"
	"neigh add fe80::b lladdr 02:00:00:00:ff:12 dev nb nud permanent\n"
	"neigh add 10.0.2.1 lladdr 02:00:00:00:ff:11 dev nb nud permanent\n"
	"neigh add 2001:db8:d::1 lladdr 02:00:00:00:ff:21 dev nd nud permanent\n"
	"neigh add 10.0.4.1 lladdr 02:00:00:00:ff:21 dev nd nud permanent\n"
	"route add fc00:2::/32 via 2001:db8:b::1\n"
	"route add fcbb::/16 via 2001:db8:b::1\n"
	"route add fcb5::/16 via 2001:db8:b::1\n"
	"route add fc32::/16 via 2001:db8:b::1\n"
	"route add fc16::/16 via 2001:db8:b::1\n"
	"route add fd55::/16 via 2001:db8:b::1\n"
	"route add blackhole fd66::/16\n"
	"route add prohibit fd67::/16\n"
	"route add unreachable fd68::/16\n"
	"route add fd77::/16 via 2001:db8:b::1 table 77\n"
	"route add prohibit fd78::/16 table 77\n"
	"route add fd44::/16 via 2001:db8:d::1 dev nd table 100\n"
	"route add 192.0.2.0/24 via 10.0.2.1\n"
	"route add blackhole 198.51.100.0/24\n"
	"route add prohibit 203.0.113.128/25\n"
	"route add 192.0.2.0/24 via 10.0.4.1 dev nd table 100\n";

struct probe_route {
	const char *dst;
	int plen, table;
	const char *via;
	int place;
};

static const struct probe_route probes[] = {
	{ "fd0c::", 16, 254, "2001:db8:b::1", INJ_NB },
	{ "fd0c::", 16, 77, "2001:db8:b::1", INJ_NB },
	{ "fd0e::", 16, 100, "2001:db8:d::1", INJ_ND },
	{ "198.18.0.0", 16, 254, "10.0.2.1", INJ_NB },
	{ "198.18.0.0", 16, 100, "10.0.4.1", INJ_ND },
};

static void die(const char *what)
{
	perror(what);
	exit(2);
}

static void sysctl(const char *path, const char *value)
{
	char name[128];
	int fd;

	snprintf(name, sizeof(name), "/proc/sys/%s", path);
	fd = open(name, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, value, strlen(value)) < 0)
		die(name);
	close(fd);
}

static void ip_batch(const char *text)
{
	FILE *f = popen("ip -batch -", "w");

	if (!f || fputs(text, f) < 0 || pclose(f))
		die("ip -batch");
}

int place_ifindex(int place)
{
	static const char *const names[] = { "na", "nh", "nn", "nb", "nd" };

	return if_nametoindex(names[place]);
}

int vrf_ifindex(void)
{
	return if_nametoindex("vrf100");
}

int encap_slot(void)
{
	FILE *f = fopen("/sys/module/seg6local_noref/parameters/encap_type",
			"r");
	int slot;

	if (!f || fscanf(f, "%d", &slot) != 1)
		die("encap_type");
	fclose(f);
	return slot;
}

void world_enter(int world)
{
	if (setns(netns[world], CLONE_NEWNET))
		die("setns");
}

/* A route whose RTA_ENCAP is as given; @dev: place, or -1 for none. */
int world_route(struct nl *nl, int cmd, int flags, const uint8_t *dst, int plen,
		int dev, int slot, const uint8_t *encap, int len)
{
	struct rtmsg rtm = { .rtm_family = AF_INET6, .rtm_dst_len = plen,
			     .rtm_table = RT_TABLE_MAIN,
			     .rtm_protocol = RTPROT_STATIC,
			     .rtm_type = RTN_UNICAST };
	uint32_t oif = dev < 0 ? 0 : place_ifindex(dev);
	uint16_t type = slot;
	struct nlmsg m;

	nl_begin(&m, cmd, flags, &rtm, sizeof(rtm));
	nl_put(&m, RTA_DST, dst, 16);
	if (oif)
		nl_put(&m, RTA_OIF, &oif, sizeof(oif));
	if (slot) {
		nl_put(&m, RTA_ENCAP_TYPE, &type, sizeof(type));
		nl_put(&m, RTA_ENCAP | 0x8000, encap, len);
	}
	return nl_talk(nl, &m, NULL);
}

static void add_probe(struct nl *nl, const struct probe_route *p)
{
	int family = strchr(p->dst, ':') ? AF_INET6 : AF_INET;
	struct rtmsg rtm = { .rtm_family = family, .rtm_dst_len = p->plen,
			     .rtm_table = p->table,
			     .rtm_protocol = RTPROT_STATIC,
			     .rtm_type = RTN_UNICAST };
	uint32_t oif = place_ifindex(p->place);
	uint16_t type = INJ_PROBE_SLOT;
	uint8_t dst[16], via[16];
	struct nlmsg m;
	int len = family == AF_INET6 ? 16 : 4, err;

	inet_pton(family, p->dst, dst);
	inet_pton(family, p->via, via);
	nl_begin(&m, RTM_NEWROUTE, NLM_F_CREATE | NLM_F_EXCL, &rtm,
		 sizeof(rtm));
	nl_put(&m, RTA_DST, dst, len);
	nl_put(&m, RTA_GATEWAY, via, len);
	nl_put(&m, RTA_OIF, &oif, sizeof(oif));
	nl_put(&m, RTA_ENCAP_TYPE, &type, sizeof(type));
	nl_put(&m, RTA_ENCAP | 0x8000, "", 0);
	err = nl_talk(nl, &m, NULL);
	if (err) {
		fprintf(stderr, "probe route %s: %s %s\n", p->dst,
			strerror(-err), nl->text);
		exit(2);
	}
}

static void add_sid(struct nl *nl, struct sid *sid, int world, int fd, int slot)
{
	struct inj_bind bind = { .world = world };
	uint8_t attrs[1024], nest[1100];
	int err, len = sid_attrs(sid, attrs);

	if (world == OURS)
		len = put_attr(nest, SEG6NR_ENCAP | 0x8000, attrs, len);
	err = world_route(nl, RTM_NEWROUTE, NLM_F_CREATE | NLM_F_EXCL,
			  sid->addr, sid->plen, INJ_NA, slot,
			  world == OURS ? nest : attrs, len);
	if (err) {
		fprintf(stderr, "SID %s of world %d: %s %s\n", sid->name, world,
			strerror(-err), nl->text);
		exit(2);
	}
	memcpy(bind.addr, sid->addr, 16);
	sid->bound[world] = ioctl(fd, INJ_BIND, &bind);
	if (sid->bound[world] < 0)
		die(sid->name);
}

static void add_routes(int world, int fd, int slot)
{
	unsigned int i;
	struct nl nl;

	if (nl_open(&nl, 0))
		die("netlink");
	for (i = 0; i < ARRAY_LEN(probes); i++)
		add_probe(&nl, &probes[i]);
	for (i = 0; i < (unsigned int)nsids; i++)
		if (world == OURS || sids[i].tree)
			add_sid(&nl, &sids[i], world, fd, slot);
	close(nl.fd);
}

/* Of all namespaces, and for good: netfilter gets to see what is inside. */
void world_hooks(void)
{
	sysctl("net/netfilter/nf_hooks_lwtunnel", "1");
}

/* Leaves the process in the new namespace. */
void world_setup(int world, int fd, int slot)
{
	unsigned int i;
	int err;

	/* Of all namespaces, and to be seen from the first one only. */
	if (world == TREE)
		sysctl("net/ipv4/route/error_cost", "0");
	if (unshare(CLONE_NEWNET))
		die("unshare");
	netns[world] = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	for (i = 0; i < ARRAY_LEN(sysctls); i += 2)
		sysctl(sysctls[i], sysctls[i + 1]);
	if (ioctl(fd, INJ_WORLD) != world)
		die("INJ_WORLD");
	for (i = 0; i < INJ_DEVS; i++) {
		static const char *const names[] = { "na", "nh", "nn", "nb",
						     "nd" };
		char path[80];

		snprintf(path, sizeof(path),
			 "net/ipv6/neigh/%s/retrans_time_ms", names[i]);
		sysctl(path, "600000");
		snprintf(path, sizeof(path),
			 "net/ipv4/neigh/%s/retrans_time_ms", names[i]);
		sysctl(path, "600000");
	}
	sysctl("net/vrf/strict_mode", "1");
	ip_batch(links);
	sysctl("net/ipv6/conf/nh/seg6_require_hmac", "1");
	sysctl("net/ipv6/conf/nn/seg6_require_hmac", "-1");
	ip_batch(routes);
	err = nl_hmac_key(HMAC_KEY_ID, HMAC_SECRET);
	if (err) {
		fprintf(stderr, "HMAC key: %s\n", strerror(-err));
		exit(2);
	}
	add_routes(world, fd, world == OURS ? slot : SEG6_LOCAL_SLOT);
}
