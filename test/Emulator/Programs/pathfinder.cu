// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %sluice emulate %s --fail-fast --check=memory,races | FileCheck %s
// CHECK: PASS
// The cheapest way down a grid. A launch does several rows: each block starts with
// more columns than it is to deliver, and one is lost on each side with each row.
#include "Inputs/check.h"

const int Threads = 128, Rows = 8;

__global__ void descend(const int *cost, const int *from, int *to, int width, int row, int rows) {
  __shared__ int now[Threads], then[Threads];
  int t = threadIdx.x, x = int(blockIdx.x) * (Threads - 2 * rows) - rows + t;
  bool inside = x >= 0 && x < width;
  if (inside)
    now[t] = from[x];
  __syncthreads();
  for (int r = 0; r < rows; ++r) {
    bool known = inside && t > r && t < Threads - 1 - r;
    if (known) {
      int best = now[t];
      if (x > 0)
        best = min(best, now[t - 1]);
      if (x < width - 1)
        best = min(best, now[t + 1]);
      then[t] = best + cost[(row + r) * width + x];
    }
    __syncthreads();
    if (known)
      now[t] = then[t];
    __syncthreads();
  }
  if (inside && t >= rows && t < Threads - rows)
    to[x] = now[t];
}

int main() {
  const int width = 700, height = 45;
  Buffer<int> cost(width * height, [](size_t i) { return int(i * 2654435761u >> 20) % 10; });
  Buffer<int> a(width, [&](size_t i) { return cost.host[i]; }), b(width);
  std::vector<int> now(a.host), then(width);
  int *from = a, *to = b;
  for (int row = 1; row < height; row += Rows) {
    int rows = std::min(Rows, height - row), deliver = Threads - 2 * rows;
    descend<<<(width + deliver - 1) / deliver, Threads>>>(cost, from, to, width, row, rows);
    std::swap(from, to);
  }
  for (int row = 1; row < height; ++row, now.swap(then))
    for (int x = 0; x < width; ++x) {
      int best = now[x];
      best = std::min(best, x > 0 ? now[x - 1] : best);
      best = std::min(best, x < width - 1 ? now[x + 1] : best);
      then[x] = best + cost.host[row * width + x];
    }
  (from == a.device ? a : b).check("cost", [&](size_t i) { return now[i]; });
  return finish();
}
