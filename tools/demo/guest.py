#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Runs in the guest: configures a router, sends frames through it, counts.

The generator and the receiver are packet sockets in the initial network
namespace, at the far ends of two veth pairs; the router is a namespace of its
own. Few processes are started, for in an emulated guest each is slow.
"""
import ctypes
import os
import shutil
import socket
import subprocess
import sys
import time

import cases  # first: it also makes tools/functional known
import netlink

FRAMES = 1000
BURST = 50
# A call per packet shows as FRAMES of them; one in a hundred is no pattern.
NOISE = FRAMES // 100

STOCK_PATH = '/usr/sbin:/usr/bin:/sbin:/bin'
TRACING = '/sys/kernel/tracing'
SLOT = '/sys/module/seg6local_noref/parameters/encap_type'
# dst_alloc() is where routes of both families come from; their own functions
# may be inlined, a function of another file cannot be.
PROBES = ('dst_release', 'dst_alloc')

ETH_P_ALL = 3
SOL_PACKET, PACKET_IGNORE_OUTGOING = 263, 23
SO_RCVBUFFORCE = 33
CLONE_NEWNET = 0x40000000

START = time.monotonic()


class Wrong(Exception):
    """Something is not as it must be."""


def say(text):
    """A line at once."""
    print(text, flush=True)


def progress(text):
    """A line with the time since the guest's start of work."""
    say('  [%3d s] %s' % (time.monotonic() - START, text))


def write(path, text):
    """Write to a file of the kernel, once; what is there remains."""
    fd = os.open(path, os.O_WRONLY | os.O_APPEND)
    try:
        os.write(fd, text.encode())
    finally:
        os.close(fd)


def run(argv, path=None, text=None):
    """Run a command, return (exit status, output and errors)."""
    env = dict(os.environ)
    if path:
        env['PATH'] = path
    done = subprocess.run(argv, env=env, input=text, text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


def must(argv, path=None, text=None):
    """Run a command that has to work, return its output."""
    code, output = run(argv, path, text)
    if code:
        raise Wrong('%s: status %d\n%s%s' % (' '.join(argv), code, text or '',
                                             output))
    return output


def stock(lines):
    """Configure with the distribution's ip, which never sees our encap."""
    must(['ip', '-batch', '-'], STOCK_PATH, '\n'.join(lines) + '\n')


def sysctl(values):
    """Set net.* keys of the current namespace."""
    for key, value in values.items():
        write('/proc/sys/net/' + key, str(value))


class Probes:
    """Calls of kernel functions, as the kernel's kprobes count them."""

    def __init__(self):
        # Only the counts are wanted, not an event for each.
        write(TRACING + '/tracing_on', '0')
        for name in PROBES:
            write(TRACING + '/kprobe_events',
                  'p:seg6nr/%s %s\n' % (name, name))
            write('%s/events/seg6nr/%s/enable' % (TRACING, name), '1')

    def read(self):
        """{function: calls so far}."""
        found = {}
        with open(TRACING + '/kprobe_profile', encoding='ascii') as file:
            for line in file:
                name, hits, missed = line.split()
                if int(missed):
                    raise Wrong('kprobe of %s missed calls' % name)
                found[name] = int(hits)
        return found

    def settle(self):
        """Wait until the kernel is done with what came before."""
        seen = self.read()
        for _ in range(100):
            time.sleep(0.1)
            now = self.read()
            if now == seen:
                return
            seen = now
        raise Wrong('the kernel does not come to rest')


def packet_socket(dev):
    """A socket that sends and receives whole frames of a device."""
    sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW,
                         socket.htons(ETH_P_ALL))
    sock.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 8 << 20)
    sock.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)
    sock.bind((dev, 0))
    sock.settimeout(2)
    return sock


def enter(name):
    """Move this process to a named network namespace."""
    libc = ctypes.CDLL(None, use_errno=True)
    with open('/run/netns/' + name, encoding='ascii') as file:
        if libc.setns(file.fileno(), CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), 'setns')


def build_network():
    """Make the links, return (generator's socket, receiver's socket)."""
    # Generator and receiver are no hosts: they say nothing of their own, and
    # the Ethernet addresses that the frames bear are not their devices', for
    # else this kernel would look up routes for what the receiver gets.
    sysctl({'ipv6/conf/default/disable_ipv6': 1})
    stock(['netns add router',
           'link add gen0 type veth peer name in0 address %s netns router' %
           cases.ROUTER_IN,
           'link add rcv0 type veth peer name out0 address %s netns router' %
           cases.ROUTER_OUT, 'link set gen0 up', 'link set rcv0 up'])
    sockets = packet_socket('gen0'), packet_socket('rcv0')

    enter('router')
    sysctl({'ipv6/conf/all/forwarding': 1, 'ipv4/ip_forward': 1})
    for dev in ('in0', 'out0'):
        sysctl({'ipv6/conf/%s/addr_gen_mode' % dev: 1,
                'ipv6/conf/%s/mldv2_unsolicited_report_interval' % dev: 10,
                'ipv4/conf/%s/rp_filter' % dev: 0})
    sysctl({'ipv4/conf/all/rp_filter': 0})
    # Permanent neighbours: no packet of the router's own while we count.
    stock(['link set lo up', 'link set in0 up', 'link set out0 up',
           'addr add 12:1::2/64 dev in0 nodad',
           'addr add 12:2::2/64 dev out0 nodad',
           'addr add 10.2.0.2/24 dev out0',
           'neigh add 12:2::1 lladdr %s dev out0' % cases.RECEIVER,
           'neigh add 10.2.0.1 lladdr %s dev out0' % cases.RECEIVER])
    return sockets


