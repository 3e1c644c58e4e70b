// Unknown words after #pragma sluice: a warning, and the code is as without.
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 %remarks 2>&1 | FileCheck %s

__global__ void k(const float *A, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: pragma-unknown.cu:[[@LINE+1]]:9: warning: unknown '#pragma sluice'
#pragma sluice of
  y[i] = 0;
  // CHECK: pragma-unknown.cu:[[@LINE+1]]:9: warning: unknown '#pragma sluice'
#pragma sluice off now
  y[i] += 1;
  // CHECK: pragma-unknown.cu:[[@LINE+1]]:9: warning: unknown '#pragma sluice'
#pragma sluice (
  // CHECK: pragma-unknown.cu:[[@LINE+1]]:3: remark: loop of 'k' throttled, N=4
  for (int j = 0; j < 512; ++j)
    y[i] += A[i * 512 + j];
}
