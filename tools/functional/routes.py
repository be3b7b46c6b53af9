# SPDX-License-Identifier: GPL-2.0-only
"""Routes of other shapes with our encap: nexthop objects and groups, IPv4
routes that would lead to it, many nexthops, replacing and appending."""
import errno
import socket
import struct

import encap
import netlink
import table
from phase import Failure, read_causes
from refuse import APPEND, Desk, encaps

RTM_NEWNEXTHOP, RTM_DELNEXTHOP, RTM_GETNEXTHOP = 104, 105, 106
NHA_ID, NHA_GROUP, NHA_OIF, NHA_GATEWAY = 1, 2, 5, 6
NHA_ENCAP_TYPE, NHA_ENCAP = 7, 8
RTA_GATEWAY, RTA_MULTIPATH, RTA_VIA, RTA_NH_ID = 5, 9, 18, 30
REPLACE, IPV6_ROUTE_GROUP = 0x100, 11
SID, TWIN, DST4 = 'fc00:1::a1', 'fc00:1::a2', '203.0.113.5'
IN = '6(S>%s) SRH[fc00:2::e,%s;1] U'
OUT = 'nb: 6(S>fc00:2::e) SRH[fc00:2::e,%s;0] U'


def u32(number):
    """A number as netlink wants it."""
    return struct.pack('=L', number)


def need(condition, text):
    """Fail the case unless the condition holds."""
    if not condition:
        raise Failure(text)


class Routes:
    """The set-up and what is needed to ask for routes."""

    def __init__(self, phase):
        self.phase = phase
        self.rtnl = phase.node.rtnl
        self.index = {d: socket.if_nametoindex(d) for d in ('na', 'nb')}
        self.desk = Desk(phase)

    def encap(self, words, kind, holder):
        """The two attributes of an encap, for whatever holds them."""
        data = netlink.wrap(self.phase.slot, encap.attributes(
            words, {}, self.phase.builder))
        return (netlink.attr(kind, struct.pack('=H', self.phase.slot)) +
                netlink.attr(holder | netlink.NESTED, data))

    def request(self, kind, flags, body):
        """Send a request; return (error number, text)."""
        try:
            self.rtnl.request(kind, netlink.ACK | flags, body)
        except netlink.NetlinkError as error:
            return error.errno, error.text
        return 0, ''

    def must(self, kind, flags, body):
        """Send a request that has to work."""
        code, text = self.request(kind, flags, body)
        need(not code, '%s %s' % (errno.errorcode.get(code, code), text))

    def nexthop(self, number, gateway=None, words='action=1 count='):
        """Add a nexthop object with an encap."""
        body = struct.pack('=BBBBL', socket.AF_INET6, 0, 0, 0, 0)
        body += netlink.attr(NHA_ID, u32(number))
        body += netlink.attr(NHA_OIF, u32(self.index['na']))
        if gateway:
            body += netlink.attr(NHA_GATEWAY, socket.inet_pton(
                socket.AF_INET6, gateway))
        body += self.encap(words, NHA_ENCAP_TYPE, NHA_ENCAP)
        self.must(RTM_NEWNEXTHOP, netlink.CREATE | netlink.EXCL, body)

    def group(self, number, members):
        """Add a group of nexthop objects."""
        data = b''.join(struct.pack('=LBBH', m, 0, 0, 0) for m in members)
        self.must(RTM_NEWNEXTHOP, netlink.CREATE | netlink.EXCL,
                  struct.pack('=BBBBL', 0, 0, 0, 0, 0) +
                  netlink.attr(NHA_ID, u32(number)) +
                  netlink.attr(NHA_GROUP, data))

    def drop_nexthop(self, number):
        """Delete a nexthop object, and with it the routes that use it."""
        self.must(RTM_DELNEXTHOP, 0, struct.pack('=BBBBL', 0, 0, 0, 0, 0) +
                  netlink.attr(NHA_ID, u32(number)))

    def counters(self, number):
        """(packets, bytes, errors) of a nexthop object's encap."""
        body = struct.pack('=BBBBL', 0, 0, 0, 0, 0) + netlink.attr(
            NHA_ID, u32(number))
        fields = netlink.attrs(self.rtnl.request(
            RTM_GETNEXTHOP, netlink.ACK, body)[0][8:])
        nest = netlink.attrs(netlink.attrs(fields[NHA_ENCAP])[
            netlink.SEG6NR_ENCAP])
        counts = netlink.attrs(nest[netlink.A_COUNTERS])
        return tuple(struct.unpack('=Q', counts[n])[0] for n in (2, 3, 4))

    @staticmethod
    def head(dst):
        """Head and destination of a route message."""
        family = socket.AF_INET6 if ':' in dst else socket.AF_INET
        packed = socket.inet_pton(family, dst)
        return struct.pack('=BBBBBBBBL', family, len(packed) * 8, 0, 0, 254,
                           3, 0, 1, 0) + netlink.attr(netlink.RTA_DST, packed)

    def over(self, dst, number):
        """Ask for a route over a nexthop object; return the error number."""
        return self.request(
            netlink.RTM_NEWROUTE, netlink.CREATE | netlink.EXCL,
            self.head(dst) + netlink.attr(RTA_NH_ID, u32(number)))[0]

    def packet(self, frame, frames, cause=None):
        """Send a frame and hold what comes out against what should."""
        phase = self.phase
        before = read_causes()
        phase.node.send(phase.builder.frame(frame, 's', 'na'))
        outcome = table.Outcome(table.result(frames), [(0, 0, 0)], cause)
        seen = phase.node.collect(phase.builder)
        troubles = (phase.compare_frames(outcome, seen) +
                    phase.compare_causes(outcome, before))
        need(not troubles, '\n'.join(troubles))

    def sid(self, sid):
        """A packet for an End SID goes through it."""
        self.packet(IN % (sid, sid), OUT % sid)

    def never(self, number):
        """No IPv4 packet gets through an IPv4 route over a nexthop."""
        before = self.counters(41)
        code = self.over(DST4, number)
        need(code in (0, errno.EINVAL), errno.errorcode.get(code, code))
        if not code:
            try:
                self.packet('4(X4>%s) U' % DST4, 'drop', 'drop_not_ipv6')
            finally:
                self.must(netlink.RTM_DELROUTE, 0, self.head(DST4))
        need(self.counters(41) == before, 'the SID counts an IPv4 packet')


