# SPDX-License-Identifier: GPL-2.0-only
"""The node under test and its peers: namespaces, devices, sockets.

    S --(s)---(na)-- N --(nb)---(r)-- R
                     |
                   (nd)---(q)-- Q          nd is a port of vrf100

N lives in one fresh network namespace.  The peers need no IP stack, only
their ends of the cables, which share a second namespace with IPv6 off.
"""
import ctypes
import fcntl
import os
import select
import socket
import struct
import subprocess

import netlink

CLONE_NEWNET = 0x40000000
SIOCGIFFLAGS, SIOCSIFFLAGS, SIOCSIFMTU = 0x8913, 0x8914, 0x8922
SIOCETHTOOL, ETHTOOL_STXCSUM = 0x8946, 0x17
IFF_UP = 1
ETH_P_ALL, SOL_PACKET, PACKET_VNET_HDR, PACKET_OUTGOING = 3, 263, 15, 4
PACKET_AUXDATA, VLAN_VALID = 8, 0x10
PEERS = {'na': 's', 'nb': 'r', 'nd': 'q'}
SENTINEL_SECONDS = 20
PEER_MTU = 9000
# A neighbour that does not answer is asked once a run.
RETRANS_MS = 600000

SYSCTLS = """
net/ipv6/conf/all/forwarding 1
net/ipv6/conf/default/accept_dad 0
net/ipv6/conf/default/dad_transmits 0
net/ipv6/conf/default/accept_ra 0
net/ipv6/conf/default/router_solicitations 0
net/ipv6/conf/default/addr_gen_mode 1
net/ipv6/auto_flowlabels 0
net/ipv6/icmp/ratelimit 0
net/ipv6/icmp/ratemask 200
net/ipv4/ip_forward 1
net/ipv4/icmp_ratelimit 0
net/ipv4/icmp_ratemask 0
net/ipv4/conf/all/rp_filter 0
net/ipv4/conf/default/rp_filter 0
"""

LINKS = """
link set lo up
link add na address {na} type veth peer name s address {s} mtu 9000 netns {ns}
link add nb address {nb} type veth peer name r address {r} mtu 9000 netns {ns}
link add nd address {nd} type veth peer name q address {q} mtu 9000 netns {ns}
"""

VRF = """
link add vrf100 type vrf table 100
link set vrf100 up
link set nd master vrf100
"""

# What nd loses when it goes down or changes its master.
ND = """
link set nd up
addr replace {Nd4}/24 dev nd
addr replace {Nd}/64 dev nd nodad
neigh replace {Q} lladdr {q} dev nd nud permanent
neigh replace {Q4} lladdr {q} dev nd nud permanent
route replace 192.0.2.0/24 via {Q4} dev nd table 100
route replace fd44::/16 via {Q} dev nd table 100
"""

ROUTES = """
link set na up
link set nb up
addr add {Na}/64 dev na nodad
addr add {Na4}/24 dev na
addr add fe80::2a/64 dev na nodad
addr add {Nb}/64 dev nb nodad
addr add {Nb4}/24 dev nb
addr add fe80::2b/64 dev nb nodad
addr add {own}/128 dev nb nodad
neigh add {S} lladdr {s} dev na nud permanent
neigh add {S4} lladdr {s} dev na nud permanent
neigh add {H} lladdr {h} dev na nud permanent
neigh add fe80::1 lladdr {s} dev na nud permanent
neigh add {R} lladdr {r} dev nb nud permanent
neigh add {R4} lladdr {r} dev nb nud permanent
neigh add fe80::b lladdr {r} dev nb nud permanent
route add fc00:2::/32 via {R}
route add fcbb::/16 via {R}
route add fd55::/16 via {R}
route add fd77::/16 via {R} table 77
route add fcbb::/16 via {R} table 77
route add blackhole fd66::/16
route add fc00:7::/64 encap seg6 mode encap segs fc00:2::5 via {R}
route add prohibit fd67::/16
route add prohibit fd78::/16 table 77
route add 192.0.2.0/24 via {R4}
route add blackhole 198.51.100.0/24
route add prohibit 203.0.113.128/25
route add fd79::/16 via {R} table 79
route add fd7a::/16 via {R} table 79
route add fd7b::/16 via {R} table 79
route add fd7c::/16 via {R} table 79
"""

