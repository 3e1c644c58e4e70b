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

#include "FreeKernels.h"
#include "GrownMark.h"
#include "RegisterNeed.h"
#include "SharedSpills.h"
#include "SpillCandidates.h"
#include "sluice/Analysis/KernelFunction.h"
#include "sluice/Plan/LaunchShapes.h"
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
bool sluice::handsRegistersOver(const Module &M) {
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

static void remarkRefusal(Function &F, StringRef Why) {
  OptimizationRemarkEmitter(&F).emit(
      OptimizationRemarkMissed(DEBUG_TYPE, "NotLimited", F.getSubprogram(),
                               &F.front())
      << "registers are not limited: " << Why);
}

void sluice::limitKernel(Function &F, unsigned Registers, StringRef Why) {
  setRegisterLimit(F, Registers);
  ++NumLimited;
  OptimizationRemarkEmitter(&F).emit(
      OptimizationRemark(DEBUG_TYPE, "Limited", F.getSubprogram(), &F.front())
      << "a thread has at most " << ore::NV("Registers", Registers)
      << " registers: " << Why);
}

//===- The kernels that the pass chooses for ------------------------------===//

std::vector<FreeKernel> sluice::freeKernels(Module &M,
                                            const AttachedPlan &Attached) {
  std::vector<FreeKernel> Found;
  for (Function &F : M) {
    const KernelPlan *Plan =
        F.isDeclaration() || !isKernel(F) ? nullptr : Attached.kernel(F);
    if (!Plan || Plan->MaxRegisters || !Plan->RegistersWhy.empty() ||
        registerLimit(F))
      continue;
    FreeKernel K{&F, Plan, {F.getName().str(), {}}};
    K.Launches.MaySpillToShared = Attached.Opts.Spills == SharedSpills::Ptxas &&
                                  whyNoSharedSpills(*Plan).empty();
    for (const LaunchPlan &Launch : Plan->Launches)
      if (auto Shape = shapeOf(Launch, Plan->ClaimedSharedBytes))
        K.Launches.Launches.push_back(*Shape);
    Found.push_back(std::move(K));
  }
  return Found;
}

/// Those of which a launch is known.
static std::vector<FreeKernel> cratKernels(Module &M,
                                           const AttachedPlan &Attached) {
  auto Found = freeKernels(M, Attached);
  erase_if(Found,
           [](const FreeKernel &K) { return K.Launches.Launches.empty(); });
  return Found;
}

const LaunchShape &sluice::largestLaunch(const FreeKernel &K) {
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
static Error addSpills(const FreeKernel &K, RegisterCandidates &Found,
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
static bool limitByCrat(const FreeKernel &K, const RegisterCandidates &Found,
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
  limitKernel(
      *K.F, Decision.Point->Registers,
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
                                       ArrayRef<FreeKernel> Kernels,
                                       const AttachedPlan &Attached) {
  SmallVector<const Function *, 4> Functions;
  for (const FreeKernel &K : Kernels)
    Functions.push_back(K.F);
  return assemblyOf(M, Functions, Attached);
}

static Error limitByCrat(Module &M, const AttachedPlan &Attached,
                         LimitedFunctions &Limited) {
  const std::vector<FreeKernel> Kernels = cratKernels(M, Attached);
  if (Kernels.empty() || handsRegistersOver(M))
    return Error::success();
  auto Code = codeOf(M, Kernels, Attached);
  if (!Code)
    return Code.takeError();
  std::vector<KernelToLimit> Asked;
  for (const FreeKernel &K : Kernels)
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
      limitKernel(F, *Plan->MaxRegisters, Plan->RegistersWhy);
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

static constexpr uint64_t RegistersTogether = 8;

/// What \p Functions have by the assembler's own choice; none where it is not
/// there, or refuses them.
static AssembledKernels assembleAlone(const Module &M,
                                      ArrayRef<const Function *> Functions,
                                      const AttachedPlan &Attached) {
  auto Code = assemblyOf(M, Functions, Attached);
  if (!Code) {
    consumeError(Code.takeError());
    return {};
  }
  auto Own = Code->Cache.assemble({Code->PTX, Code->Arch});
  if (!Own) {
    consumeError(Own.takeError());
    return {};
  }
  return std::move(*Own);
}

/// A kernel that has more registers for what was done to it may be too large
/// for a launch that was none of an error. It has as many as fit, or as it had.
/// (With `registers=off` nobody limits registers.) But a limit is leave to take
/// more: where all blocks are known, the assembler takes less by itself, and
/// more blocks are on an SM then, it is the last count with which they are.
static void keepLaunchable(Module &M, const AttachedPlan &Attached) {
  static constexpr uint64_t MostOfThread = 255;
  SmallVector<std::pair<Function *, unsigned>, 4> Known; // and the most
  SmallVector<const Function *, 4> Functions;
  for (Function &F : M) {
    if (!isGrown(F) || registerLimit(F) || mostThreads(F))
      continue;
    const KernelPlan *Plan = Attached.kernel(F);
    const uint64_t Fit = registersOfBlock(F, Plan),
                   Had = alignTo(Plan ? Plan->Registers : 0, RegistersTogether);
    const auto Most = unsigned(std::max(Fit, Had));
    if (Most >= MostOfThread)
      continue;
    if (Plan && !Plan->Launches.empty() &&
        all_of(Plan->Launches, [](const LaunchPlan &L) {
          return L.Block.total().has_value();
        })) {
      Known.emplace_back(&F, Most);
      Functions.push_back(&F);
    } else {
      setRegisterLimit(F, Most);
    }
  }
  if (Known.empty())
    return;
  const AssembledKernels Own = assembleAlone(M, Functions, Attached);
  for (auto [F, Most] : Known) {
    const uint64_t Fit = registersOfBlock(*F, Attached.kernel(*F)),
                   Taken = Own.lookup(F->getName()).Registers,
                   Blocks = Taken ? Fit / alignTo(Taken, RegistersTogether) : 0;
    setRegisterLimit(
        *F, Blocks > 1 ? unsigned(alignDown(Fit / Blocks, RegistersTogether))
                       : Most);
  }
}

/// What has a limit for large blocks, and needs more for its arrays, may have
/// what its own blocks leave.
static void giveRoom(Module &M, const AttachedPlan &Attached) {
  for (Function &F : M) {
    if (!F.hasFnAttribute(RoomMark))
      continue;
    const unsigned Fit = registersOfBlock(F, Attached.kernel(F));
    if (const auto Limit = registerLimit(F); Limit && *Limit < Fit &&
                                             isGrownByArrays(F) &&
                                             mostRegistersNeeded(F) > *Limit)
      setRegisterLimit(F, Fit);
  }
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
    warn(M, "step", limitBySteps(M, Attached, Limited));
  else if (Attached.Opts.Step == StepRegisters::Grown)
    consumeError(limitBySteps(M, Attached, Limited)); // nobody asked for it
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
    if (Attached)
      giveRoom(M, *Attached);
    const bool IsChanged = Attached && limitAll(M, *Attached);
    if (Attached && Attached->Opts.Step != StepRegisters::None &&
        !handsRegistersOver(M))
      keepLaunchable(M, *Attached);
    for (Function &F : M)
      for (StringRef Mark : {GrownMark, RoomMark})
        F.removeFnAttr(Mark);
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
