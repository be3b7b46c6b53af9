#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Runs in the guest: rows in windows that the QEMU plugin counts.

Each variant of a behaviour is run on one CPU, then on the other, a few frames
and many: what differs is the work of the packets. What both CPUs touch is
shared.
"""
import ctypes
import json
import mmap
import os
import sys

import generator
import guest
import rows

MAGIC, MAGIC_SIZE = 0x5eed00000000, 0x8000
MAP_FIXED = 0x10
FEW, MANY = 64, 576
WARM_UP = 128
CPUS = (0, 1)


class Marker:
    """Where a store opens or closes a window."""

    def __init__(self):
        libc = ctypes.CDLL(None, use_errno=True)
        libc.mmap.restype = ctypes.c_void_p
        libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int,
                              ctypes.c_int, ctypes.c_int, ctypes.c_long]
        place = libc.mmap(MAGIC, MAGIC_SIZE, mmap.PROT_READ | mmap.PROT_WRITE,
                          mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_FIXED,
                          -1, 0)
        if place != MAGIC:
            raise OSError(ctypes.get_errno(), 'mmap')
        self.words = (ctypes.c_uint64 * (MAGIC_SIZE // 8)).from_address(MAGIC)

    def window(self, number, act):
        """Run act() in a window."""
        self.words[number] = 1
        act()
        self.words[0] = 1


class Worker:
    """A process of its own for each CPU, as a router's queues have.

    All live as long as the benchmark, so that no memory of one is another's.
    """

    def __init__(self, cpu, index):
        self.index = index
        down, self.down = os.pipe()
        self.up, up = os.pipe()
        if not os.fork():
            os.sched_setaffinity(0, {cpu})
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
            self.serve(os.fdopen(down), up)
        self.down, self.up = os.fdopen(self.down, 'w'), os.fdopen(self.up)

    def serve(self, requests, answers):
        """Run what is asked for: a frame, window and count a line."""
        marker = Marker()
        for line in requests:
            frame, *runs = line.split()
            source = generator.Generator(bytes.fromhex(frame), self.index)
            source.run(WARM_UP)
            for run in runs:
                window, _, count = run.partition(':')
                marker.window(int(window), lambda n=int(count): source.run(n))
            source.close()
            os.write(answers, b'\n')
        os._exit(0)

    def run(self, frame, windows):
        """Have {window: count} done."""
        print(frame.hex(), *('%d:%d' % w for w in windows.items()),
              file=self.down, flush=True)
        if not self.up.readline():
            raise guest.Wrong('a worker died')


class Atomics(guest.Bench):
    """Rows as before, in windows of each CPU."""

    def __init__(self, args):
        super().__init__(args)
        self.workers = [Worker(cpu, self.router.index) for cpu in CPUS]
        self.used = 0

    def windows(self, row, frame, variant, leaf):
        """Few and many frames on each CPU."""
        self.router.set_variant(variant)
        found = []
        before = generator.delivered('out0')
        for worker in self.workers:
            numbers = {self.used + 1: FEW, self.used + 2: MANY}
            self.used += len(numbers)
            worker.run(rows.frame(frame, leaf), numbers)
            found.append(list(numbers))
        sent = len(CPUS) * (WARM_UP + FEW + MANY)
        out = generator.delivered('out0') - before
        self.results.append({
            'row': row, 'frame': frame, 'variant': variant,
            'vrf': self.router.vrf, 'sent': sent, 'delivered': out,
            'windows': found})
        guest.say('%-16s %s' % (row, variant))
        if sent != out:
            self.fault('%s %s: of %d frames %d came out' %
                       (row, variant, sent, out))

    def plain(self, frame):
        self.windows('plain IPv4' if frame.startswith('ip4-')
                     else 'plain IPv6', frame, 'plain', rows.PLAIN)

    def row(self, row, base):
        for variant in self.router.variants:
            leaf = rows.VARIANTS.index(variant)
            self.router.set_sid(leaf, variant, row.words)
            self.windows(row.name, row.frame, variant, leaf)
            self.router.unset_sid(leaf)


def symbols():
    """[(address, name)] of the kernel's code."""
    found = []
    with open('/proc/kallsyms', encoding='ascii') as file:
        for line in file:
            address, kind, name = line.split()[:3]
            if kind in 'tTwW':
                found.append((int(address, 16), name))
    return sorted(found)


def main():
    """Run the rows, write which windows are whose."""
    args = guest.options()
    bench = Atomics(args)
    wanted = args.rows.split(',') if args.rows else None
    chosen = [r for r in rows.ROWS if not wanted or r.name in wanted]
    bench.pass_through([r for r in chosen if not r.vrf])
    if any(r.vrf for r in chosen):
        bench.router.add_vrf()
        bench.pass_through([r for r in chosen if r.vrf])
    with open(args.output, 'w', encoding='ascii') as file:
        json.dump({'atomics': bench.results, 'symbols': symbols(),
                   'faults': bench.faults, 'few': FEW, 'many': MANY}, file)
    return 1 if bench.faults else 0


if __name__ == '__main__':
    sys.exit(main())
