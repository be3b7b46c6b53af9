#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Functional tests of seg6local_noref: frames in, frames out, counters.

Runs as root in a guest, or anywhere the kernel has network namespaces.
"""
import argparse
import errno
import json
import os
import re
import shutil
import socket
import subprocess
import sys

import decode
import frames
import netlink
import node
import table

HERE = os.path.dirname(os.path.abspath(__file__))
OURS = 'seg6local_noref'
TREE = 'seg6local'
SLOT = '/sys/module/' + OURS + '/parameters/encap_type'
CAUSES = '/proc/self/net/' + OURS


class Failure(Exception):
    """A case did not do what it must."""


class Report:
    """Result lines, and the totals at the end."""

    def __init__(self):
        self.results = {}
        self.early = {}

    def note(self, name, trouble):
        """Remember a result that a later phase completes."""
        if trouble:
            self.early[name] = trouble

    def case(self, name, trouble):
        """Print a result; trouble is empty if the case passed."""
        parts = [t for t in (self.early.pop(name, ''), trouble) if t]
        text = '\n'.join(parts)
        self.results[name] = text
        if not text:
            print('ok', name, flush=True)
            return
        first, *rest = text.split('\n')
        print('not ok %s: %s' % (name, first))
        for line in rest:
            print('#', line)
        sys.stdout.flush()

    def totals(self):
        """Print the last line; return the exit status."""
        failed = sum(1 for text in self.results.values() if text)
        print('%d passed, %d failed' % (len(self.results) - failed, failed))
        return 1 if failed or not self.results else 0

    def save(self, path):
        """Write the results as JSON."""
        with open(path, 'w', encoding='ascii') as file:
            json.dump(self.results, file, indent=1, sort_keys=True)


def read_slot():
    """The lwtunnel slot of our module."""
    with open(SLOT, encoding='ascii') as file:
        return int(file.read())


def read_causes():
    """{cause: count} of this namespace's drop statistics."""
    with open(CAUSES, encoding='ascii') as file:
        return {name: int(value) for name, value in
                (line.split() for line in file)}


