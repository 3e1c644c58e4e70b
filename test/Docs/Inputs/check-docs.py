# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a reader of the documentation relies on and no compiler checks.

check-docs.py links FILE.md...          each relative link has its file and heading
check-docs.py table README.md PAGE.md   the README's table has the page's numbers
check-docs.py versions PAGE.md < ERROR  the page's list of versions has all up to
                                        the last that the error names
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


def missing_versions(page, last):
    """Of the section "Versions", which goes to the next heading."""
    text = "\n".join(prose(page))
    section = re.search(r"^## Versions$(.*?)(?=^#|\Z)", text, re.M | re.S)[1]
    listed = {int(number) for number in re.findall(r"[Vv]ersion (\d+)\b", section)}
    for version in range(2, last + 1):  # 1 is where it began
        if version not in listed:
            yield f"{page}: version {version} is not listed"
    for version in sorted(listed):
        if version > last:
            yield f"{page}: version {version} is not there yet"
    if f"1 to {last}." not in text:
        yield f"{page}: the table of keys does not say 1 to {last}"


def main():
    pages = [Path(name) for name in sys.argv[2:]]
    if sys.argv[1] == "versions":
        last = int(re.search(r"versions 1 to (\d+)", sys.stdin.read())[1])
        errors = list(missing_versions(*pages, last))
    elif sys.argv[1] == "table":
        errors = list(other_numbers(*pages))
    else:
        errors = [error for page in pages for error in dead_links(page)]
    print(*errors, sep="\n")
    sys.exit(1 if errors else 0)


main()
