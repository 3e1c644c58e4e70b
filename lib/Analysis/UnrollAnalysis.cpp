// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes are LLVM's (TargetTransformInfo, size and latency), since it is LLVM's
// limits on them that say what clang does.

#include "sluice/Analysis/UnrollAnalysis.h"
#include "GlobalPointer.h"
#include "sluice/Analysis/AccessAnalysis.h"
#include "sluice/Analysis/ApartStores.h"
#include "sluice/Analysis/IndexedElements.h"
#include "sluice/Analysis/InlinePTX.h"
#include "sluice/Analysis/SharedMemory.h"
#include "sluice/Target/Occupancy.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/bit.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/CodeMetrics.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Support/NVPTXAddrSpace.h"
#include "llvm/Transforms/Utils/LoopPeel.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/UnrollLoop.h"

using namespace llvm;
using namespace sluice;

/// LLVM's thresholds at -O3: of a loop that is unrolled whole, and, as NVPTX
/// has it, a quarter of that for one that is unrolled in part; then at most so
/// many copies where the number of iterations is not constant.
static constexpr unsigned WholeThreshold = 300, PartThreshold = 75,
                          MostRunTimeCopies = 8;
/// Of a loop with a step that is known when it runs only, with fewer iterations
/// for certain, none are taken together.
static constexpr unsigned FewestStrides = 8;
/// Of a loop with no more iterations than that, how many is not known, clang
/// takes one at a time: LLVM's UnrollingPreferences::MaxUpperBound.
static constexpr unsigned FewestOfShort = 4, MostOfShort = 8;
/// Iterations in which even the largest block fills a tile.
static constexpr unsigned LeastTileRounds = 4;
/// What fits shared memory.
static constexpr unsigned MostElementsOfTile = 1 << 18;
/// The comparison and the branch back, which copies share.
static constexpr unsigned BranchSize = 2;

static uint64_t sizeOf(const BasicBlock &BB, const TargetTransformInfo &TTI) {
  InstructionCost Cost = 0;
  for (const Instruction &I : BB)
    Cost += TTI.getInstructionCost(&I, TargetTransformInfo::TCK_SizeAndLatency);
  return Cost.isValid() ? uint64_t(Cost.getValue()) : ~uint32_t(0);
}

/// Does the address of \p Load in the next iteration wait for nothing that this
/// one loads? It may depend on what its own iteration loads: of an index.
static bool isAhead(const LoadInst &Load, const Loop &L, ScalarEvolution &SE) {
  SmallPtrSet<const Instruction *, 16> Seen;
  SmallVector<const Instruction *, 16> Open;
  auto Add = [&](const Value *V) {
    if (const auto *I = dyn_cast<Instruction>(V); I && L.contains(I))
      if (Seen.insert(I).second)
        Open.push_back(I);
  };
  Add(Load.getPointerOperand());
  bool Varies = false;
  while (!Open.empty()) {
    const Instruction *I = Open.pop_back_val();
    const auto *Phi = dyn_cast<PHINode>(I);
    if (Phi && Phi->getParent() == L.getHeader()) {
      // Of an induction the next value is known at once.
      if (!SE.isSCEVable(Phi->getType()) ||
          !isa<SCEVAddRecExpr>(SE.getSCEV(const_cast<PHINode *>(Phi))))
        return false;
      Varies = true;
      continue;
    }
    for (const Value *Operand : I->operands())
      Add(Operand);
  }
  return Varies; // else it is hoisted
}

/// The array in shared memory that \p I writes; null: none.
static const GlobalVariable *writtenTile(const Instruction &I) {
  const auto *Store = dyn_cast<StoreInst>(&I);
  return Store && Store->isSimple() ? sharedVariable(Store->getPointerOperand())
                                    : nullptr;
}

/// Does \p I fill an array in shared memory that lasts for several iterations
/// of a block, as \p IsLong says of its loop, or its size of the largest block?
/// No load of global memory waits for that. Of loops that have one iteration
/// more copies lost (HeCBench's channelShuffle 0.96).
static bool fillsTile(const Instruction &I, bool IsLong) {
  const GlobalVariable *Tile = writtenTile(I);
  if (!Tile)
    return false;
  const auto *Store = cast<StoreInst>(&I);
  const DataLayout &DL = I.getDataLayout();
  // The size of `extern __shared__` is the launch's.
  return IsLong || Tile->isDeclaration() ||
         DL.getTypeAllocSize(Tile->getValueType()) >=
             LeastTileRounds * MostThreadsPerBlock *
                 DL.getTypeStoreSize(Store->getValueOperand()->getType());
}

