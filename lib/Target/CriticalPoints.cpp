// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers are given to warps, and each scheduler has a register file of its
// own. So Eq. 4.3 counts warps of a scheduler where the thesis counts registers
// of a block: 5 warps of 32 registers take as much as 8.

#include "sluice/Target/CriticalPoints.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace llvm;
using namespace sluice;

static unsigned warpsOf(const GPUModel &GPU, unsigned Threads) {
  return unsigned(divideCeil(Threads, GPU.WarpSize));
}

/// The fourth term of Eq. 4.3.
static unsigned blocksByRegisters(const GPUModel &GPU,
                                  const BlockResources &Block) {
  if (Block.RegistersPerThread > GPU.MaxRegistersPerThread)
    return 0;
  uint64_t OfWarp = alignTo(uint64_t(Block.RegistersPerThread) * GPU.WarpSize,
                            GPU.RegisterAllocationUnit);
  if (OfWarp == 0)
    return GPU.MaxBlocks;
  uint64_t Warps =
      GPU.Registers / GPU.SubPartitions / OfWarp * GPU.SubPartitions;
  return unsigned(Warps / warpsOf(GPU, Block.ThreadsPerBlock));
}

/// The fifth.
static unsigned blocksBySharedMemory(const GPUModel &GPU,
                                     const BlockResources &Block) {
  // Each alone first, so that the sum cannot wrap.
  const uint64_t Most = GPU.MaxSharedPerBlockBytes;
  if (Block.StaticSharedBytes > Most ||
      Block.DynamicSharedBytes > Most - Block.StaticSharedBytes)
    return 0;
  uint64_t OfBlock =
      alignTo(Block.StaticSharedBytes + Block.DynamicSharedBytes +
                  GPU.ReservedSharedPerBlockBytes,
              GPU.SharedAllocationUnitBytes);
  if (OfBlock == 0)
    return GPU.MaxBlocks;
  return unsigned(uint64_t(GPU.CarveoutKiB.back()) * 1024 / OfBlock);
}

/// All but the fourth.
static unsigned blocksBesideRegisters(const GPUModel &GPU,
                                      const BlockResources &Block,
                                      std::optional<uint64_t> GridBlocks,
                                      unsigned SMs) {
  if (Block.ThreadsPerBlock == 0 || Block.ThreadsPerBlock > MostThreadsPerBlock)
    return 0;
  unsigned Blocks = std::min(
      {GPU.MaxBlocks, GPU.MaxWarps / warpsOf(GPU, Block.ThreadsPerBlock),
       blocksBySharedMemory(GPU, Block)});
  if (GridBlocks)
    Blocks = unsigned(
        std::min<uint64_t>(Blocks, divideCeil(*GridBlocks, uint64_t(SMs))));
  return Blocks;
}

unsigned sluice::blocksPerSM(const GPUModel &GPU, const BlockResources &Block,
                             std::optional<uint64_t> GridBlocks, unsigned SMs) {
  unsigned Blocks = blocksBesideRegisters(GPU, Block, GridBlocks, SMs);
  return Blocks == 0 ? 0 : std::min(Blocks, blocksByRegisters(GPU, Block));
}

unsigned sluice::mostRegisters(const GPUModel &GPU, unsigned ThreadsPerBlock,
                               unsigned Blocks) {
  uint64_t WarpsOfScheduler =
      divideCeil(uint64_t(Blocks) * warpsOf(GPU, ThreadsPerBlock),
                 uint64_t(GPU.SubPartitions));
  if (WarpsOfScheduler == 0)
    return GPU.MaxRegistersPerThread;
  uint64_t OfWarp =
      alignDown(GPU.Registers / GPU.SubPartitions / WarpsOfScheduler,
                GPU.RegisterAllocationUnit);
  return unsigned(
      std::min<uint64_t>(OfWarp / GPU.WarpSize, GPU.MaxRegistersPerThread));
}

std::vector<CriticalPoint>
sluice::criticalPoints(const GPUModel &GPU, const BlockResources &Block,
                       RegisterRange Range, std::optional<uint64_t> GridBlocks,
                       unsigned SMs) {
  std::vector<CriticalPoint> Points;
  for (unsigned Blocks = blocksBesideRegisters(GPU, Block, GridBlocks, SMs);
       Blocks != 0; --Blocks) {
    unsigned Last = mostRegisters(GPU, Block.ThreadsPerBlock, Blocks);
    // Two numbers of blocks may have one count; the larger is what is held.
    if (Last < Range.Min ||
        (!Points.empty() && Last == Points.back().Registers))
      continue;
    Points.push_back({std::min(Last, Range.Max), Blocks});
    if (Last >= Range.Max)
      break;
  }
  return Points;
}
