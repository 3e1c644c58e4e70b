#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What binds when many GPUs tune many programs: a simulation.

`tuning-at-scale.py` prints the tables of docs/internals/tuning-at-scale.md. A
search is a chain: compiles on the machine that runs `sluice tune`, a survey on a
GPU, then rounds of compiles, pieces on GPUs, and a write to the store. Compiles
share the machine's cores, pieces the GPUs; the pool starts one piece at a time,
and the store takes one write at a time. Each queue is first come, first served.
"""

import heapq
import itertools
from collections import deque

# Seconds, measured on two cores of a 2020s x86 server; the page says how.
PREPARE = 4.0  # a core: plan, code without Sluice, probes, program
IMAGE = 0.5  # a core: candidates that share one compile
TAKE = 0.1  # a core: a piece's results read
STORE = 0.005  # the store: a transaction
START = 0.006  # the pool: a piece started, watched and reported

# A round as (images, pieces). The local search measures four plans a kernel in
# the mean, in about three rounds; the exhaustive one knows all its plans at once.
LOCAL = [(2, 1), (3, 1), (3, 1)]
EXHAUSTIVE = [(16, 16)]


class Station:
    """Serves up to `places` at a time, in the order in which they come."""

    def __init__(self, places):
        self.free, self.queue, self.busy = places, deque(), 0.0
        self.places = places


def simulate(searches, rounds, piece, gpus, cores, failing=0.0):
    """Seconds until all searches are over, and how busy each station was."""
    stations = {
        "cores": Station(cores),
        "pool": Station(1),
        "GPUs": Station(gpus),
        "store": Station(1),
    }
    events, number, now = [], itertools.count(), 0.0
    failed = itertools.count(1)

    def serve(name, seconds, then):
        station = stations[name]
        station.busy += seconds
        if station.free:
            station.free -= 1
            heapq.heappush(events, (now + seconds, next(number), name, then))
        else:
            station.queue.append((seconds, then))

    def measure(pieces, then):
        left = [pieces]

        def back():
            left[0] -= 1
            if left[0] == 0:
                then()

        def run():
            seconds = piece
            # Every n-th piece fails half way and is run again from there.
            if failing and next(failed) % round(1 / failing) == 0:
                seconds += piece / 2
            serve("GPUs", seconds, lambda: serve("cores", TAKE, lambda: serve("store", STORE, back)))

        for _ in range(pieces):
            serve("pool", START, run)

    def go(rest):
        if rest:
            images, pieces = rest[0]
            serve("cores", images * IMAGE, lambda: measure(pieces, lambda: go(rest[1:])))

    for _ in range(searches):
        serve("cores", PREPARE, lambda: measure(1, lambda: go(rounds)))
    while events:
        now, _, name, then = heapq.heappop(events)
        station = stations[name]
        if station.queue:
            seconds, later = station.queue.popleft()
            heapq.heappush(events, (now + seconds, next(number), name, later))
        else:
            station.free += 1
        then()
    return now, {n: s.busy / now / s.places for n, s in stations.items()}


def table(title, head, rows):
    print(f"{title}\n\n| {' | '.join(head)} |\n|{'---:|' * len(head)}")
    for row in rows:
        print("| " + " | ".join(str(cell) for cell in row) + " |")
    print()


def row(first, searches, rounds, piece, gpus, cores, failing=0.0):
    seconds, busy = simulate(searches, rounds, piece, gpus, cores, failing)
    percent = [f"{100 * busy[n]:.0f}" for n in ["cores", "pool", "GPUs", "store"]]
    binds = max(busy, key=busy.get)
    return [*first, f"{seconds:.0f}", *percent, binds]


def main():
    measured = ["seconds", "cores %", "pool %", "GPUs %", "store %", "most busy"]
    table(
        "Four searches for each GPU, local, pieces of 20 s, 64 cores:",
        ["GPUs", *measured],
        [row([n], 4 * n, LOCAL, 20, n, 64) for n in [1, 8, 64, 256, 1000]],
    )
    table(
        "1,000 GPUs, 4,000 local searches:",
        ["piece (s)", "cores", *measured],
        [
            row([piece, cores], 4000, LOCAL, piece, 1000, cores)
            for piece in [5, 20, 60]
            for cores in [16, 64, 256]
        ],
    )
    table(
        "1,000 GPUs, 400 exhaustive searches of 16 pieces, 64 cores:",
        ["piece (s)", *measured],
        [row([piece], 400, EXHAUSTIVE, piece, 1000, 64) for piece in [5, 20, 60]],
    )
    table(
        "1,000 GPUs, 4,000 local searches, pieces of 60 s, 64 cores, some pieces fail:",
        ["fail %", *measured],
        [row([f"{100 * f:g}"], 4000, LOCAL, 60, 1000, 64, f) for f in [0, 0.001, 0.01, 0.1]],
    )


if __name__ == "__main__":
    main()
