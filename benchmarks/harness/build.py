# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds a self-contained folder to be measured on a machine with a GPU.

FOLDER/manifest.json          what is there, from which versions
FOLDER/measure                the script that measures it; needs Python and a GPU
FOLDER/lib/                   the CUDA runtime, SluiceReplay.so
FOLDER/PROGRAM/program        the host's part, with clang's kernels in it
FOLDER/PROGRAM/VARIANT.cubin  the kernels as each variant has them
"""

import concurrent.futures
import hashlib
import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from . import registers, variants
from .suite import BENCHMARKS, ROOT, SUITE, read_suite

SIZE_FLAGS = {"full": [], "paper": ["-DBENCH_PAPER"], "small": ["-DBENCH_SMALL"]}
RESTRICT_FLAGS = {
    "as-is": [],
    "none": ["-DBENCH_NO_RESTRICT"],
    "all": ["-DBENCH_ALL_RESTRICT"],
}


def add_arguments(parser):
    parser.add_argument("folder", type=Path)
    parser.add_argument("--size", choices=SIZE_FLAGS, default="full")
    parser.add_argument("--restrict", choices=RESTRICT_FLAGS, default="as-is")
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument(
        "--variants",
        default=",".join(variants.DEFAULT),
        help="%(default)s; also unpromoted (sums stay in memory), tuned, throttle-N, "
        "throttle-N-M (fixed, and sums promoted), carveout-PERCENT, the hints, "
        "registers-N, register-points and register-steps",
    )
    parser.add_argument(
        "--sluice-options",
        default="",
        help="of every variant of Sluice: --sluice-promote=off for throttling alone",
    )
    parser.add_argument("--suite", type=Path, default=SUITE, help="the programs")
    parser.add_argument("--only", default="", help="programs and groups")
    parser.add_argument("--plans", type=Path, help="folder of PROGRAM.yaml for `tuned`")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())


def text_of(*command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    except OSError:
        return "unknown"
    return done.stdout.strip() if done.returncode == 0 else "unknown"


def versions():
    return {
        "clang": text_of(variants.CLANG, "--version").splitlines()[0],
        "nvcc": text_of(variants.NVCC, "--version").splitlines()[-1],
        "sluice": text_of("git", "describe", "--always", "--dirty"),
    }


class Builder:
    def __init__(self, arguments):
        self.arguments = arguments
        self.flags = [
            *SIZE_FLAGS[arguments.size],
            *RESTRICT_FLAGS[arguments.restrict],
        ]
        self.problems = []
        plugin = variants.SLUICE_BUILD / "lib" / "Sluice.so"
        self.plugin = plugin.stat().st_mtime_ns if plugin.exists() else 0

    def run(self, command, source, output, inputs=()):
        """Runs a compiler unless its output is there from equal inputs."""
        command = [*command, str(source), "-o", str(output)]
        key = hashlib.sha256(shlex.join(command).encode())
        headers = sorted((BENCHMARKS / "kernels").glob("*.h"))
        for path in [source, *headers, *inputs]:
            key.update(Path(path).read_bytes())
        if variants.SLUICE in command or str(variants.TEXT) in command:
            key.update(str(self.plugin).encode())
        key = key.hexdigest()
        stamp = output.with_name(output.name + ".key")
        if output.exists() and stamp.exists() and stamp.read_text() == key:
            return True
        output.unlink(missing_ok=True)
        done = subprocess.run(command, capture_output=True, text=True)
        where = f"{output.parent.name}/{output.name}"
        noise = done.stderr.strip()
        if done.returncode != 0:
            self.problems.append(f"{where} was not built:\n{noise}")
            return False
        if noise:
            self.problems.append(f"{where}: warnings:\n{noise}")
        stamp.write_text(key)
        return True

    def build(self, program):
        """The manifest's entry for a program, or nothing if it has none."""
        folder = self.arguments.folder / program.name
        folder.mkdir(parents=True, exist_ok=True)
        arch, plans = self.arguments.arch, self.arguments.plans
        flags = [*program.flags, *self.flags]
        link = [
            f"-L{variants.CUDA / 'lib64'}",
            "-lcudart",
            "-Wl,-rpath,$ORIGIN/../lib",
            "-s",
        ]
        host = [*variants.clang(arch), *flags, *link]
        if not self.run(host, program.source, folder / "program"):
            return None
        built, carveouts, claims, images = [], {}, {}, {}
        wanted = program.variants or self.arguments.variants.split(",")
        try:
            names = registers.expand(wanted, arch, program, flags)
        except RuntimeError as error:
            self.problems.append(f"{program.name} has no registers: {error}")
            return None
        for name in names:
            code, requests = variants.parts_of(name)
            cubins = [
                self.cubin(program, part, folder, flags)
                for part in dict.fromkeys((code, requests))
            ]
            if None in cubins:
                continue
            built.append(name)
            images[name] = cubins[0].name
            carveouts[name], claims[name] = variants.requests_of(cubins[-1])
            plan = plans / f"{program.name}.yaml" if name == "tuned" else None
            carveouts[name].update(variants.carveouts_of(name, plan))
        return {
            "name": program.name,
            "group": program.group,
            "source": program.source.name,
            "flags": program.flags,
            "arguments": program.arguments,
            "variants": built,
            "images": images,
            "carveouts": {name: found for name, found in carveouts.items() if found},
            "claims": {name: found for name, found in claims.items() if found},
        }

    def command(self, program, name):
        """What makes a variant's kernels, or nothing."""
        arch, plans = self.arguments.arch, self.arguments.plans
        command = variants.find_variant(name)(arch, program, plans)
        if not command or variants.SLUICE not in command:
            return command
        given = {word.split("=")[0] for word in command}
        options = shlex.split(self.arguments.sluice_options)
        return command + [o for o in options if o.split("=")[0] not in given]

    def cubin(self, program, name, folder, flags):
        """The kernels as a variant has them, or nothing."""
        plans = self.arguments.plans
        command = self.command(program, name)
        if not command:
            return None
        inputs = [plans / f"{program.name}.yaml"] if name == "tuned" else []
        inputs += [word for word in command if word.endswith(".py")]
        if str(variants.TEXT) in command:
            inputs += sorted((ROOT / "include" / "sluice").glob("row*.h"))
        cubin = folder / f"{name}.cubin"
        done = self.run([*command, *flags], program.source, cubin, inputs)
        return cubin if done else None


