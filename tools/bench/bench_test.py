#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Tests of the benchmark: what it makes of counts, and what it delivers.

The second part runs in a guest (bench_guest_test.py).
"""
import os
import subprocess
import sys
import tempfile
import unittest

import atomics
import summary
from report_tally import tally

HERE = os.path.dirname(os.path.abspath(__file__))
LAB = os.path.join(os.path.dirname(HERE), 'lab', 'lab')
KERNEL = 'uml-fast'

PACKETS = 64
SYMBOLS = [[0xffffffff81000000, 'forward'], [0xffffffff81000100, 'dst_release']]
FORWARD, RELEASE = (address for address, _ in SYMBOLS)
# Lines of memory: of a route, of one CPU's area, of a stack, of a packet.
ROUTE, AREA, STACK, PACKET = (0xffff888000000000 >> 6, 0xffff88807d000000 >> 6,
                              0xffffc90000010000 >> 6, 0xffff888004000000 >> 6)


def window(number, lines, batches=atomics.BATCHES + 1):
    """Text of a window; lines: [(pc, line, kind, count)]."""
    text = 'W %d\nT %x 100 %d\nT %x 14 %d\n' % (number, FORWARD, PACKETS,
                                              RELEASE, PACKETS)
    text += ''.join('M %x %x %d %d\n' % line for line in lines)
    return text + 'X 3 3 %d\n' % batches


def digest(one, two, batches=atomics.BATCHES + 1):
    """The row that is made of two windows."""
    with tempfile.NamedTemporaryFile('w', suffix='.counts') as file:
        file.write(window(1, one) + window(2, two, batches))
        file.flush()
        return atomics.rows({
            'symbols': SYMBOLS, 'packets': PACKETS, 'atomics': [
                {'row': 'End', 'variant': 'full', 'windows': [1, 2]}]},
            file.name)[0]


def both(kind, count, line=ROUTE, pc=RELEASE):
    """The figures where both CPUs do the same to one line."""
    access = [(pc, line, kind, count)]
    return digest(access, access)


class Counts(unittest.TestCase):
    """What the windows of the plugin mean."""

    def test_shared_counter(self):
        row = both(atomics.STORE | atomics.ATOMIC, PACKETS)
        self.assertEqual((row['rmw'], row['rmw_shared'], row['shared_writes'],
                          row['shared_lines']), (1, 1, 1, 1))
        self.assertEqual(row['where'], [{
            'symbol': 'dst_release', 'class': 'shared', 'atomic': True,
            'per_packet': 1.0}])

    def test_plain_store_shared(self):
        row = both(atomics.STORE, PACKETS)
        self.assertEqual((row['rmw'], row['shared_writes']), (0, 1))

    def test_own_line_not_shared(self):
        kind = atomics.STORE | atomics.ATOMIC
        row = digest([(RELEASE, ROUTE, kind, PACKETS)],
                     [(RELEASE, ROUTE + 8, kind, PACKETS)])
        self.assertEqual((row['rmw_shared'], row['rmw_skb']), (0, 1))

    def test_written_by_one_read_by_other(self):
        row = digest([(RELEASE, ROUTE, atomics.STORE, PACKETS)],
                     [(0, ROUTE, 0, PACKETS)])
        self.assertEqual(row['shared_writes'], 1)

    def test_read_by_both_not_shared(self):
        self.assertEqual(both(0, PACKETS, pc=0)['shared_lines'], 0)

    def test_recycled_memory_not_shared(self):
        count = PACKETS // 16
        access = [(pc, PACKET, atomics.STORE, count)
                  for pc in range(FORWARD, FORWARD + 64)]
        self.assertEqual(digest(access, access)['shared_writes'], 0)

    def test_repeated_store_not_shared(self):
        kind = atomics.STORE | atomics.REPEAT
        self.assertEqual(both(kind, PACKETS * 64, PACKET)['shared_writes'], 0)

    def test_percpu_and_stack(self):
        kind = atomics.STORE | atomics.ATOMIC
        access = [(FORWARD, AREA, atomics.STORE | atomics.PERCPU, 8),
                  (FORWARD, AREA + 5, kind, PACKETS),
                  (FORWARD, STACK, atomics.STORE | atomics.PUSH, 8),
                  (FORWARD, STACK + 1, kind, PACKETS)]
        row = digest(access, [])
        self.assertEqual((row['rmw_percpu'], row['rmw_stack'],
                          row['rmw_shared'], row['rmw_skb']), (1, 1, 0, 0))

    def test_calls_and_functions(self):
        row = digest([], [])
        self.assertEqual((row['insns'], row['dst_release'],
                          row['route_alloc']), (114, 1, 0))
        self.assertEqual(row['functions'],
                         {'forward': 100.0, 'dst_release': 14.0})

    def test_cut_window_refused(self):
        with self.assertRaises(ValueError):
            digest([], [], batches=atomics.BATCHES)


def cost(variant, above, **more):
    """A row of instructions."""
    return dict({'kernel': 'k', 'row': 'End', 'frame': 'end-94', 'vrf': False,
                 'variant': variant, 'plain': 7000, 'above': above}, **more)


def summarise(*found):
    """The line that is made of rows."""
    return summary.rows({'instructions': list(found)})


class Verdict(unittest.TestCase):
    """The last table."""

    def test_ratio_and_limit(self):
        row, = summarise(cost('in-tree', 1600), cost('layer1', 1440),
                         cost('full', 352))
        self.assertEqual((row['ratio'], row['layer1_ratio'], row['ok'],
                          row['ok_layer1']), (.22, .9, True, True))

    def test_limit_missed(self):
        row, = summarise(cost('in-tree', 1600), cost('full', 353))
        self.assertFalse(row['ok'])

    def test_one_layer(self):
        row, = summarise(cost('in-tree', 1600), cost('layer1', 1600))
        self.assertEqual((row['full'], row['ratio'], row['ok']),
                         (None, 1.0, False))

    def test_nothing_in_tree(self):
        row, = summarise(cost('full', 300))
        self.assertEqual((row['ratio'], row['ok']), (None, None))

    def test_other_frames_left_out(self):
        self.assertEqual(summarise(cost('full', 1, frame='end-srperf')), [])

    def test_name_first_ratio_last(self):
        found = [cost('in-tree', 1600), cost('full', 320)]
        line = list(summary.table({'summary': summarise(*found)}))[-1].split()
        self.assertEqual((line[0], line[-1]), ('End', '0.200'))


class Guest(unittest.TestCase):
    """The generator, in a guest."""

    def test_generator(self):
        moddir = subprocess.run([LAB, 'modules', KERNEL], check=True,
                                text=True, stdout=subprocess.PIPE).stdout
        done = subprocess.run(
            [LAB, 'run', '-t', '240', '-c', '1', '-m', moddir.strip(), KERNEL,
             '--', 'python3', '-B', os.path.join(HERE, 'bench_guest_test.py')],
            text=True, stdout=subprocess.PIPE, check=False)
        print(*('# ' + line for line in done.stdout.splitlines()), sep='\n')
        self.assertEqual(done.returncode, 0)


if __name__ == '__main__':
    sys.exit(tally())
