// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CUDA SDK's Monte Carlo pricing of one Asian option: its pay-off is by the
// mean of the price over time. The first kernel turns normally distributed
// samples into prices along each path, in place, with an exponential for every
// step; the second takes the mean along each path and sums the pay-offs of a
// block. One path per thread and step after step: both are limited by memory.
//
#include "common.h"

constexpr int Paths = bench::bySize(1 << 10, 100000, 132 * 2048);
constexpr int Steps = bench::bySize(24, 87, 256);
constexpr int BlockSize = 128;
constexpr float Spot = 40;
constexpr float Strike = 35;
constexpr float RiskFree = 0.03f;
constexpr float Volatility = 0.20f;
constexpr float Years = 1.0f / 3;
constexpr uint32_t SeedRadius = 1;
constexpr uint32_t SeedAngle = 2;

namespace bench {
__global__ void fillNormal(float *Samples) {
  size_t Count = size_t(Paths) * Steps;
  for (size_t I = size_t(blockIdx.x) * blockDim.x + threadIdx.x; I < Count;
       I += size_t(gridDim.x) * blockDim.x)
    Samples[I] = sqrtf(-2 * logf(1 - valueAt(SeedRadius, I))) *
                 cosf(6.2831853f * valueAt(SeedAngle, I));
}
} // namespace bench

static double normalAt(size_t I) {
  return std::sqrt(-2 * std::log(1 - double(bench::valueAt(SeedRadius, I)))) *
         std::cos(2 * M_PI * bench::valueAt(SeedAngle, I));
}

/// samples[step * paths + path], which become prices.
__global__ void generate_paths(float *BENCH_MAY_RESTRICT samples, int paths,
                               int steps, float spot, float rate,
                               float volatility, float years) {
  int path = blockIdx.x * blockDim.x + threadIdx.x;
  if (path >= paths)
    return;
  float perStep = years / steps;
  float drift = (rate - 0.5f * volatility * volatility) * perStep;
  float diffusion = volatility * sqrtf(perStep);
  float price = spot;
  for (int step = 0; step < steps; ++step) {
    float *place = &samples[step * paths + path];
    price *= expf(drift + diffusion * *place);
    *place = price;
  }
}

/// The pay-offs of a block's paths, summed.
__global__ void price_paths(const float *BENCH_MAY_RESTRICT prices,
                            float *BENCH_MAY_RESTRICT sums, int paths,
                            int steps, float strike) {
  __shared__ float payOffs[BlockSize];
  int path = blockIdx.x * blockDim.x + threadIdx.x;
  float payOff = 0;
  if (path < paths) {
    float sum = 0;
    for (int step = 0; step < steps; ++step)
      sum += prices[step * paths + path];
    payOff = fmaxf(sum / steps - strike, 0.0f);
  }
  payOffs[threadIdx.x] = payOff;
  for (unsigned stride = BlockSize / 2; stride > 0; stride /= 2) {
    __syncthreads();
    if (threadIdx.x < stride)
      payOffs[threadIdx.x] += payOffs[threadIdx.x + stride];
  }
  if (threadIdx.x == 0)
    sums[blockIdx.x] = payOffs[0];
}

static double priceOf(size_t Step, size_t Path) {
  double PerStep = double(Years) / Steps, Sum = 0;
  for (size_t S = 0; S <= Step; ++S)
    Sum += (RiskFree - 0.5 * Volatility * Volatility) * PerStep +
           Volatility * std::sqrt(PerStep) * normalAt(S * Paths + Path);
  return Spot * std::exp(Sum);
}

/// Of a path's prices, which are checked by themselves.
static double payOffOf(const std::vector<float> &Prices, size_t Path) {
  double Sum = 0;
  for (size_t Step = 0; Step < Steps; ++Step)
    Sum += Prices[Step * Paths + Path];
  return std::max(Sum / Steps - Strike, 0.0);
}

int main() {
  constexpr int Blocks = (Paths + BlockSize - 1) / BlockSize;
  bench::DeviceArray<float> Samples(size_t(Paths) * Steps), Sums(Blocks);
  bench::fillNormal<<<bench::bySize(8, 2048, 2048), 256>>>(Samples);
  CUDA_CHECK(cudaGetLastError());

  generate_paths<<<Blocks, BlockSize>>>(Samples, Paths, Steps, Spot, RiskFree,
                                        Volatility, Years);
  CUDA_CHECK(cudaGetLastError());
  price_paths<<<Blocks, BlockSize>>>(Samples, Sums, Paths, Steps, Strike);
  CUDA_CHECK(cudaGetLastError());

  bench::Program Program("asian_option");
  Program.check("prices", Samples, [](size_t I, float Got) {
    return bench::isClose(Got, priceOf(I / Paths, I % Paths));
  });
  std::vector<float> Prices = Samples.toHost();
  Program.check("sums", Sums, [&](size_t Block, float Got) {
    double Expected = 0;
    for (size_t Path = Block * BlockSize;
         Path < std::min<size_t>(Paths, (Block + 1) * BlockSize); ++Path)
      Expected += payOffOf(Prices, Path);
    return bench::isClose(Got, Expected);
  });
  // The mean pay-off is near the option's worth, whatever the samples.
  double Sum = 0;
  for (float S : Sums.toHost())
    Sum += S;
  double Worth = std::exp(-double(RiskFree) * Years) * Sum / Paths;
  Program.check("worth", Worth > 4.7 && Worth < 5.7);
  return Program.verdict();
}
