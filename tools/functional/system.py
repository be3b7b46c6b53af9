# SPDX-License-Identifier: GPL-2.0-only
"""Cases about the module as a whole, and about it, helper and stock ip."""
import copy
import errno
import os
import re
import shutil
import socket
import subprocess
import tempfile
import time

import encap
import frames
import netlink
import node
import table
from phase import CAUSES, OURS, Failure, Phase, read_slot

ABI = '/sys/module/' + OURS + '/parameters/abi'
# The kernel's number of the encap that Debian kernels are built without
IOAM6 = 9
# A slot that no code of the tested kernels has claimed by now (ILA)
OTHER = 3
# One that is taken: in-tree seg6local
TAKEN = netlink.SEG6_LOCAL_SLOT
# States are freed after a grace period; rmmod may come too early.
TRIES, PAUSE = 100, 0.05
SID = 'fc00::e'
# What the kernel says about the first module that is not its own
TAINTS = re.compile('taint(s|ing) kernel')


def run_quiet(*args):
    """Run a command; return (exit status, output with errors)."""
    done = subprocess.run(args, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT,
                          universal_newlines=True, check=False)
    return done.returncode, done.stdout


def need(condition, text):
    """Fail the case unless the condition holds."""
    if not condition:
        raise Failure(text)


def load(*parameters):
    """Load the module, which must work."""
    status, text = run_quiet('modprobe', OURS, *parameters)
    need(status == 0, 'modprobe: %d %s' % (status, text.strip()))


def unload():
    """Remove the module, which must work once all is freed."""
    for _ in range(TRIES):
        status, text = run_quiet('rmmod', OURS)
        if not status:
            return
        time.sleep(PAUSE)
    raise Failure('rmmod: %d %s' % (status, text.strip()))


def is_loaded():
    """Whether the module is there."""
    return os.path.exists('/sys/module/' + OURS)


def fresh():
    """Have the module gone."""
    if is_loaded():
        unload()


class Log:
    """The kernel log from now on."""

    def __init__(self):
        self.file = os.open('/dev/kmsg', os.O_RDONLY | os.O_NONBLOCK)
        os.lseek(self.file, 0, os.SEEK_END)

    def lines(self):
        """Lines that the module wrote."""
        found = []
        while True:
            try:
                record = os.read(self.file, 8192).decode(errors='replace')
            except BlockingIOError:
                break
            text = record.partition(';')[2].split('\n')[0]
            if text.startswith(OURS + ':') and not TAINTS.search(text):
                found.append(text)
        os.close(self.file)
        return found


def add(rtnl, slot, dst=SID, kind=netlink.RTM_NEWROUTE):
    """Add (or delete) an End route on the loopback's neighbour, dummy0."""
    data = netlink.wrap(slot, encap.attributes('action=1 count=', {}))
    rtnl.request(kind, netlink.ACK | netlink.CREATE, netlink.route(
        dst, slot, data, socket.if_nametoindex('dummy0')))


def with_dummy(ip):
    """A fresh namespace with dummy0 in it; return its netlink socket."""
    node.switch()
    trouble = node.batch(ip, 'link add dummy0 type dummy\n'
                         'link set dummy0 up\n')
    need(not trouble, trouble)
    return netlink.Netlink()


def parameters_readable(_cfg):
    """The chosen slot and the ABI can be read."""
    fresh()
    load()
    need(read_slot() == IOAM6, 'encap_type is %d' % read_slot())
    with open(ABI, encoding='ascii') as file:
        need(file.read() == '1\n', 'abi is not 1')


def statistics_readable(_cfg):
    """Every namespace has drop statistics, all zero at first."""
    fresh()
    load()
    node.switch()
    with open(CAUSES, encoding='ascii') as file:
        rows = [line.split() for line in file]
    need(rows and all(len(r) == 2 and r[1] == '0' for r in rows), str(rows))


