# SPDX-License-Identifier: GPL-2.0-only
"""The SVG plots of a committed result, and whether they still show it.

Each plot is a pure function of the data taken out of the result. The SVG
carries a digest of those data and of this file, so that a stale one is found
without matplotlib; with the same matplotlib it is also drawn again.
"""
import functools
import hashlib
import io
import json
import os
import re

NAMES = ("End", "End.X-onlink", "End.X-gateway", "End.T", "End.DX6-onlink",
         "End.DT6", "End.DX4", "End.DT4")
VARIANTS = (("in_tree", "in-tree", "#888888"), ("noref", "noref", "#56b4e9"),
            ("layer1", "layer 1", "#0072b2"), ("full", "full", "#d55e00"))
COLOURS = {"in-tree": "#888888", "noref": "#56b4e9", "layer1": "#0072b2",
           "full": "#d55e00", "plain": "#000000"}
AXES = {"sids": "SIDs", "nested": "nested segments", "routes": "routes",
        "segments": "next segments of a SID", "vrfs": "VRFs",
        "rules": "rules", "count": "with counters"}
LICENCE = "<!-- SPDX-License-Identifier: GPL-2.0-only -->"
MARK = "digest:"


def main_kernel(results):
    """The kernel that README's first table is about: the oldest measured."""
    kernels = sorted({r["kernel"] for r in results["summary"]},
                     key=lambda k: [int(n) for n in re.findall(r"\d+", k)])
    return kernels[0] if kernels else None


def one_vrf(rows):
    """Of rows with and without a VRF, those without where there are any."""
    out = {}
    for row in rows:
        if row["row"] not in out or not row.get("vrf"):
            out[row["row"]] = row
    return [out[name] for name in NAMES if name in out]


def summary(results, kernel):
    return one_vrf([r for r in results["summary"] if r["kernel"] == kernel])


# Data ---------------------------------------------------------------------

def cost_data(results):
    kernel = main_kernel(results)
    return {"kernel": kernel, "bars": [
        [row["row"]] + [row.get(key) for key, _, _ in VARIANTS]
        for row in summary(results, kernel)]} if kernel else None


def growth_data(results):
    lines = {}
    for row in results["growth"]:
        if "above" in row and row["variant"] in COLOURS:
            name = f"{row['row']} {row['variant']}"
            lines.setdefault(row["axis"], {}).setdefault(name, []).append(
                [row["value"], row["above"]])
    return {axis: {name: sorted(points) for name, points in part.items()}
            for axis, part in lines.items() if axis in AXES} or None


def native_data(results):
    bars = [[f"{r['row']}\n{r['variant']}", r["egress"], r["efficiency"]]
            for r in results["native"]
            if r.get("cpus") == 2 and r.get("efficiency") is not None]
    return {"bars": bars} if bars else None


def cores_data(results):
    model = results.get("model") or {}
    if not model.get("usable"):
        return None
    shown = [p for p in model["predictions"] if p["row"] in
             ("End", "End.DX4") and p["variant"] in ("in-tree", "full")]
    return {"figures": model["figures"], "predictions": shown} or None


# Drawing ------------------------------------------------------------------

def frame(axes, title, ylabel):
    axes.set_title(title, fontsize=10)
    axes.set_ylabel(ylabel)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", linewidth=0.4, alpha=0.6)
    axes.set_axisbelow(True)


def draw_cost(pyplot, data):
    figure, axes = pyplot.subplots(figsize=(8, 3.6))
    width = 0.8 / len(VARIANTS)
    for i, (_, label, colour) in enumerate(VARIANTS):
        places = [n - 0.4 + (i + 0.5) * width
                  for n in range(len(data["bars"]))]
        axes.bar(places, [bar[1 + i] or 0 for bar in data["bars"]], width,
                 label=label, color=colour)
    axes.set_xticks(range(len(data["bars"])), [b[0] for b in data["bars"]],
                    rotation=20, ha="right")
    frame(axes, f"Cost of a packet above plain forwarding, {data['kernel']}",
          "instructions")
    axes.legend(frameon=False, fontsize=8)
    return figure


