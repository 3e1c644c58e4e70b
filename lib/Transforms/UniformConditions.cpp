// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   for (...) {                     if (mode)
//     if (mode) f(); else g();  =>    for (...) f();
//   }                               else
//                                     for (...) g();
//
// LLVM has a pass for this, SimpleLoopUnswitch. It does nothing for targets
// whose branches may diverge, as both loops would run one after the other
// where threads of a warp decide differently. Here that is asked of the one
// condition: LLVM's pass then sees a target without divergence, and no other
// condition of the loop. (That others write what threads read and ask does not
// count. They go different ways for once then, which is slow and right.)

#include "UniformConditions.h"
#include "DecidedRounding.h"
#include "sluice/Analysis/ThreadUniformity.h"
#include "sluice/Transforms/LoopRounding.h"
#include "sluice/Transforms/PlacedRemarks.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/TargetTransformInfoImpl.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/SimpleLoopUnswitch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"
#include <optional>

using namespace llvm;
using namespace sluice;

/// As LLVM counts; a loop is there twice then.
static constexpr unsigned MostSize = 100;
/// Loops of a function, which bounds how it grows.
static constexpr unsigned MostLoops = 4;
/// Marks what hides a condition from LLVM's pass.
static constexpr StringLiteral Hides = "sluice.hides";

//===- Which --------------------------------------------------------------===//

/// Conditions of branches within \p L that are known before it. Who leaves it
/// by one runs no loop.
static SmallVector<Value *, 2> knownBefore(const Loop &L) {
  SmallVector<Value *, 2> Known;
  for (const BasicBlock *BB : L.blocks()) {
    const auto *Branch = dyn_cast<BranchInst>(BB->getTerminator());
    if (!Branch || !Branch->isConditional() ||
        Branch->getSuccessor(0) == Branch->getSuccessor(1) ||
        !all_of(Branch->successors(),
                [&](const BasicBlock *To) { return L.contains(To); }))
      continue;
    Value *Condition = Branch->getCondition();
    if (!isa<Constant>(Condition) && L.isLoopInvariant(Condition) &&
        !is_contained(Known, Condition))
      Known.push_back(Condition);
  }
  return Known;
}

/// Why \p L stays as it is, though \p Condition is one to be asked before it.
/// Empty: it becomes two.
static std::string whyLeftAlone(Loop &L, const Value &Condition, Function &F,
                                FunctionAnalysisManager &FAM) {
  const auto &TTI = FAM.getResult<TargetIRAnalysis>(F);
  InstructionCost Size = 0;
  for (const BasicBlock *BB : L.blocks())
    for (const Instruction &I : *BB) {
      Size +=
          TTI.getInstructionCost(&I, TargetTransformInfo::TCK_SizeAndLatency);
      const auto *Call = dyn_cast<CallBase>(&I);
      if (Call && (Call->isConvergent() || Call->cannotDuplicate() ||
                   Call->isInlineAsm()))
        return "it has a barrier, a shuffle or a call in it";
    }
  if (!Size.isValid() || Size.getValue() > MostSize)
    return formatv("it is {0} of LLVM's units long, and {1} may be there twice",
                   Size, MostSize);
  std::string Why = whyDecidedAnew(L, Condition, FAM);
  return Why.empty() ? whyRoundedAround(L, FAM) : Why;
}

//===- LLVM's pass --------------------------------------------------------===//

namespace {

/// Of a target without divergence, on which a copy costs nothing: what it may
/// cost is decided here.
struct Willing : TargetTransformInfoImplCRTPBase<Willing> {
  explicit Willing(const DataLayout &Layout)
      : TargetTransformInfoImplCRTPBase(Layout) {}
  InstructionCost getInstructionCost(const User *, ArrayRef<const Value *>,
                                     TTI::TargetCostKind) const override {
    return 0;
  }
};

/// While it lives, LLVM finds no condition of a loop but one to be known
/// before it.
class HiddenConditions {
public:
  HiddenConditions(Loop &L, const Value &Shown) {
    IRBuilder<> B(L.getHeader(), L.getHeader()->getFirstInsertionPt());
    DenseMap<Value *, Value *> By;
    for (BasicBlock *BB : L.blocks())
      for (Instruction &I : *BB)
        for (Use &U : I.operands())
          if (isCondition(U, L) && U != &Shown)
            U.set(hide(*U, By, B));
  }
  ~HiddenConditions() {
    for (Value *V : Hidden)
      for (User *U : make_early_inc_range(V->users()))
        if (auto *I = dyn_cast<FreezeInst>(U); I && I->getMetadata(Hides)) {
          I->replaceAllUsesWith(V);
          I->eraseFromParent();
        }
  }

private:
  static bool isCondition(const Use &U, const Loop &L) {
    const auto *I = cast<Instruction>(U.getUser());
    return !isa<Constant>(U) && !isa<PHINode>(I) && !I->getMetadata(Hides) &&
           (U->getType()->isIntegerTy(1) ||
            (isa<SwitchInst>(I) && U.getOperandNo() == 0)) &&
           L.isLoopInvariant(U);
  }
  Value *hide(Value &V, DenseMap<Value *, Value *> &By, IRBuilder<> &B) {
    Value *&Mask = By[&V];
    if (!Mask) {
      Hidden.push_back(&V);
      auto *I = cast<Instruction>(B.CreateFreeze(&V));
      I->setMetadata(Hides, MDNode::get(I->getContext(), {}));
      Mask = I;
    }
    return Mask;
  }

