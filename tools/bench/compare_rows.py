# SPDX-License-Identifier: GPL-2.0-only
"""What changed between two results, row by row, and whether it is worse."""

LIMIT = 0.02        # growth of a packet's cost that fails
NOISE = 0.001       # of all instructions of a packet: a repeat differs by less
OURS = ("noref", "layer1", "full")
SHIPPED = "as shipped"
KEY = ("kernel", "row", "frame", "vrf")


def measured(results):
    """{(kernel, row, frame, vrf, variant): row}, shipped variant added."""
    out = {}
    for row in results["instructions"]:
        if "insns" in row:
            key = tuple(row.get(name) for name in KEY)
            out[key + (row["variant"],)] = row
    for key in list(dict.fromkeys(k[:4] for k in out)):
        variants = [v for v in OURS if key + (v,) in out]
        if variants:
            out[key + (SHIPPED,)] = out[key + (variants[-1],)]
    return out


def is_ours(variant):
    return variant in OURS or variant == SHIPPED


def noise(old, new):
    """Instructions by which two runs of the same thing may differ."""
    return max(row["insns"] * max(NOISE, row.get("spread") or 0)
               for row in (old, new))


def shifts(key, old, new):
    """What two boots add to a row, by rows that the module has no part in.

    Where a boot puts things moves IPv6 forwarding by some instructions, and
    IPv4 forwarding by others. Which of the two a behaviour shares is known
    best from the kernel's own encap doing the same, else from plain.
    """
    tree = key[:4] + ("in-tree",)
    if tree in old and tree in new:
        yield new[tree]["insns"] - old[tree]["insns"]
    if "above" in old[key] and "above" in new[key]:
        yield sum(sign * (row["insns"] - row["above"])
                  for sign, row in ((1, new[key]), (-1, old[key])))


def growth(key, old, new):
    """Instructions that only a change of the module can have added."""
    more = new[key]["insns"] - old[key]["insns"]
    return min((more - shift for shift in shifts(key, old, new)),
               default=more)


def own_cost(row):
    return max(row.get("above", row["insns"]), 1)


def verdict(key, old, new):
    """What to say of a row; only our own rows can be worse."""
    if key not in old:
        return "new"
    if key not in new:
        return "GONE" if is_ours(key[4]) else "gone"
    room = noise(old[key], new[key])
    if not is_ours(key[4]):
        moved = abs(new[key]["insns"] - old[key]["insns"]) > room
        return "differs" if moved else ""
    if new[key].get("sent") != new[key].get("delivered"):
        return "LOST FRAMES"
    more = growth(key, old, new)
    return "WORSE" if more > max(room, LIMIT * own_cost(old[key])) else ""


def compare(base, head):
    """Each row as (key, old, new, growth, verdict), in the order of head."""
    old, new = measured(base), measured(head)
    keys = list(new) + [key for key in old if key not in new]
    out = []
    for key in keys:
        more = None
        if key in old and key in new and is_ours(key[4]):
            more = growth(key, old, new) / own_cost(old[key])
        out.append((key, old.get(key), new.get(key), more,
                    verdict(key, old, new)))
    return out


def cell(row, name):
    return "-" if row is None or name not in row else f"{row[name]:.0f}"


def percent(value):
    return "-" if value is None else f"{100 * value:+.2f}%"


def change(old, new):
    return new["insns"] / old["insns"] - 1 if old and new else None


def lines(rows):
    """The table, and a last line that says how many rows are worse."""
    form = "{:11s} {:15s} {:11s} {:3s} {:10s} {:>7s} {:>7s} {:>8s} {:>9s} {}"
    yield form.format("kernel", "row", "frame", "vrf", "variant", "base",
                      "head", "change", "own cost", "").rstrip()
    for key, old, new, more, word in rows:
        kernel, name, frame, vrf, variant = key
        yield form.format(
            kernel, name, frame or "", "vrf" if vrf else "", variant,
            cell(old, "insns"), cell(new, "insns"),
            percent(change(old, new)), percent(more), word).rstrip()
    yield (f"{len(worse(rows))} of {len(rows)} rows worse (own cost more than"
           f" {100 * LIMIT:.0f} % up)")


def worse(rows):
    return [row for row in rows if row[-1].isupper()]


def failed(rows):
    """Whether any row is worse, or none of ours could be compared."""
    both = [row for row in rows
            if row[1] and row[2] and row[0][4] == SHIPPED]
    return not both or bool(worse(rows))
