// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ChosenStructs.h"
#include "CopyParts.h"
#include "sluice/Transforms/LoopRounding.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/Alignment.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include <map>

using namespace llvm;
using namespace sluice;

/// Bytes of all structs of a group: what goes into a quarter of the registers.
static constexpr uint64_t MostBytes = 256;
/// Choices between an address that is used and a struct.
static constexpr unsigned MostChoices = 8;

namespace {

/// Structs, and all that is done with them.
struct Group {
  SmallSetVector<AllocaInst *, 4> Structs;
  SmallSetVector<Instruction *, 16> Accesses; ///< Loads, stores, copies.
  uint64_t Bytes = 0;
};

class Keeper {
public:
  Keeper(Function &F, bool IsWrong) : IsWrong(IsWrong), DL(F.getDataLayout()) {}

  /// All that belongs to \p First, or none where an address goes elsewhere.
  std::optional<Group> groupOf(AllocaInst &First) const;
  bool rewrite(const Group &G);

private:
  bool mayRead(Value *Pointer, BasicBlock::iterator At, const Group &G,
               unsigned Depth = 0) const;
  Value *read(Value *Pointer, uint64_t Offset, Type *Ty,
              BasicBlock::iterator At, bool Other);
  CopyParts partsOf(Value *Pointer, uint64_t Size, const Group &G) const;
  void rewriteLoad(LoadInst &Load);
  void rewriteCopy(MemTransferInst &Copy, ArrayRef<CopyPart> Parts);

  const bool IsWrong; ///< For tests of tests.
  const DataLayout &DL;
};

} // namespace

/// The address that \p Pointer is a constant number of bytes behind.
static Value *baseOf(Value *Pointer, const DataLayout &DL, uint64_t &Offset) {
  APInt Bytes(DL.getIndexTypeSizeInBits(Pointer->getType()), 0);
  Value *Base = Pointer->stripAndAccumulateConstantOffsets(
      DL, Bytes, /*AllowNonInbounds=*/true);
  Offset = Bytes.getZExtValue();
  return Base;
}

/// The address that an access reads at, if it is one that may be chosen.
static Value *readAt(Instruction &Access) {
  if (auto *Load = dyn_cast<LoadInst>(&Access))
    return Load->getPointerOperand();
  if (auto *Copy = dyn_cast<MemTransferInst>(&Access))
    return Copy->getRawSource();
  return nullptr;
}

static Value *writtenAt(Instruction &Access) {
  if (auto *Store = dyn_cast<StoreInst>(&Access))
    return Store->getPointerOperand();
  if (auto *Memory = dyn_cast<MemIntrinsic>(&Access))
    return Memory->getRawDest();
  return nullptr;
}

static bool isAccess(Instruction &I, const Use &U) {
  if (auto *Load = dyn_cast<LoadInst>(&I))
    return Load->isSimple();
  if (auto *Store = dyn_cast<StoreInst>(&I))
    return Store->isSimple() && U.get() == Store->getPointerOperand();
  auto *Memory = dyn_cast<MemIntrinsic>(&I);
  return Memory && !Memory->isVolatile() &&
         isa<ConstantInt>(Memory->getLength());
}

