#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Do includes and link lines keep to the layers?

`layers.py [FOLDER]` reads the sources under include/sluice, lib and tools, and
lib's CMakeLists.txt files, and prints one line for each offence. An area is a
folder of lib with its headers in include/sluice; the tools are one area.
docs/internals/architecture.md has the same as a picture.
"""

import re
import sys
from pathlib import Path

# What an area may use: areas, or single headers of one of which it must not use
# more. A header that is listed and not used is an offence too, so that the list
# does not outlive its reasons.
LAYERS = {
    # Headers for CUDA C++, right in include/sluice: they are compiled by users.
    "Device": [],
    "Target": [],
    "Analysis": ["Target"],
    "Plan": ["Target", "Analysis"],
    "Simulator": ["Target", "Analysis"],
    # Numbers of a profile and of a plan to a graph.
    "XModel": ["Target", "Analysis", "Plan"],
    "Transforms": ["Target", "Analysis", "Plan", "Simulator"],
    # The emulator runs what NVPTX would make of the IR, fused as it fuses.
    # And what a kernel and a hint look like in IR. Not the analyses: it checks
    # what they lead to.
    "Emulator": [
        "Target",
        "Simulator",
        "Analysis/AnalysisManagers.h",
        "Analysis/CacheHintMetadata.h",
        "Analysis/KernelFunction.h",
        "Transforms/ContractMultiplyAdd.h",
    ],
    # The planners count with the code that there will be: sums in registers.
    # So planning stands above transforms, which get a plan and ask nobody.
    "Planning": [
        "Target",
        "Analysis",
        "Plan",
        "Transforms/LineCaching.h",
        "Transforms/PlanMetadata.h",
        "Transforms/StreamStaging.h",
        "Transforms/StreamWidening.h",
        "Transforms/SumPromotion.h",
        "Transforms/TechniquePasses.h",  # which the planner stands before
    ],
    "Frontend": ["Target", "Analysis", "Plan", "Planning"],
    # Tracer writes into the variable that TracePass puts into device code.
    "Tuning": ["Target", "Analysis", "Plan", "Planning", "Simulator/TraceControl.h"],
    "Plugin": ["Target", "Analysis", "Plan", "Planning", "Transforms", "Frontend"],
    # The passes of opt, for modules of mlir-opt.
    "MLIR": ["Target", "Analysis", "Plan", "Planning", "Transforms"],
    "tools": ["Target", "Analysis", "Plan", "Simulator", "Emulator", "Planning"]
    + ["Transforms", "Tuning", "XModel"],
}

# Folders, or single files, that may include clang's headers.
CLANG = [
    "include/sluice/Frontend",
    "lib/Frontend",
    "lib/Plugin",
    # sluice-clang++ and sluice read clang's own command line, by its table.
    "tools/driver/EmulatorCommandLine.h",
]

# Folders that may include MLIR's headers.
MLIR = ["lib/MLIR"]

# Areas that no header with LLVM IR in it reaches, also not through headers of
# areas below, and what the headers with IR in them begin with.
WITHOUT_IR = ["Target", "Plan", "XModel"]
IR = r"llvm/(Analysis|AsmParser|Bitcode|CodeGen|IR|IRReader|Linker|Passes|Transforms)/"

# Folders that nothing of LLVM reaches: they run inside the user's program, on
# machines that have none.
WITHOUT_LLVM = ["lib/Emulator/LinkedStart", "lib/Tuning/Replay"]

SUFFIXES = [".h", ".cpp", ".inc"]


class Tree:
    """The sources under a folder, with the includes of each."""

    def __init__(self, root):
        self.root = Path(root).resolve()
        self.includes = {}
        for top in ["include/sluice", "lib", "tools"]:
            for path in sorted((self.root / top).rglob("*")):
                if path.suffix in SUFFIXES:
                    self.includes[self.name(path)] = self.read(path)

    def name(self, path):
        return path.relative_to(self.root).as_posix()

    def read(self, path):
        """What the file includes: a file of this tree, or the text as it is."""
        text = path.read_text()
        found = re.findall(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', text, re.M)
        return [self.resolve(path.parent, include) for include in found]

    def resolve(self, folder, include):
        for base in [folder, self.root / "include"]:
            path = (base / include).resolve()
            if path.is_file() and path.is_relative_to(self.root):
                return self.name(path)
        # A header of Sluice that is not there: the compiler says more.
        return f"include/{include}" if include.startswith("sluice/") else include

    def reaches(self, name, pattern):
        """The way from a file to an include that matches, or None."""
        seen, ways = {name}, [[name]]
        for way in ways:
            for include in self.includes.get(way[-1], []):
                if re.match(pattern, include):
                    return [*way, include]
                if include not in seen:
                    seen.add(include)
                    ways.append([*way, include])
        return None


def area_of(name):
    """The area of a file of the tree; None for the world's headers."""
    if re.fullmatch(r"include/sluice/\w+\.h", name):
        return "Device"
    found = re.match(r"(?:include/sluice|lib)/(\w+)/|(tools)/", name)
    return found and (found[1] or found[2])


