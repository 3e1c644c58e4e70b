// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One pass over a trace, with the loops that are open on a stack; reuse
// distances by a Fenwick tree over time, in n log n.

#include "TraceStatistics.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace sluice;
using llvm::popcount;

// Distinct bytes that the lanes of the access at P ask for.
static uint64_t usefulBytes(const uint32_t *P, unsigned Bytes) {
  const unsigned Lanes = popcount(P[1]);
  if (WarpTrace::op(*P) == WarpTrace::Affine) {
    const uint64_t Stride = uint64_t(std::abs(int64_t(int32_t(P[4]))));
    if (Stride == 0)
      return Bytes;
    if (Stride >= Bytes)
      return uint64_t(Lanes) * Bytes;
    const unsigned First = llvm::countr_zero(P[1]);
    const unsigned Last = 31 - llvm::countl_zero(P[1]);
    return (Last - First) * Stride + Bytes; // overlapping
  }
  llvm::SmallVector<uint32_t, 32> Distances(P + 4, P + 4 + Lanes);
  llvm::sort(Distances);
  uint64_t Useful = 0, End = 0;
  for (uint64_t D : Distances) {
    uint64_t Begin = std::max(D, End);
    End = std::max(End, D + Bytes);
    Useful += End - Begin;
  }
  return Useful;
}

namespace {

/// The lines that a warp has touched in the iterations it is in, of each loop
/// around it.
struct OpenLoop {
  uint32_t Loop;
  bool InIteration = false;
  llvm::SmallVector<uint64_t, 64> Lines = {};
};

} // namespace

static void endIteration(OpenLoop &L, LoopProfile &Of) {
  if (!L.InIteration)
    return;
  std::sort(L.Lines.begin(), L.Lines.end()); // llvm::sort takes qsort's time
  uint64_t Count =
      std::unique(L.Lines.begin(), L.Lines.end()) - L.Lines.begin();
  Of.IterationLines += Count;
  Of.MostIterationLines = std::max(Of.MostIterationLines, Count);
  L.Lines.clear();
  L.InIteration = false;
}

TraceStatistics sluice::countTrace(const LaunchTrace &Trace) {
  TraceStatistics S;
  S.Sites.resize(Trace.Sites.Accesses.size());
  S.Loops.resize(Trace.Sites.Loops.size());
  LineAccess Lines;
  llvm::SmallVector<OpenLoop, 4> Open;
  for (const BlockTrace &B : Trace.Blocks)
    for (const WarpTrace &W : B.Warps) {
      Open.clear();
      for (const uint32_t *P = W.Words.data(), *E = P + W.Words.size();
           P < E;) {
        const uint32_t Argument = WarpTrace::argument(*P);
        switch (WarpTrace::op(*P)) {
        case WarpTrace::LoopEnter:
          Open.push_back({Argument});
          ++S.Loops[Argument].Entries;
          ++P;
          break;
        case WarpTrace::Barrier:
          for (const OpenLoop &L : Open)
            S.Loops[L.Loop].HasBarrier = true;
          ++P;
          break;
        case WarpTrace::LoopExit:
          ++P;
          if (Open.empty() || Open.back().Loop != Argument)
            break;
          endIteration(Open.back(), S.Loops[Argument]);
          Open.pop_back();
          break;
        case WarpTrace::Iterate:
          ++P;
          if (Open.empty() || Open.back().Loop != Argument)
            break;
          endIteration(Open.back(), S.Loops[Argument]);
          Open.back().InIteration = true;
          ++S.Loops[Argument].Iterations;
          break;
        case WarpTrace::Affine:
        case WarpTrace::Scattered: {
          const AccessSite &Site = Trace.Sites.Accesses[Argument];
          AccessCounts &C = S.Sites[Argument];
          ++C.Requests;
          C.Lanes += popcount(P[1]);
          C.Bytes += uint64_t(popcount(P[1])) * Site.Bytes;
          if (Site.Space == AccessSite::Shared) {
            P = skipAccess(P);
            break;
          }
          C.UsefulBytes += usefulBytes(P, Site.Bytes);
          P = expandAccess(P, Site.Bytes, Lines);
          C.Lines += Lines.Count;
          C.Sectors += Lines.NumSectors;
          for (OpenLoop &L : Open)
            L.Lines.append(Lines.Line.begin(),
                           Lines.Line.begin() + Lines.Count);
          break;
        }
        default:
          ++P;
        }
      }
    }
  return S;
}

std::vector<ReuseHistogram>
sluice::reuseDistances(llvm::ArrayRef<const uint32_t *> Order,
                       const CodeSites &Code, unsigned Sample) {
  std::vector<ReuseHistogram> Of(Code.Accesses.size());
  // A Fenwick tree over the times of touches: 1 where it is a line's last one.
  std::vector<uint32_t> Tree(1, 0);
  llvm::DenseMap<uint64_t, uint32_t> LastTouch;
  uint32_t Distinct = 0;
  auto Add = [&](uint32_t At, uint32_t Value) {
    for (; At < Tree.size(); At += At & -At)
      Tree[At] += Value;
  };
  auto Before = [&](uint32_t At) { // sum of [1, At]
    uint32_t Sum = 0;
    for (; At; At -= At & -At)
      Sum += Tree[At];
    return Sum;
  };
  LineAccess Lines;
  for (const uint32_t *P : Order) {
    const uint32_t Site = WarpTrace::argument(*P);
    expandAccess(P, Code.Accesses[Site].Bytes, Lines);
    for (unsigned I = 0; I < Lines.Count; ++I) {
      uint64_t Line = Lines.Line[I];
      if (Sample > 1 && (Line * 0x9E3779B97F4A7C15u >> 40) % Sample)
        continue;
      // Time goes on by one; the tree grows with it.
      const auto Now = uint32_t(Tree.size());
      uint32_t Low = Now & (Now - 1);
      Tree.push_back(Before(Now - 1) - Before(Low));
      auto [It, New] = LastTouch.try_emplace(Line, Now);
      if (New) {
        ++Of[Site].Never;
        ++Distinct;
      } else {
        uint64_t Distance = uint64_t(Distinct - Before(It->second)) * Sample;
        unsigned Bucket = Distance ? std::min(llvm::Log2_64(Distance) + 1,
                                              ReuseHistogram::Buckets - 1)
                                   : 0;
        ++Of[Site].Count[Bucket];
        Add(It->second, ~uint32_t(0)); // minus one
        It->second = Now;
      }
      Add(Now, 1);
    }
  }
  return Of;
}
