# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The variants that register-points, -steps and -blocks stand for."""

import unittest
from unittest import mock

from . import registers


def kernel(least, most, *launches):
    rows = [
        [{"limit": None, "critical": False, "blocks": 9}]
        + [
            {"limit": limit, "critical": limit != 36, "blocks": 128 // limit}
            for limit in limits
        ]
        for limits in launches
    ]
    return {
        "least": least,
        "most": most,
        "launches": [{"limits": limits} for limits in rows],
    }


REPORT = [
    kernel(24, 76, [32, 36, 40, 64, 76], [32, 48, 76]),
    kernel(16, 18, [18]),
]


class Expand(unittest.TestCase):
    def test_points_of_kernels_with_a_choice(self):
        self.assertEqual(registers.points_of(REPORT), [32, 40, 48, 64, 76])

    def test_steps_between_the_bounds(self):
        self.assertEqual(
            registers.steps_of(REPORT), [24, 32, 40, 48, 56, 64, 72]
        )

    def test_fewer_blocks_than_each_point_leaves(self):
        # N registers leave 128 // N blocks; 36 are no critical point.
        self.assertEqual(
            registers.pairs_of(REPORT),
            [(32, 1), (32, 2), (32, 3), (40, 1), (40, 2), (48, 1), (64, 1)],
        )

    def test_names(self):
        names = ["clang", "register-points", "register-steps", "nvcc"]
        with mock.patch.object(registers, "report_of", return_value=REPORT) as ask:
            found = registers.expand(names, "sm_90", None, [])
        self.assertEqual(ask.call_count, 1)
        counts = [32, 40, 48, 64, 76, 24, 56, 72]
        expected = ["clang", *[f"registers-{count}" for count in counts], "nvcc"]
        self.assertEqual(found, expected)

    def test_others_ask_nobody(self):
        with mock.patch.object(registers, "report_of", side_effect=AssertionError):
            self.assertEqual(
                registers.expand(["clang", "registers-40"], "sm_90", None, []),
                ["clang", "registers-40"],
            )


if __name__ == "__main__":
    unittest.main()
