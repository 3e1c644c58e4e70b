// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two floats that are rounded to halves beside each other are a pair, so that
// one instruction rounds both. What is no rounded float stays as it is.
//
// RUN: %fewer-cc %s | FileCheck %s
// RUN: %sluice-cc %s -fplugin-arg-sluice-fewer-instructions=off | FileCheck %s --check-prefix=OFF
// RUN: for n in 0 1 5; do %same-fewer %s %t int=$n block=64 grid=1 || exit 1; done
// RUN: %same-fewer %s %t int=5 block=64 grid=1 expect=different -fplugin-arg-sluice-test-wrong-rewrite=swapped-halves

__device__ inline unsigned short half(float x) {
  unsigned short h;
  asm("{  cvt.rn.f16.f32 %0, %1;}\n" : "=h"(h) : "f"(x));
  return h;
}

// CHECK-LABEL: .entry pairs
// CHECK-NOT: shl.b32 {{.*}}, 16;
// CHECK: mov.b32 {{%r[0-9]+}}, {[[LOW:%rs[0-9]+]], [[HIGH:%rs[0-9]+]]};
// CHECK: ret;
// OFF-LABEL: .entry pairs
// OFF: shl.b32 {{.*}}, 16;
// OFF: ret;
extern "C" __global__ void pairs(const float *a, unsigned *out, int n) {
  const int me = threadIdx.x;
  const float x = a[2 * me] * n, y = a[2 * me + 1] + n;
  out[me] = (unsigned(half(y)) << 16 | half(x)) * 3;
}

// CHECK-LABEL: .entry tagged
// CHECK: shl.b32 {{.*}}, 16;
// CHECK: ret;
// OFF-LABEL: .entry tagged
extern "C" __global__ void tagged(const float *a, unsigned *out, int n) {
  const int me = threadIdx.x;
  out[me] = unsigned(half(a[me])) << 16 | static_cast<unsigned short>(n);
}
