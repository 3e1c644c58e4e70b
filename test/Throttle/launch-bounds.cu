// __launch_bounds__ says how many registers a thread may have, and so how many
// blocks an SM holds when nothing better is known.
//
// RUN: %throttle-cc %s %remarks -o %t.ptx 2>&1 | FileCheck %s
// RUN: %plain-cc %s -o %t.plain.ptx
// RUN: python3 %S/Inputs/barriers.py %t.ptx %t.plain.ptx 12freeOf:1 7bounded:1 10atLeastOne:1 5stays:same
// RUN: %same-results %s %t -fplugin-arg-sluice-promote=off

__global__ void freeOfBounds(const float *A, const float *B, float *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: [[@LINE+1]]:3: remark: loop of 'freeOfBounds' throttled, N=4:
  for (int j = 0; j < 512; ++j)
    sums[i] += A[i * 512 + j] * B[i * 512 + j];
}

__global__ void __launch_bounds__(256, 8)
bounded(const float *A, const float *B, float *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: [[@LINE+1]]:3: remark: loop of 'bounded' throttled, N=4:
  for (int j = 0; j < 512; ++j)
    sums[i] += A[i * 512 + j] * B[i * 512 + j];
}

// A bound is what ptxas may use at most, and this kernel needs no more
// registers than the first.
__global__ void __launch_bounds__(256, 1)
atLeastOne(const float *A, const float *B, float *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: [[@LINE+1]]:3: remark: loop of 'atLeastOne' throttled, N=4:
  for (int j = 0; j < 512; ++j)
    sums[i] += A[i * 512 + j] * B[i * 512 + j];
}

// One block for each SM: its rows fit.
__global__ void __launch_bounds__(256, 1)
stays(const float *A, const float *B, float *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: [[@LINE+1]]:3: remark: loop of 'stays' not throttled: {{.*}} fits the L1
  for (int j = 0; j < 512; ++j)
    sums[i] += A[i * 512 + j] * B[i * 512 + j];
}

void run(const float *A, const float *B, float *sums) {
  freeOfBounds<<<1056, 256>>>(A, B, sums);
  atLeastOne<<<1056, 256>>>(A, B, sums);
  bounded<<<1056, 256>>>(A, B, sums);
  stays<<<132, 256>>>(A, B, sums);
}
