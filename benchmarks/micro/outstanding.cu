// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many misses an SM can have under way, and what the L2 and the memory
// give.
//
//   in_flight  one SM: w warps, each with u independent loads that miss the L1;
//              cycles from the first load of a round to the last value. While
//              it does not grow with w * u, all were under way together.
//   sm_rate    one SM, loads without end: bytes a cycle
//   sms        the same by more and more SMs, from the L2
//   l2_rate    all SMs, working sets of 4 to 64 MiB
//   dram_rate  all SMs, 4 GiB
//
//   outstanding [--only=SWEEP]
//
#include "probe.h"

using bench::DeviceArray;
using namespace probe;

namespace {

/// What the lanes of a request load.
enum Shape {
  OneSector, // one word
  OneLine,   // the line's 32 words
  Lines32,   // a word of each of 32 neighbouring lines
  Wide,      // 16 bytes a lane: four lines, every sector
};

constexpr const char *ShapeNames[] = {"one_sector", "one_line", "32_lines",
                                      "wide"};
constexpr int ShapeLines[] = {1, 1, 32, 4};
constexpr int ShapeSectors[] = {1, 4, 32, 16};

template <Shape S> __device__ uint32_t loadShape(const char *Line) {
  int Lane = threadIdx.x % WarpSize;
  if constexpr (S == Wide) {
    uint32_t A, B, C, D;
    asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(A), "=r"(B), "=r"(C), "=r"(D)
                 : "l"(Line + Lane * 16)
                 : "memory");
    return A ^ B ^ C ^ D;
  } else {
    return load<Hint::Plain>(Line + (S == OneSector ? 0
                                     : S == OneLine ? Lane * 4
                                                    : Lane * LineBytes));
  }
}

} // namespace

/// One block. Each round, warp w's load u is request (round * U + u) * warps +
/// w of a walk over the buffer. Sum of the rounds' cycles.
template <Shape S, int U>
__global__ void __launch_bounds__(1024)
    inFlight(const char *Buffer, size_t Bytes, size_t From, int Rounds,
             uint32_t *Cycles) {
  constexpr size_t Size = size_t(ShapeLines[S]) * LineBytes;
  __shared__ unsigned long long First, Last;
  int Warps = blockDim.x / WarpSize, Warp = threadIdx.x / WarpSize;
  uint32_t Total = 0;
  size_t At = From + Warp * Size;
  for (int Round = 0; Round < Rounds; ++Round) {
    if (threadIdx.x == 0) {
      First = ~0ull;
      Last = 0;
    }
    __syncthreads();
    __nanosleep(2000);
    __syncthreads();
    const char *P[U];
#pragma unroll
    for (int I = 0; I < U; ++I) {
      if (At >= Bytes)
        At -= Bytes;
      P[I] = Buffer + At;
      At += Warps * Size;
    }
    __syncthreads();
    unsigned long long Begin = clock64();
    uint32_t Values[U], All = 0;
#pragma unroll
    for (int I = 0; I < U; ++I)
      Values[I] = loadShape<S>(P[I]);
#pragma unroll
    for (int I = 0; I < U; ++I)
      All ^= Values[I];
    waitFor(All); // one wait: ptxas moves no load over it
    unsigned long long End = clock64();
    atomicMin(&First, Begin);
    atomicMax(&Last, End);
    __syncthreads();
    Total += Last - First;
    __syncthreads();
  }
  if (threadIdx.x == 0)
    Cycles[0] = Total / Rounds;
}

/// As walkAll, for a number of requests that is a power of two: fewer
/// instructions for an address, so that one SM's issue is no limit.
template <Shape S, int U>
__global__ void __launch_bounds__(1024)
    walkOne(const char *Buffer, size_t Bytes, int Steps, uint64_t *Cycles) {
  constexpr uint32_t Size = ShapeLines[S] * LineBytes;
  uint32_t Mask = static_cast<uint32_t>(Bytes) - 1;
  uint32_t Apart = gridDim.x * blockDim.x / WarpSize * Size;
  uint32_t At = (blockIdx.x * blockDim.x + threadIdx.x) / WarpSize * Size;
  uint32_t Sum = 0;
  long long Begin = clock64();
#pragma unroll 1
  for (int Step = 0; Step < Steps; ++Step) {
    uint32_t Values[U];
#pragma unroll
    for (int I = 0; I < U; ++I)
      Values[I] = loadShape<S>(Buffer + ((At + I * Apart) & Mask));
    At += U * Apart;
#pragma unroll
    for (int I = 0; I < U; ++I)
      Sum ^= Values[I];
  }
  waitFor(Sum);
  if (threadIdx.x == 0)
    atomicMax(reinterpret_cast<unsigned long long *>(Cycles),
              static_cast<unsigned long long>(clock64() - Begin));
}

