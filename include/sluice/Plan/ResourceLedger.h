// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Who takes what of an SM: a kernel's registers and shared memory, what each
/// technique takes beside them, and what then is held, blocks, warps and L1
/// (CATT, Eq. 1 to 4). Techniques ask here for occupancy and for bytes, so that
/// two that want the same are weighed and not served in the order in which they
/// come.

#ifndef SLUICE_PLAN_RESOURCELEDGER_H
#define SLUICE_PLAN_RESOURCELEDGER_H

#include "sluice/Analysis/KernelFacts.h"
#include "sluice/Plan/Plan.h"
#include "sluice/Target/BlockClaim.h"
#include "sluice/Target/Occupancy.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace sluice {

/// What a technique takes beside what the kernel has.
struct Taking {
  llvm::StringRef Technique;       ///< Its name; lives as long as the ledger.
  uint64_t StaticSharedBytes = 0;  ///< Of a block, declared in the code.
  uint64_t ClaimedSharedBytes = 0; ///< Of a block, asked for at launches.
  unsigned RegistersPerThread = 0; ///< In addition.
  std::optional<unsigned> MaxRegisters; ///< A limit, with all that is taken.
  /// The split of the on-chip memory, per cent as in CarveoutPlan.
  std::optional<unsigned> CarveoutPercent;
  uint64_t Nanoseconds = 0; ///< Of the kernel with it, predicted; 0: unknown.
};

class ResourceLedger {
public:
  /// \p RegistersPerThread: of the kernel without what techniques take. \p SMs:
  /// of the GPU. \p L1KiB: pretend an L1 of this size (`l1-kib=`).
  ResourceLedger(const KernelFacts &Kernel, const GPUModel &GPU,
                 unsigned RegistersPerThread, unsigned SMs,
                 std::optional<unsigned> L1KiB)
      : Kernel(Kernel), GPU(GPU), RegistersPerThread(RegistersPerThread),
        SMs(SMs), L1KiB(L1KiB) {}

  const KernelFacts &kernel() const { return Kernel; }
  const GPUModel &gpu() const { return GPU; }

  //===- Entries ----------------------------------------------------------===//

  /// Enters \p T if nobody has what it wants; else, if it is predicted to be
  /// faster by the factor \p Tie than each that has, in their place. Returns
  /// whether it was entered.
  bool weigh(Taking T, double Tie);
  void giveBack(llvm::StringRef Technique);
  llvm::ArrayRef<Taking> takings() const { return Entries; }
  bool has(llvm::StringRef Technique) const;

  //===- What is held -----------------------------------------------------===//

  /// What an SM holds at \p Launch, whose block and dynamic shared memory are
  /// known. Errors as computeOccupancy.
  llvm::Expected<Occupancy> heldAt(const LaunchConfig &Launch) const;
  /// The L1, bytes, that \p Leaves would be left, or the pretended one.
  uint64_t l1With(uint64_t Leaves) const {
    return L1KiB ? uint64_t(*L1KiB) * 1024 : Leaves;
  }

  //===- Shared memory ----------------------------------------------------===//

  /// Of a block, static and dynamic, if it is the same in all launches and may
  /// change; else none, with \p WhyNot.
  std::optional<uint64_t> sharedBytes(std::string &WhyNot) const;
  std::optional<uint64_t> sharedBytes() const;
  /// The claim that keeps \p Blocks blocks on an SM; none: there is none.
  std::optional<BlockClaim> claimFor(unsigned Blocks) const;
  /// The carveouts that keep \p Blocks blocks (carveoutsThatKeep).
  llvm::SmallVector<CarveoutStep, 10>
  carveoutsFor(unsigned Blocks, uint64_t DefaultL1Bytes) const;
  /// Blocks that fit a carveout; none: what they have is not known.
  std::optional<unsigned> blocksIn(unsigned CarveoutPercent) const;
  /// Bytes that a block could still declare with \p Blocks blocks on an SM;
  /// at most what one can have without opting in.
  uint64_t freeSharedBytes(unsigned Blocks) const;

private:
  const KernelFacts &Kernel;
  const GPUModel &GPU;
  const unsigned RegistersPerThread, SMs;
  const std::optional<unsigned> L1KiB;
  std::vector<Taking> Entries;
};

/// What an SM holds by a plan, which may be the user's.
struct HeldByPlan {
  uint64_t L1Bytes = 0;
  double Warps = 0;         ///< Resident.
  double ShareOfBlocks = 1; ///< Of those that an SM could hold.
};
HeldByPlan heldByPlan(const KernelPlan &Kernel, const LaunchPlan &Launch,
                      const GPUModel &GPU);

} // namespace sluice

#endif
