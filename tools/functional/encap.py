# SPDX-License-Identifier: GPL-2.0-only
"""Attributes of a SID, from words like those of ip route or one by one."""
import socket
import struct

import frames
from netlink import NESTED, attr

ATTRS = {'action': 1, 'srh': 2, 'table': 3, 'nh4': 4, 'nh6': 5, 'iif': 6,
         'oif': 7, 'bpf': 8, 'vrftable': 9, 'count': 10, 'flavors': 11,
         'replace': 128}
# How the module calls them in its messages
NAMES = {'bpf': 'endpoint', 'replace': 'flavors replace-csid'}

ACTIONS = {'End': 1, 'End.X': 2, 'End.T': 3, 'End.DX2': 4, 'End.DX6': 5,
           'End.DX4': 6, 'End.DT6': 7, 'End.DT4': 8, 'End.B6': 9,
           'End.B6.Encaps': 10, 'End.BPF': 15, 'End.DT46': 16}
FLAVORS = {'psp': 1, 'usp': 2, 'usd': 3, 'next-csid': 4}
SEGMENTS = frames.Where(bytes(16), bytes(16), False)


def value(text, builder):
    """Octets of a value.

    /N is N octets of zeroes, 0x.. the octets themselves, an address packed,
    SRH[..] a header, Nb an u8, "TEXT" a string, a number an u32, and
    {N=VALUE;..} a nest.
    """
    if text.startswith('{'):
        return b''.join(attr(int(n), value(v, builder)) for n, _, v in
                        (m.partition('=') for m in text[1:-1].split(';') if m))
    if text.startswith('SRH['):
        return builder.build(builder.layers(text), SEGMENTS)[1]
    if text.startswith('/'):
        return bytes(int(text[1:]))
    if text.startswith('0x'):
        return bytes.fromhex(text[2:])
    if text.startswith('"'):
        return text.strip('"').encode() + b'\0'
    if text.endswith('b') and text[:-1].isdigit():
        return bytes([int(text[:-1])])
    if ':' in text:
        return socket.inet_pton(socket.AF_INET6, text)
    if '.' in text:
        return socket.inet_pton(socket.AF_INET, text)
    return struct.pack('=L', int(text))


def attributes(words, numbers, builder=None):
    """Attributes from words NAME=VALUE; a VALUE may be a name in numbers."""
    data = b''
    for word in words.split():
        name, _, text = word.partition('=')
        kind = ATTRS[name] if name in ATTRS else int(name)
        text = numbers.get(text, text)
        if name == 'count' and not text:
            text = '{2=/8;3=/8;4=/8}'
        if text.startswith('{'):
            kind |= NESTED
        data += attr(kind, value(text, builder))
    return data


def policy(action, segs, key):
    """SRH of a policy, its segments in the order of the path."""
    wire = segs.split(',')[::-1]
    if action == 'End.B6':
        wire.insert(0, '::')
    text = 'SRH[%s;%d]' % (','.join(wire), len(wire) - 1)
    if key:
        text += '(flags=8,tlv=05260000%08x%s)' % (int(key), '00' * 32)
    return 'srh=' + text


def flavors(words):
    """Flavors with the lengths of C-SIDs behind them."""
    names = words.pop(0).split(',')
    sizes = dict(zip(words[::2], words[1::2]))
    lengths = ';2=%sb;3=%sb' % (sizes.get('lblen', 32), sizes.get('nflen', 16))
    mask = sum(1 << FLAVORS[n] for n in names if n in FLAVORS)
    found = []
    if mask:
        found.append('flavors={1=%d%s}' % (
            mask, lengths if 'next-csid' in names else ''))
    if 'replace-csid' in names:
        found.append('replace={%s}' % lengths[1:])
    return found


def from_words(words, programs):
    """Words NAME=VALUE from those that follow "action"."""
    words = list(words)
    action = words.pop(0)
    found = ['action=%d' % ACTIONS[action], 'count=']
    while words:
        name = words.pop(0)
        if name == 'flavors':
            found += flavors(words)
            break
        if name == 'srh':
            found.append(policy(action, words[1], (words[3:] or [''])[0]))
            break
        text = words.pop(0)
        if name == 'prog':
            name, text = 'bpf', '{1=%d;2="%s"}' % (programs(text), text)
        elif name == 'oif':
            text = str(socket.if_nametoindex(text))
        found.append('%s=%s' % (name, text))
    return ' '.join(found)
