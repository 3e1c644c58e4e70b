// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalar evolution says how an address moves with its loop and how far two
// addresses are apart; the access analysis says, as a form, how it moves from
// lane to lane. The two look at the same instructions in the same order, so an
// access is known by its number.

#include "sluice/Analysis/StreamAnalysis.h"
#include "GlobalPointer.h"
#include "StreamHazards.h"
#include "sluice/Analysis/DebugPlace.h"
#include "sluice/Analysis/KernelWrites.h"
#include "sluice/Target/GPUModel.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace sluice;
using namespace llvm;

/// Of all models; what is proven of an alignment is not asked beyond a line.
constexpr int64_t SectorBytes = 32, LineBytes = 128;

/// Accesses of one loop that are compared, each with each.
constexpr unsigned MaxCompared = 256;

/// As analyzeAccesses numbers them.
static SmallVector<Instruction *, 8> accessesOf(const Loop &L,
                                                const LoopInfo &LI) {
  SmallVector<Instruction *, 8> Accesses;
  for (BasicBlock *BB : L.blocks())
    for (Instruction &I : *BB)
      if (LI.getLoopFor(BB) == &L && globalPointer(I))
        Accesses.push_back(&I);
  return Accesses;
}

const SCEV *sluice::scevOfAddress(const Instruction &I, ScalarEvolution &SE) {
  const Value *Pointer = getLoadStorePointerOperand(&I);
  while (const auto *Cast = dyn_cast<AddrSpaceCastInst>(Pointer))
    Pointer = Cast->getPointerOperand();
  return SE.getSCEV(const_cast<Value *>(Pointer));
}

DenseMap<const Instruction *, CodeId>
sluice::idsOfAccesses(const LoopInfo &LI, const KernelFacts &Kernel) {
  DenseMap<const Instruction *, CodeId> Ids;
  for (auto [L, Facts] : zip_equal(LI.getLoopsInPreorder(), Kernel.Loops))
    for (auto [I, Access] : zip_equal(accessesOf(*L, LI), Facts.Accesses))
      Ids[I] = Access.Id;
  return Ids;
}

namespace {

/// An access that moves by a constant step.
struct Moving {
  Instruction *I;
  unsigned Number; ///< Of the access, in its loop.
  const SCEVAddRecExpr *Address;
  SmallVector<const SCEVPredicate *, 2> NoWrap;
  int64_t Offset = 0; ///< From the first of its group.
  int64_t Step = 0;
  unsigned Bytes = 0;

  const SCEV *start() const { return Address->getStart(); }
  int64_t end() const { return Offset + Bytes; }
};

/// Of one loop, by step and base; then cut where too far apart.
using Group = SmallVector<Moving, 4>;

class StreamFinder {
public:
  StreamFinder(Function &F, FunctionAnalysisManager &FAM,
               const KernelFacts &Kernel)
      : LI(FAM.getResult<LoopAnalysis>(F)),
        SE(FAM.getResult<ScalarEvolutionAnalysis>(F)),
        DT(FAM.getResult<DominatorTreeAnalysis>(F)),
        AA(FAM.getResult<AAManager>(F)), Expander(SE, "sluice.stream"),
        Kernel(Kernel), Writes(F) {
    for (Instruction &I : instructions(F))
      if (I.isIntDivRem())
        Divisions.push_back(&I);
    Ids = idsOfAccesses(LI, Kernel);
  }

  LoopStreams find(Loop &L, unsigned Number);

private:
  void findTrip(LoopStreams &Of);
  void findHazards(LoopStreams &Of);
  std::string whyNoStream(Moving &Access, const Loop &L);
  bool hasDivided(const SCEV *S, const BasicBlock &Before) const;
  bool canExpand(const SCEV *S, const Loop &L) const;
  std::vector<Group> group(LoopStreams &Of);
  void addStream(Group Of, LoopStreams &Streams);
  void findAlignment(const Stream &S, StreamFacts &Facts);
  void findConflicts(LoopStreams &Of);
  StreamConflict conflictOf(Instruction &I, const Stream &S, int64_t Step,
                            const LoopStreams &Of);

  LoopInfo &LI;
  ScalarEvolution &SE;
  const DominatorTree &DT;
  AAResults &AA;
  SCEVExpander Expander;
  const KernelFacts &Kernel;
  KernelWrites Writes;
  SmallVector<Instruction *, 4> Divisions;
  DenseMap<const Instruction *, CodeId> Ids; ///< Of all accesses in loops.
};

std::optional<int64_t> constantOf(const SCEV *S) {
  const auto *C = dyn_cast<SCEVConstant>(S);
  if (!C || C->getAPInt().getSignificantBits() > 63)
    return std::nullopt;
  return C->getAPInt().getSExtValue();
}

} // namespace

