#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels with every set of cache hints on their loads, to search for the best.

    benchmarks/run hintsets FOLDER --sets-of clang,sluice --variants ... --only ...
    FOLDER/assemble                     # where ptxas is; many cubins
    FOLDER/measure
    benchmarks/run hintsets-report FOLDER/results.json --sets FOLDER/sets.json

Each base's kernels are compiled to PTX once, with positions. A load of the source
is what stands at one position, in all its copies. Loads get hints in the text, as
hinted.py gives them, which ptxas makes into the same code as Sluice's own
(test/CacheHints/same-cubins.test).

Variant BASE.I has, in every kernel, that kernel's set I, of these: no hint; one hint
on all loads; one hint on one load; all sets of loads that bypass, the rest cached, or
--random of them above 6 loads. FOLDER/sets.json says which set is which.

Where --plans has PROGRAM.profile.yaml, the sets that `sluice hints` takes from it are
among them, and FOLDER/choices.json says which loads these are: Algorithm 1's
(heuristic) and the exact solution's (ILP), bypassing as no_allocate and as cg, and
what a compile with the profile would do (planned). A load that the profile
has not, of code that was optimised otherwise, is cached in them.
"""

import argparse
import concurrent.futures
import hashlib
import itertools
import json
import os
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path

try:
    from . import hinted
except ImportError:  # as FOLDER/assemble
    import hinted

# The choices by the words of `sluice hints --json`, and how their loads bypass.
# What a compile would do are hints themselves.
CHOICES = {
    "heuristic": ("algorithm-1", "no_allocate"),
    "heuristic cg": ("algorithm-1", "cg"),
    "ILP": ("chosen", "no_allocate"),
    "ILP cg": ("chosen", "cg"),
    "planned": ("compile", None),
}
SINGLE = ("no_allocate", "cg", "evict_first", "evict_last", "nc")
POSITION = re.compile(r"^\s*\.loc\s.*?// (.*)$")
ENTRY = re.compile(
    r"\.entry\s+(\w+)\s*\(.*?\)[^{;]*?^(\{\n.*?^\}\n)", re.DOTALL | re.MULTILINE
)


def positions(body, wanted):
    """{line of the text: its position}, of lines with what is wanted."""
    found, position = {}, "?"
    for number, line in enumerate(body.splitlines()):
        if match := POSITION.match(line):
            position = re.sub(r"[^ ]*/", "", match[1])
        elif wanted.search(line):
            found[number] = position
    return found


def loads_of(body):
    """{line of the text: the load's position}, of loads that can have a hint."""
    return positions(body, hinted.LOAD)


def position_of(load):
    """Where a load of `sluice hints --json` stands, as PTX has it: what was inlined
    at the first of two calls, a.cu:5:14 @[ b.cu:9:3 @[ b.cu:20:7 ] ]."""
    places = [load["at"], *load["inlined-at"]]
    return " @[ ".join(places) + " ]" * len(load["inlined-at"])


def choices_in(profiles):
    """{kernel: {choice: {position: hint}}} of what `sluice hints --json` printed.
    A kernel without pairs, as those above 32 loads are, has none."""
    return {
        kernel["name"]: {
            choice: {
                position_of(load): hint or load[solver].removeprefix("L1::")
                for load in kernel["loads"]
                if load[solver] not in ("cache", "none")
            }
            for choice, (solver, hint) in CHOICES.items()
        }
        for profile in profiles
        for kernel in profile["kernels"]
        if kernel.get("loads")
    }


def as_profiled(place):
    """A profile calls it unknown what code that was merged has as line 0."""
    return re.sub(r"[^ ]*:0:\d+", "<unknown>", place)


def applicable(chosen, places):
    """A choice's hints on the loads that a kernel's text has."""
    known = {place: as_profiled(place) for place in places}
    return {p: chosen[known[p]] for p in places if known[p] in chosen}


def sets_of(body, most_random, chosen=()):
    """The sets of one kernel: [{position: hint}], no hints first."""
    loads = loads_of(body)
    places = list(dict.fromkeys(loads.values()))
    legal = hinted.read_only_lines(body.splitlines())
    read_only = [p for p in places if all(n in legal for n in loads if loads[n] == p)]
    found = [{}]
    for hint in SINGLE:
        allowed = read_only if hint == "nc" else places
        found.append({p: hint for p in allowed})
        found += [{p: hint} for p in allowed]
    for one in places:
        found.append({p: "evict_last" if p == one else "evict_first" for p in places})
    if len(places) <= 6:
        bypassing = itertools.product((False, True), repeat=len(places))
    else:
        chance = random.Random(1)
        bypassing = (
            [chance.random() < 0.5 for _ in places] for _ in range(most_random)
        )
    found += [
        {p: "no_allocate" for p, off in zip(places, choice) if off}
        for choice in bypassing
    ]
    found += [applicable(one, places) for one in chosen]
    return list({json.dumps(s, sort_keys=True): s for s in found}.values())


def apply(ptx, sets):
    """sets: {kernel: {position: hint}}"""

    def edit(match):
        hints, body = sets.get(match[1], {}), match[2]
        lines = body.splitlines()
        for number, place in loads_of(body).items():
            if place in hints:
                lines[number] = hinted.with_hint(lines[number], hints[place])
        return match[0].replace(body, "\n".join(lines) + "\n")

    return ENTRY.sub(edit, ptx)


def enumerate_sets(ptx, most_random, choices={}):
    """[{kernel: {position: hint}}], one for each variant."""
    kernels = {
        m[1]: sets_of(m[2], most_random, choices.get(m[1], {}).values())
        for m in ENTRY.finditer(ptx)
    }
    kernels = {name: sets for name, sets in kernels.items() if len(sets) > 1}
    size = max(map(len, kernels.values()), default=1)
    return [
        {name: sets[i] for name, sets in kernels.items() if i < len(sets)}
        for i in range(size)
    ]


def add_arguments(parser):
    from . import build

    build.add_arguments(parser)
    parser.set_defaults(variants="clang,sluice")
    parser.add_argument("--sets-of", default="clang,sluice", help="of the variants")
    parser.add_argument(
        "--random", type=int, default=200, help="sets of kernels with more loads"
    )


def unmatched(ptx, choices):
    """(kernel, position) of each load that a choice lets bypass and the text has
    not. One that has a hint already is there."""
    missing = []
    for kernel, body in ((m[1], m[2]) for m in ENTRY.finditer(ptx)):
        found = positions(body, re.compile(r"\bld\.global\.")).values()
        there = set(map(as_profiled, found))
        wanted = {p for one in choices.get(kernel, {}).values() for p in one}
        missing += [(kernel, place) for place in sorted(wanted - there)]
    return missing


def choices_of(program, plans):
    """What the program's profile makes the solvers choose, as choices_in has it."""
    from . import variants

    profile = plans / f"{program.name}.profile.yaml" if plans else None
    if not profile or not profile.exists():
        return {}
    command = [variants.SLUICE_BUILD / "bin" / "sluice", "hints", "--json", profile]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr.strip())
    return choices_in(json.loads(done.stdout))