RULES = """
rule add pref 100 iif na to fd79::/16 lookup 79
rule add pref 101 from {S} to fd7a::/16 lookup 79
rule add pref 102 ipproto 43 to fd7b::/16 lookup 79
rule add pref 103 tos 0x10 to fd7c::/16 lookup 79
"""


def switch(namespace=None):
    """Enter a namespace (file descriptor), or a fresh one."""
    libc = ctypes.CDLL(None, use_errno=True)
    if namespace is None:
        failed = libc.unshare(CLONE_NEWNET)
    else:
        failed = libc.setns(namespace, CLONE_NEWNET)
    if failed:
        raise OSError(ctypes.get_errno(), 'cannot change network namespace')


def sysctl(path, value):
    """Write a sysctl of the current namespace; return the old value."""
    with open('/proc/sys/' + path, encoding='ascii') as file:
        old = file.read().strip()
    with open('/proc/sys/' + path, 'w', encoding='ascii') as file:
        file.write(str(value))
    return old


def batch(ip, text, *options):
    """Run the lines of text through one ip; return its complaints."""
    done = subprocess.run([ip, *options, '-force', '-batch', '-'], input=text,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          universal_newlines=True, check=False)
    return done.stderr.strip()


class NodeError(RuntimeError):
    """The set-up cannot be built here."""


