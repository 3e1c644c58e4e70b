// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a barrier of a block costs where a warp needs only its neighbours: each
// thread has a word in shared memory and takes, in each round, the least of its
// own and of its two neighbours' words, and adds something. Two buffers, so
// that one hand-over a round is enough. The warps wait for each other by
//
//   block   __syncthreads()
//   flags   a counter of each warp in shared memory, stored with release and
//           read with acquire by its two neighbours
//   named   a named barrier of each two neighbours, of 64 threads: of even
//           pairs first, then of odd ones (16 of them: up to 512 threads)
//
// with blocks of 64 to 1024 threads, one or as many as fit an SM, and with
// work that all warps have alike (even), that one warp in turn has 8 times of
// (turn), or that depends on warp and round (random).
//
//   neighbours
//
#include "probe.h"

using bench::DeviceArray;
using namespace probe;

constexpr int Rounds = 512;

enum class Wait { Block, Flags, Named };
enum class Work { Even, Turn, Random };

__device__ uint32_t addressOf(const void *Shared) {
  return uint32_t(__cvta_generic_to_shared(Shared));
}

__device__ void publish(uint32_t *Counter, uint32_t Round) {
  asm volatile("st.release.cta.shared.u32 [%0], %1;"
               :
               : "r"(addressOf(Counter)), "r"(Round)
               : "memory");
}

__device__ void waitFor(const uint32_t *Counter, uint32_t Round) {
  uint32_t Seen;
  do {
    asm volatile("ld.acquire.cta.shared.u32 %0, [%1];"
                 : "=r"(Seen)
                 : "r"(addressOf(Counter))
                 : "memory");
  } while (Seen < Round);
}

__device__ void pairUp(int Pair) {
  asm volatile("barrier.sync %0, 64;" : : "r"(Pair) : "memory");
}

/// Multiply-adds of a warp in a round.
template <Work How>
__device__ int workOf(int Warp, int Warps, int Round, int Mean) {
  if (How == Work::Even)
    return Mean;
  if (How == Work::Turn)
    return Warp == Round % Warps ? 8 * Mean : Mean;
  uint32_t Number = (Warp * 512 + Round + 1) * 2654435761u;
  Number ^= Number >> 15;
  return Number % (2 * Mean + 1);
}

template <Wait By, Work How> __global__ void stencil(uint32_t *Out, int Mean) {
  __shared__ uint32_t Words[2][1024 + 2];
  __shared__ uint32_t Counters[32 + 2];
  const int T = threadIdx.x, Warp = T / WarpSize;
  const int Warps = blockDim.x / WarpSize;
  uint32_t Mine = (blockIdx.x * blockDim.x + T) * 2654435761u >> 8;
  Words[0][T + 1] = Mine;
  if (T < 2) {
    Words[0][T * (blockDim.x + 1)] = 0xffffffff;
    Words[1][T * (blockDim.x + 1)] = 0xffffffff;
    Counters[T * (Warps + 1)] =
        0xffffffff; // beyond the block: never waited for
  }
  if (T % WarpSize == 0)
    Counters[Warp + 1] = 0;
  __syncthreads();
  for (int Round = 0; Round < Rounds; ++Round) {
    const uint32_t *From = Words[Round % 2];
    uint32_t Least = min(min(From[T], From[T + 2]), Mine);
    const int Count = workOf<How>(Warp, Warps, Round, Mean);
    for (int I = 0; I < Count; ++I)
      Least = Least * 3 + 1;
    Mine = (Least & 0xffffff) + T;
    Words[1 - Round % 2][T + 1] = Mine;
    if (By == Wait::Block) {
      __syncthreads();
    } else if (By == Wait::Flags) {
      __syncwarp();
      if (T % WarpSize == 0)
        publish(&Counters[Warp + 1], Round + 1);
      waitFor(&Counters[Warp], Round + 1);
      waitFor(&Counters[Warp + 2], Round + 1);
    } else {
      const int Even = Warp / 2 * 2, Odd = (Warp + 1) / 2 * 2 - 1;
      if (Even + 1 < Warps)
        pairUp(Even);
      if (Odd >= 0 && Odd + 1 < Warps)
        pairUp(Odd);
    }
  }
  Out[blockIdx.x * blockDim.x + T] = Mine;
}

template <Wait By, Work How>
static void measure(const char *Name, int Threads, int Blocks, int Mean,
                    int SMs, DeviceArray<uint32_t> &Out) {
  if (By == Wait::Named && Threads > 512)
    return;
  const float Time = milliseconds(
      9, [&] { stencil<By, How><<<Blocks, Threads>>>(Out, Mean); });
  const uint64_t Hash = hashOf<uint32_t>(Out.toHost());
  constexpr const char *Works[] = {"even", "turn", "random"};
  std::printf("%s,%s,%d,%d,%d,%.5f,%016llx\n", Name, Works[int(How)], Mean,
              Threads, Blocks / SMs, Time, (unsigned long long)Hash);
}

template <Work How>
static void measureAll(int Mean, int SMs, DeviceArray<uint32_t> &Out) {
  for (int Threads : {64, 128, 256, 512, 1024})
    for (int PerSM : {1, 2048 / Threads}) {
      const int Blocks = SMs * PerSM;
      measure<Wait::Block, How>("block", Threads, Blocks, Mean, SMs, Out);
      measure<Wait::Flags, How>("flags", Threads, Blocks, Mean, SMs, Out);
      measure<Wait::Named, How>("named", Threads, Blocks, Mean, SMs, Out);
    }
}

int main() {
  const int SMs = printDevice();
  DeviceArray<uint32_t> Out(size_t(SMs) * 2048);
  std::printf("wait,work,mean,threads,blocks_per_sm,ms,hash\n");
  for (int Mean : {2, 16, 128}) {
    measureAll<Work::Even>(Mean, SMs, Out);
    measureAll<Work::Turn>(Mean, SMs, Out);
    measureAll<Work::Random>(Mean, SMs, Out);
  }
}