/// The warps walk the buffer together, one request beside the other, each U at
/// a time and Steps times. From one pass to the next a warp meets other lines,
/// as long as their number is no multiple of the warps.
template <Shape S, int U>
__global__ void __launch_bounds__(1024)
    walkAll(const char *Buffer, size_t Bytes, int Steps, uint64_t *Cycles) {
  constexpr uint32_t Size = ShapeLines[S] * LineBytes;
  uint32_t Requests = static_cast<uint32_t>(Bytes / Size);
  uint32_t Warps = gridDim.x * blockDim.x / WarpSize;
  uint32_t At = (blockIdx.x * blockDim.x + threadIdx.x) / WarpSize % Requests;
  Warps %= Requests;
  uint32_t Sum = 0;
  long long Begin = clock64();
#pragma unroll 1
  for (int Step = 0; Step < Steps; ++Step) {
    uint32_t Values[U];
#pragma unroll
    for (int I = 0; I < U; ++I) {
      Values[I] = loadShape<S>(Buffer + size_t(At) * Size);
      At += Warps;
      At -= At >= Requests ? Requests : 0;
    }
#pragma unroll
    for (int I = 0; I < U; ++I)
      Sum ^= Values[I];
  }
  waitFor(Sum);
  if (threadIdx.x == 0)
    atomicMax(reinterpret_cast<unsigned long long *>(Cycles),
              static_cast<unsigned long long>(clock64() - Begin));
}

namespace {

constexpr size_t L2Bytes = 16 << 20, DRAMBytes = size_t(8) << 30;

template <Shape S, int U>
void measureInFlight(const char *From, const DeviceArray<char> &Buffer,
                     size_t Bytes, size_t &At) {
  static DeviceArray<uint32_t> Cycles(1);
  for (int Warps : {1, 2, 4, 8, 12, 16, 20, 24, 28, 32}) {
    size_t RoundBytes = size_t(Warps) * U * ShapeLines[S] * LineBytes;
    int Rounds = 24;
    At = (At + Rounds * RoundBytes) % Bytes; // never what was just loaded
    if (*From == 'd' && At + 2 * Rounds * RoundBytes > Bytes)
      At = 0;
    inFlight<S, U><<<1, Warps * WarpSize>>>(Buffer, Bytes, At, Rounds, Cycles);
    finish();
    At = (At + Rounds * RoundBytes) % Bytes;
    int Requests = Warps * U;
    uint32_t Time = Cycles.toHost()[0];
    std::printf("in_flight,%s,%s,%d,%d,%d,%d,%d,%u,%.3f\n", From, ShapeNames[S],
                Warps, U, Requests, Requests * ShapeLines[S],
                Requests * ShapeSectors[S], Time,
                static_cast<double>(Requests) * ShapeSectors[S] / Time);
  }
}

template <Shape S>
void measureShape(const char *From, const DeviceArray<char> &Buffer,
                  size_t Bytes, size_t &At) {
  measureInFlight<S, 1>(From, Buffer, Bytes, At);
  measureInFlight<S, 2>(From, Buffer, Bytes, At);
  measureInFlight<S, 4>(From, Buffer, Bytes, At);
  measureInFlight<S, 8>(From, Buffer, Bytes, At);
  measureInFlight<S, 16>(From, Buffer, Bytes, At);
}

void inFlightSweep(const DeviceArray<char> &Buffer) {
  std::printf("\nin_flight,from,shape,warps,loads_per_warp,requests,lines,"
              "sectors,cycles,sectors_per_cycle\n");
  DeviceArray<uint64_t> Cycles(1);
  for (const char *From : {"l2", "dram"}) {
    bool L2 = *From == 'l';
    size_t Bytes = L2 ? L2Bytes : DRAMBytes, At = L2 ? 0 : size_t(64) << 20;
    if (L2)
      walkAll<OneLine, 8><<<1, 1024>>>(Buffer, L2Bytes, 2048, Cycles);
    finish();
    measureShape<OneSector>(From, Buffer, Bytes, At);
    measureShape<OneLine>(From, Buffer, Bytes, At);
    measureShape<Lines32>(From, Buffer, Bytes, At);
  }
}

template <Shape S>
void measureRate(const char *Sweep, const DeviceArray<char> &Buffer,
                 size_t Bytes, int Blocks, int Threads, int Times, int Reps) {
  static DeviceArray<uint64_t> Cycles(1);
  constexpr int U = S == Wide ? 4 : 8;
  size_t Warps = size_t(Blocks) * Threads / WarpSize;
  size_t Requests = Bytes / (ShapeLines[S] * LineBytes) * Times;
  int Steps = static_cast<int>((Requests + Warps * U - 1) / (Warps * U));
  float Time = milliseconds(Reps, [&] {
    CUDA_CHECK(cudaMemsetAsync(Cycles, 0, 8));
    if (Blocks == 1)
      walkOne<S, U><<<1, Threads>>>(Buffer, Bytes, Steps, Cycles);
    else
      walkAll<S, U><<<Blocks, Threads>>>(Buffer, Bytes, Steps, Cycles);
  });
  double Count = static_cast<double>(Cycles.toHost()[0]);
  double Loaded =
      static_cast<double>(Steps) * Warps * U * ShapeSectors[S] * SectorBytes;
  std::printf("%s,%s,%d,%d,%.2f,%.4f,%.0f,%.1f,%.1f,%.2f\n", Sweep,
              ShapeNames[S], Blocks, Threads,
              static_cast<double>(Bytes) / (1 << 20), Time, Count / Time / 1000,
              Loaded / Time / 1e6, Loaded / Count,
              Loaded / SectorBytes / Count);
}

void rateHeader(const char *Sweep) {
  std::printf("\n%s,shape,blocks,threads,mib,ms,sm_mhz,gb_per_s,"
              "bytes_per_cycle,sectors_per_cycle\n",
              Sweep);
}

} // namespace

