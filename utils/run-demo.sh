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
flags=($source --cuda-gpu-arch=$arch -O3)
link=("-L$SLUICE_TOOLKIT/lib64" -lcudart_static -ldl -lrt -lpthread)

# Compiles the example with the command $2... to an executable and to PTX.
compile() {
  local output=$demo/gesummv-$1
  shift
  { "$@" "${flags[@]}" -Rpass=sluice "${link[@]}" -o "$output" &&
    "$@" "${flags[@]}" --cuda-device-only -S -o "$output.ptx"; } \
    >"$output.log" 2>&1 || {
    cat "$output.log" >&2
    fail "compiling $source failed."
  }
}

say "compiling without Sluice: clang++-22 ${flags[*]}"
compile plain "${plain[@]}" &
compiling_plain=$!
say "compiling with Sluice: build/bin/sluice-clang++ ${flags[*]} -Rpass=sluice"
compile sluice "${sluice[@]}" &
compiling_sluice=$!

say "the plan: build/bin/sluice plan $source --cuda-gpu-arch=$arch"
build/bin/sluice plan $source --cuda-gpu-arch=$arch \
  "--cuda-path=$SLUICE_TOOLKIT" >$demo/gesummv.plan
# Up to the first loop's loads and stores.
sed '/accesses:/,$d' $demo/gesummv.plan | indented
echo "   ... the loop's loads and stores, and the other kernel: $demo/gesummv.plan"
wait $compiling_plain
wait $compiling_sluice

say "what Sluice says of the loop"
remark='gesummv\.cu:[0-9]*:[0-9]*: remark: .*staged'
grep -q "$remark" $demo/gesummv-sluice.log ||
  fail "there is no remark on the loop of $source."
grep -A2 "$remark" $demo/gesummv-sluice.log | sed "s|^$PWD/||" | indented

# The kernel's own lines of a PTX file, without comments.
kernel_of() {
  sed -n '/\.entry.*gesummv/,/^}/p' "$1" | sed 's|[[:space:]]*//.*||; /^$/d'
}
registers_of() {
  "$SLUICE_TOOLKIT/bin/ptxas" -v -arch=$arch "$1" -o /dev/null 2>&1 |
    sed -n '/Compiling entry function.*gesummv/,/Used/s/.*Used \([0-9]*\) registers.*/\1/p'
}

say "what changed in the kernel's PTX"
for name in plain sluice; do
  kernel_of $demo/gesummv-$name.ptx >$demo/$name.kernel
  registers=$(registers_of $demo/gesummv-$name.ptx)
  barriers=$(grep -c 'bar\.sync' $demo/$name.kernel) || true
  printf '   %-7s %3d lines, barriers: %d, registers by ptxas: %d\n' $name: \
    "$(wc -l <$demo/$name.kernel)" "$barriers" "$registers"
done
if cmp -s $demo/plain.kernel $demo/sluice.kernel ||
  ! grep -q 'cp\.async' $demo/sluice.kernel; then
  fail "nothing is copied to shared memory in the kernel that was compiled with Sluice."
fi
echo "   The lanes of a warp copy their rows into shared memory together, and wait for it:"
grep -A4 -m 1 'cp\.async\.cg' $demo/sluice.kernel |
  sed 's/^\t/    /; s/ *\t/ /g' | indented
grep -A2 -m 1 'cp\.async\.wait_all' $demo/sluice.kernel |
  sed 's/^\t/    /; s/ *\t/ /g' | indented

if has_gpu; then
  say "running both"
  for name in plain sluice; do
    $demo/gesummv-$name >$demo/$name.result || fail "$demo/gesummv-$name failed."
    printf '   %-7s %s\n' $name: "$(cat $demo/$name.result)"
  done
  hash_of() { sed 's/.*hash //' $demo/"$1".result; }
  [ "$(hash_of plain)" = "$(hash_of sluice)" ] || fail "the results differ."
  echo "   The hashes are equal: the results are the same, bit for bit."
else
  say "there is no GPU here to run them on; times taken on GPUs are in benchmarks/results"
fi
