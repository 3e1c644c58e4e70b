// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two parameters and a dozen points: all of a grid are tried, then all of a
// finer one around the best. alpha - 1 and beta are of any order of magnitude,
// so that the grid is of their logarithms.

#include "sluice/XModel/LocalityFit.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>

using namespace llvm;
using namespace sluice;

static double errorOf(ArrayRef<HitPoint> Points, const Locality &Reuse) {
  XModel M;
  M.Reuse = Reuse;
  double Sum = 0, Weights = 0;
  for (const HitPoint &P : Points) {
    M.CacheBytes = P.BytesPerThread;
    const double Off = M.hitRate(1) - P.HitRate;
    Sum += P.Weight * Off * Off;
    Weights += P.Weight;
  }
  return Weights > 0 ? std::sqrt(Sum / Weights) : 0;
}

LocalityFit sluice::fitLocality(ArrayRef<HitPoint> Points) {
  LocalityFit Best;
  Best.Error = errorOf(Points, Best.Reuse);
  if (Points.empty())
    return Best;
  constexpr int Half = 20;       // of a grid's side
  double A = 0, B = 8;           // its middle: alpha of 2, beta of 256 bytes
  double StepA = 0.5, StepB = 1; // powers of two
  for (unsigned Round = 0; Round < 6; ++Round) {
    const double MiddleA = A, MiddleB = B;
    for (int I = -Half; I <= Half; ++I)
      for (int J = -Half; J <= Half; ++J) {
        const double TryA = std::clamp(MiddleA + I * StepA, -14.0, 6.0);
        const double TryB = std::clamp(MiddleB + J * StepB, -6.0, 34.0);
        const Locality Try = {1 + std::exp2(TryA), std::exp2(TryB)};
        if (const double Error = errorOf(Points, Try); Error < Best.Error) {
          Best = {Try, Error};
          A = TryA;
          B = TryB;
        }
      }
    StepA /= 4;
    StepB /= 4;
  }
  return Best;
}

/// For each bucket the share that holds its lines, and what then hits.
static std::vector<HitPoint> distribution(const ReuseHistogram &Reuse,
                                          double Threads, unsigned LineBytes) {
  std::vector<HitPoint> Points;
  double Touches = double(Reuse.Never);
  for (uint64_t Count : Reuse.Count)
    Touches += double(Count);
  if (Touches == 0 || Threads < 1)
    return Points;
  double Hits = 0;
  for (unsigned B = 0; B < ReuseHistogram::Buckets; ++B) {
    Hits += double(Reuse.Count[B]);
    // All of the buckets up to this one are below 2^B lines.
    Points.push_back({std::exp2(B) * LineBytes / Threads, Hits / Touches, 1});
  }
  return Points;
}

std::vector<HitPoint> sluice::hitPoints(const ReuseHistogram &Reuse,
                                        double Threads, double CacheBytes,
                                        unsigned LineBytes) {
  std::vector<HitPoint> Points = distribution(Reuse, Threads, LineBytes);
  erase_if(Points, [&](const HitPoint &P) {
    return P.BytesPerThread < CacheBytes / Threads / 2 ||
           P.BytesPerThread > CacheBytes * 2;
  });
  return Points;
}

std::vector<HitPoint> sluice::hitCurve(const ReuseHistogram &Reuse,
                                       double Threads, unsigned LineBytes,
                                       const HitPoint &Known) {
  std::vector<HitPoint> Curve = distribution(Reuse, Threads, LineBytes);
  // From the last point of no hits on; more cache than for all is no use.
  while (Curve.size() > 1 && Curve[1].HitRate <= 0)
    Curve.erase(Curve.begin());
  while (Curve.size() > 1 &&
         Curve[Curve.size() - 2].HitRate >= Curve.back().HitRate)
    Curve.pop_back();
  if (Curve.empty() || Curve.back().HitRate <= 0 || Known.HitRate <= 0)
    return {};
  // Where lines of threads find sectors of each other that are on their way,
  // or sectors of a line come one by one, more or less hits than lines say.
  if (Known.HitRate > Curve.back().HitRate)
    for (HitPoint &P : Curve)
      P.HitRate *= Known.HitRate / Curve.back().HitRate;
  // The share at which the curve has what is known now.
  XModel M;
  M.HitCurve = Curve;
  double Low = Curve.front().BytesPerThread / 2,
         High = Curve.back().BytesPerThread;
  for (unsigned I = 0; I < 60; ++I) {
    const double Middle = std::sqrt(Low * High);
    M.CacheBytes = Middle;
    (M.hitRate(1) < Known.HitRate ? Low : High) = Middle;
  }
  // On a level stretch any share has it: then it stays as it is.
  M.CacheBytes = Known.BytesPerThread;
  if (std::abs(M.hitRate(1) - Known.HitRate) > 0.01)
    for (HitPoint &P : Curve)
      P.BytesPerThread *= Known.BytesPerThread / High;
  return Curve;
}
