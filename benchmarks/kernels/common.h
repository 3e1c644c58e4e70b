// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the benchmark programs share: sizes, checked CUDA calls, inputs that the
// CPU can recompute element by element, and the verdict.
//
// A program runs its kernels once, as its users do, and checks what they wrote.
// It takes no times: benchmarks/run does, from outside, so that every variant
// of a kernel is timed in the same way. docs/internals/benchmarks.md says how
// to add a program.
//
// Large inputs are filled on the device from a hash of (seed, index). The CPU
// evaluates the same hash for the few outputs it checks, so gigabytes of input
// never cross the bus.
//
#ifndef SLUICE_BENCHMARKS_KERNELS_COMMON_H
#define SLUICE_BENCHMARKS_KERNELS_COMMON_H

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <vector>

/// Goes after the `*` of a kernel's pointer parameters. -DBENCH_NO_RESTRICT and
/// -DBENCH_ALL_RESTRICT decide for all; else BENCH_RESTRICT stands where the
/// papers' code has `__restrict__`, and BENCH_MAY_RESTRICT where it has nothing
/// but the pointers do not alias.
#ifdef BENCH_NO_RESTRICT
#define BENCH_RESTRICT
#else
#define BENCH_RESTRICT __restrict__
#endif
#ifdef BENCH_ALL_RESTRICT
#define BENCH_MAY_RESTRICT __restrict__
#else
#define BENCH_MAY_RESTRICT
#endif

#define CUDA_CHECK(Call) bench::checkCuda((Call), #Call, __FILE__, __LINE__)

namespace bench {

/// The size a program is built for: -DBENCH_SMALL for the emulator (a fraction
/// of a second there), -DBENCH_PAPER as the papers ran it, else one that fills
/// a large GPU (132 SMs of 2,048 threads) and is more than its L2 holds.
template <typename T>
constexpr T bySize([[maybe_unused]] T Small, [[maybe_unused]] T Paper,
                   [[maybe_unused]] T Full) {
#if defined(BENCH_SMALL)
  return Small;
#elif defined(BENCH_PAPER)
  return Paper;
#else
  return Full;
#endif
}

inline void checkCuda(cudaError_t Status, const char *Call, const char *File,
                      int Line) {
  if (Status == cudaSuccess)
    return;
  std::fprintf(stderr, "%s:%d: %s: %s\n", File, Line, Call,
               cudaGetErrorString(Status));
  std::exit(2);
}

/// 32 hashed bits for element Index of the input Seed.
__host__ __device__ inline uint32_t bitsAt(uint32_t Seed, size_t Index) {
  uint32_t Bits = static_cast<uint32_t>(Index) * 0x9e3779b9u + Seed;
  Bits = (Bits ^ (Bits >> 16)) * 0x85ebca6bu;
  Bits = (Bits ^ (Bits >> 13)) * 0xc2b2ae35u;
  return Bits ^ (Bits >> 16);
}

/// Element Index of the input Seed: 24 hashed bits as a float in [0, 1). All
/// inputs are positive, so that no sum cancels and a relative tolerance means
/// something.
__host__ __device__ inline float valueAt(uint32_t Seed, size_t Index) {
  return static_cast<float>(bitsAt(Seed, Index) >> 8) * 0x1p-24f;
}

// Not one of the program's kernels: benchmarks/run leaves namespace bench
// alone.
template <typename T>
__global__ void fillKernel(T *Data, size_t Count, uint32_t Seed) {
  size_t Step = static_cast<size_t>(gridDim.x) * blockDim.x;
  for (size_t I = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
       I < Count; I += Step)
    Data[I] = static_cast<T>(valueAt(Seed, I));
}

/// Device memory that frees itself.
template <typename T> class DeviceArray {
public:
  explicit DeviceArray(size_t Count) : Count(Count) {
    CUDA_CHECK(cudaMalloc(&Data, Count * sizeof(T)));
    clear();
  }
  DeviceArray(size_t Count, uint32_t Seed) : DeviceArray(Count) { fill(Seed); }
  explicit DeviceArray(const std::vector<T> &Host) : DeviceArray(Host.size()) {
    fromHost(Host);
  }
  DeviceArray(const DeviceArray &) = delete;
  DeviceArray &operator=(const DeviceArray &) = delete;
  ~DeviceArray() { cudaFree(Data); }

  operator T *() const { return Data; }
  size_t size() const { return Count; }

  void clear() { CUDA_CHECK(cudaMemset(Data, 0, Count * sizeof(T))); }
  void fill(uint32_t Seed) {
    size_t Blocks = std::min<size_t>(2048, (Count + 255) / 256);
    fillKernel<<<static_cast<unsigned>(Blocks), 256>>>(Data, Count, Seed);
    CUDA_CHECK(cudaGetLastError());
  }
  void fromHost(const std::vector<T> &Host) {
    CUDA_CHECK(cudaMemcpy(Data, Host.data(), Count * sizeof(T),
                          cudaMemcpyHostToDevice));
  }
  std::vector<T> toHost() const {
    std::vector<T> Host(Count);
    CUDA_CHECK(cudaMemcpy(Host.data(), Data, Count * sizeof(T),
                          cudaMemcpyDeviceToHost));
    return Host;
  }

private:
  T *Data = nullptr;
  size_t Count;
};

/// The value of `--Name=VALUE` on the command line, or Default.
inline const char *option(int ArgC, char **ArgV, const char *Name,
                          const char *Default) {
  size_t Length = std::strlen(Name);
  for (int I = 1; I < ArgC; ++I)
    if (std::strncmp(ArgV[I], "--", 2) == 0 &&
        std::strncmp(ArgV[I] + 2, Name, Length) == 0 &&
        ArgV[I][2 + Length] == '=')
      return ArgV[I] + 3 + Length;
  return Default;
}

/// The number after `--Name=`, or Default.
inline int numberOption(int ArgC, char **ArgV, const char *Name, int Default) {
  const char *Text = option(ArgC, ArgV, Name, nullptr);
  return Text ? std::atoi(Text) : Default;
}

/// Whether Got, computed in single precision, stands for Expected.
inline bool isClose(double Got, double Expected, double Tolerance = 1e-4) {
  return std::abs(Got - Expected) <= Tolerance * std::abs(Expected);
}

/// Collects the verdicts on what a program's kernels wrote.
class Program {
public:
  explicit Program(const char *Name) : Name(Name) {
    CUDA_CHECK(cudaSetDevice(0));
  }

