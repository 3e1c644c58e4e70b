#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Takes the counters of a folder that `benchmarks/run counters build` made. It
stands in that folder.

    FOLDER/counters [--rounds=2] [--launches=1] [--output=FOLDER/counters.json]

Which counters, the manifest says: of caches, of bank conflicts in shared memory,
or of loads that are on their way. Those that this Nsight Compute has not are left
out, and named.

Each program runs once under Nsight Compute. Its kernels are replayed as measure
replays them, with every variant's code from the same memory; Nsight Compute sees
a run of each variant in each round. It empties the caches before every pass and
leaves the clocks alone. What is done is kept in the results folder, and a second
call goes on from there.
"""

import argparse
import csv
import json
import os
import re
import subprocess
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
measure = SourceFileLoader("measure", str(FOLDER / "measure")).load_module()
NCU = os.environ.get("NCU", "ncu")

GLOBAL_LOADS = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld"
CACHES = [
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    f"{GLOBAL_LOADS}.sum",
    f"{GLOBAL_LOADS}_lookup_hit.sum",
    f"{GLOBAL_LOADS}_lookup_miss.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",
    "l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__m_xbar2l1tex_read_sectors.sum",
    "l1tex__m_xbar2l1tex_read_sectors_mem_lg_op_ld.sum",
    "lts__t_sectors_op_read.sum",
    "lts__t_sectors_op_write.sum",
    "lts__t_sectors_srcunit_tex.sum",
    "lts__t_sectors_srcunit_tex_lookup_hit.sum",
    "lts__t_sectors_srcunit_tex_lookup_miss.sum",
    "dram__bytes_read.sum",
    "dram__bytes_write.sum",
    "gpu__time_duration.sum",
    "sm__cycles_elapsed.max",
    "smsp__inst_executed.sum",
    "sm__warps_active.avg.pct_of_peak_sustained_active",
    "launch__grid_size",
    "launch__block_size",
    "launch__registers_per_thread",
    "launch__shared_mem_config_size",
    "launch__shared_mem_per_block",
    "launch__occupancy_limit_blocks",
    "launch__occupancy_limit_registers",
    "launch__occupancy_limit_shared_mem",
    "launch__occupancy_limit_warps",
    "launch__waves_per_multiprocessor",
]
# smsp__sass_* are of instructions: a conflict of two instructions that meet in the
# data stage, which l1tex__data_bank_conflicts* count too, is not in them.
BANK_CONFLICTS = [
    "gpu__time_duration.sum",
    *[
        f"{name}{access}.sum"
        for name in (
            "smsp__sass_inst_executed_op_shared",
            "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared",
            "smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared",
            "l1tex__data_pipe_lsu_wavefronts_mem_shared",
            "l1tex__data_bank_conflicts_pipe_lsu_mem_shared",
        )
        for access in ("", "_op_ld", "_op_st", "_ld", "_st")
    ],
    "smsp__inst_executed_op_shared_ld.sum",
    "smsp__inst_executed_op_shared_st.sum",
    "smsp__inst_executed_op_local_ld.sum",
    "smsp__inst_executed_op_local_st.sum",
    "memory_l1_wavefronts_shared",
    "memory_l1_wavefronts_shared_ideal",
    "launch__registers_per_thread",
    "launch__shared_mem_per_block_static",
    "launch__block_size",
]
STALLED = "smsp__average_warps_issue_stalled_long_scoreboard"
LOADS = [
    "gpu__time_duration.sum",
    "sm__cycles_elapsed.max",
    "sm__cycles_active.sum",
    "smsp__cycles_active.sum",
    "smsp__issue_active.sum",
    "sm__warps_active.sum",
    f"{STALLED}_per_issue_active.ratio",
    "smsp__average_warp_latency_issue_stalled_long_scoreboard.ratio",
    "smsp__average_warps_issue_stalled_lg_throttle_per_issue_active.ratio",
    "smsp__inst_executed.sum",
    "smsp__inst_executed_op_global_ld.sum",
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    f"{GLOBAL_LOADS}.sum",
    f"{GLOBAL_LOADS}_lookup_hit.sum",
    "l1tex__m_xbar2l1tex_read_sectors_mem_lg_op_ld.sum",
    "l1tex__m_l1tex2xbar_req_cycles_active.sum",
    "lts__t_sectors_srcunit_tex_op_read.sum",
    "lts__t_sectors_srcunit_tex_op_read.sum.per_second",
    "lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum",
    "lts__t_sectors_srcunit_tex_op_read_lookup_miss.sum",
    "lts__t_sectors_srcunit_tex_lookup_hit.sum",
    "lts__t_sectors_srcunit_tex_lookup_miss.sum",
    "dram__bytes_read.sum",
    "launch__grid_size",
    "launch__block_size",
    "launch__registers_per_thread",
]
METRICS = {"caches": CACHES, "bank-conflicts": BANK_CONFLICTS, "loads": LOADS}


def listed_metrics():
    """The names that Nsight Compute has for this GPU, or nothing."""
    try:
        done = subprocess.run(
            [NCU, "--query-metrics"], capture_output=True, text=True, timeout=60
        )
    except (OSError, subprocess.TimeoutExpired):
        return set()
    return set(re.findall(r"^ *([a-z]\w*__\w+)", done.stdout, re.M))


def kind(name):
    """The unit and the first word: smsp__inst of smsp__inst_executed."""
    return name.split("__")[0] + "__" + name.split("_")[2]


def usable(metrics):
    """(Those that it has or may have, and of these those that it does not list:
    of a launch, of source lines.)"""
    listed = listed_metrics()
    kinds = {kind(name) for name in listed}

    def may_be(metric):
        name = metric.split(".")[0]
        if "." not in metric or not listed or name in listed:
            return True
        # Of a kind of which it lists nothing at all?
        return kind(name) not in kinds

    names = [m for m in metrics if may_be(m)]
    if len(names) < len(metrics):
        print("there is no", *sorted(set(metrics) - set(names)), file=sys.stderr)
    unsure = [m for m in names if m.split(".")[0] not in listed]
    return names, [m for m in unsure if not m.startswith("launch__")]


def run_program(program, path, arguments):
    """Runs it once under Nsight Compute. {"rows", "lines", "verdict"}"""
    job, lines, rows = (path.with_suffix(s) for s in (".job", ".jsonl", ".csv"))
    for old in (lines, rows):
        old.unlink(missing_ok=True)
    measure.write_job(job, lines, program, program["variants"][0], arguments)
    command = [
        *[NCU, "--profile-from-start", "off", "--clock-control", "none"],
        *["--kernel-name", f"regex:^(?!sluice_).*({arguments.kernels})"],
        *["--print-kernel-base", "mangled"],
        *["--csv", "--page", "raw", "--print-units", "base"],
        *["--metrics", ",".join(arguments.metrics), "--log-file", str(rows)],
        *[str(FOLDER / program["name"] / "program"), *program["arguments"]],
    ]
    done = measure.replayed(job, command, arguments.timeout)
    found = read_rows(rows)
    if not found and rows.exists():
        done["output"] += rows.read_text()[-1000:]
    measured = [
        line
        for line in measure.read_lines(lines)
        if re.search(arguments.kernels, line.get("kernel", ""))
    ]
    return {**done, "rows": found, "lines": measured}


def run_sure(program, path, arguments):
    """The same. If there is nothing, again without what is complained of, and
    then without all that it may not have."""
    run = run_program(program, path, arguments)
    while not run["rows"] and arguments.unsure:
        blamed = [m for m in arguments.unsure if m in run["output"]]
        without = blamed or arguments.unsure
        print("without", *without, run["output"], file=sys.stderr)
        arguments.unsure = [m for m in arguments.unsure if m not in without]
        arguments.metrics = [m for m in arguments.metrics if m not in without]
        run = run_program(program, path, arguments)
    return run


def number(text):
    text = text.replace(",", "")
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return None


def read_rows(path):
    """[{column: text}] of Nsight Compute's table, less the line of units."""
    if not path.exists():
        return []
    text = [li for li in path.read_text().splitlines() if not li.startswith("==")]
    return [row for row in csv.DictReader(text) if row["ID"]]


