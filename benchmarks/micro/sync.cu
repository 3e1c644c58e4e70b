// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What sluice-sync wins: three kernels, each made of what it changes. Compile
// it by clang, by nvcc, and by clang and Sluice with sync=all.
//
//   scan     blocks of one warp: sums of prefixes in shared memory, ten
//   barriers
//            for 32 numbers
//   bounded  the same with launch bounds
//   lock     a histogram of 64 bins in shared memory, each with a lock, and a
//            fence for the device behind taking it and before giving it back
//   fence    each thread writes and reads its own scratch in global memory, a
//            fence for the device between
//
//   sync [--only=SWEEP]
//
#include "probe.h"

using bench::DeviceArray;
using namespace probe;

constexpr int Rounds = 256;

__device__ void scanInWarp(uint32_t *Out) {
  __shared__ uint32_t Sums[WarpSize];
  uint32_t Mine = blockIdx.x + threadIdx.x;
  for (int R = 0; R < Rounds; ++R) {
    Sums[threadIdx.x] = Mine;
    __syncthreads();
    for (int Distance = 1; Distance < WarpSize; Distance *= 2) {
      const uint32_t Before =
          threadIdx.x >= Distance ? Sums[threadIdx.x - Distance] : 0;
      __syncthreads();
      Sums[threadIdx.x] += Before;
      __syncthreads();
    }
    Mine ^= Sums[WarpSize - 1 - threadIdx.x];
    __syncthreads();
  }
  Out[blockIdx.x * WarpSize + threadIdx.x] = Mine;
}

__global__ void scan(uint32_t *Out) { scanInWarp(Out); }
__global__ void __launch_bounds__(WarpSize) bounded(uint32_t *Out) {
  scanInWarp(Out);
}

constexpr int Bins = 64;

__global__ void lock(uint32_t *Out) {
  __shared__ int Locks[Bins];
  __shared__ uint32_t Counts[Bins];
  if (threadIdx.x < Bins) {
    Locks[threadIdx.x] = 0;
    Counts[threadIdx.x] = 0;
  }
  __syncthreads();
  uint32_t Number = blockIdx.x * blockDim.x + threadIdx.x;
  for (int R = 0; R < Rounds / 8; ++R) {
    Number = Number * 1664525 + 1013904223;
    const int Bin = Number >> 26;
    for (bool IsDone = false; !IsDone;)
      if (atomicCAS(&Locks[Bin], 0, 1) == 0) {
        __threadfence();
        Counts[Bin] += Number & 15;
        __threadfence();
        atomicExch(&Locks[Bin], 0);
        IsDone = true;
      }
  }
  __syncthreads();
  if (threadIdx.x < Bins)
    Out[blockIdx.x * Bins + threadIdx.x] = Counts[threadIdx.x];
}

__global__ void fence(uint32_t *Out, uint32_t *Scratch) {
  const unsigned Me = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t Mine = Me;
  for (int R = 0; R < Rounds; ++R) {
    Scratch[Me] = Mine;
    __threadfence();
    Mine = Mine * 3 + Scratch[Me] + 1;
  }
  Out[Me] = Mine;
}

/// Times \p Launch, which writes \p Out, and prints a hash of that: it is the
/// same for all compilers.
template <typename LaunchT>
static void measure(const char *Name, DeviceArray<uint32_t> &Out,
                    LaunchT Launch) {
  const float Time = milliseconds(20, Launch);
  std::printf("%s,%.4f,%016llx\n", Name, Time,
              (unsigned long long)hashOf<uint32_t>(Out.toHost()));
}

int main(int ArgC, char **ArgV) {
  const int Blocks = printDevice() * 8;
  DeviceArray<uint32_t> Out(size_t(Blocks) * 256),
      Scratch(size_t(Blocks) * 256);
  std::printf("sweep,ms,hash\n");
  if (wanted(ArgC, ArgV, "scan"))
    measure("scan", Out, [&] { scan<<<Blocks, WarpSize>>>(Out); });
  if (wanted(ArgC, ArgV, "bounded"))
    measure("bounded", Out, [&] { bounded<<<Blocks, WarpSize>>>(Out); });
  if (wanted(ArgC, ArgV, "lock"))
    measure("lock", Out, [&] { lock<<<Blocks, 256>>>(Out); });
  if (wanted(ArgC, ArgV, "fence"))
    measure("fence", Out, [&] { fence<<<Blocks, 256>>>(Out, Scratch); });
}
