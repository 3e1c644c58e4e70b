// Indices of any integer type, mixed with threadIdx's unsigned.
//
// RUN: %throttle-cc %s %remarks -o %t.ptx 2>&1 | FileCheck %s
// RUN: %plain-cc %s -o %t.plain.ptx
// RUN: python3 %S/Inputs/barriers.py %t.ptx %t.plain.ptx _Z11signedI:1 _Z13unsigned:1 9longIndex:1 _Z5sizes:1 _Z5stays:same
// RUN: %same-results %s %t -fplugin-arg-sluice-promote=off

#define KERNEL(NAME, TYPE, PITCH)                                              \
  __global__ void NAME(const float *A, float *sums) {                          \
    TYPE i = blockIdx.x * (TYPE)blockDim.x + threadIdx.x;                      \
    for (TYPE j = 0; j < 512; ++j)                                             \
      sums[i] += A[i * PITCH + j];                                             \
  }

// CHECK: index-types.cu:[[@LINE+1]]:1: remark: loop of 'signedIndex' throttled, N=2:
KERNEL(signedIndex, int, 512)
// CHECK: index-types.cu:[[@LINE+1]]:1: remark: loop of 'unsignedIndex' throttled, N=2:
KERNEL(unsignedIndex, unsigned, 512)
// CHECK: index-types.cu:[[@LINE+1]]:1: remark: loop of 'longIndex' throttled, N=2:
KERNEL(longIndex, long long, 512)
// CHECK: index-types.cu:[[@LINE+1]]:1: remark: loop of 'sizes' throttled, N=2:
KERNEL(sizes, size_t, 512)
// CHECK: index-types.cu:[[@LINE+1]]:1: remark: loop of 'stays' not throttled: {{.*}} fits the L1
KERNEL(stays, size_t, 8)

void run(const float *A, float *sums) {
  signedIndex<<<1056, 256>>>(A, sums);
  unsignedIndex<<<1056, 256>>>(A, sums);
  longIndex<<<1056, 256>>>(A, sums);
  sizes<<<1056, 256>>>(A, sums);
  stays<<<1056, 256>>>(A, sums);
}
