// Warps 0 and 1 meet at barrier 1: warp 0 before the loop, warp 1 after it. A
// barrier at the loop would part them for ever.
//
// RUN: %throttle-cc %s -fplugin-arg-sluice-throttle=4 %remarks 2>&1 | FileCheck %s
// RUN: %plain-cc %s > %t.plain 2>/dev/null
// RUN: %throttle-cc %s -fplugin-arg-sluice-throttle=4 2>/dev/null | diff %t.plain -

__global__ void k(const float *A, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x < 32)
    __nvvm_barrier_sync_cnt(1, 64);
  // CHECK: barrier-named-around.cu:[[@LINE+1]]:3: remark: loop of 'k' not throttled: N=4 is wanted (N=4 was asked for), but the region at barrier-named-around.cu:[[@LINE+1]]:3 {{.*(wait|barrier).*}}
  for (int j = 0; j < 512; ++j) {
    y[i] += A[i * 512 + j];
  }
  if (threadIdx.x >= 32 && threadIdx.x < 64)
    __nvvm_barrier_sync_cnt(1, 64);
}
