# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The fit of Eq. 1 and what is chosen by it."""

import unittest

from . import unified

COEFFICIENTS = [0.25, 0.5, -0.125, 0.375]
POINTS = [(o / 4, h / 4) for o in range(1, 5) for h in range(5)]


def counters(ms, occupancy):
    """A kernel that hits 30 of 40 sectors; by variant."""

    def values(variant):
        return {
            unified.HITS: [30, 30],
            unified.SECTORS: [40, 40],
            unified.OCCUPANCY: [occupancy[variant]] * 2,
            unified.TIME: [ms[variant] * 1e6] * 2,
        }

    kernel = {"kernel": "k", "launch": 0, "variants": {v: values(v) for v in ms}}
    return {"programs": [{"name": "p", "kernels": [kernel]}]}


class Unified(unittest.TestCase):
    def test_the_fit_finds_what_made_the_points(self):
        points = [(o, h, unified.perf(COEFFICIENTS, o, h)) for o, h in POINTS]
        for got, expected in zip(unified.fit(points), COEFFICIENTS):
            self.assertAlmostEqual(got, expected, 9)
        self.assertAlmostEqual(unified.mean_square(COEFFICIENTS, points), 0)

    def test_the_fit_is_of_least_squares(self):
        points = [
            (o, h, unified.perf(COEFFICIENTS, o, h) + (-1) ** i / 8)
            for i, (o, h) in enumerate(POINTS)
        ]
        best = unified.fit(points)
        for i in range(4):
            for step in (-0.01, 0.01):
                other = best[:i] + [best[i] + step] + best[i + 1 :]
                self.assertLess(
                    unified.mean_square(best, points),
                    unified.mean_square(other, points),
                )

    def test_points_that_do_not_determine_it(self):
        with self.assertRaises(ValueError):
            unified.fit([(0.5, 0.5, 1)] * 9)

    def test_settings_and_choices(self):
        ms = {"clang": 2, "carveout-0": 8, "carveout-100": 1, "throttle-2": 1}
        occupancy = {"clang": 100, "carveout-0": 25, "carveout-100": 100}
        occupancy["throttle-2"] = 100
        found = unified.read_settings(counters(ms, occupancy))
        settings = found["p", "k", 0]
        self.assertEqual(settings["carveout-0"], (0.25, 0.75, 8))
        self.assertEqual(len(settings), 3)
        points = unified.points_of(settings)
        self.assertEqual([p for _, _, p in points], [0.5, 0.125, 1])
        chosen = unified.chosen_by_equation([0, 1, 0, 0], settings)
        self.assertEqual(chosen, "clang")  # the first of equal ones
        self.assertEqual(
            unified.chosen_by_equation([0, -1, 0, 0], settings), "carveout-0"
        )

    def test_the_model_must_gain_a_tenth(self):
        settings = {"clang": (), "carveout-100": ()}
        for simulated, choice in (0.92, "clang"), (0.9, "carveout-100"):
            times = {"clang": 1, "carveout-100": simulated}
            self.assertEqual(unified.chosen_by_model(times, settings), choice)

    def test_kernels_that_are_short_or_have_one_setting_are_left_out(self):
        self.assertEqual(
            unified.read_settings(
                counters(
                    {"clang": 0.01, "carveout-0": 1}, {"clang": 1, "carveout-0": 1}
                )
            ),
            {},
        )
        self.assertEqual(
            unified.read_settings(counters({"clang": 1}, {"clang": 1})), {}
        )


if __name__ == "__main__":
    unittest.main()
