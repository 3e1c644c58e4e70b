// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the micro-benchmarks of the memory system share: loads with every cache
// hint, a load whose cycles are counted, and launches with a carveout.
//
// All inline assembly here is volatile, which binds clang and nvcc. ptxas moves
// loads nevertheless, and joins two of one address, but neither over a waitFor
// nor if it cannot see that the addresses are the same.
//
#ifndef SLUICE_BENCHMARKS_MICRO_PROBE_H
#define SLUICE_BENCHMARKS_MICRO_PROBE_H

#include "../kernels/common.h"

namespace probe {

constexpr int LineBytes = 128;
constexpr int WordsPerLine = LineBytes / 4;
constexpr int SectorBytes = 32;
constexpr int WarpSize = 32;

enum class Hint {
  Plain,
  CA,
  CG,
  CS,
  LU,
  CV,
  NC,
  EvictNormal,
  EvictFirst,
  EvictLast,
  EvictUnchanged,
  NoAllocate,
  NCEvictFirst,
  NCEvictLast,
  NCNoAllocate,
};

constexpr Hint AllHints[] = {Hint::Plain,
                             Hint::CA,
                             Hint::CG,
                             Hint::CS,
                             Hint::LU,
                             Hint::CV,
                             Hint::NC,
                             Hint::EvictNormal,
                             Hint::EvictFirst,
                             Hint::EvictLast,
                             Hint::EvictUnchanged,
                             Hint::NoAllocate,
                             Hint::NCEvictFirst,
                             Hint::NCEvictLast,
                             Hint::NCNoAllocate};

inline const char *nameOf(Hint H) {
  static const char *Names[] = {"plain",
                                "ca",
                                "cg",
                                "cs",
                                "lu",
                                "cv",
                                "nc",
                                "evict_normal",
                                "evict_first",
                                "evict_last",
                                "evict_unchanged",
                                "no_allocate",
                                "nc.evict_first",
                                "nc.evict_last",
                                "nc.no_allocate"};
  return Names[static_cast<int>(H)];
}

#define PROBE_LOAD(Opcode)                                                     \
  asm volatile(Opcode ".u32 %0, [%1];" : "=r"(Value) : "l"(P) : "memory")

template <Hint H> __device__ uint32_t load(const void *P) {
  uint32_t Value;
  if constexpr (H == Hint::Plain)
    PROBE_LOAD("ld.global");
  else if constexpr (H == Hint::CA)
    PROBE_LOAD("ld.global.ca");
  else if constexpr (H == Hint::CG)
    PROBE_LOAD("ld.global.cg");
  else if constexpr (H == Hint::CS)
    PROBE_LOAD("ld.global.cs");
  else if constexpr (H == Hint::LU)
    PROBE_LOAD("ld.global.lu");
  else if constexpr (H == Hint::CV)
    PROBE_LOAD("ld.global.cv");
  else if constexpr (H == Hint::NC)
    PROBE_LOAD("ld.global.nc");
  else if constexpr (H == Hint::EvictNormal)
    PROBE_LOAD("ld.global.L1::evict_normal");
  else if constexpr (H == Hint::EvictFirst)
    PROBE_LOAD("ld.global.L1::evict_first");
  else if constexpr (H == Hint::EvictLast)
    PROBE_LOAD("ld.global.L1::evict_last");
  else if constexpr (H == Hint::EvictUnchanged)
    PROBE_LOAD("ld.global.L1::evict_unchanged");
  else if constexpr (H == Hint::NoAllocate)
    PROBE_LOAD("ld.global.L1::no_allocate");
  else if constexpr (H == Hint::NCEvictFirst)
    PROBE_LOAD("ld.global.nc.L1::evict_first");
  else if constexpr (H == Hint::NCEvictLast)
    PROBE_LOAD("ld.global.nc.L1::evict_last");
  else
    PROBE_LOAD("ld.global.nc.L1::no_allocate");
  return Value;
}

#undef PROBE_LOAD

__device__ inline uint32_t clock32() {
  uint32_t Now;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(Now)::"memory");
  return Now;
}

