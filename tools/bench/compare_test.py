#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Tests of compare: two results, and the exit status they deserve."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

import compare_rows
from report_tally import tally

HERE = os.path.dirname(os.path.abspath(__file__))


def row(name, variant, insns, above=None, **more):
    out = {"kernel": "debian-6.1", "row": name, "variant": variant,
           "frame": "end-94", "vrf": False, "insns": insns, "spread": 0.0005,
           "sent": 1024, "delivered": 1024}
    if above is not None:
        out["above"] = above
    return dict(out, **more)


def results(full=500, **more):
    return {"instructions": [
        row("plain IPv6", "plain", 7300), row("End", "in-tree", 8900, 1600),
        row("End", "layer1", 8800, 1500),
        row("End", "full", 7300 + full, full, **more)]}


class Compare(unittest.TestCase):
    def run_on(self, base, head):
        """Exit status and last words of each line, by variant."""
        with tempfile.TemporaryDirectory() as folder:
            names = []
            for name, data in (("base", base), ("head", head)):
                names.append(os.path.join(folder, name))
                with open(names[-1], "w", encoding="utf-8") as f:
                    json.dump(data, f)
            done = subprocess.run(
                [os.path.join(HERE, "compare"), "--json", *names],
                check=False, text=True, stdout=subprocess.PIPE)
        return done.returncode, done.stdout

    def test_same(self):
        code, text = self.run_on(results(), results())
        self.assertEqual(code, 0)
        self.assertIn("0 of 5 rows worse", text)

    def test_better(self):
        code, text = self.run_on(results(500), results(400))
        self.assertEqual(code, 0)
        self.assertIn("-20.00%", text)

    def test_two_percent_of_all_instructions(self):
        code, text = self.run_on(results(500), results(700))
        self.assertEqual(code, 1)
        self.assertIn("+2.56%", text)
        self.assertIn("WORSE", text)

    def test_own_cost_that_all_instructions_hide(self):
        # 0.4 % of a packet, but 6 % of what the behaviour costs
        self.assertEqual(self.run_on(results(500), results(530))[0], 1)

    def test_below_two_percent(self):
        self.assertEqual(self.run_on(results(500), results(509))[0], 0)

    def test_within_noise(self):
        self.assertEqual(self.run_on(results(100), results(106))[0], 0)

    def test_boot_that_moves_everything(self):
        head = results(520)
        for changed in head["instructions"]:
            changed["insns"] += 30
        code, text = self.run_on(results(500), head)
        self.assertEqual(code, 1)
        self.assertIn("+4.00%", text)
        for changed in head["instructions"][2:]:
            changed["insns"] -= 20
            changed["above"] -= 20
        self.assertEqual(self.run_on(results(500), head)[0], 0)

    def test_boot_that_moves_plain_only(self):
        # As with IPv4 behind IPv6, whose plain row is another protocol's
        head = results(520)
        head["instructions"][0]["insns"] -= 20
        for changed in head["instructions"][1:]:
            changed["insns"] = changed["insns"] - 20 * (
                changed["variant"] == "full")
            changed["above"] += 20 * (changed["variant"] != "full")
        self.assertEqual(self.run_on(results(500), head)[0], 0)

    def test_noisy_rows_get_more_room(self):
        base, head = results(500, spread=0.006), results(540)
        self.assertEqual(self.run_on(base, head)[0], 0)

    def test_without_in_tree(self):
        base, head = results(500), results(530)
        for data in (base, head):
            del data["instructions"][1]
        self.assertEqual(self.run_on(base, head)[0], 1)

    def test_other_rows_are_not_judged(self):
        head = results()
        head["instructions"][1]["insns"] = 9900
        head["instructions"][1]["above"] = 2600
        code, text = self.run_on(results(), head)
        self.assertEqual(code, 0)
        self.assertIn("differs", text)

    def test_row_that_vanished(self):
        head = results()
        del head["instructions"][2]
        code, text = self.run_on(results(), head)
        self.assertEqual(code, 1)
        self.assertIn("GONE", text)

    def test_row_that_is_new(self):
        base = results()
        del base["instructions"][3]
        code, text = self.run_on(base, results())
        self.assertEqual(code, 0)
        self.assertIn("new", text)

    def test_best_variant_of_each_side_is_compared(self):
        base, head = results(), results()
        del base["instructions"][3]             # before there was a layer 2
        head["instructions"][3]["above"] = 1700
        head["instructions"][3]["insns"] = 9000
        code, text = self.run_on(base, head)
        self.assertEqual(code, 1)
        self.assertIn(compare_rows.SHIPPED, text)

    def test_lost_frames(self):
        head = results(delivered=1023)
        code, text = self.run_on(results(), head)
        self.assertEqual(code, 1)
        self.assertIn("LOST FRAMES", text)

    def test_nothing_in_common(self):
        self.assertEqual(self.run_on({"instructions": []}, results())[0], 1)

    def test_unsupported_row(self):
        base, head = results(), results()
        for data in (base, head):
            data["instructions"].append(
                {"kernel": "debian-6.1", "row": "End.DT4", "frame": "x",
                 "vrf": True, "variant": "in-tree", "unsupported": "why"})
        self.assertEqual(self.run_on(base, head)[0], 0)

    def test_no_such_revision(self):
        done = subprocess.run([os.path.join(HERE, "compare"), "no-such-rev"],
                              check=False, stderr=subprocess.DEVNULL)
        self.assertEqual(done.returncode, 2)


if __name__ == "__main__":
    sys.exit(tally())
