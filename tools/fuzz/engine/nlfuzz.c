// SPDX-License-Identifier: GPL-2.0-only
/*
 * nlfuzz.c - the netlink side: sends configurations to both encaps, holds the
 * verdicts against nlrule.c, and what was taken against what was sent
 */
#include <errno.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "nlfuzz.h"

#define SEG6_LOCAL_SLOT	7
#define PROGRESS	10
#define MAX_SHOWN	40

static struct nl nl[INJ_WORLDS];
static uint64_t messages, accepted, unexplained;
static char why[300];

static const uint8_t dst6[16] = { 0xfc, 0, 0, 3, [15] = 1 };
static const uint8_t dst4[4] = { 10, 77, 0, 1 };

static bool wrong(const char *what, long a, long b)
{
	if (!why[0])
		snprintf(why, sizeof(why), "%s (%ld, %ld)", what, a, b);
	return false;
}

static int send_route(int world, int cmd, int flags, bool ipv4,
		      const uint8_t *encap, int len, struct nlmsg *answer)
{
	struct rtmsg rtm = { .rtm_family = ipv4 ? 2 : 10,
			     .rtm_dst_len = ipv4 ? 32 : 128,
			     .rtm_table = RT_TABLE_MAIN,
			     .rtm_protocol = RTPROT_STATIC,
			     .rtm_type = RTN_UNICAST };
	static int oif[INJ_WORLDS];
	uint16_t slot = world == OURS ? nl[OURS].slot : SEG6_LOCAL_SLOT;
	struct nlmsg m;

	/* Both namespaces were built alike, so have their devices. */
	if (!oif[world])
		oif[world] = place_ifindex(INJ_NA);
	if (cmd == RTM_GETROUTE)
		rtm.rtm_flags = RTM_F_FIB_MATCH;
	nl_begin(&m, cmd, flags, &rtm, sizeof(rtm));
	nl_put(&m, RTA_DST, ipv4 ? dst4 : dst6, ipv4 ? 4 : 16);
	if (cmd != RTM_GETROUTE)
		nl_put(&m, RTA_OIF, &oif[world], 4);
	if (encap) {
		nl_put(&m, RTA_ENCAP_TYPE, &slot, sizeof(slot));
		nl_put(&m, RTA_ENCAP | 0x8000, encap, len);
	}
	return nl_talk(&nl[world], &m, answer);
}

/* What goes into RTA_ENCAP for ours. */
static int wrap(const struct message *m, const uint8_t *attrs, int len,
		uint8_t *buf)
{
	int n;

	switch (m->wrap) {
	case WRAP_NONE:
		memcpy(buf, attrs, len);
		return len;
	case WRAP_TYPE:
		return put_attr(buf, 63, attrs, len);
	case WRAP_MORE:
		n = put_attr(buf, SEG6NR_ENCAP | 0x8000, attrs, len);
		return n + put_attr(buf + n, SEG6NR_ENCAP, "", 0);
	default:
		return put_attr(buf, SEG6NR_ENCAP | 0x8000, attrs, len);
	}
}

static bool counters_zero(const uint8_t *nest, int len)
{
	const uint8_t *v;
	int type, size;
	uint64_t n;

	for (type = SEG6NR_CNT_PACKETS; type <= SEG6NR_CNT_ERRORS; type++) {
		v = find_attr(nest, len, type, &size);
		if (!v || size != 8)
			return wrong("counter not dumped", type, 0);
		memcpy(&n, v, 8);
		if (n)
			return wrong("counters do not start at zero", type, n);
	}
	return true;
}

