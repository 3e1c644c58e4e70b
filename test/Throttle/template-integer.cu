// A template's integer is the row pitch: 512 floats throttle, 8 are a quarter
// of a cache line.
//
// RUN: %throttle-cc %s %remarks -o %t.ptx 2>&1 | FileCheck %s
// RUN: %plain-cc %s -o %t.plain.ptx
// RUN: python3 %S/Inputs/barriers.py %t.ptx %t.plain.ptx ILi512E:1 ILi8E:same
// RUN: %same-results %s %t -fplugin-arg-sluice-promote=off

template <int Pitch>
__global__ void rowSums(const float *A, float *sums, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK-DAG: [[@LINE+2]]:3: remark: loop of 'rowSums<512>' throttled, N=2: footprint
  // CHECK-DAG: [[@LINE+1]]:3: remark: loop of 'rowSums<8>' not throttled: {{.*}} fits the L1
  for (int j = 0; j < n; ++j)
    sums[i] += A[i * Pitch + j];
}

void run(const float *A, float *sums, int n) {
  rowSums<512><<<1056, 256>>>(A, sums, n);
  rowSums<8><<<1056, 256>>>(A, sums, n);
}
