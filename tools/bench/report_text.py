# SPDX-License-Identifier: GPL-2.0-only
"""What README says of a committed result: the text between two markers."""
import difflib
import json
import os

import plots

HERE = os.path.dirname(os.path.abspath(__file__))
COMMITTED = os.path.join(HERE, "report.json")
FOLDER = os.path.join(HERE, "plots")
BEGIN = "<!-- bench: what follows is written by tools/bench/report -->"
END = "<!-- bench: end -->"
LICENCE = "SPDX-License-Identifier: GPL-2.0-only"
PREDICTED = ("End", "End.X-onlink", "End.DX4", "End.DT4")
ALT = {
    "cost": "Instructions above plain forwarding, per behaviour and variant",
    "growth": "Instructions above plain forwarding as configuration grows",
    "native": "Speed of two CPUs against twice one CPU",
    "cores": "Predicted throughput on many cores",
}


def load(path):
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def unfit(results):
    """Reasons not to show a result to anyone."""
    meta = results["meta"]
    if results.get("schema") != 1:
        yield f"schema {results.get('schema')} is not 1"
    if meta.get("quick"):
        yield "a quick run, not a full one"
    if meta.get("dirty"):
        yield "the checkout had uncommitted changes"
    for fault in results.get("faults", ()):
        yield f"fault: {fault}"
    for name in ("instructions", "atomics", "summary"):
        if not results.get(name):
            yield f"section {name} is empty"
    for name in ("instructions", "growth"):
        for row in results.get(name, ()):
            if row.get("sent") != row.get("delivered"):
                yield (f"{name}, {row['row']} {row['variant']}: delivered "
                       f"{row.get('delivered')} of {row.get('sent')}")


# Text ---------------------------------------------------------------------

def number(value):
    """1 234, with the dash of the README's tables for none."""
    if value is None:
        return "–"
    if isinstance(value, float) and not value.is_integer():
        return f"{value:.1f}"
    return f"{int(value):,}".replace(",", " ")


def ratio(value):
    return "–" if value is None else f"{value:.2f}"


def table(heading, rows):
    """A Markdown table: the first column is text, the others figures."""
    yield "| " + " | ".join(heading) + " |"
    yield "|---|" + "---:|" * (len(heading) - 1)
    for row in rows:
        yield "| " + " | ".join(row) + " |"


def wrapped(text, width=80):
    line = ""
    for word in text.split():
        if line and len(line) + 1 + len(word) > width:
            yield line
            line = word
        else:
            line = f"{line} {word}".strip()
    yield line


def origin(results):
    meta = results["meta"]
    kernels = ", ".join(k["release"] for k in results["kernels"].values())
    qemu = meta["host"].get("qemu")
    qemu = f", QEMU {qemu}" if qemu else ""
    return wrapped(
        f"Measured by `make bench` at commit {meta['commit'][:12]} (module as"
        f" of {meta['module_commit'][:12]}) on {meta['date'][:10]}; kernels:"
        f" {kernels}; host: {meta['host']['cpu']}, {meta['host']['cpus']} CPUs"
        f"{qemu}. Raw figures:"
        " [tools/bench/report.json](tools/bench/report.json).")


def costs(results):
    """One row for each behaviour, the ratio that counts last."""
    kernel = plots.main_kernel(results)
    others = sorted({r["kernel"] for r in results["summary"]} - {kernel})
    more = {k: {r["row"]: r for r in plots.summary(results, k)}
            for k in others}
    yield from wrapped(
        f"Instructions a packet costs above plain forwarding of the same"
        f" frame, {kernel} (End.DT4 with a VRF, the others without): in-tree, ours with both layers off,"
        " with held routes only, and in full; then ours / in-tree"
        + (f" on {', '.join(others)} and on {kernel}:" if others else ":"))
    yield ""
    heading = ["behaviour", "in-tree", "noref", "layer 1", "full"]
    yield from table(
        heading + others + ["ours / in-tree"],
        ([r["row"]] + [number(r.get(key)) for key, _, _ in plots.VARIANTS]
         + [ratio(more[k].get(r["row"], {}).get("ratio")) for k in others]
         + [ratio(r.get("ratio"))] for r in plots.summary(results, kernel)))


