// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Decoder.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/raw_ostream.h"
#include <functional>
#include <map>

using namespace llvm;
using namespace sluice::emulator;

FunctionDecoder::FunctionDecoder(llvm::Function &F, Function &Out,
                                 const DecodeContext &DC,
                                 const UniformityInfo &Uniformity,
                                 const LoopInfo &Loops)
    : F(F), Out(Out), DC(DC), Uniformity(Uniformity), Loops(Loops),
      H(*DC.Handlers), DL(F.getParent()->getDataLayout()) {}

// --- Frame ------------------------------------------------------------------

// The bytes of each scalar in a type; 0 for i1. False if some scalar has no
// container.
bool FunctionDecoder::flatten(Type *T, SmallVectorImpl<uint8_t> &Bytes) const {
  if (auto *S = dyn_cast<StructType>(T))
    return all_of(S->elements(), [&](Type *E) { return flatten(E, Bytes); });
  if (auto *A = dyn_cast<ArrayType>(T)) {
    for (uint64_t I = 0; I < A->getNumElements(); ++I)
      if (!flatten(A->getElementType(), Bytes))
        return false;
    return true;
  }
  if (auto *V = dyn_cast<FixedVectorType>(T)) {
    for (unsigned I = 0; I < V->getNumElements(); ++I)
      if (!flatten(V->getElementType(), Bytes))
        return false;
    return true;
  }
  if (T->isVoidTy())
    return true;
  unsigned Bits = T->isPointerTy() ? 64 : T->getPrimitiveSizeInBits();
  if (T->isIntegerTy(1))
    Bytes.push_back(0);
  else if (Bits && Bits <= 64)
    Bytes.push_back(std::max<unsigned>(8, PowerOf2Ceil(Bits)) / 8);
  else
    return false;
  return true;
}

// Constants are found while decoding, so the region of uniform slots is made
// large enough beforehand: each instruction has at most so many.
void FunctionDecoder::reserveFrame() {
  uint64_t Bound = 64 + F.arg_size() * 2;
  SmallVector<uint8_t, 8> Bytes;
  for (BasicBlock &B : F)
    for (llvm::Instruction &I : B) {
      Bytes.clear();
      flatten(I.getType(), Bytes);
      Bound += 4 + Bytes.size() * 2;
      for (Value *Operand : I.operands()) {
        Bytes.clear();
        if (isa<Constant>(Operand) && !isa<llvm::Function>(Operand))
          flatten(Operand->getType(), Bytes);
        Bound += Bytes.size() + 2;
      }
      if (auto *Call = dyn_cast<CallInst>(&I); Call && Call->isInlineAsm())
        Bound += 32 + cast<InlineAsm>(Call->getCalledOperand())
                          ->getAsmString()
                          .size() / 8;
    }
  VaryingTop = alignTo(Bound * 8, 64);
  UniformTop = VaryingTop;
  Out.UniformBytes = VaryingTop;
}

Slot FunctionDecoder::newSlot(uint8_t Bytes, bool Uniform) {
  Slot S;
  S.Bytes = Bytes;
  S.Uniform = Uniform;
  if (Uniform || Bytes == 0) {
    UniformTop -= 8;
    Failed |= UniformTop < ConstantTop;
    S.Offset = UniformTop;
  } else {
    S.Offset = VaryingTop;
    Out.VaryingSlots.push_back({VaryingTop, Bytes});
    VaryingTop += alignTo(WarpLanes * Bytes, 128);
  }
  return S;
}

Slot FunctionDecoder::constant(uint64_t Word, uint8_t Bytes) {
  if (Bytes == 0)
    Word = Word & 1 ? ~uint32_t(0) : 0;
  auto [It, New] = Constants.try_emplace({Word, Bytes}, ConstantTop);
  if (New) {
    Out.Constants.resize(ConstantTop + 8);
    std::memcpy(Out.Constants.data() + ConstantTop, &Word, 8);
    ConstantTop += 8;
    Failed |= UniformTop < ConstantTop;
  }
  Slot S;
  S.Offset = It->second;
  S.Bytes = Bytes;
  S.Uniform = true;
  return S;
}

uint64_t FunctionDecoder::constantAddress(const Constant *C, bool &Known) {
  Known = true;
  if (auto *G = dyn_cast<GlobalVariable>(C)) {
    auto It = DC.Addresses.find(G);
    Known = It != DC.Addresses.end();
    return Known ? It->second : 0;
  }
  if (auto *Fn = dyn_cast<llvm::Function>(C)) {
    for (auto [I, Candidate] : enumerate(DC.Out->ByAddress))
      if (Candidate && Candidate->Name == Fn->getName())
        return FunctionBase + 16 * I;
    Known = false;
    return 0;
  }
  if (auto *A = dyn_cast<GlobalAlias>(C))
    return constantAddress(A->getAliasee(), Known);
  if (isa<ConstantPointerNull, UndefValue>(C))
    return 0;
  if (auto *I = dyn_cast<ConstantInt>(C))
    return I->getZExtValue();
  if (auto *E = dyn_cast<ConstantExpr>(C)) {
    if (auto *GEP = dyn_cast<GEPOperator>(E)) {
      APInt Offset(64, 0);
      if (GEP->accumulateConstantOffset(DL, Offset))
        return constantAddress(cast<Constant>(GEP->getPointerOperand()),
                               Known) +
               Offset.getSExtValue();
    } else if (E->getOpcode() == llvm::Instruction::AddrSpaceCast) {
      uint64_t Address = constantAddress(E->getOperand(0), Known);
      Space From = spaceOf(E->getOperand(0)->getType()),
            To = spaceOf(E->getType());
      if (From == Space::Shared && To == Space::Generic)
        return Address + SharedWindow;
      if (From == Space::Generic && To == Space::Shared)
        return Address & (PrivateWindowBytes - 1);
      return Address;
    } else if (E->isCast())
      return constantAddress(E->getOperand(0), Known);
    else if (E->getOpcode() == llvm::Instruction::Add)
      return constantAddress(E->getOperand(0), Known) +
             constantAddress(E->getOperand(1), Known);
    else if (E->getOpcode() == llvm::Instruction::Sub)
      return constantAddress(E->getOperand(0), Known) -
             constantAddress(E->getOperand(1), Known);
  }
  Known = false;
  return 0;
}

