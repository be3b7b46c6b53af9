// SPDX-License-Identifier: GPL-2.0-only
/*
 * convert_frames.c - send numbered frames to SIDs and see them come back out
 *
 * SID number I is fc10::I.  By I modulo 5 it is an End, End.X, End.T, End.DX6
 * or End.DT6; the latter two get IPv6 in IPv6, the others a segment list whose
 * last address is behind the router.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/ip6.h>
#include <netinet/udp.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "convert_load.h"

#define MAGIC		0x5e6a07efu
#define BURST		32
#define ROUTER_MAC	"\x02\0\0\0\0\x01"
#define SENDER_MAC	"\x02\0\0\0\0\x02"
#define FRAME_MAX	(sizeof(struct ether_header) + 2 * sizeof(struct ip6_hdr) + \
			 sizeof(struct srh) + sizeof(struct udphdr) + \
			 sizeof(struct trailer))

struct srh {
	uint8_t nexthdr;
	uint8_t hdrlen;
	uint8_t type;
	uint8_t segments_left;
	uint8_t first_segment;
	uint8_t flags;
	uint16_t tag;
	struct in6_addr segments[2];
} __attribute__((packed));

void die(const char *format, ...)
{
	va_list args;

	printf("Bail out: ");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf(": %s\n", strerror(errno));
	exit(1);
}

double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

void netns_go(const char *name)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/run/netns/%s", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || setns(fd, CLONE_NEWNET))
		die("namespace %s", name);
	close(fd);
}

static int packet_socket(const char *netns, const char *device, bool receive)
{
	struct sockaddr_ll addr = {
		.sll_family = AF_PACKET,
		.sll_protocol = receive ? htons(ETH_P_IPV6) : 0,
	};
	int size = 64 << 20;
	int one = 1;
	int fd;

	netns_go(netns);
	fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	addr.sll_ifindex = if_nametoindex(device);
	if (fd < 0 || !addr.sll_ifindex)
		die("%s in %s", device, netns);
	setsockopt(fd, SOL_SOCKET, receive ? SO_RCVBUFFORCE : SO_SNDBUFFORCE,
		   &size, sizeof(size));
	if (!receive)
		setsockopt(fd, SOL_PACKET, PACKET_QDISC_BYPASS, &one,
			   sizeof(one));
	if (bind(fd, (struct sockaddr *)&addr, sizeof(addr)))
		die("%s in %s", device, netns);
	return fd;
}

void load_open(struct load *load, uint32_t sids)
{
	memset(load, 0, sizeof(*load));
	load->sids = sids;
	load->rx = packet_socket("dst", "e0", true);
	load->tx = packet_socket("src", "e0", false);
	load->seen = calloc(MAX_PACKETS / 8, 1);
	load->count = calloc(sids, sizeof(*load->count));
	if (!load->seen || !load->count)
		die("memory");
}

static struct in6_addr address(uint16_t high, uint32_t low)
{
	struct in6_addr addr = { .s6_addr = { high >> 8, high & 0xff } };

	addr.s6_addr32[3] = htonl(low);
	return addr;
}

static char *put(char *at, const void *data, size_t len)
{
	memcpy(at, data, len);
	return at + len;
}

static char *put_ipv6(char *at, uint8_t nexthdr, size_t payload,
		      struct in6_addr dst)
{
	struct ip6_hdr ip = { 0 };

	ip.ip6_flow = htonl(6u << 28);
	ip.ip6_plen = htons(payload);
	ip.ip6_nxt = nexthdr;
	ip.ip6_hlim = 64;
	ip.ip6_src = address(0xfc11, 2);
	ip.ip6_dst = dst;
	return put(at, &ip, sizeof(ip));
}

/* One frame; its length. */
static size_t frame_build(char *frame, uint32_t sid, uint64_t seq)
{
	const struct in6_addr end = address(0xfc20, 1);
	const struct in6_addr dst = address(0xfc10, sid);
	const struct trailer trailer = { MAGIC, sid, seq };
	const size_t rest = sizeof(struct udphdr) + sizeof(trailer);
	const struct udphdr udp = { .uh_dport = htons(9), .len = htons(rest) };
	const struct ether_header eth = { .ether_type = htons(ETH_P_IPV6) };
	struct srh srh = {
		.nexthdr = IPPROTO_UDP, .hdrlen = sizeof(srh) / 8 - 1,
		.type = 4, .segments_left = 1, .first_segment = 1,
		.segments = { end, dst },
	};
	char *at = put(frame, &eth, sizeof(eth));

	memcpy(frame, ROUTER_MAC, 6);
	memcpy(frame + 6, SENDER_MAC, 6);
	if (sid % 5 >= 3) {
		at = put_ipv6(at, IPPROTO_IPV6, sizeof(struct ip6_hdr) + rest,
			      dst);
		at = put_ipv6(at, IPPROTO_UDP, rest, end);
	} else {
		at = put_ipv6(at, IPPROTO_ROUTING, sizeof(srh) + rest, dst);
		at = put(at, &srh, sizeof(srh));
	}
	at = put(at, &udp, sizeof(udp));
	at = put(at, &trailer, sizeof(trailer));
	return at - frame;
}

