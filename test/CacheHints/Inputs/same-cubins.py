# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Are programs with hints those without, but for the hinted loads?

usage: same-cubins.py LLVM_TOOLS PLUGIN CUDA FILE.cu...

Each file is compiled to IR once, then to PTX without hints and with one hint on
all loads. What the hints add is put into the text of the former: that must be
all that is different, registers included, and ptxas must make the same bytes of
both. Where ptxas itself takes more or fewer registers for loads with the hint,
that is told.
"""

import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

# Of all loads of a file; what stands before and after ".nc".
HINTS = [
    ("L1::evict_last", "", ".L1::evict_last"),
    ("L1::no_allocate+L2::256B", "", ".L1::no_allocate.L2::256B"),
    ("cg", ".cg", ""),
]
LOAD = re.compile(r"\bld\.global(\.nc)?(?=\.[vusbf])")
KERNEL = re.compile(r"Compiling entry function '(\w+)'")
REGISTERS = re.compile(r"Used (\d+) registers.*")

tools, plugin, cuda, *files = sys.argv[1:]


def run(*command):
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode:
        sys.exit(f"{' '.join(command)}\n{result.stderr}")
    return result.stdout + result.stderr


def assemble(ptx, folder):
    """The cubin's bytes, and the resources of each kernel."""
    path = os.path.join(folder, "k.ptx")
    with open(path, "w") as file:
        file.write(ptx)
    log = run(f"{cuda}/bin/ptxas", "-v", "-arch=sm_90", path, "-o", path + ".cubin")
    with open(path + ".cubin", "rb") as file:
        return file.read(), dict(zip(KERNEL.findall(log), REGISTERS.findall(log)))


def compare(number, source):
    hint, before, after = HINTS[number % len(HINTS)]
    name = os.path.basename(source)
    with tempfile.TemporaryDirectory() as folder:
        ir = os.path.join(folder, "k.bc")
        hinted_ir = os.path.join(folder, "hinted.bc")
        ptx = os.path.join(folder, "out.ptx")
        run(
            f"{tools}/clang++", "-x", "cuda", "--cuda-gpu-arch=sm_90",
            "--cuda-device-only", "-O3", "-emit-llvm", "-c", source, "-o", ir,
            f"--cuda-path={cuda}", "-Wno-unknown-cuda-version",
        )
        llc = [f"{tools}/llc", "-O3", "-mcpu=sm_90", "-mattr=+ptx88", "-o", ptx]
        run(*llc, ir)
        with open(ptx) as file:
            plain = file.read()
        run(
            f"{tools}/opt", f"-load-pass-plugin={plugin}",
            f"-passes=sluice-cache-hints<all={hint}>", ir, "-o", hinted_ir,
        )
        run(*llc, f"--load-pass-plugin={plugin}", hinted_ir)
        with open(ptx) as file:
            hinted = file.read()

        edited, loads = LOAD.subn(
            lambda m: "ld.global" + before + (m.group(1) or "") + after, plain
        )
        edited_bytes, _ = assemble(edited, folder)
        hinted_bytes, hinted_kernels = assemble(hinted, folder)
        _, plain_kernels = assemble(plain, folder)
    if edited_bytes != hinted_bytes:
        return name, 0, "FAIL: other code than that of the edited text"
    if edited != re.sub(r"\t// (begin|end) inline asm\n", "", hinted):
        return name, 0, "FAIL: other text than the edited one"
    if loads == 0:
        return name, 0, "FAIL: no load"
    message = f"{len(plain_kernels)} kernels, {loads} loads"
    for kernel, registers in plain_kernels.items():
        if registers != hinted_kernels[kernel]:
            message += f"; ptxas: {registers} registers, {hinted_kernels[kernel]} with {hint}"
    return name, len(plain_kernels), message


with concurrent.futures.ThreadPoolExecutor(2) as pool:
    results = list(pool.map(compare, range(len(files)), files))
for name, _, message in results:
    print(f"{name}: {message}")
print(sum(count for _, count, _ in results), "kernels are the same")
sys.exit(any("FAIL" in message for _, _, message in results))
