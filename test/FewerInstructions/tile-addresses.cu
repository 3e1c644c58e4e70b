// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Addresses of shared memory in several blocks, which differ by constants, are
// offsets from one that is computed before them.
//
// RUN: %fewer-cc %s -Rpass=sluice-fewer-instructions 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --implicit-check-not='of shared memory' --input-file %t.remarks
// RUN: for n in 1 9; do %same-fewer %s %t int=$n block=16 grid=2 || exit 1; done
// RUN: %same-fewer %s %t int=9 block=16 grid=2 expect=different -fplugin-arg-sluice-test-wrong-rewrite=other-offset

constexpr int Side = 16;

#define STEP(M)                                                                \
  if (me <= M)                                                                 \
    tile[M - me + 1][me] = tile[M - me][me] * 3 + (tile[M - me + 1][me] ^ M);  \
  __syncthreads();

// REMARK: tile-addresses.cu:[[#]]:{{[0-9]+}}: remark: 15 addresses of shared memory are constant offsets from others before their blocks
// CHECK-LABEL: .entry steps(
// CHECK: bar.sync
// CHECK: bar.sync
// CHECK-NOT: {{mul|shl|sub.s64}}
// CHECK: %ctaid.x
extern "C" __global__ void steps(int *out, int n) {
  __shared__ int tile[Side][Side];
  const int me = threadIdx.x;
  for (int y = 0; y < Side; ++y)
    tile[y][me] = y * n + me;
  __syncthreads();
  STEP(2) STEP(3) STEP(4) STEP(5) STEP(6)
  out[blockIdx.x * Side + me] = tile[7][me] + tile[4][me];
}

// Three are too few.
// CHECK-LABEL: .entry few(
extern "C" __global__ void few(int *out, int n) {
  __shared__ int tile[Side][Side];
  const int me = threadIdx.x;
  for (int y = 0; y < Side; ++y)
    tile[y][me] = y * n + me;
  __syncthreads();
  STEP(2) STEP(3) STEP(4)
  out[blockIdx.x * Side + me] = tile[7][me] + tile[4][me];
}
