// A callee whose body is in another file.
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 -fgpu-rdc %remarks 2>&1 | FileCheck %s
// RUN: %plain-cc %s -fgpu-rdc > %t.plain 2>/dev/null
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 -fgpu-rdc 2>/dev/null | diff %t.plain -

extern __device__ void f(float *);
__global__ void k(const float *A, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: call-unknown.cu:[[@LINE+1]]:3: remark: loop of 'k' not throttled: N=4 is wanted (N=4 was asked for), but the region at call-unknown.cu:[[@LINE+1]]:3 calls 'f(float*)', whose body is not in this file at call-unknown.cu:[[@LINE+3]]:5
  for (int j = 0; j < 512; ++j) {
    y[i] += A[i * 512 + j];
    f(y);
  }
}
