# SPDX-License-Identifier: GPL-2.0-only
"""conntrack, NAT and queues see the inner packet (nf_hooks_lwtunnel = 1).

Both directions go through SRv6: from h1 by the SIDs of pe2, and back by those
of pe1.
"""
import threading
import time

import net
import nfqueue
from report import need, remark

PORT, HIDDEN = 8000, 9000
QUEUE = 7
DELAY = 0.3

# name, address as h1 knows it, address behind DNAT, family of the hook
FLOWS = (
    ('dx6', '2001:db8:2::d6', '2001:db8:2::5', 'ip6'),
    ('dx6_unspecified', '2001:db8:2::d7', '2001:db8:2::5', 'ip6'),
    ('dt6_vrf', '2001:db8:3::46', '2001:db8:3::5', 'ip6'),
    ('dx4', '10.2.0.54', '10.2.0.5', 'ip'),
    ('dx4_unspecified', '10.2.0.55', '10.2.0.5', 'ip'),
    ('dt4', '10.3.0.46', '10.3.0.5', 'ip'),
)
BACK = {'ip6': ('2001:db8:1::/64', 'fc01::d6'), 'ip': ('10.1.0.0/24',
                                                      'fc01::d4')}


def nft(text):
    """Replace all rules of pe2."""
    net.call('ip', 'netns', 'exec', 'pe2', 'nft', '-f', '-',
             text='flush ruleset\n' + text)


def chain(name, kind, hook, priority, rule):
    """Return a chain with one rule."""
    return ('chain %s { type %s hook %s priority %s; policy accept;\n%s\n}\n' %
            (name, kind, hook, priority, rule))


class Echo:
    """A UDP server that answers with who asked."""

    def __init__(self, address, port):
        self.sock = net.udp(net.host_of(address), address, port, timeout=0.2)
        self.running = True
        self.thread = threading.Thread(target=self.work, daemon=True)
        self.thread.start()

    def work(self):
        """Answer until closed."""
        while self.running:
            try:
                data, peer = self.sock.recvfrom(2000)
            except OSError:
                continue
            self.sock.sendto(data + b'|' + peer[0].encode(), peer)

    def close(self):
        """Stop."""
        self.running = False
        self.thread.join()
        self.sock.close()


def ask(address, port, count=10):
    """Ask an echo server from h1; return the addresses that it saw."""
    with_port = net.udp('h1', family=net.family_of(address), timeout=3)
    with_port.connect((address, port))
    seen = set()
    for number in range(count):
        with_port.send(b'%d' % number)
        try:
            data, _, peer = with_port.recv(2000).partition(b'|')
        except OSError:
            need(False, 'no answer to datagram %d; pe2: %s' % (
                number, net.statistics('pe2')))
        need(data == b'%d' % number, 'another answer: %r' % data)
        seen.add(peer.decode())
    with_port.close()
    return seen


def dropped(address):
    """DNAT takes the dst, and with it the next hop that was configured."""
    before = net.statistics('pe2').get('drop_no_state', 0)
    source = net.udp('h1', family=net.family_of(address))
    for _ in range(5):
        source.sendto(b'?', (address, PORT))
    source.close()
    time.sleep(0.5)
    grown = net.statistics('pe2').get('drop_no_state', 0) - before
    need(grown == 5, 'drop_no_state grew by %d' % grown)


def translate(name, address, hidden, family):
    """DNAT to another address and port, and SNAT, both ways."""
    source = '2001:db8:9::9' if family == 'ip6' else '10.9.0.9'
    brackets = '[%s]' if family == 'ip6' else '%s'
    rules = 'table %s t {\n' % family
    rules += chain('pre', 'nat', 'prerouting', -100,
                   '%s daddr %s udp dport %d counter dnat to %s:%d' % (
                       family, address, PORT, brackets % hidden, HIDDEN))
    rules += chain('post', 'nat', 'postrouting', 100,
                   'udp dport %d counter snat to %s' % (HIDDEN, source))
    nft(rules + '}\n')
    net.inside('pe2', 'conntrack', '-F')
    if name in ('dx6', 'dx4'):
        dropped(address)
        return
    server = Echo(hidden, HIDDEN)
    try:
        seen = ask(address, PORT)
        listing = net.inside('pe2', 'conntrack', '-L', '-p', 'udp', '-f',
                             'ipv6' if family == 'ip6' else 'ipv4')
    finally:
        server.close()
    need(seen == {source}, 'the server saw %s' % seen)
    entries = [line for line in listing.split('\n')
               if 'dport=%d' % PORT in line]
    need(len(entries) == 1 and hidden in entries[0] and
         'UNREPLIED' not in entries[0], '%s: conntrack has %s' % (
             name, listing))


def masquerade(_name, address, _hidden, family):
    """SNAT alone: the destination stays."""
    source = '2001:db8:9::9' if family == 'ip6' else '10.9.0.9'
    nft('table %s t {\n' % family +
        chain('post', 'nat', 'postrouting', 100,
              'udp dport %d counter snat to %s' % (PORT, source)) + '}\n')
    server = Echo(address, PORT)
    try:
        seen = ask(address, PORT)
    finally:
        server.close()
    need(seen == {source}, 'the server saw %s' % seen)


