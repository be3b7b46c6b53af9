#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Runs in the guest: a router in a namespace of its own, rows measured on it.

The router receives on one dummy device and sends on another, so that what is
counted is forwarding and not a driver. A row is a behaviour in all variants;
they take turns, each beginning once.
"""
import argparse
import ctypes
import json
import os
import socket
import statistics
import subprocess
import sys
import time

import generator
import rows

import encap  # from tools/functional; rows.py has said where
import netlink

CLONE_NEWNET = 0x40000000
MODULE = 'seg6local_noref'
PARAMETERS = '/sys/module/%s/parameters/' % MODULE
# What each variant wants of the module, as far as the module knows it.
SETTINGS = {'noref': {'nexthop_hold': 'N', 'nexthop_cache': 'N'},
            'layer1': {'nexthop_hold': 'Y', 'nexthop_cache': 'N'},
            'full': {'nexthop_hold': 'Y', 'nexthop_cache': 'Y'}}
WARM_UP = 256
# For what a variant leaves to RCU, so that the next one does not pay for it.
REST = .2
START = time.monotonic()


class Wrong(Exception):
    """Something is not as it must be."""


def say(text):
    """A line with the time since the start."""
    print('  [%4.0f s] %s' % (time.monotonic() - START, text), flush=True)


def ip(lines, *words):
    """Have ip do these commands."""
    done = subprocess.run(['ip', *words, '-batch', '-'], text=True, check=False,
                          input='\n'.join(lines) + '\n',
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode or done.stdout:
        raise Wrong('ip: %s\n%s' % (done.stdout, '\n'.join(lines)))


def sysctl(values):
    """Set keys of net."""
    for key, value in values.items():
        with open('/proc/sys/net/' + key, 'w', encoding='ascii') as file:
            file.write(str(value))


def parameter(name, value=None):
    """Read or set a parameter of the module; None if it has none."""
    try:
        with open(PARAMETERS + name, 'r' if value is None else 'r+',
                  encoding='ascii') as file:
            if value is None:
                return file.read().strip()
            file.write(value)
    except FileNotFoundError:
        return None
    return value


def unshare():
    """Leave the namespace that this process was started in."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWNET):
        raise OSError(ctypes.get_errno(), 'unshare')


def attributes(words):
    """Attributes of a SID; "nocount" among its words for one that doesn't."""
    words = words.split()
    counted = 'nocount' not in words
    text = encap.from_words([w for w in words if w != 'nocount'], None)
    if not counted:
        text = ' '.join(w for w in text.split() if w != 'count=')
    return encap.attributes(text, {})


class Router:
    """The router, and its SIDs."""

    def __init__(self):
        subprocess.run(['modprobe', MODULE], check=True)
        unshare()
        self.build()
        self.rtnl = netlink.Netlink()
        self.slot = int(parameter('encap_type'))
        self.index = socket.if_nametoindex('in0')
        self.vrf = False
        self.variants = [v for v in rows.VARIANTS if self.has(v)]

    @staticmethod
    def has(variant):
        """Whether the module can be told to be that variant."""
        needs = {'noref': 'nexthop_hold', 'full': 'nexthop_cache'}
        return variant not in needs or parameter(needs[variant]) is not None

    @staticmethod
    def build():
        """Devices, addresses, neighbours and routes."""
        sysctl({'ipv6/conf/all/forwarding': 1, 'ipv4/ip_forward': 1,
                'ipv6/conf/default/accept_dad': 0,
                'ipv6/conf/default/addr_gen_mode': 1,
                'ipv6/conf/default/router_solicitations': 0,
                'ipv6/conf/default/mldv2_unsolicited_report_interval': 10,
                'ipv6/conf/all/seg6_enabled': 1,
                'ipv6/conf/default/seg6_enabled': 1,
                'ipv4/conf/all/rp_filter': 0,
                'ipv4/conf/default/rp_filter': 0})
        ip(['link add in0 address %s type dummy' % rows.cases.ROUTER_IN,
            'link add out0 address %s type dummy' % rows.cases.ROUTER_OUT,
            'link set lo up', 'link set in0 arp on up',
            'link set out0 arp on up', 'addr add 12:1::2/64 dev in0 nodad',
            'addr add 12:2::2/64 dev out0 nodad',
            'addr add 10.2.0.2/24 dev out0',
            'neigh add 12:2::1 lladdr %s dev out0' % rows.cases.RECEIVER,
            'neigh add 10.2.0.1 lladdr %s dev out0' % rows.cases.RECEIVER] +
           ['route add ' + route for route in rows.ROUTES] +
           ['route add %s/128 %s' % (rows.PREFIX % leaf, rows.NEXT6)
            for leaf in range(rows.LEAVES)])

    def add_vrf(self):
        """A VRF: from here on every lookup goes through rules."""
        ip(['link add vrf0 type vrf table 200', 'link set vrf0 up'] +
           ['route add ' + route for route in rows.VRF_ROUTES])
        sysctl({'vrf/strict_mode': 1, 'ipv4/conf/vrf0/rp_filter': 0})
        self.vrf = True

    @staticmethod
    def settle():
        """Wait until the router says nothing of its own any more."""
        seen = None
        for _ in range(100):
            now = generator.delivered('out0')
            if now == seen:
                return
            seen = now
            time.sleep(1)
        raise Wrong('the router does not come to rest')

    def set_variant(self, variant):
        """Have the module be a variant of itself."""
        for name, value in SETTINGS.get(variant, {}).items():
            parameter(name, value)

    def request(self, kind, flags, dst, slot=None, words=''):
        """Ask for a SID or for its removal."""
        if slot is None:
            body = netlink.route(dst, 0, b'', self.index)[:32]
        else:
            body = netlink.route(dst, slot, netlink.wrap(
                slot, attributes(words)), self.index)
        self.rtnl.request(kind, netlink.ACK | flags, body)

    def set_sid(self, leaf, variant, words, prefix=rows.PREFIX):
        """Make an address a SID in place of the route it has."""
        slot = netlink.SEG6_LOCAL_SLOT if variant == 'in-tree' else self.slot
        self.set_variant(variant)
        self.request(netlink.RTM_DELROUTE, 0, prefix % leaf)
        self.request(netlink.RTM_NEWROUTE, netlink.CREATE | netlink.EXCL,
                     prefix % leaf, slot, words)

    def unset_sid(self, leaf, prefix=rows.PREFIX):
        """Give an address its plain route again."""
        self.request(netlink.RTM_DELROUTE, 0, prefix % leaf)
        ip(['route add %s/128 %s' % (prefix % leaf, rows.NEXT6)])

    def passed(self, leaf):
        """(packets, errors) that a SID has counted."""
        found = netlink.counters(self.rtnl, self.slot,
                                 netlink.SEG6_LOCAL_SLOT)
        packets, _, errors = found[socket.inet_pton(
            socket.AF_INET6, rows.PREFIX % leaf)]
        return packets, errors


