// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The rule was fitted to 112 measured points on an H100
/// (benchmarks/results/2026-11-h100-blocks/resident.csv: 14 claims by 8
/// carveouts, with the configured size by Nsight Compute) and holds for all of
/// them that claim any memory. Taken to hold for the other architectures.

#include "sluice/Target/BlockClaim.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace llvm;
using namespace sluice;

static constexpr uint64_t LeastMeasuredBytes = 1024;

static uint64_t allocatedBytes(const GPUModel &GPU, uint64_t SharedPerBlock) {
  return alignTo(SharedPerBlock + GPU.ReservedSharedPerBlockBytes,
                 GPU.SharedAllocationUnitBytes);
}

static unsigned stepFor(const GPUModel &GPU, uint64_t Bytes) {
  const unsigned *Step = find_if(GPU.CarveoutKiB, [&](unsigned KiB) {
    return uint64_t(KiB) * 1024 >= Bytes;
  });
  return Step == GPU.CarveoutKiB.end() ? GPU.CarveoutKiB.back() : *Step;
}

// What is asked for counts as the program's own: the driver adds its
// reservation for each of the blocks that have room in it, and takes the next
// step. One block always fits.
unsigned sluice::configuredCarveoutKiB(const GPUModel &GPU, unsigned Percent,
                                       uint64_t SharedPerBlockBytes) {
  uint64_t Asked = uint64_t(GPU.CarveoutKiB.back()) * 1024 * Percent / 100;
  uint64_t Blocks = SharedPerBlockBytes == 0 ? 0 : Asked / SharedPerBlockBytes;
  uint64_t Needed =
      std::max<uint64_t>(Blocks, 1) * allocatedBytes(GPU, SharedPerBlockBytes);
  return stepFor(GPU, std::max(Asked, Needed));
}

unsigned sluice::blocksInCarveout(const GPUModel &GPU, unsigned Percent,
                                  uint64_t SharedPerBlockBytes) {
  uint64_t Allocated = allocatedBytes(GPU, SharedPerBlockBytes);
  if (Allocated == 0)
    return GPU.MaxBlocks;
  uint64_t KiB = configuredCarveoutKiB(GPU, Percent, SharedPerBlockBytes);
  return unsigned(KiB * 1024 / Allocated);
}

/// The percentage for which blocks of \p SharedPerBlock get \p KiB, also by
/// what CUDA's reference says of it: the next step that is no less. The middle
/// of those, farthest from where either rule would go over to another step.
static std::optional<unsigned> percentFor(const GPUModel &GPU, unsigned KiB,
                                          uint64_t SharedPerBlock) {
  unsigned ForOne = stepFor(GPU, allocatedBytes(GPU, SharedPerBlock));
  std::optional<unsigned> First, Last;
  for (unsigned P = 0; P <= 100; ++P)
    if (configuredCarveoutKiB(GPU, P, SharedPerBlock) == KiB &&
        std::max(GPU.carveoutOfPercent(P), ForOne) == KiB) {
      First = First.value_or(P);
      Last = P;
    }
  if (!First)
    return std::nullopt;
  return (*First + *Last) / 2;
}

std::optional<BlockClaim> sluice::claimForBlocks(const GPUModel &GPU,
                                                 unsigned Blocks,
                                                 uint64_t SharedPerBlockBytes) {
  if (Blocks == 0 || SharedPerBlockBytes > MostSharedWithoutOptIn)
    return std::nullopt;
  const uint64_t Unit = GPU.SharedAllocationUnitBytes;
  for (unsigned KiB : GPU.CarveoutKiB) {
    uint64_t Bytes = uint64_t(KiB) * 1024;
    // Between what M + 1 blocks could have and what M can: the middle, since
    // the assembler may align the kernel's own memory otherwise.
    uint64_t Most = Bytes / Blocks / Unit * Unit;
    uint64_t Least = Bytes / (Blocks + 1) / Unit * Unit + Unit;
    uint64_t Allocated = std::max((Most + Least) / 2 / Unit * Unit, Least);
    Allocated = std::max(
        Allocated,
        allocatedBytes(GPU, std::max(SharedPerBlockBytes, LeastMeasuredBytes)));
    Allocated =
        std::min(Allocated, allocatedBytes(GPU, MostSharedWithoutOptIn));
    if (Allocated < Least || Allocated > Most)
      continue;
    uint64_t Shared = Allocated - GPU.ReservedSharedPerBlockBytes;
    auto Percent = percentFor(GPU, KiB, Shared);
    if (!Percent)
      continue;
    uint64_t Claim =
        Shared > SharedPerBlockBytes ? Shared - SharedPerBlockBytes : 0;
    return BlockClaim{Claim, *Percent, KiB, GPU.l1Bytes(KiB)};
  }
  return std::nullopt;
}

SmallVector<CarveoutStep, 10>
sluice::carveoutsThatKeep(const GPUModel &GPU, unsigned Blocks,
                          uint64_t SharedPerBlockBytes,
                          uint64_t DefaultL1Bytes) {
  SmallVector<CarveoutStep, 10> Steps;
  if (SharedPerBlockBytes != 0 && SharedPerBlockBytes < LeastMeasuredBytes)
    return Steps;
  for (unsigned KiB : GPU.CarveoutKiB) {
    const uint64_t L1Bytes = GPU.l1Bytes(KiB);
    if (L1Bytes == DefaultL1Bytes ||
        (SharedPerBlockBytes == 0 && L1Bytes > DefaultL1Bytes))
      continue;
    auto Percent = percentFor(GPU, KiB, SharedPerBlockBytes);
    if (Percent &&
        blocksInCarveout(GPU, *Percent, SharedPerBlockBytes) >= Blocks)
      Steps.push_back({*Percent, KiB, L1Bytes});
  }
  return Steps;
}
