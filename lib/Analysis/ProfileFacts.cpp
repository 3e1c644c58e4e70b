// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An entry of a profile belongs to an access or a loop by its place and the
// calls that it was inlined through. Copies that unrolling made of one loop are
// one again here.

#include "sluice/Analysis/ProfileFacts.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <algorithm>
#include <tuple>

using namespace llvm;
using namespace sluice;

std::optional<double> sluice::shareWithin(const ReuseHistogram &Reuse,
                                          double Lines) {
  double Within = 0, Touches = double(Reuse.Never);
  for (unsigned Bucket = 0; Bucket < ReuseHistogram::Buckets; ++Bucket) {
    // Bucket 0 is distance 0; bucket B has the distances [2^(B-1), 2^B).
    double First = Bucket == 0 ? 0 : double(uint64_t(1) << (Bucket - 1));
    double Width = std::max(1.0, First);
    auto Count = double(Reuse.Count[Bucket]);
    Touches += Count;
    Within += Count * std::clamp((Lines - First) / Width, 0.0, 1.0);
  }
  if (Touches == 0)
    return std::nullopt;
  return Within / Touches;
}

/// Profiles have one entry for all copies of an access, facts count them.
static bool isSame(const CodeId &A, const CodeId &B) {
  return A.Place.isKnown() && A.Place == B.Place && A.InlinedAt == B.InlinedAt;
}

static std::optional<AccessMeasurement>
measurementOf(const AccessPattern &Access, const KernelProfile &Measured) {
  StringRef Kind = Access.IsStore ? "store" : "load";
  auto Found = find_if(Measured.Accesses, [&](const AccessProfile &A) {
    return A.Kind == Kind && isSame(A.Id, Access.Id);
  });
  if (Found == Measured.Accesses.end() || Found->Counts.Requests == 0)
    return std::nullopt;
  return AccessMeasurement{Found->Counts.Requests, Found->Counts.Lines,
                           Found->Counts.Sectors, Found->Reuse};
}

static uint64_t warpsOf(const LaunchDim &Block) {
  return (Block.total().value_or(0) + 31) / 32;
}

/// Warps that were simulated, at most.
static uint64_t mostWarps(const KernelProfile &Measured) {
  uint64_t OfBlock = 0;
  for (const LaunchProfile &Launch : Measured.Launches)
    OfBlock = std::max(OfBlock, warpsOf(Launch.Block));
  return OfBlock * Measured.SimulatedBlocks;
}

/// \p MostEntries: 0 where it is not known.
static LoopMeasurement measurementOf(const LoopFacts &Loop,
                                     const KernelProfile &Measured,
                                     bool SameGPU, uint64_t MostEntries) {
  LoopMeasurement M;
  uint64_t MostIterations = 0;
  for (const LoopProfile &Copy : Measured.Loops) {
    if (!isSame(Copy.Id, Loop.Id))
      continue;
    // Of an unrolled loop's copies the one that runs the most.
    if (SameGPU && !Copy.Turns.empty() && Copy.Iterations > MostIterations) {
      MostIterations = Copy.Iterations;
      M.Turns = Copy.Turns;
    }
    if (SameGPU && Copy.Staged)
      M.Staged = Copy.Staged;
    M.Entries += Copy.Entries;
    M.Iterations += Copy.Iterations;
    if (Copy.Iterations != 0)
      M.LinesPerIteration =
          std::max(M.LinesPerIteration,
                   double(Copy.IterationLines) / double(Copy.Iterations));
  }
  for (const AccessPattern &Access : Loop.Accesses)
    if (Access.Measured)
      M.Iterations = std::max(M.Iterations, Access.Measured->Requests);
  if (MostEntries != 0)
    M.Entries = std::min(M.Entries, MostEntries);
  return M;
}

static bool hasUnknownSize(const LaunchConfig &Launch) {
  return !Launch.Grid.total() || !Launch.Block.total() ||
         !Launch.DynamicSharedBytes;
}

static bool agree(const LaunchDim &Known, const LaunchDim &Seen) {
  return all_of(zip(Known.Sizes, Seen.Sizes), [](auto Pair) {
    auto [A, B] = Pair;
    return !A || A == B;
  });
}

static bool agree(const LaunchConfig &Launch, const LaunchProfile &Seen) {
  return agree(Launch.Grid, Seen.Grid) && agree(Launch.Block, Seen.Block) &&
         Launch.DynamicSharedBytes.value_or(Seen.DynamicSharedBytes) ==
             Seen.DynamicSharedBytes;
}

/// \p Launch with the sizes of each launch in \p Shapes that it could be.
static void addShapes(const LaunchConfig &Launch,
                      ArrayRef<const LaunchProfile *> Shapes,
                      std::vector<LaunchConfig> &Launches) {
  bool Any = false;
  for (const LaunchProfile *Seen : Shapes) {
    if (!agree(Launch, *Seen))
      continue;
    Any = true;
    LaunchConfig Config = Launch;
    Config.Grid = Seen->Grid;
    Config.Block = Seen->Block;
    Config.DynamicSharedBytes = Seen->DynamicSharedBytes;
    Config.FromProfile = true;
    bool IsNew = none_of(Launches, [&](const LaunchConfig &Other) {
      return Other.FromProfile && Other.Grid == Config.Grid &&
             Other.Block == Config.Block &&
             Other.DynamicSharedBytes == Config.DynamicSharedBytes &&
             Other.Arguments == Config.Arguments;
    });
    if (IsNew)
      Launches.push_back(std::move(Config));
  }
  if (!Any)
    Launches.push_back(Launch);
}

static void addLaunches(const KernelProfile &Measured, bool SameGPU,
                        KernelFacts &Kernel) {
  SmallVector<const LaunchProfile *, 16> Shapes;
  for (const LaunchProfile &Shape : Measured.Launches)
    Shapes.push_back(&Shape);
  llvm::sort(Shapes, [](const LaunchProfile *A, const LaunchProfile *B) {
    return std::tie(B->Launches, A) < std::tie(A->Launches, B);
  });
  if (Shapes.size() > MaxProfiledLaunches)
    Shapes.truncate(MaxProfiledLaunches);

  std::vector<LaunchConfig> Launches;
  for (const LaunchConfig &Launch : Kernel.Launches)
    if (hasUnknownSize(Launch))
      addShapes(Launch, Shapes, Launches);
    else
      Launches.push_back(Launch);
  if (Kernel.Launches.empty() && !Shapes.empty())
    addShapes({}, Shapes, Launches);
  for (LaunchConfig &Launch : Launches)
    Launch.Measured = SameGPU && !hasUnknownSize(Launch) &&
                      any_of(Measured.Launches, [&](const LaunchProfile &Seen) {
                        return agree(Launch, Seen);
                      });
  Kernel.Launches = std::move(Launches);
}

void sluice::addMeasurements(const KernelProfile &Measured, bool SameGPU,
                             KernelFacts &Kernel) {
  for (LoopFacts &Loop : Kernel.Loops) {
    for (AccessPattern &Access : Loop.Accesses)
      Access.Measured = measurementOf(Access, Measured);
    Loop.Measured = measurementOf(Loop, Measured, SameGPU,
                                  Loop.Parent ? 0 : mostWarps(Measured));
  }
  addLaunches(Measured, SameGPU, Kernel);
  if (!SameGPU)
    return;
  Kernel.FewerBlocks = Measured.FewerBlocks;
  Kernel.Carveouts = Measured.Carveouts;
  Kernel.PredictedL1Bytes = Measured.L1Bytes;
}
