# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Does opt plan what the clang plugin plans, but for turns?

    same-plans.py BUILD LLVM_TOOLS KERNELS...

For each file: the plugin's plan, and that of sluice-plan on the IR that clang
makes of it, both for the launches that the source shows. Loops, their
footprints and accesses, and cache hints must be equal to the letter. What turns
are decided on (N, M, carveouts, registers) is the one difference there is.
"""

import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

OF_TURNS = re.compile(
    r" *(throttle|why|throttled-footprint-bytes|by-launch|only-if|registers"
    r"|registers-from|own-registers|load-registers|carveout|carveout-why|resident-blocks"
    r"|claimed-shared-bytes|blocks-why|static-shared-bytes):|          - \{"
)


def output(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}:\n{done.stderr}")
    return done.stdout


def kernels_of(plan):
    """The lines of each kernel, by its name."""
    parts = re.split(r"^  - name: +", plan, flags=re.M)[1:]
    return {part.split("\n", 1)[0].strip(): part for part in parts}


def launches_of(name, kernel):
    sizes = r"\[ (\d+), (\d+), (\d+) \]\n"
    found = re.findall(
        rf"grid: +{sizes} +block: +{sizes} +shared: +(\d+)\n", kernel
    )
    return [
        f"{name}:{'x'.join(l[:3])}:{'x'.join(l[3:6])}:{l[6]}" for l in found
    ]


def comparable(kernel):
    kernel = re.sub(r"^    launches:\n(      .*\n)*", "", kernel, flags=re.M)
    return [line for line in kernel.splitlines() if not OF_TURNS.match(line)]


def libdevice(build, source):
    """Where it is, as the plugin is told."""
    command = [build / "bin/sluice-clang++", "--cuda-device-only", "-###", source]
    said = subprocess.run(command, capture_output=True, text=True).stderr
    return re.search(r'"([^"]*libdevice[^"]*\.bc)"', said)[1]


def compare(build, tools, library, source, folder):
    options = ["-O3", "-std=c++17", "--cuda-gpu-arch=sm_90", f"-I{source.parent}"]
    code = folder / f"{source.stem}.ll"
    # The plan on the way tells the launches.
    first = output(
        build / "bin/sluice-clang++",
        *options,
        *["--cuda-device-only", "-S", "-emit-llvm", "-Xclang"],
        *["-disable-llvm-passes", "-gline-tables-only"],
        *["--sluice-transforms=off", "--sluice-emit-plan=-", source, "-o", code],
    )
    launches = [
        launch
        for name, kernel in kernels_of(first).items()
        for launch in launches_of(name, kernel)
    ]
    if not launches:
        return 0, []
    by_clang = kernels_of(
        output(
            *[build / "bin/sluice", "plan", source, *options],
            *(f"--sluice-launch={l}" for l in launches),
        )
    )
    # The plugin plans before libdevice is linked.
    if re.search(r"^define .*@__nv_", code.read_text(), flags=re.M):
        output(tools / "llvm-extract", "--delete", "--rfunc=^__nv_", code, "-o", code)
    parameters = ";".join(
        ["emit-plan=-", f"libdevice={library}", *(f"launch={l}" for l in launches)]
    )
    by_opt = kernels_of(
        output(
            tools / "opt",
            f"-load-pass-plugin={build}/lib/SluicePasses.so",
            f"-passes=sluice-plan<{parameters}>",
            "-disable-output",
            code,
        )
    )
    names = {launch.rsplit(":", 3)[0] for launch in launches}
    return len(names), [
        f"{source.name}: {name}"
        for name in sorted(names)
        if comparable(by_clang[name]) != comparable(by_opt.get(name, ""))
    ]


def main():
    build, tools, *sources = map(Path, sys.argv[1:])
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        library = libdevice(build, sources[0])
        results = list(
            pool.map(
                lambda s: compare(build, tools, library, s, Path(folder)), sources
            )
        )
    others = [name for _, names in results for name in names]
    print(f"{sum(n for n, _ in results)} kernels, {len(others)} planned otherwise")
    for name in others:
        print(name)


if __name__ == "__main__":
    main()
