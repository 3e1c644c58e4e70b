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
TEXT = Path(__file__).with_name("text.py")

COMMON = ["-O3", "-std=c++17"]
CARVEOUT = r"(sluice-)?carveout-(\d+)"
FIXED = r"throttle-(\d+)(?:-(\d+))?"
# A limit of registers and blocks on an SM together: CRAT's space.
JOINT = r"registers-(\d+)-blocks-(\d+)"
# Code of one variant, with a carveout that it did not ask for.
AT_CARVEOUT = r"(.+)-at-(\d+)"
BYPASS = (
    r"bypass-(only-|hybrid-)?(\d+|dynamic|footprint|profile)(?:-of-(l2|read-only))?"
)
# All that changes how loads are done, off: what is left is clang's code.
PLAIN = [
    f"--sluice-{name}=off"
    for name in (
        "throttle",
        "carveout",
        "blocks",
        "promote",
        "hints",
        "software-l1",
        "loads-in-flight",
        "local-arrays",
        "atomics",
        "copies",
        "constant-arrays",
        "early-loads",
        "fewer-instructions",
    )
]
# What the device compile tells the host (include/sluice/Plan/HostRecord.h).
RECORD = rb"__sluice_host\$1\$(?:c(\d+)|n)\$s(\d+)\$d\d+\$(\d+)\$"


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


def text(compiler, *flags):
    """The text of `sluice throttle`, compiled without the plugin."""

    def command(arch, *_):
        write = [sys.executable, str(TEXT), str(SLUICE_BUILD / "bin" / "sluice"), arch]
        return [*write, *compiler(arch), *flags]

    return command


def tuned(arch, program, plans):
    """The plan that `sluice tune` found: PLANS/PROGRAM.yaml."""
    plan = plans / f"{program.name}.yaml" if plans else None
    if not plan or not plan.exists():
        return None
    return sluice(f"--sluice-plan={plan}")(arch, program, plans)


def with_profile(*options):
    """The planner with a profile from `sluice profile`: PLANS/PROGRAM.profile.yaml."""

    def command(arch, program, plans):
        profile = plans / f"{program.name}.profile.yaml" if plans else None
        if not profile or not profile.exists():
            return None
        return sluice(f"--sluice-profile={profile}", *options)(arch, program, plans)

    return command


def with_blocks(arch, program, plans):
    """CRAT with what was measured of blocks: PLANS/PROGRAM.blocks, of `tlp --write`."""
    file = plans / f"{program.name}.blocks" if plans else None
    if not file or not file.exists():
        return None
    asked = [f"--sluice-enough-blocks={line}" for line in file.read_text().split()]
    return sluice("--sluice-registers=crat", *asked)(arch, program, plans)


def carveouts_of(name, plan):
    """{kernel: per cent} of a variant, or of its plan file; "" is every kernel.
    The host sets them, so that they are not in the cubin."""
    if forced := re.fullmatch(CARVEOUT, name) or re.fullmatch(AT_CARVEOUT, name):
        return {"": int(forced[2])}
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


def requests_of(cubin):
    """({kernel: per cent}, {kernel: bytes}): the carveouts and claims of shared
    memory that limit the kernels' blocks, as the cubin has them."""
    text, carveouts, claims = cubin.read_bytes(), {}, {}
    for match in re.finditer(RECORD, text):
        length = int(match[3])
        kernel = text[match.end() : match.end() + length].decode()
        if match[1]:
            carveouts[kernel] = int(match[1])
        claims[kernel] = int(match[2])
    return carveouts, claims


def parts_of(name):
    """The variants that have a variant's code and its requests: blocks are not in
    the code, and warps not in the requests."""
    if at := re.fullmatch(AT_CARVEOUT, name):
        return at[1], at[1]
    fixed = re.fullmatch(FIXED, name)
    if not fixed or not fixed[2] or fixed[1] == "1":
        return name, name
    return f"throttle-{fixed[1]}", f"throttle-1-{fixed[2]}"


# NAME: the command, less source and output, that makes a cubin.
VARIANTS = {
    "clang": lambda arch, *_: [*clang(arch), "--cuda-device-only", "-c"],
    "nvcc": lambda arch, *_: [*nvcc(arch), "-cubin"],
    "nvcc-cg": lambda arch, *_: [*nvcc(arch), "-Xptxas", "-dlcm=cg", "-cubin"],
    "sluice": sluice(),
    "unpromoted": sluice("--sluice-promote=off"),
    # `sluice` by the name that it has in results from before it promoted sums.
    "promoted": sluice("--sluice-promote=on"),
    "promoted-only": sluice("--sluice-promote=on", "--sluice-throttle=off"),
    # Without hints: what sets of them are tried on.
    "unhinted": sluice("--sluice-hints=off"),
    "unhinted-l1-28": sluice(
        "--sluice-hints=off", "--sluice-l1-kib=28", "--sluice-blocks=off"
    ),
    "unthrottled": sluice("--sluice-throttle=off", "--sluice-hints=off"),
    "text": text(nvcc, "-cubin"),
    "text-clang": text(clang, "--cuda-device-only", "-c"),
    "preferred": sluice("--sluice-blocks=prefer"),
    "sync": sluice("--sluice-sync=all"),
    "crat": sluice("--sluice-registers=crat"),
    "crat-whole": sluice("--sluice-registers=crat-whole"),
    # As many registers as leave all blocks on an SM.
    "step": sluice("--sluice-registers=step"),
    "crat-profiled": with_profile("--sluice-registers=crat"),
    "crat-measured": with_blocks,
    # Where its spills go; with `crat` ours go to shared memory.
    "crat-local": sluice("--sluice-registers=crat", "--sluice-shared-spills=off"),
    "crat-own": sluice("--sluice-registers=crat", "--sluice-shared-spills=own"),
    "tuned": tuned,
    "profiled": with_profile(),
    "profiled-unthrottled": with_profile("--sluice-throttle=off"),
    "profiled-no-carveout": with_profile("--sluice-carveout=off"),
    "no-allocate": hinted("no_allocate"),
    "evict-first": hinted("evict_first"),
    "evict-last": hinted("evict_last"),
    "nc": hinted("nc"),
}
DEFAULT = ["clang", "nvcc", "nvcc-cg", "sluice"]


