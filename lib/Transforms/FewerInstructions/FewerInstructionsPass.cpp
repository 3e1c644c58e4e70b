// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same results by fewer instructions, where nvcc has them and clang does
// not: sums with a sign (SignedSums.cpp), the SIMD intrinsics
// (PackedIntegers.cpp), choices (BranchlessChoices.cpp), calls with constants
// (EvaluatedCalls.cpp) and calls that all ways make (BusyCalls.cpp), arrays of
// small elements (AlignedArrays.cpp), shared arrays (AlignedShared.cpp),
// numbers that are taken apart (LoadedPieces.cpp), bytes that are compared
// (ComparedBytes.cpp), halves of a word (JoinedHalves.cpp), stores of
// copied words (SplitStores.cpp), stores that are overwritten
// (OverwrittenStores.cpp), conditions that a load would wait for
// (JoinedConditions.cpp), conditions of loops (LoopConditions.cpp), switches
// (SwitchTrees.cpp, JoinedCases.cpp), branches back (BackBranches.cpp), begins
// and ends of loops (LoopBegins.cpp, SignedEnds.cpp), divisors that a loop
// keeps (KeptDivisors.cpp), sums that two ways compute (JoinedSums.cpp),
// addresses (CommonAddresses.cpp, AddressesOfBlocks.cpp), addresses behind
// conditions (MovedAddresses.cpp), stores behind conditions
// (GuardedStores.cpp), addresses that are computed twice (EqualAddresses.cpp),
// arithmetic that LLVM moved down (SunkArithmetic.cpp), loops with an index
// (IndexedLoops.cpp), constants of double (WideConstants.cpp), neighbours in
// arrays that may be aligned (WideWords.cpp), sizes of blocks (BlockSizes.cpp),
// choices between doubles (BranchedChoices.cpp), indices that are extended
// before loops (ScaledIndices.cpp), loads with which a loop and the code behind
// it begin (NextLoads.cpp), and functions that a kernel calls once
// (InlinedCalls.cpp).
// docs/passes/fewer-instructions.md says why each is right.

#include "FewerInstructions.h"
#include "LoopBegins.h"
#include "SwitchTrees.h"
#include "sluice/Transforms/PassByName.h"
#include "sluice/Transforms/PlacedRemarks.h"
#include "sluice/Transforms/PlanMetadata.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PassManager.h"

using namespace llvm;
using namespace sluice;

#define DEBUG_TYPE "sluice-fewer-instructions"

STATISTIC(NumSums, "Number of sums that are multiplied by a sign");
STATISTIC(NumChoices, "Number of choices without branches");
STATISTIC(NumEvaluated, "Number of calls with constants that are computed");
STATISTIC(NumCalls, "Number of calls that are made once for all ways");
STATISTIC(NumCopied, "Number of arrays in registers that are only copied");
STATISTIC(NumArrays, "Number of arrays that are aligned");
STATISTIC(NumPieces, "Number of loads of numbers that are taken apart");
STATISTIC(NumCompared, "Number of bytes that are compared in words");
STATISTIC(NumHalves, "Number of pairs of halves that are rounded together");
STATISTIC(NumSplit,
          "Number of stores of 8 bytes that go with their neighbours");
STATISTIC(NumDropped, "Number of stores that are overwritten");
STATISTIC(NumJoined, "Number of conditions that are asked with another one");
STATISTIC(NumBefore, "Number of conditions that are asked before their loops");
STATISTIC(NumTrees, "Number of switches that are no tables");
STATISTIC(NumShared, "Number of shared arrays that are aligned");
STATISTIC(NumLoops, "Number of loops that keep their index");
STATISTIC(NumEither, "Number of loads of either memory");
STATISTIC(NumSelections, "Number of selections that are part of others");
STATISTIC(NumEarly, "Number of instructions that go back up");
STATISTIC(NumRecomputed,
          "Number of sums that are computed where they are used");
