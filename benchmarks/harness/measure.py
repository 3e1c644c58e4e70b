#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures a folder that `benchmarks/run build` made. It stands in that folder.

    FOLDER/measure [--processes=3] [--rounds=7] [--output=FOLDER/results.json]

Each program runs several times. Every time, each of its kernels is replayed at
some of its launches with every variant's code, in turns, from the same memory;
what the variants leave in memory is compared, byte by byte, with what the base
leaves, and the program checks what the base computed. The base is another
variant each time. What is done is kept in the results folder, and a second call
goes on from there.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

FOLDER = Path(__file__).resolve().parent


def describe_machine():
    query = ["nvidia-smi", "--id=0", "--format=csv,noheader"]
    try:
        done = subprocess.run(
            [*query, "--query-gpu=name,driver_version"],
            capture_output=True,
            text=True,
            check=True,
        )
        gpu, driver = done.stdout.strip().splitlines()[0].split(", ")
    except (OSError, subprocess.CalledProcessError, IndexError, ValueError):
        gpu = driver = "unknown"
    return {"gpu": gpu, "driver": driver, "date": time.strftime("%Y-%m-%d")}


def write_job(path, results, program, base, arguments):
    lines = [f"results {results}", f"base {base}", "ignore 5bench", "time-wrong yes"]
    lines += [f"rounds {arguments.rounds}", f"launches {arguments.launches}"]
    for name in program["variants"]:
        image = FOLDER / program["name"] / program["images"][name]
        asked = [
            *([f"carveout={arguments.carveout}"] if arguments.carveout else []),
            *requests("carveout", program["carveouts"].get(name, {})),
            *requests("claim", program["claims"].get(name, {})),
        ]
        lines.append(" ".join([f"candidate {name} {image}", *asked]))
    path.write_text("\n".join(lines) + "\n")


def requests(key, by_kernel):
    return [f"{key}={kernel}:{value}" for kernel, value in by_kernel.items()]


def replayed(job, command, timeout):
    """Runs a program once under replay; what came of it. The job is removed."""
    environment = {
        **os.environ,
        "SLUICE_REPLAY": str(job),
        "LD_PRELOAD": str(FOLDER / "lib" / "SluiceReplay.so"),
        "LD_LIBRARY_PATH": str(FOLDER / "lib"),
    }
    began = time.monotonic()
    try:
        done = subprocess.run(
            command,
            env=environment,
            capture_output=True,
            text=True,
            timeout=timeout,
        )
        status, output = done.returncode, (done.stdout + done.stderr).strip()
    except subprocess.TimeoutExpired:
        status, output = "timeout", f"no end after {timeout} s"
    except OSError as error:
        status, output = "failed", str(error)
    job.unlink()
    return {
        "status": status,
        "output": output[-2000:],
        "seconds": round(time.monotonic() - began, 2),
    }


def run_program(program, base, results, arguments):
    """Runs it once under replay; the verdict line."""
    job = results.with_suffix(".job")
    write_job(job, results, program, base, arguments)
    command = [str(FOLDER / program["name"] / "program"), *program["arguments"]]
    return {"event": "verdict", "base": base, **replayed(job, command, arguments.timeout)}


def measure(manifest, arguments):
    """Runs what has not run yet. {(program, process): [line]}"""
    raw = arguments.output.with_suffix(".raw")
    raw.mkdir(parents=True, exist_ok=True)
    wanted = set(arguments.only.split(",")) - {""}
    programs = [
        p
        for p in manifest["programs"]
        if not wanted or wanted & {p["name"], p["group"]}
    ]
    count, total = 0, len(programs) * arguments.processes
    lines = {}
    for process in range(arguments.processes):
        for program in programs:
            count += 1
            path = raw / f"{program['name']}.{process}.jsonl"
            base = program["variants"][process % len(program["variants"])]
            if not is_done(path):
                # A run that did not survive a variant goes on without it.
                for _ in range(1 + len(program["variants"])):
                    verdict = run_program(program, base, path, arguments)
                    if verdict["status"] == 0 or not has_open_try(path):
                        break
                with open(path, "a") as file:
                    file.write(json.dumps(verdict) + "\n")
                state = "" if verdict["status"] == 0 else f" {verdict['output'][-300:]}"
                print(
                    f"{count}/{total} {program['name']} ({base}) "
                    f"{verdict['seconds']} s{state}",
                    file=sys.stderr,
                )
            lines[program["name"], process] = read_lines(path)
    return programs, lines


