// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Has the first warps of a block use a cache and the others go past it (A. Li,
// thesis, section 5.4.2), where the plan in the module says so. Horizontal, as
// the thesis calls it: the same for all loads of a warp. It is said by one part
// more of each load's cache hint, which CacheHintLowering.cpp makes
// instructions of. With three warps that use the L1:
//
//   %x = load float, ptr addrspace(1) %p, !mem.cache_hint !0       // added
//   !0 = !{i32 0, !{!"sluice.by_warp", !"L1"}}                     // added
//   attributes #0 = { ... "sluice-cached-warps"="3" }              // added
//
//   setp.lt.u32     %p1, %r1, 96;       // once; %r1: the thread in its block
//   @%p1 ld.global.b32     %r2, [%rd1];
//   @!%p1 ld.global.cg.b32 %r2, [%rd1];
//
// Loads whose hint has them go past that cache already stay so for all warps:
// they are what the thesis calls vertical, and the two together hybrid. With no
// warp that uses the cache all loads go past it and nothing is tested.

#include "WarpPartition.h"
#include "sluice/Analysis/AccessAnalysis.h"
#include "sluice/Analysis/CacheHintMetadata.h"
#include "sluice/Analysis/KernelFunction.h"
#include "sluice/Analysis/KernelWrites.h"
#include "sluice/Plan/OptionSpec.h"
#include "sluice/Transforms/PassByName.h"
#include "sluice/Transforms/PlanMetadata.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Support/NVPTXAddrSpace.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;
using namespace sluice;

#define DEBUG_TYPE "sluice-warp-bypass"

STATISTIC(NumPartitioned, "Loads that some warps read past a cache");

using CachedBy = CacheHint::CacheOperator;
using L1 = CacheHint::L1Eviction;
using L2 = CacheHint::L2Eviction;
using ByWarp = CacheHint::WarpBypass;

/// \p Hint where only the first \p Warps warps use \p Cache; none: it says of
/// this cache already what all warps do.
static std::optional<CacheHint> partitioned(CacheHint Hint, BypassedCache Cache,
                                            unsigned Warps) {
  const bool IsL2 = Cache == BypassedCache::L2;
  if (Hint.ByWarp != ByWarp::None ||
      (IsL2 ? Hint.hasPolicy()
            : Hint.Operator != CachedBy::None || Hint.L1 == L1::NoAllocate))
    return std::nullopt;
  if (Warps > 0) {
    Hint.ByWarp = IsL2 ? ByWarp::L2 : ByWarp::L1;
  } else if (IsL2) {
    Hint.L2 = L2::First;
  } else {
    Hint.L1 = L1::None;
    Hint.Operator = CachedBy::CG;
  }
  return Hint;
}

namespace {

/// The loads of one kernel.
class PartitionedKernel {
public:
  PartitionedKernel(Function &F, const BypassPlan &Plan,
                    const AttachedPlan &Attached, AAResults &Aliases)
      : F(F), Plan(Plan), Attached(Attached), Aliases(Aliases) {}

  void partition();

private:
  bool isToBypass(LoadInst &Load);

  Function &F;
  const BypassPlan &Plan;
  const AttachedPlan &Attached;
  AAResults &Aliases;
  std::optional<KernelWrites> Writes; ///< When first asked for.
};

} // namespace

/// May the load go past the cache? Reads of what nobody writes become read-only
/// data, where that is asked for.
bool PartitionedKernel::isToBypass(LoadInst &Load) {
  if (!Load.isSimple() || !isGlobalPointer(Load.getPointerOperand()) ||
      isReachedFrom(Attached.Off, Load.getDebugLoc().get()))
    return false;
  if (Plan.BypassOf != BypassedCache::ReadOnly)
    return true;
  if (!Load.hasMetadata(LLVMContext::MD_invariant_load)) {
    if (!Writes)
      Writes.emplace(F);
    if (!Writes->whyWritten(Load, Aliases).empty() &&
        Attached.Opts.Wrong != WrongRewrite::UnprovenNC)
      return false;
    Load.setMetadata(LLVMContext::MD_invariant_load,
                     MDNode::get(F.getContext(), {}));
  }
  return true;
}

/// The variable for the votes of a kernel's warps, zeroes at first.
static std::string makeVotes(Function &Kernel) {
  Module &M = *Kernel.getParent();
  auto *Type = ArrayType::get(llvm::Type::getInt64Ty(M.getContext()),
                              VoteBytes / sizeof(uint64_t));
  auto *Votes = new GlobalVariable(
      M, Type, /*isConstant=*/false, GlobalValue::InternalLinkage,
      ConstantAggregateZero::get(Type), "__sluice_votes_" + Kernel.getName(),
      /*InsertBefore=*/nullptr, GlobalValue::NotThreadLocal,
      NVPTXAS::ADDRESS_SPACE_GLOBAL);
  Votes->setAlignment(Align(16));
  appendToCompilerUsed(M, Votes); // by text that LLVM does not read
  return Votes->getName().str();
}

