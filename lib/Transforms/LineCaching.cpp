// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What of a loop can have lines, and what each of its instructions means for
// them. A line may be kept over an instruction only if it is shown that this
// neither orders memory nor touches what the line holds. So each instruction
// is asked, and the answer for what is not known is to flush all lines.
//
// A block of 16 bytes is never in two lines of which one is written: before an
// access of one structure the lines of others that may be the same memory are
// looked at, as the paper does where pointers are not restrict.

#include "sluice/Transforms/LineCaching.h"
#include "sluice/Analysis/AccessAnalysis.h"
#include "sluice/Analysis/ThreadOrder.h"
#include "sluice/Transforms/LoopRounding.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/MemoryLocation.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace sluice;

/// Of a loop as it is, in IR instructions, and of what is to have lines: code
/// is copied, and each access becomes about 30 instructions.
static constexpr unsigned MostInstructions = 2048, MostAccesses = 48;
/// Looks at other structures' lines, each with the code to write one back.
static constexpr unsigned MostLooks = 96;

//===- May the loop be changed? -------------------------------------------===//

/// Does \p V change with each iteration of \p L, so that nothing moves it out?
static bool changesIn(const Loop &L, const Value *V, unsigned Depth = 8) {
  const auto *I = dyn_cast<Instruction>(V);
  if (!I || !L.contains(I) || Depth == 0)
    return false;
  if (const auto *P = dyn_cast<PHINode>(I))
    return P->getParent() == L.getHeader();
  if (const Value *Pointer = getLoadStorePointerOperand(I))
    return changesIn(L, Pointer, Depth - 1);
  return !isa<CallBase>(I) && any_of(I->operands(), [&](const Value *Operand) {
    return changesIn(L, Operand, Depth - 1);
  });
}

/// Will \p Product surely be in one block with \p Sum when code is generated,
/// and be fused with it? Accesses become several blocks, so that is done at
/// once; what moves a product by itself comes later.
static bool staysWith(const Instruction &Product, const Instruction &Sum,
                      const LoopInfo &LI, const DominatorTree &DT) {
  const BasicBlock *BB = Product.getParent();
  const Loop *L = LI.getLoopFor(BB);
  const BasicBlock *Latch = L->getLoopLatch();
  auto IsProduct = [](const Value *V) {
    const auto *I = dyn_cast<Instruction>(V);
    return I && isFusedProduct(*I);
  };
  return Sum.getParent() == BB &&
         !(IsProduct(Sum.getOperand(0)) && IsProduct(Sum.getOperand(1))) &&
         Latch && DT.dominates(BB, Latch) && changesIn(*L, &Product);
}

/// Of the whole kernel: where \p L is unrolled whole, what is before it and
/// behind it becomes one block; where it has lines it is not.
static bool fusesElsewhere(const Loop &L, const LoopInfo &LI) {
  const Function &F = *L.getHeader()->getParent();
  const DominatorTree DT(const_cast<Function &>(F));
  const Loop *Nest = L.getOutermostLoop();
  return any_of(instructions(F), [&](const Instruction &I) {
    if (!isFusedProduct(I))
      return false;
    if (!distantSumsOf(I).empty())
      return true;
    return Nest->contains(&I) && any_of(I.users(), [&](const User *U) {
             const auto *By = cast<Instruction>(U);
             return isSum(*By) && !staysWith(I, *By, LI, DT);
           });
  });
}

static std::string whyRounded(const Loop &L, const LoopInfo &LI) {
  for (const Loop *Inner : L.getLoopsInPreorder())
    if (std::string Why = whyRoundedAnew(*Inner); !Why.empty())
      return Why;
  return any_of(L.getLoopsInPreorder(),
                [](const Loop *Inner) {
                  return mayHaveConstantProduct(*Inner);
                }) ||
                 fusesElsewhere(L, LI)
             ? "whether it fuses a product with a sum depends on what is moved"
             : "";
}

static std::string whyNotCopied(const Instruction &I) {
  if (isa<AllocaInst>(I))
    return "it takes local memory";
  if (I.getType()->isTokenTy())
    return "it says which lanes meet";
  if (I.isTerminator() && !isa<BranchInst, SwitchInst>(I))
    return "it is left in an unusual way";
  const auto *Call = dyn_cast<CallBase>(&I);
  if (Call && Call->cannotDuplicate())
    return "it has a call that may not be repeated";
  return "";
}

static std::string whyNotChanged(const Loop &L, const LoopInfo &LI) {
  if (!L.isLoopSimplifyForm())
    return "it is entered or left in an unusual way";
  unsigned Instructions = 0;
  for (const BasicBlock *BB : L.blocks())
    for (const Instruction &I : *BB) {
      if (std::string Why = whyNotCopied(I); !Why.empty())
        return Why;
      ++Instructions;
    }
  if (Instructions > MostInstructions)
    return "its body is too long";
  return whyRounded(L, LI);
}

