# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plays the machine with the GPU: the runs of an exported search for a quality.

    qos-gpu.py FOLDER [--slow=N] [--crash=N]

Of 400 numbers in o.txt, a hundred times LAMBDA are off by a millionth of the
program's first argument. A warp less takes a millisecond more; with --slow the
run with N warps takes 9 ms, with --crash it ends with 1.
"""

import argparse
import json
import os
import shlex
import struct

KERNEL = "_ZN3sea5wavesEPKfPf"


def play(folder, name, first, slow, crash):
    count = int(name.split(".")[0])
    with open(os.path.join(folder, "job")) as file:
        assert f"candidate base ../../images/{count}.cubin\n" in file.read()
    ms = 9 if count == slow else 8 - count
    lines = [
        {"event": "device", "name": "Formula GPU"},
        {"event": "measured", "kernel": KERNEL, "launch": 0, "candidate": "base",
         "block": [128, 1, 1], "ms": [ms, 99, ms], "base": True},
        {"event": "launches", "kernel": KERNEL, "launches": 2, "timed": 2, "ms": 7},
    ]
    with open(os.path.join(folder, "results.jsonl"), "w") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)
    numbers = [1 + (i < 100 * count) * 1e-6 * float(first) for i in range(400)]
    # Two buffers were passed, one after the other.
    for part in range(2):
        with open(os.path.join(folder, f"buffer-0.{part}"), "wb") as file:
            file.write(struct.pack("<200f", *numbers[part::2]))
    with open(os.path.join(folder, "o.txt"), "w") as file:
        file.writelines(f"{x}\n" for x in numbers)
    with open(os.path.join(folder, "stdout"), "w") as file:
        print("the sum: 400", file=file)
    with open(os.path.join(folder, "status"), "w") as file:
        print(int(count == crash), file=file)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--slow", type=int)
    parser.add_argument("--crash", type=int)
    arguments = parser.parse_args()
    folder = arguments.folder
    with open(os.path.join(folder, "run.sh")) as file:
        for words in (shlex.split(line) for line in file if line.startswith("run ")):
            assert words[2:] != [], "the program's arguments"
            play(os.path.join(folder, "runs", words[1]), words[1], words[2],
                 arguments.slow, arguments.crash)


main()
