# SPDX-License-Identifier: GPL-2.0-only
"""Namespaces, the network between them, and ways to act inside of one.

    h1 ---- pe1 ---- p ---- pe2 ---- h2
                             |
                            v2         a port of vrf100

h1, h2 and v2 are hosts.  pe1 puts packets into SRv6 with the stock encap; p
and pe2 have SIDs of ours, pe1 one for the way back.  A device is named after
the namespace at the other end of its cable.
"""
import contextlib
import ctypes
import json
import os
import socket
import struct
import subprocess

from report import Failure

CLONE_NEWNET = 0x40000000
SPACES = ('h1', 'pe1', 'p', 'pe2', 'h2', 'v2')
LINKS = (('h1', 'pe1'), ('pe1', 'p'), ('p', 'pe2'), ('pe2', 'h2'),
         ('pe2', 'v2'))
CORE_MTU = 2000
MODULE = 'seg6local_noref'
STATISTICS = '/proc/net/' + MODULE

SYSCTLS = """
net/ipv6/conf/all/forwarding=%(router)d
net/ipv4/ip_forward=%(router)d
net/ipv6/conf/all/seg6_enabled=1
net/ipv6/conf/default/seg6_enabled=1
net/ipv6/conf/default/accept_dad=0
net/ipv6/conf/default/dad_transmits=0
net/ipv6/conf/default/accept_ra=0
net/ipv6/conf/default/router_solicitations=0
net/ipv6/icmp/ratelimit=0
net/ipv4/icmp_ratelimit=0
net/ipv4/icmp_ratemask=0
net/ipv4/conf/all/rp_filter=0
net/ipv4/conf/default/rp_filter=0
net/ipv6/auto_flowlabels=0
net/ipv4/tcp_slow_start_after_idle=0
"""

# Addresses and plain routes.
ADDRESSES = {
    'h1': """
address add 10.1.0.2/24 dev pe1
address add 2001:db8:1::2/64 dev pe1 nodad
route add default via 10.1.0.1
route add default via 2001:db8:1::1
""",
    'pe1': """
address add 10.1.0.1/24 dev h1
address add 2001:db8:1::1/64 dev h1 nodad
address add 10.10.0.1/24 dev p
address add 2001:db8:a::1/64 dev p nodad
route add default via 10.10.0.2
route add default via 2001:db8:a::2
""",
    'p': """
address add 10.10.0.2/24 dev pe1
address add 2001:db8:a::2/64 dev pe1 nodad
address add 10.11.0.1/24 dev pe2
address add 2001:db8:b::1/64 dev pe2 nodad
route add 10.1.0.0/24 via 10.10.0.1
route add 2001:db8:1::/64 via 2001:db8:a::1
route add fc01::/16 via 2001:db8:a::1
route add default via 10.11.0.2
route add default via 2001:db8:b::2
""",
    'pe2': """
address add 10.11.0.2/24 dev p
address add 2001:db8:b::2/64 dev p nodad
address add 10.2.0.1/24 dev h2
address add 2001:db8:2::1/64 dev h2 nodad
route add default via 10.11.0.1
route add default via 2001:db8:b::1
""",
    'h2': """
address add 10.2.0.2/24 dev pe2
address add 2001:db8:2::2/64 dev pe2 nodad
route add default via 10.2.0.1
route add default via 2001:db8:2::1
""",
    'v2': """
address add 10.3.0.2/24 dev pe2
address add 2001:db8:3::2/64 dev pe2 nodad
route add default via 10.3.0.1
route add default via 2001:db8:3::1
""",
}

# What goes away with the port of the VRF or with the VRF itself.
VRF = """
link add vrf100 type vrf table 100
link set vrf100 up
link set v2 master vrf100
link set v2 up
address replace 10.3.0.1/24 dev v2
address replace 2001:db8:3::1/64 dev v2 nodad
route replace 10.1.0.0/24 via 10.11.0.1 dev p table 100
route replace 2001:db8:1::/64 via 2001:db8:b::1 dev p table 100
"""

# What each address of h2 and v2 is reached by: the SIDs of p and pe2.
PATHS = {
    '2001:db8:2::e': 'fc02::e,fc03::d7',
    '2001:db8:2::ec': 'fc02::ec,fc03::d7',
    '2001:db8:2::b6': 'fc02::b6,fc03::d7',
    '2001:db8:2::d6': 'fc03::d6',
    '2001:db8:2::d7': 'fc03::d7',
    '2001:db8:2::76': 'fc03::76',
    '2001:db8:3::2': 'fc03::100:6',
    '2001:db8:3::46': 'fc02::e,fc03::100:46',
    '10.2.0.54': 'fc03::d4',
    '10.2.0.55': 'fc02::e,fc03::d5',
    '10.3.0.2': 'fc03::100:4',
    '10.3.0.46': 'fc03::100:46',
}