def runs_in_order(lines, rounds):
    """The measured lines of a replay, one for each run that was profiled: the
    replayer's turns rotate from round to round."""
    launches = {}
    for line in lines:
        if line["event"] == "measured":
            launches.setdefault((line["kernel"], line["launch"]), []).append(line)
    for turns in launches.values():
        for turn in range(rounds * len(turns)):
            line = turns[(turn + turn // len(turns)) % len(turns)]
            if line["ms"]:
                yield line


def collect(program, run, arguments):
    """The results of one program."""
    result = {
        **{k: program[k] for k in ("name", "group", "source", "flags", "arguments")},
        **{k: run[k] for k in ("status", "output", "seconds")},
        "kernels": [],
    }
    lines, rows = list(runs_in_order(run["lines"], arguments.rounds)), run["rows"]
    if [li["kernel"] for li in lines] != [row["Kernel Name"] for row in rows]:
        result["status"] = result["status"] or "failed"
        result["output"] += f"\n{len(lines)} runs, {len(rows)} rows of counters"
        return result
    metrics = arguments.metrics
    kernels = {}
    for line, row in zip(lines, rows):
        kernel = kernels.setdefault(
            (line["kernel"], line["launch"]),
            {
                **{k: line[k] for k in ("kernel", "launch", "grid", "block")},
                **{k: line[k] for k in ("shared", "argument_bytes")},
                "variants": {},
            },
        )
        variant = kernel["variants"].setdefault(
            line["candidate"],
            {"wrong_words": line["wrong_words"], **{m: [] for m in metrics}},
        )
        for metric in metrics:
            variant[metric].append(number(row.get(metric, "")))
    result["kernels"] = list(kernels.values())
    if arguments.of == "bank-conflicts":
        for name, image in program["images"].items():
            code = shared_instructions(FOLDER / program["name"] / image)
            for kernel in result["kernels"]:
                if name in kernel["variants"]:
                    found = code.get(kernel["kernel"], {})
                    kernel["variants"][name]["shared_instructions"] = found
    return result


def shared_instructions(image):
    """{kernel: {"LDS.64": how many}} in the code, if there is a disassembler."""
    try:
        done = subprocess.run(
            ["cuobjdump", "-sass", image], capture_output=True, text=True
        )
    except OSError:
        return {}
    kernels, counts = {}, {}
    for line in done.stdout.splitlines():
        if name := re.search(r"Function : (\S+)", line):
            counts = kernels.setdefault(name[1], {})
        elif found := re.search(r"\b(?:LDS|STS)(?:\.\w+)*(?= )", line):
            counts[found[0]] = counts.get(found[0], 0) + 1
    return kernels


def distinct(program):
    """(The variants that differ, {one that does not: the one it is like}). They
    are all run if there would be one only: a single one is not replayed."""
    first, same = {}, {}
    for name in program["variants"]:
        code = (FOLDER / program["name"] / program["images"][name]).read_bytes()
        asked = [program[key].get(name) for key in ("carveouts", "claims")]
        key = code, str(asked)
        if first.setdefault(key, name) != name:
            same[name] = first[key]
    return list(first.values()) if len(first) > 1 else program["variants"], same


def take(program, raw, arguments):
    """The results of one program, now or of an earlier call."""
    path = raw / f"{program['name']}.json"
    if path.exists():
        return json.loads(path.read_text())
    different, same = distinct(program)
    run = run_sure({**program, "variants": different}, path, arguments)
    result = {**collect(program, run, arguments), "same_code": same}
    path.write_text(json.dumps(result) + "\n")
    return result


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--output", type=Path, default=FOLDER / "counters.json")
    parser.add_argument("--only", default="", help="programs and groups")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--launches", type=int, default=1)
    parser.add_argument("--metrics", default="", help="default: the manifest's")
    parser.add_argument("--kernels", default="", help="expression; the manifest's")
    parser.add_argument("--timeout", type=int, default=120, help="s, one program")
    parser.set_defaults(carveout=None)  # measure's
    arguments = parser.parse_args()
    arguments.output = arguments.output.resolve()

    manifest = json.loads((FOLDER / "manifest.json").read_text())
    counters = manifest.get("counters", {"of": "caches", "kernels": ""})
    arguments.of = counters["of"]
    arguments.kernels = arguments.kernels or counters["kernels"]
    asked = arguments.metrics.split(",") if arguments.metrics else METRICS[arguments.of]
    arguments.metrics, arguments.unsure = usable(asked)
    wanted = set(arguments.only.split(",")) - {""}
    programs = [
        p
        for p in manifest["programs"]
        if not wanted or wanted & {p["name"], p["group"]}
    ]
    raw = arguments.output.with_suffix(".raw")
    raw.mkdir(parents=True, exist_ok=True)
    results = {
        "build": {k: manifest[k] for k in manifest if k != "programs"},
        "command": " ".join(["counters", *sys.argv[1:]]),
        **measure.describe_machine(),
        "profiler": subprocess.run(
            [NCU, "--version"], capture_output=True, text=True
        ).stdout.splitlines()[-1],
        "programs": [],
    }
    for program in programs:
        result = take(program, raw, arguments)
        results["programs"].append(result)
        output = result["output"][-300:] if result["status"] else ""
        print(program["name"], result["seconds"], "s", output, file=sys.stderr)
        arguments.output.write_text(json.dumps(results) + "\n")
    return 1 if any(p["status"] for p in results["programs"]) else 0


if __name__ == "__main__":
    sys.exit(main())