def object_on_link(routes):
    """A nexthop object without a gateway carries the encap."""
    routes.nexthop(41)
    need(not routes.over(SID, 41), 'the route is refused')
    routes.sid(SID)
    need(routes.counters(41) == (1, 104, 0), routes.counters(41))


def object_shared(routes):
    """Two routes over one object share its state and counters."""
    need(not routes.over(TWIN, 41), 'the route is refused')
    routes.sid(TWIN)
    routes.sid(SID)
    need(routes.counters(41) == (3, 312, 0), routes.counters(41))


def object_ipv4(routes):
    """An IPv4 route over it leads no packet into the behaviour."""
    routes.never(41)


def object_gone(routes):
    """Its routes go with the object."""
    routes.drop_nexthop(41)
    routes.packet(IN % (SID, SID), 'na: ERR6(1/0) ' + IN % (SID, SID))


def object_gateway(routes):
    """A nexthop object with a gateway carries the encap."""
    routes.nexthop(41, '2001:db8:a::1')
    need(not routes.over(SID, 41), 'the route is refused')
    routes.sid(SID)
    need(routes.counters(41) == (1, 104, 0), routes.counters(41))


def object_gateway_ipv4(routes):
    """An IPv4 route over that one neither."""
    routes.never(41)


def group(routes):
    """A group of objects with encaps is as good as one."""
    routes.nexthop(42, '2001:db8:a::1')
    routes.group(43, [41, 42])
    need(not routes.over(TWIN, 43), 'the route is refused')
    routes.sid(TWIN)
    moved = [routes.counters(n)[0] for n in (41, 42)]
    need(sum(moved) == 2, 'packets %s' % moved)


def group_ipv4(routes):
    """An IPv4 route over the group leads nowhere."""
    routes.never(43)
    for number in (43, 42, 41):
        routes.drop_nexthop(number)


