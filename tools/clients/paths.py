# SPDX-License-Identifier: GPL-2.0-only
"""Four ways from h1 to h2 for each behaviour; p is the router under test.

    h1 ---- pe1 ---- p ---- pe2 ---- h2

  plain    pe1 encapsulates, p forwards the packet as it is, pe2 has the
           in-tree SID
  ours     pe1 encapsulates, p has our SID
  in_tree  pe1 encapsulates, p has the in-tree SID
  none     no SRv6 at all

All run on one CPU, so that the work of all nodes counts.  The first three do
the same outside of the SID: each packet is encapsulated once by the stock
headend of pe1, decapsulated once, and forwarded by pe1, p and pe2.  What
differs is who removes the headers: with `plain` not p.

End and End.X remove nothing, so with `plain` p is spared all of their work:
pe2 has the decapsulation of all three ways.  End.B6.Encaps adds headers: with
`plain` pe1 adds both, by two stock headends, and in all three ways pe2 removes
both.
"""
import ipaddress

import net

import ipaddress

import net

WAYS = ('plain', 'ours', 'in_tree', 'none')
# SIDs of pe2 with in-tree behaviours.
LAST = 'fc03::2:1'
TUNNEL = 'fc03::2:2'
# What pe1 sends there it encapsulates again.
TWICE = 'fc03::2:3'

# name, family, behaviour at p, SIDs of pe2 behind it, and what pe2 has with
# `plain`: a behaviour or one of its SIDs.
ROWS = (
    ('end', 6, 'End', [LAST], LAST),
    ('end_x', 6, 'End.X nh6 2001:db8:b::2', [LAST], LAST),
    ('b6_encaps', 6, 'End.B6.Encaps srh segs ' + TUNNEL, [LAST], TWICE),
    ('dx6', 6, 'End.DX6 nh6 2001:db8:b::2', [], 'End.DX6 nh6 2001:db8:2::2'),
    ('dt6', 6, 'End.DT6 table 254', [], 'End.DT6 table 254'),
    ('dt6_vrf', 6, 'End.DT6 vrftable 100', [], 'End.DT6 vrftable 100'),
    ('dx4', 4, 'End.DX4 nh4 10.2.0.2', [], 'End.DX4 nh4 10.2.0.2'),
    ('dt4', 4, 'End.DT4 vrftable 100', [], 'End.DT4 vrftable 100'),
    ('dt46', 6, 'End.DT46 vrftable 100', [], 'End.DT46 vrftable 100'),
)

# p gets a VRF like pe2's; its routes lead to devices that are not its ports.
ROUTES = {
    'p': """
link add vrf100 type vrf table 100
link set vrf100 up
route add 10.2.0.0/24 via 10.11.0.2 dev pe2 table 100
route add 2001:db8:2::/64 via 2001:db8:b::2 dev pe2 table 100
""",
    'pe2': """
route add 10.2.0.0/24 dev h2 table 100
route add 2001:db8:2::/64 dev h2 table 100
""",
    'pe1': 'route add %s encap seg6 mode encap segs %s dev p' % (TWICE,
                                                                 TUNNEL),
}


class Variant:
    """A behaviour of the router under test, with its SIDs and addresses."""

    def __init__(self, number, row):
        self.number = number
        self.name, self.family, self.behaviour, self.after, self.plain = row

    def address(self, way):
        """Return the address of h2 that is reached this way."""
        last = 10 * self.number + WAYS.index(way) + 10
        return str(ipaddress.ip_address(
            '10.2.0.%d' % last if self.family == 4 else
            '2001:db8:2::f:%d' % last))

    def sid(self, way):
        """Return the SID that does the work."""
        if way == 'plain' and ' ' not in self.plain:
            return self.plain
        return 'fc0%d::f:%d%d' % (3 if way == 'plain' else 2, self.number,
                                  WAYS.index(way))

    def add(self):
        """Give p its SIDs, pe2 that of `plain`, h2 addresses, pe1 routes."""
        net.sid('p', 'add', self.sid('ours'), self.behaviour)
        stock('p', self.sid('in_tree'), self.behaviour)
        if self.sid('plain') != self.plain:
            stock('pe2', self.sid('plain'), self.plain)
        for way in WAYS:
            net.ip('h2', 'address add %s dev pe2 %s' % (
                self.address(way), 'nodad' if self.family == 6 else ''))
        for way in ('plain', 'ours', 'in_tree'):
            after = self.after if way != 'plain' else []
            net.ip('pe1', 'route add %s encap seg6 mode encap segs %s dev p' %
                   (self.address(way), ','.join([self.sid(way)] + after)))


VARIANTS = [Variant(number, row) for number, row in enumerate(ROWS)]


def stock(space, address, behaviour):
    """Give a router an in-tree SID."""
    net.ip(space, 'route add %s encap seg6local action %s dev %s' % (
        address, behaviour, net.SID_DEVICE[space]))


def add():
    """Build all ways in the network that is there."""
    net.sysctl('p', 'net/vrf/strict_mode', 1)
    for space, commands in ROUTES.items():
        net.ip(space, commands)
    for address in (LAST, TUNNEL, TWICE):
        stock('pe2', address, 'End.DT6 table 254')
    for variant in VARIANTS:
        variant.add()
