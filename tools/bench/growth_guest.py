#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Runs in the guest: what End costs as a router grows, and memory for a SID."""
import json
import os
import socket
import struct
import sys
import time

import generator
import guest
import netlink
import rows

LAST_OCTETS, SEGMENT_0 = 52, 76
MEMORY_SIDS = 10000
BULK = 256
HEAD_AND_DST = 12 + 20
END = rows.ROWS[0]
OTHER = 'fc00:%x::'
DEVICE_ROUTE = 'f2::/64 ' + rows.NEXT6


def packed(text):
    """Octets of an address."""
    return socket.inet_pton(socket.AF_INET6, text)


def memory():
    """Octets the kernel has allocated: (of slabs, per CPU)."""
    time.sleep(2)
    found = {}
    with open('/proc/meminfo', encoding='ascii') as file:
        for line in file:
            name, value = line.split()[:2]
            found[name] = int(value) << 10
    return found['SUnreclaim:'], found['Percpu:']


class Growth(guest.Bench):
    """End in all variants, at points of an axis."""

    def __init__(self, args):
        super().__init__(args)
        self.memories, self.kept = [], []

    def fresh(self):
        """A new router; the old one stays, for removing it costs as much."""
        self.kept.append(os.open('/proc/thread-self/ns/net', os.O_RDONLY))
        self.router = guest.Router()

    def point(self, axis, value, frames=None, words=END.words, vary=None):
        """Measure all variants, and plain forwarding.

        frames: {leaf: frame}; vary: (places, modulus) of the generator.
        """
        self.router.settle()
        variants = self.router.variants
        leaves = {v: rows.VARIANTS.index(v) for v in variants}
        sources = {}
        for name, leaf in dict(leaves, plain=rows.PLAIN).items():
            if name != 'plain':
                self.router.set_sid(leaf, name, words)
            frame = frames[leaf] if frames else rows.frame(END.frame, leaf)
            sources[name] = generator.Generator(
                frame, self.router.index, *(vary or ()))
        found, base = self.turns(sources), None
        for name in ['plain'] + variants:
            row = self.file('plain IPv6' if name == 'plain' else END.name,
                            END.frame, name, found[name])
            row.update(axis=axis, value=value)
            if name == 'plain':
                base = row['insns']
                continue
            row.update(plain=base, above=row['insns'] - base)
        for name, leaf in leaves.items():
            if 'nocount' not in words:
                self.compare(name, leaf, found[name][1])
            sources[name].close()
            self.router.unset_sid(leaf)
        guest.say('%s %d: +%s' % (axis, value, ', '.join(
            '%s %d' % (r['variant'], r['above'])
            for r in self.results[-len(variants):])))

    def compare(self, variant, leaf, sent):
        """The SID has counted what was sent."""
        seen = self.router.passed(leaf)
        if seen != (sent, 0):
            self.fault('%s: the SID counts packets, errors %s' %
                       (variant, seen))

    def bulk(self, prefix, numbers, slot=None, size=128):
        """Add routes PREFIX::1, ::2 ... or PREFIX:0:1::/64 ..."""
        body, place = self.template(prefix, slot, size)
        place += 12 if size == 128 else 4
        head = struct.pack('=LHHLL', 16 + len(body), netlink.RTM_NEWROUTE,
                           netlink.REQUEST | netlink.CREATE, 0, 0)
        start, end = head + body[:place], body[place + 4:]
        for first in range(numbers.start, numbers.stop, BULK):
            part = numbers[first - numbers.start:][:BULK]
            self.router.rtnl.sock.send(b''.join(
                start + struct.pack('!L', number) + end for number in part))
        self.drain()

    def template(self, prefix, slot, size):
        """(body of a route message, where in it the address is)."""
        index = self.router.index
        if slot is None:
            body = netlink.route('%s/%d' % (prefix, size), 0, b'',
                                 socket.if_nametoindex('out0'))
            body = body[:HEAD_AND_DST + 8]
        else:
            body = netlink.route('%s/%d' % (prefix, size), slot, netlink.wrap(
                slot, guest.attributes(END.words)), index)
        return body, body.index(packed(prefix))

    def drain(self):
        """Requests without acknowledgement are answered only if refused."""
        sock = self.router.rtnl.sock
        sock.setblocking(False)
        try:
            answer = sock.recv(1 << 16)
        except BlockingIOError:
            return
        finally:
            sock.setblocking(True)
        raise guest.Wrong('refused: error %d' % -struct.unpack_from(
            '=i', answer, 16))

    def slots(self):
        """{variant: slot}; ours are all of one slot."""
        return {'in-tree': netlink.SEG6_LOCAL_SLOT,
                self.router.variants[-1]: self.router.slot}

    def sids(self, values):
        """So many other SIDs of either encap."""
        made = 1
        for value in values:
            for number, slot in enumerate(self.slots().values()):
                self.bulk(OTHER % number, range(made, value), slot)
            made = value
            self.point('sids', value)
        self.fresh()

    def routes(self, values):
        """So many other routes beside that to the next segment."""
        made = 0
        for value in values:
            self.bulk('f2::', range(made + 1, value + 1), size=64)
            made = value
            self.point('routes', value)
        self.fresh()

    def nested(self, values):
        """So many SIDs of this router in a row."""
        for value in values:
            frames = {}
            for leaf, name in enumerate(rows.VARIANTS + ('plain',)):
                path = ['f1:%x:%x::' % (leaf + 1, n) for n in range(1, value)]
                frames[leaf] = rows.ethernet(rows.bare(
                    'f2::', *path, rows.PREFIX % leaf))
                if name in self.router.variants:
                    self.router.set_variant(name)
                    for sid in path:
                        self.other_sid(sid, name)
            self.point('nested', value, frames)
            self.fresh()

    def other_sid(self, sid, variant):
        """An End SID beside those of the eight addresses."""
        slot = (netlink.SEG6_LOCAL_SLOT if variant == 'in-tree'
                else self.router.slot)
        self.router.rtnl.request(
            netlink.RTM_NEWROUTE, netlink.ACK | netlink.CREATE,
            self.template(sid, slot, 128)[0])

    def segments(self, values):
        """So many next segments, one after the other."""
        guest.ip(['route add ' + DEVICE_ROUTE])
        for value in values:
            self.point('segments', value, vary=((SEGMENT_0,), value))
        guest.ip(['route del ' + DEVICE_ROUTE])

    def count(self):
        """With and without counters."""
        self.point('count', 0, words='End nocount')
        self.point('count', 1)

    def rules(self, values):
        """So many rules that match nothing."""
        for value in values:
            guest.ip(['rule add pref %d from 3fff:%x::/32 lookup 300' % (
                100 + n, n) for n in range(value)], '-6')
            self.point('rules', value)
            guest.ip(['rule del pref %d' % (100 + n)
                      for n in range(value)], '-6')
        # A namespace that has had rules looks at them for ever.
        self.fresh()

    def vrfs(self, values):
        """So many VRFs."""
        made = 0
        for value in values:
            for number in range(made, value):
                guest.ip(['link add v%d type vrf table %d' % (
                    number, 400 + number), 'link set v%d up' % number])
            made = value
            self.point('vrfs', value)

    def memory(self):
        """Memory for SIDs, before and after each has seen packets."""
        kinds = dict(self.slots(), plain=None)
        for number, (variant, slot) in enumerate(kinds.items()):
            self.router.set_variant(variant)
            prefix = OTHER % (0x10 + number)
            before = memory()
            self.bulk(prefix, range(1, MEMORY_SIDS + 1), slot)
            self.note(variant, 'idle', before)
            if slot is not None:
                frame = rows.ethernet(rows.bare('f2::', prefix))
                place = LAST_OCTETS, SEGMENT_0 + 16
                source = generator.Generator(
                    frame, self.router.index, place, MEMORY_SIDS + 1)
                generator.fire(source, MEMORY_SIDS + 64, 'out0')
                source.close()
                self.note(variant, 'used', before)
            self.fresh()

    def note(self, variant, state, before):
        """File what memory has grown by."""
        slab, percpu = (now - then for now, then in zip(memory(), before))
        self.memories.append({
            'row': 'End', 'variant': variant, 'state': state,
            'sids': MEMORY_SIDS,
            'bytes_per_sid': round((slab + percpu) / MEMORY_SIDS, 1),
            'of_which_percpu': round(percpu / MEMORY_SIDS, 1)})
        guest.say('memory, %s SIDs, %s: %.1f octets' % (
            variant, state, self.memories[-1]['bytes_per_sid']))


def main():
    """Measure, write a JSON file."""
    args = guest.options()
    os.sched_setaffinity(0, {0})
    bench = Growth(args)
    bench.count()
    bench.nested([1, 2, 4])
    bench.segments([1, 16, 1024])
    bench.memory()
    bench.sids([1, 1000, args.many])
    bench.routes([100, args.many])
    bench.rules([0, 10, 100])
    bench.vrfs([0, 1, 16])
    with open(args.output, 'w', encoding='ascii') as file:
        json.dump({'growth': bench.results, 'memory': bench.memories,
                   'faults': bench.faults}, file)
    return 1 if bench.faults else 0


if __name__ == '__main__':
    sys.exit(main())
