// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sluice/XModel/PlannedMoves.h"
#include "sluice/Target/BlockClaim.h"
#include "sluice/Target/MemoryModel.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace llvm;
using namespace sluice;

//===- What a plan knows of the code --------------------------------------===//

/// Of \p A's lines, the share that an earlier iteration touched.
static double reusedShare(const AccessPlan &A, unsigned LineBytes) {
  if (!A.IterationStride || !*A.IterationStride)
    return 0; // not known: taken for a line of its own
  const double Stride = std::abs(double(**A.IterationStride));
  return std::max(0.0, 1 - Stride / LineBytes);
}

std::optional<LoopReads> sluice::largestReads(const KernelPlan &Plan,
                                              const GPUModel &GPU) {
  const LoopPlan *Largest = nullptr;
  auto HasLoads = [](const LoopPlan &L) {
    return any_of(L.Accesses,
                  [](const AccessPlan &A) { return A.Kind == "load"; });
  };
  for (const LoopPlan &L : Plan.Loops)
    if (HasLoads(L) && (!Largest || L.FootprintBytes > Largest->FootprintBytes))
      Largest = &L;
  if (!Largest)
    return std::nullopt;
  double Loads = 0, Lines = 0, Sectors = 0, Reused = 0, Useful = 0;
  for (const AccessPlan &A : Largest->Accesses) {
    if (A.Kind != "load")
      continue;
    ++Loads;
    Lines += A.LinesPerWarp;
    Sectors += A.SectorsPerWarp;
    Reused += A.LinesPerWarp * reusedShare(A, GPU.LineBytes);
    // A lane's own bytes, in sectors; of one word for all lanes, one sector.
    Useful += std::min<double>(
        A.SectorsPerWarp, double(A.Bytes) * GPU.WarpSize / GPU.SectorBytes);
  }
  if (Lines == 0 || Sectors == 0)
    return std::nullopt;
  return LoopReads{Sectors / Loads, Lines / Loads,
                   double(Largest->FootprintBytes), Reused / Lines,
                   Useful / Sectors};
}

std::vector<LaunchX> sluice::launchesOf(const KernelPlan &Plan,
                                        const GPUModel &GPU, unsigned SMs) {
  std::vector<LaunchX> Launches;
  for (const LaunchPlan &L : Plan.Launches)
    if (const std::optional<uint64_t> Threads = L.Block.total();
        Threads && L.BlocksPerSM)
      Launches.push_back({unsigned(divideCeil(*Threads, GPU.WarpSize)),
                          L.BlocksPerSM, L.Grid.total().value_or(0), 1,
                          L.L1Bytes, ""});
  return Launches;
}

//===- Decisions ----------------------------------------------------------===//

namespace {

class Planner {
public:
  Planner(const KernelX &K, const KernelPlan &Plan) : K(K), Plan(Plan) {}

  std::vector<Move> run() {
    addBlocks();
    if (Plan.CarveoutPercent && !Plan.ResidentBlocks)
      addCarveout(*Plan.CarveoutPercent);
    if (Plan.CachedWarps)
      addBypass(*Plan.CachedWarps);
    for (const LoopPlan &L : Plan.Loops)
      addLoop(L);
    return std::move(Moves);
  }

private:
  void add(MoveKind Kind, std::string What, const XModel &After) {
    Moves.push_back(makeMove(Kind, std::move(What), K.Model, After));
  }
  void addBlocks();
  void addCarveout(unsigned Percent);
  void addBypass(unsigned WarpsOfBlock);
  void addLoop(const LoopPlan &L);
  void addPromotion(const LoopPlan &L);

  const KernelX &K;
  const KernelPlan &Plan;
  std::vector<Move> Moves;
};

} // namespace

void Planner::addBlocks() {
  if (!Plan.ResidentBlocks || *Plan.ResidentBlocks >= K.Launch.BlocksPerSM)
    return;
  XModel After = K.Model;
  After.Threads = double(*Plan.ResidentBlocks) * K.Launch.WarpsPerBlock;
  if (auto Claim =
          claimForBlocks(*K.GPU, *Plan.ResidentBlocks, Plan.StaticSharedBytes))
    After.CacheBytes =
        std::max<double>(0, double(Claim->L1Bytes) -
                                double(memoryModel(*K.GPU).L1ReservedBytes));
  add(MoveKind::FewerThreads, formatv("M = {0} blocks", *Plan.ResidentBlocks),
      After);
}

void Planner::addCarveout(unsigned Percent) {
  XModel After = K.Model;
  After.CacheBytes = double(K.GPU->l1Bytes(K.GPU->carveoutOfPercent(Percent))) -
                     double(memoryModel(*K.GPU).L1ReservedBytes);
  add(MoveKind::LargerCache, formatv("carveout of {0} %", Percent), After);
}

void Planner::addBypass(unsigned WarpsOfBlock) {
  XModel After = K.Model;
  After.CachedThreads = double(std::min(WarpsOfBlock, K.Launch.WarpsPerBlock)) *
                        K.Launch.BlocksPerSM;
  add(MoveKind::PartialBypass,
      formatv("pi = {0} warps of a block", WarpsOfBlock), After);
}

void Planner::addPromotion(const LoopPlan &L) {
  // What stays in registers was loaded from one place again and again.
  double Kept = 0, All = 0;
  for (const AccessPlan &A : L.Accesses) {
    if (A.Kind != "load")
      continue;
    All += A.SectorsPerWarp;
    const bool IsSum =
        A.IterationStride && *A.IterationStride == int64_t(0) &&
        any_of(L.Accesses, [&](const AccessPlan &Store) {
          return Store.Kind == "store" && Store.Address == A.Address;
        });
    if (IsSum)
      Kept += A.SectorsPerWarp;
  }
  if (Kept <= 0 || Kept >= All)
    return;
  XModel After = K.Model;
  After.Intensity *= All / (All - Kept);
  After.RequestBytes *= (All - Kept) / All;
  add(MoveKind::HigherZ, "sums in registers at " + L.Id.str(), After);
}

void Planner::addLoop(const LoopPlan &L) {
  if (L.WarpGroups > 1) {
    XModel After = K.Model;
    After.Threads = std::max(1.0, K.Model.Threads / L.WarpGroups);
    add(MoveKind::FewerThreads,
        formatv("N = {0} at {1}", L.WarpGroups, L.Id.str()), After);
  }
  if (L.Promote.value_or(false))
    addPromotion(L);
  if (!L.Staged.empty() || !L.Widened.empty()) {
    const XModel After = withStreams(K.Model, K.UsefulShare, limitsOf(K));
    add(MoveKind::Streams,
        formatv("rows in {0} at {1}",
                L.Staged.empty() ? "registers" : "shared memory", L.Id.str()),
        After);
  }
  if (L.Unroll > 1) {
    XModel After = K.Model;
    After.RequestBytes *= L.Unroll;
    add(MoveKind::LoadsInFlight,
        formatv("{0} iterations together at {1}", L.Unroll, L.Id.str()), After);
  }
}

std::vector<Move> sluice::plannedMoves(const KernelX &K,
                                       const KernelPlan &Plan) {
  return Planner(K, Plan).run();
}
