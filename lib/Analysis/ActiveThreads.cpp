// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Guard after guard: a thread stays if the guard's value in it is the one that
// passes. Where that one is not known, the value that the most threads have is
// taken, so that a footprint is rather too large.

#include "ActiveThreads.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace sluice;

/// What a guard is equal to in each of the threads that run, but for a summand
/// that is the same for all: threads with one value pass together.
void ActiveThreads::restrict(const AddressForm &Guard,
                             AddressForm::Values BlockIndex,
                             std::vector<bool> &Runs) {
  auto [Moving, Fixed] =
      Guard.partition([](Variable V) { return V.Kind == Variable::Tid; });
  // In most blocks the index of one thread of the grid is that of none.
  const bool IsExact = Fixed.asConstant() && !Moving.any([](Variable V) {
    return V.Kind == Variable::Ctaid;
  });
  LaneOffsets Lanes(Moving.bind(BlockIndex));
  Steps += Tids.size() * Lanes.steps();
  std::vector<int64_t> Values(Tids.size());
  std::map<int64_t, unsigned> Threads; // by value
  for (unsigned Thread = 0; Thread < Tids.size(); ++Thread) {
    if (!Runs[Thread])
      continue;
    auto Value = Lanes.at(Tids[Thread]);
    if (!Value)
      return;
    Values[Thread] = *Value;
    ++Threads[*Value];
  }
  if (Threads.empty())
    return;
  const int64_t Passes =
      IsExact ? -*Fixed.asConstant()
              : std::max_element(Threads.begin(), Threads.end(),
                                 [](const auto &A, const auto &B) {
                                   return A.second < B.second;
                                 })
                    ->first;
  for (unsigned Thread = 0; Thread < Tids.size(); ++Thread)
    Runs[Thread] = Runs[Thread] && Values[Thread] == Passes;
}

const ActiveThreads::Set &ActiveThreads::of(llvm::ArrayRef<AddressForm> Guards,
                                            AddressForm::Values BlockIndex) {
  std::vector<bool> Runs;
  if (!Guards.empty())
    Runs.assign(Tids.size(), true);
  for (const AddressForm &Guard : Guards)
    restrict(Guard, BlockIndex, Runs);
  if (!llvm::is_contained(Runs, false))
    Runs.clear();
  auto [It, Inserted] = Sets.try_emplace(Runs);
  if (Inserted)
    It->second = {unsigned(Sets.size()), std::move(Runs)};
  return It->second;
}

unsigned ActiveThreads::inWarp(const Set &S, unsigned Warp) const {
  const size_t First = size_t(Warp) * WarpSize;
  const size_t End = std::min(First + WarpSize, Tids.size());
  if (S.isAll())
    return unsigned(End - First);
  return unsigned(std::count(S.Runs.begin() + ptrdiff_t(First),
                             S.Runs.begin() + ptrdiff_t(End), true));
}
