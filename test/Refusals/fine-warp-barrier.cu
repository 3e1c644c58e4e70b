// Warps take turns whole, so warp barriers and shuffles are fine.
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 %remarks 2>&1 | FileCheck %s
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 2>/dev/null | grep -c bar.sync | FileCheck %s --check-prefix=BARRIERS

__global__ void k(const float *A, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: fine-warp-barrier.cu:[[@LINE+1]]:3: remark: loop of 'k' throttled, N=4
  for (int j = 0; j < 512; ++j) {
    y[i] += A[i * 512 + j];
    __nvvm_bar_warp_sync(~0u);
    y[i] += __nvvm_shfl_sync_down_f32(~0u, y[i], 1, 31);
  }
}
// BARRIERS: {{^}}1{{$}}
