// Kernels that only this file sees.
//
// RUN: %throttle-cc %s %remarks -o %t.ptx 2>&1 | FileCheck %s
// RUN: %plain-cc %s -o %t.plain.ptx
// RUN: python3 %S/Inputs/barriers.py %t.ptx %t.plain.ptx fires:1 stays:same
// RUN: %same-results %s %t -fplugin-arg-sluice-promote=off skip=stays

static __global__ void fires(const float *A, float *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK-DAG: [[@LINE+1]]:3: remark: loop of 'fires' throttled, N=2:
  for (int j = 0; j < 512; ++j)
    sums[i] += A[i * 512 + j];
}

static __global__ void stays(const float *A, float *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK-DAG: [[@LINE+1]]:3: remark: loop of 'stays' not throttled: no load is known to touch its cache line again in the next iteration
  for (int j = 0; j < 512; ++j)
    sums[i] += A[j * 270336 + i] * sums[i + j * 270336];
}

void run(const float *A, float *sums) {
  fires<<<1056, 256>>>(A, sums);
  stays<<<1056, 256>>>(A, sums);
}
