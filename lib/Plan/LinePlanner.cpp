// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The paper's CLN (3.1): shared memory that is left over threads over 16 bytes.
// It is declared in the code, so it is for the largest block that the source
// shows, and as many blocks stay on an SM as without it. What a thread keeps it
// chooses as it runs, unless lanes must stay together.

#include "sluice/Plan/LinePlanner.h"
#include "sluice/Plan/OptionSpec.h"
#include "sluice/Plan/PlanningContext.h"
#include "sluice/Plan/ResourceLedger.h"
#include "sluice/Plan/Technique.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace sluice;

namespace {

class LinePlanner {
public:
  LinePlanner(const KernelFacts &Kernel, const GPUModel &GPU,
              const SoftwareL1Settings &Settings, KernelPlan &Plan)
      : Kernel(Kernel), GPU(GPU), Settings(Settings), Plan(Plan),
        Ledger(Kernel, GPU, Plan.Registers, GPU.DefaultSMs, std::nullopt) {}
  void run();

private:
  void measureSpace();
  bool give(const LoopFacts &Facts, LoopPlan &Loop);

  const KernelFacts &Kernel;
  const GPUModel &GPU;
  const SoftwareL1Settings &Settings;
  KernelPlan &Plan;
  ResourceLedger Ledger;
  unsigned Threads = 0;   ///< Of a block; a multiple of a warp's.
  unsigned MostLines = 0; ///< Of a thread.
  std::string NoMemory;   ///< Why there are none.
};

} // namespace

/// Threads and lines, for all loops of the kernel alike: they share a buffer.
void LinePlanner::measureSpace() {
  std::optional<uint64_t> Own = Ledger.sharedBytes(NoMemory);
  if (Own && Kernel.UsesDynamicShared)
    NoMemory = "the kernel uses dynamic shared memory";
  const unsigned Most =
      Kernel.MaxThreadsPerBlock.value_or(MaxWarpsPerBlock * GPU.WarpSize);
  for (const LaunchConfig &Launch : Kernel.Launches)
    Threads =
        std::max(Threads, unsigned(std::min<uint64_t>(
                              Launch.Block.total().value_or(Most), Most)));
  if (!Threads)
    Threads = Most;
  unsigned Blocks = 1;
  for (const LaunchPlan &Launch : Plan.Launches)
    Blocks = std::max(Blocks, Launch.BlocksPerSM);
  Threads = unsigned(alignTo(Threads, GPU.WarpSize));
  MostLines = unsigned(Ledger.freeSharedBytes(Blocks) /
                       (uint64_t(Threads) * ThreadLineBytes));
  if (NoMemory.empty() && MostLines == 0)
    NoMemory = "the shared memory that is left has no line for each thread";
}

bool LinePlanner::give(const LoopFacts &Facts, LoopPlan &Loop) {
  const std::string &Why =
      Facts.Cacheable.empty() ? Facts.CachingRefusal : NoMemory;
  if (!Why.empty()) {
    Loop.LinesWhy = "its threads have no lines: " + Why;
    return false;
  }
  if (Facts.Cacheable.empty())
    return false; // it is not in the code that can be changed
  Loop.LinesMonitored =
      !Facts.KeepsLanesTogether && Settings.CountedAccesses != 0;
  Loop.LinesPerThread =
      unsigned(std::min<size_t>(MostLines, Facts.Cacheable.size()));
  Loop.LineThreads = Threads;
  const size_t Most =
      Loop.LinesMonitored ? MostStructures : Loop.LinesPerThread;
  for (const CacheableStructure &S : Facts.Cacheable) {
    const CodeId Place = S.Id.ofAllCopies();
    if (Loop.Lines.size() < Most &&
        none_of(Loop.Lines,
                [&](const StagedStream &Known) { return Known.Id == Place; }))
      Loop.Lines.push_back({Place});
  }
  Loop.LinesPerThread =
      unsigned(std::min<size_t>(Loop.LinesPerThread, Loop.Lines.size()));
  Loop.LinesWhy =
      formatv("up to {0} of {1} data structures, {2}, for {3} "
              "threads of a block",
              Loop.LinesPerThread, Facts.Cacheable.size(),
              Loop.LinesMonitored ? "chosen as it runs" : "chosen by the code",
              Threads);
  return true;
}

void LinePlanner::run() {
  measureSpace();
  listLoops(Kernel, Plan);
  bool Gives = false;
  for (auto [Facts, Loop] : zip_equal(Kernel.Loops, Plan.Loops))
    Gives |= give(Facts, Loop);
  if (!Gives)
    return;
  // These count on shared memory that is not there any more.
  blocksTechnique().forget(Plan);
  carveoutTechnique().forget(Plan);
}

void sluice::planLines(const KernelFacts &Kernel, const GPUModel &GPU,
                       const SoftwareL1Settings &Settings, KernelPlan &Plan) {
  if (!Kernel.Off && !Kernel.Loops.empty())
    LinePlanner(Kernel, GPU, Settings, Plan).run();
}
