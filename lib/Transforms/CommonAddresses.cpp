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
// Of several blocks, each behind a condition, the address is computed before
// the conditions. In 64 bits that wraps around nowhere, so it is the same
// whether they hold or not.
//
// An index of 32 bits whose parts may wrap around is a sum modulo 2^32. If it
// is not negative where it is used, and the constant is not, it is the sum
// without the constant, with its sign extended, and the constant: if that had
// overflowed, the index would be negative.

#include "FewerInstructions.h"
#include "SpillCandidates.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/STLExtras.h"
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
#include <optional>

using namespace llvm;
using namespace sluice;

/// Bits of an offset in an instruction, with its sign.
static constexpr unsigned OffsetBits = 24;
/// How deep an address is looked into.
static constexpr unsigned MostDepth = 8;
/// Of a block, among which the same ones are looked for.
static constexpr unsigned MostTerms = 256;
/// For which one address is computed before their conditions.
static constexpr unsigned LeastBlocks = 3;
/// That values of the kernel need at a time, by our count. The assembler then
/// has the loads of all blocks together, and these are in registers, too. Where
/// others need them that costs more: CUB's radix sort had 100 registers in
/// place of 80, and HeCBench's attention_paged 1.33 times its time.
static constexpr unsigned MostRegisters = 32;

namespace {

using Factors = SmallVector<std::pair<const Value *, int64_t>, 4>;

/// An address, modulo 2^64: a pointer, terms (of fewer bits: with their sign
/// extended) with factors, and bytes.
struct Address {
  const Value *Base = nullptr;
  Factors Terms; ///< In an order.
  /// Of 32 bits, modulo 2^32, with its sign extended; and its factor.
  Factors Sum;
  int64_t OfSum = 0;
  int64_t Bytes = 0;

  bool differsByBytesFrom(const Address &Other) const {
    return Base == Other.Base && Terms == Other.Terms && Sum == Other.Sum &&
           OfSum == Other.OfSum;
  }
  bool isVariable() const { return !Terms.empty() || OfSum; }
  bool isThere(function_ref<bool(const Value *)> Is) const {
    auto IsThere = [&](const auto &T) { return Is(T.first); };
    return Is(Base) && all_of(Terms, IsThere) && all_of(Sum, IsThere);
  }
};

using FactorMap = MapVector<const Value *, uint64_t>;

/// Of instructions that compute the same, the first that was seen. Unrolling
/// has made them, and only code generation makes them one.
class SameValues {
  SmallVector<const Instruction *, 16> Known;
  const bool AlsoPoison;

public:
  /// \p AlsoPoison: those that are poison alike, so that one may stand for
  /// another where that is not executed.
  explicit SameValues(bool AlsoPoison) : AlsoPoison(AlsoPoison) {}

  const Value *firstOf(const Value *V) {
    const auto *I = dyn_cast<Instruction>(V);
    if (!I || isa<PHINode, FreezeInst, CallBase>(I) ||
        I->mayReadOrWriteMemory())
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
};

class AddressReader {
public:
  /// \p TakesSums: an index is a sum modulo 2^32, if that is right.
  AddressReader(const Instruction &Access, LazyValueInfo &Ranges,
                SameValues &Same, bool TakesSums = false)
      : At(Access), Ranges(Ranges), Same(Same), TakesSums(TakesSums),
        Layout(Access.getDataLayout()) {}
  Address read(const Value &Pointer);

private:
  void add(const Value *V, uint64_t Factor, unsigned Depth);
  bool addParts(const Instruction &I, uint64_t Factor, unsigned Depth);
  bool isExact(const Instruction &Sum);
  bool isNotNegative(const Value &V);
  ConstantRange rangeOf(const Value &V);
  bool takeSum(const Value &Index, bool IsNotNegative, uint64_t Factor);
  uint64_t addToSum(const Value *V, uint64_t Factor, unsigned Depth);

