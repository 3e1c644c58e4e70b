# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `sluice xmodel --json` says on standard input keeps to the equations."""

import json
import sys


def supply(p, k):
    """Eq. 3.5, with the limit of look-ups."""
    share = (p["cache-bytes"] / (p["beta"] * k) + 1) ** (1 - p["alpha"])
    memory = max(p["L"], k * p["request-bytes"] / p["R"])
    latency = p["cache-cycles"] + (memory - p["cache-cycles"]) * share
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
