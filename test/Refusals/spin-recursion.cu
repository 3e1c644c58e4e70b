// Waiting by recursion, which is no loop.
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 %remarks 2>&1 | FileCheck %s
// RUN: %plain-cc %s > %t.plain 2>/dev/null
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 2>/dev/null | diff %t.plain -

__device__ void b(int *flag);
__attribute__((noinline)) __device__ void a(int *flag) {
  if (atomicAdd(flag, 0) == 0) {
    b(flag);
    flag[1] = 1;
  }
}
__attribute__((noinline)) __device__ void b(int *flag) {
  if (atomicAdd(flag, 0) == 0) {
    a(flag);
    flag[2] = 1;
  }
}
__global__ void k(const float *A, float *y, int *flag) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: spin-recursion.cu:[[@LINE+1]]:3: remark: loop of 'k' not throttled: N=4 is wanted (N=4 was asked for), but the region at spin-recursion.cu:[[@LINE+1]]:3 {{.*(recurs|depends on).*}}
  for (int j = 0; j < 512; ++j) {
    y[i] += A[i * 512 + j];
    a(flag);
  }
}
