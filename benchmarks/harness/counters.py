# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a GPU's counters say of each kernel, variant by variant.

`counters build FOLDER` builds like `build`, but other programs, sizes and
variants: by default those of counters.toml, and variants that differ in what they
do to the L1 (throttled, with hints, with carveouts). With --of=bank-conflicts
they are kernels that keep values in shared memory, with and without, and with
--of=loads kernels that wait for memory, with and without what brings more loads on
their way. FOLDER/counters then takes the counters on a machine with a GPU and
Nsight Compute, and `counted` makes tables of the last two.
"""

import shutil

from . import build
from .suite import BENCHMARKS

SETS = {
    "caches": {
        "suite": "counters.toml",
        "variants": [
            *["clang", "throttle-2", "throttle-4"],
            *["no-allocate", "evict-first", "nc"],
            *["carveout-0", "carveout-50", "carveout-100"],
        ],
        # The simulator puts turns and hints on clang's code.
        "sluice_options": "--sluice-transforms=off",
        "kernels": "",
    },
    "bank-conflicts": {
        "suite": "spills.toml",
        "variants": ["registers-32-local", "registers-32-own"],
        "sluice_options": "",
        "kernels": "backward|flux|lavamd|compress|myocyte|leukocyte",
    },
    "loads": {
        "suite": "waiting.toml",
        "variants": ["no-loads-in-flight", "sluice"],
        "sluice_options": "",
        "kernels": "Columns|bicgS|mvtX2|Mean|Std|Corr|Covar|Norm|Project",
    },
}


def add_arguments(parser):
    parser.add_argument("action", choices=["build"])
    parser.add_argument("--of", choices=SETS, default="caches")
    build.add_arguments(parser)
    parser.set_defaults(variants=None, suite=None, sluice_options=None)


def main(arguments):
    chosen = SETS[arguments.of]
    if arguments.variants is None:
        arguments.variants = ",".join(chosen["variants"])
    if arguments.suite is None:
        arguments.suite = BENCHMARKS / chosen["suite"]
    if arguments.sluice_options is None:
        arguments.sluice_options = chosen["sluice_options"]
    builder, _, manifest = build.build(arguments)
    manifest["counters"] = {"of": arguments.of, "kernels": chosen["kernels"]}
    status = build.finish(builder, manifest)
    script = arguments.folder / "counters"
    shutil.copy(BENCHMARKS / "harness" / "count.py", script)
    script.chmod(0o755)
    return status
