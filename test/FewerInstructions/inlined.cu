// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A large function that a kernel calls once goes into it, with the same bytes.
//
// REQUIRES: ptxas
// RUN: %fewer-cc %s -Rpass=sluice-fewer-instructions -Rpass-missed=sluice-fewer-instructions 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK "--implicit-check-not=is inlined" < %t.remarks
// RUN: %sluice-cc %s -fplugin-arg-sluice-inline-calls=off | FileCheck %s --check-prefix=OFF
// RUN: %same-fewer %s %t block=64 grid=1
// RUN: %same-fewer %s %t block=64 grid=1 expect=different -fplugin-arg-sluice-test-wrong-rewrite=rounded-anew -fplugin-arg-sluice-inline-calls=auto

// How the command line has products fused is then not what is looked for, or
// other code may call the function. And LLVM drops some flushing of denormals.
// RUN: %sluice-cc %s -ffp-contract=off -fplugin-arg-sluice-inline-calls=auto | FileCheck %s --check-prefix=OFF
// RUN: %sluice-cc %s -fplugin-arg-sluice-inline-calls=auto -ffp-contract=on | FileCheck %s --check-prefix=OFF
// RUN: %sluice-cc %s -fplugin-arg-sluice-inline-calls=auto -fgpu-rdc | FileCheck %s --check-prefix=OFF
// RUN: %sluice-cc %s -fplugin-arg-sluice-inline-calls=auto -ffast-math -Rpass-missed=sluice-fewer-instructions -o %t.ptx 2>&1 | FileCheck %s --check-prefix=FAST
// RUN: %sluice-cc %s -fplugin-arg-sluice-inline-calls=auto -fgpu-flush-denormals-to-zero -Rpass-missed=sluice-fewer-instructions -o %t.ptx 2>&1 | FileCheck %s --check-prefix=FLUSH

// 480 products and sums: LLVM does not inline it. The last product is fused
// with nothing, and would be with the kernel's sum.
#define LARGE(NAME, KIND)                                                      \
  KIND float NAME(float *x, const float *y, const float *in, float first) {    \
    float sum = first;                                                         \
    _Pragma("unroll") for (int i = 0; i < 240; ++i) {                          \
      x[i & 7] = x[i & 7] * in[i] + y[(i * 3) & 7];                            \
      sum = sum * x[(i + 2) & 7] + in[i];                                      \
    }                                                                          \
    return sum * x[1];                                                         \
  }

LARGE(once, __device__)
LARGE(twice, __device__)
LARGE(kept, __device__ __noinline__)
LARGE(off, __device__)

// What the kernel passes is a product that another of its blocks adds, and
// what is in the array as well.
#define KERNEL(NAME, CALL)                                                     \
  __global__ void NAME(const float *in, float *out) {                          \
    float x[8], y[8];                                                          \
    const float *mine = in + threadIdx.x;                                      \
    for (int i = 0; i < 8; ++i) {                                              \
      x[i] = mine[i] * mine[i + 8];                                            \
      y[i] = mine[i + 16] * mine[i];                                           \
    }                                                                          \
    out[threadIdx.x] = CALL + mine[3];                                         \
  }

// REMARK: inlined.cu:[[@LINE+1]]:{{[0-9]+}}: remark: 'once(float*, float const*, float const*, float)' is inlined: the kernel has {{[0-9]+}} instructions in place of {{[0-9]+}}, and {{[0-9]+}} registers in place of {{[0-9]+}} [-Rpass=sluice-fewer-instructions]
KERNEL(callsOnce, once(x, y, mine, x[2]))
// CHECK-LABEL: .entry _Z9callsOnce
// CHECK-NOT: call.uni
// CHECK-NOT: ld.local
// CHECK: ret;
// OFF-LABEL: .entry _Z9callsOnce
// OFF: call.uni
// OFF: ret;
// FLUSH: remark: 'once({{.*}})' is not inlined: denormal numbers are flushed to zero
// FAST: remark: 'once({{.*}})' is not inlined: its results may be approximate (fast-math flags)

KERNEL(callsTwice, twice(x, y, mine, x[2]) + twice(y, x, mine, 1))
// CHECK-LABEL: .entry _Z10callsTwice
// CHECK: call.uni
// CHECK: call.uni

KERNEL(callsKept, kept(x, y, mine, x[2]))
// CHECK-LABEL: .entry _Z9callsKept
// CHECK: call.uni

#pragma sluice off
KERNEL(callsOff, off(x, y, mine, x[2]))
// CHECK-LABEL: .entry _Z8callsOff
// CHECK: call.uni
