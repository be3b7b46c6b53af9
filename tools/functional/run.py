#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Functional tests of seg6local_noref: frames in, frames out, counters.

Runs as root in a guest, or anywhere the kernel has network namespaces.
"""
import argparse
import json
import os
import re
import shutil
import sys

import phase
import refuse
import routes
import spoil
import table
from phase import OURS, TREE

HERE = os.path.dirname(os.path.abspath(__file__))


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


def choose(cfg, rows):
    """Rows that were asked for, without those this kernel cannot run."""
    chosen = []
    for row in rows:
        if not re.search(cfg.case, row.name):
            continue
        lack = set()
        if hasattr(row, 'needs'):
            lack = row.needs() & set(cfg.quirks.absent)
        for name in getattr(row, 'sids', ()):
            lack |= cfg.table.sids[name].needs() & set(cfg.quirks.absent)
        if lack:
            print('# %s not run: %s' % (row.name,
                                        cfg.quirks.absent[lack.pop()]))
        else:
            chosen.append(row)
    return chosen


def run_cases(cfg, report):
    """Every case through every chosen encap, then the refusals."""
    cases = choose(cfg, cfg.table.cases)
    order = {'both': [TREE, OURS]}.get(cfg.encap, [cfg.encap])
    for encap in order:
        node = phase.Phase(cfg, encap, cases)
        for case in cases:
            if encap == TREE and case.name in cfg.quirks.skips:
                print('# %s: %s not run: %s' % (
                    case.name, TREE, cfg.quirks.skips[case.name]))
                continue
            trouble = node.run(case)
            if encap == order[-1]:
                report.case(case.name, trouble)
            else:
                report.note(case.name, trouble)
        if encap == OURS and not cfg.spoil:
            refuse.run(node, choose(cfg, cfg.table.refusals), report)
            routes.run(node, lambda name: re.search(cfg.case, name), report)
        node.node.close()


def show_rows(cfg):
    """Print each row of the specification with its cases."""
    bare = 0
    for row, names in cfg.table.coverage():
        bare += not names
        print('ok row_%s: %s' % (row, names) if names else
              'not ok row_%s: no case' % row)
    print('%d passed, %d failed' % (len(cfg.table.coverage()) - bare, bare))
    return 1 if bare else 0


def options():
    """Command line."""
    release = os.uname().release.split('.')
    quirks = os.path.join(HERE, 'quirks-%s.%s.txt' % tuple(release[:2]))
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--encap', default='both',
                        choices=[TREE, OURS, 'both'])
    parser.add_argument('--case', default='', metavar='REGEX',
                        help='only cases whose name matches')
    parser.add_argument('--table', metavar='FILE',
                        default=os.path.join(HERE, 'vectors/names.txt'))
    parser.add_argument('--kernel-quirks', metavar='FILE',
                        default=quirks if os.path.exists(quirks) else None,
                        help='what the in-tree code of this kernel does '
                        'otherwise (default: by release)')
    parser.add_argument('--without-vrf', action='store_true',
                        help='build no VRF: without one and without rules '
                        'of others lookups take a shorter way')
    parser.add_argument('--tool', metavar='FILE',
                        default=os.path.join(HERE, '../seg6noref/seg6noref'),
                        help='the helper that installs our routes; - does it '
                        'without')
    parser.add_argument('--ip', metavar='FILE',
                        default='/sbin/ip' if os.path.exists('/sbin/ip') else
                        shutil.which('ip'), help='stock ip')
    parser.add_argument('--json', metavar='FILE',
                        help='write the results there')
    parser.add_argument('--spoil', choices=spoil.KINDS, default='',
                        help='expect something wrong: every case must notice')
    parser.add_argument('--hooks', action='store_true',
                        help='the cases with lwtunnel netfilter hooks on, '
                        'which stay on until reboot')
    parser.add_argument('--rows', action='store_true',
                        help='say which cases stand for which row of the '
                        'specification, and run none')
    parser.add_argument('--system', action='store_true',
                        help='the cases about loading, unloading and tools')
    return parser.parse_args()


def main():
    """Run what the command line asks for."""
    cfg = options()
    cfg.both = cfg.encap == 'both'
    cfg.quirks = table.Quirks(cfg.kernel_quirks)
    cfg.table = table.Table(cfg.table, cfg.quirks.intree)
    cfg.quirks.check(cfg.table)
    if cfg.without_vrf:
        cfg.quirks.absent['vrf'] = 'asked for'
    report = Report()
    if cfg.rows:
        return show_rows(cfg)
    if cfg.hooks:
        import hooks
        hooks.run(cfg, choose(cfg, cfg.table.hooks), report)
    elif cfg.system:
        import system
        system.run(cfg, report)
    else:
        run_cases(cfg, report)
    if cfg.json:
        report.save(cfg.json)
    return report.totals()


if __name__ == '__main__':
    sys.exit(main())
