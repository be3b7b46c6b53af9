#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""From counts of one packet to throughput on many cores.

usage: model.py [--kernel K]... [--cores N --sockets S] RESULTS.json

A packet costs its core w = c * instructions + lock * atomics. A cache line
that every core writes is a server with one queue: each visit of a packet keeps
it for t. With N cores this is a closed queueing network; its throughput comes
from mean value analysis, or from the bounds of a network without variance.
What slows N cores even if nothing is shared (clock, memory) is one factor phi.
c, phi and t are fitted to published figures (model_seed.json), once with the
counts of each kernel measured; what is predicted is that of the oldest.
"""
import argparse
import json
import math
import os
import re
import sys

import numpy as np
from scipy.optimize import least_squares

HERE = os.path.dirname(os.path.abspath(__file__))
SEED_CORES = 16
LIMIT = 0.15            # leave-one-out error above which it is not to be used
LOCK_NS = (4.0, 6.0, 10.0)      # an uncontended atomic: low, usual, high
REMOTE = (1.5, 4.0)     # transfer between sockets / inside one
MACHINES = ((32, 1), (32, 2), (64, 1), (64, 2), (128, 2))
REFERENCES = ("dst_release", "ip6_hold_safe")    # functions that do no more

ASSUMPTIONS = (
    "the published \"patched\" figures are those of the in-tree encap less what"
    " its references on routes cost here",
    "instructions of two rows here are in the same proportion as on the machine"
    " of the published figures: the generator costs what a NIC driver does. It"
    " costs more on 6.1 than on 7.3, so kernels need not agree",
    "time per instruction is the same in every row; an atomic operation on a"
    f" line the core owns costs {LOCK_NS[0]:.0f} to {LOCK_NS[2]:.0f} ns more",
    "packets are spread evenly over the cores and all packets of a row use one"
    " next hop, so that its counter is the one line that all write",
    "writes to a line less than 200 instructions apart find it still there:"
    " one visit (in-tree End takes and drops one counter within a lookup)",
    "what plain forwarding writes is not shared between cores on a NIC with a"
    " queue per core; only what a behaviour writes beyond that counts",
    "a transfer takes the same time however many cores wait; the published"
    " figures come from one or two sockets, and a transfer between sockets"
    f" costs {REMOTE[0]} to {REMOTE[1]} times one inside",
    "the loss of 16 cores that share nothing is either a lower clock, which"
    " more cores do not make worse, or grows with each core",
    "no limit of NIC, PCIe or memory is reached",
)


class Unusable(Exception):
    """The results lack what the model needs."""


def visits_of(row):
    """Visits to shared lines, as {line: visits per packet}."""
    if "visits_by_line" in row:
        return dict(row["visits_by_line"])
    for key in ("shared_visits", "rmw_shared"):
        if key in row:
            return {"all": row[key]}
    raise Unusable(f"no shared-line writes in the row {row['row']}")


def above_plain(visits, plain):
    """What a behaviour does beyond plain forwarding, largest first."""
    more = [n - plain.get(line, 0) for line, n in visits.items()]
    return sorted((n for n in more if n > 0.05), reverse=True)


def rows_of(results, section, kernel):
    """Rows of a section by (row, variant, frame, vrf)."""
    return {(r["row"], r["variant"], r.get("frame"), bool(r.get("vrf"))): r
            for r in results.get(section, ())
            if r.get("kernel") == kernel and "unsupported" not in r
            and r.get("frame") != "end-srperf"}


def patched(cost, row):
    """An in-tree row without its references: what the kernel patch made."""
    freed = sum(row.get("functions", {}).get(f, 0) for f in REFERENCES)
    locks = sum(w["per_packet"] for w in row.get("where", ()) if w["atomic"]
                and (w["symbol"] in REFERENCES or w["class"] == "shared"))
    return {"insns": cost["insns"] - freed, "visits": [],
            "locks": max(0.0, cost["locks"] - locks)}


def counts(results, kernel):
    """{(row, variant): {insns, locks, visits}}; with a VRF where it must."""
    atomics = rows_of(results, "atomics", kernel)
    out = {}
    for key, row in sorted(rows_of(results, "instructions", kernel).items()):
        name, variant, frame, vrf = key
        other = atomics.get(key)
        plain = atomics.get(("plain IPv6", "plain", frame, vrf))
        if (variant == "plain" or not other or not plain or
                (name, variant) in out):
            continue
        out[name, variant] = {
            "insns": row["insns"],
            "locks": max(0.0, other["rmw"] - plain["rmw"]),
            "visits": above_plain(visits_of(other), visits_of(plain)),
        }
        if variant == "in-tree":
            out[name, "patched"] = patched(out[name, variant], other)
    if not out:
        raise Unusable(f"no instruction and atomics rows for {kernel}")
    return out


# Throughput ---------------------------------------------------------------

def mva(cores, think, demands):
    """Mean value analysis: cores that think, single-server stations."""
    queues = np.zeros(len(demands))
    demands = np.asarray(demands, float)
    rate = 0.0
    for n in range(1, cores + 1):
        response = demands * (1 + queues)
        rate = n / (think + response.sum())
        queues = rate * response
    return rate


def bounds(cores, think, demands):
    """The same without variance: nobody waits before a line is always busy."""
    rate = cores / (think + sum(demands))
    return min(rate, 1 / max(demands)) if demands else rate


QUEUES = {"steady": bounds, "random": mva}


def slowdown(cores, phi, growth):
    """Factor on a core's own work when `cores` run and share nothing."""
    if growth == "clock":
        used = (min(cores, SEED_CORES) - 1) / (SEED_CORES - 1)
        return 1 / (1 - (1 - phi) * used)
    return 1 + (1 / phi - 1) * (cores - 1) / (SEED_CORES - 1)


