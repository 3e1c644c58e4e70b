// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A butterfly between lanes: one multiply-add for each sum, with the same bytes,
// also of zeros, infinities, what is no number, and subnormal numbers.
//
// RUN: %fewer-cc %s -Rpass=sluice-fewer-instructions 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// RUN: %sluice-cc %s -fplugin-arg-sluice-fewer-instructions=off | FileCheck %s --check-prefix=OFF
// RUN: %same-fewer %s %t block=64 grid=1
// RUN: %same-fewer %s %t block=64 grid=1 -ffp-contract=off
// RUN: %same-fewer %s %t block=64 grid=1 -fgpu-flush-denormals-to-zero
// RUN: %same-fewer %s %t block=64 grid=1 expect=different -fplugin-arg-sluice-test-wrong-rewrite=lost-factor

// REMARK: signs.cu:[[@LINE+10]]:{{[0-9]+}}: remark: 8 sums with a value that a condition negates are multiply-adds with a sign, which is made once for each condition [-Rpass=sluice-fewer-instructions]
// REMARK-NOT: remark: {{.*}} sums

__global__ void butterfly(float *v) {
  float x[4];
  for (int i = 0; i < 4; ++i)
    x[i] = v[4 * threadIdx.x + i];
  for (int mask = 1; mask < 4; mask *= 2) {
    const float sign = threadIdx.x & mask ? -1.0f : 1.0f;
    for (int i = 0; i < 4; ++i)
      x[i] = sign * x[i] + __nvvm_shfl_sync_bfly_f32(-1, x[i], mask, 31);
  }
  for (int i = 0; i < 4; ++i)
    v[4 * threadIdx.x + i] = x[i];
}
// CHECK-LABEL: .entry _Z9butterfly
// CHECK: selp
// CHECK-COUNT-4: fma.rn
// CHECK: selp
// CHECK-COUNT-4: fma.rn
// CHECK-NOT: {{selp|fma|add.rn.f32}}
// CHECK: ret;

// OFF-LABEL: .entry _Z9butterfly
// OFF-NOT: fma
// OFF: ret;

__attribute__((annotate("sluice:off")))
__global__ void off(float *v) {
  int i = 2 * threadIdx.x;
  const float sign = threadIdx.x & 1 ? -1.0f : 1.0f;
  v[i] = sign * v[i] + 3.0f * threadIdx.x;
  v[i + 1] = sign * v[i + 1] + v[i];
}
// CHECK-LABEL: .entry _Z3off
// CHECK-NOT: -1.0
// CHECK: ret;

// Every pair of these, with either sign.
__global__ void special(unsigned *out) {
  const unsigned values[] = {0,          0x80000000, 1,          0x80000001,
                             0x007fffff, 0x807fffff, 0x00800000, 0x80800000,
                             0x3f800000, 0xbf800000, 0x3f800001, 0x7f7fffff,
                             0x7f800000, 0xff800000, 0x7fc12345, 0xffc54321};
  for (unsigned i = 0; i < 16; ++i) {
    float x = __builtin_bit_cast(float, values[i]);
    float o = __builtin_bit_cast(float, values[threadIdx.x & 15]);
    const bool minus = threadIdx.x & 16;
    float sum = (minus ? -x : x) + o;
    float less = (minus ? x : -x) - o;
    float from = o - (minus ? -x : x);
    unsigned *to = out + 3 * (16 * threadIdx.x + i);
    to[0] = __builtin_bit_cast(unsigned, sum);
    to[1] = __builtin_bit_cast(unsigned, less);
    to[2] = __builtin_bit_cast(unsigned, from);
  }
}
