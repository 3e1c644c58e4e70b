// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CUDA SDK's BlackScholes: call and put prices of European options in
// closed form, one option per thread, arrays of structures taken apart. A
// logarithm, three exponentials, a root and several divisions for 20 bytes:
// between the special function units and the memory. The SDK takes the units
// by itself; with -DEXACT=1 that is left to the compiler.
//
#include "common.h"

constexpr int Options = bench::bySize(1 << 14, 4000000, 32 << 20);
constexpr int Iterations = bench::bySize(2, 16, 4);
constexpr int BlockSize = 128;
constexpr float RiskFree = 0.02f;
constexpr float Volatility = 0.30f;
constexpr uint32_t SeedPrice = 1;
constexpr uint32_t SeedStrike = 2;
constexpr uint32_t SeedYears = 3;

namespace bench {
__host__ __device__ inline float priceAt(size_t Option) {
  return 5 + 25 * valueAt(SeedPrice, Option);
}
__host__ __device__ inline float strikeAt(size_t Option) {
  return 1 + 99 * valueAt(SeedStrike, Option);
}
__host__ __device__ inline float yearsAt(size_t Option) {
  return 0.25f + 9.75f * valueAt(SeedYears, Option);
}

__global__ void fillOptions(float *Price, float *Strike, float *Years) {
  int Step = gridDim.x * blockDim.x;
  for (int I = blockIdx.x * blockDim.x + threadIdx.x; I < Options; I += Step) {
    Price[I] = priceAt(I);
    Strike[I] = strikeAt(I);
    Years[I] = yearsAt(I);
  }
}
} // namespace bench

#if EXACT
#define EXP(X) expf(X)
#define LOG(X) logf(X)
#define DIVIDE(X, Y) ((X) / (Y))
#else
#define EXP(X) __expf(X)
#define LOG(X) __logf(X)
#define DIVIDE(X, Y) __fdividef(X, Y)
#endif

/// The standard normal distribution, by the polynomial of Abramowitz and
/// Stegun, 26.2.17.
__device__ inline float cumulativeNormal(float d) {
  float t = DIVIDE(1.0f, 1.0f + 0.2316419f * fabsf(d));
  float polynomial =
      t * (0.319381530f +
           t * (-0.356563782f +
                t * (1.781477937f + t * (-1.821255978f + t * 1.330274429f))));
  float tail = 0.39894228040143267794f * EXP(-0.5f * d * d) * polynomial;
  return d > 0 ? 1 - tail : tail;
}

__global__ void black_scholes(float *BENCH_RESTRICT call,
                              float *BENCH_RESTRICT put,
                              const float *BENCH_RESTRICT price,
                              const float *BENCH_RESTRICT strike,
                              const float *BENCH_RESTRICT years, float riskFree,
                              float volatility, int options) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < options) {
    float s = price[i], x = strike[i], t = years[i];
    float rootT = sqrtf(t);
    float d1 = DIVIDE(LOG(DIVIDE(s, x)) +
                          (riskFree + 0.5f * volatility * volatility) * t,
                      volatility * rootT);
    float d2 = d1 - volatility * rootT;
    float normal1 = cumulativeNormal(d1);
    float normal2 = cumulativeNormal(d2);
    float discounted = x * EXP(-riskFree * t);
    call[i] = s * normal1 - discounted * normal2;
    put[i] = discounted * (1 - normal2) - s * (1 - normal1);
  }
}

struct Prices {
  double Call, Put;
};

static Prices pricesOf(size_t Option) {
  double S = bench::priceAt(Option), X = bench::strikeAt(Option);
  double T = bench::yearsAt(Option);
  auto Normal = [](double D) { return 0.5 * std::erfc(-D / std::sqrt(2.0)); };
  double D1 = (std::log(S / X) +
               (RiskFree + 0.5 * double(Volatility) * Volatility) * T) /
              (Volatility * std::sqrt(T));
  double D2 = D1 - Volatility * std::sqrt(T);
  double Discounted = X * std::exp(-RiskFree * T);
  return {S * Normal(D1) - Discounted * Normal(D2),
          Discounted * Normal(-D2) - S * Normal(-D1)};
}

int main() {
  bench::DeviceArray<float> Price(Options), Strike(Options), Years(Options);
  bench::DeviceArray<float> Call(Options), Put(Options);
  bench::fillOptions<<<2048, 256>>>(Price, Strike, Years);
  CUDA_CHECK(cudaGetLastError());

  for (int Iteration = 0; Iteration < Iterations; ++Iteration)
    black_scholes<<<(Options + BlockSize - 1) / BlockSize, BlockSize>>>(
        Call, Put, Price, Strike, Years, RiskFree, Volatility, Options);
  CUDA_CHECK(cudaGetLastError());

  bench::Program Program("black_scholes");
  // Far out of the money a price is the difference of almost equal numbers.
  auto IsClose = [](double Got, double Expected) {
    return std::abs(Got - Expected) < 1e-4 + 1e-4 * Expected;
  };
  Program.check("call", Call, [&](size_t I, float Got) {
    return IsClose(Got, pricesOf(I).Call);
  });
  Program.check("put", Put, [&](size_t I, float Got) {
    return IsClose(Got, pricesOf(I).Put);
  });
  return Program.verdict();
}
