#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# On the machine with the GPU: times of plain, instrumented and traced launches,
# three times each, and the records. Beside this lie SluiceReplay.so and each
# program twice: NAME.plain, and NAME.traced, built with --sluice-trace=gpu.
# usage: trace-on-gpu.sh OUT
cd "$(dirname "$0")" || exit
out=$1
{
  for p in gesummv kmeans spmv_csr gemm srad hotspot; do
    for round in 1 2 3; do
      for how in plain instrumented traced; do
        echo "== $p $how $round"
        program=./$p.traced records=/tmp/$p.raw launches=1
        [ $how = plain ] && program=./$p.plain
        [ $how != traced ] && records=/dev/null launches=0
        LD_PRELOAD=$PWD/SluiceReplay.so SLUICE_TRACE=$records \
          SLUICE_TRACE_LAUNCHES=$launches SLUICE_TRACE_MIB=1024 $program 2>&1
      done
    done
    xz -T8 -1 -c "/tmp/$p.raw" > "$out/$p.raw.xz"
  done
} > "$out/log.txt"