std::optional<StridedEnd> sluice::stridedEnd(const Loop &L) {
  const BasicBlock *Latch = L.getLoopLatch();
  const auto *Branch =
      Latch ? dyn_cast<BranchInst>(Latch->getTerminator()) : nullptr;
  if (!L.isInnermost() || L.getExitingBlock() != Latch || !Branch ||
      !Branch->isConditional())
    return std::nullopt;
  auto *Test = dyn_cast<ICmpInst>(Branch->getCondition());
  if (!Test)
    return std::nullopt;
  Value *Next = Test->getOperand(0), *Bound = Test->getOperand(1);
  if (!Next->getType()->isIntegerTy(32) && !Next->getType()->isIntegerTy(64))
    return std::nullopt;
  CmpInst::Predicate Stays = L.contains(Branch->getSuccessor(0))
                                 ? Test->getPredicate()
                                 : Test->getInversePredicate();
  if (L.isLoopInvariant(Next)) {
    std::swap(Next, Bound);
    Stays = CmpInst::getSwappedPredicate(Stays);
  }
  auto *Sum = dyn_cast<Instruction>(Next);
  if (!Sum || Sum->getOpcode() != Instruction::Add ||
      !L.isLoopInvariant(Bound) ||
      (Stays != CmpInst::ICMP_SLT && Stays != CmpInst::ICMP_ULT))
    return std::nullopt;
  for (unsigned At : {0U, 1U}) {
    auto *Index = dyn_cast<PHINode>(Sum->getOperand(At));
    Value *Step = Sum->getOperand(1 - At);
    if (Index && Index->getParent() == L.getHeader() &&
        Index->getIncomingValueForBlock(Latch) == Sum &&
        L.isLoopInvariant(Step) && !isa<Constant>(Step))
      return StridedEnd{Index, Step, Bound, Stays};
  }
  return std::nullopt;
}

static bool readsConstantMemory(const LoadInst &Load) {
  const auto *Array =
      dyn_cast<GlobalVariable>(getUnderlyingObject(Load.getPointerOperand()));
  return Array && Array->getAddressSpace() == NVPTXAS::ADDRESS_SPACE_CONST;
}

/// Is \p Load of a word of constant memory, and the place of the next iteration
/// an odd number of words further?
static bool isOddWord(const LoadInst &Load, const Loop &L,
                      ScalarEvolution &SE) {
  static constexpr unsigned WordBytes = 4;
  const Value *Pointer = Load.getPointerOperand();
  if (!readsConstantMemory(Load) ||
      Load.getDataLayout().getTypeStoreSize(Load.getType()) != WordBytes)
    return false;
  const auto *Place =
      dyn_cast<SCEVAddRecExpr>(SE.getSCEV(const_cast<Value *>(Pointer)));
  const auto *Step = Place && Place->getLoop() == &L && Place->isAffine()
                         ? dyn_cast<SCEVConstant>(Place->getStepRecurrence(SE))
                         : nullptr;
  return Step && Step->getAPInt().urem(2 * WordBytes) == WordBytes &&
         isa<SCEVConstant>(
             SE.getMinusSCEV(Place->getStart(), SE.getPointerBase(Place)));
}

/// Does \p Load read constant memory at a place that only the counters of \p L
/// and of loops around it move? Of a loop that is unrolled whole the place is
/// part of the instruction that uses the element.
static bool isCountedConstant(const LoadInst &Load, const Loop &L,
                              ScalarEvolution &SE) {
  const Value *Pointer = Load.getPointerOperand();
  if (!readsConstantMemory(Load))
    return false;
  const auto *Place =
      dyn_cast<SCEVAddRecExpr>(SE.getSCEV(const_cast<Value *>(Pointer)));
  return Place && Place->getLoop() == &L && Place->isAffine() &&
         isa<SCEVConstant>(Place->getStepRecurrence(SE)) &&
         !SCEVExprContains(
             SE.getMinusSCEV(Place->getStart(), SE.getPointerBase(Place)),
             [](const SCEV *Part) { return isa<SCEVUnknown>(Part); });
}

