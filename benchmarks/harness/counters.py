# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the caches of a GPU did: counters of each kernel, variant by variant.

`counters build FOLDER` builds like `build`, for the programs and sizes of
counters.toml and the variants that differ in what they do to the L1: throttled,
with hints, with carveouts. FOLDER/counters then takes the counters on a machine
with a GPU and Nsight Compute.
"""

import shutil

from . import build
from .suite import BENCHMARKS

VARIANTS = [
    *["clang", "throttle-2", "throttle-4"],
    *["no-allocate", "evict-first", "nc"],
    *["carveout-0", "carveout-50", "carveout-100"],
]


def add_arguments(parser):
    parser.add_argument("action", choices=["build"])
    build.add_arguments(parser)
    # The simulator puts turns and hints on clang's code.
    parser.set_defaults(
        variants=",".join(VARIANTS),
        suite=BENCHMARKS / "counters.toml",
        sluice_options="--sluice-transforms=off",
    )


def main(arguments):
    status = build.main(arguments)
    script = arguments.folder / "counters"
    shutil.copy(BENCHMARKS / "harness" / "count.py", script)
    script.chmod(0o755)
    return status
