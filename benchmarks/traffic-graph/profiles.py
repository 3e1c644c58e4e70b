#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Profiles the suite's programs for `sluice hints`, without a GPU.

    benchmarks/traffic-graph/profiles.py FOLDER [--only=NAMES] [--l1-kib=28,...]

writes FOLDER/NAME-KIB.yaml for each program and size of L1. The programs run at
small sizes on a GPU of two SMs, so that as many blocks meet on an SM as at
large sizes on a large one.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from harness.suite import ROOT, read_suite  # noqa: E402

BUILD = Path(os.environ.get("SLUICE_BUILD", ROOT / "build"))
SLUICE = str(BUILD / "bin" / "sluice")


def run(*command):
    """What went wrong, or nothing."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    except subprocess.TimeoutExpired:
        return "takes more than 10 minutes"
    return done.stderr.strip() if done.returncode else None


def profile(program, sizes, folder):
    with tempfile.TemporaryDirectory() as temporary:
        trace = f"{temporary}/trace"
        problem = run(
            *(SLUICE, "profile", str(program.source), "-O3", "--cuda-gpu-arch=sm_90"),
            *("-DBENCH_SMALL", *program.flags),
            *("--sluice-transforms=off", "--sms=2"),
            *("--not-kernel=bench::", "--sample", "--no-pairs", "--threads=1"),
            *(f"--trace={trace}", "--", *program.arguments),
        )
        for size in sizes:
            problem = problem or run(
                *(SLUICE, "profile", f"--replay={trace}", f"--l1-kib={size}"),
                f"--output={folder / f'{program.name}-{size}.yaml'}",
            )
    return problem


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="", help="names and groups of suite.toml")
    parser.add_argument("--l1-kib", default="224,28")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    problems = 0
    for program in read_suite([o for o in arguments.only.split(",") if o]):
        problem = profile(program, arguments.l1_kib.split(","), arguments.folder)
        if problem:
            problems += 1
            print(f"{program.name}: {problem}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
