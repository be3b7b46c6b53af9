// SPDX-License-Identifier: GPL-2.0-only
/*
 * inject.c - gives packets of any shape to the receive path and reports, at
 * once, what left the node and how the counters of SIDs stand
 *
 * A test tool: it trusts its one user, who is root in a lab guest with one CPU.
 */
#include <linux/etherdevice.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/nsproxy.h>
#include <linux/rtnetlink.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <net/ip6_route.h>
#include <net/lwtunnel.h>
#include <net/netlink.h>

#include "world.h"

#define HEADROOM	96
#define MAX_FRAME	(1 << 17)
/* Nests and attributes that hold a SID's counters. */
#define PRIVATE_NEST	64
#define COUNTERS	10
#define CNT_PACKETS	2
#define CNT_BYTES	3
#define CNT_ERRORS	4

static struct lwtunnel_state *sids[INJ_WORLDS][INJ_SIDS];
static unsigned int sid_count[INJ_WORLDS];
static DEFINE_MUTEX(lock);

/* Kept: mapping as much anew for each batch would cost more than the batch. */
static u8 *in_buf, *out_buf;
static struct sk_buff *scratch;

/* Octets from @data on into pages of @size octets each. */
static int add_frags(struct sk_buff *skb, const u8 *data, unsigned int len,
		     unsigned int size)
{
	while (len) {
		int i = skb_shinfo(skb)->nr_frags;
		unsigned int n = min3(len, size, (unsigned int)PAGE_SIZE);
		struct page *page;

		/* What is left has to fit the last ones. */
		if (i >= MAX_SKB_FRAGS)
			return -E2BIG;
		if (len > n * (MAX_SKB_FRAGS - i))
			n = min_t(unsigned int, len, PAGE_SIZE);
		page = alloc_page(GFP_KERNEL);
		if (!page)
			return -ENOMEM;
		memcpy(page_address(page), data, n);
		skb_add_rx_frag(skb, i, page, 0, n, PAGE_SIZE);
		data += n;
		len -= n;
	}
	return 0;
}

static void set_gso(struct sk_buff *skb, const struct inj_req *req)
{
	struct skb_shared_info *info = skb_shinfo(skb);
	struct tcphdr *tcp = (void *)(skb->data + req->l4);

	info->gso_size = req->gso_size;
	info->gso_segs = DIV_ROUND_UP(skb->len - req->l4 - tcp->doff * 4,
				      req->gso_size);
	info->gso_type = req->flags & INJ_GSO4 ? SKB_GSO_TCPV4 : SKB_GSO_TCPV6;
	skb->ip_summed = CHECKSUM_PARTIAL;
	skb->csum_start = skb->data + req->l4 - skb->head;
	skb->csum_offset = offsetof(struct tcphdr, check);
	if (!(req->flags & INJ_TUNNEL))
		return;
	info->gso_type |= SKB_GSO_IPXIP6;
	skb->encapsulation = 1;
	skb_set_inner_protocol(skb, req->flags & INJ_GSO4 ? htons(ETH_P_IP) :
							    htons(ETH_P_IPV6));
	skb_set_inner_network_header(skb, req->l3);
	skb_set_inner_transport_header(skb, req->l4);
}

static struct sk_buff *make_skb(const struct inj_req *req, const u8 *frame)
{
	unsigned int head = min_t(unsigned int, req->len,
				  ETH_HLEN + req->linear);
	struct sk_buff *skb;

	skb = alloc_skb(HEADROOM + head + 16, GFP_KERNEL);
	if (!skb)
		return NULL;
	skb_reserve(skb, HEADROOM);
	skb_put_data(skb, frame, head);
	if (add_frags(skb, frame + head, req->len - head,
		      req->frag ? req->frag : PAGE_SIZE)) {
		kfree_skb(skb);
		return NULL;
	}
	skb->dev = world_dev(req->world, req->dev);
	skb->protocol = eth_type_trans(skb, skb->dev);
	skb_reset_network_header(skb);
	if (req->gso_size) {
		set_gso(skb, req);
	} else if (req->flags & INJ_COMPLETE) {
		skb->ip_summed = CHECKSUM_COMPLETE;
		skb->csum = skb_checksum(skb, 0, skb->len, 0);
	}
	/* As a NIC gives it; decapsulation has to forget it. */
	__skb_set_sw_hash(skb, 0x5eed, false);
	return skb;
}

