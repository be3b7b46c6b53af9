#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Runs in a guest: what the generator delivers is what it says it does."""
import socket
import struct
import unittest

import generator
import guest
import rows
from report_tally import tally

COUNT = 256
ETH_P_ALL = 3
SO_RCVBUFFORCE = 33


def capture():
    """A socket that sees what out0 is given to send."""
    sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW,
                         socket.htons(ETH_P_ALL))
    sock.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 8 << 20)
    sock.bind(('out0', 0))
    sock.setblocking(False)
    return sock


def drain(sock):
    """All frames that a socket has."""
    found = []
    while True:
        try:
            found.append(sock.recv(2048))
        except BlockingIOError:
            return found


def result(frame, change):
    """The frame that is to come out."""
    packet = rows.cases.forwarded(change(frame[rows.cases.ETHER:]))
    return rows.cases.ether(rows.cases.RECEIVER, rows.cases.ROUTER_OUT, packet)


CHANGES = {'End': rows.cases.advanced, 'End.T': rows.cases.advanced,
           'End.X-onlink': rows.cases.advanced,
           'End.X-gateway': rows.cases.advanced,
           'End.DX6-onlink': rows.cases.inner, 'End.DT6': rows.cases.inner,
           'End.DX4': rows.cases.inner, 'End.DT4': rows.cases.inner}


class Delivery(unittest.TestCase):
    """One router for all cases; a VRF comes to it in between."""

    @classmethod
    def setUpClass(cls):
        cls.router = guest.Router()
        cls.router.settle()

    def check(self, frame, change):
        """All frames come out, and all are what they should be.

        A socket that sees them keeps their pages from being recycled, so that
        the first run is without it.
        """
        source = generator.Generator(frame, self.router.index)
        self.assertEqual(generator.fire(source, COUNT, 'out0')[1], COUNT)
        with capture() as sock:
            each, out = generator.fire(source, COUNT, 'out0')
            found = drain(sock)
        source.close()
        self.assertGreater(each, 0)
        self.assertEqual(out, COUNT)
        self.assertEqual(len(found), COUNT)
        self.assertEqual(set(found), {result(frame, change)})

    def test_plain_frames_restored(self):
        for name in rows.packets():
            if not name.startswith('ip4-'):
                self.check(rows.frame(name, rows.PLAIN), lambda packet: packet)

    def test_rows(self):
        for row in rows.ROWS + rows.MORE:
            if row.vrf and not self.router.vrf:
                self.router.add_vrf()
                self.router.settle()
            for variant in self.router.variants:
                leaf = rows.VARIANTS.index(variant)
                self.router.set_sid(leaf, variant, row.words)
                with self.subTest(row=row.name, variant=variant):
                    self.check(rows.frame(row.frame, leaf), CHANGES[row.name])
                    self.assertEqual(self.router.passed(leaf), (2 * COUNT, 0))
                self.router.unset_sid(leaf)

    def test_loss_is_seen(self):
        guest.ip(['route replace blackhole f1::7/128'])
        source = generator.Generator(rows.frame('end-94', 7),
                                     self.router.index)
        self.assertEqual(generator.fire(source, COUNT, 'out0')[1], 0)
        source.close()

    def test_count_in_frames(self):
        guest.ip(['route add f2::/64 ' + rows.NEXT6])
        place = rows.SEGMENT + 14
        frame = rows.ethernet(rows.bare('f2::', rows.PREFIX % 0))
        self.router.set_sid(0, 'in-tree', 'End')
        source = generator.Generator(frame, self.router.index, (place,), 10)
        with capture() as sock:
            generator.fire(source, 64, 'out0')
            found = [struct.unpack_from('!H', f, place)[0]
                     for f in drain(sock)]
        source.close()
        self.assertEqual(found, [n % 10 for n in range(64)])
        self.router.unset_sid(0)


if __name__ == '__main__':
    raise SystemExit(tally())
