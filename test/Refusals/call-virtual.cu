// A virtual call.
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 %remarks 2>&1 | FileCheck %s
// RUN: %plain-cc %s > %t.plain 2>/dev/null
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 2>/dev/null | diff %t.plain -

struct Base {
  virtual __device__ void f(float *);
};
__device__ void Base::f(float *) {}
__global__ void k(const float *A, float *y, Base *b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: call-virtual.cu:[[@LINE+1]]:3: remark: loop of 'k' not throttled: N=4 is wanted (N=4 was asked for), but the region at call-virtual.cu:[[@LINE+1]]:3 calls through a pointer, so what runs is unknown at call-virtual.cu:[[@LINE+3]]:8
  for (int j = 0; j < 512; ++j) {
    y[i] += A[i * 512 + j];
    b->f(y);
  }
}
