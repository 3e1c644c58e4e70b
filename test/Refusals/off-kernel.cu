// The annotation on a kernel, here on its declaration only.
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 %remarks 2>&1 | FileCheck %s
// RUN: %plain-cc %s > %t.plain 2>/dev/null
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 2>/dev/null | diff %t.plain -

__attribute__((annotate("sluice:off"))) __global__ void k(const float *A, float *y);

__global__ void k(const float *A, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: off-kernel.cu:[[@LINE+1]]:3: remark: loop of 'k' not throttled: the source switches Sluice off for this kernel
  for (int j = 0; j < 512; ++j)
    y[i] += A[i * 512 + j];
}