static bool is_spoiled(const struct sk_buff *clone, const u8 *frame, u32 len)
{
	static u8 now[MAX_FRAME];

	if (clone->len != len - ETH_HLEN ||
	    skb_copy_bits(clone, 0, now, clone->len))
		return true;
	return memcmp(now, frame + ETH_HLEN, clone->len);
}

/* Add to @to the counters of a SID as its routes' dumps have them. */
static void add_counters(struct lwtunnel_state *state, struct inj_count *to)
{
	const struct nlattr *nla, *pos;
	int rem;

	skb_trim(scratch, 0);
	if (lwtunnel_fill_encap(scratch, state, RTA_ENCAP, RTA_ENCAP_TYPE))
		return;
	nla = nla_find((void *)scratch->data, scratch->len, RTA_ENCAP);
	if (!nla)
		return;
	pos = nla_find_nested(nla, PRIVATE_NEST);
	if (pos)
		nla = pos;
	nla = nla_find_nested(nla, COUNTERS);
	if (!nla)
		return;
	nla_for_each_nested(pos, nla, rem) {
		if (nla_type(pos) == CNT_PACKETS)
			to->packets += nla_get_u64(pos);
		else if (nla_type(pos) == CNT_BYTES)
			to->bytes += nla_get_u64(pos);
		else if (nla_type(pos) == CNT_ERRORS)
			to->errors += nla_get_u64(pos);
	}
}

/* Returns only when nothing of the packet is under way any more. */
static void receive(struct sk_buff *skb, struct capture *c)
{
	local_bh_disable();
	capturing = c;
	netif_receive_skb(skb);
	local_bh_enable();
	capturing = NULL;
}

/* Called before and after, it leaves the difference in @res. */
static void count(const struct inj_req *req, struct inj_res *res)
{
	int i;

	for (i = 0; i < req->sids && i < INJ_REQ_SIDS; i++) {
		struct inj_count *c = &res->count[i];

		c->packets = -c->packets;
		c->bytes = -c->bytes;
		c->errors = -c->errors;
		if (req->sid[i] < sid_count[req->world])
			add_counters(sids[req->world][req->sid[i]], c);
	}
}

static int run_one(const struct inj_req *req, const u8 *frame, u8 *out,
		   size_t room)
{
	struct inj_res *res = (struct inj_res *)out;
	struct capture c = { .buf = out + INJ_ALIGN(sizeof(*res)) };
	struct sk_buff *skb, *clone = NULL;

	c.size = room - INJ_ALIGN(sizeof(*res));
	c.world = req->world;
	memset(res, 0, sizeof(*res));
	skb = make_skb(req, frame);
	if (!skb)
		return -ENOMEM;
	if (req->flags & INJ_CLONE)
		clone = skb_clone(skb, GFP_KERNEL);
	count(req, res);
	receive(skb, &c);
	count(req, res);
	if (clone && is_spoiled(clone, frame, req->len))
		c.flags |= INJ_SPOILED;
	kfree_skb(clone);
	if (c.flags & INJ_SOLICITED)
		world_forget();

	res->flags = c.flags;
	res->frames = c.frames;
	res->size = INJ_ALIGN(sizeof(*res)) + c.used;
	return 0;
}

/* What one packet may leave behind: room is kept for that much. */
#define MAX_RESULT	(3 * MAX_FRAME)

static int run_all(struct inj_batch *batch)
{
	const struct inj_res *res;
	size_t at = 0;
	int err;

	while (at + sizeof(struct inj_req) <= batch->in_len &&
	       batch->used + MAX_RESULT <= batch->out_len) {
		const struct inj_req *req = (void *)(in_buf + at);
		const u8 *frame = in_buf + at + INJ_ALIGN(sizeof(*req));

		if (req->len < ETH_HLEN || req->len > MAX_FRAME ||
		    at + INJ_ALIGN(sizeof(*req)) + req->len > batch->in_len ||
		    !world_dev(req->world, req->dev))
			return -EINVAL;
		err = run_one(req, frame, out_buf + batch->used,
			      batch->out_len - batch->used);
		if (err)
			return err;
		res = (struct inj_res *)(out_buf + batch->used);
		batch->used += res->size;
		batch->done++;
		at += INJ_ALIGN(sizeof(*req)) + INJ_ALIGN(req->len);
		cond_resched();
	}
	return 0;
}

