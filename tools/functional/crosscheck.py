#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Compare the frames of the table with what Scapy makes of them.

For the host only (package python3-scapy): a second opinion on frames.py.
Every frame, in and out, is taken apart by Scapy, and the layers must be those
of the notation.  Where the notation overrides nothing, Scapy then fills in
lengths, next headers and checksums by itself, and must get the same octets.
"""
import os
import sys

from scapy.layers import inet6, l2

import decode
import frames
import node
import table

HERE = os.path.dirname(os.path.abspath(__file__))

# What Scapy calls our layers
LAYERS = {
    '6': 'IPv6', '4': 'IP', 'SRH': 'IPv6ExtHdrSegmentRouting',
    'HBH': 'IPv6ExtHdrHopByHop', 'DO': 'IPv6ExtHdrDestOpt',
    'FRAG': 'IPv6ExtHdrFragment', 'AH': 'AH', 'U': 'UDP', 'ARP': 'ARP',
    'ECHO6': 'ICMPv6EchoRequest', 'REPLY6': 'ICMPv6EchoReply',
    'ECHO4': 'ICMP', 'REPLY4': 'ICMP', 'NS': 'ICMPv6ND_NS',
}
# Words that make a frame one that no correct host sends, or hide a layer
ODD = {'cut', 'plen', 'ver', 'nh', 'ihl', 'len', 'sum', 'type', 'le', 'mf',
       'off', 'to'}
# Layers behind which the comparison ends
LAST = {'RAW', 'NONE', 'ESP', 'FRAG', 'AH', 'ERR6', 'ERR4', 'RED', 'E',
        'TAG'}
# Fields that Scapy computes when they are not given
COMPUTED = ('plen', 'nh', 'chksum', 'cksum', 'len', 'ihl', 'proto', 'lastentry')


def is_odd(layers):
    """Whether the notation overrides what a host would fill in."""
    return any(ODD & set(layer.key) for layer in layers)


def names(layers):
    """Scapy's names of the layers, up to where it stops to follow."""
    found = []
    for layer in layers:
        if layer.name in LAST or layer.name not in LAYERS:
            break
        found.append(LAYERS[layer.name])
    return found


def clear(packet):
    """Forget the fields that can be computed."""
    while packet:
        for field in COMPUTED:
            if field in packet.fields and not isinstance(
                    packet, (inet6.IPv6ExtHdrSegmentRouting,
                             inet6.IPv6ExtHdrHopByHop,
                             inet6.IPv6ExtHdrDestOpt)):
                del packet.fields[field]
        packet.raw_packet_cache = None
        packet = packet.payload


def compare(layers, frame):
    """Trouble that Scapy has with a frame, or ''."""
    packet = l2.Ether(frame)
    seen = [type(p).__name__ for p in packet.iterpayloads()][1:]
    want = names(layers)
    if is_odd(layers):
        return ''
    if seen[:len(want)] != want:
        return 'layers %s, Scapy sees %s' % (want, seen)
    if any(layer.name in LAST for layer in layers):
        return ''
    clear(packet)
    again = bytes(packet)
    if again == frame:
        return ''
    return 'Scapy makes %s of it: %s, not %s' % (
        decode.frame(again), again.hex(), frame.hex())


def opinion(rows, builder, case):
    """What Scapy has against the frames of a case, or ''."""
    sid = '6(S>%s)' % rows.sids[case.sids[0]].addr
    todo = [('in', case.frame, 's', 'na', sid)]
    for outcome in (case.here, case.tree or case.here):
        todo += [('out', text, dev, node.PEERS[dev], None)
                 for dev, text in outcome.frames if dev != 'tap']
    for way, text, dev, peer, default in todo:
        frame = builder.frame(text, dev, peer, default=default)
        layers = [w for w in builder.layers(text) if w.name != 'ETH']
        if default and layers[0].name not in ('6', '4'):
            layers.insert(0, frames.Layer(default))
        trouble = compare(layers, frame)
        if trouble:
            return '%s: %s' % (way, trouble)
    return ''


def main():
    """Check all frames of the table."""
    rows = table.Table(os.path.join(HERE, 'vectors/names.txt'))
    builder = frames.Builder(rows.addrs, rows.macros, rows.macs, rows.keys)
    failed = 0
    for case in rows.cases + rows.hooks:
        trouble = opinion(rows, builder, case)
        failed += bool(trouble)
        print('not ok %s %s' % (case.name, trouble) if trouble else
              'ok ' + case.name)
    bare = [row for row, names in rows.coverage() if not names]
    print('not ok rows_covered: no case for %s' % ' '.join(bare) if bare else
          'ok rows_covered')
    failed += bool(bare)
    print('%d passed, %d failed' % (len(rows.cases + rows.hooks) + 1 - failed,
                                    failed))
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
