# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tables of what FOLDER/counters took, for --of=bank-conflicts and --of=loads.

Bank conflicts: of each kernel that keeps values in shared memory, what its slots
add to the same kernel without. A wavefront is what shared memory does at a time;
a warp's access without a conflict takes 1 for 4 bytes a lane, 2 for 8, 4 for 16.

Loads on their way: by Little's law, the rate at which the L1 gets sectors, times
the latency at that rate. The latency is not a counter: --loaded has it, from
benchmarks/micro/loaded.cu. Beside it stands what needs no latency: how many
cycles a warp waits for its loads, over the loads.
"""

import csv
import json
import statistics
import sys
from pathlib import Path

from . import report
from .suite import BENCHMARKS

SECTOR = 32
FETCHED = "l1tex__m_xbar2l1tex_read_sectors_mem_lg_op_ld.sum"
L2_READ = "lts__t_sectors_srcunit_tex_op_read_lookup"
REQUESTS = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"
STALLED = "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio"
TIME = "gpu__time_duration.sum"


def add_arguments(parser):
    parser.add_argument("counters", type=Path)
    parser.add_argument(
        "--loaded", type=Path, help="latencies under load; default: of the same GPU"
    )


def value(variant, *names):
    """The median of the first metric that is there, or nothing."""
    for name in names:
        found = [v for v in variant.get(name) or [] if v is not None]
        if found:
            return statistics.median(found)
    return None


def text(number, digits=0):
    return "–" if number is None else f"{number:,.{digits}f}"


# ===- Bank conflicts ------------------------------------------------------=== #

SASS = "smsp__sass_l1tex_data"


def both(variant, *names):
    """Loads and stores together, by the first name that has both."""
    for name in names:
        for load, store in (("_op_ld.sum", "_op_st.sum"), ("_ld.sum", "_st.sum")):
            found = value(variant, name + load), value(variant, name + store)
            if None not in found:
                return sum(found)
    return None


def either(*found):
    return next((number for number in found if number is not None), None)


def shared_work(variant):
    """Instructions of warps, wavefronts, the fewest possible, and conflicts: of
    instructions, and as the data stage counts them."""
    return {
        "instructions": both(
            variant,
            "smsp__sass_inst_executed_op_shared",
            "smsp__inst_executed_op_shared",
        ),
        "wavefronts": either(
            value(variant, "memory_l1_wavefronts_shared"),
            both(variant, f"{SASS}_pipe_lsu_wavefronts_mem_shared"),
            value(variant, f"{SASS}_pipe_lsu_wavefronts_mem_shared.sum"),
        ),
        "ideal": value(variant, "memory_l1_wavefronts_shared_ideal"),
        "conflicts": either(
            both(variant, f"{SASS}_bank_conflicts_pipe_lsu_mem_shared"),
            value(variant, f"{SASS}_bank_conflicts_pipe_lsu_mem_shared.sum"),
        ),
        "stage": both(variant, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared"),
    }


def added(now, before):
    return None if None in (now, before) else now - before


def widths(variant):
    """Of the code's accesses to shared memory: "LDS.64 12, STS 3"."""
    counts = variant.get("shared_instructions") or {}
    return ", ".join(f"{name} {count}" for name, count in sorted(counts.items()))


def label(program, kernel):
    name = kernel["kernel"]
    return f"{program['name']} {report.demangle([name])[name]}"


def conflict_rows(program):
    for kernel in program["kernels"]:
        found = dict(kernel["variants"])
        for name, same in program.get("same_code", {}).items():
            found[name] = found.get(same)
        for name, variant in found.items():
            limit, _, how = name.rpartition("-")
            base = found.get(f"{limit}-local")
            if how == "local" or not base or not variant or variant is base:
                continue
            now, before = shared_work(variant), shared_work(base)
            plus = {key: added(now[key], before[key]) for key in now}
            if not plus["instructions"]:
                continue
            yield [
                label(program, kernel),
                f"{limit.split('-')[1]}, {how}",
                widths(variant) or "–",
                *[text(plus[k]) for k in ("instructions", "wavefronts", "ideal")],
                *[text(plus["conflicts"]), text(before["conflicts"])],
                *[text(plus["stage"]), text(before["stage"])],
                text(max(variant.get("wrong_words", 0), 0)),
            ]


def print_conflicts(results):
    heads = ["kernel", "limit, slots by", "accesses in the code", "accesses"]
    heads += ["wavefronts", "fewest", "conflicts", "(without slots)"]
    heads += ["in the data stage", "(without slots)", "wrong words"]
    print("What slots add, of a launch: accesses of warps, wavefronts, conflicts.\n")
    rows = [r for p in results["programs"] for r in conflict_rows(p)]
    print(report.markdown(heads, rows))


# ===- Loads on their way --------------------------------------------------=== #