def find_variant(name):
    """A variant's command function. `throttle-N` forces N on all loops,
    `throttle-N-M` also M blocks on an SM for all kernels; sums are promoted beside
    it, as by default, so throttle-1 is what they are to be compared with. In
    results from before that was the default, and with `build
    --sluice-options=--sluice-promote=off`, sums stay in memory. `carveout-PERCENT`
    is clang's code with a carveout for all kernels, `sluice-carveout-PERCENT`
    Sluice's. `no-TECHNIQUE` is Sluice's without it. `sluice-l1-KIB` plans for an L1
    of that size, by turns alone, and `profiled-l1-KIB` with a profile for it.
    `registers-N` is Sluice's with a limit of registers, and `registers-N-local`, `-own`
    and `-ptxas` say where spills go, `registers-N-blocks-M` is registers-N-local with M
    blocks on an SM, `unroll-N[-registers-M]` with N
    iterations of each loop whose loads can go together. `bypass-PI` is Sluice's where
    PI warps of a block use the L1, `bypass-only-PI` clang's, `bypass-hybrid-PI` clang's
    with Sluice's hints; PI may be `dynamic`, `footprint` or `profile` (with a profile
    that `sluice profile --cached-warps` made), and `-of-l2` or `-of-read-only` may
    follow. `sfu-LAMBDA` is Sluice's with so many
    warps of a block approximate: its results differ; with `sfu-same-LAMBDA` they run a
    second copy of the exact code. VARIANT-at-PERCENT is a variant's code
    with that carveout."""
    fixed = re.fullmatch(FIXED, name)
    if fixed:
        factors = ",".join(filter(None, fixed.groups()))
        return sluice(f"--sluice-throttle={factors}")
    small = re.fullmatch(r"(sluice|profiled)-l1-(\d+)", name)
    if small:
        make = sluice if small[1] == "sluice" else with_profile
        return make(f"--sluice-l1-kib={small[2]}", "--sluice-blocks=off")
    if forced := re.fullmatch(CARVEOUT, name):
        return sluice("--sluice-carveout=off") if forced[1] else VARIANTS["clang"]
    if partition := re.fullmatch(BYPASS, name):
        asked = [f"--sluice-bypass={partition[2]}"]
        asked += [f"--sluice-bypass-of={partition[3]}"] if partition[3] else []
        others = [] if partition[1] is None else PLAIN
        if partition[1] == "hybrid-":
            others = [option for option in PLAIN if option != "--sluice-hints=off"]
        make = with_profile if partition[2] == "profile" else sluice
        return make(*asked, *others)
    if approximate := re.fullmatch(r"sfu-(same-)?(\d+)", name):
        both = ["--sluice-test-sfu=exact"] if approximate[1] else []
        return sluice(f"--sluice-sfu={approximate[2]}", *both)
    if joint := re.fullmatch(JOINT, name):
        return sluice(
            f"--sluice-registers={joint[1]}",
            f"--sluice-throttle=1,{joint[2]}",
            "--sluice-shared-spills=off",
        )
    if limit := re.fullmatch(r"registers-(\d+)(?:-(local|own|ptxas))?", name):
        spills = {"local": "off"}.get(limit[2], limit[2] or "auto")
        return sluice(
            f"--sluice-registers={limit[1]}", f"--sluice-shared-spills={spills}"
        )
    if copies := re.fullmatch(r"unroll-(\d+)(?:-registers-(\d+))?", name):
        limit = [f"--sluice-registers={copies[2]}"] if copies[2] else []
        return sluice(f"--sluice-loads-in-flight={copies[1]}", *limit)
    if technique := re.fullmatch(r"no-([a-z][a-z0-9-]*)", name):
        if name not in VARIANTS:
            return sluice(f"--sluice-{technique[1]}=off")
    if name not in VARIANTS:
        sys.exit(
            f"there is no variant called {name}: "
            f"{', '.join(VARIANTS)}, throttle-N, throttle-N-M, "
            "[sluice-]carveout-PERCENT, no-TECHNIQUE, sluice-l1-KIB, "
            "profiled-l1-KIB, registers-N[-local|-own|-ptxas|-blocks-M], unroll-N, "
            "bypass-[only-|hybrid-]PI[-of-CACHE], sfu-[same-]LAMBDA, VARIANT-at-PERCENT, register-points, "
            "register-steps, register-blocks"
        )
    return VARIANTS[name]
