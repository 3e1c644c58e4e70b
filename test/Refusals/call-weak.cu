// A weak function may be replaced by one with a barrier when files are linked.
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 -fgpu-rdc %remarks 2>&1 | FileCheck %s
// RUN: %plain-cc %s -fgpu-rdc > %t.plain 2>/dev/null
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 -fgpu-rdc 2>/dev/null | diff %t.plain -

__attribute__((weak)) __device__ void hook(float *y) { y[0] = 1; }
__global__ void k(const float *A, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: call-weak.cu:[[@LINE+1]]:3: remark: loop of 'k' not throttled: N=4 is wanted (N=4 was asked for), but the region at call-weak.cu:[[@LINE+1]]:3 {{.*(hook|replaced|weak).*}}
  for (int j = 0; j < 512; ++j) {
    y[i] += A[i * 512 + j];
    hook(y);
  }
}
