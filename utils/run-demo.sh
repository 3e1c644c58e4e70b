#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Builds Sluice, installing what is missing, and shows what it does to one
# program: the plan, the remark, the PTX, the registers and, with a GPU, the time.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

source=examples/gesummv.cu
demo=build/demo
mkdir -p $demo
indented() { sed 's/^/   /'; }

has_gpu() { nvidia-smi -L 2>/dev/null | grep '^GPU' >/dev/null; }
arch=sm_90
if has_gpu; then
  arch=sm_$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | sed -n '1s/\.//p')
fi

plain=(clang++-22 "--cuda-path=$SLUICE_TOOLKIT" -Wno-unknown-cuda-version)
sluice=(build/bin/sluice-clang++ "--cuda-path=$SLUICE_TOOLKIT")
link=("-L$SLUICE_TOOLKIT/lib64" -lcudart_static -ldl -lrt -lpthread)

# Compiles the example with the command $2..., into an executable and into PTX.
compile() {
  local output=$demo/gesummv-$1
  shift
  "$@" $source --cuda-gpu-arch=$arch -O3 -Rpass=sluice "${link[@]}" \
    -o "$output" 2>"$output.log" &&
    "$@" $source --cuda-gpu-arch=$arch -O3 --cuda-device-only -S \
      -o "$output.ptx" 2>>"$output.log" || {
    cat "$output.log" >&2
    fail "compiling $source failed."
  }
}

say "the plan for $source: build/bin/sluice plan $source --cuda-gpu-arch=$arch"
build/bin/sluice plan $source --cuda-gpu-arch=$arch "--cuda-path=$SLUICE_TOOLKIT" \
  >$demo/gesummv.plan
# Up to the first loop's loads and stores.
sed '/accesses:/,$d' $demo/gesummv.plan | indented
echo "   ... the loop's loads and stores, and the other kernel: $demo/gesummv.plan"

say "compiling without Sluice: clang++-22 $source --cuda-gpu-arch=$arch -O3"
compile plain "${plain[@]}" &
compiling=$!
say "compiling with Sluice: build/bin/sluice-clang++ $source --cuda-gpu-arch=$arch -O3 -Rpass=sluice"
compile sluice "${sluice[@]}"
wait $compiling

say "what Sluice says of the loop"
grep -A2 'gesummv\.cu:[0-9]*:[0-9]*: remark: .*throttled' $demo/gesummv-sluice.log |
  sed "s|^$PWD/||" | indented ||
  fail "Sluice said nothing of the loop in $source."

# The kernel's own lines of a PTX file, without comments.
kernel_of() { sed -n '/\.entry.*gesummv/,/^}/s|[[:space:]]*//.*||p' "$1" | grep .; }
barriers_of() { kernel_of "$1" | grep -c 'bar\.sync' || true; }
registers_of() {
  "$SLUICE_TOOLKIT/bin/ptxas" -v -arch=$arch "$1" -o /dev/null 2>&1 |
    sed -n '/Compiling entry function.*gesummv/,/Used/s/.*Used \([0-9]*\) registers.*/\1/p'
}

say "what changed in the kernel's PTX"
for name in plain sluice; do
  ptx=$demo/gesummv-$name.ptx
  kernel_of $ptx >$demo/$name.kernel
  printf '   %-7s %3d lines, %d barriers, %s registers\n' $name: \
    "$(wc -l <$demo/$name.kernel)" "$(barriers_of $ptx)" "$(registers_of $ptx)"
done
[ "$(barriers_of $demo/gesummv-plain.ptx)" -lt "$(barriers_of $demo/gesummv-sluice.ptx)" ] ||
  fail "Sluice put no barrier into the kernel."
echo "   The warps of a block take turns at the loop, a barrier between two turns:"
grep -B1 -A7 'bar\.sync' $demo/sluice.kernel | expand -t4 | indented

if has_gpu; then
  say "running both"
  for name in plain sluice; do
    $demo/gesummv-$name >$demo/$name.result || fail "$demo/gesummv-$name failed."
    printf '   %-7s %s\n' $name: "$(cat $demo/$name.result)"
  done
  hash_of() { sed 's/.*hash //' "$demo/$1.result"; }
  [ "$(hash_of plain)" = "$(hash_of sluice)" ] || fail "the results differ."
  echo "   The hashes are equal: the results are the same, bit for bit."
else
  say "there is no GPU here to run them on; times taken on GPUs are in benchmarks/results"
fi
