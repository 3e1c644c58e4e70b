// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of a shared array are read by 16 bytes, with the same values.
//
// RUN: %fewer-cc %s -Rpass=sluice-fewer-instructions 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// RUN: %sluice-cc %s -fplugin-arg-sluice-fewer-instructions=off | FileCheck %s --check-prefix=OFF
// RUN: %same-fewer %s %t block=64 grid=1 int=64 fill=ints=9
// RUN: %same-fewer %s %t block=64 grid=1 int=64 fill=ints=9 expect=different -fplugin-arg-sluice-test-wrong-rewrite=uneven-place

// REMARK: shared.cu:[[@LINE+12]]:{{[0-9]+}}: remark: a shared array begins at a multiple of 16 bytes, so that several elements are read or written at once [-Rpass=sluice-fewer-instructions]
// REMARK-NOT: remark

__global__ void rows(const int *in, int *out, int n) {
  __shared__ int tile[64 * 4];
  for (int i = threadIdx.x; i < 64 * 4; i += blockDim.x)
    tile[i] = in[i & 63] + i;
  __syncthreads();
  int sum = 0;
#pragma unroll 1
  for (int k = threadIdx.x & 7; k < n; k += 3)
    for (int j = 0; j < 4; ++j)
      sum = sum * 3 + tile[4 * k + j];
  // From any place on, each by itself.
  for (int j = 0; j < 4; ++j)
    sum = sum * 5 + tile[threadIdx.x + j];
  out[threadIdx.x] = sum;
}
// CHECK-LABEL: .entry _Z4rows
// CHECK: .shared .align 16 .b8
// CHECK: ld.shared.v4.b32
// CHECK-COUNT-4: ld.shared.b32
// CHECK: ret;
// OFF-LABEL: .entry _Z4rows
// OFF: .shared .align 4 .b8
// OFF-NOT: ld.shared.v4
// OFF: ret;
