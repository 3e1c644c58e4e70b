// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays of a thread in registers:
//
//   float v[8];                                    v[0] to v[7] are values
//   for (int k = 0; k < 8; ++k) v[k] = a[k * n];   -->  that LLVM keeps in
//   for (int k = 0; k < 8; ++k) b[k * n] = f(v[k]);     registers
//
// LLVM does so where the loops are unrolled whole, since a register has no
// address. Its unroller stops at 300 instructions, whatever stays in memory for
// it; nvcc goes on. Here the loops over such arrays are told to be unrolled, by
// what a pragma would say:
//
//   !7 = distinct !{!7, !8}
//   !8 = !{!"llvm.loop.unroll.full"}                 ; added
//
// What was rounded as it went to memory stays so: a product that is kept in an
// array, and added to something later, becomes `mul.rn`.

#include "ArrayReaders.h"
#include "ChosenStructs.h"
#include "GrownMark.h"
#include "RegisterNeed.h"
#include "sluice/Analysis/DebugPlace.h"
#include "sluice/Analysis/KernelFunction.h"
#include "sluice/Analysis/LocalArrays.h"
#include "sluice/Transforms/LoopRounding.h"
#include "sluice/Transforms/PassByName.h"
#include "sluice/Transforms/PlacedRemarks.h"
#include "sluice/Transforms/PlanMetadata.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include <utility>

using namespace llvm;
using namespace sluice;

#define DEBUG_TYPE "sluice-local-arrays"

STATISTIC(NumArrays, "Number of arrays that loops no longer keep in memory");

/// LLVM's size of the loops, once unrolled: more than the instruction cache
/// close to the schedulers has, less than the next one.
static constexpr uint64_t MostSize = 4096;

/// Of all arrays of a kernel.
static constexpr uint64_t ShortBytes = 64;

namespace {

class ArrayKeeper {
public:
  ArrayKeeper(Function &F, const AttachedPlan *Attached,
              FunctionAnalysisManager &FAM)
      : F(F), Attached(Attached),
        IsFaulty(Attached && Attached->Opts.Wrong == WrongRewrite::SummedArray),
        FAM(FAM), SE(FAM.getResult<ScalarEvolutionAnalysis>(F)), Remarks(&F) {}
  bool run();

private:
  std::string whyNot(const Loop &L) const;
  std::string whyNot(ArrayRef<LocalArray> Arrays) const;
  void unroll(ArrayRef<LocalArray> Arrays);
  bool unrollReaders();

  Function &F;
  const AttachedPlan *Attached;
  const bool IsFaulty; ///< For tests of tests.
  FunctionAnalysisManager &FAM;
  ScalarEvolution &SE;
  OptimizationRemarkEmitter Remarks;
};

} // namespace

static LoopSet loopsOf(ArrayRef<LocalArray> Arrays) {
  LoopSet Loops;
  for (const LocalArray &Array : Arrays)
    Loops.insert_range(Array.Loops);
  return Loops;
}

static uint64_t bytesOf(ArrayRef<LocalArray> Arrays) {
  uint64_t Bytes = 0;
  for (const LocalArray &Array : Arrays)
    Bytes += Array.Bytes;
  return Bytes;
}

/// Does it pass on a value as it is, or but for its sign or width?
static bool passesOn(const Instruction &I) {
  return isa<PHINode, SelectInst, CastInst, FreezeInst, InsertElementInst,
             ExtractElementInst, ShuffleVectorInst>(I) ||
         I.getOpcode() == Instruction::FNeg;
}

/// Where \p V comes from: the instructions that \p Holds, by values passed on.
static SmallVector<Instruction *, 4>
sourcesOf(Value *V, function_ref<bool(const Instruction &)> Holds) {
  SmallVector<Instruction *, 4> Sources;
  SmallVector<Value *, 8> Work = {V};
  SmallPtrSet<Value *, 8> Seen;
  while (!Work.empty()) {
    auto *I = dyn_cast<Instruction>(Work.pop_back_val());
    if (!I || !Seen.insert(I).second)
      continue;
    if (Holds(*I))
      Sources.push_back(I);
    else if (passesOn(*I))
      append_range(Work, I->operand_values());
  }
  return Sources;
}

/// Is the value of \p From taken by an instruction that \p Holds?
static bool goesTo(const Instruction &From,
                   function_ref<bool(const Instruction &)> Holds) {
  SmallVector<const Instruction *, 8> Work = {&From};
  SmallPtrSet<const Instruction *, 8> Seen;
  while (!Work.empty())
    for (const User *U : Work.pop_back_val()->users()) {
      const auto *I = cast<Instruction>(U);
      if (Holds(*I))
        return true;
      if (passesOn(*I) && Seen.insert(I).second)
        Work.push_back(I);
    }
  return false;
}

