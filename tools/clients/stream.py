# SPDX-License-Identifier: GPL-2.0-only
"""Numbered UDP datagrams, sent at a steady pace and counted at the end."""
import struct
import threading
import time

import net

HEAD = struct.Struct('!II')


class Stream:
    """Datagrams from one host to another until stopped."""

    number = 0

    def __init__(self, address, rate, source='h1', size=200):
        Stream.number += 1
        self.key, self.gap = Stream.number, 1.0 / rate
        self.sent, self.refused = 0, 0
        self.got = {}
        self.payload = bytes(size - HEAD.size)
        port = 6000 + self.key
        self.target = (address, port)
        self.sink = net.udp(net.host_of(address), address, port, timeout=0.2)
        self.source = net.udp(source, family=net.family_of(address))
        self.running = True
        self.threads = [threading.Thread(target=work, daemon=True)
                        for work in (self.receive, self.send)]
        for thread in self.threads:
            thread.start()

    def send(self):
        """Send; a datagram that the host itself refuses has no number."""
        due = time.monotonic()
        while self.running:
            try:
                self.source.sendto(HEAD.pack(self.key, self.sent) +
                                   self.payload, self.target)
                self.sent += 1
            except OSError:
                self.refused += 1
            due = max(due + self.gap, time.monotonic() - 0.1)
            time.sleep(max(0, due - time.monotonic()))

    def receive(self):
        """Note which arrive and when."""
        quiet = 0
        while quiet < 5:
            try:
                key, number = HEAD.unpack_from(self.sink.recv(65536))
            except OSError:
                quiet = 0 if self.running else quiet + 1
                continue
            if key == self.key:
                self.got[number] = time.monotonic()

    def stop(self):
        """Stop and wait for what is under way."""
        self.running = False
        for thread in self.threads:
            thread.join()
        self.sink.close()
        self.source.close()

    def missing(self):
        """Return how many did not arrive."""
        return self.sent - len(self.got)

    def latest(self):
        """Return when the last one arrived so far."""
        return max(self.got.values(), default=0)
