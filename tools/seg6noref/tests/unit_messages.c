// SPDX-License-Identifier: GPL-2.0-only
/*
 * unit_messages.c - values to messages, octet by octet
 *
 * The expected octets are written down by hand from linux/rtnetlink.h and
 * module/uapi.h, little endian; a big endian machine skips this file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

#define E	"encap seg6local_noref "

/* fc00::1 in RTA_DST, device lo (1) in RTA_OIF */
#define DST	"1400 0100 fc000000000000000000000000000001 "
#define LO	"0800 0400 01000000 "
/* RTA_ENCAP_TYPE 9, padded */
#define TYPE	"0600 1500 09000000 "

struct message_case {
	const char *verb;
	const char *words;
	const char *head;	/* type and flags, then struct rtmsg */
	const char *attrs;
};

static const struct message_case message_cases[] = {
	{ "add", "fc00::1 dev lo " E "action End",
	  "1800 0006  0a 80 00 00 fe 03 00 01 00000000",
	  DST LO
	  "1000 1680 0c00 4080  0800 0100 01000000" TYPE },
	{ "append", "fc00::1 dev lo proto static metric 7 table 1000 " E
	  "action End.T table 255",
	  "1800 000c  0a 80 00 00 00 04 00 01 00000000",
	  "0800 0f00 e8030000" DST LO "0800 0600 07000000"
	  "1800 1680 1400 4080  0800 0100 03000000 0800 0300 ff000000" TYPE },
	{ "replace", "fc00::1 dev lo via fe80::2 onlink " E
	  "action End.X nh6 fe80::1 oif lo",
	  "1800 0005  0a 80 00 00 fe 03 00 01 04000000",
	  DST "1400 0500 fe800000000000000000000000000002" LO
	  "2c00 1680 2800 4080  0800 0100 02000000"
	  "1400 0500 fe800000000000000000000000000001"
	  "0800 0700 01000000" TYPE },
	{ "change", "default table 255 dev lo " E "action End.DX4 nh4 10.1.0.2",
	  "1800 0001  0a 00 00 00 ff 03 00 01 00000000",
	  LO "1800 1680 1400 4080  0800 0100 06000000 0800 0400 0a010002"
	  TYPE },
	{ "prepend", "fc00::1 dev lo " E "count action End.DT4 vrftable 100",
	  "1800 0004  0a 80 00 00 fe 03 00 01 00000000",
	  DST LO
	  "4000 1680 3c00 4080  0800 0100 08000000  0800 0900 64000000"
	  "2800 0a80 0c00 0200 0000000000000000 0c00 0300 0000000000000000"
	  "0c00 0400 0000000000000000" TYPE },
	{ "test", "fc00::1 dev lo " E
	  "action End flavors psp,next-csid lblen 48 nflen 0",
	  "1800 0002  0a 80 00 00 fe 03 00 01 00000000",
	  DST LO
	  "2c00 1680 2800 4080  0800 0100 01000000"
	  "1c00 0b80 0800 0100 12000000 0500 0200 30000000 0500 0300 00000000"
	  TYPE },
	{ "add", "fc00::1 dev lo " E "action End flavors replace-csid",
	  "1800 0006  0a 80 00 00 fe 03 00 01 00000000",
	  DST LO
	  "1400 1680 1000 4080  0800 0100 01000000 0400 8080" TYPE },
	{ "add", "fc00::1 dev lo " E "flavors usp,replace-csid lblen 48 nflen 32 "
	  "action End.T table 7",
	  "1800 0006  0a 80 00 00 fe 03 00 01 00000000",
	  DST LO
	  "3800 1680 3400 4080  0800 0100 03000000 0800 0300 07000000"
	  "0c00 0b80 0800 0100 04000000"
	  "1400 8080 0500 0200 30000000 0500 0300 20000000" TYPE },
	{ "add", "fc00::1 dev lo " E "action End flavors replace-csid,next-csid nflen 16",
	  "1800 0006  0a 80 00 00 fe 03 00 01 00000000",
	  DST LO
	  "3000 1680 2c00 4080  0800 0100 01000000"
	  "1400 0b80 0800 0100 10000000 0500 0300 10000000"
	  "0c00 8080 0500 0300 10000000" TYPE },
	{ "add", "fc00::1 nhid 7 metric 9",
	  "1800 0006  0a 80 00 00 fe 03 00 01 00000000",
	  DST "0800 0600 09000000 0800 1e00 07000000" },
	{ "add", "fc00::1 nexthop via fe80::2 dev lo weight 3 " E "action End "
	  "nexthop dev if77 onlink",
	  "1800 0006  0a 80 00 00 fe 03 00 01 00000000",
	  DST "4000 0900"
	  "3400 00 02 01000000"
	  "1400 0500 fe800000000000000000000000000002"
	  "1000 1680 0c00 4080  0800 0100 01000000" TYPE
	  "0800 04 00 4d000000" },
	{ "add", "fc00::1 dev lo " E "action End.B6 srh segs fc00::a,fc00::b",
	  "1800 0006  0a 80 00 00 fe 03 00 01 00000000",
	  DST LO
	  "4c00 1680 4800 4080  0800 0100 09000000  3c00 0200"
	  "00 06 04 02 02 00 0000"
	  "00000000000000000000000000000000"
	  "fc00000000000000000000000000000b"
	  "fc00000000000000000000000000000a" TYPE },
	{ "add", "fc00::1 dev lo " E
	  "action End.B6.Encaps srh segs fc00::a hmac 0x10",
	  "1800 0006  0a 80 00 00 fe 03 00 01 00000000",
	  DST LO
	  "5400 1680 5000 4080  0800 0100 0a000000  4400 0200"
	  "00 07 04 00 00 08 0000"
	  "fc00000000000000000000000000000a"
	  "05 26 0000 00000010"
	  "00000000000000000000000000000000"
	  "00000000000000000000000000000000" TYPE },
	{ "add", "fc00::1/64 from fc01::/16 src fc02::1 pref high scope link "
	  "mtu lock 1400 hoplimit 3 expires 9 dev lo " E "action End",
	  "1800 0006  0a 40 10 00 fe 03 fd 01 00000000",
	  DST "1400 0200 fc010000000000000000000000000000"
	  "1400 0700 fc020000000000000000000000000001" LO
	  "0800 1700 09000000 0500 1400 01000000"
	  "1c00 0880 0800 0100 04000000 0800 0200 78050000 0800 0a00 03000000"
	  "1000 1680 0c00 4080  0800 0100 01000000" TYPE },
	{ "add", "fc00::1 rtt 1.5s rttvar 7 rto_min 40ms features ecn 0x20 "
	  "quickack 1 window lock 9 congctl reno dev lo nhid 7",
	  "1800 0006  0a 80 00 00 fe 03 00 01 00000000",
	  DST LO "0800 1e00 07000000"
	  "4800 0880 0800 0100 08200000 0800 0300 09000000 0800 0400 e02e0000"
	  "0800 0500 07000000 0800 0c00 21000000 0800 0d00 28000000"
	  "0800 0f00 01000000 0900 1000 72656e6f 00000000" },
	{ "del", "fc00::1 dev lo " E "action End",
	  "1900 0000  0a 80 00 00 fe 00 ff 00 00000000",
	  DST LO
	  "1000 1680 0c00 4080  0800 0100 01000000" TYPE },
	{ "del", "fc00::1", "1900 0000  0a 80 00 00 fe 00 ff 00 00000000",
	  DST },
	{ "add", "local fc00::1 dev lo " E "action End",
	  "1800 0006  0a 80 00 00 ff 03 00 02 00000000",
	  DST LO
	  "1000 1680 0c00 4080  0800 0100 01000000" TYPE },
};

