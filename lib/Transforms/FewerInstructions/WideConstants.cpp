// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   while (...)                      __constant__ double c[] = {0.1, 0.3, ...};
//     x = x * 0.1 + 0.3;  ...   =>   while (...)
//                                      x = x * c[0] + c[1];  ...
//
// No instruction of the GPU has a number of 64 bits in it. One of 32 it may
// have, which is then a double's upper half. Other constants the assembler
// moves into a pair of registers by two instructions, for each use and in each
// iteration. What is in constant memory it takes as an operand from there, or
// keeps in uniform registers over the loop.
//
// All of a function's sums and products read such a constant from one load in
// its first block, so that those that are equal stay so. Where the load stands
// does not matter to the assembler.
//
// The array is said to be initialised from outside, so that nothing takes the
// constants back out of it.

#include "FewerInstructions.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/NVPTXAddrSpace.h"

using namespace llvm;
using namespace sluice;

/// So many constants a loop has at least: a miss of the constant cache costs
/// more than a few moves.
static constexpr unsigned LeastConstants = 4;

/// A module has 64 KiB of constant memory. Half of it is left alone.
static constexpr uint64_t MostBytes = 1 << 15;

static constexpr StringLiteral ArrayName = "sluice.constants";

namespace {

/// The array of a module, which grows.
class WideArray {
public:
  explicit WideArray(Module &M);
  /// Is there room for so many more?
  bool hasRoom(size_t More) const {
    return OtherBytes + sizeof(double) * (Elements.size() + More) <= MostBytes;
  }
  /// Returns its index.
  unsigned add(ConstantFP *C) {
    return Elements.insert({C, Elements.size()}).first->second;
  }
  /// Makes it as long as it has become.
  GlobalVariable &finish();

private:
  Module &M;
  GlobalVariable *Before = nullptr;
  uint64_t OtherBytes = 0; ///< Of constant memory.
  SmallMapVector<Constant *, unsigned, 16> Elements;
};

/// Finds the constants of a function that are read from memory.
class WideConstants {
public:
  WideConstants(Function &F, ChangeTest MayChange, const LoopInfo &Loops);
  ArrayRef<ConstantFP *> found() const { return Found.getArrayRef(); }
  /// Of the first in a loop.
  const DebugLoc &place() const { return Place; }
  ArrayRef<Use *> uses(ConstantFP *C) const { return Uses.find(C)->second; }

private:
  void look(Instruction &I, ChangeTest MayChange);
  bool isLeft(ConstantFP *C) const;
  void takeFrom(const Loop &L);

  MapVector<ConstantFP *, SmallVector<Use *, 4>> Uses;
  SmallPtrSet<ConstantFP *, 4> Refused; ///< By the source.
  SmallPtrSet<ConstantFP *, 16> Factors;
  SmallSetVector<ConstantFP *, 16> Found;
  DebugLoc Place;
};

} // namespace

WideArray::WideArray(Module &M) : M(M) {
  for (GlobalVariable &G : M.globals()) {
    if (G.getAddressSpace() != NVPTXAS::ADDRESS_SPACE_CONST)
      continue;
    if (G.getName() == ArrayName && G.hasLocalLinkage()) {
      Before = &G;
      auto *Values = cast<ConstantDataArray>(G.getInitializer());
      for (unsigned I = 0; I < Values->getNumElements(); ++I)
        Elements.insert({Values->getElementAsConstant(I), I});
    } else
      OtherBytes += M.getDataLayout().getTypeAllocSize(G.getValueType());
  }
}

GlobalVariable &WideArray::finish() {
  if (Before && cast<ArrayType>(Before->getValueType())->getNumElements() ==
                    Elements.size())
    return *Before;
  SmallVector<double, 16> Values;
  for (auto &[Value, Index] : Elements)
    Values.push_back(cast<ConstantFP>(Value)->getValueAPF().convertToDouble());
  Constant *Data = ConstantDataArray::get(M.getContext(), Values);
  auto *Array = new GlobalVariable(
      M, Data->getType(), /*isConstant=*/true, GlobalValue::InternalLinkage,
      Data, ArrayName, Before, GlobalValue::NotThreadLocal,
      NVPTXAS::ADDRESS_SPACE_CONST, /*isExternallyInitialized=*/true);
  Array->setAlignment(Align(sizeof(double)));
  if (Before) {
    Before->replaceAllUsesWith(Array);
    Array->takeName(Before);
    Before->eraseFromParent();
  }
  return *Array;
}

/// A double whose lower half is not zero?
static bool isWide(const Value *V) {
  const auto *C = dyn_cast<ConstantFP>(V);
  return C && C->getType()->isDoubleTy() && !C->isNaN() &&
         Lo_32(C->getValueAPF().bitcastToAPInt().getZExtValue()) != 0;
}