def unload_idle(_cfg):
    """Without routes the module goes, with all its files."""
    fresh()
    load()
    status, text = run_quiet('rmmod', OURS)
    need(not status, text.strip())
    need(not is_loaded() and not os.path.exists(CAUSES), 'something is left')


def autoload(cfg):
    """Adding a route loads the module."""
    fresh()
    rtnl = with_dummy(cfg.ip)
    add(rtnl, IOAM6)
    need(is_loaded(), 'the module is not there')
    add(rtnl, IOAM6, kind=netlink.RTM_DELROUTE)
    rtnl.close()


def unload_refused(cfg):
    """With a route the module stays, and so does the route."""
    fresh()
    load()
    slot = read_slot()
    rtnl = with_dummy(cfg.ip)
    add(rtnl, slot)
    try:
        status, text = run_quiet('rmmod', OURS)
        need(status and is_loaded(), 'rmmod: %d %s' % (status, text))
        found = netlink.counters(rtnl, slot)
        need(list(found.values()) == [(0, 0, 0)], 'route is %s' % found)
    finally:
        add(rtnl, slot, kind=netlink.RTM_DELROUTE)
        rtnl.close()
    unload()


def reload_and_use(cfg):
    """Unloaded and loaded again, it takes routes again."""
    for _ in range(3):
        fresh()
        load()
        slot = read_slot()
        rtnl = with_dummy(cfg.ip)
        add(rtnl, slot)
        need(len(netlink.counters(rtnl, slot)) == 1, 'no route')
        add(rtnl, slot, kind=netlink.RTM_DELROUTE)
        rtnl.close()
    unload()


def device_takes_routes(cfg):
    """A deleted device takes its routes along."""
    fresh()
    load()
    rtnl = with_dummy(cfg.ip)
    for number in range(1, 20):
        add(rtnl, read_slot(), 'fc00::%x' % number)
    trouble = node.batch(cfg.ip, 'link del dummy0\n')
    need(not trouble, trouble)
    need(not netlink.counters(rtnl, read_slot()), 'routes are left')
    rtnl.close()
    unload()


def namespace_takes_routes(cfg):
    """A namespace that ends takes its routes along."""
    fresh()
    load()
    rtnl = with_dummy(cfg.ip)
    for number in range(1, 20):
        add(rtnl, read_slot(), 'fc00::%x' % number)
    rtnl.close()
    node.switch()
    unload()


def refused_load(text, *parameters):
    """Loading fails, with one line in the log that matches text."""
    fresh()
    log = Log()
    status, _ = run_quiet('modprobe', OURS, *parameters)
    lines = log.lines()
    need(status, 'modprobe succeeds')
    need(not is_loaded(), 'the module is there')
    need(len(lines) == 1 and re.search(text, lines[0]), 'log: %s' % lines)


def slot_too_big(_cfg):
    """A slot this kernel does not have."""
    refused_load(r'\b1000\b', 'encap_type=1000')


def slot_negative(_cfg):
    """A slot no kernel has."""
    refused_load(r'-5\b', 'encap_type=-5')


def slot_taken(_cfg):
    """A slot that somebody has."""
    refused_load(r'slot %d\b' % TAKEN, 'encap_type=%d' % TAKEN)


def abi_given(_cfg):
    """The ABI cannot be chosen."""
    refused_load('abi', 'abi=2')


def slot_given(cfg):
    """A slot asked for is used, and can be read."""
    fresh()
    load('encap_type=%d' % OTHER)
    need(read_slot() == OTHER, 'encap_type is %d' % read_slot())
    rtnl = with_dummy(cfg.ip)
    add(rtnl, OTHER)
    need(len(netlink.counters(rtnl, OTHER)) == 1, 'no route')
    add(rtnl, OTHER, kind=netlink.RTM_DELROUTE)
    rtnl.close()
    unload()


