// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of 16 bits, several of which are copied at once: each is a register, and
// none is taken out of a longer number and put back. An array whose index is
// not known is copied as a whole.
//
// RUN: %fewer-cc %s | FileCheck %s
// RUN: %sluice-cc %s -fplugin-arg-sluice-fewer-instructions=off | FileCheck %s --check-prefix=OFF
// RUN: for n in 0 1 5; do %same-fewer %s %t int=$n block=64 grid=1 fill=ints=9 || exit 1; done
// RUN: %same-fewer %s %t int=5 block=64 grid=1 fill=ints=9 expect=different -fplugin-arg-sluice-test-wrong-rewrite=other-copy

struct alignas(8) Four {
  short of[4];
};

// CHECK-LABEL: .entry tile
// CHECK-NOT: b64 {{.*}}, 16;
// CHECK-NOT: or.b64
// CHECK: st.global.v4.b16
// CHECK-NOT: or.b64
// CHECK: ret;
// OFF-LABEL: .entry tile
// OFF: or.b64
// OFF: st.global.b64
// OFF: ret;
extern "C" __global__ void tile(const short *a, short *out, int n) {
  short sum[4][4] = {};
  for (int k = 0; k < n; ++k)
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j)
        sum[i][j] += a[(threadIdx.x + 4 * k + i) % 128] *
                     a[(2 * threadIdx.x + k + j) % 128];
  for (int i = 0; i < 4; ++i)
    *reinterpret_cast<Four *>(&out[8 * threadIdx.x + 4 * (i & 1)]) =
        *reinterpret_cast<const Four *>(&sum[i][0]);
}

// CHECK-LABEL: .entry counts
// CHECK: ld.local.b64
// CHECK: ret;
extern "C" __global__ void counts(const short *a, short *out, int n) {
  alignas(8) short count[4] = {};
  for (int k = 0; k < n; ++k)
    ++count[a[k] & 3];
  *reinterpret_cast<Four *>(&out[8 * threadIdx.x]) =
      *reinterpret_cast<const Four *>(count);
}

// A copy between two such arrays is an access of both.
// CHECK-LABEL: .entry between
// CHECK-NOT: b64 {{.*}}, 16;
// CHECK-NOT: or.b64
// CHECK: ret;
extern "C" __global__ void between(const short *a, short *out, int n) {
  alignas(8) short first[4] = {}, second[8] = {};
  for (int k = 0; k < n; ++k)
    for (int i = 0; i < 4; ++i)
      first[i] += a[(threadIdx.x + 4 * k + i) % 128];
  *reinterpret_cast<Four *>(second + 4) = *reinterpret_cast<const Four *>(first);
  for (int i = 0; i < 4; ++i)
    second[i] = first[3 - i] + second[7 - i];
  for (int i = 0; i < 8; ++i)
    out[8 * threadIdx.x + i] = second[i];
}
