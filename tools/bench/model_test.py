#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Tests of model.py with results whose answer is known."""
import copy
import sys
import unittest

import model
from report_tally import tally

CLOCK = {"queue": "steady", "growth": "clock", "lock": 6.0}
TRUE = (0.15, 0.8, 140.0)
KERNEL = "debian-6.1"
WHERE = [dict(symbol=s, **{"class": c}, atomic=a, per_packet=n)
         for s, c, a, n in (("dst_release", "shared", True, 1.0),
                            ("lookup", "shared", True, 1.0),
                            ("ip6_hold_safe", "skb", True, 1.0),
                            ("alloc", "skb", True, 0.5),
                            ("lookup", "shared", False, 1.0))]


def results(visits=(1, 2, 2)):
    """Counts as the bench writes them; `visits` of in-tree End, DX4, DT4."""
    out = {"instructions": [], "atomics": []}
    rows = (("End", "end-94", 8900, visits[0], False),
            ("End.DX4", "ip4in6-82", 8400, visits[1], False),
            ("End.DT4", "ip4in6-82", 9800, visits[2], True))
    for name, frame, insns, shared, vrf in rows:
        plain = dict(kernel=KERNEL, row="plain IPv6", variant="plain",
                     frame=frame, vrf=vrf)
        out["instructions"].append(dict(plain, insns=7000))
        out["atomics"].append(dict(plain, rmw=8, visits_by_line={"nic": 3}))
        for variant, lines, rmw in (("in-tree", {"route": shared}, 12),
                                    ("noref", {}, 8)):
            row = dict(plain, row=name, variant=variant)
            out["instructions"].append(
                dict(row, insns=insns + (variant == "in-tree") * 80))
            out["atomics"].append(
                dict(row, rmw=rmw, visits_by_line=dict(lines, nic=3),
                     functions={"dst_release": 50, "ip6_hold_safe": 20.5},
                     where=WHERE))
    return out


def figures(costs):
    """What the model itself would have published."""
    return [dict(f, mpps=model.throughput(costs[f["row"], f["variant"]],
                                          f["cores"], TRUE, CLOCK))
            for f in model.seed_figures()]


class Queues(unittest.TestCase):
    def test_mva_of_two_cores(self):
        # Its chain has 0, 1, 2 cores at the line with weights 1:2:2.
        self.assertAlmostEqual(model.mva(2, 1.0, [1.0]), 0.8)

    def test_mva_of_nothing_shared(self):
        self.assertAlmostEqual(model.mva(16, 100.0, []), 0.16)

    def test_bounds_above_mva(self):
        for cores in (1, 2, 8, 16, 128):
            self.assertGreaterEqual(model.bounds(cores, 1000, [100, 50]),
                                    model.mva(cores, 1000, [100, 50]))

    def test_both_end_at_the_busiest_line(self):
        for queue in model.QUEUES.values():
            self.assertAlmostEqual(queue(5000, 1000, [100, 50]), 0.01)

    def test_one_core_never_waits(self):
        cost = {"insns": 1000, "locks": 0, "visits": [2]}
        self.assertAlmostEqual(
            model.throughput(cost, 1, (1.0, 0.5, 1e6), CLOCK), 1.0)

    def test_growths_agree_where_calibrated(self):
        for growth in ("clock", "each"):
            self.assertAlmostEqual(model.slowdown(1, 0.8, growth), 1)
            self.assertAlmostEqual(model.slowdown(16, 0.8, growth), 1.25)
        self.assertAlmostEqual(model.slowdown(128, 0.8, "clock"), 1.25)
        self.assertGreater(model.slowdown(128, 0.8, "each"), 3)

    def test_sockets(self):
        self.assertAlmostEqual(model.across_sockets(100, 2, 3, 1), 200)
        self.assertAlmostEqual(model.across_sockets(100, 1, 3, 2), 50)
        self.assertAlmostEqual(model.across_sockets(100, 2, 3, 2), 100)


