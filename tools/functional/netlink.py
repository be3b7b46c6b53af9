# SPDX-License-Identifier: GPL-2.0-only
"""The little netlink the tests speak: routes, their counters, SEG6 keys."""
import os
import socket
import struct

NETLINK_ROUTE, NETLINK_GENERIC = 0, 16
SOL_NETLINK, NETLINK_CAP_ACK, NETLINK_EXT_ACK = 270, 10, 11
NLMSG_ERROR, NLMSG_DONE = 2, 3
RTM_NEWROUTE, RTM_DELROUTE, RTM_GETROUTE = 24, 25, 26
REQUEST, ACK, EXCL, CREATE, DUMP = 1, 4, 0x200, 0x400, 0x300
ACK_TLVS, CAPPED = 0x200, 0x100
NESTED, TYPE_MASK = 0x8000, 0x3fff

RTA_DST, RTA_OIF, RTA_TABLE, RTA_ENCAP_TYPE, RTA_ENCAP = 1, 4, 15, 21, 22

# Inside RTA_ENCAP: the in-tree encap has the attributes there, ours has them
# one nest deeper.
SEG6_LOCAL_SLOT = 7
SEG6NR_ENCAP = 64
A_COUNTERS = 10
CNT_PACKETS, CNT_BYTES, CNT_ERRORS = 2, 3, 4


def attr(kind, data):
    """One attribute, padded."""
    text = struct.pack('=HH', 4 + len(data), kind) + data
    return text + bytes(-len(text) % 4)


def attrs(data):
    """Dictionary of the attributes in data; of twins the last one wins."""
    found = {}
    while len(data) >= 4:
        size, kind = struct.unpack_from('=HH', data)
        if size < 4:
            break
        found[kind & TYPE_MASK] = data[4:size]
        data = data[(size + 3) & ~3:]
    return found


class NetlinkError(OSError):
    """The kernel's refusal with its text."""

    def __init__(self, code, text):
        super().__init__(code, os.strerror(code))
        self.text = text


class Netlink:
    """A netlink socket of the current network namespace."""

    def __init__(self, family=NETLINK_ROUTE):
        self.sock = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, family)
        self.sock.setsockopt(SOL_NETLINK, NETLINK_EXT_ACK, 1)
        self.sock.setsockopt(SOL_NETLINK, NETLINK_CAP_ACK, 1)
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
        self.sock.bind((0, 0))
        self.seq = 0

    def close(self):
        """Close the socket."""
        self.sock.close()

    def request(self, kind, flags, body):
        """Send a message and return the bodies of the answers."""
        self.seq += 1
        self.sock.send(struct.pack('=LHHLL', 16 + len(body), kind,
                                   flags | REQUEST, self.seq, 0) + body)
        answers = []
        while True:
            data = self.sock.recv(1 << 17)
            while len(data) >= 16:
                size, kind, flags, seq, _ = struct.unpack_from('=LHHLL', data)
                body, data = data[16:size], data[(size + 3) & ~3:]
                if seq != self.seq:
                    continue
                if kind == NLMSG_ERROR:
                    self.verdict(flags, body)
                    return answers
                if kind == NLMSG_DONE:
                    return answers
                answers.append(body)

    @staticmethod
    def verdict(flags, body):
        """Raise what an acknowledgement reports."""
        code, size = struct.unpack_from('=iL', body)
        if not code:
            return
        text = ''
        if flags & ACK_TLVS:
            start = 20 if flags & CAPPED else 4 + size
            text = attrs(body[start:]).get(1, b'').rstrip(b'\0').decode()
        raise NetlinkError(-code, text)


def route(dst, slot, encap, oif, table=254):
    """Body of a route message for a prefix with an encap."""
    dst, _, size = dst.partition('/')
    family = socket.AF_INET6 if ':' in dst else socket.AF_INET
    packed = socket.inet_pton(family, dst)
    head = struct.pack('=BBBBBBBBL', family, int(size or len(packed) * 8), 0, 0,
                       table, 3, 0, 1, 0)
    return (head + attr(RTA_DST, packed) +
            attr(RTA_OIF, struct.pack('=L', oif)) +
            attr(RTA_ENCAP_TYPE, struct.pack('=H', slot)) +
            attr(RTA_ENCAP | NESTED, encap))


def wrap(slot, data):
    """The contents of RTA_ENCAP for a slot."""
    return data if slot == SEG6_LOCAL_SLOT else attr(
        SEG6NR_ENCAP | NESTED, data)


def counters(netlink, *slots):
    """{SID octets: (packets, bytes, errors)} of the routes with encaps."""
    found = {}
    body = struct.pack('=BBBBBBBBL', socket.AF_INET6, 0, 0, 0, 0, 0, 0, 0, 0)
    for answer in netlink.request(RTM_GETROUTE, DUMP, body):
        fields = attrs(answer[12:])
        if RTA_ENCAP_TYPE not in fields or RTA_DST not in fields:
            continue
        slot = struct.unpack('=H', fields[RTA_ENCAP_TYPE])[0]
        if slot not in slots:
            continue
        inner = attrs(fields[RTA_ENCAP])
        if slot != SEG6_LOCAL_SLOT:
            inner = attrs(inner.get(SEG6NR_ENCAP, b''))
        if A_COUNTERS in inner:
            nest = attrs(inner[A_COUNTERS])
            found[fields[RTA_DST]] = tuple(
                struct.unpack('=Q', nest[n])[0]
                for n in (CNT_PACKETS, CNT_BYTES, CNT_ERRORS))
    return found


def set_hmac_key(number, secret):
    """Give the namespace an HMAC key (SHA-256)."""
    netlink = Netlink(NETLINK_GENERIC)
    name = attr(2, b'SEG6\0')
    answer = netlink.request(16, ACK, struct.pack('=BBH', 3, 1, 0) + name)
    family = struct.unpack('=H', attrs(answer[0][4:])[1])[0]
    data = secret.encode()
    body = (attr(3, struct.pack('=L', number)) + attr(4, data) +
            attr(5, struct.pack('=B', len(data))) +
            attr(6, struct.pack('=B', 2)))
    netlink.request(family, ACK, struct.pack('=BBH', 1, 1, 0) + body)
    netlink.close()
