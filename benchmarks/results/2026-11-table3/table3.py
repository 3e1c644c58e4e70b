#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The paper's Table 3 beside what Sluice plans for the same loops. Needs no GPU.

    table3.py SLUICE [FOLDER]

SLUICE is build/bin/sluice. Writes table.csv and why.csv into FOLDER (default: that of this
file) and the tables of README.md to standard output. Needs PyYAML."""

import csv
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

import yaml

HERE = Path(__file__).resolve().parent
KERNELS = HERE.parent.parent / "kernels"
# The paper's compiler leaves sums in memory.
TITAN_V = ["--cuda-gpu-arch=sm_70", "--sluice-sms=80", "--sluice-promote=off", "-O3", "-std=c++17"]
LINE = 128


@dataclass(frozen=True)
class TLP:
    """The paper's notation: warps of a block that run together, blocks on an SM."""

    warps: int
    blocks: int

    def __str__(self):
        return f"({self.warps},{self.blocks})"


def read_tlp(text):
    return TLP(*map(int, text.split("x")))


def kernels_of(sluice, source, launches, l1):
    """{name: its plan} of a source's kernels, but the suite's own."""
    file = HERE / "loops.cu" if source == "loops" else KERNELS / f"{source}.cu"
    command = [sluice, "plan", str(file), *TITAN_V, "-DBENCH_PAPER"]
    command += [f"--sluice-launch={launch}" for launch in launches]
    command += [f"--sluice-l1-kib={l1}"] if l1 else []
    said = subprocess.run(command, capture_output=True, text=True)
    if said.returncode != 0:
        sys.exit(f"{' '.join(command)}: {said.stderr}")
    plan = next(p for p in yaml.safe_load_all(said.stdout) if p["source"] == file.name)
    return {
        k["display"].split("(")[0]: k
        for k in plan["kernels"]
        if not k["display"].startswith("bench::")
    }


def loops_of(kernel):
    """In the order of the source."""

    def place(loop):
        return [int(part) for part in loop["loop"].split(":")[1:]]

    return sorted(kernel.get("loops", []), key=place)


def planned(kernel, loops):
    """(TLP without Sluice, TLP of these loops' most throttled) of a kernel's only launch."""
    (launch,) = kernel["launches"]
    threads = 1
    for size in launch["block"]:
        threads *= size
    warps = -(-threads // 32)
    groups = max([loop["throttle"] for loop in loops], default=1)
    blocks = launch["blocks-per-sm"]
    return TLP(warps, blocks), TLP(
        -(-warps // groups), min(blocks, kernel.get("resident-blocks", blocks))
    )


def by_hand(row, baseline, l1_bytes):
    """Eq. 8 and 9: N up to the warps of a block, then fewer blocks; as it was if none fits."""
    requests = sum(row.get("requests", []))

    def fits(warps, blocks):
        return requests * warps * blocks * LINE <= l1_bytes

    if not row.get("reuse", True) or fits(baseline.warps, baseline.blocks):
        return baseline
    groups = 1
    while groups < baseline.warps:
        groups *= 2
        if fits(-(-baseline.warps // groups), baseline.blocks):
            return TLP(-(-baseline.warps // groups), baseline.blocks)
    for blocks in range(baseline.blocks - 1, 0, -1):
        if fits(1, blocks):
            return TLP(1, blocks)
    return baseline


def markdown(header, rows):
    print("| " + " | ".join(header) + " |")
    print("|---" * len(header) + "|")
    for row in rows:
        print("| " + " | ".join(str(cell) for cell in row) + " |")
    print()


def write_csv(file, header, rows):
    with open(file, "w") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def main(sluice, folder=HERE):
    described = tomllib.loads((HERE / "rows.toml").read_text())
    with open(HERE / "paper.csv") as file:
        lines = [line for line in file if not line.startswith("#")]
    paper = {
        line.pop("row"): {key: read_tlp(value) for key, value in line.items()}
        for line in csv.DictReader(lines)
    }
    sizes = (("32k", 32), ("max", None))

    table, reasons = [], []
    for name, row in described["row"].items():
        said = paper[name]
        launches = [f"{row['kernel']}:{row['launch']}"] if "launch" in row else []
        cells = []
        for size, l1 in sizes:
            kernel = kernels_of(sluice, row["source"], launches, l1)[row["kernel"]]
            loops = [loops_of(kernel)[row["loop"]]] if "loop" in row else []
            before, ours = planned(kernel, loops)
            l1_bytes = kernel["launches"][0]["l1-bytes"]
            hand = by_hand(row, said["baseline"], l1_bytes)
            catt = said[f"catt_{size}"]
            cells += [said[f"bftt_{size}"], catt, hand, ours]
            why = loops[0]["why"] if loops else "no loop"
            # Only one of the two decides.
            if "resident-blocks" in kernel or "one block is all" in kernel.get("blocks-why", ""):
                why += "; " + kernel["blocks-why"]
            reasons.append([name, size, l1_bytes, catt, hand, ours, why])
        table.append([name, row["kernel"], said["baseline"], before, *cells])

    columns = ["BFTT", "CATT", "by hand", "Sluice"]
    write_csv(
        Path(folder) / "table.csv",
        ["row", "kernel", "baseline_paper", "baseline_sluice"]
        + [f"{c.replace(' ', '_').lower()}_{size}" for size, _ in sizes for c in columns],
        table,
    )

    for size, catt in (("32 KB", 5), ("the maximum", 9)):
        for who, at in (("by hand", catt + 1), ("Sluice", catt + 2)):
            same = sum(row[catt] == row[at] for row in table)
            print(f"{size}, {who}: {same} of {len(table)} rows as CATT")
    print()

    def marked(cells):
        """Sluice's choices in bold where they are CATT's."""
        cells = list(map(str, cells))
        for catt, ours in ((5, 7), (9, 11)):
            if cells[catt] == cells[ours]:
                cells[ours] = f"**{cells[ours]}**"
        return cells

    markdown(
        ["row", "kernel", "baseline", "ours"]
        + [f"{size}: {c}" for size in ("32 KB", "max") for c in columns],
        map(marked, table),
    )

    insensitive = []
    for name, entry in described["insensitive"].items():
        launches = entry.get("launches", [])
        for kernel_name, kernel in kernels_of(
            sluice, entry["source"], launches, None
        ).items():
            loops = loops_of(kernel)
            before, ours = planned(kernel, loops)
            insensitive.append([name, kernel_name, len(loops), before, ours])
            for loop in loops:
                why = [loop["why"], *([kernel["blocks-why"]] if before != ours else [])]
                reasons.append(
                    [name, "max", kernel["launches"][0]["l1-bytes"], before, "", ours]
                    + ["; ".join(why)]
                )
    write_csv(
        Path(folder) / "why.csv",
        ["row", "l1", "l1_bytes", "catt", "by_hand", "sluice", "why"],
        reasons,
    )
    markdown(["program", "kernel", "loops", "baseline", "Sluice"], insensitive)


if len(sys.argv) < 2:
    sys.exit(__doc__)
main(*sys.argv[1:])
