# SPDX-License-Identifier: GPL-2.0-only
"""Errors reach the party that can act on them; Router Alert."""
import os
import re
import select
import socket
import struct
import time

import bulk
import net
from report import need

ICMPV6, UDP, ROUTING, HOP_OPTIONS, IPV6 = 58, 17, 43, 0, 41
IPV6_ROUTER_ALERT, IPV6_ROUTER_ALERT_ISOLATE, SOL_IPV6 = 22, 30, 41
H1, H2 = '2001:db8:1::2', '2001:db8:2::2'
# An options header with Router Alert, followed by padding
ALERT = bytes((ROUTING, 0, 5, 2, 0, 0, 1, 0))
SMALL = 1300
PORTS = (40000, 7000)
TOTAL = 1 << 20


def ping(address):
    """Ping through SIDs with small and big packets."""
    for size in ('56', '1400'):
        text = net.inside('h1', 'ping', '-c', '5', '-i', '0.1', '-W', '3',
                          '-s', size, address)
        need(' 0% packet loss' in text, text)


def trace(address, expected):
    """tracepath names the routers; expected is what must be in its output."""
    text = net.inside('h1', 'tracepath', '-n', '-m', '8', address)
    for what in expected:
        need(re.search(r'^ *\d+\??: +%s ' % re.escape(what), text, re.M),
             '%s is not named: %s' % (what, text))
    need(re.search(r'^ *\d+: +%s .*reached' % re.escape(address), text, re.M),
         'not reached: ' + text)
    return text


class Raw:
    """h1 sends IPv6 packets as they are and collects ICMPv6 errors."""

    def __init__(self):
        with net.within('h1'):
            self.out = socket.socket(socket.AF_INET6, socket.SOCK_RAW,
                                     socket.IPPROTO_RAW)
        self.errors = net.tap('h1', 'pe1', 0x86dd)

    def send(self, packet):
        """Send a packet."""
        target = socket.inet_ntop(socket.AF_INET6, packet[24:40])
        self.out.sendto(packet, (target, 0))

    def error(self, timeout=5):
        """Return (type, code, word, quoted, from) of the next error."""
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            select.select([self.errors], [], [], 0.1)
            for frame, outgoing in net.frames(self.errors):
                if not outgoing and frame[20] == ICMPV6 and frame[54] < 128:
                    return (frame[54], frame[55],
                            struct.unpack_from('!I', frame, 58)[0],
                            frame[62:], socket.inet_ntop(socket.AF_INET6,
                                                         frame[22:38]))
        return None

    def close(self):
        """Drop the sockets."""
        self.out.close()
        self.errors.close()


def probe(sid, hop_limit, size=40, before=b''):
    """Return a UDP packet from h1 to h2 by way of one SID."""
    body = net.srh(UDP, 1, H2, sid) + net.udp6(H1, H2, PORTS, bytes(size))
    following = HOP_OPTIONS if before else ROUTING
    return net.ipv6(H1, sid, following, before + body, hop_limit)


def expired(sid):
    """The hop limit ends at a SID: the sender gets what it has sent."""
    raw = Raw()
    packet = probe(sid, 2)
    raw.send(packet)
    error = raw.error()
    raw.close()
    need(error, 'no error came')
    kind, code, _, quoted, source = error
    need((kind, code) == (3, 0), 'type %d code %d' % (kind, code))
    need(source == '2001:db8:a::2', 'it is from ' + source)
    # pe1 has spent one hop, and quoting ends with the packet.
    sent = packet[:7] + b'\x01' + packet[8:]
    need(quoted == sent, 'quoted %s, sent %s' % (quoted.hex(), sent.hex()))


def set_mtu(value):
    """Give the cable from p to pe2 an MTU."""
    net.ip('p', 'link set pe2 mtu %d' % value)
    net.ip('pe2', 'link set p mtu %d' % value)


def too_big(sid, overhead):
    """The next cable is too small: the sender is told what fits."""
    raw = Raw()
    try:
        set_mtu(SMALL + 100)
        packet = probe(sid, 64, 1480 - 88)
        raw.send(packet)
        error = raw.error()
    finally:
        raw.close()
        set_mtu(net.CORE_MTU)
        net.ip('h1', 'route flush cache')
    need(error, 'no error came')
    kind, code, word, quoted, source = error
    need((kind, code) == (2, 0), 'type %d code %d' % (kind, code))
    need(word == SMALL + 100 - overhead, 'the MTU told is %d' % word)
    need(quoted[8:24] == packet[8:24], 'the packet quoted is not ours')
    need(source.startswith('2001:db8:'), 'it is from ' + source)


def recovers(address, space, device, small=SMALL):
    """A cable shrinks under a TCP connection, which carries on."""
    peer = device
    connection = bulk.Connection(address)
    connection.limit(15)
    try:
        connection.send_checked(TOTAL)
        net.ip(space, 'link set %s mtu %d' % (device, small))
        net.ip(peer, 'link set %s mtu %d' % (space, small))
        before = time.monotonic()
        connection.send_checked(TOTAL)
        took = time.monotonic() - before
    finally:
        connection.close()
        mtu = net.CORE_MTU if peer in net.SID_DEVICE else 1500
        net.ip(space, 'link set %s mtu %d' % (device, mtu))
        net.ip(peer, 'link set %s mtu %d' % (space, mtu))
        for host in ('h1', 'pe1'):
            net.ip(host, 'route flush cache')
            net.call('ip', '-n', host, '-6', 'route', 'flush', 'cache')
    need(took < 20, 'took %.1f s' % took)


