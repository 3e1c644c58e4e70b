# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Says what is in the JSON of `sluice report --compare --json`, from stdin."""

import json
import sys

data = json.load(sys.stdin)
for side in data["sides"]:
    print(f"{side['name']}: {side['about']}")
for note in data["notes"]:
    print("note:", note)
for k in data["kernels"]:
    time = k["time"]
    print(f"kernel {k['display']}: {time['ms']} by {time.get('by')},", end=" ")
    print(f"speed-up {time.get('speed-up')}, bound by {k['bound-by']}, does {k['does']}")
    for t in k["times"]:
        print(f"  {t['what']} by {t['by']}: {t['ms']}, decided {t['decided']}")
    for f in k["facts"]:
        print(f"  {f['what']}: {f['values']}")
    if "decisions" in k:
        print(f"  equal: {k['equal-decisions']} and {k['equal-remarks']}")
    for d in k.get("decisions", []):
        print(f"  {d['of']} at {d['at']}: {d['values']}")
    for name, remarks in zip("AB", k["remarks"]):
        for r in remarks:
            print(f"  only in {name}: {r['pass']}: {r['message']}")
print("text", data["text"])
