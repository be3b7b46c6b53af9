#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""How many routes a listing in JSON has, and the encaps in them.

Before iproute2 6.3 an encap is a name, since then an object with that name and
the fields of the encap, of which ours has none that ip knows.
"""
import json
import sys


def name(encap):
    if isinstance(encap, str):
        return encap
    return " ".join(f"{key}={value}" if key != "encap_type" else value
                    for key, value in encap.items())


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        routes = json.load(file)
    names = set()
    for route in routes:
        for part in [route, *route.get("nexthops", [])]:
            if "encap" in part:
                names.add(name(part["encap"]))
    print(len(routes), *sorted(names))


main()
