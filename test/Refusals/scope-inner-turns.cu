// The first loop's region is the rest of the scope, because of the variable that
// it fills. The second loop is in it and must not take turns within a turn.
//
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 %remarks 2>&1 | FileCheck %s
// RUN: %sluice-cc %s -fplugin-arg-sluice-throttle=4 2>/dev/null | grep -c bar.sync | FileCheck %s --check-prefix=BARRIERS
// BARRIERS: {{^}}1{{$}}

struct Pair {
  float s, t;
};
__device__ Pair sums(const float *A, int i) {
  Pair p = {};
  // CHECK: scope-inner-turns.cu:[[@LINE+1]]:3: remark: loop of 'k' ({{.*}}) throttled, N=4
  for (int j = 0; j < 512; ++j)
    p.s += A[i * 512 + j];
  return p;
}

__global__ void k(const float *A, const float *B, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  Pair p = sums(A, i);
  y[i] = p.s;
  if (n) {
    // CHECK: scope-inner-turns.cu:[[@LINE+1]]:5: remark: loop of 'k' not throttled
    for (int j = 0; j < 512; ++j)
      y[i] += B[i * 512 + j];
    y[i] += 1;
  }
}
