// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches whose blocks have one shape share its rows. These have turns where
// all of the launches want turns, and then the largest N.

#include "LaunchWishes.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <map>
#include <set>

using namespace sluice;

/// What all of \p Wishes for the same blocks agree on: the largest N, but only
/// if all of them want one.
static GridSteps agreementOf(llvm::ArrayRef<const Wish *> Wishes) {
  bool AllGrids = llvm::any_of(Wishes, [](const Wish *W) { return !W->Grid; });
  std::set<uint64_t> Starts;
  for (const Wish *W : Wishes) {
    for (const GridStep &Step : W->Steps)
      Starts.insert(Step.MinBlocks);
    if (W->Grid && AllGrids)
      Starts.insert(*W->Grid + 1); // there it has ended
  }
  GridSteps Result;
  for (uint64_t Start : Starts) {
    unsigned Least = ~0U, Most = 1;
    for (const Wish *W : Wishes) {
      if (W->Grid && *W->Grid != Start)
        continue;
      unsigned N = warpGroupsOf(W->Steps, Start);
      Least = std::min(Least, N);
      Most = std::max(Most, N);
    }
    Result.push_back({Start, Least == 1 ? 1 : Most});
  }
  return simplified(Result);
}

LaunchTable sluice::tableOf(llvm::ArrayRef<Wish> Wishes) {
  std::map<BlockShape, std::vector<const Wish *>> OfShape;
  for (const Wish &W : Wishes)
    OfShape[W.Block].push_back(&W);
  LaunchTable Table;
  for (const auto &[Block, OfThis] : OfShape)
    // All candidates are blocks of whole warps.
    if (llvm::all_of(OfThis, [](const Wish *W) { return W->AnyBlock; }))
      Table.OfWarps[Block[0] / 32 - 1] = agreementOf(OfThis);
    else
      Table.Shapes[Block] = agreementOf(OfThis);
  return Table;
}

WishedTests sluice::testsOf(llvm::ArrayRef<Wish> Wishes) {
  auto WantsTurns = [](const Wish &W) {
    return llvm::any_of(W.Steps,
                        [](const GridStep &S) { return S.WarpGroups > 1; });
  };
  WishedTests Tests;
  for (const Wish &W : Wishes)
    if (WantsTurns(W))
      Tests.OnlyIf = bothOf(Tests.OnlyIf, W.OnlyIf);
  Tests.Differ = llvm::any_of(Wishes, [&](const Wish &W) {
    return WantsTurns(W) && W.OnlyIf != Tests.OnlyIf;
  });
  return Tests;
}
