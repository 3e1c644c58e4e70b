// Warp 0 waits for warp 1, which sets the flag after the loop. A barrier at the
// loop would make warp 1 wait for warp 0.
//
// RUN: %throttle-cc %s -fplugin-arg-sluice-throttle=4 %remarks 2>&1 | FileCheck %s
// RUN: %plain-cc %s > %t.plain 2>/dev/null
// RUN: %throttle-cc %s -fplugin-arg-sluice-throttle=4 2>/dev/null | diff %t.plain -

__global__ void k(const float *A, float *y, volatile int *flag) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x < 32)
    while (flag[blockIdx.x] == 0)
      ;
  // CHECK: spin-before-region.cu:[[@LINE+1]]:3: remark: loop of 'k' not throttled: N=4 is wanted (N=4 was asked for), but the region at spin-before-region.cu:[[@LINE+1]]:3 {{.*(wait|barrier).*}}
  for (int j = 0; j < 512; ++j) {
    y[i] += A[i * 512 + j];
  }
  if (threadIdx.x == 32)
    flag[blockIdx.x] = 1;
}
