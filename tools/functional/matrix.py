# SPDX-License-Identifier: GPL-2.0-only
"""Cases made from the table of flavors: each combination, in each state.

flavors.txt says it all; this only multiplies it out:

    state NAME          | FRAME IN   | OCTETS
    step WORD [STATE]   | FRAMES OUT | CAUSE or -
    flavors WORDS or -  | step in each state, in the order of the states
    shift STATE         | step of NEXT-CSID | the state that it is to others
    intree ENDPOINT     | FLAVORS    | FLAVORS whose effect they have in-tree
    expand ENDPOINT     | ADDRESS    | ENCAP WORDS | NAME=VALUE ..

In ADDRESS # stands for the number of the combination, in frames <NAME> for a
VALUE, <SID> for the SID and <ARG> for the SID with the argument 2:3::.
"""
import re

import encap

KINDS = ('state', 'step', 'flavors', 'shift', 'intree', 'expand')
NEXT = 'next-csid'


class Matrix:
    """The rows read so far; those of older kernels (quirks) come first."""

    def __init__(self, older):
        self.older = older
        self.states, self.shifts = {}, {}
        self.steps, self.flavors, self.intree = {}, {}, {}

    def read(self, fields):
        """Take a row; return [(SID words, [case fields])] that it makes."""
        kind, *words = fields[0].split()
        if kind == 'state':
            self.states[words[0]] = (fields[1], int(fields[2]))
        elif kind == 'step':
            self.steps[tuple(words)] = fields[1:3]
        elif kind == 'flavors':
            self.flavors[words[0]] = fields[1:]
        elif kind == 'shift':
            self.shifts[words[0]] = fields[1:3]
        elif kind == 'intree':
            self.intree[words[0], fields[1]] = fields[2]
        else:
            return self.expand(words[0], *fields[1:])
        return []

    def step(self, flavors, state):
        """What a SID with these flavors does in a state."""
        table = [s for s in self.states if s not in self.shifts]
        if NEXT in flavors and state in self.shifts:
            return self.shifts[state][0]
        rest = ','.join(f for f in flavors.split(',') if f != NEXT) or '-'
        alike = self.shifts[state][1] if state in self.shifts else state
        return self.flavors[rest][table.index(alike)]

    def outcome(self, word, state):
        """(frames out, cause) of a step in a state."""
        return self.steps.get((word, state)) or self.steps[(word,)]

    def combinations(self):
        """All sets of flavors, as words."""
        for words in self.flavors:
            yield words
            yield NEXT if words == '-' else words + ',' + NEXT

    def expand(self, endpoint, prefix, encap, names):
        """Every combination of flavors on one endpoint."""
        names = dict(pair.split('=', 1) for pair in names.split(', '))
        for number, flavors in enumerate(self.combinations(), 16):
            name = '%s_%s' % (endpoint, flavors.replace('-', '').replace(
                ',', '_') or 'plain')
            address = prefix.replace('#', '%x' % number)
            names.update(SID=name, ARG=address.replace('::/48', ':2:3::'))
            words = [name, address] + encap.split()
            if flavors != '-':
                words += ['flavors', flavors]
            yield words, [self.case(endpoint, name, flavors, state, names)
                          for state in self.states]

    def like(self, endpoint, flavors):
        """Flavors whose effect these have in-tree, or refused."""
        for rules in (self.older, self.intree):
            for key in (endpoint, flavors), (endpoint, '*'):
                if key in rules:
                    return rules[key]
        return 'refused'

    def case(self, endpoint, name, flavors, state, names):
        """Fields of one case."""
        def fill(text):
            return re.sub(r'<(\w+)>', lambda m: names[m.group(1)], text)

        frame, size = self.states[state]
        word = self.step(flavors, state)
        frames, cause = self.outcome(word, state)
        fields = ['-', 'flavors_%s_in_%s' % (name, state), name, fill(frame),
                  fill(frames), count(cause, size)]
        like = self.like(endpoint, flavors)
        if like == 'refused':
            return fields + ['tree D17 refused']
        tree = self.step(like, state)
        if tree != word:
            frames, cause = self.outcome(tree, state)
            fields.append('tree %s %s %s' % (
                'D16' if NEXT in like else 'D17', fill(frames),
                count(cause, size).split()[0]))
        return fields


def count(cause, size):
    """P/B/E and cause of a packet that is dropped for it, or - not."""
    return '1/%d/0' % size if cause == '-' else '0/0/1 ' + cause


class Refusals:
    """Routes that are refused for the same reason, many at once."""

    KINDS = ('surplus', 'lengths', 'twice')

    def __init__(self):
        self.values = {}

    def read(self, fields):
        """Fields of the refuse rows that a row stands for."""
        return getattr(self, fields[0])(*fields[1:])

    def surplus(self, name, base, others):
        """Each of the others is one that the action does not use."""
        for other in others.split():
            yield self.row('%s_surplus_%s' % (name, other), base + ' ' +
                           self.values[other], 'EINVAL', other,
                           'not used by this action')

    def lengths(self, name, base, word, sizes):
        """Each size is a wrong one for the attribute."""
        for size in sizes.split():
            yield self.row('%s_%s_octets_%s' % (name, word, size),
                           '%s %s=/%s' % (base, word, size), 'ERANGE', word,
                           'wrong length')

    def twice(self, name, base, others):
        """Each of the others is given twice."""
        for other in others.split():
            yield self.row('%s_%s_twice' % (name, other), ' '.join(
                [base] + [self.values[other]] * 2), 'EINVAL', other,
                           'given twice')

    @staticmethod
    def row(name, attrs, error, word, reason):
        """One refuse row."""
        return ['refuse', name, attrs, error,
                '%s: %s$' % (encap.NAMES.get(word, word), reason)]
