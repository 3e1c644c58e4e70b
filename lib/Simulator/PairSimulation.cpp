// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses are expanded into lines once; each pair then goes through an L1 of
// its own. Only their order counts: there is no time in it.

#include "L1Cache.h"
#include "sluice/Simulator/Simulator.h"
#include "llvm/ADT/bit.h"

using namespace sluice;

PairSimulation::PairSimulation(llvm::ArrayRef<const uint32_t *> Order,
                               const CodeSites &Code,
                               llvm::ArrayRef<int> GroupOf, uint64_t L1Bytes)
    : L1Bytes(L1Bytes) {
  LineAccess A;
  for (uint32_t Time = 0; Time < Order.size(); ++Time) {
    const uint32_t Site = WarpTrace::argument(*Order[Time]);
    const int Group = GroupOf[Site];
    if (Group < 0 || Code.Accesses[Site].Kind != AccessSite::Load)
      continue;
    if (OfGroup.size() <= size_t(Group))
      OfGroup.resize(size_t(Group) + 1);
    expandAccess(Order[Time], Code.Accesses[Site].Bytes, A);
    OfGroup[size_t(Group)].push_back(
        {Time, uint32_t(Lines.size()), uint32_t(A.Count)});
    for (unsigned I = 0; I < A.Count; ++I)
      Lines.push_back({A.Line[I], A.Sectors[I]});
  }
}

uint64_t PairSimulation::hits(int First, int Second) const {
  L1Cache L1(L1Bytes);
  uint64_t Hits = 0;
  auto Do = [&](const Access &A) {
    for (uint32_t I = A.FirstLine; I < A.FirstLine + A.NumLines; ++I) {
      const uint8_t Want = Lines[I].Sectors;
      const unsigned Place = L1Cache::placeOf(Lines[I].Number);
      CacheLine *L = L1.find(Lines[I].Number, Place);
      if (L) {
        Hits += countSectors(L->Valid & Want);
        L1.touch(*L, Place, L1Hint::Normal);
      } else
        L = L1.allocate(Lines[I].Number, Place, L1Hint::Normal);
      if (L)
        L->Valid |= Want;
    }
  };
  const std::vector<Access> &A = OfGroup[size_t(First)];
  if (First == Second) {
    for (const Access &X : A)
      Do(X);
    return Hits;
  }
  const std::vector<Access> &B = OfGroup[size_t(Second)];
  size_t I = 0, J = 0;
  while (I < A.size() || J < B.size())
    if (J == B.size() || (I < A.size() && A[I].Time < B[J].Time))
      Do(A[I++]);
    else
      Do(B[J++]);
  return Hits;
}
