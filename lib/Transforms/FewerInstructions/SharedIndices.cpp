// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Indices of 32 bits into shared memory, or into a thread's array:
//
//   __shared__ float tile[..];           o = 4 * (i0 + x);
//   for (int i = i0; i < n; ++i)     =>  for (i = i0; i < n; ++i, o += 4)
//     s += tile[i + x] * tile[i + x + 1];  s += (tile + o)[0] * (tile + o)[1];
//
// where `x` has no sign, or nobody knows that the sum does not overflow.
// `i + x + 1` is then a number modulo 2^32, of which LLVM takes no constant out
// and which nothing follows, so that each access adds, extends and scales. Of
// global memory nobody may do better. But what an address within shared memory
// (`inbounds`) is away from its base is less than 2^31 bytes, with a sign. So
// it is known by what it is modulo 2^32, however that is computed:
//
// * Less a constant it is a number with a sign that does not overflow where the
//   constant is added.
// * A loop may count the bytes.
//
// With 32-bit pointers (-fcuda-short-ptr) LLVM does so by itself.

#include "FewerInstructions.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/InstSimplifyFolder.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Support/NVPTXAddrSpace.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;
using namespace sluice;

/// How deep an index is looked into for constants.
static constexpr unsigned MostDepth = 6;
/// The constants have fewer bits, also in bytes: with as much shared memory as
/// there is they do not leave 32.
static constexpr unsigned ConstantBits = 30;
/// Of an element's bytes that a loop is to count.
static constexpr unsigned StrideBits = 12;

/// Is all that \p Pointer may point into small?
static bool isSmallMemory(const Value *Pointer) {
  SmallVector<const Value *, 4> Objects;
  getUnderlyingObjects(Pointer, Objects);
  return all_of(Objects, [](const Value *Object) {
    const unsigned Space = Object->getType()->isPointerTy()
                               ? Object->getType()->getPointerAddressSpace()
                               : NVPTXAS::ADDRESS_SPACE_GENERIC;
    return isa<AllocaInst>(Object) || Space == NVPTXAS::ADDRESS_SPACE_SHARED ||
           Space == NVPTXAS::ADDRESS_SPACE_LOCAL;
  });
}

namespace {

/// An index of 64 bits that is one of 32, extended.
struct Place {
  GetElementPtrInst *Access;
  Use *Index;
  /// Bytes from one index to the next, if nothing else of the address varies;
  /// 0: something does.
  unsigned Stride = 0;
  int64_t Rest = 0; ///< Bytes that it is away without the index.
};

} // namespace

/// Is all that \p Index, of 32 bits, is used for indices of small memory?
static bool isForPlacesOnly(const Value &Index) {
  return all_of(Index.users(), [](const User *U) {
    return isa<ZExtInst, SExtInst>(U) && all_of(U->users(), [](const User *V) {
             const auto *Access = dyn_cast<GetElementPtrInst>(V);
             return Access && isSmallMemory(Access->getPointerOperand());
           });
  });
}

namespace {

class IndexReader {
public:
  IndexReader(Function &F, FunctionAnalysisManager &FAM, bool IsWrong)
      : SE(FAM.getResult<ScalarEvolutionAnalysis>(F)),
        LI(FAM.getResult<LoopAnalysis>(F)),
        DT(FAM.getResult<DominatorTreeAnalysis>(F)),
        TTI(FAM.getResult<TargetIRAnalysis>(F)), Expander(SE, "shared"),
        IsWrong(IsWrong) {}
  /// Returns how many of \p Places are written in another way.
  unsigned run(ArrayRef<Place> Places);

private:
  /// A number of 32 bits: \p Rest and \p Constant modulo 2^32.
  struct Parts {
    Value *Rest;
    uint32_t Constant;
  };
  /// What a loop counts: from where, and by how much.
  using Count = std::pair<const SCEV *, const SCEV *>;

