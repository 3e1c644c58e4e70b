# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How near the X-model's times come to a GPU's.

`xmodel RESULTS.json FOLDER` profiles each program of a file that `measure` took
on the emulator, without Sluice's transforms, keeps the profiles in FOLDER, asks
`sluice xmodel` for the time of each kernel, and compares it with what plain
clang's code took: with the cache (Eq. 3.5), without it (the transit model), and
beside the simulator's and the roofline's. No GPU is needed.
"""

import concurrent.futures
import csv
import json
import math
import statistics
import subprocess
from pathlib import Path

from . import variants
from .suite import read_suite

MODELS = {
    "ms": "X-model, hits by the reuse distances",
    "ms-equation-3.5": "X-model, hits by Eq. 3.3",
    "ms-without-cache": "without the cache",
    "ms-roofline": "roofline",
    "ms-simulated": "simulator",
}


def add_arguments(parser):
    parser.add_argument("results", type=Path)
    parser.add_argument("folder", type=Path, help="for profiles")
    parser.add_argument("--only", nargs="+", default=[], help="programs and groups")
    parser.add_argument("--least-us", type=float, default=20, help="shorter kernels")
    parser.add_argument("--output", type=Path, help="write the kernels as CSV")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument(
        "--turns", type=Path, help="a CSV of `model`: compare the gain of N=2 and 4 too"
    )


def profile(program, file):
    """The program's profile, taken if it is not there. What went wrong, or None."""
    if file.exists():
        return None
    command = [
        *[str(variants.SLUICE_BUILD / "bin" / "sluice"), "profile"],
        *["-O3", "--cuda-gpu-arch=sm_90", "-std=c++17", *program.flags],
        *["--sluice-transforms=off", "--sample", "--only-sample", "--no-pairs"],
        *["--not-kernel=bench::", "--most=1", f"--output={file}", str(program.source)],
        *["--", *program.arguments],
    ]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    # What the program computes is wrong with --only-sample, and it says so.
    return None if file.exists() else f"{program.name}: {done.stderr[-500:]}"