def read_curve(file, where):
    """[(bytes a cycle of all SMs, cycles)]: loads one at a time, and where that is
    not enough to fill memory, several at a time with all warps."""
    text = file.read_text().splitlines()
    lines = [li for li in text if li and not li.startswith("#")]
    points = []
    for row in csv.DictReader(lines):
        if row["where"] != where or row["work"] != "loads":
            continue
        if row["in_flight"] == "1" or row["warps_per_sm"] == "64":
            rate, cycles = row["loaded_bytes_per_cycle"], row["cycles_per_step"]
            points.append((float(rate), float(cycles)))
    return sorted(points)


def latency(curve, rate):
    if rate <= curve[0][0]:
        return min(cycles for _, cycles in curve)
    for (low, before), (high, after) in zip(curve, curve[1:]):
        if rate <= high:
            return before + (after - before) * (rate - low) / (high - low)
    return curve[-1][1]


def missed_share(variant):
    """Of the sectors that the L1 gets, those that the L2 has not."""
    hit, miss = (value(variant, f"{L2_READ}_{w}.sum") for w in ("hit", "miss"))
    if hit is None or miss is None:
        hit, miss = (
            value(variant, f"lts__t_sectors_srcunit_tex_lookup_{w}.sum")
            for w in ("hit", "miss")
        )
    return None if None in (hit, miss) or not hit + miss else miss / (hit + miss)


NEEDED = [TIME, FETCHED, REQUESTS, STALLED, "sm__cycles_elapsed.max"]
NEEDED += ["sm__cycles_active.sum", "smsp__issue_active.sum", "sm__warps_active.sum"]


def waiting(variant, curves):
    """What one variant of a kernel has on its way, for each SM that works."""
    if missing := [name for name in NEEDED if not value(variant, name)]:
        sys.exit(f"these counters are not there: {', '.join(missing)}")
    elapsed = value(variant, "sm__cycles_elapsed.max")
    sms = value(variant, "sm__cycles_active.sum") / elapsed
    rate = value(variant, FETCHED) * SECTOR / elapsed
    missed = missed_share(variant) or 0
    cycles = (1 - missed) * latency(curves["l2"], rate)
    cycles += missed * latency(curves["memory"], rate * missed)
    stalled = value(variant, STALLED) * value(variant, "smsp__issue_active.sum")
    active = value(variant, "sm__cycles_active.sum")
    return {
        "ms": value(variant, TIME) / 1e6,
        "registers": value(variant, "launch__registers_per_thread"),
        "warps": value(variant, "sm__warps_active.sum") / active,
        "stall ratio": value(variant, STALLED),
        "waiting": stalled / active,
        "wait": stalled / value(variant, REQUESTS),
        "rate": value(variant, FETCHED) / value(variant, TIME),  # a ns
        "missed": missed,
        "latency": cycles,
        "kib": rate * cycles / sms / 1024,
    }


def loads_rows(program, curves):
    same = program.get("same_code", {})
    for kernel in program["kernels"]:
        found = kernel["variants"]
        code = {n: same.get(n, n) for n in [*found, *same] if same.get(n, n) in found}
        now = waiting(found[code["sluice"]], curves)
        for name in ("clang", "no-loads-in-flight", "no-early-loads", "sluice"):
            if name not in code or (name != "sluice" and code[name] == code["sluice"]):
                continue
            at = waiting(found[code[name]], curves)
            yield [
                label(program, kernel),
                name,
                text(at["ms"], 4),
                text(at["ms"] / now["ms"], 2),
                *[text(at["registers"]), text(at["warps"], 1)],
                *[text(at["stall ratio"], 1), text(at["waiting"], 1)],
                *[text(at["wait"]), text(at["rate"], 2)],
                *[text(at["missed"] * 100), text(at["latency"])],
                *[text(at["kib"], 2), text(now["kib"] / at["kib"], 2)],
            ]


def print_loads(results, file):
    chip = "h100" if "H100" in results["gpu"] else "h200"
    file = file or BENCHMARKS / "results" / f"2026-11-{chip}-micro" / "loaded.csv"
    curves = {where: read_curve(file, where) for where in ("l2", "memory")}
    heads = ["kernel", "variant", "ms", "Sluice is faster by", "registers", "warps"]
    heads += ["waiting an issue", "warps that wait", "cycles of waiting a load"]
    heads += ["sectors a ns", "not in L2, %", "latency", "KiB on their way"]
    heads += ["Sluice has more by"]
    print("For each SM that works.\n")
    rows = [r for p in results["programs"] for r in loads_rows(p, curves)]
    print(report.markdown(heads, rows))


def main(arguments):
    results = json.loads(arguments.counters.read_text())
    of = results["build"].get("counters", {}).get("of")
    print(f"{results['gpu']}, {results['profiler']}\n")
    if of == "loads":
        print_loads(results, arguments.loaded)
    elif of == "bank-conflicts":
        print_conflicts(results)
    else:
        print("there are no tables of these counters")
        return 1
    return 0
