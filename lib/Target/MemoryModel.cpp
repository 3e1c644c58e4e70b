// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The numbers behind MemoryModel.h. What is sm_90's was measured on an H100, and
/// what an H200 has of its own on that: docs/internals/gpu-model.md, "Caches,
/// measured", names the files. Other architectures have sm_90's cycles and rates for each SM, and the clock, L2
/// and memory of the data sheet of the chip that GPUModel's DefaultSMs is of,
/// reduced as sm_90's measurements are against its data sheet.

#include "sluice/Target/MemoryModel.h"
#include "llvm/ADT/STLExtras.h"
#include <cassert>

using namespace sluice;

namespace {

/// Of a chip's data sheet.
struct Chip {
  llvm::StringLiteral Name;
  double BoostGHz;
  unsigned L2MiB;
  double MemoryGBs;
};

// NVIDIA's product pages and architecture whitepapers.
constexpr Chip Chips[] = {
    {"sm_70", 1.53, 6, 900},     // Tesla V100 SXM2
    {"sm_75", 1.77, 6, 672},     // Titan RTX
    {"sm_80", 1.41, 40, 2039},   // A100 SXM 80 GB
    {"sm_86", 1.86, 6, 1008},    // GeForce RTX 3090 Ti
    {"sm_89", 2.51, 96, 960},    // RTX 6000 Ada
    {"sm_90", 1.98, 50, 3352},   // H100 SXM
    {"h200", 1.98, 60, 4800},    // H200 SXM; cudaDeviceProp::l2CacheSize
    {"sm_100", 1.97, 126, 8000}, // GB200
    {"sm_103", 1.97, 126, 8000}, // GB300
    {"sm_120", 2.62, 128, 1792}, // RTX PRO 6000
    {"sm_121", 2.42, 24, 273},   // GB10
};

/// What an H200 has other than an H100, by the same programs
/// (benchmarks/results/2026-11-h200-micro): its L1, its shared memory and the
/// latency of its L2 are an H100's.
void measureH200(MemoryModel &M) {
  // l2_eviction, thrash: 11 to 16 MiB after walks over 24 to 96.
  M.L2FirstBytes = 12 * 1024 * 1024;
  M.L2BytesPerCycle = 4500;      // outstanding
  M.L2LinesPerCycle = 78;        // outstanding
  M.L2StoreBytesPerCycle = 2390; // loaded
  M.DRAMCycles = 697;            // latency, dram: 7 more than an H100
  M.DRAMBytesPerCycle = 2340;    // outstanding and loaded; 4,610 GB/s
  M.DRAMWriteFactor = 1.25;      // loaded: 1.24 alone, 1.27 beside loads
}

} // namespace

MemoryModel sluice::memoryModel(const GPUModel &GPU) {
  const Chip *Of = llvm::find_if(Chips, [&](const Chip &C) {
    return C.Name == (GPU.Chip.empty() ? GPU.Name : GPU.Chip);
  });
  assert(Of != std::end(Chips) && "an architecture without a chip");
  const double SMs = GPU.DefaultSMs;

  MemoryModel M;
  M.Measured = GPU.Name == "sm_90";
  // The clock that kernels ran at in the counters' runs, not locked: 1.97.
  M.ClockGHz = Of->BoostGHz * (1.97 / 1.98);

  M.L1ReservedBytes = 7 * 1024; // associativity, capacity: 56 lines
  M.L1HitCycles = 32;           // latency, chain
  M.SharedCycles = 23;          // latency
  M.TagLinesPerCycle = 1;       // tag_rate: 4 an SM, which has 4 slices
  M.RequestCycles = 1.5;        // tag_rate
  M.L1BytesPerCycle = 128;      // tag_rate: 16 bytes a lane in 4.1 cycles
  M.L1QueueCycles = 256;        // not measured: a guess

  M.L2HitCycles = 295;   // latency, l2_by_sm: mean 304 with the timer
  M.L2SpreadCycles = 40; // loaded, l2: the slowest of 8 takes 100 longer
  // outstanding, throughput: the rate begins to fall between 36 and 40 MiB.
  M.L2Bytes = uint64_t(Of->L2MiB * 0.8 * 1024 * 1024);
  // l2_eviction, thrash: 6 to 9 MiB are there after walks over 24 to 160.
  M.L2FirstBytes = uint64_t(Of->L2MiB * 0.15 * 1024 * 1024);
  M.L2BytesPerCyclePerSM = 124;          // outstanding: one SM alone
  M.L2BytesPerCycle = 3900 / 132. * SMs; // outstanding: all SMs, whole lines
  M.L2LinesPerCycle = 66 / 132. * SMs;   // ... one sector a line
  M.L2StoreBytesPerCycle = 2050 / 132. * SMs; // loaded, stores in the L2
  M.L2RequestCycles = 1.15; // loaded: copies in the L2, 1,800 bytes each way
  // Counters of kernels that only stream: 14 to 22 MB of what they store has
  // not been written at their end.
  M.L2DirtyBytes = uint64_t(Of->L2MiB * 0.3 * 1024 * 1024);

  // cudaLimitMaxL2FetchGranularity, which is 64 unless a program sets it. Row
  // loops that thrash read 64 bytes for each sector: 16.1 GB of gesummv's.
  M.DRAMFetchBytes = 64;
  M.DRAMCycles = 690; // latency, dram
  // loaded, memory: the slowest of 2, 4 and 8 loads takes 71, 169 and 302
  // longer; at 77 % of the rate each takes 160 longer.
  M.DRAMSpreadCycles = 80;
  M.DRAMQueues = 9;
  // outstanding: 1,550 bytes a cycle of 1.97 GHz; the data sheet says 3,352
  // GB/s.
  M.DRAMBytesPerCycle = Of->MemoryGBs * 0.91 / M.ClockGHz;
  // outstanding: one sector a line comes at 1.1 to 1.4 TB/s with the 32 bytes
  // that DRAM gives beside it.
  M.DRAMPartialLineFactor = 1.6;
  M.DRAMWriteFactor = 1.15; // loaded: 1.2 beside loads, 1 alone

  M.LaunchNanoseconds = 2000;      // counters: srad's kernels of 3 us
  M.ArithmeticCycles = 4;          // dependent FMAs, as published for Volta on
  M.IndependentInstructions = 1.6; // a guess
  if (GPU.Chip == "h200")
    measureH200(M);
  return M;
}

/// A busy memory answers later than an idle one, whose latency MemoryModel has:
/// with so many times its bytes on their way more of them gained nothing.
static constexpr double BusyLatency = 3;

double sluice::bytesThatKeepBusy(const GPUModel &GPU) {
  const MemoryModel Memory = memoryModel(GPU);
  return BusyLatency * Memory.DRAMCycles * Memory.DRAMBytesPerCycle /
         GPU.DefaultSMs;
}
