// Nor is one in another loop of the kernel.
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 %remarks 2>&1 | FileCheck %s

__global__ void k(const float *A, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: fine-barrier-other-loop.cu:[[@LINE+1]]:3: remark: loop of 'k' throttled, N=4
  for (int j = 0; j < 512; ++j) {
    y[i] += A[i * 512 + j];
  }
  for (int j = 0; j < n; ++j) {
    y[j] += 1;
    __syncthreads();
  }
}
