// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of blocks, their heads and terminators, and the edges between them,
// on which phis are written.

#include "Decoder.h"
#include "sluice/Simulator/IssueOrder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include <functional>
#include <map>

using namespace llvm;
using namespace sluice::emulator;

// Numbers blocks in topological order with each loop contiguous: within a loop,
// an inner loop counts as one node.
void FunctionDecoder::orderBlocks() {
  std::function<void(const Loop *, BasicBlock *)> Order =
      [&](const Loop *L, BasicBlock *Entry) {
        // The node of a block at this level: the header of the outermost loop
        // inside L that holds it, or itself; null if it is outside L.
        auto Node = [&](BasicBlock *B) -> BasicBlock * {
          if (L && !L->contains(B))
            return nullptr;
          const Loop *Inner = Loops.getLoopFor(B);
          if (Inner == L)
            return B;
          while (Inner->getParentLoop() != L)
            Inner = Inner->getParentLoop();
          return Inner->getHeader();
        };
        DenseMap<BasicBlock *, bool> Seen;
        std::vector<BasicBlock *> PostOrder;
        struct Item {
          BasicBlock *Node;
          std::vector<BasicBlock *> Next;
        };
        auto Successors = [&](BasicBlock *N) {
          std::vector<BasicBlock *> Result;
          auto Add = [&](BasicBlock *S) {
            BasicBlock *T = Node(S);
            if (T && T != N && T != Entry)
              Result.push_back(T);
          };
          const Loop *Inner = Loops.getLoopFor(N);
          if (Inner != L) {
            while (Inner->getParentLoop() != L)
              Inner = Inner->getParentLoop();
            SmallVector<BasicBlock *, 8> Exits;
            Inner->getExitBlocks(Exits);
            for (BasicBlock *E : Exits)
              Add(E);
          } else
            for (BasicBlock *S : successors(N))
              Add(S);
          return Result;
        };
        std::vector<Item> Stack;
        Seen[Entry] = true;
        Stack.push_back({Entry, Successors(Entry)});
        while (!Stack.empty()) {
          Item &Top = Stack.back();
          if (Top.Next.empty()) {
            PostOrder.push_back(Top.Node);
            Stack.pop_back();
            continue;
          }
          BasicBlock *S = Top.Next.back();
          Top.Next.pop_back();
          if (Seen.try_emplace(S, true).second)
            Stack.push_back({S, Successors(S)});
        }
        for (BasicBlock *B : reverse(PostOrder)) {
          const Loop *Inner = Loops.getLoopFor(B);
          if (Inner == L) {
            Numbers[B] = Blocks.size();
            Blocks.push_back(B);
            continue;
          }
          while (Inner->getParentLoop() != L)
            Inner = Inner->getParentLoop();
          Order(Inner, B);
        }
      };
  // The entry may not head a loop: Order starts with it at each level.
  Order(nullptr, &F.getEntryBlock());
}

void FunctionDecoder::patch() {
  for (const Fix &X : Fixes) {
    const Instruction *To =
        &Out.Code[X.Block ? Heads.lookup(X.Block) : X.Index];
    (X.IsElse ? Out.Code[X.At].Else : Out.Code[X.At].Target) = To;
  }
}

BlockSummary FunctionDecoder::summarise(ArrayRef<llvm::Instruction *> Part) {
  std::map<std::pair<std::string, unsigned>, unsigned> Lines;
  std::map<std::string, unsigned> Opcodes;
  BlockSummary S;
  for (llvm::Instruction *I : Part) {
    const CodePlace &At = Out.Places[placeOf(*I)];
    ++Lines[{At.fullPath(), At.Line}];
    auto *Call = dyn_cast<CallInst>(I);
    llvm::Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    StringRef Name = Callee && Callee->getName().contains("llvm.")
                         ? Callee->getName()
                         : I->getOpcodeName();
    Name.consume_front("sluice.");
    ++Opcodes[Name.str()];
    ++S.Instructions;
  }
  for (const auto &[At, Count] : Lines)
    S.Lines.push_back({At.first, At.second, Count});
  for (const auto &[Name, Count] : Opcodes)
    S.Opcodes.push_back({Name, Count});
  return S;
}

