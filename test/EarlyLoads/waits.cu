// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads that wait for no other go before those that do.
//
// RUN: %early-cc %s -Rpass=sluice-early-loads 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks --implicit-check-not=remark:
// RUN: %sluice-cc %s | FileCheck %s --check-prefix=OFF
// RUN: %same-early %s %t int=3 block=64 grid=2 fill=ints=8
// RUN: %same-early %s %t int=3 block=64 grid=2 fill=ints=8 expect=different -fplugin-arg-sluice-test-wrong-rewrite=passed-alias

// REMARK: waits.cu:[[#@LINE+16]]:{{[0-9]+}}: remark: 1 load goes before one that would wait for another [-Rpass=sluice-early-loads]

// CHECK-LABEL: .entry look
// CHECK: ld.global.b32 [[NODE:%r[0-9]+]],
// CHECK-NOT: [[NODE]]
// CHECK: ld.global.b32
// CHECK: [[NODE]]
// CHECK: ld.global.b32
// CHECK: ret;
// OFF-LABEL: .entry look
// OFF: ld.global.b32 [[NODE:%r[0-9]+]],
// OFF: [[NODE]],
// OFF: ret;
extern "C" __global__ void look(const int *at, const int *keys, const int *asked, int *out, int n) {
  const int me = threadIdx.x, block = blockIdx.x;
  const int key = keys[(at[block] & 7) * 8 + (me & 7)];
  const int ask = asked[block + (n & 1)];
  out[block * 64 + me] = key - ask;
}

// What was written in between may be what is read.
// CHECK-LABEL: .entry written
// CHECK: ld.global
// CHECK: ld.global
// CHECK: st.global
// CHECK: ld.global
// CHECK: ret;
extern "C" __global__ void written(const int *at, int *keys, int *asked, int *out, int n) {
  const int me = threadIdx.x, block = blockIdx.x;
  const int mine = block * 64 + me;
  const int key = keys[mine / 8 * 8 + (at[mine] & 7)];
  asked[mine] = key + n;
  out[mine] = asked[mine - (n > 99999)] * 3;
}

// The source keeps it.
// CHECK-LABEL: .entry kept
// CHECK: ld.global.b32 [[NODE:%r[0-9]+]],
// CHECK-NEXT: [[NODE]]
extern "C" __global__ __attribute__((annotate("sluice:off"))) void
kept(const int *at, const int *keys, const int *asked, int *out, int n) {
  const int me = threadIdx.x, block = blockIdx.x;
  const int key = keys[(at[block] & 7) * 8 + (me & 7)];
  const int ask = asked[block + (n & 1)];
  out[block * 64 + me] = key - ask;
}
