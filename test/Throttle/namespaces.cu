// One name in three namespaces: each kernel has its own launch.
//
// RUN: %throttle-cc %s %remarks -o %t.ptx 2>&1 | FileCheck %s
// RUN: %plain-cc %s -o %t.plain.ptx
// RUN: python3 %S/Inputs/barriers.py %t.ptx %t.plain.ptx _ZN5large:1 _ZN5small:same _GLOBAL__N_1:1
// RUN: %same-results %s %t -fplugin-arg-sluice-promote=off

namespace large {
__global__ void rowSums(const float *A, float *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK-DAG: [[@LINE+1]]:3: remark: loop of 'large::rowSums' throttled, N=2:
  for (int j = 0; j < 512; ++j)
    sums[i] += A[i * 512 + j];
}
} // namespace large

namespace small {
__global__ void rowSums(const float *A, float *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK-DAG: [[@LINE+1]]:3: remark: loop of 'small::rowSums' not throttled: {{.*}} fits the L1
  for (int j = 0; j < 512; ++j)
    sums[i] += A[i * 512 + j];
}
} // namespace small

namespace {
__global__ void rowSums(const float *A, float *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK-DAG: [[@LINE+1]]:3: remark: loop of '(anonymous namespace)::rowSums' throttled, N=2:
  for (int j = 0; j < 512; ++j)
    sums[i] += A[i * 512 + j];
}
} // namespace

void run(const float *A, float *sums) {
  large::rowSums<<<1056, 256>>>(A, sums);
  small::rowSums<<<4, 256>>>(A, sums);
  ::rowSums<<<1056, 256>>>(A, sums);
}