  SmallVector<Value *, 4> Hidden;
};

/// What is wanted of LLVM's pass, and what it did.
struct Decision {
  const BasicBlock *Header;
  const Value *Condition;
  BasicBlock *Before = nullptr; ///< Asks, behind the pass.
};

struct DecidePass : PassInfoMixin<DecidePass> {
  explicit DecidePass(Decision &Wanted) : Wanted(&Wanted) {}
  PreservedAnalyses run(Loop &L, LoopAnalysisManager &Analyses,
                        LoopStandardAnalysisResults &Given,
                        LPMUpdater &Updater) {
    if (Wanted->Before || L.getHeader() != Wanted->Header)
      return PreservedAnalyses::all();
    Wanted->Before = L.getLoopPreheader();
    const DataLayout &Layout = L.getHeader()->getDataLayout();
    TargetTransformInfo Target(std::make_unique<const Willing>(Layout));
    LoopStandardAnalysisResults Results = {Given.AA, Given.AC,  Given.DT,
                                           Given.LI, Given.SE,  Given.TLI,
                                           Target,   Given.MSSA};
    const HiddenConditions Hidden(L, *Wanted->Condition);
    return SimpleLoopUnswitchPass(/*NonTrivial=*/true, /*Trivial=*/false)
        .run(L, Analyses, Results, Updater);
  }
  static bool isRequired() { return true; }

private:
  Decision *Wanted;
};

} // namespace

/// False: LLVM refused. \p L is gone.
static bool decideBefore(Loop &L, Value &Condition, Function &F,
                         FunctionAnalysisManager &FAM, bool IsWrong) {
  Decision Wanted = {L.getHeader(), &Condition};
  FunctionPassManager Passes;
  Passes.addPass(createFunctionToLoopPassAdaptor(DecidePass(Wanted)));
  Passes.run(F, FAM);
  auto *Asked = Wanted.Before
                    ? dyn_cast<BranchInst>(Wanted.Before->getTerminator())
                    : nullptr;
  const bool IsDone = Asked && Asked->isConditional();
  if (IsDone) {
    if (IsWrong)
      Asked->swapSuccessors();
    for (BasicBlock &BB : make_early_inc_range(F))
      MergeBlockIntoPredecessor(&BB);
    for (BasicBlock &BB : F)
      SimplifyInstructionsInBlock(&BB);
  }
  FAM.invalidate(F, PreservedAnalyses::none());
  return IsDone;
}

//===- All ----------------------------------------------------------------===//

namespace {

/// The loops of a function, one after the other.
class Decider {
public:
  Decider(Function &F, FunctionAnalysisManager &FAM,
          OptimizationRemarkEmitter &Remarks,
          function_ref<bool(const Loop &)> MayChange, bool IsWrong)
      : F(F), FAM(FAM), Remarks(Remarks), MayChange(MayChange),
        IsWrong(IsWrong) {}
  /// False: there is none.
  bool decideOne();

private:
  Value *chosen(Loop &L);
  void refuse(const Loop &L, StringRef Why);

  Function &F;
  FunctionAnalysisManager &FAM;
  OptimizationRemarkEmitter &Remarks;
  function_ref<bool(const Loop &)> MayChange;
  const bool IsWrong;
  std::optional<ThreadUniformity> Uniformity; ///< Of the code as it is.
  /// Of loops that are left alone.
  SmallPtrSet<const BasicBlock *, 8> Left;
};

} // namespace

void Decider::refuse(const Loop &L, StringRef Why) {
  Left.insert(L.getHeader());
  emitPlaced(Remarks, L.getStartLoc(), [&](const DebugLoc &At) {
    return OptimizationRemarkMissed("sluice-loads-in-flight", "NotDecided", At,
                                    L.getHeader())
           << "a condition of the loop is not asked before it, though all "
              "threads decide alike: "
           << Why;
  });
}

/// The condition of \p L that is to be asked before it, or none.
Value *Decider::chosen(Loop &L) {
  if (!L.isInnermost() || !L.getLoopLatch() || Left.contains(L.getHeader()))
    return nullptr;
  // Most loops have none, and nobody need know which values are uniform.
  const auto Known = knownBefore(L);
  if (Known.empty() || !MayChange(L))
    return nullptr;
  if (!Uniformity)
    Uniformity.emplace(F);
  const auto Alike =
      find_if(Known, [&](const Value *V) { return Uniformity->isUniform(V); });
  if (Alike == Known.end())
    return nullptr;
  const std::string Why = whyLeftAlone(L, **Alike, F, FAM);
  if (Why.empty())
    return *Alike;
  refuse(L, Why);
  return nullptr;
}

bool Decider::decideOne() {
  for (Loop *L : FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder()) {
    Value *Condition = chosen(*L);
    if (!Condition)
      continue;
    const DebugLoc Start = L->getStartLoc();
    BasicBlock *Header = L->getHeader();
    Uniformity.reset();
    if (!decideBefore(*L, *Condition, F, FAM, IsWrong))
      Left.insert(Header);
    else
      emitPlaced(Remarks, Start, [&](const DebugLoc &At) {
        return OptimizationRemark("sluice-loads-in-flight", "Decided", At,
                                  &F.getEntryBlock())
               << "a condition of the loop is asked once, before it: all "
                  "threads decide alike";
      });
    return true;
  }
  return false;
}

bool sluice::decideBeforeLoops(Function &F, FunctionAnalysisManager &FAM,
                               OptimizationRemarkEmitter &Remarks,
                               function_ref<bool(const Loop &)> MayChange,
                               bool IsWrong) {
  Decider All(F, FAM, Remarks, MayChange, IsWrong);
  unsigned Loops = 0;
  while (Loops < MostLoops && All.decideOne())
    ++Loops;
  return Loops != 0;
}
