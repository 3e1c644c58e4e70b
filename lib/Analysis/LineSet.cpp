// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vectors and no trees: lines mostly come in order, which makes a sort a look
// and a union a merge.

#include "LineSet.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>

using namespace sluice;

void sluice::makeSet(LineSet &Lines, size_t Ordered) {
  auto Middle = Lines.begin() + ptrdiff_t(Ordered);
  if (!std::is_sorted(Middle, Lines.end())) // mostly it is
    std::sort(Middle, Lines.end());
  if (Ordered != 0 && Middle != Lines.end() && *Middle < *std::prev(Middle)) {
    LineSet Merged(Lines.size());
    std::merge(Lines.begin(), Middle, Middle, Lines.end(), Merged.begin());
    Lines = std::move(Merged);
  }
  Lines.erase(std::unique(Lines.begin(), Lines.end()), Lines.end());
}

uint64_t sluice::addMoved(llvm::ArrayRef<LineSet> New, int64_t Distance,
                          std::vector<LineSet> &Sets) {
  uint64_t Added = 0;
  for (auto [OfWarp, Set] : llvm::zip(New, Sets)) {
    const size_t Ordered = Set.size();
    for (auto [Base, Number] : OfWarp)
      Set.push_back({Base, Number + Distance});
    makeSet(Set, Ordered);
    Added += OfWarp.size();
  }
  return Added;
}

void sluice::keepFirst(LineSet &Lines, double Share) {
  auto Kept = size_t(std::ceil(Share * double(Lines.size())));
  if (Kept < Lines.size())
    Lines.resize(Kept);
}
