// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An array that is only copied, as the next tile of a loop is, is in registers,
// and what is copied is read and written at once. An array whose elements are
// read at places that are not known stays where it is.
//
// RUN: %fewer-cc %s -Rpass=sluice-fewer-instructions 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --implicit-check-not=remark: < %t.remarks
// RUN: %sluice-cc %s -fplugin-arg-sluice-fewer-instructions=off | FileCheck %s --check-prefix=OFF
// RUN: for n in 0 1 2 7; do %same-fewer %s %t block=64 grid=1 int=$n || exit 1; done
// RUN: %same-fewer %s %t block=64 grid=1 int=7 expect=different -fplugin-arg-sluice-test-wrong-rewrite=other-copy

struct alignas(16) Four {
  float x, y, z, w;
};
static __device__ Four &four(float &first) {
  return *reinterpret_cast<Four *>(&first);
}
static __device__ const Four &four(const float &first) {
  return *reinterpret_cast<const Four *>(&first);
}

// CHECK-LABEL: .entry tiles
// CHECK-NOT: .local
// CHECK: ld.global.v4.b32
// CHECK-NOT: .local
// CHECK: st.shared.v4.b32
// CHECK-NOT: .local
// CHECK: ret;
// OFF-LABEL: .entry tiles
// OFF: st.local
// OFF: ret;
// REMARK: copied.cu:{{[0-9]+}}:{{[0-9]+}}: remark: 1 array is in registers: it is only copied [-Rpass=sluice-fewer-instructions]
extern "C" __global__ void tiles(const float *a, float *out, int n) {
  __shared__ alignas(16) float tile[2][256];
  float next[4], sum = 0;
  int step = 0, w = 0;
  four(next[0]) = four(a[4 * threadIdx.x % 64]);
  four(tile[1][4 * threadIdx.x]) = four(next[0]);
  __syncthreads();
  do {
    ++step;
    if (step < n)
      four(next[0]) = four(a[(4 * threadIdx.x + 16 * step) % 64]);
    for (int j = 0; j < 8; ++j)
      sum += tile[w ^ 1][(16 * j + threadIdx.x) % 256];
    if (step < n) {
      four(tile[w][4 * threadIdx.x]) = four(next[0]);
      __syncthreads();
      w ^= 1;
    }
  } while (step < n);
  out[threadIdx.x] = sum;
}

// CHECK-LABEL: .entry chosen
// CHECK: ld.local
// CHECK: ret;
extern "C" __global__ void chosen(const float *a, float *out, int n) {
  float some[4];
  four(some[0]) = four(a[4 * threadIdx.x % 64]);
  if (n > 1)
    four(some[0]) = four(a[(4 * threadIdx.x + 16) % 64]);
  out[threadIdx.x] = some[n & 3];
}