/* One attribute of the dump against the one that was sent. */
static bool same_attr(const struct nattr *a, const uint8_t *dump, int size)
{
	const uint8_t *x, *y;
	int n, k;

	switch (a->type & NLA_TYPE_MASK) {
	case SEG6NR_A_COUNTERS:
		return counters_zero(dump, size);
	case SEG6NR_A_FLAVORS:
		x = find_attr(a->data, a->len, SEG6NR_FLV_OPERATION, &n);
		y = find_attr(dump, size, SEG6NR_FLV_OPERATION, &k);
		if (!x || !y || memcmp(x, y, 4))
			return wrong("flavors not dumped as sent", 0, 0);
		/* fall through */
	case SEG6NR_A_REPLACE_CSID:
		for (n = SEG6NR_FLV_LBLEN; n <= SEG6NR_FLV_NFLEN; n++) {
			x = find_attr(a->data, a->len, n, &k);
			y = find_attr(dump, size, n, &k);
			if (x && (!y || *x != *y))
				return wrong("C-SID lengths differ", n, 0);
		}
		return true;
	}
	if (a->len != size || memcmp(a->data, dump, size))
		return wrong("attribute not dumped as sent", a->type, 0);
	return true;
}

static bool check_dump(const struct message *m, const uint8_t *nest, int len)
{
	int i, size, n = 0, at = 0, last = 0;
	const uint8_t *v;
	struct nlattr nla;

	for (i = 0; i < m->n; i++) {
		v = find_attr(nest, len, m->attr[i].type & NLA_TYPE_MASK,
			      &size);
		if (!v)
			return wrong("attribute not dumped", m->attr[i].type,
				     0);
		if (!same_attr(&m->attr[i], v, size))
			return false;
	}
	for (; at + 4 <= len; at += NLA_ALIGN(nla.nla_len), n++) {
		memcpy(&nla, nest + at, 4);
		if ((nla.nla_type & NLA_TYPE_MASK) <= last)
			return wrong("dump not in ascending order", last,
				     nla.nla_type & NLA_TYPE_MASK);
		last = nla.nla_type & NLA_TYPE_MASK;
	}
	return n == m->n || wrong("dump has other attributes", n, m->n);
}

/* The dump sent back is taken, and as equal: appending it is refused. */
static bool check_again(const uint8_t *encap, int len)
{
	static const uint8_t end[] = { 12, 0, SEG6NR_ENCAP, 0x80,
				       8, 0, SEG6NR_A_ACTION, 0, 1, 0, 0, 0 };
	bool is_end = len == sizeof(end) && !memcmp(encap, end, len);
	int err;

	err = send_route(OURS, RTM_NEWROUTE, NLM_F_CREATE | NLM_F_APPEND, false,
			 encap, len, NULL);
	if (err != -EEXIST)
		return wrong("its own dump is not equal", err, 0);
	err = send_route(OURS, RTM_NEWROUTE, NLM_F_CREATE | NLM_F_EXCL, false,
			 encap, len, NULL);
	if (err != -EEXIST)
		return wrong("added twice", err, 0);
	err = send_route(OURS, RTM_NEWROUTE, NLM_F_CREATE | NLM_F_REPLACE,
			 false, encap, len, NULL);
	if (err)
		return wrong("its own dump is refused", err, 0);
	if (is_end || messages % 8)
		return true;
	err = send_route(OURS, RTM_NEWROUTE, NLM_F_CREATE | NLM_F_APPEND, false,
			 end, sizeof(end), NULL);
	if (err)
		return wrong("another encap is taken for equal", err, 0);
	err = send_route(OURS, RTM_DELROUTE, 0, false, end, sizeof(end), NULL);
	return !err || wrong("appended route cannot be deleted", err, 0);
}

static bool check_taken(const struct message *m)
{
	struct nlmsg answer;
	const uint8_t *encap, *nest;
	int len, size, err;

	err = send_route(OURS, RTM_GETROUTE, 0, false, NULL, 0, &answer);
	if (err)
		return wrong("route cannot be shown", err, 0);
	encap = find_attr(answer.buf + 28, answer.len - 28, RTA_ENCAP, &len);
	if (!encap)
		return wrong("dump without encap", 0, 0);
	nest = find_attr(encap, len, SEG6NR_ENCAP, &size);
	if (!nest)
		return wrong("dump without the private attribute", 0, 0);
	return check_dump(m, nest, size) && check_again(encap, len);
}