def shared(results):
    """What a packet writes that other CPUs use too."""
    kernel = plots.main_kernel(results)
    rows = {}
    for variant in ("in-tree", "full", "layer1", "noref"):
        for r in plots.one_vrf([r for r in results["atomics"]
                                if r["kernel"] == kernel
                                and r["variant"] == variant
                                and "unsupported" not in r
                                and r.get("frame") != "end-srperf"]):
            rows.setdefault(r["row"], {})[variant] = r
    yield from wrapped(
        "Atomic operations a packet makes, those among them on cache lines"
        " that other CPUs use too, calls of dst_release() and routes"
        " allocated; in-tree → ours:")
    yield ""
    yield from table(
        ["behaviour", "atomic", "on shared lines", "dst_release", "routes"],
        ([name] + pairs(rows[name]) for name in plots.NAMES if name in rows))


def pairs(variants):
    tree = variants.get("in-tree", {})
    ours = next((variants[v] for v in ("full", "layer1", "noref")
                 if v in variants), {})
    return [f"{number(tree.get(key))} → {number(ours.get(key))}"
            for key in ("rmw", "rmw_shared", "dst_release", "route_alloc")]


def beyond(results):
    """The model's word on more cores, where it has earned one."""
    model = results.get("model")
    if not model or not model["usable"]:
        return
    yield ""
    yield from wrapped(
        "Beyond this machine: a model calibrated on figures published for 1"
        f" and 16 cores, each of which it meets within"
        f" {100 * model['worst']:.0f} % when left out of the calibration,"
        " predicts in Mpps (90 % intervals;"
        " [what it assumes](tools/bench/model.py)):")
    yield ""
    machines = list(dict.fromkeys((p["cores"], p["sockets"])
                                  for p in model["predictions"]))
    cells = {}
    for p in model["predictions"]:
        cells.setdefault((p["row"], p["variant"]), {})[
            p["cores"], p["sockets"]] = f"{p['low']:.0f}–{p['high']:.0f}"
    yield from table(
        ["behaviour"] + [f"{n} cores, {s} socket{'s' * (s > 1)}"
                         for n, s in machines],
        ([f"{name} {variant}"] + [cells[name, variant].get(m, "–")
                                  for m in machines]
         for name in PREDICTED for variant in ("in-tree", "full")
         if (name, variant) in cells))


def text(results):
    """The lines between the markers."""
    lines = list(origin(results)) + [""] + list(costs(results)) + [""]
    lines += list(shared(results)) + [""]
    lines += [f"![{ALT[name]}](tools/bench/plots/{name}.svg)\n"
              for name in plots.wanted(results)]
    lines[-1] = lines[-1].rstrip("\n")
    return "\n".join(lines + list(beyond(results))) + "\n"


# README -------------------------------------------------------------------

def split(readme):
    """The parts before, between and behind the markers; None without."""
    if readme.count(BEGIN) != 1 or readme.count(END) != 1:
        return None
    head, rest = readme.split(BEGIN + "\n", 1)
    middle, tail = rest.split(END, 1)
    return head, middle, tail


def complaints(readme, results, folder=FOLDER):
    """Everything in which README and plots differ from the results."""
    yield from unfit(results)
    parts = split(readme)
    if parts is None:
        yield f"README: not exactly one '{BEGIN}' and one '{END}'"
        return
    want = f"\n{text(results)}\n"
    if parts[1] != want:
        yield "README: its text on the benchmark is not that of the results:"
        yield from difflib.unified_diff(parts[1].split("\n"),
                                        want.split("\n"), "README",
                                        "results", lineterm="", n=0)
    yield from plots.stale(results, folder)


def written(readme, results):
    """README with the results' text between its markers."""
    head, _, tail = split(readme)
    return f"{head}{BEGIN}\n\n{text(results)}\n{END}{tail}"


def adopt(raw):
    """A raw result as it is committed: with licence and model."""
    import model

    results = {"licence": LICENCE}
    results.update(raw)
    results["licence"] = LICENCE
    try:
        results["model"] = model.run_all(raw)
    except model.Unusable as why:
        results["model"] = {"usable": False, "why": str(why)}
    return results
