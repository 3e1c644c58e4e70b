# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles a.cu with the sluice-clang++ in bin, through an sccache of its own, and
prints what the cache has done; at last with the sluice-nvcc that is given."""
import json
import os
import subprocess
import sys
import tempfile
import time

cuda, nvcc = sys.argv[1:]
# The path of a socket is short; a test's may not be.
with tempfile.TemporaryDirectory(dir="/tmp") as folder:
    environment = dict(
        os.environ, SCCACHE_DIR=folder + "/cache", SCCACHE_SERVER_UDS=folder + "/s"
    )
    environment.pop("SCCACHE_C_CUSTOM_CACHE_BUSTER", None)

    def sccache(*command, **options):
        return subprocess.run(["sccache", *command], env=environment, **options)

    def compile(name, *options):
        # Files that were just written are not compared by their hashes alone.
        time.sleep(1.1)
        compiler = os.path.abspath("bin/sluice-clang++")
        sccache(
            *[compiler, f"--cuda-path={cuda}", "-O3", "--cuda-gpu-arch=sm_90"],
            *["-c", "a.cu", "-o", "a.o", *options],
            check=True,
        )
        stats = json.loads(
            sccache(
                *["--show-stats", "--stats-format=json"], check=True, capture_output=True
            ).stdout
        )["stats"]
        hits, misses = (
            sum(stats[key]["counts"].values()) for key in ("cache_hits", "cache_misses")
        )
        print(f"{name}: {hits} hits, {misses} misses", flush=True)

    sccache("--start-server", check=True, capture_output=True)
    try:
        compile("the first")
        compile("again")
        compile("an option", "--sluice-throttle=2")
        compile("a plan", "--sluice-plan=plan.yaml")
        compile("the same", "--sluice-plan=plan.yaml")
        with open("plan.yaml", "a") as plan:
            plan.write("# changed\n")
        compile("another text of the plan", "--sluice-plan=plan.yaml")
        with open("lib/Sluice.so", "ab") as plugin:
            plugin.write(b"\0")
        compile("another plugin", "--sluice-plan=plan.yaml")
        nvcc = sccache(nvcc, "-c", "a.cu", "-o", "b.o", capture_output=True, text=True)
        print(nvcc.stderr)
        print("sluice-nvcc", "fails" if nvcc.returncode else "succeeds")
    finally:
        sccache("--stop-server", capture_output=True)
