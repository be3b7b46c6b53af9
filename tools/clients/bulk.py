# SPDX-License-Identifier: GPL-2.0-only
"""Bulk TCP through our SIDs: as fast as plain forwarding, and unharmed.

What is compared takes turns of some milliseconds, on one CPU.  One run is a
ratio over many turns; the median of five runs counts.  paths.py says what is
compared: plain forwarding of the same packets by the same router, our SIDs,
the in-tree encap's, and a network without SRv6.

A shared machine is too noisy for this, and a user-mode kernel makes a system
call for each operation on a per-CPU variable.  QEMU can count instructions
instead of time: -c 1 -a "-icount shift=0,sleep=off" debian-6.1.
"""
import hashlib
import json
import os
import statistics
import struct
import threading
import time

import net
import paths
from report import need, remark

BOUND = 0.9
RUNS = 5
# Guest time is instructions there, and far from the time that passes here.
COUNTED = net.EMULATED
SECONDS = 0.2 if COUNTED else 0.6
PATIENCE = 3000 if COUNTED else 30
PORT = 5300
TRANSFER = 2 << 20
IPERF = '16M'
# Retransmissions may come from a machine that pauses; lost GSO packets make
# hundreds, and time-outs.
RETRANSMITS = 50

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

    Egress: p gets big packets and must send small ones; no GRO, for
    veth has a short queue with it, which drops, whatever is in the packets.
    """
    small = ('p', 'pe2'), ('pe2', 'h2')
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

    def __init__(self, mode, variant):
        self.ways = list(paths.WAYS)
        # The in-tree End.B6.Encaps loses GSO packets.
        if variant.name == 'b6_encaps' and mode not in ('off', 'split'):
            self.ways.remove('in_tree')
        self.addresses = [variant.address(way) for way in self.ways]
        self.what = '%s_%s' % (mode, variant.name)
        self.length = OCTETS[mode]
        self.ratios = None

    def measure(self):
        """Take the runs, if not done yet."""
        if self.ratios:
            return
        connections = [Connection(address) for address in self.addresses]
        try:
            for connection in connections:
                connection.turn(len(BLOCK))
            runs = [one_run(connections, self.length) for _ in range(RUNS)]
        finally:
            for connection in connections:
                connection.close()
        ours = self.ways.index('ours')
        self.ratios = {way: statistics.median(run[ours] / run[at]
                                              for run in runs)
                       for at, way in enumerate(self.ways) if at != ours}
        remark('%s: Mbit/s %s: %s' % (
            self.what, '/'.join(self.ways),
            ', '.join('/'.join('%.0f' % rate for rate in run)
                      for run in runs)))
        remark('%s: medians of ours: %s' % (self.what, ', '.join(
            '%.2f of %s' % (ratio, way)
            for way, ratio in self.ratios.items())))

    def judge(self, way):
        """Hold one of the ratios against the bound."""
        self.measure()
        need(self.ratios[way] >= BOUND, '%.2f, at least %.2f is wanted' % (
            self.ratios[way], BOUND))


def run(report):
    """Build the network, then each variant in each mode."""
    net.build()
    paths.add()
    os.sched_setaffinity(0, {0})
    net.sysctl(None, 'net/core/netdev_max_backlog', 20000)
    for mode in MODES:
        if mode != 'default':
            set_mode(mode)
        for variant in paths.VARIANTS:
            speed = Speed(mode, variant)
            report.run('bulk_unharmed_' + speed.what, unharmed,
                       variant.address('ours'))
            report.run('bulk_of_plain_' + speed.what, speed.judge, 'plain')
            if 'in_tree' in speed.ways:
                report.run('bulk_of_in_tree_' + speed.what, speed.judge,
                           'in_tree')
    net.destroy()