/* The same encap on several next hops of one route. */
static int send_multipath(int cmd, int flags, const uint8_t *encap, int len,
			  int hops)
{
	struct rtmsg rtm = { .rtm_family = 10, .rtm_dst_len = 128,
			     .rtm_table = RT_TABLE_MAIN,
			     .rtm_protocol = RTPROT_STATIC,
			     .rtm_type = RTN_UNICAST };
	uint8_t via[16] = { 0x20, 0x01, 0x0d, 0xb8, 0, 0xb };
	struct rtnexthop rtnh = { 0 };
	uint16_t slot = nl[OURS].slot;
	static int oif;
	struct nlmsg m;
	int i, at, nest;

	if (!oif)
		oif = place_ifindex(INJ_NB);
	nl_begin(&m, cmd, flags, &rtm, sizeof(rtm));
	nl_put(&m, RTA_DST, dst6, 16);
	nest = nl_nest(&m, RTA_MULTIPATH);
	for (i = 0; i < hops; i++) {
		at = m.len;
		m.len += sizeof(rtnh);
		via[15] = 0x40 + i;
		nl_put(&m, RTA_GATEWAY, via, 16);
		nl_put(&m, RTA_ENCAP_TYPE, &slot, sizeof(slot));
		nl_put(&m, RTA_ENCAP | 0x8000, encap, len);
		rtnh.rtnh_len = m.len - at;
		rtnh.rtnh_ifindex = oif;
		memcpy(m.buf + at, &rtnh, sizeof(rtnh));
	}
	nl_end(&m, nest);
	return nl_talk(&nl[OURS], &m, NULL);
}

/* The kernel complains by itself if a dump is longer than announced. */
static bool check_multipath(const uint8_t *encap, int len)
{
	int err, hops = 2 + messages % 7;

	if (hops * (len + 48) > 7000)
		return true;
	err = send_multipath(RTM_NEWROUTE, NLM_F_CREATE | NLM_F_EXCL, encap,
			     len, hops);
	if (err)
		return wrong("multipath route refused", err, hops);
	err = send_multipath(RTM_DELROUTE, 0, encap, len, hops);
	if (err)
		return wrong("multipath route cannot be deleted", err, hops);
	err = send_route(OURS, RTM_GETROUTE, 0, false, NULL, 0, NULL);
	return err || wrong("part of a multipath route is left", err, hops);
}

static bool try_ours(const struct message *m, const struct ruling *r,
		     const uint8_t *attrs, int len)
{
	uint8_t buf[8000];
	int err;

	len = wrap(m, attrs, len, buf);
	err = send_route(OURS, RTM_NEWROUTE, NLM_F_CREATE | NLM_F_EXCL,
			 m->ipv4, buf, len, NULL);
	if (err) {
		if (r->ours_ok && !(r->either && err == -EINVAL))
			return wrong("refused", err, 0);
		if (!r->ours_ok && !r->err[-err & 255])
			return wrong("refused with another error", err, 0);
		return nl[OURS].text[0] || wrong("refused without a word", err,
						 0);
	}
	accepted++;
	if (r->ours_ok)
		check_taken(m);
	else
		wrong("accepted", 0, 0);
	err = send_route(OURS, RTM_DELROUTE, 0, m->ipv4, NULL, 0, NULL);
	if (err)
		wrong("cannot be deleted", err, 0);
	if (!why[0] && r->ours_ok && messages % 16 == 0)
		check_multipath(buf, len);
	return !why[0];
}

static bool try_tree(const struct message *m, const struct ruling *r,
		     const uint8_t *attrs, int len)
{
	int err;

	err = send_route(TREE, RTM_NEWROUTE, NLM_F_CREATE | NLM_F_EXCL,
			 m->ipv4, attrs, len, NULL);
	if (!err)
		send_route(TREE, RTM_DELROUTE, 0, m->ipv4, NULL, 0, NULL);
	if (!r->tree_known || !err == r->tree_ok)
		return true;
	return wrong("in-tree rules otherwise than told", err, r->tree_ok);
}

