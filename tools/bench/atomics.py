# SPDX-License-Identifier: GPL-2.0-only
"""What packets wrote where, from the windows that the QEMU plugin counted.

A line is shared if one CPU has an instruction that writes to it at least once
for every four packets, and the other CPU, with packets of its own, touches it
as often. Memory that is recycled for packet after packet is written to by each
instruction once for many packets.
"""
import bisect
import collections

STORE, ATOMIC, PERCPU, PUSH, REPEAT, VISIT = 1, 2, 4, 8, 16, 32
OFTEN = 4
BATCHES = 9
PAGE_LINES = 64
VMALLOC, VMALLOC_END = 0xffffc90000000000 >> 6, 0xffffe90000000000 >> 6
PERCPU_REACH = 0x40000 >> 6
CLASSES = ('shared', 'skb', 'percpu', 'stack')
COUNTED = {'dst_release': 'dst_release', 'dst_alloc': 'route_alloc'}


class Symbols:
    """Names of the kernel's functions."""

    def __init__(self, found):
        self.addresses = [address for address, _ in found]
        self.names = [name for _, name in found]
        self.starts = {address: name for address, name in found}

    def name(self, address):
        """The function that an address is in."""
        return self.names[max(bisect.bisect_right(
            self.addresses, address) - 1, 0)]


class Window:
    """The counts of a window."""

    def __init__(self):
        self.blocks = []
        self.accesses = []
        self.lines = {}
        self.visits = {}
        self.ends = None

    def is_whole(self, batches):
        """Whether exceptions ended, and as many batches ran as should."""
        return self.ends and self.ends[0] == self.ends[1] and (
            self.ends[2] == batches)

    def touch(self, pc, line, kind, count):
        """File an access."""
        if kind & VISIT:
            self.visits[line] = count
            return
        self.accesses.append((pc, line, kind, count))
        seen = self.lines.setdefault(line, [0, 0, 0])
        seen[0] += count
        if kind & STORE and not kind & REPEAT:
            seen[1] = max(seen[1], count)
        seen[2] |= kind


def read(path):
    """{number: Window} of the plugin's file."""
    found, window = {}, None
    with open(path, encoding='ascii') as file:
        for text in file:
            kind, *words = text.split()
            if kind == 'W':
                window = found[int(words[0])] = Window()
            elif kind == 'T':
                window.blocks.append((int(words[0], 16), int(words[1]),
                                      int(words[2])))
            elif kind == 'M':
                window.touch(int(words[0], 16), int(words[1], 16),
                             int(words[2]), int(words[3]))
            elif kind == 'X':
                window.ends = tuple(int(word) for word in words)
    return found


def shared_lines(one, two, packets):
    """Lines that the packets of both CPUs touch, and those of one write."""
    least = packets / OFTEN
    return {line for line, (touched, written, _) in one.lines.items()
            if touched >= least and line in two.lines
            and two.lines[line][0] >= least
            and max(written, two.lines[line][1]) >= least}


class Places:
    """Of what kind a line is."""

    def __init__(self, windows, shared):
        self.shared = shared
        self.stacks, percpu = set(), []
        for window in windows:
            for line, (_, _, kind) in window.lines.items():
                if kind & PUSH:
                    self.stacks.add(line // PAGE_LINES)
                if kind & PERCPU and not VMALLOC <= line < VMALLOC_END:
                    percpu.append(line)
        self.percpu = sorted(percpu)

    def near_percpu(self, line):
        """Whether a line is among those addressed as per-CPU ones."""
        place = bisect.bisect_left(self.percpu, line)
        return any(abs(near - line) < PERCPU_REACH
                   for near in self.percpu[max(place - 1, 0):place + 1])

    def of(self, line):
        """One of CLASSES."""
        if line in self.shared:
            return 'shared'
        if line // PAGE_LINES in self.stacks:
            return 'stack'
        if VMALLOC <= line < VMALLOC_END or self.near_percpu(line):
            return 'percpu'
        return 'skb'


def instructions(window, symbols):
    """{function: instructions}, {function: calls}."""
    cost, calls = collections.Counter(), collections.Counter()
    for address, size, runs in window.blocks:
        cost[symbols.name(address)] += size * runs
        if address in symbols.starts:
            calls[symbols.starts[address]] += runs
    return cost, calls


def writes(window, places, symbols):
    """{(class, atomic, function): stores}."""
    found = collections.Counter()
    for pc, line, kind, count in window.accesses:
        if kind & STORE:
            found[places.of(line), bool(kind & ATOMIC),
                  symbols.name(pc)] += count
    return found


def digest(window, other, symbols, packets):
    """The figures of a row: of the window of one CPU, and of the other."""
    shared = shared_lines(window, other, packets)
    stores = writes(window, Places([window, other], shared), symbols)
    cost, calls = instructions(window, symbols)
    found = {'insns': sum(cost.values()), 'rmw': 0, 'shared_writes': 0}
    found.update({'rmw_' + name: 0 for name in CLASSES})
    for (place, atomic, _), count in stores.items():
        if atomic:
            found['rmw'] += count
            found['rmw_' + place] += count
        if place == 'shared':
            found['shared_writes'] += count
    found.update({name: calls[symbol] for symbol, name in COUNTED.items()})
    found = {name: round(count / packets, 2)
             for name, count in found.items()}
    found['shared_lines'] = sum(
        1 for line in shared if window.lines[line][1] >= packets / OFTEN)
    found['visits_by_line'] = {
        '%x' % line: round(count / packets, 2)
        for line, count in sorted(window.visits.items())
        if line in shared and count >= packets / OFTEN}
    found['where'] = [
        {'symbol': name, 'class': place, 'atomic': atomic,
         'per_packet': round(count / packets, 2)}
        for (place, atomic, name), count in sorted(stores.items())
        if (atomic or place == 'shared') and count / packets >= .05]
    found['functions'] = {
        name: round(count / packets, 1) for name, count in cost.most_common()
        if count / packets >= 1}
    return found


def rows(found, path):
    """The rows of a result, with figures in place of window numbers.

    A window in which the kernel went to something else and did not come back
    by the way it went is no measurement.
    """
    symbols, windows = Symbols(found['symbols']), read(path)
    packets = found['packets']
    done = []
    for row in found['atomics']:
        row = dict(row)
        one, two = [windows[n] for n in row.pop('windows')]
        if not all(w.is_whole(BATCHES + 1) for w in (one, two)):
            raise ValueError('%s %s: a window ended with (exceptions, '
                             'returns, batches) %s or %s' % (
                                 row['row'], row['variant'], one.ends,
                                 two.ends))
        row.update(digest(one, two, symbols, packets))
        done.append(row)
    return done
