# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs of suite.toml."""

import sys
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

BENCHMARKS = Path(__file__).resolve().parent.parent
ROOT = BENCHMARKS.parent
SUITE = BENCHMARKS / "suite.toml"


@dataclass
class Program:
    name: str
    group: str
    source: Path
    flags: list = field(default_factory=list)
    arguments: list = field(default_factory=list)
    variants: list = field(default_factory=list)  # those of the command if empty


def read_suite(only=(), file=SUITE):
    """The programs, in order; with `only`, those of these names and groups."""
    programs = []
    for group, entries in tomllib.loads(file.read_text()).items():
        for name, entry in entries.items():
            unknown = set(entry) - {"source", "flags", "arguments", "variants"}
            if unknown:
                sys.exit(f"{file.name}: {name}: there is no key {', '.join(unknown)}")
            source = BENCHMARKS / "kernels" / f"{entry.get('source', name)}.cu"
            if not source.exists():
                sys.exit(f"{file.name}: {name}: there is no {source}")
            programs.append(
                Program(
                    name,
                    group,
                    source,
                    entry.get("flags", []),
                    entry.get("arguments", []),
                    entry.get("variants", []),
                )
            )
    known = {p.name for p in programs} | {p.group for p in programs}
    for wanted in only:
        if wanted not in known:
            sys.exit(
                f"there is no program or group called {wanted}; "
                f"groups: {', '.join(sorted({p.group for p in programs}))}"
            )
    return [p for p in programs if not only or {p.name, p.group} & set(only)]
