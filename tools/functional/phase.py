# SPDX-License-Identifier: GPL-2.0-only
"""One encap under test: its routes on a fresh node, frames sent, outcomes."""
import os
import socket
import subprocess
import time

import decode
import bpf
import encap
import frames
import netlink
import node
import spoil

OURS = 'seg6local_noref'
TREE = 'seg6local'
SLOT = '/sys/module/' + OURS + '/parameters/encap_type'
# In a virtio header
GSO_TCPV4, GSO_TCPV6 = 1, 4
CAUSES = '/proc/self/net/' + OURS


class Failure(Exception):
    """A case did not do what it must."""


def read_slot():
    """The lwtunnel slot of our module, which is loaded if need be."""
    if not os.path.exists(SLOT):
        subprocess.run(['modprobe', OURS], check=False)
    with open(SLOT, encoding='ascii') as file:
        return int(file.read())


def read_causes():
    """{cause: count} of this namespace's drop statistics."""
    with open(CAUSES, encoding='ascii') as file:
        return {name: int(value) for name, value in
                (line.split() for line in file)}


class Phase:
    """One encap on a fresh node."""

    def __init__(self, cfg, kind, cases):
        self.cfg = cfg
        self.encap = kind
        self.table = cfg.table
        self.node = node.Node(cfg.table, cfg.ip, 'vrf' not in cfg.quirks.absent)
        self.builder = frames.Builder(cfg.table.addrs, cfg.table.macros,
                                      cfg.table.macs, cfg.table.keys)
        self.trouble = {}
        self.programs = {}
        self.slot = read_slot() if kind == OURS else netlink.SEG6_LOCAL_SLOT
        self.install(cases)
        self.names = {self.builder.addr(s.addr): s.name
                      for s in self.table.sids.values()}

    def command(self, sid):
        """Words that add a SID route."""
        kind = TREE if sid.kernels else self.encap
        return (['route', 'add', sid.prefix, 'encap', kind, 'action'] +
                sid.words + ['count', 'dev', sid.dev])

    def install(self, cases):
        """Add the SID routes that the cases use."""
        wanted = {name for case in cases for name in case.sids}
        sids = [s for s in self.table.sids.values() if s.name in wanted and
                not s.needs() & set(self.cfg.quirks.absent)]
        if self.encap == TREE:
            sids = [s for s in sids if 'replace-csid' not in ' '.join(s.words)]
        tool = self.cfg.ip if self.encap == TREE else self.cfg.tool
        for sid in [s for s in sids if s.action == 'End.BPF']:
            self.trouble[sid.name] = self.by_netlink(sid)
            sids.remove(sid)
        if self.encap == OURS:
            self.batch(self.cfg.ip, [s for s in sids if s.kernels])
            sids = [s for s in sids if not s.kernels]
        if tool != '-':
            self.batch(tool, sids)
            return
        for sid in sids:
            trouble = self.by_netlink(sid)
            if trouble:
                self.trouble[sid.name] = trouble

    def program(self, name):
        """File descriptor of a BPF program."""
        if name not in self.programs:
            self.programs[name] = bpf.load(name)
        return self.programs[name]

    def batch(self, tool, sids):
        """Add SID routes with stock ip or the helper."""
        text = '\n'.join(' '.join(self.command(s)) for s in sids)
        self.trouble['*'] = self.trouble.get('*', '') + node.batch(
            tool, text + '\n')

    def by_netlink(self, sid):
        """Add a SID route without the helper; return the complaint."""
        try:
            words = encap.from_words(sid.words, self.program)
        except OSError as error:
            return 'BPF: %s' % error
        data = netlink.wrap(self.slot,
                            encap.attributes(words, {}, self.builder))
        try:
            self.node.rtnl.request(
                netlink.RTM_NEWROUTE, netlink.ACK | netlink.CREATE,
                netlink.route(sid.prefix, self.slot, data,
                              socket.if_nametoindex(sid.dev)))
        except netlink.NetlinkError as error:
            return '%s %s' % (error, error.text)
        return ''

    def counters(self):
        """{SID name: (packets, bytes, errors)}."""
        found = netlink.counters(self.node.rtnl, self.slot,
                                 netlink.SEG6_LOCAL_SLOT)
        return {self.names[a]: c for a, c in found.items() if a in self.names}

    def run(self, case):
        """Run one case; return what is wrong with it, or ''."""
        outcome = (case.here if self.encap == OURS else
                   self.cfg.quirks.tree(case))
        try:
            if outcome and outcome.refused:
                troubles = self.refused(case)
            elif self.cfg.spoil:
                troubles = self.spoiled(case, outcome)
            elif outcome:
                troubles = self.misses(case, outcome)
            elif self.misses(case, case.here):
                troubles = []
            else:
                troubles = ['the difference that the table lists is gone']
        except (Failure, node.NodeError, frames.NotationError,
                OSError) as error:
            troubles = [str(error)]
        if troubles and self.cfg.both:
            troubles[0] = '%s: %s' % (self.encap, troubles[0])
        return '\n'.join(troubles)

    def refused(self, case):
        """The in-tree encap must not have taken all of the case's SIDs."""
        if set(case.sids) - set(self.counters()):
            return []
        return ['SID %s was not refused' % ' '.join(case.sids)]

    def spoiled(self, case, outcome):
        """Run one case against a wrong outcome, which it must miss."""
        kind = self.cfg.spoil
        if kind == 'cause' and self.encap == TREE:
            return []
        bad = outcome and spoil.outcome(kind, outcome)
        if not bad or self.misses(case, bad):
            return []
        return ['a wrong %s passes' % kind]

    def misses(self, case, outcome):
        """Run one case; return lines that say how it misses an outcome."""
        before = self.counters()
        for name in case.sids:
            if name not in before:
                raise Failure('SID %s is missing: %s' % (
                    name, (self.trouble.get(name) or
                           self.trouble.get('*', ''))[:300]))
        causes = read_causes() if self.encap == OURS else {}
        seen = self.exchange(case)
        return (self.compare_frames(outcome, seen) +
                self.compare_counters(case, outcome, before) +
                self.compare_causes(outcome, causes))

    def exchange(self, case):
        """Send the case's frame; return what came out."""
        undo = [self.setup(*word) for word in case.setup]
        sid = self.table.sids[case.sids[0]]
        try:
            frame = self.builder.frame(case.frame, 's', 'na',
                                       default='6(S>%s)' % sid.addr)
            self.send(case, frame)
            return self.node.collect(self.builder)
        finally:
            for action in reversed(undo):
                action()

    def send(self, case, frame):
        """Send the frame of a case in the way that it asks for."""
        size = int(dict(case.setup).get('gso', 0))
        if not size:
            self.node.send(frame, ('paged', '') in case.setup)
            return
        payload = int(self.builder.layers(case.frame)[-1].arg(0))
        start = len(frame) - payload - 20
        frame = frame[:start + 16] + self.builder.partial + frame[start + 18:]
        kind = GSO_TCPV4 if ' 4(' in case.frame else GSO_TCPV6
        self.node.send_gso(frame, start, kind, size)

    def setup(self, name, value):
        """Apply one +NAME=VALUE of a case; return how to undo it."""
        paths = {'hmac': 'net/ipv6/conf/na/seg6_require_hmac',
                 'forwarding': 'net/ipv6/conf/all/forwarding',
                 'rp_filter': 'net/ipv4/conf/na/rp_filter'}
        if name in paths:
            old = node.sysctl(paths[name], value)
            return lambda: node.sysctl(paths[name], old)
        if name in ('na', 'nb', 'nd') and value.isdigit():
            self.node.mtu(name, int(value))
            return lambda: self.node.mtu(name, 1500)
        if name in ('nd', 'vrf'):
            self.node.interrupt(name, value)
            return self.node.restore
        if name == 'flowlabel':
            old = node.sysctl('net/ipv6/seg6_flowlabel', value)
            return lambda: node.sysctl('net/ipv6/seg6_flowlabel', old)
        if name == 'rules':
            self.node.rules('add')
            return lambda: self.node.rules('del')
        if name == 'tap':
            self.node.tap_on()
            return self.node.tap_off
        if name == 'pause':
            time.sleep(float(value))
        if name == 'gso':
            self.node.offload('nb', 0)
            return lambda: self.node.offload('nb', 1)
        if name in ('paged', 'pause'):
            return lambda: None
        raise Failure('unknown set-up +%s' % name)

    def expected(self, notation, dev, seen):
        """Octets of an expected frame; seen lends its IPv4 identifier."""
        ident = 0
        if seen and seen[12:14] == b'\x08\x00':
            ident = int.from_bytes(seen[18:20], 'big')
        ends = ('s', 'na', 64) if dev == 'tap' else (dev, node.PEERS[dev], 63)
        frame = self.builder.frame(notation, *ends, ident=ident)
        return spoil.octets(self.cfg.spoil, frame)

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
                 if v != before.get(n, 0) and not n.startswith('nexthop_')}
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
    same = len(os.path.commonprefix([want, have]))
    for label, octets in (('want', want), ('have', have)):
        if octets:
            lines.append('%s %s' % (label, decode.frame(octets)))
            lines += ['  ' + line for line in decode.dump(octets, same)]
    return lines
