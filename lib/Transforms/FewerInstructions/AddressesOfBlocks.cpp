// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Addresses of several blocks that differ by a constant, as of neighbours
// behind tests of the edge:
//
//   if (in(x - 1)) a = A[x - 1];        p = &A[x];
//   if (in(x))     b = A[x];        =>  if (in(x - 1)) a = p[-1];
//   if (in(x + 1)) c = A[x + 1];        if (in(x))     b = p[0];
//                                       if (in(x + 1)) c = p[1];
//
// In 64 bits the address wraps around nowhere, so it is the same whether the
// conditions hold or not.

#include "../SpillCandidates.h"
#include "CommonAddresses.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LazyValueInfo.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Transforms/Utils/Local.h"
#include <optional>

using namespace llvm;
using namespace sluice;

/// For which one address is computed before their conditions.
static constexpr unsigned LeastBlocks = 3;
/// That values of the kernel need at a time, by our count. The assembler then
/// has the loads of all blocks together, and these are in registers, too. Where
/// others need them that costs more: CUB's radix sort had 100 registers in
/// place of 80, and HeCBench's attention_paged 1.33 times its time.
static constexpr unsigned MostRegisters = 32;

namespace {

/// What is behind several conditions of one loop, or of none.
class AddressesOfBlocks {
public:
  AddressesOfBlocks(Function &F, ChangeTest MayChange,
                    FunctionAnalysisManager &FAM, bool IsWrong, bool TakesSums)
      : F(F), MayChange(MayChange), FAM(FAM), IsWrong(IsWrong),
        TakesSums(TakesSums), Ranges(FAM.getResult<LazyValueAnalysis>(F)),
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
  const bool IsThere = Group.First.isThere([&](const Value *V) {
    return Tree.dominates(V, Place) &&
           V->getType()->getScalarSizeInBits() <= 64;
  });
  return IsThere ? Place : nullptr;
}

bool AddressesOfBlocks::isKnownByLLVM(const Group &Group) const {
  const Instruction &First = *Group.Accesses.front().I;
  return all_of(drop_begin(Group.Accesses), [&](const Access &Next) {
    return isKnownOffset(
        const_cast<Value *>(getLoadStorePointerOperand(Next.I)),
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
    Use &Pointer = *pointerToShare(*Each.I, MayChange);
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

void sluice::shareAddressesOfBlocks(Function &F, ChangeTest MayChange,
                                    FunctionAnalysisManager &FAM, bool IsWrong,
                                    Rewritten &Done) {
  if (F.size() < LeastBlocks)
    return;
  for (bool TakesSums : {false, true})
    AddressesOfBlocks(F, MayChange, FAM, IsWrong, TakesSums).share(Done);
}