/// Sums and products, of which none is changed by LLVM for its constants. (A
/// division may become a product.)
static bool isSumOrProduct(const Instruction &I) {
  switch (I.getOpcode()) {
  case Instruction::FAdd:
  case Instruction::FSub:
  case Instruction::FMul:
    return true;
  default:
    break;
  }
  const auto *Intrinsic = dyn_cast<IntrinsicInst>(&I);
  if (!Intrinsic)
    return false;
  switch (Intrinsic->getIntrinsicID()) {
  case Intrinsic::fma:
  case Intrinsic::fmuladd:
  case Intrinsic::nvvm_add_rn_d:
  case Intrinsic::nvvm_mul_rn_d:
  case Intrinsic::nvvm_fma_rn_d:
    return true;
  default:
    return false;
  }
}

/// A choice of two constants? LLVM computes both with a third in advance, and
/// then no product is left that a sum could take in.
static bool isChoiceOfConstants(const Value *V) {
  const auto *Choice = dyn_cast<SelectInst>(V);
  return Choice && isa<Constant>(Choice->getTrueValue()) &&
         isa<Constant>(Choice->getFalseValue());
}

void WideConstants::look(Instruction &I, ChangeTest MayChange) {
  if (!isSumOrProduct(I) || any_of(I.operands(), isChoiceOfConstants))
    return;
  for (Use &U : I.operands()) {
    if (!isWide(U))
      continue;
    auto *C = cast<ConstantFP>(U);
    Uses[C].push_back(&U);
    if (I.getOpcode() == Instruction::FMul)
      Factors.insert(C);
    if (!MayChange(I))
      Refused.insert(C);
  }
}

/// The difference with a product is a sum for LLVM with that by the negated
/// constant. Where the code has this product too, both are one, of which
/// depends what is fused.
bool WideConstants::isLeft(ConstantFP *C) const {
  auto *Negated = ConstantFP::get(C->getContext(), neg(C->getValueAPF()));
  return Refused.contains(C) ||
         (Factors.contains(C) && Factors.contains(Negated));
}

void WideConstants::takeFrom(const Loop &L) {
  SmallVector<ConstantFP *, 16> InLoop;
  DebugLoc First;
  for (auto &[C, Of] : Uses) {
    const auto *In = find_if(Of, [&](const Use *U) {
      return L.contains(cast<Instruction>(U->getUser()));
    });
    if (In == Of.end() || isLeft(C))
      continue;
    if (InLoop.empty())
      First = cast<Instruction>((*In)->getUser())->getDebugLoc();
    InLoop.push_back(C);
  }
  if (InLoop.size() < LeastConstants)
    return;
  if (Found.empty())
    Place = First;
  Found.insert_range(InLoop);
}

/// None where LLVM may compute with constants as it likes.
WideConstants::WideConstants(Function &F, ChangeTest MayChange,
                             const LoopInfo &Loops) {
  for (Instruction &I : instructions(F)) {
    if (!I.getType()->isDoubleTy())
      continue;
    if (mayBeApproximate(I))
      return;
    look(I, MayChange);
  }
  for (const Loop *L : Loops)
    takeFrom(*L);
}

/// \p Uses of a constant read \p Element.
static void readFrom(GlobalVariable &Array, unsigned Element,
                     ArrayRef<Use *> Uses) {
  auto *User = cast<Instruction>(Uses.front()->getUser());
  BasicBlock &Entry = User->getFunction()->getEntryBlock();
  IRBuilder<> B(&*Entry.getFirstNonPHIOrDbgOrAlloca());
  Value *Place =
      B.CreateConstInBoundsGEP2_64(Array.getValueType(), &Array, 0, Element);
  Value *Read =
      B.CreateAlignedLoad(B.getDoubleTy(), Place, Align(sizeof(double)));
  for (Use *U : Uses)
    U->set(Read);
}

Rewritten sluice::readWideConstants(Function &F, ChangeTest MayChange,
                                    FunctionAnalysisManager &FAM,
                                    bool IsWrong) {
  Rewritten Done;
  const WideConstants Wide(F, MayChange, FAM.getResult<LoopAnalysis>(F));
  if (Wide.found().empty())
    return Done;
  WideArray Constants(*F.getParent());
  if (!Constants.hasRoom(Wide.found().size()))
    return Done;
  SmallVector<unsigned, 16> Elements;
  for (ConstantFP *C : Wide.found())
    Elements.push_back(Constants.add(C));
  GlobalVariable &Array = Constants.finish();
  if (IsWrong)
    std::rotate(Elements.begin(), Elements.begin() + 1, Elements.end());
  for (auto [C, Element] : zip(Wide.found(), Elements))
    readFrom(Array, Element, Wide.uses(C));
  Done.At = Wide.place();
  Done.Count = Wide.found().size();
  return Done;
}