/* Wait for what is on its way; what does not come in seconds never will. */
static void wait_for_room(struct load *load)
{
	double end = now() + 3;

	while (load->seq - load->received - load->given_up > IN_FLIGHT) {
		if (now() > end)
			load->given_up = load->seq - load->received;
		usleep(50);
		load_receive(load);
	}
}

/* At most BURST of them. */
void load_send(struct load *load, const uint32_t *sids, size_t count)
{
	static char frames[BURST][FRAME_MAX];
	struct mmsghdr msgs[BURST] = { 0 };
	struct iovec iov[BURST];
	size_t i, done = 0;
	int sent;

	wait_for_room(load);
	for (i = 0; i < count; i++) {
		iov[i].iov_base = frames[i];
		iov[i].iov_len = frame_build(frames[i], sids[i],
					     load->seq + i);
		msgs[i].msg_hdr.msg_iov = &iov[i];
		msgs[i].msg_hdr.msg_iovlen = 1;
		load->count[sids[i]]++;
	}
	while (done < count) {
		sent = sendmmsg(load->tx, msgs + done, count - done, 0);
		if (sent < 0 && errno != ENOBUFS && errno != EINTR)
			die("cannot send");
		done += sent > 0 ? sent : 0;
	}
	load->seq += count;
	if (load->seq > MAX_PACKETS)
		die("more packets than numbers");
}

static void take(struct load *load, const char *frame, size_t len)
{
	struct trailer trailer;
	uint8_t bit;

	if (len < sizeof(trailer))
		return;
	memcpy(&trailer, frame + len - sizeof(trailer), sizeof(trailer));
	if (trailer.magic != MAGIC || trailer.seq >= load->seq)
		return;
	bit = 1 << trailer.seq % 8;
	if (load->seen[trailer.seq / 8] & bit)
		load->doubled++;
	else
		load->received++;
	load->seen[trailer.seq / 8] |= bit;
}

/* All that is there. */
void load_receive(struct load *load)
{
	static char frames[BURST][2048];
	struct tpacket_stats stats;
	socklen_t size = sizeof(stats);
	struct mmsghdr msgs[BURST];
	struct iovec iov[BURST];
	int i, got;

	do {
		memset(msgs, 0, sizeof(msgs));
		for (i = 0; i < BURST; i++) {
			iov[i].iov_base = frames[i];
			iov[i].iov_len = sizeof(frames[i]);
			msgs[i].msg_hdr.msg_iov = &iov[i];
			msgs[i].msg_hdr.msg_iovlen = 1;
		}
		got = recvmmsg(load->rx, msgs, BURST, MSG_DONTWAIT, NULL);
		for (i = 0; i < got; i++)
			take(load, frames[i], msgs[i].msg_len);
	} while (got == BURST);
	if (!getsockopt(load->rx, SOL_PACKET, PACKET_STATISTICS, &stats,
			&size))
		load->socket_drops += stats.tp_drops;
}

uint64_t load_settle(struct load *load)
{
	double end = now() + 3;

	while (load->received < load->seq && now() < end) {
		usleep(1000);
		load_receive(load);
	}
	/* One more look: what comes twice would come late. */
	usleep(50000);
	load_receive(load);
	return load->seq - load->received;
}
