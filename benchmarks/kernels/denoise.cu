// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The neighbourhood filter of the CUDA SDK's imageDenoising: one pixel per
// thread, which averages the pixels about it, weighted by how near and how
// alike they are; where few are alike more of the pixel itself is kept. Pixels
// are four bytes. Neighbouring threads share almost all their pixels: limited
// by arithmetic, with an exponential for each neighbour.
//
#include "common.h"

constexpr int Width = bench::bySize(64, 320, 4096);
constexpr int Height = bench::bySize(32, 408, 4096);
constexpr int Radius = 3;
constexpr int BlockWidth = 8;
constexpr int BlockHeight = 8;
constexpr float Noise = 0.32f; // that is taken for alike
constexpr float Keep = 0.8f;   // of a pixel with nothing alike about it
constexpr uint32_t SeedNoise = 1;

namespace bench {
/// Rings of two colours with noise on them.
__host__ __device__ inline unsigned pixelAt(int X, int Y) {
  int DX = X - Width / 2, DY = Y - Height / 2;
  bool Bright = (DX * DX + DY * DY) / 4096 % 2;
  unsigned Bits = bitsAt(SeedNoise, size_t(Y) * Width + X);
  unsigned Red = (Bright ? 160 : 60) + (Bits & 63);
  unsigned Green = (Bright ? 80 : 140) + (Bits >> 8 & 63);
  unsigned Blue = (Bright ? 120 : 20) + (Bits >> 16 & 63);
  return 0xff000000u | Blue << 16 | Green << 8 | Red;
}

__global__ void fillImage(unsigned *Image) {
  int X = blockIdx.x * blockDim.x + threadIdx.x;
  int Y = blockIdx.y * blockDim.y + threadIdx.y;
  if (X < Width && Y < Height)
    Image[Y * Width + X] = pixelAt(X, Y);
}
} // namespace bench

__device__ inline float3 unpack(unsigned pixel) {
  return {(pixel & 0xff) * (1.0f / 255), (pixel >> 8 & 0xff) * (1.0f / 255),
          (pixel >> 16 & 0xff) * (1.0f / 255)};
}

__device__ inline unsigned pack(float3 colour) {
  return 0xff000000u | unsigned(255 * colour.z + 0.5f) << 16 |
         unsigned(255 * colour.y + 0.5f) << 8 | unsigned(255 * colour.x + 0.5f);
}

__global__ void denoise(const unsigned *BENCH_MAY_RESTRICT image,
                        unsigned *BENCH_MAY_RESTRICT result, int width,
                        int height, float noise, float keep) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  constexpr float area = (2 * Radius + 1) * (2 * Radius + 1);
  const float perColour = 1 / (noise * noise);
  float3 centre = unpack(image[y * width + x]);
  float3 sum = {0, 0, 0};
  float weights = 0;
  for (int i = -Radius; i <= Radius; ++i) {
    int row = min(max(y + i, 0), height - 1);
    for (int j = -Radius; j <= Radius; ++j) {
      int column = min(max(x + j, 0), width - 1);
      float3 colour = unpack(image[row * width + column]);
      float red = colour.x - centre.x, green = colour.y - centre.y,
            blue = colour.z - centre.z;
      float unlike = red * red + green * green + blue * blue;
      float weight = expf(-(unlike * perColour + (i * i + j * j) * (1 / area)));
      sum.x += weight * colour.x;
      sum.y += weight * colour.y;
      sum.z += weight * colour.z;
      weights += weight;
    }
  }
  float inverse = 1 / weights;
  float kept = keep * (1 - weights * (1 / area));
  float3 mean = {sum.x * inverse, sum.y * inverse, sum.z * inverse};
  result[y * width + x] = pack({mean.x + kept * (centre.x - mean.x),
                                mean.y + kept * (centre.y - mean.y),
                                mean.z + kept * (centre.z - mean.z)});
}

static bool isRight(size_t Index, unsigned Got) {
  int X = Index % Width, Y = Index / Width;
  auto colourAt = [](int X, int Y, int Channel) {
    return (bench::pixelAt(X, Y) >> (8 * Channel) & 0xff) / 255.0;
  };
  constexpr double Area = (2 * Radius + 1) * (2 * Radius + 1);
  double Sum[3] = {}, Weights = 0;
  for (int I = -Radius; I <= Radius; ++I)
    for (int J = -Radius; J <= Radius; ++J) {
      int Column = std::clamp(X + J, 0, Width - 1);
      int Row = std::clamp(Y + I, 0, Height - 1);
      double Unlike = 0;
      for (int C = 0; C < 3; ++C) {
        double D = colourAt(Column, Row, C) - colourAt(X, Y, C);
        Unlike += D * D;
      }
      double Weight =
          std::exp(-(Unlike / (Noise * Noise) + (I * I + J * J) / Area));
      for (int C = 0; C < 3; ++C)
        Sum[C] += Weight * colourAt(Column, Row, C);
      Weights += Weight;
    }
  double Kept = Keep * (1 - Weights / Area);
  bool Right = Got >> 24 == 0xff;
  for (int C = 0; C < 3; ++C) {
    double Mean = Sum[C] / Weights;
    double Expected = Mean + Kept * (colourAt(X, Y, C) - Mean);
    // Half of 1 by rounding.
    Right &= std::abs(255 * Expected - (Got >> (8 * C) & 0xff)) < 0.51;
  }
  return Right;
}

int main() {
  constexpr size_t Pixels = size_t(Width) * Height;
  bench::DeviceArray<unsigned> Image(Pixels), Result(Pixels);
  dim3 Block(BlockWidth, BlockHeight);
  dim3 Grid((Width + BlockWidth - 1) / BlockWidth,
            (Height + BlockHeight - 1) / BlockHeight);
  bench::fillImage<<<Grid, Block>>>(Image);
  CUDA_CHECK(cudaGetLastError());

  denoise<<<Grid, Block>>>(Image, Result, Width, Height, Noise, Keep);
  CUDA_CHECK(cudaGetLastError());

  bench::Program Program("denoise");
  Program.check("result", Result, isRight);
  return Program.verdict();
}
