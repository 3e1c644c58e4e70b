# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How near the L1 simulator comes to a GPU's counters.

`model COUNTERS.json FOLDER` runs each program of a file that `counters` took on
the emulator, keeps its trace in FOLDER, simulates every variant and compares hit
rates, traffic and times kernel by kernel. No GPU is needed.
"""

import concurrent.futures
import csv
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

from . import variants
from .suite import BENCHMARKS

SECTORS = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
HITS = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum"
TO_L1 = "l1tex__m_xbar2l1tex_read_sectors.sum"
DRAM = "dram__bytes_read.sum"
TIME = "gpu__time_duration.sum"

# How each variant is simulated, from which trace. An H100 has 256 KiB.
VARIANTS = {
    "clang": ("plain", []),
    "throttle-2": ("plain", ["--throttle=2"]),
    "throttle-4": ("plain", ["--throttle=4"]),
    "no-allocate": ("plain", ["--hint=no-allocate"]),
    "evict-first": ("plain", ["--hint=evict-first"]),
    "nc": ("read-only", []),
    "carveout-50": ("plain", ["--l1-kib=124"]),
    "carveout-100": ("plain", ["--l1-kib=28"]),
}
TRACES = {"plain": "", "read-only": ",assume-read-only=1"}


def add_arguments(parser):
    parser.add_argument("counters", type=Path)
    parser.add_argument("folder", type=Path, help="for programs and traces")
    parser.add_argument("--only", default="", help="programs")
    parser.add_argument("--output", type=Path, help="write the points as CSV")
    parser.add_argument("--plot", type=Path, help="draw them")
    parser.add_argument("--scheduler", choices=["gto", "lrr"])
    parser.add_argument("--jobs", type=int, default=os.cpu_count())


def trace(program, folder):
    """Runs the program once for each kind of trace. What went wrong, or nothing."""
    binary = folder / program["name"]
    sluice = variants.SLUICE_BUILD / "bin"
    if not binary.exists():
        build = [
            *[str(sluice / "sluice-clang++"), "--sluice-emulate"],
            *[
                "--sluice-transforms=off",
                "-O3",
                "--cuda-gpu-arch=sm_90",
                "-std=c++17",
            ],
            *[*program["flags"], str(BENCHMARKS / "kernels" / program["source"])],
            *["-o", str(binary)],
        ]
        done = subprocess.run(build, capture_output=True, text=True)
        if done.returncode:
            return f"{program['name']}: {done.stderr}"
    for name, setting in TRACES.items():
        file = folder / f"{program['name']}.{name}.trace"
        if file.exists():
            continue
        done = subprocess.run(
            [str(binary.resolve()), *program["arguments"]],
            capture_output=True,
            text=True,
            env={
                **os.environ,
                "SLUICE_EMULATE": f"access-trace={file},check=none,"
                f"not-kernel=bench::{setting}",
            },
        )
        if done.returncode:
            return f"{program['name']}: {done.stdout}{done.stderr}"
    return None


def simulate(program, variant, folder, more):
    """{(kernel, launch): what the simulator says}"""
    kind, options = VARIANTS[variant]
    command = [
        *[str(variants.SLUICE_BUILD / "bin" / "sluice"), "profile", "--launches"],
        *[f"--replay={folder / program['name']}.{kind}.trace", *options, *more],
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    launches, numbers = {}, {}
    for launch in json.loads(done.stdout):
        number = numbers.setdefault(launch["kernel"], 0)
        numbers[launch["kernel"]] += 1
        launches[launch["kernel"], number] = launch
    return launches


def middle(value):
    return statistics.median(value) if isinstance(value, list) else value


def points_of(program, folder, more):
    """A point for each kernel, launch and variant."""
    points = []
    wanted = {v for kernel in program["kernels"] for v in kernel["variants"]}
    wanted -= program["same_code"].keys()  # nothing there takes turns, say
    for variant in [v for v in VARIANTS if v in wanted]:
        simulated = simulate(program, variant, folder, more)
        for kernel in program["kernels"]:
            counters = kernel["variants"].get(variant, {})
            said = simulated.get((kernel["kernel"], kernel["launch"]))
            if not said or not middle(counters.get(SECTORS, 0)):
                continue
            count = {k: middle(v) for k, v in counters.items() if k != "same_code"}
            scale = said["grid-blocks"] / said["blocks"]
            hits = said["hits"] + said["pending-hits"]
            points.append(
                {
                    "program": program["name"],
                    "kernel": kernel["kernel"],
                    "launch": kernel["launch"],
                    "variant": variant,
                    "hit": 100 * count[HITS] / count[SECTORS],
                    "simulated_hit": 100 * hits / max(1, said["load-sectors"]),
                    "sectors": count[SECTORS],
                    "simulated_sectors": said["load-sectors"] * scale,
                    "to_l1": count[TO_L1],
                    "simulated_to_l1": said["l2-read-sectors"] * scale,
                    "dram": count[DRAM],
                    "simulated_dram": said["dram-read-sectors"] * 32 * scale,
                    "ms": count[TIME] / 1e6,
                    "simulated_ms": said["seconds"] * 1e3,
                    "bound_by": said["bound-by"],
                }
            )
    return points


def spearman(pairs):
    """Of the ranks of measured and predicted; ties share a rank."""

    def ranks(values):
        return [
            sum(other < v for other in values)
            + (sum(other == v for other in values) + 1) / 2
            for v in values
        ]

    a, b = (ranks(column) for column in zip(*pairs))
    if len(set(a)) == 1 or len(set(b)) == 1:
        return None
    return statistics.correlation(a, b)


def sweeps(points):
    """For each kernel with several N: [(variant, measured, simulated)]"""
    found = {}
    for p in points:
        if p["variant"] == "clang" or p["variant"].startswith("throttle-"):
            key = (p["program"], p["kernel"], p["launch"])
            found.setdefault(key, []).append((p["variant"], p["ms"], p["simulated_ms"]))
    return {
        key: sweep
        for key, sweep in found.items()
        if len(sweep) > 1 and any(variant == "clang" for variant, *_ in sweep)
    }


def choice(sweep, margin=0.05):
    """The N with the least predicted time; none where that gains little."""
    plain = next(s for s in sweep if s[0] == "clang")
    best = min(sweep, key=lambda s: s[2])
    return best if best[2] < plain[2] * (1 - margin) else plain


def is_erratic(point):
    """Plain row kernels that are never twice the same (see the counters' README)."""
    rows = ("ataxRows", "bicgQ", "mvtX1")
    plain = point["variant"] in ("clang", "carveout-0")
    return plain and any(name in point["kernel"] for name in rows)


def report(points):
    for p in points:
        print(
            f"{p['program']:16} {p['kernel'][:24]:24} {p['launch']:2} {p['variant']:12}"
            f" hit {p['hit']:5.1f} {p['simulated_hit']:5.1f}"
            f"  to L1 x{p['simulated_to_l1'] / max(1, p['to_l1']):5.2f}"
            f"  DRAM x{p['simulated_dram'] / max(1, p['dram']):5.2f}"
            f"  {p['ms']:8.3f} ms x{p['simulated_ms'] / p['ms']:4.2f} {p['bound_by']}"
        )
    judged = [p for p in points if not is_erratic(p)]

    def error(measured, simulated):
        return statistics.median(
            abs(p[simulated] / p[measured] - 1) for p in judged if p[measured]
        )

    hits = [abs(p["hit"] - p["simulated_hit"]) for p in judged]
    print(f"\n{len(judged)} points of {len({p['program'] for p in judged})} programs")
    print(f"hit rate: mean absolute error {statistics.mean(hits):.1f} points,")
    print(f"  90% within {sorted(hits)[int(0.9 * len(hits))]:.1f}")
    print(f"L2 to L1: median error {100 * error('to_l1', 'simulated_to_l1'):.0f}%")
    print(f"DRAM: median error {100 * error('dram', 'simulated_dram'):.0f}%")
    print(f"time: median error {100 * error('ms', 'simulated_ms'):.0f}%")
    chosen, ranks = [], []
    for (program, kernel, launch), sweep in sweeps(judged).items():
        best = min(sweep, key=lambda s: s[1])
        took = choice(sweep)
        chosen.append(took[1] / best[1])
        ranks.append(spearman([s[1:] for s in sweep]))
        if chosen[-1] > 1.05:
            print(
                f"  {program} {kernel[:24]} {launch}: best {best[0]}, "
                f"chosen {took[0]}: {chosen[-1]:.2f} of its time"
            )
    if chosen:
        near = sum(c <= 1.05 for c in chosen)
        known = sorted(r for r in ranks if r is not None)
        print(f"choice of N: {near} of {len(chosen)} kernels within 5% of the best")
        print(
            f"Spearman over N: median {statistics.median(known):.2f}, "
            f"{sum(r >= 0.99 for r in known)} of {len(known)} are 1, "
            f"least {known[0]:.2f}"
        )


def write(points, path):
    with open(path, "w", newline="") as file:
        out = csv.DictWriter(file, points[0].keys(), lineterminator="\n")
        out.writeheader()
        for p in points:
            out.writerow(
                {k: f"{v:.5g}" if isinstance(v, float) else v for k, v in p.items()}
            )


def main(arguments):
    programs = json.loads(arguments.counters.read_text())["programs"]
    only = [o for o in arguments.only.split(",") if o]
    programs = [p for p in programs if not only or p["name"] in only]
    more = [f"--scheduler={arguments.scheduler}"] if arguments.scheduler else []
    arguments.folder.mkdir(parents=True, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        problems = [
            problem
            for problem in pool.map(lambda p: trace(p, arguments.folder), programs)
            if problem
        ]
        if problems:
            print("\n".join(problems), file=sys.stderr)
            return 1
        each = pool.map(lambda p: points_of(p, arguments.folder, more), programs)
        points = [point for points in each for point in points]
    report(points)
    if arguments.output:
        write(points, arguments.output)
    if arguments.plot:
        from . import plots

        plots.model([p for p in points if not is_erratic(p)], arguments.plot)
    return 0