def ipv4_via_ipv6(routes):
    """An IPv4 route through an IPv6 gateway is refused."""
    via = struct.pack('=H', socket.AF_INET6) + socket.inet_pton(
        socket.AF_INET6, '2001:db8:a::1')
    code, text = routes.request(
        netlink.RTM_NEWROUTE, netlink.CREATE | netlink.EXCL,
        routes.head(DST4) + netlink.attr(RTA_VIA, via) +
        netlink.attr(netlink.RTA_OIF, u32(routes.index['na'])) +
        routes.encap('action=1', netlink.RTA_ENCAP_TYPE, netlink.RTA_ENCAP))
    need(code == errno.EINVAL and text.startswith('encap:'),
         '%s %s' % (code, text))


def hop(routes, number):
    """One nexthop of a multipath route, with a policy of 40 segments."""
    data = netlink.attr(RTA_GATEWAY, socket.inet_pton(
        socket.AF_INET6, '2001:db8:a::%x' % (0x100 + number)))
    data += routes.encap('action=10 srh=SRH[fc00:2::5*39,fc00:2::%x;39] count='
                         % (0x100 + number), netlink.RTA_ENCAP_TYPE,
                         netlink.RTA_ENCAP)
    return struct.pack('=HBBL', 8 + len(data), 0, 0, routes.index['na']) + data


def hops_of(data):
    """[RTA_ENCAP] of the nexthops in RTA_MULTIPATH."""
    found = []
    while len(data) >= 8:
        size = struct.unpack_from('=H', data)[0]
        found.append(netlink.attrs(data[8:size])[netlink.RTA_ENCAP])
        data = data[(size + 3) & ~3:]
    return found


def eight_hops(routes):
    """Eight nexthops of 40 segments are announced and dumped in full.

    An announcement that does not fit the size that was reckoned for it is a
    warning in the kernel log and an error for those who listen.
    """
    listener = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW,
                             netlink.NETLINK_ROUTE)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
    listener.bind((0, 1 << IPV6_ROUTE_GROUP - 1))
    listener.settimeout(20)
    data = b''.join(hop(routes, n) for n in range(8))
    routes.must(netlink.RTM_NEWROUTE, netlink.CREATE | netlink.EXCL,
                routes.head(SID) + netlink.attr(RTA_MULTIPATH, data))
    told = listener.recv(1 << 17)
    listener.close()
    fields = netlink.attrs(told[16 + 12:])
    need(len(hops_of(fields.get(RTA_MULTIPATH, b''))) == 8,
         'announced %s' % sorted(fields))
    body = struct.pack('=BBBBBBBBL', socket.AF_INET6, 0, 0, 0, 0, 0, 0, 0, 0)
    wanted = socket.inet_pton(socket.AF_INET6, SID)
    dumped = [netlink.attrs(answer[12:]) for answer in routes.rtnl.request(
        netlink.RTM_GETROUTE, netlink.DUMP, body)]
    dumped = [f for f in dumped if f.get(netlink.RTA_DST) == wanted]
    found = hops_of(dumped[0].get(RTA_MULTIPATH, b''))
    need(found == hops_of(fields[RTA_MULTIPATH]), 'announced and dumped differ')
    for number, octets in enumerate(found):
        nest = netlink.attrs(netlink.attrs(octets)[netlink.SEG6NR_ENCAP])
        want = encap.value('SRH[fc00:2::5*39,fc00:2::%x;39]' % (
            0x100 + number), routes.phase.builder)
        need(nest[encap.ATTRS['srh']] == want, 'SRH of nexthop %d' % number)
    routes.must(netlink.RTM_DELROUTE, 0, routes.head(SID))


def plain(routes, words):
    """Contents of RTA_ENCAP."""
    return netlink.wrap(routes.phase.slot, encap.attributes(
        words, {}, routes.phase.builder))


def route_counters(routes):
    """[(packets, bytes, errors)] of the routes to SID."""
    found = []
    for octets in encaps(routes.phase, SID):
        nest = netlink.attrs(netlink.attrs(octets)[netlink.SEG6NR_ENCAP])
        counts = netlink.attrs(nest[netlink.A_COUNTERS])
        found.append(tuple(struct.unpack('=Q', counts[n])[0]
                           for n in (2, 3, 4)))
    return found


