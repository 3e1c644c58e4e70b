// Threads beyond the last row return before the loop: a barrier waits for those
// only that are still there. A return after the turns is as good; one inside
// the region is not.
//
// RUN: %throttle-cc %s %remarks -o %t.ptx 2>&1 | FileCheck %s
// RUN: %plain-cc %s -o %t.plain.ptx
// RUN: python3 %S/Inputs/barriers.py %t.ptx %t.plain.ptx fires:1 stays:same
// RUN: %same-results %s %t -fplugin-arg-sluice-promote=off

__global__ void fires(const float *A, const float *B, float *sums, int rows) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows)
    return;
  // CHECK: [[@LINE+1]]:3: remark: loop of 'fires' throttled, N=4:
  for (int j = 0; j < 512; ++j)
    sums[i] += A[i * 512 + j] * B[i * 512 + j];
  if (sums[i] > 0)
    return;
  sums[i] = 0;
}

__global__ void stays(const float *A, const float *B, float *sums, int rows) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // CHECK: [[@LINE+1]]:3: remark: loop of 'stays' not throttled: N=4 is wanted ({{.*}}), but the region at early-return.cu:[[@LINE+1]]:3 contains a return at early-return.cu:[[@LINE+3]]:7
  for (int j = 0; j < 512; ++j) {
    if (i >= rows)
      return;
    sums[i] += A[i * 512 + j] * B[i * 512 + j];
  }
}

void run(const float *A, const float *B, float *sums, int rows) {
  fires<<<1056, 256>>>(A, B, sums, rows);
  stays<<<1056, 256>>>(A, B, sums, rows);
}
