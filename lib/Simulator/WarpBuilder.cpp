// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A part is written when it has ended, in the order of its steps. Loads are
// counted as they are written: a wait names its load by how many have come
// since.

#include "sluice/Simulator/WarpBuilder.h"
#include "llvm/ADT/STLExtras.h"

using namespace sluice;

void WarpBuilder::enter(const CodePart &Part, const CodeSites &Code) {
  flush();
  moveTo(Part.Loop, Code);
  if (Part.BeginsIteration)
    Trace.add(WarpTrace::Iterate, uint32_t(Part.Loop));
  Pending = &Part;
}

void WarpBuilder::access(uint32_t Site, uint32_t Lanes,
                         const uint64_t *Addresses, bool GivesValue) {
  Kept K{Site, uint32_t(Words.size()), 0, GivesValue, false};
  WarpTrace::encodeAccess(Site, Lanes, Addresses, Words);
  K.End = uint32_t(Words.size());
  Accesses.push_back(K);
}

void WarpBuilder::barrier() {
  flush();
  Trace.add(WarpTrace::Barrier, 0);
}

WarpTrace WarpBuilder::take(const CodeSites &Code) {
  flush();
  moveTo(-1, Code);
  Trace.add(WarpTrace::End, 0);
  return std::move(Trace);
}

void WarpBuilder::write(Kept &K) {
  K.Written = true;
  for (uint32_t I = K.Begin; I < K.End;) {
    const uint32_t *P = &Words[I];
    auto Length = uint32_t(skipAccess(P) - P);
    Trace.Words.insert(Trace.Words.end(), P, P + Length);
    if (K.GivesValue)
      LastLoad[K.Site] = Loads++;
    I += Length;
  }
}

void WarpBuilder::flush() {
  if (Pending)
    for (const IssueStep &S : Pending->Steps)
      switch (S.Kind) {
      case IssueStep::Issue:
        Trace.add(WarpTrace::Issue, S.Argument);
        break;
      case IssueStep::Wait: {
        auto Last = LastLoad.find(S.Argument);
        if (Last == LastLoad.end())
          break;
        if (Loads - Last->second <= 64)
          Trace.add(WarpTrace::Wait, Loads - Last->second);
        LastLoad.erase(Last);
        break;
      }
      case IssueStep::Access:
        for (Kept &K : Accesses)
          if (K.Site == S.Argument && !K.Written) {
            write(K);
            break;
          }
        break;
      }
  for (Kept &K : Accesses)
    if (!K.Written)
      write(K);
  Accesses.clear();
  Words.clear();
  Pending = nullptr;
}

void WarpBuilder::moveTo(int To, const CodeSites &Code) {
  if (To == Loop)
    return;
  llvm::SmallVector<int, 8> Into;
  for (int L = To; L >= 0; L = Code.Loops[L].Parent)
    Into.push_back(L);
  while (Loop >= 0 && !llvm::is_contained(Into, Loop)) {
    Trace.add(WarpTrace::LoopExit, uint32_t(Loop));
    Loop = Code.Loops[Loop].Parent;
  }
  for (size_t I = Into.size(); I--;)
    if (Loop < 0 ? Code.Loops[Into[I]].Parent < 0
                 : Code.Loops[Into[I]].Parent == Loop) {
      Loop = Into[I];
      Trace.add(WarpTrace::LoopEnter, uint32_t(Loop));
    }
}
