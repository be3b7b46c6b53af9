# SPDX-License-Identifier: GPL-2.0-only
"""Routes that the module must refuse, saying which attribute is wrong."""
import errno
import re
import socket

import netlink

# Words of a refuse row that are no attributes
FLAGS = ('raw', 'more', 'ipv4')


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
        report.case(row.name, trouble)


def offer(phase, row, numbers):
    """Ask for the route of a row; return (error number, text)."""
    words = row.attrs.split()
    dst = '192.0.2.99' if 'ipv4' in words else 'fc00:1::ffff'
    data = netlink.local_attrs(' '.join(w for w in words if w not in FLAGS),
                               numbers)
    if 'raw' not in words:
        data = netlink.wrap(phase.slot, data)
    if 'more' in words:
        data += netlink.attr(1, bytes(4))
    body = netlink.route(dst, phase.slot, data, int(numbers['na']))
    rtnl = phase.node.rtnl
    try:
        rtnl.request(netlink.RTM_NEWROUTE, netlink.ACK | netlink.CREATE |
                     netlink.EXCL, body)
        rtnl.request(netlink.RTM_DELROUTE, netlink.ACK, body)
    except netlink.NetlinkError as error:
        return error.errno, error.text
    return 0, ''
