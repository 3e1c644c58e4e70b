// `if constexpr` decides for each instance whether there is a barrier.
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 %remarks 2>&1 | FileCheck %s
// RUN: %plain-cc %s > %t.plain 2>/dev/null
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 2>/dev/null | diff %t.plain -

template <bool Meet> __global__ void k(const float *A, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: barrier-constexpr.cu:[[@LINE+1]]:3: remark: loop of 'k<true>' not throttled: N=4 is wanted (N=4 was asked for), but the region at barrier-constexpr.cu:[[@LINE+1]]:3 contains a block barrier at barrier-constexpr.cu:[[@LINE+3]]:7
  for (int j = 0; j < 512; ++j) {
    if constexpr (Meet)
      __syncthreads();
    y[i] += A[i * 512 + j];
  }
}
template __global__ void k<true>(const float *, float *);
