#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles the text that `sluice throttle` writes: turns and rows as source.

    text.py SLUICE ARCH COMPILER... SOURCE -o CUBIN

COMPILER... is nvcc or clang without the plugin, with the flags for a cubin.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

# What only one of the compilers knows is not for the planner.
FLAGS = ("-D", "-I", "-std=", "-O")


def main(sluice, arch, *command):
    *compiler, source, _, cubin = command
    source = Path(source)
    flags = [word for word in compiler if word.startswith(FLAGS)]
    include = Path(sluice).resolve().parent.parent / "include"
    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder) / source.name
        write = [sluice, "throttle", str(source), "-o", str(text), *flags]
        done = subprocess.run(
            [*write, f"--cuda-gpu-arch={arch}"], capture_output=True, text=True
        )
        if done.returncode != 0:
            sys.exit(done.stderr)
        # The program's own headers lie beside the source.
        includes = [f"-I{source.parent.resolve()}", f"-I{include}"]
        sys.exit(
            subprocess.run([*compiler, *includes, str(text), "-o", cubin]).returncode
        )


if __name__ == "__main__":
    main(*sys.argv[1:])
