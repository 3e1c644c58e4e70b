// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Addresses that differ by a constant, as in a stencil:
//
//   a = A[(i - 1) * N + j];         p = &A[(i - 1) * N + j];
//   b = A[i * N + (j - 1)];     =>  a = p[0];
//   c = A[i * N + (j + 1)];         b = p[N - 1];
//                                   c = p[N + 1];
//
// An instruction takes a constant offset for nothing. LLVM splits constants off
// (SeparateConstOffsetFromGEP), but not where it has made `or disjoint` of an
// addition, `zext nneg` of a sign extension, or an addition without `nsw`,
// and then computes each address by itself. Here both are written as the same
// sum of terms of 64 bits, and a constant.
//
// Where scalar evolution sees the constant in a loop, so does loop strength
// reduction, which then chooses the address that the others are offsets from.
//
// Steps over a tile, with a barrier behind each, are in blocks of their own:
//
//   if (x <= 1)  use(t[1 - x][x]);       p = t - 60 * x;
//   __syncthreads();                     if (x <= 1)  use(p[16]);
//   if (x <= 2)  use(t[2 - x][x]);   =>  __syncthreads();
//   __syncthreads();                     if (x <= 2)  use(p[32]);
//   ...                                  ...
//
// Each would compute its address behind the barrier. As sums of 64 bits they
// differ by a constant, though 1 - x alone may be computed where x <= 1 only.

#include "FewerInstructions.h"
#include "sluice/Analysis/SharedMemory.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LazyValueInfo.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace sluice;

/// Bits of an offset in an instruction, with its sign.
static constexpr unsigned OffsetBits = 24;
/// How deep an address is looked into.
static constexpr unsigned MostDepth = 8;
/// Of a block, among which the same ones are looked for.
static constexpr unsigned MostTerms = 256;
/// So many blocks that each compute an address are worth a register between
/// them.
static constexpr unsigned FewestBlocks = 4;

namespace {

/// An address, modulo 2^64: a pointer, terms (of fewer bits: with their sign
/// extended) with factors, and bytes.
struct Address {
  const Value *Base = nullptr;
  SmallVector<std::pair<const Value *, int64_t>, 4> Terms; ///< In an order.
  int64_t Bytes = 0;

  bool differsByBytesFrom(const Address &Other) const {
    return Base == Other.Base && Terms == Other.Terms;
  }
};

/// Of instructions that compute the same, the first that was seen. Unrolling
/// has made them, and only code generation makes them one.
class SameValues {
  SmallVector<const Instruction *, 16> Known;

public:
  const Value *firstOf(const Value *V) {
    const auto *I = dyn_cast<Instruction>(V);
    if (!I || isa<PHINode, FreezeInst, CallBase>(I) ||
        I->mayReadOrWriteMemory())
      return V;
    const auto *Same = find_if(Known, [&](const Instruction *Other) {
      return I->isIdenticalToWhenDefined(Other);
    });
    if (Same != Known.end())
      return *Same;
    if (Known.size() < MostTerms)
      Known.push_back(I);
    return V;
  }
};

class AddressReader {
public:
  AddressReader(const Instruction &Access, LazyValueInfo &Ranges,
                SameValues &Same)
      : At(Access), Ranges(Ranges), Same(Same), Layout(Access.getDataLayout()) {
  }
  Address read(const Value &Pointer);

private:
  void add(const Value *V, uint64_t Factor, unsigned Depth);
  bool addParts(const Instruction &I, uint64_t Factor, unsigned Depth);
  bool isExact(const Instruction &Sum);

  const Instruction &At;
  LazyValueInfo &Ranges;
  SameValues &Same;
  const DataLayout &Layout;
  MapVector<const Value *, uint64_t> Terms;
  uint64_t Bytes = 0;
};

} // namespace

