// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %sluice emulate %s --fail-fast --check=memory,races | FileCheck %s
// CHECK: PASS
// Alignment of two sequences: one launch for each diagonal of tiles, and inside a
// tile one step for each diagonal of cells.
#include "Inputs/check.h"

const int Tile = 16, Gap = 3;

__host__ __device__ int match(char a, char b) { return a == b ? 5 : (a ^ b) & 1 ? -4 : -1; }
__host__ __device__ int best(int corner, int above, int left) {
  int m = above > left ? above : left;
  m -= Gap;
  return corner > m ? corner : m;
}

__global__ void diagonal(const char *a, const char *b, int *score, int width, int number,
                         int firstColumn) {
  __shared__ int cells[Tile + 1][Tile + 1];
  __shared__ char rows[Tile], columns[Tile];
  int column = firstColumn + blockIdx.x, row = number - column, t = threadIdx.x;
  int *corner = score + row * Tile * width + column * Tile;
  cells[0][t + 1] = corner[t + 1];
  cells[t + 1][0] = corner[(t + 1) * width];
  if (t == 0)
    cells[0][0] = corner[0];
  rows[t] = a[row * Tile + t];
  columns[t] = b[column * Tile + t];
  __syncthreads();
  for (int d = 0; d < 2 * Tile - 1; ++d) {
    int y = t + 1, x = d - t + 1;
    if (x >= 1 && x <= Tile)
      cells[y][x] = best(cells[y - 1][x - 1] + match(rows[y - 1], columns[x - 1]), cells[y - 1][x],
                         cells[y][x - 1]);
    __syncthreads();
  }
  for (int y = 1; y <= Tile; ++y)
    corner[y * width + t + 1] = cells[y][t + 1];
}

int main() {
  const int tiles = 6, n = tiles * Tile, width = n + 1;
  Buffer<char> a(n, [](size_t i) { return "ACGT"[i * i % 11 % 4]; });
  Buffer<char> b(n, [](size_t i) { return "ACGT"[i * 7 % 13 % 4]; });
  auto border = [&](size_t i) {
    int y = int(i) / width, x = int(i) % width;
    return y == 0 ? -Gap * x : x == 0 ? -Gap * y : 0;
  };
  Buffer<int> score(width * width, border);
  std::vector<int> want = score.host;
  for (int d = 0; d < 2 * tiles - 1; ++d) {
    int first = d < tiles ? 0 : d - tiles + 1, last = d < tiles ? d : tiles - 1;
    diagonal<<<last - first + 1, Tile>>>(a, b, score, width, d, first);
  }
  for (int y = 1; y <= n; ++y)
    for (int x = 1; x <= n; ++x) {
      int *cell = &want[y * width + x];
      *cell = best(cell[-width - 1] + match(a.host[y - 1], b.host[x - 1]), cell[-width], cell[-1]);
    }
  score.check("score", [&](size_t i) { return want[i]; });
  return finish();
}
