// A barrier that no instance has.
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 %remarks 2>&1 | FileCheck %s
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 2>/dev/null | grep -c bar.sync | FileCheck %s --check-prefix=BARRIERS

template <bool Meet> __global__ void k(const float *A, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: fine-dead-barrier.cu:[[@LINE+1]]:3: remark: loop of 'k<false>' throttled, N=4
  for (int j = 0; j < 512; ++j) {
    if constexpr (Meet)
      __syncthreads();
    y[i] += A[i * 512 + j];
  }
}
template __global__ void k<false>(const float *, float *);
// BARRIERS: {{^}}1{{$}}
