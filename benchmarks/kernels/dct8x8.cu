// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cosine transform of an image in blocks of 8 x 8, as JPEG has it and the
// CUDA SDK's dct8x8. A thread block has 32 x 16 pixels in shared memory, from
// where each of its 64 threads takes a row of eight pixels, transforms it in
// registers and puts it back, and then a column. Eight bytes for some twenty
// instructions: limited by memory.
//
#include "common.h"

constexpr int Width = bench::bySize(128, 512, 8192);
constexpr int Height = bench::bySize(64, 512, 8192);
constexpr int TileWidth = 32;
constexpr int TileHeight = 16;
constexpr int BlockSize = TileWidth * TileHeight / 8;
constexpr uint32_t Seed = 1;

/// cos(k * pi / 16) / 2, and for 4 the root of 1/8.
constexpr float C1 = 0.49039264f, C2 = 0.46193977f, C3 = 0.41573481f,
                C4 = 0.35355339f, C5 = 0.27778512f, C6 = 0.19134172f,
                C7 = 0.09754516f;

/// Eight values, Step apart, in place. The even results come from sums of
/// opposite values, the odd ones from their differences.
template <int Step> __device__ inline void transform(float *values) {
  float a = values[0], b = values[Step], c = values[2 * Step],
        d = values[3 * Step], e = values[4 * Step], f = values[5 * Step],
        g = values[6 * Step], h = values[7 * Step];
  float ah = a + h, bg = b + g, cf = c + f, de = d + e;
  values[0] = C4 * ((ah + de) + (bg + cf));
  values[4 * Step] = C4 * ((ah + de) - (bg + cf));
  values[2 * Step] = C2 * (ah - de) + C6 * (bg - cf);
  values[6 * Step] = C6 * (ah - de) - C2 * (bg - cf);
  a -= h;
  b -= g;
  c -= f;
  d -= e;
  values[Step] = C1 * a + C3 * b + C5 * c + C7 * d;
  values[3 * Step] = C3 * a - C7 * b - C1 * c - C5 * d;
  values[5 * Step] = C5 * a - C1 * b + C7 * c + C3 * d;
  values[7 * Step] = C7 * a - C5 * b + C3 * c - C1 * d;
}

__global__ void dct8x8(const float *BENCH_MAY_RESTRICT image,
                       float *BENCH_MAY_RESTRICT result, int width) {
  // One more column, so that rows begin in different banks.
  __shared__ float tile[TileHeight][TileWidth + 1];
  const int x = threadIdx.x % TileWidth, y = threadIdx.x / TileWidth * 8;
  const int corner = blockIdx.y * TileHeight * width + blockIdx.x * TileWidth;
  for (int i = 0; i < 8; ++i)
    tile[y + i][x] = image[corner + (y + i) * width + x];
  __syncthreads();
  const int row = threadIdx.x % TileHeight, first = threadIdx.x / TileHeight;
  transform<1>(&tile[row][8 * first]);
  __syncthreads();
  transform<TileWidth + 1>(&tile[y][x]);
  for (int i = 0; i < 8; ++i)
    result[corner + (y + i) * width + x] = tile[y + i][x];
}

/// By the definition.
static double coefficientOf(size_t I) {
  size_t X = I % Width, Y = I / Width, U = X % 8, V = Y % 8;
  double Sum = 0;
  for (size_t J = 0; J < 8; ++J)
    for (size_t K = 0; K < 8; ++K)
      Sum += bench::valueAt(Seed, (Y - V + J) * Width + X - U + K) *
             std::cos((2 * J + 1) * V * M_PI / 16) *
             std::cos((2 * K + 1) * U * M_PI / 16);
  return Sum / 4 * (U ? 1 : std::sqrt(0.5)) * (V ? 1 : std::sqrt(0.5));
}

int main() {
  constexpr size_t Pixels = size_t(Width) * Height;
  bench::DeviceArray<float> Image(Pixels, Seed), Result(Pixels);
  dim3 Grid(Width / TileWidth, Height / TileHeight);

  dct8x8<<<Grid, BlockSize>>>(Image, Result, Width);
  CUDA_CHECK(cudaGetLastError());

  bench::Program Program("dct8x8");
  Program.check("result", Result, [](size_t I, float Got) {
    return std::abs(Got - coefficientOf(I)) < 1e-5;
  });
  return Program.verdict();
}
