# SPDX-License-Identifier: GPL-2.0-only
"""What packets wrote where, from the windows that the QEMU plugin counted.

A window of few frames is subtracted from one of many, so that what is left
is the packets' work and not the system call's. A line is shared if both
CPUs, each with packets of its own, touch it at least once for every four
packets and one of them writes to it as often; memory that is recycled is
touched by the other CPU less than that.
"""
import bisect
import collections

STORE, ATOMIC, PERCPU, PUSH = 1, 2, 4, 8
OFTEN = 4
PAGE_LINES = 64
VMALLOC, VMALLOC_END = 0xffffc90000000000 >> 6, 0xffffe90000000000 >> 6
PERCPU_REACH = 0x40000 >> 6
CLASSES = ('shared', 'skb', 'percpu', 'stack')
# Waiting for the other CPU while the program is loaded: as long as it takes.
WAITING = {'smp_call_function_many_cond', 'native_queued_spin_lock_slowpath',
           'csd_lock_wait'}
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

    def touch(self, pc, line, kind, count):
        """File an access."""
        self.accesses.append((pc, line, kind, count))
        seen = self.lines.setdefault(line, [0, 0, 0])
        seen[0] += count
        if kind & STORE:
            seen[1] += count
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
            elif words[0] != words[1]:
                raise ValueError('%s exceptions, %s returns' % tuple(words))
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
    for name in WAITING:
        cost.pop(name, None)
    return cost, calls


def writes(window, places, symbols):
    """{(class, atomic, function): stores}."""
    found = collections.Counter()
    for pc, line, kind, count in window.accesses:
        if kind & STORE:
            name = symbols.name(pc)
            if name not in WAITING:
                found[places.of(line), bool(kind & ATOMIC), name] += count
    return found


def less(many, few):
    """Difference of two Counters, negative ones too."""
    found = collections.Counter(many)
    found.subtract(few)
    return found


def digest(pair, other, symbols, packets):
    """The figures of a row: of the windows of one CPU, and of the other."""
    few, many = pair
    shared = shared_lines(many, other, packets)
    places = Places([few, many, other], shared)
    stores = less(writes(many, places, symbols), writes(few, places, symbols))
    cost, calls = (less(m, f) for m, f in zip(
        instructions(many, symbols), instructions(few, symbols)))
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
        1 for line in shared if many.lines[line][1] >= packets / OFTEN)
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
    """The rows of a result, with figures in place of window numbers."""
    symbols, windows = Symbols(found['symbols']), read(path)
    packets = found['many'] - found['few']
    done = []
    for row in found['atomics']:
        row = dict(row)
        one, two = [[windows[n] for n in pair] for pair in row.pop('windows')]
        row.update(digest(one, two[1], symbols, packets))
        done.append(row)
    return done
