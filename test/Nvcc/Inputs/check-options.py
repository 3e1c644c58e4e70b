# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the options of `nvcc --help` (standard input) that the table of
sluice-nvcc (the file named) does not have, and those of the table that nvcc
does not have."""

import re
import sys


def of_help(text):
    """(long, short) of each option: its lines begin at the margin."""
    for line in text.splitlines():
        found = re.match(r"(--[\w+-]+).*?\s(?:\((-[\w+-]+)\)|--[\w-]+)\s*$", line)
        if found:
            yield found[1], found[2] or ""


def of_table(text):
    for line in text.splitlines():
        found = re.match(r"\| `(--[^`]+)`(?:, `(-[^`]+)`)? \|", line)
        if found:
            yield found[1], found[2] or ""


with open(sys.argv[1]) as table:
    ours = set(of_table(table.read()))
theirs = set(of_help(sys.stdin.read()))
for option in sorted(theirs - ours):
    print("not in the table:", *option)
for option in sorted(ours - theirs):
    print("not of nvcc:", *option)
print(len(theirs & ours), "options are both nvcc's and the table's")
sys.exit(theirs != ours)
