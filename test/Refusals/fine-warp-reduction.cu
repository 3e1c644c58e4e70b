// A reduction within the warp: its end depends on a counter.
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 %remarks 2>&1 | FileCheck %s
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 2>/dev/null | grep -c bar.sync | FileCheck %s --check-prefix=BARRIERS

__global__ void k(const float *A, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  // CHECK: fine-warp-reduction.cu:[[@LINE+1]]:3: remark: loop of 'k' throttled, N=4
  for (int j = 0; j < 512; ++j)
    sum += A[i * 512 + j];
#pragma unroll 1
  for (int o = 16; o > 0; o /= 2)
    sum += __nvvm_shfl_sync_bfly_f32(~0u, sum, o, 31);
  atomicAdd(y, sum);
}
// BARRIERS: {{^}}1{{$}}
