// SPDX-License-Identifier: GPL-2.0-only
/* mark.c - packets get their flow label's last four bits as their mark */
#include <libnftnl/chain.h>
#include <libnftnl/common.h>
#include <libnftnl/expr.h>
#include <libnftnl/rule.h>
#include <libnftnl/table.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <stdlib.h>

#include "soak.h"

#define TABLE	"soak"
#define CHAIN	"mark"

static uint32_t seq;

static struct nlmsghdr *next_msg(struct mnl_nlmsg_batch *batch, int type,
				 int flags)
{
	return nftnl_nlmsg_build_hdr(mnl_nlmsg_batch_current(batch), type,
				     NFPROTO_IPV6, flags | NLM_F_CREATE, seq++);
}

static void put_table(struct mnl_nlmsg_batch *batch)
{
	struct nlmsghdr *h = next_msg(batch, NFT_MSG_NEWTABLE, 0);
	struct nftnl_table *t = nftnl_table_alloc();

	nftnl_table_set_str(t, NFTNL_TABLE_NAME, TABLE);
	nftnl_table_nlmsg_build_payload(h, t);
	nftnl_table_free(t);
	mnl_nlmsg_batch_next(batch);
}

static void put_chain(struct mnl_nlmsg_batch *batch)
{
	struct nlmsghdr *h = next_msg(batch, NFT_MSG_NEWCHAIN, 0);
	struct nftnl_chain *c = nftnl_chain_alloc();

	nftnl_chain_set_str(c, NFTNL_CHAIN_TABLE, TABLE);
	nftnl_chain_set_str(c, NFTNL_CHAIN_NAME, CHAIN);
	nftnl_chain_set_str(c, NFTNL_CHAIN_TYPE, "filter");
	nftnl_chain_set_u32(c, NFTNL_CHAIN_HOOKNUM, NF_INET_PRE_ROUTING);
	nftnl_chain_set_s32(c, NFTNL_CHAIN_PRIO, -300);
	nftnl_chain_nlmsg_build_payload(h, c);
	nftnl_chain_free(c);
	mnl_nlmsg_batch_next(batch);
}

/* The first word of the IPv6 header, its last bits, into the mark. */
static void put_exprs(struct nftnl_rule *r)
{
	static const uint8_t mask[4] = { 0, 0, 0, 15 }, none[4];
	struct nftnl_expr *e = nftnl_expr_alloc("payload");

	nftnl_expr_set_u32(e, NFTNL_EXPR_PAYLOAD_BASE,
			   NFT_PAYLOAD_NETWORK_HEADER);
	nftnl_expr_set_u32(e, NFTNL_EXPR_PAYLOAD_DREG, NFT_REG_1);
	nftnl_expr_set_u32(e, NFTNL_EXPR_PAYLOAD_OFFSET, 0);
	nftnl_expr_set_u32(e, NFTNL_EXPR_PAYLOAD_LEN, 4);
	nftnl_rule_add_expr(r, e);
	e = nftnl_expr_alloc("bitwise");
	nftnl_expr_set_u32(e, NFTNL_EXPR_BITWISE_SREG, NFT_REG_1);
	nftnl_expr_set_u32(e, NFTNL_EXPR_BITWISE_DREG, NFT_REG_1);
	nftnl_expr_set_u32(e, NFTNL_EXPR_BITWISE_LEN, 4);
	nftnl_expr_set(e, NFTNL_EXPR_BITWISE_MASK, mask, 4);
	nftnl_expr_set(e, NFTNL_EXPR_BITWISE_XOR, none, 4);
	nftnl_rule_add_expr(r, e);
	e = nftnl_expr_alloc("meta");
	nftnl_expr_set_u32(e, NFTNL_EXPR_META_KEY, NFT_META_MARK);
	nftnl_expr_set_u32(e, NFTNL_EXPR_META_SREG, NFT_REG_1);
	nftnl_rule_add_expr(r, e);
}

static void put_rule(struct mnl_nlmsg_batch *batch)
{
	struct nlmsghdr *h = next_msg(batch, NFT_MSG_NEWRULE,
				      NLM_F_APPEND | NLM_F_ACK);
	struct nftnl_rule *r = nftnl_rule_alloc();

	nftnl_rule_set_str(r, NFTNL_RULE_TABLE, TABLE);
	nftnl_rule_set_str(r, NFTNL_RULE_CHAIN, CHAIN);
	put_exprs(r);
	nftnl_rule_nlmsg_build_payload(h, r);
	nftnl_rule_free(r);
	mnl_nlmsg_batch_next(batch);
}

/* In the namespace that we are in. */
void mark_by_label(void)
{
	static char buf[8192], answer[8192];
	struct mnl_socket *nl = mnl_socket_open(NETLINK_NETFILTER);
	struct mnl_nlmsg_batch *batch;
	ssize_t n;

	if (!nl || mnl_socket_bind(nl, 0, 0))
		die("netfilter's netlink");
	batch = mnl_nlmsg_batch_start(buf, sizeof(buf));
	nftnl_batch_begin(mnl_nlmsg_batch_current(batch), seq++);
	mnl_nlmsg_batch_next(batch);
	put_table(batch);
	put_chain(batch);
	put_rule(batch);
	nftnl_batch_end(mnl_nlmsg_batch_current(batch), seq++);
	mnl_nlmsg_batch_next(batch);
	if (mnl_socket_sendto(nl, mnl_nlmsg_batch_head(batch),
			      mnl_nlmsg_batch_size(batch)) < 0)
		die("nft batch");
	n = mnl_socket_recvfrom(nl, answer, sizeof(answer));
	if (n < 0 || mnl_cb_run(answer, n, 0, 0, NULL, NULL) < 0)
		die("nft rule");
	mnl_nlmsg_batch_stop(batch);
	mnl_socket_close(nl);
}
