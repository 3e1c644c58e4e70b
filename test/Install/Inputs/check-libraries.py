# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the binaries of a folder need of the machine, for the wheel.

check-libraries.py OBJDUMP FOLDER LAUNCHER: each is glibc 2.36's or older, gcc
12's, or one that the launcher's line "install:" brings.
"""

import re
import subprocess
import sys
from pathlib import Path

NEWEST = {"GLIBC": (2, 36), "GLIBCXX": (3, 4, 30), "CXXABI": (1, 3, 13)}
EVERYWHERE = {"libc.so.6", "libm.so.6", "libgcc_s.so.1", "libstdc++.so.6",
              "ld-linux-x86-64.so.2"}
# By the package that has them, in Debian 12.
PACKAGES = {
    "clang-22": ["libLLVM.so.22.1", "libclang-cpp.so.22.1"],
    "libsqlite3-0": ["libsqlite3.so.0"],
    "coinor-libcbc3": ["libCbc.so.3", "libCgl.so.1", "libOsiClp.so.1", "libClp.so.1",
                       "libOsi.so.1", "libCoinUtils.so.3"],
}
# Loaded by mlir-opt, which has it.
LOADERS = {"SluiceMLIR.so": {"libMLIR.so.22.1"}}


def problems(objdump, file, allowed):
    text = subprocess.run([objdump, "-p", file], capture_output=True, text=True,
                          check=True).stdout
    for library in re.findall(r"^ +NEEDED +(\S+)", text, re.M):
        if library not in allowed | LOADERS.get(file.name, set()):
            yield f"{file.name} needs {library}"
    for name, number in re.findall(r"\b(GLIBC|GLIBCXX|CXXABI)_([\d.]+)$", text, re.M):
        if tuple(map(int, number.split("."))) > NEWEST[name]:
            yield f"{file.name} needs {name}_{number}"


def main():
    objdump, folder, launcher = sys.argv[1:]
    line = re.search(r"install: apt install ([\w +-]+)", Path(launcher).read_text())[1]
    allowed = EVERYWHERE.union(*(PACKAGES.get(p, []) for p in line.split()))
    files = [f for f in Path(folder).rglob("*")
             if f.is_file() and not f.is_symlink()
             and f.open("rb").read(18)[:4] == b"\x7fELF" and f.name.count(".o") == 0]
    found = [p for file in sorted(files) for p in problems(objdump, file, allowed)]
    print(*found, sep="\n")
    print(len(files), "files")
    sys.exit(1 if found else 0)


main()