STATISTIC(NumIndices, "Number of indices of shared memory of 64 bits");
STATISTIC(NumAddresses, "Number of addresses that are offsets from others");
STATISTIC(NumWide, "Number of constants of double that are in an array");
STATISTIC(NumWords, "Number of places where words are accessed as one");
STATISTIC(NumEnds, "Number of loops that end by a signed comparison");
STATISTIC(NumBegins, "Number of loops that begin apart from the one around");
STATISTIC(NumTurned, "Number of loops that branch back where it is true");
STATISTIC(NumDivisions, "Number of divisions by what a loop keeps");
STATISTIC(NumSizes, "Number of blocks' sizes that are read first");
STATISTIC(NumBranched, "Number of choices of doubles that are branches");
STATISTIC(NumScaled, "Number of addresses by an index that is scaled before");
STATISTIC(NumNext, "Number of loads before the branch to their loop");
STATISTIC(NumMoved, "Number of addresses that are moved on");
STATISTIC(NumCases, "Number of switches with cases that are asked together");
STATISTIC(NumGuarded, "Number of stores that are alone behind a condition");
STATISTIC(NumOnce, "Number of parts of addresses that are computed once");
STATISTIC(NumInlined, "Number of calls that are inlined");
STATISTIC(NumSides, "Number of conditions that two sides asked");
STATISTIC(NumFragments, "Number of fragments whose memory is known");
STATISTIC(NumPacked, "Number of SIMD instructions that compute in whole words");

bool sluice::mayBeApproximate(const Instruction &I) {
  const auto *Math = dyn_cast<FPMathOperator>(&I);
  return Math && (Math->hasAllowReassoc() || Math->hasAllowReciprocal() ||
                  Math->hasApproxFunc());
}

static void report(Function &F, const DebugLoc &At, StringRef Name,
                   const Twine &Text) {
  OptimizationRemarkEmitter Remarks(&F);
  emitPlaced(Remarks, At, [&](const DebugLoc &Place) {
    return OptimizationRemark(DEBUG_TYPE, Name, Place, &F.getEntryBlock())
           << Text.str();
  });
}

namespace {

/// One function, rewritten by each in turn.
class FunctionRewriter {
public:
  FunctionRewriter(Function &F, const AttachedPlan *Attached,
                   FunctionAnalysisManager &FAM)
      : F(F), Attached(Attached), FAM(FAM),
        Wrong(Attached ? Attached->Opts.Wrong : WrongRewrite::None) {}

  bool run() {
    computeLess();
    accessLess();
    forgetAnalyses();
    shortenLoops();
    shortenGuarded();
    return Changed;
  }

private:
  void computeLess();
  void accessLess();
  void shortenLoops();
  /// Of places in arrays.
  void shareSums();
  /// What is behind conditions, so that the assembler predicates it.
  void shortenGuarded();

  /// Before what asks them of code that others may have changed.
  void forgetAnalyses() {
    if (Changed)
      FAM.invalidate(F, PreservedAnalyses::none());
  }
  bool mayChange(const Instruction &I) const {
    return !Attached || !isSwitchedOff(I, *Attached);
  }
  void say(const Rewritten &Done, Statistic &Number, StringRef Name,
           StringRef One, StringRef Several) {
    if (Done.Count)
      report(F, Done.At, Name,
             Twine(Done.Count) + (Done.Count == 1 ? One : Several));
    count(Done, Number);
  }
  /// What is in most kernels has no remark.
  void count(const Rewritten &Done, Statistic &Number) {
    Number += Done.Count;
    Changed |= Done.Count != 0;
  }

  Function &F;
  const AttachedPlan *Attached;
  FunctionAnalysisManager &FAM;
  const WrongRewrite Wrong;
  bool Changed = false;
};

} // namespace

void FunctionRewriter::computeLess() {
  auto MayChange = [&](const Instruction &I) { return mayChange(I); };
  // First, as it takes what the analyses say.
  say(letCasesMeet(F, MayChange, FAM), NumTrees, "Trees",
      " switch is comparisons and no table: most of its cases go on together",
      " switches are comparisons and no tables: most of their cases go on "
      "together");
  constexpr StringLiteral Sums =
      " sums with a value that a condition negates are multiply-adds with a "
      "sign, which is made once for each condition";
  say(multiplyBySigns(F, MayChange, Wrong == WrongRewrite::LostFactor), NumSums,
      "Signs", Sums, Sums);
  say(computeInWords(F, MayChange, Wrong == WrongRewrite::CarriedLane),
      NumPacked, "Packed",
      " SIMD instruction computes in whole words: this GPU has none for it",
      " SIMD instructions compute in whole words: this GPU has none for it");
  say(chooseWithoutBranches(F, MayChange, Wrong == WrongRewrite::SwappedChoice),
      NumChoices, "Choices",
      " choice of a loop has no branches: lanes of a warp would go several "
      "ways",
      " choices of loops have no branches: lanes of a warp would go several "
      "ways");
  forgetAnalyses();
  say(askTwoSidesOnce(F, MayChange, FAM, Wrong == WrongRewrite::SwappedChoice),
      NumSides, "Sides",
      " condition is asked once: two sides of another one asked for the same "
      "two ways",
      " conditions are asked once: two sides of others asked for the same two "
      "ways");
  say(evaluateCalls(F, MayChange, Wrong == WrongRewrite::OtherConstant),
      NumEvaluated, "Evaluated", " call with constants is computed",
      " calls with constants are computed");
  say(makeBusyCallsOnce(F, MayChange, Wrong == WrongRewrite::OtherCall),
      NumCalls, "Calls",
      " call is made once before a loop: all ways through make it",
      " calls are made once before loops and branches: all ways through make "
      "them");
}