int main(int ArgC, char **ArgV) {
  int SMs = printDevice();
  DeviceArray<char> Buffer(DRAMBytes);
  if (wanted(ArgC, ArgV, "in_flight"))
    inFlightSweep(Buffer);
  if (wanted(ArgC, ArgV, "sm_rate")) {
    rateHeader("sm_rate");
    for (int Threads : {32, 64, 128, 192, 256, 384, 512, 768, 1024}) {
      measureRate<OneSector>("sm_rate", Buffer, 16 << 20, 1, Threads, 4, 1);
      measureRate<OneLine>("sm_rate", Buffer, 16 << 20, 1, Threads, 4, 1);
      measureRate<Lines32>("sm_rate", Buffer, 16 << 20, 1, Threads, 4, 1);
      measureRate<Wide>("sm_rate", Buffer, 16 << 20, 1, Threads, 4, 1);
    }
  }
  if (wanted(ArgC, ArgV, "sms")) {
    rateHeader("sms");
    for (int Blocks : {2, 4, 8, 16, 33, 66, 99, 132}) {
      measureRate<OneLine>("sms", Buffer, 20 << 20, Blocks, 1024, 8, 1);
      measureRate<Lines32>("sms", Buffer, 20 << 20, Blocks, 1024, 8, 1);
    }
  }
  if (wanted(ArgC, ArgV, "l2_rate")) {
    rateHeader("l2_rate");
    for (int MiB : {16, 20, 24, 28, 32, 36, 40, 48, 64, 96}) {
      measureRate<OneLine>("l2_rate", Buffer, size_t(MiB) << 20, 2 * SMs, 1024,
                           16, 3);
      measureRate<OneSector>("l2_rate", Buffer, size_t(MiB) << 20, 2 * SMs,
                             1024, 16, 3);
      measureRate<Lines32>("l2_rate", Buffer, size_t(MiB) << 20, 2 * SMs, 1024,
                           16, 3);
      measureRate<Wide>("l2_rate", Buffer, size_t(MiB) << 20, 2 * SMs, 1024, 16,
                        3);
    }
  }
  if (wanted(ArgC, ArgV, "dram_rate")) {
    rateHeader("dram_rate");
    size_t Bytes = size_t(4) << 30;
    measureRate<OneLine>("dram_rate", Buffer, Bytes, 2 * SMs, 1024, 1, 3);
    measureRate<OneSector>("dram_rate", Buffer, Bytes, 2 * SMs, 1024, 1, 3);
    measureRate<Lines32>("dram_rate", Buffer, Bytes, 2 * SMs, 1024, 1, 3);
    measureRate<Wide>("dram_rate", Buffer, Bytes, 2 * SMs, 1024, 1, 3);
  }
}
