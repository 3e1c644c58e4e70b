# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plots of results: speed-ups by group, times over the DRAM floor, sweeps."""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

OURS = ("sluice", "tuned")


def draw(results, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for over in ("clang", "nvcc"):
        speedups(results, over, folder / f"speedup-over-{over}.png")
    floors(results, folder / "over-floor.png")
    sweep(results, folder / "sweep.png")


def speedups(results, over, path):
    """Bars, a program each, groups side by side."""
    shown = [v for v in OURS if v in results.variants]
    names, series, edges = [], {v: [] for v in shown}, []
    for group in results.groups:
        by_variant = {v: results.program_speedups(group, v, over) for v in shown}
        programs = sorted({p for s in by_variant.values() for p in s})
        edges.append((len(names), group))
        names += programs
        for v in shown:
            series[v] += [by_variant[v].get(p, 0) for p in programs]
    if not names:
        return
    figure, axes = plt.subplots(figsize=(max(6, 0.28 * len(names)), 4))
    width = 0.8 / len(shown)
    for index, v in enumerate(shown):
        places = [i + index * width for i in range(len(names))]
        axes.bar(places, series[v], width, label=v)
    axes.axhline(1, color="black", linewidth=0.8)
    for place, group in edges:
        axes.axvline(place - 0.5, color="grey", linewidth=0.5)
        axes.text(place, axes.get_ylim()[1], group, fontsize=7, va="bottom")
    axes.set_xticks(range(len(names)), names, rotation=90, fontsize=7)
    axes.set_ylabel(f"speed-up over {over} -O3")
    axes.legend(fontsize=7)
    save(figure, path)


def floors(results, path):
    """Time over what one pass over the arguments' memory takes."""
    copy = results.data.get("device", {}).get("copy_gb_per_s")
    if not copy:
        return
    kernels = [k for k in results.kernels if k.argument_bytes and k.ms("clang")]
    if not kernels:
        return
    figure, axes = plt.subplots(figsize=(max(6, 0.2 * len(kernels)), 4))
    for v in ("clang", *OURS):
        points = [
            (i, k.ms(v) / (k.argument_bytes / copy / 1e6))
            for i, k in enumerate(kernels)
            if k.ms(v)
        ]
        if points:
            axes.scatter(*zip(*points), s=10, label=v)
    axes.axhline(1, color="black", linewidth=0.8)
    axes.set_yscale("log")
    names = [results.label(k) for k in kernels]
    axes.set_xticks(range(len(kernels)), names, rotation=90, fontsize=5)
    axes.set_ylabel("time over the DRAM floor")
    axes.legend(fontsize=7)
    save(figure, path)


def sweep(results, path):
    """Time by forced throttling factor, as the CATT paper's Figure 9."""
    forced = results.sweep
    if len(forced) < 3:
        return
    figure, axes = plt.subplots(figsize=(8, 5))
    for k in results.kernels:
        base = k.ms("clang")
        points = [(n, k.ms(v) / base) for n, v in sorted(forced.items()) if k.ms(v)]
        if len(points) > 2 and any(abs(t - 1) > 0.05 for _, t in points):
            axes.plot(*zip(*points), marker="o", label=results.label(k))
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xlabel("throttling factor N")
    axes.set_ylabel("time over clang -O3")
    axes.legend(fontsize=5, ncol=2)
    save(figure, path)


def model(points, path):
    """The simulator against counters: hit rates and times."""
    figure, (hits, times) = plt.subplots(1, 2, figsize=(9, 4.2))
    for variant in sorted({p["variant"] for p in points}):
        of = [p for p in points if p["variant"] == variant]
        hits.scatter(
            [p["hit"] for p in of], [p["simulated_hit"] for p in of], s=8, label=variant
        )
        times.scatter(
            [p["ms"] for p in of], [p["simulated_ms"] for p in of], s=8, label=variant
        )
    hits.plot([0, 100], [0, 100], color="black", linewidth=0.8)
    hits.set(xlabel="L1 hits, measured, %", ylabel="simulated, %")
    ends = [min(p["ms"] for p in points), max(p["ms"] for p in points)]
    times.plot(ends, ends, color="black", linewidth=0.8)
    times.set(xlabel="time, measured, ms", ylabel="predicted, ms")
    times.set(xscale="log", yscale="log")
    times.legend(fontsize=6)
    save(figure, path)


def save(figure, path):
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    plt.close(figure)


def predicted(points, path):
    """Predicted against measured times, a colour each kernel; turns are dots,
    blocks triangles."""
    figure, axes = plt.subplots(figsize=(7, 6))
    labels = list(dict.fromkeys(label for label, *_ in points))
    colours = plt.get_cmap("tab20")
    for index, label in enumerate(labels):
        for marker, is_blocks in (("o", False), ("^", True)):
            mine = [p for p in points if p[0] == label and bool(p[1][1]) == is_blocks]
            axes.scatter(
                [measured for *_, measured, _ in mine],
                [predicted for *_, predicted in mine],
                s=18,
                marker=marker,
                color=colours(index % 20),
                label=label if not is_blocks else None,
            )
    ends = [min(p[2] for p in points), max(p[2] for p in points)]
    axes.plot(ends, ends, color="black", linewidth=0.8)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("measured, ms")
    axes.set_ylabel("predicted, ms (dots: N; triangles: M)")
    axes.legend(fontsize=6, ncol=2)
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    plt.close(figure)
