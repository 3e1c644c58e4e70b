#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# How fast the emulator is, on one core: lane-instructions a second for each
# kernel, instruction set and check, and the memory that 8 million threads take.
# Prints a Markdown table.
#
#   benchmarks/emulator-speed.sh
#
# From the environment: SLUICE (build/bin/sluice), REPEATS (3; the best counts).
set -eu -o pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
sluice=${SLUICE:-$root/build/bin/sluice}
repeats=${REPEATS:-3}
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT

"$sluice" emulate "$root/benchmarks/emulator/speed.cu" --sluice-promote=off -o "$folder/speed" \
  >/dev/null 2>&1 || [ -x "$folder/speed" ]

# G lane-instructions/s of one run.
rate() {
  SLUICE_EMULATE="statistics=1,threads=1,isa=$2,check=$3" "$folder/speed" "$1" 2>&1 |
    sed -n 's/.* s, \([0-9.]*\) G\/s/\1/p'
}
best() {
  for _ in $(seq "$repeats"); do rate "$@"; done | sort -n | tail -1
}

grep -m1 'model name' /proc/cpuinfo | sed 's/.*: /CPU: /'
echo
echo "G lane-instructions/s, one thread, best of $repeats."
echo
echo "| kernel | instructions | limits only | memory | memory and races |"
echo "|---|---|---:|---:|---:|"
for isa in base avx2 avx512; do
  rate threads $isa none >/dev/null || continue # not on this CPU
  for kernel in gesummv mandelbrot tiles; do
    echo "| $kernel | $isa | $(best $kernel $isa none) | $(best $kernel $isa memory) | $(best $kernel $isa memory+races) |"
  done
done
echo
command -v /usr/bin/time >/dev/null && for check in memory memory+races; do
  SLUICE_EMULATE="check=$check" /usr/bin/time -f "8388608 threads, check=$check: %M KiB at most, %e s" \
    "$folder/speed" threads
done
