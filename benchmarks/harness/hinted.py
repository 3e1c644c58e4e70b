#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles with a cache hint on a program's loads from global memory.

    hinted.py no_allocate|evict_first|evict_last|nc CLANG... SOURCE -o CUBIN

CLANG... writes PTX (--cuda-device-only -S), the loads are changed there, ptxas
makes the cubin:

    ld.global.b32 %r1, [%rd1];                  before
    ld.global.L1::no_allocate.b32 %r1, [%rd1];  no_allocate: every load
    ld.global.nc.b32 %r1, [%rd1];               nc: where the kernel never stores

Loads that are volatile, relaxed or through a generic address keep what they are.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

OPERATORS = ("ca", "cg", "cs", "lu", "cv")
LOAD = re.compile(r"\bld\.global(\.nc)?\.(?=v\d\.|[bsuf]\d)")
STORE = re.compile(r"\b(?:st|atom|red)\.(?!\S*(?:shared|local|param))")
INSTRUCTION = re.compile(r"^\s*(?:@!?%p\d+\s+)?([a-z][\w.:]*)\s+([^,]*),(.*);")
REGISTER = re.compile(r"%\w+")
BODY = re.compile(r"^\{\n.*?^\}\n", re.DOTALL | re.MULTILINE)


def pointers(body):
    """{register: the parameters whose pointers its value is made of}. Sizes and
    indices are not pointers: they are never made global addresses."""
    code = [m.groups() for m in map(INSTRUCTION.match, body.splitlines()) if m]
    parameter = {to: source for opcode, to, source in code if "ld.param" in opcode}
    found, size = {}, -1
    while size != sum(map(len, found.values())):
        size = sum(map(len, found.values()))
        for opcode, to, source in code:
            if opcode.startswith("cvta.to.global"):
                made_of = {parameter.get(source.strip())}
            elif opcode.startswith("ld."):
                continue
            else:
                registers = REGISTER.findall(source)
                made_of = {p for r in registers for p in found.get(r, ())}
            for register in REGISTER.findall(to):
                found.setdefault(register, set()).update(made_of)
    return found


def read_only_lines(lines):
    """Of a function's lines, those that load where it stores nothing."""
    body = "\n".join(lines)
    made_of = pointers(body)

    def reached(line):
        base = re.search(r"\[([^\]+]*)", line)
        return made_of.get(base[1]) or {None}  # None: anywhere

    stored = {p for line in lines if STORE.search(line) for p in reached(line)}
    if None in stored or "call" in body:
        return set()
    loads = (n for n, line in enumerate(lines) if LOAD.search(line))
    return {n for n in loads if not reached(lines[n]) & {None, *stored}}


def with_hint(line, hint):
    """The line with the hint on its load, if it is one that can have it."""
    if hint == "nc":
        return LOAD.sub("ld.global.nc.", line)
    if hint in OPERATORS:
        return LOAD.sub(rf"ld.global.{hint}\1.", line)
    return LOAD.sub(rf"ld.global\1.L1::{hint}.", line)


def add_hint(ptx, hint):
    def in_body(match):
        lines = match[0].splitlines()
        numbers = read_only_lines(lines) if hint == "nc" else range(len(lines))
        for number in numbers:
            lines[number] = with_hint(lines[number], hint)
        return "\n".join(lines) + "\n"

    return BODY.sub(in_body, ptx)


def main(hint, *command):
    """Runs the command with PTX for its output, and ptxas."""
    output = Path(command[-1])
    arch = next(w.split("=")[1] for w in command if w.startswith("--cuda-gpu-arch="))
    cuda = next(w.split("=")[1] for w in command if w.startswith("--cuda-path="))
    with tempfile.TemporaryDirectory() as folder:
        ptx = Path(folder) / "kernels.ptx"
        status = subprocess.run([*command[:-1], str(ptx)]).returncode
        if status != 0:
            return status
        ptx.write_text(add_hint(ptx.read_text(), hint))
        ptxas = [f"{cuda}/bin/ptxas", "-m64", "-O3", "--gpu-name", arch]
        return subprocess.run([*ptxas, str(ptx), "-o", str(output)]).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
