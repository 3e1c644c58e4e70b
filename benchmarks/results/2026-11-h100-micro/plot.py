#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws overflow.png from overflow.csv. Needs matplotlib and pillow."""

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.ticker import FixedLocator, FormatStrFormatter
from pathlib import Path
from PIL import Image

HERE = Path(__file__).parent
COLOURS = {2: "#1b6ca8", 4: "#d9822b", 8: "#3d8b40"}
KINDS = [  # sweep, label, threshold, y limits, y ticks
    ("overflow_memory", "Sums in memory", 1.1, (0.2, 8), [0.25, 0.5, 1, 2, 4, 8]),
    ("overflow", "Sums in registers", 1.6, (0.27, 2.6), [0.35, 0.5, 0.7, 1, 1.4, 2]),
]


def read():
    """(sweep, matrices, N) to points (footprint over L1, speedup)."""
    points = {}
    for line in (HERE / "overflow.csv").read_text().splitlines():
        fields = line.split(",")
        if len(fields) > 6 and fields[1].isdigit():
            key = fields[0], int(fields[1]), int(fields[4])
            points.setdefault(key, []).append((float(fields[3]), float(fields[6])))
    return points


def draw(axes, points, sweep, matrices, threshold):
    axes.axhline(1, color="#888", lw=0.8)
    axes.axvline(threshold, color="#888", lw=0.9, ls="--")
    for n, colour in COLOURS.items():
        curve = points[sweep, matrices, n]
        axes.plot(*zip(*curve), color=colour, lw=1.3, label=f"N={n}")
        for x, y in curve:
            face = colour if x / n <= 1 else "white"
            axes.plot(x, y, "o", ms=4.6, mfc=face, mec=colour)
    axes.set_title(f"{matrices} matri{'x' if matrices == 1 else 'ces'}", fontsize=9.5)
    axes.set_xlim(0, 3.6)
    axes.grid(alpha=0.25)
    axes.tick_params(labelsize=8.5)


def main():
    points = read()
    figure, grid = plt.subplots(2, 3, figsize=(9.6, 6), sharex=True, sharey="row")
    for row, (sweep, label, threshold, limits, ticks) in zip(grid, KINDS):
        for matrices, axes in enumerate(row, 1):
            draw(axes, points, sweep, matrices, threshold)
        row[0].set_yscale("log", base=2)
        row[0].set_ylim(limits)
        row[0].yaxis.set_major_locator(FixedLocator(ticks))
        row[0].yaxis.set_major_formatter(FormatStrFormatter("%g"))
        row[0].set_ylabel(label + "\nspeedup over N=1", fontsize=9)
        row[0].text(threshold + 0.05, limits[0] * 1.08, f"threshold {threshold}",
                    fontsize=8, color="#555")
    for axes in grid[1]:
        axes.set_xlabel("footprint / L1 (224 KiB)", fontsize=9)
    grid[0][0].legend(fontsize=8.5, loc="upper right", framealpha=0.9)
    figure.suptitle("Taking turns on an H100: filled where footprint / N fits the L1",
                    fontsize=11)
    figure.tight_layout()
    target = HERE / "overflow.png"
    figure.savefig(target, dpi=100)
    Image.open(target).convert("P", palette=Image.ADAPTIVE, colors=64).save(
        target, optimize=True)


if __name__ == "__main__":
    main()
