// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variable after variable, each behind all that the kernels which reach it have
// so far. So kernels that share none use the same bytes.

#include "SharedLayout.h"
#include "sluice/Analysis/KernelFunction.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instruction.h"
#include "llvm/IR/Module.h"

using namespace sluice;
using namespace sluice::emulator;
using namespace llvm;

// The functions with an instruction that names V, also through constants.
static SmallPtrSet<const Function *, 8> usersOf(const Value &V) {
  SmallPtrSet<const Function *, 8> Found;
  SmallPtrSet<const User *, 16> Seen;
  SmallVector<const User *, 16> Work(V.users());
  while (!Work.empty()) {
    const User *U = Work.pop_back_val();
    if (!Seen.insert(U).second)
      continue;
    if (auto *I = dyn_cast<Instruction>(U))
      Found.insert(I->getFunction());
    else
      Work.append(U->user_begin(), U->user_end());
  }
  return Found;
}

// What each function may call. Through a pointer: whatever has its address
// taken.
static DenseMap<const Function *, SmallVector<const Function *, 4>>
callGraph(const Module &M) {
  SmallVector<const Function *, 4> AddressTaken;
  for (const Function &F : M)
    if (!F.isDeclaration() && F.hasAddressTaken())
      AddressTaken.push_back(&F);
  DenseMap<const Function *, SmallVector<const Function *, 4>> Calls;
  for (const Function &F : M) {
    auto &Callees = Calls[&F];
    for (const BasicBlock &B : F)
      for (const Instruction &I : B)
        if (auto *Call = dyn_cast<CallBase>(&I)) {
          if (const Function *Callee = Call->getCalledFunction())
            Callees.push_back(Callee);
          else if (!Call->isInlineAsm())
            Callees.append(AddressTaken.begin(), AddressTaken.end());
        }
  }
  return Calls;
}

SharedLayout sluice::emulator::layOutSharedMemory(const Module &M,
                                                  uint64_t First) {
  auto Calls = callGraph(M);
  // For each function, the kernels that reach it.
  DenseMap<const Function *, SmallVector<const Function *, 4>> Reached;
  DenseMap<const Function *, uint64_t> Top;
  for (const Function &Kernel : M) {
    if (!isKernel(Kernel))
      continue;
    Top[&Kernel] = First;
    SmallSetVector<const Function *, 16> Work;
    Work.insert(&Kernel);
    for (size_t I = 0; I < Work.size(); ++I) {
      Reached[Work[I]].push_back(&Kernel);
      for (const Function *Callee : Calls.lookup(Work[I]))
        Work.insert(Callee);
    }
  }
  auto KernelsOf = [&](const GlobalVariable &G) {
    SmallPtrSet<const Function *, 8> Kernels;
    for (const Function *F : usersOf(G))
      for (const Function *Kernel : Reached.lookup(F))
        Kernels.insert(Kernel);
    return Kernels;
  };

  SharedLayout Layout;
  const DataLayout &DL = M.getDataLayout();
  SmallVector<const GlobalVariable *, 4> Dynamic;
  for (const GlobalVariable &G : M.globals()) {
    if (G.getAddressSpace() != 3)
      continue;
    if (G.isDeclaration()) {
      Dynamic.push_back(&G);
      continue;
    }
    auto Kernels = KernelsOf(G);
    uint64_t At = First;
    for (const Function *Kernel : Kernels)
      At = std::max(At, Top[Kernel]);
    uint64_t Align = std::max<uint64_t>(G.getAlign().valueOrOne().value(),
                                        DL.getPreferredAlign(&G).value());
    At = alignTo(At, Align);
    Layout.Offsets[&G] = At;
    for (const Function *Kernel : Kernels)
      Top[Kernel] = At + DL.getTypeAllocSize(G.getValueType());
  }
  for (auto [Kernel, End] : Top)
    Layout.Kernels[Kernel] = {End - First, End};
  // One place for all dynamic variables that some kernel has together.
  uint64_t Base = First;
  for (const GlobalVariable *G : Dynamic)
    for (const Function *Kernel : KernelsOf(*G))
      Base = std::max(Base, Top[Kernel]);
  Base = alignTo(Base, 16);
  for (const GlobalVariable *G : Dynamic) {
    Layout.Offsets[G] = Base;
    for (const Function *Kernel : KernelsOf(*G))
      Layout.Kernels[Kernel].DynamicBase = Base;
  }
  return Layout;
}
