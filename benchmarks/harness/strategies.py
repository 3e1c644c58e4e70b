# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What each search strategy of `sluice tune` finds with one store's answers.

The store has every plan of some kernels, from

    sluice tune benchmarks/kernels/NAME.cu -std=c++17 --strategy=exhaustive

Nothing is measured, and no GPU is needed. A line says how many of the kernel's
plans the strategy asked for, the speed-up of the best of them all, that of the
plan the strategy takes, and which that is.
"""

import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from . import variants
from .suite import read_suite

STRATEGIES = ["local", "model"]


def add_arguments(parser):
    parser.add_argument("store", type=Path)
    parser.add_argument("--only", default="", help="programs and groups")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())


def read_tables(text):
    """{kernel: what `sluice tune` prints about it}"""
    kernels, table, last = {}, None, ""
    for line in text.splitlines():
        head = re.match(r"  (\d+) plans in the space, (\d+) known, (\d+) of", line)
        row = re.split(r"\s{2,}", line.strip())  # ms, speed-up, predicted, plan
        if head:
            space, known, asked = map(int, head.groups())
            table = {"space": space, "known": known, "asked": asked, "speedups": {}}
            kernels[last] = table
        elif table and re.match(r" *[0-9.]+  ", line):
            table["speedups"][row[3]] = float(row[1])
            if "<- taken" in row[4:]:
                table["taken"] = row[3]
        last = line
    return kernels


def tune(program, store, strategy):
    """The tables; none if the store does not have the program's kernels."""
    with tempfile.TemporaryDirectory() as folder:
        command = [
            str(variants.SLUICE_BUILD / "bin" / "sluice"),
            "tune",
            str(program.source),
            "-std=c++17",
            *program.flags,
            f"--strategy={strategy}",
            f"--answers={store.resolve()}",
            f"--store={folder}/store.db",
            f"--output={folder}/plan.yaml",
            "--",
            *program.arguments,
        ]
        done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode == 0:
        return read_tables(done.stdout)
    if "has nothing of these kernels" not in done.stderr:
        sys.exit(f"{program.name}: {done.stderr.strip()}")
    return {}


def compare(program, store):
    """A row for each kernel and strategy."""
    every = {
        name: table
        for name, table in tune(program, store, "exhaustive").items()
        if table["known"] == table["space"] and "bench::" not in name
    }
    rows = []
    for strategy in STRATEGIES if every else []:
        tables = tune(program, store, strategy)
        for name, table in every.items():
            found = tables[name]
            rows.append(
                {
                    "strategy": strategy,
                    "program": program.name,
                    "kernel": name.split("(")[0].split(" ")[-1],
                    "space": table["space"],
                    "asked": found["asked"],
                    "best": max(table["speedups"].values()),
                    "found": table["speedups"][found["taken"]],
                    "taken": found["taken"],
                }
            )
    return rows


def line_of(row):
    share, of_best = row["asked"] / row["space"], row["found"] / row["best"]
    return (
        f"{row['program']:14} {row['kernel']:18} {row['strategy']:5}  "
        f"{row['asked']:3} of {row['space']:3} ({share:4.0%})  "
        f"best {row['best']:.3f}  found {row['found']:.3f} ({of_best:6.1%})  "
        f"{row['taken']}"
    )


def summary(rows, strategy):
    ours = [r for r in rows if r["strategy"] == strategy]
    shares = sorted(r["asked"] / r["space"] for r in ours)
    of_best = sorted(r["found"] / r["best"] for r in ours)
    near = sum(o >= 0.98 for o in of_best)
    return (
        f"{strategy}: {shares[0]:.0%} to {shares[-1]:.0%} of the plans, "
        f"{sum(r['asked'] for r in ours)} together; {near} of {len(ours)} kernels "
        f"within 2% of the best, the worst at {of_best[0]:.1%}"
    )


def main(arguments):
    programs = read_suite([o for o in arguments.only.split(",") if o])
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        found = pool.map(lambda p: compare(p, arguments.store), programs)
        rows = [row for each in found for row in each]
    if not rows:
        sys.exit(f"{arguments.store} has all plans of none of the kernels")
    for row in rows:
        print(line_of(row))
    for strategy in STRATEGIES:
        print(summary(rows, strategy))
    return 0
