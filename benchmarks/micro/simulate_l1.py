#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Does a model of the L1 hit where the L1 does?

    associativity --bits=FILE        on the GPU
    simulate_l1.py FILE              prints CSV: a line for each setting of policy
                                     and one for each other sweep

Policies, all with the lines that really fit:

sets     what docs/internals/gpu-model.md says of the H100: tag sets of four ways
         in four slices, each with its share of the data; lines that were hit are
         kept longer than others
lru      the least recently used line of the whole L1 goes
fifo     the line that came first goes
random   any line goes
nru      any line goes that was not used since all had been used
plru     a tree of bits over the whole L1 points at the line that goes
"""

import random
import sys
from array import array
from collections import OrderedDict

SWEEPS = ["capacity", "stride", "scattered", "intruder", "policy", "conflicts"]
ORDERS = ["cyclic", "shuffled", "random"]
L1_LINES, LOST_LINES = 2048, 56
SHARED_KIB = {0: 32, 50: 132, 100: 228}  # of one-warp blocks, by carveout percent

# Bits of address / 128 that are added, without carry, to each bit of the set.
SET_BITS = [
    [0, 9, 10, 12, 13, 14, 15, 18, 21],
    [1, 10, 11, 16, 21, 22],
    [2, 11, 15, 16, 17, 18, 19, 20, 21],
    [3, 10, 12, 13, 15, 16, 18, 19, 21],
    [4, 9, 10, 11, 13, 15, 17, 20, 23],
    [5, 9, 11, 13, 14, 16, 19, 20, 21, 23],
    [6, 9, 11, 12, 14, 15, 16, 20, 23],
    [7, 14, 15, 16, 17, 18, 19, 20, 22, 23],
    [8, 11, 12, 14, 15, 17, 19, 21],
]
SET_MASKS = [sum(1 << bit for bit in bits) for bits in SET_BITS]
SLICE_MASKS = [0b010110101, 0b111011010]  # of the set's bits

# The sets of a slice in the order in which the hand visits them: bit i of its
# position changes bits 2 to 8 of the set by HAND_STEPS[i].
HAND_STEPS = [13, 73, 124, 116, 55, 39, 111]


def odd(bits):
    return bin(bits).count("1") & 1


class Sets:
    WAYS = 4

    def __init__(self, lines, base, start=0):
        self.base = base
        self.places = {}
        self.share = lines // 4
        self.sets = [[[] for _ in range(128)] for _ in range(4)]
        self.used = [0] * 4
        self.hand = [0] * 4
        self.was_hit = set()
        self.order = [
            start ^ self.combine(HAND_STEPS, position) for position in range(128)
        ]

    @staticmethod
    def combine(steps, position):
        label = 0
        for bit, step in enumerate(steps):
            if position >> bit & 1:
                label ^= step
        return label

    def place(self, line):
        if line not in self.places:
            number = self.base + line
            index = sum(odd(number & mask) << i for i, mask in enumerate(SET_MASKS))
            part = sum(odd(index & mask) << i for i, mask in enumerate(SLICE_MASKS))
            self.places[line] = part, index >> 2
        return self.places[line]

    def evict(self, part, lines):
        """The least recently used of those that were not hit, or else of all."""
        victim = next((x for x in lines if x not in self.was_hit), lines[0])
        lines.remove(victim)
        self.was_hit.discard(victim)
        self.used[part] -= 1

    def access(self, line):
        part, index = self.place(line)
        lines = self.sets[part][index]
        if line in lines:
            lines.remove(line)
            lines.append(line)
            self.was_hit.add(line)
            if all(other in self.was_hit for other in lines):
                self.was_hit.difference_update(lines[:-1])
            return True
        if len(lines) == self.WAYS:
            self.evict(part, lines)
        if self.used[part] == self.share:
            hand = self.hand[part]
            while not self.sets[part][self.order[hand]]:
                hand = (hand + 1) % 128
            self.evict(part, self.sets[part][self.order[hand]])
            self.hand[part] = (hand + 1) % 128
        lines.append(line)
        self.used[part] += 1
        return False


class Whole:
    """One set of all lines, of which `rule` says which goes."""

    def __init__(self, rule, lines):
        self.rule, self.size = rule, lines
        self.lines = OrderedDict()
        self.random = random.Random(1)
        self.slots, self.slot_of, self.used = [], {}, set()

    def access(self, line):
        if self.rule in ("lru", "fifo"):
            hit = line in self.lines
            if hit and self.rule == "lru":
                self.lines.move_to_end(line)
            if not hit:
                if len(self.lines) == self.size:
                    self.lines.popitem(last=False)
                self.lines[line] = True
            return hit
        hit = line in self.slot_of
        if not hit:
            if len(self.slots) < self.size:
                slot = len(self.slots)
                self.slots.append(line)
            else:
                slot = self.random.randrange(self.size)
                while self.rule == "nru" and slot in self.used:
                    slot = self.random.randrange(self.size)
                del self.slot_of[self.slots[slot]]
                self.slots[slot] = line
            self.slot_of[line] = slot
        if self.rule == "nru":
            self.used.add(self.slot_of[line])
            if len(self.used) == self.size:
                self.used = {self.slot_of[line]}
        return hit


class Tree:
    def __init__(self, lines):
        self.leaves = 1 << (lines - 1).bit_length()
        self.size = lines
        self.points_right = [False] * self.leaves
        self.line_at, self.leaf_of = {}, {}

    def touch(self, leaf):
        node = leaf + self.leaves
        while node > 1:
            self.points_right[node // 2] = node % 2 == 0
            node //= 2

    def first_leaf(self, node):
        while node < self.leaves:
            node *= 2
        return node - self.leaves

    def access(self, line):
        hit = line in self.leaf_of
        if not hit:
            if len(self.line_at) < self.size:
                leaf = len(self.line_at)
            else:
                node = 1
                while node < self.leaves:
                    right = 2 * node + 1
                    there = self.first_leaf(right) < self.size
                    node = right - (not (self.points_right[node] and there))
                leaf = node - self.leaves
                del self.leaf_of[self.line_at[leaf]]
            self.line_at[leaf], self.leaf_of[line] = line, leaf
        self.touch(self.leaf_of[line])
        return hit


def records(path):
    words = array("I")
    with open(path, "rb") as file:
        words.frombytes(file.read())
    at = 0
    while at < len(words):
        magic, sweep, carveout, lanes, n, seed, base, length, accesses = words[at : at + 9]
        assert magic == 0x32314C53, "not a file of associativity --bits"
        trace = words[at + 9 : at + 9 + length]
        at += 9 + length
        bits = words[at : at + (accesses + 31) // 32]
        at += len(bits)
        hits = [bits[i // 32] >> (i % 32) & 1 for i in range(accesses)]
        yield SWEEPS[sweep], carveout, lanes, n, seed, base, trace, hits


def run(cache, trace, count):
    length = len(trace)
    return [int(cache.access(trace[i % length])) for i in range(count)]


def find_start(settings):
    """Where the hand starts: what reproduces a walk over three lines too many."""
    for sweep, carveout, _, n, seed, base, trace, hits in settings:
        lines = fits(carveout)
        if (sweep, carveout, seed, n) == ("policy", 100, 0, lines * 102 // 100):

            def wrong(start):
                guess = run(Sets(lines, base, start), trace, len(hits))
                return sum(a != b for a, b in zip(guess, hits))

            return min(range(128), key=wrong)
    return 0


def fits(carveout):
    return L1_LINES - SHARED_KIB[carveout] * 8 - LOST_LINES


def main():
    settings = [s for s in records(sys.argv[1]) if s[2] == 1]
    start = find_start(settings)
    print(f"# hand starts at {start}")
    print(
        "simulated,carveout_percent,order,lines_that_fit,lines,"
        "measured,sets,lru,fifo,random,nru,plru"
    )
    sums = {}
    for sweep, carveout, _, n, seed, base, trace, hits in settings:
        lines = fits(carveout)
        guess = run(Sets(lines, base, start), trace, len(hits))
        if sweep == "policy":
            later = range(4 * n, len(hits))

            def share(values):
                return sum(values[i] for i in later) / len(later)

            caches = [Whole(rule, lines) for rule in ("lru", "fifo", "random", "nru")]
            shares = [share(hits), share(guess)]
            for cache in [*caches, Tree(lines)]:
                shares.append(share(run(cache, trace, len(hits))))
            text = ",".join(f"{value:.3f}" for value in shares)
            print(f"simulated,{carveout},{ORDERS[seed]},{lines},{n},{text}")
        if sweep == "policy":
            sweep += " " + ORDERS[seed]
        total = sums.setdefault((sweep, carveout), [0, 0, 0, 0])
        total[0] += len(hits)
        total[1] += sum(hits)
        total[2] += sum(guess)
        total[3] += sum(a != b for a, b in zip(hits, guess))
    print(
        "\nagreement,sweep,carveout_percent,accesses,"
        "hits,hits_of_sets,accesses_that_differ"
    )
    for (sweep, carveout), total in sums.items():
        print(f"agreement,{sweep},{carveout},{','.join(map(str, total))}")


if __name__ == "__main__":
    main()
