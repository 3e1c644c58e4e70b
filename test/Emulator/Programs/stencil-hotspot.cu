// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %sluice emulate %s --fail-fast --check=memory,races | FileCheck %s
// CHECK: PASS
// Heat on a plate: tiles with their halo in shared memory, two buffers in turn.
#include "Inputs/check.h"

const int Tile = 16;

// Each product is one of an fma or exact, so CPU and GPU round alike.
__host__ __device__ float next(float here, float north, float south, float west, float east,
                               float power) {
  float around = (north + south) + (west + east) - 4 * here;
  return fmaf(0.1875f, around, fmaf(0.01f, power, here));
}

__global__ void step(const float *in, const float *power, float *out, int width, int height) {
  __shared__ float tile[Tile + 2][Tile + 2];
  int left = blockIdx.x * Tile - 1, top = blockIdx.y * Tile - 1;
  for (int i = threadIdx.y * Tile + threadIdx.x; i < (Tile + 2) * (Tile + 2); i += Tile * Tile) {
    int x = left + i % (Tile + 2), y = top + i / (Tile + 2);
    x = min(max(x, 0), width - 1); // the border is mirrored
    y = min(max(y, 0), height - 1);
    tile[i / (Tile + 2)][i % (Tile + 2)] = in[y * width + x];
  }
  __syncthreads();
  int tx = threadIdx.x + 1, ty = threadIdx.y + 1, x = left + tx, y = top + ty;
  if (x >= width || y >= height)
    return;
  out[y * width + x] = next(tile[ty][tx], tile[ty - 1][tx], tile[ty + 1][tx], tile[ty][tx - 1],
                            tile[ty][tx + 1], power[y * width + x]);
}

int main() {
  const int width = 75, height = 50, steps = 6;
  Buffer<float> a(width * height, [](size_t i) { return 320 + std::sin(float(i)) * 20; });
  Buffer<float> power(width * height, [](size_t i) { return i % 97 == 0 ? 9.7f : 0.3f; });
  Buffer<float> b(width * height);
  std::vector<float> now = a.host, then = now;
  dim3 grid((width + Tile - 1) / Tile, (height + Tile - 1) / Tile), block(Tile, Tile);
  for (int s = 0; s < steps; ++s) {
    step<<<grid, block>>>(s % 2 ? b : a, power, s % 2 ? a : b, width, height);
    auto at = [&](int x, int y) {
      x = x < 0 ? 0 : x < width ? x : width - 1;
      y = y < 0 ? 0 : y < height ? y : height - 1;
      return now[y * width + x];
    };
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        then[y * width + x] = next(at(x, y), at(x, y - 1), at(x, y + 1), at(x - 1, y),
                                   at(x + 1, y), power.host[y * width + x]);
    now.swap(then);
  }
  a.check("temperature", [&](size_t i) { return now[i]; });
  return finish();
}
