#!/usr/bin/env python3
"""Compares the PTX of Sluice with clang's own, kernel by kernel.

barriers.py SLUICE.ptx PLAIN.ptx KERNEL:N ... KERNEL:same ...

KERNEL is a part of a mangled name that only one kernel has. With N, that kernel
must have N block barriers more than clang gave it; with `same`, its PTX must be
the same to the last letter. Every kernel of the file must be named.
"""

import difflib
import re
import sys


def kernels(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    found = {}
    for piece in re.split(r"(?=// -- Begin function )", text)[1:]:
        entry = re.search(r"\.entry (\w+)\(", piece)
        if entry:
            found[entry.group(1)] = piece
    return found


def main():
    sluice, plain = kernels(sys.argv[1]), kernels(sys.argv[2])
    if not plain or sluice.keys() != plain.keys():
        sys.exit(f"kernels differ: {list(sluice)} and {list(plain)}")
    unnamed, failed = set(plain), False
    for wish in sys.argv[3:]:
        pattern, _, expected = wish.rpartition(":")
        names = [name for name in plain if pattern in name]
        if len(names) != 1:
            sys.exit(f"'{pattern}' is {len(names)} kernels of {list(plain)}")
        name = names[0]
        unnamed.discard(name)
        if expected == "same":
            if sluice[name] != plain[name]:
                failed = True
                print(f"{name} changed:")
                print(*difflib.unified_diff(plain[name].splitlines(),
                                            sluice[name].splitlines(),
                                            "clang", "sluice", lineterm=""),
                      sep="\n")
            continue
        added = sluice[name].count("bar.sync") - plain[name].count("bar.sync")
        if added != int(expected):
            failed = True
            print(f"{name} has {added} barriers more than clang's, "
                  f"not {expected}")
    if unnamed:
        sys.exit(f"kernels that the test does not name: {sorted(unnamed)}")
    sys.exit(1 if failed else 0)


main()
