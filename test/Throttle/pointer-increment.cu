// The row is walked by a pointer. By rows, neighbours in a cache line are used
// one after the other; by columns, never by the same thread.
//
// RUN: %throttle-cc %s %remarks -o %t.ptx 2>&1 | FileCheck %s
// RUN: %plain-cc %s -o %t.plain.ptx
// RUN: python3 %S/Inputs/barriers.py %t.ptx %t.plain.ptx fires:1 stays:same
// RUN: %same-results %s %t -fplugin-arg-sluice-promote=off

__global__ void fires(const float *A, const float *B, float *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float *a = A + i * 512, *b = B + i * 512;
  // CHECK: [[@LINE+1]]:3: remark: loop of 'fires' throttled, N=4: footprint
  for (int j = 0; j < 512; ++j) {
    sums[i] += *a++ * *b;
    b += 1;
  }
}

__global__ void stays(const float *A, const float *B, float *sums, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float *a = A + i, *b = B + i;
  // CHECK: [[@LINE+1]]:3: remark: loop of 'stays' not throttled: no load is known to touch its cache line again in the next iteration
  for (int j = 0; j < 512; ++j) {
    sums[i] += *a * *b;
    a += n;
    b += n;
  }
}

void run(const float *A, const float *B, float *sums) {
  fires<<<1056, 256>>>(A, B, sums);
  stays<<<1056, 256>>>(A, B, sums, 1056 * 256);
}
