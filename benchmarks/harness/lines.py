# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How often the lines of software-l1=shared hold what is accessed, on the
emulator.

Runs the programs at small sizes with a trace of all accesses, and follows each
thread's lines by it:

  a load of 16 bytes of global memory    a miss, for which a line is fetched; the
                                         thread's next four stores fill it
  words that no fetch fills              a line of what is only written: a store
                                         when it is empty is a miss, a load
                                         writes it back and leaves it empty
  a store to the block that a line has   writes that line back, and what was
                                         loaded for it is no access

All other accesses of the lines' words are hits. These words are the shared ones
that only one thread of a block touches. So kernels are not to have accesses of
16 bytes themselves, of 8 in lines, two lines a thread that are only written,
nor atomics beside such a line, which write it back and leave it full.
"""

import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path

from . import variants
from .report import demangle, markdown
from .suite import read_suite

LINE_BYTES = 16
WORD_BYTES = 4
WORDS = LINE_BYTES // WORD_BYTES


def add_arguments(parser):
    parser.add_argument("--only", default="", help="programs and groups")
    parser.add_argument(
        "--flags", default="", help="of all programs: -DCHUNK=1024 for longer texts"
    )
    parser.add_argument(
        "--sluice-options",
        default="--sluice-software-l1=shared",
        help="%(default)s; --sluice-test-count=30 chooses after fewer accesses",
    )
    parser.add_argument(
        "--plans", type=Path, help="folder of PROGRAM.yaml, for programs that have one"
    )


class Thread:
    def __init__(self):
        self.to_fill = []  # the fetched block, while stores to fill it are to come
        self.block_of = {}  # of words that fetches fill
        self.is_full = False  # the line that is only written
        self.to_write = 0  # words or pieces of it, loaded but not yet stored


@dataclass
class Counts:
    """Accesses of threads."""

    through: int = 0  # lines
    misses: int = 0
    past: int = 0  # to global memory, by the program's own loads and stores

    @property
    def hits(self):
        return self.through - self.misses


class Launch:
    """What the trace says of one launch, access by access."""

    def __init__(self):
        self.threads = defaultdict(Thread)
        self.owner = {}  # by shared word; None: several
        self.through = Counter()  # by shared word
        self.misses = Counter()  # by shared word
        self.past = 0

    def access(self, kind, space, place, address, size):
        """`place`: the block's number and the thread's in it."""
        thread = self.threads[place]
        if thread.to_fill and (kind, space, size) != ("store", "s", WORD_BYTES):
            sys.exit(f"{place}: an access between a fetch and what it fills")
        if space == "g":
            self.access_global(kind, thread, address, size)
        elif space == "s":
            word = place[0], address // WORD_BYTES
            if self.owner.setdefault(word, place) != place:
                self.owner[word] = None
            self.access_shared(kind, thread, word)

    def access_global(self, kind, thread, address, size):
        block = address // LINE_BYTES
        if kind == "load" and size == LINE_BYTES:
            thread.to_fill = [block] * WORDS
        elif kind == "store" and block in thread.block_of.values():
            word = next(w for w, b in thread.block_of.items() if b == block)
            self.through[word] -= WORDS if size == LINE_BYTES else 1
        elif kind == "store" and thread.to_write:
            thread.to_write -= WORDS if size == LINE_BYTES else 1
        else:
            self.past += 1

    def access_shared(self, kind, thread, word):
        if thread.to_fill:
            thread.block_of[word] = thread.to_fill.pop()
            self.misses[word] += not thread.to_fill
        elif word in thread.block_of:
            self.through[word] += 1
        elif kind == "load":
            thread.is_full = False
            thread.to_write += 1
        else:
            self.through[word] += 1
            self.misses[word] += not thread.is_full
            thread.is_full = True

    def counts(self):
        def of_lines(counter):
            return sum(n for word, n in counter.items() if self.owner[word])

        return Counts(of_lines(self.through), of_lines(self.misses), self.past)


def kernels_of(trace):
    """{kernel: its counts}, of the lines of a trace."""
    kernels, launch, name, lanes_of = {}, None, None, {}

    def end():
        if launch:
            total, new = kernels.setdefault(name, Counts()), launch.counts()
            total.through += new.through
            total.misses += new.misses
            total.past += new.past

    for line in trace:
        words = line.split()
        if words[0] == "launch":
            end()
            # Namespace bench fills inputs.
            name = words[1]
            launch = None if name.startswith("_ZN5bench") else Launch()
        elif launch and words[0] in ("load", "store"):
            kind, block, warp, mask, size = (words[i] for i in (0, 2, 4, 6, 9))
            if mask not in lanes_of:
                bits = int(mask, 16)
                lanes_of[mask] = [i for i in range(32) if bits >> i & 1]
            for lane, where in zip(lanes_of[mask], words[10:]):
                place = block, int(warp) * 32 + lane
                launch.access(kind, where[0], place, int(where[1:], 16), int(size))
    end()
    return kernels


def run(program, arguments, folder):
    """{kernel: its counts}."""
    trace = folder / "trace"
    plan = arguments.plans / f"{program.name}.yaml" if arguments.plans else None
    options = arguments.sluice_options.split()
    if plan and plan.exists():
        options.append(f"--sluice-plan={plan}")
    command = [
        str(variants.SLUICE_BUILD / "bin" / "sluice"),
        "emulate",
        str(program.source),
        *variants.COMMON,
        "-DBENCH_SMALL",
        *program.flags,
        *arguments.flags.split(),
        *options,
        f"--trace={trace}",
        "--",
        *program.arguments,
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{program.name}:\n{done.stdout}{done.stderr}")
    with trace.open() as lines:
        return kernels_of(lines)


def row(program, kernel, counts):
    share = f"{100 * counts.hits / counts.through:.1f}" if counts.through else "–"
    numbers = [counts.past, counts.through, counts.misses]
    return [program, kernel, *(f"{n:,}" for n in numbers), share]


def main(arguments):
    rows = []
    for program in read_suite([o for o in arguments.only.split(",") if o]):
        with tempfile.TemporaryDirectory() as folder:
            kernels = run(program, arguments, Path(folder))
        display = demangle(list(kernels))
        rows += [row(program.name, display[k], c) for k, c in kernels.items()]
    header = ["program", "kernel", "past lines", "through lines", "misses", "hits, %"]
    print(markdown(header, rows, left=2))
    return 0
