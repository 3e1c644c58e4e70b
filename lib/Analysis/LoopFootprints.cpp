// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is asked of footprints once they are computed, again and again.

#include "LineSet.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace sluice;

std::pair<unsigned, unsigned>
sluice::warpsOfGroup(unsigned Warps, unsigned Groups, unsigned Group) {
  unsigned PerGroup = (Warps + Groups - 1) / Groups;
  unsigned First = std::min(Group * PerGroup, Warps);
  return {First, std::min(First + PerGroup, Warps)};
}

uint64_t LoopFootprint::linesPerBlock(unsigned WarpGroups) const {
  auto [It, Inserted] = Counted.try_emplace(WarpGroups, 0);
  if (!Inserted)
    return It->second;
  LineSet OfGroup;
  for (unsigned Group = 0; Group < WarpGroups; ++Group) {
    auto [First, End] = warpsOfGroup(WarpsPerBlock, WarpGroups, Group);
    OfGroup.clear();
    size_t Ordered = 0;
    for (size_t Access = 0; Access < Accesses.size(); ++Access) {
      for (unsigned Warp = First; Warp < End; ++Warp)
        llvm::append_range(OfGroup, LinesOfWarp[Warp][Access]);
      // Not for a few lines more, as it goes through all.
      if (OfGroup.size() < 2 * Ordered && Access + 1 < Accesses.size())
        continue;
      makeSet(OfGroup, Ordered);
      Ordered = OfGroup.size();
    }
    It->second = std::max<uint64_t>(It->second, OfGroup.size());
  }
  return It->second;
}

const LoopFootprint &LoopFootprints::of(unsigned LoopIndex,
                                        const LaunchConfig &Launch) {
  Key Of{LoopIndex, Launch.Block.Sizes, Launch.Grid.Sizes, Launch.Arguments};
  auto [It, Inserted] = Computed.try_emplace(std::move(Of));
  LoopFootprint &Footprint = It->second;
  if (!Inserted)
    return Footprint;
  if (Steps > MaxKernelSteps) {
    Footprint.Unknown = "the kernel's loops, for all launches, are too large "
                        "to count (more than " +
                        std::to_string(MaxKernelSteps) + " steps)";
    return Footprint;
  }
  Footprint = computeLoopFootprint(Kernel, LoopIndex, Launch, GPU);
  Steps += Footprint.Steps;
  return Footprint;
}