void FunctionRewriter::accessLess() {
  auto MayChange = [&](const Instruction &I) { return mayChange(I); };
  forgetAnalyses();
  say(keepCopiedArrays(F, MayChange, FAM, Wrong == WrongRewrite::OtherCopy),
      NumCopied, "Copied", " array is in registers: it is only copied",
      " arrays are in registers: they are only copied");
  say(alignArrays(F, MayChange, Wrong == WrongRewrite::UnevenPlace), NumArrays,
      "Arrays",
      " array is aligned so that several elements are set or read at once",
      " arrays are aligned so that several elements are set or read at once");
  say(loadPieces(F, MayChange, Wrong == WrongRewrite::OtherPiece), NumPieces,
      "Pieces",
      " number is read in the pieces that are used of it: it begins at any "
      "byte",
      " numbers are read in the pieces that are used of them: they begin at "
      "any byte");
  say(nameMatrixSpaces(F, MayChange), NumFragments, "Fragments",
      " access of a matrix fragment says in which memory it is",
      " accesses of matrix fragments say in which memory they are");
  say(compareBytesInWords(F, MayChange, Wrong == WrongRewrite::OtherByte),
      NumCompared, "Bytes", " byte is compared in its word",
      " bytes are compared in their words");
  count(joinHalves(F, MayChange, Wrong == WrongRewrite::SwappedHalves),
        NumHalves);
  say(splitStores(F, MayChange, Wrong == WrongRewrite::SwappedHalves), NumSplit,
      "Split", " store of 8 bytes goes with its neighbours, 16 at once",
      " stores of 8 bytes go with their neighbours, 16 at once");
  say(dropOverwrittenStores(F, MayChange, Wrong == WrongRewrite::ReadStore),
      NumDropped, "Overwritten",
      " store to shared memory is left out: it is overwritten before anybody "
      "may read it",
      " stores to shared memory are left out: they are overwritten before "
      "anybody may read them");
  count(joinSelections(F, MayChange, Wrong == WrongRewrite::SwappedChoice),
        NumSelections);
  forgetAnalyses();
  say(loadBySides(F, MayChange, FAM, Wrong == WrongRewrite::OtherOffset),
      NumEither, "EitherMemory",
      " load of shared memory or another, as a condition says, becomes a load "
      "of each",
      " loads of shared memory or another, as conditions say, become loads of "
      "each");
  forgetAnalyses();
  say(askBeforeLoops(F, MayChange, FAM, Wrong == WrongRewrite::LostCondition),
      NumBefore, "Before",
      " condition of a loop is asked in part before it: that does not change",
      " conditions of loops are asked in part before them: that does not "
      "change");
  forgetAnalyses();
  say(askTogether(F, MayChange, FAM, Wrong == WrongRewrite::LostCondition),
      NumJoined, "Joined",
      " condition is asked with the one before it: a load would wait for that, "
      "lanes would part twice, or a load be branched around",
      " conditions are asked with those before them: a load would wait for "
      "these, lanes would part twice, or a load be branched around");
  say(computeEarly(F, MayChange, Wrong == WrongRewrite::PassedStore), NumEarly,
      "Early",
      " instruction goes back up to its operands: there are fewer registers to "
      "hold so",
      " instructions go back up to their operands: there are fewer registers "
      "to hold so");
}

