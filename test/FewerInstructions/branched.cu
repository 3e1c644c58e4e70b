// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A choice of doubles is a branch, of which the assembler makes predicates,
// where what it chooses between is computed for it alone. Not where a product
// would lose its sum, nor for what costs little.
//
// RUN: %fewer-cc %s -Rpass=sluice-fewer 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks
// RUN: %sluice-cc %s -fplugin-arg-sluice-fewer-instructions=off | FileCheck %s --check-prefix=OFF
// RUN: for n in 0 1 2 3; do %same-fewer %s %t int=$n block=64 grid=1 || exit 1; done
// RUN: %same-fewer %s %t int=3 block=64 grid=1 expect=different -fplugin-arg-sluice-test-wrong-rewrite=other-arm

// REMARK: branched.cu:[[#@LINE+22]]:{{[0-9]+}}: remark: 2 choices of doubles are branches: lanes compute what they choose only [-Rpass=sluice-fewer-instructions]

// As libdevice's sine ends.
// CHECK-LABEL: .entry sineEnd
// CHECK-NOT: selp
// CHECK: @%p{{[0-9]+}} bra
// CHECK: fma.rn.f64
// CHECK: bra
// CHECK: fma.rn.f64
// CHECK: @%p{{[0-9]+}} bra
// CHECK: sub.f64
// CHECK-NOT: selp
// CHECK: ret;
// OFF-LABEL: .entry sineEnd
// OFF-NOT: bra
// OFF-COUNT-2: selp.f64
// OFF-NOT: bra
// OFF: ret;
extern "C" __global__ void sineEnd(const double *a, double *out, int n) {
  const int me = threadIdx.x, q = n + me;
  const double x = a[me], p = a[me + 64];
  double r = __builtin_fma(p, x, x);
  if (q & 1)
    r = __builtin_fma(p, x, 1.0);
  if (q & 2)
    r = 0.0 - r;
  out[me] = r;
}

// Both by one condition share a branch.
// CHECK-LABEL: .entry shared
// CHECK-COUNT-1: bra
// CHECK-NOT: bra
// CHECK: ret;
extern "C" __global__ void shared(const double *a, double *out, int n) {
  const int me = threadIdx.x;
  const double x = a[me], y = a[me + 64];
  const bool odd = n + me & 1;
  out[me] = odd ? x + 1.0 : x;
  out[me + 64] = odd ? y + 2.0 : y;
}

// The product and its sum go together.
// CHECK-LABEL: .entry fused
// CHECK: bra
// CHECK-NEXT: {{^}}//
// CHECK-NEXT: fma.rn.f64
// CHECK-NOT: selp
// CHECK: ret;
extern "C" __global__ void fused(const double *a, double *out, int n) {
  const int me = threadIdx.x;
  const double x = a[me];
  out[me] = n + me & 1 ? x * x + 0.1 : x;
}

// The product is fused with the other sum as well, in its block.
// CHECK-LABEL: .entry productApart
// CHECK-NOT: bra
// CHECK: selp.f64
// CHECK: ret;
extern "C" __global__ void productApart(const double *a, double *out, int n) {
  const int me = threadIdx.x;
  const double x = a[me], product = x * a[me + 64];
  const double r = n + me & 1 ? product + 0.1 : x;
  out[me] = r;
  out[me + 64] = product + r;
}

// The product before the choice, and the sum behind.
// CHECK-LABEL: .entry around
// CHECK-NOT: bra
// CHECK: selp.f64
// CHECK: ret;
extern "C" __global__ void around(const double *a, double *out, int n) {
  const int me = threadIdx.x;
  const double x = a[me], product = x * a[me + 64];
  out[me] = product;
  const double r = n + me & 1 ? x + 0.1 : x;
  out[me + 64] = product - r;
}

// A quotient of floats is ten instructions.
// CHECK-LABEL: .entry quotient
// CHECK: @%p{{[0-9]+}} bra
// CHECK: div.rn.f32
// CHECK: ret;
// OFF-LABEL: .entry quotient
// OFF-NOT: bra
// OFF: ret;
extern "C" __global__ void quotient(const double *a, double *out, int n) {
  const int me = threadIdx.x, k = n + me & 3;
  const float x = float(a[me]);
  out[me] = k > 1 ? x / float(k) : x;
}

// One by the reciprocal is two.
// CHECK-LABEL: .entry reciprocal
// CHECK-NOT: bra
// CHECK: ret;
extern "C" __global__ void reciprocal(const double *a, double *out, int n) {
#pragma clang fp reciprocal(on)
  const int me = threadIdx.x, k = n + me & 3;
  const float x = float(a[me]);
  out[me] = k > 1 ? x / float(k) : x;
}

// A sign is one instruction, and floats are fast.
// CHECK-LABEL: .entry cheap
// CHECK-NOT: bra
// CHECK: ret;
extern "C" __global__ void cheap(const double *a, double *out, int n) {
  const int me = threadIdx.x;
  const double x = a[me];
  const float y = float(a[me + 64]);
  out[me] = n + me & 1 ? -x : x;
  out[me + 64] = n + me & 2 ? y + 1.0f : y;
}

// What else uses it needs it anyway.
// CHECK-LABEL: .entry usedElsewhere
// CHECK-NOT: bra
// CHECK: ret;
extern "C" __global__ void usedElsewhere(const double *a, double *out, int n) {
  const int me = threadIdx.x;
  const double x = a[me], sum = x + 0.1;
  out[me] = sum;
  out[me + 64] = n + me & 1 ? sum : x;
}

// Both loads are one, and stay in one block.
// CHECK-LABEL: .entry together
// CHECK: ld.global{{.*}}v2.
// CHECK: ret;
struct alignas(16) Pair {
  double x, y;
};
extern "C" __global__ void together(const Pair *a, double *out, int n) {
  const int me = threadIdx.x;
  double r = a[me].x;
  if (n + me & 1)
    r = r + 0.1;
  out[me] = r / a[me].y;
}
