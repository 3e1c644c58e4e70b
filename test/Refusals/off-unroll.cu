// Beside another pragma of the loop, in either order.
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 %remarks 2>&1 | FileCheck %s
// RUN: %plain-cc %s > %t.plain 2>/dev/null
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 2>/dev/null | diff %t.plain -

__global__ void k(const float *A, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma sluice off
#pragma unroll 2
  // CHECK: off-unroll.cu:[[@LINE+1]]:3: remark: loop of 'k' not throttled: {{.*}}is switched off in the source
  for (int j = 0; j < 512; ++j)
    y[i] += A[i * 512 + j];
#pragma unroll 2
#pragma sluice off
  // CHECK: off-unroll.cu:[[@LINE+1]]:3: remark: loop of 'k' not throttled: {{.*}}is switched off in the source
  for (int j = 0; j < 512; ++j)
    y[i] += A[i * 512 + j];
}
