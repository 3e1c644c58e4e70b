// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reaction rates of burning hydrogen at the points of a grid, one point per
// thread, as the kernels of SHOC's S3D compute them: the species' Gibbs
// functions (exponentials), the rates forward by Arrhenius' law (the same), and
// the rates backward, which are forward ones over the equilibrium constants
// (three divisions for each of 19 reactions). The fits are made up. Limited by
// divisions and memory. With -DREAL=double in double precision.
//
#include "common.h"

#ifndef REAL
#define REAL float
#endif

constexpr int Points = bench::bySize(1024, 24 * 24 * 24, 16 * 132 * 2048);
constexpr int BlockSize = 128;
constexpr double Small = 1e-30;
constexpr uint32_t SeedTemperature = 1;

enum Species { H2, H, O, O2, OH, H2O, HO2, H2O2, SpeciesCount, None };

/// The logarithm of exp(-g/RT), and of a rate: of 1, log T, T and 1/T.
struct Fit {
  REAL constant, power, linear, inverse;
};

struct Reaction {
  Species from1, from2, to1, to2;
  Fit rate;
};

// A third body, which takes no part, is left out.
static const Reaction Reactions[] = {
    {H, O2, O, OH, {REAL(33.2), REAL(-0.41), 0, REAL(-8353)}},
    {O, H2, H, OH, {REAL(10.8), REAL(2.67), 0, REAL(-3165)}},
    {OH, H2, H, H2O, {REAL(19.2), REAL(1.51), 0, REAL(-1726)}},
    {O, H2O, OH, OH, {REAL(14.9), REAL(2.02), 0, REAL(-6743)}},
    {H2, None, H, H, {REAL(34.1), REAL(-1.4), 0, REAL(-52527)}},
    {O, O, O2, None, {REAL(36.3), REAL(-0.5), 0, 0}},
    {O, H, OH, None, {REAL(37.0), REAL(-1.0), 0, 0}},
    {H, OH, H2O, None, {REAL(40.8), REAL(-2.0), 0, 0}},
    {H, O2, HO2, None, {REAL(28.0), REAL(0.6), 0, 0}},
    {HO2, H, H2, O2, {REAL(30.4), 0, 0, REAL(-414)}},
    {HO2, H, OH, OH, {REAL(31.9), 0, 0, REAL(-148)}},
    {HO2, O, O2, OH, {REAL(31.1), 0, 0, 0}},
    {HO2, OH, H2O, O2, {REAL(31.0), 0, 0, REAL(250)}},
    {HO2, HO2, H2O2, O2, {REAL(33.6), 0, 0, REAL(-6030)}},
    {H2O2, None, OH, OH, {REAL(33.3), 0, 0, REAL(-24370)}},
    {H2O2, H, H2O, OH, {REAL(30.8), 0, 0, REAL(-1998)}},
    {H2O2, H, HO2, H2, {REAL(31.5), 0, 0, REAL(-4000)}},
    {H2O2, O, OH, HO2, {REAL(16.1), REAL(2.0), 0, REAL(-1998)}},
    {H2O2, OH, HO2, H2O, {REAL(27.6), 0, 0, REAL(-160)}},
};
constexpr int ReactionCount = sizeof(Reactions) / sizeof(Reaction);

static const Fit Gibbs[SpeciesCount] = {
    {REAL(-4.1), REAL(3.3), REAL(2.4e-4), REAL(960)},
    {REAL(-2.9), REAL(2.5), 0, REAL(-25470)},
    {REAL(2.4), REAL(2.6), REAL(-4e-5), REAL(-29230)},
    {REAL(2.3), REAL(3.5), REAL(3.1e-4), REAL(1210)},
    {REAL(1.1), REAL(2.9), REAL(5.2e-4), REAL(-3680)},
    {REAL(4.1), REAL(2.7), REAL(1.5e-3), REAL(29890)},
    {REAL(-0.5), REAL(4.0), REAL(1.1e-3), REAL(-110)},
    {REAL(-3.7), REAL(4.6), REAL(2.2e-3), REAL(18010)},
};

__constant__ Fit gibbsFits[SpeciesCount];
__constant__ Fit rateFits[ReactionCount];

namespace bench {
/// In kelvins.
__host__ __device__ inline REAL temperatureAt(size_t Point) {
  return 1000 + 1500 * REAL(valueAt(SeedTemperature, Point));
}

__global__ void fillTemperatures(REAL *Temperatures) {
  int Point = blockIdx.x * blockDim.x + threadIdx.x;
  if (Point < Points)
    Temperatures[Point] = temperatureAt(Point);
}
} // namespace bench

__device__ inline REAL evaluate(const Fit &fit, REAL t, REAL logT, REAL perT) {
  return exp(fit.constant + fit.power * logT + fit.linear * t +
             fit.inverse * perT);
}

__global__ void gibbs_functions(const REAL *BENCH_MAY_RESTRICT temperatures,
                                REAL *BENCH_MAY_RESTRICT gibbs, int points) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= points)
    return;
  REAL t = temperatures[i], logT = log(t), perT = 1 / t;
  for (int species = 0; species < SpeciesCount; ++species)
    gibbs[species * points + i] = evaluate(gibbsFits[species], t, logT, perT);
}

