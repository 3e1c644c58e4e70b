// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two loops over as many rows have their buffers together: each of a block's
// warps has one.
//
// RUN: %staging-cc %s -Rpass=sluice-software 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// RUN: for n in 1 40 161; do %same-staged %s %t int=$n block=64 grid=2 || exit 1; done
//
// REMARK-COUNT-2: streams of the loop are staged in shared memory, {{[0-9]+}} iterations at a time: each lane reads 2 rows of its own, 4 warps of a block have buffers of
// CHECK: .shared .align 128 .b8 __sluice_staged
// CHECK-NOT: .b8 __sluice_staged

extern "C" __global__ __launch_bounds__(64) void rows(const float *A, const float *B, const float *C, const float *D, float *out, int n) {
  const int me = blockIdx.x * 64 + threadIdx.x;
  float s = out[me];
  for (int j = 0; j < (n & 255) + 1; ++j)
    s = s * 0.5f + A[me * 256 + j] * B[me * 256 + j];
  for (int j = 0; j < (n & 127) + 1; ++j)
    s = s * 0.5f + C[me * 129 + j] * D[me * 129 + j];
  out[me] = s;
}