def said_of(program, more):
    """{kernel: what `sluice xmodel --json` says}"""
    command = [
        *[str(variants.SLUICE_BUILD / "bin" / "sluice"), "xmodel"],
        *["-O3", "--cuda-gpu-arch=sm_90", "-std=c++17", *program.flags],
        *["--json", *more, str(program.source)],
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        return {}
    return {k["kernel"]: k for k in json.loads(done.stdout)["kernels"]}


def measured(kernel, variant):
    """Milliseconds of a launch, the mean of those that were measured; or None."""
    times = []
    for launch in kernel["at"].values():
        rounds = launch["variants"].get(variant, {}).get("ms", [])
        if rounds:
            times.append(min(statistics.median(process) for process in rounds))
    return statistics.mean(times) if times else None


def points_of(results, program, folder):
    points = []
    predicted = said_of(program, [f"--profile={folder / (program.name + '.yaml')}"])
    # What was measured was decided without a profile.
    decided = said_of(program, [])
    entry = next((p for p in results["programs"] if p["name"] == program.name), None)
    for kernel in entry["kernels"] if entry else []:
        said = predicted.get(kernel["name"])
        took = measured(kernel, "clang")
        if not said or "ms" not in said or not took:
            continue
        point = {"program": program.name, "kernel": kernel["name"], "measured": took}
        for key in MODELS:
            point[key] = said[key] / said["launches"]
        point["bound"] = said["bound"]
        point["best move"] = said["possible"][0]["move"]
        moves = decided.get(kernel["name"], {}).get("decided", [])
        point["decided"] = " and ".join(sorted({m["move"] for m in moves}))
        point["speed-up"] = took / (measured(kernel, "sluice") or took)
        points.append(point)
    return points


def accuracy(points, key):
    """Of throughput, as the thesis has it: 1 - |predicted - measured| / measured,
    per cent, in the mean; no kernel counts less than 0."""
    shares = [max(0, 1 - abs(p["measured"] / p[key] - 1)) for p in points]
    return 100 * statistics.mean(shares)


def factor(points, key):
    """How many times off, in the median."""
    return math.exp(
        statistics.median(abs(math.log(p[key] / p["measured"])) for p in points)
    )


def within(points, key, most):
    inside = sum(1 / most <= p[key] / p["measured"] <= most for p in points)
    return 100 * inside / len(points)


def spearman(points, key):
    ranks = []
    for name in [key, "measured"]:
        order = sorted(range(len(points)), key=lambda i: points[i][name])
        rank = [0] * len(points)
        for place, i in enumerate(order):
            rank[i] = place
        ranks.append(rank)
    return statistics.correlation(*ranks)


def print_table(points):
    print("| | accuracy % | times off, median | within 1.5 times, % | Spearman |")
    print("|---|---:|---:|---:|---:|")
    for key, name in MODELS.items():
        print(
            f"| {name} | {accuracy(points, key):.0f} | {factor(points, key):.2f} "
            f"| {within(points, key, 1.5):.0f} | {spearman(points, key):.2f} |"
        )


def print_moves(points):
    """Where a decision that is a move gained: is it the best move of the graph?"""
    gained = [p for p in points if p["decided"] and p["speed-up"] >= 1.1]
    right = [p for p in gained if p["best move"] in p["decided"]]
    print(f"\n{len(gained)} kernels gained 1.1 and more by what is a move in the graph;")
    print(f"of {len(right)} it is the graph's best move. Of the others:\n")
    for p in gained:
        if p not in right:
            print(
                f"- {p['program']}: {p['kernel']}, {p['speed-up']:.2f} by "
                f"{p['decided']}; the best move: {p['best move']}"
            )


def gains_of_turns(measured, program, folder):
    """For each kernel {N: time} as measured, by the X-model and by the simulator."""
    command = [
        *[str(variants.SLUICE_BUILD / "bin" / "sluice"), "report"],
        *["-O3", "--cuda-gpu-arch=sm_90", "-std=c++17", *program.flags, "--json"],
        *[f"--profile={folder / (program.name + '.yaml')}", str(program.source)],
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    for kernel in json.loads(done.stdout)["kernels"] if not done.returncode else []:
        took = measured.get((program.name, kernel["name"]), {})
        base = [a for a in kernel["alternatives"] if a["what"] == "as it is"]
        if 1 not in took or not base or "ms-x-model" not in base[0]:
            continue
        said = {1: base[0]}
        for n in [2, 4]:
            ways = [
                a for a in kernel["alternatives"] if a["what"].startswith(f"N = {n} at")
            ]
            if ways and n in took:
                said[n] = min(ways, key=lambda a: a["ms-simulated"])
        if len(said) > 1:
            yield {
                "measured": {n: took[n] for n in said},
                "X-model": {n: a["ms-x-model"] for n, a in said.items()},
                "simulator": {n: a["ms-simulated"] for n, a in said.items()},
            }


def print_turns(file, programs, folder):
    measured = {}
    with file.open() as text:
        for row in csv.DictReader(text):
            n = {"clang": 1, "throttle-2": 2, "throttle-4": 4}.get(row["variant"])
            if n and row["launch"] == "0":
                key = row["program"], row["kernel"]
                measured.setdefault(key, {})[n] = float(row["ms"])
    kernels = []
    for program in programs:
        if any(name == program.name for name, _ in measured):
            kernels += gains_of_turns(measured, program, folder)
    print(f"\nTurns of {len(kernels)} kernels, N=1, 2 and 4:\n")
    print("| | best N is the best or within 5 % of it | gain off, median |")
    print("|---|---:|---:|")
    for model in ["X-model", "simulator"]:
        right, off = 0, []
        for times in kernels:
            took, said = times["measured"], times[model]
            right += took[min(said, key=said.get)] <= 1.05 * min(took.values())
            for n in set(took) - {1}:
                ratio = (said[1] / said[n]) / (took[1] / took[n])
                off.append(abs(math.log(ratio)))
        print(f"| {model} | {right} | {math.exp(statistics.median(off)):.2f} |")


def main(arguments):
    arguments.folder.mkdir(parents=True, exist_ok=True)
    results = json.loads(arguments.results.read_text())
    programs = read_suite(arguments.only)
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for failure in pool.map(
            lambda p: profile(p, arguments.folder / f"{p.name}.yaml"), programs
        ):
            if failure:
                print(failure)
    points = []
    for program in programs:
        if (arguments.folder / f"{program.name}.yaml").exists():
            points += points_of(results, program, arguments.folder)
    if arguments.output:
        with arguments.output.open("w", newline="") as file:
            writer = csv.DictWriter(file, points[0].keys(), lineterminator="\n")
            writer.writeheader()
            for p in points:
                writer.writerow(
                    {k: f"{v:.4g}" if isinstance(v, float) else v for k, v in p.items()}
                )
    long = [p for p in points if p["measured"] * 1000 >= arguments.least_us]
    print(f"{len(long)} kernels of {len({p['program'] for p in long})} programs\n")
    print_table(long)
    print_moves(long)
    if arguments.turns:
        print_turns(arguments.turns, programs, arguments.folder)