def add_vrf():
    """The VRF of End.DT4; late, for its rule makes every lookup longer."""
    stock(['link add vrf0 type vrf table 200', 'link set vrf0 up'])
    sysctl({'vrf/strict_mode': 1, 'ipv4/conf/vrf0/rp_filter': 0})


class Lab:
    """The network with its counters."""

    def __init__(self):
        self.probes = Probes()
        self.generator, self.receiver = build_network()
        self.longest = 0.0

    def receive(self, count, address):
        """The next frames to the receiver's address, fewer if none come."""
        found = []
        while len(found) < count:
            try:
                frame = self.receiver.recv(2048)
            except socket.timeout:
                break
            if frame[:6] == address:
                found.append(frame)
        return found

    def send(self, frame, count):
        """Send a frame so many times, return what arrives."""
        found = []
        for start in range(0, count, BURST):
            burst = min(BURST, count - start)
            for _ in range(burst):
                self.generator.send(frame)
            found += self.receive(burst, cases.mac(cases.RECEIVER))
        return found

    def window(self, act):
        """Calls while act() ran, with its result."""
        self.probes.settle()
        before, start = self.probes.read(), time.monotonic()
        result = act()
        self.longest = max(self.longest, time.monotonic() - start)
        after = self.probes.read()
        return result, {name: after[name] - before[name] for name in PROBES}


class Table:
    """Rows of the result and what is wrong with them."""

    def __init__(self):
        self.rows = []
        self.faults = []

    def add(self, name, encap, sent, got, calls):
        """File a row."""
        self.rows.append((name, encap, sent, got, calls['dst_release'],
                          calls['dst_alloc']))

    def fault(self, text):
        """File a fault."""
        self.faults.append(text)
        progress('WRONG: ' + text)

    def lines(self):
        """The table."""
        form = '%-11s %-16s %6s %6s  %11s %9s'
        yield form % ('', '', 'frames', 'frames', 'calls of', 'calls of')
        yield form % ('behaviour', 'encap', 'in', 'out', 'dst_release',
                      'dst_alloc')
        last = None
        for row in self.rows:
            yield form % ((('' if row[0] == last else row[0]),) + row[1:])
            last = row[0]


def sid_counters(slot, sid):
    """(packets, bytes, errors) of the SID's route."""
    link = netlink.Netlink()
    try:
        found = netlink.counters(link, slot)
    finally:
        link.close()
    return found.get(socket.inet_pton(socket.AF_INET6, sid))


def judge(table, case, calls):
    """Ours calls neither for any packet; noise is not a packet's."""
    for name, seen in calls.items():
        if seen > NOISE:
            table.fault('%s seg6local_noref: %d calls of %s for %d frames, '
                        'not 0' % (case.name, seen, name, FRAMES))


def show_frame(way, frame):
    """What is in a frame, one header a line."""
    for line in cases.decoded(frame):
        say('    %-4s%s' % (way, line))
        way = ''


def measure(lab, table, case, encap):
    """One row: a warm-up frame, then the counted ones."""
    frame = cases.ether(cases.ROUTER_IN, cases.GENERATOR, case.packet)
    expected = cases.ether(cases.RECEIVER, cases.ROUTER_OUT, case.result)
    name = '%s %s' % (case.name, encap)
    first = lab.send(frame, 1)
    rest, calls = lab.window(lambda: lab.send(frame, FRAMES))
    right = rest.count(expected)
    table.add(case.name, encap, FRAMES, right, calls)
    if encap != 'seg6local_noref':
        for got in first:
            show_frame('out', got)
    progress('%-28s %d of %d frames right' % (name, right, FRAMES))
    if len(rest) != FRAMES or (first + rest).count(expected) != FRAMES + 1:
        table.fault('%s: of %d frames %d came out, %d of them right' %
                    (name, FRAMES + 1, len(first + rest),
                     (first + rest).count(expected)))
    for got in first + rest:
        if got != expected:
            say('  a wrong frame:\n    ' +
                '\n    '.join(cases.decode.dump(got)))
            break
    return calls