/// Do lanes exchange values, or wait for each other, in \p L?
static bool keepsLanesTogether(const Loop &L) {
  return any_of(L.blocks(), [](const BasicBlock *BB) {
    return any_of(*BB, [](const Instruction &I) {
      const auto *Call = dyn_cast<CallBase>(&I);
      // Inline assembly counts as convergent whatever it is.
      return Call && Call->isConvergent() &&
             !(Call->isInlineAsm() &&
               threadOrderOf(*Call) == ThreadOrder::None);
    });
  });
}

//===- Structures ---------------------------------------------------------===//

/// A plain access that never lies in two lines, and of which each bit is one of
/// memory.
static bool fitsLine(const Instruction &I) {
  const auto *Load = dyn_cast<LoadInst>(&I);
  const auto *Store = dyn_cast<StoreInst>(&I);
  if (!(Load && Load->isSimple()) && !(Store && Store->isSimple()))
    return false;
  Type *Ty = getLoadStoreType(&I);
  if (!Ty->isIntOrIntVectorTy() && !Ty->isFPOrFPVectorTy() &&
      !Ty->isPointerTy())
    return false;
  if (isa<ScalableVectorType>(Ty))
    return false;
  const uint64_t Bytes = bytesTouched(I);
  return isPowerOf2_64(Bytes) && Bytes <= 8 &&
         I.getDataLayout().getTypeSizeInBits(Ty) == 8 * Bytes &&
         getLoadStoreAlignment(&I).value() >= Bytes &&
         isGlobalPointer(getLoadStorePointerOperand(&I));
}

/// Where \p Pointer comes from; null: from several places.
static const Value *originOf(const Value *Pointer) {
  SmallVector<const Value *, 4> Objects;
  getUnderlyingObjects(Pointer, Objects, /*LI=*/nullptr, /*MaxLookup=*/0);
  return Objects.size() == 1 ? Objects.front() : nullptr;
}

static void add(LineStructure &To, Instruction &I, unsigned Depth) {
  const Value *Pointer = getLoadStorePointerOperand(&I);
  To.Accesses.push_back(&I);
  To.IsGlobal &= isKnownGlobal(Pointer);
  // An inner loop is taken to run eight times.
  To.Weight += uint64_t(1) << std::min(30U, 3 * Depth);
  if (isa<LoadInst>(I)) {
    To.IsRead = true;
    return;
  }
  To.IsWritten = true;
  To.Piece = std::min<unsigned>(To.Piece, unsigned(bytesTouched(I)));
}

static std::vector<LineStructure> structuresOf(const Loop &L,
                                               const LoopInfo &LI) {
  std::vector<LineStructure> Found;
  for (BasicBlock *BB : L.blocks())
    for (Instruction &I : *BB) {
      const Value *Object =
          fitsLine(I) ? originOf(getLoadStorePointerOperand(&I)) : nullptr;
      if (!Object || isa<ConstantData>(Object))
        continue;
      auto Same = find_if(
          Found, [&](const LineStructure &S) { return S.Object == Object; });
      if (Same == Found.end()) {
        Found.emplace_back();
        Found.back().Object = Object;
        Same = std::prev(Found.end());
      }
      add(*Same, I, LI.getLoopDepth(BB) - L.getLoopDepth());
    }
  return Found;
}

//===- What instructions mean for lines -----------------------------------===//

namespace {

/// Asks for whole objects and for any two iterations.
class PointFinder {
public:
  PointFinder(const LineLoop &Of, AAResults &AA);
  std::optional<LinePoint> pointOf(Instruction &I) const;

private:
  AAMDNodes tagsOf(const Instruction &I) const;
  bool mayBeIn(unsigned Structure, const MemoryLocation &Touched) const;
  void addOthers(LinePoint &To, const MemoryLocation &Touched,
                 bool Writes) const;

  const LineLoop &Of;
  AAResults &AA;
  bool HasScopes; ///< Each iteration has scopes of its own.
  DenseMap<const Instruction *, unsigned> Structures; ///< By their accesses.
  std::vector<MemoryLocation> Locations;              ///< Of structures.
};

} // namespace

PointFinder::PointFinder(const LineLoop &Of, AAResults &AA) : Of(Of), AA(AA) {
  HasScopes = any_of(Of.L->blocks(), [](const BasicBlock *BB) {
    return any_of(*BB, IsaPred<NoAliasScopeDeclInst>);
  });
  for (auto [Number, S] : enumerate(Of.Structures)) {
    AAMDNodes Tags = tagsOf(*S.Accesses.front());
    for (const Instruction *I : S.Accesses) {
      Structures[I] = unsigned(Number);
      Tags = Tags.merge(tagsOf(*I));
    }
    Locations.push_back(MemoryLocation::getBeforeOrAfter(S.Object, Tags));
  }
}