/// What memory is told apart by: an object, or null, for all that is local.
/// Where loops over an array are unrolled, others may become values as well,
/// and what one iteration stores may come to the next without memory.
static const Value *placeOf(const Value *Pointer) {
  const Value *Object = getUnderlyingObject(Pointer);
  return isa<AllocaInst>(Object) ? nullptr : Object;
}

static bool isConstantOf(const Value *V, bool OrZero) {
  const auto *C = dyn_cast<Constant>(V);
  return C && (OrZero || !C->isNullValue());
}

using Places = SmallPtrSet<const Value *, 8>;

/// Where \p F stores constants.
static Places placesOfConstants(const Function &F, bool OrZero) {
  Places Found;
  for (const Instruction &I : instructions(F)) {
    if (const auto *Store = dyn_cast<StoreInst>(&I)) {
      if (isConstantOf(Store->getValueOperand(), OrZero))
        Found.insert(placeOf(Store->getPointerOperand()));
    } else if (const auto *Set = dyn_cast<MemSetInst>(&I)) {
      if (isConstantOf(Set->getValue(), OrZero))
        Found.insert(placeOf(Set->getDest()));
    } else if (const auto *Copy = dyn_cast<MemTransferInst>(&I)) {
      if (isa<GlobalVariable>(getUnderlyingObject(Copy->getSource())))
        Found.insert(placeOf(Copy->getDest()));
    }
  }
  return Found;
}

static bool reads(const Instruction &I, const Places &From) {
  const auto *Load = dyn_cast<LoadInst>(&I);
  return Load && From.contains(placeOf(Load->getPointerOperand()));
}

namespace {
/// What may be a constant where loops are unrolled and elements are known.
class Foldable {
  SmallPtrSet<const Value *, 32> Known;

  bool follows(const Instruction &I) const {
    auto IsKnown = [&](const Value *V) { return mayBe(V); };
    if (isa<PHINode, SelectInst>(I))
      return any_of(I.operands(),
                    [&](const Value *V) { return Known.contains(V); });
    return (!I.mayReadOrWriteMemory() || readsConstants(I)) &&
           !I.isTerminator() && all_of(I.operands(), IsKnown);
  }

public:
  Foldable(const Function &F, const LoopSet &Loops) {
    const Places Constant = placesOfConstants(F, /*OrZero=*/true),
                 OtherThanZero = placesOfConstants(F, /*OrZero=*/false);
    for (const Instruction &I : instructions(F))
      if (reads(I, Constant))
        Known.insert(&I);
    for (const Loop *L : Loops)
      for (const PHINode &Counter : L->getHeader()->phis())
        if (Counter.getType()->isIntegerTy())
          Known.insert(&Counter);
    for (bool Changed = true; std::exchange(Changed, false);)
      for (const Instruction &I : instructions(F))
        Changed |= !Known.contains(&I) && follows(I) && Known.insert(&I).second;
    IsZero = none_of(Known, [&](const Value *V) {
      const auto &I = *cast<Instruction>(V);
      return readsConstants(I) || reads(I, OtherThanZero);
    });
  }

  bool IsZero; ///< All constants are zero or a counter's.

  bool mayBe(const Value *V) const {
    return isa<Constant>(V) || Known.contains(V);
  }
};
} // namespace

/// Would what is fused depend on constants that the loops hide? A product of
/// two is folded: rounded, and added after that. A constant factor goes into
/// the arms of a choice, or is cut to what the other one was before it was
/// widened. And a condition that is known brings a product to its sum.
static bool hideConstants(const Function &F, const LoopSet &Loops) {
  const Foldable Known(F, Loops);
  auto MayBe = [&](const Value *V) { return Known.mayBe(V); };
  bool HasDistantSum = false, HasKnownCondition = false;
  for (const Instruction &I : instructions(F)) {
    HasKnownCondition |= isa<CmpInst>(I) && Known.mayBe(&I);
    if (!isFusedProduct(I) || !goesTo(I, isSum))
      continue;
    HasDistantSum |= !distantSumsOf(I).empty();
    if (!Known.IsZero && any_of(I.operands(), MayBe) &&
        all_of(I.operands(), [&](const Value *V) {
          return MayBe(V) || isa<SelectInst, PHINode, CastInst>(V);
        }))
      return true;
  }
  return HasDistantSum && HasKnownCondition;
}

