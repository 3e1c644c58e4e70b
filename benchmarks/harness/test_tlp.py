# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is made of measured numbers of blocks."""

import tempfile
import unittest
from pathlib import Path

from . import tlp


class Kernel:
    def __init__(self, times, shapes=()):
        self.name = "k"
        self.variants = times
        self.shapes = set(shapes)

    def ms(self, name):
        return self.variants.get(name)


TIMES = {
    "throttle-1": 10.0,
    "throttle-1-1": 30.0,
    "throttle-1-2": 10.05,
    "throttle-1-4": 9.9,
    "throttle-1-8": 10.0,
    "throttle-2": 1.0,
    "throttle-2-2": 1.0,
}


def said(**more):
    def limits(blocks):
        rows = [{"limit": None, "blocks": blocks}, {"limit": 32, "blocks": 8}]
        return {"limits": rows, **more}

    return {"launches": [{"threads": 128, **limits(8)}, {"threads": 256, **limits(6)}]}


class Enough(unittest.TestCase):
    def test_turns_and_more_blocks_than_there_are_are_no_points(self):
        self.assertEqual(
            tlp.measured_blocks(Kernel(TIMES), 6, None),
            {6: 10.0, 1: 30.0, 2: 10.05, 4: 9.9},
        )

    def test_what_was_not_claimed_is_no_point(self):
        claims = {"throttle-1-2": {"k": 4096}, "throttle-1-4": {"k": 0}}
        self.assertEqual(
            tlp.measured_blocks(Kernel(TIMES), 6, claims), {6: 10.0, 2: 10.05}
        )

    def test_clangs_is_the_base_of_older_results(self):
        times = {"clang": 3.0, "throttle-1-2": 2.0}
        self.assertEqual(
            tlp.measured_blocks(Kernel(times), 4, None), {4: 3.0, 2: 2.0}
        )

    def test_the_fewest_within_two_per_cent(self):
        self.assertEqual(tlp.enough({1: 30, 2: 10.21, 4: 10.2, 8: 10}), 4)
        self.assertEqual(tlp.enough({1: 5, 2: 10}), 1)

    def test_a_number_that_was_not_measured_costs_as_the_next(self):
        times = {1: 30, 4: 10, 8: 12}
        self.assertEqual(tlp.cost(times, 3), 1)
        self.assertEqual(tlp.cost(times, 1), 3)
        self.assertEqual(tlp.cost(times, 9), 1.2)

    def test_of_the_launch_that_was_measured(self):
        at = {"timed-blocks": 16, "greedy-blocks": 2}
        kernel = Kernel(TIMES, [((9, 1, 1), (64, 4, 1))])
        found = tlp.compare(kernel, said(**at), None)
        self.assertEqual(found["blocks"], 6)
        self.assertEqual(found["enough"], 2)  # 10.05 of 9.9
        self.assertEqual(found["timed-blocks"], 6)  # no more than there are
        self.assertEqual(found["greedy-blocks"], 2)
        self.assertNotIn("enough-blocks", found)
        row = tlp.row_of("k", found)
        self.assertEqual(row[1:5], ["6", "2", "1.01", "1, 2, 4, 6"])
        self.assertEqual(row[5:], ["6", "1.01", "2", "1.02", "–", "–"])
        self.assertEqual(len(row), len(tlp.mean_row([found])))

    def test_nothing_of_one_point(self):
        self.assertIsNone(tlp.compare(Kernel({"throttle-1": 1.0}), said(), None))

    def test_what_is_written_is_what_the_option_takes(self):
        with tempfile.TemporaryDirectory() as folder:
            tlp.write_blocks(Path(folder), {"p": [("k", 4), ("l", 40)]})
            self.assertEqual((Path(folder) / "p.blocks").read_text(), "k:4\nl:32\n")


if __name__ == "__main__":
    unittest.main()
