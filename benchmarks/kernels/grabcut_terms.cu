// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The data term of GrabCut (C. Rother et al.), as the CUDA SDK's grabcutNPP
// computes it for each pixel: how much less likely its colour is in the
// foreground than in the background, each a mixture of five Gaussians. One
// pixel per thread, the mixtures in constant memory; the cut that follows wants
// integers. Ten exponentials and two logarithms for eight bytes: limited by
// arithmetic.
//
#include "common.h"

constexpr int Pixels = bench::bySize(64 * 32, 640 * 480, 4096 * 4096);
constexpr int BlockSize = 256;
constexpr int Components = 5;
constexpr float Scale = 100;
constexpr float Least = 1e-20f; // likelihood, for a colour that fits nowhere
constexpr uint32_t SeedPixel = 1;

/// A Gaussian: its weight over the root of the determinant, the colours' means,
/// and the inverse of their covariance.
struct Gaussian {
  float weight;
  float red, green, blue;
  float xx, xy, xz, yy, yz, zz;
};

struct Mixtures {
  Gaussian foreground[Components];
  Gaussian background[Components];
};

__constant__ Mixtures mixtures;

namespace bench {
__host__ __device__ inline uchar4 pixelAt(size_t I) {
  uint32_t Bits = bitsAt(SeedPixel, I);
  return {static_cast<unsigned char>(Bits),
          static_cast<unsigned char>(Bits >> 8),
          static_cast<unsigned char>(Bits >> 16), 255};
}

__global__ void fillImage(uchar4 *Image) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < Pixels)
    Image[I] = pixelAt(I);
}
} // namespace bench

__device__ inline float likelihood(const Gaussian *mixture, float3 colour) {
  float sum = 0;
  for (int i = 0; i < Components; ++i) {
    const Gaussian &g = mixture[i];
    float x = colour.x - g.red, y = colour.y - g.green, z = colour.z - g.blue;
    float squared = x * (x * g.xx + 2 * (y * g.xy + z * g.xz)) +
                    y * (y * g.yy + 2 * z * g.yz) + z * z * g.zz;
    sum += g.weight * expf(-0.5f * squared);
  }
  return fmaxf(sum, Least);
}

__global__ void grabcut_terms(const uchar4 *BENCH_MAY_RESTRICT image,
                              int *BENCH_MAY_RESTRICT terms, int pixels) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= pixels)
    return;
  uchar4 pixel = image[i];
  float3 colour = {float(pixel.x), float(pixel.y), float(pixel.z)};
  float foreground = -logf(likelihood(mixtures.foreground, colour));
  float background = -logf(likelihood(mixtures.background, colour));
  terms[i] = __float2int_rn(Scale * (background - foreground));
}

/// Five colours with a spread each, of whose channels two go together.
static void fillMixture(Gaussian *Mixture, uint32_t Seed) {
  for (int I = 0; I < Components; ++I) {
    auto value = [&](int J) { return bench::valueAt(Seed, 8 * I + J); };
    double Red = 900 + 2000 * value(0), Green = 900 + 2000 * value(1),
           Blue = 900 + 2000 * value(2), Shared = 600 * value(3);
    double Determinant = (Red * Green - Shared * Shared) * Blue;
    Gaussian &G = Mixture[I];
    G.weight = static_cast<float>(1e5 * (0.1 + 0.1 * value(4)) /
                                  std::sqrt(Determinant));
    G.red = 255 * value(5);
    G.green = 255 * value(6);
    G.blue = 255 * value(7);
    G.xx = static_cast<float>(Green * Blue / Determinant);
    G.yy = static_cast<float>(Red * Blue / Determinant);
    G.xy = static_cast<float>(-Shared * Blue / Determinant);
    G.zz = static_cast<float>(1 / Blue);
    G.xz = G.yz = 0;
  }
}

static double logLikelihood(const Gaussian *Mixture, uchar4 Pixel) {
  double Sum = 0;
  for (int I = 0; I < Components; ++I) {
    const Gaussian &G = Mixture[I];
    double X = double(Pixel.x) - G.red, Y = double(Pixel.y) - G.green,
           Z = double(Pixel.z) - G.blue;
    double Squared = X * X * G.xx + Y * Y * G.yy + Z * Z * G.zz +
                     2 * (X * Y * G.xy + X * Z * G.xz + Y * Z * G.yz);
    Sum += G.weight * std::exp(-0.5 * Squared);
  }
  return std::log(std::max(Sum, double(Least)));
}

int main() {
  Mixtures Host;
  fillMixture(Host.foreground, 2);
  fillMixture(Host.background, 3);
  CUDA_CHECK(cudaMemcpyToSymbol(mixtures, &Host, sizeof(Host)));
  bench::DeviceArray<uchar4> Image(Pixels);
  bench::DeviceArray<int> Terms(Pixels);
  constexpr int Blocks = (Pixels + BlockSize - 1) / BlockSize;
  bench::fillImage<<<Blocks, BlockSize>>>(Image);
  CUDA_CHECK(cudaGetLastError());

  grabcut_terms<<<Blocks, BlockSize>>>(Image, Terms, Pixels);
  CUDA_CHECK(cudaGetLastError());

  bench::Program Program("grabcut_terms");
  Program.check("terms", Terms, [&](size_t I, int Got) {
    uchar4 Pixel = bench::pixelAt(I);
    double Expected = Scale * (logLikelihood(Host.foreground, Pixel) -
                               logLikelihood(Host.background, Pixel));
    return std::abs(Got - Expected) < 0.6; // half of 1 by rounding
  });
  return Program.verdict();
}
