// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CUDA SDK's bilateral filter: one pixel per thread, which averages its
// neighbours weighted by a Gaussian of their distance, from constant memory,
// and an exponential of how much their colours differ. Neighbouring threads
// share almost all their pixels: limited by the arithmetic and an exponential
// per neighbour.
//
#include "common.h"

constexpr int Width = bench::bySize(64, 1024, 4096);
constexpr int Height = bench::bySize(32, 1024, 4096);
constexpr int Radius = bench::bySize(3, 5, 5);
constexpr int MaxRadius = 32;
constexpr int BlockSize = 16;
constexpr float GaussianDelta = 4.0f;
constexpr float EuclideanDelta = 0.1f;
constexpr uint32_t SeedNoise = 1;

namespace bench {
/// Squares of different colours with noise on them.
__host__ __device__ inline float4 pixelAt(int X, int Y) {
  float Square = (X / 24 + Y / 24) % 2 ? 0.75f : 0.25f;
  size_t Place = 3 * (size_t(Y) * Width + X);
  return {Square + 0.2f * valueAt(SeedNoise, Place),
          0.8f - Square + 0.2f * valueAt(SeedNoise, Place + 1),
          0.5f + 0.2f * valueAt(SeedNoise, Place + 2), 1};
}

__global__ void fillImage(float4 *Image) {
  int X = blockIdx.x * blockDim.x + threadIdx.x;
  int Y = blockIdx.y * blockDim.y + threadIdx.y;
  if (X < Width && Y < Height)
    Image[Y * Width + X] = pixelAt(X, Y);
}
} // namespace bench

__constant__ float gaussian[2 * MaxRadius + 1];

/// How alike two colours are: 1 if they are the same.
__device__ inline float likeness(float4 a, float4 b, float delta) {
  float squared = (b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y) +
                  (b.z - a.z) * (b.z - a.z);
  return __expf(-squared / (2 * delta * delta));
}

__global__ void bilateral(const float4 *BENCH_MAY_RESTRICT image,
                          float4 *BENCH_MAY_RESTRICT result, int width,
                          int height, float delta, int radius) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  float4 centre = image[y * width + x];
  float4 sum = {0, 0, 0, 0};
  float weights = 0;
  for (int i = -radius; i <= radius; ++i) {
    int row = min(max(y + i, 0), height - 1);
    for (int j = -radius; j <= radius; ++j) {
      int column = min(max(x + j, 0), width - 1);
      float4 pixel = image[row * width + column];
      float weight = gaussian[i + radius] * gaussian[j + radius] *
                     likeness(pixel, centre, delta);
      sum.x += weight * pixel.x;
      sum.y += weight * pixel.y;
      sum.z += weight * pixel.z;
      sum.w += weight * pixel.w;
      weights += weight;
    }
  }
  result[y * width + x] = {sum.x / weights, sum.y / weights, sum.z / weights,
                           sum.w / weights};
}

static bool isRight(size_t Index, float4 Got,
                    const std::vector<float> &Weights) {
  int X = Index % Width, Y = Index / Width;
  float4 Centre = bench::pixelAt(X, Y);
  double Red = 0, Green = 0, Blue = 0, Sum = 0;
  for (int I = -Radius; I <= Radius; ++I)
    for (int J = -Radius; J <= Radius; ++J) {
      float4 Pixel = bench::pixelAt(std::clamp(X + J, 0, Width - 1),
                                    std::clamp(Y + I, 0, Height - 1));
      double DR = Pixel.x - Centre.x, DG = Pixel.y - Centre.y,
             DB = Pixel.z - Centre.z;
      double Weight = double(Weights[I + Radius]) * Weights[J + Radius] *
                      std::exp(-(DR * DR + DG * DG + DB * DB) /
                               (2 * EuclideanDelta * EuclideanDelta));
      Red += Weight * Pixel.x;
      Green += Weight * Pixel.y;
      Blue += Weight * Pixel.z;
      Sum += Weight;
    }
  return bench::isClose(Got.x, Red / Sum) &&
         bench::isClose(Got.y, Green / Sum) &&
         bench::isClose(Got.z, Blue / Sum) && bench::isClose(Got.w, 1);
}

int main() {
  std::vector<float> Weights(2 * Radius + 1);
  for (int I = -Radius; I <= Radius; ++I)
    Weights[I + Radius] =
        std::exp(-I * I / (2 * GaussianDelta * GaussianDelta));
  CUDA_CHECK(cudaMemcpyToSymbol(gaussian, Weights.data(),
                                Weights.size() * sizeof(float)));

  constexpr size_t Pixels = size_t(Width) * Height;
  bench::DeviceArray<float4> Image(Pixels), Result(Pixels);
  dim3 Block(BlockSize, BlockSize);
  dim3 Grid((Width + BlockSize - 1) / BlockSize,
            (Height + BlockSize - 1) / BlockSize);
  bench::fillImage<<<Grid, Block>>>(Image);
  CUDA_CHECK(cudaGetLastError());

  bilateral<<<Grid, Block>>>(Image, Result, Width, Height, EuclideanDelta,
                             Radius);
  CUDA_CHECK(cudaGetLastError());

  bench::Program Program("bilateral");
  Program.check("result", Result, [&](size_t Index, float4 Got) {
    return isRight(Index, Got, Weights);
  });
  return Program.verdict();
}