class Desk:
    """A node with dummy0, and the helper under the name ip."""

    def __init__(self, cfg):
        self.node = node.Node(cfg.table, cfg.ip, False)
        self.node.must('link add dummy0 type dummy\nlink set dummy0 up')
        self.builder = frames.Builder(cfg.table.addrs, cfg.table.macros,
                                      cfg.table.macs, cfg.table.keys)
        self.dir = tempfile.mkdtemp()
        self.ip = os.path.join(self.dir, 'ip')
        self.stock = cfg.ip
        os.symlink(os.path.realpath(cfg.tool), self.ip)

    def close(self):
        """Remove what lies on the disk."""
        shutil.rmtree(self.dir)
        self.node.close()

    def add(self, *words):
        """ip -6 route add SID encap …; return (status, output)."""
        return run_quiet(self.ip, '-6', 'route', 'add', SID + '/128', 'encap',
                         OURS, *words, 'dev', 'dummy0')

    def line(self, ip, *options):
        """The one line that an ip shows for the SID."""
        status, text = run_quiet(ip, *options, '-6', 'route', 'show')
        need(status == 0, '%s route show: %d %s' % (ip, status, text))
        lines = [ln for ln in text.split('\n') if ln.startswith(SID)]
        need(len(lines) == 1, '%s route show: %r' % (ip, text))
        return lines[0]

    def send(self):
        """One packet for the SID."""
        self.node.send(self.builder.frame(
            '6(S>%s) SRH[fc00:2::e,%s;1] U' % (SID, SID), 's', 'na'))
        seen = self.node.collect(self.builder)
        want = self.builder.frame(
            '6(S>fc00:2::e) SRH[fc00:2::e,%s;0] U' % SID, 'nb', 'r', 63)
        need(seen == [('nb', want)], 'frames out: %s' % seen)


def accept_show(desk):
    """Added and shown through the symlink, in iproute2's words."""
    status, text = desk.add('action', 'End', 'count')
    need(status == 0, 'route add: %d %s' % (status, text))
    line = desk.line(desk.ip)
    need(re.match(SID + r'\s+encap %s action End .*dev dummy0' % OURS, line),
         'shown as %r' % line)


def accept_counter(desk):
    """One packet makes the counter read 1."""
    desk.add('action', 'End', 'count')
    desk.send()
    line = desk.line(desk.ip, '-s')
    need(re.search(r'packets 1\b.*bytes 104\b.*errors 0\b', line),
         'shown as %r' % line)


def accept_stock_show(desk):
    """Stock ip prints a harmless line for the route."""
    desk.add('action', 'End', 'count')
    line = desk.line(desk.stock)
    need(line.isprintable() and 'dev dummy0' in line and
         not re.search(r'action|End|nh6|trace|0x', line),
         'shown as %r' % line)


def accept_wrong_attribute(desk):
    """The message names the attribute that is wrong."""
    for words, name in ((('action', 'End', 'nh6', '::1'), 'nh6'),
                        (('action', 'End.T'), 'table'),
                        (('action', 'End.DT4', 'vrftable', '99'), 'vrftable')):
        status, text = desk.add(*words)
        need(status and re.search(r'\b%s\b' % name, text),
             '%s: %d %r' % (' '.join(words), status, text))
    status, text = run_quiet(desk.stock, '-6', 'route', 'show')
    need(SID not in text, 'a route is left: %s' % text)


def accept_replace_delete(desk):
    """replace starts counting anew, del removes."""
    desk.add('action', 'End', 'count')
    desk.send()
    status, text = run_quiet(
        desk.ip, '-6', 'route', 'replace', SID + '/128', 'encap', OURS,
        'action', 'End', 'count', 'dev', 'dummy0')
    need(status == 0, 'route replace: %s' % text)
    line = desk.line(desk.ip, '-s')
    need(re.search(r'packets 0\b', line), 'shown as %r' % line)
    status, text = run_quiet(desk.ip, '-6', 'route', 'del', SID + '/128',
                             'dev', 'dummy0')
    need(status == 0, 'route del: %s' % text)
    text = run_quiet(desk.stock, '-6', 'route', 'show')[1]
    need(SID not in text, 'still there: %s' % text)


