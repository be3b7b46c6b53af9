#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Run the kernel's srv6 selftests with our encap in place of seg6local.

usage: guest.py [--in-tree] [--broken] [--ip PATH] [--helper PATH]
                SERIES DIR [SCRIPT...]

Runs as root in a guest, on the scripts below DIR as they are.  Each prints one
line, `ok NAME: ...` or `not ok NAME: ...`, the last line is the tally.  With
--in-tree nothing is replaced, with --broken each script has to find a fault:
it is ended at the first one.
"""
import argparse
import glob
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
HELPER = os.path.join(HERE, '../seg6noref/seg6noref')
SLOT = '/sys/module/seg6local_noref/parameters/encap_type'
# What stock ip calls the encap type that our module has.
SLOT_WORDS = {'9': 'ioam6', '8': 'rpl', '3': 'ila'}
MODULES = ('vrf', 'dummy', 'veth', 'iptable_raw', 'ip6table_raw',
           'ipt_rpfilter', 'ip6t_rpfilter', 'nf_conntrack')
# Fits the slowest script with all checks failing, under emulation.
PATIENCE = 1500
RULE = '-A PREROUTING -m rpfilter --invert -j DROP;'
GOOD = re.compile(r'TEST: .*\[ OK \]|^PASS: ')
BAD = re.compile(r'TEST: .*\[FAIL\]|^FAIL: |^SKIP: forwarded ping failed')


def arguments():
    """Return what the command line says."""
    parser = argparse.ArgumentParser(description='srv6 selftests')
    parser.add_argument('--in-tree', action='store_true')
    parser.add_argument('--broken', action='store_true')
    parser.add_argument('--ip', default=shutil.which('ip'))
    parser.add_argument('--helper', default=HELPER)
    parser.add_argument('series')
    parser.add_argument('dir')
    parser.add_argument('script', nargs='*')
    return parser.parse_args()


def expectations(series):
    """Return {script: (checks, commands to rewrite)} of a series."""
    found = {}
    with open(os.path.join(HERE, 'expected.txt'), encoding='ascii') as file:
        for line in file:
            words = line.split('#')[0].split()
            if words and words[0] == series:
                found[words[1]] = int(words[2]), int(words[3])
    return found


class Bench:
    """The PATH with the shim in it, and what the shim has logged."""

    def __init__(self, args):
        self.args = args
        self.top = tempfile.mkdtemp()
        self.log = os.path.join(self.top, 'log')
        for name in ('ip', 'iptables', 'ip6tables'):
            self.link('shim', name, os.path.join(HERE, 'shim'))
        # The stock ip by its name, the helper by the name ip.
        self.link('stock', 'ip', args.ip)
        self.link('helper', 'ip', args.helper)
        with open(SLOT, encoding='ascii') as file:
            slot = SLOT_WORDS[file.read().strip()]
        self.environment = dict(
            os.environ, LC_ALL='C', CONFORMANCE_LOG=self.log,
            PATH='%s/shim:%s' % (self.top, os.environ['PATH']),
            CONFORMANCE_IP=args.ip, SEG6NOREF_IP=args.ip,
            CONFORMANCE_SLOT=slot, CONFORMANCE_ENCAP='seg6local'
            if args.in_tree else 'seg6local_noref',
            CONFORMANCE_HELPER=os.path.join(
                self.top, 'stock' if args.in_tree else 'helper', 'ip'))

    def link(self, directory, name, target):
        """Give a program another name."""
        directory = os.path.join(self.top, directory)
        os.makedirs(directory, exist_ok=True)
        os.symlink(os.path.abspath(target), os.path.join(directory, name))

    def logged(self, kind):
        """Return the words behind a kind of line in the shim's log."""
        with open(self.log, encoding='utf-8') as file:
            lines = [line.rstrip('\n').split(' ', 1) for line in file]
        return [line[1] for line in lines if line[0] == kind]

    def run(self, script):
        """Run a script; return (its lines, status, seconds)."""
        with open(self.log, 'w', encoding='ascii'):
            pass
        if os.path.exists(self.log + '.new'):
            os.unlink(self.log + '.new')
        start = time.monotonic()
        process = subprocess.Popen(
            ['bash', './' + script], cwd=self.args.dir, env=self.environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, start_new_session=True,
            universal_newlines=True, errors='replace')
        lines = []
        signal.alarm(PATIENCE)
        try:
            for line in process.stdout:
                lines.append(line.rstrip('\n'))
                if self.args.broken and BAD.search(line):
                    break
            else:
                process.wait()
        except TimeoutError:
            lines.append('it ran for more than %d s' % PATIENCE)
        signal.alarm(0)
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        return lines, process.wait(), time.monotonic() - start


