// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where lanes leave a loop about the walk, a branch about it, or the walk
// itself at times of their own, the assembler cannot read by ULDC: only long
// arrays are read through the L1. Lanes that end do not keep the others from
// ULDC, nor does a loop that all lanes leave together.
//
// RUN: %constants-cc %s > %t.ptx
// RUN: FileCheck %s < %t.ptx
//
// CHECK: .entry _Z5outerPKfPKiPf(
// CHECK-NOT: ld.v4.b32
// CHECK: ld.const
// CHECK: .entry _Z9outerLongPKfPKiPf(
// CHECK-NOT: ld.const
// CHECK: ld.v4.b32
// CHECK: .entry _Z6branchPKfPf(
// CHECK-NOT: ld.v4.b32
// CHECK: ld.const
// CHECK: .entry _Z6leavesPKfPf(
// CHECK-NOT: ld.v4.b32
// CHECK: ld.const
// CHECK: .entry _Z8togetherPKfPfi(
// CHECK-NOT: ld.const
// CHECK: ld.v4.b32
// CHECK: .entry _Z4endsPKfPfi(
// CHECK-NOT: ld.const
// CHECK: ld.v4.b32

struct Element {
  float x, y, z, w;
};
constexpr int Few = 32, Many = 1024;
__constant__ Element few[Few], many[Many];

template <int N>
__device__ float walk(const Element *elements, const float *a, float s) {
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < N; ++k)
    if (a[threadIdx.x + k] > sum)
      sum += (elements[k].x * s + elements[k].y) * elements[k].z +
             __builtin_sqrtf(elements[k].w);
  return sum;
}

__global__ void outer(const float *a, const int *steps, float *o) {
  float s = a[threadIdx.x];
  for (int step = 0; step < steps[threadIdx.x]; ++step)
    s = walk<Few>(few, a, s);
  o[threadIdx.x] = s;
}

__global__ void outerLong(const float *a, const int *steps, float *o) {
  float s = a[threadIdx.x];
  for (int step = 0; step < steps[threadIdx.x]; ++step)
    s = walk<Many>(many, a, s);
  o[threadIdx.x] = s;
}

__global__ void branch(const float *a, float *o) {
  float s = a[threadIdx.x];
  if (s > 1)
    s = walk<Few>(few, a, s);
  o[threadIdx.x] = s;
}

__global__ void leaves(const float *a, float *o) {
  float sum = a[threadIdx.x];
#pragma unroll 1
  for (int k = 0; k < Few; ++k) {
    sum += (few[k].x * sum + few[k].y) * few[k].z + __builtin_sqrtf(few[k].w);
    if (a[threadIdx.x + k] > sum)
      break;
  }
  o[threadIdx.x] = sum;
}

__global__ void together(const float *a, float *o, int steps) {
  float s = a[threadIdx.x];
  for (int step = 0; step < steps; ++step)
    s = walk<Few>(few, a, s);
  o[threadIdx.x] = s;
}

__global__ void ends(const float *a, float *o, int count) {
  if (threadIdx.x >= count)
    return;
  o[threadIdx.x] = walk<Few>(few, a, a[threadIdx.x]);
}
