// SPDX-License-Identifier: GPL-2.0-only
/* sids.c - each SID twice: one of the in-tree encap, one of ours */
#include <arpa/inet.h>
#include <linux/seg6.h>

#include "soak.h"

#define SEG6_LOCAL_SLOT	7
#define NESTED		0x8000

#define ACT(a)		.action = SEG6NR_ACT_##a
#define BIT(n)		(1u << (n))
#define BOTH		.second = true

/* Next hops behind E0, E1, E2: their nets are 2001:db8:12:: and so on. */
const struct sid sids[SIDS] = {
	[S_END] = { "End", ACT(END), BOTH, .weight = 24 },
	[S_PSP] = { "End/psp", ACT(END), .flavors = BIT(SEG6NR_FLV_OP_PSP),
		    BOTH, .weight = 4 },
	[S_CSID] = { "End/next-csid", ACT(END),
		     .flavors = BIT(SEG6NR_FLV_OP_NEXT_CSID), .weight = 3 },
	[S_X] = { "End.X on-link", ACT(END_X), BOTH, .weight = 8,
		  .nh = { "2001:db8:12::1", "2001:db8:13::1",
			  "2001:db8:12::9" } },
	[S_X_GW] = { "End.X gateway", ACT(END_X), BOTH, .weight = 6,
		     .nh = { "fd00:1:1::1", "fd00:0:2::1", "fd00:5::1" } },
	[S_X_LINK] = { "End.X fe80::1 oif", ACT(END_X), .oif = E1 + 1,
		       .nh = { "fe80::1" }, .weight = 4 },
	[S_X_OIF] = { "End.X on-link oif", ACT(END_X), .oif = E1 + 1,
		      .nh = { "2001:db8:13::1", "2001:db8:12::1" },
		      .weight = 4 },
	[S_X_OBJ] = { "End.X behind an object", ACT(END_X), .weight = 4,
		      .nh = { "2001:db8:77::1", "fd00:2:2::1",
			      "fd00:3:1::1" } },
	[S_X_MANY] = { "End.X many paths", ACT(END_X), .weight = 2,
		       .nh = { "fd00:4:2::1", "fd00:4::1" } },
	[S_X_BACK] = { "End.X fe80::1", ACT(END_X), .nh = { "fe80::1" },
		       .weight = 2 },
	[S_T] = { "End.T", ACT(END_T), .weight = 10,
		  .table = { TABLE_T, TABLE_RULE, TABLE_VRF + 1 } },
	[S_T_VRF] = { "End.T of a VRF", ACT(END_T), .weight = 3,
		      .table = { TABLE_VRF, TABLE_T } },
	[S_DX6] = { "End.DX6 ::", ACT(END_DX6), .nh = { "::" }, BOTH,
		    .weight = 10 },
	[S_DX6_NH] = { "End.DX6 on-link", ACT(END_DX6), .weight = 5,
		       .nh = { "2001:db8:14::1", "2001:db8:14::9",
			       "2001:db8:13::1" } },
	[S_DX6_GW] = { "End.DX6 gateway", ACT(END_DX6), .weight = 4,
		       .nh = { "fd00:0:1::1", "fd00:2::1", "fd00:1::2" } },
	[S_DT6] = { "End.DT6", ACT(END_DT6), .weight = 6,
		    .table = { TABLE_T, TABLE_RULE, 254 } },
	[S_DT6_VRF0] = { "End.DT6 vrf100", ACT(END_DT6), .vrf = VRF0 + 1,
			 .weight = 6 },
	[S_DT6_VRF1] = { "End.DT6 vrf101", ACT(END_DT6), .vrf = VRF1 + 1,
			 .weight = 4 },
	[S_DX4] = { "End.DX4 0.0.0.0", ACT(END_DX4), .nh = { "0.0.0.0" }, BOTH,
		    .weight = 1 },
	[S_DX4_GW] = { "End.DX4 gateway", ACT(END_DX4), .weight = 1,
		       .nh = { "172.17.1.1", "172.16.0.1" } },
	[S_DX4_NH] = { "End.DX4 on-link", ACT(END_DX4), BOTH, .weight = 2,
		       .nh = { "10.0.18.1", "10.0.18.9" } },
	[S_DT4] = { "End.DT4", ACT(END_DT4), .vrf = VRF0 + 1, .weight = 1 },
	[S_DT46] = { "End.DT46", ACT(END_DT46), .vrf = VRF1 + 1, .weight = 4 },
	[S_B6] = { "End.B6", ACT(END_B6), .weight = 3,
		   .segs = { "fd00:2:1::2", "fd00:0:2::2" } },
	[S_ENCAPS] = { "End.B6.Encaps", ACT(END_B6_ENCAPS), .weight = 4,
		       .segs = { "fd00:1:2::2", "fd00:5:1::1" } },
};

int slot;

/* fc00:1:SID::a and ::b; a C-SID is fcbb:0:a:: and fcbb:0:b::. */
void sid_addr(int sid, int twin, uint8_t *addr)
{
	memset(addr, 0, 16);
	if (sid == S_CSID) {
		put16(addr, 0xfcbb);
		addr[5] = 0xa + twin;
		return;
	}
	put16(addr, 0xfc00);
	addr[3] = 1;
	addr[5] = sid + 1;
	addr[15] = 0xa + twin;
}

