# SPDX-License-Identifier: GPL-2.0-only
"""Ethernet frames from a one-line notation (described in README.md).

A frame is a row of layers, outermost first.  Every layer is built from its
own words, with the lengths, next-header numbers and checksums a correct host
would fill in, unless the notation overrides them.
"""
import re
import socket
import struct

HBH, ICMP4, IPV4, TCP, UDP, IPV6, RH, FRAG = 0, 1, 4, 6, 17, 41, 43, 44
ESP, AH, ICMP6, NONE, DO, ETHER = 50, 51, 58, 59, 60, 143

# Octets of an offending packet that an ICMP error may carry.
QUOTE6 = 1280 - 40 - 8
QUOTE4 = 576 - 20 - 8

TYPES = {'6': 0x86dd, '4': 0x0800, 'ARP': 0x0806, 'TAG': 0x8100}

LAYER = re.compile(r'^(\w+)(?:\[([^\]]*)\])?(?:\((.*)\))?$')
PADN = {1: b'\x00'}


class NotationError(ValueError):
    """The text is not a frame."""


def fold(data):
    """Internet checksum of an octet string."""
    if len(data) % 2:
        data += b'\x00'
    total = sum(struct.unpack('!%dH' % (len(data) // 2), data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff


def filler(size):
    """Payload that tells one octet from its neighbours."""
    return bytes(i & 0xff for i in range(size))


def padn(size):
    """Padding options that fill size octets of an options header."""
    if size < 2:
        return PADN.get(size, b'')
    return bytes([1, size - 2]) + bytes(size - 2)


def hexarg(text):
    """Octets of a hex word, dots allowed for legibility."""
    return bytes.fromhex(text.replace('.', ''))


class Layer:
    """One word of the notation: NAME[segments;sl](positional,key=value)."""

    def __init__(self, text):
        match = LAYER.match(text)
        if not match:
            raise NotationError('not a layer: %r' % text)
        self.name = match.group(1)
        self.segs = match.group(2)
        self.pos = []
        self.key = {}
        self.used = set()
        for word in filter(None, (match.group(3) or '').split(',')):
            key, eq, value = word.partition('=')
            if eq:
                self.key[key.strip()] = value.strip()
            else:
                self.pos.append(word.strip())

    def word(self, key, default):
        """Text of key=…, or the default."""
        self.used.add(key)
        return self.key.get(key, default)

    def num(self, key, default):
        """Number of key=… (decimal or 0x…), or the default."""
        value = self.word(key, None)
        return default if value is None else int(value, 0)

    def arg(self, index, default=None):
        """Positional word number index, or the default."""
        if index < len(self.pos):
            return self.pos[index]
        if default is None:
            raise NotationError('%s: word %d missing' % (self.name, index))
        return default

    def check(self):
        """Complain about a key that no builder asked for."""
        left = set(self.key) - self.used
        if left:
            raise NotationError('%s: unknown %s' % (self.name, sorted(left)))


class Where:
    """What a layer knows of the IP header in front of it."""

    def __init__(self, src=b'', dst=b'', outer=True):
        self.src = src
        self.dst = dst
        self.outer = outer

    def pseudo(self, proto, size):
        """Checksum pseudo-header."""
        if len(self.src) == 4:
            return self.src + self.dst + struct.pack('!BBH', 0, proto, size)
        return self.src + self.dst + struct.pack('!LL', size, proto)


class Builder:
    """Turns the notation into octets.

    symbols maps names to IPv6 addresses, macros names to notation, keys HMAC
    key names to (key id, secret).
    """

    def __init__(self, symbols, macros, macs, keys):
        self.symbols = symbols
        self.macros = macros
        self.macs = macs
        self.keys = keys
        self.ident = 0
        self.ttl = 64
        self.partial = b''

    def layers(self, text):
        """Layers of a frame, macros expanded."""
        words = []
        for word in text.split():
            words += self.macros.get(word, word).split()
        return [Layer(word) for word in words]

    def frame(self, text, dev, peer, ttl=64, default=None, ident=0):
        """A whole Ethernet frame that leaves dev for peer.

        ttl is the hop limit of the first IP header, ident the IPv4 identifier
        of headers marked id=any, default the layer put in front of a text
        that starts with neither IPv6, IPv4 nor ARP.
        """
        layers = self.layers(text)
        self.ident = ident
        self.ttl = ttl
        ether = layers.pop(0) if layers[0].name == 'ETH' else Layer('ETH')
        first = layers[0].name if layers else ''
        if first == 'ERR6':
            self.ttl = 64
            layers.insert(0, Layer('6(Na>S)'))
        elif first == 'ERR4':
            self.ttl = 64
            layers.insert(0, Layer('4(Na4>S4,tos=0xc0,id=any)'))
        elif first not in ('6', '4', 'ARP') and default:
            layers.insert(0, Layer(default))
        kind = TYPES.get(layers[0].name, 0) if layers else 0
        body = self.build(layers, Where())[1]
        head = (self.mac(ether.word('dst', peer)) +
                self.mac(ether.word('src', dev)) +
                struct.pack('!H', ether.num('type', kind)))
        for layer in layers + [ether]:
            layer.check()
        return head + body

    def mac(self, name):
        """Octets of a MAC address or of a device's one."""
        return bytes.fromhex(self.macs.get(name, name).replace(':', ''))

    def addr(self, name):
        """Octets of an address or of a name for one."""
        text = self.symbols.get(name, name)
        family = socket.AF_INET6 if ':' in text else socket.AF_INET
        try:
            return socket.inet_pton(family, text)
        except OSError:
            raise NotationError('not an address: %r' % name) from None

    def build(self, layers, where):
        """(protocol number, octets) of the layers from the first on."""
        if not layers:
            return NONE, b''
        build = getattr(self, 'do_' + layers[0].name.lower(), None)
        if not build:
            raise NotationError('unknown layer %s' % layers[0].name)
        return build(layers[0], layers[1:], where)

    def do_6(self, layer, rest, where):
        """6(SRC>DST,hl=,tc=,fl=,plen=,ver=,nh=,cut=,to=): IPv6.

        Checksums behind are made for to, where C-SIDs change the destination.
        """
        src, dst = (self.addr(a) for a in layer.arg(0).split('>'))
        ttl = self.ttl if where.outer else 64
        to = layer.word('to', '')
        proto, body = self.build(rest, Where(
            src, self.addr(to) if to else dst, False))
        cut = layer.num('cut', None)
        body = body[:cut] if cut is not None else body
        first = (layer.num('ver', 6) << 28 | layer.num('tc', 0) << 20 |
                 layer.num('fl', 0))
        return IPV6, struct.pack(
            '!LHBB', first, layer.num('plen', len(body)),
            layer.num('nh', proto), layer.num('hl', ttl)) + src + dst + body

    def do_4(self, layer, rest, where):
        """4(SRC>DST,ttl=,tos=,id=,df=,off=,mf=,opt=,ihl=,len=,sum=,…)."""
        src, dst = (self.addr(a) for a in layer.arg(0).split('>'))
        ttl = self.ttl if where.outer else 64
        proto, body = self.build(rest, Where(src, dst, False))
        cut = layer.num('cut', None)
        body = body[:cut] if cut is not None else body
        options = hexarg(layer.word('opt', ''))
        size = 20 + len(options)
        ident = layer.word('id', '0')
        ident = self.ident if ident == 'any' else int(ident, 0)
        frag = (layer.num('df', 0) << 14 | layer.num('mf', 0) << 13 |
                layer.num('off', 0) // 8)
        words = layer.num('ihl', size // 4)
        head = struct.pack(
            '!BBHHHBBH', layer.num('ver', 4) << 4 | words,
            layer.num('tos', 0), layer.num('len', size + len(body)), ident,
            frag, layer.num('ttl', ttl), layer.num('nh', proto), 0)
        head += src + dst + options
        total = fold((head + body)[:words * 4]) ^ layer.num('sum', 0)
        return IPV4, head[:10] + struct.pack('!H', total) + head[12:] + body

    def do_srh(self, layer, rest, where):
        """SRH[SEG,SEG*N,…;SL](type=,le=,len=,flags=,tag=,tlv=,hmac=,nh=)."""
        names, _, left = layer.segs.partition(';')
        segs = []
        for name in filter(None, names.split(',')):
            name, _, times = name.partition('*')
            segs += [self.addr(name)] * int(times or 1)
        if segs and int(left, 0):
            # Checksums are made for where the packet ends up.
            where = Where(where.src, segs[0], where.outer)
        proto, body = self.build(rest, where)
        last = layer.num('le', len(segs) - 1)
        key = layer.word('hmac', None)
        flags = layer.num('flags', 8 if key else 0)
        area = b''.join(segs) + hexarg(layer.word('tlv', ''))
        if key:
            area += self.hmac_tlv(key, where.src, last, flags, segs)
        if len(area) % 8:
            raise NotationError('SRH: %d octets' % len(area))
        return RH, struct.pack(
            '!BBBBBBH', layer.num('nh', proto),
            layer.num('len', len(area) // 8), layer.num('type', 4),
            int(left, 0), last & 0xff, flags, layer.num('tag', 0)) + area + body

    def hmac_tlv(self, key, src, last, flags, segs):
        """HMAC TLV over the fields of an SRH, SHA-256."""
        import hmac  # expensive to load, needed by few frames
        number, secret = self.keys[key]
        text = src + struct.pack('!BBL', last, flags, number) + b''.join(segs)
        digest = hmac.new(secret.encode(), text, 'sha256').digest()
        return struct.pack('!BBHL', 5, 38, 0, number) + digest

    def options(self, layer, rest, where, proto):
        """HBH or destination options: (SIZE) of padding, or (opt=HEX)."""
        given = hexarg(layer.word('opt', ''))
        size = int(layer.arg(0, '8'))
        size = max(size, (2 + len(given) + 7) // 8 * 8)
        given += padn(size - 2 - len(given))
        next_proto, body = self.build(rest, where)
        return proto, bytes([layer.num('nh', next_proto),
                             size // 8 - 1]) + given + body

    def do_hbh(self, layer, rest, where):
        """HBH(SIZE) or HBH(opt=HEX): hop-by-hop options."""
        return self.options(layer, rest, where, HBH)

    def do_do(self, layer, rest, where):
        """DO(SIZE) or DO(opt=HEX): destination options."""
        return self.options(layer, rest, where, DO)

    def do_frag(self, layer, rest, where):
        """FRAG(OFFSET,M): fragment header, identifier 7."""
        proto, body = self.build(rest, where)
        return FRAG, struct.pack('!BBHL', proto, 0, int(layer.arg(0, '0')) |
                                 int(layer.arg(1, '0')), 7) + body

    def do_ah(self, layer, rest, where):
        """AH(SIZE): authentication header nobody could verify."""
        size = int(layer.arg(0, '12'))
        proto, body = self.build(rest, where)
        return AH, bytes([proto, size // 4 - 2]) + bytes(2) + filler(
            size - 4) + body

    def do_esp(self, layer, _rest, _where):
        """ESP(SIZE): opaque octets."""
        return ESP, filler(int(layer.arg(0, '16')))

    def do_none(self, layer, rest, where):
        """NONE: next header 59, then whatever follows."""
        return NONE, self.build(rest, where)[1]

    def do_e(self, layer, rest, where):
        """E(dst=,src=,type=): an Ethernet frame inside."""
        kind = TYPES.get(rest[0].name, 0) if rest else 0
        body = self.build(rest, Where(outer=False))[1]
        return ETHER, (self.mac(layer.word('dst', 'y')) +
                       self.mac(layer.word('src', 'x')) +
                       struct.pack('!H', layer.num('type', kind)) + body)

    def do_tag(self, layer, rest, where):
        """TAG(VID,type=): the rest of a VLAN tag."""
        kind = TYPES.get(rest[0].name, 0) if rest else 0
        body = self.build(rest, where)[1]
        return NONE, struct.pack('!HH', int(layer.arg(0), 0),
                                 layer.num('type', kind)) + body

    def do_raw(self, layer, _rest, _where):
        """RAW(HEX,nh=) or RAW(size=,nh=): octets as they are."""
        size = layer.num('size', None)
        data = filler(size) if size is not None else hexarg(layer.arg(0, ''))
        return layer.num('nh', NONE), data

    def do_u(self, layer, _rest, where):
        """U(SIZE): UDP 1000 to 2000 with SIZE octets of payload."""
        data = filler(int(layer.arg(0, '16')))
        head = struct.pack('!HHHH', 1000, 2000, 8 + len(data), 0)
        total = fold(where.pseudo(UDP, 8 + len(data)) + head + data) or 0xffff
        return UDP, head[:6] + struct.pack('!H', total) + data

    def do_t(self, layer, _rest, where):
        """T(SIZE,from=,seq=,flags=,part=): TCP 1000 to 2000, SIZE octets.

        from=N is a later piece of the same, part=1 has the checksum as it is
        left to a device.
        """
        data = filler(layer.num('from', 0) + int(layer.arg(0, '16')))
        data = data[layer.num('from', 0):]
        head = struct.pack('!HHLLBBHHH', 1000, 2000,
                           layer.num('seq', 1) + layer.num('from', 0), 1,
                           5 << 4, layer.num('flags', 0x10), 8192, 0, 0)
        pseudo = where.pseudo(TCP, 20 + len(data))
        self.partial = struct.pack('!H', fold(pseudo) ^ 0xffff)
        total = struct.pack('!H', fold(pseudo + head + data))
        if layer.num('part', 0):
            total = self.partial
        return TCP, head[:16] + total + head[18:] + data

    def icmp6(self, where, kind, code, data):
        """An ICMPv6 message; data starts behind the checksum."""
        text = struct.pack('!BBH', kind, code, 0) + data
        total = fold(where.pseudo(ICMP6, len(text)) + text)
        return ICMP6, text[:2] + struct.pack('!H', total) + text[4:]

    def icmp4(self, kind, code, data):
        """An ICMPv4 message; data starts behind the checksum."""
        text = struct.pack('!BBH', kind, code, 0) + data
        return ICMP4, text[:2] + struct.pack('!H', fold(text)) + text[4:]

    def echo(self, layer):
        """Identifier, sequence number and payload of an echo message."""
        return struct.pack('!HH', 7, layer.num('seq', 1)) + filler(
            int(layer.arg(0, '8')))

    def do_echo6(self, layer, _rest, where):
        """ECHO6(SIZE,seq=): echo request."""
        return self.icmp6(where, 128, 0, self.echo(layer))

    def do_reply6(self, layer, _rest, where):
        """REPLY6(SIZE,seq=): echo reply."""
        return self.icmp6(where, 129, 0, self.echo(layer))

    def do_echo4(self, layer, _rest, _where):
        """ECHO4(SIZE,seq=): echo request."""
        return self.icmp4(8, 0, self.echo(layer))

    def do_reply4(self, layer, _rest, _where):
        """REPLY4(SIZE,seq=): echo reply."""
        return self.icmp4(0, 0, self.echo(layer))

    def error(self, layer, rest, room):
        """Type, code, and the body of an ICMP error that quotes rest."""
        kind, code = (int(n) for n in layer.arg(0).split('/'))
        quote = self.build(rest, Where(outer=False))[1][:room]
        return kind, code, struct.pack('!L', int(layer.arg(1, '0'))) + quote

    def do_err6(self, layer, rest, where):
        """ERR6(TYPE/CODE,WORD) PACKET: ICMPv6 error quoting PACKET."""
        return self.icmp6(where, *self.error(layer, rest, QUOTE6))

    def do_err4(self, layer, rest, _where):
        """ERR4(TYPE/CODE,WORD) PACKET: ICMPv4 error quoting PACKET."""
        return self.icmp4(*self.error(layer, rest, QUOTE4))

    def do_ns(self, layer, _rest, where):
        """NS(TARGET,DEV): neighbour solicitation with the MAC of DEV."""
        return self.icmp6(where, 135, 0, bytes(4) + self.addr(layer.arg(0)) +
                          b'\x01\x01' + self.mac(layer.arg(1)))

    def do_na(self, layer, _rest, where):
        """NA(TARGET): what a router says to one who asked it alone."""
        return self.icmp6(where, 136, 0, b'\xc0' + bytes(3) + self.addr(
            layer.arg(0)))

    def do_red(self, layer, rest, where):
        """RED(TARGET,DST,DEV) PACKET: redirect; DEV, if given, has the MAC."""
        quote = self.build(rest, Where(outer=False))[1]
        quote = quote[:(len(quote) // 8) * 8]
        data = bytes(4) + self.addr(layer.arg(0)) + self.addr(layer.arg(1))
        if len(layer.pos) > 2:
            data += b'\x02\x01' + self.mac(layer.arg(2))
        data += bytes([4, 1 + len(quote) // 8]) + bytes(6) + quote
        return self.icmp6(where, 137, 0, data)

    def do_arp(self, layer, _rest, _where):
        """ARP(TARGET,SENDER,DEV): who-has TARGET tell SENDER at DEV."""
        return 0, struct.pack('!HHBBH', 1, 0x0800, 6, 4, 1) + self.mac(
            layer.arg(2)) + self.addr(layer.arg(1)) + bytes(6) + self.addr(
                layer.arg(0))
