#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hit rates of each load: a trace recorded on a GPU against the emulator's.

compare.py SLUICE NAME.raw NAME.trace [...]: writes CSV."""

import csv
import json
import subprocess
import sys


def profile(sluice, trace):
    """{(kernel, place): (sectors, hits)} of the loads."""
    command = [sluice, "profile", f"--replay={trace}", "--no-pairs", "--json"]
    said = subprocess.run(command, capture_output=True, text=True, check=True)
    loads = {}
    for kernel in json.loads(said.stdout)["kernels"]:
        for access in kernel["accesses"]:
            if access["kind"] == "load":
                count = access["counts"]
                hits = count["hits"] + count["pending-hits"]
                loads[kernel["name"], access["at"]] = (count["sectors"], hits)
    return loads


def main(sluice, *files):
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(
        ["kernel", "load", "sectors_gpu", "sectors_emulator", "hit_gpu", "hit_emulator"]
    )
    for raw, trace in zip(files[::2], files[1::2]):
        gpu, emulator = profile(sluice, raw), profile(sluice, trace)
        for key, (sectors, hits) in sorted(gpu.items()):
            if key not in emulator:
                continue
            other, other_hits = emulator[key]
            out.writerow(
                [
                    *[key[0], key[1], sectors, other],
                    *[round(100 * hits / sectors, 2), round(100 * other_hits / other, 2)],
                ]
            )


main(*sys.argv[1:])