/// The products that \p F keeps in memory, if what is read there is summed:
/// without memory between them, product and sum would be fused. Of memory that
/// is not local: where one of both is in \p Loops.
static SmallSetVector<Instruction *, 8> productsHeld(Function &F,
                                                     const LoopSet &Loops) {
  auto IsIn = [&](const Instruction &I) {
    return any_of(Loops, [&](const Loop *L) { return L->contains(&I); });
  };
  Places Summed, SummedInLoops;
  for (const Instruction &I : instructions(F))
    if (const auto *Load = dyn_cast<LoadInst>(&I); Load && goesTo(I, isSum)) {
      const Value *Place = placeOf(Load->getPointerOperand());
      Summed.insert(Place);
      if (!Place || IsIn(I))
        SummedInLoops.insert(Place);
    }
  SmallSetVector<Instruction *, 8> Products;
  for (Instruction &I : instructions(F))
    if (auto *Store = dyn_cast<StoreInst>(&I);
        Store && (IsIn(I) ? Summed : SummedInLoops)
                     .contains(placeOf(Store->getPointerOperand())))
      Products.insert_range(
          sourcesOf(Store->getValueOperand(), isFusedProduct));
  return Products;
}

/// Can it be rounded before all else without a change?
static bool canRoundAtOnce(const Instruction &Product) {
  return (Product.getType()->isFloatTy() || Product.getType()->isDoubleTy()) &&
         !goesTo(Product, isSum);
}

/// A product that neither LLVM nor the assembler fuses: `mul.rn`.
static void roundAtOnce(Instruction &Product) {
  const Function &F = *Product.getFunction();
  const bool IsFlushed = F.getDenormalMode(APFloat::IEEEsingle()).Output ==
                         DenormalMode::PreserveSign;
  const Intrinsic::ID ID = Product.getType()->isDoubleTy()
                               ? Intrinsic::nvvm_mul_rn_d
                           : IsFlushed ? Intrinsic::nvvm_mul_rn_ftz_f
                                       : Intrinsic::nvvm_mul_rn_f;
  IRBuilder<> B(&Product);
  Product.replaceAllUsesWith(B.CreateIntrinsic(
      ID, ArrayRef<Type *>(), {Product.getOperand(0), Product.getOperand(1)}));
  Product.eraseFromParent();
}

std::string ArrayKeeper::whyNot(const Loop &L) const {
  if (hasUnrollTransformation(&L) != TM_Unspecified)
    return "a pragma says how to unroll a loop over it";
  if (!L.getLoopLatch() || !L.getExitingBlock() || !L.isSafeToClone())
    return "a loop over it has several ends";
  if (Attached && isIn(Attached->Off, codeIdOf(L).ofAllCopies()))
    return "the source switches Sluice off for a loop over it";
  return IsFaulty ? "" : whyRoundedAnew(L, SE);
}

std::string ArrayKeeper::whyNot(ArrayRef<LocalArray> Arrays) const {
  if (bytesOf(Arrays) > MostBytesInRegisters)
    return "it has too many bytes for registers";
  const LoopSet Loops = loopsOf(Arrays);
  for (const Loop *L : Loops)
    if (std::string Why = whyNot(*L); !Why.empty())
      return Why;
  const auto &TTI = FAM.getResult<TargetIRAnalysis>(F);
  uint64_t Size = 0;
  for (const Loop *L : FAM.getResult<LoopAnalysis>(F))
    if (any_of(Loops, [&](const Loop *Inner) { return L->contains(Inner); }))
      Size += sizeUnrolled(*L, Loops, SE, TTI);
  if (Size > MostSize)
    return "the loops over it would be too long";
  if (!IsFaulty && (hideConstants(F, Loops) ||
                    !all_of(productsHeld(F, Loops), [](const Instruction *I) {
                      return canRoundAtOnce(*I);
                    })))
    return "whether a product is fused with a sum depends on where it is kept";
  return "";
}

void ArrayKeeper::unroll(ArrayRef<LocalArray> Arrays) {
  const LoopSet Loops = loopsOf(Arrays);
  NumArrays += Arrays.size();
  if (!IsFaulty)
    for (Instruction *Product : productsHeld(F, Loops))
      roundAtOnce(*Product);
  for (Loop *L : Loops) {
    // By its value hasUnrollTransformation() knows that it is there.
    addStringMetadataToLoop(L, "llvm.loop.unroll.full", 1);
    emitPlaced(Remarks, L->getStartLoc(), [&](const DebugLoc &At) {
      return OptimizationRemark(DEBUG_TYPE, "Kept", At, L->getHeader())
             << "the loop is unrolled whole: arrays of "
             << ore::NV("Bytes", bytesOf(Arrays))
             << " bytes that it goes over are in registers then";
    });
  }
}

