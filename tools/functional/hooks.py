# SPDX-License-Identifier: GPL-2.0-only
"""Cases with net.netfilter.nf_hooks_lwtunnel on: what netfilter gets to see.

The sysctl cannot be cleared again, and once it is on the module stays loaded:
these cases want a guest of their own.
"""
import os
import re
import shutil
import subprocess

import node
from phase import OURS, TREE, Failure, Phase

SYSCTL = 'net/netfilter/nf_hooks_lwtunnel'
RULES = '''
table inet t
delete table inet t
table inet t {
    counter seen { }
    chain c {
        type %s hook %s priority %s; policy accept;
        %s
    }
}
'''
PRIORITY = {'nat': '-100'}


def switch_on():
    """Set the sysctl; False where it is out of reach in this namespace."""
    if not os.path.exists('/proc/sys/' + SYSCTL):
        return False
    node.sysctl(SYSCTL, 1)
    return True


def nft(*args, text=None):
    """Run nft; return its output."""
    done = subprocess.run(['nft'] + list(args), input=text,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          universal_newlines=True, check=False)
    if done.returncode:
        raise Failure('nft: ' + done.stdout.strip())
    return done.stdout


def addresses(phase, text):
    """Replace <NAME> by the address of that name."""
    return re.sub(r'<(\w+)>', lambda m: phase.table.addrs[m.group(1)], text)


def run_case(phase, case):
    """Run one case behind its rule; return what is wrong, or ''."""
    kind, hook = case.chain.split()
    try:
        nft('-f', '-', text=RULES % (kind, hook, PRIORITY.get(kind, '-300'),
                                     addresses(phase, case.rule)))
        trouble = phase.run(case)
        listing = nft('list', 'counter', 'inet', 't', 'seen')
    except Failure as failure:
        return str(failure)
    seen = int(re.search(r'packets (\d+)', listing).group(1))
    outcome = phase.cfg.quirks.tree(case) if phase.encap == TREE else case.here
    if seen != case.seen and not outcome.refused:
        trouble += '\n%s: the rule matched %d times, not %d' % (
            phase.encap, seen, case.seen)
    return trouble.strip()


def run(cfg, cases, report):
    """Run the hook rows of the table."""
    if not shutil.which('nft'):
        report.case('hooks_nft', 'nft is not installed (package nftables)')
        return
    if not os.path.exists('/proc/sys/' + SYSCTL):
        subprocess.run(['modprobe', 'nf_conntrack'], check=False)
    ready = switch_on()
    order = {'both': [TREE, OURS]}.get(cfg.encap, [cfg.encap])
    for encap in order:
        phase = Phase(cfg, encap, cases)
        ready = switch_on() or ready
        report.case('hooks_on_' + encap, '' if ready else
                    'no ' + SYSCTL.replace('/', '.'))
        for case in cases:
            # What the table gives no in-tree outcome for is never tried.
            trouble = ''
            if encap == OURS or cfg.quirks.tree(case):
                trouble = run_case(phase, case)
            if encap == order[-1]:
                report.case(case.name, trouble)
            else:
                report.note(case.name, trouble)
        phase.node.close()
