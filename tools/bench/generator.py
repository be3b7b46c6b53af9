# SPDX-License-Identifier: GPL-2.0-only
"""Frames into the receive path at speed, by an XDP program run in place.

BPF_PROG_TEST_RUN with live frames hands what the program passes to the
network stack as if the device had received it. The kernel recycles the pages
of earlier frames, and what the stack did to a frame stays in them: so the
program is nothing but stores of the whole frame. It is assembled here, one
for each frame, and loaded through libbpf; no compiler is needed. Where frames
are to differ, the program counts in a map and stores the count, too.
"""
import ctypes
import os
import struct

PROG_XDP, XDP_PASS, LIVE_FRAMES, MAP_ARRAY = 6, 2, 2, 2
BATCH = 64

# Of the instruction set: class | size or operation | source or mode.
LDX_W, MOV_REG, MOV_IMM, ADD_IMM = 0x61, 0xbf, 0xb7, 0x07
JLE_REG, JNE_IMM, CALL, EXIT = 0xbd, 0x55, 0x85, 0x95
LD_IMM64, STX_W, STX_H, ST_W, MOD_IMM, TO_BE = 0x18, 0x63, 0x6b, 0x62, 0x97, 0xdc
PSEUDO_MAP_FD, MAP_LOOKUP = 1, 1
STORES = ((4, 0x62, '<i'), (2, 0x6a, '<h'), (1, 0x72, '<b'))
DATA, DATA_END = 0, 4


class GeneratorError(Exception):
    """libbpf or the kernel refused."""


class RunOptions(ctypes.Structure):
    """struct bpf_test_run_opts of libbpf."""
    _fields_ = [('sz', ctypes.c_size_t),
                ('data_in', ctypes.c_void_p), ('data_out', ctypes.c_void_p),
                ('data_size_in', ctypes.c_uint32),
                ('data_size_out', ctypes.c_uint32),
                ('ctx_in', ctypes.c_void_p), ('ctx_out', ctypes.c_void_p),
                ('ctx_size_in', ctypes.c_uint32),
                ('ctx_size_out', ctypes.c_uint32),
                ('retval', ctypes.c_uint32), ('repeat', ctypes.c_int),
                ('duration', ctypes.c_uint32), ('flags', ctypes.c_uint32),
                ('cpu', ctypes.c_uint32), ('batch_size', ctypes.c_uint32)]


class LoadOptions(ctypes.Structure):
    """The beginning of struct bpf_prog_load_opts of libbpf."""
    _fields_ = [('sz', ctypes.c_size_t), ('attempts', ctypes.c_int),
                ('expected_attach_type', ctypes.c_int),
                ('prog_btf_fd', ctypes.c_uint32),
                ('prog_flags', ctypes.c_uint32),
                ('prog_ifindex', ctypes.c_uint32),
                ('kern_version', ctypes.c_uint32),
                ('attach_btf_id', ctypes.c_uint32),
                ('attach_prog_fd', ctypes.c_uint32),
                ('attach_btf_obj_fd', ctypes.c_uint32),
                ('fd_array', ctypes.c_void_p),
                ('func_info', ctypes.c_void_p),
                ('func_info_cnt', ctypes.c_uint32),
                ('func_info_rec_size', ctypes.c_uint32),
                ('line_info', ctypes.c_void_p),
                ('line_info_cnt', ctypes.c_uint32),
                ('line_info_rec_size', ctypes.c_uint32),
                ('log_level', ctypes.c_uint32),
                ('log_size', ctypes.c_uint32),
                ('log_buf', ctypes.c_char_p)]


def insn(code, dst=0, src=0, off=0, imm=0):
    """One instruction."""
    return struct.pack('<BBhi', code, dst | src << 4, off, imm)


def counter(fd, modulus):
    """Have r7 be the next number, in network order; r6 keeps the context."""
    return [insn(MOV_REG, 6, 1), insn(ST_W, 10, off=-4),
            insn(MOV_REG, 2, 10), insn(ADD_IMM, 2, imm=-4),
            insn(LD_IMM64, 1, PSEUDO_MAP_FD, imm=fd), insn(0),
            insn(CALL, imm=MAP_LOOKUP), insn(JNE_IMM, 0, off=1),
            insn(EXIT), insn(LDX_W, 7, 0), insn(MOV_REG, 8, 7),
            insn(ADD_IMM, 8, imm=1), insn(STX_W, 0, 8),
            insn(MOD_IMM, 7, imm=modulus), insn(TO_BE, 7, imm=16),
            insn(MOV_REG, 1, 6)]


