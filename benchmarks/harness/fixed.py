# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares a variant with the best fixed throttling, from the results of a
folder whose variants are throttle-N and throttle-N-M.

A fixed choice is one N for all loops and one M for all kernels; (1, all) is
throttle-1, Sluice's code without turns, or clang's in results without it. BFTT,
best fixed thread throttling, is the fixed choice with the least time for all
kernels of a program together. The oracle has for each kernel the one with the
least time for it. Of as many equal times as there are choices the least is lower
than any one of them by chance, so the oracle is flattered.
"""

import math
import re
from pathlib import Path

from .report import Results, geometric_mean, header_lines, markdown, number
from .variants import FIXED


def add_arguments(parser):
    parser.add_argument("results", type=Path)
    parser.add_argument("--variant", default="sluice", help="%(default)s")
    parser.add_argument("--output", type=Path, help="Markdown file; else printed")
    parser.add_argument("--plans", type=Path, help="folder of PROGRAM.profile.yaml")
    parser.add_argument("--plot", type=Path, help="draw their predictions (PNG)")
    parser.add_argument("--title", default="Against fixed throttling")


ALL_BLOCKS = 32  # of a profile's fewer-blocks


def factors_of(variant):
    """(N, M) of a fixed choice; M is 0 where all blocks stay."""
    if variant == "clang":
        return 1, 0
    fixed = re.fullmatch(FIXED, variant)
    return (int(fixed[1]), int(fixed[2] or 0)) if fixed else None


def show(factors):
    n, m = factors
    return f"N={n}" + (f", M={m}" if m else "") if factors != (1, 0) else "none"


class Fixed:
    """The fixed choices of one kernel."""

    def __init__(self, kernel):
        self.kernel = kernel
        self.clang = kernel.ms("clang")
        self.ms = {(1, 0): self.clang}
        for name in kernel.variants:
            factors = factors_of(name)
            if name != "clang" and factors and kernel.ms(name):
                self.ms[factors] = kernel.ms(name)
        self.best = min(self.ms, key=self.ms.get)

    def takes_turns(self):
        """Else all N have one code, that without turns."""
        base = self.ms[1, 0]
        return any(
            abs(ms / base - 1) > 0.01
            for (n, m), ms in self.ms.items()
            if n > 1 and not m
        )


class Comparison:
    def __init__(self, results, variant):
        self.results, self.variant = results, variant
        self.programs = {}  # name: [Fixed]
        for kernel in results.kernels:
            if kernel.ms("clang") and kernel.ms(variant):
                self.programs.setdefault(kernel.program, []).append(Fixed(kernel))
        self.bftt = {name: self.best_of(k) for name, k in self.programs.items()}

    @staticmethod
    def best_of(kernels):
        common = set.intersection(*(set(k.ms) for k in kernels))
        return min(common, key=lambda factors: sum(k.ms[factors] for k in kernels))

    def times(self, program):
        """{what: ms of all the program's kernels}."""
        kernels = self.programs[program]
        nvcc = [k.kernel.ms("nvcc") for k in kernels]
        return {
            "clang": sum(k.clang for k in kernels),
            "nvcc": sum(nvcc) if all(nvcc) else None,
            "BFTT": sum(k.ms[self.bftt[program]] for k in kernels),
            "oracle": sum(k.ms[k.best] for k in kernels),
            self.variant: sum(k.kernel.ms(self.variant) for k in kernels),
        }

    def program_table(self, group):
        header = ["program", "clang ms", "nvcc", "BFTT", "", "oracle"]
        header += [self.variant, "of BFTT", "of the oracle"]
        rows, ratios = [], {}
        for program, kernels in self.programs.items():
            if kernels[0].kernel.group != group:
                continue
            ms = self.times(program)
            for what in ("nvcc", "BFTT", "oracle", self.variant):
                if ms[what]:
                    ratios.setdefault(what, []).append(ms["clang"] / ms[what])
            rows.append(
                [
                    program,
                    number(ms["clang"], 4),
                    number(ms["nvcc"] and ms["clang"] / ms["nvcc"]),
                    number(ms["clang"] / ms["BFTT"]),
                    show(self.bftt[program]),
                    number(ms["clang"] / ms["oracle"]),
                    number(ms["clang"] / ms[self.variant]),
                    number(ms["BFTT"] / ms[self.variant]),
                    number(ms["oracle"] / ms[self.variant]),
                ]
            )
        means = {what: geometric_mean(values) for what, values in ratios.items()}
        ours = means[self.variant]
        rows.append(
            ["**geometric mean**", ""]
            + [number(means.get("nvcc")), number(means["BFTT"]), ""]
            + [number(means["oracle"]), number(ours)]
            + [number(ours / means["BFTT"]), number(ours / means["oracle"])]
        )
        return markdown(header, rows)

    def kernel_table(self, group):
        """Kernels that a choice or the variant makes faster or slower."""
        header = ["program: kernel", "clang ms", "oracle", "", self.variant]
        header += ["of the oracle", "all blocks: N=2", "4", "8", "M alone, best", ""]
        rows = []
        for kernels in self.programs.values():
            for k in kernels:
                if k.kernel.group != group:
                    continue
                base, ours = k.clang, k.kernel.ms(self.variant)
                if 0.97 < k.ms[k.best] / base and 0.97 < ours / base < 1.03:
                    continue
                alone = {f: ms for f, ms in k.ms.items() if f[0] == 1 and f[1]}
                best = min(alone, key=alone.get) if alone else None
                rows.append(
                    [self.results.label(k.kernel), number(base, 4)]
                    + [number(base / k.ms[k.best]), show(k.best)]
                    + [number(base / ours), number(k.ms[k.best] / ours)]
                    + [
                        number(base / k.ms[n, 0]) if (n, 0) in k.ms else ""
                        for n in (2, 4, 8)
                    ]
                    + [
                        number(base / alone[best]) if best else "",
                        show(best) if best else "",
                    ]
                )
        return markdown(header, rows)

    def goals(self, group):
        """How many kernels come how near to their oracle."""
        shares = [
            (k.ms[k.best] / k.kernel.ms(self.variant), self.results.label(k.kernel))
            for kernels in self.programs.values()
            for k in kernels
            if k.kernel.group == group
        ]
        near = sum(share >= 0.95 for share, _ in shares)
        far = sorted(s for s in shares if s[0] < 0.9)
        lines = [
            f"{near} of {len(shares)} kernels are within 5 % of their oracle "
            f"({100 * near / len(shares):.0f} %)."
        ]
        if far:
            lines.append(
                "Below 0.9 of it: "
                + ", ".join(f"{label} {share:.2f}" for share, label in far)
                + "."
            )
        return " ".join(lines)


def predictions(path):
    """{kernel: (shapes, {(N, M): ms})} of a profile: the grids and blocks of its
    launches; N of the loop that gains the most."""
    import yaml  # PyYAML

    found = {}
    for kernel in yaml.safe_load(path.read_text())["kernels"]:
        ms = {}
        for loop in kernel.get("loops", []):
            for turns in loop.get("turns", []):
                factors = turns["warp-groups"], 0
                ms[factors] = min(ms.get(factors, math.inf), turns["nanoseconds"] / 1e6)
        for blocks in kernel.get("fewer-blocks", []):
            if blocks["resident-blocks"] != ALL_BLOCKS:
                ms[1, blocks["resident-blocks"]] = blocks["nanoseconds"] / 1e6
        if (1, 0) in ms:
            shapes = {
                (tuple(launch["grid"]), tuple(launch["block"]))
                for launch in kernel["launches"]
            }
            found[kernel["name"]] = shapes, ms
    return found


def predicted_points(comparison, plans):
    """[(label, (N, M), measured ms, predicted ms)]"""
    points = []
    for program, kernels in comparison.programs.items():
        path = plans / f"{program}.profile.yaml"
        known = predictions(path) if path.exists() else {}
        for k in kernels:
            label = comparison.results.label(k.kernel)
            shapes, times = known.get(k.kernel.name, (set(), {}))
            if not k.kernel.shapes <= shapes:  # a program of another size
                continue
            for factors, ms in times.items():
                if factors in k.ms and (factors[0] == 1 or k.takes_turns()):
                    points.append((label, factors, k.ms[factors], ms))
    return points


def main(arguments):
    results = Results(arguments.results)
    comparison = Comparison(results, arguments.variant)
    lines = ["<!-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception -->"]
    lines += [
        f"# {arguments.title}",
        "",
        "Made by `benchmarks/run fixed`. Speed-ups",
        "are over clang.",
        "",
    ]
    lines += header_lines(results)
    for group in results.groups:
        lines += ["", f"## {group}", "", comparison.program_table(group), ""]
        lines += [comparison.goals(group), "", comparison.kernel_table(group)]
    if arguments.plans and arguments.plot:
        from . import plots

        points = predicted_points(comparison, arguments.plans)
        plots.predicted(points, arguments.plot)
        off = sorted(abs(math.log(p / m)) for _, _, m, p in points)
        lines += [
            "",
            "## Predicted times",
            "",
            f"{len(points)} points (kernel, N or M) of profiles: off by a factor of "
            f"{math.exp(off[len(off) // 2]):.2f} in the median, of "
            f"{math.exp(off[int(0.9 * len(off))]):.2f} in nine of ten. "
            f"[Plot]({arguments.plot.name}).",
        ]
    text = "\n".join(lines) + "\n"
    if arguments.output:
        arguments.output.write_text(text)
    else:
        print(text, end="")
    return 0
