# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts runs of passes in traces of clang's time (-ftime-trace).

usage: pass-runs.py PLAIN SLUICE FACTOR

Fails where SLUICE, with the plugin, has more than FACTOR times the runs of PLAIN,
without it. Runs are the same on each machine; seconds are not.
"""

import json
import sys


def pass_runs(path):
    with open(path) as trace:
        events = json.load(trace)["traceEvents"]
    return sum(
        e["ph"] == "X" and e["name"].split("<")[0].endswith("Pass") for e in events
    )


plain, sluice = (pass_runs(path) for path in sys.argv[1:3])
print(f"{plain} runs of passes without the plugin, {sluice} with it")
if plain == 0 or sluice > float(sys.argv[3]) * plain:
    sys.exit(f"more than {sys.argv[3]} times as many")
