# SPDX-License-Identifier: GPL-2.0-only
"""Things that change under traffic: routes, SIDs, a VRF; and listeners."""
import os
import signal
import struct
import tempfile
import time

import net
from report import need, remark
from stream import Stream

RATE = 400
VRF_TARGETS = ('10.3.0.2', '2001:db8:3::2', '10.3.0.46', '2001:db8:3::46')
# SIDs on the way of the streams, and how they may be replaced by the same
REPLACED = (('p', 'fc02::e'), ('p', 'fc02::ec'), ('p', 'fc02::b6'),
            ('pe2', 'fc03::d6'), ('pe2', 'fc03::d7'), ('pe2', 'fc03::d4'),
            ('pe2', 'fc03::76'), ('pe2', 'fc03::100:4'))
BEHAVIOURS = {(space, address): text for space, address, text in net.SIDS}
# The next hop of the packets changes as well, to the same neighbour.
OTHERS = {'fc03::d6': 'End.DX6 nh6 ::', 'fc03::d4': 'End.DX4 nh4 0.0.0.0',
          'fc02::ec': 'End', 'fc03::d7': 'End.DX6 nh6 2001:db8:2::2'}
PORT = 7100


def replaced():
    """Replace routes again and again: no datagram may be lost."""
    streams = [Stream(address, RATE // 4) for address in (
        '2001:db8:2::d6', '2001:db8:2::ec', '2001:db8:2::b6', '10.2.0.54',
        '10.3.0.2')]
    time.sleep(0.3)
    rounds = 0
    end = time.monotonic() + 8
    while time.monotonic() < end:
        for space, address in REPLACED:
            text = BEHAVIOURS[space, address]
            if rounds % 2 and address in OTHERS:
                text = OTHERS[address]
            net.sid(space, 'replace', address, text)
        rounds += 1
    for space, address in REPLACED:
        net.sid(space, 'replace', address, BEHAVIOURS[space, address])
    for stream in streams:
        stream.stop()
    lost = {s.target[0]: s.missing() for s in streams if s.missing()}
    remark('%d datagrams during %d replacements' % (
        sum(s.sent for s in streams), rounds * len(REPLACED)))
    need(not lost, 'lost: %s' % lost)
    need(sum(s.sent for s in streams) > 500, 'too little traffic')


def vrf_again():
    """Delete a VRF and make it again: its SIDs work as before."""
    streams = [Stream(address, RATE // 4) for address in VRF_TARGETS]
    time.sleep(0.5)
    waits = []
    for _ in range(4):
        net.ip('pe2', 'link del vrf100')
        time.sleep(0.4)
        counts = [len(s.got) for s in streams]
        net.ip('pe2', net.VRF)
        made = time.monotonic()
        while any(len(s.got) < count + 20
                  for s, count in zip(streams, counts)):
            need(time.monotonic() < made + 10, 'dead after the VRF is back: '
                 '%s' % [s.target[0] for s, count in zip(streams, counts)
                         if len(s.got) < count + 20])
            time.sleep(0.02)
        waits.append(time.monotonic() - made)
    for stream in streams:
        stream.stop()
    remark('seconds until 20 datagrams of each stream had arrived: ' +
           ' '.join('%.2f' % wait for wait in waits))
    need(net.statistics('pe2').get('drop_vrf'),
         'nothing came while the VRF was away: %s' % net.statistics('pe2'))


def numbered(packets, key):
    """Return {number of datagram: frame behind the MAC addresses}."""
    found = {}
    for frame in packets:
        at = frame.find(key)
        if at >= 0:
            number = struct.unpack_from('!I', frame, at + len(key))[0]
            found.setdefault(number, []).append(frame[12:])
    return found


def capture(path):
    """Return the frames in a file of tcpdump."""
    with open(path, 'rb') as file:
        data = file.read()
    order = '<' if data[:4] in (b'\xd4\xc3\xb2\xa1', b'\x4d\x3c\xb2\xa1') \
        else '>'
    at, found = 24, []
    while at + 16 <= len(data):
        size = struct.unpack_from(order + 'I', data, at + 8)[0]
        found.append(data[at + 16:at + 16 + size])
        at += 16 + size
    return found


def start_tcpdump(directory):
    """Run tcpdump on all devices of the routers; return the processes."""
    found = []
    for space in ('pe1', 'p', 'pe2'):
        for one, two in net.LINKS:
            if space not in (one, two):
                continue
            device = two if space == one else one
            path = os.path.join(directory, space + '-' + device)
            found.append((space, device, path, net.start(
                space, 'tcpdump', '-i', device, '-U', '-w', path, '-s', '0',
                '--immediate-mode', '-Z', 'root', stdout=-3, stderr=-3)))
    for _, _, path, _ in found:
        for _ in range(200):
            if os.path.exists(path) and os.path.getsize(path) >= 24:
                break
            time.sleep(0.05)
    time.sleep(0.5)
    return found


def settle(dumps):
    """Wait until nothing is written any more."""
    before = None
    while True:
        time.sleep(0.7)
        sizes = [os.path.getsize(path) for _, _, path, _ in dumps]
        if sizes == before:
            return
        before = sizes


def listened(address):
    """What listeners see come in is what the node before sent."""
    key = os.urandom(8)
    pairs = [('pe1', 'p', 'p', 'pe1'), ('p', 'pe2', 'pe2', 'p')]
    with tempfile.TemporaryDirectory() as directory:
        dumps = start_tcpdump(directory)
        taps = {end: net.tap(*end)
                for pair in pairs for end in (pair[:2], pair[2:])}
        sink = net.udp(net.host_of(address), address, PORT)
        source = net.udp('h1', family=net.family_of(address))
        for number in range(50):
            source.sendto(key + struct.pack('!I', number) + bytes(100),
                          (address, PORT))
            need(sink.recv(2000)[8:12] == struct.pack('!I', number),
                 'another datagram arrived')
        settle(dumps)
        seen = {end: numbered([f for f, _ in net.frames(made)], key)
                for end, made in taps.items()}
        for _, _, _, process in dumps:
            process.send_signal(signal.SIGINT)
            process.wait()
        dumped = {(space, device): numbered(capture(path), key)
                  for space, device, path, _ in dumps}
    for made in list(taps.values()) + [sink, source]:
        made.close()
    for pair in pairs:
        sent, got = seen[pair[:2]], seen[pair[2:]]
        need(len(sent) == 50, '%s-%s: tap saw %d' % (*pair[:2], len(sent)))
        need(sent == got, '%s-%s: what a tap sees come in differs' % pair[2:])
        # On a busy machine tcpdump misses some, but makes none up.
        wrong = [number for number, found in dumped[pair[2:]].items()
                 if found != sent[number]]
        need(not wrong, '%s-%s: tcpdump has other frames' % pair[2:])
        need(len(dumped[pair[2:]]) >= 10, '%s-%s: tcpdump has only %d' %
             (*pair[2:], len(dumped[pair[2:]])))


def run(report):
    """Build the network and run the cases."""
    net.build()
    for address in ('2001:db8:2::d6', '2001:db8:2::76', '2001:db8:2::b6',
                    '2001:db8:2::ec', '2001:db8:3::2', '10.2.0.54',
                    '10.3.0.2', '10.3.0.46'):
        report.run('tcpdump_%s' % address, listened, address)
    report.run('routes_replaced_under_traffic', replaced)
    report.run('vrf_deleted_and_made_again', vrf_again)
    net.destroy()
