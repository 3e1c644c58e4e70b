// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Neighbours behind tests of the edge: their address is computed once, before
// the tests, and each is an offset from it.
//
// RUN: %fewer-cc %s -Rpass=sluice-fewer 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks
// RUN: for n in 0 1 5 9 31; do %same-fewer %s %t int=$n block=8x4 grid=2 || exit 1; done
// RUN: %same-fewer %s %t int=9 block=8x4 grid=2 expect=different -fplugin-arg-sluice-test-wrong-rewrite=other-offset

// REMARK: addresses-of-blocks.cu:{{.*}}: remark: {{[0-9]+}} addresses are constant offsets from others, of their blocks or of several

// The window is unrolled whole.
// CHECK-LABEL: .entry window
// CHECK-DAG: ld.global.b32 %r{{[0-9]+}}, [[[P:%rd[0-9]+]]+-4];
// CHECK-DAG: ld.global.b32 %r{{[0-9]+}}, [[[P]]+4];
// CHECK: ret;
extern "C" __global__ void window(const float *a, const float *b, float *out, int n) {
  const int x = threadIdx.x + blockIdx.x * blockDim.x, y = threadIdx.y, m = 16;
  float sum = 0;
  for (int i = -1; i < 2; ++i)
    for (int j = -1; j < 2; ++j)
      if (y + i >= 0 && y + i < 4 && x + j >= 0 && x + j < (n & 15))
        sum += a[(y + i) * m + x + j] * (3 * i + j);
  out[y * m + x] = sum;
}

// The length is known when it runs only: of the iterations that are taken
// together nobody says that their indices do not wrap around.
// CHECK-LABEL: .entry unknown
// CHECK-DAG: ld.global.b32 %r{{[0-9]+}}, [[[Q:%rd[0-9]+]]+4];
// CHECK-DAG: ld.global.b32 %r{{[0-9]+}}, [[[Q]]+8];
// CHECK-DAG: ld.global.b32 %r{{[0-9]+}}, [[[Q]]+12];
extern "C" __global__ void unknown(const float *a, const float *b, float *out, int n) {
  const int x = threadIdx.x + blockIdx.x * blockDim.x, y = threadIdx.y, m = 16;
  float sum = 0;
  for (int i = -n / 2; i <= n / 2; ++i)
    for (int j = -n / 2; j <= n / 2; ++j) {
      const int row = y + i, col = x + j;
      const float v = row >= 0 && row < 4 && col >= 0 && col < m ? a[row * m + col] : 0.0f;
      sum += v * b[(i + n / 2) & 15];
    }
  out[64 + y * m + x] = sum;
}