/// May \p S be computed at the end of \p Before, though it divides by what may
/// be 0? So it may if the program has divided by the same there.
bool StreamFinder::hasDivided(const SCEV *S, const BasicBlock &Before) const {
  auto IsDivisor = [&](const SCEV *By) {
    return SE.isKnownNonZero(By) || any_of(Divisions, [&](Instruction *I) {
             return SE.getSCEV(I->getOperand(1)) == By &&
                    DT.dominates(I, Before.getTerminator());
           });
  };
  return SE.dominates(S, &Before) &&
         !SCEVExprContains(S, [&](const SCEV *Part) {
           const auto *Division = dyn_cast<SCEVUDivExpr>(Part);
           return isa<SCEVAddRecExpr>(Part) ||
                  (Division && !IsDivisor(Division->getRHS()));
         });
}

/// Where \p L begins. Optimised code may have no preheader: what would be known
/// in one is known at the end of the block that dominates the header.
bool StreamFinder::canExpand(const SCEV *S, const Loop &L) const {
  const BasicBlock *Before = DT.getNode(L.getHeader())->getIDom()->getBlock();
  return !isa<SCEVCouldNotCompute>(S) && SE.isLoopInvariant(S, &L) &&
         (Expander.isSafeToExpandAt(S, Before->getTerminator()) ||
          hasDivided(S, *Before));
}

void StreamFinder::findTrip(LoopStreams &Of) {
  const Loop &L = *Of.L;
  if (const SCEV *Taken = SE.getBackedgeTakenCount(&L); canExpand(Taken, L)) {
    Of.Taken = Taken;
    Of.Facts.Trip = mayEndInside(L) ? StreamTrip::AtMost : StreamTrip::Exact;
  } else if (const SCEV *Most = SE.getSymbolicMaxBackedgeTakenCount(&L);
             canExpand(Most, L)) {
    Of.Taken = Most;
    Of.Facts.Trip = StreamTrip::AtMost;
  }
}

void StreamFinder::findHazards(LoopStreams &Of) {
  for (BasicBlock *BB : Of.L->blocks())
    for (Instruction &I : *BB)
      if (auto Kind = hazardOf(I)) {
        Of.Hazards.push_back(&I);
        Of.Facts.Hazards.push_back({*Kind, codeIdOf(I.getDebugLoc().get())});
      }
}

/// Fills in how \p Access moves; a sentence if it is in no stream.
std::string StreamFinder::whyNoStream(Moving &Access, const Loop &L) {
  if (hazardOf(*Access.I))
    return "it is volatile or atomic";
  const SCEV *S = scevOfAddress(*Access.I, SE);
  if (SE.isLoopInvariant(S, &L))
    return "its address does not move in the loop";
  Access.Address = dyn_cast<SCEVAddRecExpr>(S);
  if (!Access.Address)
    Access.Address = SE.convertSCEVToAddRecWithPredicates(S, &L, Access.NoWrap);
  if (!Access.Address || Access.Address->getLoop() != &L ||
      !Access.Address->isAffine())
    return "its address does not move by the same step in each iteration";
  auto Step = constantOf(Access.Address->getStepRecurrence(SE));
  if (!Step)
    return "the step of its address is not a constant";
  if (!canExpand(Access.start(), L))
    return "where it begins cannot be computed before the loop";
  Access.Step = *Step;
  Access.Bytes = unsigned(bytesTouched(*Access.I));
  return "";
}

/// \p Accesses, of one base, as the streams that they are: cut where nothing is
/// touched for a line and a step.
static std::vector<Group> cut(Group Accesses) {
  llvm::sort(Accesses, [](const Moving &A, const Moving &B) {
    return std::tie(A.Offset, A.Number) < std::tie(B.Offset, B.Number);
  });
  std::vector<Group> Parts;
  int64_t End = 0;
  for (Moving &M : Accesses) {
    if (Parts.empty() ||
        M.Offset - End >= std::max(LineBytes, std::abs(M.Step)))
      Parts.emplace_back();
    End = std::max(Parts.back().empty() ? M.end() : End, M.end());
    Parts.back().push_back(std::move(M));
  }
  return Parts;
}