  Parts partsOf(Value *V, unsigned Depth = 0);
  Parts partsOfSum(BinaryOperator &I, unsigned Depth);
  bool isKnown(CastInst &Extended);
  bool split(const Place &At, bool IsShared);
  const SCEVAddRecExpr *counted(const Place &At);
  /// Returns those that stay as they are.
  SmallVector<Place, 16> followAll(ArrayRef<Place> Places);
  void follow(const Place &At, const SCEVAddRecExpr &Index);
  Value *countIn(const Loop &L, Count Bytes);
  Instruction *endBefore(const Loop &L) const;
  int64_t offset(int32_t Constant) const {
    return int64_t(Constant) + (IsWrong && Constant ? 1 : 0);
  }

  ScalarEvolution &SE;
  const LoopInfo &LI;
  const DominatorTree &DT;
  const TargetTransformInfo &TTI;
  SCEVExpander Expander;
  const bool IsWrong;
  DenseMap<Value *, Parts> Known;
  DenseMap<std::pair<const Loop *, Count>, PHINode *> Counts;
  SmallVector<WeakTrackingVH, 16> MaybeDead;
};

} // namespace

/// Of the sum, difference or multiple \p I.
IndexReader::Parts IndexReader::partsOfSum(BinaryOperator &I, unsigned Depth) {
  const Parts A = partsOf(I.getOperand(0), Depth + 1);
  IRBuilder<InstSimplifyFolder> IR(I.getContext(),
                                   InstSimplifyFolder(I.getDataLayout()));
  IR.SetInsertPoint(&I);
  if (const auto *C = dyn_cast<ConstantInt>(I.getOperand(1));
      C && (I.getOpcode() == Instruction::Mul ||
            I.getOpcode() == Instruction::Shl)) {
    if (!A.Constant || (I.getOpcode() == Instruction::Shl && C->uge(32)))
      return {&I, 0};
    const auto By = uint32_t(C->getZExtValue());
    return {IR.CreateBinOp(I.getOpcode(), A.Rest, I.getOperand(1)),
            I.getOpcode() == Instruction::Mul ? A.Constant * By
                                              : A.Constant << By};
  }
  const bool IsSum = I.getOpcode() == Instruction::Add ||
                     (I.getOpcode() == Instruction::Or &&
                      cast<PossiblyDisjointInst>(I).isDisjoint());
  if (!IsSum && I.getOpcode() != Instruction::Sub)
    return {&I, 0};
  const Parts B = partsOf(I.getOperand(1), Depth + 1);
  if (!A.Constant && !B.Constant)
    return {&I, 0};
  if (IsSum)
    return {IR.CreateAdd(A.Rest, B.Rest), A.Constant + B.Constant};
  return {IR.CreateSub(A.Rest, B.Rest), A.Constant - B.Constant};
}

IndexReader::Parts IndexReader::partsOf(Value *V, unsigned Depth) {
  if (const auto *C = dyn_cast<ConstantInt>(V))
    return {ConstantInt::get(V->getType(), 0), uint32_t(C->getZExtValue())};
  auto *I = dyn_cast<BinaryOperator>(V);
  if (!I || Depth == MostDepth)
    return {V, 0};
  if (const auto Found = Known.find(I); Found != Known.end())
    return Found->second;
  const Parts Split = partsOfSum(*I, Depth);
  if (Split.Rest != I)
    MaybeDead.push_back(Split.Rest);
  return Known[I] = Split;
}

static bool isNotNegative(const CastInst &Extended) {
  const auto *Zero = dyn_cast<ZExtInst>(&Extended);
  return !Zero || Zero->hasNonNeg();
}

/// Does LLVM see the parts of the index by itself? Then it takes the constant
/// out, and knows neighbours by it.
bool IndexReader::isKnown(CastInst &Extended) {
  return !isa<SCEVCastExpr>(SE.getSCEV(&Extended));
}

/// \p IsShared: others are offsets from its rest, too.
bool IndexReader::split(const Place &At, bool IsShared) {
  auto *Extended = cast<CastInst>(*At.Index);
  Value *Index = Extended->getOperand(0);
  const Parts Split = partsOf(Index);
  const auto Constant = int32_t(Split.Constant);
  if (isKnown(*Extended) || !isInt<ConstantBits>(Constant) ||
      !(IsShared || (Constant && Index->hasOneUse())) ||
      (!Constant && isNotNegative(*Extended)))
    return false;
  IRBuilder<> IR(Extended);
  Value *New = IR.CreateSExt(Split.Rest, Extended->getType());
  if (Constant)
    New = IR.CreateNSWAdd(New, IR.getInt64(offset(Constant)));
  At.Index->set(New);
  MaybeDead.push_back(Extended);
  return true;
}

