// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A limit of registers that lets a thread have more than the assembler gives it
// by itself, or one that brings more blocks, by what comes out with it:
//
//   registers  32: 3 loads, wait, 3 loads, wait, ... 16 loads; 64 warps
//              64: 16 loads, wait; 32 warps

#include "FreeKernels.h"
#include "GrownMark.h"
#include "RegisterNeed.h"
#include "sluice/Analysis/KernelFunction.h"
#include "sluice/Analysis/SharedMemory.h"
#include "sluice/Plan/LoadsInFlightPlanner.h"
#include "sluice/Target/CriticalPoints.h"
#include "sluice/Target/KernelDirectives.h"
#include "sluice/Target/StepLimit.h"
#include "sluice/Target/WarpProgram.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace sluice;

/// A launch whose block is not known may lose blocks.
static bool knowsAllLaunches(const FreeKernel &K) {
  return !K.Launches.Launches.empty() &&
         K.Launches.Launches.size() == K.Plan->Launches.size();
}

/// `__launch_bounds__` with the threads of a block only: launched with as many,
/// most often, as a library's kernels are, whose launches nobody sees.
static std::optional<unsigned> boundThreads(const Function &F) {
  if (F.hasFnAttribute("nvvm.minctasm") || declaredShared(F).IsDynamic)
    return std::nullopt;
  return mostThreads(F);
}

/// None if there are others.
static ArrayRef<LaunchShape> knownLaunches(const FreeKernel &K) {
  if (!knowsAllLaunches(K))
    return {};
  return K.Launches.Launches;
}

/// Where a limit is to bring more blocks: what the model must say of the time,
/// over the time without, and how many instructions more may be run for it.
static constexpr double MostTimeOfMoreBlocks = 0.9, MostGrowth = 1.15;
/// Where fewer warps than this part of those that an SM can hold are on it,
/// even a few spilled bytes are worth it, if the model says so much.
static constexpr unsigned FewWarpsPart = 4, FewSpilledBytes = 16;
/// Where one block is on an SM and two would be: or one for so many
/// instructions; and so many with any number of warps: a word, stored and
/// loaded.
static constexpr uint64_t InstructionsOfByte = 20, BytesOfWord = 8;
static constexpr double MostTimeOfSpills = 0.75;

namespace {

/// A kernel, and what may be done with it.
struct StepKernel : FreeKernel {
  bool MayHaveMore;  ///< Where all its launches are known.
  bool MayHaveFewer; ///< There, or where it IsBound.
  bool MayWaitForLoads;
  bool IsBound; ///< It has boundThreads.
};

/// A kernel that is to have another number of registers.
struct Step {
  FreeKernel Kernel;
  unsigned Limit = 0;
  bool IsForLoads = false;  ///< More, so that more of them are together.
  bool IsForBlocks = false; ///< Fewer, so that an SM holds more blocks.
  unsigned Blocks = 0;      ///< On an SM, without it and with it, of the
  unsigned MoreBlocks = 0;  ///< launch with the most threads.
  unsigned WarpsPerBlock = 0;
  double Time = 1; ///< With it over without, by the model.
};

/// registers=step, and what `auto` does.
class StepChooser {
public:
  StepChooser(Module &M, const AttachedPlan &Attached)
      : M(M), Attached(Attached) {}
  Error run(LimitedFunctions &Limited);

private:
  std::vector<StepKernel> kernels() const;
  std::optional<Step> stepForLoads(const StepKernel &K,
                                   const ModuleAssembly &Code,
                                   const AssembledKernel &Now) const;
  std::optional<Step> stepForSharedLoads(const StepKernel &K,
                                         const ModuleAssembly &Code,
                                         const AssembledKernel &Now) const;
  std::optional<Step> stepOf(const StepKernel &K, const ModuleAssembly &Code,
                             const AssembledKernel &Now) const;
  Error takeWorthy(ArrayRef<Step> Steps, const AssembledKernels &Own,
                   LimitedFunctions &Limited);
  bool isWorthIt(const Step &S, const GPUModel &GPU, const AssembledKernel &Now,
                 const AssembledKernel &Then) const;

  Module &M;
  const AttachedPlan &Attached;
};

} // namespace

/// Does Sluice let fewer threads run at a time, or keep lines or rows?
static bool hasPlannedThreads(const KernelPlan &Plan) {
  return Plan.ResidentBlocks || Plan.ClaimedSharedBytes ||
         any_of(Plan.Loops,
                [](const LoopPlan &L) { return keepsLinesOrRows(L); });
}

