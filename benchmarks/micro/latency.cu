// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How long one load takes, in cycles: each load's address is the value of the
// load before, so the time of a walk over the number of loads is the latency.
//
//   chain       one thread, one sector a load: L1, L2 and shared memory
//   divergent   one warp, whose requests touch 1 to 32 lines
//   l2_by_sm    L2 hits from each SM: some of the L2 is nearer than the rest
//   l2_size     a random walk by one SM over more and more memory, twice: the
//               second walk tells what of it the L2 holds
//   dram        a random walk over memory that is not in the L2; the more of
//               it, the more loads also miss a TLB
//
//   latency [--only=SWEEP]
//
#include "probe.h"

using bench::DeviceArray;
using namespace probe;

namespace {

template <Hint H> __device__ uint64_t load64(uint64_t P) {
  uint64_t Value;
  if constexpr (H == Hint::CA)
    asm volatile("ld.global.ca.u64 %0, [%1];"
                 : "=l"(Value)
                 : "l"(P)
                 : "memory");
  else if constexpr (H == Hint::CG)
    asm volatile("ld.global.cg.u64 %0, [%1];"
                 : "=l"(Value)
                 : "l"(P)
                 : "memory");
  else
    asm volatile("ld.global.nc.u64 %0, [%1];"
                 : "=l"(Value)
                 : "l"(P)
                 : "memory");
  return Value;
}

/// Where the 4 GiB that P is in begin, with Low behind: no instruction.
__device__ uint64_t withLow(uint64_t P, uint32_t Low) {
  uint64_t Whole;
  asm("{ .reg .u32 L, H; mov.b64 {L, H}, %1; mov.b64 %0, {%2, H}; }"
      : "=l"(Whole)
      : "l"(P), "r"(Low));
  return Whole;
}

} // namespace

/// Element I * Stride points to another one, so that all are on one circle.
__global__ void linkRandomly(uint64_t *Buffer, size_t Count, size_t Stride) {
  size_t Step = static_cast<size_t>(gridDim.x) * blockDim.x;
  for (size_t I = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
       I < Count; I += Step) {
    // A linear congruential generator of full period, for a power of two.
    size_t Next =
        (I * 0x5851f42d4c957f2dull + 0x14057b7ef767814full) & (Count - 1);
    Buffer[I * Stride] = reinterpret_cast<uint64_t>(Buffer + Next * Stride);
  }
}

/// As above, for any Count: a step that has no divisor in common with it.
__global__ void linkBySteps(uint64_t *Buffer, size_t Count, size_t Stride,
                            size_t By) {
  size_t Step = static_cast<size_t>(gridDim.x) * blockDim.x;
  for (size_t I = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
       I < Count; I += Step)
    Buffer[I * Stride] =
        reinterpret_cast<uint64_t>(Buffer + (I + By) % Count * Stride);
}

/// Cycles of Loads loads after Warm others.
template <Hint H>
__global__ void chase(const uint64_t *Start, int Warm, int Loads,
                      uint64_t *Cycles) {
  uint64_t P = reinterpret_cast<uint64_t>(Start);
  for (int I = 0; I < Warm; ++I)
    P = load64<H>(P);
  waitFor(static_cast<uint32_t>(P));
  long long Begin = clock64();
#pragma unroll 16
  for (int I = 0; I < Loads; ++I)
    P = load64<H>(P);
  waitFor(static_cast<uint32_t>(P));
  Cycles[0] = clock64() - Begin;
}

__global__ void chaseShared(int Loads, uint64_t *Cycles) {
  __shared__ uint32_t Chain[64];
  for (int I = 0; I < 64; ++I)
    Chain[I] =
        static_cast<uint32_t>(__cvta_generic_to_shared(&Chain[(I + 7) % 64]));
  uint32_t P = static_cast<uint32_t>(__cvta_generic_to_shared(Chain));
  long long Begin = clock64();
#pragma unroll 16
  for (int I = 0; I < Loads; ++I)
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(P) : "r"(P) : "memory");
  waitFor(P);
  Cycles[0] = clock64() - Begin;
}

