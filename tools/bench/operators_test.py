#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Tests of the TRex profile: its frames are those of the benchmark.

TRex itself is not needed: what the profile asks of it is recorded.
"""
import os
import re
import sys
import types
import unittest

import rows
from report_tally import tally

HERE = os.path.dirname(os.path.abspath(__file__))


class Recorder:
    def __init__(self, *words, **named):
        self.words, self.named, self.calls = words, named, []

    def __truediv__(self, other):
        return bytes(12) + self.named["type"].to_bytes(2, "big") + \
            other.words[0]

    def __getattr__(self, name):
        return lambda **named: self.calls.append((name, named))


for module, words in (
        ("trex_stl_lib", ()), ("scapy", ()), ("scapy.packet", ("Raw",)),
        ("trex_stl_lib.api", ("Ether", "STLPktBuilder", "STLStream",
                              "STLTXCont", "STLVM"))):
    sys.modules[module] = types.ModuleType(module)
    for word in words:
        setattr(sys.modules[module], word, Recorder)

import operators_trex  # noqa: E402


class Profile(unittest.TestCase):
    def stream(self, *tunables):
        return operators_trex.register().get_streams(
            tunables=list(tunables))[0].named["packet"].named

    def test_frames_are_those_of_the_benchmark(self):
        for name in operators_trex.FRAMES:
            frame = rows.frame(name, 5)
            self.assertEqual(len(frame), int(name.rpartition("-")[2]))
            sid = rows.PREFIX % 5
            sent = operators_trex.FRAMES[name](sid)
            same = [n for n in range(len(sent)) if sent[n] != frame[14 + n]]
            # But for who talks to whom inside, and that source's own octets
            self.assertTrue(all(8 <= n < 24 or n >= 50 for n in same),
                            (name, same))
            if name == "end-94":
                self.assertEqual(same, [])

    def test_inner_header_has_a_checksum(self):
        self.assertEqual(
            operators_trex.checksum(operators_trex.ipv4_udp()[:20]), 0)

    def test_sources_vary(self):
        packet = self.stream("--flows", "77", "--sid", "fc00::b")
        calls = dict(packet["vm"].calls)
        self.assertEqual(calls["var"]["max_value"], 77)
        self.assertEqual(calls["write"]["pkt_offset"], 36)
        self.assertEqual(packet["pkt"][36:38], b"\0\1")
        self.assertEqual(packet["pkt"][12:14], b"\x86\xdd")

    def test_sid_is_destination_and_segment(self):
        sid = bytes.fromhex("fc00") + bytes(13) + b"\x0b"
        packet = self.stream("--sid", "fc00::b")["pkt"]
        self.assertEqual(packet[38:54], sid)
        self.assertEqual(packet[-16:], sid)


class Page(unittest.TestCase):
    def setUp(self):
        with open(os.path.join(HERE, "operators.md"), encoding="utf-8") as f:
            self.text = f.read()

    def test_counters_named_exist(self):
        folder = os.path.join(HERE, "..", "..", "module")
        source = ""
        for name in os.listdir(folder):
            if name.endswith((".c", ".h")):
                with open(os.path.join(folder, name), encoding="utf-8") as f:
                    source += f.read()
        for name in set(re.findall(r"`(nexthop_[a-z_]+)`", self.text)):
            self.assertTrue(name in source, f"no {name} in module/")

    def test_files_named_exist(self):
        for name in re.findall(r"\]\(([^)#:]+)\)", self.text):
            self.assertTrue(os.path.exists(os.path.join(HERE, name)), name)


if __name__ == "__main__":
    sys.exit(tally())
