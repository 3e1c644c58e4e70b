# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Do CRAT's measures order limits of registers as a GPU's times do?

`ranks RESULTS.json` takes each kernel of which at least four limits
(`registers-N`) were measured, asks `sluice registers` for the TPSC, with and
without the kernel's own instructions, and the static model's cycles of the same limits, and prints Spearman's correlation of
each with the measured times: 1 where the order is the same, -1 where it is the
reverse. A measure that is the same for all limits has none. No GPU is needed.
With --profiles it is asked for the simulator's time too, of as many blocks as the
limit leaves (made by `sluice profile`, so spills are not in it, and more blocks
than there are without a limit are not known).
What is measured without a limit counts as one more point. Limits beyond the
range that the assembler takes today are left out.
"""

import re
import statistics

from . import registers, report, tlp
from .suite import read_suite

LEAST_POINTS = 4
MEASURES = {
    "tpsc": "TPSC",
    "whole-tpsc": "whole TPSC",
    "cycles-per-block": "time",
    "simulated": "simulator",
}


def add_arguments(parser):
    tlp.add_shared_arguments(parser)
    parser.add_argument(
        "--spills",
        choices=["off", "own", "ptxas"],
        default="off",
        help="where `registers-N` spilled when it was measured; off: local memory. "
        "registers-N-local, -own and -ptxas say it themselves",
    )


def ranks_of(values):
    """From 1, by ascending value; equal ones share the mean of theirs."""
    ordered = sorted(values)
    return [
        ordered.index(value) + (ordered.count(value) + 1) / 2 for value in values
    ]


def spearman(ours, theirs):
    """The correlation of two orders; nothing where one has a single value."""
    if len(set(ours)) < 2 or len(set(theirs)) < 2:
        return None
    return statistics.correlation(ranks_of(ours), ranks_of(theirs))


def measured_limits(kernel, spills):
    """{where spills go: {limit, None for none: milliseconds}}."""
    found = {}
    for name in kernel.variants:
        limit = re.fullmatch(r"registers-(\d+)(?:-(local|own|ptxas))?", name)
        if limit and kernel.ms(name):
            where = {"local": "off", None: spills}.get(limit[2], limit[2])
            found.setdefault(where, {})[int(limit[1])] = kernel.ms(name)
    for limits in found.values():
        if without := kernel.ms("sluice"):
            limits[None] = without
    return found


def rows_of(program, kernel, arch, limits, spills):
    """What `sluice registers` says of them at the kernel's first launch."""
    flags = [*program.flags, f"--kernel={kernel}", f"--sluice-shared-spills={spills}"]
    said = registers.report_of(arch, program, flags)
    least, most = said[0]["least"], said[0]["most"]
    if asked := [n for n in limits if n is not None and least <= n <= most]:
        also = ",".join(map(str, asked))
        said = registers.report_of(arch, program, [*flags, f"--also={also}"])
    return {row["limit"]: row for row in said[0]["launches"][0]["limits"]}


def compare(limits, rows):
    """The number of points, and each measure's correlation with their times, over
    the points that have it."""
    points = [limit for limit in limits if limit in rows]
    found = []
    for measure in MEASURES:
        known = [p for p in points if rows[p].get(measure) is not None]
        ours = [rows[limit][measure] for limit in known]
        enough = len(known) >= min(LEAST_POINTS, len(points))
        found.append(
            spearman(ours, [limits[limit] for limit in known]) if enough else None
        )
    return len(points), found


def simulated_blocks(file):
    """{kernel: {blocks: ms}} of a profile."""
    import yaml  # PyYAML

    kernels = yaml.safe_load(file.read_text())["kernels"] if file else []
    return {
        kernel["name"]: {
            fewer["resident-blocks"]: fewer["nanoseconds"] / 1e6
            for fewer in kernel.get("fewer-blocks", [])
        }
        for kernel in kernels
    }


def simulated_at(times, blocks, own):
    """The time with so many blocks of the `own` that there are, between those that
    were simulated; or None."""
    if not times or blocks > own:
        return None
    # `own` and more are as many as there are.
    known = sorted({m: ms for m, ms in times.items() if m < own}.items())
    known.append((own, times[max(times)]))
    if blocks < known[0][0]:
        return None
    for (low, before), (high, after) in zip(known, known[1:]):
        if low <= blocks <= high:
            return before + (after - before) * (blocks - low) / (high - low)
    return known[-1][1]


def add_simulated(rows, times):
    own = rows[None]["blocks"]
    for row in rows.values():
        row["simulated"] = simulated_at(times, row["blocks"], own)


def main(arguments):
    results = report.Results(arguments.results)
    programs = {p.name: p for p in read_suite(arguments.only)}
    arch = results.data["build"].get("arch", "sm_90")
    table, found, simulated = [], [], {}
    for kernel in results.kernels:
        if kernel.program not in programs:
            continue
        for where, limits in measured_limits(kernel, arguments.spills).items():
            if len(limits) < LEAST_POINTS or min(limits.values()) < (
                arguments.least_us / 1000
            ):
                continue
            program = programs[kernel.program]
            rows = rows_of(program, kernel.name, arch, limits, where)
            if arguments.profiles:
                if program.name not in simulated:
                    file = tlp.profile_of(program, arguments.profiles)
                    simulated[program.name] = simulated_blocks(file)
                add_simulated(rows, simulated[program.name].get(kernel.name))
            points, each = compare(limits, rows)
            if points < LEAST_POINTS:
                continue
            found.append(each)
            label = f"{kernel.program}: {results.label(kernel)}"
            table.append(
                [label, {"off": "local"}.get(where, where), str(points)]
                + [report.number(value) for value in each]
            )
    for each in zip(*found):
        known = [value for value in each if value is not None]
        table += [] if table[-1][0] == "mean" else [["mean", "", ""]]
        table[-1].append(report.number(statistics.fmean(known) if known else None))
    header = ["kernel", "spills", "points", *MEASURES.values()]
    print(report.markdown(header, table))