/// Each lane of one warp chases its own chain, of the low halves of addresses.
template <Hint H>
__global__ void chaseByWarp(const uint32_t *Buffer, const uint32_t *Starts,
                            int Loads, uint64_t *Cycles) {
  uint64_t Base = reinterpret_cast<uint64_t>(Buffer);
  uint32_t Low = Starts[threadIdx.x];
  long long Begin = 0;
  for (int Walk = 0; Walk < 2; ++Walk) {
    __syncwarp();
    Begin = clock64();
#pragma unroll 16
    for (int I = 0; I < Loads; ++I)
      Low = load<H>(reinterpret_cast<const void *>(withLow(Base, Low)));
    waitFor(Low);
    __syncwarp();
  }
  if (threadIdx.x == 0)
    Cycles[0] = clock64() - Begin;
}

/// Only the block on SM Which loads: Loads loads, after as many to warm up; the
/// time of each.
__global__ void chaseOnSM(const uint64_t *Start, unsigned Which, int Loads,
                          uint32_t *Times) {
  if (smId() != Which)
    return;
  uint64_t P = reinterpret_cast<uint64_t>(Start);
  for (int I = 0; I < 2 * Loads; ++I) {
    uint32_t Begin = clock32();
    P = load64<Hint::CG>(P);
    waitFor(static_cast<uint32_t>(P));
    uint32_t Time = clock32() - Begin;
    if (I >= Loads)
      Times[I - Loads] = Time;
  }
}

/// Of the last Loads of 2 * Loads loads, their cycles in bins of 32.
__global__ void chaseTwice(const uint64_t *Start, int Loads, uint32_t *Bins) {
  uint64_t P = reinterpret_cast<uint64_t>(Start);
  __shared__ uint32_t Count[64];
  for (int I = 0; I < 64; ++I)
    Count[I] = 0;
  for (int Walk = 0; Walk < 2; ++Walk)
    for (int I = 0; I < Loads; ++I) {
      uint32_t Begin = clock32();
      P = load64<Hint::CG>(P);
      waitFor(static_cast<uint32_t>(P));
      Count[min((clock32() - Begin) / 32, 63)] += Walk;
    }
  for (int I = 0; I < 64; ++I)
    Bins[I] = Count[I];
}

