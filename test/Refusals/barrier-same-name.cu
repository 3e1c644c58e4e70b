// A piece of the loop's body from a file of the same name in another folder: the
// barrier's line, 1, is not in the loop's lines.
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 %remarks 2>&1 | FileCheck %s
// RUN: %plain-cc %s > %t.plain 2>/dev/null
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 2>/dev/null | diff %t.plain -

__global__ void k(const float *A, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: remark: loop of 'k' not throttled: N=4 is wanted (N=4 was asked for), but the region at barrier-same-name.cu:[[@LINE+1]]:3 contains a block barrier
  for (int j = 0; j < 512; ++j) {
    y[i] += A[i * 512 + j];
#include "Inputs/barrier-same-name.cu"
  }
}
