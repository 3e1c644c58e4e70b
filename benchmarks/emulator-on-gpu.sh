#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Does the emulator give what a GPU gives? The programs of
# test/Emulator/Programs print a hash of each result that is exact.
#
#   benchmarks/emulator-on-gpu.sh build FOLDER     compile for the GPU, and run on
#                                                  the emulator
#   benchmarks/emulator-on-gpu.sh run FOLDER OUT   run on the GPU, where there
#                                                  need be no compiler
#   benchmarks/emulator-on-gpu.sh compare FOLDER OUT
#
# From the environment: CLANG_CXX (clang++-22), CUDA_PATH (/usr/local/cuda), ARCH
# (sm_90), SLUICE (build/bin/sluice).
set -u -o pipefail

usage() {
  sed -n '5,14s/^# \{0,1\}//p' "$0" >&2
  exit 2
}
[ $# -ge 2 ] || usage
verb=$1 folder=$2 out=${3:-}
root=$(cd "$(dirname "$0")/.." && pwd)
clang=${CLANG_CXX:-clang++-22}
cuda=${CUDA_PATH:-/usr/local/cuda}
arch=${ARCH:-sm_90}
sluice=${SLUICE:-$root/build/bin/sluice}

case $verb in
build)
  mkdir -p "$folder"
  for source in "$root"/test/Emulator/Programs/*.cu; do
    name=$(basename "$source" .cu)
    [ "$name" = rdc-two-files ] && continue # needs nvlink
    "$clang" -O3 -std=c++17 --cuda-gpu-arch="$arch" --cuda-path="$cuda" \
      -Wno-unknown-cuda-version -I"$cuda/include/cccl" "$source" \
      -o "$folder/$name" -L"$cuda/lib64" -lcudart_static -ldl -lrt -lpthread \
      2>"$folder/$name.log" || echo "$name does not compile: see $folder/$name.log"
    "$sluice" emulate "$source" -std=c++17 --gpu="$arch" \
      >"$folder/$name.emulator" 2>"$folder/$name.log" ||
      echo "$name: the emulator ends with $?: see $folder/$name.log"
  done
  ;;
run)
  [ -n "$out" ] || usage
  mkdir -p "$out"
  for program in "$folder"/*.emulator; do
    name=$(basename "$program" .emulator)
    timeout 60 "$folder/$name" >"$out/$name.gpu" 2>&1 || echo "$name ends with $?"
  done
  ;;
compare)
  [ -n "$out" ] || usage
  equal=0 all=0 hashes=0
  for program in "$folder"/*.emulator; do
    name=$(basename "$program" .emulator)
    all=$((all + 1))
    count=$(grep -c '^hash ' "$program")
    if grep -q '^PASS$' "$out/$name.gpu" &&
      diff <(grep '^hash ' "$program") <(grep '^hash ' "$out/$name.gpu") >/dev/null; then
      equal=$((equal + 1)) hashes=$((hashes + count))
      echo "$name: same, $count results bit by bit"
    else
      echo "$name: DIFFERENT"
      diff "$program" "$out/$name.gpu" | head -20
    fi
  done
  echo "$equal of $all programs are the same, $hashes results bit by bit"
  [ "$equal" = "$all" ]
  ;;
*) usage ;;
esac