def check_counters(table, case, encap, slot):
    """The SID's own counter proves by which encap the frames went."""
    size = len(case.packet) * (FRAMES + 1)
    found = sid_counters(slot, case.sid)
    if found != (FRAMES + 1, size, 0):
        table.fault('%s %s: counters (packets, bytes, errors) %s, not %s' %
                    (case.name, encap, found, (FRAMES + 1, size, 0)))


def slot_of(encap):
    """The number under which the kernel knows an encap."""
    if encap == 'seg6local':
        return netlink.SEG6_LOCAL_SLOT
    with open(SLOT, encoding='ascii') as file:
        return int(file.read())


def run_case(lab, table, case):
    """All rows of a behaviour."""
    say('\n%s%s' % (case.name, case.words and ' - action ' + case.words or ''))
    show_frame('in', cases.ether(cases.ROUTER_IN, cases.GENERATOR, case.packet))
    if case.name == 'End.DT4':
        add_vrf()
    stock(['route add ' + route for route in case.routes])
    if not case.sid:
        measure(lab, table, case, 'none')
    for encap in ('seg6local', 'seg6local_noref') if case.sid else ():
        route = ['ip', '-6', 'route', 'add', case.sid + '/128', 'encap', encap,
                 'action'] + case.words.split() + ['count', 'dev', 'in0']
        must(route, STOCK_PATH if encap == 'seg6local' else None)
        calls = measure(lab, table, case, encap)
        check_counters(table, case, encap, slot_of(encap))
        if encap == 'seg6local_noref':
            judge(table, case, calls)
        must(['ip', '-6', 'route', 'del', case.sid + '/128'], STOCK_PATH)
    stock(['route del ' + route for route in case.routes])


def show(table, command, want=0, path=None, words=()):
    """A command as a user types it, with its output; judge both."""
    say('\n  # %s' % command)
    code, output = run(['sh', '-c', command], path)
    for line in output.splitlines():
        say('  ' + line)
    if code != want:
        table.fault('exit status %d, not %d: %s' % (code, want, command))
    for word in words:
        if word not in output:
            table.fault('no "%s" in the output of: %s' % (word, command))


def closing_act(lab, table):
    """The configuration that the README begins with."""
    stock(['link add dummy0 type dummy', 'link set dummy0 up',
           'route add f2::/128 ' + cases.NEXT6])
    show(table, 'modprobe seg6local_noref && ip -6 route add fc00::e/128 '
         'encap seg6local_noref action End count dev dummy0 && '
         'ip -6 route show',
         words=('fc00::e ', 'encap seg6local_noref action End'))
    packet = bytearray(cases.pcap('srv6-end'))
    sid = socket.inet_pton(socket.AF_INET6, 'fc00::e')
    packet[24:40] = packet[64:80] = sid
    packet = bytes(packet)
    result = cases.forwarded(cases.advanced(packet))
    got = lab.send(cases.ether(cases.ROUTER_IN, cases.GENERATOR, packet), 1)
    if got != [cases.ether(cases.RECEIVER, cases.ROUTER_OUT, result)]:
        table.fault('the packet to fc00::e did not come out right')
    say('\n  (one packet to fc00::e)')
    show(table, 'ip -6 -s route show fc00::e', words=('packets 1 ',))
    show(table, 'ip -6 route show', path=STOCK_PATH, words=('fc00::e ',))
    show(table, 'ip -6 route add fc00::f/128 encap seg6local_noref '
         'action End nh6 fc00::1 dev dummy0', want=2, words=('nh6',))
    show(table, 'ip -6 route del fc00::e/128 && modprobe -r seg6local_noref')


def main():
    """The demonstration; exit status 0 if all is as it should be."""
    if len(sys.argv) > 1:
        # What make install and make install-ip would have put on this system.
        shutil.copytree(sys.argv[1], '/', symlinks=True, dirs_exist_ok=True)
    progress('Linux %s, %d frames a row' % (os.uname().release, FRAMES))
    table = Table()
    lab = Lab()
    for case in cases.cases():
        run_case(lab, table, case)
    _, calls = lab.window(lambda: time.sleep(lab.longest))
    table.add('no packets', 'none', 0, 0, calls)
    if max(calls.values()) > NOISE:
        table.fault('the kernel is not idle without packets: %s' % calls)

    say('\nAn operator\'s first commands')
    closing_act(lab, table)

    say('')
    for line in table.lines():
        say(line)
    say('\nRaw counts of whole windows of %d frames, nothing subtracted; the '
        'last row is\na window of %.1f s, the longest of them, without a '
        'packet. A call per packet\nshows as %d, so %d too many in a row of '
        'ours pass for noise, and no more.' %
        (FRAMES, lab.longest, FRAMES, NOISE))
    for text in table.faults:
        say('WRONG: ' + text)
    say('' if table.faults else 'All as it should be.')
    return 1 if table.faults else 0


if __name__ == '__main__':
    try:
        sys.exit(main())
    except Wrong as problem:
        say('WRONG: %s' % problem)
        sys.exit(1)