def throughput(cost, cores, params, shape):
    """Mpps. shape: queue and growth by name, lock in ns."""
    c, phi, t = params
    own = c * cost["insns"] + shape["lock"] * cost["locks"]
    own *= slowdown(cores, phi, shape["growth"])
    if cores == 1:
        return 1e3 / own
    return 1e3 * QUEUES[shape["queue"]](cores, own,
                                        [v * t for v in cost["visits"]])


KEPT = ("kernel", "worst", "ns_per_insn", "phi", "transfer_ns", "figures")
USUAL = {"queue": "steady", "growth": "clock", "lock": LOCK_NS[1]}


# Calibration --------------------------------------------------------------

def fit(figures, costs, shape):
    """c, phi, t with the least squared relative errors."""
    def errors(x):
        params = np.exp(x)
        return [math.log(throughput(costs[f["row"], f["variant"]], f["cores"],
                                    params, shape) / f["mpps"])
                for f in figures]

    start = np.log([0.15, 0.85, 100.0])
    low, high = np.log([1e-3, 0.2, 1.0]), np.log([10.0, 1.0, 5e3])
    found = least_squares(errors, start, bounds=(low, high), loss="soft_l1",
                          f_scale=0.05)
    return np.exp(found.x)


def calibrate(figures, costs, shape):
    """The fit to all figures, and for each what the others say of it."""
    missing = [f for f in figures if (f["row"], f["variant"]) not in costs]
    if missing:
        raise Unusable("no counts of " + ", ".join(
            f"{f['row']} {f['variant']}" for f in missing))
    params = fit(figures, costs, shape)
    out = []
    for i, f in enumerate(figures):
        rest = fit(figures[:i] + figures[i + 1:], costs, shape)
        cost = costs[f["row"], f["variant"]]
        fitted = throughput(cost, f["cores"], params, shape)
        left = throughput(cost, f["cores"], rest, shape)
        out.append(dict(f, fitted=fitted, fit_error=fitted / f["mpps"] - 1,
                        loo=left, loo_error=left / f["mpps"] - 1))
    return params, out


# Prediction ---------------------------------------------------------------

def across_sockets(t, sockets, factor, seed_sockets):
    """Mean transfer time on `sockets`, when it was t on `seed_sockets`."""
    def mean(s):
        return 1 + (factor - 1) * (1 - 1 / s)

    return t * mean(sockets) / mean(seed_sockets)


def draws(figures, costs, number):
    """Bootstrap: figures disturbed by left-out errors, and random shapes."""
    rng = np.random.default_rng(1)
    spread = np.log([f["loo"] / f["mpps"] for f in figures])
    for _ in range(number):
        shape = {"queue": str(rng.choice(list(QUEUES))),
                 "growth": str(rng.choice(["clock", "each"])),
                 "lock": rng.uniform(LOCK_NS[0], LOCK_NS[2])}
        noise = rng.choice(spread, len(figures))
        noisy = [dict(f, mpps=f["mpps"] * math.exp(e))
                 for f, e in zip(figures, noise)]
        yield {"params": fit(noisy, costs, shape), "shape": shape,
               "factor": math.exp(rng.uniform(*np.log(REMOTE))),
               "seed_sockets": int(rng.integers(1, 3)),
               "rest": math.exp(rng.choice(spread))}


