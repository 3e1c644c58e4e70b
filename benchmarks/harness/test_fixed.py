# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""BFTT and the oracle of small results, and what replay is asked of blocks."""

import json
import tempfile
import unittest
from pathlib import Path

from . import fixed, measure, variants
from .report import Results


def kernel(name, ms):
    """One launch; {variant: ms}."""
    timed = {v: {"ms": [[t]], "wrong_words": {}, "errors": []} for v, t in ms.items()}
    return {"name": name, "launches": 1, "at": {"0": {"variants": timed}}}


def comparison(*kernels):
    program = {"name": "p", "group": "g", "verdicts": [], "kernels": list(kernels)}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "results.json"
        path.write_text(json.dumps({"programs": [program]}))
        return fixed.Comparison(Results(path), "sluice")


ROWS = {
    "clang": 10,
    "throttle-4": 2,
    "throttle-1-2": 3,
    "throttle-4-2": 4,
    "sluice": 2.5,
}
COLUMNS = {
    "clang": 5,
    "throttle-4": 9,
    "throttle-1-2": 6,
    "throttle-4-2": 9,
    "sluice": 5,
}


class Fixed(unittest.TestCase):
    def test_bftt_is_of_the_whole_program(self):
        both = comparison(kernel("rows", ROWS), kernel("columns", COLUMNS))
        self.assertEqual(both.bftt["p"], (1, 2))
        times = both.times("p")
        self.assertEqual(times["clang"], 15)
        self.assertEqual(times["BFTT"], 9)
        self.assertEqual(times["oracle"], 2 + 5)
        self.assertEqual(times["sluice"], 7.5)
        self.assertIsNone(times["nvcc"])

    def test_of_one_kernel_both_are_one(self):
        rows = comparison(kernel("rows", ROWS))
        self.assertEqual(rows.bftt["p"], (4, 0))
        self.assertEqual(rows.times("p")["oracle"], 2)

    def test_without_turns_is_sluices_code_if_it_was_measured(self):
        for own, best in (10, 2), (1.5, 1.5):
            rows = comparison(kernel("rows", {**ROWS, "throttle-1": own}))
            self.assertEqual(rows.times("p")["clang"], 10)
            self.assertEqual(rows.times("p")["BFTT"], best)

    def test_a_choice_that_one_kernel_lacks_is_none(self):
        short = {v: t for v, t in COLUMNS.items() if v != "throttle-1-2"}
        both = comparison(kernel("rows", ROWS), kernel("columns", short))
        self.assertEqual(both.bftt["p"], (4, 0))

    def test_turns_that_change_nothing_are_not_taken(self):
        (rows,) = comparison(kernel("rows", ROWS)).programs["p"]
        self.assertTrue(rows.takes_turns())
        still = {**ROWS, "throttle-4": 10.05}
        (rows,) = comparison(kernel("rows", still)).programs["p"]
        self.assertFalse(rows.takes_turns())


class Requests(unittest.TestCase):
    def test_records_of_a_cubin(self):
        with tempfile.TemporaryDirectory() as folder:
            cubin = Path(folder) / "a.cubin"
            cubin.write_bytes(
                b"\0__sluice_host$1$c1$s2432$d46720$5$_Z1kv\0"
                b"__sluice_host$1$n$s768$d48384$3$_Zjunk\0"
            )
            self.assertEqual(
                variants.requests_of(cubin),
                ({"_Z1kv": 1}, {"_Z1kv": 2432, "_Zj": 768}),
            )

    def test_blocks_are_not_in_the_code(self):
        self.assertEqual(
            variants.parts_of("throttle-4-2"), ("throttle-4", "throttle-1-2")
        )
        for name in ("throttle-1-2", "throttle-4", "sluice"):
            self.assertEqual(variants.parts_of(name), (name, name))

    def test_words_of_a_job(self):
        self.assertEqual(measure.requests("claim", {"_Z1kv": 768}), ["claim=_Z1kv:768"])


if __name__ == "__main__":
    unittest.main()
