// Bounds from memory that the kernel may write, with nothing in the loop that orders threads: without a race they stay.
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 %remarks 2>&1 | FileCheck %s
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 2>/dev/null | grep -c bar.sync | FileCheck %s --check-prefix=BARRIERS

__global__ void k(const float *A, float *y, const int *ends, int *count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: fine-bounds-written.cu:[[@LINE+1]]:3: remark: loop of 'k' throttled, N=4
  for (int j = ends[i]; j < ends[i + 1]; ++j)
    y[i] += A[i * 512 + j];
  atomicAdd(count, 1);
}
// BARRIERS: {{^}}1{{$}}