def predict(samples, cost, cores, sockets):
    """5 %, 50 % and 95 % of what the samples say."""
    rates = []
    for s in samples:
        c, phi, t = s["params"]
        t = across_sockets(t, sockets, s["factor"], s["seed_sockets"])
        rates.append(s["rest"] *
                     throughput(cost, cores, (c, phi, t), s["shape"]))
    return [float(x) for x in np.percentile(rates, [5, 50, 95])]


def seed_figures():
    with open(os.path.join(HERE, "model_seed.json"), encoding="utf-8") as f:
        return json.load(f)["figures"]


def run(results, kernel, machines=MACHINES, number=300):
    """With the counts of one kernel, as one dictionary."""
    costs = counts(results, kernel)
    params, figures = calibrate(seed_figures(), costs, USUAL)
    worst = max(abs(f["loo_error"]) for f in figures)
    samples = list(draws(figures, costs, number))
    predictions = [
        dict(zip(("low", "mid", "high"), predict(samples, cost, n, s)),
             row=row, variant=variant, cores=n, sockets=s)
        for (row, variant), cost in costs.items() if variant != "patched"
        for n, s in machines]
    return {"kernel": kernel, "usable": worst <= LIMIT, "worst": worst,
            "ns_per_insn": float(params[0]), "phi": float(params[1]),
            "transfer_ns": float(params[2]), "figures": figures,
            "costs": {f"{r} {v}": c for (r, v), c in costs.items()},
            "predictions": predictions, "assumptions": list(ASSUMPTIONS)}


def kernels_of(results):
    """Kernels with counts, oldest first."""
    found = {r["kernel"] for r in results.get("atomics", ())}
    return sorted(found, key=lambda k: [int(n) for n in
                                        re.findall(r"\d+", k)])


def run_all(results, kernels=None, machines=MACHINES, number=300):
    """The oldest kernel's model, judged by all; Unusable without counts."""
    kernels = kernels or kernels_of(results)
    if not kernels:
        raise Unusable("no atomics rows")
    out = run(results, kernels[0], machines, number)
    checks = [out] + [run(results, k, (), 0) for k in kernels[1:]]
    out["checks"] = [{k: v for k, v in check.items() if k in KEPT}
                     for check in checks]
    out["worst"] = max(check["worst"] for check in checks)
    out["usable"] = out["worst"] <= LIMIT
    return out


# Output -------------------------------------------------------------------

def show_check(check):
    print(f"{check['kernel']}: {check['ns_per_insn']:.3f} ns an instruction, "
          f"{check['transfer_ns']:.0f} ns a transfer of a contended line, "
          f"16 cores that share nothing do {100 * check['phi']:.0f} % each\n")
    print(f"{'published figure':28s} {'Mpps':>7s} {'fitted':>7s} {'error':>7s}"
          f" {'left out':>8s} {'error':>7s}")
    for f in check["figures"]:
        name = f"{f['row']} {f['variant']}, {f['cores']} cores"
        print(f"{name:28s} {f['mpps']:7.3f} {f['fitted']:7.3f}"
              f" {100 * f['fit_error']:+6.1f}% {f['loo']:8.3f}"
              f" {100 * f['loo_error']:+6.1f}%")
    print(f"largest left out: {100 * check['worst']:.1f} %\n")


def show(model):
    for check in model["checks"]:
        show_check(check)
    verdict = "may" if model["usable"] else "must not"
    print(f"largest error of a figure left out: {100 * model['worst']:.1f} %"
          f" (limit {100 * LIMIT:.0f} %): README {verdict} use the model\n")
    print(f"{'predicted Mpps, ' + model['kernel']:27s} {'cores':>5s} {'sockets':>7s} {'5 %':>7s}"
          f" {'50 %':>7s} {'95 %':>7s}")
    for p in model["predictions"]:
        print(f"{p['row'] + ' ' + p['variant']:27s} {p['cores']:5d}"
              f" {p['sockets']:7d} {p['low']:7.1f} {p['mid']:7.1f}"
              f" {p['high']:7.1f}")
    print("\nassumed:")
    for text in model["assumptions"]:
        print(f"- {text}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--kernel", action="append")
    parser.add_argument("--cores", type=int)
    parser.add_argument("--sockets", type=int, default=1)
    parser.add_argument("results")
    args = parser.parse_args()
    machines = MACHINES
    if args.cores:
        machines = ((args.cores, args.sockets),)
    with open(args.results, encoding="utf-8") as f:
        results = json.load(f)
    try:
        show(run_all(results, args.kernel, machines))
    except Unusable as why:
        print(f"model: {why}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