bool FunctionDecoder::constantWords(
    const Constant *C, SmallVectorImpl<std::pair<uint64_t, uint8_t>> &Words) {
  Type *T = C->getType();
  if (T->isAggregateType() || T->isVectorTy()) {
    unsigned N = isa<StructType>(T)  ? T->getStructNumElements()
                 : isa<ArrayType>(T) ? T->getArrayNumElements()
                                     : cast<FixedVectorType>(T)->getNumElements();
    for (unsigned I = 0; I < N; ++I)
      if (!constantWords(C->getAggregateElement(I), Words))
        return false;
    return true;
  }
  SmallVector<uint8_t, 1> Bytes;
  if (!flatten(T, Bytes) || Bytes.empty())
    return false;
  uint64_t Word = 0;
  if (auto *I = dyn_cast<ConstantInt>(C))
    Word = I->getZExtValue();
  else if (auto *FP = dyn_cast<ConstantFP>(C))
    Word = FP->getValueAPF().bitcastToAPInt().getZExtValue();
  else if (!isa<UndefValue>(C)) {
    bool Known;
    Word = constantAddress(C, Known);
    if (!Known)
      return false;
  }
  Words.push_back({Word, Bytes[0]});
  return true;
}

const FunctionDecoder::Slots &FunctionDecoder::slots(const Value *V) {
  auto It = Values.find(V);
  if (It != Values.end())
    return It->second;
  Slots S;
  if (auto *C = dyn_cast<Constant>(V)) {
    SmallVector<std::pair<uint64_t, uint8_t>, 4> Words;
    if (!constantWords(C, Words)) {
      std::string Text;
      raw_string_ostream(Text) << *C;
      unsupported("the constant " + Text);
      SmallVector<uint8_t, 4> Bytes;
      flatten(V->getType(), Bytes);
      Words.clear();
      for (uint8_t B : Bytes)
        Words.push_back({0, B});
    }
    for (auto [Word, Bytes] : Words)
      S.push_back(constant(Word, Bytes));
  }
  if (S.empty())
    S.push_back(constant(0, 8));
  return Values[V] = S;
}

void FunctionDecoder::allocate(const Value *V, bool Uniform) {
  SmallVector<uint8_t, 4> Bytes;
  if (V->getType()->isVoidTy() || V->getType()->isMetadataTy() ||
      V->getType()->isTokenTy())
    return;
  Slots S;
  if (flatten(V->getType(), Bytes))
    for (uint8_t B : Bytes)
      S.push_back(newSlot(B, Uniform));
  if (S.empty())
    S.push_back(newSlot(8, false));
  Values[V] = S;
}

// --- Emission ----------------------------------------------------------------

sluice::emulator::Instruction &FunctionDecoder::emit(Handler Run, uint32_t D,
                                                     uint32_t A, uint32_t B) {
  assert(Run && "no handler for this operation");
  Out.Code.emplace_back();
  Instruction &I = Out.Code.back();
  I.Run = Run;
  I.D = D;
  I.A = A;
  I.B = B;
  I.Place = Place;
  return I;
}

void FunctionDecoder::unsupported(const Twine &What) {
  emit(H.Trap).Extra = keep(std::string(What.str()));
}

// The innermost position that is not in a header of clang's or the toolkit's.
static const DILocation *userLocation(const DILocation *L) {
  auto IsSystem = [](StringRef File) {
    return File.contains("__clang_") || File.contains("/lib/clang/") ||
           File.contains("cuda/") || File.contains("/cccl/") ||
           (File.contains("sm_") && File.ends_with(".hpp")) ||
           File.contains("cooperative_groups") || File.contains("cuda_fp16") ||
           File.contains("cuda_bf16") || File.contains("cuda_runtime");
  };
  for (const DILocation *At = L; At; At = At->getInlinedAt())
    if (At->getLine() && !IsSystem(At->getFilename()) &&
        !IsSystem((At->getDirectory() + "/" + At->getFilename()).str()))
      return At;
  return L;
}

uint32_t FunctionDecoder::placeOf(const llvm::Instruction &I) {
  const DILocation *L = I.getDebugLoc().get();
  if (!L)
    return Place; // what was before it is near enough
  auto [It, New] = PlaceOfLocation.try_emplace(L, Out.Places.size());
  if (New) {
    const DILocation *User = userLocation(L);
    Out.Places.push_back({User->getFilename().str(), User->getLine()});
  }
  return It->second;
}

Slot FunctionDecoder::varying(Slot S) {
  if (!S.Uniform || S.isMask())
    return S;
  Slot V = newSlot(S.Bytes, false);
  emit(H.Broadcast[sizeIndex(S.Bytes)], V.Offset, S.Offset);
  return V;
}

