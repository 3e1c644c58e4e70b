# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What benchmarks/quality/run has found, as a table: runs, lambda and time of each
search, and how many inputs that were held back are beyond the bound."""

import glob
import json
import os
import sys

HOW = ["heu", "smp", "exhaustive"]


def load(folder, kernel, how):
    with open(os.path.join(folder, f"{kernel}-{how}.json")) as file:
        return json.load(file)


def main(folder):
    names = sorted(os.path.basename(path)[: -len("-heu.json")]
                   for path in glob.glob(os.path.join(folder, "*-heu.json")))
    print("| kernel | warps | runs: HEU | SMP | all | lambda: HEU | SMP | all "
          "| ms: none | HEU | SMP | all | HEU over all | held back, beyond |")
    print("|---|" + "---:|" * 13)
    for name in names:
        found = [load(folder, name, how) for how in HOW]
        ms = [next(run["ms"] for run in f["runs"] if run["lambda"] == f["taken"])
              for f in found]
        none = next(run["ms"] for run in found[2]["runs"] if run["lambda"] == 0)
        # Of what is taken in the end.
        beyond = sum(not run["keeps-bound"] for f in found for run in f["held-back"]
                     if run["lambda"] == f["taken"])
        cells = [name, found[0]["most"], *(len(f["runs"]) for f in found),
                 *(f["taken"] for f in found), f"{none:.4f}",
                 *(f"{x:.4f}" for x in ms), f"{ms[0] / ms[2]:.3f}", beyond]
        print("| " + " | ".join(map(str, cells)) + " |")
    print(f"\nTimes are {found[0]['times']}.")


main(sys.argv[1])
