#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Runs in the guest: rows in windows that the QEMU plugin counts.

Each variant of a behaviour is run on one CPU, then on the other. The plugin
counts between two calls of a function that the kernel calls after each batch:
loading the program and what surrounds the run are left out, and how many
packets were counted is certain.
"""
import ctypes
import json
import mmap
import os
import sys

import generator
import guest
import rows
from atomics import BATCHES

SLOTS, PARTS = 2048, 6
MAGIC, MAGIC_SIZE = 0x5eed00000000, SLOTS * 8 * (1 + PARTS)
MAP_FIXED = 0x10
PACKETS = BATCHES * generator.BATCH
WARM_UP = 2 * generator.BATCH
AFTER_BATCH = 'bpf_test_timer_continue'
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

    def gate(self, address):
        """Pass the address of the function that is called for a batch."""
        for part in range(PARTS):
            self.words[SLOTS * (part + 1) + (address >> 11 * part) %
                       SLOTS] = 1

    def window(self, number, act):
        """Run act() in a window."""
        self.words[number] = 1
        act()
        self.words[0] = 1


class Worker:
    """A process of its own for each CPU, as a router's queues have.

    All live as long as the benchmark, so that no memory of one is another's.
    """

    def __init__(self, cpu, index, gate):
        self.index = index
        self.gate = gate
        down, self.down = os.pipe()
        self.up, up = os.pipe()
        if not os.fork():
            os.sched_setaffinity(0, {cpu})
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
            self.serve(os.fdopen(down), up)
        self.down, self.up = os.fdopen(self.down, 'w'), os.fdopen(self.up)

    def serve(self, requests, answers):
        """Run what is asked for: a window and a frame a line."""
        marker = Marker()
        marker.gate(self.gate)
        for line in requests:
            window, frame = line.split()
            source = generator.Generator(bytes.fromhex(frame), self.index)
            source.run(WARM_UP)
            # One batch more than is counted, for the call in front of them.
            marker.window(int(window), lambda: source.run(
                PACKETS + generator.BATCH))
            source.close()
            os.write(answers, b'\n')
        os._exit(0)

    def run(self, frame, window):
        """Have a frame run in a window."""
        print(window, frame.hex(), file=self.down, flush=True)
        if not self.up.readline():
            raise guest.Wrong('a worker died')


class Atomics(guest.Bench):
    """Rows as before, in windows of each CPU."""

    def __init__(self, args):
        super().__init__(args)
        # Nothing else may run in a worker's place.
        with open('/proc/sys/kernel/sched_rt_runtime_us', 'w',
                  encoding='ascii') as file:
            file.write('-1')
        self.symbols = symbols()
        gate = [a for a, name in self.symbols if name == AFTER_BATCH]
        if len(gate) != 1:
            raise guest.Wrong('this kernel has no ' + AFTER_BATCH)
        self.workers = [Worker(cpu, self.router.index, gate[0])
                        for cpu in CPUS]
        self.used = 0

    def windows(self, row, frame, variant, leaf):
        """The frames on each CPU."""
        self.router.set_variant(variant)
        found = []
        before = generator.delivered('out0')
        for worker in self.workers:
            self.used += 1
            worker.run(rows.frame(frame, leaf), self.used)
            found.append(self.used)
        sent = len(CPUS) * (WARM_UP + PACKETS + generator.BATCH)
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
        json.dump({'atomics': bench.results, 'symbols': bench.symbols,
                   'faults': bench.faults, 'packets': PACKETS}, file)
    return 1 if bench.faults else 0


if __name__ == '__main__':
    sys.exit(main())
