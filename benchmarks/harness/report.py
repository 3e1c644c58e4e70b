# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tables (Markdown) and plots from the results of FOLDER/measure.

A kernel's time is the sum over its replayed launches of the median time, each
launch weighted by how many it stands for (launch 3 for 3 to 6). A program's is
the sum over its kernels. The spread is that of the processes' medians.
"""

import json
import math
import re
import shutil
import statistics
import subprocess
import sys
from pathlib import Path


def add_arguments(parser):
    parser.add_argument("results", type=Path)
    parser.add_argument("--output", type=Path, help="Markdown file; else printed")
    parser.add_argument("--plots", type=Path, help="folder for plots (matplotlib)")
    parser.add_argument("--notes", type=Path, help="Markdown to put at the end")
    parser.add_argument("--title", default="Results on a GPU")
    parser.add_argument("--again", type=Path, help="a second run, to compare with")


def demangle(names):
    tool = shutil.which("llvm-cxxfilt-22") or shutil.which("c++filt")
    if not tool or not names:
        return dict(zip(names, names))
    text = subprocess.run(
        [tool], input="\n".join(names), capture_output=True, text=True
    ).stdout
    short = [line.split("(")[0].split(" ")[-1] for line in text.splitlines()]
    return dict(zip(names, short))


class Timing:
    """One variant of one kernel."""

    def __init__(self):
        self.ms = 0.0
        self.spread = 0.0
        self.processes = []  # one time a process
        self.wrong = set()  # bases whose results it does not give
        self.errors = []


def launch_weights(kernel):
    """{launch: how many launches it stands for}."""
    ordinals = sorted(int(n) for n in kernel["at"])
    ends = ordinals[1:] + [max(kernel.get("launches", 1), ordinals[-1] + 1)]
    return {n: end - n for n, end in zip(ordinals, ends)}


class Kernel:
    def __init__(self, program, kernel):
        self.program = program["name"]
        self.group = program["group"]
        self.name = kernel["name"]
        self.launches = kernel.get("launches", 0)
        self.shapes = {
            (tuple(point["grid"]), tuple(point["block"]))
            for point in kernel["at"].values()
            if "grid" in point
        }
        self.variants = {}
        self.argument_bytes = 0
        weights = launch_weights(kernel)
        for ordinal, point in kernel["at"].items():
            weight = weights[int(ordinal)]
            self.argument_bytes += weight * (point.get("argument_bytes") or 0)
            for name, measured in point["variants"].items():
                self.add(name, measured, weight)
        for timing in self.variants.values():
            if timing.processes:
                timing.ms = statistics.median(timing.processes)
                extent = max(timing.processes) - min(timing.processes)
                timing.spread = extent / timing.ms

    def add(self, name, measured, weight):
        timing = self.variants.setdefault(name, Timing())
        medians = [statistics.median(ms) for ms in measured["ms"] if ms]
        if not timing.processes:
            timing.processes = [0.0] * len(medians)
        for index, ms in enumerate(medians[: len(timing.processes)]):
            timing.processes[index] += weight * ms
        timing.wrong |= set(measured["wrong_words"])
        timing.errors += measured["errors"]

    def ms(self, variant):
        """Nothing if it was not timed."""
        timing = self.variants.get(variant)
        return timing.ms if timing and timing.ms else None

    def speedup(self, variant, over="clang"):
        ours, theirs = self.ms(variant), self.ms(over)
        return theirs / ours if ours and theirs else None


class Results:
    def __init__(self, path):
        self.data = json.loads(path.read_text())
        self.kernels = [
            Kernel(p, k) for p in self.data["programs"] for k in p["kernels"] if k["at"]
        ]
        self.display = demangle(sorted({k.name for k in self.kernels}))
        self.groups = list(dict.fromkeys(p["group"] for p in self.data["programs"]))
        every = list(dict.fromkeys(v for k in self.kernels for v in k.variants))
        self.variants = [v for v in every if not v.startswith("throttle-")]
        self.sweep = {1: "clang"}
        for v in every:
            if n := re.fullmatch(r"throttle-(\d+)", v):
                self.sweep[int(n[1])] = v
        # Where the tuner had nothing to choose, the static plan stays.
        for k in self.kernels:
            if "tuned" in every and "sluice" in k.variants:
                k.variants.setdefault("tuned", k.variants["sluice"])

    def label(self, kernel):
        return f"{kernel.program}: {self.display[kernel.name]}"

    def program_speedups(self, group, variant, over):
        """{program: speed-up of all its kernels together}."""
        sums = {}
        for k in self.kernels:
            if k.group == group and k.ms(variant) and k.ms(over):
                ours, theirs = sums.get(k.program, (0, 0))
                sums[k.program] = (ours + k.ms(variant), theirs + k.ms(over))
        return {p: theirs / ours for p, (ours, theirs) in sums.items()}


def geometric_mean(values):
    values = list(values)
    if not values:
        return None
    return math.exp(statistics.fmean(math.log(v) for v in values))


def number(value, digits=2):
    return "–" if value is None else f"{value:.{digits}f}"


def markdown(header, rows, left=1):
    rule = ["---" if i < left else "---:" for i in range(len(header))]
    return "\n".join("| " + " | ".join(row) + " |" for row in [header, rule, *rows])


def header_lines(results):
    d, build = results.data, results.data["build"]
    device = d.get("device", {})
    return [
        f"{d['gpu']}, driver {d['driver']}, {d['date']}; a large copy moves "
        f"{number(device.get('copy_gb_per_s'), 0)} GB/s.",
        f"{build['versions']['clang']}; nvcc {build['versions']['nvcc']}; "
        f"Sluice {build['versions']['sluice']}; size {build['size']}, "
        f"`__restrict__` {build['restrict']}.",
        "",
        "```sh",
        build["command"],
        f"FOLDER/{d['command']}",
        "```",
    ]


def group_table(results):
    others = [v for v in results.variants if v not in ("clang", "nvcc")]
    header = ["group", "programs"]
    header += [f"{v} over {o}" for v in others for o in ("clang", "nvcc")]
    rows = []
    for group in results.groups:
        cells = [group]
        count = 0
        for variant in others:
            for over in ("clang", "nvcc"):
                speedups = results.program_speedups(group, variant, over)
                count = max(count, len(speedups))
                cells.append(number(geometric_mean(speedups.values())))
        rows.append([cells[0], str(count), *cells[1:]])
    return markdown(header, rows)


def kernel_table(results, group):
    names = results.variants
    copy = results.data.get("device", {}).get("copy_gb_per_s")
    header = ["program: kernel", "launches", *[f"{v} ms" for v in names]]
    header += [f"{v} over clang" for v in names if v != "clang"]
    header += ["over floor", "spread %", "not clang's bits"]
    rows = []
    for k in results.kernels:
        if k.group != group:
            continue
        best = min((k.ms(v) for v in names if k.ms(v)), default=None)
        floor = k.argument_bytes / copy / 1e6 if copy and k.argument_bytes else None
        spread = max((t.spread for t in k.variants.values()), default=0)
        others = [v for v in names if "clang" in k.variants.get(v, Timing()).wrong]
        errors = [v for v in names if k.variants.get(v, Timing()).errors]
        rows.append(
            [
                results.label(k),
                str(k.launches),
                *[number(k.ms(v), 4) for v in names],
                *[number(k.speedup(v)) for v in names if v != "clang"],
                number(best / floor if best and floor else None, 1),
                number(100 * spread, 1),
                " ".join(others + [f"({v} failed)" for v in errors]) or "",
            ]
        )
    return markdown(header, rows)


def sweep_table(results):
    """Kernels whose time depends on a forced throttling factor."""
    factors = sorted(results.sweep)
    header = ["program: kernel", *[f"N={n}" for n in factors], "static plan"]
    rows = []
    for k in results.kernels:
        times = [k.ms(results.sweep[n]) for n in factors]
        if not all(times) or max(times) < 1.05 * min(times):
            continue
        cells = [number(t, 4) for t in times]
        rows.append([results.label(k), *cells, number(k.ms("sluice"), 4)])
    return markdown(header, rows)


def losses(results, variant, over, bound):
    found = []
    for k in results.kernels:
        speedup = k.speedup(variant, over)
        if speedup is not None and speedup < bound:
            found.append((k.ms(variant) - k.ms(over), speedup, k))
    found.sort(key=lambda f: -f[0])
    return [
        f"* {results.label(k)}: {speedup:.3f} ({ms:+.4f} ms)"
        for ms, speedup, k in found
    ]


def failure_lines(results):
    return [
        f"* {p['name']}, run with {v['base']}'s code: {v['output'][-300:]}"
        for p in results.data["programs"]
        for v in p["verdicts"]
        if v["status"] != 0
    ]


def agreement(results, again):
    """How far two runs of the harness are apart: |a/b - 1| of every kernel."""
    theirs = {(k.program, k.name): k for k in again.kernels}
    apart = []
    for k in results.kernels:
        other = theirs.get((k.program, k.name))
        for v in results.variants:
            if other and k.ms(v) and other.ms(v):
                apart.append(
                    (abs(k.ms(v) / other.ms(v) - 1), f"{results.label(k)} {v}")
                )
    apart.sort()
    if not apart:
        return []
    worst = ", ".join(f"{what} {100 * a:.0f}%" for a, what in apart[:-6:-1])
    middle = apart[len(apart) // 2][0]
    return [
        f"Two runs of the harness: {len(apart)} times (kernel and variant); in the "
        f"median they are {100 * middle:.1f}% apart, in nine of ten at most "
        f"{100 * apart[int(0.9 * len(apart))][0]:.1f}%. The most: {worst}."
    ]


def report(results, title, again=None):
    lines = ["<!-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception -->"]
    lines += [f"# {title}", "", "Made by `benchmarks/run report`.", ""]
    lines += [*header_lines(results), "", "Geometric means over programs:", ""]
    lines += [group_table(results), ""]
    for group in results.groups:
        lines += [f"## {group}", "", kernel_table(results, group), ""]
    for variant in results.variants:
        if variant == "clang" or variant.startswith("nvcc"):
            continue
        below = losses(results, variant, "clang", 0.98)
        lines += [f"## {variant} below 0.98 of clang: {len(below)}", ""]
        lines += [*(below or ["None."]), ""]
    if "tuned" in results.variants and "sluice" in results.variants:
        below = losses(results, "sluice", "tuned", 0.95)
        lines += [f"## sluice below 0.95 of tuned: {len(below)}", "", *below, ""]
    if len(results.sweep) > 2:
        lines += ["## Forced throttling factors, ms", "", sweep_table(results), ""]
    failed = failure_lines(results)
    if failed:
        lines += ["## Failed", "", *failed, ""]
    if again:
        lines += ["## Repeated", "", *agreement(results, again), ""]
    return "\n".join(lines)


def main(arguments):
    results = Results(arguments.results)
    again = Results(arguments.again) if arguments.again else None
    text = report(results, arguments.title, again)
    if arguments.notes:
        text += "\n" + arguments.notes.read_text()
    if arguments.output:
        arguments.output.write_text(text)
    else:
        print(text)
    if arguments.plots:
        try:
            from . import plots
        except ImportError as error:
            sys.exit(f"plots need matplotlib (pip install matplotlib): {error}")
        plots.draw(results, arguments.plots)
    return 0