/// Where all that is computed before \p L is known. It need not have a block of
/// its own before it.
Instruction *IndexReader::endBefore(const Loop &L) const {
  return DT.getNode(L.getHeader())->getIDom()->getBlock()->getTerminator();
}

/// The index of \p At, of 32 bits, if its loop is to count it; null if not, or
/// LLVM does so itself.
const SCEVAddRecExpr *IndexReader::counted(const Place &At) {
  auto *Extended = cast<CastInst>(*At.Index);
  Value *Index = Extended->getOperand(0);
  const Loop *L = LI.getLoopFor(At.Access->getParent());
  // What is behind a condition would be counted for nothing.
  if (!L || !L->getLoopLatch() ||
      !DT.dominates(At.Access->getParent(), L->getLoopLatch()) ||
      isa<PHINode>(Index) || !isForPlacesOnly(*Index))
    return nullptr;
  const auto *Count = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(Index));
  if (!Count || Count->getLoop() != L || !Count->isAffine() ||
      isKnown(*Extended))
    return nullptr;
  const Instruction *Before = endBefore(*L);
  const SCEV *Start = Count->getStart(), *Step = Count->getStepRecurrence(SE);
  return Expander.isSafeToExpandAt(Start, Before) &&
                 Expander.isSafeToExpandAt(Step, Before) &&
                 !Expander.isHighCostExpansion(
                     {Start, Step}, const_cast<Loop *>(L),
                     SCEVCheapExpansionBudget, &TTI, Before)
             ? Count
             : nullptr;
}

Value *IndexReader::countIn(const Loop &L, Count Bytes) {
  PHINode *&Phi = Counts[{&L, Bytes}];
  if (Phi)
    return Phi;
  BasicBlock *Header = L.getHeader();
  Instruction *Before = endBefore(L);
  auto *Type = cast<IntegerType>(Bytes.first->getType());
  Value *First = Expander.expandCodeFor(Bytes.first, Type, Before);
  Value *By = Expander.expandCodeFor(Bytes.second, Type, Before);
  IRBuilder<> IR(Header, Header->begin());
  Phi = IR.CreatePHI(Type, 2, "shared.bytes");
  IR.SetInsertPoint(L.getLoopLatch()->getTerminator());
  Value *Next = IR.CreateAdd(Phi, By);
  for (BasicBlock *From : predecessors(Header))
    Phi->addIncoming(L.contains(From) ? Next : First, From);
  return Phi;
}

void IndexReader::follow(const Place &At, const SCEVAddRecExpr &Index) {
  GetElementPtrInst &Access = *At.Access;
  const SCEV *Start = Index.getStart();
  int32_t Constant = 0;
  if (const auto *Sum = dyn_cast<SCEVAddExpr>(Start))
    if (const auto *C = dyn_cast<SCEVConstant>(Sum->getOperand(0));
        C && isInt<ConstantBits - StrideBits>(C->getAPInt().getSExtValue())) {
      Constant = int32_t(C->getAPInt().getSExtValue());
      Start = SE.getMinusSCEV(Start, C);
    }
  const SCEV *Size = SE.getConstant(Start->getType(), At.Stride);
  Value *Bytes = countIn(*Index.getLoop(),
                         {SE.getMulExpr(Start, Size),
                          SE.getMulExpr(Index.getStepRecurrence(SE), Size)});
  IRBuilder<> IR(&Access);
  Value *New = IR.CreatePtrAdd(Access.getPointerOperand(),
                               IR.CreateSExt(Bytes, IR.getInt64Ty()));
  New = IR.CreatePtrAdd(
      New, IR.getInt64(offset(Constant) * int64_t(At.Stride) + At.Rest));
  MaybeDead.push_back(At.Index->get());
  Access.replaceAllUsesWith(New);
  MaybeDead.push_back(&Access);
}

