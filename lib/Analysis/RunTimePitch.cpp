// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of one warp, lane L is at Factor(L) * n + Offset(L). Lanes of one Factor are
// at known distances. Of two groups of lanes that follow one another by their
// Factor the nearest lanes are a line apart if
//
//     (Factor2 - Factor1) * n >= LineBytes - (least Offset2 - largest Offset1),
//
// and if that holds for each group and the next, it does for all.

#include "RunTimePitch.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <set>

using namespace sluice;
using llvm::ArrayRef;

static bool isTid(Variable V) { return V.Kind == Variable::Tid; }

bool PitchedBase::Pitch::differs() const { return Factor.any(isTid); }

PitchedBase sluice::splitPitches(const AddressForm &Base) {
  std::set<unsigned> Arguments;
  Base.any([&](Variable V) {
    if (V.Kind == Variable::Argument)
      Arguments.insert(V.Index);
    return false;
  });
  PitchedBase Split;
  Split.Rest = Base;
  for (unsigned Argument : Arguments) {
    auto [Factor, Rest] =
        Split.Rest.factorOut({Variable::Argument, Argument}, isTid);
    if (Factor.asConstant() == 0)
      continue;
    Split.Pitches.push_back({Argument, std::move(Factor)});
    Split.Rest = std::move(Rest);
  }
  return Split;
}

/// Of the lanes \p Tids of one warp; 0: no minimum is needed, as all have one
/// factor. None: a lane has no value, or the minimum is beyond all reason.
static std::optional<int64_t> minimumOf(const LaneOffsets &Factors,
                                        const LaneOffsets &Offsets,
                                        ArrayRef<ThreadIndex> Tids,
                                        int64_t LineBytes) {
  llvm::SmallVector<std::pair<int64_t, int64_t>, 32> Lanes;
  for (const ThreadIndex &Tid : Tids) {
    auto Factor = Factors.at(Tid), Offset = Offsets.at(Tid);
    if (!Factor || !Offset)
      return std::nullopt;
    Lanes.push_back({*Factor, *Offset});
  }
  llvm::sort(Lanes);
  int64_t Minimum = 0;
  // Where the factor changes, the lane before has the largest offset of its
  // factor and the lane behind the least.
  for (size_t I = 1; I < Lanes.size(); ++I) {
    auto [Factor, Largest] = Lanes[I - 1];
    auto [NextFactor, Least] = Lanes[I];
    if (Factor == NextFactor)
      continue;
    int64_t Missing = std::max<int64_t>(1, LineBytes - (Least - Largest));
    auto Needed = int64_t(
        llvm::divideCeil(uint64_t(Missing), uint64_t(NextFactor - Factor)));
    Minimum = std::max(Minimum, Needed);
  }
  if (Minimum > ArgumentMinimum::Most)
    return std::nullopt;
  return Minimum;
}

std::optional<ArgumentMinima>
sluice::minimaForOwnLines(ArrayRef<PitchedBase::Pitch> Pitches,
                          const AddressForm &Offset, ArrayRef<ThreadIndex> Tids,
                          const GPUModel &GPU) {
  const LaneOffsets Offsets(Offset);
  std::vector<std::pair<unsigned, LaneOffsets>> Factors; // by the argument
  for (const PitchedBase::Pitch &P : Pitches)
    if (P.differs())
      Factors.emplace_back(P.Argument, P.Factor);
  ArgumentMinima All;
  while (!Tids.empty()) {
    ArrayRef<ThreadIndex> Warp =
        Tids.take_front(std::min<size_t>(GPU.WarpSize, Tids.size()));
    Tids = Tids.drop_front(Warp.size());
    unsigned Differing = 0;
    for (const auto &[Argument, OfLanes] : Factors) {
      auto Minimum = minimumOf(OfLanes, Offsets, Warp, GPU.LineBytes);
      if (!Minimum)
        return std::nullopt;
      if (*Minimum == 0)
        continue;
      if (++Differing > 1)
        return std::nullopt;
      All = bothOf(All, ArgumentMinimum{Argument, "", *Minimum});
    }
  }
  return All;
}
