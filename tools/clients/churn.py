# SPDX-License-Identifier: GPL-2.0-only
"""Devices, VRFs and namespaces come and go while packets are under way.

Held routes must let go of a device at once, of a namespace too; the module
can be unloaded at the end.
"""
import time

import net
from report import need, remark
from stream import Stream

LIMIT = 1.0
RATE = 100
EGRESS = """
link add h2 type veth peer name pe2 netns h2
link set h2 up
address add 10.2.0.1/24 dev h2
address add 2001:db8:2::1/64 dev h2 nodad
"""
HOST = """
link set pe2 up
address add 10.2.0.2/24 dev pe2
address add 2001:db8:2::2/64 dev pe2 nodad
route add default via 10.2.0.1
route add default via 2001:db8:2::1
"""
# Streams over held routes: their senders are h1, the next hops on-link
TARGETS = ('2001:db8:2::d6', '2001:db8:2::ec', '10.2.0.54', '2001:db8:2::d7',
           '2001:db8:2::b6')
CORE = """
link add pe2 type veth peer name p netns pe2
link set pe2 mtu 2000 up
address add 10.11.0.1/24 dev pe2
address add 2001:db8:b::1/64 dev pe2 nodad
route add default via 10.11.0.2
route add default via 2001:db8:b::2
"""
CORE_PEER = """
link set p mtu 2000 up
address add 10.11.0.2/24 dev p
address add 2001:db8:b::2/64 dev p nodad
route add default via 10.11.0.1
route add default via 2001:db8:b::1
"""


def timed(*command):
    """Run a command; return how long it took."""
    start = time.monotonic()
    net.call(*command)
    return time.monotonic() - start


def targets():
    """Give h2 its addresses once more."""
    net.ip('h2', HOST + ''.join(
        'address add %s dev pe2 %s\n' % (a, 'nodad' if ':' in a else '')
        for a in net.PATHS if net.host_of(a) == 'h2'))


def wait_for(streams, what):
    """Wait until all streams arrive."""
    before = [len(s.got) for s in streams]
    end = time.monotonic() + 20
    while any(len(s.got) < b + 3 for s, b in zip(streams, before)):
        need(time.monotonic() < end, '%s: nothing arrives any more at %s' % (
            what, [s.target[0] for s, b in zip(streams, before)
                   if len(s.got) < b + 3]))
        time.sleep(0.02)


def delete_egress(streams):
    """Delete pe2's port to h2 and make it again."""
    took = timed('ip', '-n', 'pe2', 'link', 'del', 'h2')
    net.ip('pe2', EGRESS)
    targets()
    wait_for(streams, 'h2 again')
    return took


def delete_core(streams):
    """Delete p's port to pe2: End.X's egress, and pe2's SIDs go with it."""
    took = timed('ip', '-n', 'p', 'link', 'del', 'pe2')
    net.ip('p', CORE)
    net.ip('pe2', CORE_PEER)
    for space, address, behaviour in net.SIDS:
        if space == 'pe2':
            net.sid(space, 'add', address, behaviour)
    wait_for(streams, 'core again')
    return took


def flap(streams):
    """Set the egress down and up."""
    took = timed('ip', '-n', 'pe2', 'link', 'set', 'h2', 'down')
    net.ip('pe2', 'link set h2 up\naddress replace 2001:db8:2::1/64 dev h2 '
                  'nodad')
    wait_for(streams, 'flap')
    return took


def delete_vrf(_streams):
    """Delete the VRF and make it again."""
    took = timed('ip', '-n', 'pe2', 'link', 'del', 'vrf100')
    net.ip('pe2', net.VRF)
    return took


def links(report):
    """Devices come and go for a while."""
    streams = [Stream(a, RATE // 2) for a in TARGETS + ('10.3.0.2',)]
    longest, rounds = {}, 0
    end = time.monotonic() + report.seconds
    try:
        wait_for(streams, 'start')
        while time.monotonic() < end:
            for step in (delete_egress, flap, delete_core, delete_vrf):
                took = step(streams[:-1])
                name = step.__name__
                longest[name] = max(longest.get(name, 0), took)
            rounds += 1
    finally:
        for stream in streams:
            stream.stop()
    remark('%d rounds, %d datagrams; the longest: %s' % (
        rounds, sum(s.sent for s in streams),
        ', '.join('%s %.2f s' % pair for pair in longest.items())))
    late = {name: took for name, took in longest.items() if took >= LIMIT}
    need(not late, 'took too long: %s' % late)


def namespaces():
    """Namespaces are deleted under traffic, and really go."""
    waits = []
    for _ in range(3):
        streams = [Stream(a, RATE // 2) for a in TARGETS]
        wait_for(streams, 'start')
        start = time.monotonic()
        for space in ('p', 'pe2'):
            net.call('ip', 'netns', 'del', space)
        waits.append(gone(start))
        for stream in streams:
            stream.stop()
        net.destroy()
        net.build()
    remark('seconds until the cables of the namespaces were gone: ' +
           ' '.join('%.1f' % w for w in waits))


def gone(start):
    """Wait until the far ends of a dead namespace's cables are gone."""
    while time.monotonic() < start + 15:
        if '"p"' not in net.call('ip', '-n', 'pe1', '-j', 'link') and \
           '"pe2"' not in net.call('ip', '-n', 'h2', '-j', 'link'):
            return time.monotonic() - start
        time.sleep(0.05)
    need(False, 'the namespaces do not go')
    return 0


def unload():
    """All is deleted, and the module goes."""
    net.destroy()
    end = time.monotonic() + 15
    while net.call('lsmod').find(net.MODULE + ' ') >= 0:
        text = net.call('rmmod', net.MODULE, check=False)
        need(time.monotonic() < end, 'rmmod: ' + text)
        time.sleep(0.1)


def run(report):
    """Build the network and run the cases."""
    net.build()
    report.run('devices_come_and_go', links, report)
    report.run('namespaces_come_and_go', namespaces)
    report.run('module_unloads', unload)
    net.destroy()
