# SPDX-License-Identifier: GPL-2.0-only
"""What is measured: frames, behaviours, and the router's configuration."""
import collections
import os
import socket
import struct
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
for folder in ('functional', 'demo'):
    sys.path.append(os.path.join(os.path.dirname(HERE), folder))

import cases  # noqa: E402
import frames  # noqa: E402

NEXT6, NEXT4 = 'via 12:2::1 dev out0', 'via 10.2.0.1 dev out0'
DST, SEGMENT = slice(38, 54), 62

# The SIDs of a behaviour differ in their last bits only, and all eight
# addresses have a route, so that a lookup is as long for each of them.
PREFIX = 'f1::%x'
PLAIN = 4
VARIANTS = ('in-tree', 'noref', 'layer1', 'full')
LEAVES = 8

# name:   the behaviour
# frame:  which of FRAMES it is given
# words:  the action as ip-route(8) has it
# vrf:    it needs a VRF, and cannot be measured without
Row = collections.namedtuple('Row', 'name frame words vrf')

ROWS = [
    Row('End', 'end-94', 'End', False),
    Row('End.X-onlink', 'end-94', 'End.X nh6 12:2::1', False),
    Row('End.X-gateway', 'end-94', 'End.X nh6 f3::1', False),
    Row('End.T', 'end-94', 'End.T table 100', False),
    Row('End.DX6-onlink', 'dx6-srperf', 'End.DX6 nh6 12:2::1', False),
    Row('End.DT6', 'dx6-srperf', 'End.DT6 table 100', False),
    Row('End.DX4', 'ip4in6-82', 'End.DX4 nh4 0.0.0.0', False),
    Row('End.DT4', 'ip4in6-82', 'End.DT4 vrftable 200', True),
]

# What the benchmark's own frames add to those above.
MORE = [
    Row('End', 'end-srperf', 'End', False),
    Row('End.X-onlink', 'end-srperf', 'End.X nh6 12:2::1', False),
    Row('End.T', 'end-srperf', 'End.T table 100', False),
]

ROUTES = ['f2::/128 ' + NEXT6, 'f3::/64 ' + NEXT6, 'b::/64 ' + NEXT6,
          'f2::/128 %s table 100' % NEXT6, 'b::/64 %s table 100' % NEXT6,
          '10.9.0.0/16 ' + NEXT4]
VRF_ROUTES = ['10.9.0.0/16 %s table 200' % NEXT4]


def segments(*names):
    """An SRH; the path is written from its end, all of it is left."""
    data = b''.join(socket.inet_pton(socket.AF_INET6, n) for n in names)
    return struct.pack('!BBBBBBH', frames.NONE, len(data) // 8, 4,
                       len(names) - 1, len(names) - 1, 0, 0) + data


def bare(*names):
    """A packet to the last of the segments, with nothing behind its SRH."""
    srh = segments(*names)
    return (struct.pack('!LHBB', 6 << 28, len(srh), frames.RH, 64) +
            socket.inet_pton(socket.AF_INET6, '1:2:1::1') +
            socket.inet_pton(socket.AF_INET6, names[-1]) + srh)


def packets():
    """{name: packet without Ethernet header}."""
    four = cases.ipv4_in_ipv6()
    found = {'end-94': bare('f2::', 'f1::'), 'end-srperf': cases.pcap(
        'srv6-end'), 'dx6-srperf': cases.pcap('srv6-end_dx6'),
        'ip4in6-82': four, 'ip4-42': cases.inner(four)}
    if len(found['end-94']) != 80:
        raise ValueError('%d octets' % len(found['end-94']))
    return found


def ethernet(packet):
    """The frame of a packet to the router."""
    return cases.ether(cases.ROUTER_IN, cases.GENERATOR, packet)


def frame(name, leaf):
    """Ethernet frame to one of the eight addresses."""
    data = bytearray(ethernet(packets()[name]))
    if data[12:14] == b'\x86\xdd':
        address = socket.inet_pton(socket.AF_INET6, PREFIX % leaf)
        data[DST] = address
        if data[20] == frames.RH:
            # The segment in force is the packet's destination.
            place = SEGMENT + 16 * data[57]
            data[place:place + 16] = address
    return bytes(data)
