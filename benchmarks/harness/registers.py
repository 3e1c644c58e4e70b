# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which limits of registers a program's kernels are measured with.

`register-points` stands for the critical points of its kernels, and
`register-steps` for every eighth count beside them: what a search without the
idea of critical points would try.
"""

import json
import subprocess

from . import variants

STEP = 8


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


def expand(names, arch, program, flags):
    """The variants of a program, with what stands for several in full."""
    found, report = [], None
    for name in names:
        if name not in ("register-points", "register-steps"):
            found.append(name)
            continue
        report = report or report_of(arch, program, flags)
        counts = points_of if name == "register-points" else steps_of
        found += [f"registers-{count}" for count in counts(report)]
    return list(dict.fromkeys(found))
