// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plan's limit of registers, for the kernels of the plan in the module:
//
//   define ptx_kernel void @k() #0
//   attributes #0 = { ... "nvvm.maxnreg"="64" }    ; added
//
//   .visible .entry k() .maxnreg 64                in PTX; ptxas obeys it
//
// It replaces a number in the source, and stands beside launch bounds, where
// the assembler takes the lesser: a plan that names the kernel is the user's
// word (lib/Plan/Techniques/Registers.cpp lets no option do that).

#include "GrownMark.h"
#include "RegisterNeed.h"
#include "SharedSpills.h"
#include "sluice/Analysis/KernelFunction.h"
#include "sluice/Plan/LaunchShapes.h"
#include "sluice/Plan/LoadsInFlightPlanner.h"
#include "sluice/Target/CratChoice.h"
#include "sluice/Target/CriticalPoints.h"
#include "sluice/Target/StepLimit.h"
#include "sluice/Target/WarpProgram.h"
#include "sluice/Transforms/ModuleAssembly.h"
#include "sluice/Transforms/PassByName.h"
#include "sluice/Transforms/PlanMetadata.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace sluice;

#define DEBUG_TYPE "sluice-register-limit"

STATISTIC(NumLimited, "Number of kernels with a limit of registers");

/// Does code hand registers from warp to warp (PTX ISA, "setmaxnreg")? How many
/// there are to hand decides whether the warps wait for ever. Nothing else in
/// such a module is limited either.
static bool handsRegistersOver(const Module &M) {
  auto Names = [](const CallBase &Call) {
    if (const auto *Asm = dyn_cast<InlineAsm>(Call.getCalledOperand()))
      return StringRef(Asm->getAsmString()).contains("setmaxnreg");
    const Function *Callee = Call.getCalledFunction();
    return Callee && Callee->getName().starts_with("llvm.nvvm.setmaxnreg.");
  };
  for (const Function &F : M)
    for (const Instruction &I : instructions(F))
      if (const auto *Call = dyn_cast<CallBase>(&I); Call && Names(*Call))
        return true;
  return false;
}

using LimitedFunctions = SmallPtrSet<Function *, 8>;

static void remarkRefusal(Function &F, StringRef Why) {
  OptimizationRemarkEmitter(&F).emit(
      OptimizationRemarkMissed(DEBUG_TYPE, "NotLimited", F.getSubprogram(),
                               &F.front())
      << "registers are not limited: " << Why);
}

static void limit(Function &F, unsigned Registers, StringRef Why) {
  setRegisterLimit(F, Registers);
  ++NumLimited;
  OptimizationRemarkEmitter(&F).emit(
      OptimizationRemark(DEBUG_TYPE, "Limited", F.getSubprogram(), &F.front())
      << "a thread has at most " << ore::NV("Registers", Registers)
      << " registers: " << Why);
}

//===- The kernels that the pass chooses for ------------------------------===//

namespace {

/// A kernel for which CRAT chooses, or `step`.
struct CratKernel {
  Function *F;
  const KernelPlan *Plan;
  KernelToLimit Launches;
};

} // namespace

/// The kernels of which a launch is known, and of which nobody says how many
/// registers they may have.
static std::vector<CratKernel> cratKernels(Module &M,
                                           const AttachedPlan &Attached) {
  std::vector<CratKernel> Found;
  for (Function &F : M) {
    const KernelPlan *Plan =
        F.isDeclaration() || !isKernel(F) ? nullptr : Attached.kernel(F);
    if (!Plan || Plan->MaxRegisters || !Plan->RegistersWhy.empty() ||
        registerLimit(F))
      continue;
    CratKernel K{&F, Plan, {F.getName().str(), {}}};
    K.Launches.MaySpillToShared = Attached.Opts.Spills == SharedSpills::Ptxas &&
                                  whyNoSharedSpills(*Plan).empty();
    for (const LaunchPlan &Launch : Plan->Launches)
      if (auto Shape = shapeOf(Launch, Plan->ClaimedSharedBytes))
        K.Launches.Launches.push_back(*Shape);
    if (!K.Launches.Launches.empty())
      Found.push_back(std::move(K));
  }
  return Found;
}