std::optional<Group> Keeper::groupOf(AllocaInst &First) const {
  Group G;
  SmallVector<Value *, 16> Work = {&First};
  SmallPtrSet<Value *, 16> Seen = {&First};
  auto Add = [&](Value *V) {
    if (Seen.insert(V).second)
      Work.push_back(V);
  };
  while (!Work.empty()) {
    auto *Address = dyn_cast<Instruction>(Work.pop_back_val());
    if (!Address)
      return std::nullopt;
    if (auto *Struct = dyn_cast<AllocaInst>(Address)) {
      const auto Size = Struct->getAllocationSize(DL);
      if (!Struct->isStaticAlloca() || !Size || Size->isScalable())
        return std::nullopt;
      G.Structs.insert(Struct);
      G.Bytes += Size->getFixedValue();
    } else if (isa<SelectInst, PHINode>(Address)) {
      for (Value *From : Address->operands())
        if (From->getType()->isPointerTy())
          Add(From);
    } else if (auto *Place = dyn_cast<GetElementPtrInst>(Address);
               Place && Place->hasAllConstantIndices()) {
      Add(Place->getPointerOperand());
    } else {
      return std::nullopt;
    }
    for (Use &U : Address->uses()) {
      auto *User = cast<Instruction>(U.getUser());
      if (isa<SelectInst, PHINode, GetElementPtrInst>(User)) {
        Add(User);
      } else if (isAccess(*User, U)) {
        G.Accesses.insert(User);
        // A struct that is copied to or from here is in registers as well then.
        if (auto *Copy = dyn_cast<MemTransferInst>(User))
          for (Value *Side : {Copy->getRawSource(), Copy->getRawDest()})
            if (isa<AllocaInst>(getUnderlyingObject(Side)))
              Add(Side);
      } else if (!User->isLifetimeStartOrEnd() && !User->isDroppable()) {
        return std::nullopt;
      }
    }
  }
  return G;
}

/// Can what is at \p Pointer be read before \p At by reads of each struct?
bool Keeper::mayRead(Value *Pointer, BasicBlock::iterator At, const Group &G,
                     unsigned Depth) const {
  uint64_t Offset;
  Value *Base = baseOf(Pointer, DL, Offset);
  if (isa<AllocaInst>(Base))
    return true;
  if (Depth == MostChoices)
    return false;
  if (auto *Choice = dyn_cast<SelectInst>(Base))
    return mayRead(Choice->getTrueValue(), At, G, Depth + 1) &&
           mayRead(Choice->getFalseValue(), At, G, Depth + 1);
  auto *Choice = dyn_cast<PHINode>(Base);
  if (!Choice || Choice->getParent() != At->getParent())
    return false;
  // It is read in the blocks before, so nothing may write between them.
  for (auto I = Choice->getParent()->begin(); I != At; ++I)
    if (G.Accesses.contains(&*I) && writtenAt(*I))
      return false;
  return all_of(Choice->blocks(), [&](BasicBlock *From) {
    return mayRead(Choice->getIncomingValueForBlock(From),
                   From->getTerminator()->getIterator(), G, Depth + 1);
  });
}

/// The value of \p Ty that is \p Offset bytes behind \p Pointer, before \p At.
/// \p Other: of what selects do not choose.
Value *Keeper::read(Value *Pointer, uint64_t Offset, Type *Ty,
                    BasicBlock::iterator At, bool Other) {
  uint64_t Further;
  Value *Base = baseOf(Pointer, DL, Further);
  Offset += Further;
  IRBuilder<> B(At->getParent(), At);
  if (auto *Struct = dyn_cast<AllocaInst>(Base))
    return B.CreateAlignedLoad(
        Ty, B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Struct, Offset),
        commonAlignment(Struct->getAlign(), Offset));
  if (auto *Choice = dyn_cast<SelectInst>(Base)) {
    Value *True = read(Choice->getTrueValue(), Offset, Ty, At, Other),
          *False = read(Choice->getFalseValue(), Offset, Ty, At, Other);
    if (Other)
      std::swap(True, False);
    B.SetInsertPoint(At->getParent(), At);
    return B.CreateSelect(Choice->getCondition(), True, False, "",
                          /*MDFrom=*/Choice);
  }
  auto *Choice = cast<PHINode>(Base);
  auto *Values = PHINode::Create(Ty, Choice->getNumIncomingValues(), "",
                                 Choice->getIterator());
  std::map<BasicBlock *, Value *> Before; // a switch has several of its edges
  for (BasicBlock *From : Choice->blocks()) {
    Value *&Known = Before[From];
    if (!Known)
      Known = read(Choice->getIncomingValueForBlock(From), Offset, Ty,
                   From->getTerminator()->getIterator(), Other);
    Values->addIncoming(Known, From);
  }
  return Values;
}