  /// IsRight(Index, Value) is asked about the first, the last and some other
  /// elements of Output.
  template <typename T, typename IsRightT>
  void check(const char *What, const DeviceArray<T> &Output, IsRightT IsRight) {
    std::vector<T> Values = Output.toHost();
    constexpr size_t Samples = 64;
    bool Right = IsRight(Values.size() - 1, Values.back());
    for (size_t Sample = 0; Right && Sample < Samples; ++Sample) {
      // A Fibonacci hash, so that no stride hides a fault.
      size_t Index = Sample * 0x9e3779b97f4a7c15ull % Values.size();
      Right = IsRight(Index, Values[Index]);
    }
    check(What, Right);
  }

  /// Every element of Output against Expected; Tolerance is relative, and 0
  /// demands equality.
  template <typename T>
  void check(const char *What, const DeviceArray<T> &Output,
             const std::vector<T> &Expected, double Tolerance = 0) {
    std::vector<T> Values = Output.toHost();
    bool Right = Values.size() == Expected.size();
    for (size_t I = 0; Right && I < Values.size(); ++I)
      Right = isClose(static_cast<double>(Values[I]),
                      static_cast<double>(Expected[I]), Tolerance);
    check(What, Right);
  }

  void check(const char *What, bool Right) {
    if (!Right)
      std::printf("%s: %s is wrong\n", Name, What);
    AllRight &= Right;
  }

  /// What main returns, after the verdict is printed.
  int verdict() const {
    std::printf("%s: %s\n", Name, AllRight ? "PASS" : "FAIL");
    return AllRight ? 0 : 1;
  }

private:
  const char *Name;
  bool AllRight = true;
};

} // namespace bench

#endif // SLUICE_BENCHMARKS_KERNELS_COMMON_H
