# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a reader of the documentation relies on and no compiler checks.

check-docs.py links FILE.md...          each relative link has its file and heading
check-docs.py table README.md PAGE.md   the README's table has the page's numbers
"""

import re
import sys
from pathlib import Path


def prose(page):
    """The lines of a page that are not in a block of code."""
    code = False
    for line in page.read_text().splitlines():
        if line.startswith("```"):
            code = not code
        elif not code:
            yield line


def anchors(page):
    """The names that GitHub gives the headings of a page."""
    for line in prose(page):
        if line.startswith("#"):
            title = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", line.lstrip("# "))
            yield re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def dead_links(page):
    for line in prose(page):
        for target in re.findall(r"\]\(([^)\s]+)\)", line):
            if target.startswith("http"):
                continue
            path, _, heading = target.partition("#")
            file = page.parent / path if path else page
            if not file.exists():
                yield f"{page}: no such file: {target}"
            elif heading and heading not in anchors(file):
                yield f"{page}: no such heading: {target}"


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def measured(page):
    """The default's times and speed-up by (program, kernel)."""
    rows, header = {}, []
    for line in prose(page):
        row = cells(line)
        if row[0] == "program: kernel":
            header = row
        elif len(row) == len(header) > 1 and ": " in row[0]:
            program, kernel = row[0].split(": ")
            columns = ("clang ms", "sluice ms", "sluice over clang")
            rows[program, kernel] = [row[header.index(c)] for c in columns]
    return rows


def other_numbers(readme, page):
    known, found = measured(page), 0
    for line in prose(readme):
        row = cells(line)
        if len(row) != 5 or not row[3].endswith(("×", "×**")):
            continue
        found += 1
        name = re.fullmatch(r"(\w+)(?: \((\w+)\))?", row[0])
        fits = [
            numbers
            for (program, kernel), numbers in known.items()
            if name and kernel == name[1] and name[2] in (None, program)
        ]
        if len(fits) != 1:
            yield f"{readme}: {row[0]} is {len(fits)} kernels of {page}"
            continue
        for said, number in zip(row[1:4], fits[0]):
            said = said.strip("*×")
            digits = len(said.partition(".")[2])
            if said != f"{float(number):.{digits}f}":
                yield f"{readme}: {row[0]} has {said}, {page} {number}"
    if not found:
        yield f"{readme}: no table of kernels"


def main():
    pages = [Path(name) for name in sys.argv[2:]]
    if sys.argv[1] == "table":
        errors = list(other_numbers(*pages))
    else:
        errors = [error for page in pages for error in dead_links(page)]
    print(*errors, sep="\n")
    sys.exit(1 if errors else 0)


main()