int sid_variants(int sid)
{
	int n = 1;

	while (n < 3 && (sids[sid].nh[n] || sids[sid].table[n]))
		n++;
	return n;
}

const char *sid_nh(int sid)
{
	return sids[sid].nh[w.sid_now[sid]];
}

static void put_srh(struct nlmsghdr *h, const struct sid *sid)
{
	/* An inserted one keeps a place for the address it replaces. */
	int spare = sid->action == SEG6NR_ACT_END_B6, n = 2 + spare, i;
	uint8_t srh[8 + 3 * 16] = { 0, n * 2, 4, n - 1, n - 1 };

	for (i = 0; i < 2; i++)
		addr6(srh + 8 + (i + spare) * 16, sid->segs[i]);
	mnl_attr_put(h, SEG6NR_A_SRH, 8 + n * 16, srh);
}

static void put_flavors(struct nlmsghdr *h, const struct sid *sid)
{
	struct nlattr *nest;

	if (!sid->flavors)
		return;
	nest = mnl_attr_nest_start(h, SEG6NR_A_FLAVORS);
	mnl_attr_put_u32(h, SEG6NR_FLV_OPERATION, sid->flavors);
	mnl_attr_nest_end(h, nest);
}

static void put_nh(struct nlmsghdr *h, const struct sid *sid, const char *nh)
{
	bool v4 = sid->action == SEG6NR_ACT_END_DX4;
	uint8_t addr[16];

	if (!nh)
		return;
	if (inet_pton(v4 ? AF_INET : AF_INET6, nh, addr) != 1)
		die(nh);
	mnl_attr_put(h, v4 ? SEG6NR_A_NH4 : SEG6NR_A_NH6, v4 ? 4 : 16, addr);
}

static void put_encap(struct nlmsghdr *h, const struct sid *sid, int variant)
{
	mnl_attr_put_u32(h, SEG6NR_A_ACTION, sid->action);
	if (sid->segs[0])
		put_srh(h, sid);
	if (sid->table[variant])
		mnl_attr_put_u32(h, SEG6NR_A_TABLE, sid->table[variant]);
	put_nh(h, sid, sid->nh[variant]);
	if (sid->oif)
		mnl_attr_put_u32(h, SEG6NR_A_OIF, w.port[sid->oif - 1].index);
	if (sid->vrf)
		mnl_attr_put_u32(h, SEG6NR_A_VRFTABLE,
				 TABLE_VRF + sid->vrf - 1);
	put_flavors(h, sid);
}

static struct nlmsghdr *sid_msg(struct space *s, int cmd, int flags, int sid,
				int twin)
{
	struct nlmsghdr *h = nl_new(cmd, flags);
	struct rtmsg *m = mnl_nlmsg_put_extra_header(h, sizeof(*m));
	uint8_t addr[16];

	sid_addr(sid, twin, addr);
	m->rtm_family = AF_INET6;
	m->rtm_dst_len = sid == S_CSID ? 48 : 128;
	m->rtm_table = RT_TABLE_MAIN;
	m->rtm_protocol = RTPROT_STATIC;
	m->rtm_type = RTN_UNICAST;
	mnl_attr_put(h, RTA_DST, 16, addr);
	mnl_attr_put_u32(h, RTA_OIF,
			 w.port[s == &w.second ? AI : HOME].index);
	return h;
}

int sid_put(struct space *s, int sid, int twin, int variant, int flags)
{
	struct nlmsghdr *h = sid_msg(s, RTM_NEWROUTE, NLM_F_CREATE | flags,
				     sid, twin);
	struct nlattr *outer, *inner;

	mnl_attr_put_u16(h, RTA_ENCAP_TYPE,
			 twin == OURS ? slot : SEG6_LOCAL_SLOT);
	outer = mnl_attr_nest_start(h, RTA_ENCAP);
	if (twin == OURS) {
		inner = mnl_attr_nest_start(h, SEG6NR_ENCAP);
		put_encap(h, &sids[sid], variant);
		mnl_attr_nest_end(h, inner);
	} else {
		put_encap(h, &sids[sid], variant);
	}
	mnl_attr_nest_end(h, outer);
	return nl_talk(s, h);
}

int sid_del(struct space *s, int sid, int twin)
{
	return nl_talk(s, sid_msg(s, RTM_DELROUTE, 0, sid, twin));
}

void sids_put(struct space *s, bool second)
{
	int i, twin, err;

	for (i = 0; i < SIDS; i++) {
		if (second && !sids[i].second)
			continue;
		for (twin = 0; twin < TWINS; twin++) {
			err = sid_put(s, i, twin, 0, NLM_F_EXCL);
			if (err) {
				fprintf(stderr, "SID %s of %d: %s\n",
					sids[i].name, twin, strerror(-err));
				die("SID");
			}
		}
	}
}

/* The in-tree encap never finds a VRF again that was made anew (D19). */
void sids_of_vrf(int vrf, int twin)
{
	int i;

	for (i = 0; i < SIDS; i++)
		if (sids[i].vrf == vrf + 1)
			sid_put(&w.main, i, twin, 0, NLM_F_REPLACE);
}
