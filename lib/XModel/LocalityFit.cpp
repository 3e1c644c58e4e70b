// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two parameters and a dozen points: all of a grid are tried, then all of a
// finer one around the best. alpha - 1 and beta are of any order of magnitude,
// so that the grid is of their logarithms.

#include "sluice/XModel/LocalityFit.h"
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

std::vector<HitPoint> sluice::hitPoints(const ReuseHistogram &Reuse,
                                        double Threads, double CacheBytes,
                                        unsigned LineBytes) {
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
    const double Share = std::exp2(B) * LineBytes / Threads;
    if (Share >= CacheBytes / Threads / 2 && Share <= CacheBytes * 2)
      Points.push_back({Share, Hits / Touches, 1});
  }
  return Points;
}
