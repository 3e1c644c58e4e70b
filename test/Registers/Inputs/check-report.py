# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Is the report of `sluice registers --json` in itself right?"""

import json
import sys

(kernel,) = json.load(sys.stdin)
assert kernel["display"] == "sums" and kernel["gpu"] == "sm_90"
assert kernel["least"] == 24 and not kernel["limited-by-source"]
(launch,) = kernel["launches"]
assert launch["threads"] == 256 and launch["grid-blocks"] == 1024
free, *limits = launch["limits"]
assert free["limit"] is None and free["registers"] == kernel["chosen"]
counts = [row["limit"] for row in limits]
assert counts == sorted(counts) and counts[-1] == kernel["most"]
assert all(row["critical"] for row in limits)
assert all(row["registers"] <= row["limit"] for row in limits)
# Steps go down, and so do spills.
for low, high in zip(limits, limits[1:]):
    assert low["blocks"] > high["blocks"], (low, high)
    assert low["spill-load-bytes"] >= high["spill-load-bytes"]
ranks = [row["rank"] for row in launch["limits"]]
assert sorted(ranks) == list(range(1, len(ranks) + 1))
best = min(launch["limits"], key=lambda row: row["rank"])
assert best["spill-load-bytes"] == 0