  const Instruction &At;
  LazyValueInfo &Ranges;
  SameValues &Same;
  const bool TakesSums;
  const DataLayout &Layout;
  FactorMap Terms, Sum;
  uint64_t OfSum = 0; ///< Its factor; 0: there is none.
  uint64_t Bytes = 0;
};

} // namespace

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
  if (Known.isEmptySet() ||
      Known.signedSubMayOverflow(
          ConstantRange(APInt(32, uint64_t(uint32_t(Constant))))) !=
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

static Factors inOrder(const FactorMap &All,
                       function_ref<int64_t(uint64_t)> Factor) {
  Factors Found;
  for (const auto &[Term, Times] : All)
    if (const int64_t F = Factor(Times))
      Found.emplace_back(Term, F);
  llvm::sort(Found);
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
  Read.Terms = inOrder(Terms, [](uint64_t F) { return int64_t(F); });
  Read.Sum = inOrder(Sum, [](uint64_t F) { return int64_t(uint32_t(F)); });
  Read.OfSum = int64_t(OfSum);
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

/// The pointer of \p I, if its address may be that of another one and a
/// constant.
static Use *pointerToShare(Instruction &I, ChangeTest MayChange) {
  if (!isa<LoadInst, StoreInst>(I))
    return nullptr;
  Use &Pointer = I.getOperandUse(pointerOperand(I));
  return isa<GetElementPtrInst>(Pointer) && MayChange(I) ? &Pointer : nullptr;
}

namespace {

/// What is behind several conditions of one loop, or of none.
class AddressesOfBlocks {
public:
  AddressesOfBlocks(Function &F, ChangeTest MayChange,
                    FunctionAnalysisManager &FAM, bool IsWrong, bool TakesSums)
      : F(F), MayChange(MayChange), FAM(FAM), IsWrong(IsWrong),
        TakesSums(TakesSums),
        Ranges(FAM.getResult<LazyValueAnalysis>(F)),
        Loops(FAM.getResult<LoopAnalysis>(F)),
        Tree(FAM.getResult<DominatorTreeAnalysis>(F)) {}
  void share(Rewritten &Done);

private:
  struct Access {
    Instruction *I;
    int64_t Bytes;
  };
  struct Group {
    Address First;
    SmallVector<Access, 8> Accesses;
  };
  void collect();
  void shareGroup(const Group &Group, Rewritten &Done);
  Instruction *placeFor(const Group &Group) const;
  static Value *pointerAt(Instruction &Place, const Address &Of, int64_t Bytes);
  bool isKnownByLLVM(const Group &Group) const;

  Function &F;
  ChangeTest MayChange;
  FunctionAnalysisManager &FAM;
  bool IsWrong, TakesSums;
  LazyValueInfo &Ranges;
  LoopInfo &Loops;
  DominatorTree &Tree;
  std::vector<Group> Groups;
  std::optional<unsigned> Needed; ///< Registers, once that was asked.
  SmallVector<WeakTrackingVH, 8> Old;
};

} // namespace

void AddressesOfBlocks::collect() {
  SameValues Same(/*AlsoPoison=*/true);
  for (BasicBlock *BB : ReversePostOrderTraversal<Function *>(&F))
    for (Instruction &I : *BB) {
      Use *Pointer = pointerToShare(I, MayChange);
      if (!Pointer)
        continue;
      const Address Own =
          AddressReader(I, Ranges, Same, TakesSums).read(**Pointer);
      if (!Own.isVariable())
        continue;
      auto Of = find_if(Groups, [&](const Group &G) {
        const Instruction &Other = *G.Accesses.front().I;
        return G.First.differsByBytesFrom(Own) &&
               isIntN(OffsetBits, Own.Bytes - G.First.Bytes) &&
               Loops.getLoopFor(Other.getParent()) == Loops.getLoopFor(BB) &&
               getLoadStorePointerOperand(&Other)->getType() ==
                   Pointer->get()->getType();
      });
      if (Of == Groups.end())
        Of = Groups.insert(Groups.end(), Group{Own, {}});
      Of->Accesses.push_back({&I, Own.Bytes});
    }
}

/// Where the address of all is computed, or null.
Instruction *AddressesOfBlocks::placeFor(const Group &Group) const {
  Instruction *Place = Group.Accesses.front().I;
  for (const Access &Next : drop_begin(Group.Accesses)) {
    BasicBlock *Of = Next.I->getParent();
    if (Of == Place->getParent())
      continue;
    BasicBlock *Both = Tree.findNearestCommonDominator(Place->getParent(), Of);
    if (!Both)
      return nullptr;
    if (Both != Place->getParent())
      Place = Both->getTerminator();
  }
  // Not before the loop: there would be one address for each of its rounds.
  const BasicBlock *First = Group.Accesses.front().I->getParent();
  if (Loops.getLoopFor(Place->getParent()) != Loops.getLoopFor(First))
    return nullptr;
  const bool IsThere = Group.First.isThere(
      [&](const Value *V) { return Tree.dominates(V, Place); });
  return IsThere ? Place : nullptr;
}

bool AddressesOfBlocks::isKnownByLLVM(const Group &Group) const {
  const Instruction &First = *Group.Accesses.front().I;
  return all_of(drop_begin(Group.Accesses), [&](const Access &Next) {
    return isKnownOffset(const_cast<Value *>(getLoadStorePointerOperand(Next.I)),
                         const_cast<Value *>(getLoadStorePointerOperand(&First)),
                         *Next.I->getParent(), FAM);
  });
}

/// The address of the group without its bytes, and \p Bytes.
Value *AddressesOfBlocks::pointerAt(Instruction &Place, const Address &Of,
                                    int64_t Bytes) {
  IRBuilder<> IR(&Place);
  auto SumOf = [&](const Factors &All, Type *In) {
    Value *Total = nullptr;
    for (const auto &[Term, Factor] : All) {
      Value *Part = IR.CreateSExt(const_cast<Value *>(Term), In);
      if (Factor != 1)
        Part = IR.CreateMul(Part, ConstantInt::get(In, uint64_t(Factor)));
      Total = Total ? IR.CreateAdd(Total, Part) : Part;
    }
    return Total ? Total : ConstantInt::get(In, 0);
  };
  Value *Offset = SumOf(Of.Terms, IR.getInt64Ty());
  if (Of.OfSum)
    Offset = IR.CreateAdd(
        Offset, IR.CreateMul(IR.CreateSExt(SumOf(Of.Sum, IR.getInt32Ty()),
                                           IR.getInt64Ty()),
                             IR.getInt64(Of.OfSum)));
  Value *Pointer = IR.CreatePtrAdd(const_cast<Value *>(Of.Base), Offset);
  return Bytes ? IR.CreatePtrAdd(Pointer, IR.getInt64(Bytes)) : Pointer;
}

void AddressesOfBlocks::shareGroup(const Group &Group, Rewritten &Done) {
  SmallPtrSet<const BasicBlock *, 8> Blocks;
  for (const Access &Each : Group.Accesses)
    Blocks.insert(Each.I->getParent());
  if (Blocks.size() < LeastBlocks || isKnownByLLVM(Group))
    return;
  Instruction *Place = placeFor(Group);
  if (!Place)
    return;
  if (!Needed)
    Needed = mostRegistersNeeded(F);
  if (*Needed > MostRegisters)
    return;
  Instruction *First = Group.Accesses.front().I;
  const bool AreSmall = all_of(Group.Accesses, [](const Access &Each) {
    return isIntN(OffsetBits, Each.Bytes);
  });
  const int64_t From = Place == First || !AreSmall ? Group.First.Bytes : 0;
  Value *Common = Place == First ? getLoadStorePointerOperand(Place)
                                 : pointerAt(*Place, Group.First, From);
  for (const Access &Each : Group.Accesses) {
    if (Each.I == Place)
      continue;
    if (!Done.Count++)
      Done.At = Each.I->getDebugLoc();
    IRBuilder<> IR(Each.I);
    Use &Pointer = Each.I->getOperandUse(pointerOperand(*Each.I));
    Old.push_back(Pointer.get());
    const int64_t Offset = Each.Bytes - From;
    Pointer = IR.CreatePtrAdd(Common, IR.getInt64(IsWrong ? -Offset : Offset));
  }
}

void AddressesOfBlocks::share(Rewritten &Done) {
  collect();
  for (const Group &Each : Groups)
    shareGroup(Each, Done);
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(Old);
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
  Old.clear();
  if (F.size() < LeastBlocks)
    return Done;
  for (bool TakesSums : {false, true})
    AddressesOfBlocks(F, MayChange, FAM, IsWrong, TakesSums).share(Done);
  return Done;
}