/// Is \p Sum, of fewer than 64 bits, what its operands are as numbers with a
/// sign?
bool AddressReader::isExact(const Instruction &Sum) {
  if (Sum.getOpcode() == Instruction::Or)
    return cast<PossiblyDisjointInst>(Sum).isDisjoint();
  if (Sum.getType()->isIntegerTy(64) || Sum.hasNoSignedWrap())
    return true;
  // x + C does not leave the range if its result is far enough from the end,
  // as is known where the access is.
  const auto *C = dyn_cast<ConstantInt>(Sum.getOperand(1));
  if (Sum.getOpcode() != Instruction::Add || !C)
    return false;
  const ConstantRange Known = Ranges.getConstantRange(
      const_cast<Instruction *>(&Sum), const_cast<Instruction *>(&At),
      /*UndefAllowed=*/false);
  return !Known.isEmptySet() &&
         Known.signedSubMayOverflow(ConstantRange(C->getValue())) ==
             ConstantRange::OverflowResult::NeverOverflows;
}

/// False: \p I is a term.
bool AddressReader::addParts(const Instruction &I, uint64_t Factor,
                             unsigned Depth) {
  const Value *A = I.getOperand(0),
              *B = I.getNumOperands() > 1 ? I.getOperand(1) : nullptr;
  const auto *C = dyn_cast_if_present<ConstantInt>(B);
  switch (I.getOpcode()) {
  case Instruction::Add:
  case Instruction::Sub:
  case Instruction::Or:
    if (!isExact(I))
      return false;
    add(A, Factor, Depth);
    add(B, I.getOpcode() == Instruction::Sub ? -Factor : Factor, Depth);
    return true;
  case Instruction::Mul:
    if (!C || !isExact(I))
      return false;
    add(A, Factor * uint64_t(C->getSExtValue()), Depth);
    return true;
  case Instruction::Shl:
    if (!C || !isExact(I) || C->uge(I.getType()->getScalarSizeInBits() - 1))
      return false;
    add(A, Factor << C->getZExtValue(), Depth);
    return true;
  case Instruction::ZExt:
    if (!cast<PossiblyNonNegInst>(I).hasNonNeg())
      return false;
    [[fallthrough]];
  case Instruction::SExt:
    add(A, Factor, Depth);
    return true;
  default:
    return false;
  }
}

/// \p V, with its sign extended, times \p Factor.
void AddressReader::add(const Value *V, uint64_t Factor, unsigned Depth) {
  if (const auto *C = dyn_cast<ConstantInt>(V)) {
    Bytes += Factor * uint64_t(C->getSExtValue());
    return;
  }
  const auto *I = V->getType()->getScalarSizeInBits() <= 64
                      ? dyn_cast<Instruction>(V)
                      : nullptr;
  if (!I || Depth == MostDepth || !addParts(*I, Factor, Depth + 1))
    Terms[Same.firstOf(V)] += Factor;
}

Address AddressReader::read(const Value &Pointer) {
  const Value *Base = &Pointer;
  while (const auto *GEP = dyn_cast<GEPOperator>(Base)) {
    SmallMapVector<Value *, APInt, 4> Variable;
    APInt Constant(64, 0);
    if (Layout.getIndexTypeSizeInBits(GEP->getType()) != 64 ||
        !GEP->collectOffset(Layout, 64, Variable, Constant))
      break;
    Bytes += Constant.getZExtValue();
    for (const auto &[Index, Stride] : Variable)
      add(Index, Stride.getZExtValue(), 0);
    Base = GEP->getPointerOperand();
  }
  Address Read;
  Read.Base = Base;
  Read.Bytes = int64_t(Bytes);
  for (const auto &[Term, Factor] : Terms)
    if (Factor)
      Read.Terms.emplace_back(Term, int64_t(Factor));
  llvm::sort(Read.Terms);
  return Read;
}

