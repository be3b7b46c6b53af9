# SPDX-License-Identifier: GPL-2.0-only
"""TRex profile: the frames of this benchmark, from many sources.

In TRex' console: start -f operators_trex.py -m 5mpps -d 30 --port 0
                  -t --frame end-94 --sid fc00::a
"""
import argparse
import socket
import struct

from trex_stl_lib.api import Ether, STLPktBuilder, STLStream, STLTXCont, STLVM
from scapy.packet import Raw        # TRex' own, which its library put there

IPV4, ROUTING, UDP, NONE = 4, 43, 17, 59
SOURCE = "1:2:1::1"
SOURCE_END = 14 + 8 + 16            # behind the source address, in a frame


def ipv6(next_header, payload, destination):
    return (struct.pack("!IHBB", 6 << 28, len(payload), next_header, 64) +
            socket.inet_pton(socket.AF_INET6, SOURCE) +
            socket.inet_pton(socket.AF_INET6, destination) + payload)


def end(sid, last="f2::"):
    """IPv6 and an SRH with one segment left, nothing behind it."""
    srh = struct.pack("!BBBBBBH", NONE, 4, 4, 1, 1, 0, 0)
    for segment in (last, sid):
        srh += socket.inet_pton(socket.AF_INET6, segment)
    return ipv6(ROUTING, srh, sid)


def checksum(header):
    total = sum(struct.unpack(f"!{len(header) // 2}H", header))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff


def ipv4_udp(source="10.1.0.1", destination="10.9.0.1"):
    def header(check):
        return struct.pack("!BBHHHBBH4s4s", 0x45, 0, 28, 0, 0, 64, UDP, check,
                           socket.inet_aton(source),
                           socket.inet_aton(destination))

    return header(checksum(header(0))) + struct.pack("!HHHH", 9, 9, 8, 0)


def decap4(sid):
    """IPv4 and UDP without payload, directly in IPv6."""
    return ipv6(IPV4, ipv4_udp(), sid)


FRAMES = {"end-94": end, "ip4in6-82": decap4}


class Profile:
    """One continuous stream; the last 16 bits of the source count."""

    def get_streams(self, direction=0, tunables=(), **_):
        parser = argparse.ArgumentParser()
        parser.add_argument("--frame", choices=sorted(FRAMES),
                            default="end-94")
        parser.add_argument("--sid", default="fc00::a")
        parser.add_argument("--flows", type=int, default=4096)
        args = parser.parse_args(list(tunables))
        vm = STLVM()
        vm.var(name="source", min_value=1, max_value=args.flows, size=2,
               op="inc")
        vm.write(fv_name="source", pkt_offset=SOURCE_END - 2)
        packet = Ether(type=0x86dd) / Raw(FRAMES[args.frame](args.sid))
        return [STLStream(packet=STLPktBuilder(pkt=packet, vm=vm),
                          mode=STLTXCont(pps=1000))]


def register():
    return Profile()
