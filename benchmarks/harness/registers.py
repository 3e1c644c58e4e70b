# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which limits of registers a program's kernels are measured with.

`register-points` stands for the critical points of its kernels, and
`register-steps` for every eighth count beside them: what a search without the
idea of critical points would try. `register-blocks` stands for each point with
fewer blocks on an SM than it leaves: CRAT's space.
"""

import json
import subprocess

from . import variants

STEP = 8
# Numbers of blocks on an SM that are tried.
BLOCKS = (1, 2, 3, 4, 6, 8, 12, 16)


def report_of(arch, program, flags):
    """What `sluice registers` says of a program."""
    command = variants.clang(arch, str(variants.SLUICE_BUILD / "bin" / "sluice"))
    command[1:1] = ["registers", "--json"]
    done = subprocess.run(
        [*command, *flags, str(program.source)], capture_output=True, text=True
    )
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())
    return json.loads(done.stdout)


def choices_of(kernel):
    """Its critical points at each launch where there are several."""
    for launch in kernel["launches"]:
        limits = [row["limit"] for row in launch["limits"] if row["critical"]]
        if len(limits) > 1:
            yield limits


def points_of(report):
    """The critical points of all kernels that have a choice."""
    choices = [limits for kernel in report for limits in choices_of(kernel)]
    return sorted(set().union(*choices))


def steps_of(report):
    """Every eighth count that some kernel with a choice can take."""
    counts = set()
    for kernel in report:
        if not any(choices_of(kernel)):
            continue
        first = -(-kernel["least"] // STEP) * STEP
        counts.update(range(first, kernel["most"] + 1, STEP))
    return sorted(counts)


def pairs_of(report):
    """(registers, blocks) below what each critical point leaves."""
    found = set()
    for kernel in report:
        for launch in kernel["launches"]:
            rows = [row for row in launch["limits"] if row["critical"]]
            if len(rows) > 1:
                found.update(
                    (row["limit"], blocks)
                    for row in rows
                    for blocks in BLOCKS
                    if blocks < row["blocks"]
                )
    return sorted(found)


STANDS_FOR = {
    "register-points": lambda report: [f"registers-{n}" for n in points_of(report)],
    "register-steps": lambda report: [f"registers-{n}" for n in steps_of(report)],
    "register-blocks": lambda report: [
        f"registers-{n}-blocks-{m}" for n, m in pairs_of(report)
    ],
}


def expand(names, arch, program, flags):
    """The variants of a program, with what stands for several in full."""
    found, report = [], None
    for name in names:
        if name not in STANDS_FOR:
            found.append(name)
            continue
        report = report or report_of(arch, program, flags)
        found += STANDS_FOR[name](report)
    return list(dict.fromkeys(found))
