// SPDX-License-Identifier: GPL-2.0-only
/* nl.c - as much netlink as the fuzzer speaks */
#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/seg6_genl.h>
#include <linux/seg6_hmac.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fuzz.h"

int nl_open(struct nl *nl, int protocol)
{
	struct sockaddr_nl addr = { .nl_family = AF_NETLINK };
	int one = 1, size = 1 << 20;

	nl->fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol);
	if (nl->fd < 0)
		return -errno;
	setsockopt(nl->fd, SOL_NETLINK, NETLINK_EXT_ACK, &one, sizeof(one));
	setsockopt(nl->fd, SOL_NETLINK, NETLINK_CAP_ACK, &one, sizeof(one));
	setsockopt(nl->fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	if (bind(nl->fd, (struct sockaddr *)&addr, sizeof(addr)))
		return -errno;
	nl->seq = 1;
	return 0;
}

int put_attr(uint8_t *buf, int type, const void *data, int len)
{
	struct nlattr nla = { .nla_len = 4 + len, .nla_type = type };

	memcpy(buf, &nla, 4);
	memcpy(buf + 4, data, len);
	memset(buf + 4 + len, 0, -len & 3);
	return (4 + len + 3) & ~3;
}

void nl_begin(struct nlmsg *m, int type, int flags, const void *body, int len)
{
	struct nlmsghdr h = { .nlmsg_type = type,
			      .nlmsg_flags = flags | NLM_F_REQUEST };

	memcpy(m->buf, &h, sizeof(h));
	memcpy(m->buf + sizeof(h), body, len);
	m->len = sizeof(h) + NLMSG_ALIGN(len);
}

int nl_put(struct nlmsg *m, int type, const void *data, int len)
{
	m->len += put_attr(m->buf + m->len, type, data, len);
	return m->len;
}

int nl_nest(struct nlmsg *m, int type)
{
	int at = m->len;

	nl_put(m, type, "", 0);
	return at;
}

void nl_end(struct nlmsg *m, int at)
{
	uint16_t len = m->len - at;

	memcpy(m->buf + at, &len, sizeof(len));
}

const uint8_t *find_attr(const uint8_t *data, int len, int type, int *size)
{
	struct nlattr nla;

	while (len >= 4) {
		memcpy(&nla, data, 4);
		if (nla.nla_len < 4 || nla.nla_len > len)
			break;
		if ((nla.nla_type & NLA_TYPE_MASK) == type) {
			*size = nla.nla_len - 4;
			return data + 4;
		}
		data += NLA_ALIGN(nla.nla_len);
		len -= NLA_ALIGN(nla.nla_len);
	}
	return NULL;
}

static int verdict(struct nl *nl, const struct nlmsghdr *h)
{
	struct nlmsgerr err;
	const uint8_t *text;
	int size, skip = sizeof(*h) + sizeof(err);

	memcpy(&err, h + 1, sizeof(err));
	nl->text[0] = 0;
	if (!(h->nlmsg_flags & NLM_F_ACK_TLVS))
		return err.error;
	if (!(h->nlmsg_flags & NLM_F_CAPPED))
		skip += err.msg.nlmsg_len - sizeof(err.msg);
	text = find_attr((const uint8_t *)h + skip, h->nlmsg_len - skip,
			 NLMSGERR_ATTR_MSG, &size);
	if (text)
		snprintf(nl->text, sizeof(nl->text), "%.*s", size,
			 (const char *)text);
	return err.error;
}

/* Sends, waits; @answer gets the first message that is not the verdict. */
int nl_talk(struct nl *nl, struct nlmsg *m, struct nlmsg *answer)
{
	static uint8_t buf[1 << 16] __attribute__((aligned(8)));
	struct nlmsghdr *h = (struct nlmsghdr *)m->buf;
	ssize_t n;

	h->nlmsg_len = m->len;
	h->nlmsg_seq = ++nl->seq;
	h->nlmsg_flags |= NLM_F_ACK;
	if (answer)
		answer->len = 0;
	if (send(nl->fd, m->buf, m->len, 0) < 0)
		return -errno;
	while ((n = recv(nl->fd, buf, sizeof(buf), 0)) > 0) {
		for (h = (struct nlmsghdr *)buf; NLMSG_OK(h, n);
		     h = NLMSG_NEXT(h, n)) {
			if (h->nlmsg_seq != nl->seq)
				continue;
			if (h->nlmsg_type == NLMSG_ERROR)
				return verdict(nl, h);
			if (answer && h->nlmsg_len <= sizeof(answer->buf)) {
				memcpy(answer->buf, h, h->nlmsg_len);
				answer->len = h->nlmsg_len;
			}
		}
	}
	return -errno;
}

static int genl_family(struct nl *nl)
{
	struct genlmsghdr g = { .cmd = CTRL_CMD_GETFAMILY, .version = 1 };
	struct nlmsg m, answer;
	const uint8_t *id;
	int err, size;
	uint16_t v;

	nl_begin(&m, GENL_ID_CTRL, 0, &g, sizeof(g));
	nl_put(&m, CTRL_ATTR_FAMILY_NAME, SEG6_GENL_NAME,
	       sizeof(SEG6_GENL_NAME));
	err = nl_talk(nl, &m, &answer);
	if (err)
		return err;
	id = find_attr(answer.buf + 20, answer.len - 20, CTRL_ATTR_FAMILY_ID,
		       &size);
	if (!id)
		return -ENOENT;
	memcpy(&v, id, sizeof(v));
	return v;
}

/* Give the namespace a key for HMAC-SHA-256. */
int nl_hmac_key(uint32_t id, const char *secret)
{
	struct genlmsghdr g = { .cmd = SEG6_CMD_SETHMAC, .version = 1 };
	uint8_t len = strlen(secret), alg = SEG6_HMAC_ALGO_SHA256;
	struct nlmsg m;
	struct nl nl;
	int ret;

	ret = nl_open(&nl, NETLINK_GENERIC);
	if (ret)
		return ret;
	ret = genl_family(&nl);
	if (ret > 0) {
		nl_begin(&m, ret, 0, &g, sizeof(g));
		nl_put(&m, SEG6_ATTR_HMACKEYID, &id, sizeof(id));
		nl_put(&m, SEG6_ATTR_SECRET, secret, len);
		nl_put(&m, SEG6_ATTR_SECRETLEN, &len, 1);
		nl_put(&m, SEG6_ATTR_ALGID, &alg, 1);
		ret = nl_talk(&nl, &m, NULL);
	}
	close(nl.fd);
	return ret;
}