std::vector<Group> StreamFinder::group(LoopStreams &Of) {
  std::vector<Group> Bases;
  auto Add = [&](Moving Access) {
    for (Group &Base : Bases) {
      const Moving &First = Base.front();
      if (First.Step != Access.Step ||
          isa<StoreInst>(First.I) != isa<StoreInst>(Access.I))
        continue;
      auto Offset = constantOf(SE.getMinusSCEV(Access.start(), First.start()));
      if (!Offset)
        continue;
      Access.Offset = *Offset;
      Base.push_back(std::move(Access));
      return;
    }
    Bases.emplace_back().push_back(std::move(Access));
  };
  for (auto [Number, I] : enumerate(accessesOf(*Of.L, LI))) {
    Moving Access{I, unsigned(Number), nullptr, {}};
    std::string Why = Number < MaxCompared ? whyNoStream(Access, *Of.L)
                                           : "the loop has too many accesses";
    if (Why.empty())
      Add(std::move(Access));
    else
      Of.Facts.Others.push_back({Access.Number, Ids.at(I), std::move(Why)});
  }
  std::vector<Group> Streams;
  for (Group &Base : Bases)
    append_range(Streams, cut(std::move(Base)));
  auto FirstNumber = [](const Group &G) {
    unsigned First = G.front().Number;
    for (const Moving &M : G)
      First = std::min(First, M.Number);
    return First;
  };
  llvm::sort(Streams, [&](const Group &A, const Group &B) {
    return FirstNumber(A) < FirstNumber(B);
  });
  return Streams;
}

/// What the lowest byte is a multiple of: by what its own code says of each
/// access that surely runs, and by how the address is computed.
void StreamFinder::findAlignment(const Stream &S, StreamFacts &Facts) {
  auto ByForm = [&](const SCEV *Form) {
    return uint64_t(1) << std::min(7u, SE.getMinTrailingZeros(Form));
  };
  Facts.Alignment = ByForm(S.Start);
  for (auto [I, Access] : zip(S.Accesses, Facts.Accesses))
    if (Access.Runs == StreamRuns::Always) {
      const uint64_t OfAccess = getLoadStoreAlignment(I).value();
      Facts.Alignment = std::max(Facts.Alignment,
                                 MinAlign(OfAccess, uint64_t(Access.Offset)));
    }
  Facts.Alignment = std::min<uint64_t>(Facts.Alignment, LineBytes);
  Facts.AlignmentBehindBase =
      std::max(Facts.Alignment, S.Base ? ByForm(SE.removePointerBase(S.Start))
                                       : Facts.Alignment);
}

/// How \p Address differs between a thread and the next in its warp.
static std::pair<LaneSpread, AddressForm> spreadOf(const AddressForm &Address) {
  auto Has = [&](Variable::KindTy Kind) {
    return Address.any([&](Variable V) { return V.Kind == Kind; });
  };
  if (Has(Variable::Loaded))
    return {LaneSpread::Loaded, {}};
  if (Has(Variable::Varying))
    return {LaneSpread::Unknown, {}};
  AddressForm Distance = Address.replace([](Variable V) {
    AddressForm Same = AddressForm::variable(V);
    return V.Kind == Variable::Tid && V.Index == 0
               ? Same + AddressForm::constant(1)
               : Same;
  }) - Address;
  if (auto Bytes = Distance.asConstant()) {
    LaneSpread Spread = *Bytes == 0                      ? LaneSpread::Uniform
                        : std::abs(*Bytes) < SectorBytes ? LaneSpread::Coalesced
                                                         : LaneSpread::Wide;
    return {Spread, Distance};
  }
  if (Distance.any([](Variable V) { return V.Kind == Variable::Tid; }))
    return {LaneSpread::Unknown, {}};
  return {LaneSpread::Symbolic, Distance};
}

/// Distinct bytes that are touched in an iteration. By rising offset.
static uint64_t bytesOf(const Group &Accesses) {
  uint64_t Bytes = 0;
  int64_t End = Accesses.front().Offset;
  for (const Moving &M : Accesses) {
    Bytes += std::max<int64_t>(0, M.end() - std::max(End, M.Offset));
    End = std::max(End, M.end());
  }
  return Bytes;
}

