// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads of shared memory that hold the registers that loads of global memory
// need go back into the loop, if the assembler has no registers for both.
//
// RUN: %early-cc %s -Rpass=sluice-early-loads 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// RUN: %sluice-cc %s | FileCheck %s --check-prefix=OFF
// RUN: %same-early %s %t int=2 block=32 grid=1 fill=floats

// REMARK: late.cu:[[@LINE+21]]:{{.*}}: remark: 64 loads of shared memory are done in the loop, as clang has them hold 64 registers before it and loads of global memory want 64 [-Rpass=sluice-early-loads]
// REMARK-NOT: remark

#define SCORES(NAME, MARK)                                                                 \
  MARK __global__ void NAME(const float *__restrict__ keys,                                \
                            const float *__restrict__ query, float *__restrict__ scores,   \
                            int pages) {                                                   \
    __shared__ float q[64];                                                                \
    for (int i = threadIdx.x; i < 64; i += 32)                                             \
      q[i] = query[i];                                                                     \
    __syncthreads();                                                                       \
    float best = -1e30f;                                                                   \
    for (int page = 0; page < pages; ++page) {                                             \
      float sum = 0;                                                                       \
      _Pragma("unroll") for (int i = 0; i < 64; ++i)                                       \
        sum += q[i] * keys[(page * 64 + i) * 32 + threadIdx.x];                            \
      best = sum > best ? sum : best;                                                      \
    }                                                                                      \
    scores[threadIdx.x] = best;                                                            \
  }

SCORES(scores, )
// CHECK-LABEL: .entry _Z6scores
// CHECK: bar.sync
// CHECK-NOT: ld.shared
// CHECK: Loop Header
// CHECK-COUNT-16: ld.shared.v4
// OFF-LABEL: .entry _Z6scores
// OFF: bar.sync
// OFF-COUNT-16: ld.shared.v4
// OFF: Loop Header
// OFF-NOT: ld.shared
// OFF: ret;

SCORES(kept, __attribute__((annotate("sluice:off"))))
// CHECK-LABEL: .entry _Z4kept
// CHECK: bar.sync
// CHECK-COUNT-64: ld.shared
// CHECK-NOT: ld.shared
// CHECK: ret;
