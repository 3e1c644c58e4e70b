// Each instantiation is decided by itself: rows of 64 floats or doubles lie
// apart by whole cache lines, two rows of 64 chars share one.
//
// RUN: %throttle-cc %s %remarks -o %t.ptx 2>&1 | FileCheck %s
// RUN: %plain-cc %s -o %t.plain.ptx
// RUN: python3 %S/Inputs/barriers.py %t.ptx %t.plain.ptx rowSumsIf:1 rowSumsId:1 rowSumsIc:same
// RUN: %same-results %s %t -fplugin-arg-sluice-promote=off

constexpr int Columns = 64;

template <class T> __global__ void rowSums(const T *A, T *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK-DAG: [[@LINE+3]]:3: remark: loop of 'rowSums<float>' throttled, N=2: footprint
  // CHECK-DAG: [[@LINE+2]]:3: remark: loop of 'rowSums<double>' throttled, N=2: footprint
  // CHECK-DAG: [[@LINE+1]]:3: remark: loop of 'rowSums<char>' not throttled: {{.*}} fits the L1
  for (int j = 0; j < Columns; ++j)
    sums[i] += A[i * Columns + j];
}

void run(float *F, double *D, char *C) {
  rowSums<<<1056, 256>>>(F, F);
  rowSums<<<1056, 256>>>(D, D);
  rowSums<<<1056, 256>>>(C, C);
}