def read_lines(path):
    if not path.exists():
        return []
    lines = []
    for text in path.read_text().splitlines():
        try:
            lines.append(json.loads(text))
        except json.JSONDecodeError:
            pass  # the last line of a run that was killed
    return lines


def is_done(path):
    return any(line["event"] == "verdict" for line in read_lines(path))


def has_open_try(path):
    def key(line):
        return line["kernel"], line["launch"], line["candidate"]

    lines = read_lines(path)
    if lines and lines[-1]["event"] == "timing":
        return False
    tried = {key(line) for line in lines if line["event"] == "trying"}
    return bool(tried - {key(line) for line in lines if line["event"] == "measured"})


def collect(program, lines, processes):
    """The results of one program, all processes together."""
    kernels, verdicts = {}, []
    for process in range(processes):
        base = verdict_base(lines[program["name"], process])
        for line in lines[program["name"], process]:
            if line["event"] == "verdict":
                verdicts.append({k: line[k] for k in ("base", "status", "output")})
            elif line["event"] == "launches":
                kernel = kernels.setdefault(line["kernel"], {"at": {}})
                kernel["launches"] = line["launches"]
            elif line["event"] == "measured":
                kernel = kernels.setdefault(line["kernel"], {"at": {}})
                point = kernel["at"].setdefault(
                    str(line["launch"]),
                    {k: line.get(k) for k in ("grid", "block", "argument_bytes")},
                )
                variant = point.setdefault("variants", {}).setdefault(
                    line["candidate"], {"ms": [], "wrong_words": {}, "errors": []}
                )
                variant["ms"].append(line["ms"])
                if line.get("wrong_words"):
                    variant["wrong_words"][base] = line["wrong_words"]
                if line.get("unstable_bytes"):
                    point["unstable_bytes"] = line["unstable_bytes"]
                if line.get("error"):
                    variant["errors"].append(line["error"])
    return {
        "name": program["name"],
        "group": program["group"],
        "claims": program.get("claims", {}),
        "verdicts": verdicts,
        "kernels": [{"name": name, **k} for name, k in kernels.items()],
    }


def verdict_base(lines):
    return next((li["base"] for li in lines if li["event"] == "verdict"), "unknown")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--output", type=Path, default=FOLDER / "results.json")
    parser.add_argument("--processes", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--launches", type=int, default=4)
    parser.add_argument(
        "--carveout",
        help="per cent, for all kernels without one of their own: a small L1",
    )
    parser.add_argument("--timeout", type=int, default=120, help="s, one process")
    parser.add_argument("--only", default="", help="programs and groups")
    arguments = parser.parse_args()
    arguments.output = arguments.output.resolve()

    manifest = json.loads((FOLDER / "manifest.json").read_text())
    programs, lines = measure(manifest, arguments)
    device = next(
        (li for ls in lines.values() for li in ls if li["event"] == "device"), {}
    )
    results = {
        "build": {k: manifest[k] for k in manifest if k != "programs"},
        "command": " ".join(["measure", *sys.argv[1:]]),
        **describe_machine(),
        "device": {k: device[k] for k in device if k != "event"},
        "rounds": arguments.rounds,
        "processes": arguments.processes,
        "programs": [collect(p, lines, arguments.processes) for p in programs],
    }
    arguments.output.write_text(json.dumps(results) + "\n")
    failed = [
        f"{p['name']} ({v['base']}): {v['output'][-200:]}"
        for p in results["programs"]
        for v in p["verdicts"]
        if v["status"] != 0
    ]
    for text in failed:
        print(f"failed: {text}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