class Node:
    """One build of the set-up; the process ends up inside N."""

    def __init__(self, table, ip, vrf):
        # One CPU, hence one receive queue: what is sent first is done first.
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
        self.ip = ip
        self.table = table
        self.vrf = vrf
        self.socks = {}
        self.tap = None
        self.seq = 0
        switch()
        sysctl('net/ipv6/conf/default/disable_ipv6', 1)
        self.peers = os.open('/proc/self/ns/net', os.O_RDONLY)
        switch()
        self.home = os.open('/proc/self/ns/net', os.O_RDONLY)
        for line in SYSCTLS.split('\n'):
            if line:
                sysctl(*line.split())
        self.links()
        self.paged = self.open_sockets()
        names = dict(table.addrs, **table.macs)
        self.must((ROUTES + ND).format(**names))
        self.rtnl = netlink.Netlink()
        for number, secret in {k: s for n, (k, s) in table.keys.items()
                               if not n.startswith('bad')}.items():
            netlink.set_hmac_key(number, secret)

    def must(self, text, *options):
        """Configure through ip, or give up."""
        trouble = batch(self.ip, text, *options)
        if trouble:
            raise NodeError(trouble)

    def links(self):
        """Cables, and the VRF where the kernel has it."""
        path = '/proc/%d/fd/%d' % (os.getpid(), self.peers)
        self.must(LINKS.format(ns=path, **self.table.macs))
        for dev in PEERS:
            for family in ('ipv4', 'ipv6'):
                sysctl('net/%s/neigh/%s/retrans_time_ms' % (family, dev),
                       RETRANS_MS)
        if self.vrf:
            self.must(VRF.split('\n')[1])
            sysctl('net/vrf/strict_mode', 1)
            self.must('\n'.join(VRF.split('\n')[2:]))

    def open_sockets(self):
        """Sockets on the peers' ends; return one that sends paged frames."""
        switch(self.peers)
        for dev, peer in PEERS.items():
            sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW,
                                 socket.htons(ETH_P_ALL))
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
            sock.setsockopt(SOL_PACKET, PACKET_AUXDATA, 1)
            request = struct.pack('16sH14x', peer.encode(), 0)
            flags = fcntl.ioctl(sock, SIOCGIFFLAGS, request)
            up = struct.unpack_from('H', flags, 16)[0] | IFF_UP
            fcntl.ioctl(sock, SIOCSIFFLAGS,
                        struct.pack('16sH14x', peer.encode(), up))
            sock.bind((peer, ETH_P_ALL))
            self.socks[dev] = sock
        paged = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
        paged.setsockopt(SOL_PACKET, PACKET_VNET_HDR, 1)
        paged.bind(('s', 0))
        switch(self.home)
        return paged

    def close(self):
        """Leave nothing behind but the process inside N."""
        for sock in list(self.socks.values()) + [self.paged]:
            sock.close()
        self.rtnl.close()
        os.close(self.peers)
        os.close(self.home)

    def mtu(self, dev, value):
        """Set a device's MTU."""
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
            fcntl.ioctl(sock, SIOCSIFMTU,
                        struct.pack('16si12x', dev.encode(), value))

    def interrupt(self, name, how):
        """Take nd down, or the VRF away (gone), or make it anew (again)."""
        if name == 'nd':
            self.must('link set nd %s\n' % how)
            return
        self.must('link del vrf100\n')
        if how == 'again':
            self.restore()

    def restore(self):
        """Have nd and the VRF as they were."""
        have = {name for _, name in socket.if_nameindex()}
        if self.vrf and 'vrf100' not in have:
            self.must(VRF)
        self.must(ND.format(**dict(self.table.addrs, **self.table.macs)))

    def rules(self, verb):
        """Have the policy rules (add) or not (del)."""
        self.must(RULES.replace('add', verb).format(**self.table.addrs), '-6')

    def tap_on(self):
        """Listen on na as tcpdump would: every frame is then shared."""
        self.tap = socket.socket(socket.AF_PACKET, socket.SOCK_RAW,
                                 socket.htons(ETH_P_ALL))
        self.tap.bind(('na', ETH_P_ALL))

    def tap_off(self):
        """Stop listening."""
        self.tap.close()
        self.tap = None

    def offload(self, name, state):
        """Whether a device checksums and segments itself."""
        value = struct.pack('=LL', ETHTOOL_STXCSUM, state)
        data = ctypes.create_string_buffer(value, len(value))
        request = struct.pack('16sP16x', name.encode(), ctypes.addressof(data))
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
            fcntl.ioctl(sock, SIOCETHTOOL, request)

    def send_gso(self, frame, start, kind, size):
        """S sends a frame that its device is to cut into pieces of size.

        start is where TCP begins, whose checksum is left to the device too.
        """
        self.paged.send(struct.pack('=BBHHHH', 1, kind, start + 20, size,
                                    start, 16) + frame)

    def send(self, frame, paged=False):
        """S sends a frame, with all but its first headers in pages."""
        if paged:
            # flags, gso type, header length, gso size, csum start, offset
            self.paged.send(struct.pack('=BBHHHH', 0, 0, 54, 0, 0, 0) + frame)
        else:
            self.socks['na'].send(frame)

    def collect(self, builder):
        """Frames [(device, octets)] that left N up to now.

        A ping behind them in the same queue marks the end: once the answer
        is here nothing of what was sent before is still under way.
        """
        self.seq += 1
        ping = builder.frame('6(S>Na) ECHO6(4,seq=%d)' % self.seq, 's', 'na')
        pong = builder.frame('6(Na>S) REPLY6(4,seq=%d)' % self.seq, 'na', 's')
        self.socks['na'].send(ping)
        frames = []
        while True:
            if not select.select([self.socks['na']], [], [],
                                 SENTINEL_SECONDS)[0]:
                raise NodeError('the sentinel packet is lost')
            if self.take('na', self.socks['na'], frames, pong):
                break
        for dev in ('nb', 'nd'):
            self.drain(dev, self.socks[dev], frames)
        if self.tap:
            self.drain('tap', self.tap, frames)
        return [f for f in frames if f != ('tap', ping)]

    def drain(self, dev, sock, frames):
        """Take all that a socket has."""
        while select.select([sock], [], [], 0)[0]:
            self.take(dev, sock, frames)

    @staticmethod
    def take(dev, sock, frames, end=None):
        """Take one frame; true if it is the end mark."""
        data, aux, _, where = sock.recvmsg(PEER_MTU + 100, 64)
        data = data[:12] + vlan_tag(aux) + data[12:]
        if where[2] == PACKET_OUTGOING or noise(data):
            return False
        if data == end:
            return True
        frames.append((dev, data))
        return False


def vlan_tag(aux):
    """The tag that the receiving kernel has taken out of a frame."""
    for level, kind, data in aux:
        if (level, kind) == (SOL_PACKET, PACKET_AUXDATA):
            status, tci, tpid = struct.unpack('=L12xHH', data[:20])
            if status & VLAN_VALID:
                return struct.pack('!HH', tpid, tci)
    return b''


def noise(data):
    """Multicast listener reports, which the node sends when it likes."""
    return (data[12:14] == b'\x86\xdd' and data[20] == 0 and
            data[38:54] in (socket.inet_pton(socket.AF_INET6, 'ff02::16'),
                            socket.inet_pton(socket.AF_INET6, 'ff02::2')))
