# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is made of counters of bank conflicts and of loads on their way."""

import tempfile
import unittest
from pathlib import Path

from . import counted

LOADED = """# a GPU

loaded,where,work,warps_per_sm,in_flight,cycles_per_step,loaded_bytes_per_cycle
loaded,memory,loads,4,1,700,100.0
loaded,memory,loads,64,1,900,1100.0
loaded,memory,loads,64,2,1500,1400.0
loaded,memory,loads,32,2,1,1.0
loaded,memory,copy,64,2,1,1.0
loaded,l2,loads,4,1,300,200.0
"""


def spilled(loads, wavefronts, fewest, conflicts, name="_op_ld"):
    store = name.replace("ld", "st")
    return {
        "smsp__inst_executed_op_shared_ld.sum": [loads, loads],
        "smsp__inst_executed_op_shared_st.sum": [0],
        "memory_l1_wavefronts_shared": [wavefronts],
        "memory_l1_wavefronts_shared_ideal": [fewest],
        f"smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared{name}.sum": [
            conflicts
        ],
        f"smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared{store}.sum": [0],
        "shared_instructions": {"STS": 3, "LDS.64": 12},
        "wrong_words": 0,
    }


class Conflicts(unittest.TestCase):
    def rows(self, variants, same=None):
        kernel = {"kernel": "k", "variants": variants}
        return list(
            counted.conflict_rows(
                {"name": "p", "kernels": [kernel], "same_code": same or {}}
            )
        )

    def test_what_the_slots_add(self):
        rows = self.rows(
            {
                "registers-32-local": spilled(10, 15, 10, 5),
                "registers-32-own": spilled(110, 215, 210, 5),
            }
        )
        self.assertEqual(
            rows,
            [
                ["p k", "32, own", "LDS.64 12, STS 3"]
                + ["100", "200", "200", "0", "5", "–", "–", "0"]
            ],
        )

    def test_none_where_nothing_is_added(self):
        same = spilled(10, 15, 10, 5)
        self.assertEqual(
            self.rows({"registers-32-local": same, "registers-32-own": same}), []
        )
        self.assertEqual(
            self.rows(
                {"registers-32-local": same},
                {"registers-32-own": "registers-32-local"},
            ),
            [],
        )


class Loads(unittest.TestCase):
    def setUp(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "loaded.csv"
            file.write_text(LOADED)
            self.curves = {
                where: counted.read_curve(file, where) for where in ("l2", "memory")
            }

    def test_latency_rises_with_the_rate(self):
        memory = self.curves["memory"]
        self.assertEqual(memory, [(100, 700), (1100, 900), (1400, 1500)])
        self.assertEqual(counted.latency(memory, 1), 700)
        self.assertEqual(counted.latency(memory, 600), 800)
        self.assertEqual(counted.latency(memory, 9999), 1500)
        self.assertEqual(counted.latency(self.curves["l2"], 5000), 300)

    def test_littles_law(self):
        # Two SMs of four work all the time; half of the sectors come from memory.
        found = counted.waiting(
            {
                "gpu__time_duration.sum": [1e6],
                "sm__cycles_elapsed.max": [1000],
                "sm__cycles_active.sum": [2000],
                "sm__warps_active.sum": [16000],
                "smsp__issue_active.sum": [500],
                counted.STALLED: [24],
                counted.REQUESTS: [100],
                counted.FETCHED: [6250],  # 200 bytes a cycle
                f"{counted.L2_READ}_hit.sum": [10],
                f"{counted.L2_READ}_miss.sum": [10],
                "launch__registers_per_thread": [32],
            },
            self.curves,
        )
        self.assertEqual(found["warps"], 8)
        self.assertEqual(found["waiting"], 6)
        self.assertEqual(found["wait"], 120)
        self.assertEqual(found["latency"], 500)
        self.assertAlmostEqual(found["kib"], 200 * 500 / 2 / 1024)


if __name__ == "__main__":
    unittest.main()
