// A kernel that calls what it is given: the loop stands in a lambda of host
// code, and the call in the kernel takes turns.
//
// RUN: %throttle-cc %s %remarks -o %t.ptx 2>&1 | FileCheck %s
// RUN: %plain-cc %s -o %t.plain.ptx
// RUN: python3 %S/Inputs/barriers.py %t.ptx %t.plain.ptx UliE_EvT_i:1 UliE0_EvT_i:same
// RUN: %same-results %s %t -fplugin-arg-sluice-promote=off int=256 skip=E0_

template <class F> __global__ void apply(F f, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    f(i);
}

void run(const float *A, float *sums) {
  constexpr int Rows = 1056 * 256, Columns = 512;
  // The bound is the same for all, but only the launch says that no thread is
  // beyond it: `i < n` keeps the call from being the region.
  auto byRow = [=] __device__(int i) {
    // CHECK-DAG: [[@LINE+1]]:5: remark: loop of 'apply<(lambda at {{.*}})>' ({{.*}} inlined at {{.*}}:[[@LINE-8]]:5) throttled, N=2:
    for (int j = 0; j < Columns; ++j)
      sums[i] += A[i * Columns + j];
  };
  apply<<<Rows / 256, 256>>>(byRow, Rows);

  auto byColumn = [=] __device__(int i) {
    // CHECK-DAG: [[@LINE+1]]:5: remark: loop of 'apply<(lambda at {{.*}})>' ({{.*}}) not throttled: no load is known to touch its cache line again
    for (int j = 0; j < Columns; ++j)
      sums[i] += A[j * Rows + i];
  };
  apply<<<Rows / 256, 256>>>(byColumn, Rows);
}
