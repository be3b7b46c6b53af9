#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""100 000 routes: memory of the helper; and its time beside that of ip.

speed.py [COUNT [ROUNDS]], as root on a kernel with the module.  The helper adds
and lists COUNT routes with the data that a few routes take as well.  Then both
add and list up to 20 000 by turns; what counts is the least processor time of
each in several rounds, which a busy machine changes the least.
"""
import os
import resource
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
HELPER = os.environ.get("SEG6NOREF", os.path.join(HERE, "..", "seg6noref"))
STOCK = shutil.which("ip")
RATIO_MAX = 1.5
COMPARED = 20000
# Octets of heap, stack and writable mappings.
DATA_MAX = 6 << 20

results = []


def check(name, good, said):
    results.append(good)
    state = "ok" if good else "not ok"
    print(f"{state} {len(results)} - {name}: {said}", flush=True)


def run(*command):
    subprocess.run(command, check=True)


def limit_data():
    resource.setrlimit(resource.RLIMIT_DATA, (DATA_MAX, DATA_MAX))


def measure(command, output=os.devnull, limit=None):
    """Exit status and seconds of processor time."""
    with open(output, "wb") as out:
        with subprocess.Popen(command, stdout=out,
                              preexec_fn=limit) as process:
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, usage.ru_utime + usage.ru_stime


def write_batch(path, encap, table, count):
    with open(path, "w", encoding="ascii") as file:
        for number in range(count):
            file.write(f"route add fc00:{number >> 16:x}:{number & 0xffff:x}::"
                       f"/64 dev d0 table {table} encap {encap} action End.X "
                       f"nh6 fc01::2 metric {1 + number % 7}\n")


class Side:
    """One of the two programs, with its encap and its table."""

    def __init__(self, program, encap, table, limit=None):
        self.command = [program, "-6"]
        self.encap = encap
        self.table = str(table)
        self.limit = limit
        self.failed = 0
        self.adds = []
        self.shows = []

    def measure(self, words, samples, output=os.devnull):
        status, seconds = measure([*self.command, *words], output, self.limit)
        self.failed += status != 0
        samples.append(seconds)
        print(f"# {self.encap}: {' '.join(words[:3])}: {seconds:.2f} s",
              flush=True)

    def once(self, directory, count):
        path = os.path.join(directory, f"{self.table}.{count}")
        listed = path + ".listed"
        write_batch(path, self.encap, self.table, count)
        show = ["-s", "route", "show", "table", self.table]
        self.measure(["-batch", path], self.adds)
        self.measure(show, self.shows)
        self.measure(show, self.shows, listed)
        with open(listed, "rb") as file:
            lines = sum(1 for _ in file)
        check(f"{self.encap}: {count} routes listed", lines == count, lines)
        # With ip this takes time by the square: it deletes while it dumps.
        run(HELPER, "route", "flush", "table", self.table)


def compare(what, ours, its):
    ratio = min(ours) / min(its)
    check(f"{what}: time", ratio <= RATIO_MAX,
          f"{ratio:.2f} of that of ip ({min(ours):.2f} s, {min(its):.2f} s)")


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100000
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    ours = Side(HELPER, "seg6local_noref", 92, limit_data)
    its = Side(STOCK, "seg6local", 93)

    run("modprobe", "-a", "dummy", "seg6local_noref")
    run(STOCK, "link", "add", "d0", "type", "dummy")
    run(STOCK, "link", "set", "d0", "up")
    run(STOCK, "addr", "add", "fc01::1/64", "dev", "d0", "nodad")
    run("sysctl", "-qw", "net.ipv6.route.max_size=1000000")
    with tempfile.TemporaryDirectory() as directory:
        ours.once(directory, count)
        ours.adds.clear()
        ours.shows.clear()
        for _ in range(rounds):
            ours.once(directory, min(count, COMPARED))
            its.once(directory, min(count, COMPARED))
    compare("add in a batch", ours.adds, its.adds)
    compare("list", ours.shows, its.shows)
    check(f"{count} routes with {DATA_MAX >> 20} MiB of data", not ours.failed,
          f"{ours.failed} failures")
    check("ip", not its.failed, f"{its.failed} failures")
    good = sum(results)
    print(f"1..{len(results)}\n{good} passed, {len(results) - good} failed")
    sys.exit(good != len(results))


main()