class Listener:
    """A program on a router that wants packets with Router Alert."""

    def __init__(self, space):
        with net.within(space):
            self.sock = socket.socket(socket.AF_INET6, socket.SOCK_RAW,
                                      socket.IPPROTO_RAW)
        # Else it would hear what other namespaces forward.
        self.sock.setsockopt(SOL_IPV6, IPV6_ROUTER_ALERT_ISOLATE, 1)
        self.sock.setsockopt(SOL_IPV6, IPV6_ROUTER_ALERT, 0)
        self.sock.settimeout(0.5)

    def got(self):
        """Return what it got, or b''."""
        try:
            return self.sock.recv(65536)
        except socket.timeout:
            return b''


def alert(packet, listener, expect_listener):
    """Send a packet with Router Alert to a SID; who gets it?"""
    ear = Listener(listener) if listener else None
    sink = net.tap('h2', 'pe2', 0x86dd)
    raw = Raw()
    raw.send(packet)
    marker = packet[-16:]
    arrived, end = False, time.monotonic() + 2
    heard = ear.got() if ear else b''
    while not arrived and time.monotonic() < end:
        select.select([sink], [], [], 0.1)
        arrived = any(frame.endswith(marker)
                      for frame, _ in net.frames(sink))
        if expect_listener:
            break
    for thing in (sink, raw) + ((ear.sock,) if ear else ()):
        thing.close()
    need(arrived != expect_listener, 'h2 got it' if arrived else
         'h2 did not get it')
    need(bool(heard) == expect_listener, 'the listener got %s' %
         (heard.hex() or 'nothing'))
    if expect_listener:
        need(heard.endswith(marker), 'the listener got ' + heard.hex())


def alert_packets():
    """Return {name: (packet, listener, whether the listener gets it)}."""
    plain = net.udp6(H1, H2, PORTS, b'behind an alert!')
    inner = net.ipv6(H1, H2, UDP, plain)

    def through(sid, *segments):
        return net.ipv6(H1, sid, HOP_OPTIONS, ALERT + net.srh(
            IPV6 if len(segments) == 1 else UDP, len(segments) - 1,
            *segments) + (inner if len(segments) == 1 else plain))

    return {
        'end': (through('fc02::e', H2, 'fc02::e'), None, False),
        'end_listener': (through('fc02::e', H2, 'fc02::e'), 'p', True),
        'end_x': (through('fc02::ec', H2, 'fc02::ec'), None, False),
        'dx6': (through('fc03::d6', 'fc03::d6'), 'pe2', False),
        'dt6': (through('fc03::76', 'fc03::76'), 'pe2', False),
        'b6_encaps': (through('fc02::b6', H2, 'fc02::b6'), 'p', False),
    }


def run(report):
    """Build the network and run the cases."""
    net.build()
    # Two busy CPUs of a user-mode kernel wait for each other.
    os.sched_setaffinity(0, {0})
    bulk.set_mode('on')
    for address in net.PATHS:
        report.run('ping_' + address, ping, address)
    net.ip('h1', 'route add 2001:db8:2::aa encap seg6 mode inline segs '
                 'fc02::e dev pe1 via 2001:db8:1::1')
    net.ip('h1', 'route add 2001:db8:2::ab encap seg6 mode inline segs '
                 'fc02::b6 dev pe1 via 2001:db8:1::1')
    for address in ('2001:db8:2::aa', '2001:db8:2::ab'):
        net.ip('h2', 'address add %s dev pe2 nodad' % address)
    report.run('tracepath_end', trace, '2001:db8:2::aa',
               ('2001:db8:1::1', '2001:db8:a::2', '2001:db8:b::2'))
    report.run('tracepath_b6_encaps', trace, '2001:db8:2::ab',
               ('2001:db8:1::1', '2001:db8:a::2'))
    for address in ('2001:db8:2::d6', '2001:db8:2::76', '10.2.0.54',
                    '10.3.0.2', '2001:db8:3::2'):
        report.run('tracepath_%s' % address, trace, address, ())
    for name, sid in (('end', 'fc02::e'), ('end_x', 'fc02::ec'),
                      ('b6_encaps', 'fc02::b6')):
        report.run('hop_limit_' + name, expired, sid)
    report.run('too_big_end', too_big, 'fc02::e', 0)
    report.run('too_big_end_x', too_big, 'fc02::ec', 0)
    report.run('too_big_b6_encaps', too_big, 'fc02::b6', 64)
    # The stock inline encap of 7.3 loses GSO packets, so h1 sends none.
    net.ip('h1', 'link set pe1 gso_max_segs 1')
    for name, address, space, device in (
            ('b6_encaps', '2001:db8:2::ab', 'p', 'pe2'),
            ('end', '2001:db8:2::aa', 'p', 'pe2'),
            ('dx6', '2001:db8:2::d6', 'pe2', 'h2'),
            ('dx6_unspecified', '2001:db8:2::d7', 'pe2', 'h2'),
            ('dt6', '2001:db8:2::76', 'pe2', 'h2'),
            ('dt6_vrf', '2001:db8:3::2', 'pe2', 'v2'),
            ('dx4', '10.2.0.54', 'pe2', 'h2'),
            ('dx4_unspecified', '10.2.0.55', 'pe2', 'h2'),
            ('dt4', '10.3.0.2', 'pe2', 'v2')):
        # What is left inside the policy's header must be 1280 octets.
        report.run('tcp_recovers_' + name, recovers, address, space, device,
                   1400 if name == 'b6_encaps' else SMALL)
    for name, what in alert_packets().items():
        report.run('router_alert_' + name, alert, *what)
    net.destroy()
