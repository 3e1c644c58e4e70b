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
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <map>
#include <set>

using namespace sluice;
using llvm::ArrayRef;

PitchedBase sluice::splitPitches(const AddressForm &Base) {
  std::set<unsigned> Arguments;
  Base.any([&](Variable V) {
    if (V.Kind == Variable::Argument)
      Arguments.insert(V.Index);
    return false;
  });
  auto IsTid = [](Variable V) { return V.Kind == Variable::Tid; };
  PitchedBase Split;
  Split.Rest = Base;
  for (unsigned Argument : Arguments) {
    auto [Factor, Rest] =
        Split.Rest.factorOut({Variable::Argument, Argument}, IsTid);
    if (!Factor.any(IsTid))
      continue;
    Split.Pitches.push_back({Argument, std::move(Factor)});
    Split.Rest = std::move(Rest);
  }
  return Split;
}

namespace {

/// The lanes of a warp that have one factor: the range of their offsets.
struct OffsetRange {
  int64_t Least, Largest;
};

} // namespace

/// Of the lanes \p Tids of one warp; 0: no minimum is needed, as all have one
/// factor. None: a lane has no value, or the minimum is beyond all reason.
static std::optional<int64_t> minimumOf(const LaneOffsets &Factors,
                                        const LaneOffsets &Offsets,
                                        ArrayRef<ThreadIndex> Tids,
                                        int64_t LineBytes) {
  std::map<int64_t, OffsetRange> OfFactor;
  for (const ThreadIndex &Tid : Tids) {
    auto Factor = Factors.at(Tid), Offset = Offsets.at(Tid);
    if (!Factor || !Offset)
      return std::nullopt;
    auto [It, Inserted] =
        OfFactor.try_emplace(*Factor, OffsetRange{*Offset, *Offset});
    It->second.Least = std::min(It->second.Least, *Offset);
    It->second.Largest = std::max(It->second.Largest, *Offset);
  }
  int64_t Minimum = OfFactor.size() > 1 ? 1 : 0;
  for (auto It = OfFactor.begin(); It != OfFactor.end(); ++It) {
    auto Next = std::next(It);
    if (Next == OfFactor.end())
      break;
    int64_t Missing = LineBytes - (Next->second.Least - It->second.Largest);
    if (Missing <= 0)
      continue;
    auto Least = int64_t(
        llvm::divideCeil(uint64_t(Missing), uint64_t(Next->first - It->first)));
    Minimum = std::max(Minimum, Least);
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
  std::vector<LaneOffsets> Factors;
  for (const PitchedBase::Pitch &P : Pitches)
    Factors.emplace_back(P.Factor);
  ArgumentMinima All;
  while (!Tids.empty()) {
    ArrayRef<ThreadIndex> Warp =
        Tids.take_front(std::min<size_t>(GPU.WarpSize, Tids.size()));
    Tids = Tids.drop_front(Warp.size());
    unsigned Differing = 0;
    for (auto [Pitch, OfLanes] : llvm::zip(Pitches, Factors)) {
      auto Minimum = minimumOf(OfLanes, Offsets, Warp, GPU.LineBytes);
      if (!Minimum)
        return std::nullopt;
      if (*Minimum == 0)
        continue;
      if (++Differing > 1)
        return std::nullopt;
      All = bothOf(All, ArgumentMinimum{Pitch.Argument, "", *Minimum});
    }
  }
  return All;
}
