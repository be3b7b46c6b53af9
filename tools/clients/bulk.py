# SPDX-License-Identifier: GPL-2.0-only
"""Bulk TCP through our SIDs: as fast as plain forwarding, and unharmed.

What is compared takes turns of some milliseconds, on one CPU.  One run is a
ratio over many turns; the median of five runs counts.  Three ways are compared:
without SRv6, through our SIDs, and through the same SIDs of the in-tree encap;
the second and third have the stock encap of pe1 in front.

A shared machine is too noisy for this, and a user-mode kernel makes a system
call for each operation on a per-CPU variable.  QEMU can count instructions
instead of time: -c 1 -a "-icount shift=1,sleep=off" debian-6.1.
"""
import hashlib
import json
import os
import statistics
import struct
import threading
import time

import net
from report import need, remark

BOUND = 0.9
RUNS = 5
# Guest time is instructions there, and far from the time that passes here.
COUNTED = os.environ.get('LAB_KERNEL', '').startswith('debian')
SECONDS = 0.1 if COUNTED else 0.6
PATIENCE = 3000 if COUNTED else 30
PORT = 5300
TRANSFER = 2 << 20
IPERF = '16M'
# Retransmissions may come from a machine that pauses; lost GSO packets make
# hundreds, and time-outs.
RETRANSMITS = 50

# name, address, address without SRv6
VARIANTS = (
    ('end', '2001:db8:2::e', '2001:db8:2::2'),
    ('end_x', '2001:db8:2::ec', '2001:db8:2::2'),
    ('b6_encaps', '2001:db8:2::b6', '2001:db8:2::2'),
    ('dx6', '2001:db8:2::d6', '2001:db8:2::2'),
    ('dt6', '2001:db8:2::76', '2001:db8:2::2'),
    ('dt6_vrf', '2001:db8:3::2', '2001:db8:2::2'),
    ('dx4', '10.2.0.54', '10.2.0.2'),
    ('dt4', '10.3.0.2', '10.2.0.2'),
    ('dt46', '10.3.0.46', '10.2.0.2'),
)
MODES = ('default', 'on', 'off', 'split', 'egress')
OCTETS = {'default': 4 << 20, 'on': 4 << 20, 'off': 1 << 20, 'split': 1 << 20,
          'egress': 1 << 20}
BLOCK = bytes(range(256)) * 4096


def offload(space, device, value, gro):
    """Switch segmentation and aggregation of a device on or off."""
    net.inside(space, 'ethtool', '-K', device, 'tso', value, 'gso', value,
               'gro', gro)


def set_mode(mode):
    """Default: as veth comes.  Split: only hosts may send big packets.

    Egress: our SIDs get big packets and must send small ones; no GRO, for
    veth has a short queue with it, which drops, whatever is in the packets.
    """
    small = ('p', 'pe2'), ('pe2', 'h2'), ('pe2', 'v2')
    for one, two in net.LINKS:
        for space, device in ((one, two), (two, one)):
            host = space not in net.SID_DEVICE
            off = {'off': True, 'split': not host,
                   'egress': (space, device) in small}.get(mode, False)
            value = 'off' if off else 'on'
            offload(space, device, value,
                    'off' if mode == 'egress' else value)


