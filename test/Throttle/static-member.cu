// A class's static member functions as kernels.
//
// RUN: %throttle-cc %s %remarks -o %t.ptx 2>&1 | FileCheck %s
// RUN: %plain-cc %s -o %t.plain.ptx
// RUN: python3 %S/Inputs/barriers.py %t.ptx %t.plain.ptx fires:1 stays:same
// RUN: %same-results %s %t -fplugin-arg-sluice-promote=off

struct Sums {
  static constexpr int Columns = 512;
  static __global__ void fires(const float *A, float *sums) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    // CHECK-DAG: [[@LINE+1]]:5: remark: loop of 'Sums::fires' throttled, N=2:
    for (int j = 0; j < Columns; ++j)
      sums[i] += A[i * Columns + j];
  }
  static __global__ void stays(const float *A, float *sums) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    // CHECK-DAG: [[@LINE+1]]:5: remark: loop of 'Sums::stays' not throttled: {{.*}} fits the L1
    for (int j = 0; j < Columns; ++j)
      sums[i] += A[i * Columns + j];
  }
};

void run(const float *A, float *sums) {
  Sums::fires<<<1056, 256>>>(A, sums);
  Sums::stays<<<4, 256>>>(A, sums);
}