/// Why loads of one iteration cannot be on their way with those of the next.
static std::string refusal(const Loop &L, ScalarEvolution &SE, bool IsStrided,
                           bool MayWrite, bool IsLong) {
  if (!L.isInnermost())
    return "it has a loop in it";
  if (!L.getLoopLatch() || L.getExitingBlock() != L.getLoopLatch() ||
      (!IsStrided && isa<SCEVCouldNotCompute>(SE.getBackedgeTakenCount(&L))))
    return "its data may end it";
  for (const BasicBlock *BB : L.blocks())
    for (const Instruction &I : *BB) {
      const auto *Call = dyn_cast<CallBase>(&I);
      if (Call && isArithmeticPTX(*Call))
        continue;
      if ((I.mayHaveSideEffects() && !isPrivateStore(I) &&
           !(IsStrided ? fillsTile(I, IsLong) : writtenTile(I) != nullptr) &&
           !(MayWrite && isa<StoreInst>(I))) ||
          (Call && !I.isDebugOrPseudoInst() && !I.isLifetimeStartOrEnd() &&
           (Call->isConvergent() || !isa<IntrinsicInst>(I))))
        return "it writes memory, or orders it";
    }
  return "";
}

/// LLVM's size of an iteration without what copies share.
static unsigned bodyOf(const UnrollFacts &Facts) {
  return std::max(Facts.Size, BranchSize + 1) - BranchSize;
}

/// Do \p Copies of an iteration stay below LLVM's \p Threshold?
static bool fits(const UnrollFacts &Facts, uint64_t Copies,
                 unsigned Threshold) {
  return bodyOf(Facts) * Copies + BranchSize < Threshold;
}

/// Iterations that clang takes together: LLVM's UnrollLoop on \p Facts.
static unsigned ownCopies(const UnrollFacts &Facts) {
  if (Facts.HasRunTimeStep || Facts.IsShort)
    return 1;
  if (Facts.Trip && fits(Facts, *Facts.Trip, WholeThreshold))
    return unsigned(*Facts.Trip);
  unsigned Copies =
      Facts.Trip ? std::max(1U, (PartThreshold - BranchSize) / bodyOf(Facts))
                 : MostRunTimeCopies;
  if (Facts.Trip)
    while (*Facts.Trip % Copies != 0)
      --Copies;
  else
    while (Copies > 1 && !fits(Facts, Copies, PartThreshold))
      Copies /= 2;
  return Copies;
}

static unsigned sizeOf(const Loop &L, const TargetTransformInfo &TTI) {
  uint64_t Size = 0;
  for (const BasicBlock *BB : L.blocks())
    Size += sizeOf(*BB, TTI);
  return unsigned(std::min<uint64_t>(Size, ~0U));
}

bool sluice::writesMemory(const Loop &L) {
  return any_of(L.blocks(), [](const BasicBlock *BB) {
    return any_of(*BB,
                  [](const Instruction &I) { return I.mayWriteToMemory(); });
  });
}

bool sluice::hasConvergentCalls(const Loop &L) {
  return any_of(L.blocks(), [](const BasicBlock *BB) {
    return any_of(*BB, [](const Instruction &I) {
      const auto *Call = dyn_cast<CallBase>(&I);
      return Call && Call->isConvergent();
    });
  });
}