def too_long(*_):
    """Handle the signal of an alarm."""
    raise TimeoutError


def clean():
    """Remove what a script that was ended has left."""
    for command in ('ip -all netns delete', 'ip link delete veth-rt-1',
                    'ip link delete veth-rt-2'):
        subprocess.run(command.split(), stderr=subprocess.DEVNULL,
                       check=False)


def faults(bench, script, expected, lines, status):
    """Return what is wrong with a run that should have been good."""
    found = ['the script says: ' + line.strip() for line in lines
             if BAD.search(line) or line.startswith('SKIP')]
    checks = sum(bool(GOOD.search(line)) for line in lines)
    if status:
        found.append('status %d' % status)
    if checks != expected[0]:
        found.append('%d checks passed, not %d' % (checks, expected[0]))
    routes = {kind: sum(map(int, bench.logged(kind)))
              for kind in ('stock', 'ours')}
    wrong, right = ('ours', 'stock') if bench.args.in_tree else \
        ('stock', 'ours')
    if routes[wrong] or not routes[right]:
        found.append('SIDs in routers: %(ours)d ours, %(stock)d in-tree' %
                     routes)
    if 'netfilter' in script:
        rules = bench.logged('rule')
        if rules != ['0 1 ' + RULE] * 2:
            found.append('rules: %s' % (rules or 'none'))
    return found


def broken_faults(lines):
    """Return what is wrong with a run that should have found a fault."""
    if any(BAD.search(line) for line in lines):
        return []
    return ['it has found nothing: ' + ' | '.join(lines[-3:])]


def judge(bench, script, expected):
    """Run a script and print its line; return whether it is good."""
    lines, status, seconds = bench.run(script)
    checks = sum(bool(GOOD.search(line)) for line in lines)
    changed = len(bench.logged('encap'))
    if bench.args.broken:
        found = broken_faults(lines)
        # It was ended before all of its commands.
        good = 0 < changed <= expected[1]
    else:
        found = faults(bench, script, expected, lines, status)
        good = changed == expected[1]
    if not good:
        found.append('%d commands rewritten, not %d' % (changed, expected[1]))
    clean()
    if found and not bench.args.broken:
        print('\n'.join('# ' + line for line in lines if line))
    print('%s %s: %s%d checks passed, %d commands rewritten, %d s' % (
        'not ok' if found else 'ok', script,
        ''.join(text + '; ' for text in found), checks, changed, seconds))
    sys.stdout.flush()
    return not found


def main():
    """Run the scripts."""
    args = arguments()
    signal.signal(signal.SIGALRM, too_long)
    for module in MODULES:
        subprocess.run(['modprobe', '-q', module], check=False)
    subprocess.run(['modprobe', 'seg6local_noref'], check=True)
    expected = expectations(args.series)
    bench = Bench(args)
    there = {os.path.basename(path)
             for path in glob.glob(os.path.join(args.dir, 'srv6_*.sh'))}
    passed = failed = 0
    for script in args.script or sorted(there | set(expected)):
        if script not in expected or script not in there:
            print('not ok %s: %s' % (script, 'not expected'
                                     if script in there else 'not there'))
            good = False
        else:
            good = judge(bench, script, expected[script])
        passed, failed = passed + good, failed + (not good)
    print('%d passed, %d failed' % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == '__main__':
    sys.exit(main())