/// Does LLVM know by itself that the pointers differ by a constant?
static bool isKnownOffset(Value *A, Value *B, const BasicBlock &BB,
                          FunctionAnalysisManager &FAM) {
  Function &F = *const_cast<Function *>(BB.getParent());
  const DataLayout &Layout = F.getDataLayout();
  const unsigned Bits = Layout.getIndexTypeSizeInBits(A->getType());
  APInt First(Bits, 0), Second(Bits, 0);
  if (A->stripAndAccumulateConstantOffsets(Layout, First,
                                           /*AllowNonInbounds=*/true) ==
      B->stripAndAccumulateConstantOffsets(Layout, Second,
                                           /*AllowNonInbounds=*/true))
    return true;
  if (!FAM.getResult<LoopAnalysis>(F).getLoopFor(&BB))
    return false;
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
  return isa<SCEVConstant>(SE.getMinusSCEV(SE.getSCEV(A), SE.getSCEV(B)));
}

static unsigned pointerOperand(const Instruction &I) {
  return isa<LoadInst>(I) ? LoadInst::getPointerOperandIndex()
                          : StoreInst::getPointerOperandIndex();
}

/// For tests of tests. Of shared memory the next word, as nothing is before it.
static int64_t otherOffset(int64_t Offset, const Value &Pointer) {
  return sharedVariable(&Pointer) ? Offset + 4 : -Offset;
}

namespace {
/// Accesses of shared memory in several blocks, by addresses that are computed
/// there and differ by constants.
struct SharedBase {
  Address Of;
  SmallVector<std::pair<Instruction *, int64_t>, 16> Accesses; ///< And bytes.
  SmallSetVector<BasicBlock *, 8> Blocks;
  /// These and others, whose addresses are there anyway.
  SmallVector<std::pair<Instruction *, int64_t>, 16> All;
};
} // namespace

/// \p Pointer without the constants that are added to it last.
static Value *withoutOffset(Value *Pointer, const DataLayout &Layout) {
  APInt Bytes(64, 0);
  return Pointer->stripAndAccumulateConstantOffsets(Layout, Bytes,
                                                    /*AllowNonInbounds=*/true);
}

/// Is the address of \p Access computed in its block, but for a constant?
static bool computesAddress(Instruction &Access) {
  const auto *From = dyn_cast<GetElementPtrInst>(withoutOffset(
      getLoadStorePointerOperand(&Access), Access.getDataLayout()));
  return From && From->getParent() == Access.getParent();
}

static SmallVector<SharedBase, 4>
findSharedBases(Function &F, ChangeTest MayChange,
                FunctionAnalysisManager &FAM) {
  SmallVector<SharedBase, 4> Found;
  for (BasicBlock &BB : F) {
    SameValues Same;
    for (Instruction &I : BB) {
      auto *Pointer =
          dyn_cast_or_null<GetElementPtrInst>(getLoadStorePointerOperand(&I));
      if (!Pointer || !sharedVariable(Pointer) || !MayChange(I))
        continue;
      const Address Own =
          AddressReader(I, FAM.getResult<LazyValueAnalysis>(F), Same)
              .read(*Pointer);
      if (Own.Terms.empty() || !isa<Constant>(Own.Base) ||
          Own.Base->getType() != Pointer->getType() ||
          !isIntN(OffsetBits - 1, Own.Bytes))
        continue;
      auto *Base = find_if(Found, [&](const SharedBase &B) {
        return B.Of.differsByBytesFrom(Own);
      });
      if (Base == Found.end()) {
        Found.emplace_back().Of = Own;
        Base = &Found.back();
      }
      Base->All.emplace_back(&I, Own.Bytes);
      if (!computesAddress(I))
        continue;
      Base->Accesses.emplace_back(&I, Own.Bytes);
      Base->Blocks.insert(&BB);
    }
  }
  erase_if(Found,
           [](const SharedBase &B) { return B.Blocks.size() < FewestBlocks; });
  return Found;
}

