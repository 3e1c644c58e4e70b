#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Times of each program beside it, three times; SluiceReplay.so lies there too.
cd "$(dirname "$0")"
for r in 1 2 3; do for p in tri.off tri.nvcc tri.auto tri.m1 tri.m2 tri.m3 tri.m4 tri.m5 tri.m6 tri.m7 ges.off ges.nvcc ges.auto ges.m1 ges.m2 ges.m3 ges.m4 ges.m6 ges.n2m4; do
echo "== $p $r"; LD_PRELOAD=$PWD/SluiceReplay.so SLUICE_TRACE=/dev/null SLUICE_TRACE_LAUNCHES=0 ./$p 2>&1 | grep -v fillKernel; done; done