def replace(routes):
    """A route that is replaced counts from zero."""
    data = plain(routes, 'action=1 count=')
    need(routes.desk.add(SID, data) == (0, ''), 'the route is refused')
    routes.sid(SID)
    need(route_counters(routes) == [(1, 104, 0)], route_counters(routes))
    routes.desk.add(SID, data, REPLACE)
    need(route_counters(routes) == [(0, 0, 0)], route_counters(routes))
    routes.sid(SID)
    need(route_counters(routes) == [(1, 104, 0)], route_counters(routes))


def replace_action(routes):
    """A route can be replaced by one with another action."""
    routes.desk.add(SID, plain(
        routes, 'action=1 flavors={1=2} count='), REPLACE)
    routes.packet(IN % (SID, SID), 'nb: 6(S>fc00:2::e) U')
    need(route_counters(routes) == [(1, 104, 0)], route_counters(routes))


def add_existing(routes):
    """A route that is there cannot be added, nor appended."""
    data = plain(routes, 'action=1 flavors={1=2} count=')
    for flags in (netlink.EXCL, APPEND):
        code, _ = routes.desk.add(SID, data, flags)
        need(code == errno.EEXIST, errno.errorcode.get(code, code))


# A pair of configurations, which must not be taken for the same
DIFFERENT = [
    ('action=1', 'action=1 count='),
    ('action=1', 'action=1 flavors={1=2}'),
    ('action=1 flavors={1=2}', 'action=1 flavors={1=4}'),
    ('action=1 flavors={1=16}', 'action=1 flavors={1=16;2=48b}'),
    ('action=1 flavors={1=16}', 'action=1 flavors={1=16;3=32b}'),
    ('action=1 replace={}', 'action=1 flavors={1=16}'),
    ('action=1 replace={}', 'action=1 replace={3=32b}'),
    ('action=2 nh6=fc00::1', 'action=2 nh6=fc00::2'),
    ('action=2 nh6=fc00::1', 'action=2 nh6=fc00::1 oif=1'),
    ('action=2 nh6=fc00::1', 'action=5 nh6=fc00::1'),
    ('action=3 table=77', 'action=3 table=78'),
    ('action=3 table=77', 'action=7 table=77'),
    ('action=4 oif=1', 'action=4 oif=2'),
    ('action=6 nh4=10.0.2.1', 'action=6 nh4=10.0.2.2'),
    ('action=10 srh=SRH[fc00::1;0]', 'action=10 srh=SRH[fc00::2;0]'),
    ('action=10 srh=SRH[fc00::1;0]', 'action=10 srh=SRH[fc00::1;0](tag=1)'),
    ('action=10 srh=SRH[fc00::1;0]', 'action=10 srh=SRH[fc00::1,fc00::1;0]'),
    ('action=10 srh=SRH[fc00::1;0]', 'action=9 srh=SRH[fc00::1;0]'),
]


def different(routes):
    """Configurations that differ in one thing are two routes."""
    routes.request(netlink.RTM_DELROUTE, 0, routes.head(SID))
    for one, other in DIFFERENT:
        for words, flags in ((one, netlink.EXCL), (other, APPEND)):
            code, text = routes.desk.add(SID, plain(routes, words), flags)
            need(not code, '%r beside %r: %s %s' % (other, one, code, text))
        need(len(encaps(routes.phase, SID)) == 2, 'not two: %r' % other)
        for words in (one, other):
            need(not routes.desk.delete(SID, plain(routes, words))[0],
                 'cannot be deleted: %r' % words)


# In this order: some go on where the one before left off.
CASES = [object_on_link, object_shared, object_ipv4, object_gone,
         object_gateway, object_gateway_ipv4, group, group_ipv4, ipv4_via_ipv6,
         eight_hops, replace, replace_action, add_existing, different]


def run(phase, chosen, report):
    """Run the cases whose name is chosen."""
    routes = Routes(phase)
    for case in CASES:
        name = 'route_' + case.__name__
        if not chosen(name):
            continue
        try:
            case(routes)
            trouble = ''
        except (Failure, netlink.NetlinkError) as error:
            trouble = str(error)
        report.case(name, trouble)
