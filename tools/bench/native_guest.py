#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Runs in the guest: packets a second on one CPU and on two.

A worker on each CPU has its own program; both start at the same word. All
variants take turns many times over, for the machine is never quiet. With two
CPUs the packets either all go to one next hop or each CPU's to its own: what
differs is what they write to the same place.
"""
import json
import os
import statistics
import sys

import generator
import guest
import rows

CPUS = (0, 1)
SECOND = {'f2::': 'f4::', '12:2::1': '12:2::3', '10.2.0.1': '10.2.0.3'}
SECOND_PREFIX = 'f5::%x'
SECOND_ROUTES = ['f4::/128 via 12:2::3 dev out0',
                 '10.10.0.0/16 via 10.2.0.3 dev out0']
SECOND_NEIGHBOURS = ['neigh add %s lladdr %s dev out0' % (
    address, rows.cases.RECEIVER) for address in ('12:2::3', '10.2.0.3')]
EACH = ('plain IPv6', 'End', 'End.X-onlink', 'End.DX4', 'End.DT4')


def second_frame(name, leaf):
    """A frame to a SID of the second CPU and from there to its next hop."""
    sid = SECOND_PREFIX % leaf
    if name == 'end-94':
        return rows.ethernet(rows.bare('f4::', sid))
    return rows.ethernet(rows.cases.frames.Builder({}, {}, {
        'gen': rows.cases.GENERATOR, 'in': rows.cases.ROUTER_IN}, {}).frame(
            '6(1:2:1::1>%s) 4(10.1.0.1>10.10.0.2) U(0)' % sid,
            'gen', 'in')[rows.cases.ETHER:])


class Worker:
    """A process of its own for each CPU."""

    def __init__(self, cpu, index):
        down, self.down = os.pipe()
        self.up, up = os.pipe()
        if not os.fork():
            os.sched_setaffinity(0, {cpu})
            self.serve(os.fdopen(down), up, index)
        self.down, self.up = os.fdopen(self.down, 'w'), os.fdopen(self.up)

    @staticmethod
    def serve(requests, answers, index):
        """Load frames and run them."""
        sources = {}
        for line in requests:
            verb, name, value = line.split()
            each = 0
            if verb == 'load':
                if name in sources:
                    sources[name].close()
                sources[name] = generator.Generator(bytes.fromhex(value),
                                                    index)
            else:
                each = sources[name].run(int(value))
            os.write(answers, b'%d\n' % each)
        os._exit(0)

    def ask(self, *words):
        """Have something done."""
        print(*words, file=self.down, flush=True)

    def answer(self):
        """Nanoseconds for a packet."""
        text = self.up.readline()
        if not text:
            raise guest.Wrong('a worker died')
        return int(text)


class Native(guest.Bench):
    """Rows on one CPU and on two."""

    def __init__(self, args):
        super().__init__(args)
        self.workers = [Worker(cpu, self.router.index) for cpu in CPUS]
        guest.ip(SECOND_NEIGHBOURS + ['route add ' + r for r in SECOND_ROUTES] +
                 ['route add %s/128 via 12:2::3 dev out0' % (
                     SECOND_PREFIX % leaf) for leaf in range(rows.LEAVES)])

    def load(self, worker, name, frame):
        """Give a worker a frame."""
        self.workers[worker].ask('load', name, frame.hex())
        self.workers[worker].answer()

    def second_sid(self, leaf, variant, words):
        """The second CPU's SID, with next hops of its own."""
        words = ' '.join(SECOND.get(word, word) for word in words.split())
        self.router.set_sid(leaf, variant, words, SECOND_PREFIX)

    def variants(self, row):
        """{variant: leaf} of a row, SIDs and frames in place."""
        if row is None:
            leaves = {'plain': rows.PLAIN}
        else:
            kinds = ('in-tree', self.router.variants[-1])
            leaves = {v: rows.VARIANTS.index(v) for v in kinds}
        return leaves

    def configurations(self, name, variants):
        """[(variant, CPUs, egress)]."""
        found = []
        for variant in variants:
            found += [(variant, 1, 'one'), (variant, 2, 'one')]
            if name in EACH:
                found.append((variant, 2, 'each'))
        return found

    def once(self, variant, cpus, egress):
        """Packets a second of one run, in millions."""
        count = self.args.packets
        self.router.set_variant(variant)
        before = generator.delivered('out0')
        working = self.workers[:cpus]
        for number, worker in enumerate(working):
            side = 'each' if egress == 'each' and number else 'one'
            worker.ask('run', variant + side, count)
        speed = sum(1000 / worker.answer() for worker in working)
        return speed, count * cpus, generator.delivered('out0') - before

    def measure(self, name, frame, row):
        """A row in all its variants."""
        leaves = self.variants(row)
        for variant, leaf in leaves.items():
            if row:
                self.router.set_sid(leaf, variant, row.words)
                if name in EACH:
                    self.second_sid(leaf, variant, row.words)
            for worker in range(len(CPUS)):
                self.load(worker, variant + 'one', rows.frame(frame, leaf))
                if name in EACH:
                    self.load(worker, variant + 'each',
                              second_frame(frame, leaf))
        self.rounds(name, frame, self.configurations(name, leaves))
        for leaf in leaves.values() if row else ():
            self.router.unset_sid(leaf)
            if name in EACH:
                self.router.unset_sid(leaf, SECOND_PREFIX)

    def rounds(self, name, frame, kinds):
        """Runs that take turns, and their medians."""
        found = {kind: [[], 0, 0] for kind in kinds}
        for turn in range(self.args.repeats):
            shift = turn % len(kinds)
            for kind in kinds[shift:] + kinds[:shift]:
                speed, sent, out = self.once(*kind)
                found[kind][0].append(round(speed, 4))
                found[kind][1] += sent
                found[kind][2] += out
        single = {}
        for (variant, cpus, egress), (runs, sent, out) in found.items():
            quarters = statistics.quantiles(runs, n=4)
            row = {'row': name, 'frame': frame, 'variant': variant,
                   'vrf': self.router.vrf, 'cpus': cpus, 'egress': egress,
                   'mpps': statistics.median(runs), 'q1': quarters[0],
                   'q3': quarters[2], 'runs': runs, 'sent': sent,
                   'delivered': out}
            single.setdefault(variant, row['mpps'])
            if cpus > 1:
                row['efficiency'] = round(
                    row['mpps'] / (cpus * single[variant]), 4)
            self.results.append(row)
            if sent != out:
                self.fault('%s %s: of %d frames %d came out' %
                           (name, variant, sent, out))
        guest.say('%-15s %s' % (name, ', '.join('%s %d%s %.3f' % (
            kind[0], kind[1], '' if kind[2] == 'one' else ' each',
            statistics.median(value[0])) for kind, value in found.items())))

    def pass_through(self, chosen):
        self.router.settle()
        for frame in dict.fromkeys(row.frame for row in chosen):
            if frame == 'end-94' or self.router.vrf:
                self.measure('plain IPv6', frame, None)
        for row in chosen:
            self.measure(row.name, row.frame, row)


def main():
    """Measure, write a JSON file."""
    args = guest.options()
    bench = Native(args)
    wanted = args.rows.split(',') if args.rows else None
    chosen = [r for r in rows.ROWS if not wanted or r.name in wanted]
    bench.pass_through([r for r in chosen if not r.vrf])
    if any(r.vrf for r in chosen):
        bench.router.add_vrf()
        guest.ip(['route add 10.10.0.0/16 via 10.2.0.3 dev out0 table 200'])
        bench.pass_through([r for r in chosen if r.vrf])
    with open(args.output, 'w', encoding='ascii') as file:
        json.dump({'release': os.uname().release,
                   'version': os.uname().version,
                   'native': bench.results, 'faults': bench.faults}, file)
    return 1 if bench.faults else 0


if __name__ == '__main__':
    sys.exit(main())