/// Those of which anything may be done.
std::vector<StepKernel> StepChooser::kernels() const {
  const bool IsAuto = Attached.Opts.Step == StepRegisters::Grown;
  std::vector<StepKernel> Found;
  for (FreeKernel &Free : freeKernels(M, Attached)) {
    const bool IsKnown = knowsAllLaunches(Free),
               IsOurs = IsAuto && !hasPlannedThreads(*Free.Plan) &&
                        !isSwitchedOff(Free.F->front().front(), Attached);
    const auto Bound = boundThreads(*Free.F);
    // Bounds leave as many registers as their threads have room for.
    const bool MayHaveMore = IsKnown && !Bound && (!IsAuto || isGrown(*Free.F)),
               MayHaveFewer =
                   (IsKnown || Bound) && IsOurs &&
                   mayNeedManyRegisters(*Free.F, /*MayBeLong=*/!IsKnown),
               MayWait = IsOurs && !Bound && mayHaveManyLoads(*Free.F);
    if (MayHaveFewer && !IsKnown)
      Free.Launches.Launches = {LaunchShape{*Bound}};
    if (MayHaveMore || MayHaveFewer || MayWait)
      Found.push_back({std::move(Free), MayHaveMore, MayHaveFewer, MayWait,
                       Bound.has_value()});
  }
  return Found;
}

/// What costs no block goes first.
static bool hasFreeStep(const StepKernel &K, const GPUModel &GPU,
                        const AssembledKernel &Now) {
  return K.MayHaveMore &&
         lastOfStep(GPU, K.Launches.Launches, Now) > Now.Registers;
}

std::optional<Step>
StepChooser::stepForLoads(const StepKernel &K, const ModuleAssembly &Code,
                          const AssembledKernel &Now) const {
  if (!K.MayWaitForLoads || hasFreeStep(K, Code.GPU, Now))
    return std::nullopt;
  Step S{K};
  S.Limit = limitForLoads(Code.GPU, Now);
  S.IsForLoads = true;
  return S.Limit ? std::optional(S) : std::nullopt;
}

/// With a block more, where that was too much.
std::optional<Step>
StepChooser::stepForSharedLoads(const StepKernel &K, const ModuleAssembly &Code,
                                const AssembledKernel &Now) const {
  if (!K.MayWaitForLoads || !knowsAllLaunches(K) ||
      hasFreeStep(K, Code.GPU, Now) || !doLanesShareLoads(*K.F))
    return std::nullopt;
  Step S{K};
  S.Limit = limitForSharedLoads(Code.GPU, Attached.Decisions.SMs,
                                largestLaunch(K), Now);
  S.IsForLoads = true;
  return S.Limit ? std::optional(S) : std::nullopt;
}

/// Another than those that hold more loads.
std::optional<Step> StepChooser::stepOf(const StepKernel &K,
                                        const ModuleAssembly &Code,
                                        const AssembledKernel &Now) const {
  if (!K.MayHaveMore && !K.MayHaveFewer)
    return std::nullopt;
  Step S{K};
  S.Limit = lastOfStep(Code.GPU, K.Launches.Launches, Now);
  if (K.MayHaveMore && S.Limit > Now.Registers)
    return S;
  if (!K.MayHaveFewer)
    return std::nullopt;
  const LaunchShape &Launch = largestLaunch(K);
  const unsigned SMs = Attached.Decisions.SMs;
  S.Limit = limitForMoreBlocks(Code.GPU, SMs, Launch, Now);
  if (!S.Limit)
    return std::nullopt;
  S.IsForBlocks = true;
  AssembledKernel Less = Now;
  Less.Registers = S.Limit;
  S.WarpsPerBlock = unsigned(divideCeil(Launch.Threads, Code.GPU.WarpSize));
  S.Blocks = blocksPerSM(Code.GPU, Launch.block(Now), Launch.GridBlocks, SMs);
  S.MoreBlocks =
      blocksPerSM(Code.GPU, Launch.block(Less), Launch.GridBlocks, SMs);
  const auto Program = warpProgram(Code.PTX, K.F->getName(), Code.GPU);
  auto Cycles = [&](unsigned Blocks) {
    return cyclesPerBlock(Program, Code.GPU, S.WarpsPerBlock, Blocks);
  };
  S.Time = Cycles(S.MoreBlocks) / Cycles(S.Blocks);
  if (!(S.Time <= MostTimeOfMoreBlocks))
    return std::nullopt;
  return S;
}

