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
// An index of 32 bits whose parts may wrap around is a sum modulo 2^32. If it
// is not negative where it is used, and the constant is not, it is the sum
// without the constant, with its sign extended, and the constant: if that had
// overflowed, the index would be negative.

#include "CommonAddresses.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LazyValueInfo.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace sluice;

/// How deep an address is looked into.
static constexpr unsigned MostDepth = 8;
/// Of a block, among which the same ones are looked for.
static constexpr unsigned MostTerms = 256;

const Value *SameValues::firstOf(const Value *V) {
  const auto *I = dyn_cast<Instruction>(V);
  if (!I || isa<PHINode, FreezeInst, CallBase>(I) || I->mayReadOrWriteMemory())
    return V;
  const auto *Same = find_if(Known, [&](const Instruction *Other) {
    return AlsoPoison ? I->isIdenticalTo(Other)
                      : I->isIdenticalToWhenDefined(Other);
  });
  if (Same != Known.end())
    return *Same;
  if (Known.size() < MostTerms)
    Known.push_back(I);
  return V;
}

/// Where the access is.
ConstantRange AddressReader::rangeOf(const Value &V) {
  return Ranges.getConstantRange(const_cast<Value *>(&V),
                                 const_cast<Instruction *>(&At),
                                 /*UndefAllowed=*/false);
}

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
  const ConstantRange Known = rangeOf(Sum);
  return !Known.isEmptySet() &&
         Known.signedSubMayOverflow(ConstantRange(C->getValue())) ==
             ConstantRange::OverflowResult::NeverOverflows;
}

bool AddressReader::isNotNegative(const Value &V) {
  const ConstantRange Known = rangeOf(V);
  return !Known.isEmptySet() && Known.isAllNonNegative();
}

/// Adds \p V times \p Factor to the sum modulo 2^32; returns what of it is
/// constant.
uint64_t AddressReader::addToSum(const Value *V, uint64_t Factor,
                                 unsigned Depth) {
  if (const auto *C = dyn_cast<ConstantInt>(V))
    return Factor * C->getZExtValue();
  const auto *I = Depth == MostDepth ? nullptr : dyn_cast<BinaryOperator>(V);
  auto Add = [&](unsigned Operand, uint64_t With) {
    return addToSum(I->getOperand(Operand), With, Depth + 1);
  };
  const auto *C = I ? dyn_cast<ConstantInt>(I->getOperand(1)) : nullptr;
  if (I && (I->getOpcode() == Instruction::Add ||
            (I->getOpcode() == Instruction::Or &&
             cast<PossiblyDisjointInst>(I)->isDisjoint())))
    return Add(0, Factor) + Add(1, Factor);
  if (I && I->getOpcode() == Instruction::Sub)
    return Add(0, Factor) + Add(1, -Factor);
  if (C && I->getOpcode() == Instruction::Mul)
    return Add(0, Factor * C->getZExtValue());
  if (C && I->getOpcode() == Instruction::Shl && C->getValue().ult(32))
    return Add(0, Factor << C->getZExtValue());
  Sum[Same.firstOf(V)] += Factor;
  return 0;
}

/// \p Index, made longer, times \p Factor. False: it may be another number.
bool AddressReader::takeSum(const Value &Index, bool IsNotNegative,
                            uint64_t Factor) {
  if (!TakesSums || OfSum || !Index.getType()->isIntegerTy(32))
    return false;
  ConstantRange Known = rangeOf(Index);
  if (IsNotNegative)
    Known = Known.intersectWith(
        ConstantRange::getNonEmpty(APInt(32, 0), APInt::getSignedMinValue(32)));
  const int32_t Constant = int32_t(addToSum(&Index, 1, 0));
  if (Known.isEmptySet() || Known.signedSubMayOverflow(ConstantRange(
                                APInt(32, uint64_t(uint32_t(Constant))))) !=
                                ConstantRange::OverflowResult::NeverOverflows) {
    Sum.clear();
    return false;
  }
  OfSum = Factor;
  Bytes += Factor * uint64_t(int64_t(Constant));
  return true;
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
    if (!cast<PossiblyNonNegInst>(I).hasNonNeg() && !isNotNegative(*A))
      return false;
    [[fallthrough]];
  case Instruction::SExt:
    if (!takeSum(*A, isa<ZExtInst>(I), Factor))
      add(A, Factor, Depth);
    return true;
  default:
    return false;
  }
}

/// \p V, with its sign extended, times \p Factor.
void AddressReader::add(const Value *V, uint64_t Factor, unsigned Depth) {
  if (!Factor)
    return;
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

static Factors factorsOf(const FactorMap &All,
                         function_ref<int64_t(uint64_t)> Factor) {
  Factors Found;
  for (const auto &[Term, Times] : All)
    if (const int64_t F = Factor(Times))
      Found.emplace_back(Term, F);
  return Found;
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
  Read.Terms = factorsOf(Terms, [](uint64_t F) { return int64_t(F); });
  Read.Sum = factorsOf(Sum, [](uint64_t F) { return int64_t(uint32_t(F)); });
  Read.OfSum = int64_t(OfSum);
  return Read;
}

bool sluice::isKnownOffset(Value *A, Value *B, const BasicBlock &BB,
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

Use *sluice::pointerToShare(Instruction &I, ChangeTest MayChange) {
  if (!isa<LoadInst, StoreInst>(I))
    return nullptr;
  Use &Pointer = I.getOperandUse(pointerOperand(I));
  return isa<GetElementPtrInst>(Pointer) && MayChange(I) ? &Pointer : nullptr;
}

Rewritten sluice::shareAddresses(Function &F, ChangeTest MayChange,
                                 FunctionAnalysisManager &FAM, bool IsWrong) {
  Rewritten Done;
  LazyValueInfo *Ranges = nullptr;
  SmallVector<WeakTrackingVH, 8> Old;
  for (BasicBlock &BB : F) {
    SmallVector<std::pair<Address, Value *>, 8> Leaders;
    SameValues Same(/*AlsoPoison=*/false);
    for (Instruction &I : BB) {
      Use *Found = pointerToShare(I, MayChange);
      if (!Found)
        continue;
      Use &Pointer = *Found;
      if (!Ranges)
        Ranges = &FAM.getResult<LazyValueAnalysis>(F);
      const Address Own = AddressReader(I, *Ranges, Same).read(*Pointer);
      if (!Own.isVariable())
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
      Pointer = IR.CreatePtrAdd(Leader->second,
                                IR.getInt64(IsWrong ? -Offset : Offset));
    }
  }
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(Old);
  shareAddressesOfBlocks(F, MayChange, FAM, IsWrong, Done);
  return Done;
}
