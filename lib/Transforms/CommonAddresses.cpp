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

#include "FewerInstructions.h"
#include "llvm/ADT/MapVector.h"
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

/// Bits of an offset in an instruction, with its sign.
static constexpr unsigned OffsetBits = 24;
/// How deep an address is looked into.
static constexpr unsigned MostDepth = 8;
/// Of a block, among which the same ones are looked for.
static constexpr unsigned MostTerms = 256;

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
      Pointer = IR.CreatePtrAdd(Leader->second,
                                IR.getInt64(IsWrong ? -Offset : Offset));
    }
  }
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(Old);
  return Done;
}
