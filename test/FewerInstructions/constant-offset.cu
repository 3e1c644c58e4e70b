// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop over structs of an even number of words in constant memory keeps an
// offset that begins at zero, so that the assembler sees which words are pairs.
// It does not where there are no pairs: an odd number of words, words of
// different parities, or of different blocks; nor where it has few iterations.
//
// RUN: %fewer-cc %s -Rpass=sluice-fewer-instructions 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --implicit-check-not=remark: --input-file %t.remarks
// RUN: for n in 0 1 17; do %same-fewer %s %t int=$n block=64 grid=2 || exit 1; done
// RUN: %same-fewer %s %t int=2 block=64 grid=2 expect=different -fplugin-arg-sluice-test-wrong-rewrite=other-offset

struct Odd {
  unsigned x, y, z;
};
struct Even {
  unsigned x, y, z, w;
};
__constant__ Odd odd[20] = {{1, 2, 3}, {2, 5, 7}, {3, 1, 4}, {9, 7, 1}};
__constant__ Even even[20] = {{1, 2, 3, 4}, {5, 7, 1, 2}, {8, 6, 4, 1}};

// REMARK: constant-offset.cu:[[#@LINE+11]]:{{[0-9]+}}: remark: 1 loop keeps its index, and has no pointers that are moved on
// CHECK-LABEL: .entry pairs(
// CHECK: mov.b64 %[[OFFSET:rd[0-9]+]], 0;
// CHECK: add.s64 %[[P:rd[0-9]+]],
// CHECK-DAG: ld.const.b32 {{.*}} [%[[P]]];
// CHECK-DAG: ld.const.b32 {{.*}} [%[[P]]+4];
// CHECK-DAG: ld.const.b32 {{.*}} [%[[P]]+12];
// CHECK-DAG: ld.const.b32 {{.*}} [%[[P]]+8];
// CHECK-LABEL: .entry none(
extern "C" __global__ void pairs(unsigned *out, int n) {
  unsigned s = threadIdx.x;
  for (int i = 0; i < n; ++i) {
    s = (s ^ even[i].w) * 3 + even[i].z;
    s = (s / 3 ^ even[i].y) * (even[i].x + (s >> 20));
    s += (s / 7 ^ s >> 7) * even[i].w;
    s += (s / 5 ^ s >> 5) * even[i].x;
    s += (s / 11 ^ s >> 11) * even[i].z;
  }
  out[threadIdx.x + blockIdx.x * blockDim.x] = s;
}

extern "C" __global__ void none(unsigned *out, int n) {
  unsigned s = threadIdx.x;
#pragma unroll 1
  for (int i = 0; i < n; ++i)
    s = (s ^ odd[i].x) * 3 + (odd[i].y ^ s >> odd[i].z);
#pragma unroll 1
  for (int i = 0; i < n; ++i)
    s = (s ^ even[i].y) * 3 + even[i].z;
  // Of so few iterations the assembler may make none.
#pragma unroll 1
  for (int i = 0; i < 8; ++i)
    s = ((s ^ even[i].x) * 3 + even[i].y) * 5 ^ even[i].z * even[i].w;
  out[threadIdx.x + blockIdx.x * blockDim.x] = s;
}