static void show(const struct message *m)
{
	int i, j;

	printf("# unexplained: %s; text \"%s\"\n# message seed %llu wrap %d "
	       "trailing %d%s\n", why, nl[OURS].text,
	       (unsigned long long)m->seed, m->wrap, m->trailing,
	       m->ipv4 ? " IPv4" : "");
	for (i = 0; i < m->n; i++) {
		printf("#   type %d:", m->attr[i].type);
		for (j = 0; j < m->attr[i].len; j++)
			printf(" %02x", m->attr[i].data[j]);
		printf("\n");
	}
}

static bool fails(const struct message *m)
{
	uint8_t attrs[8000];
	struct ruling r;
	int len;

	why[0] = 0;
	rule(m, &r);
	len = attrs_bytes(m, attrs);
	try_ours(m, &r, attrs, len);
	try_tree(m, &r, attrs, len);
	return why[0];
}

/* Leave out attributes that the failure does not need. */
static void shrink_message(struct message *m)
{
	static struct message t;
	int i;

	for (i = m->n - 1; i >= 0; i--) {
		t = *m;
		memmove(&t.attr[i], &t.attr[i + 1],
			(t.n - i - 1) * sizeof(t.attr[0]));
		t.n--;
		if (fails(&t))
			*m = t;
	}
	fails(m);
}

static long percpu_kib(void)
{
	FILE *f = fopen("/proc/meminfo", "r");
	char line[128];
	long kib = 0;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "Percpu: %ld", &kib) == 1)
			break;
	if (f)
		fclose(f);
	return kib;
}

static void open_sockets(void)
{
	int w;

	for (w = 0; w < INJ_WORLDS; w++) {
		world_enter(w);
		if (nl_open(&nl[w], 0)) {
			perror("netlink");
			exit(2);
		}
	}
	nl[OURS].slot = encap_slot();
}

static void save(uint64_t next)
{
	char path[256];
	FILE *f;

	if (!out_dir)
		return;
	snprintf(path, sizeof(path), "%s/netlink-%d", out_dir, shard);
	f = fopen(path, "w");
	if (!f)
		return;
	fprintf(f, "%llu %llu %llu %llu\n", (unsigned long long)next,
		(unsigned long long)messages, (unsigned long long)accepted,
		(unsigned long long)unexplained);
	fclose(f);
}

static uint64_t load(uint64_t next)
{
	unsigned long long v, m, a, u;
	char path[256];
	FILE *f;

	if (!out_dir)
		return next;
	snprintf(path, sizeof(path), "%s/netlink-%d", out_dir, shard);
	f = fopen(path, "r");
	if (!f)
		return next;
	if (fscanf(f, "%llu %llu %llu %llu", &v, &m, &a, &u) == 4 &&
	    v >= next) {
		next = v;
		messages = m;
		accepted = a;
		unexplained = u;
	}
	fclose(f);
	return next;
}

static void progress(uint64_t count)
{
	printf("# shard %d: %llu of %llu messages, %llu unexplained\n", shard,
	       (unsigned long long)messages, (unsigned long long)count,
	       (unsigned long long)unexplained);
}

int run_netlink(uint64_t seed, uint64_t first, uint64_t count)
{
	static struct message m;
	time_t said = time(NULL);
	uint64_t i = load(first);
	long before;

	open_sockets();
	before = percpu_kib();
	for (; i < first + count && !(stop_early && unexplained);
	     i++) {
		struct rng r = { seed * 0x9e6c63d0876a9a47ull + i };

		messages++;
		make_message(&m, rnd(&r));
		if (fails(&m) && ++unexplained <= MAX_SHOWN) {
			shrink_message(&m);
			show(&m);
		}
		if (time(NULL) - said >= PROGRESS) {
			said = time(NULL);
			progress(count);
			save(i + 1);
		}
	}
	progress(count);
	save(i);
	/* What is freed behind a grace period gets the time for it. */
	usleep(500000);
	if (percpu_kib() - before > 1024) {
		printf("# %ld KiB of per-CPU memory more than before\n",
		       percpu_kib() - before);
		unexplained++;
	}
	printf("= messages %llu\n= accepted %llu\n= netlink_unexplained %llu\n",
	       (unsigned long long)messages, (unsigned long long)accepted,
	       (unsigned long long)unexplained);
	return unexplained != 0;
}