void FunctionRewriter::shareSums() {
  auto MayChange = [&](const Instruction &I) { return mayChange(I); };
  count(followSharedIndices(F, MayChange, FAM,
                            Wrong == WrongRewrite::OtherOffset),
        NumIndices);
  forgetAnalyses();
  say(recomputeJoinedSums(F, MayChange, FAM,
                          Wrong == WrongRewrite::OtherOffset),
      NumRecomputed, "Recomputed",
      " sum is computed where it is used: a register would hold it from where "
      "two ways meet",
      " sums are computed where they are used: registers would hold them from "
      "where two ways meet");
  forgetAnalyses();
  say(shareAddresses(F, MayChange, FAM, Wrong == WrongRewrite::OtherOffset),
      NumAddresses, "Addresses",
      " address is a constant offset from another one, of its block or of "
      "several",
      " addresses are constant offsets from others, of their blocks or of "
      "several");
}

void FunctionRewriter::shortenLoops() {
  auto MayChange = [&](const Instruction &I) { return mayChange(I); };
  // Before cases are joined that are to be apart.
  say(beginLoopsApart(F, MayChange, FAM, Wrong == WrongRewrite::LostCondition),
      NumBegins, "Begins",
      " loop that ends by what it loads begins apart from the loop around it",
      " loops that end by what they load begin apart from the loops around "
      "them");
  forgetAnalyses();
  count(endBySigned(F, MayChange, FAM, Wrong == WrongRewrite::LateEnd),
        NumEnds);
  shareSums();
  say(joinCases(F, MayChange, Wrong == WrongRewrite::LostCase), NumCases,
      "Cases", " switch asks the cases that go one way by one condition",
      " switches ask the cases that go one way by one condition");
  count(branchBackWhereTrue(F, MayChange, Wrong == WrongRewrite::OtherWay),
        NumTurned);
  // Behind what takes quotients for what they are.
  forgetAnalyses();
  say(divideByKept(F, MayChange, FAM, Wrong == WrongRewrite::OtherQuotient),
      NumDivisions, "Divisions",
      " division of a loop is a multiplication: the loop keeps its divisor, "
      "whose reciprocal is computed before it",
      " divisions of loops are multiplications: the loops keep their divisors, "
      "whose reciprocals are computed before them");
  forgetAnalyses();
  // A loop takes so much longer that it made no difference.
  if (FAM.getResult<LoopAnalysis>(F).empty())
    count(readSizesFirst(F, MayChange), NumSizes);
  // How much constant memory the files take together is known of one alone.
  if (Attached && Attached->IsWhole)
    say(readWideConstants(F, MayChange, FAM,
                          Wrong == WrongRewrite::NextConstant),
        NumWide, "Constants",
        " constant of loops is in constant memory: instructions have no room "
        "for it",
        " constants of loops are in constant memory: instructions have no room "
        "for them");
  forgetAnalyses();
  say(keepIndices(F, MayChange, FAM, Wrong == WrongRewrite::OtherOffset),
      NumLoops, "Index",
      " loop keeps its index, and has no pointers that are moved on",
      " loops keep their indices, and have no pointers that are moved on");
  // Last, as the others see more in whole blocks.
  forgetAnalyses();
  // Once: the narrow way could be made wider again. Where the plugin is loaded
  // twice, the plan is gone the second time.
  if (Attached)
    say(accessWords(F, MayChange, FAM, Wrong == WrongRewrite::MixedPair),
        NumWords, "Words",
        " group of neighbours is accessed in wider words where the arrays are "
        "aligned",
        " groups of neighbours are accessed in wider words where the arrays "
        "are aligned");
  forgetAnalyses();
  say(branchToArithmetic(F, MayChange, FAM, Wrong == WrongRewrite::OtherArm),
      NumBranched, "Branched",
      " choice of doubles is a branch: lanes compute what they choose only",
      " choices of doubles are branches: lanes compute what they choose only");
  count(scaleIndices(F, MayChange), NumScaled);
  forgetAnalyses();
  say(loadNextFirst(F, MayChange, FAM, Wrong == WrongRewrite::WrongNext),
      NumNext, "Next",
      " load goes before the branch of its loop: the code behind the loop "
      "begins with it too",
      " loads go before the branches of their loops: the code behind the loops "
      "begins with them too");
  forgetAnalyses();
  say(moveAddressesOn(F, MayChange, FAM, Wrong == WrongRewrite::OtherBase),
      NumMoved, "Moved",
      " address behind a condition is moved on with its loop",
      " addresses behind conditions are moved on with their loops");
}