class Counts(unittest.TestCase):
    def test_patch_takes_references_off(self):
        cost = model.counts(results(), KERNEL)["End", "patched"]
        self.assertEqual(cost, {"insns": 8909.5, "locks": 1, "visits": []})

    def test_plain_is_taken_off_line_by_line(self):
        self.assertEqual(
            model.above_plain({"nic": 3, "x": 1, "y": 2}, {"nic": 3, "y": 1}),
            [1, 1])

    def test_locks_and_visits(self):
        costs = model.counts(results(), KERNEL)
        self.assertEqual(costs["End.DX4", "in-tree"],
                         {"insns": 8480, "locks": 4, "visits": [2]})
        self.assertEqual(costs["End", "noref"]["visits"], [])

    def test_row_that_needs_a_vrf(self):
        self.assertIn(("End.DT4", "noref"), model.counts(results(), KERNEL))

    def test_vrf_elsewhere_is_another_row(self):
        data = results()
        for section in data.values():
            for row in [r for r in section if r["row"] in
                        ("End", "plain IPv6") and r["frame"] == "end-94"]:
                section.append(dict(row, vrf=True, insns=1))
        self.assertEqual(model.counts(data, KERNEL)["End", "noref"]["insns"],
                         8900)

    def test_unsupported_row_is_left_out(self):
        data = results()
        data["instructions"] = [
            r if r["row"] != "End.DT4" else dict(r, unsupported="no such")
            for r in data["instructions"]]
        with self.assertRaises(model.Unusable):
            model.run(data, KERNEL, number=1)

    def test_no_atomics(self):
        with self.assertRaises(model.Unusable):
            model.counts(dict(results(), atomics=[]), KERNEL)

    def test_no_writes_counted(self):
        data = results()
        for row in data["atomics"]:
            del row["visits_by_line"]
        with self.assertRaises(model.Unusable):
            model.counts(data, KERNEL)


class Calibration(unittest.TestCase):
    def setUp(self):
        self.costs = model.counts(results(), KERNEL)

    def test_finds_what_made_the_figures(self):
        params, out = model.calibrate(figures(self.costs), self.costs, CLOCK)
        for got, want in zip(params, TRUE):
            self.assertAlmostEqual(got / want, 1, 2)
        for f in out:
            self.assertLess(abs(f["loo_error"]), 0.01)

    def test_left_out_figure_has_no_part_in_its_own_prediction(self):
        wrong = figures(self.costs)
        right = [f["loo"] for f in
                 model.calibrate(wrong, self.costs, CLOCK)[1]]
        wrong[4]["mpps"] *= 1.5
        out = model.calibrate(wrong, self.costs, CLOCK)[1]
        self.assertAlmostEqual(out[4]["loo"], right[4], 3)
        self.assertAlmostEqual(out[4]["loo_error"], 1 / 1.5 - 1, 2)

    def test_seed_as_published(self):
        got = [(f["row"], f["variant"], f["cores"], f["mpps"])
               for f in model.seed_figures()]
        self.assertEqual(got, [
            ("End", "in-tree", 1, 0.735), ("End", "patched", 1, 0.770),
            ("End", "in-tree", 16, 6.931), ("End", "patched", 16, 10.128),
            ("End.DX4", "in-tree", 16, 3.369), ("End.DX4", "patched", 16, 10.208),
            ("End.DT4", "in-tree", 16, 3.259), ("End.DT4", "patched", 16, 7.431)])


class Verdict(unittest.TestCase):
    def run_with(self, change=None, **more):
        costs = model.counts(results(), KERNEL)
        published = figures(costs)
        if change:
            change(published)
        kept, model.seed_figures = model.seed_figures, lambda: published
        try:
            data = copy.deepcopy(results())
            for kernel, scale in more.items():
                for section in ("instructions", "atomics"):
                    data[section] += [
                        dict(r, kernel=kernel,
                             **({"insns": scale(r["insns"])}
                                if "insns" in r else {}))
                        for r in results()[section]]
            return model.run_all(data, number=20)
        finally:
            model.seed_figures = kept

    def test_good_model_may_be_used(self):
        out = self.run_with()
        self.assertTrue(out["usable"])
        self.assertEqual(len(out["predictions"]), 6 * len(model.MACHINES))

    def test_bad_model_must_not(self):
        def change(published):
            published[7]["mpps"] *= 0.75

        self.assertFalse(self.run_with(change)["usable"])

    def test_every_kernel_has_a_say(self):
        out = self.run_with(other_9=lambda n: n)
        self.assertTrue(out["usable"])
        self.assertEqual([c["kernel"] for c in out["checks"]],
                         [KERNEL, "other_9"])
        self.assertFalse(self.run_with(other_9=lambda n: n - 6000)["usable"])

    def test_intervals(self):
        for p in self.run_with()["predictions"]:
            self.assertLessEqual(p["low"], p["mid"])
            self.assertLessEqual(p["mid"], p["high"])

    def test_shared_line_stops_growth(self):
        mid = {(p["row"], p["variant"], p["cores"], p["sockets"]): p["mid"]
               for p in self.run_with()["predictions"]}
        self.assertLess(mid["End.DX4", "in-tree", 64, 1],
                        1.1 * mid["End.DX4", "in-tree", 32, 1])
        self.assertGreater(mid["End.DX4", "noref", 64, 1],
                           1.4 * mid["End.DX4", "noref", 32, 1])
        self.assertLess(mid["End.DX4", "in-tree", 64, 2],
                        mid["End.DX4", "in-tree", 64, 1])

    def test_same_result_again(self):
        self.assertEqual(self.run_with(), self.run_with())


if __name__ == "__main__":
    sys.exit(tally())