/// The launch with the most threads.
static const LaunchShape &largestLaunch(const CratKernel &K) {
  auto ThreadsOf = [](const LaunchShape &Shape) {
    return Shape.Threads * Shape.GridBlocks.value_or(1);
  };
  return *max_element(K.Launches.Launches,
                      [&](const LaunchShape &A, const LaunchShape &B) {
                        return ThreadsOf(A) < ThreadsOf(B);
                      });
}

//===- CRAT ---------------------------------------------------------------===//

/// With our spills, where those will be put into the code.
static Error addSpills(const CratKernel &K, RegisterCandidates &Found,
                       const ModuleAssembly &Code,
                       const AttachedPlan &Attached) {
  if (Attached.Opts.Spills == SharedSpills::Off ||
      Attached.Opts.Spills == SharedSpills::Ptxas ||
      !whyNoOwnSpills(*K.F, *K.Plan).empty())
    return Error::success();
  // TPSC is 0 where nothing spills, and no spills make it less.
  if (Attached.Opts.CratByTpscAlone && !Found.Chosen.spilledBytes())
    return Error::success();
  const unsigned Most = mostForAnyBlock(Code.GPU, Found.Chosen.Registers);
  std::vector<LimitedCode *> Limits;
  for (LimitedCode &Limited : Found.Limits)
    if (Limited.Limit <= Most)
      Limits.push_back(&Limited);
  return addOwnSpills({K.F, K.Plan, K.Launches.Launches},
                      {Code.GPU, Attached.Decisions.SMs, Code.Cache, Code.Arch},
                      Limits);
}

/// Of the launch with the most threads; a kernel has one limit.
/// Returns whether it is limited.
static bool limitByCrat(const CratKernel &K, const RegisterCandidates &Found,
                        StringRef PTX, const GPUModel &GPU, unsigned SMs,
                        CratMeasure Measure) {
  if (Found.Own.boundRegisters())
    return false;
  const LaunchShape &Shape = largestLaunch(K);
  const CratDecision Decision = decideByCrat(
      GPU, SMs, Shape, Found, warpProgram(PTX, K.F->getName(), GPU), Measure,
      K.Plan->EnoughBlocks);
  const unsigned Own =
      blocksPerSM(GPU, Shape.block(Found.Chosen), Shape.GridBlocks, SMs);
  if (!Decision.differsFrom(Found.Chosen, Own))
    return false;
  limit(*K.F, Decision.Point->Registers,
        formatv("CRAT takes {0} blocks on an SM, of {1} that are of use, in "
                "place of {2}{3}{4}{5}",
                Decision.Point->BlocksPerSM, Decision.OptTLP, Own,
                Decision.IsForBlocks ? ", which gain more than the spills cost"
                                     : "",
                K.Plan->EnoughWhy.empty() ? "" : "; ", K.Plan->EnoughWhy)
            .str());
  return true;
}

static Expected<ModuleAssembly> codeOf(const Module &M,
                                       ArrayRef<CratKernel> Kernels,
                                       const AttachedPlan &Attached) {
  SmallVector<const Function *, 4> Functions;
  for (const CratKernel &K : Kernels)
    Functions.push_back(K.F);
  return assemblyOf(M, Functions, Attached);
}

static Error limitByCrat(Module &M, const AttachedPlan &Attached,
                         LimitedFunctions &Limited) {
  const std::vector<CratKernel> Kernels = cratKernels(M, Attached);
  if (Kernels.empty() || handsRegistersOver(M))
    return Error::success();
  auto Code = codeOf(M, Kernels, Attached);
  if (!Code)
    return Code.takeError();
  std::vector<KernelToLimit> Asked;
  for (const CratKernel &K : Kernels)
    Asked.push_back(K.Launches);
  const unsigned SMs = Attached.Decisions.SMs;
  auto Found = registerCandidates(Code->Cache, {Code->PTX, Code->Arch},
                                  {&Code->GPU, SMs, std::nullopt}, Asked);
  if (!Found)
    return Found.takeError();
  for (auto [K, Candidates] : zip_equal(Kernels, *Found)) {
    if (Error E = addSpills(K, Candidates, *Code, Attached))
      return E;
    if (limitByCrat(K, Candidates, Code->PTX, Code->GPU, SMs,
                    Attached.Opts.CratByTpscAlone ? CratMeasure::Tpsc
                                                  : CratMeasure::WholeTpsc))
      Limited.insert(K.F);
  }
  return Error::success();
}

