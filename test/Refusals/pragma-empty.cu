// #pragma sluice without a word: a warning, and the loop stays whole.
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 %remarks 2>&1 | FileCheck %s

__global__ void k(const float *A, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: pragma-empty.cu:[[@LINE+1]]:9: warning: unknown '#pragma sluice'
#pragma sluice
  // CHECK: pragma-empty.cu:[[@LINE+1]]:3: remark: loop of 'k' throttled, N=4
  for (int j = 0; j < 512; ++j)
    y[i] += A[i * 512 + j];
}
