// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of a loop of known length that is too long to be unrolled whole as many
// iterations go together as divide it and have at most 256 of LLVM's units;
// clang stops at 75. Of others, what keeps memory busy: here one is enough.
//
// RUN: %loads-cc %s -Rpass=sluice-loads 2>&1 >/dev/null | FileCheck %s --implicit-check-not=together
// RUN: %loads-cc %s | FileCheck %s --check-prefix=PTX
// RUN: %same-loads %s %t int=7 block=64 grid=2
//
// CHECK: known.cu:[[#@LINE+22]]:3: remark: 16 iterations of the loop are taken together: all 4096 are known, and clang takes [[#]] [-Rpass=sluice-loads-in-flight]
// CHECK: known.cu:[[#@LINE+30]]:3: remark: 4 iterations of the loop are taken together: all 4100 are known, and clang takes [[#]]
//
// PTX: .entry sixteen(
// PTX-COUNT-16: ld.global
// PTX-NOT: ld.global
// PTX: .entry four(

struct alignas(16) Four {
  float x, y, z, w;
};

__device__ inline void addTo(Four &sum, const Four v) {
  sum.x = v.x > sum.x ? v.x + sum.y : sum.x + v.y;
  sum.y = v.y > sum.y ? v.y + sum.z : sum.y + v.z;
  sum.z = v.z > sum.z ? v.z + sum.w : sum.z + v.w;
  sum.w = v.w > sum.w ? v.w + sum.x : sum.w + v.x;
}

extern "C" __global__ void sixteen(const Four *a, float *o, int n) {
  const int me = threadIdx.x + blockIdx.x * blockDim.x;
  float sum = 0;
  for (int k = 0; k < 4096; ++k)
    sum += a[(me + k * 7) & 255].x;
  o[me] = sum;
}

// Eight would leave four over.
extern "C" __global__ void four(const Four *a, float *o, int n) {
  const int me = threadIdx.x + blockIdx.x * blockDim.x;
  Four sum = {float(n), float(n), float(n), float(n)};
  for (int k = 0; k < 4100; ++k)
    addTo(sum, a[(me + k * 7) & 255]);
  o[me] = sum.x + sum.y + sum.z + sum.w;
}

// A prime.
extern "C" __global__ void one(const Four *a, float *o, int n) {
  const int me = threadIdx.x + blockIdx.x * blockDim.x;
  Four sum = {float(n), float(n), float(n), float(n)};
  for (int k = 0; k < 4099; ++k)
    addTo(sum, a[(me + k * 7) & 255]);
  o[me] = sum.x + sum.y + sum.z + sum.w;
}

extern "C" __global__ void unknown(const Four *a, float *o, int n) {
  const int me = threadIdx.x + blockIdx.x * blockDim.x;
  Four sum = {float(n), float(n), float(n), float(n)};
  for (int k = 0; k < n; ++k)
    addTo(sum, a[(me + k * 7) & 255]);
  o[me] = sum.x + sum.y + sum.z + sum.w;
}
