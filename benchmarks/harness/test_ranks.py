# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Spearman's correlation of limits that were measured."""

import unittest
from unittest import mock

from . import ranks, registers


class Spearman(unittest.TestCase):
    def test_orders(self):
        self.assertAlmostEqual(ranks.spearman([1, 2, 30], [4, 5, 6]), 1)
        self.assertAlmostEqual(ranks.spearman([3, 2, 1], [4, 5, 60]), -1)
        # 1 - 6 * (1 + 1 + 0 + 0) / (4 * 15)
        self.assertAlmostEqual(ranks.spearman([1, 2, 3, 4], [2, 1, 3, 4]), 0.8)

    def test_equal_values_share_a_rank(self):
        self.assertEqual(ranks.ranks_of([5, 0, 0, 7]), [3, 1.5, 1.5, 4])
        self.assertIsNone(ranks.spearman([0, 0, 0], [1, 2, 3]))


class Kernel:
    def __init__(self, times):
        self.variants = times

    def ms(self, name):
        return self.variants.get(name)


def row(limit, tpsc, cycles):
    return {
        "limit": limit,
        "tpsc": tpsc,
        "whole-tpsc": -tpsc,
        "cycles-per-block": cycles,
    }


class Limits(unittest.TestCase):
    def test_by_where_they_spill(self):
        kernel = Kernel(
            {"sluice": 3.0, "registers-32": 1.0, "registers-32-own": 2.0, "clang": 4.0}
        )
        self.assertEqual(
            ranks.measured_limits(kernel, "off"),
            {"off": {32: 1.0, None: 3.0}, "own": {32: 2.0, None: 3.0}},
        )

    def test_rows_within_the_range(self):
        said = [{"least": 24, "most": 40, "launches": [{"limits": [row(32, 1, 2)]}]}]
        program = mock.Mock(flags=["-DX"])
        with mock.patch.object(registers, "report_of", return_value=said) as ask:
            found = ranks.rows_of(program, "k", "sm_90", {None: 1, 32: 1, 48: 1}, "off")
        self.assertEqual(found, {32: row(32, 1, 2)})
        self.assertEqual(
            ask.call_args.args[2],
            ["-DX", "--kernel=k", "--sluice-shared-spills=off", "--also=32"],
        )

    def test_points_that_both_have(self):
        rows = {n: row(n, tpsc, 9) for n, tpsc in ((32, 8), (40, 4), (None, 0))}
        count, each = ranks.compare({32: 3.0, 40: 2.0, 48: 9.0, None: 1.0}, rows)
        self.assertEqual(count, 3)
        self.assertAlmostEqual(each[0], 1)
        self.assertAlmostEqual(each[1], -1)
        self.assertIsNone(each[2])
        self.assertIsNone(each[3])  # no profile

    def test_simulated_between_the_numbers_of_blocks(self):
        times = {2: 8.0, 4: 4.0, 12: 3.0, 32: 3.0}
        self.assertEqual(ranks.simulated_at(times, 3, 10), 6)
        self.assertEqual(ranks.simulated_at(times, 7, 10), 3.5)
        self.assertEqual(ranks.simulated_at(times, 10, 10), 3)
        # Of fewer and of more nobody knows.
        self.assertIsNone(ranks.simulated_at(times, 1, 10))
        self.assertIsNone(ranks.simulated_at(times, 16, 10))
        self.assertIsNone(ranks.simulated_at(None, 4, 10))

    def test_simulated_points_alone_are_compared(self):
        blocks = {None: 8, 32: 16, 48: 6, 64: 4, 96: 2}
        rows = {n: {**row(n, 0, 0), "blocks": b} for n, b in blocks.items()}
        ranks.add_simulated(rows, {2: 8.0, 4: 4.0, 32: 3.0})
        self.assertIsNone(rows[32]["simulated"])
        limits = {None: 1.0, 32: 9.0, 48: 2.0, 64: 3.0, 96: 4.0}
        count, each = ranks.compare(limits, rows)
        self.assertEqual(count, 5)
        self.assertAlmostEqual(each[3], 1)


if __name__ == "__main__":
    unittest.main()