def is_in(name, folders):
    return any(name == folder or name.startswith(folder + "/") for folder in folders)


def may_use(area, other, header=None):
    """Without a header: may it use any header of the other area?"""
    for used in LAYERS[area]:
        if used in [other, header] or not header and used.startswith(other + "/"):
            return True
    return area == other


def wrong_areas(tree):
    for name in tree.includes:
        if area_of(name) not in LAYERS:
            yield f"{name}: utils/layers.py does not know this area"


def wrong_includes(tree):
    used = set()
    for name, includes in tree.includes.items():
        area = area_of(name)
        for include in includes:
            other = area_of(include)
            if area not in LAYERS or other not in LAYERS:
                continue
            header = include.removeprefix("include/sluice/")
            used.add((area, header))
            if not may_use(area, other, header):
                yield f"{name}: {area} may not use {header}"
    present = {area_of(name) for name in tree.includes}
    for area in sorted(present & LAYERS.keys()):
        for header in LAYERS[area]:
            if "/" in header and (area, header) not in used:
                yield f"utils/layers.py: {area} does not use {header} any more"


def wrong_outside(tree):
    """Headers of clang, MLIR and LLVM."""
    for name, includes in tree.includes.items():
        if not is_in(name, CLANG):
            for include in includes:
                if re.match(r"clang(-c)?/", include):
                    yield f"{name}: {include} is of clang"
        if not is_in(name, MLIR):
            for include in includes:
                if include.startswith("mlir/"):
                    yield f"{name}: {include} is of MLIR"
        for folders, pattern, what in [
            (WITHOUT_LLVM, r"llvm/", "LLVM"),
            ([f"lib/{a}" for a in WITHOUT_IR], IR, "LLVM IR"),
            ([f"include/sluice/{a}" for a in WITHOUT_IR], IR, "LLVM IR"),
        ]:
            way = is_in(name, folders) and tree.reaches(name, pattern)
            if way:
                yield f"{name}: reaches {what} by {', '.join(way[1:])}"


def wrong_links(tree):
    """Link lines of lib, by the folders that declare the libraries."""
    areas, links = {}, []
    for path in sorted((tree.root / "lib").rglob("CMakeLists.txt")):
        name = tree.name(path)
        for command, body in re.findall(r"(\w+)\(([^()]*)\)", path.read_text()):
            words = body.split()
            if command in ["sluice_library", "sluice_plugin", "add_library"]:
                areas[words[0]] = area_of(name)
            elif command == "target_link_libraries":
                links.append((name, words[0], words[1:]))
    for name, library, uses in links:
        for used in uses:
            if used in areas and not may_use(areas[library], areas[used]):
                yield f"{name}: {library} may not link {used}"


def offences(root):
    tree = Tree(root)
    if not tree.includes:
        return [f"{root}: no sources here"]
    checks = [wrong_areas, wrong_includes, wrong_outside, wrong_links]
    return [line for check in checks for line in check(tree)]


def main():
    default = Path(__file__).resolve().parent.parent
    found = offences(sys.argv[1] if len(sys.argv) > 1 else default)
    print("\n".join(found) or "includes and link lines keep to the layers")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
