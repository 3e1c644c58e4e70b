# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `sluice xmodel --json` says on standard input keeps to the equations."""

import json
import math
import sys


def hits(p, k):
    """Of k warps: the curve, straight over logarithms."""
    share, curve = p["cache-bytes"] / k, p["hit-curve"]
    low = [curve[0][0] / 2, 0]
    for high in curve:
        if share <= high[0]:
            part = math.log(share / low[0]) / math.log(high[0] / low[0])
            return low[1] + max(0, part) * (high[1] - low[1])
        low = high
    return curve[-1][1]


def supply(p, k):
    """Eq. 3.1, 3.2 and 3.4, with the limit of look-ups."""
    h = hits(p, k)
    memory = max(p["L"], k * p["request-bytes"] / p["R"])
    latency = h * p["cache-cycles"] + (1 - h) * memory
    return min(k * p["request-bytes"] / latency, p["look-up-bytes"])


def demand(p, x):
    return min(x * p["E"] / p["lane-cycles"], p["M"]) / p["Z"]


said = json.load(sys.stdin)
kernel = said["kernels"][0]
print(said["source"], said["gpu"], kernel["display"], kernel["profiled"], kernel["bound"])
at = kernel["intersections"]
print("intersections", len(at), "stable" if at[0]["stable"] else "not stable")
print("decided", kernel["decided"][0]["move"])
p = kernel["parameters"]
for point in at:
    assert abs(point["k"] + point["x"] - p["n"]) < 1e-6
    for bytes in [supply(p, point["k"]), demand(p, point["x"])]:
        assert abs(bytes - point["bytes-per-cycle"]) < 1e-3 * bytes, (point, bytes)
speeds = [move["speed-up"] for move in kernel["possible"]]
assert speeds == sorted(speeds, reverse=True)
assert abs(kernel["pi"]["threads"] - p["M"] * p["lane-cycles"] / p["E"]) < 1e-6
assert abs(kernel["delta"]["threads"] - p["R"] * p["L"] / p["request-bytes"]) < 1e-6
print("numbers agree")
