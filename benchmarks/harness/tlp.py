# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How many blocks on an SM are enough (CRAT's OptTLP): measured, by its static
models and by the simulator, side by side.

`tlp RESULTS.json` takes each kernel that was measured with M blocks on an SM
(`throttle-1-M`) and with all of them (`throttle-1`). Enough are the fewest that
take at most 2 % more than the fastest: what the paper finds with as many runs as
there are numbers of blocks. Beside it stands what `sluice registers` says: the
static model's time and the greedy scheduler's first block; and with --profiles
the simulator, by FOLDER/PROGRAM.profile.yaml, which is made on the emulator
where it is not there. "Costs" is the time with so many blocks over the least; of
a number that was not measured the next larger one's. No GPU is needed.
"""

import re
from pathlib import Path

from . import registers, report, variants, xmodel
from .suite import read_suite

ENOUGH = 1.02  # as in the estimates (lib/Target/CratChoice.cpp)
# In the JSON of `sluice registers`, of a launch.
ESTIMATES = {
    "timed-blocks": "static time",
    "greedy-blocks": "first block",
    "enough-blocks": "simulator",
}


def add_shared_arguments(parser):
    """Which kernels of a file of results; of ranks.py too."""
    parser.add_argument("results", type=Path)
    parser.add_argument("--only", nargs="+", default=[], help="programs and groups")
    parser.add_argument("--profiles", type=Path, help="folder of PROGRAM.profile.yaml")
    parser.add_argument(
        "--least-us", type=float, default=20, help="leave shorter kernels out"
    )


def add_arguments(parser):
    add_shared_arguments(parser)
    parser.add_argument(
        "--write",
        type=Path,
        help="folder for PROGRAM.blocks, what was measured, for the variant crat-measured",
    )


def profile_of(program, folder):
    """The program's profile in a folder, made if it is not there; or None."""
    if not folder:
        return None
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{program.name}.profile.yaml"
    if problem := xmodel.profile(program, file):
        print(problem)
        return None
    return file


def measured_blocks(kernel, most, claims):
    """{M: milliseconds}; with all of \\p most blocks, and with fewer where a claim
    keeps so many. \\p claims: {variant: {kernel: bytes}}, or None in results from
    before they were kept."""
    found = {}
    for name in ("throttle-1", "clang"):  # older results have no promotion
        if kernel.ms(name):
            found[most] = kernel.ms(name)
            break
    for name in kernel.variants:
        fixed = re.fullmatch(variants.FIXED, name)
        if not fixed or fixed[1] != "1" or not fixed[2] or not kernel.ms(name):
            continue
        blocks = int(fixed[2])
        claimed = claims is None or claims.get(name, {}).get(kernel.name)
        if blocks < most and claimed:
            found[blocks] = kernel.ms(name)
    return found


def enough(times):
    """The fewest blocks that take at most 2 % more than the fastest."""
    least = min(times.values())
    return min(m for m, ms in times.items() if ms <= ENOUGH * least)


def cost(times, blocks):
    """The time with so many blocks, or the next larger number of those that were
    measured, over the least."""
    at = min((m for m in times if m >= blocks), default=max(times))
    return times[at] / min(times.values())


def launch_of(said, kernel):
    """What is said of the launch that was measured, else of the first."""
    threads = set()
    for _, block in kernel.shapes:
        product = 1
        for size in block:
            product *= size
        threads.add(product)
    launches = said["launches"]
    return next((at for at in launches if at["threads"] in threads), launches[0])


def blocks_without_limit(launch):
    return next(row["blocks"] for row in launch["limits"] if row["limit"] is None)


def compare(kernel, said, claims):
    """{"blocks", "times", "enough" and each estimate: blocks}; None where fewer
    blocks were not measured."""
    launch = launch_of(said, kernel)
    most = blocks_without_limit(launch)
    times = measured_blocks(kernel, most, claims)
    if len(times) < 2 or most not in times:
        return None
    found = {"blocks": most, "times": times, "enough": enough(times)}
    for key in ESTIMATES:
        # More than there are is as good as all.
        if launch.get(key):
            found[key] = min(launch[key], most)
    return found


def row_of(label, found):
    times, least = found["times"], min(found["times"].values())
    row = [label, str(found["blocks"]), str(found["enough"])]
    row.append(report.number(times[found["blocks"]] / least))
    row.append(", ".join(str(m) for m in sorted(times)))
    for key in ESTIMATES:
        blocks = found.get(key)
        row += ["–", "–"] if blocks is None else [
            str(blocks),
            report.number(cost(times, blocks)),
        ]
    return row


def mean_row(all_found):
    row = ["geometric mean", "", ""]
    row.append(
        report.number(
            report.geometric_mean(
                f["times"][f["blocks"]] / min(f["times"].values()) for f in all_found
            )
        )
    )
    row.append("")
    for key in ESTIMATES:
        known = [f for f in all_found if key in f]
        row += [
            "",
            report.number(
                report.geometric_mean(cost(f["times"], f[key]) for f in known)
            ),
        ]
    return row


def write_blocks(folder, measured):
    """\\p measured: {program: [(kernel, blocks)]}."""
    folder.mkdir(parents=True, exist_ok=True)
    for program, kernels in measured.items():
        lines = [f"{kernel}:{min(blocks, 32)}\n" for kernel, blocks in kernels]
        (folder / f"{program}.blocks").write_text("".join(lines))


def said_of(program, arch, profiles):
    """{kernel: what `sluice registers` says of it, without turns}."""
    flags = [*program.flags, "--sluice-throttle=1", "--sluice-shared-spills=off"]
    if file := profile_of(program, profiles):
        flags.append(f"--profile={file}")
    said = registers.report_of(arch, program, flags)
    return {kernel["kernel"]: kernel for kernel in said}


def main(arguments):
    results = report.Results(arguments.results)
    arch = results.data["build"].get("arch", "sm_90")
    claims = {p["name"]: p.get("claims") for p in results.data["programs"]}
    table, all_found, measured = [], [], {}
    for program in read_suite(arguments.only):
        kernels = [
            k
            for k in results.kernels
            if k.program == program.name
            and any(re.fullmatch(r"throttle-1-\d+", v) for v in k.variants)
        ]
        if not kernels:
            continue
        try:
            said = said_of(program, arch, arguments.profiles)
        except RuntimeError as error:
            print(f"{program.name}: {error}")
            continue
        for kernel in kernels:
            found = (
                compare(kernel, said[kernel.name], claims[program.name])
                if kernel.name in said
                else None
            )
            if not found or min(found["times"].values()) < arguments.least_us / 1000:
                continue
            all_found.append(found)
            table.append(row_of(results.label(kernel), found))
            measured.setdefault(program.name, []).append(
                (kernel.name, found["enough"])
            )
    if arguments.write:
        write_blocks(arguments.write, measured)
    header = ["kernel", "blocks", "enough", "all cost", "measured"]
    for name in ESTIMATES.values():
        header += [name, "costs"]
    if all_found:
        table.append(mean_row(all_found))
    print(report.markdown(header, table))
    return 0