void FunctionDecoder::copy(Slot To, Slot From, bool Masked) {
  if (To.isMask())
    emit(Masked && !To.Uniform ? H.MoveBits : H.MoveUniform, To.Offset,
         From.Offset);
  else if (To.Uniform)
    emit(H.MoveUniform, To.Offset, From.Offset);
  else
    emit(H.Move[sizeIndex(To.Bytes)][From.Uniform], To.Offset, From.Offset);
}

void FunctionDecoder::laneCall(const LaneFunction &Fn, ArrayRef<Slot> Operands,
                               ArrayRef<Slot> Results) {
  LaneCall L;
  L.Evaluate = Fn.Evaluate;
  L.Operands.append(Operands.begin(), Operands.end());
  L.Results.append(Results.begin(), Results.end());
  emit(GenericOp::LaneCall).Extra = keep(std::move(L));
}

bool FunctionDecoder::laneCallByName(const LaneFunction *Fn,
                                     ArrayRef<Slot> Operands,
                                     ArrayRef<Slot> Results) {
  if (!Fn || Fn->Operands != Operands.size() || Fn->Results < Results.size())
    return false;
  laneCall(*Fn, Operands, Results);
  return true;
}

// --- Blocks -------------------------------------------------------------------

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

void FunctionDecoder::run() {
  Out.Places.push_back({});
  if (const DISubprogram *S = F.getSubprogram())
    Out.Places[0] = {S->getFilename().str(), S->getLine()};
  reserveFrame();
  orderBlocks();

  for (Argument &A : F.args()) {
    allocate(&A, Out.IsKernel);
    Slots S = Values[&A];
    Out.Parameters.push_back(S);
  }
  Out.LocalBase = newSlot(8, true);
  for (BasicBlock *B : Blocks)
    for (llvm::Instruction &I : *B)
      if (!Values.count(&I)) {
        bool Uniform = Uniformity.isUniform(&I) &&
                       (!isa<CallInst>(I) || isa<IntrinsicInst>(I)) &&
                       !isa<AtomicRMWInst, AtomicCmpXchgInst>(I);
        allocate(&I, Uniform);
      }
  if (!F.getReturnType()->isVoidTy()) {
    SmallVector<uint8_t, 4> Bytes;
    flatten(F.getReturnType(), Bytes);
    for (uint8_t B : Bytes)
      Out.Result.push_back(newSlot(B, false));
  }
  for (BasicBlock *B : Blocks)
    decodeBlock(*B);
  // A frame that was reserved too small would be silent corruption.
  if (Failed) {
    Out.Code.clear();
    Fixes.clear();
    Heads.clear();
    unsupported("this function (too many constants: please report it)");
  }
  patch();
  Out.ConstantBytes = ConstantTop;
  Out.FrameBytes = alignTo(VaryingTop, 64);
  Out.LocalBytes = alignTo(LocalTop, 16);
}

void FunctionDecoder::patch() {
  for (const Fix &X : Fixes) {
    const Instruction *To =
        &Out.Code[X.Block ? Heads.lookup(X.Block) : X.Index];
    (X.IsElse ? Out.Code[X.At].Else : Out.Code[X.At].Target) = To;
  }
}

