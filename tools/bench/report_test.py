#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Tests of the report: what README says is what was measured, or it fails.

With a committed result (report.json) also that README and plots match it, and
that its model is still what model.py makes of it.
"""
import copy
import json
import os
import shutil
import sys
import tempfile
import unittest

import model
import plots
import report_text as report
from report_tally import tally

HERE = os.path.dirname(os.path.abspath(__file__))
TREE = {"End": 1671, "End.X-onlink": 2659, "End.X-gateway": 1700,
        "End.T": 1114, "End.DX6-onlink": 2679, "End.DT6": 1125,
        "End.DX4": 1139, "End.DT4": 2600}
FRAMES = {"End.DX6-onlink": "dx6-srperf", "End.DT6": "dx6-srperf",
          "End.DX4": "ip4in6-82", "End.DT4": "ip4in6-82"}
FIGURES = {"in-tree": 1.0, "noref": 0.95, "layer1": 0.6, "full": 0.3}


def row(name, variant, above, **more):
    return dict({"kernel": "debian-6.1", "row": name, "variant": variant,
                 "frame": FRAMES.get(name, "end-94"), "vrf": name == "End.DT4",
                 "sent": 1000, "delivered": 1000, "insns": 7256 + above,
                 "plain": 7256, "above": above}, **more)


def atomics(name, variant):
    tree = variant == "in-tree"
    lines = {"nic": 3}
    if tree:
        lines["route"] = 1 if name == "End" else 2
    return row(name, variant, 0, rmw=12.0 if tree else 8.0,
               rmw_shared=2.0 * tree, visits_by_line=lines,
               dst_release=2.0 * tree, route_alloc=0)


def results():
    out = {"schema": 1, "meta": {
        "date": "2026-01-02T03:04:05Z", "commit": "1" * 40,
        "module_commit": "2" * 40, "dirty": False, "quick": False,
        "host": {"cpu": "Some CPU", "cpus": 2, "qemu": "7.2"}},
        "kernels": {"debian-6.1": {"release": "6.1.0-1-amd64"}},
        "instructions": [], "atomics": [], "native": [], "growth": [],
        "memory": [], "summary": [], "faults": []}
    for frame, vrf in (("end-94", False), ("dx6-srperf", False),
                       ("ip4in6-82", False), ("ip4in6-82", True)):
        plain = row("plain IPv6", "plain", 0, frame=frame, vrf=vrf)
        out["instructions"].append(plain)
        out["atomics"].append(dict(atomics("plain IPv6", "plain"),
                                   frame=frame, vrf=vrf))
    for name, tree in TREE.items():
        above = {v: int(f * tree) for v, f in FIGURES.items()}
        for variant in above:
            out["instructions"].append(row(name, variant, above[variant]))
            out["atomics"].append(atomics(name, variant))
        out["summary"].append({
            "kernel": "debian-6.1", "row": name, "vrf": name == "End.DT4",
            "plain": 7256, "in_tree": tree, "noref": above["noref"],
            "layer1": above["layer1"], "full": above["full"],
            "ratio": round(above["full"] / tree, 4)})
    for value in (1, 1000, 100000):
        out["growth"].append(row("End", "full", 500 + value // 1000,
                                 axis="sids", value=value))
        out["growth"].append(row("End", "in-tree", 1671, axis="sids",
                                 value=value))
    for egress, efficiency in (("one", 0.6), ("each", 0.97)):
        out["native"].append({"row": "End.DX4", "variant": "in-tree",
                              "cpus": 2, "egress": egress,
                              "efficiency": efficiency})
    return out


class Report(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.drawn = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.drawn.cleanup)
        plots.write(results(), cls.drawn.name)

    def setUp(self):
        self.results = results()
        self.results["model"] = {"usable": False}
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        shutil.copytree(self.drawn.name, self.folder.name,
                        dirs_exist_ok=True)
        self.readme = report.written(
            f"before\n{report.BEGIN}\nold\n{report.END}\nafter\n",
            self.results)

    def complaints(self, readme=None, changed=None):
        return "\n".join(report.complaints(
            readme or self.readme, changed or self.results,
            self.folder.name))

    def changed(self):
        return copy.deepcopy(self.results)

    def svg(self, name):
        return os.path.join(self.folder.name, name + ".svg")

    def test_what_was_written_passes(self):
        self.assertEqual(self.complaints(), "")

    def test_rest_of_readme_is_kept(self):
        self.assertTrue(self.readme.startswith("before\n"))
        self.assertTrue(self.readme.endswith("\nafter\n"))
        self.assertNotIn("old", self.readme)

    def test_writing_twice_is_writing_once(self):
        self.assertEqual(report.written(self.readme, self.results),
                         self.readme)

    def test_commit_is_stated(self):
        self.assertIn("commit 111111111111 (module as of 222222222222)",
                      " ".join(self.readme.split()))

    def test_one_line_for_each_behaviour_ratio_last(self):
        for name, tree in TREE.items():
            lines = [line for line in self.readme.split("\n")
                     if line.startswith(f"| {name} |")]
            self.assertEqual(len(lines), 2, name)
            cells = [c.strip() for c in lines[0].strip("|").split("|")]
            self.assertEqual(cells[1], f"{tree:,}".replace(",", " "))
            self.assertEqual(cells[-1], f"{int(.3 * tree) / tree:.2f}")

    def test_atomics_in_tree_and_ours(self):
        self.assertIn("| End | 12 → 8 | 2 → 0 | 2 → 0 | 0 → 0 |", self.readme)

    def test_changed_figure_in_readme(self):
        broken = self.readme.replace("1 671", "1 672")
        self.assertIn("README: its text", self.complaints(broken))

    def test_changed_commit_in_readme(self):
        broken = self.readme.replace("1" * 12, "3" * 12)
        self.assertIn("README: its text", self.complaints(broken))

    def test_words_added_between_the_markers(self):
        broken = self.readme.replace(report.END, f"x\n{report.END}")
        self.assertIn("README: its text", self.complaints(broken))

    def test_no_markers(self):
        self.assertIn("exactly one", self.complaints("nothing"))

    def test_markers_twice(self):
        self.assertIn("exactly one", self.complaints(self.readme * 2))

    def test_other_result_makes_plot_stale(self):
        changed = self.changed()
        changed["growth"][0]["above"] += 1
        self.assertIn("growth.svg: shows other results",
                      self.complaints(changed=changed))

    def test_other_result_makes_text_stale(self):
        changed = self.changed()
        changed["summary"][0]["full"] += 1
        found = self.complaints(changed=changed)
        self.assertIn("README: its text", found)
        self.assertIn("cost.svg: shows other results", found)

    def test_plot_changed_by_hand(self):
        with open(self.svg("cost"), encoding="utf-8") as f:
            text = f.read()
        with open(self.svg("cost"), "w", encoding="utf-8") as f:
            f.write(text.replace("End.DT4", "End.DT5"))
        self.assertIn("cost.svg: was changed by hand", self.complaints())

    def test_plot_missing(self):
        os.unlink(self.svg("native"))
        self.assertIn("native.svg: missing", self.complaints())

    def test_plot_without_results(self):
        changed = self.changed()
        changed["native"] = []
        self.assertIn("native.svg: no such results",
                      self.complaints(changed=changed))

    def test_plot_has_a_licence_on_top(self):
        with open(self.svg("cost"), encoding="utf-8") as f:
            self.assertIn("SPDX-License-Identifier", f.readlines()[1])

    def test_drawn_again_is_the_same(self):
        data = plots.wanted(self.results)["growth"]
        again = plots.draw.__wrapped__("growth", json.dumps(data))
        self.assertEqual(plots.render("growth", data), again)


class Unfit(unittest.TestCase):
    def reasons(self, **meta):
        changed = results()
        changed["meta"].update(meta)
        return list(report.unfit(changed))

    def test_good_result(self):
        self.assertEqual(self.reasons(), [])

    def test_quick_run(self):
        self.assertEqual(len(self.reasons(quick=True)), 1)

    def test_uncommitted_changes(self):
        self.assertEqual(len(self.reasons(dirty=True)), 1)

    def test_lost_frames(self):
        changed = results()
        changed["growth"][0]["delivered"] -= 1
        self.assertIn("delivered 999 of 1000",
                      "\n".join(report.unfit(changed)))

    def test_faults(self):
        changed = results()
        changed["faults"] = ["something"]
        self.assertEqual(list(report.unfit(changed)), ["fault: something"])

    def test_empty_section(self):
        changed = results()
        changed["atomics"] = []
        self.assertEqual(list(report.unfit(changed)),
                         ["section atomics is empty"])


class Model(unittest.TestCase):
    PREDICTION = {"row": "End", "variant": "full", "cores": 64, "sockets": 2,
                  "low": 20.0, "mid": 30.0, "high": 40.0}

    def with_model(self, usable):
        changed = results()
        changed["model"] = {"usable": usable, "worst": 0.149 if usable
                            else 0.151, "figures": [],
                            "predictions": [self.PREDICTION]}
        return changed

    def test_good_one_is_shown(self):
        text = report.text(self.with_model(True))
        self.assertIn("| End full | 20–40 |", text)
        self.assertIn("within 15 % when left out", " ".join(text.split()))
        self.assertIn("cores.svg", text)

    def test_bad_one_is_not(self):
        text = report.text(self.with_model(False))
        self.assertNotIn("predicts", text)
        self.assertNotIn("cores.svg", text)

    def test_adopted_with_result(self):
        got = report.adopt(results())
        self.assertEqual(len(got["model"]["figures"]), 8)
        self.assertEqual(list(got)[0], "licence")

    def test_result_without_counts(self):
        got = report.adopt(dict(results(), atomics=[]))
        self.assertFalse(got["model"]["usable"])


@unittest.skipUnless(os.path.exists(report.COMMITTED), "nothing committed")
class Committed(unittest.TestCase):
    def setUp(self):
        self.results = report.load(report.COMMITTED)

    def test_readme_and_plots_match(self):
        readme = os.path.join(HERE, "..", "..", "README.md")
        with open(readme, encoding="utf-8") as f:
            self.assertEqual(
                list(report.complaints(f.read(), self.results)), [])

    def test_model_is_that_of_these_counts(self):
        kept = self.results["model"]
        try:
            again = model.run_all(self.results)
        except model.Unusable as why:
            self.assertEqual(kept, {"usable": False, "why": str(why)})
            return
        self.assertEqual(kept["usable"], again["usable"])
        for old, new in zip(kept["figures"], again["figures"]):
            self.assertAlmostEqual(old["loo_error"], new["loo_error"], 2)


if __name__ == "__main__":
    sys.exit(tally())
