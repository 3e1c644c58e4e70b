// With __restrict__ the sum is kept in a register until the loop ends, and the
// loads of several iterations go out together: the loop then needs more to gain.
//
// RUN: %throttle-cc %s %remarks -o %t.ptx 2>&1 | FileCheck %s
// RUN: %plain-cc %s -o %t.plain.ptx
// RUN: python3 %S/Inputs/barriers.py %t.ptx %t.plain.ptx fires:1 stays:same
// RUN: %same-results %s %t -fplugin-arg-sluice-promote=off

__global__ void fires(const float *A, float *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: [[@LINE+1]]:3: remark: loop of 'fires' throttled, N=2:
  for (int j = 0; j < 512; ++j)
    sums[i] += A[i * 512 + j];
}

__global__ void stays(const float *__restrict__ A, float *__restrict__ sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: [[@LINE+1]]:3: remark: loop of 'stays' not throttled: {{.*}} times the L1 of {{.*}} turns do not pay for a loop that loads {{[0-9]+}} iterations together
  for (int j = 0; j < 512; ++j)
    sums[i] += A[i * 512 + j];
}

void run(const float *A, float *sums) {
  fires<<<1056, 256>>>(A, sums);
  stays<<<1056, 256>>>(A, sums);
}