def accept_other_commands(desk):
    """Everything else is left to the stock ip."""
    for words in (('link', 'show', 'dev', 'na'), ('-4', 'route', 'show'),
                  ('-6', 'rule'), ('-br', 'addr')):
        mine, stock = (run_quiet(ip, *words) for ip in (desk.ip, desk.stock))
        need(mine == stock, '%s: %s, stock %s' % (' '.join(words), mine,
                                                  stock))


class Vrf:
    """A node whose DT4 SID was made with the VRF that it starts with."""

    def __init__(self, cfg):
        self.phase = Phase(cfg, OURS, [c for c in cfg.table.cases
                                       if c.name == 'dt4_vrf'])
        self.case = next(c for c in cfg.table.cases if c.name == 'dt4_vrf')

    def check(self):
        """The case of the table, as it is."""
        trouble = self.phase.run(self.case)
        need(not trouble, trouble)

    def remove(self):
        """Delete the VRF."""
        self.phase.node.must('link del vrf100\n')

    def rebuild(self):
        """Make another VRF of the same table."""
        self.phase.node.restore()


def vrf_made_again(cfg):
    """A SID follows its table to a VRF that was made anew."""
    vrf = Vrf(cfg)
    vrf.check()
    vrf.remove()
    vrf.rebuild()
    vrf.check()
    vrf.phase.node.close()


def vrf_gone(cfg):
    """Without its VRF a SID drops, and says so."""
    vrf = Vrf(cfg)
    vrf.remove()
    lost = copy.copy(vrf.case)
    lost.here = table.Outcome([], [(0, 0, 1)], 'drop_vrf')
    trouble = vrf.phase.run(lost)
    need(not trouble, trouble)
    vrf.rebuild()
    # It is not looked for again at once.
    time.sleep(0.2)
    vrf.check()
    vrf.phase.node.close()


def vrf_not_strict(cfg):
    """Without strict mode a DT4 SID is refused."""
    vrf = Vrf(cfg)
    node.sysctl('net/vrf/strict_mode', 0)
    data = netlink.wrap(read_slot(), encap.attributes(
        'action=8 vrftable=100', {}))
    try:
        vrf.phase.node.rtnl.request(
            netlink.RTM_NEWROUTE, netlink.ACK | netlink.CREATE, netlink.route(
                SID, read_slot(), data, socket.if_nametoindex('na')))
    except netlink.NetlinkError as error:
        need(error.errno == errno.EPERM and
             error.text.startswith('vrftable: '), '%s %r' % (error,
                                                             error.text))
    else:
        raise Failure('the kernel takes it')
    vrf.phase.node.close()


MODULE = (parameters_readable, statistics_readable, unload_idle, autoload,
          unload_refused, reload_and_use, device_takes_routes,
          namespace_takes_routes, slot_too_big, slot_negative, slot_taken,
          abi_given, slot_given)
VRF = (vrf_made_again, vrf_gone, vrf_not_strict)
DESK = (accept_show, accept_counter, accept_stock_show,
        accept_wrong_attribute, accept_replace_delete, accept_other_commands)


def attempt(case, argument):
    """Run a case; return what is wrong, or ''."""
    try:
        case(argument)
    except (Failure, node.NodeError, OSError) as error:
        return str(error) or repr(error)
    return ''


def run(cfg, report):
    """Run the cases whose name matches."""
    vrf = () if 'vrf' in cfg.quirks.absent else VRF
    for case in MODULE + vrf:
        if re.search(cfg.case, case.__name__):
            report.case(case.__name__, attempt(case, cfg))
    for case in DESK:
        if re.search(cfg.case, case.__name__):
            desk = Desk(cfg)
            report.case(case.__name__, attempt(case, desk))
            desk.close()