/// Also those that may end early.
bool ArrayKeeper::unrollReaders() {
  bool IsChanged = false;
  for (Loop *L : FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder()) {
    if (Attached && isIn(Attached->Off, codeIdOf(*L).ofAllCopies()))
      continue;
    const AllocaInst *Array = arrayReadAgain(*L, FAM);
    if (!Array)
      continue;
    IsChanged = true;
    addStringMetadataToLoop(L, "llvm.loop.unroll.enable", 1);
    emitPlaced(Remarks, L->getStartLoc(), [&](const DebugLoc &At) {
      return OptimizationRemark(DEBUG_TYPE, "ReadOnce", At, L->getHeader())
             << "the loop is unrolled whole, each iteration with its ends: the "
                "loop around it reads the same elements of an array of "
             << ore::NV("Bytes", Array->getAllocationSize(F.getDataLayout())
                                     ->getKnownMinValue())
             << " bytes again";
    });
  }
  return IsChanged;
}

bool ArrayKeeper::run() {
  std::vector<LocalArray> Fitting;
  for (LocalArray &Array :
       findLocalArrays(F, FAM.getResult<LoopAnalysis>(F), SE)) {
    Fitting.push_back(std::move(Array));
    const std::string Why = whyNot(Fitting);
    if (Why.empty())
      continue;
    const Loop *L = Fitting.back().Loops.front();
    emitPlaced(Remarks, L->getStartLoc(), [&](const DebugLoc &At) {
      return OptimizationRemarkMissed(DEBUG_TYPE, "NotKept", At, L->getHeader())
             << "an array of " << ore::NV("Bytes", Fitting.back().Bytes)
             << " bytes is not kept in registers: " << Why;
    });
    Fitting.pop_back();
  }
  // Of short arrays it would spill as much as they save.
  uint64_t Bytes = 0;
  for (const LocalArray &Array : Fitting)
    Bytes += Array.Bytes;
  if (Bytes && Bytes <= ShortBytes &&
      fillsBlock(F, Attached ? Attached->kernel(F) : nullptr))
    Fitting.clear();
  if (!Fitting.empty()) {
    unroll(Fitting);
    F.addFnAttr(GrownMark, GrownByArrays);
  }
  return unrollReaders() || !Fitting.empty();
}

static bool keepStructs(Function &F, const AttachedPlan *Attached,
                        FunctionAnalysisManager &FAM) {
  const bool IsWrong =
      Attached && Attached->Opts.Wrong == WrongRewrite::OtherStruct;
  OptimizationRemarkEmitter Remarks(&F);
  const BasicBlock *Block = &F.getEntryBlock();
  return keepChosenStructs(
      F, FAM,
      [&](const Instruction &I) {
        return Attached && isSwitchedOff(I, *Attached);
      },
      IsWrong,
      [&](const DebugLoc &Where, uint64_t Bytes, StringRef WhyNot) {
        const ore::NV TheBytes("Bytes", Bytes);
        if (WhyNot.empty())
          emitPlaced(Remarks, Where, [&](const DebugLoc &At) {
            return OptimizationRemark(DEBUG_TYPE, "Chosen", At, Block)
                   << "structs of " << TheBytes
                   << " bytes are kept in registers: their values are chosen "
                      "here, not their addresses";
          });
        else
          emitPlaced(Remarks, Where, [&](const DebugLoc &At) {
            return OptimizationRemarkMissed(DEBUG_TYPE, "NotChosen", At, Block)
                   << "structs of " << TheBytes
                   << " bytes, chosen here by their addresses, are not kept in "
                      "registers: "
                   << WhyNot;
          });
      });
}

static bool isKept(const KernelPlan &Kernel) {
  return Kernel.ArraysInRegisters && !*Kernel.ArraysInRegisters;
}

namespace {

struct LocalArraysPass : PassInfoMixin<LocalArraysPass> {
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &MAM) {
    if (!M.getTargetTriple().isNVPTX())
      return PreservedAnalyses::all();
    auto Attached =
        attachedPlanOrWarning(M, "all arrays are kept in registers");
    if (Attached && !Attached->Opts.LocalArrays)
      return PreservedAnalyses::all();
    auto &FAM =
        MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
    const AttachedPlan *Plan = Attached ? &*Attached : nullptr;
    bool IsChanged = false;
    for (Function &F : M)
      if (!F.isDeclaration() && !F.hasOptSize() &&
          !(Plan && isKeptFrom(F, *Plan, isKept))) {
        IsChanged |= keepStructs(F, Plan, FAM);
        IsChanged |= ArrayKeeper(F, Plan, FAM).run();
      }
    return IsChanged ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

} // namespace

namespace sluice {
/// The name `sluice-local-arrays`.
void registerLocalArraysPass(PassBuilder &PB) {
  registerByName<LocalArraysPass>(PB, DEBUG_TYPE);
}
} // namespace sluice
