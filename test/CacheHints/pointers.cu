// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads through a by-value struct's pointer, of a vector, of a struct as a
// whole, of a device variable; shared memory is not asked for anything.
//
// RUN: %plain-cc -emit-llvm %s > %t.ll
// RUN: %opt -passes='sluice-cache-hints<all=L1::evict_last>' %t.ll -o %t.bc
// RUN: %llc -O3 -mcpu=sm_90 -mattr=+ptx88 %t.bc -o - | FileCheck %s
// RUN: %llc -O1 -mcpu=sm_90 -mattr=+ptx88 %t.bc -o - | FileCheck %s

struct alignas(16) Four {
  float x, y, z, w;
};
struct Arrays {
  const float *values;
  const int *columns;
  float *out;
};
__device__ float scale[64];

// CHECK-LABEL: .entry _Z8byStruct6Arrays(
// CHECK: ld.global.L1::evict_last.b32
// CHECK: ld.global.L1::evict_last.b32
// CHECK: ld.global.L1::evict_last.b32
// CHECK-NOT: ld.global.{{[bsuf]}}
// CHECK: ret;
__global__ void byStruct(Arrays a) {
  int i = threadIdx.x;
  a.out[i] = a.values[a.columns[i]] * scale[i];
}

// CHECK-LABEL: .entry _Z6vectorPK4FourPf(
// CHECK: ld.global.L1::evict_last.v4.b32
// CHECK-NOT: ld.global
// CHECK: ret;
__global__ void vector(const Four *a, float *out) {
  Four v = a[threadIdx.x];
  out[threadIdx.x] = v.x + v.y + v.z + v.w;
}

// CHECK-LABEL: .entry _Z6sharedPK4FourPf(
// CHECK: ld.global.L1::evict_last.{{v2.b64|b64}}
// CHECK: ld.shared.{{[bv]}}
// CHECK: ret;
__global__ void shared(const Four *a, float *out) {
  __shared__ Four tile[32];
  tile[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[31 - threadIdx.x].x;
}
