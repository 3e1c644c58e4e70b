// Kernels with C names. The second one's grid leaves one block for an SM.
//
// RUN: %throttle-cc %s %remarks -o %t.ptx 2>&1 | FileCheck %s
// RUN: %plain-cc %s -o %t.plain.ptx
// RUN: python3 %S/Inputs/barriers.py %t.ptx %t.plain.ptx fires:1 stays:same
// RUN: %same-results %s %t -fplugin-arg-sluice-promote=off

extern "C" __global__ void fires(const float *A, float *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: [[@LINE+1]]:3: remark: loop of 'fires' throttled, N=2:
  for (int j = 0; j < 512; ++j)
    sums[i] += A[i * 512 + j];
}

extern "C" {
__global__ void stays(const float *A, float *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: [[@LINE+1]]:3: remark: loop of 'stays' not throttled: {{.*}} fits the L1
  for (int j = 0; j < 512; ++j)
    sums[i] += A[i * 512 + j];
}
}

void run(const float *A, float *sums) {
  fires<<<1056, 256>>>(A, sums);
  stays<<<4, 256>>>(A, sums);
}
