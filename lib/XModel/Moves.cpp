// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sluice/XModel/Moves.h"
#include "sluice/Target/MemoryModel.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>

using namespace llvm;
using namespace sluice;

StringRef sluice::nameOfMove(MoveKind Kind) {
  switch (Kind) {
  case MoveKind::FewerThreads:
    return "fewer threads";
  case MoveKind::MoreThreads:
    return "more threads";
  case MoveKind::MoreILP:
    return "more ILP";
  case MoveKind::LessILP:
    return "less ILP";
  case MoveKind::HigherZ:
    return "higher Z";
  case MoveKind::LargerCache:
    return "larger cache";
  case MoveKind::PartialBypass:
    return "some warps past the cache";
  case MoveKind::NoCache:
    return "all past the cache";
  case MoveKind::Streams:
    return "each line once";
  case MoveKind::LoadsInFlight:
    return "more loads in flight";
  }
  return "";
}

StringRef sluice::techniqueFor(MoveKind Kind) {
  switch (Kind) {
  case MoveKind::FewerThreads:
    return "throttling (N), block limit (M)";
  case MoveKind::MoreThreads:
    return "register limit";
  case MoveKind::HigherZ:
    return "scalar promotion, more registers";
  case MoveKind::LargerCache:
    return "carveout";
  case MoveKind::PartialBypass:
    return "warp bypass (pi)";
  case MoveKind::NoCache:
    return "cache hints";
  case MoveKind::Streams:
    return "rows in shared memory";
  case MoveKind::LoadsInFlight:
    return "loads in flight";
  case MoveKind::MoreILP:
  case MoveKind::LessILP:
    return "";
  }
  return "";
}

Move sluice::makeMove(MoveKind Kind, std::string What, const XModel &Before,
                      const XModel &After) {
  const double Old = operations(Before, settled(Before));
  const Intersection At = settled(After);
  return {Kind, std::move(What), After, At,
          Old > 0 ? operations(After, At) / Old : 1};
}

MoveLimits sluice::limitsOf(const KernelX &K) {
  const MemoryModel Memory = memoryModel(*K.GPU);
  MoveLimits L;
  L.MostThreads = K.GPU->MaxWarps;
  L.MostCacheBytes = double(K.GPU->l1Bytes(K.GPU->CarveoutKiB.front())) -
                     double(Memory.L1ReservedBytes);
  L.UsefulShare = K.UsefulShare;
  L.WholeLineLookUps = Memory.TagLinesPerCycle * K.GPU->LineBytes;
  L.WholeLineSupply = Memory.DRAMBytesPerCycle / K.SMs;
  L.WholeLineBytes = K.LinesPerRequest * K.GPU->LineBytes *
                     std::max(1.0, K.Mix.loadsPerWait());
  return L;
}

XModel sluice::withStreams(const XModel &M, double UsefulShare,
                           const MoveLimits &Limits) {
  XModel After = M;
  After.CacheBytes = 0;
  After.Intensity /= UsefulShare;
  After.RequestBytes =
      std::max(M.RequestBytes * UsefulShare, Limits.WholeLineBytes);
  After.CacheSupply = Limits.WholeLineLookUps;
  // Parts of lines may have cost memory as much as whole ones.
  After.Supply = std::max(M.Supply, Limits.WholeLineSupply);
  return After;
}

/// The best of the moves that \p Make makes with n / 2, n / 4 and so on.
template <typename MakeTy>
static std::optional<Move> bestFraction(const XModel &M, MakeTy Make) {
  std::optional<Move> Best;
  for (double N = M.Threads / 2; N >= 1; N /= 2)
    if (Move Tried = Make(N); !Best || Tried.SpeedUp > Best->SpeedUp)
      Best = std::move(Tried);
  return Best;
}

static void addCacheMoves(std::vector<Move> &Moves, const XModel &M,
                          const MoveLimits &Limits) {
  if (!M.hasCache())
    return;
  if (Limits.MostCacheBytes > M.CacheBytes * 1.01) {
    XModel After = M;
    After.CacheBytes = Limits.MostCacheBytes;
    Moves.push_back(
        makeMove(MoveKind::LargerCache,
                 formatv("a cache of {0:F0} KiB in place of {1:F0}",
                         After.CacheBytes / 1024, M.CacheBytes / 1024),
                 M, After));
  }
  if (auto Best = bestFraction(M, [&](double N) {
        XModel After = M;
        After.CachedThreads = N;
        return makeMove(
            MoveKind::PartialBypass,
            formatv("{0:F0} of {1:F0} warps use the cache", N, M.Threads), M,
            After);
      }))
    Moves.push_back(*Best);
  XModel After = M;
  After.CacheBytes = 0;
  Moves.push_back(
      makeMove(MoveKind::NoCache, "no load uses the cache", M, After));
}

static void addThreadMoves(std::vector<Move> &Moves, const XModel &M,
                           const MoveLimits &Limits) {
  auto With = [&](MoveKind Kind, double N) {
    XModel After = M;
    After.Threads = N;
    return makeMove(Kind,
                    formatv("{0:F0} warps in place of {1:F0}", N, M.Threads), M,
                    After);
  };
  if (auto Best = bestFraction(
          M, [&](double N) { return With(MoveKind::FewerThreads, N); }))
    Moves.push_back(*Best);
  if (Limits.MostThreads > M.Threads)
    Moves.push_back(With(MoveKind::MoreThreads, Limits.MostThreads));
}

std::vector<Move> sluice::possibleMoves(const XModel &M,
                                        const MoveLimits &Limits) {
  std::vector<Move> Moves;
  if (M.Threads <= 0)
    return Moves;
  auto Add = [&](MoveKind Kind, StringRef What, auto Change) {
    XModel After = M;
    Change(After);
    Moves.push_back(makeMove(Kind, What.str(), M, After));
  };
  addThreadMoves(Moves, M, Limits);
  addCacheMoves(Moves, M, Limits);
  // A warp issues an instruction a cycle at most.
  if (2 * M.Parallelism <= M.LaneCycles)
    Add(MoveKind::MoreILP, "twice E",
        [](XModel &After) { After.Parallelism *= 2; });
  Add(MoveKind::LessILP, "half of E",
      [](XModel &After) { After.Parallelism /= 2; });
  Add(MoveKind::HigherZ, "half as many loads",
      [](XModel &After) { After.Intensity *= 2; });
  Add(MoveKind::LoadsInFlight, "twice as many loads before a warp waits",
      [](XModel &After) { After.RequestBytes *= 2; });
  if (Limits.UsefulShare < 0.9)
    Add(MoveKind::Streams, "each line is fetched once", [&](XModel &After) {
      After = withStreams(M, Limits.UsefulShare, Limits);
    });
  llvm::sort(Moves, [](const Move &A, const Move &B) {
    return std::pair(B.SpeedUp, A.Kind) < std::pair(A.SpeedUp, B.Kind);
  });
  return Moves;
}
