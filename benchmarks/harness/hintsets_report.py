# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the sets of hints of `hintsets` gave: a table by kernel, and all of them as
CSV. Times are medians, of each kernel's launch that takes longest without hints;
numbers are speed-ups over the base without hints. Where choices.json stands beside
sets.json, the choices in it have columns, and the kernels with choices a mean."""

import csv
import json
import math
import statistics
from pathlib import Path

from .hintsets import CHOICES, applicable
from .report import Results, geometric_mean, header_lines, markdown, number


def add_arguments(parser):
    parser.add_argument("results", type=Path)
    parser.add_argument("--sets", type=Path, required=True, help="FOLDER/sets.json")
    parser.add_argument("--base", default="sluice", help="%(default)s")
    parser.add_argument("--beside", default="", help="variants without sets")
    parser.add_argument("--least-ms", type=float, default=0.02)
    parser.add_argument("--csv", type=Path, help="every set's time")
    parser.add_argument("--output", type=Path)


def text_of(chosen):
    return " ".join(f"{p.split(':', 1)[1]}={hint}" for p, hint in chosen.items())


def longest_launch(kernel, plain):
    """{variant: ms} of the launch that takes the longest in `plain`."""
    launches = [
        {
            name: statistics.median(ms for process in v["ms"] for ms in process)
            for name, v in at["variants"].items()
            if v["ms"]
        }
        for at in kernel["at"].values()
    ]
    launches = [launch for launch in launches if plain in launch]
    return max(launches, key=lambda launch: launch[plain], default=None)


def rows_of(results, sets, base):
    """(program, kernel, {variant: ms}, [(set, ms)]) of kernels with loads."""
    for program in results["programs"]:
        of_base = sets.get(program["name"], {}).get(base, [])
        for kernel in program["kernels"]:
            times = longest_launch(kernel, f"{base}.0")
            measured = [
                (chosen[kernel["name"]], times[f"{base}.{number}"])
                for number, chosen in enumerate(of_base)
                if times and kernel["name"] in chosen and f"{base}.{number}" in times
            ]
            if len(measured) > 1:
                yield program["name"], kernel["name"], times, measured


def best(measured, among):
    found = [(ms, text_of(s)) for s, ms in measured if among(s)]
    return min(found, default=(math.inf, ""))


def is_bypass(chosen):
    return set(chosen.values()) <= {"no_allocate"}


def all_loads(measured, hint):
    most = max(len(s) for s, _ in measured)
    return best(measured, lambda s: len(s) == most and set(s.values()) == {hint})[0]


def read_choices(path):
    """{program: {kernel: {choice: {position: hint}}}}; none in folders from before
    there were any."""
    return json.loads(path.read_text()) if path.exists() else {}


def chosen_times(measured, choices):
    """{choice: ms} of a kernel's sets that were chosen."""
    places = set().union(*(s for s, _ in measured))
    by_set = {json.dumps(s, sort_keys=True): ms for s, ms in measured}
    keys = {
        name: json.dumps(applicable(chosen, places), sort_keys=True)
        for name, chosen in choices.items()
    }
    return {name: by_set[key] for name, key in keys.items() if key in by_set}


def mean_row(title, shown, columns):
    """shown: speed-ups by column, a list for each kernel."""
    ratios = [[r for r in of_column if r] for of_column in zip(*shown)]
    means = [f"**{number(geometric_mean(r), 3)}**" for r in ratios]
    return [title, "", "", *(means or ["–"] * len(columns)), "", ""]


def main(arguments):
    results = Results(arguments.results)
    sets = json.loads(arguments.sets.read_text())
    choices = read_choices(arguments.sets.with_name("choices.json"))
    base = arguments.base
    beside = [name for name in arguments.beside.split(",") if name]
    names = list(CHOICES) if choices else []
    columns = ["all no_allocate", "all cg", "best bypass set", "best set"]
    columns += [*names, *beside]
    rows, table, every, of_chosen = [], [], [], []
    for program, kernel, times, measured in rows_of(results.data, sets, base):
        plain = measured[0][1]
        table += [
            (program, kernel, text_of(s), round(ms, 5), round(plain / ms, 3))
            for s, ms in measured
        ]
        if plain < arguments.least_ms:
            continue
        bypass, any_set = best(measured, is_bypass), best(measured, lambda _: True)
        of_kernel = choices.get(program, {}).get(kernel, {})
        chosen = chosen_times(measured, of_kernel)
        cells = [
            all_loads(measured, "no_allocate"),
            all_loads(measured, "cg"),
            bypass[0],
            any_set[0],
            *[chosen.get(name) for name in names],
            *[times.get(name) for name in beside],
        ]
        shown = [ms and plain / ms for ms in cells]
        every.append(shown)
        of_chosen += [shown] if chosen else []
        rows.append(
            [
                f"{program}: {results.display[kernel]}",
                str(max(len(s) for s, _ in measured)),
                number(plain, 3),
                *map(number, shown),
                bypass[1] or "none",
                any_set[1] or "none",
            ]
        )
    rows.append(mean_row("geometric mean", every, columns))
    if 0 < len(of_chosen) < len(every):
        title = f"geometric mean, the {len(of_chosen)} with choices"
        rows.append(mean_row(title, of_chosen, columns))
    header = ["program: kernel", "loads", f"{base} ms", *columns, *columns[2:4]]
    text = "\n".join([*header_lines(results), "", markdown(header, rows), ""])
    if arguments.output:
        arguments.output.write_text(text)
    else:
        print(text)
    if arguments.csv:
        with open(arguments.csv, "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["program", "kernel", "set", "ms", "speed-up"])
            writer.writerows(table)
