# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A store as `sluice tune` leaves it, of the kernel rows."""

import sqlite3
import sys

database = sqlite3.connect(sys.argv[1])
database.execute(
    "CREATE TABLE evaluations (kernel TEXT, code TEXT, gpu TEXT, compiler TEXT, "
    "arguments TEXT, plan TEXT, launch INTEGER, ms REAL, base_ms REAL, runs INTEGER, "
    "wrong_words INTEGER, stopped INTEGER, error TEXT, at TEXT DEFAULT "
    "CURRENT_TIMESTAMP, PRIMARY KEY (kernel, code, gpu, compiler, arguments, plan, "
    "launch))"
)
database.execute("PRAGMA user_version = 1")
for plan, launch, ms, wrong, code, at in [
    ("throttle rows.cu:6:3=4", 0, 0.7, 0, "new", "2026-11-02"),
    ("throttle rows.cu:6:3=4", 1, 0.9, 0, "new", "2026-11-02"),
    ("throttle rows.cu:6:3=8", 0, 0.1, 5, "new", "2026-11-02"),  # wrong: not shown
    ("carveout=50", 0, 1.5, 0, "new", "2026-11-02"),
    ("registers=40", 0, 1.75, 0, "new", "2026-11-02"),
    ("registers=24", 0, 1.25, 0, "new", "2026-11-02"),
    ("throttle rows.cu:6:3=2", 0, 0.2, 0, "old", "2026-11-01"),  # of other code
]:
    database.execute(
        "INSERT INTO evaluations VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
        ("_Z4rowsPKfS0_Pf", code, "Tuned GPU", "clang", "", plan, launch, ms, 2.0)
        + (7, wrong, 0, "", at),
    )
database.commit()
