// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quotients and remainders of 32 bits in loops by what the loop keeps are
// products with its reciprocal, which is computed before the loop.
//
// RUN: %fewer-cc %s -Rpass=sluice-fewer 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks
// RUN: %sluice-cc %s -fplugin-arg-sluice-fewer-instructions=off | FileCheck %s --check-prefix=OFF
// RUN: for n in 0 1 -7 64 -2147483648; do %same-fewer %s %t int=$n block=64 grid=1 || exit 1; done
// RUN: %same-fewer %s %t int=5 block=64 grid=1 expect=different -fplugin-arg-sluice-test-wrong-rewrite=other-quotient

#define FOR for (int i = me; i < 300; i += blockDim.x)

// REMARK: divisors.cu:[[#@LINE+15]]:{{[0-9]+}}: remark: 1 division of a loop is a multiplication: the loop keeps its divisor, whose reciprocal is computed before it [-Rpass=sluice-fewer-instructions]

// CHECK-LABEL: .entry remainders
// CHECK: max.u32 [[N:%r[0-9]+]], {{%r[0-9]+}}, 1;
// CHECK: div.u32 [[M:%r[0-9]+]], -1, [[N]];
// CHECK: mul.hi.u32 {{%r[0-9]+}}, {{%r[0-9]+}}, [[M]];
// CHECK: min.u32
// CHECK-NOT: rem.
// CHECK: ret;
// OFF-LABEL: .entry remainders
// OFF: rem.u32
extern "C" __global__ void remainders(const unsigned *a, unsigned *out,
                                      unsigned n) {
  const int me = threadIdx.x;
  unsigned sum = 0;
  FOR if (n && a[me] + i != 7) sum = sum * 3 + (a[me] * i) % n;
  out[me] = sum;
}

// CHECK-LABEL: .entry quotients
// CHECK: div.u32
// CHECK: mul.hi.u32
// CHECK-NOT: div.
// CHECK: ret;
extern "C" __global__ void quotients(const unsigned *a, unsigned *out,
                                     unsigned n) {
  const int me = threadIdx.x;
  unsigned sum = 0;
  FOR if (n) sum = sum * 3 + (a[me] * i) / n;
  out[me] = sum;
}

// Both by one product, whatever the signs. The divisor's is known once.
// CHECK-LABEL: .entry both
// CHECK: abs.s32
// CHECK: div.u32
// CHECK: abs.s32
// CHECK: mul.hi.u32
// CHECK-NOT: {{div\.|rem\.|mul\.hi}}
// CHECK: ret;
extern "C" __global__ void both(const int *a, int *out, int n) {
  const int me = threadIdx.x;
  int sum = 0;
  FOR {
    const int x = (a[me] - i) * (i & 1 ? 1000003 : 1);
    if (n != 0 && x != -2147483647 - 1)
      sum = sum * 3 + x / n * 7 + x % n;
  }
  out[me] = sum;
}

// CHECK-LABEL: .entry positive
// CHECK-NOT: abs.s32
// CHECK: div.u32
// CHECK-NOT: abs.s32
// CHECK: mul.hi.u32
// CHECK-NOT: {{div\.|rem\.}}
// CHECK: ret;
extern "C" __global__ void positive(const int *a, int *out, int n) {
  const int me = threadIdx.x, by = (n & 0xfffff) + 1;
  int sum = 0;
  FOR sum = sum * 3 + (a[me + i % 8] & 0xffffff) / by - (i * 99) % by;
  out[me] = sum;
}

// The outermost loop that keeps the divisor; and one in it that changes it.
// CHECK-LABEL: .entry nested
// CHECK: div.u32
// CHECK: {{\$L[_A-Z0-9]+:}}
// CHECK: div.u32
// CHECK: mul.hi.u32
// CHECK: mul.hi.u32
// CHECK-NOT: {{div\.|rem\.}}
// CHECK: ret;
extern "C" __global__ void nested(const unsigned *a, unsigned *out,
                                  unsigned n) {
  const int me = threadIdx.x;
  unsigned sum = 0;
  for (int k = 0; k < int(n & 7); ++k) {
    const unsigned by = a[me + k] | 1;
    FOR {
      sum += (a[me] + i * sum) % (n | 1);
      sum += (a[me] + i * sum) % by;
    }
  }
  out[me] = sum;
}

// What the loop changes, constants, other sizes, and what is no loop.
// CHECK-LABEL: .entry others
// CHECK: rem.u32
// CHECK: div.u64
// CHECK: div.u32
// CHECK: ret;
extern "C" __global__ void others(const unsigned *a, unsigned *out,
                                  unsigned n) {
  const int me = threadIdx.x;
  unsigned sum = 0;
  const unsigned long long wide = (1ull << 60) | n;
  FOR {
    sum = sum * 3 + a[me] % (i + 1u) + a[me + 1] / 7u;
    sum += (wide * a[me] * i) / wide;
  }
  out[me] = sum / ((n & 511) + 1);
}

// A loop of three at most would lose by it.
// CHECK-LABEL: .entry brief
// CHECK-NOT: mul.hi
// CHECK: ret;
extern "C" __global__ void brief(const unsigned *a, unsigned *out,
                                 unsigned n) {
  const int me = threadIdx.x;
  unsigned sum = 0;
#pragma unroll 1
  for (int i = 0; i < int(n & 3); ++i)
    sum += (a[me + i] + sum) % (n | 1);
  out[me] = sum;
}