def runtime_library():
    for name in ("lib64", "lib", "targets/x86_64-linux/lib"):
        for path in sorted((variants.CUDA / name).glob("libcudart.so.*")):
            if len(path.suffixes) == 2:  # libcudart.so.13, what programs ask for
                return path
    sys.exit(f"there is no libcudart.so under {variants.CUDA}")


def build(arguments):
    """Builds FOLDER, but for its manifest. (builder, programs, manifest)"""
    folder = arguments.folder
    only = [o for o in arguments.only.split(",") if o]
    programs = read_suite(only, arguments.suite)
    if not variants.REPLAY.exists():
        sys.exit(f"there is no {variants.REPLAY}: build Sluice first")
    (folder / "lib").mkdir(parents=True, exist_ok=True)
    for path in (runtime_library(), variants.REPLAY):
        shutil.copy(path, folder / "lib" / path.name)
    shutil.copy(BENCHMARKS / "harness" / "measure.py", folder / "measure")
    (folder / "measure").chmod(0o755)

    builder = Builder(arguments)
    entries = []
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for count, entry in enumerate(pool.map(builder.build, programs), 1):
            if entry:
                entries.append(entry)
            print(f"\r{count} of {len(programs)} programs", end="", file=sys.stderr)
    print(file=sys.stderr)
    manifest = {
        "command": shlex.join(["benchmarks/run", *sys.argv[1:]]),
        "size": arguments.size,
        "restrict": arguments.restrict,
        "arch": arguments.arch,
        "versions": versions(),
        "programs": entries,
    }
    return builder, programs, manifest


def finish(builder, manifest):
    """Writes the manifest and says what went wrong. The exit status."""
    path = builder.arguments.folder / "manifest.json"
    path.write_text(json.dumps(manifest, indent=1) + "\n")
    for problem in builder.problems:
        print(problem, file=sys.stderr)
    return 1 if builder.problems else 0


def main(arguments):
    builder, _, manifest = build(arguments)
    return finish(builder, manifest)
