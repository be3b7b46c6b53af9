// SPDX-License-Identifier: GPL-2.0-only
/*
 * bpf.c - End.BPF, by delegation
 *
 * The helpers that such a program calls work on a record of the kernel's own
 * encap which modules cannot reach, so it is that encap that runs the program:
 * a state of it lives inside ours and gets the packets.
 */
#include <linux/bpf.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <net/ipv6.h>
#include <net/lwtunnel.h>
#include <net/netlink.h>

#include "seg6nr.h"

#define NAME_MAX_LEN	256

static int check_members(const struct nlattr *attr, const struct nlattr **tb,
			 struct netlink_ext_ack *extack)
{
	const struct nlattr *pos, *name;
	int rem;

	nla_for_each_nested(pos, attr, rem) {
		int type = nla_type(pos);

		if (!type || type > SEG6NR_BPF_MAX || tb[type])
			return seg6nr_refuse(extack, pos,
					     "endpoint: unknown or repeated member",
					     -EINVAL);
		tb[type] = pos;
	}
	if (rem > 0)
		return seg6nr_refuse(extack, attr, "endpoint: wrong length",
				     -EINVAL);

	name = tb[SEG6NR_BPF_NAME];
	if (!tb[SEG6NR_BPF_PROG] || nla_len(tb[SEG6NR_BPF_PROG]) != sizeof(u32))
		return seg6nr_refuse(extack, attr,
				     "endpoint: program missing", -EINVAL);
	if (!name || !nla_len(name) || nla_len(name) > NAME_MAX_LEN + 1 ||
	    strnlen(nla_data(name), nla_len(name)) == nla_len(name))
		return seg6nr_refuse(extack, attr,
				     "endpoint: name missing or too long",
				     -EINVAL);
	return 0;
}

static int program_id(u32 fd, u32 *id)
{
	struct bpf_prog *prog;

	prog = bpf_prog_get_type(fd, BPF_PROG_TYPE_LWT_SEG6LOCAL);
	if (IS_ERR(prog))
		return PTR_ERR(prog);
	*id = prog->aux->id;
	bpf_prog_put(prog);
	return 0;
}

/* The message that configures the same SID for the kernel's own encap. */
static struct nlattr *translate(const struct nlattr *attr)
{
	const u32 action = SEG6NR_ACT_END_BPF;
	struct nlattr *encap, *pos;
	int len;

	len = nla_total_size(sizeof(action)) + nla_total_size(nla_len(attr));
	encap = kzalloc(nla_total_size(len), GFP_KERNEL);
	if (!encap)
		return NULL;

	encap->nla_type = RTA_ENCAP | NLA_F_NESTED;
	encap->nla_len = nla_attr_size(len);
	pos = nla_data(encap);
	pos->nla_type = SEG6NR_A_ACTION;
	pos->nla_len = nla_attr_size(sizeof(action));
	memcpy(nla_data(pos), &action, sizeof(action));
	pos = nla_data(encap) + nla_total_size(sizeof(action));
	memcpy(pos, attr, attr->nla_len);
	pos->nla_type = SEG6NR_A_BPF | NLA_F_NESTED;
	return encap;
}

static int build_inner(const struct seg6nr_config *config,
		       struct seg6nr_lwt *slwt, const struct nlattr *attr)
{
	struct lwtunnel_state *inner;
	struct nlattr *encap;
	int err;

	encap = translate(attr);
	if (!encap)
		return -ENOMEM;
	/* No extack: it could point into our message, which goes away. */
	err = lwtunnel_build_state(config->net, LWTUNNEL_ENCAP_SEG6_LOCAL,
				   encap, AF_INET6, config->cfg, &inner, NULL);
	kfree(encap);
	if (!err)
		slwt->inner = lwtstate_get(inner);
	return err;
}

/**
 * seg6nr_bpf_parse() - parse SEG6NR_A_BPF
 * @config: of the route
 * @slwt: the state under construction; unchanged on failure
 * @attr: the attribute, its program a file descriptor of the current task
 * @extack: where to say what is wrong
 *
 * Context: process context, may sleep.
 *
 * Return: 0 or an error.
 */
int seg6nr_bpf_parse(const struct seg6nr_config *config,
		     struct seg6nr_lwt *slwt, const struct nlattr *attr,
		     struct netlink_ext_ack *extack)
{
	const struct nlattr *tb[SEG6NR_BPF_MAX + 1] = {};
	int err;

	err = check_members(attr, tb, extack);
	if (err)
		return err;