class Phase:
    """All cases through one encap, on a fresh node."""

    def __init__(self, cfg, encap):
        self.cfg = cfg
        self.encap = encap
        self.table = cfg.table
        self.node = node.Node(cfg.table, cfg.ip, 'vrf' not in cfg.quirks.absent)
        self.builder = frames.Builder(cfg.table.addrs, cfg.table.macros,
                                      cfg.table.macs, cfg.table.keys)
        self.trouble = {}
        self.install()
        self.slot = read_slot() if encap == OURS else netlink.SEG6_LOCAL_SLOT
        self.names = {self.builder.addr(s.addr): s.name
                      for s in self.table.sids.values()}

    def command(self, sid):
        """Words that add a SID route."""
        return ['route', 'add', sid.addr + '/128', 'encap', self.encap,
                'action'] + sid.words + ['count', 'dev', sid.dev]

    def install(self):
        """Add the SID routes that the chosen cases use."""
        wanted = {name for case in self.cfg.cases for name in case.sids}
        sids = [s for s in self.table.sids.values() if s.name in wanted and
                not s.needs() & set(self.cfg.quirks.absent)]
        if self.encap == TREE:
            text = '\n'.join(' '.join(self.command(s)) for s in sids)
            self.trouble['*'] = node.batch(self.cfg.ip, text + '\n')
            return
        for sid in sids:
            done = subprocess.run([self.cfg.tool, '-6'] + self.command(sid),
                                  stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT,
                                  universal_newlines=True, check=False)
            if done.returncode:
                self.trouble[sid.name] = done.stdout.strip()

    def counters(self):
        """{SID name: (packets, bytes, errors)}."""
        found = netlink.counters(self.node.rtnl, self.slot)
        return {self.names[a]: c for a, c in found.items() if a in self.names}

    def run(self, case):
        """Run one case; return what is wrong with it, or ''."""
        outcome = (case.here if self.encap == OURS else
                   self.cfg.quirks.tree(case))
        if outcome:
            return self.check(case, outcome)
        if self.check(case, case.here):
            return ''
        return self.encap + ': the difference that the table lists is gone'

    def check(self, case, outcome):
        """Run one case; return how it misses an outcome, or ''."""
        try:
            before = self.counters()
            for name in case.sids:
                if name not in before:
                    raise Failure('SID %s is missing: %s' % (
                        name, self.trouble.get(name) or
                        self.trouble.get('*', '')))
            causes = read_causes() if self.encap == OURS else {}
            seen = self.exchange(case)
            troubles = (self.compare_frames(outcome, seen) +
                        self.compare_counters(case, outcome, before) +
                        self.compare_causes(outcome, causes))
        except (Failure, node.NodeError, frames.NotationError) as error:
            troubles = [str(error)]
        if troubles and self.cfg.both:
            troubles[0] = '%s: %s' % (self.encap, troubles[0])
        return '\n'.join(troubles)

    def exchange(self, case):
        """Send the case's frame; return what came out."""
        undo = [self.setup(*word) for word in case.setup]
        paged = ('paged', '') in case.setup
        sid = self.table.sids[case.sids[0]]
        try:
            frame = self.builder.frame(case.frame, 's', 'na',
                                       default='6(S>%s)' % sid.addr)
            self.node.send(frame, paged)
            return self.node.collect(self.builder)
        finally:
            for action in reversed(undo):
                action()

    def setup(self, name, value):
        """Apply one +NAME=VALUE of a case; return how to undo it."""
        paths = {'hmac': 'net/ipv6/conf/na/seg6_require_hmac',
                 'forwarding': 'net/ipv6/conf/all/forwarding',
                 'rp_filter': 'net/ipv4/conf/na/rp_filter'}
        if name in paths:
            old = node.sysctl(paths[name], value)
            return lambda: node.sysctl(paths[name], old)
        if name in ('na', 'nb'):
            self.node.mtu(name, int(value))
            return lambda: self.node.mtu(name, 1500)
        if name == 'tap':
            self.node.tap_on()
            return self.node.tap_off
        if name == 'paged':
            return lambda: None
        raise Failure('unknown set-up +%s' % name)

    def expected(self, notation, dev, seen):
        """Octets of an expected frame; seen lends its IPv4 identifier."""
        ident = 0
        if seen and seen[12:14] == b'\x08\x00':
            ident = int.from_bytes(seen[18:20], 'big')
        if dev == 'tap':
            return self.builder.frame(notation, 's', 'na', 64, ident=ident)
        return self.builder.frame(notation, dev, node.PEERS[dev], 63,
                                  ident=ident)

    def compare_frames(self, outcome, seen):
        """Frames out, whole and in order, and none too many."""
        troubles = []
        for dev in sorted({d for d, _ in outcome.frames + seen}):
            want = [f for d, f in outcome.frames if d == dev]
            have = [f for d, f in seen if d == dev]
            for i in range(max(len(want), len(have))):
                got = have[i] if i < len(have) else b''
                octets = b''
                if i < len(want):
                    octets = self.expected(want[i], dev, got)
                if octets != got:
                    troubles += difference(dev, octets, got)
        return troubles

    def compare_counters(self, case, outcome, before):
        """The SIDs' counters moved as told, all others not at all."""
        troubles = []
        after = self.counters()
        for name, values in after.items():
            moved = tuple(a - b for a, b in zip(values, before[name]))
            want = (0, 0, 0)
            if name in case.sids:
                want = outcome.move(case.sids.index(name))
            if moved != want:
                troubles.append('counters of %s: want %d/%d/%d, moved '
                                '%d/%d/%d' % ((name,) + want + moved))
        return troubles

    def compare_causes(self, outcome, before):
        """Drop causes moved as told: the one named by 1, the others not."""
        if self.encap != OURS:
            return []
        want = {}
        if outcome.cause:
            want[outcome.cause] = 1
        moved = {n: v - before.get(n, 0) for n, v in read_causes().items()
                 if v != before.get(n, 0)}
        if moved == want:
            return []
        return ['drop causes: want %s, moved %s' % (want, moved)]


def difference(dev, want, have):
    """Lines that show two frames that should be one."""
    lines = []
    if not want:
        lines.append('%s: unexpected frame' % dev)
    elif not have:
        lines.append('%s: no frame' % dev)
    else:
        lines.append('%s: frame differs' % dev)
    for label, octets in (('want', want), ('have', have)):
        if octets:
            lines.append('%s %s' % (label, decode.frame(octets)))
            lines += ['  ' + line for line in decode.dump(octets)]
    return lines