BlockSummary FunctionDecoder::summarise(BasicBlock &B) {
  std::map<std::pair<std::string, unsigned>, unsigned> Lines;
  std::map<std::string, unsigned> Opcodes;
  BlockSummary S;
  for (llvm::Instruction &I : B) {
    if (isa<PHINode>(I) || I.isDebugOrPseudoInst())
      continue;
    const CodePlace &At = Out.Places[placeOf(I)];
    ++Lines[{At.File, At.Line}];
    auto *Call = dyn_cast<CallInst>(&I);
    llvm::Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    StringRef Name = Callee && Callee->getName().contains("llvm.")
                         ? Callee->getName()
                         : I.getOpcodeName();
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
  if (DC.ObserveAccesses)
    emit(GenericOp::ObserveBlock).Extra = keep(summarise(B));
  for (llvm::Instruction &I : B) {
    if (isa<PHINode>(I) || I.isDebugOrPseudoInst())
      continue;
    Place = placeOf(I);
    if (I.isTerminator())
      decodeTerminator(I);
    else
      decode(I);
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
  bool Uniform =
      isa<Constant>(Br->getCondition()) ||
      (Uniformity.isUniform(&I) && slot(Br->getCondition()).Uniform);
  uint32_t Condition = slot(Br->getCondition()).Offset;
  uint32_t At = Out.Code.size();
  emit(Uniform ? H.BranchUniform : H.BranchDivergent, 0, Condition);
  Fixes.push_back({At, false, nullptr, emitEdge(From, *Br->getSuccessor(0))});
  Fixes.push_back({At, true, nullptr, emitEdge(From, *Br->getSuccessor(1))});
}

// --- Values ---------------------------------------------------------------------

void FunctionDecoder::decode(llvm::Instruction &I) {
  if (auto *B = dyn_cast<BinaryOperator>(&I))
    return decodeBinary(*B);
  if (auto *C = dyn_cast<CmpInst>(&I))
    return decodeCompare(*C);
  if (auto *A = dyn_cast<AddrSpaceCastInst>(&I))
    return decodeAddressSpaceCast(*A);
  if (auto *C = dyn_cast<CastInst>(&I))
    return decodeCast(*C);
  if (auto *S = dyn_cast<SelectInst>(&I))
    return decodeSelect(*S);
  if (auto *G = dyn_cast<GetElementPtrInst>(&I))
    return decodeGEP(*G);
  if (auto *L = dyn_cast<LoadInst>(&I))
    return decodeLoad(I, L->getPointerOperand(),
                      L->isVolatile() || L->isAtomic());
  if (auto *S = dyn_cast<StoreInst>(&I))
    return decodeStore(*S);
  if (auto *C = dyn_cast<CallInst>(&I))
    return decodeCall(*C);
  if (auto *A = dyn_cast<AllocaInst>(&I))
    return decodeAlloca(*A);
  if (auto *A = dyn_cast<AtomicRMWInst>(&I))
    return decodeAtomicRMW(*A);
  if (auto *A = dyn_cast<AtomicCmpXchgInst>(&I))
    return decodeCompareExchange(*A);
  if (isa<FenceInst>(I)) {
    emit(GenericOp::Nothing);
    return;
  }
  if (isa<FreezeInst>(I)) {
    const Slots From = slots(I.getOperand(0));
    for (auto [D, S] : zip(slots(&I), From))
      copy(D, S, false);
    return;
  }
  if (I.getOpcode() == llvm::Instruction::FNeg) {
    const Slots From = slots(I.getOperand(0));
    Type *T = I.getType()->getScalarType();
    for (auto [D, S] : zip(slots(&I), From)) {
      if (T->isFloatTy() || T->isDoubleTy())
        emit(H.FNeg[T->isDoubleTy()][D.Uniform], D.Offset,
             D.Uniform ? S.Offset : varying(S).Offset);
      else
        decodeBinaryComponent(llvm::Instruction::Xor,
                              Type::getInt16Ty(F.getContext()), D, S,
                              constant(0x8000, 2), false);
    }
    return;
  }
  if (auto *E = dyn_cast<ExtractValueInst>(&I)) {
    // Number of scalars before the indexed element.
    unsigned First = 0;
    Type *T = E->getAggregateOperand()->getType();
    for (unsigned Index : E->indices()) {
      SmallVector<uint8_t, 8> Bytes;
      for (unsigned J = 0; J < Index; ++J)
        flatten(GetElementPtrInst::getTypeAtIndex(T, uint64_t(J)), Bytes);
      First += Bytes.size();
      T = GetElementPtrInst::getTypeAtIndex(T, uint64_t(Index));
    }
    const Slots From = slots(E->getAggregateOperand());
    for (auto [J, D] : enumerate(slots(&I)))
      copy(D, From[First + J], false);
    return;
  }
  if (auto *V = dyn_cast<InsertValueInst>(&I)) {
    unsigned First = 0;
    Type *T = V->getType();
    for (unsigned Index : V->indices()) {
      SmallVector<uint8_t, 8> Bytes;
      for (unsigned J = 0; J < Index; ++J)
        flatten(GetElementPtrInst::getTypeAtIndex(T, uint64_t(J)), Bytes);
      First += Bytes.size();
      T = GetElementPtrInst::getTypeAtIndex(T, uint64_t(Index));
    }
    const Slots Old = slots(V->getAggregateOperand());
    const Slots New = slots(V->getInsertedValueOperand());
    for (auto [J, D] : enumerate(slots(&I)))
      copy(D, J >= First && J < First + New.size() ? New[J - First] : Old[J],
           false);
    return;
  }
  auto ConstantIndex = [](Value *V) -> std::optional<uint64_t> {
    if (auto *C = dyn_cast<ConstantInt>(V))
      return C->getZExtValue();
    return std::nullopt;
  };
  if (auto *E = dyn_cast<ExtractElementInst>(&I)) {
    const Slots From = slots(E->getVectorOperand());
    Slot D = slot(&I);
    if (auto Index = ConstantIndex(E->getIndexOperand())) {
      copy(D, From[std::min<uint64_t>(*Index, From.size() - 1)], false);
      return;
    }
    // A chain of selects: vectors on GPUs are short.
    Slot Index = slot(E->getIndexOperand());
    copy(D, From[0], false);
    for (unsigned J = 1; J < From.size(); ++J) {
      Slot Is = newSlot(0, D.Uniform);
      emit(H.Compare[unsigned(Comparison::Eq)][sizeIndex(Index.Bytes)]
                    [Index.Uniform | 2],
           Is.Offset, Index.Offset, constant(J, Index.Bytes).Offset);
      if (D.isMask())
        emit(H.BitsSelect, D.Offset, From[J].Offset, D.Offset).E = Is.Offset;
      else if (D.Uniform)
        emit(H.SelectUniform, D.Offset, From[J].Offset, D.Offset).E = Is.Offset;
      else
        emit(H.Select[sizeIndex(D.Bytes)][From[J].Uniform], D.Offset,
             From[J].Offset, D.Offset)
            .E = Is.Offset;
    }
    return;
  }
  if (auto *V = dyn_cast<InsertElementInst>(&I)) {
    const Slots Old = slots(V->getOperand(0));
    Slot New = slot(V->getOperand(1));
    auto Index = ConstantIndex(V->getOperand(2));
    for (auto [J, D] : enumerate(slots(&I))) {
      if (Index) {
        copy(D, J == *Index ? New : Old[J], false);
        continue;
      }
      Slot IndexSlot = slot(V->getOperand(2));
      Slot Is = newSlot(0, D.Uniform);
      emit(H.Compare[unsigned(Comparison::Eq)][sizeIndex(IndexSlot.Bytes)]
                    [IndexSlot.Uniform | 2],
           Is.Offset, IndexSlot.Offset, constant(J, IndexSlot.Bytes).Offset);
      if (D.isMask())
        emit(H.BitsSelect, D.Offset, New.Offset, Old[J].Offset).E = Is.Offset;
      else if (D.Uniform)
        emit(H.SelectUniform, D.Offset, New.Offset, Old[J].Offset).E = Is.Offset;
      else
        emit(H.Select[sizeIndex(D.Bytes)][New.Uniform | Old[J].Uniform << 1],
             D.Offset, New.Offset, Old[J].Offset)
            .E = Is.Offset;
    }
    return;
  }
  if (auto *S = dyn_cast<ShuffleVectorInst>(&I)) {
    const Slots L = slots(S->getOperand(0)), R = slots(S->getOperand(1));
    for (auto [J, D] : enumerate(slots(&I))) {
      int Element = S->getMaskValue(J);
      if (Element >= 0)
        copy(D, unsigned(Element) < L.size() ? L[Element] : R[Element - L.size()],
             false);
    }
    return;
  }
  unsupported(Twine("the instruction ") + I.getOpcodeName());
}

static bool flushesFloats(const llvm::Function &F) {
  return F.getFnAttribute("denormal-fp-math-f32")
             .getValueAsString()
             .starts_with("preserve-sign") ||
         F.getFnAttribute("nvptx-f32ftz").getValueAsString() == "true";
}

void FunctionDecoder::decodeBinary(BinaryOperator &I) {
  const Slots D = slots(&I), A = slots(I.getOperand(0)),
              B = slots(I.getOperand(1));
  Type *T = I.getType()->getScalarType();
  bool Flush = T->isFloatTy() && flushesFloats(F);
  for (auto [DS, AS, BS] : zip(D, A, B))
    if (!decodeBinaryComponent(I.getOpcode(), T, DS, AS, BS, Flush)) {
      std::string Text;
      raw_string_ostream(Text) << I;
      unsupported("the instruction" + Text);
      return;
    }
}

bool FunctionDecoder::decodeBinaryComponent(unsigned Opcode, Type *T, Slot D,
                                            Slot A, Slot B, bool Flush) {
  using I = llvm::Instruction;
  if (D.isMask()) {
    switch (Opcode) {
    case I::And:
    case I::Mul:
      emit(H.BitsAnd, D.Offset, A.Offset, B.Offset);
      return true;
    case I::Or:
      emit(H.BitsOr, D.Offset, A.Offset, B.Offset);
      return true;
    case I::Xor:
    case I::Add:
    case I::Sub:
      emit(H.BitsXor, D.Offset, A.Offset, B.Offset);
      return true;
    default:
      copy(D, A, false); // shifts and divisions of i1: by 0 and by 1 only
      return true;
    }
  }
  // A result that is uniform has uniform operands; take no chances.
  if (D.Uniform && (!A.Uniform || !B.Uniform))
    return false;
  auto Form = [&](Slot &X, Slot &Y) {
    if (!D.Uniform && X.Uniform && Y.Uniform)
      X = varying(X);
    return X.Uniform | Y.Uniform << 1;
  };
  if (T->isFloatTy() || T->isDoubleTy()) {
    Arithmetic Op;
    const char *Name;
    switch (Opcode) {
    case I::FAdd:
      Op = Arithmetic::FAdd, Name = "add.rn.ftz.f32";
      break;
    case I::FSub:
      Op = Arithmetic::FSub, Name = "sub.rn.ftz.f32";
      break;
    case I::FMul:
      Op = Arithmetic::FMul, Name = "mul.rn.ftz.f32";
      break;
    case I::FDiv:
      Op = Arithmetic::FDiv, Name = "div.rn.ftz.f32";
      break;
    case I::FRem: {
      static const LaneFunction RemF = {
          [](uint64_t *W) -> uint64_t {
            float X, Y;
            std::memcpy(&X, &W[0], 4);
            std::memcpy(&Y, &W[1], 4);
            float Z = __builtin_fmodf(X, Y);
            uint32_t Out;
            std::memcpy(&Out, &Z, 4);
            return Out;
          },
          2, 1, 32};
      static const LaneFunction RemD = {
          [](uint64_t *W) -> uint64_t {
            double X, Y;
            std::memcpy(&X, &W[0], 8);
            std::memcpy(&Y, &W[1], 8);
            double Z = __builtin_fmod(X, Y);
            uint64_t Out;
            std::memcpy(&Out, &Z, 8);
            return Out;
          },
          2, 1, 64};
      laneCall(T->isFloatTy() ? RemF : RemD, {A, B}, {D});
      return true;
    }
    default:
      return false;
    }
    if (Flush)
      return laneCallByName(findPTXFunction(Name), {A, B}, {D});
    unsigned F = Form(A, B);
    emit(H.Arith[unsigned(Op)][T->isDoubleTy() ? 3 : 2][F], D.Offset, A.Offset,
         B.Offset);
    return true;
  }
  if (T->isHalfTy() || T->isBFloatTy()) {
    std::string Type = T->isHalfTy() ? "f16" : "bf16";
    switch (Opcode) {
    case I::FAdd:
      return laneCallByName(findPTXFunction("add.rn." + Type), {A, B}, {D});
    case I::FSub:
      return laneCallByName(findPTXFunction("sub.rn." + Type), {A, B}, {D});
    case I::FMul:
      return laneCallByName(findPTXFunction("mul.rn." + Type), {A, B}, {D});
    case I::FDiv: {
      // NVPTX divides in f32 and rounds.
      Slot X = newSlot(4, false), Y = newSlot(4, false), Q = newSlot(4, false);
      const LaneFunction *Widen = findPTXFunction("cvt.f32." + Type),
                         *Narrow = findPTXFunction("cvt.rn." + Type + ".f32");
      const LaneFunction *Divide = findPTXFunction("div.rn.f32");
      if (!Widen || !Narrow || !Divide)
        return false;
      laneCall(*Widen, {A}, {X});
      laneCall(*Widen, {B}, {Y});
      laneCall(*Divide, {X, Y}, {Q});
      laneCall(*Narrow, {Q}, {D});
      return true;
    }
    default:
      return false;
    }
  }
  Arithmetic Op;
  bool SignedOperands = false;
  switch (Opcode) {
  case I::Add: Op = Arithmetic::Add; break;
  case I::Sub: Op = Arithmetic::Sub; break;
  case I::Mul: Op = Arithmetic::Mul; break;
  case I::And: Op = Arithmetic::And; break;
  case I::Or: Op = Arithmetic::Or; break;
  case I::Xor: Op = Arithmetic::Xor; break;
  case I::Shl: Op = Arithmetic::Shl; break;
  case I::LShr: Op = Arithmetic::LShr; break;
  case I::AShr: Op = Arithmetic::AShr; SignedOperands = true; break;
  case I::UDiv: Op = Arithmetic::UDiv; break;
  case I::SDiv: Op = Arithmetic::SDiv; SignedOperands = true; break;
  case I::URem: Op = Arithmetic::URem; break;
  case I::SRem: Op = Arithmetic::SRem; SignedOperands = true; break;
  default: return false;
  }
  unsigned Bits = T->getPrimitiveSizeInBits(), Container = D.Bytes * 8;
  // Odd widths live zero-extended in the next container.
  if (Bits != Container && SignedOperands) {
    auto Extend = [&](Slot X) {
      Slot Y = newSlot(X.Bytes, D.Uniform);
      Slot By = constant(Container - Bits, X.Bytes);
      decodeBinaryComponent(I::Shl, IntegerType::get(F.getContext(), Container),
                            Y, X, By, false);
      decodeBinaryComponent(I::AShr,
                            IntegerType::get(F.getContext(), Container), Y, Y,
                            By, false);
      return Y;
    };
    A = Extend(A);
    if (Opcode != I::AShr)
      B = Extend(B);
  }
  unsigned F = Form(A, B);
  emit(H.Arith[unsigned(Op)][sizeIndex(D.Bytes)][F], D.Offset, A.Offset,
       B.Offset);
  if (Bits != Container && Opcode != I::And && Opcode != I::Or &&
      Opcode != I::Xor && Opcode != I::LShr && Opcode != I::UDiv &&
      Opcode != I::URem) {
    Slot Mask = constant(maskTrailingOnes<uint64_t>(Bits), D.Bytes);
    emit(H.Arith[unsigned(Arithmetic::And)][sizeIndex(D.Bytes)]
                [D.Uniform ? 3 : 2],
         D.Offset, D.Offset, Mask.Offset);
  }
  return true;
}

void FunctionDecoder::decodeCompare(CmpInst &I) {
  const Slots D = slots(&I), A = slots(I.getOperand(0)),
              B = slots(I.getOperand(1));
  Type *T = I.getOperand(0)->getType()->getScalarType();
  using P = CmpInst::Predicate;
  P Predicate = I.getPredicate();
  for (auto [DS, AS, BS] : zip(D, A, B)) {
    Slot X = AS, Y = BS;
    if (Predicate == P::FCMP_TRUE || Predicate == P::FCMP_FALSE) {
      copy(DS, constant(Predicate == P::FCMP_TRUE, 0), false);
      continue;
    }
    if (X.isMask()) {
      Slot NotX = newSlot(0, X.Uniform), NotY = newSlot(0, Y.Uniform);
      auto Signed = CmpInst::isSigned(Predicate);
      // Signed i1: true is -1, below false.
      P U = Signed ? CmpInst::getSwappedPredicate(
                         ICmpInst::getUnsignedPredicate(Predicate))
                   : Predicate;
      emit(H.BitsNot, NotX.Offset, X.Offset);
      emit(H.BitsNot, NotY.Offset, Y.Offset);
      switch (U) {
      case P::ICMP_EQ:
        emit(H.BitsXor, DS.Offset, NotX.Offset, Y.Offset);
        break;
      case P::ICMP_NE:
        emit(H.BitsXor, DS.Offset, X.Offset, Y.Offset);
        break;
      case P::ICMP_ULT:
        emit(H.BitsAnd, DS.Offset, NotX.Offset, Y.Offset);
        break;
      case P::ICMP_ULE:
        emit(H.BitsOr, DS.Offset, NotX.Offset, Y.Offset);
        break;
      case P::ICMP_UGT:
        emit(H.BitsAnd, DS.Offset, X.Offset, NotY.Offset);
        break;
      default:
        emit(H.BitsOr, DS.Offset, X.Offset, NotY.Offset);
        break;
      }
      continue;
    }
    Comparison Op;
    switch (Predicate) {
    case P::ICMP_EQ: Op = Comparison::Eq; break;
    case P::ICMP_NE: Op = Comparison::Ne; break;
    case P::ICMP_ULT: Op = Comparison::Ult; break;
    case P::ICMP_ULE: Op = Comparison::Ule; break;
    case P::ICMP_UGT: Op = Comparison::Ugt; break;
    case P::ICMP_UGE: Op = Comparison::Uge; break;
    case P::ICMP_SLT: Op = Comparison::Slt; break;
    case P::ICMP_SLE: Op = Comparison::Sle; break;
    case P::ICMP_SGT: Op = Comparison::Sgt; break;
    case P::ICMP_SGE: Op = Comparison::Sge; break;
    case P::FCMP_OEQ: Op = Comparison::FOeq; break;
    case P::FCMP_ONE: Op = Comparison::FOne; break;
    case P::FCMP_OLT: Op = Comparison::FOlt; break;
    case P::FCMP_OLE: Op = Comparison::FOle; break;
    case P::FCMP_OGT: Op = Comparison::FOgt; break;
    case P::FCMP_OGE: Op = Comparison::FOge; break;
    case P::FCMP_ORD: Op = Comparison::FOrd; break;
    case P::FCMP_UEQ: Op = Comparison::FUeq; break;
    case P::FCMP_UNE: Op = Comparison::FUne; break;
    case P::FCMP_ULT: Op = Comparison::FUlt; break;
    case P::FCMP_ULE: Op = Comparison::FUle; break;
    case P::FCMP_UGT: Op = Comparison::FUgt; break;
    case P::FCMP_UGE: Op = Comparison::FUge; break;
    default: Op = Comparison::FUno; break;
    }
    if (T->isHalfTy() || T->isBFloatTy()) { // exact in f32
      const LaneFunction *Widen =
          findPTXFunction(T->isHalfTy() ? "cvt.f32.f16" : "cvt.f32.bf16");
      Slot WX = newSlot(4, false), WY = newSlot(4, false);
      if (!laneCallByName(Widen, {X}, {WX}) || !laneCallByName(Widen, {Y}, {WY}))
        return unsupported("a comparison of half or bfloat");
      X = WX, Y = WY;
    }
    unsigned Bits = T->isIntegerTy() ? T->getIntegerBitWidth() : X.Bytes * 8;
    if (Bits != X.Bytes * 8u && CmpInst::isSigned(Predicate)) {
      Slot By = constant(X.Bytes * 8 - Bits, X.Bytes);
      Type *Wide = IntegerType::get(F.getContext(), X.Bytes * 8);
      Slot SX = newSlot(X.Bytes, X.Uniform), SY = newSlot(Y.Bytes, Y.Uniform);
      decodeBinaryComponent(llvm::Instruction::Shl, Wide, SX, X, By, false);
      decodeBinaryComponent(llvm::Instruction::Shl, Wide, SY, Y, By, false);
      X = SX, Y = SY;
    }
    emit(H.Compare[unsigned(Op)][sizeIndex(X.Bytes)][X.Uniform | Y.Uniform << 1],
         DS.Offset, X.Offset, Y.Offset);
  }
}

void FunctionDecoder::decodeSelect(SelectInst &I) {
  const Slots D = slots(&I), C = slots(I.getCondition()),
              A = slots(I.getTrueValue()), B = slots(I.getFalseValue());
  for (auto [J, DS] : enumerate(D)) {
    Slot Condition = C.size() == D.size() ? C[J] : C[0];
    if (DS.isMask())
      emit(H.BitsSelect, DS.Offset, A[J].Offset, B[J].Offset).E =
          Condition.Offset;
    else if (DS.Uniform && A[J].Uniform && B[J].Uniform)
      emit(H.SelectUniform, DS.Offset, A[J].Offset, B[J].Offset).E =
          Condition.Offset;
    else if (DS.Uniform)
      unsupported("a select that should be uniform");
    else
      emit(H.Select[sizeIndex(DS.Bytes)][A[J].Uniform | B[J].Uniform << 1],
           DS.Offset, A[J].Offset, B[J].Offset)
          .E = Condition.Offset;
  }
}

void FunctionDecoder::decodeCast(CastInst &I) {
  using O = llvm::Instruction;
  const Slots D = slots(&I), A = slots(I.getOperand(0));
  Type *From = I.getSrcTy()->getScalarType(), *To = I.getDestTy()->getScalarType();
  auto FloatName = [](Type *T) {
    return T->isHalfTy()     ? "f16"
           : T->isBFloatTy() ? "bf16"
           : T->isFloatTy()  ? "f32"
                             : "f64";
  };
  auto Fail = [&] {
    std::string Text;
    raw_string_ostream(Text) << I;
    unsupported("the conversion" + Text);
  };
  unsigned Opcode = I.getOpcode();
  if (Opcode == O::BitCast || Opcode == O::PtrToInt || Opcode == O::IntToPtr ||
      Opcode == O::PtrToAddr) {
    if (D.size() == 1 && A.size() == 1) {
      if (D[0].Bytes == A[0].Bytes)
        return copy(D[0], A[0], false);
      if (D[0].Bytes < A[0].Bytes && D[0].Bytes) {
        Slot X = D[0].Uniform ? A[0] : varying(A[0]);
        emit(H.Convert[unsigned(Conversion::Trunc)][sizeIndex(A[0].Bytes)]
                      [sizeIndex(D[0].Bytes)][D[0].Uniform],
             D[0].Offset, X.Offset);
        return;
      }
      if (A[0].Bytes && D[0].Bytes) {
        Slot X = D[0].Uniform ? A[0] : varying(A[0]);
        emit(H.Convert[unsigned(Conversion::ZExt)][sizeIndex(A[0].Bytes)]
                      [sizeIndex(D[0].Bytes)][D[0].Uniform],
             D[0].Offset, X.Offset);
        return;
      }
    }
    Repack R;
    R.From.append(A.begin(), A.end());
    R.To.append(D.begin(), D.end());
    emit(GenericOp::Repack).Extra = keep(std::move(R));
    return;
  }
  for (auto [DS, AS] : zip(D, A)) {
    Slot X = AS;
    if (!DS.Uniform && X.Uniform && !X.isMask() && !DS.isMask())
      X = varying(X);
    if (DS.Uniform && !X.Uniform)
      return Fail();
    bool U = X.Uniform;
    switch (Opcode) {
    case O::ZExt:
    case O::UIToFP:
    case O::SExt:
    case O::SIToFP: {
      bool Signed = Opcode == O::SExt || Opcode == O::SIToFP;
      bool ToFloat = Opcode == O::UIToFP || Opcode == O::SIToFP;
      if (X.isMask()) {
        Slot Int = ToFloat ? newSlot(4, DS.Uniform) : DS;
        if (Int.Uniform)
          emit(Signed ? H.BitsToUniformSigned : H.BitsToUniform, Int.Offset,
               X.Offset);
        else
          emit((Signed ? H.BitsToIntSigned : H.BitsToInt)[sizeIndex(Int.Bytes)],
               Int.Offset, X.Offset);
        if (!ToFloat) {
          unsigned Bits = To->getIntegerBitWidth();
          if (Signed && Bits != DS.Bytes * 8u)
            emit(H.Arith[unsigned(Arithmetic::And)][sizeIndex(DS.Bytes)]
                        [DS.Uniform ? 3 : 2],
                 DS.Offset, DS.Offset,
                 constant(maskTrailingOnes<uint64_t>(Bits), DS.Bytes).Offset);
          break;
        }
        X = Int;
        U = X.Uniform;
      } else if (Signed && From->getIntegerBitWidth() != X.Bytes * 8u) {
        unsigned Bits = From->getIntegerBitWidth();
        Slot Y = newSlot(X.Bytes, DS.Uniform),
             By = constant(X.Bytes * 8 - Bits, X.Bytes);
        Type *Wide = IntegerType::get(F.getContext(), X.Bytes * 8);
        decodeBinaryComponent(O::Shl, Wide, Y, X, By, false);
        decodeBinaryComponent(O::AShr, Wide, Y, Y, By, false);
        X = Y;
      }
      if (!ToFloat) {
        if (DS.Bytes == X.Bytes)
          copy(DS, X, false);
        else
          emit(H.Convert[unsigned(Signed ? Conversion::SExt : Conversion::ZExt)]
                        [sizeIndex(X.Bytes)][sizeIndex(DS.Bytes)][U],
               DS.Offset, X.Offset);
        unsigned Bits = To->getIntegerBitWidth();
        if (Signed && Bits != DS.Bytes * 8u)
          emit(H.Arith[unsigned(Arithmetic::And)][sizeIndex(DS.Bytes)]
                      [DS.Uniform ? 3 : 2],
               DS.Offset, DS.Offset,
               constant(maskTrailingOnes<uint64_t>(Bits), DS.Bytes).Offset);
        break;
      }
      if (To->isFloatTy() || To->isDoubleTy()) {
        emit(H.Convert[unsigned(Signed ? Conversion::SIToFP
                                       : Conversion::UIToFP)]
                      [sizeIndex(X.Bytes)][sizeIndex(DS.Bytes)][U],
             DS.Offset, X.Offset);
        break;
      }
      std::string Name = std::string("cvt.rn.") + FloatName(To) +
                         (Signed ? ".s" : ".u") + utostr(X.Bytes * 8);
      if (!laneCallByName(findPTXFunction(Name), {X}, {DS}))
        return Fail();
      break;
    }
    case O::Trunc: {
      if (DS.isMask()) {
        if (X.Uniform)
          emit(H.UniformToBits, DS.Offset, X.Offset);
        else
          emit(H.IntToBits[sizeIndex(X.Bytes)], DS.Offset, X.Offset);
        break;
      }
      if (DS.Bytes == X.Bytes)
        copy(DS, X, false);
      else
        emit(H.Convert[unsigned(Conversion::Trunc)][sizeIndex(X.Bytes)]
                      [sizeIndex(DS.Bytes)][U],
             DS.Offset, X.Offset);
      unsigned Bits = To->getIntegerBitWidth();
      if (Bits != DS.Bytes * 8u)
        emit(H.Arith[unsigned(Arithmetic::And)][sizeIndex(DS.Bytes)]
                    [DS.Uniform ? 3 : 2],
             DS.Offset, DS.Offset,
             constant(maskTrailingOnes<uint64_t>(Bits), DS.Bytes).Offset);
      break;
    }
    case O::FPExt:
    case O::FPTrunc:
      if ((From->isFloatTy() && To->isDoubleTy()) ||
          (From->isDoubleTy() && To->isFloatTy())) {
        emit(H.Convert[unsigned(Conversion::FPConvert)][sizeIndex(X.Bytes)]
                      [sizeIndex(DS.Bytes)][U],
             DS.Offset, X.Offset);
        break;
      }
      if (!laneCallByName(
              findPTXFunction(std::string(Opcode == O::FPExt ? "cvt." : "cvt.rn.") +
                              FloatName(To) + "." + FloatName(From)),
              {X}, {DS}))
        return Fail();
      break;
    case O::FPToSI:
    case O::FPToUI: {
      Slot R = DS.isMask() ? newSlot(4, DS.Uniform) : DS;
      std::string Name = std::string("cvt.rzi.") +
                         (Opcode == O::FPToSI ? "s" : "u") +
                         utostr(std::max(16, R.Bytes * 8)) + "." +
                         FloatName(From);
      Slot Wide = R.Bytes == 1 ? newSlot(2, DS.Uniform) : R;
      if (!laneCallByName(findPTXFunction(Name), {X}, {Wide}))
        return Fail();
      if (R.Bytes == 1)
        emit(H.Convert[unsigned(Conversion::Trunc)][1][0][Wide.Uniform],
             R.Offset, Wide.Offset);
      if (DS.isMask())
        emit(R.Uniform ? H.UniformToBits : H.IntToBits[2], DS.Offset, R.Offset);
      break;
    }
    default:
      return Fail();
    }
  }
}
