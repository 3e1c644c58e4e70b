// A row from a queue: the trip count depends on an atomic operation, but before
// the loop, so nothing waits.
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 %remarks 2>&1 | FileCheck %s
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 2>/dev/null | grep -c bar.sync | FileCheck %s --check-prefix=BARRIERS

__global__ void k(const float *A, float *y, const int *length, int *queue) {
  int i = atomicAdd(queue, 1);
  int n = length[i];
  // CHECK: fine-atomic-index.cu:[[@LINE+1]]:3: remark: loop of 'k' throttled, N=4
  for (int j = 0; j < n; ++j)
    y[i] += A[i * 512 + j];
}
// BARRIERS: {{^}}1{{$}}
