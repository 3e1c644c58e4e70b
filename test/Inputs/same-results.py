#!/usr/bin/env python3
"""Runs the kernels of a test with and without Sluice and demands equal bytes.

same-results.py SLUICE "PLAIN COMPILE" "PLUGIN OPTIONS" FILE.cu STEM [KEY=VALUE ...] [-OPTION ...]

Both modules are compiled to STEM.before.ll and STEM.after.ll, STEM.yaml launches
every kernel of them, each pointer with a buffer of its own, also those in structs
that are passed by value. Races and reads of what was never written are errors.

  grid=2 block=256   shape of all launches, X, XxY or XxYxZ
  int=512            the value of integer parameters; int.K=VALUE that of the K-th
  fill=floats        what buffers hold: floats in [-1, 1], or ints=N for 0 to N
  kib=2048           KiB of each buffer
  shared=0           bytes of dynamic shared memory
  skip=PART,...      leaves out kernels whose mangled name has PART
  -OPTION            goes to both compiles, or with -fplugin-arg- to the second
  expect=same        or different: some buffer must differ
"""

import re
import shlex
import subprocess
import sys


def split_top(text):
    """The parts between commas that no bracket encloses."""
    parts, depth, part = [], 0, ""
    for letter in text:
        depth += letter in "([{<"
        depth -= letter in ")]}>"
        if letter == "," and not depth:
            parts.append(part.strip())
            part = ""
        else:
            part += letter
    return parts + [part.strip()] if part.strip() else parts


def instructions(module):
    """The opcodes in their order; calls by what they call, and the arrays."""
    line = r"^  (?:%\S+ = )?(?:tail )?(\w+)(?: [^@\n]*(@[\w.]+)\()?"
    shared = r"(?:internal|external|linkonce_odr) [^\n]*addrspace\(3\) global"
    arrays = re.findall(rf"= ((?:alloca|{shared}) [^!\n]*)", module)
    return re.findall(line, module, re.MULTILINE), arrays


def balanced(text, start):
    """What stands in the bracket that opens at start."""
    depth = 0
    for at in range(start, len(text)):
        depth += text[at] == "("
        depth -= text[at] == ")"
        if not depth:
            return text[start + 1 : at]
    sys.exit("unbalanced brackets in the module")


class Describer:
    def __init__(self, module, options):
        self.module, self.options = module, options
        self.buffers, self.index = [], 0
        self.types = dict(re.findall(r"^(%\S+) = type <?{ (.*) }>?$", module, re.M))

    def buffer(self):
        name = f"b{len(self.buffers)}"
        kib, fill = int(self.options["kib"]), self.options["fill"]
        if fill.startswith("ints"):
            kind, rest = "i32", f"low: 0, high: {fill[4:].lstrip('=') or 3}"
        else:
            kind, rest = "f32", "low: -1, high: 1"
        self.buffers.append(
            f"  - {{name: {name}, type: {kind}, elements: {kib * 256}, "
            f"fill: random, seed: {len(self.buffers) + 1}, {rest}}}"
        )
        return name

    def parts(self, type_):
        """The pieces of an argument, with each one's size, for alignment."""
        if type_ == "ptr":
            return [(self.buffer(), 8)]
        if type_ in ("i8", "i16", "i32", "i64"):
            value = self.options.get(f"int.{self.index}", self.options["int"])
            if type_ == "i8":
                value = str(int(value) & 1)
            return [(f"{type_} {value}", int(type_[1:]) // 8)]
        if type_ in ("float", "double"):
            return [("f32 1.5", 4) if type_ == "float" else ("f64 1.5", 8)]
        array = re.fullmatch(r"\[(\d+) x (.*)\]", type_)
        if array:
            return [p for _ in range(int(array[1])) for p in self.parts(array[2])]
        if type_ in self.types:
            return [p for t in split_top(self.types[type_]) for p in self.parts(t)]
        sys.exit(f"no argument can be made of type {type_}")

    def argument(self, parameter):
        by_value = re.search(r"byval\(([^)]*)\)", parameter)
        pieces, offset, largest = [], 0, 1
        for text, size in self.parts(by_value[1] if by_value else parameter.split()[0]):
            if offset % size:
                pad = size - offset % size
                pieces.append("bytes " + "00" * pad)
                offset += pad
            pieces.append(text)
            offset += size
            largest = max(largest, size)
        if offset % largest:
            pieces.append("bytes " + "00" * (largest - offset % largest))
        self.index += 1
        return "; ".join(pieces)

    def describe(self):
        launches = []
        shape = lambda key: self.options[key].replace("x", ", ")
        for found in re.finditer(r"^define .*ptx_kernel void @(\S+?)\(", self.module, re.M):
            self.index = 0
            if any(skip in found[1] for skip in self.options["skip"].split(",") if skip):
                continue
            parameters = split_top(balanced(self.module, found.end() - 1))
            arguments = ", ".join(f"'{self.argument(p)}'" for p in parameters)
            launches.append(
                f"  - kernel: '{found[1]}'\n    grid: [{shape('grid')}]\n"
                f"    block: [{shape('block')}]\n    shared: {self.options['shared']}\n    arguments: [{arguments}]"
            )
        if not launches:
            sys.exit("there is no kernel in the module")
        return "\n".join(["buffers:", *self.buffers, "launches:", *launches, ""])


def main():
    sluice, plain, load, source, stem, *rest = sys.argv[1:]
    options = {"grid": "2", "block": "256", "int": "512", "fill": "floats",
               "kib": "2048", "expect": "same", "shared": "0", "skip": ""}
    both, plugin = [], []
    for word in rest:
        if word.startswith("-"):
            (plugin if word.startswith("-fplugin-arg-") else both).append(word)
        else:
            key, _, value = word.partition("=")
            options[key] = value
    for name, extra in (("before", []), ("after", shlex.split(load) + plugin)):
        subprocess.run(
            [*shlex.split(plain), *extra, *both, source, "-emit-llvm", "-g",
             "-o", f"{stem}.{name}.ll"],
            check=True,
        )
    with open(f"{stem}.before.ll", encoding="utf-8") as file:
        before = file.read()
    with open(f"{stem}.after.ll", encoding="utf-8") as file:
        if instructions(file.read()) == instructions(before):
            sys.exit("nothing was transformed, so equal results say nothing")
    with open(f"{stem}.yaml", "w", encoding="utf-8") as file:
        file.write(Describer(before, options).describe())
    done = subprocess.run(
        [sluice, "emulate", f"{stem}.before.ll", f"--launch={stem}.yaml",
         f"--compare={stem}.after.ll", "--check=memory,races"],
        stderr=subprocess.PIPE, text=True,
    )
    print(done.stderr, end="", file=sys.stderr)
    wanted = 0 if options["expect"] == "same" else 87
    if done.returncode != wanted:
        sys.exit(f"the exit status is {done.returncode}, not {wanted}")


main()