/// \p Size bytes at \p Pointer, as the structs' other accesses have them.
CopyParts Keeper::partsOf(Value *Pointer, uint64_t Size, const Group &G) const {
  uint64_t Begin;
  baseOf(Pointer, DL, Begin);
  std::map<uint64_t, Type *> Beginnings = {{0, nullptr}};
  auto Note = [&](Value *At, uint64_t Bytes, Type *Ty) {
    uint64_t Offset;
    baseOf(At, DL, Offset);
    if (Offset >= Begin && Offset - Begin < Size) {
      Type *&Known = Beginnings[Offset - Begin];
      Known = Known ? Known : Ty;
    }
    if (Offset + Bytes > Begin && Offset + Bytes - Begin < Size)
      Beginnings.insert({Offset + Bytes - Begin, nullptr});
  };
  for (Instruction *Access : G.Accesses)
    if (Value *At = getLoadStorePointerOperand(Access)) {
      Type *Ty = getLoadStoreType(Access);
      Note(At, DL.getTypeStoreSize(Ty), Ty);
    }
  CopyParts Parts;
  for (auto I = Beginnings.begin(); I != Beginnings.end(); ++I) {
    const auto Next = std::next(I);
    uint64_t At = I->first;
    const uint64_t End = Next == Beginnings.end() ? Size : Next->first;
    Type *Ty = I->second;
    if (Ty && Ty->isSingleValueType() &&
        DL.getTypeSizeInBits(Ty) == 8 * (End - At)) {
      Parts.push_back({At, Ty});
      continue;
    }
    for (uint64_t Bytes; At < End; At += Bytes) {
      Bytes = std::min<uint64_t>(bit_floor(End - At), 8);
      Parts.push_back({At, Type::getIntNTy(Pointer->getContext(), 8 * Bytes)});
    }
  }
  return Parts;
}

void Keeper::rewriteLoad(LoadInst &Load) {
  Load.replaceAllUsesWith(read(Load.getPointerOperand(), 0, Load.getType(),
                               Load.getIterator(), IsWrong));
  Load.eraseFromParent();
}

void Keeper::rewriteCopy(MemTransferInst &Copy, ArrayRef<CopyPart> Parts) {
  Value *From = Copy.getRawSource(), *To = Copy.getRawDest();
  SmallVector<Value *, 8> Values;
  for (const CopyPart &P : Parts)
    Values.push_back(read(From, P.Offset, P.Ty, Copy.getIterator(),
                          IsWrong && &P == &Parts.back()));
  IRBuilder<> B(&Copy);
  writeParts(B, To, Copy.getDestAlign().valueOrOne(), Parts, Values);
  Copy.eraseFromParent();
}

static bool isChosen(Value *At, const DataLayout &DL) {
  uint64_t Offset;
  return At && isa<SelectInst, PHINode>(baseOf(At, DL, Offset));
}

bool Keeper::rewrite(const Group &G) {
  SmallVector<LoadInst *, 4> Loads;
  SmallVector<std::pair<MemTransferInst *, CopyParts>, 4> Copies;
  for (Instruction *Access : G.Accesses) {
    Value *From = readAt(*Access);
    if (isChosen(writtenAt(*Access), DL))
      return false;
    if (!isChosen(From, DL))
      continue;
    if (!mayRead(From, Access->getIterator(), G))
      return false;
    if (auto *Load = dyn_cast<LoadInst>(Access)) {
      Loads.push_back(Load);
      continue;
    }
    auto *Copy = cast<MemTransferInst>(Access);
    const auto *Size = cast<ConstantInt>(Copy->getLength());
    Copies.emplace_back(Copy, partsOf(From, Size->getZExtValue(), G));
  }
  for (LoadInst *Load : Loads)
    rewriteLoad(*Load);
  for (auto &[Copy, Parts] : Copies)
    rewriteCopy(*Copy, Parts);
  return true;
}