# namespace, SID, behaviour; all are on devices that stay.
SIDS = (
    ('pe1', 'fc01::d6', 'End.DX6 nh6 2001:db8:1::2'),
    ('pe1', 'fc01::d4', 'End.DX4 nh4 10.1.0.2'),
    ('p', 'fc02::e', 'End'),
    ('p', 'fc02::ec', 'End.X nh6 2001:db8:b::2'),
    ('p', 'fc02::b6', 'End.B6.Encaps srh segs fc03::76'),
    ('pe2', 'fc03::e', 'End'),
    ('pe2', 'fc03::d6', 'End.DX6 nh6 2001:db8:2::2'),
    ('pe2', 'fc03::d7', 'End.DX6 nh6 ::'),
    ('pe2', 'fc03::76', 'End.DT6 table 254'),
    ('pe2', 'fc03::d4', 'End.DX4 nh4 10.2.0.2'),
    ('pe2', 'fc03::d5', 'End.DX4 nh4 0.0.0.0'),
    ('pe2', 'fc03::100:4', 'End.DT4 vrftable 100'),
    ('pe2', 'fc03::100:6', 'End.DT6 vrftable 100'),
    ('pe2', 'fc03::100:46', 'End.DT46 vrftable 100'),
)
SID_DEVICE = {'pe1': 'p', 'p': 'pe1', 'pe2': 'p'}
TUNNEL_SOURCE = {'pe1': '2001:db8:a::1', 'p': '2001:db8:b::1',
                 'pe2': '2001:db8:b::2'}
LIBC = ctypes.CDLL(None, use_errno=True)
TOOL = ['seg6noref']
# Where the guest's clock counts instructions it may jump.
EMULATED = os.environ.get('LAB_KERNEL', '').startswith('debian')
TIMEOUT = 60000 if EMULATED else 60


def call(*args, text=None, check=True, timeout=TIMEOUT):
    """Run a command; return its output, errors included."""
    done = subprocess.run(args, input=text, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False,
                          universal_newlines=True, timeout=timeout)
    if check and done.returncode:
        raise Failure('%s: %d %s' % (' '.join(args), done.returncode,
                                     done.stdout.strip()[-400:]))
    return done.stdout


def inside(space, *args, **options):
    """Run a command in a namespace."""
    return call('ip', 'netns', 'exec', space, *args, **options)


def start(space, *args, **options):
    """Start a command in a namespace and do not wait."""
    return subprocess.Popen(('ip', 'netns', 'exec', space) + args, **options)


def ip(space, commands):
    """Have stock ip do the commands of several lines in a namespace."""
    call('ip', '-n', space, '-batch', '-', text=commands.strip() + '\n')


def sid(space, verb, address, behaviour='', device=None, check=True):
    """Change a SID of ours: verb is add, replace, del."""
    words = ['-n', space, '-6', 'route', verb, address]
    if behaviour:
        words += ['encap', MODULE, 'action'] + behaviour.split() + ['count']
    if verb != 'del':
        words += ['dev', device or SID_DEVICE[space]]
    return call(*TOOL, *words, check=check)


def enter(space):
    """Move this thread into a namespace."""
    file = os.open('/run/netns/' + space if space else '/proc/1/ns/net',
                   os.O_RDONLY)
    try:
        if LIBC.setns(file, CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), 'setns ' + str(space))
    finally:
        os.close(file)


@contextlib.contextmanager
def within(space):
    """Be in a namespace: sockets and files opened here belong to it."""
    enter(space)
    try:
        yield
    finally:
        enter(None)


def sysctl(space, name, value):
    """Set a sysctl; name has slashes."""
    with within(space), open('/proc/sys/' + name, 'w',
                             encoding='ascii') as file:
        file.write(str(value))


def statistics(space):
    """Return the drop causes of our module that counted, {name: count}."""
    with within(space), open(STATISTICS, encoding='ascii') as file:
        pairs = [line.split() for line in file]
    return {name: int(count) for name, count in pairs if int(count)}


def counters(space, address):
    """Return (packets, bytes, errors) of a SID."""
    text = call(*TOOL, '-n', space, '-s', '-j', '-6', 'route', 'show', address)
    for route in json.loads(text):
        counts = route['encap']['stats64']
        return counts['packets'], counts['bytes'], counts['errors']
    raise Failure('%s: no such SID' % address)


def family_of(address):
    """Return AF_INET6 or AF_INET."""
    return socket.AF_INET6 if ':' in address else socket.AF_INET