def add_sets(entry, program, bases, builder, choices):
    """Compiles the program's PTX, and has its entry of the manifest list the
    sets as variants. {base: [{kernel: {position: hint}}]}"""
    lists = {key: dict(entry[key]) for key in ("images", "carveouts", "claims")}
    sets = {}
    for base in bases:
        command = builder.command(program, base)
        if not command or base not in entry["variants"]:
            continue
        command = ["-S" if word == "-c" else word for word in command]
        flags = [*program.flags, *builder.flags, "-gline-tables-only"]
        ptx = builder.arguments.folder / program.name / f"{base}.ptx"
        if not builder.run([*command, *flags], program.source, ptx):
            continue
        text = ptx.read_text()
        sets[base] = enumerate_sets(text, builder.arguments.random, choices)
        for kernel, place in unmatched(text, choices):
            print(f"{program.name}: {base}: {kernel} has no load at {place}")
        for number in range(len(sets[base])):
            name = f"{base}.{number}"
            lists["images"][name] = f"{name}.cubin"
            for key in ("carveouts", "claims"):
                if found := entry[key].get(base):
                    lists[key][name] = found
    entry.update(variants=list(lists["images"]), **lists)
    return sets


def main(arguments):
    """Builds FOLDER, but for the cubins."""
    from . import build, variants

    builder, programs, manifest = build.build(arguments)
    folder, bases = arguments.folder, arguments.sets_of.split(",")

    def sets_of_program(entry):
        program = next(p for p in programs if p.name == entry["name"])
        choices = choices_of(program, arguments.plans)
        sets = add_sets(entry, program, bases, builder, choices)
        return program.name, sets, choices

    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        found = list(pool.map(sets_of_program, manifest["programs"]))
    for file, column in (("sets.json", 1), ("choices.json", 2)):
        by_program = {row[0]: row[column] for row in found if row[column]}
        (folder / file).write_text(json.dumps(by_program) + "\n")
    shutil.copy(__file__, folder / "assemble")
    (folder / "assemble").chmod(0o755)
    shutil.copy(variants.HINTED, folder / "hinted.py")
    return build.finish(builder, manifest)


def assemble():
    """Makes FOLDER's cubins from its PTX, where this script stands."""
    folder = Path(__file__).resolve().parent
    parser = argparse.ArgumentParser()
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--ptxas", default=shutil.which("ptxas") or "ptxas")
    arguments = parser.parse_args()
    manifest = json.loads((folder / "manifest.json").read_text())
    sets = json.loads((folder / "sets.json").read_text())

    def one(job):
        program, base, number, chosen = job
        output = folder / program / f"{base}.{number}.cubin"
        text = apply((folder / program / f"{base}.ptx").read_text(), chosen)
        # Another profile gives the same number another set.
        key = hashlib.sha256(text.encode()).hexdigest()
        stamp = output.with_suffix(".key")
        if output.exists() and stamp.exists() and stamp.read_text() == key:
            return
        edited = output.with_suffix(".ptx")
        edited.write_text(text)
        command = [arguments.ptxas, "-m64", "-O3", "--gpu-name", manifest["arch"]]
        subprocess.run([*command, str(edited), "-o", str(output)], check=True)
        edited.unlink()
        stamp.write_text(key)

    jobs = [
        (program, base, number, chosen)
        for program, bases in sets.items()
        for base, variants in bases.items()
        for number, chosen in enumerate(variants)
    ]
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        list(pool.map(one, jobs))
    print(f"{len(jobs)} cubins")


if __name__ == "__main__":
    assemble()