class Bench:
    """Measures rows and keeps the results."""

    def __init__(self, args):
        self.args = args
        self.router = Router()
        self.results = []
        self.faults = []

    def fault(self, text):
        """File a fault."""
        self.faults.append(text)
        say('WRONG: ' + text)

    def turns(self, sources):
        """Runs of each variant, which take turns.

        Returns {variant: ([instructions], sent, delivered)}.
        """
        names = list(sources)
        found = {name: [[], 0, 0] for name in names}
        for turn in range(self.args.repeats):
            shift = turn % len(names)
            for name in names[shift:] + names[:shift]:
                self.router.set_variant(name)
                time.sleep(REST)
                for count in (WARM_UP, self.args.packets):
                    each, out = generator.fire(sources[name], count, 'out0')
                    found[name][1] += count
                    found[name][2] += out
                found[name][0].append(each)
        return found

    def file(self, row, frame, variant, found):
        """Keep a result; what is missing is a fault."""
        runs, sent, out = found
        median = int(statistics.median(runs))
        result = {'row': row, 'frame': frame, 'variant': variant,
                  'vrf': self.router.vrf, 'insns': median, 'runs': runs,
                  'spread': round((max(runs) - min(runs)) / median, 5),
                  'sent': sent, 'delivered': out}
        self.results.append(result)
        if sent != out:
            self.fault('%s %s: of %d frames %d came out' %
                       (row, variant, sent, out))
        return result

    def plain(self, frame):
        """Forwarding of a frame by an ordinary route."""
        four = frame.startswith('ip4-')
        source = generator.Generator(rows.frame(frame, rows.PLAIN),
                                     self.router.index)
        name = 'plain IPv4' if four else 'plain IPv6'
        result = self.file(name, frame, 'plain',
                           self.turns({'plain': source})['plain'])
        source.close()
        say('%-16s %-10s %6d' % (name, frame, result['insns']))
        return result['insns']

    def row(self, row, base):
        """A behaviour in all variants."""
        leaves = {v: rows.VARIANTS.index(v) for v in self.router.variants}
        sources = {}
        for variant, leaf in leaves.items():
            self.router.set_sid(leaf, variant, row.words)
            sources[variant] = generator.Generator(
                rows.frame(row.frame, leaf), self.router.index)
        words = []
        for variant, found in self.turns(sources).items():
            result = self.file(row.name, row.frame, variant, found)
            result.update(plain=base, above=result['insns'] - base)
            words.append('%s %d' % (variant, result['above']))
            seen = self.router.passed(leaves[variant])
            if seen != (result['sent'], 0):
                self.fault('%s %s: the SID counts packets, errors %s' %
                           (row.name, variant, seen))
        for variant, leaf in leaves.items():
            sources[variant].close()
            self.router.unset_sid(leaf)
        say('%-16s %-10s +%s' % (row.name, row.frame, ', '.join(words)))

    def pass_through(self, chosen):
        """All rows that can be measured as the router is now."""
        self.router.settle()
        base = {}
        for row in chosen:
            if row.frame not in base:
                base[row.frame] = self.plain(row.frame)
            self.row(row, base[row.frame])


def options():
    """The command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument('--packets', type=int, default=2048)
    parser.add_argument('--repeats', type=int, default=4)
    parser.add_argument('--rows', default='')
    parser.add_argument('--more', action='store_true')
    parser.add_argument('--many', type=int, default=100000)
    parser.add_argument('output')
    return parser.parse_args()


def main():
    """Measure, write a JSON file."""
    args = options()
    os.sched_setaffinity(0, {0})
    bench = Bench(args)
    wanted = args.rows.split(',') if args.rows else None
    chosen = [r for r in rows.ROWS + (rows.MORE if args.more else [])
              if not wanted or r.name in wanted]
    say('Linux %s' % os.uname().release)
    bench.router.settle()
    if not wanted:
        bench.plain('ip4-42')
    bench.pass_through([r for r in chosen if not r.vrf])
    bench.router.add_vrf()
    say('with a VRF')
    bench.pass_through(chosen)
    with open(args.output, 'w', encoding='ascii') as file:
        json.dump({'release': os.uname().release,
                   'version': os.uname().version,
                   'possible_cpus': os.sysconf('SC_NPROCESSORS_CONF'),
                   'instructions': bench.results, 'faults': bench.faults},
                  file)
    return 1 if bench.faults else 0


if __name__ == '__main__':
    sys.exit(main())
