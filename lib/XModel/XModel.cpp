// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// f(k) has one or two bends and g(x) one, so that their crossings are found by
// looking at many k and halving where the sign of the difference changes.

#include "sluice/XModel/XModel.h"
#include <algorithm>
#include <cmath>
#include <iterator>

using namespace llvm;
using namespace sluice;

/// Places that are looked at from 0 to n: of 64 warps, 64 for each.
static constexpr unsigned Steps = 4096;

//===- The curves ---------------------------------------------------------===//

/// At \p Share on \p Curve, which is not empty.
static double interpolate(const std::vector<HitPoint> &Curve, double Share) {
  if (Share >= Curve.back().BytesPerThread)
    return Curve.back().HitRate;
  auto After = std::upper_bound(
      Curve.begin(), Curve.end(), Share,
      [](double S, const HitPoint &P) { return S < P.BytesPerThread; });
  // Before the first one it rises as long as between it and half of it.
  const HitPoint First = {Curve.front().BytesPerThread / 2, 0, 1};
  const HitPoint &Low = After == Curve.begin() ? First : *std::prev(After);
  if (Share <= Low.BytesPerThread)
    return Low.HitRate;
  const double Part = std::log(Share / Low.BytesPerThread) /
                      std::log(After->BytesPerThread / Low.BytesPerThread);
  return Low.HitRate + Part * (After->HitRate - Low.HitRate);
}

double XModel::hitRate(double K) const {
  if (!hasCache() || K <= 0)
    return hasCache() ? 1 : 0;
  if (!HitCurve.empty())
    return interpolate(HitCurve, CacheBytes / K);
  // Eq. 3.3: each of K threads has S / K of the cache.
  return 1 - std::pow(CacheBytes / (Reuse.Beta * K) + 1, 1 - Reuse.Alpha);
}

double XModel::latency(double K) const {
  // Eq. 3.4. Without a cache all that is supplied comes from memory, and this
  // alone is min(K / L, R) of section 3.3.1.
  const double Memory = std::max(MemoryCycles, K * RequestBytes / Supply);
  if (!hasCache())
    return Memory;
  const double H = hitRate(K);
  return H * CacheCycles + (1 - H) * Memory; // Eq. 3.1
}

double XModel::supply(double K) const {
  if (K <= 0)
    return 0;
  const double Cached = CachedThreads ? std::min(K, *CachedThreads) : K;
  // Eq. 3.2 with 3.5: the latency depends on K by the cache and by the memory.
  double Bytes = Cached > 0 ? Cached * RequestBytes / latency(Cached) : 0;
  if (CacheSupply > 0)
    Bytes = std::min(Bytes, CacheSupply);
  if (K > Cached) {
    // The others have what the misses of these leave of the memory.
    const double Left = Supply - (1 - hitRate(Cached)) * Bytes;
    Bytes += std::clamp((K - Cached) * RequestBytes / MemoryCycles, 0.0,
                        std::max(0.0, Left));
  }
  return Bytes;
}

double XModel::demand(double X) const {
  return std::min(std::max(0.0, X) * Parallelism / LaneCycles, Lanes) /
         Intensity;
}

XModel sluice::withoutCache(XModel M) {
  M.CacheBytes = 0;
  M.CacheSupply = 0;
  M.CachedThreads.reset();
  return M;
}

//===- Places in the graph ------------------------------------------------===//

XPoint sluice::csTransition(const XModel &M) {
  const double X = M.Lanes * M.LaneCycles / M.Parallelism;
  return {X, M.demand(X)};
}

XPoint sluice::msTransition(const XModel &M) {
  const double K = M.Supply * M.MemoryCycles / M.RequestBytes;
  return {K, M.supply(K)};
}

namespace {
/// The first rise, and the first fall behind it.
struct Bends {
  std::optional<XPoint> Peak, Valley;
};
} // namespace