static int do_batch(struct inj_batch __user *arg)
{
	struct inj_batch batch;
	int err;

	if (copy_from_user(&batch, arg, sizeof(batch)))
		return -EFAULT;
	if (batch.in_len > INJ_BUFFER || batch.out_len > INJ_BUFFER)
		return -EINVAL;
	batch.done = 0;
	batch.used = 0;
	if (copy_from_user(in_buf, u64_to_user_ptr(batch.in), batch.in_len))
		return -EFAULT;
	err = run_all(&batch);
	if (!err && (copy_to_user(u64_to_user_ptr(batch.out), out_buf,
				  batch.used) ||
		     copy_to_user(arg, &batch, sizeof(batch))))
		err = -EFAULT;
	return err;
}

static int do_bind(struct inj_bind __user *arg)
{
	struct inj_bind bind;
	struct flowi6 fl6 = {};
	struct dst_entry *dst;
	int index;

	if (copy_from_user(&bind, arg, sizeof(bind)))
		return -EFAULT;
	if (!world_dev(bind.world, 0) || sid_count[bind.world] == INJ_SIDS)
		return -EINVAL;
	memcpy(&fl6.daddr, bind.addr, sizeof(fl6.daddr));
	dst = ip6_route_lookup(dev_net(world_dev(bind.world, 0)), &fl6, NULL,
			       0);
	if (!dst->lwtstate) {
		dst_release(dst);
		return -ENOENT;
	}
	index = sid_count[bind.world]++;
	sids[bind.world][index] = lwtstate_get(dst->lwtstate);
	dst_release(dst);
	return index;
}

static int do_unbind(void)
{
	int w;

	for (w = 0; w < INJ_WORLDS; w++)
		while (sid_count[w])
			lwtstate_put(sids[w][--sid_count[w]]);
	return 0;
}

static long handle_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	long ret;

	/* Several may send at a time. */
	if (cmd == INJ_SEND)
		return ports_send((void __user *)arg);
	mutex_lock(&lock);
	switch (cmd) {
	case INJ_WORLD:
		ret = world_add(current->nsproxy->net_ns);
		break;
	case INJ_BIND:
		ret = do_bind((void __user *)arg);
		break;
	case INJ_UNBIND:
		ret = do_unbind();
		break;
	case INJ_BATCH:
		ret = do_batch((void __user *)arg);
		break;
	default:
		ret = -ENOTTY;
	}
	mutex_unlock(&lock);
	return ret;
}

static int handle_release(struct inode *inode, struct file *file)
{
	mutex_lock(&lock);
	do_unbind();
	worlds_remove();
	mutex_unlock(&lock);
	return 0;
}

static const struct file_operations dev_fops = {
	.owner		= THIS_MODULE,
	.unlocked_ioctl	= handle_ioctl,
	.release	= handle_release,
};

static struct miscdevice dev_misc = {
	.minor	= MISC_DYNAMIC_MINOR,
	.name	= "seg6nr_inject",
	.fops	= &dev_fops,
};

static void free_buffers(void)
{
	kfree_skb(scratch);
	vfree(out_buf);
	vfree(in_buf);
}

static int __init inject_init(void)
{
	int err = -ENOMEM;

	in_buf = vmalloc(INJ_BUFFER);
	out_buf = vmalloc(INJ_BUFFER);
	scratch = alloc_skb(4096, GFP_KERNEL);
	if (!in_buf || !out_buf || !scratch)
		goto free;
	err = probe_init();
	if (err)
		goto free;
	err = ports_init();
	if (err)
		goto no_probe;
	err = misc_register(&dev_misc);
	if (!err)
		return 0;
	ports_exit();
no_probe:
	probe_exit();
free:
	free_buffers();
	return err;
}
module_init(inject_init);

static void __exit inject_exit(void)
{
	misc_deregister(&dev_misc);
	ports_exit();
	probe_exit();
	free_buffers();
}
module_exit(inject_exit);

MODULE_DESCRIPTION("packet injector for the fuzzer of seg6local_noref");
MODULE_LICENSE("GPL");