def udp(space, address='', port=0, timeout=5, family=None):
    """Return a bound UDP socket of a namespace."""
    with within(space):
        made = socket.socket(family or family_of(address), socket.SOCK_DGRAM)
    made.bind((address, port))
    made.settimeout(timeout)
    return made


def tcp(address):
    """Return a TCP socket of the present namespace."""
    made = socket.socket(family_of(address), socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    return made


def tap(space, device, protocol=3):
    """Return a packet socket that sees all frames of a device."""
    with within(space):
        made = socket.socket(socket.AF_PACKET, socket.SOCK_RAW,
                             socket.htons(protocol))
        made.bind((device, protocol))
    made.setsockopt(socket.SOL_SOCKET, 33, 1 << 23)  # SO_RCVBUFFORCE
    made.setblocking(False)
    return made


def frames(made):
    """Return what a packet socket has, [(frame, is outgoing)]."""
    found = []
    while True:
        try:
            frame, origin = made.recvfrom(65536)
        except BlockingIOError:
            return found
        found.append((frame, origin[2] == socket.PACKET_OUTGOING))


def packed(address):
    """Return an address as octets."""
    return socket.inet_pton(family_of(address), address)


def ipv6(source, destination, following, payload, hop_limit=64):
    """Return an IPv6 packet."""
    return struct.pack('!IHBB', 6 << 28, len(payload), following,
                       hop_limit) + packed(source) + packed(destination) + \
        payload


def srh(following, left, *segments):
    """Return a routing header; segments in the order of the list."""
    return struct.pack('!8B', following, 2 * len(segments), 4, left,
                       len(segments) - 1, 0, 0, 0) + \
        b''.join(packed(s) for s in segments)


def checksum(octets):
    """Return the Internet checksum."""
    octets += b'\0' * (len(octets) % 2)
    total = sum(struct.unpack('!%dH' % (len(octets) // 2), octets))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff


def udp6(source, destination, ports, payload):
    """Return a UDP datagram; destination is the final one."""
    length = 8 + len(payload)
    head = struct.pack('!HHH', ports[0], ports[1], length)
    pseudo = packed(source) + packed(destination) + \
        struct.pack('!II', length, socket.IPPROTO_UDP)
    value = checksum(pseudo + head + b'\0\0' + payload) or 0xffff
    return head + struct.pack('!H', value) + payload


def write_sysctls(space):
    """Set what all namespaces need."""
    router = space in SID_DEVICE
    with within(space):
        for line in (SYSCTLS % {'router': router}).split():
            name, value = line.split('=')
            with open('/proc/sys/' + name, 'w', encoding='ascii') as file:
                file.write(value)


def cable(one, two):
    """Lay a cable between two namespaces."""
    ip(one, 'link add %s type veth peer name %s netns %s' % (two, one, two))
    core = one in SID_DEVICE and two in SID_DEVICE
    for space, device in ((one, two), (two, one)):
        ip(space, 'link set %s mtu %d up' % (device,
                                             CORE_MTU if core else 1500))


def host_of(address):
    """Return the namespace that has an address."""
    return 'v2' if address.startswith(('2001:db8:3:', '10.3.')) else 'h2'


def add_targets():
    """Give h2 and v2 their addresses, and pe1 the ways to them."""
    routes = ''
    for address, segments in PATHS.items():
        if address not in ('10.3.0.2', '2001:db8:3::2'):
            ip(host_of(address), 'address add %s dev pe2 %s' % (
                address, 'nodad' if ':' in address else ''))
        routes += ('route add %s encap seg6 mode encap segs %s dev p\n' %
                   (address, segments))
    ip('pe1', routes)


def build():
    """Build it all."""
    for space in SPACES:
        call('ip', 'netns', 'add', space)
        write_sysctls(space)
        ip(space, 'link set lo up')
    for one, two in LINKS:
        cable(one, two)
    for space, commands in ADDRESSES.items():
        ip(space, commands)
    call('modprobe', 'vrf')
    sysctl('pe2', 'net/vrf/strict_mode', 1)
    ip('pe2', VRF)
    for space, source in TUNNEL_SOURCE.items():
        call('ip', '-n', space, 'sr', 'tunsrc', 'set', source)
    for space, address, behaviour in SIDS:
        sid(space, 'add', address, behaviour)
    add_targets()
    warm_up()


def warm_up():
    """Have the neighbours known, so that no first packet waits for them."""
    for host, address in (('h1', '2001:db8:2::2'), ('h1', '10.2.0.2'),
                          ('v2', '2001:db8:1::2'), ('v2', '10.1.0.2')):
        inside(host, 'ping', '-c', '1', '-W', '5', address)


def destroy():
    """Remove all namespaces, and with them all that is in them."""
    for space in SPACES:
        call('ip', 'netns', 'del', space, check=False)
