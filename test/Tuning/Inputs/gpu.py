# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plays the machine with the GPU: measures an exported round by a formula.

    gpu.py FOLDER [--wrong=PLAN] [--broken=PLAN] [--missing=PLAN] [--lines=N]
    gpu.py --log=LOG [--kill-once=FILE] [--kill-parent=FILE] [--hang=FILE]
           [--lost=N] [--other-chip=N] [--sleep=S] [--tell=WORD] [--slow=F] [--queues]
           [--together=N]

The kernel `rows` is fastest with N=4, every kernel with a carveout of 0 and all blocks. PLAN is
"KERNEL PLAN" as round.json has it. With --lines the run is killed in the line
after so many.

In the second form it is the program of a piece that a worker runs (--command):
goes on behind what is measured and writes what it measures to LOG too. FILE is
made by who is killed with its shell, or also with the process that started it, or hangs, half way; where it is there already
nobody is. It hangs whenever the plan in the environment's HANG_AT is tried. On the GPU --lost there is none, and
the others wait until three runs have failed there. --other-chip has another chip, on which N=8 is best. The GPU is CUDA_VISIBLE_DEVICES.
--slow: all times are F times as long. --queues: with one queue it fails. --together: it
waits until N devices have begun with it. With --tell=WORD it adds a line with WORD and its piece to the file in which the
pieces of a search tell each other times, and writes to LOG.told what it found there.
"""

import argparse
import json
import math
import os
import re
import signal
import time as clock

LAUNCHES = [0, 1, 3]  # of four


best = 2  # log2 of N
slow = 1  # all times


def time(kernel, plan):
    n = re.search(r"throttle [^;]*=(\d+)", plan)
    carveout = re.search(r"carveout=(\d+)", plan)
    steps = abs(math.log2(int(n.group(1)) if n else 1) - best)
    slower = int(carveout.group(1)) / 100 if carveout else 0.1
    if "blocks=" in plan:
        slower = 1
    return slow * (1 + (steps if kernel == "rows" else 1)) * (1 + slower)


def lines(folder, wrong, broken, missing, chip="Formula GPU"):
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
    yield {"event": "device", "name": chip, "arch": "sm_90"}
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


def tell(folder, word, log):
    with open(os.path.join(folder, "job")) as file:
        best = next(line.split()[1] for line in file if line.startswith("best "))
    path = os.path.join(folder, best)
    found = open(path).read().splitlines() if os.path.exists(path) else []
    words = {line.split()[0] for line in found}
    with open(log + ".told", "a") as file:
        print(word, "after", len(found), "of", *sorted(words), file=file)
    with open(path, "a") as file:
        print(word, os.path.basename(folder), file=file)


def head(line):
    return tuple(line.get(key) for key in ["kernel", "launch", "candidate"])


def add_and_wait(folder, name, files):
    os.makedirs(folder, exist_ok=True)
    if name:
        open(os.path.join(folder, name), "w").close()
    while len(os.listdir(folder)) < files:
        clock.sleep(0.01)


def happens_once(path):
    try:
        return path and os.open(path, os.O_CREAT | os.O_EXCL)
    except FileExistsError:
        return None


def work(a):
    global best, slow
    slow = a.slow
    folder = os.path.dirname(os.environ["SLUICE_REPLAY"])
    device = os.environ.get("CUDA_VISIBLE_DEVICES", "")
    chip = "Formula GPU"
    if device == a.lost:
        add_and_wait(a.log + ".failed", str(os.getpid()), 0)
        print("CUDA error: no CUDA-capable device is detected")
        return 1
    if device == a.other_chip:
        chip, best = "Other GPU", 3
    if a.queues and os.environ.get("CUDA_DEVICE_MAX_CONNECTIONS") == "1":
        print("kernels wait for each other")
        return 1
    if a.lost:
        add_and_wait(a.log + ".failed", None, 3)
    if a.together > 1:
        add_and_wait(a.log + ".begun", device, a.together)
    if a.tell:
        tell(folder, a.tell, a.log)
    results = os.path.join(folder, "results.jsonl")
    measured = set()
    if os.path.exists(results):
        with open(results) as file:
            for line in filter(str.strip, file):
                line = json.loads(line)
                if line["event"] == "measured" and line["candidate"] != "base":
                    measured.add(head(line))
    todo = [line for line in lines(folder, None, None, None, chip)
            if head(line) not in measured]
    with open(os.path.join(folder, "round.json")) as file:
        plans = {(c["kernel"], c["id"]): c["plan"] for c in json.load(file)["candidates"]}
    tried = [i for i, line in enumerate(todo) if line["event"] == "trying"]
    half = tried[len(tried) // 2] if tried else None
    with open(results, "a") as out, open(a.log, "a") as log:
        for i, line in enumerate(todo):
            print(json.dumps(line), file=out, flush=True)
            plan = plans.get((line.get("kernel"), line.get("candidate")))
            if i == half and happens_once(a.kill_once):
                os.killpg(os.getpgrp(), signal.SIGKILL)
            if i == half and happens_once(a.kill_parent):
                with open(f"/proc/{os.getpgrp()}/stat") as file:
                    os.kill(int(file.read().split()[3]), signal.SIGKILL)
                os.killpg(os.getpgrp(), signal.SIGKILL)
            hangs = line["event"] == "trying" and plan == os.environ.get("HANG_AT")
            if hangs or i == half and happens_once(a.hang):
                clock.sleep(1000)
            if line["event"] == "measured" and plan:
                print(chip, line["kernel"], line["launch"], plan, file=log, flush=True)
        clock.sleep(a.sleep)
    return 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", nargs="?")
    for name in ["--wrong", "--broken", "--missing", "--log", "--kill-once", "--hang",
                 "--kill-parent", "--lost", "--other-chip", "--tell"]:
        parser.add_argument(name)
    parser.add_argument("--lines", type=int)
    parser.add_argument("--sleep", type=float, default=0)
    parser.add_argument("--queues", action="store_true")
    parser.add_argument("--together", type=int, default=1)
    parser.add_argument("--slow", type=float, default=1)
    a = parser.parse_args()
    if not a.folder:
        return work(a)
    text = [
        json.dumps(line) + "\n"
        for line in lines(a.folder, a.wrong, a.broken, a.missing)
    ]
    if a.lines:
        text = text[: a.lines] + [text[a.lines][:40]]
    with open(os.path.join(a.folder, "results.jsonl"), "a") as file:
        file.writelines(text)
    return 0


raise SystemExit(main())
