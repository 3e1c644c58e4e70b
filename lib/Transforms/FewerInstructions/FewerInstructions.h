// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The same results by fewer instructions: what FewerInstructionsPass.cpp does,
/// each in a file of its own.

#ifndef SLUICE_LIB_TRANSFORMS_FEWERINSTRUCTIONS_H
#define SLUICE_LIB_TRANSFORMS_FEWERINSTRUCTIONS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/DebugLoc.h"
#include "llvm/IR/PassManager.h"

namespace sluice {
struct AttachedPlan;
}

namespace llvm {
class CastInst;
class Function;
class Instruction;
class Module;
class Value;
} // namespace llvm

namespace sluice {

/// What a rewrite did in a function.
struct Rewritten {
  unsigned Count = 0;
  llvm::DebugLoc At; ///< Of the first.
};

/// Does the source leave it to Sluice?
using ChangeTest = llvm::function_ref<bool(const llvm::Instruction &)>;
using FunctionTest = llvm::function_ref<bool(const llvm::Function &)>;

/// Do its fast-math flags let \p I be computed in another way than IEEE 754 has
/// it, but for sums that take in products?
bool mayBeApproximate(const llvm::Instruction &I);

/// \p V, if it is an integer of 32 bits made one of 64 (ScaledIndices.cpp).
llvm::CastInst *asExtension(llvm::Value *V);

/// Sums of \p F with a value that a condition negates become one multiply-add
/// each (SignedSums.cpp). \p IsWrong: WrongRewrite::LostFactor.
Rewritten multiplyBySigns(llvm::Function &F, ChangeTest MayChange,
                          bool IsWrong);

/// Indices of \p F into shared memory, and into a thread's arrays, that may be
/// numbers modulo 2^32 become numbers of 64 bits that a constant is added to or
/// that a loop counts (SharedIndices.cpp). \p IsWrong:
/// WrongRewrite::OtherOffset.
Rewritten followSharedIndices(llvm::Function &F, ChangeTest MayChange,
                              llvm::FunctionAnalysisManager &FAM, bool IsWrong);

/// SIMD video instructions of PTX become operations on whole words
/// (PackedIntegers.cpp). \p IsWrong: WrongRewrite::CarriedLane.
Rewritten computeInWords(llvm::Function &F, ChangeTest MayChange, bool IsWrong);

/// Branches between three ways and more of a loop become selections
/// (BranchlessChoices.cpp). \p MayChange is asked of the first branch. \p
/// IsWrong: WrongRewrite::SwappedChoice.
Rewritten chooseWithoutBranches(llvm::Function &F, ChangeTest MayChange,
                                bool IsWrong);

/// Two conditions that lead to the same two places, of which a third one
/// chooses which is asked, become one (TwoSidedConditions.cpp). \p MayChange is
/// asked of the third. \p IsWrong: WrongRewrite::SwappedChoice.
Rewritten askTwoSidesOnce(llvm::Function &F, ChangeTest MayChange,
                          llvm::FunctionAnalysisManager &FAM, bool IsWrong);

/// Selections of which one keeps what the other one keeps become one
/// (NestedSelections.cpp). \p MayChange is asked of the outer one. \p IsWrong:
/// WrongRewrite::SwappedChoice.
Rewritten joinSelections(llvm::Function &F, ChangeTest MayChange, bool IsWrong);

/// Loads of shared or of other memory, as a condition says, become a load of
/// each (SidesOfLoads.cpp). \p MayChange is asked of the load. Leaves the
/// loops invalid. \p IsWrong: WrongRewrite::OtherOffset.
Rewritten loadBySides(llvm::Function &F, ChangeTest MayChange,
                      llvm::FunctionAnalysisManager &FAM, bool IsWrong);

/// Calls with constants are computed (EvaluatedCalls.cpp). \p MayChange is
/// asked of each. \p IsWrong: WrongRewrite::OtherConstant.
Rewritten evaluateCalls(llvm::Function &F, ChangeTest MayChange, bool IsWrong);

/// Calls whose results depend on their operands alone are made once where all
/// ways make them (BusyCalls.cpp). \p MayChange is asked of each call. \p
/// IsWrong: WrongRewrite::OtherCall.
Rewritten makeBusyCallsOnce(llvm::Function &F, ChangeTest MayChange,
                            bool IsWrong);

/// Arrays of a thread that are only copied are copied word by word, and so are
/// in registers (CopiedArrays.cpp). \p MayChange is asked of each copy. \p
/// IsWrong: WrongRewrite::OtherCopy.
Rewritten keepCopiedArrays(llvm::Function &F, ChangeTest MayChange,
                           llvm::FunctionAnalysisManager &FAM, bool IsWrong);

/// Arrays of a thread begin at multiples of 16 bytes where they are set or read
/// in pieces (AlignedArrays.cpp). \p MayChange is asked of each such access. \p
/// IsWrong: WrongRewrite::UnevenPlace.
Rewritten alignArrays(llvm::Function &F, ChangeTest MayChange, bool IsWrong);

/// Matrix fragments are loaded from, and stored to, the memory that they are
/// known to be in (MatrixSpaces.cpp). \p MayChange is asked of each access.
Rewritten nameMatrixSpaces(llvm::Function &F, ChangeTest MayChange);

/// Numbers that are loaded byte by byte and taken apart again are read in these
/// pieces (LoadedPieces.cpp). \p MayChange is asked of each load. \p IsWrong:
/// WrongRewrite::OtherPiece.
Rewritten loadPieces(llvm::Function &F, ChangeTest MayChange, bool IsWrong);

/// Bytes of two words that are compared one by one are compared by the words'
/// difference (ComparedBytes.cpp). \p MayChange is asked of each comparison. \p
/// IsWrong: WrongRewrite::OtherByte.
Rewritten compareBytesInWords(llvm::Function &F, ChangeTest MayChange,
                              bool IsWrong);

/// Two floats that are rounded to halves of a word are rounded together
/// (JoinedHalves.cpp). \p MayChange is asked of what joins them. \p IsWrong:
/// WrongRewrite::SwappedHalves.
Rewritten joinHalves(llvm::Function &F, ChangeTest MayChange, bool IsWrong);

/// Stores of 8 bytes beside two of 4, with which they fill 16 that are aligned,
/// become two of 4 bytes, all of which LLVM joins (SplitStores.cpp). \p
/// MayChange is asked of each. \p IsWrong: WrongRewrite::SwappedHalves.
Rewritten splitStores(llvm::Function &F, ChangeTest MayChange, bool IsWrong);

/// Stores to shared memory that a later one of the block overwrites before
/// anybody may read them are dropped (OverwrittenStores.cpp). \p MayChange is
/// asked of each. \p IsWrong: WrongRewrite::ReadStore.
Rewritten dropOverwrittenStores(llvm::Function &F, ChangeTest MayChange,
                                bool IsWrong);

/// Conditions with the same way out are asked together where a load would wait
/// for the first, or nothing but a load is behind both, or lanes part at both
/// in a loop (JoinedConditions.cpp).
/// \p MayChange is asked of each branch.
/// \p IsWrong: WrongRewrite::LostCondition.
Rewritten askTogether(llvm::Function &F, ChangeTest MayChange,
                      llvm::FunctionAnalysisManager &FAM, bool IsWrong);

/// What of a loop's condition does not change in it is asked before it
/// (LoopConditions.cpp). \p MayChange is asked of each branch. \p IsWrong:
/// WrongRewrite::LostCondition.
Rewritten askBeforeLoops(llvm::Function &F, ChangeTest MayChange,
                         llvm::FunctionAnalysisManager &FAM, bool IsWrong);

/// Cases of a short switch that go one way are asked by one condition
/// (JoinedCases.cpp). \p MayChange is asked of each switch. \p IsWrong:
/// WrongRewrite::LostCase.
Rewritten joinCases(llvm::Function &F, ChangeTest MayChange, bool IsWrong);

/// Loops multiply by the reciprocals of divisors that they keep
/// (KeptDivisors.cpp). \p MayChange is asked of each division. \p IsWrong:
/// WrongRewrite::OtherQuotient.
Rewritten divideByKept(llvm::Function &F, ChangeTest MayChange,
                       llvm::FunctionAnalysisManager &FAM, bool IsWrong);

/// Loops branch back where their last condition holds (BackBranches.cpp). \p
/// MayChange is asked of each branch. \p IsWrong: WrongRewrite::OtherWay.
Rewritten branchBackWhereTrue(llvm::Function &F, ChangeTest MayChange,
                              bool IsWrong);

/// Shared arrays of \p M begin at multiples of 16 bytes where neighbours are
/// accessed together, or copied (AlignedShared.cpp). \p IsWhole: no other
/// device code is linked to it. \p MayChange is asked of each access. \p
/// IsWrong: WrongRewrite::UnevenPlace. Returns an access of each.
llvm::SmallVector<llvm::Instruction *, 4>
alignSharedArrays(llvm::Module &M, bool IsWhole, ChangeTest MayChange,
                  bool IsWrong);

/// What was moved down to where it is used goes back up, where it then takes
/// fewer registers (SunkArithmetic.cpp). \p MayChange is asked of each. \p
/// IsWrong: WrongRewrite::PassedStore.
Rewritten computeEarly(llvm::Function &F, ChangeTest MayChange, bool IsWrong);

/// Accesses of a block whose addresses differ by constants take them as offsets
/// of one address (CommonAddresses.cpp). \p MayChange is asked of each access.
/// \p IsWrong: WrongRewrite::OtherOffset.
Rewritten shareAddresses(llvm::Function &F, ChangeTest MayChange,
                         llvm::FunctionAnalysisManager &FAM, bool IsWrong);

/// Sums with constants that all ways to a block compute, and that LLVM has made
/// values of that block, are computed where they are used (JoinedSums.cpp). \p
/// MayChange is asked of each. \p IsWrong: WrongRewrite::OtherOffset.
Rewritten recomputeJoinedSums(llvm::Function &F, ChangeTest MayChange,
                              llvm::FunctionAnalysisManager &FAM, bool IsWrong);

/// Loops that count up end by a signed comparison (SignedEnds.cpp). \p
/// MayChange is asked of it. \p IsWrong: WrongRewrite::LateEnd.
Rewritten endBySigned(llvm::Function &F, ChangeTest MayChange,
                      llvm::FunctionAnalysisManager &FAM, bool IsWrong);

/// Constants of double in loops are read from constant memory, where no
/// instruction has room for them (WideConstants.cpp). \p MayChange is asked of
/// each use. \p IsWrong: WrongRewrite::NextConstant.
Rewritten readWideConstants(llvm::Function &F, ChangeTest MayChange,
                            llvm::FunctionAnalysisManager &FAM, bool IsWrong);

/// Neighbours in global memory are accessed together where their array is
/// aligned, which is asked when it runs (WideWords.cpp). \p MayChange is asked
/// of each access. \p IsWrong: WrongRewrite::MixedPair.
Rewritten accessWords(llvm::Function &F, ChangeTest MayChange,
                      llvm::FunctionAnalysisManager &FAM, bool IsWrong);

/// Blocks' sizes are read before the indices that they are multiplied by
/// (BlockSizes.cpp). \p MayChange is asked of each index. Nothing can be wrong
/// with it, so it has no WrongRewrite: a read has no operands.
Rewritten readSizesFirst(llvm::Function &F, ChangeTest MayChange);

/// What a loop loads first in each iteration, and the code behind it again, is
/// loaded before the branch that chooses between both (NextLoads.cpp). \p
/// MayChange is asked of each load. \p IsWrong: WrongRewrite::WrongNext.
Rewritten loadNextFirst(llvm::Function &F, ChangeTest MayChange,
                        llvm::FunctionAnalysisManager &FAM, bool IsWrong);

/// Loops that are marked, or that no pointer is worth it in, keep the index
/// that their arrays are accessed by (IndexedLoops.cpp). \p MayChange is asked
/// of where it is moved on, or of loads of constant memory. \p IsWrong:
/// WrongRewrite::OtherOffset, of these.
Rewritten keepIndices(llvm::Function &F, ChangeTest MayChange,
                      llvm::FunctionAnalysisManager &FAM, bool IsWrong);

/// Choices between doubles that are computed for them alone become branches
/// (BranchedChoices.cpp). \p MayChange is asked of each choice. \p IsWrong:
/// WrongRewrite::OtherArm.
Rewritten branchToArithmetic(llvm::Function &F, ChangeTest MayChange,
                             llvm::FunctionAnalysisManager &FAM, bool IsWrong);

/// Indices are multiplied by their elements' sizes where they are extended
/// (ScaledIndices.cpp). \p MayChange is asked of each address. Nothing can be
/// wrong with it, so it has no WrongRewrite: a product is the same elsewhere.
Rewritten scaleIndices(llvm::Function &F, ChangeTest MayChange);

/// Addresses of loops that are behind a condition are moved on, as those in
/// each iteration are (MovedAddresses.cpp). \p MayChange is asked of each. \p
/// IsWrong: WrongRewrite::OtherBase.
Rewritten moveAddressesOn(llvm::Function &F, ChangeTest MayChange,
                          llvm::FunctionAnalysisManager &FAM, bool IsWrong);

/// What a loop computes for a store behind a grid's edge is computed before
/// that condition, so that the store alone is behind it (GuardedStores.cpp). \p
/// MayChange is asked of the store. \p IsWrong: WrongRewrite::StoreAnyway.
Rewritten computeBeforeGuards(llvm::Function &F, ChangeTest MayChange,
                              llvm::FunctionAnalysisManager &FAM, bool IsWrong);

/// Addresses that a condition is around, and that are computed again behind it,
/// are computed once before it, where the assembler then predicates what is
/// left (EqualAddresses.cpp). \p MayChange is asked of the branch, and of what
/// computes them again. \p IsWrong: WrongRewrite::OtherOffset.
Rewritten computeAddressesOnce(llvm::Function &F, ChangeTest MayChange,
                               llvm::FunctionAnalysisManager &FAM,
                               bool IsWrong);

/// The run of a part that is early: \p Rewrite for each function of \p M that
/// may be rewritten, if there is a plan; if not, \p Consequence is warned of.
llvm::PreservedAnalyses
rewriteEarly(llvm::Module &M, llvm::ModuleAnalysisManager &MAM,
             llvm::StringRef Consequence,
             llvm::function_ref<bool(llvm::Function &, const AttachedPlan &,
                                     llvm::FunctionAnalysisManager &)>
                 Rewrite);

/// Does nothing keep `fewer-instructions` from \p F? \p Attached may be null.
bool mayRewrite(const llvm::Function &F, const AttachedPlan *Attached);

/// Functions that a kernel of \p M calls once go into it, where that is fewer
/// instructions (InlinedCalls.cpp). \p MayChange is asked of the call. Says so
/// itself, and returns how many.
unsigned inlineCalls(llvm::Module &M, const AttachedPlan &Attached,
                     FunctionTest MayRewrite, ChangeTest MayChange);

} // namespace sluice

#endif