// Tells observers of the part of a block that begins with First: up to the next
// call or barrier.
void FunctionDecoder::observePart(llvm::Instruction &First, bool IsHead) {
  SmallVector<llvm::Instruction *, 32> Part = issuePart(First);
  BlockSummary S = summarise(Part);
  S.Steps = issueOrder(Part, *DC.Sites, Loops, Out.Registers);
  const Loop *L = Loops.getLoopFor(First.getParent());
  S.Loop = DC.Sites->loop(L);
  S.BeginsIteration = IsHead && L && L->getHeader() == First.getParent();
  emit(GenericOp::ObserveBlock).Extra = keep(std::move(S));
}

void FunctionDecoder::decodeBlock(BasicBlock &B) {
  Heads[&B] = Out.Code.size();
  unsigned Count = 0;
  for (llvm::Instruction &I : B)
    if (!isa<PHINode>(I) && !I.isDebugOrPseudoInst())
      ++Count;
  for (llvm::Instruction &I : B)
    if (!isa<PHINode>(I)) {
      Place = placeOf(I);
      break;
    }
  Instruction &Head = emit(H.Block);
  Head.Order = Numbers[&B];
  Head.Count = Count;
  if (DC.Sites)
    observePart(B.front(), /*IsHead=*/true);
  for (llvm::Instruction &I : B) {
    if (isa<PHINode>(I) || I.isDebugOrPseudoInst())
      continue;
    Place = placeOf(I);
    Decoded = &I;
    if (I.isTerminator())
      decodeTerminator(I);
    else
      decode(I);
    if (DC.Sites && isIssueFence(I) && !I.isTerminator())
      observePart(*I.getNextNode(), /*IsHead=*/false);
  }
}

// The moves of the phis of \p To, then the jump. Phis read all their operands
// before any is written.
uint32_t FunctionDecoder::emitEdge(BasicBlock &From, BasicBlock &To) {
  uint32_t Start = Out.Code.size();
  struct MoveOf {
    Slot To, From;
  };
  SmallVector<MoveOf, 8> Moves;
  for (PHINode &Phi : To.phis()) {
    Value *In = Phi.getIncomingValueForBlock(&From);
    if (isa<UndefValue>(In) || In == &Phi)
      continue;
    const Slots S = slots(In), D = slots(&Phi);
    for (auto [DS, SS] : zip(D, S))
      Moves.push_back({DS, SS});
  }
  for (MoveOf &M : Moves) {
    bool Clobbered = any_of(Moves, [&](const MoveOf &Other) {
      return &Other != &M && Other.To.Offset == M.From.Offset;
    });
    if (!Clobbered)
      continue;
    Slot Temporary = newSlot(M.From.Bytes, M.From.Uniform);
    copy(Temporary, M.From, false);
    M.From = Temporary;
  }
  for (const MoveOf &M : Moves)
    copy(M.To, M.From, true);
  Fixes.push_back({uint32_t(Out.Code.size()), false, &To, 0});
  emit(H.Jump);
  return Start;
}

void FunctionDecoder::decodeTerminator(llvm::Instruction &I) {
  if (isa<ReturnInst>(I)) {
    if (Out.IsKernel) {
      emit(H.Exit);
      return;
    }
    if (Value *V = cast<ReturnInst>(I).getReturnValue())
      for (auto [To, From] : zip(Out.Result, slots(V)))
        copy(To, From, true);
    emit(H.Return);
    return;
  }
  if (isa<UnreachableInst>(I)) {
    // What comes before it did not return (a trap, a failed assertion).
    emit(H.Exit);
    return;
  }
  auto *Br = dyn_cast<BranchInst>(&I);
  if (!Br) {
    unsupported(Twine("the terminator ") + I.getOpcodeName());
    return;
  }
  BasicBlock &From = *I.getParent();
  if (Br->isUnconditional()) {
    emitEdge(From, *Br->getSuccessor(0));
    return;
  }
  bool Uniform = isa<Constant>(Br->getCondition()) ||
                 (Uniformity.isUniform(&I) && slot(Br->getCondition()).Uniform);
  uint32_t Condition = slot(Br->getCondition()).Offset;
  uint32_t At = Out.Code.size();
  // The edge out of a loop goes first: its phis read what the phis of the next
  // iteration overwrite, if these are the same in all lanes that stay.
  const Loop *L = Loops.getLoopFor(&From);
  bool ElseFirst = L && !L->contains(Br->getSuccessor(1));
  emit(Uniform ? H.BranchUniform : H.BranchDivergent[ElseFirst], 0, Condition);
  Fixes.push_back({At, false, nullptr, emitEdge(From, *Br->getSuccessor(0))});
  Fixes.push_back({At, true, nullptr, emitEdge(From, *Br->getSuccessor(1))});
}
