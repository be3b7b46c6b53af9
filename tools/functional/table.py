# SPDX-License-Identifier: GPL-2.0-only
"""Reader of vectors/ and of the quirks files (README.md has the syntax)."""
import os
import re

import matrix

COUNTS = re.compile(r'^(\d+)/(\d+)/(\d+)$')
TREE = re.compile(r'^tree ((?:D\d+|\d\.\d+)(?:,D\d+)*)'
                  r'(?:\s+(?:(.*)\s)?([\d/,]+))?$')
REFUSED = re.compile(r'^tree (D\d+|-) refused$')
NAME = re.compile(r'^[a-z0-9_]+$')


class TableError(ValueError):
    """The table does not read."""


def counts(text):
    """[(packets, bytes, errors)] of P/B/E,…: one for each SID or for all."""
    moves = []
    for part in text.split(','):
        match = COUNTS.match(part)
        if not match:
            raise TableError('not packets/bytes/errors: %r' % part)
        moves.append(tuple(int(n) for n in match.groups()))
    return moves


def result(text):
    """[(device, frame notation)] of 'dev: frame & dev: frame' or 'drop'."""
    if text == 'drop':
        return []
    frames = []
    for part in text.split(' & '):
        dev, colon, frame = part.strip().partition(': ')
        if not colon:
            raise ValueError('not a result: %r' % part)
        frames.append((dev, frame.strip()))
    return frames


class Outcome:
    """What a case must do: frames out and how its counters move."""

    def __init__(self, frames, moves, cause=None, departures=''):
        self.frames = frames
        self.moves = moves
        self.cause = cause
        self.departures = departures
        self.refused = False

    def move(self, index):
        """Counter movement of the case's SID number index."""
        return self.moves[min(index, len(self.moves) - 1)]


def refusal():
    """The outcome where the SID is refused."""
    outcome = Outcome([], [(0, 0, 0)])
    outcome.refused = True
    return outcome


class Case:
    """One row of the table."""

    def __init__(self, fields):
        if len(fields) not in (6, 7):
            raise ValueError('%d fields' % len(fields))
        self.row, self.name = fields[0], fields[1]
        if not NAME.match(self.name):
            raise ValueError('not a name: %r' % self.name)
        words = fields[2].split()
        self.sids = [w for w in words if not w.startswith('+')]
        self.setup = [tuple(w[1:].partition('=')[::2])
                      for w in words if w.startswith('+')]
        self.frame = fields[3]
        moves = fields[5].split()
        self.here = Outcome(result(fields[4]), counts(moves[0]),
                            moves[1] if len(moves) > 1 else None)
        self.tree = self.here
        if len(fields) == 7 and REFUSED.match(fields[6]):
            self.tree = refusal()
        elif len(fields) == 7:
            match = TREE.match(fields[6])
            if not match:
                raise ValueError('not an in-tree outcome: %r' % fields[6])
            self.tree = self.outcome(match)

    def outcome(self, match):
        """In-tree outcome, None if it is only known to be another one.

        Without a result it is the required one.
        """
        if not match.group(3):
            return None
        frames = self.here.frames
        if match.group(2):
            frames = result(match.group(2).strip())
        return Outcome(frames, counts(match.group(3)), None, match.group(1))


class Hook(Case):
    """A case that watches netfilter: a rule, and how often it must match."""

    def __init__(self, fields):
        if len(fields) not in (8, 9):
            raise ValueError('%d fields' % len(fields))
        _, name, sids, rule, frame, frames, moves, seen = fields[:8]
        super().__init__(['-', name, sids, frame, frames, moves] + fields[8:])
        self.chain, _, self.rule = rule.partition(': ')
        self.seen = int(seen)


class Sid:
    """A SID route: name, address, device and encap words."""

    def __init__(self, name, addr, words):
        self.name = name
        self.addr, _, plen = addr.partition('/')
        self.prefix = '%s/%s' % (self.addr, plen or 128)
        self.dev = 'na'
        # Beside ours in one node, to see both in one packet
        self.kernels = words[0] == 'seg6local'
        words = words[1:] if self.kernels else words
        if len(words) > 2 and words[-2] == 'dev':
            self.dev = words[-1]
            words = words[:-2]
        self.action = words[0]
        self.words = words

    def needs(self):
        """Optional features of the kernel this SID depends on."""
        vrf = {'vrftable', 'vrf100'}
        if self.action == 'End.X':
            vrf.add('nd')
        if self.action == 'End.T':
            vrf.add('100')
        needs = {'vrf'} if vrf & set(self.words) else set()
        return needs | ({'bpf'} if self.action == 'End.BPF' else set())


class Refusal:
    """A route the kernel must refuse, or take if the error is '-'."""

    def __init__(self, fields):
        if len(fields) != 5:
            raise ValueError('%d fields' % len(fields))
        self.name, self.attrs, self.error, self.word = fields[1:]

    def needs(self):
        """Optional features of the kernel that make the answer."""
        wanted = {w for w in self.attrs.split() if w.startswith('vrftable=')}
        odd = self.error in ('EINVAL', 'ERANGE')
        return {'vrf'} if wanted and not odd else set()


