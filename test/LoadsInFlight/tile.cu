// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of a loop of known length over tiles in shared memory all iterations go
// together where they are 16 at most and not too long, as nvcc has it: clang
// takes none of this one. A longer loop goes by the rule of known lengths. One of
// unknown length stays as it is, with its rest: shared memory is waited for shortly.
//
// RUN: %loads-cc %s -Rpass=sluice-loads 2>&1 >/dev/null | FileCheck %s --implicit-check-not=together --implicit-check-not='one by one'
// RUN: %loads-cc %s | FileCheck %s --check-prefix=PTX
// RUN: for n in 0 8 19; do %same-loads %s %t int=$n block=64 grid=2 || exit 1; done
//
// CHECK: tile.cu:[[#@LINE+22]]:5: remark: 8 iterations of the loop are taken together: they are all, and read shared memory; clang takes 1 [-Rpass=sluice-loads-in-flight]
// CHECK: tile.cu:[[#@LINE+39]]:3: remark: 8 iterations of the loop are taken together: all 64 are known, and clang takes 2
//
// PTX: .entry product(
// PTX-COUNT-64: fma.rn.f32
// PTX: .entry longer(

constexpr int Tile = 8, Rows = 8, Threads = 64;

extern "C" __global__ void product(const float *a, float *out, int n) {
  __shared__ float left[Threads * Tile], right[Tile * Threads];
  const int me = threadIdx.x;
  float sum[Rows] = {};
  for (int at = 0; at < n; at += Tile) {
    for (int i = 0; i < Tile; ++i) {
      left[me * Tile + i] = a[(me + i + at) & 255];
      right[i * Threads + me] = a[(me * 3 + i + at) & 255];
    }
    __syncthreads();
#define AT(ROW, K) left[((me / Rows * Rows + ROW) % Threads) * Tile + K]
    // Eight products and eight sums, more than LLVM unrolls whole.

    for (int k = 0; k < Tile; ++k) {
      const float of = right[k * Threads + me];
      for (int row = 0; row < Rows; ++row)
        sum[row] += AT(row, k) * of;
    }
    __syncthreads();
  }
  for (int row = 0; row < Rows; ++row)
    out[(blockIdx.x * Threads + me) * Rows + row] = sum[row];
}

extern "C" __global__ void longer(const float *a, float *out, int n) {
  __shared__ float of[Threads];
  const int me = threadIdx.x;
  of[me] = a[me] + n;
  __syncthreads();
  float x = 0, y = 1, z = 2;

  for (int k = 0; k < Threads; ++k) {
    const float v = of[(k + me) % Threads];
    x = v > x ? v + y : x - v;
    y = v > y ? v + z : y - v;
    z = v > z ? v + x : z - v;
    x = v < z ? v - y : x + z;
    y = v < x ? v - z : y + x;
  }
  out[blockIdx.x * Threads + me] = x + y + z;
}

extern "C" __global__ void unknown(const float *a, float *out, int n) {
  __shared__ float of[Threads];
  const int me = threadIdx.x;
  of[me] = a[me];
  __syncthreads();
  for (int j = 0; j < n; ++j) {
    float sum = 0;
    for (int k = 0; k < n; ++k)
      sum += of[(k * 7 + me) % Threads];
    out[(blockIdx.x * Threads + me) * 8 + j % 8] = sum;
  }
}