//===- Step ---------------------------------------------------------------===//

/// A launch whose block is not known may lose blocks.
static bool knowsAllLaunches(const CratKernel &K) {
  return K.Launches.Launches.size() == K.Plan->Launches.size();
}

/// Where a limit is to bring more blocks: what the model must say of the time,
/// over the time without, and how many instructions more may be run for it.
static constexpr double MostTimeOfMoreBlocks = 0.9, MostGrowth = 1.15;
/// Where fewer warps than this part of those that an SM can hold are on it,
/// even a few spilled bytes are worth it, if the model says so much.
static constexpr unsigned FewWarpsPart = 4, FewSpilledBytes = 16;
static constexpr double MostTimeOfSpills = 0.75;
namespace {

/// A kernel that is to have another number of registers.
struct Step {
  CratKernel Kernel;
  unsigned Limit = 0;
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
  bool mayHaveMore(const CratKernel &K) const {
    return Attached.Opts.Step == StepRegisters::All || isGrown(*K.F);
  }
  bool mayHaveFewer(const CratKernel &K) const;
  std::optional<Step> stepOf(const CratKernel &K, const ModuleAssembly &Code,
                             const AssembledKernel &Now) const;
  bool isWorthIt(const Step &S, const GPUModel &GPU, const AssembledKernel &Now,
                 const AssembledKernel &Then) const;

  Module &M;
  const AttachedPlan &Attached;
};

} // namespace

/// Not where Sluice lets fewer threads run at a time.
bool StepChooser::mayHaveFewer(const CratKernel &K) const {
  return Attached.Opts.Step == StepRegisters::Grown &&
         !K.Plan->ResidentBlocks && !K.Plan->ClaimedSharedBytes &&
         none_of(K.Plan->Loops,
                 [](const LoopPlan &L) { return keepsLinesOrRows(L); }) &&
         mayNeedManyRegisters(*K.F);
}

std::optional<Step> StepChooser::stepOf(const CratKernel &K,
                                        const ModuleAssembly &Code,
                                        const AssembledKernel &Now) const {
  Step S{K};
  const bool MayHaveMore = mayHaveMore(K);
  S.Limit = lastOfStep(Code.GPU, K.Launches.Launches, Now);
  if (MayHaveMore && S.Limit > Now.Registers)
    return S;
  // Those that may not have more were chosen as they may have fewer.
  if (MayHaveMore && !mayHaveFewer(K))
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
  if (!S.IsForBlocks)
    return Then.Registers > Now.Registers && !Spilled;
  if (double(Then.Instructions) > MostGrowth * double(Now.Instructions))
    return false;
  const unsigned FewWarps = GPU.MaxThreads / GPU.WarpSize / FewWarpsPart;
  return !Spilled ||
         (Spilled <= FewSpilledBytes && S.Time <= MostTimeOfSpills &&
          S.Blocks * S.WarpsPerBlock <= FewWarps);
}