static Bends findBends(const XModel &M) {
  Bends B;
  if (!M.hasCache())
    return B;
  // Behind delta the curve goes to its plateau, or falls towards it for ever.
  const double Last = std::max(M.Threads, 2 * msTransition(M).Threads);
  // What is less is the end of a number.
  constexpr double Tolerance = 1e-9;
  double K = 0, Before = 0;
  for (unsigned I = 1; I <= 2 * Steps; ++I) {
    const double Next = Last * I / (2 * Steps), Bytes = M.supply(Next);
    if (!B.Peak && Bytes < Before * (1 - Tolerance))
      B.Peak = XPoint{K, Before};
    if (B.Peak && Bytes > Before * (1 + Tolerance)) {
      B.Valley = XPoint{K, Before};
      return B;
    }
    K = Next;
    Before = Bytes;
  }
  return B;
}

std::optional<XPoint> sluice::cachePeak(const XModel &M) {
  return findBends(M).Peak;
}

std::optional<XPoint> sluice::cacheValley(const XModel &M) {
  return findBends(M).Valley;
}

//===- Balance ------------------------------------------------------------===//

/// Above 0: threads leave the MS faster than they come.
static double surplus(const XModel &M, double K) {
  return M.supply(K) - M.demand(M.Threads - K);
}

/// Between \p Low and \p High, where the surplus changes its sign.
static double findCrossing(const XModel &M, double Low, double High) {
  const bool Rises = surplus(M, High) > 0;
  for (unsigned I = 0; I < 60; ++I) {
    const double Middle = (Low + High) / 2;
    ((surplus(M, Middle) > 0) == Rises ? High : Low) = Middle;
  }
  return (Low + High) / 2;
}

std::vector<Intersection> sluice::intersections(const XModel &M) {
  std::vector<Intersection> Found;
  if (M.Threads <= 0)
    return Found;
  double Before = surplus(M, 0); // nothing is supplied: below 0
  for (unsigned I = 1; I <= Steps; ++I) {
    const double K = M.Threads * I / Steps, Now = surplus(M, K);
    if ((Before > 0) != (Now > 0)) {
      const double At = findCrossing(M, M.Threads * (I - 1) / Steps, K);
      // Eq. 3.6, |g'(x)| > |f'(k)|, is for where f falls. In general a further
      // thread in the MS has to raise what it supplies above what is demanded:
      // f'(k) + g'(x) > 0, which is so where the surplus goes from - to +.
      Found.push_back({At, M.Threads - At, M.supply(At), Now > 0});
    }
    Before = Now;
  }
  return Found;
}

Intersection sluice::settled(const XModel &M) {
  for (const Intersection &I : intersections(M))
    if (I.IsStable)
      return I;
  return {};
}

double sluice::operations(const XModel &M, const Intersection &At) {
  return M.Intensity * At.Bytes;
}

double sluice::machineThreads(const XModel &M) {
  return csTransition(M).Threads + msTransition(M).Threads;
}

double sluice::machineIntensity(const XModel &M) { return M.Lanes / M.Supply; }

StringRef sluice::nameOfBound(XBound Bound) {
  switch (Bound) {
  case XBound::Threads:
    return "threads";
  case XBound::Computation:
    return "computation";
  case XBound::Memory:
    return "memory";
  case XBound::Balance:
    return "balance";
  case XBound::Thrashing:
    return "thrashing";
  case XBound::Lookups:
    return "lookups";
  }
  return "";
}

XBound sluice::boundAt(const XModel &M, const Intersection &At) {
  // A crossing at a bend is found to within a step's rounding.
  constexpr double Near = 1e-6;
  const bool CS = At.X >= csTransition(M).Threads * (1 - Near);
  const bool MS = At.K >= msTransition(M).Threads * (1 - Near);
  if (M.CacheSupply > 0 && At.Bytes >= M.CacheSupply * (1 - Near))
    return CS ? XBound::Balance : XBound::Lookups;
  const Bends B = findBends(M);
  // Where little is lost to the peak, nothing is thrashed.
  if (B.Peak && At.K > B.Peak->Threads && At.Bytes < 0.95 * B.Peak->Bytes &&
      (!B.Valley || At.K < B.Valley->Threads))
    return CS ? XBound::Computation : XBound::Thrashing;
  if (CS)
    return MS ? XBound::Balance : XBound::Computation;
  return MS ? XBound::Memory : XBound::Threads;
}
