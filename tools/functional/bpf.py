# SPDX-License-Identifier: GPL-2.0-only
"""Programs for End.BPF, in the few instructions that they take."""
import ctypes
import os
import struct

SYSCALL = {'x86_64': 321, 'aarch64': 280}
PROG_LOAD, LWT_SEG6LOCAL = 5, 19
OK, DROP, REDIRECT = 0, 2, 7
STORE_BYTES, ACTION = 74, 76
END_T = 3
# Where the tag is when the SRH follows the IPv6 header
TAG = 40 + 6


def insn(code, dst=0, src=0, off=0, imm=0):
    """One instruction."""
    return struct.pack('=BBhi', code, src << 4 | dst, off, imm)


def move(reg, value):
    """reg = value"""
    return insn(0xb7, reg, imm=value)


def stop(value):
    """return value"""
    return move(0, value) + insn(0x95)


def stack(reg, off):
    """reg = address of the stack at off"""
    return insn(0xbf, reg, 10) + insn(0x07, reg, imm=off)


def call(number):
    """Call a helper."""
    return insn(0x85, imm=number)


PROGRAMS = {
    'pass': stop(OK),
    'drop': stop(DROP),
    # tag = 0xbeef
    'tag': (insn(0x6a, 10, off=-2, imm=struct.unpack('=h', b'\xbe\xef')[0]) +
            move(2, TAG) + stack(3, -2) + move(4, 2) + call(STORE_BYTES) +
            stop(OK)),
    # SL = 0xef, of which the SRH has no segment
    'spoil': (insn(0x6a, 10, off=-2, imm=0) + move(2, 40 + 3) + stack(3, -2) +
              move(4, 1) + call(STORE_BYTES) + insn(0x95)),
    'table': (insn(0x62, 10, off=-4, imm=77) + move(2, END_T) + stack(3, -4) +
              move(4, 4) + call(ACTION) + stop(REDIRECT)),
}


def load(name):
    """Load a program; return its file descriptor."""
    code = ctypes.create_string_buffer(PROGRAMS[name], len(PROGRAMS[name]))
    license_ = ctypes.create_string_buffer(b'GPL')
    log = ctypes.create_string_buffer(8192)
    attr = struct.pack('=LLQQLLQ', LWT_SEG6LOCAL, len(PROGRAMS[name]) // 8,
                       ctypes.addressof(code), ctypes.addressof(license_),
                       1, len(log), ctypes.addressof(log)) + bytes(96)
    data = ctypes.create_string_buffer(attr, len(attr))
    libc = ctypes.CDLL(None, use_errno=True)
    fd = libc.syscall(SYSCALL[os.uname().machine], PROG_LOAD,
                      ctypes.byref(data), len(attr))
    if fd < 0:
        error = ctypes.get_errno()
        raise OSError(error, '%s: %s' % (os.strerror(error),
                                         log.value.decode()))
    return fd
