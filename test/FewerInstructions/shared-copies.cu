// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several halves are copied at once to a shared array, which begins where a
// half may: it is aligned, and so is each copy as far as its place is known. So
// is the array of a template, unless other code is linked that may have it too.
//
// RUN: %fewer-cc %s -Rpass=sluice-fewer-instructions 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks
// RUN: %sluice-cc %s -fplugin-arg-sluice-fewer-instructions=off | FileCheck %s --check-prefix=OFF
// RUN: %fewer-cc %s -fgpu-rdc | FileCheck %s --check-prefix=LINKED
// RUN: %same-fewer %s %t block=64 grid=1 int=3 fill=ints=9
// RUN: %same-fewer %s %t block=64 grid=1 int=3 fill=ints=9 expect=different -fplugin-arg-sluice-test-wrong-rewrite=uneven-place

// REMARK-COUNT-2: remark: a shared array begins at a multiple of 16 bytes, so that several elements are read or written at once [-Rpass=sluice-fewer-instructions]
// REMARK-NOT: remark

struct alignas(16) Eight {
  short of[8];
};

template <int Width>
__device__ void exchange(const short *in, short *out, int n) {
  __shared__ short tile[16][Width];
  const int y = threadIdx.x / 4, x = threadIdx.x % 4;
  // Halves of a row change places in every other group of rows.
  *reinterpret_cast<Eight *>(&tile[y][8 * (x ^ (y >> 2 & 1))]) =
      *reinterpret_cast<const Eight *>(&in[8 * threadIdx.x]);
  __syncthreads();
  // From any place on.
  Eight some;
  __builtin_memcpy(&some, &tile[y][(x + n) & 7], sizeof some);
  *reinterpret_cast<Eight *>(&out[8 * threadIdx.x]) = some;
}

// CHECK-COUNT-2: .shared .align 16 .b8
// CHECK: .entry own
// CHECK-COUNT-2: st.shared.b64
// CHECK-COUNT-8: ld.shared.{{[bu]}}16
// CHECK: ret;
// OFF-COUNT-2: .shared .align 2 .b8
// OFF: .entry own
// OFF-NOT: st.shared.b64
// OFF: ret;
// LINKED: .shared .align 2 .b8 {{.*}}tile
extern "C" __global__ void own(const short *in, short *out, int n) {
  exchange<32>(in, out, n);
}

extern "C" __global__ void other(const short *in, short *out, int n) {
  exchange<40>(in, out, n + 1);
}
