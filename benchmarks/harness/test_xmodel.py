# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import contextlib
import io
import unittest

from . import xmodel


def point(took, predicted, **more):
    return {"program": "p", "kernel": "k", "measured": took, "ms": predicted, **more}


class XModel(unittest.TestCase):
    def test_accuracy_is_of_throughput(self):
        # Twice as slow as predicted: half of the throughput, 100 % too much.
        self.assertEqual(xmodel.accuracy([point(2, 1)], "ms"), 0)
        self.assertEqual(xmodel.accuracy([point(1, 2)], "ms"), 50)
        self.assertEqual(xmodel.accuracy([point(1, 1), point(1, 2)], "ms"), 75)
        self.assertEqual(xmodel.accuracy([point(9, 1)], "ms"), 0)  # not below 0

    def test_factor_does_not_depend_on_the_side(self):
        self.assertAlmostEqual(xmodel.factor([point(1, 2)], "ms"), 2)
        self.assertAlmostEqual(xmodel.factor([point(2, 1)], "ms"), 2)
        self.assertEqual(xmodel.within([point(1, 1.4), point(1, 1.6)], "ms", 1.5), 50)

    def test_spearman_is_of_order_alone(self):
        rising = [point(t, t * t) for t in [1, 5, 2, 9]]
        self.assertAlmostEqual(xmodel.spearman(rising, "ms"), 1)
        falling = [point(t, -t) for t in [1, 5, 2, 9]]
        self.assertAlmostEqual(xmodel.spearman(falling, "ms"), -1)

    def test_measured_takes_the_best_process_of_each_launch(self):
        kernel = {
            "at": {
                "0": {"variants": {"clang": {"ms": [[3, 2, 9], [8, 8, 8]]}}},
                "1": {"variants": {"clang": {"ms": [[5]]}, "sluice": {}}},
            }
        }
        self.assertEqual(xmodel.measured(kernel, "clang"), 4)
        self.assertIsNone(xmodel.measured(kernel, "sluice"))

    def test_moves_are_right_where_one_was_decided(self):
        more = {"speed-up": 2.0, "best move": "fewer threads"}
        points = [
            point(1, 1, decided="fewer threads and higher Z", **more),
            point(1, 1, decided="higher Z", **more),
            point(1, 1, decided="", **more),
            point(1, 1, decided="higher Z", **{**more, "speed-up": 1.05}),
        ]
        with contextlib.redirect_stdout(io.StringIO()) as out:
            xmodel.print_moves(points)
        self.assertIn("2 kernels gained 1.1 and more", out.getvalue())
        self.assertIn("of 1 it is the graph's best move", out.getvalue())
        self.assertIn("2.00 by higher Z; the best move: fewer threads", out.getvalue())