/// Waits until Value is there. No buffer here holds the number that traps.
__device__ inline void waitFor(uint32_t Value) {
  asm volatile(
      "{ .reg .pred P; setp.eq.u32 P, %0, 0x7ffffffd; @P trap; }" ::"r"(Value)
      : "memory");
}

/// The cycles from the issue of a load to the first instruction after the one
/// that needed its value.
template <Hint H> __device__ uint32_t timedLoad(const void *P) {
  waitFor(static_cast<uint32_t>(reinterpret_cast<uint64_t>(P)));
  uint32_t Start = clock32();
  waitFor(load<H>(P));
  return clock32() - Start;
}

/// With the overhead of timedLoad, an L1 hit of one request takes some 50
/// cycles and the fastest L2 hit over 200.
constexpr uint32_t HitBelow = 120;

__device__ inline uint32_t smId() {
  uint32_t Id;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(Id));
  return Id;
}

/// Writes past the L1, so that it disturbs none of what is measured.
__device__ inline void report(uint32_t *Where, uint32_t Value) {
  asm volatile("red.global.add.u32 [%0], %1;" ::"l"(Where), "r"(Value)
               : "memory");
}

/// Lets everything that is under way arrive.
__device__ inline void settle() {
  __syncthreads();
  __nanosleep(20000);
  __syncthreads();
}

template <typename KernelT> void setCarveout(KernelT Kernel, int Percent) {
  CUDA_CHECK(cudaFuncSetAttribute(
      reinterpret_cast<const void *>(Kernel),
      cudaFuncAttributePreferredSharedMemoryCarveout, Percent));
}

inline void finish() {
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());
}

/// The milliseconds of one launch: the median of Reps after a warm-up, or of
/// the warm-up alone if Reps is 0.
template <typename LaunchT> float milliseconds(int Reps, LaunchT Launch) {
  cudaEvent_t Start, Stop;
  CUDA_CHECK(cudaEventCreate(&Start));
  CUDA_CHECK(cudaEventCreate(&Stop));
  std::vector<float> Times;
  for (int I = 0; I <= Reps; ++I) {
    CUDA_CHECK(cudaEventRecord(Start));
    Launch();
    CUDA_CHECK(cudaEventRecord(Stop));
    finish();
    float Time;
    CUDA_CHECK(cudaEventElapsedTime(&Time, Start, Stop));
    if (I || Reps == 0)
      Times.push_back(Time);
  }
  std::sort(Times.begin(), Times.end());
  return Times[Times.size() / 2];
}

/// Prints what the numbers are of; returns how many SMs there are.
inline int printDevice() {
  cudaDeviceProp Device;
  CUDA_CHECK(cudaGetDeviceProperties(&Device, 0));
  std::printf("# %s, %d SMs\n", Device.name, Device.multiProcessorCount);
  return Device.multiProcessorCount;
}

/// Whether the user wants this sweep: `--only=SWEEP`, or all of them.
inline bool wanted(int ArgC, char **ArgV, const char *Sweep) {
  const char *Only = bench::option(ArgC, ArgV, "only", "");
  return !*Only || std::strcmp(Only, Sweep) == 0;
}

/// Of the values' bits, FNV-1a, each value one word.
template <typename WordT, typename T>
uint64_t hashOf(const std::vector<T> &Values) {
  static_assert(sizeof(WordT) == sizeof(T), "one word each");
  uint64_t Hash = 0;
  for (T V : Values) {
    WordT Bits;
    std::memcpy(&Bits, &V, sizeof Bits);
    Hash = (Hash ^ Bits) * 0x100000001b3;
  }
  return Hash;
}

} // namespace probe

#endif // SLUICE_BENCHMARKS_MICRO_PROBE_H
