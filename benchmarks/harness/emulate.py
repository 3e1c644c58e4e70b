# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the programs at small sizes on the emulator, without and with Sluice.

Each must pass its own check, and the emulator must report nothing.
"""

import concurrent.futures
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from . import variants
from .suite import read_suite


def add_arguments(parser):
    parser.add_argument("--only", default="", help="programs and groups")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())


def emulate(program, options, folder):
    """What is wrong, or nothing."""
    command = [
        str(variants.SLUICE_BUILD / "bin" / "sluice"),
        "emulate",
        str(program.source),
        *variants.COMMON,
        "-Wall",
        "-Wextra",
        "-Werror",
        "-DBENCH_SMALL",
        *program.flags,
        *options,
        "-o",
        str(folder / f"{program.name}{len(options)}"),
        "--",
        *program.arguments,
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    output = (done.stdout + done.stderr).strip()
    clean = output.endswith("PASS") and len(output.splitlines()) == 1
    if done.returncode == 0 and clean:
        return None
    return f"{program.name} {' '.join(options)}: status {done.returncode}\n{output}"


def main(arguments):
    programs = read_suite([o for o in arguments.only.split(",") if o])
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            runs = [
                pool.submit(emulate, program, options, Path(folder))
                for program in programs
                for options in ([], ["--sluice-throttle=2", "--sluice-promote=off"])
            ]
            for run in runs:
                if run.result():
                    problems.append(run.result())
                    print(problems[-1], file=sys.stderr)
    print(f"{len(programs)} programs, {len(problems)} problems")
    return 1 if problems else 0
