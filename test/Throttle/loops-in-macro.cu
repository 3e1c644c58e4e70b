// Two loops on one line, from one macro that is expanded twice: each takes its
// own turns.
//
// RUN: %throttle-cc %s %remarks -fplugin-arg-sluice-remarks=all -o %t.ptx 2>&1 | FileCheck %s
// RUN: %plain-cc %s -o %t.plain.ptx
// RUN: python3 %S/Inputs/barriers.py %t.ptx %t.plain.ptx fires:2 stays:same
// RUN: %same-results %s %t -fplugin-arg-sluice-promote=off

#define ADD_ROW(M)                                                             \
  for (int j = 0; j < 512; ++j)                                                \
    sums[i] += M[i * pitch + j];

__global__ void fires(const float *A, const float *B, float *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, pitch = 512;
  // CHECK: [[@LINE+2]]:3: remark: loop of 'fires' throttled, N=2:
  // CHECK: [[@LINE+1]]:14: remark: loop of 'fires' throttled, N=2:
  ADD_ROW(A) ADD_ROW(B)
}

__global__ void stays(const float *A, const float *B, float *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, pitch = 8;
  // CHECK: [[@LINE+2]]:3: remark: loop of 'stays' not throttled: {{.*}} fits the L1
  // CHECK: [[@LINE+1]]:14: remark: loop of 'stays' not throttled: {{.*}} fits the L1
  ADD_ROW(A) ADD_ROW(B)
}

void run(const float *A, const float *B, float *sums) {
  fires<<<1056, 256>>>(A, B, sums);
  stays<<<1056, 256>>>(A, B, sums);
}