bool StepChooser::isWorthIt(const Step &S, const GPUModel &GPU,
                            const AssembledKernel &Now,
                            const AssembledKernel &Then) const {
  const uint64_t Spilled =
      Then.spilledBytes() - std::min(Then.spilledBytes(), Now.spilledBytes());
  if (S.IsForLoads)
    return !Spilled && isWorthFewerWarps(
                           GPU, Attached.Decisions.SMs, knownLaunches(S.Kernel),
                           doLanesShareLoads(*S.Kernel.F), Now, Then);
  if (!S.IsForBlocks)
    return Then.Registers > Now.Registers && !Spilled;
  if (double(Then.Instructions) > MostGrowth * double(Now.Instructions))
    return false;
  const unsigned FewWarps = GPU.MaxThreads / GPU.WarpSize / FewWarpsPart;
  const uint64_t Few =
      S.Blocks > 1 ? FewSpilledBytes
                   : std::max<uint64_t>(FewSpilledBytes,
                                        Now.Instructions / InstructionsOfByte);
  return !Spilled || (Spilled <= Few && S.Time <= MostTimeOfSpills &&
                      (S.Blocks * S.WarpsPerBlock <= FewWarps ||
                       (S.Blocks == 1 && Spilled <= BytesOfWord)));
}

static std::string whyStep(const Step &S, const AssembledKernel &Now,
                           const AssembledKernel &Then) {
  if (S.IsForLoads)
    return formatv("with {0} in place of {1} more of its loads are on their "
                   "way together, and it waits {2} cycles and not {3}",
                   Then.Registers, Now.Registers, Then.WaitCycles,
                   Now.WaitCycles);
  if (S.IsForBlocks)
    return formatv("with {0} in place of {1} an SM holds {2} blocks and not "
                   "{3}, and {4}",
                   Then.Registers, Now.Registers, S.MoreBlocks, S.Blocks,
                   Then.spilledBytes() > Now.spilledBytes()
                       ? "little is spilled"
                       : "nothing spills");
  return formatv("with {0} in place of {1} an SM holds as many blocks",
                 Then.Registers, Now.Registers);
}

/// Gives those of \p Steps that are worth it.
Error StepChooser::takeWorthy(ArrayRef<Step> Steps, const AssembledKernels &Own,
                              LimitedFunctions &Limited) {
  if (Steps.empty())
    return Error::success();
  SmallVector<const Function *, 4> Functions;
  StringMap<unsigned> Limits;
  for (const Step &S : Steps) {
    Functions.push_back(S.Kernel.F);
    Limits[S.Kernel.F->getName()] = S.Limit;
  }
  // Code of these kernels alone: the assembler takes longer for each.
  auto Code = assemblyOf(M, Functions, Attached);
  if (!Code)
    return Code.takeError();
  auto With =
      Code->Cache.assemble({limitRegisters(Code->PTX, Limits), Code->Arch});
  if (!With)
    return With.takeError();
  for (const Step &S : Steps) {
    Function &F = *S.Kernel.F;
    const AssembledKernel Now = Own.lookup(F.getName()),
                          Then = With->lookup(F.getName());
    if (!isWorthIt(S, Code->GPU, Now, Then))
      continue;
    limitKernel(F, S.Limit, whyStep(S, Now, Then));
    if (Then.spilledBytes() > 0)
      Limited.insert(&F);
  }
  return Error::success();
}

Error StepChooser::run(LimitedFunctions &Limited) {
  const std::vector<StepKernel> Kernels = kernels();
  if (Kernels.empty() || handsRegistersOver(M))
    return Error::success();
  SmallVector<const Function *, 4> Functions;
  for (const StepKernel &K : Kernels)
    Functions.push_back(K.F);
  auto Code = assemblyOf(M, Functions, Attached);
  if (!Code)
    return Code.takeError();
  auto Own = Code->Cache.assemble({Code->PTX, Code->Arch});
  if (!Own)
    return Own.takeError();
  const StringMap<KernelDirectives> Directives = directivesOf(Code->PTX);
  for (auto Choose : {&StepChooser::stepForLoads,
                      &StepChooser::stepForSharedLoads, &StepChooser::stepOf}) {
    std::vector<Step> Steps;
    for (const StepKernel &K : Kernels) {
      const StringRef Name = K.F->getName();
      const KernelDirectives Said = Directives.lookup(Name);
      if (Said.MaxRegisters || (Said.Threads && !K.IsBound) ||
          registerLimit(*K.F))
        continue;
      if (auto S = (this->*Choose)(K, *Code, Own->lookup(Name)))
        Steps.push_back(std::move(*S));
    }
    if (Error E = takeWorthy(Steps, *Own, Limited))
      return E;
  }
  return Error::success();
}

Error sluice::limitBySteps(Module &M, const AttachedPlan &Attached,
                           LimitedFunctions &Limited) {
  return StepChooser(M, Attached).run(Limited);
}
