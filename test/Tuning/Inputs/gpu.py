# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plays the machine with the GPU: measures an exported round by a formula.

    gpu.py FOLDER [--wrong=PLAN] [--broken=PLAN] [--missing=PLAN] [--lines=N]

The kernel `rows` is fastest with N=4, every kernel with a carveout of 0 and all blocks. PLAN is
"KERNEL PLAN" as round.json has it. With --lines the run is killed in the line
after so many.
"""

import argparse
import json
import math
import os
import re

LAUNCHES = [0, 1, 3]  # of four


def time(kernel, plan):
    n = re.search(r"throttle [^;]*=(\d+)", plan)
    carveout = re.search(r"carveout=(\d+)", plan)
    steps = abs(math.log2(int(n.group(1)) if n else 1) - 2)
    slower = int(carveout.group(1)) / 100 if carveout else 0.1
    if "blocks=" in plan:
        slower = 1
    return (1 + (steps if kernel == "rows" else 1)) * (1 + slower)


def lines(folder, wrong, broken, missing):
    with open(os.path.join(folder, "round.json")) as file:
        rounds = json.load(file)["candidates"]
    plans = {(c["kernel"], c["id"]): c["plan"] for c in rounds if c["id"]}
    measured = []
    with open(os.path.join(folder, "job")) as file:
        for words in map(str.split, file):
            if words[0] == "candidate" and words[1] != "base":
                kernel = next(w[7:] for w in words if w.startswith("kernel="))
                assert os.path.exists(os.path.join(folder, words[2]))
                measured.append((kernel, words[1]))
    kernels = sorted({kernel for kernel, _ in measured})
    yield {"event": "device", "name": "Formula GPU", "arch": "sm_90"}
    for kernel in kernels:
        for launch in LAUNCHES:
            head = {"kernel": kernel, "launch": launch}
            base = [time(kernel, "")] * 3
            yield {"event": "measured", **head, "candidate": "base", "ms": base,
                   "wrong_words": 0, "stopped": False, "base": True}
            for of, name in measured:
                plan = plans[of, name]
                which = f"{of} {plan}"
                if of != kernel or which == missing:
                    continue
                this = {**head, "candidate": name}
                yield {"event": "trying", **this}
                ms = [1.5 * time(of, plan), time(of, plan), time(of, plan)]
                result = {"ms": ms, "wrong_words": 0, "stopped": False}
                if which == wrong:
                    result = {"ms": [], "wrong_words": 17, "stopped": False}
                if which == broken:
                    result = {"ms": [], "error": "the program did not survive it"}
                yield {"event": "measured", **this, **result}
    for kernel in ["rows", "barriers"]:  # measured here or not
        yield {"event": "launches", "kernel": kernel, "launches": 4, "timed": 3,
               "ms": 3 * time(kernel, "")}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    for name in ["--wrong", "--broken", "--missing"]:
        parser.add_argument(name)
    parser.add_argument("--lines", type=int)
    a = parser.parse_args()
    text = [
        json.dumps(line) + "\n"
        for line in lines(a.folder, a.wrong, a.broken, a.missing)
    ]
    if a.lines:
        text = text[: a.lines] + [text[a.lines][:40]]
    with open(os.path.join(a.folder, "results.jsonl"), "a") as file:
        file.writelines(text)


main()
