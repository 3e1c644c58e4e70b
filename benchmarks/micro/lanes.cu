// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The X-model's g(x) of an SM (Li's thesis, section 3.4; Volkov's way): how
// many instructions a cycle x warps issue, each with E chains of instructions
// of which every one needs the one before it in its chain. Where it stops
// rising is M; with one warp and one chain, its inverse is the time from an
// instruction to the next that needs it. benchmarks/micro/loaded.cu has f(k).
//
//   fma     one float each
//   double  one double each: fewer lanes
//   mufu    ex2.approx: the special function units
//
//   lanes [--only=SWEEP]
//
#include "probe.h"

using bench::DeviceArray;
using namespace probe;

namespace {

enum Work { Fma, Double, Mufu };
constexpr const char *WorkNames[] = {"fma", "double", "mufu"};
constexpr int Rounds = 512, Unroll = 8;

/// The next of a chain; volatile, so that it is one instruction.
template <Work W, typename T> __device__ T next(T Value) {
  if constexpr (W == Fma)
    asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(Value));
  else if constexpr (W == Double)
    asm volatile("fma.rn.f64 %0, %0, %0, %0;" : "+d"(Value));
  else
    asm volatile("ex2.approx.f32 %0, %0;" : "+f"(Value));
  return Value;
}

} // namespace

/// Cycles that the slowest warp of the block takes.
template <Work W, int E, typename T>
__global__ void __launch_bounds__(1024) issue(T *Values, uint64_t *Cycles) {
  T Chain[E];
  for (int I = 0; I < E; ++I)
    Chain[I] = Values[I];
  __syncthreads();
  const uint64_t Begin = clock64();
#pragma unroll 1
  for (int Round = 0; Round < Rounds; ++Round)
#pragma unroll
    for (int Step = 0; Step < Unroll; ++Step)
#pragma unroll
      for (int I = 0; I < E; ++I)
        Chain[I] = next<W>(Chain[I]);
  const uint64_t Took = clock64() - Begin;
  for (int I = 0; I < E; ++I)
    Values[threadIdx.x * E + I] = Chain[I];
  atomicMax(reinterpret_cast<unsigned long long *>(Cycles),
            static_cast<unsigned long long>(Took));
}

namespace {

template <Work W, int E, typename T> void measure() {
  DeviceArray<T> Values(1024 * E);
  DeviceArray<uint64_t> Cycles(1);
  for (int Warps : {1, 2, 4, 8, 12, 16, 20, 24, 32}) {
    CUDA_CHECK(cudaMemset(Cycles, 0, 8));
    for (int Warm = 0; Warm < 2; ++Warm) {
      CUDA_CHECK(cudaMemset(Values, 0, 1024 * E * sizeof(T)));
      CUDA_CHECK(cudaMemset(Cycles, 0, 8));
      issue<W, E, T><<<1, Warps * WarpSize>>>(Values, Cycles);
      CUDA_CHECK(cudaDeviceSynchronize());
    }
    const double Took = static_cast<double>(Cycles.toHost()[0]);
    const double Issued = double(Warps) * E * Rounds * Unroll;
    std::printf("lanes,%s,%d,%d,%.0f,%.3f,%.2f\n", WorkNames[W], Warps, E, Took,
                Issued / Took, Took / (double(Rounds) * Unroll));
  }
}

template <Work W, typename T> void measureAll() {
  measure<W, 1, T>();
  measure<W, 2, T>();
  measure<W, 4, T>();
  measure<W, 8, T>();
}

} // namespace

int main(int ArgC, char **ArgV) {
  printDevice();
  std::printf("\nlanes,work,warps,chains,cycles,instructions_per_cycle,"
              "cycles_per_step\n");
  if (wanted(ArgC, ArgV, "fma"))
    measureAll<Fma, float>();
  if (wanted(ArgC, ArgV, "double"))
    measureAll<Double, double>();
  if (wanted(ArgC, ArgV, "mufu"))
    measureAll<Mufu, float>();
}