def program(frame, places=(), fd=None, modulus=1):
    """Stores of a frame over whatever the packet holds, then XDP_PASS.

    places: where in the frame a count from 0 to modulus - 1 is to stand.
    """
    code = counter(fd, modulus) if places else []
    code += [insn(LDX_W, 2, 1, DATA), insn(LDX_W, 3, 1, DATA_END),
             insn(MOV_REG, 4, 2), insn(ADD_IMM, 4, imm=len(frame)),
             insn(JLE_REG, 4, 3, 2), insn(MOV_IMM, 0, imm=0), insn(EXIT)]
    place = 0
    for size, store, form in STORES:
        while len(frame) - place >= size:
            value, = struct.unpack_from(form, frame, place)
            code.append(insn(store, 2, off=place, imm=value))
            place += size
    code += [insn(STX_H, 2, 7, off=place) for place in places]
    code += [insn(MOV_IMM, 0, imm=XDP_PASS), insn(EXIT)]
    return b''.join(code)


def library():
    """libbpf, which needs no header and no compiler here."""
    lib = ctypes.CDLL('libbpf.so.1', use_errno=True)
    lib.bpf_prog_load.argtypes = [
        ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p,
        ctypes.c_size_t, ctypes.POINTER(LoadOptions)]
    lib.bpf_map_create.argtypes = [
        ctypes.c_int, ctypes.c_char_p, ctypes.c_uint32, ctypes.c_uint32,
        ctypes.c_uint32, ctypes.c_void_p]
    lib.bpf_prog_test_run_opts.argtypes = [ctypes.c_int,
                                           ctypes.POINTER(RunOptions)]
    return lib


class Generator:
    """A frame ready to be received by a device of this namespace."""

    def __init__(self, frame, index, places=(), modulus=1):
        self.lib = library()
        self.map = None
        if places:
            self.map = self.lib.bpf_map_create(MAP_ARRAY, b'count', 4, 4, 1,
                                               None)
            if self.map < 0:
                raise GeneratorError('no map: ' + os.strerror(-self.map))
        code = program(frame, places, self.map, modulus)
        log = ctypes.create_string_buffer(1 << 16)
        options = LoadOptions(sz=ctypes.sizeof(LoadOptions), log_level=0)
        options.log_size = len(log)
        options.log_buf = ctypes.cast(log, ctypes.c_char_p)
        self.prog = self.lib.bpf_prog_load(PROG_XDP, b'frame', b'GPL', code,
                                           len(code) // 8,
                                           ctypes.byref(options))
        if self.prog < 0:
            raise GeneratorError('the program is refused: %s\n%s' % (
                os.strerror(-self.prog), log.value.decode()))
        self.data = ctypes.create_string_buffer(frame, len(frame))
        # struct xdp_md: data, data_end, data_meta, ingress device and queue
        self.context = ctypes.create_string_buffer(
            struct.pack('=6L', 0, len(frame), 0, index, 0, 0), 24)

    def close(self):
        """Unload the program."""
        os.close(self.prog)
        if self.map is not None:
            os.close(self.map)

    def run(self, count):
        """Have so many frames received; return nanoseconds for each."""
        options = RunOptions(
            sz=ctypes.sizeof(RunOptions), repeat=count, flags=LIVE_FRAMES,
            batch_size=BATCH, data_size_in=len(self.data), ctx_size_in=24)
        options.data_in = ctypes.cast(self.data, ctypes.c_void_p)
        options.ctx_in = ctypes.cast(self.context, ctypes.c_void_p)
        code = self.lib.bpf_prog_test_run_opts(self.prog,
                                               ctypes.byref(options))
        if code < 0:
            raise GeneratorError('the run failed: ' + os.strerror(-code))
        return options.duration


def delivered(device):
    """Frames that a device of this thread's namespace was given to send."""
    with open('/proc/thread-self/net/dev', encoding='ascii') as file:
        for line in file:
            name, _, rest = line.partition(':')
            if name.strip() == device:
                return int(rest.split()[9])
    raise GeneratorError('no device ' + device)


def fire(source, count, egress):
    """Have frames received; return (ns for each, how many came out)."""
    before = delivered(egress)
    each = source.run(count)
    return each, delivered(egress) - before
