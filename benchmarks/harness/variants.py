# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a program's kernels are compiled with. A new variant is one entry."""

import os
import re
import shutil
import sys
from pathlib import Path

from .suite import ROOT

CUDA = Path(os.environ.get("CUDA_PATH", "/usr/local/cuda"))
CLANG = os.environ.get("CLANG_CXX", "clang++-22")
NVCC = os.environ.get("NVCC") or shutil.which("nvcc") or str(CUDA / "bin" / "nvcc")
SLUICE_BUILD = Path(os.environ.get("SLUICE_BUILD", ROOT / "build"))
SLUICE = str(SLUICE_BUILD / "bin" / "sluice-clang++")
REPLAY = SLUICE_BUILD / "lib" / "SluiceReplay.so"

HINTED = Path(__file__).with_name("hinted.py")

COMMON = ["-O3", "-std=c++17"]
CARVEOUT = r"carveout-(\d+)"


def clang(arch, driver=CLANG):
    return [
        driver,
        *COMMON,
        "-x",
        "cuda",
        f"--cuda-gpu-arch={arch}",
        f"--cuda-path={CUDA}",
        "-Wno-unknown-cuda-version",
    ]


def nvcc(arch):
    return [NVCC, *COMMON, f"-arch={arch}"]


def sluice(*options):
    def command(arch, program, plans):
        return [*clang(arch, SLUICE), *options, "--cuda-device-only", "-c"]

    return command


def hinted(hint):
    """clang's code with a cache hint on its loads."""

    def command(arch, *_):
        device = [*clang(arch), "--cuda-device-only", "-S"]
        return [sys.executable, str(HINTED), hint, *device]

    return command


def tuned(arch, program, plans):
    """The plan that `sluice tune` found: PLANS/PROGRAM.yaml."""
    plan = plans / f"{program.name}.yaml" if plans else None
    if not plan or not plan.exists():
        return None
    return sluice(f"--sluice-plan={plan}")(arch, program, plans)


def profiled(arch, program, plans):
    """The planner with a profile from `sluice profile`: PLANS/PROGRAM.profile.yaml."""
    profile = plans / f"{program.name}.profile.yaml" if plans else None
    if not profile or not profile.exists():
        return None
    return sluice(f"--sluice-profile={profile}")(arch, program, plans)


def carveouts_of(name, plan):
    """{kernel: per cent} of a variant, or of its plan file; "" is every kernel.
    The host sets them, so that they are not in the cubin."""
    if forced := re.fullmatch(CARVEOUT, name):
        return {"": int(forced[1])}
    found, kernel = {}, None
    if not plan:
        return found
    for line in plan.read_text().splitlines():
        word = line.strip().removeprefix("- ").split(":", 1)
        if word[0] == "name":
            kernel = word[1].strip()
        elif word[0] == "carveout":
            found[kernel] = int(word[1])
    return found


# NAME: the command, less source and output, that makes a cubin.
VARIANTS = {
    "clang": lambda arch, *_: [*clang(arch), "--cuda-device-only", "-c"],
    "nvcc": lambda arch, *_: [*nvcc(arch), "-cubin"],
    "nvcc-cg": lambda arch, *_: [*nvcc(arch), "-Xptxas", "-dlcm=cg", "-cubin"],
    "sluice": sluice(),
    "tuned": tuned,
    "profiled": profiled,
    "no-allocate": hinted("no_allocate"),
    "evict-first": hinted("evict_first"),
    "evict-last": hinted("evict_last"),
    "nc": hinted("nc"),
}
DEFAULT = ["clang", "nvcc", "nvcc-cg", "sluice"]


def find_variant(name):
    """A variant's command function. `throttle-N` forces N on all loops,
    `carveout-PERCENT` is clang's code with a carveout for all kernels."""
    forced = re.fullmatch(r"throttle-(\d+)", name)
    if forced:
        return sluice(f"--sluice-throttle={forced[1]}")
    if re.fullmatch(CARVEOUT, name):
        return VARIANTS["clang"]
    if name not in VARIANTS:
        sys.exit(
            f"there is no variant called {name}: "
            f"{', '.join(VARIANTS)}, throttle-N, carveout-PERCENT"
        )
    return VARIANTS[name]
