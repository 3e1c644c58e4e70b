// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the benchmark programs share: checked CUDA calls, inputs that the CPU
// can recompute element by element, timing, and one JSON line per kernel.
//
// A program fills its inputs on the device from a hash of (seed, index). The
// CPU evaluates the same hash for the few outputs it checks, so gigabytes of
// input never cross the bus. The hash over an output's bits tells whether two
// builds of a program computed exactly the same thing.
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

/// Goes after the `*` of a kernel's pointer parameters. Plain by default, as
/// the papers' kernels are; -DSLUICE_RESTRICT promises the compiler that they
/// do not alias.
#ifdef SLUICE_RESTRICT
#define BENCH_RESTRICT __restrict__
#else
#define BENCH_RESTRICT
#endif

#define CUDA_CHECK(Call) bench::checkCuda((Call), #Call, __FILE__, __LINE__)

namespace bench {

inline void checkCuda(cudaError_t Status, const char *Call, const char *File,
                      int Line) {
  if (Status == cudaSuccess)
    return;
  std::fprintf(stderr, "%s:%d: %s: %s\n", File, Line, Call,
               cudaGetErrorString(Status));
  std::exit(2);
}

/// Element Index of the input Seed: 24 hashed bits as a float in [0, 1). All
/// inputs are positive, so that no sum cancels and a relative tolerance means
/// something.
__host__ __device__ inline float valueAt(uint32_t Seed, size_t Index) {
  uint32_t Bits = static_cast<uint32_t>(Index) * 0x9e3779b9u + Seed;
  Bits = (Bits ^ (Bits >> 16)) * 0x85ebca6bu;
  Bits = (Bits ^ (Bits >> 13)) * 0xc2b2ae35u;
  Bits ^= Bits >> 16;
  return static_cast<float>(Bits >> 8) * 0x1p-24f;
}

// static: this header may end up in two translation units of one program.
static __global__ void fillKernel(float *Data, size_t Count, uint32_t Seed) {
  size_t Step = static_cast<size_t>(gridDim.x) * blockDim.x;
  for (size_t I = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
       I < Count; I += Step)
    Data[I] = valueAt(Seed, I);
}

/// Device memory that frees itself.
template <typename T> class DeviceArray {
public:
  explicit DeviceArray(size_t Count) : Count(Count) {
    CUDA_CHECK(cudaMalloc(&Data, Count * sizeof(T)));
    clear();
  }
  DeviceArray(size_t Count, uint32_t Seed) : DeviceArray(Count) { fill(Seed); }
  DeviceArray(const DeviceArray &) = delete;
  DeviceArray &operator=(const DeviceArray &) = delete;
  ~DeviceArray() { cudaFree(Data); }

  operator T *() const { return Data; }
  size_t size() const { return Count; }

  void clear() { CUDA_CHECK(cudaMemset(Data, 0, Count * sizeof(T))); }
  void fill(uint32_t Seed) {
    fillKernel<<<2048, 256>>>(Data, Count, Seed);
    CUDA_CHECK(cudaGetLastError());
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

/// A hash of the values' bits and places that does not depend on the order in
/// which the elements are visited.
template <typename T> uint64_t hashBits(const std::vector<T> &Values) {
  static_assert(sizeof(T) == 4, "one 32-bit word for each element");
  uint64_t Sum = 0;
  for (size_t I = 0; I < Values.size(); ++I) {
    uint32_t Word;
    std::memcpy(&Word, &Values[I], sizeof(Word));
    uint64_t Mixed = ((static_cast<uint64_t>(I) << 32) | Word) + 1;
    Mixed = (Mixed ^ (Mixed >> 33)) * 0xff51afd7ed558ccdull;
    Mixed = (Mixed ^ (Mixed >> 29)) * 0xc4ceb9fe1a85ec53ull;
    Sum += Mixed ^ (Mixed >> 32);
  }
  return Sum;
}

/// Runs Launch once to warm up and then Reps times, and returns the times in
/// milliseconds. Reset runs before each launch, outside of what is timed.
template <typename ResetT, typename LaunchT>
std::vector<float> timeLaunches(int Reps, ResetT Reset, LaunchT Launch) {
  cudaEvent_t Start, Stop;
  CUDA_CHECK(cudaEventCreate(&Start));
  CUDA_CHECK(cudaEventCreate(&Stop));
  std::vector<float> Times;
  for (int Rep = -1; Rep < Reps; ++Rep) {
    Reset();
    CUDA_CHECK(cudaEventRecord(Start));
    Launch();
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaEventRecord(Stop));
    CUDA_CHECK(cudaEventSynchronize(Stop));
    float Time = 0;
    CUDA_CHECK(cudaEventElapsedTime(&Time, Start, Stop));
    if (Rep >= 0)
      Times.push_back(Time);
  }
  CUDA_CHECK(cudaEventDestroy(Start));
  CUDA_CHECK(cudaEventDestroy(Stop));
  return Times;
}

template <typename T> T median(std::vector<T> Values) {
  if (Values.empty())
    return T();
  std::sort(Values.begin(), Values.end());
  size_t Middle = Values.size() / 2;
  return Values.size() % 2 ? Values[Middle]
                           : (Values[Middle - 1] + Values[Middle]) / 2;
}

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

inline int repetitions(int ArgC, char **ArgV, const char *Default) {
  return std::max(1, std::atoi(option(ArgC, ArgV, "reps", Default)));
}

/// Whether Got, summed up in single precision, stands for Expected.
inline bool isClose(double Got, double Expected) {
  return std::abs(Got - Expected) <= 1e-4 * std::abs(Expected);
}

/// The kernels of one program: times them, checks them, prints their lines.
class Program {
public:
  Program(const char *Name, int ArgC, char **ArgV)
      : Name(Name), Reps(repetitions(ArgC, ArgV, "10")) {}

  /// Times a kernel that writes Output. IsRight(Index, Value) is asked about
  /// the first, the last and some other elements of it.
  template <typename T, typename ResetT, typename LaunchT, typename IsRightT>
  void measure(const char *Kernel, const DeviceArray<T> &Output, ResetT Reset,
               LaunchT Launch, IsRightT IsRight) {
    std::vector<float> Times = timeLaunches(Reps, Reset, Launch);
    std::vector<T> Values = Output.toHost();

    bool Right = IsRight(Values.size() - 1, Values.back());
    constexpr size_t Samples = 64;
    for (size_t Sample = 0; Right && Sample < Samples; ++Sample) {
      size_t Index = Sample * 1000003 % Values.size();
      Right = IsRight(Index, Values[Index]);
    }
    AllRight &= Right;

    std::printf("{\"program\": \"%s\", \"kernel\": \"%s\", \"ms\": [", Name,
                Kernel);
    for (size_t I = 0; I < Times.size(); ++I)
      std::printf("%s%.5f", I ? ", " : "", Times[I]);
    std::printf("], \"median_ms\": %.5f, \"hash\": \"%016llx\", "
                "\"check\": \"%s\"}\n",
                median(Times),
                static_cast<unsigned long long>(hashBits(Values)),
                Right ? "pass" : "fail");
  }

  int exitCode() const { return AllRight ? 0 : 1; }

private:
  const char *Name;
  int Reps;
  bool AllRight = true;
};

} // namespace bench

#endif // SLUICE_BENCHMARKS_KERNELS_COMMON_H
