// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "StagedTimes.h"
#include "sluice/Simulator/Profiler.h"
#include "sluice/Target/BlockClaim.h"
#include "sluice/Target/Occupancy.h"
#include "sluice/Target/StagingBuffers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <map>

using namespace llvm;
using namespace sluice;

/// Lines of a request, for each lane that takes part, from which on lanes have
/// lines of their own. Less: they share them, and one request gets much of
/// each.
static constexpr double LeastLinesOfLane = 0.5;

/// Of a thread whose rows are staged, as it is compiled: of chunks that are
/// whole the loop is unrolled.
static constexpr unsigned StagedRegisters = 64;

/// Of the loop of the source that \p Loop is a copy of, by the rows that it
/// would have: SimulationOptions::RowOf. Empty: none.
static std::vector<int> rowsOf(const CodeSites &Code, const CodeId &Loop,
                               const TraceStatistics &Counts,
                               unsigned &NumRows) {
  std::vector<int> RowOf(Code.Accesses.size(), -1);
  std::map<std::pair<std::string, int>, int> Known;
  for (auto [I, Site] : enumerate(Code.Accesses)) {
    const AccessCounts &C = Counts.Sites[I];
    if (Site.Space != AccessSite::Global || Site.Kind == AccessSite::Atomic ||
        Site.Loop < 0 || !(Code.Loops[Site.Loop].Id.ofAllCopies() == Loop) ||
        double(C.Lines) < LeastLinesOfLane * double(C.Lanes) || !C.Requests)
      continue;
    RowOf[I] = Known
                   .try_emplace({Site.Id.ofAllCopies().str(), Site.Kind},
                                int(Known.size()))
                   .first->second;
  }
  NumRows = unsigned(Known.size());
  if (Known.empty())
    RowOf.clear();
  return RowOf;
}

/// With the buffers of \p Rows rows in each block; false: they have no place.
static bool addBuffers(const LaunchTrace &Trace, unsigned Rows,
                       SimulationOptions &S) {
  const uint64_t OfWarp =
      stagingBytesOfWarp(Rows, S.GPU->LineBytes, S.GPU->WarpSize);
  const uint64_t Most = MostSharedWithoutOptIn;
  const uint64_t Warps = divideCeil(Trace.blockThreads(), S.GPU->WarpSize);
  const uint64_t Buffers = warpsWithBuffers(
      Most - std::min(Most, Trace.StaticSharedBytes), OfWarp, Warps);
  if (Buffers == 0)
    return false;
  BlockResources Block;
  Block.ThreadsPerBlock = Trace.blockThreads();
  Block.RegistersPerThread = std::max(Trace.Registers, StagedRegisters);
  Block.StaticSharedBytes = Trace.StaticSharedBytes + OfWarp * Buffers;
  Block.DynamicSharedBytes = Trace.DynamicSharedBytes;
  auto O = computeOccupancy(*S.GPU, Block, Trace.gridBlocks(), Trace.ActiveSMs);
  if (!O) {
    consumeError(O.takeError());
    return false;
  }
  S.BlocksPerSM = O->BlocksPerSM;
  S.L1Bytes = O->L1Bytes;
  return true;
}

void sluice::addStagedTimes(const LaunchTrace &Trace,
                            const SimulationOptions &Simulation,
                            const TraceStatistics &Counts, KernelProfile &K) {
  // Of several copies of a loop the prediction stands with the one that runs
  // the most.
  std::map<std::string, LoopProfile *> ByPlace;
  for (LoopProfile &L : K.Loops) {
    LoopProfile *&Most = ByPlace[L.Id.ofAllCopies().str()];
    if (!Most || L.Iterations > Most->Iterations)
      Most = &L;
  }
  for (auto &[Place, Loop] : ByPlace) {
    unsigned Rows = 0;
    SimulationOptions Staged = Simulation;
    Staged.Order = nullptr;
    Staged.RowOf = rowsOf(Trace.Sites, Loop->Id.ofAllCopies(), Counts, Rows);
    if (Staged.RowOf.empty() || !addBuffers(Trace, Rows, Staged))
      continue;
    Loop->Staged = {
        predictedNanoseconds(Trace, Staged, simulate(Trace, Staged)),
        K.Time.Nanoseconds};
  }
}