/// An address before all accesses of \p From, and its bytes: one that is there,
/// or a new one.
static std::pair<Value *, int64_t> baseOf(const SharedBase &From,
                                          DominatorTree &DT) {
  BasicBlock *Above = From.Blocks.front();
  for (BasicBlock *BB : From.Blocks)
    Above = DT.findNearestCommonDominator(Above, BB);
  const auto *Within = find_if(From.Accesses, [&](const auto &Access) {
    return Access.first->getParent() == Above;
  });
  Instruction *Before =
      Within == From.Accesses.end() ? Above->getTerminator() : Within->first;
  // Where its access is not made an address may be another.
  for (auto [Access, Bytes] : From.All)
    if (Access == Before || DT.dominates(Access, Before))
      return {getLoadStorePointerOperand(Access), Bytes};
  // What is added is there, as each access has it.
  IRBuilder<> IR(Before);
  Value *Sum = nullptr;
  for (auto [Term, Factor] : From.Of.Terms) {
    Value *Wide = IR.CreateSExt(const_cast<Value *>(Term), IR.getInt64Ty());
    Value *Part = IR.CreateMul(Wide, IR.getInt64(uint64_t(Factor)));
    Sum = Sum ? IR.CreateAdd(Sum, Part) : Part;
  }
  return {IR.CreatePtrAdd(const_cast<Value *>(From.Of.Base), Sum), 0};
}

Rewritten sluice::shareAddressesOfBlocks(Function &F, ChangeTest MayChange,
                                         FunctionAnalysisManager &FAM,
                                         bool IsWrong) {
  Rewritten Done;
  SmallVector<WeakTrackingVH, 8> Old;
  for (const SharedBase &Base : findSharedBases(F, MayChange, FAM)) {
    auto [Pointer, Begin] =
        baseOf(Base, FAM.getResult<DominatorTreeAnalysis>(F));
    const Value *Shared = withoutOffset(Pointer, F.getDataLayout());
    for (auto [Access, Bytes] : Base.Accesses) {
      Use &Of = Access->getOperandUse(pointerOperand(*Access));
      if (withoutOffset(Of, F.getDataLayout()) == Shared)
        continue;
      if (!Done.Count++)
        Done.At = Access->getDebugLoc();
      Old.push_back(Of.get());
      const int64_t Offset = Bytes - Begin;
      IRBuilder<> IR(Access);
      // For tests of tests: the next word.
      Of = IR.CreatePtrAdd(
          Pointer,
          IR.getInt64(IsWrong ? otherOffset(Offset, *Pointer) : Offset));
    }
  }
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(Old);
  return Done;
}

Rewritten sluice::shareAddresses(Function &F, ChangeTest MayChange,
                                 FunctionAnalysisManager &FAM, bool IsWrong) {
  Rewritten Done;
  LazyValueInfo *Ranges = nullptr;
  SmallVector<WeakTrackingVH, 8> Old;
  for (BasicBlock &BB : F) {
    SmallVector<std::pair<Address, Value *>, 8> Leaders;
    SameValues Same;
    for (Instruction &I : BB) {
      if (!isa<LoadInst, StoreInst>(I))
        continue;
      Use &Pointer = I.getOperandUse(pointerOperand(I));
      if (!isa<GetElementPtrInst>(Pointer) || !MayChange(I))
        continue;
      if (!Ranges)
        Ranges = &FAM.getResult<LazyValueAnalysis>(F);
      const Address Own = AddressReader(I, *Ranges, Same).read(*Pointer);
      if (Own.Terms.empty())
        continue;
      auto Leader = find_if(Leaders, [&](const auto &L) {
        return L.first.differsByBytesFrom(Own) &&
               isIntN(OffsetBits, Own.Bytes - L.first.Bytes) &&
               L.second->getType() == Pointer->getType();
      });
      if (Leader == Leaders.end()) {
        Leaders.emplace_back(Own, Pointer);
        continue;
      }
      if (Pointer == Leader->second ||
          isKnownOffset(Pointer, Leader->second, BB, FAM))
        continue;
      if (!Done.Count++)
        Done.At = I.getDebugLoc();
      IRBuilder<> IR(&I);
      Old.push_back(Pointer.get());
      const int64_t Offset = Own.Bytes - Leader->first.Bytes;
      Pointer = IR.CreatePtrAdd(
          Leader->second,
          IR.getInt64(IsWrong ? otherOffset(Offset, *Pointer) : Offset));
    }
  }
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(Old);
  return Done;
}
