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
#include "FewerInstructions/WholeLoops.h"
#include "GrownMark.h"
#include "HeldProducts.h"
#include "KeptRounding.h"
#include "RegisterNeed.h"
#include "sluice/Analysis/DebugPlace.h"
#include "sluice/Analysis/KernelFunction.h"
#include "sluice/Analysis/LocalArrays.h"
#include "sluice/Analysis/UnrollAnalysis.h"
#include "sluice/Transforms/LoopRounding.h"
#include "sluice/Transforms/PassByName.h"
#include "sluice/Transforms/PlacedRemarks.h"
#include "sluice/Transforms/PlanMetadata.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include <utility>

using namespace llvm;
using namespace sluice;

#define DEBUG_TYPE "sluice-local-arrays"

STATISTIC(NumArrays, "Number of arrays that loops no longer keep in memory");

/// LLVM's size of the loops, once unrolled: more than the instruction cache
/// close to the schedulers has, less than the next one. Addresses become
/// constants and values the same: of 7,500 were seen to be left 2,200.
static constexpr uint64_t MostSize = 8192;
/// Where a large block leaves too few registers for the arrays, so that part of
/// them is spilled: 14.4 ms became 26.8 with a longer one.
static constexpr uint64_t MostSpilledSize = 4096;

/// Of all arrays of a kernel: what is short, and what is no matter.
static constexpr uint64_t ShortBytes = 64, FewBytes = 16;
static constexpr uint64_t BytesOfRegister = 4;

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
  std::vector<LocalArray> findFitting(bool SaysWhy);
  bool mayRoundAnew() const { return IsFaulty || IsWritten; }
  std::string whyNot(const Loop &L) const;
  std::string whyNot(ArrayRef<LocalArray> Arrays) const;
  void unroll(ArrayRef<LocalArray> Arrays);
  void writeRoundings();
  bool unrollReaders();

  Function &F;
  const AttachedPlan *Attached;
  const bool IsFaulty;    ///< For tests of tests.
  bool IsWritten = false; ///< What is fused, or it will be.
  std::string WhyNotWritten;
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

/// May \p L end before its last iteration, as far as is known?
static bool mayEndEarly(const Loop &L, ScalarEvolution &SE) {
  return SE.getSmallConstantTripCount(&L) == 0 || !L.getExitingBlock();
}

static uint64_t bytesOf(ArrayRef<LocalArray> Arrays) {
  uint64_t Bytes = 0;
  for (const LocalArray &Array : Arrays)
    Bytes += Array.Bytes;
  return Bytes;
}

std::string ArrayKeeper::whyNot(const Loop &L) const {
  if (hasUnrollTransformation(&L) != TM_Unspecified)
    return "a pragma says how to unroll a loop over it";
  if (!L.getLoopLatch() || !L.isSafeToClone())
    return "a loop over it has several ends";
  if (mayEndEarly(L, SE) &&
      (!L.isInnermost() || (!IsWritten && hasFloats(*L.getOutermostLoop())) ||
       hasConvergentCalls(L)))
    return "a loop over it has several ends";
  if (Attached && isIn(Attached->Off, codeIdOf(L).ofAllCopies()))
    return "the source switches Sluice off for a loop over it";
  return mayRoundAnew() ? "" : whyRoundedAnew(L, SE);
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
  const KernelPlan *Plan = Attached ? Attached->kernel(F) : nullptr;
  const bool HasRoom =
      bytesOf(Arrays) <= BytesOfRegister * registersOfBlock(F, Plan);
  if (Size > (HasRoom ? MostSize : MostSpilledSize))
    return "the loops over it would be too long";
  if (!mayRoundAnew() &&
      !roundsTheSame(F, Loops, FAM.getResult<DominatorTreeAnalysis>(F)))
    return "whether a product is fused with a sum depends on where it is kept";
  return "";
}

void ArrayKeeper::unroll(ArrayRef<LocalArray> Arrays) {
  const LoopSet Loops = loopsOf(Arrays);
  NumArrays += Arrays.size();
  if (!mayRoundAnew())
    roundHeldProducts(F, Loops);
  for (Loop *L : Loops) {
    // By its value hasUnrollTransformation() knows that it is there.
    if (!mayEndEarly(*L, SE))
      addStringMetadataToLoop(L, "llvm.loop.unroll.full", 1);
    emitPlaced(Remarks, L->getStartLoc(), [&](const DebugLoc &At) {
      return OptimizationRemark(DEBUG_TYPE, "Kept", At, L->getHeader())
             << "the loop is unrolled whole: arrays of "
             << ore::NV("Bytes", bytesOf(Arrays))
             << " bytes that it goes over are in registers then";
    });
  }
  // LLVM's pass leaves these.
  for (Loop *L : Loops)
    if (mayEndEarly(*L, SE))
      unrollWithEnds(*L, mostIterations(*L, SE), FAM);
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

std::vector<LocalArray> ArrayKeeper::findFitting(bool SaysWhy) {
  std::vector<LocalArray> Fitting;
  for (LocalArray &Array :
       findLocalArrays(F, FAM.getResult<LoopAnalysis>(F), SE)) {
    Fitting.push_back(std::move(Array));
    const std::string Why = whyNot(Fitting);
    if (Why.empty())
      continue;
    const Loop *L = Fitting.back().Loops.front();
    if (SaysWhy)
      emitPlaced(Remarks, L->getStartLoc(), [&](const DebugLoc &At) {
        return OptimizationRemarkMissed(DEBUG_TYPE, "NotKept", At,
                                        L->getHeader())
               << "an array of " << ore::NV("Bytes", Fitting.back().Bytes)
               << " bytes is not kept in registers: " << Why
               << (WhyNotWritten.empty() ? "" : "; " + WhyNotWritten);
      });
    Fitting.pop_back();
  }
  return Fitting;
}

/// Writes down what is fused, where more arrays can be kept then.
void ArrayKeeper::writeRoundings() {
  if (IsFaulty || !Attached || !Attached->Opts.WriteRounding)
    return;
  const size_t Now = findFitting(/*SaysWhy=*/false).size();
  IsWritten = true;
  if (findFitting(/*SaysWhy=*/false).size() == Now) {
    IsWritten = false;
    return;
  }
  WhyNotWritten = keepRoundings(F, *Attached);
  IsWritten = WhyNotWritten.empty();
}

bool ArrayKeeper::run() {
  writeRoundings();
  std::vector<LocalArray> Fitting = findFitting(/*SaysWhy=*/true);
  // Of short arrays it would spill as much as they save.
  uint64_t Bytes = 0;
  for (const LocalArray &Array : Fitting)
    Bytes += Array.Bytes;
  if (Bytes > FewBytes && Bytes <= ShortBytes &&
      fillsBlock(F, Attached ? Attached->kernel(F) : nullptr))
    Fitting.clear();
  if (!Fitting.empty()) {
    unroll(Fitting);
    F.addFnAttr(GrownMark, GrownByArrays);
  }
  return unrollReaders() || !Fitting.empty() || IsWritten;
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