class Connection:
    """A TCP connection from h1 with both of its ends in this process."""

    def __init__(self, address):
        with net.within(net.host_of(address)):
            listener = net.tcp(address)
            listener.bind((address, PORT))
            listener.listen(1)
        with net.within('h1'):
            self.out = net.tcp(address)
        self.out.settimeout(PATIENCE)
        self.out.connect((address, PORT))
        self.end = listener.accept()[0]
        self.end.settimeout(PATIENCE)
        listener.close()
        self.buffer = bytearray(1 << 20)
        self.wanted = threading.Semaphore(0)
        self.done = threading.Semaphore(0)
        self.length = 0
        threading.Thread(target=self.drain, daemon=True).start()

    def drain(self):
        """Receive a turn whenever there is one."""
        while True:
            self.wanted.acquire()
            missing = self.length
            while missing > 0:
                got = self.end.recv_into(self.buffer, min(missing, 1 << 20))
                if not got:
                    return
                missing -= got
            self.done.release()

    def turn(self, length):
        """Send so many octets, a multiple of 1 MiB; return the seconds."""
        start = time.monotonic()
        self.length = length
        self.wanted.release()
        for _ in range(length // len(BLOCK)):
            self.out.sendall(BLOCK)
        need(self.done.acquire(timeout=PATIENCE), 'a transfer stalled')
        return time.monotonic() - start

    def limit(self, seconds):
        """Give up after so many seconds."""
        self.out.settimeout(seconds)
        self.end.settimeout(seconds)

    def send_checked(self, length):
        """Send so many octets of noise; what arrives must be the same."""
        sums = [hashlib.sha256(), hashlib.sha256()]
        received = [0]

        def take():
            while received[0] < length:
                try:
                    octets = self.end.recv(1 << 18)
                except OSError:
                    return
                if not octets:
                    return
                sums[1].update(octets)
                received[0] += len(octets)

        thread = threading.Thread(target=take, daemon=True)
        thread.start()
        block = os.urandom(1 << 16)
        for at in range(0, length, len(block)):
            part = struct.pack('!I', at) + block[4:]
            sums[0].update(part)
            self.out.sendall(part)
        thread.join(PATIENCE)
        need(received[0] == length, 'the transfer stalled after %d octets' %
             received[0])
        need(sums[0].digest() == sums[1].digest(), 'other octets arrived')

    def close(self):
        """Drop it."""
        self.out.close()
        self.end.close()


def one_run(connections, length):
    """Take turns for a while; return the throughput of each in Mbit/s."""
    spent = [0.0] * len(connections)
    turns = 0
    end = time.monotonic() + SECONDS
    order = list(range(len(connections)))
    while time.monotonic() < end or turns % 2:
        for index in order:
            spent[index] += connections[index].turn(length)
        order.reverse()
        turns += 1
    return [turns * length * 8e-6 / seconds for seconds in spent]


def harm():
    """Return what was dropped so far, by any device or SID, as a set."""
    found = set()
    for space in net.SPACES:
        text = net.call('ip', '-n', space, '-s', '-j', 'link')
        for link in json.loads(text):
            for way in ('rx', 'tx'):
                for kind in ('dropped', 'errors'):
                    found.add((space, link['ifname'], way, kind,
                               link['stats64'][way][kind]))
        if space in net.SID_DEVICE:
            found.update((space, *pair)
                         for pair in net.statistics(space).items())
        text = net.inside(space, 'cat', '/proc/net/snmp6')
        found.update((space, *line.split()) for line in text.split('\n')
                     if 'OutDiscards' in line or 'InDiscards' in line)
    return found


def unharmed(address):
    """All arrives as it was sent, by iperf3 too, and nothing is dropped."""
    before = harm()
    connection = Connection(address)
    try:
        connection.send_checked(TRANSFER)
    finally:
        connection.close()
    server = net.start(net.host_of(address), 'iperf3', '-s', '-1',
                       stdout=-3, stderr=-3)
    try:
        for _ in range(50):
            time.sleep(0.1)
            text = net.inside('h1', 'iperf3', '-J', '-n', IPERF, '-c',
                              address, check=False)
            end = json.loads(text).get('end')
            if end:
                break
        need(end, 'iperf3: ' + text[-300:])
    finally:
        server.kill()
        server.wait()
    again = end['sum_sent']['retransmits']
    remark('iperf3 to %s: %.0f Mbit/s, %d retransmissions' % (
        address, end['sum_received']['bits_per_second'] / 1e6, again))
    lost = harm() - before
    need(not lost, 'dropped: %s' % sorted(lost))
    need(again <= RETRANSMITS, '%d retransmissions' % again)


class Speed:
    """The runs of one variant in one mode."""

    def __init__(self, mode, name, address, plain):
        ways = [plain, address]
        # The in-tree End.B6.Encaps loses GSO packets.
        if name != 'b6_encaps' or mode in ('off', 'split'):
            ways.append(net.twin(address))
        self.ratios = None
        self.what = '%s_%s' % (mode, name)
        self.ways, self.length = ways, OCTETS[mode]

    def measure(self):
        """Take the runs, if not done yet."""
        if self.ratios:
            return self.ratios
        connections = [Connection(way) for way in self.ways]
        try:
            for connection in connections:
                connection.turn(len(BLOCK))
            runs = [one_run(connections, self.length) for _ in range(RUNS)]
        finally:
            for connection in connections:
                connection.close()
        self.ratios = [statistics.median(run[1] / run[other] for run in runs)
                       for other in range(len(self.ways)) if other != 1]
        remark('%s: Mbit/s plain/ours/in-tree: %s' % (
            self.what, ', '.join('/'.join('%.0f' % rate for rate in run)
                                 for run in runs)))
        remark('%s: medians: %.2f of plain%s' % (
            self.what, self.ratios[0],
            ', %.2f of in-tree' % self.ratios[1] if self.ratios[1:] else ''))
        return self.ratios

    def judge(self, which):
        """Hold one of the ratios against the bound."""
        ratio = self.measure()[which]
        need(ratio >= BOUND, '%.2f, at least %.2f is wanted' % (ratio, BOUND))


def run(report):
    """Build the network, then each variant in each mode."""
    net.build()
    net.add_twins()
    os.sched_setaffinity(0, {0})
    net.sysctl(None, 'net/core/netdev_max_backlog', 20000)
    for mode in MODES:
        if mode != 'default':
            set_mode(mode)
        for name, address, plain in VARIANTS:
            what = '%s_%s' % (mode, name)
            speed = Speed(mode, name, address, plain)
            report.run('bulk_unharmed_' + what, unharmed, address)
            report.run('bulk_of_plain_' + what, speed.judge, 0)
            if len(speed.ways) > 2:
                report.run('bulk_of_in_tree_' + what, speed.judge, 1)
    net.destroy()