AAMDNodes PointFinder::tagsOf(const Instruction &I) const {
  AAMDNodes Tags = I.getAAMetadata();
  if (HasScopes)
    Tags.Scope = Tags.NoAlias = nullptr;
  return Tags;
}

bool PointFinder::mayBeIn(unsigned Structure,
                          const MemoryLocation &Touched) const {
  return !AA.isNoAlias(Locations[Structure], Touched);
}

/// What is only read may be in lines that are only read.
void PointFinder::addOthers(LinePoint &To, const MemoryLocation &Touched,
                            bool Writes) const {
  const bool IsAccess = To.Kind == LinePoint::Access;
  for (auto [Number, S] : enumerate(Of.Structures))
    if (!(IsAccess && Number == To.Structure) && (Writes || S.IsWritten) &&
        mayBeIn(unsigned(Number), Touched))
      To.Others.push_back(unsigned(Number));
}

/// Is it shown that \p Call touches no global memory and orders none?
static bool isHarmless(const CallBase &Call) {
  if (threadOrderOf(Call) != ThreadOrder::None)
    return false;
  if (Call.isInlineAsm())
    return true; // it computes
  if (const auto *Memory = dyn_cast<MemIntrinsic>(&Call)) {
    const auto *Copy = dyn_cast<MemTransferInst>(Memory);
    return !isGlobalPointer(Memory->getRawDest()) &&
           !(Copy && isGlobalPointer(Copy->getRawSource()));
  }
  const auto *Intrinsic = dyn_cast<IntrinsicInst>(&Call);
  return (Intrinsic && Intrinsic->isAssumeLikeIntrinsic()) ||
         !Call.mayReadOrWriteMemory();
}

/// None: lines have nothing to do with it.
std::optional<LinePoint> PointFinder::pointOf(Instruction &I) const {
  LinePoint Point{&I, LinePoint::Flush, 0, {}};
  if (const auto *Call = dyn_cast<CallBase>(&I))
    return isHarmless(*Call) ? std::nullopt : std::optional(Point);
  if (!I.mayReadOrWriteMemory())
    return std::nullopt;
  if (auto *Atomic = dyn_cast<AtomicRMWInst>(&I)) {
    if (!Atomic->use_empty() || Atomic->isVolatile())
      return Point;
    Point.Kind = LinePoint::Reduction;
    if (isGlobalPointer(Atomic->getPointerOperand()))
      addOthers(Point, MemoryLocation::get(Atomic), /*Writes=*/true);
    return Point;
  }
  const Value *Pointer = getLoadStorePointerOperand(&I);
  if (!Pointer || I.isAtomic() || I.isVolatile())
    return Point;
  if (!isGlobalPointer(Pointer))
    return std::nullopt;
  if (bytesTouched(I) > ThreadLineBytes)
    return Point; // it may lie in many lines
  Point.Kind = LinePoint::LookUp;
  MemoryLocation Touched = MemoryLocation::getBeforeOrAfter(Pointer, tagsOf(I));
  if (auto Known = Structures.find(&I); Known != Structures.end()) {
    Point.Kind = LinePoint::Access;
    Point.Structure = Known->second;
    Touched = Locations[Point.Structure];
  }
  addOthers(Point, Touched, isa<StoreInst>(I));
  if (Point.Kind == LinePoint::LookUp && Point.Others.empty())
    return std::nullopt;
  return Point;
}

LineLoop sluice::findLines(Loop &L, const LoopInfo &LI, AAResults &AA,
                           function_ref<bool(const LineStructure &)> IsAsked) {
  LineLoop Result;
  Result.L = &L;
  Result.Refusal = whyNotChanged(L, LI);
  if (!Result.Refusal.empty())
    return Result;
  Result.KeepsLanesTogether = keepsLanesTogether(L);
  Result.Structures = structuresOf(L, LI);
  erase_if(Result.Structures,
           [&](const LineStructure &S) { return !IsAsked(S); });
  if (Result.Structures.empty()) {
    Result.Refusal = "it accesses nothing that a line can serve";
    return Result;
  }
  const PointFinder Finder(Result, AA);
  unsigned Accesses = 0, Looks = 0;
  for (BasicBlock *BB : L.blocks())
    for (Instruction &I : *BB)
      if (auto Point = Finder.pointOf(I)) {
        Accesses += Point->Kind == LinePoint::Access;
        Looks += unsigned(Point->Others.size());
        Result.Points.push_back(std::move(*Point));
      }
  if (Accesses > MostAccesses)
    Result.Refusal = "it has too many accesses";
  else if (Looks > MostLooks)
    Result.Refusal = "it has too many accesses that may be to the same memory";
  return Result;
}