/* Hexadecimal digits without blanks. */
static char *squeeze(const char *head, const char *attrs)
{
	char *hex = calloc(1, strlen(head) + strlen(attrs) + 1);
	const char *parts[] = { head, attrs };
	char *to = hex;
	size_t i;

	for (i = 0; i < 2; i++)
		for (; *parts[i]; parts[i]++)
			if (*parts[i] != ' ')
				*to++ = *parts[i];
	return hex;
}

/* Type and flags, and all that is behind the header. */
static char *dump(const struct nlmsghdr *nlh)
{
	const unsigned char *octet = (const unsigned char *)nlh;
	char *hex = calloc(2, nlh->nlmsg_len);
	char *to = hex;
	size_t i;

	for (i = 4; i < nlh->nlmsg_len; i++)
		if (i < 8 || i >= MNL_NLMSG_HDRLEN)
			to += sprintf(to, "%02x", octet[i]);
	return hex;
}

void test_messages(void)
{
	const struct message_case *c;
	struct nlmsghdr *nlh;
	char *want, *got;
	char name[256];
	size_t i;

	if (htons(1) == 1)
		return;
	for (i = 0; i < MNL_ARRAY_SIZE(message_cases); i++) {
		c = &message_cases[i];
		nlh = build_words(c->verb, c->words);
		want = squeeze(c->head, c->attrs);
		got = dump(nlh);
		snprintf(name, sizeof(name), "%s %s", c->verb, c->words);
		check(name, want, got);
		free(want);
		free(got);
		free(nlh);
	}
}