namespace {

constexpr size_t Stride = LineBytes / 8; // in 64-bit elements

double perLoad(const DeviceArray<uint64_t> &Cycles, int Loads) {
  finish();
  return static_cast<double>(Cycles.toHost()[0]) / Loads;
}

void chainSweep() {
  std::printf("\nchain,load,hits,kib,cycles\n");
  DeviceArray<uint64_t> Buffer(8 << 20), Cycles(1);
  constexpr int Loads = 8192;
  for (int KiB : {4, 16, 64, 128}) {
    size_t Lines = KiB * 1024 / LineBytes;
    linkBySteps<<<64, 256>>>(Buffer, Lines, Stride, 1);
    finish();
    chase<Hint::CA><<<1, 1>>>(Buffer, static_cast<int>(Lines), Loads, Cycles);
    std::printf("chain,ca,L1,%d,%.1f\n", KiB, perLoad(Cycles, Loads));
    chase<Hint::NC><<<1, 1>>>(Buffer, static_cast<int>(Lines), Loads, Cycles);
    std::printf("chain,nc,L1,%d,%.1f\n", KiB, perLoad(Cycles, Loads));
    chase<Hint::CG><<<1, 1>>>(Buffer, static_cast<int>(Lines), Loads, Cycles);
    std::printf("chain,cg,L2,%d,%.1f\n", KiB, perLoad(Cycles, Loads));
  }
  for (int KiB : {1024, 4096}) {
    int Lines = KiB * 1024 / LineBytes;
    linkBySteps<<<64, 256>>>(Buffer, Lines, Stride, 7);
    finish();
    // The lines of one walk are too many for the L1, so ca and nc miss it.
    chase<Hint::CA><<<1, 1>>>(Buffer, Lines, Lines, Cycles);
    std::printf("chain,ca,L2,%d,%.1f\n", KiB, perLoad(Cycles, Lines));
    chase<Hint::NC><<<1, 1>>>(Buffer, Lines, Lines, Cycles);
    std::printf("chain,nc,L2,%d,%.1f\n", KiB, perLoad(Cycles, Lines));
    chase<Hint::CG><<<1, 1>>>(Buffer, Lines, Lines, Cycles);
    std::printf("chain,cg,L2,%d,%.1f\n", KiB, perLoad(Cycles, Lines));
  }
  chaseShared<<<1, 1>>>(Loads, Cycles);
  std::printf("chain,shared,shared,0,%.1f\n", perLoad(Cycles, Loads));
}

/// Lane L of a request loads word Word(L) of line Line(L).
struct Pattern {
  const char *Name;
  int Lines, Sectors;
  int Line[WarpSize], Word[WarpSize];
};

std::vector<Pattern> patterns() {
  std::vector<Pattern> All;
  Pattern Same = {"one word", 1, 1, {}, {}};
  All.push_back(Same);
  for (int Lines = 1; Lines <= WarpSize; Lines *= 2) {
    // Neighbours share a line; every lane has a bank of its own.
    Pattern Banks = {"own banks", Lines, std::max(4, Lines), {}, {}};
    // Every line's lanes load its word 0, so all are in one bank.
    Pattern One = {"one bank", Lines, Lines, {}, {}};
    for (int L = 0; L < WarpSize; ++L) {
      Banks.Line[L] = One.Line[L] = L * Lines / WarpSize;
      Banks.Word[L] = L;
    }
    All.push_back(Banks);
    if (Lines > 1)
      All.push_back(One);
  }
  for (int Words : {2, 4, 8, 16}) {
    Pattern Strided = {"stride", 0, 0, {}, {}};
    for (int L = 0; L < WarpSize; ++L) {
      Strided.Line[L] = L * Words / WordsPerLine;
      Strided.Word[L] = L * Words % WordsPerLine;
    }
    Strided.Lines = Words;
    Strided.Sectors = std::min(WarpSize, 4 * Words);
    All.push_back(Strided);
  }
  return All;
}

void divergentSweep() {
  std::printf(
      "\ndivergent,pattern,lines,sectors,l1_hit_cycles,l2_hit_cycles\n");
  constexpr int Steps = 8, Loads = 2048;
  constexpr size_t Words = Steps * WarpSize * WordsPerLine;
  // The chains hold the low halves of addresses, so none may differ in the
  // rest.
  DeviceArray<uint32_t> Room(4 * Words);
  uint64_t Base = reinterpret_cast<uint64_t>(static_cast<uint32_t *>(Room));
  if (Base >> 32 != (Base + Words * 4) >> 32)
    Base += Words * 4;
  auto *Buffer = reinterpret_cast<uint32_t *>(Base);
  DeviceArray<uint32_t> Starts(WarpSize);
  DeviceArray<uint64_t> Cycles(1);
  for (const Pattern &P : patterns()) {
    std::vector<uint32_t> Host(Words), Start(WarpSize);
    auto IndexOf = [&](int Step, int Lane) {
      return (Step % Steps * P.Lines + P.Line[Lane]) * WordsPerLine +
             P.Word[Lane];
    };
    for (int Lane = 0; Lane < WarpSize; ++Lane) {
      Start[Lane] = static_cast<uint32_t>(Base) + 4 * IndexOf(0, Lane);
      for (int Step = 0; Step < Steps; ++Step)
        Host[IndexOf(Step, Lane)] =
            static_cast<uint32_t>(Base) + 4 * IndexOf(Step + 1, Lane);
    }
    CUDA_CHECK(
        cudaMemcpy(Buffer, Host.data(), Words * 4, cudaMemcpyHostToDevice));
    Starts.fromHost(Start);
    chaseByWarp<Hint::CA><<<1, WarpSize>>>(Buffer, Starts, Loads, Cycles);
    double L1 = perLoad(Cycles, Loads);
    chaseByWarp<Hint::CG><<<1, WarpSize>>>(Buffer, Starts, Loads, Cycles);
    double L2 = perLoad(Cycles, Loads);
    std::printf("divergent,%s,%d,%d,%.1f,%.1f\n", P.Name, P.Lines, P.Sectors,
                L1, L2);
  }
}

void l2BySMSweep(int SMs) {
  std::printf("\nl2_by_sm,sm,min,p10,median,p90,max,mean\n");
  constexpr int Loads = 4096;
  DeviceArray<uint64_t> Buffer(Loads * Stride);
  DeviceArray<uint32_t> Times(Loads);
  linkBySteps<<<64, 256>>>(Buffer, Loads, Stride, 1);
  finish();
  for (int SM = 0; SM < SMs; ++SM) {
    chaseOnSM<<<SMs, 1>>>(Buffer, SM, Loads, Times);
    finish();
    std::vector<uint32_t> Host = Times.toHost();
    std::sort(Host.begin(), Host.end());
    double Sum = 0;
    for (uint32_t Time : Host)
      Sum += Time;
    std::printf("l2_by_sm,%d,%u,%u,%u,%u,%u,%.1f\n", SM, Host[0],
                Host[Loads / 10], Host[Loads / 2], Host[Loads * 9 / 10],
                Host[Loads - 1], Sum / Loads);
  }
}

void l2SizeSweep() {
  std::printf("\nl2_size,mib,mean,p10,median,p90\n");
  DeviceArray<uint64_t> Buffer((size_t(96) << 20) / 8);
  DeviceArray<uint32_t> Bins(64);
  for (int MiB : {4, 8, 16, 20, 24, 25, 26, 28, 32, 36, 40, 44, 48, 52, 64}) {
    int Lines = MiB * ((1 << 20) / LineBytes);
    linkBySteps<<<512, 256>>>(Buffer, Lines, Stride, 1000003);
    finish();
    chaseTwice<<<1, 1>>>(Buffer, Lines, Bins);
    finish();
    std::vector<uint32_t> Host = Bins.toHost();
    auto Percentile = [&](double Share) {
      double Below = 0;
      for (int I = 0; I < 64; ++I)
        if ((Below += Host[I]) >= Share * Lines)
          return I * 32 + 16;
      return 2048;
    };
    double Mean = 0;
    for (int I = 0; I < 64; ++I)
      Mean += (I * 32.0 + 16) * Host[I] / Lines;
    std::printf("l2_size,%d,%.0f,%d,%d,%d\n", MiB, Mean, Percentile(0.1),
                Percentile(0.5), Percentile(0.9));
  }
}

void dramSweep() {
  std::printf("\ndram,mib,cycles\n");
  constexpr size_t MaxBytes = size_t(16) << 30, FlushBytes = 512 << 20;
  DeviceArray<uint64_t> Buffer(MaxBytes / 8), Cycles(1);
  DeviceArray<char> Flush(FlushBytes);
  constexpr int Warm = 4096, Loads = 32768;
  for (size_t MiB = 64; MiB <= MaxBytes >> 20; MiB *= 2) {
    linkRandomly<<<1024, 256>>>(Buffer, (MiB << 20) / LineBytes, Stride);
    finish();
    Flush.clear();
    chase<Hint::CG><<<1, 1>>>(Buffer, Warm, Loads, Cycles);
    std::printf("dram,%zu,%.0f\n", MiB, perLoad(Cycles, Loads));
  }
}

} // namespace

int main(int ArgC, char **ArgV) {
  int SMs = printDevice();
  if (wanted(ArgC, ArgV, "chain"))
    chainSweep();
  if (wanted(ArgC, ArgV, "divergent"))
    divergentSweep();
  if (wanted(ArgC, ArgV, "l2_by_sm"))
    l2BySMSweep(SMs);
  if (wanted(ArgC, ArgV, "l2_size"))
    l2SizeSweep();
  if (wanted(ArgC, ArgV, "dram"))
    dramSweep();
}
