# SPDX-License-Identifier: GPL-2.0-only
"""What goes in, how the router is configured, and what must come out."""
import collections
import os
import struct
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), 'functional'))

import decode  # noqa: E402
import frames  # noqa: E402

GENERATOR = '02:00:00:00:01:01'
ROUTER_IN = '02:00:00:00:01:02'
ROUTER_OUT = '02:00:00:00:02:02'
RECEIVER = '02:00:00:00:02:01'

ETHER, IP6, SEGMENTS = 14, 40, 8
KIND6, KIND4 = 0x86dd, 0x0800

NEXT6 = 'via 12:2::1 dev out0'
NEXT4 = 'via 10.2.0.1 dev out0'

# name:     the behaviour
# packet:   what the generator sends, without Ethernet header
# result:   what the receiver must get, without Ethernet header
# sid:      route that has the encap; None for plain forwarding
# words:    the action as ip-route(8) has it
# routes:   what else the router needs, there only while the case runs
Case = collections.namedtuple('Case', 'name packet result sid words routes')


def mac(text):
    """Octets of a MAC address."""
    return bytes.fromhex(text.replace(':', ''))


def ether(dst, src, packet):
    """Ethernet frame around an IP packet."""
    kind = KIND6 if packet[0] >> 4 == 6 else KIND4
    return mac(dst) + mac(src) + struct.pack('!H', kind) + packet


def pcap(name):
    """The packet of a one-frame capture file, without Ethernet header."""
    with open(os.path.join(HERE, 'pcap', name + '-64.pcap'), 'rb') as file:
        data = file.read()
    size, = struct.unpack_from('<L', data, 32)
    if len(data) != 40 + size:
        raise ValueError('%s: not a single whole frame' % name)
    return data[40 + ETHER:]


def ipv4_in_ipv6():
    """The packet for which no capture exists; 82 octets with Ethernet."""
    macs = {'gen': GENERATOR, 'in': ROUTER_IN}
    frame = frames.Builder({}, {}, macs, {}).frame(
        '6(1:2:1::1>f2::) 4(10.1.0.1>10.9.0.2) U(0)', 'gen', 'in')
    if len(frame) != 82:
        raise ValueError('%d octets' % len(frame))
    return frame[ETHER:]


def forwarded(packet):
    """A packet one hop later."""
    packet = bytearray(packet)
    if packet[0] >> 4 == 6:
        packet[7] -= 1
        return bytes(packet)
    size = (packet[0] & 15) * 4
    packet[8] -= 1
    packet[10:12] = bytes(2)
    packet[10:12] = struct.pack('!H', frames.fold(bytes(packet[:size])))
    return bytes(packet)


def advanced(packet):
    """A packet at its next segment."""
    packet = bytearray(packet)
    packet[IP6 + 3] -= 1
    segment = IP6 + SEGMENTS + 16 * packet[IP6 + 3]
    packet[24:40] = packet[segment:segment + 16]
    return bytes(packet)


def inner(packet):
    """What is inside an IPv6 packet, behind its SRH if it has one."""
    size = IP6
    if packet[6] == frames.RH:
        size += (packet[IP6 + 1] + 1) * 8
    return packet[size:]


def end(name, file, words, routes):
    """Row of a behaviour that goes to the next segment."""
    packet = pcap(file)
    return Case(name, packet, forwarded(advanced(packet)), 'f1::', words,
                routes)


def decap(name, packet, words, routes):
    """Row of a behaviour that removes the outer header."""
    return Case(name, packet, forwarded(inner(packet)), 'f2::', words, routes)


def cases():
    """The rows, in the order of the table; End.X and End.DX6 are on-link."""
    plain, four = pcap('plain-ipv6'), ipv4_in_ipv6()
    return [
        Case('plain IPv6', plain, forwarded(plain), None, None,
             ['b::/64 ' + NEXT6]),
        Case('plain IPv4', inner(four), forwarded(inner(four)), None, None,
             ['10.9.0.0/16 ' + NEXT4]),
        end('End', 'srv6-end', 'End', ['f2::/128 ' + NEXT6]),
        end('End.X', 'srv6-end_x', 'End.X nh6 12:2::1', []),
        end('End.T', 'srv6-end_t', 'End.T table 100',
            ['f2::/128 %s table 100' % NEXT6]),
        decap('End.DX6', pcap('srv6-end_dx6'), 'End.DX6 nh6 12:2::1', []),
        decap('End.DT6', pcap('srv6-end_dt6'), 'End.DT6 table 100',
              ['b::/64 %s table 100' % NEXT6]),
        decap('End.DX4', four, 'End.DX4 nh4 0.0.0.0',
              ['10.9.0.0/16 ' + NEXT4]),
        decap('End.DT4', four, 'End.DT4 vrftable 200',
              ['10.9.0.0/16 %s table 200' % NEXT4]),
    ]


def decoded(frame):
    """Lines that say what is in a frame, one a header."""
    return decode.frame(frame).split(' / ')
