// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two floats that are rounded to halves beside each other are a pair, so that
// one instruction rounds both. Four of them are two pairs. What is no rounded
// float stays as it is.
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

// Of a struct, and of two words.
// CHECK-LABEL: .entry fours
// CHECK-NOT: shl.b64 {{.*}}, {{16|48}};
// CHECK-COUNT-2: mov.b32 {{%r[0-9]+}}, {{{%rs[0-9]+, %rs[0-9]+}}};
// CHECK-NOT: shl.b64 {{.*}}, {{16|48}};
// CHECK: ret;
// OFF-LABEL: .entry fours
// OFF: shl.b64 {{.*}}, 48;
// OFF: ret;
using uint64 = unsigned long long;
extern "C" __global__ void fours(const float *a, uint64 *out, int n) {
  const int me = threadIdx.x;
  const uint64 x = half(a[me] * n), y = half(a[me + 1] + n),
               z = half(a[me + 2] - n), w = half(a[me + 3]);
  out[me] = (x | y << 16 | (w << 48 | z << 32)) * 3;
}

// CHECK-LABEL: .entry nested
// CHECK-NOT: shl.b32
// CHECK-COUNT-2: mov.b32 {{%r[0-9]+}}, {{{%rs[0-9]+, %rs[0-9]+}}};
// CHECK-NOT: shl.b32
// CHECK: ret;
// OFF-LABEL: .entry nested
// OFF: shl.b32 {{.*}}, 16;
// OFF: ret;
extern "C" __global__ void nested(const float *a, uint64 *out, int n) {
  const int me = threadIdx.x;
  const unsigned x = half(a[me] * n), y = half(a[me + 1] + n),
                 z = half(a[me + 2] - n), w = half(a[me + 3]);
  const unsigned low = y << 16 | x, high = w << 16 | z;
  out[me] = (uint64(high) << 32 | low) * 3;
  out[me + 64] = low * 3;
  out[me + 128] = high * 5;
}

// Some meet.
// CHECK-LABEL: .entry meeting
// CHECK-NOT: mov.b32 {{%r[0-9]+}}, {{{%rs}}
// CHECK: ret;
// OFF-LABEL: .entry meeting
extern "C" __global__ void meeting(const float *a, uint64 *out, int n) {
  const int me = threadIdx.x;
  const uint64 x = half(a[me] * n), y = half(a[me + 1] + n),
               z = half(a[me + 2] - n), w = half(a[me + 3]);
  out[me] = (x | y << 16 | z << 16 | w << 48) * 3;
  out[me + 64] = (x | y << 16 | z << 32 | w << 40) * 3;
}
