#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs what build-catt.sh built and compares the variants.

    benchmarks/run-catt.py FOLDER [--rounds=5] [--reps=10] [--output=NAME]

The variants of a program take turns, round after round, so that a GPU that
warms up or clocks down does so for all of them. Writes NAME.json (every time
measured) and NAME.md (the table), and prints the table. The status is 0 if
every program ran, every check passed, every hash was the same in all rounds of
a variant, and sluice's are clang's.
"""

import argparse
import json
import shlex
import statistics
import subprocess
import sys
from pathlib import Path

VARIANTS = ["clang", "sluice", "nvcc"]
NOT_EQUAL = "**no**"


class Measurement:
    """One kernel of one variant, over all rounds."""

    def __init__(self):
        self.ms = []
        self.hashes = set()
        self.passed = True

    def add(self, line):
        self.ms += line["ms"]
        self.hashes.add(line["hash"])
        self.passed &= line["check"] == "pass"

    def median(self):
        return statistics.median(self.ms)

    def to_json(self):
        return {
            "median_ms": round(self.median(), 5),
            "min_ms": min(self.ms),
            "ms": self.ms,
            "hashes": sorted(self.hashes),
            "check": "pass" if self.passed else "fail",
        }


def describe_gpu():
    """GPU name and driver version, as nvidia-smi tells them."""
    command = [
        "nvidia-smi",
        "--id=0",
        "--query-gpu=name,driver_version",
        "--format=csv,noheader",
    ]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, check=True)
        name, driver = answer.stdout.strip().splitlines()[0].split(", ")
    except (OSError, subprocess.CalledProcessError, IndexError, ValueError):
        name = driver = "unknown"
    return {"gpu": name, "driver": driver}


def run_program(path, reps, timeout):
    """The JSON lines the program printed, and what went wrong (or None)."""
    try:
        done = subprocess.run(
            [str(path), f"--reps={reps}"],
            capture_output=True,
            text=True,
            timeout=timeout,
        )
    except subprocess.TimeoutExpired:
        return [], f"no end after {timeout} s"
    except OSError as error:
        return [], str(error)
    lines = []
    for text in done.stdout.splitlines():
        if text.startswith("{"):
            try:
                lines.append(json.loads(text))
            except json.JSONDecodeError:
                return lines, f"not JSON: {text}"
        else:  # a program for people, such as the example
            print(f"{path.parent.name}/{path.name}: {text}", file=sys.stderr)
    if done.returncode != 0:
        return lines, f"status {done.returncode}: {done.stderr.strip()}"
    return lines, None


def collect(folder, variants, rounds, reps, timeout):
    """{(program, kernel): {variant: Measurement}} and the failures."""
    programs = sorted({path.name for v in variants for path in (folder / v).iterdir()})
    kernels, failures = {}, []
    for program in programs:
        for _ in range(rounds):
            for variant in variants:
                path = folder / variant / program
                if not path.exists():
                    continue
                lines, failure = run_program(path, reps, timeout)
                if failure:
                    failures.append(f"{variant}/{program}: {failure}")
                for line in lines:
                    row = kernels.setdefault((line["program"], line["kernel"]), {})
                    row.setdefault(variant, Measurement()).add(line)
    for (program, kernel), row in kernels.items():
        for variant, measured in row.items():
            where = f"{variant}/{program} {kernel}"
            if not measured.passed:
                failures.append(f"{where}: the CPU's check failed")
            if len(measured.hashes) > 1:
                failures.append(f"{where}: the result differs between rounds")
        if bit_equal(row) == NOT_EQUAL:
            failures.append(f"{program} {kernel}: sluice's result is not clang's")
    return kernels, failures


def speedup(row):
    if "clang" not in row or "sluice" not in row:
        return "–"
    return f"{row['clang'].median() / row['sluice'].median():.2f}"


def bit_equal(row):
    if "clang" not in row or "sluice" not in row:
        return "–"
    hashes = row["clang"].hashes | row["sluice"].hashes
    return "yes" if len(hashes) == 1 else NOT_EQUAL


def table(kernels):
    lines = [
        "| program | kernel | clang ms | sluice ms | nvcc ms "
        "| speedup, sluice vs clang | bit-equal, clang vs sluice |",
        "|---|---|---:|---:|---:|---:|---|",
    ]
    for (program, kernel), row in kernels.items():
        times = [f"{row[v].median():.4f}" if v in row else "–" for v in VARIANTS]
        cells = [program, kernel, *times, speedup(row), bit_equal(row)]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="what build-catt.sh filled")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--reps", type=int, default=10, help="in each round")
    parser.add_argument("--timeout", type=int, default=120, help="s, one program")
    parser.add_argument("--output", type=Path, default=Path("catt"), metavar="NAME")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    variants = [v for v in VARIANTS if (arguments.folder / v).is_dir()]
    if not variants:
        sys.exit(f"none of {', '.join(VARIANTS)} in {arguments.folder}")

    command = shlex.join([Path(sys.argv[0]).name, *sys.argv[1:]])
    machine = describe_gpu()
    kernels, failures = collect(
        arguments.folder,
        variants,
        arguments.rounds,
        arguments.reps,
        arguments.timeout,
    )

    results = {
        "command": command,
        **machine,
        "rounds": arguments.rounds,
        "reps": arguments.reps,
        "failures": failures,
        "kernels": [
            {
                "program": program,
                "kernel": kernel,
                "variants": {v: row[v].to_json() for v in variants if v in row},
            }
            for (program, kernel), row in kernels.items()
        ],
    }
    report = [
        f"`{command}`",
        "",
        f"{machine['gpu']}, driver {machine['driver']}; medians of "
        f"{arguments.rounds} rounds of {arguments.reps} runs, variants in turn.",
        "",
        table(kernels),
    ]
    if failures:
        report += ["", "Failures:", "", *[f"* {failure}" for failure in failures]]
    text = "\n".join(report) + "\n"

    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    Path(f"{arguments.output}.json").write_text(json.dumps(results, indent=1) + "\n")
    Path(f"{arguments.output}.md").write_text(text)
    print(text, end="")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
