// At -O0 nothing is transformed, and a remark says so.
//
// RUN: %sluice-cc %s -O0 -fplugin-arg-sluice-throttle=4 %remarks 2>&1 | FileCheck %s
// RUN: %plain-cc %s -O0 > %t.plain
// RUN: %sluice-cc %s -O0 -fplugin-arg-sluice-throttle=4 2>/dev/null | diff %t.plain -
// CHECK: remark: nothing is transformed at -O0; compile with -O1 or more

__global__ void k(const float *A, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < 512; ++j)
    y[i] += A[i * 512 + j];
}
