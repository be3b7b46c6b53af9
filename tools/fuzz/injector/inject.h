/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * inject.h - what the fuzzer and its injector module say to each other
 *
 * Everything is in host order; requests and results are 8-octet aligned.
 */
#ifndef SEG6NR_INJECT_H
#define SEG6NR_INJECT_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define INJ_PATH	"/dev/seg6nr_inject"

/* Devices of a world, by index; VRF and probe are places only. */
enum {
	INJ_NA, INJ_NH, INJ_NN, INJ_NB, INJ_ND, INJ_DEVS,
	INJ_PROBE = INJ_DEVS, INJ_PLACES
};

#define INJ_WORLDS	2
#define INJ_SIDS	96	/* bound per world at most */
#define INJ_BUFFER	(8 << 20)	/* of a batch, each way, at most */
#define INJ_REQ_SIDS	6	/* counters read per request */

/* The lwtunnel slot of the probe: nobody else has it in the lab's kernels. */
#define INJ_PROBE_SLOT	10

/* inj_req.flags */
#define INJ_CLONE	1	/* somebody else holds a clone of the packet */
#define INJ_COMPLETE	2	/* CHECKSUM_COMPLETE */
#define INJ_GSO4	4	/* TCP over IPv4 GSO */
#define INJ_GSO6	8	/* TCP over IPv6 GSO */
#define INJ_TUNNEL	16	/* it is inside another IPv6 header */

struct inj_req {
	__u32	len;		/* of the frame behind, Ethernet included */
	__u16	world;
	__u16	dev;
	__u16	flags;
	__u16	linear;		/* octets of the packet in the head */
	__u16	frag;		/* octets in each page behind */
	__u16	gso_size;
	__u16	l4;		/* GSO: TCP header, from the IPv6 header */
	__u16	l3;		/* GSO in a tunnel: inner header, likewise */
	__u16	sids;
	__u16	sid[INJ_REQ_SIDS];
};

struct inj_count {
	__u64	packets, bytes, errors;
};

/* inj_res.flags */
#define INJ_SPOILED	1	/* the clone was written to */
#define INJ_REDIRECT	2	/* an ICMPv6 Redirect was sent (not captured) */
#define INJ_SOLICITED	4	/* so were a solicitation or an ARP request */
#define INJ_OVERFLOW	8	/* more frames than the buffer holds */

struct inj_res {
	__u32	size;		/* of this and the frames */
	__u16	flags;
	__u16	frames;
	struct inj_count count[INJ_REQ_SIDS];
};

/* inj_frame.flags */
#define INJ_F_COMPLETE	1	/* ip_summed is CHECKSUM_COMPLETE */
#define INJ_F_CSUM_BAD	2	/* and not true */
#define INJ_F_HASH	4	/* carries a flow hash */
#define INJ_F_OWNED	8	/* holds a reference on its dst */
#define INJ_F_ENCAP	16
#define INJ_F_PARTIAL	32
#define INJ_F_IPV4	64

struct inj_frame {
	__u32	len;
	__u16	place;
	__u16	flags;
	__u16	gso_size;
	/* Only from the probe: */
	__s16	transport;	/* from the network header */
	__u16	iif;
	__u16	srcrt;
	__u16	nhoff;
	__u16	cbflags;
};

struct inj_bind {
	__u32	world;
	__u8	addr[16];
};

struct inj_batch {
	__u64	in, out;
	__u32	in_len, out_len;
	__u32	done;		/* requests whose results are in out */
	__u32	used;		/* octets of out */
};

#define INJ_WORLD	_IO('f', 1)	/* devices here; returns the index */
#define INJ_BIND	_IOW('f', 2, struct inj_bind)	/* returns the index */
#define INJ_UNBIND	_IO('f', 3)	/* forget all SIDs */
#define INJ_BATCH	_IOWR('f', 4, struct inj_batch)

/*
 * Ports that come and go: devices of this link type in any namespace, the
 * number of each in IFLA_INFO_DATA.  What is sent through them is kept until
 * INJ_SEND fetches it.  inj_batch.in of that is inj_send and frame, again and
 * again; out is inj_frame and frame.  Packets are through when it returns.
 */
#define INJ_LINK	"seg6nr"
#define INJ_PORTS	16
enum { INJ_LINK_UNSPEC, INJ_LINK_PORT, INJ_LINK_MAX = INJ_LINK_PORT };

struct inj_send {
	__u32	port;
	__u32	len;		/* of the frame behind */
};

#define INJ_SEND	_IOWR('f', 5, struct inj_batch)

#define INJ_ALIGN(x)	(((x) + 7UL) & ~7UL)

#endif