void PartitionedKernel::partition() {
  // Of a vote nobody knows the outcome yet.
  const unsigned Warps = Plan.CachedWarps.value_or(MaxWarpsPerBlock);
  unsigned Loads = 0, Left = 0;
  for (Instruction &I : instructions(F)) {
    auto *Load = dyn_cast<LoadInst>(&I);
    if (!Load)
      continue;
    std::optional<CacheHint> Hint;
    if (isToBypass(*Load))
      Hint = partitioned(usableCacheHint(*Load), Plan.BypassOf, Warps);
    if (Hint) {
      setCacheHint(*Load, *Hint);
      ++Loads;
    } else {
      Left += isGlobalPointer(Load->getPointerOperand());
    }
  }
  OptimizationRemarkEmitter Remarks(&F);
  if (Loads == 0) {
    Remarks.emit(OptimizationRemarkMissed(DEBUG_TYPE, "NoLoads",
                                          F.getSubprogram(), &F.front())
                 << "no warp bypasses a cache: none of the "
                 << ore::NV("Left", Left) << " loads of global memory can");
    return;
  }
  if (Plan.SamplesWarps)
    setCachedWarps(F, {0, makeVotes(F)});
  else if (Warps > 0)
    setCachedWarps(F, {Warps, ""});
  NumPartitioned += Loads;
  const StringRef Cache = Plan.BypassOf == BypassedCache::L2 ? "L2" : "L1";
  Remarks.emit(
      OptimizationRemark(DEBUG_TYPE, "Partitioned", F.getSubprogram(),
                         &F.front())
      << "the first "
      << ore::NV("Warps", Plan.SamplesWarps ? "" : std::to_string(Warps) + " ")
      << "warps of a block"
      << (Plan.SamplesWarps ? ", as many as it finds best," : "") << " use the "
      << Cache << " for " << ore::NV("Loads", Loads) << " loads, the others "
      << (Plan.BypassOf == BypassedCache::L2 ? "leave their lines to others"
                                             : "go past it")
      << ": " << Plan.BypassWhy);
}

/// Without one a line is hardly used again, and blocks are short.
static bool hasLoadInLoop(Function &F, const LoopInfo &Loops) {
  return any_of(instructions(F), [&](Instruction &I) {
    auto *Load = dyn_cast<LoadInst>(&I);
    return Load && Loops.getLoopFor(Load->getParent()) &&
           isGlobalPointer(Load->getPointerOperand());
  });
}

/// Nothing where nobody thought of it.
static void sayWhyNot(Function &F, StringRef Why) {
  if (!Why.empty())
    OptimizationRemarkEmitter(&F).emit(
        OptimizationRemarkMissed(DEBUG_TYPE, "NotPartitioned",
                                 F.getSubprogram(), &F.front())
        << "no warp bypasses a cache: " << Why);
}

namespace {

struct WarpBypassPass : PassInfoMixin<WarpBypassPass> {
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &Analyses) {
    if (!M.getTargetTriple().isNVPTX())
      return PreservedAnalyses::all();
    auto Attached = attachedPlanOrWarning(M, "no warp bypasses a cache");
    if (!Attached || !Attached->Opts.Bypass)
      return PreservedAnalyses::all();
    auto &FAM =
        Analyses.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
    for (Function &F : M) {
      const KernelPlan *Plan = Attached->kernel(F);
      if (F.isDeclaration() || !isKernel(F) || !Plan)
        continue;
      if (!Plan->CachedWarps && !Plan->SamplesWarps)
        sayWhyNot(F, Plan->BypassWhy);
      else if (Plan->SamplesWarps &&
               !hasLoadInLoop(F, FAM.getResult<LoopAnalysis>(F)))
        sayWhyNot(F,
                  "a vote takes time, and the kernel has no loop that loads");
      else
        PartitionedKernel(F, *Plan, *Attached, FAM.getResult<AAManager>(F))
            .partition();
    }
    return PreservedAnalyses::all(); // no analysis looks at a hint
  }
  static bool isRequired() { return true; }
};

} // namespace

namespace sluice {
/// The name `sluice-warp-bypass`.
void registerWarpBypassPass(PassBuilder &PB) {
  registerByName<WarpBypassPass>(PB, DEBUG_TYPE);
}
} // namespace sluice
