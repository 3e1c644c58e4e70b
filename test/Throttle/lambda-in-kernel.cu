// A loop in a lambda of the kernel: the call of the lambda takes turns.
//
// RUN: %throttle-cc %s %remarks -o %t.ptx 2>&1 | FileCheck %s
// RUN: %plain-cc %s -o %t.plain.ptx
// RUN: python3 %S/Inputs/barriers.py %t.ptx %t.plain.ptx fires:1 stays:same
// RUN: %same-results %s %t -fplugin-arg-sluice-promote=off

__global__ void fires(const float *A, float *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  auto addRow = [&](int pitch) {
    // CHECK: [[@LINE+1]]:5: remark: loop of 'fires' ({{.*}}:[[@LINE+1]]:5 inlined at {{.*}}:[[@LINE+4]]:3) throttled, N=2:
    for (int j = 0; j < 512; ++j)
      sums[i] += A[i * pitch + j];
  };
  addRow(512);
}

__global__ void stays(const float *A, float *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  auto addRow = [&](int pitch) {
    // CHECK: [[@LINE+1]]:5: remark: loop of 'stays' ({{.*}}:[[@LINE+1]]:5 inlined at {{.*}}:[[@LINE+4]]:3) not throttled: {{.*}} fits the L1
    for (int j = 0; j < 512; ++j)
      sums[i] += A[i * pitch + j];
  };
  addRow(8);
}

void run(const float *A, float *sums) {
  fires<<<1056, 256>>>(A, sums);
  stays<<<1056, 256>>>(A, sums);
}