def queued(_name, address, _hidden, family):
    """Packets wait in a queue of PRE_ROUTING and come out of it."""
    nft('table %s t {\n' % family +
        chain('pre', 'filter', 'prerouting', -300,
              'udp dport %d queue num %d' % (PORT, QUEUE)) + '}\n')
    queue = nfqueue.Queue('pe2', QUEUE, DELAY)
    server = Echo(address, PORT)
    start = time.monotonic()
    try:
        ask(address, PORT, 3)
    finally:
        took = time.monotonic() - start
        server.close()
        nft('')
        queue.close()
    need(queue.seen >= 3, 'the queue saw %d' % queue.seen)
    need(took >= 3 * DELAY, 'the queue was passed by')


def queued_outer(space, sid, address):
    """Outer packets wait in a queue of LOCAL_IN, before the behaviour."""
    net.call('ip', 'netns', 'exec', space, 'nft', '-f', '-',
             text='table ip6 q {\n' + chain(
                 'in', 'filter', 'input', 0,
                 'ip6 daddr %s queue num %d' % (sid, QUEUE)) + '}\n')
    queue = nfqueue.Queue(space, QUEUE, DELAY)
    server = Echo(address, PORT)
    try:
        ask(address, PORT, 3)
    finally:
        server.close()
        net.inside(space, 'nft', 'delete', 'table', 'ip6', 'q')
        queue.close()
    need(queue.seen >= 3, 'the queue saw %d' % queue.seen)


def queued_while_deleted(_name, address, _hidden, family):
    """The SID is deleted while its packets wait for their verdict."""
    space, sid = 'pe2', net.PATHS[address].split(',')[-1]
    behaviour = [b for s, a, b in net.SIDS if (s, a) == (space, sid)][0]
    nft('table %s t {\n' % family +
        chain('pre', 'filter', 'prerouting', -300,
              'udp dport %d queue num %d' % (PORT, QUEUE)) + '}\n')
    queue = nfqueue.Queue('pe2', QUEUE, 1.0)
    source = net.udp('h1', family=net.family_of(address))
    try:
        for _ in range(20):
            source.sendto(b'waiting', (address, PORT))
        time.sleep(0.3)
        net.sid(space, 'del', sid)
        text = net.call('rmmod', net.MODULE, check=False)
        need('in use' in text, 'rmmod: ' + text)
        time.sleep(1.2)
    finally:
        nft('')
        queue.close()
        source.close()
        net.sid(space, 'add', sid, behaviour)
    need(queue.seen >= 15, 'the queue saw %d' % queue.seen)


def stays():
    """The module cannot be unloaded any more and has said so."""
    net.destroy()
    time.sleep(1)
    text = net.call('rmmod', net.MODULE, check=False)
    need('in use' in text, 'rmmod: ' + (text or 'it is gone'))
    lines = [line for line in net.call('dmesg').split('\n')
             if 'nf_hooks_lwtunnel' in line and net.MODULE in line]
    need(len(lines) == 1, 'the kernel log says: %s' % lines)
    remark(lines[0])


def prepare():
    """Build the network, with the way back through SRv6 too."""
    net.build()
    net.call('modprobe', 'nf_conntrack')
    net.call('modprobe', 'nfnetlink_queue')
    net.sysctl(None, 'net/netfilter/nf_hooks_lwtunnel', 1)
    for prefix, sid in BACK.values():
        # h1's network and the addresses of SNAT
        for table in ('254', '100'):
            net.ip('pe2', 'route replace %s encap seg6 mode encap segs %s '
                   'dev p table %s' % (prefix, sid, table))
    for host, prefix6, prefix4 in (('h2', '2001:db8:2::', '10.2.0.'),
                                   ('v2', '2001:db8:3::', '10.3.0.')):
        net.ip(host, 'address add %s5 dev pe2 nodad\n'
                     'address add %s5/24 dev pe2' % (prefix6, prefix4))


def run(report):
    """Build the network and run the cases."""
    prepare()
    for flow in FLOWS:
        report.run('snat_' + flow[0], masquerade, *flow)
        report.run('dnat_snat_' + flow[0], translate, *flow)
        # A VRF loses what is queued in its PRE_ROUTING, whoever sent it.
        if flow[0] not in ('dt6_vrf', 'dt4'):
            report.run('nfqueue_' + flow[0], queued, *flow)
    nft('')
    report.run('nfqueue_outer_end', queued_outer, 'p', 'fc02::e',
               '2001:db8:2::e')
    report.run('nfqueue_outer_b6_encaps', queued_outer, 'p', 'fc02::b6',
               '2001:db8:2::b6')
    report.run('nfqueue_outer_dx4', queued_outer, 'pe2', 'fc03::d4',
               '10.2.0.54')
    for flow in FLOWS:
        if 'vrf' not in flow[0] and flow[0] != 'dt4':
            report.run('sid_deleted_while_queued_' + flow[0],
                       queued_while_deleted, *flow)
    report.run('module_stays', stays)
    net.destroy()