UnrollFacts sluice::analyzeUnrolling(const Loop &L, ScalarEvolution &SE,
                                     const UniformityInfo &Uniformity,
                                     const TargetTransformInfo &TTI,
                                     AAResults &AA, unsigned MostThreads) {
  UnrollFacts Facts;
  const unsigned MostTrips = SE.getSmallConstantMaxTripCount(&L);
  // Of a bound that is constant.
  const bool IsLong = MostTrips && MostTrips <= MostElementsOfTile &&
                      MostTrips >= LeastTileRounds * MostThreads;
  Facts.HasRunTimeStep =
      stridedEnd(L) && (!MostTrips || MostTrips >= FewestStrides);
  Facts.WritesOwn =
      Facts.HasRunTimeStep && ownElements(L, *stridedEnd(L)->Index);
  Facts.WritesApart = !Facts.HasRunTimeStep && writesApart(L, SE, AA);
  Facts.Refusal = refusal(L, SE, Facts.HasRunTimeStep,
                          Facts.WritesOwn || Facts.WritesApart, IsLong);
  if (!Facts.Refusal.empty())
    return Facts;
  if (const unsigned Trip = SE.getSmallConstantTripCount(&L))
    Facts.Trip = Trip;
  unsigned Shared = 0;
  for (const BasicBlock *BB : L.blocks())
    for (const Instruction &I : *BB) {
      Facts.WritesTile |= !Facts.HasRunTimeStep && writtenTile(I);
      const auto *Load = dyn_cast<LoadInst>(&I);
      if (!Load)
        continue;
      Facts.Constants += isCountedConstant(*Load, L, SE);
      if (globalPointer(*Load) && isAhead(*Load, L, SE)) {
        ++Facts.Loads;
        const bool IsOwn = Uniformity.isDivergent(Load->getPointerOperand());
        (IsOwn ? Facts.Bytes : Shared) += unsigned(bytesTouched(*Load));
      } else if (sharedVariable(Load->getPointerOperand())) {
        ++Facts.TileLoads;
      } else if (isa<AllocaInst>(
                     getUnderlyingObject(Load->getPointerOperand()))) {
        ++Facts.LocalLoads;
      } else if (isOddWord(*Load, L, SE)) {
        ++Facts.OddWords;
      }
    }
  Facts.IsShared = !Facts.Bytes && Shared;
  if (Facts.IsShared)
    Facts.Bytes = Shared;
  Facts.IsOfLoadedLength =
      !Facts.Trip && !Facts.HasRunTimeStep &&
      SCEVExprContains(SE.getBackedgeTakenCount(&L), [](const SCEV *Part) {
        const auto *Unknown = dyn_cast<SCEVUnknown>(Part);
        return Unknown && isa<LoadInst>(Unknown->getValue());
      });
  Facts.Size = sizeOf(L, TTI);
  // Where so many fit, all are taken in pieces (LoopPieces.cpp).
  Facts.IsShort = !Facts.Trip && !Facts.HasRunTimeStep && MostTrips &&
                  MostTrips <= MostOfShort &&
                  !fits(Facts, MostRunTimeCopies, PartThreshold);
  if (Facts.IsShort && MostTrips < FewestOfShort)
    Facts.Refusal = "it has hardly any iterations";
  // LLVM leaves no rest of iterations with convergent calls.
  Facts.Own = L.getHeader()->getParent()->hasOptSize() ||
                      (hasConvergentCalls(L) && !Facts.Trip)
                  ? 1
                  : ownCopies(Facts);
  // Of what clang unrolls by itself more copies lost (the suite's cutcp 0.92);
  // of what is short a block has one iteration, as of a small tile.
  if (Facts.WritesTile && Facts.Loads && (Facts.Own > 1 || Facts.IsShort))
    Facts.Refusal = "it fills shared memory in few iterations, or clang "
                    "takes several together";
  return Facts;
}

static constexpr char LevelName[] = "sluice.level";
static constexpr unsigned HighestLevel = 3;

void sluice::forgetUnrollLevel(Module &M) {
  if (NamedMDNode *Level = M.getNamedMetadata(LevelName))
    Level->eraseFromParent();
}

void sluice::noteUnrollLevel(Module &M, unsigned Speed) {
  forgetUnrollLevel(M);
  if (Speed >= HighestLevel)
    return;
  LLVMContext &C = M.getContext();
  auto *Number = ConstantInt::get(Type::getInt32Ty(C), Speed);
  M.getOrInsertNamedMetadata(LevelName)->addOperand(
      MDNode::get(C, ConstantAsMetadata::get(Number)));
}

unsigned sluice::unrollLevel(const Module &M) {
  const NamedMDNode *Level = M.getNamedMetadata(LevelName);
  if (!Level)
    return HighestLevel;
  const auto *Number = Level->getNumOperands() == 1
                           ? mdconst::dyn_extract<ConstantInt>(
                                 Level->getOperand(0)->getOperand(0))
                           : nullptr;
  return Number ? unsigned(Number->getZExtValue()) : HighestLevel - 1;
}

