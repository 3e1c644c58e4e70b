// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %sluice emulate %s --fail-fast --check=memory,races | FileCheck %s
// CHECK: PASS
// Through a padded tile in shared memory, out of place and in place; elements of 1, 4,
// 8 and 16 bytes; sides that are no multiple of the tile.
#include "Inputs/check.h"

const int Tile = 32, Rows = 8;

template <class T> __global__ void transpose(const T *in, T *out, int width, int height) {
  __shared__ T tile[Tile][Tile + 1];
  int x = blockIdx.x * Tile + threadIdx.x, y = blockIdx.y * Tile + threadIdx.y;
  for (int j = 0; j < Tile; j += Rows)
    if (x < width && y + j < height)
      tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
  __syncthreads();
  x = blockIdx.y * Tile + threadIdx.x;
  y = blockIdx.x * Tile + threadIdx.y;
  for (int j = 0; j < Tile; j += Rows)
    if (x < height && y + j < width)
      out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

// A block takes two tiles that mirror each other and exchanges them.
__global__ void inPlace(int *a, int n) {
  if (blockIdx.x < blockIdx.y)
    return;
  __shared__ int first[Tile][Tile + 1], second[Tile][Tile + 1];
  int tx = threadIdx.x, ty = threadIdx.y, left = blockIdx.x * Tile, top = blockIdx.y * Tile;
  for (int j = ty; j < Tile; j += Rows) {
    first[j][tx] = a[(top + j) * n + left + tx];
    second[j][tx] = a[(left + j) * n + top + tx];
  }
  __syncthreads();
  for (int j = ty; j < Tile; j += Rows) {
    a[(left + j) * n + top + tx] = first[tx][j];
    if (left != top)
      a[(top + j) * n + left + tx] = second[tx][j];
  }
}

template <class T> void test(const char *name, int width, int height) {
  Buffer<unsigned char> in(width * height * sizeof(T),
                           [](size_t i) { return (unsigned char)(i * 2654435761u >> 24); });
  Buffer<unsigned char> out(in.host.size());
  dim3 grid((width + Tile - 1) / Tile, (height + Tile - 1) / Tile), block(Tile, Rows);
  transpose<T><<<grid, block>>>((const T *)in.device, (T *)out.device, width, height);
  out.check(name, [&](size_t i) {
    size_t k = i / sizeof(T), x = k / height, y = k % height;
    return in.host[(y * width + x) * sizeof(T) + i % sizeof(T)];
  });
}

int main() {
  test<char>("char", 100, 45);
  test<float>("float", 64, 96);
  test<double>("double", 33, 31);
  test<int4>("int4", 41, 70);
  const int n = 4 * Tile;
  Buffer<int> square(n * n, [](size_t i) { return int(i); });
  inPlace<<<dim3(4, 4), dim3(Tile, Rows)>>>(square, n);
  square.check("in place", [](size_t i) { return int(i) % n * n + int(i) / n; });
  return finish();
}
