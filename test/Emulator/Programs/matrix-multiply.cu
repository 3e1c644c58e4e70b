// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %sluice emulate %s --fail-fast --check=memory,races | FileCheck %s
// CHECK: PASS
// C = A B by tiles in shared memory; then with 4 x 4 results in each thread's
// registers and vector loads. An fma for each product, in the same order as the CPU.
#include "Inputs/check.h"

template <class T, int Tile>
__global__ void tiled(const T *a, const T *b, T *c, int rows, int inner, int columns) {
  __shared__ T left[Tile][Tile], right[Tile][Tile];
  int x = threadIdx.x, y = threadIdx.y;
  int row = blockIdx.y * Tile + y, column = blockIdx.x * Tile + x;
  T sum = 0;
  for (int k = 0; k < inner; k += Tile) {
    left[y][x] = row < rows && k + x < inner ? a[row * inner + k + x] : T(0);
    right[y][x] = k + y < inner && column < columns ? b[(k + y) * columns + column] : T(0);
    __syncthreads();
    for (int j = 0; j < Tile; ++j)
      sum = fma(left[y][j], right[j][x], sum);
    __syncthreads();
  }
  if (row < rows && column < columns)
    c[row * columns + column] = sum;
}

// 64 x 64 of C for a block of 256 threads.
__global__ void __launch_bounds__(256) registers(const float *a, const float *b, float *c, int n) {
  __shared__ float4 left[8][16], right[8][16]; // 8 of A's columns, transposed; 8 of B's rows
  int t = threadIdx.x, tx = t % 16, ty = t / 16;
  int row = blockIdx.y * 64, column = blockIdx.x * 64;
  float sum[4][4] = {};
  for (int k = 0; k < n; k += 8) {
    if (t < 128) {
      float4 v = *(const float4 *)&a[(row + t / 2) * n + k + t % 2 * 4];
      float parts[4] = {v.x, v.y, v.z, v.w};
      for (int i = 0; i < 4; ++i)
        ((float *)left[t % 2 * 4 + i])[t / 2] = parts[i];
    } else {
      int u = t - 128;
      right[u / 16][u % 16] = *(const float4 *)&b[(k + u / 16) * n + column + u % 16 * 4];
    }
    __syncthreads();
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      float4 p = left[j][ty], q = right[j][tx];
      float l[4] = {p.x, p.y, p.z, p.w}, r[4] = {q.x, q.y, q.z, q.w};
      for (int y = 0; y < 4; ++y)
        for (int x = 0; x < 4; ++x)
          sum[y][x] = fmaf(l[y], r[x], sum[y][x]);
    }
    __syncthreads();
  }
  for (int y = 0; y < 4; ++y)
    *(float4 *)&c[(row + 4 * ty + y) * n + column + 4 * tx] =
        make_float4(sum[y][0], sum[y][1], sum[y][2], sum[y][3]);
}

template <class T> T product(const Buffer<T> &a, const Buffer<T> &b, size_t i, int inner, int columns) {
  T sum = 0;
  for (int k = 0; k < inner; ++k)
    sum = std::fma(a.host[i / columns * inner + k], b.host[k * columns + i % columns], sum);
  return sum;
}

int main() {
  const int rows = 50, inner = 37, columns = 70, n = 128;
  auto value = [](size_t i) { return std::sin(double(i * 7 % 101)); };
  Buffer<float> a(n * n, value), b(n * n, value), c(n * n);
  Buffer<double> d(rows * inner, value), e(inner * columns, value), f(rows * columns);
  registers<<<dim3(n / 64, n / 64), 256>>>(a, b, c, n);
  c.check("registers", [&](size_t i) { return product(a, b, i, n, n); });
  tiled<double, 16><<<dim3((columns + 15) / 16, (rows + 15) / 16), dim3(16, 16)>>>(
      d, e, f, rows, inner, columns);
  f.check("double", [&](size_t i) { return product(d, e, i, inner, columns); });
  CUDA(cudaMemset(c, 0, n * n * sizeof(float)));
  tiled<float, 32><<<dim3(n / 32, n / 32), dim3(32, 32)>>>(a, b, c, n, n, n);
  c.check("float", [&](size_t i) { return product(a, b, i, n, n); });
  return finish();
}
