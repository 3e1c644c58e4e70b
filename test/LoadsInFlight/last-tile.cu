// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tile of which the last is shorter: LLVM takes one iteration at a time, as
// the length takes too much to compute; here four, with their rest.
//
// RUN: %loads-cc %s -Rpass=sluice-loads-in-flight -o %t.ptx 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: grep -c fma.rn.f32 %t.ptx | FileCheck %s
// RUN: for n in 1 31 32 33 77; do %same-loads %s %t int=$n block=32x32 grid=1 || exit 1; done
//
// REMARK: remark: the rest of the loop, fewer than 4 iterations, is not taken one by one
// Four, two and one.
// CHECK: {{^}}7{{$}}

extern "C" __global__ void product(const float *a, const float *b, float *out, int k) {
  __shared__ float as[32][33], bs[32][33];
  const int x = threadIdx.x, y = threadIdx.y;
  float sum = 0;
  for (unsigned long tile = 0; tile < (k + 31ul) / 32; ++tile) {
    as[y][x] = tile * 32 + x < k ? a[(y * k + tile * 32 + x) & 1023] : 0;
    bs[y][x] = tile * 32 + y < k ? b[((tile * 32 + y) * 32 + x) & 1023] : 0;
    __syncthreads();
    for (unsigned long j = 0; j < 32; ++j) {
      if (tile * 32 + j >= k)
        break;
      sum += as[y][j] * bs[j][x];
    }
    __syncthreads();
  }
  out[y * 32 + x] = sum;
}