static std::string whyStep(const Step &S, const AssembledKernel &Now,
                           const AssembledKernel &Then) {
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

/// For each kernel the last count of the step that the assembler's own choice
/// is in, where it gives more than that choice, and then spills no more; or
/// that of the step before, where more blocks are worth more.
Error StepChooser::run(LimitedFunctions &Limited) {
  std::vector<CratKernel> Kernels = cratKernels(M, Attached);
  erase_if(Kernels, [&](const CratKernel &K) {
    return !knowsAllLaunches(K) || !(mayHaveMore(K) || mayHaveFewer(K));
  });
  if (Kernels.empty() || handsRegistersOver(M))
    return Error::success();
  auto Code = codeOf(M, Kernels, Attached);
  if (!Code)
    return Code.takeError();
  auto Chosen = Code->Cache.assemble({Code->PTX, Code->Arch});
  if (!Chosen)
    return Chosen.takeError();
  const StringMap<KernelDirectives> Own = directivesOf(Code->PTX);
  std::vector<Step> Steps;
  SmallVector<const Function *, 4> Asked;
  StringMap<unsigned> Limits;
  for (const CratKernel &K : Kernels) {
    const StringRef Name = K.F->getName();
    if (Own.lookup(Name).boundRegisters())
      continue;
    if (auto S = stepOf(K, *Code, Chosen->lookup(Name))) {
      Limits[Name] = S->Limit;
      Asked.push_back(K.F);
      Steps.push_back(std::move(*S));
    }
  }
  if (Steps.empty())
    return Error::success();
  // Code is generated anew for fewer kernels, which the assembler, who takes
  // longer for each, is then asked about.
  if (Asked.size() < Kernels.size())
    Code = assemblyOf(M, Asked, Attached);
  if (!Code)
    return Code.takeError();
  auto With =
      Code->Cache.assemble({limitRegisters(Code->PTX, Limits), Code->Arch});
  if (!With)
    return With.takeError();
  for (const Step &S : Steps) {
    Function &F = *S.Kernel.F;
    const AssembledKernel Now = Chosen->lookup(F.getName()),
                          Then = With->lookup(F.getName());
    if (!isWorthIt(S, Code->GPU, Now, Then))
      continue;
    limit(F, S.Limit, whyStep(S, Now, Then));
    if (Then.spilledBytes() > 0)
      Limited.insert(&F);
  }
  return Error::success();
}

//===- The pass -----------------------------------------------------------===//

/// As the plan says.
static void limitByPlan(Module &M, const AttachedPlan &Attached,
                        LimitedFunctions &Limited) {
  for (Function &F : M) {
    const KernelPlan *Plan =
        F.isDeclaration() || !isKernel(F) ? nullptr : Attached.kernel(F);
    if (!Plan)
      continue;
    if (Plan->MaxRegisters && handsRegistersOver(M)) {
      remarkRefusal(F, "warps of this module hand them over (setmaxnreg)");
    } else if (Plan->MaxRegisters) {
      limit(F, *Plan->MaxRegisters, Plan->RegistersWhy);
      Limited.insert(&F);
    } else if (!Plan->RegistersWhy.empty()) {
      remarkRefusal(F, Plan->RegistersWhy);
    }
  }
}

/// For `sluice registers`, which shows what would come of limits.
static void writeCode(const Module &M, StringRef File) {
  std::error_code Failed;
  raw_fd_ostream OS(File, Failed);
  if (Failed)
    return M.getContext().diagnose(DiagnosticInfoGeneric(
        "registers-code=" + File + ": " + Failed.message()));
  auto Copy = CloneModule(M);
  detachPlan(*Copy);
  WriteBitcodeToFile(*Copy, OS);
}

static void warn(Module &M, StringRef Option, Error E) {
  if (E)
    M.getContext().diagnose(DiagnosticInfoGeneric(
        "registers=" + Option +
            ": no registers are limited: " + toString(std::move(E)),
        DS_Warning));
}

/// Returns whether code is other for it.
static bool limitAll(Module &M, const AttachedPlan &Attached) {
  if (!Attached.Opts.RegistersCodeFile.empty())
    writeCode(M, Attached.Opts.RegistersCodeFile);
  LimitedFunctions Limited;
  limitByPlan(M, Attached, Limited);
  if (Attached.Opts.CratRegisters)
    warn(M, "crat", limitByCrat(M, Attached, Limited));
  if (Attached.Opts.Step == StepRegisters::All)
    warn(M, "step", StepChooser(M, Attached).run(Limited));
  else if (Attached.Opts.Step == StepRegisters::Grown)
    consumeError(StepChooser(M, Attached).run(Limited)); // nobody asked for it
  if (Attached.Opts.ForcedSpills)
    return spillForTest(M, Attached);
  if (Limited.empty() && Attached.Opts.Spills == SharedSpills::Auto)
    return false;
  return !handsRegistersOver(M) && spillToShared(M, Attached, Limited);
}

namespace {

struct RegisterLimitPass : PassInfoMixin<RegisterLimitPass> {
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &) {
    if (!M.getTargetTriple().isNVPTX())
      return PreservedAnalyses::all();
    auto Attached = attachedPlanOrWarning(M, "no registers are limited");
    const bool IsChanged = Attached && limitAll(M, *Attached);
    for (Function &F : M)
      F.removeFnAttr(GrownMark);
    // That nothing looks at but the code, what is limited keeps all analyses.
    return IsChanged ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

} // namespace

namespace sluice {
/// The name `sluice-register-limit`.
void registerRegisterLimitPass(PassBuilder &PB) {
  registerByName<RegisterLimitPass>(PB, DEBUG_TYPE);
}
} // namespace sluice