/// Has \p L places of what \p At points into that vary, and are none of \p
/// Counted? Some of these may be offsets from them.
static bool hasOtherPlaces(const Loop &L, const Place &At,
                           const SmallPtrSetImpl<const Value *> &Counted) {
  return any_of(L.blocks(), [&](const BasicBlock *BB) {
    return any_of(*BB, [&](const Instruction &I) {
      const auto *Other = dyn_cast<GetElementPtrInst>(&I);
      return Other && !Counted.contains(Other) &&
             Other->getPointerOperand() == At.Access->getPointerOperand() &&
             !L.hasLoopInvariantOperands(Other);
    });
  });
}

SmallVector<Place, 16> IndexReader::followAll(ArrayRef<Place> Places) {
  SmallVector<Place, 16> Others;
  SmallVector<std::pair<Place, const SCEVAddRecExpr *>, 8> Followed;
  SmallPtrSet<const Value *, 8> Counted;
  for (const Place &At : Places)
    if (const SCEVAddRecExpr *Index = At.Stride ? counted(At) : nullptr) {
      Followed.emplace_back(At, Index);
      Counted.insert(At.Access);
    } else {
      Others.push_back(At);
    }
  erase_if(Followed, [&](const auto &Found) {
    const auto &[At, Index] = Found;
    const bool Stays = hasOtherPlaces(*Index->getLoop(), At, Counted);
    if (Stays)
      Others.push_back(At);
    return Stays;
  });
  for (const auto &[At, Index] : Followed)
    follow(At, *Index);
  return Others;
}

unsigned IndexReader::run(ArrayRef<Place> Places) {
  const auto Others = followAll(Places);
  unsigned Count = Places.size() - Others.size();
  // How many are offsets from each, and whether one has a constant.
  DenseMap<Value *, std::pair<unsigned, bool>> Users;
  for (const Place &At : Others) {
    const Parts Split = partsOf(cast<CastInst>(*At.Index)->getOperand(0));
    auto &[Number, HasConstant] = Users[Split.Rest];
    ++Number;
    HasConstant |= Split.Constant != 0;
  }
  for (const Place &At : Others) {
    const auto &[Number, HasConstant] =
        Users.lookup(partsOf(cast<CastInst>(*At.Index)->getOperand(0)).Rest);
    Count += split(At, Number > 1 && HasConstant);
  }
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(MaybeDead);
  return Count;
}

/// The places of \p Access.
static void addPlaces(GetElementPtrInst &Access,
                      SmallVectorImpl<Place> &Places) {
  SmallMapVector<Value *, APInt, 4> Variable;
  const DataLayout &Layout = Access.getDataLayout();
  APInt Rest(64, 0);
  const bool IsRead = Layout.getIndexTypeSizeInBits(Access.getType()) == 64 &&
                      Access.collectOffset(Layout, 64, Variable, Rest);
  for (Use &Index : Access.indices())
    if (asExtension(Index)) {
      Place At{&Access, &Index};
      if (IsRead && Variable.size() == 1 &&
          Variable.front().second.isIntN(StrideBits)) {
        At.Stride = unsigned(Variable.front().second.getZExtValue());
        At.Rest = Rest.getSExtValue();
      }
      Places.push_back(At);
    }
}

Rewritten sluice::followSharedIndices(Function &F, ChangeTest MayChange,
                                      FunctionAnalysisManager &FAM,
                                      bool IsWrong) {
  Rewritten Done;
  SmallVector<Place, 16> Places;
  for (Instruction &I : instructions(F))
    if (auto *Access = dyn_cast<GetElementPtrInst>(&I);
        Access && Access->isInBounds() && !Access->getType()->isVectorTy() &&
        any_of(Access->indices(), asExtension) && MayChange(I) &&
        isSmallMemory(Access->getPointerOperand()))
      addPlaces(*Access, Places);
  if (!Places.empty())
    Done.Count = IndexReader(F, FAM, IsWrong).run(Places);
  return Done;
}
