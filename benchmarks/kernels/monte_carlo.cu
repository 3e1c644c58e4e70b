// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CUDA SDK's MonteCarlo: the expected pay-off of European call options over
// normally distributed samples that all options share. One block per option,
// its threads stride over the samples, and the sums are reduced in shared
// memory. The samples stay in the L2: limited by the exponential of each path,
// for which the SDK takes the special function units by itself; with -DEXACT=1
// that is left to the compiler.
//
#include "common.h"

constexpr int Options = bench::bySize(4, 8192, 4 * 132 * 8);
constexpr int Paths = bench::bySize(1 << 13, 1 << 18, 1 << 18);
constexpr int BlockSize = 256;
constexpr float RiskFree = 0.06f;
constexpr float Volatility = 0.10f;
constexpr uint32_t SeedPrice = 1;
constexpr uint32_t SeedStrike = 2;
constexpr uint32_t SeedYears = 3;
constexpr uint32_t SeedRadius = 4;
constexpr uint32_t SeedAngle = 5;

struct Option {
  float price;
  float strike;
  float mean;      // of the logarithm of the price's growth
  float deviation; // its standard deviation
};

struct Value {
  float expected;
  float confidence;
};

namespace bench {
__global__ void fillNormal(float *Samples) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < Paths)
    Samples[I] = sqrtf(-2 * logf(1 - valueAt(SeedRadius, I))) *
                 cosf(6.2831853f * valueAt(SeedAngle, I));
}
} // namespace bench

#if EXACT
#define EXP(X) expf(X)
#else
#define EXP(X) __expf(X)
#endif

__device__ inline float payOff(const Option &option, float sample) {
  float price = option.price * EXP(option.mean + option.deviation * sample);
  return fmaxf(price - option.strike, 0.0f);
}

__global__ void monte_carlo(Value *BENCH_MAY_RESTRICT values,
                            const Option *BENCH_MAY_RESTRICT options,
                            const float *BENCH_MAY_RESTRICT samples,
                            int paths) {
  __shared__ float sums[BlockSize];
  __shared__ float squareSums[BlockSize];
  Option option = options[blockIdx.x];

  float sum = 0, squareSum = 0;
  for (int i = threadIdx.x; i < paths; i += blockDim.x) {
    float value = payOff(option, samples[i]);
    sum += value;
    squareSum += value * value;
  }
  sums[threadIdx.x] = sum;
  squareSums[threadIdx.x] = squareSum;

  for (unsigned stride = BlockSize / 2; stride > 0; stride /= 2) {
    __syncthreads();
    if (threadIdx.x < stride) {
      sums[threadIdx.x] += sums[threadIdx.x + stride];
      squareSums[threadIdx.x] += squareSums[threadIdx.x + stride];
    }
  }
  if (threadIdx.x == 0)
    values[blockIdx.x] = {sums[0], squareSums[0]};
}

int main() {
  std::vector<Option> Inputs(Options);
  for (size_t I = 0; I < Options; ++I) {
    float Years = 1 + 4 * bench::valueAt(SeedYears, I);
    Inputs[I] = {20 + 80 * bench::valueAt(SeedPrice, I),
                 20 + 80 * bench::valueAt(SeedStrike, I),
                 (RiskFree - 0.5f * Volatility * Volatility) * Years,
                 Volatility * std::sqrt(Years)};
    // Not so far out of the money that only a handful of paths count.
    Inputs[I].strike = std::min(Inputs[I].strike, 1.3f * Inputs[I].price);
  }
  bench::DeviceArray<Option> Portfolio(Inputs);
  bench::DeviceArray<float> Samples(Paths);
  bench::DeviceArray<Value> Values(Options);
  bench::fillNormal<<<(Paths + BlockSize - 1) / BlockSize, BlockSize>>>(
      Samples);
  CUDA_CHECK(cudaGetLastError());

  monte_carlo<<<Options, BlockSize>>>(Values, Portfolio, Samples, Paths);
  CUDA_CHECK(cudaGetLastError());

  bench::Program Program("monte_carlo");
  std::vector<float> Normal = Samples.toHost();
  std::vector<Value> Got = Values.toHost();
  constexpr int Checked = std::min(Options, 32);
  bool Right = true;
  for (int Sample = 0; Sample < Checked; ++Sample) {
    size_t I = size_t(Options - 1) * Sample / (Checked - 1);
    double Sum = 0, SquareSum = 0;
    for (float N : Normal) {
      double Price = Inputs[I].price *
                     std::exp(Inputs[I].mean + Inputs[I].deviation * double(N));
      double Value = std::max(Price - Inputs[I].strike, 0.0);
      Sum += Value;
      SquareSum += Value * Value;
    }
    Right &= bench::isClose(Got[I].expected, Sum, 1e-3) &&
             bench::isClose(Got[I].confidence, SquareSum, 1e-3);
  }
  Program.check("values", Right);
  return Program.verdict();
}