void StreamFinder::addStream(Group Of, LoopStreams &To) {
  const Moving &First = Of.front();
  Stream S;
  S.Start = First.start();
  if (const auto *Base = dyn_cast<SCEVUnknown>(SE.getPointerBase(S.Start)))
    S.Base = Base->getValue();
  StreamFacts Facts;
  Facts.IsStore = isa<StoreInst>(First.I);
  Facts.Step = First.Step;
  Facts.Bytes = bytesOf(Of);
  Facts.IsGlobal = true;
  Facts.IsReadOnly = !Facts.IsStore;
  const LoopFacts &Loop = Kernel.Loops[To.Facts.Loop];
  for (const Moving &M : Of) {
    const int64_t Offset = M.Offset - First.Offset;
    S.Accesses.push_back(M.I);
    for (const SCEVPredicate *P : M.NoWrap)
      if (!is_contained(S.NoWrap, P))
        S.NoWrap.push_back(P);
    Facts.Accesses.push_back({M.Number, Loop.Accesses[M.Number].Id, Offset,
                              M.Bytes, runsOf(*M.I, *To.L, LI, DT)});
    Facts.Span = std::max(Facts.Span, uint64_t(Offset + M.Bytes));
    Facts.IsGlobal &= isKnownGlobal(getLoadStorePointerOperand(M.I));
    if (const auto *Load = dyn_cast<LoadInst>(M.I))
      Facts.IsReadOnly &= Writes.whyWritten(*Load, AA).empty();
  }
  Facts.NeedsWrapTest = !S.NoWrap.empty();
  findAlignment(S, Facts);
  std::tie(Facts.Spread, Facts.Distance) =
      spreadOf(Loop.Accesses[First.Number].Address);
  const llvm::Loop *Parent = To.L->getParentLoop();
  Facts.IsSameInParent = Parent && SE.isLoopInvariant(S.Start, Parent);
  if (const auto *Outer = dyn_cast<SCEVAddRecExpr>(S.Start))
    if (Outer->getLoop() == Parent && Outer->isAffine())
      Facts.ParentStep = constantOf(Outer->getStepRecurrence(SE));
  To.Streams.push_back(std::move(S));
  To.Facts.Streams.push_back(std::move(Facts));
}

std::optional<std::pair<unsigned, unsigned>>
sluice::findAccess(const LoopStreams &Loop, const Instruction &I) {
  for (auto [Number, S] : enumerate(Loop.Streams))
    if (const auto *Found = find(S.Accesses, &I); Found != S.Accesses.end())
      return std::pair(unsigned(Number), unsigned(Found - S.Accesses.begin()));
  return std::nullopt;
}

StreamConflict StreamFinder::conflictOf(Instruction &I, const Stream &S,
                                        int64_t Step, const LoopStreams &Of) {
  StreamConflict Conflict;
  auto Known = Ids.find(&I);
  Conflict.Id =
      Known != Ids.end() ? Known->second : codeIdOf(I.getDebugLoc().get());
  Conflict.Writes = I.mayWriteToMemory();
  if (auto Place = findAccess(Of, I)) {
    auto [Number, Access] = *Place;
    const StreamFacts &Facts = Of.Facts.Streams[Number];
    Conflict.IsTestable = Of.Taken != nullptr;
    if (auto Apart =
            constantOf(SE.getMinusSCEV(Of.Streams[Number].Start, S.Start));
        Apart && Facts.Step == Step)
      Conflict.Offset = *Apart + Facts.Accesses[Access].Offset;
    return Conflict;
  }
  if (!getLoadStorePointerOperand(&I))
    return Conflict;
  const SCEV *Address = scevOfAddress(I, SE);
  Conflict.IsTestable = canExpand(Address, *Of.L);
  const auto *Rec = dyn_cast<SCEVAddRecExpr>(Address);
  if (!Rec || Rec->getLoop() != Of.L || !Rec->isAffine())
    return Conflict;
  Conflict.IsTestable = Of.Taken && canExpand(Rec->getStart(), *Of.L) &&
                        constantOf(Rec->getStepRecurrence(SE)).has_value();
  if (constantOf(Rec->getStepRecurrence(SE)) == Step)
    Conflict.Offset = constantOf(SE.getMinusSCEV(Rec->getStart(), S.Start));
  return Conflict;
}

void StreamFinder::findConflicts(LoopStreams &Of) {
  for (auto [S, Facts] : zip(Of.Streams, Of.Facts.Streams)) {
    S.Conflicts = conflictsOf(S.Accesses, Facts.IsStore, *Of.L, AA);
    for (Instruction *I : S.Conflicts)
      Facts.Conflicts.push_back(conflictOf(*I, S, Facts.Step, Of));
  }
}

LoopStreams StreamFinder::find(Loop &L, unsigned Number) {
  LoopStreams Of;
  Of.L = &L;
  Of.Facts.Loop = Number;
  Of.Facts.IsInnermost = L.isInnermost();
  findHazards(Of);
  findTrip(Of);
  for (Group &G : group(Of))
    addStream(std::move(G), Of);
  findConflicts(Of);
  return Of;
}

std::vector<LoopStreams> sluice::findStreams(Function &F,
                                             FunctionAnalysisManager &FAM,
                                             const KernelFacts &Kernel) {
  std::vector<LoopStreams> All;
  if (Kernel.Loops.empty())
    return All;
  StreamFinder Finder(F, FAM, Kernel);
  for (Loop *L : FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder())
    All.push_back(Finder.find(*L, unsigned(All.size())));
  return All;
}
