// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two techniques are against each other where both say how the on-chip memory
// is split, or both claim shared memory. Shared memory that code declares and
// registers add up.

#include "sluice/Plan/ResourceLedger.h"
#include "sluice/Plan/ResidentBlocks.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace sluice;

static bool wantTheSame(const Taking &A, const Taking &B) {
  return (A.CarveoutPercent && B.CarveoutPercent) ||
         (A.ClaimedSharedBytes && B.ClaimedSharedBytes);
}

bool ResourceLedger::weigh(Taking T, double Tie) {
  auto IsAgainst = [&](const Taking &Other) {
    return Other.Technique != T.Technique && wantTheSame(T, Other);
  };
  for (const Taking &Other : Entries)
    if (IsAgainst(Other) &&
        (T.Nanoseconds == 0 ||
         double(T.Nanoseconds) * Tie >= double(Other.Nanoseconds)))
      return false;
  llvm::erase_if(Entries, [&](const Taking &Other) {
    return Other.Technique == T.Technique || IsAgainst(Other);
  });
  Entries.push_back(std::move(T));
  return true;
}

void ResourceLedger::giveBack(llvm::StringRef Technique) {
  llvm::erase_if(Entries,
                 [&](const Taking &T) { return T.Technique == Technique; });
}

bool ResourceLedger::has(llvm::StringRef Technique) const {
  return llvm::any_of(
      Entries, [&](const Taking &T) { return T.Technique == Technique; });
}

llvm::Expected<Occupancy>
ResourceLedger::heldAt(const LaunchConfig &Launch) const {
  BlockResources Block;
  Block.ThreadsPerBlock =
      unsigned(std::min<uint64_t>(*Launch.Block.total(), ~uint32_t(0)));
  Block.RegistersPerThread = RegistersPerThread;
  Block.StaticSharedBytes = Kernel.StaticSharedBytes;
  Block.DynamicSharedBytes = *Launch.DynamicSharedBytes;
  for (const Taking &T : Entries) {
    Block.RegistersPerThread += T.RegistersPerThread;
    Block.StaticSharedBytes += T.StaticSharedBytes;
    Block.DynamicSharedBytes += T.ClaimedSharedBytes;
  }
  for (const Taking &T : Entries)
    if (T.MaxRegisters)
      Block.RegistersPerThread =
          std::min(Block.RegistersPerThread, *T.MaxRegisters);
  auto Held = computeOccupancy(GPU, Block, Launch.Grid.total(), SMs);
  if (Held)
    Held->L1Bytes = l1With(Held->L1Bytes);
  return Held;
}

std::optional<uint64_t> ResourceLedger::sharedBytes(std::string &WhyNot) const {
  WhyNot = blocksRefusal(Kernel);
  if (!WhyNot.empty())
    return std::nullopt;
  std::optional<uint64_t> Dynamic;
  if (Kernel.Launches.empty() && !Kernel.UsesDynamicShared)
    Dynamic = 0;
  for (const LaunchConfig &Launch : Kernel.Launches) {
    if (!Launch.DynamicSharedBytes) {
      WhyNot = "its dynamic shared memory is not known at compile time";
      return std::nullopt;
    }
    if (Dynamic && *Dynamic != *Launch.DynamicSharedBytes) {
      WhyNot = "its launches have dynamic shared memory of different sizes";
      return std::nullopt;
    }
    Dynamic = Launch.DynamicSharedBytes;
  }
  if (!Dynamic) {
    WhyNot = "its dynamic shared memory is not known: no launch of it is in "
             "this file";
    return std::nullopt;
  }
  uint64_t Bytes = Kernel.StaticSharedBytes + *Dynamic;
  for (const Taking &T : Entries)
    Bytes += T.StaticSharedBytes;
  return Bytes;
}

std::optional<uint64_t> ResourceLedger::sharedBytes() const {
  std::string Ignored;
  return sharedBytes(Ignored);
}

std::optional<BlockClaim> ResourceLedger::claimFor(unsigned Blocks) const {
  std::optional<uint64_t> Own = sharedBytes();
  return Own ? claimForBlocks(GPU, Blocks, *Own) : std::nullopt;
}

llvm::SmallVector<CarveoutStep, 10>
ResourceLedger::carveoutsFor(unsigned Blocks, uint64_t DefaultL1Bytes) const {
  std::optional<uint64_t> Own = sharedBytes();
  if (!Own)
    return {};
  return carveoutsThatKeep(GPU, Blocks, *Own, DefaultL1Bytes);
}

std::optional<unsigned> ResourceLedger::blocksIn(unsigned Percent) const {
  std::optional<uint64_t> Own = sharedBytes();
  if (!Own)
    return std::nullopt;
  return blocksInCarveout(GPU, Percent, *Own);
}

uint64_t ResourceLedger::freeSharedBytes(unsigned Blocks) const {
  std::optional<uint64_t> Own = sharedBytes();
  if (!Own || Blocks == 0 || *Own >= MostSharedWithoutOptIn)
    return 0;
  uint64_t OfBlock =
      llvm::alignDown(uint64_t(GPU.CarveoutKiB.back()) * 1024 / Blocks,
                      GPU.SharedAllocationUnitBytes);
  uint64_t Taken = *Own + GPU.ReservedSharedPerBlockBytes;
  if (OfBlock <= Taken)
    return 0;
  return std::min(OfBlock - Taken, MostSharedWithoutOptIn - *Own);
}

/// L1 of an SM under the plan, bytes.
static uint64_t l1Bytes(const KernelPlan &Kernel, const LaunchPlan &Launch,
                        const GPUModel &GPU) {
  if (!Kernel.CarveoutPercent)
    return Launch.L1Bytes ? Launch.L1Bytes : GPU.l1Bytes(0);
  return GPU.l1Bytes(GPU.carveoutOfPercent(*Kernel.CarveoutPercent));
}

HeldByPlan sluice::heldByPlan(const KernelPlan &Kernel,
                              const LaunchPlan &Launch, const GPUModel &GPU) {
  HeldByPlan Held;
  Held.L1Bytes = l1Bytes(Kernel, Launch, GPU);
  Held.Warps = GPU.MaxWarps;
  std::optional<uint64_t> Threads = Launch.Block.total();
  if (Threads && Launch.BlocksPerSM)
    Held.Warps =
        double(llvm::divideCeil(*Threads, GPU.WarpSize) * Launch.BlocksPerSM);
  if (Kernel.ResidentBlocks && Launch.BlocksPerSM)
    Held.ShareOfBlocks =
        std::min(1.0, double(*Kernel.ResidentBlocks) / Launch.BlocksPerSM);
  Held.Warps *= Held.ShareOfBlocks;
  return Held;
}
