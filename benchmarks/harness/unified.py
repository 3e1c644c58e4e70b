# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Liang et al.'s choice of L1 and shared memory (TCAD 2015, section V-D, Eq. 1)
from counters, beside the cost model's.

    benchmarks/run unified COUNTERS.json --model MODEL.csv

    Perf = b0 + b1 * Occ + b2 * HitRate + b3 * Occ * HitRate

Perf is the time of a kernel's fastest carveout over its own, Occ the achieved
occupancy, HitRate that of global loads, both from 0 to 1, all as measured at the
driver's carveout and at those of the variants carveout-P. The coefficients are
fitted by least squares. A program's kernels are chosen for with coefficients
fitted to the other programs; MODEL.csv, what `model` writes, has the simulated
times to choose by.
"""

import csv
import json
import math
from pathlib import Path

from .model import HITS, SECTORS, TIME, middle
from .report import demangle, geometric_mean, markdown, number

DRIVERS = "clang"
OCCUPANCY = "sm__warps_active.avg.pct_of_peak_sustained_active"
LEAST_MS = 0.02
LEAST_GAIN = 1.1  # ThrottleThresholds::MinPredictedGain


def add_arguments(parser):
    parser.add_argument("counters", type=Path)
    parser.add_argument("--model", type=Path, help="simulated times, as CSV")
    parser.add_argument("--train", default="", help="programs to fit to; else all")


def terms(occupancy, hit_rate):
    return [1.0, occupancy, hit_rate, occupancy * hit_rate]


def solve(matrix, right):
    """Gauss's elimination with the largest pivot. Raises ValueError if singular."""
    rows = [list(row) + [value] for row, value in zip(matrix, right)]
    size = len(rows)
    for column in range(size):
        pivot = max(range(column, size), key=lambda r: abs(rows[r][column]))
        if abs(rows[pivot][column]) < 1e-12:
            raise ValueError("the points do not determine the coefficients")
        rows[column], rows[pivot] = rows[pivot], rows[column]
        for other in range(size):
            if other != column:
                factor = rows[other][column] / rows[column][column]
                for k in range(column, size + 1):
                    rows[other][k] -= factor * rows[column][k]
    return [rows[k][size] / rows[k][k] for k in range(size)]


def fit(points):
    """The coefficients of least squares; points: [(occupancy, hit rate, perf)]."""
    equations = [(terms(o, h), perf) for o, h, perf in points]
    size = len(equations[0][0])
    matrix = [
        [sum(t[i] * t[j] for t, _ in equations) for j in range(size)]
        for i in range(size)
    ]
    right = [sum(t[i] * perf for t, perf in equations) for i in range(size)]
    return solve(matrix, right)


def perf(coefficients, occupancy, hit_rate):
    return sum(c * t for c, t in zip(coefficients, terms(occupancy, hit_rate)))


def mean_square(coefficients, points):
    return sum((perf(coefficients, o, h) - p) ** 2 for o, h, p in points) / len(points)


def read_settings(counters):
    """{(program, kernel, launch): {variant: (occupancy, hit rate, ms)}} of kernels
    that load, with the driver's carveout and at least one other."""
    found = {}
    for program in counters["programs"]:
        for kernel in program["kernels"]:
            settings = {}
            for variant, values in kernel["variants"].items():
                if variant != DRIVERS and not variant.startswith("carveout-"):
                    continue
                sectors, ms = middle(values[SECTORS]), middle(values[TIME]) / 1e6
                if sectors > 0:
                    occupancy = middle(values[OCCUPANCY]) / 100
                    hit_rate = middle(values[HITS]) / sectors
                    settings[variant] = occupancy, hit_rate, ms
            if len(settings) > 1 and settings.get(DRIVERS, (0, 0, 0))[2] >= LEAST_MS:
                name = program["name"], kernel["kernel"], kernel["launch"]
                found[name] = settings
    return found


def points_of(settings):
    best = min(ms for _, _, ms in settings.values())
    return [(o, h, best / ms) for o, h, ms in settings.values()]


def read_model(path):
    times = {}
    for row in csv.DictReader(path.open()):
        key = row["program"], row["kernel"], int(row["launch"])
        times.setdefault(key, {})[row["variant"]] = float(row["simulated_ms"])
    return times


def chosen_by_equation(coefficients, settings):
    return max(settings, key=lambda v: perf(coefficients, *settings[v][:2]))


def chosen_by_model(simulated, settings):
    """The fastest, if it is faster than the driver's by LEAST_GAIN."""
    best = min(settings, key=lambda v: simulated.get(v, math.inf))
    gains = simulated[best] * LEAST_GAIN < simulated[DRIVERS]
    return best if gains else DRIVERS


def main(arguments):
    settings = read_settings(json.loads(arguments.counters.read_text()))
    model = read_model(arguments.model) if arguments.model else {}
    train = {n for n in arguments.train.split(",") if n} or {k[0] for k in settings}
    known = {key: s for key, s in settings.items() if key[0] in train}
    everything = [point for s in known.values() for point in points_of(s)]
    all_together = fit(everything)
    label = demangle([kernel for _, kernel, _ in settings])
    rows, ratios, left_out = [], {}, []
    for key, s in settings.items():
        others = [p for k, o in known.items() if k[0] != key[0] for p in points_of(o)]
        coefficients = fit(others)
        left_out += [(perf(coefficients, o, h) - p) ** 2 for o, h, p in points_of(s)]
        best = min(s, key=lambda v: s[v][2])
        choices = {"driver": DRIVERS, "Eq. 1": chosen_by_equation(coefficients, s)}
        if DRIVERS in model.get(key, {}):
            choices["cost model"] = chosen_by_model(model[key], s)
        for who, choice in choices.items():
            ratios.setdefault(who, []).append(s[best][2] / s[choice][2])
        if len({best, *choices.values()}) > 1:
            rows.append(
                [
                    f"{key[0]}: {label[key[1]]}, launch {key[2]}",
                    number(s[DRIVERS][2], 3),
                ]
                + [f"{best} {number(s[DRIVERS][2] / s[best][2])}"]
                + [
                    f"{choices[w]} {number(s[DRIVERS][2] / s[choices[w]][2])}"
                    for w in ("Eq. 1", "cost model")
                    if w in choices
                ]
            )
    print(f"{len(settings)} kernels, fitted to {len(everything)} points\n")
    print("b0 to b3: " + ", ".join(f"{c:.3f}" for c in all_together))
    print(
        f"mean square error: {mean_square(all_together, everything):.3f}, "
        f"{sum(left_out) / len(left_out):.3f} of programs left out of the fit\n"
    )
    summary = [
        [
            who,
            number(geometric_mean(r), 3),
            number(min(r)),
            str(sum(x < 0.95 for x in r)),
        ]
        for who, r in ratios.items()
    ]
    print(markdown(["choice by", "of the best", "least", "below 0.95"], summary))
    header = ["kernel", "driver's, ms", "best", "Eq. 1", "cost model"]
    print("\nSpeed-up over the driver's carveout, where they differ:\n")
    print(markdown(header, rows))
    return 0