	err = program_id(nla_get_u32(tb[SEG6NR_BPF_PROG]), &slwt->bpf_id);
	if (err)
		return seg6nr_refuse(extack, attr,
				     "endpoint: not a program of type lwt_seg6local",
				     err);

	slwt->bpf_name = kstrdup(nla_data(tb[SEG6NR_BPF_NAME]),
				 GFP_KERNEL_ACCOUNT);
	if (!slwt->bpf_name)
		return -ENOMEM;

	err = build_inner(config, slwt, attr);
	if (err) {
		kfree(slwt->bpf_name);
		return seg6nr_refuse(extack, attr,
				     "endpoint: the kernel's own seg6local refused it",
				     err);
	}
	return 0;
}

/**
 * seg6nr_bpf_put() - dump SEG6NR_A_BPF
 * @skb: message under construction
 * @slwt: the state
 *
 * Return: 0 or -EMSGSIZE.
 */
int seg6nr_bpf_put(struct sk_buff *skb, const struct seg6nr_lwt *slwt)
{
	struct nlattr *nest;

	nest = nla_nest_start(skb, SEG6NR_A_BPF);
	if (!nest || nla_put_u32(skb, SEG6NR_BPF_PROG, slwt->bpf_id) ||
	    nla_put_string(skb, SEG6NR_BPF_NAME, slwt->bpf_name))
		return -EMSGSIZE;

	nla_nest_end(skb, nest);
	return 0;
}

/**
 * seg6nr_bpf_size() - octets that seg6nr_bpf_put() needs
 * @slwt: the state
 *
 * Return: the size, padding included.
 */
int seg6nr_bpf_size(const struct seg6nr_lwt *slwt)
{
	return nla_total_size(nla_total_size(sizeof(u32)) +
			      nla_total_size(strlen(slwt->bpf_name) + 1));
}

/**
 * seg6nr_bpf_equal() - compare programs, by name as the kernel's own encap does
 * @a: one state
 * @b: the other
 *
 * Return: true if they are equal.
 */
bool seg6nr_bpf_equal(const struct seg6nr_lwt *a, const struct seg6nr_lwt *b)
{
	return !lwtunnel_cmp_encap(a->inner, b->inner);
}

/**
 * seg6nr_bpf_destroy() - free what seg6nr_bpf_parse() made
 * @slwt: the state
 *
 * Context: any, softirq included.
 */
void seg6nr_bpf_destroy(struct seg6nr_lwt *slwt)
{
	lwtstate_put(slwt->inner);
	kfree(slwt->bpf_name);
}

/*
 * What the kernel's own encap would not do: judge the SRH that will be used,
 * before anything is modified, and copy what is shared with a capture.  The
 * program may write to all of the SRH, and its HMAC is looked for at the
 * transport header.
 */
static enum seg6nr_verdict prepare(struct seg6nr_pkt *pkt)
{
	struct sk_buff *skb = pkt->skb;
	const struct ipv6_sr_hdr *srh;
	enum seg6nr_verdict verdict;
	struct seg6nr_srh at;

	verdict = seg6nr_srh_find(pkt, &at, false);
	if (verdict != SEG6NR_FORWARD)
		return verdict;
	verdict = seg6nr_hop_limit(pkt);
	if (verdict != SEG6NR_FORWARD)
		return verdict;

	srh = seg6nr_srh(skb, &at);
	if (ipv6_addr_is_multicast(&srh->segments[srh->segments_left - 1]))
		return SEG6NR_DROP_MULTICAST;
	if (skb_ensure_writable(skb, at.off + at.len))
		return SEG6NR_DROP_NOMEM;

	skb_set_transport_header(skb, at.off);
	return SEG6NR_FORWARD;
}

/**
 * seg6nr_end_bpf() - End.BPF: let the kernel's own encap run the program
 * @pkt: the packet, its IPv6 header at skb->data
 *
 * Context: BH off, RCU read section.  The skb stays the caller's unless the
 * verdict is SEG6NR_CONSUMED.
 *
 * Return: SEG6NR_CONSUMED with what that encap returned, or why not.
 */
enum seg6nr_verdict seg6nr_end_bpf(struct seg6nr_pkt *pkt)
{
	enum seg6nr_verdict verdict;

	verdict = prepare(pkt);
	if (verdict != SEG6NR_FORWARD)
		return verdict;
	verdict = seg6nr_nexthop_delegate(pkt);
	if (verdict != SEG6NR_FORWARD)
		return verdict;

	pkt->rc = lwtunnel_input(pkt->skb);
	pkt->skb = NULL;
	return SEG6NR_CONSUMED;
}
