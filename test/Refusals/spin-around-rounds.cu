// In each round warp 0 waits for what warp 1 stores after its round.
//
// RUN: %throttle-cc %s -fplugin-arg-sluice-throttle=4 %remarks 2>&1 | FileCheck %s
// RUN: %plain-cc %s > %t.plain 2>/dev/null
// RUN: %throttle-cc %s -fplugin-arg-sluice-throttle=4 2>/dev/null | diff %t.plain -

__global__ void k(const float *A, float *y, int n, volatile int *flag) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int r = 0; r < n; ++r) {
    // CHECK: spin-around-rounds.cu:[[@LINE+1]]:5: remark: loop of 'k' not throttled: N=4 is wanted (N=4 was asked for), but the region at spin-around-rounds.cu:[[@LINE+1]]:5 {{.*(wait|barrier).*}}
    for (int j = 0; j < 512; ++j)
      y[i] += A[i * 512 + j];
    if (threadIdx.x < 32)
      while (flag[0] < r)
        ;
    if (threadIdx.x == 32)
      flag[0] = r;
  }
}
