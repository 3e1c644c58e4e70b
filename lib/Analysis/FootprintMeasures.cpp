// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a loop touches by addresses that the code does not tell: as a profile
// saw it, else as much as may be.

#include "FootprintBuilder.h"
#include <algorithm>
#include <cmath>

using namespace sluice;

/// One line for each warp that runs it, no two the same.
void FootprintBuilder::assumeLines(Touched &T) {
  unsigned Base = Bases.unknown();
  for (unsigned Warp = 0; Warp < Result.WarpsPerBlock; ++Warp) {
    if (Active.inWarp(*Running, Warp) == 0)
      continue;
    T.Lines[Warp] = {{Base, Warp}};
    T.Sectors[Warp] = {{Base, 0}};
  }
}

/// A line for each thread that runs \p Access, in each inner iteration.
uint64_t FootprintBuilder::mostLines(const AccessPattern &Access,
                                     size_t InnerIterations) const {
  uint64_t Threads = 0;
  for (unsigned Warp = 0; Warp < Result.WarpsPerBlock; ++Warp)
    Threads += Active.inWarp(*Running, Warp);
  return Threads * InnerIterations;
}

/// Of an indirect access: as many lines for each warp that runs it, and inner
/// iteration, as were measured, no two the same, but not more than all accesses
/// of the loop touched together.
void FootprintBuilder::measureGather(const AccessPattern &Access,
                                     size_t InnerIterations, Touched &T) {
  const AccessMeasurement &M = *Access.Measured;
  double Requests = double(InnerIterations);
  double Together = Kernel.Loops[LoopIndex].Measured.LinesPerIteration;
  if (Access.Loop != LoopIndex && Together > 0)
    Requests = std::min(Requests, Together / M.linesPerRequest());
  auto Lines = int64_t(std::ceil(Requests * M.linesPerRequest()));
  auto Sectors = int64_t(std::ceil(Requests * M.sectorsPerRequest()));
  unsigned Base = Bases.unknown();
  for (unsigned Warp = 0; Warp < Result.WarpsPerBlock; ++Warp) {
    T.Lines[Warp].clear();
    T.Sectors[Warp].clear();
    if (Active.inWarp(*Running, Warp) == 0)
      continue;
    for (int64_t L = 0; L < Lines; ++L)
      T.Lines[Warp].push_back({Base, Warp * Lines + L});
    for (int64_t S = 0; S < Sectors; ++S)
      T.Sectors[Warp].push_back({Base, S});
  }
}

/// Of lanes at unknown distances: what was counted, a line for each, less what
/// was measured to be fewer. The same lines stay in all accesses, so that those
/// that walk together still count once.
void FootprintBuilder::measureDistances(const AccessMeasurement &M,
                                        Touched &T) {
  for (unsigned Warp = 0; Warp < Result.WarpsPerBlock; ++Warp) {
    if (T.LinesOfOneRequest[Warp] == 0)
      continue;
    double Share = M.linesPerRequest() / double(T.LinesOfOneRequest[Warp]);
    keepFirst(T.Lines[Warp], Share);
    keepFirst(T.Sectors[Warp], Share);
  }
}
