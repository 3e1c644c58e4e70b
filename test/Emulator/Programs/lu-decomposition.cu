// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %sluice emulate %s --fail-fast --check=memory,races | FileCheck %s
// CHECK: PASS
// A = L U by blocks: the block on the diagonal, its row and column, the rest. Every
// element sees the same operations in the same order as in the plain algorithm.
#include "Inputs/check.h"

const int Tile = 16;

__global__ void corner(float *a, int n, int at) {
  __shared__ float tile[Tile][Tile];
  float *origin = a + at * Tile * (n + 1);
  int t = threadIdx.x;
  for (int y = 0; y < Tile; ++y)
    tile[y][t] = origin[y * n + t];
  __syncthreads();
  for (int k = 0; k < Tile - 1; ++k) {
    if (t > k) {
      tile[t][k] /= tile[k][k];
      for (int x = k + 1; x < Tile; ++x)
        tile[t][x] = fmaf(-tile[t][k], tile[k][x], tile[t][x]);
    }
    __syncthreads();
  }
  for (int y = 0; y < Tile; ++y)
    origin[y * n + t] = tile[y][t];
}

// Even blocks make a block of the row (by columns), odd ones of the column (by rows).
__global__ void edges(float *a, int n, int at) {
  __shared__ float pivot[Tile][Tile], tile[Tile][Tile + 1];
  int other = at + 1 + blockIdx.x / 2, t = threadIdx.x;
  bool isRow = blockIdx.x % 2 == 0;
  float *origin = a + (isRow ? at * Tile * n + other * Tile : other * Tile * n + at * Tile);
  for (int y = 0; y < Tile; ++y) {
    pivot[y][t] = a[at * Tile * (n + 1) + y * n + t];
    tile[y][t] = origin[y * n + t];
  }
  __syncthreads();
  for (int k = 0; k < Tile; ++k) {
    if (isRow) {
      for (int y = k + 1; y < Tile; ++y)
        tile[y][t] = fmaf(-pivot[y][k], tile[k][t], tile[y][t]);
    } else {
      tile[t][k] /= pivot[k][k];
      for (int x = k + 1; x < Tile; ++x)
        tile[t][x] = fmaf(-tile[t][k], pivot[k][x], tile[t][x]);
    }
  }
  __syncthreads();
  for (int y = 0; y < Tile; ++y)
    origin[y * n + t] = tile[y][t];
}

__global__ void rest(float *a, int n, int at) {
  __shared__ float left[Tile][Tile], above[Tile][Tile];
  int x = threadIdx.x, y = threadIdx.y;
  int row = (at + 1 + blockIdx.y) * Tile + y, column = (at + 1 + blockIdx.x) * Tile + x;
  left[y][x] = a[row * n + at * Tile + x];
  above[y][x] = a[(at * Tile + y) * n + column];
  __syncthreads();
  float sum = a[row * n + column];
  for (int k = 0; k < Tile; ++k)
    sum = fmaf(-left[y][k], above[k][x], sum);
  a[row * n + column] = sum;
}

int main() {
  const int tiles = 5, n = tiles * Tile;
  Buffer<float> a(n * n, [](size_t i) {
    int y = int(i) / n, x = int(i) % n;
    return x == y ? 40 + x % 7 : std::cos(float(i * 3 % 1001));
  });
  std::vector<float> want = a.host;
  for (int at = 0; at < tiles; ++at) {
    int left = tiles - at - 1;
    corner<<<1, Tile>>>(a, n, at);
    if (left) {
      edges<<<2 * left, Tile>>>(a, n, at);
      rest<<<dim3(left, left), dim3(Tile, Tile)>>>(a, n, at);
    }
  }
  for (int k = 0; k < n; ++k)
    for (int y = k + 1; y < n; ++y) {
      want[y * n + k] /= want[k * n + k];
      for (int x = k + 1; x < n; ++x)
        want[y * n + x] = std::fma(-want[y * n + k], want[k * n + x], want[y * n + x]);
    }
  a.check("factors", [&](size_t i) { return want[i]; });
  return finish();
}