class Table:
    """All that the table's files say; names.txt includes the others."""

    def __init__(self, path, older=()):
        self.addrs, self.macros, self.macs = {}, {}, {}
        self.keys, self.sids = {}, {}
        self.cases, self.refusals, self.hooks = [], [], []
        self.wanted, self.elsewhere = [], {}
        self.matrix = matrix.Matrix(dict(older))
        self.alike = matrix.Refusals()
        self.load(path)
        self.check()

    def load(self, path):
        """Take all rows of a file."""
        for number, text in rows(path):
            try:
                if text.startswith('include '):
                    self.load(os.path.join(os.path.dirname(path),
                                           text.split()[1]))
                else:
                    self.read(text)
            except (ValueError, IndexError, KeyError) as error:
                if isinstance(error, TableError):
                    raise
                raise TableError('%s:%d: %r' % (path, number,
                                                error)) from error

    def read(self, text):
        """Take one row."""
        if '|' in text:
            fields = [f.strip() for f in text.split('|')]
            if fields[0] == 'refuse':
                self.refusals.append(Refusal(fields))
            elif fields[0] == 'hook':
                self.hooks.append(Hook(fields))
            elif fields[0] == 'elsewhere':
                self.elsewhere[fields[1]] = fields[2]
            elif fields[0] in self.alike.KINDS:
                self.refusals += map(Refusal, self.alike.read(fields))
            elif fields[0].split()[0] in matrix.KINDS:
                self.generated(fields)
            else:
                self.cases.append(Case(fields))
            return
        kind, name, *words = text.split()
        if kind == 'addr':
            self.addrs[name] = words[0]
        elif kind == 'mac':
            self.macs[name] = words[0]
        elif kind == 'frame':
            self.macros[name] = ' '.join(words)
        elif kind == 'key':
            self.keys[name] = (int(words[0]), words[1])
        elif kind == 'sid':
            self.add_sid(name, words)
        elif kind == 'value':
            self.alike.values[name.partition('=')[0]] = name
        elif kind == 'rows':
            self.wanted += [name] + words
        else:
            raise ValueError('unknown row %r' % kind)

    def add_sid(self, name, words):
        """Take a SID: address and the words of its encap."""
        words = [','.join(self.addrs.get(a, a) for a in w.split(','))
                 for w in words]
        self.sids[name] = Sid(name, words[0], words[1:])
        self.addrs[name] = self.sids[name].addr

    def generated(self, fields):
        """Take a rule of the flavor table and the cases that it makes."""
        for sid, cases in self.matrix.read(fields):
            self.add_sid(sid[0], sid[1:])
            self.cases += [Case(case) for case in cases]

    def coverage(self):
        """[(row of the specification, where it is tested or '')]."""
        found = {row: [] for row in self.wanted}
        for case in self.cases:
            if case.row != '-':
                found[case.row].append(case.name)
        for row, where in self.elsewhere.items():
            found[row].append('elsewhere: ' + where)
        return [(row, ', '.join(names)) for row, names in found.items()]

    def check(self):
        """Names must be distinct, SIDs known and rows those we know of."""
        seen = set()
        for case in self.cases + self.hooks + self.refusals:
            if case.name in seen:
                raise TableError('two cases %r' % case.name)
            seen.add(case.name)
        for case in self.cases + self.hooks:
            for name in case.sids:
                if name not in self.sids:
                    raise TableError('%s: no SID %r' % (case.name, name))
            if case.row != '-' and case.row not in self.wanted:
                raise TableError('%s: no row %s' % (case.name, case.row))


def rows(path):
    """(line number, text) of the rows; indented lines continue a row."""
    number, text = 0, ''
    with open(path, encoding='ascii') as lines:
        for count, line in enumerate(lines, 1):
            line = line.rstrip()
            if not line or line.lstrip().startswith('#'):
                continue
            if line[0] == ' ':
                text += ' ' + line.strip()
                continue
            if text:
                yield number, text
            number, text = count, line
    if text:
        yield number, text


class Quirks:
    """How the in-tree code of one kernel differs from the table."""

    def __init__(self, path):
        self.outcomes, self.skips, self.absent = {}, {}, {}
        self.refused, self.same, self.intree = {}, {}, {}
        for number, text in rows(path) if path else ():
            fields = [f.strip() for f in text.split('|')]
            if len(fields) != 3 or not fields[2]:
                raise TableError('%s:%d: want CASE | WHAT | REASON' %
                                 (path, number))
            self.read(*fields)

    def read(self, name, what, reason):
        """Take one row."""
        if name.startswith('intree '):
            self.intree[tuple(name.split()[1:])] = what
        elif what == 'absent':
            self.absent[name] = reason
        elif what == 'skip':
            self.skips[name] = reason
        elif what == 'same':
            self.same[name] = reason
        elif what == 'refused':
            self.refused[name] = reason
        else:
            text, _, moves = what.rpartition(' ')
            self.outcomes[name] = (text, counts(moves))

    def tree(self, case):
        """In-tree outcome of a case on this kernel."""
        if set(case.sids) & set(self.refused):
            return refusal()
        if case.name in self.same:
            return case.here
        if case.name not in self.outcomes:
            return case.tree
        text, moves = self.outcomes[case.name]
        frames = result(text) if text else case.here.frames
        return Outcome(frames, moves)

    def check(self, table):
        """Every quirk must belong to a case."""
        known = {case.name for case in table.cases + table.hooks}
        for name in [*self.outcomes, *self.skips, *self.same]:
            if name not in known:
                raise TableError('quirk for unknown case %r' % name)
        for name in self.refused:
            if name not in table.sids:
                raise TableError('quirk for unknown SID %r' % name)