/// Is \p I a product and a sum that may be fused, or one of both?
static bool mayBeFused(const Instruction &I) {
  if (isSum(I))
    return any_of(I.operands(), [](const Value *V) { return mayBeProduct(V); });
  return isFusedProduct(I) &&
         (any_of(I.users(),
                 [](const User *U) { return isSum(*cast<Instruction>(U)); }) ||
          !distantSumsOf(I).empty());
}

/// Does \p From come to what may be fused, but by memory?
static bool comesToFused(const Instruction &From) {
  SmallVector<const Instruction *, 8> Work = {&From};
  SmallPtrSet<const Instruction *, 16> Seen;
  while (!Work.empty())
    for (const User *U : Work.pop_back_val()->users()) {
      const auto *I = cast<Instruction>(U);
      if (mayBeFused(*I))
        return true;
      if (!isa<LoadInst>(I) && Seen.insert(I).second)
        Work.push_back(I);
    }
  return false;
}

/// In memory a value is rounded, and no constant. Why would that be seen where
/// it is in none? Empty: it would not.
static std::string whyRounded(const Group &G, Function &F,
                              FunctionAnalysisManager &FAM) {
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
  for (Instruction *Access : G.Accesses) {
    auto *Store = dyn_cast<StoreInst>(Access);
    if ((isa<LoadInst>(Access) && comesToFused(*Access)) ||
        (Store && mayBeProduct(Store->getValueOperand())))
      return "whether a product is fused with a sum may depend on where they "
             "are kept";
    for (Loop *L = LI.getLoopFor(Access->getParent()); L;
         L = L->getParentLoop())
      if (!L->getLoopLatch())
        return "a loop around them has several ends";
      else if (std::string Why = whyRoundedAnew(*L, SE); !Why.empty())
        return Why;
  }
  for (const Instruction &I : instructions(F))
    if (isFusedProduct(I) && !distantSumsOf(I).empty())
      return "a product goes to a sum by way of conditions, which may be known "
             "then";
  return "";
}

bool sluice::keepChosenStructs(
    Function &F, FunctionAnalysisManager &FAM,
    function_ref<bool(const Instruction &)> IsOff, bool IsWrong,
    function_ref<void(const DebugLoc &At, uint64_t Bytes, StringRef WhyNot)>
        Done) {
  SmallPtrSet<AllocaInst *, 8> Seen;
  Keeper Keep(F, IsWrong);
  bool IsChanged = false;
  for (Instruction &I : F.getEntryBlock()) {
    auto *Struct = dyn_cast<AllocaInst>(&I);
    if (!Struct || Seen.contains(Struct))
      continue;
    const std::optional<Group> G = Keep.groupOf(*Struct);
    if (!G)
      continue;
    Seen.insert_range(G->Structs);
    auto Chosen = find_if(G->Accesses, [&](Instruction *Access) {
      return isChosen(readAt(*Access), F.getDataLayout());
    });
    if (Chosen == G->Accesses.end())
      continue;
    const DebugLoc At = (*Chosen)->getDebugLoc();
    std::string Why;
    if (G->Bytes > MostBytes)
      Why = "they have too many bytes";
    else if (any_of(G->Accesses, [&](Instruction *I) { return IsOff(*I); }))
      Why = "the source switches Sluice off for them";
    else
      Why = whyRounded(*G, F, FAM);
    if (Why.empty() && !Keep.rewrite(*G))
      Why = "what is chosen is written, or may be before it is read";
    IsChanged |= Why.empty();
    Done(At, G->Bytes, Why);
  }
  if (IsChanged) {
    SROAPass(SROAOptions::PreserveCFG).run(F, FAM);
    FAM.invalidate(F, PreservedAnalyses::none());
  }
  return IsChanged;
}
