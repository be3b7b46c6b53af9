# SPDX-License-Identifier: GPL-2.0-only
"""A queue of netfilter: packets wait here for their verdict."""
import socket
import struct
import threading
import time

import net

NETFILTER = 12
QUEUE, PACKET, VERDICT, CONFIG = 3, 0, 1, 2
BIND, COPY_PACKET = 1, 2
PACKET_HEADER, VERDICT_HEADER, CONFIG_COMMAND, CONFIG_MODE = 1, 2, 1, 2
ACCEPT = 1
REQUEST, ACK = 1, 4


def attribute(kind, octets):
    """Return a netlink attribute."""
    length = 4 + len(octets)
    return struct.pack('=HH', length, kind) + octets + b'\0' * (-length % 4)


def message(kind, flags, number, *attributes):
    """Return a message to a queue."""
    body = struct.pack('!BBH', socket.AF_UNSPEC, 0, number) + \
        b''.join(attributes)
    return struct.pack('=IHHII', 16 + len(body), QUEUE << 8 | kind,
                       REQUEST | flags, 0, 0) + body


def packet_id(octets):
    """Return the number of the packet that a message tells of, or None."""
    length, kind = struct.unpack_from('=IH', octets)
    if kind != QUEUE << 8 | PACKET:
        return None
    at = 20
    while at + 4 <= length:
        size, which = struct.unpack_from('=HH', octets, at)
        if which & 0x7fff == PACKET_HEADER:
            return struct.unpack_from('!I', octets, at + 4)[0]
        at += size + -size % 4
    return None


class Queue:
    """Accepts each packet of a queue after so many seconds."""

    def __init__(self, space, number, delay):
        self.number, self.delay = number, delay
        self.seen = 0
        self.held = []
        with net.within(space):
            self.sock = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW,
                                      NETFILTER)
        self.sock.bind((0, 0))
        self.ask(attribute(CONFIG_COMMAND, struct.pack('!BBH', BIND, 0, 0)))
        self.ask(attribute(CONFIG_MODE, struct.pack('!IB', 64, COPY_PACKET)))
        self.sock.settimeout(0.02)
        self.running = True
        self.thread = threading.Thread(target=self.work, daemon=True)
        self.thread.start()

    def ask(self, what):
        """Configure the queue."""
        self.sock.send(message(CONFIG, ACK, self.number, what))
        answer = self.sock.recv(4096)
        error = struct.unpack_from('=i', answer, 16)[0]
        if error:
            raise OSError(-error, 'nfqueue')

    def work(self):
        """Hold packets back and let them go."""
        while self.running or self.held:
            try:
                number = packet_id(self.sock.recv(65536))
                if number is not None:
                    self.seen += 1
                    self.held.append((time.monotonic() + self.delay, number))
            except socket.timeout:
                pass
            while self.held and self.held[0][0] <= time.monotonic():
                self.accept(self.held.pop(0)[1])
        self.sock.close()

    def accept(self, number):
        """Let a packet go."""
        self.sock.send(message(
            VERDICT, 0, self.number,
            attribute(VERDICT_HEADER, struct.pack('!II', ACCEPT, number))))

    def close(self):
        """Wait for the last verdict."""
        self.running = False
        self.thread.join()
