// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop of known length that reads a filter in constant memory by its counter,
// and an image, is unrolled whole: each element of the filter is an operand then.
// clang unrolls the inner loop only. Not where all would be too long, nor where
// the place in the filter depends on more than counters.
//
// RUN: %loads-cc %s -Rpass=sluice-loads 2>&1 >/dev/null | FileCheck %s --implicit-check-not=together --implicit-check-not='one by one'
// RUN: %loads-cc %s | FileCheck %s --check-prefix=PTX
// RUN: %same-loads %s %t block=16,4 grid=2
//
// CHECK: filter.cu:[[#@LINE+18]]:3: remark: 5 iterations of the loop are taken together: they are all, and what they read of constant memory needs no loads then; clang takes 1 [-Rpass=sluice-loads-in-flight]
//
// PTX: .entry in_tile(
// PTX-COUNT-75: ld.const.b32 %{{[^,]*}}, [filter+{{[0-9]+}}];
// PTX-NOT: ld.const
// PTX: .entry chosen(

constexpr int Side = 5, Width = 16 + Side - 1, Height = 4 + Side - 1;
__constant__ float filter[4 * Side * Side * 3];

extern "C" __global__ void in_tile(const float *image, float *out) {
  __shared__ float tile[3][Height][Width];
  const int x = threadIdx.x, y = threadIdx.y, me = y * 16 + x;
  for (int i = me; i < 3 * Height * Width; i += 64)
    tile[0][0][i] = image[i];
  __syncthreads();
  float red = 0, green = 0, blue = 0;

  for (int v = 0; v < Side; ++v)
    for (int u = 0; u < Side; ++u) {
      const float *of = filter + 25 + (v * Side + u) * 3;
      red += tile[0][y + v][x + u] * of[0];
      green += tile[1][y + v][x + u] * of[1];
      blue += tile[2][y + v][x + u] * of[2];
    }
  out[blockIdx.x * 64 + me] = red + green + blue;
}

extern "C" __global__ void chosen(const float *image, float *out, int which) {
  __shared__ float tile[3][Height][Width];
  const int x = threadIdx.x, y = threadIdx.y, me = y * 16 + x;
  for (int i = me; i < 3 * Height * Width; i += 64)
    tile[0][0][i] = image[i];
  __syncthreads();
  float red = 0, green = 0, blue = 0;
  for (int v = 0; v < Side; ++v)
    for (int u = 0; u < Side; ++u) {
      const float *of = filter + ((which & 3) * 25 + v * Side + u) * 3;
      red += tile[0][y + v][x + u] * of[0];
      green += tile[1][y + v][x + u] * of[1];
      blue += tile[2][y + v][x + u] * of[2];
    }
  out[blockIdx.x * 64 + me] = red + green + blue;
}
