// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What each function that the special function units have costs, and how far
// off it is: Tables 6.4 and 6.5 of the thesis behind docs/passes/sfu.md.
//
//   latency     cycles from one call to the next, each of which needs the last
//               one's result, of one warp; without the fma in between
//   throughput  calls of lanes that an SM ends in a cycle, with 1,024 threads
//               of four independent calls each
//   error       over a million arguments, against the C library in double
//               precision (single) or long double (double): the largest and
//               the mean relative error, and the largest absolute one
//
//   functions [--only=NAME]
//
// It measures the functions as it is compiled: with clang the exact ones, with
// --sluice-sfu=32 the approximate ones.
//
#include "probe.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

using bench::DeviceArray;
using namespace probe;

namespace {

constexpr int Calls = 256, Threads = 1024, Chains = 4;
constexpr size_t Arguments = bench::bySize(1 << 8, 1 << 14, 1 << 20);

/// A function of NAME for arguments of TYPE from LOW to HIGH; EXACT has more
/// bits, in x as a WIDE.
#define FUNCTION(STRUCT, NAME, TYPE, WIDE, LOW, HIGH, VALUE, EXACT)            \
  struct STRUCT {                                                              \
    using Type = TYPE;                                                         \
    using Wide = WIDE;                                                         \
    static constexpr const char *Name = NAME;                                  \
    static constexpr double Low = LOW, High = HIGH;                            \
    static __device__ TYPE of(TYPE x, TYPE y) { return VALUE; }                \
    static WIDE exactly(WIDE x, WIDE y) { return EXACT; }                      \
  };
#define SINGLE(STRUCT, NAME, LOW, HIGH, VALUE, EXACT)                          \
  FUNCTION(STRUCT, NAME, float, double, LOW, HIGH, VALUE, EXACT)
#define DOUBLE(STRUCT, NAME, LOW, HIGH, VALUE, EXACT)                          \
  FUNCTION(STRUCT, NAME, double, long double, LOW, HIGH, VALUE, EXACT)

SINGLE(Nothing, "nothing", 1, 2, x, x)
SINGLE(Divide, "x/y", 0.5, 100, x / y, x / y)
SINGLE(Reciprocal, "1/x", 0.5, 100, 1 / x, 1 / x)
SINGLE(Root, "sqrt", 0.01, 100, sqrtf(x), std::sqrt(x))
SINGLE(OverRoot, "1/sqrt", 0.01, 100, 1 / sqrtf(x), 1 / std::sqrt(x))
SINGLE(ReciprocalRoot, "rsqrt", 0.01, 100, rsqrtf(x), 1 / std::sqrt(x))
SINGLE(Power, "pow", 0.1, 10, powf(x, y), std::pow(x, y))
SINGLE(Exp, "exp", -10, 10, expf(x), std::exp(x))
SINGLE(Exp2, "exp2", -10, 10, exp2f(x), std::exp2(x))
SINGLE(Exp10, "exp10", -10, 10, exp10f(x), std::pow(10.0, x))
SINGLE(Log, "log", 0.01, 100, logf(x), std::log(x))
SINGLE(Log2, "log2", 0.01, 100, log2f(x), std::log2(x))
SINGLE(Log10, "log10", 0.01, 100, log10f(x), std::log10(x))
SINGLE(Sin, "sin", -3.14159, 3.14159, sinf(x), std::sin(x))
SINGLE(Cos, "cos", -3.14159, 3.14159, cosf(x), std::cos(x))
SINGLE(SinWide, "sin to 100 pi", -314.159, 314.159, sinf(x), std::sin(x))
SINGLE(SinHuge, "sin to 1e5", -1e5, 1e5, sinf(x), std::sin(x))
SINGLE(Tan, "tan", -1.5, 1.5, tanf(x), std::tan(x))
SINGLE(Tanh, "tanh", -5, 5, tanhf(x), std::tanh(x))
DOUBLE(NothingDouble, "double nothing", 1, 2, x, x)
DOUBLE(DivideDouble, "double x/y", 0.5, 100, x / y, x / y)
DOUBLE(ReciprocalDouble, "double 1/x", 0.5, 100, 1 / x, 1 / x)
DOUBLE(RootDouble, "double sqrt", 0.01, 100, sqrt(x), std::sqrt(x))
DOUBLE(OverRootDouble, "double 1/sqrt", 0.01, 100, 1 / sqrt(x),
       1 / std::sqrt(x))
DOUBLE(ReciprocalRootDouble, "double rsqrt", 0.01, 100, rsqrt(x),
       1 / std::sqrt(x))

/// Cycles of Calls calls; X * 0 + From hides from the compiler that each call
/// has the same argument.
template <class F>
__global__ void chain(typename F::Type From, typename F::Type Zero,
                      typename F::Type *Last, uint32_t *Cycles) {
  typename F::Type X = From;
  const uint32_t Begin = clock32();
#pragma unroll 8
  for (int I = 0; I < Calls; ++I)
    X = F::of(X, From) * Zero + From;
  // X is needed before the clock is read.
  Last[threadIdx.x] = X;
  __threadfence_block();
  *Cycles = clock32() - Begin;
}

template <class F>
__global__ void __launch_bounds__(Threads)
    together(typename F::Type From, typename F::Type Zero,
             typename F::Type *Last, uint32_t *Cycles) {
  typename F::Type X[Chains];
  for (int C = 0; C < Chains; ++C)
    X[C] = From + Zero * C;
  __syncthreads();
  const uint32_t Begin = clock32();
#pragma unroll 2
  for (int I = 0; I < Calls; ++I)
#pragma unroll
    for (int C = 0; C < Chains; ++C)
      X[C] = F::of(X[C], From) * Zero + X[C];
  typename F::Type Sum = 0;
  for (int C = 0; C < Chains; ++C)
    Sum += X[C];
  Last[blockIdx.x * Threads + threadIdx.x] = Sum;
  __syncthreads();
  if (threadIdx.x == 0)
    Cycles[blockIdx.x] = clock32() - Begin;
}

template <class F>
__global__ void values(const typename F::Type *X, const typename F::Type *Y,
                       typename F::Type *Result) {
  const size_t I = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (I < Arguments)
    Result[I] = F::of(X[I], Y[I]);
}

template <class F> std::vector<typename F::Type> arguments(uint32_t Seed) {
  std::vector<typename F::Type> Result(Arguments);
  for (size_t I = 0; I < Arguments; ++I)
    Result[I] = F::Low + (F::High - F::Low) * bench::valueAt(Seed, I);
  return Result;
}

template <class F> double cyclesOfChain() {
  using T = typename F::Type;
  DeviceArray<T> Last(WarpSize);
  DeviceArray<uint32_t> Cycles(1);
  uint32_t Best = ~0u;
  for (int Run = 0; Run < 5; ++Run) {
    chain<F><<<1, WarpSize>>>(T(1.25), T(0), Last, Cycles);
    CUDA_CHECK(cudaGetLastError());
    Best = std::min(Best, Cycles.toHost()[0]);
  }
  return double(Best) / Calls;
}

template <class F> double callsPerCycle() {
  using T = typename F::Type;
  constexpr int Blocks = bench::bySize(1, 2, 132);
  DeviceArray<T> Last(size_t(Blocks) * Threads);
  DeviceArray<uint32_t> Cycles(Blocks);
  uint32_t Best = ~0u;
  for (int Run = 0; Run < 5; ++Run) {
    together<F><<<Blocks, Threads>>>(T(1.25), T(0), Last, Cycles);
    CUDA_CHECK(cudaGetLastError());
    Best = std::min(Best, Cycles.toHost()[0]);
  }
  return double(Threads) * Chains * Calls / Best;
}

template <class F> void measure(const char *Only, double OfNothing) {
  if (Only && std::strcmp(Only, F::Name))
    return;
  using T = typename F::Type;
  const std::vector<T> X = arguments<F>(1), Y = arguments<F>(2);
  DeviceArray<T> DeviceX(X), DeviceY(Y), Result(Arguments);
  values<F><<<(Arguments + 255) / 256, 256>>>(DeviceX, DeviceY, Result);
  CUDA_CHECK(cudaGetLastError());
  const std::vector<T> Got = Result.toHost();
  double Largest = 0, Sum = 0, Absolute = 0;
  for (size_t I = 0; I < Arguments; ++I) {
    const typename F::Wide Want = F::exactly(X[I], Y[I]);
    const double Off = std::fabs(double(Got[I] - Want));
    const double Relative = Want == 0 ? 0 : Off / std::fabs(double(Want));
    Largest = std::max(Largest, Relative);
    Absolute = std::max(Absolute, Off);
    Sum += Relative;
  }
  std::printf("%s,%.1f,%.2f,%.3g,%.3g,%.3g\n", F::Name,
              cyclesOfChain<F>() - OfNothing, callsPerCycle<F>(), Largest,
              Sum / Arguments, Absolute);
}

template <class... Fs> void measureAll(const char *Only) {
  const double Single = cyclesOfChain<Nothing>(),
               Double = cyclesOfChain<NothingDouble>();
  (measure<Fs>(Only, sizeof(typename Fs::Type) == 4 ? Single : Double), ...);
}

} // namespace

int main(int ArgumentCount, char **Words) {
  const char *Only = nullptr;
  for (int I = 1; I < ArgumentCount; ++I)
    if (!std::strncmp(Words[I], "--only=", 7))
      Only = Words[I] + 7;
  std::printf("function,latency,throughput,largest_relative,mean_relative,"
              "largest_absolute\n");
  measureAll<Nothing, Divide, Reciprocal, Root, OverRoot, ReciprocalRoot, Power,
             Exp, Exp2, Exp10, Log, Log2, Log10, Sin, Cos, SinWide, SinHuge,
             Tan, Tanh, NothingDouble, DivideDouble, ReciprocalDouble,
             RootDouble, OverRootDouble, ReciprocalRootDouble>(Only);
  return 0;
}