def draw_growth(pyplot, data):
    axis_names = [a for a in AXES if a in data]
    columns = min(3, len(axis_names))
    rows = -(-len(axis_names) // columns)
    figure, panes = pyplot.subplots(rows, columns, squeeze=False,
                                    figsize=(3 * columns, 2.6 * rows))
    for pane in panes.flat[len(axis_names):]:
        pane.set_visible(False)
    for pane, axis in zip(panes.flat, axis_names):
        for name, points in sorted(data[axis].items()):
            row, variant = name.rsplit(" ", 1)
            pane.plot(*zip(*points), marker="o", markersize=3,
                      color=COLOURS[variant], label=name,
                      linestyle="--" if row != "End" else "-")
        if max(p[0] for part in data[axis].values() for p in part) > 20:
            pane.set_xscale("symlog")
        pane.set_ylim(bottom=0)
        pane.set_xlabel(AXES[axis])
        frame(pane, "", "instructions above plain")
        pane.legend(frameon=False, fontsize=6)
    return figure


def draw_native(pyplot, data):
    figure, axes = pyplot.subplots(figsize=(8, 3.2))
    for egress, shift, colour in (("one", -0.2, "#d55e00"),
                                  ("each", 0.2, "#0072b2")):
        names = list(dict.fromkeys(bar[0] for bar in data["bars"]))
        values = {bar[0]: bar[2] for bar in data["bars"] if bar[1] == egress}
        label = {"one": "one next hop", "each": "a next hop each"}[egress]
        axes.bar([n + shift for n in range(len(names))],
                 [values.get(name, 0) for name in names], 0.4, color=colour,
                 label=label)
    axes.set_xticks(range(len(names)), names, fontsize=7)
    axes.set_ylim(0, 1.1)
    frame(axes, "Two CPUs against twice one CPU", "efficiency")
    axes.legend(frameon=False, fontsize=8)
    return figure


def draw_cores(pyplot, data):
    figure, axes = pyplot.subplots(figsize=(6, 3.6))
    for row, style in (("End", "-"), ("End.DX4", "--")):
        for variant in ("in-tree", "full"):
            line = {}
            for p in data["predictions"]:
                if (p["row"], p["variant"]) == (row, variant):
                    low, high = line.get(p["cores"], (p["low"], p["high"]))
                    line[p["cores"]] = min(low, p["low"]), max(high, p["high"])
            if line:
                cores = sorted(line)
                axes.fill_between(cores, [line[n][0] for n in cores],
                                  [line[n][1] for n in cores], alpha=0.3,
                                  color=COLOURS[variant], linestyle=style,
                                  label=f"{row} {variant}")
    for f in data["figures"]:
        axes.plot(f["cores"], f["mpps"], "k+")
    frame(axes, "Predicted, 90 % intervals (+: published)", "Mpps")
    axes.set_xlabel("cores")
    axes.legend(frameon=False, fontsize=8)
    return figure


PLOTS = {"cost": (cost_data, draw_cost), "growth": (growth_data, draw_growth),
         "native": (native_data, draw_native),
         "cores": (cores_data, draw_cores)}


# Files --------------------------------------------------------------------

def digest(data):
    with open(os.path.abspath(__file__), "rb") as f:
        source = f.read()
    text = json.dumps(data, sort_keys=True).encode()
    return hashlib.sha256(source + text).hexdigest()


def render(name, data):
    """The SVG as text; the same data always give the same octets."""
    return draw(name, json.dumps(data, sort_keys=True))


@functools.lru_cache(maxsize=None)
def draw(name, text):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot

    data = json.loads(text)
    made_by = f"{MARK}{digest(data)} matplotlib:{matplotlib.__version__}"
    with pyplot.rc_context({"svg.hashsalt": name, "svg.fonttype": "none",
                            "font.family": "sans-serif", "font.size": 9}):
        figure = PLOTS[name][1](pyplot, data)
        out = io.StringIO()
        figure.savefig(out, format="svg", bbox_inches="tight",
                       metadata={"Date": None, "Description": made_by})
        pyplot.close(figure)
    head, rest = out.getvalue().split("\n", 1)
    return f"{head}\n{LICENCE}\n{rest}"


def wanted(results):
    """{plot: data} of those that these results have data for."""
    found = {name: data(results) for name, (data, _) in PLOTS.items()}
    return {name: data for name, data in found.items() if data}


def write(results, folder):
    os.makedirs(folder, exist_ok=True)
    for name in PLOTS:
        path = os.path.join(folder, name + ".svg")
        if os.path.exists(path):
            os.unlink(path)
    for name, data in wanted(results).items():
        with open(os.path.join(folder, name + ".svg"), "w",
                  encoding="utf-8") as f:
            f.write(render(name, data))


def stale(results, folder):
    """Complaints about plots that do not show these results."""
    plots = wanted(results)
    for name, data in plots.items():
        path = os.path.join(folder, name + ".svg")
        if not os.path.exists(path):
            yield f"{path}: missing"
            continue
        with open(path, encoding="utf-8") as f:
            text = f.read()
        if MARK + digest(data) not in text:
            yield f"{path}: shows other results than the committed ones"
        elif drawn_here(text) and text != render(name, data):
            yield f"{path}: was changed by hand"
    for name in set(PLOTS) - set(plots):
        if os.path.exists(os.path.join(folder, name + ".svg")):
            yield f"{folder}/{name}.svg: no such results"


def drawn_here(text):
    """Whether this machine's matplotlib would draw the same octets."""
    try:
        import matplotlib
    except ImportError:
        return False
    return f"matplotlib:{matplotlib.__version__}<" in text
