// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What all instances of a template have in common is said once; another reason
// is another remark.
//
// RUN: %sluice-cc %s -Rpass-missed=sluice-throttle 2>&1 | FileCheck %s --implicit-check-not=remark:

template <int Step>
__global__ void walk(const float *a, float *out, int n) {
  // CHECK: templates.cu:[[#@LINE+1]]:3: remark: loop of 'walk<1>' and 2 other instances not throttled: no load is known to touch its cache line again in the next iteration
  for (int i = 0; i < n; ++i)
    out[threadIdx.x] += a[(i * 4096 + threadIdx.x) * Step];
}

template <int Step>
__global__ void count(int *out) {
  // CHECK: templates.cu:[[#@LINE+1]]:3: remark: loop of 'count<2>' not throttled:
  for (int i = 0; i < out[0]; ++i)
    atomicAdd(out, Step);
}

void run(const float *a, float *out, int *number) {
  walk<1><<<64, 256>>>(a, out, 100);
  walk<2><<<64, 256>>>(a, out, 100);
  walk<3><<<64, 256>>>(a, out, 100);
  count<2><<<64, 256>>>(number);
}
