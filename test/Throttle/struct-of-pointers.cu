// Pointers come in a struct that is passed by value.
//
// RUN: %throttle-cc %s %remarks -o %t.ptx 2>&1 | FileCheck %s
// RUN: %plain-cc %s -o %t.plain.ptx
// RUN: python3 %S/Inputs/barriers.py %t.ptx %t.plain.ptx fires:1 stays:same
// RUN: %same-results %s %t -fplugin-arg-sluice-promote=off

struct Matrices {
  const float *A, *B;
  float *sums;
};

__global__ void fires(Matrices m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: [[@LINE+1]]:3: remark: loop of 'fires' throttled, N=4:
  for (int j = 0; j < 512; ++j)
    m.sums[i] += m.A[i * 512 + j] * m.B[i * 512 + j];
}

__global__ void stays(Matrices m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: [[@LINE+1]]:3: remark: loop of 'stays' not throttled: {{.*}} fits the L1
  for (int j = 0; j < 512; ++j)
    m.sums[i] += m.A[j * 512 + i] * m.B[i * 4 + j];
}

void run(Matrices m) {
  fires<<<1056, 256>>>(m);
  stays<<<1056, 256>>>(m);
}