def refusals(phase, report):
    """Routes that the module must refuse, saying which attribute is wrong."""
    numbers = dict(phase.table.addrs, na=socket.if_nametoindex('na'),
                   nb=socket.if_nametoindex('nb'))
    numbers = {k: str(v) for k, v in numbers.items()}
    for row in phase.cfg.refusals:
        trouble = ''
        data = netlink.wrap(phase.slot, netlink.local_attrs(row.attrs, numbers))
        body = netlink.route('fc00:1::ffff', phase.slot, data,
                             int(numbers['na']))
        flags = netlink.ACK | netlink.CREATE | netlink.EXCL
        code, text = '-', ''
        try:
            phase.node.rtnl.request(netlink.RTM_NEWROUTE, flags, body)
            phase.node.rtnl.request(netlink.RTM_DELROUTE, netlink.ACK, body)
        except netlink.NetlinkError as error:
            code = errno.errorcode.get(error.errno, str(error.errno))
            text = error.text
        if code != row.error:
            trouble = 'want %s, got %s %r' % (row.error, code, text)
        elif row.word != '-' and not re.search(row.word, text):
            trouble = 'the kernel says %r, not %r' % (text, row.word)
        report.case(row.name, trouble)


def plan(cfg):
    """The cases to run, and which of them the kernel cannot."""
    cfg.cases, cfg.refusals = [], []
    pattern = re.compile(cfg.case)
    for case in cfg.table.cases:
        needs = set().union(*(cfg.table.sids[n].needs() for n in case.sids))
        lack = needs & set(cfg.quirks.absent)
        if not pattern.search(case.name):
            continue
        if lack:
            print('# %s not run: %s' % (
                case.name, cfg.quirks.absent[lack.pop()]))
            continue
        cfg.cases.append(case)
    cfg.refusals = [r for r in cfg.table.refusals if pattern.search(r.name)]


def run_phases(cfg, report):
    """Every case through every chosen encap."""
    order = {'both': [TREE, OURS]}.get(cfg.encap, [cfg.encap])
    for encap in order:
        phase = Phase(cfg, encap)
        for case in cfg.cases:
            if encap == TREE and case.name in cfg.quirks.skips:
                print('# %s: %s not run: %s' % (
                    case.name, TREE, cfg.quirks.skips[case.name]))
                continue
            trouble = phase.run(case)
            if encap == order[-1]:
                report.case(case.name, trouble)
            else:
                report.note(case.name, trouble)
        if encap == OURS:
            refusals(phase, report)
        phase.node.close()


def options():
    """Command line."""
    release = os.uname().release.split('.')
    quirks = os.path.join(HERE, 'quirks-%s.%s.txt' % tuple(release[:2]))
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--encap', default='both',
                        choices=[TREE, OURS, 'both'])
    parser.add_argument('--case', default='', metavar='REGEX',
                        help='only cases whose name matches')
    parser.add_argument('--table', default=os.path.join(HERE, 'vectors.txt'))
    parser.add_argument('--kernel-quirks', metavar='FILE',
                        default=quirks if os.path.exists(quirks) else None,
                        help='what the in-tree code of this kernel does '
                        'otherwise (default: by release)')
    parser.add_argument('--tool', metavar='FILE',
                        default=os.path.join(HERE, '../seg6noref/seg6noref'),
                        help='the helper that installs our routes')
    parser.add_argument('--ip', metavar='FILE',
                        default='/sbin/ip' if os.path.exists('/sbin/ip') else
                        shutil.which('ip'), help='stock ip')
    parser.add_argument('--json', metavar='FILE',
                        help='write the results there')
    return parser.parse_args()


def main():
    """Run what the command line asks for."""
    cfg = options()
    cfg.both = cfg.encap == 'both'
    cfg.table = table.Table(cfg.table)
    cfg.quirks = table.Quirks(cfg.kernel_quirks)
    cfg.quirks.check(cfg.table)
    report = Report()
    plan(cfg)
    run_phases(cfg, report)
    if cfg.json:
        report.save(cfg.json)
    return report.totals()


if __name__ == '__main__':
    sys.exit(main())
