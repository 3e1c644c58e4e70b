// Bounds from memory that the kernel does not write, with atomics in the loop.
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 %remarks 2>&1 | FileCheck %s
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 2>/dev/null | grep -c bar.sync | FileCheck %s --check-prefix=BARRIERS

__global__ void k(const float *__restrict__ A, float *__restrict__ y,
                  const int *__restrict__ ends) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: fine-bounds-unwritten.cu:[[@LINE+1]]:3: remark: loop of 'k' throttled, N=4
  for (int j = ends[i]; j < ends[i + 1]; ++j)
    atomicAdd(&y[j & 7], A[i * 512 + j]);
}
// BARRIERS: {{^}}1{{$}}
