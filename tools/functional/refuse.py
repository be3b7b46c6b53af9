# SPDX-License-Identifier: GPL-2.0-only
"""Routes that the module must refuse, saying which attribute is wrong.

Those that it takes must come out of a dump as they went in.
"""
import errno
import re
import socket
import struct

import encap
import netlink

# Words of a refuse row that are no attributes
FLAGS = ('raw', 'more', 'ipv4')
APPEND = 0x800
DST, OTHER = 'fc00:1::ffff', 'fc00:1::fffe'


def run(phase, rows, report):
    """Offer the routes of the table's refuse rows."""
    numbers = dict(phase.table.addrs, na=socket.if_nametoindex('na'),
                   nb=socket.if_nametoindex('nb'))
    numbers = {k: str(v) for k, v in numbers.items()}
    for row in rows:
        code, text = offer(phase, row, numbers)
        trouble = ''
        if code != getattr(errno, row.error, 0):
            trouble = 'want %s, got %s %r' % (
                row.error, errno.errorcode.get(code, code), text)
        elif row.word != '-' and not re.match(row.word, text):
            trouble = 'the kernel says %r, not %r' % (text, row.word)
        elif not code:
            trouble = text
        report.case(row.name, trouble)


def encaps(phase, dst):
    """[contents of RTA_ENCAP] of the routes to dst."""
    body = struct.pack('=BBBBBBBBL', socket.AF_INET6, 0, 0, 0, 0, 0, 0, 0, 0)
    wanted = socket.inet_pton(socket.AF_INET6, dst)
    fields = (netlink.attrs(answer[12:]) for answer in phase.node.rtnl.request(
        netlink.RTM_GETROUTE, netlink.DUMP, body))
    return [f[netlink.RTA_ENCAP] for f in fields
            if f.get(netlink.RTA_DST) == wanted and netlink.RTA_ENCAP in f]


class Desk:
    """Where routes are asked for."""

    def __init__(self, phase):
        self.phase = phase
        self.oif = socket.if_nametoindex('na')

    def ask(self, kind, flags, dst, data):
        """Send a route message; return (error number, text)."""
        body = netlink.route(dst, self.phase.slot, data, self.oif)
        try:
            self.phase.node.rtnl.request(kind, netlink.ACK | flags, body)
        except netlink.NetlinkError as error:
            return error.errno, error.text
        return 0, ''

    def add(self, dst, data, flags=netlink.EXCL):
        """Add a route."""
        return self.ask(netlink.RTM_NEWROUTE, netlink.CREATE | flags, dst, data)

    def delete(self, dst, data):
        """Delete a route."""
        return self.ask(netlink.RTM_DELROUTE, 0, dst, data)

    def again(self, data):
        """What is wrong with the dump of DST, which has just been added."""
        first = encaps(self.phase, DST)
        if len(first) != 1:
            return 'the dump has %d such routes' % len(first)
        code, _ = self.add(DST, first[0], APPEND)
        if code != errno.EEXIST:
            return 'what the dump has is not the same route: %s' % (
                errno.errorcode.get(code, code))
        code, text = self.add(OTHER, first[0])
        if code:
            return 'what the dump has is refused: %r' % text
        second = encaps(self.phase, OTHER)
        self.delete(OTHER, data)
        if second != first:
            return 'dumped %s, and after that %s' % (
                first[0].hex(), ' '.join(d.hex() for d in second))
        return ''


def offer(phase, row, numbers):
    """Ask for the route of a row; return (error number, text)."""
    words = row.attrs.split()
    dst = '192.0.2.99' if 'ipv4' in words else DST
    data = encap.attributes(' '.join(w for w in words if w not in FLAGS),
                            numbers, phase.builder)
    if 'raw' not in words:
        data = netlink.wrap(phase.slot, data)
    if 'more' in words:
        data += netlink.attr(1, bytes(4))
    desk = Desk(phase)
    code, text = desk.add(dst, data)
    if not code:
        text = desk.again(data)
        desk.delete(dst, data)
    return code, text