std::optional<OwnUnrolling> sluice::askUnroller(Loop &L,
                                                FunctionAnalysisManager &FAM) {
  Function &F = *L.getHeader()->getParent();
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
  const auto &TTI = FAM.getResult<TargetIRAnalysis>(F);
  auto &AC = FAM.getResult<AssumptionAnalysis>(F);
  if (!L.isInnermost() || !L.isLoopSimplifyForm())
    return std::nullopt;
  // As LLVM's LoopUnrollPass asks.
  OptimizationRemarkEmitter Remarks(&F);
  auto Unrolling = gatherUnrollingPreferences(
      &L, SE, TTI, /*BFI=*/nullptr, /*PSI=*/nullptr, Remarks,
      unrollLevel(*F.getParent()), std::nullopt, std::nullopt, std::nullopt,
      std::nullopt, std::nullopt, std::nullopt);
  auto Peeling =
      gatherPeelingPreferences(&L, SE, TTI, std::nullopt, std::nullopt,
                               /*UnrollingSpecficValues=*/true);
  SmallPtrSet<const Value *, 32> Ephemeral;
  CodeMetrics::collectEphemeralValues(&L, &AC, Ephemeral);
  const UnrollCostEstimator Costs(&L, TTI, Ephemeral, Unrolling.BEInsns);
  OwnUnrolling Own;
  if (!Costs.canUnroll())
    return Own;
  const unsigned Trip = SE.getSmallConstantTripCount(&L);
  bool IsBound = false;
  computeUnrollCount(&L, TTI, FAM.getResult<DominatorTreeAnalysis>(F),
                     &FAM.getResult<LoopAnalysis>(F), &AC, SE, Ephemeral,
                     &Remarks, Trip,
                     Trip ? 0 : SE.getSmallConstantMaxTripCount(&L),
                     !Trip && SE.isBackedgeTakenCountMaxOrZero(&L),
                     Trip ? Trip : SE.getSmallConstantTripMultiple(&L), Costs,
                     Unrolling, Peeling, IsBound);
  Own.Copies = std::max(1U, Unrolling.Count);
  Own.IsKept =
      !IsBound && !Peeling.PeelCount && !(Trip && Unrolling.Count >= Trip);
  return Own;
}

/// At least that of \p L once LLVM has unrolled the loops in it. Three quarters
/// of their copies: what is simplified then does not count.
static uint64_t sizeUnrolledWithin(Loop &L, FunctionAnalysisManager &FAM,
                                   const TargetTransformInfo &TTI) {
  if (L.isInnermost())
    return sizeOf(L, TTI);
  uint64_t Size = 0;
  for (const BasicBlock *BB : L.blocks())
    if (none_of(L, [&](const Loop *In) { return In->contains(BB); }))
      Size += sizeOf(*BB, TTI);
  for (Loop *In : L) {
    const auto Own = askUnroller(*In, FAM);
    Size += sizeUnrolledWithin(*In, FAM, TTI) *
            std::max(1U, Own ? Own->Copies * 3 / 4 : 1U);
  }
  return Size;
}

OuterUnrolling sluice::mayUnroll(Loop &L, FunctionAnalysisManager &FAM) {
  Function &F = *L.getHeader()->getParent();
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
  const TransformationMode Asked = hasUnrollTransformation(&L);
  if (Asked != TM_Unspecified)
    return {Asked != TM_Disable, Asked != TM_Disable};
  const uint64_t Size =
      sizeUnrolledWithin(L, FAM, FAM.getResult<TargetIRAnalysis>(F));
  const uint64_t Body = std::max<uint64_t>(Size, BranchSize) - BranchSize;
  const uint64_t Trips = SE.getSmallConstantMaxTripCount(&L);
  OuterUnrolling May;
  May.Whole = Trips && Body * Trips + BranchSize < WholeThreshold;
  May.InPart = 2 * Body + BranchSize < PartThreshold;
  return May;
}

bool sluice::isShortByTest(const Loop &L, ScalarEvolution &SE) {
  const unsigned Most = SE.getSmallConstantMaxTripCount(&L);
  if (!Most || Most > MostOfShort || SE.getSmallConstantTripCount(&L))
    return false;
  const SCEV *Back = SE.getBackedgeTakenCount(&L);
  return isa<SCEVCouldNotCompute>(Back) ||
         SE.getUnsignedRangeMax(Back).uge(MostOfShort);
}

bool sluice::mayHideTests(Loop &L, FunctionAnalysisManager &FAM) {
  auto &SE =
      FAM.getResult<ScalarEvolutionAnalysis>(*L.getHeader()->getParent());
  if (!L.isInnermost()) {
    const OuterUnrolling May = mayUnroll(L, FAM);
    return May.Whole || May.InPart;
  }
  const auto Own = askUnroller(L, FAM);
  if (!Own)
    return true;
  const unsigned Trip = SE.getSmallConstantTripCount(&L);
  return Trip ? Trip % Own->Copies != 0 : Own->Copies > 1 || !Own->IsKept;
}