void FunctionRewriter::shortenGuarded() {
  auto MayChange = [&](const Instruction &I) { return mayChange(I); };
  forgetAnalyses();
  say(computeBeforeGuards(F, MayChange, FAM,
                          Wrong == WrongRewrite::StoreAnyway),
      NumGuarded, "Guarded",
      " store of a loop is alone behind its condition: what it writes is "
      "computed before that",
      " stores of loops are alone behind their conditions: what they write is "
      "computed before those");
  forgetAnalyses();
  say(computeAddressesOnce(F, MayChange, FAM,
                           Wrong == WrongRewrite::OtherOffset),
      NumOnce, "Once",
      " part of an address is computed once before a condition: the code "
      "behind it takes it too",
      " parts of addresses are computed once before conditions: the code "
      "behind them takes them too");
}

static bool isKept(const KernelPlan &Kernel) {
  return Kernel.FewerInstructions && !*Kernel.FewerInstructions;
}

bool sluice::mayRewrite(const Function &F, const AttachedPlan *Attached) {
  return !F.isDeclaration() && !F.hasOptNone() &&
         !(Attached && isKeptFrom(F, *Attached, isKept));
}

PreservedAnalyses
sluice::rewriteEarly(Module &M, ModuleAnalysisManager &MAM,
                     StringRef Consequence,
                     function_ref<bool(Function &, const AttachedPlan &,
                                       FunctionAnalysisManager &)>
                         Rewrite) {
  const auto Attached = attachedPlanOrWarning(M, Consequence);
  if (!Attached || !Attached->Opts.FewerInstructions)
    return PreservedAnalyses::all();
  auto &FAM = MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
  bool IsChanged = false;
  for (Function &F : M)
    if (mayRewrite(F, &*Attached))
      IsChanged |= Rewrite(F, *Attached, FAM);
  return IsChanged ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

/// What functions share is changed only where all of them may be.
static bool rewriteShared(Module &M, const AttachedPlan *Attached) {
  auto MayChange = [&](const Instruction &I) {
    return mayRewrite(*I.getFunction(), Attached) &&
           !(Attached && isSwitchedOff(I, *Attached));
  };
  const bool IsWrong =
      Attached && Attached->Opts.Wrong == WrongRewrite::UnevenPlace;
  const auto Done =
      alignSharedArrays(M, Attached && Attached->IsWhole, MayChange, IsWrong);
  for (Instruction *First : Done)
    report(*First->getFunction(), First->getDebugLoc(), "Shared",
           "a shared array begins at a multiple of 16 bytes, so that several "
           "elements are read or written at once");
  NumShared += Done.size();
  return !Done.empty();
}

/// First, so that the others see one function. Returns whether \p M is changed.
static bool inlineCallsOf(Module &M, const AttachedPlan *Attached,
                          FunctionAnalysisManager &FAM) {
  if (!Attached || !Attached->Opts.InlineCalls)
    return false;
  auto MayRewrite = [&](const Function &F) { return mayRewrite(F, Attached); };
  auto MayChange = [&](const Instruction &I) {
    return !isSwitchedOff(I, *Attached);
  };
  const unsigned Count = inlineCalls(M, *Attached, MayRewrite, MayChange);
  NumInlined += Count;
  if (Count)
    for (Function &F : M)
      FAM.invalidate(F, PreservedAnalyses::none());
  return Count != 0;
}

namespace {

struct FewerInstructionsPass : PassInfoMixin<FewerInstructionsPass> {
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &MAM) {
    if (!M.getTargetTriple().isNVPTX())
      return PreservedAnalyses::all();
    auto Attached =
        attachedPlanOrWarning(M, "results are computed by fewer instructions");
    if (Attached && !Attached->Opts.FewerInstructions)
      return PreservedAnalyses::all();
    auto &FAM =
        MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
    const AttachedPlan *Plan = Attached ? &*Attached : nullptr;
    bool Changed = inlineCallsOf(M, Plan, FAM);
    for (Function &F : M)
      if (mayRewrite(F, Plan))
        Changed |= FunctionRewriter(F, Plan, FAM).run();
    Changed |= rewriteShared(M, Plan);
    return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

} // namespace

namespace sluice {
/// The name `sluice-fewer-instructions`.
void registerFewerInstructionsPass(PassBuilder &PB) {
  registerByName<FewerInstructionsPass>(PB, DEBUG_TYPE);
}
} // namespace sluice
