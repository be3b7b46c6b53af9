# SPDX-License-Identifier: GPL-2.0-only
"""One line that says what is in a frame, and hex dumps of it."""
import socket
import struct

NAMES6 = {1: 'unreachable', 2: 'too big', 3: 'time exceeded',
          4: 'parameter problem', 128: 'echo', 129: 'echo reply',
          135: 'NS', 136: 'NA', 137: 'redirect', 143: 'MLD'}
NAMES4 = {0: 'echo reply', 3: 'unreachable', 5: 'redirect', 8: 'echo',
          11: 'time exceeded'}
ERRORS6 = (1, 2, 3, 4)
ERRORS4 = (3, 5, 11)
LIMIT = 32


def addr6(data):
    """Text of an IPv6 address."""
    return socket.inet_ntop(socket.AF_INET6, data)


def addr4(data):
    """Text of an IPv4 address."""
    return socket.inet_ntop(socket.AF_INET, data)


def srh(data):
    """(text, length) of a routing header."""
    size = (data[1] + 1) * 8
    kind, left, last, flags = data[2], data[3], data[4], data[5]
    if kind != 4:
        return 'RH(type %d, SL %d, %d octets)' % (kind, left, size), size
    area = data[8:size]
    count = min(last + 1, len(area) // 16)
    segs = ','.join(addr6(area[i * 16:i * 16 + 16]) for i in range(count))
    text = 'SRH[%s;%d]' % (segs, left)
    if last + 1 != count:
        text += '(LE %d)' % last
    if flags:
        text += '(flags %02x)' % flags
    if len(area) > count * 16:
        text += '(%d octets of TLV)' % (len(area) - count * 16)
    return text, size


def upper(proto, data):
    """Text of what is neither an IP nor an extension header."""
    if proto == 17 and len(data) >= 8:
        ports = struct.unpack_from('!HH', data)
        return 'UDP %d>%d %d octets' % (ports + (len(data) - 8,))
    if proto in (58, 1) and len(data) >= 8:
        names, errors = ((NAMES6, ERRORS6) if proto == 58 else
                         (NAMES4, ERRORS4))
        text = 'ICMP %d/%d' % (data[0], data[1])
        if data[0] in names:
            text += ' ' + names[data[0]]
        if data[0] in errors:
            text += ' %d {%s}' % (struct.unpack_from('!L', data, 4)[0],
                                  packet(41 if proto == 58 else 4, data[8:]))
        return text
    if proto == 59:
        return 'none, %d octets' % len(data)
    return 'proto %d, %d octets' % (proto, len(data))


def fixed(proto, data):
    """(text, next protocol, length) of the header at the start of data."""
    if proto == 41:
        first, size, nxt, hops = struct.unpack_from('!LHBB', data)
        text = 'IP6 %s>%s hl %d' % (addr6(data[8:24]), addr6(data[24:40]), hops)
        if first >> 20 & 0xff:
            text += ' tc %02x' % (first >> 20 & 0xff)
        if first & 0xfffff:
            text += ' fl %05x' % (first & 0xfffff)
        if size != len(data) - 40:
            text += ' plen %d of %d' % (size, len(data) - 40)
        return text, nxt, 40
    if proto == 4:
        size, hops, nxt = struct.unpack_from('!H4xBB', data, 2)
        head = (data[0] & 15) * 4
        text = 'IP4 %s>%s ttl %d' % (addr4(data[12:16]), addr4(data[16:20]),
                                     hops)
        if head > 20:
            text += ' options %s' % data[20:head].hex()
        if size != len(data):
            text += ' len %d of %d' % (size, len(data))
        return text, nxt, max(head, 20)
    if proto == 43:
        text, size = srh(data)
        return text, data[0], size
    if proto == 44:
        word = struct.unpack_from('!H', data, 2)[0]
        return 'FRAG(%d,%d)' % (word & 0xfff8, word & 1), data[0], 8
    if proto == 51:
        return 'AH', data[0], (data[1] + 2) * 4
    if proto in (0, 60):
        return 'DO' if proto else 'HBH', data[0], (data[1] + 1) * 8
    return None, proto, 0


def packet(proto, data):
    """Text of a packet whose first header has the given number."""
    words = []
    while data and len(words) < LIMIT:
        try:
            text, proto, size = fixed(proto, data)
        except (struct.error, IndexError, OSError, ValueError):
            words.append('cut short at proto %d' % proto)
            break
        if text is None:
            words.append(upper(proto, data))
            break
        words.append(text)
        if size > len(data):
            words.append('cut short')
            break
        data = data[size:]
        if not data:
            words.append('next %d, end' % proto)
    return ' / '.join(words)


def frame(data):
    """Text of an Ethernet frame."""
    kind = struct.unpack_from('!H', data, 12)[0]
    macs = '%s>%s ' % (data[6:12].hex(':'), data[:6].hex(':'))
    if kind == 0x0806 and len(data) >= 42:
        return macs + 'ARP who-has %s tell %s' % (addr4(data[38:42]),
                                                  addr4(data[28:32]))
    proto = {0x86dd: 41, 0x0800: 4}.get(kind)
    if proto is None:
        return macs + 'type %04x, %d octets' % (kind, len(data) - 14)
    return macs + packet(proto, data[14:])


def dump(data, around=None, rows=16):
    """Hex dump, 16 octets a line; of long data the rows around an offset."""
    lines = ['%04x  %s' % (i, data[i:i + 16].hex(' '))
             for i in range(0, len(data), 16)]
    if around is None or len(lines) <= rows:
        return lines
    first = max(0, around // 16 - rows // 2)
    return lines[first:first + rows]