__global__ void forward_rates(const REAL *BENCH_MAY_RESTRICT temperatures,
                              REAL *BENCH_MAY_RESTRICT forward, int points) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= points)
    return;
  REAL t = temperatures[i], logT = log(t), perT = 1 / t;
  for (int reaction = 0; reaction < ReactionCount; ++reaction)
    forward[reaction * points + i] =
        evaluate(rateFits[reaction], t, logT, perT);
}

__global__ void backward_rates(const REAL *BENCH_MAY_RESTRICT gibbs,
                               const REAL *BENCH_MAY_RESTRICT forward,
                               REAL *BENCH_MAY_RESTRICT backward, int points) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= points)
    return;
  const REAL h2 = gibbs[H2 * points + i], h = gibbs[H * points + i],
             o = gibbs[O * points + i], o2 = gibbs[O2 * points + i],
             oh = gibbs[OH * points + i], h2o = gibbs[H2O * points + i],
             ho2 = gibbs[HO2 * points + i], h2o2 = gibbs[H2O2 * points + i];
  auto write = [=](int reaction, REAL equilibrium) {
    backward[reaction * points + i] =
        forward[reaction * points + i] / fmax(equilibrium, REAL(Small));
  };
  write(0, (o / h) * (oh / o2));
  write(1, (h / o) * (oh / h2));
  write(2, (h / oh) * (h2o / h2));
  write(3, (oh / o) * (oh / h2o));
  write(4, (h / h2) * h);
  write(5, (o2 / o) / o);
  write(6, (oh / o) / h);
  write(7, (h2o / h) / oh);
  write(8, (ho2 / h) / o2);
  write(9, (h2 / ho2) * (o2 / h));
  write(10, (oh / ho2) * (oh / h));
  write(11, (o2 / ho2) * (oh / o));
  write(12, (h2o / ho2) * (o2 / oh));
  write(13, (h2o2 / ho2) * (o2 / ho2));
  write(14, (oh / h2o2) * oh);
  write(15, (h2o / h2o2) * (oh / h));
  write(16, (ho2 / h2o2) * (h2 / h));
  write(17, (oh / h2o2) * (ho2 / o));
  write(18, (ho2 / h2o2) * (h2o / oh));
}

/// The exponent of a fit at a point.
static double exponentOf(const Fit &F, size_t Point) {
  double T = bench::temperatureAt(Point);
  return F.constant + F.power * std::log(T) + F.linear * T + F.inverse / T;
}

static double gibbsOf(Species S, size_t Point) {
  return S == None ? 0 : exponentOf(Gibbs[S], Point);
}

int main() {
  Fit Rates[ReactionCount];
  for (int I = 0; I < ReactionCount; ++I)
    Rates[I] = Reactions[I].rate;
  CUDA_CHECK(cudaMemcpyToSymbol(gibbsFits, Gibbs, sizeof(Gibbs)));
  CUDA_CHECK(cudaMemcpyToSymbol(rateFits, Rates, sizeof(Rates)));

  constexpr int Blocks = (Points + BlockSize - 1) / BlockSize;
  bench::DeviceArray<REAL> Temperatures(Points);
  bench::DeviceArray<REAL> Functions(size_t(SpeciesCount) * Points);
  bench::DeviceArray<REAL> Forward(size_t(ReactionCount) * Points);
  bench::DeviceArray<REAL> Backward(size_t(ReactionCount) * Points);
  bench::fillTemperatures<<<Blocks, BlockSize>>>(Temperatures);
  CUDA_CHECK(cudaGetLastError());

  gibbs_functions<<<Blocks, BlockSize>>>(Temperatures, Functions, Points);
  CUDA_CHECK(cudaGetLastError());
  forward_rates<<<Blocks, BlockSize>>>(Temperatures, Forward, Points);
  CUDA_CHECK(cudaGetLastError());
  backward_rates<<<Blocks, BlockSize>>>(Functions, Forward, Backward, Points);
  CUDA_CHECK(cudaGetLastError());

  // Exponents are up to 60, and so is the factor of their relative error.
  constexpr double Tolerance = sizeof(REAL) == sizeof(float) ? 2e-4 : 1e-11;
  bench::Program Program("combustion_rates");
  Program.check("gibbs", Functions, [](size_t I, REAL Got) {
    double Exponent = gibbsOf(Species(I / Points), I % Points);
    return bench::isClose(Got, std::exp(Exponent), Tolerance);
  });
  Program.check("forward", Forward, [&](size_t I, REAL Got) {
    double Exponent = exponentOf(Rates[I / Points], I % Points);
    return bench::isClose(Got, std::exp(Exponent), Tolerance);
  });
  Program.check("backward", Backward, [&](size_t I, REAL Got) {
    const Reaction &R = Reactions[I / Points];
    size_t Point = I % Points;
    double Equilibrium =
        std::exp(gibbsOf(R.to1, Point) + gibbsOf(R.to2, Point) -
                 gibbsOf(R.from1, Point) - gibbsOf(R.from2, Point));
    double Expected =
        std::exp(exponentOf(R.rate, Point)) / std::max(Equilibrium, Small);
    return bench::isClose(Got, Expected, Tolerance);
  });
  return Program.verdict();
}
