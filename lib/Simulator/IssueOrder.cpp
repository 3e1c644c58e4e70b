// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two halves. SiteTable gives accesses, loops and functions numbers and places;
// Scheduler puts the instructions of a part of a block into rounds.

#include "sluice/Simulator/IssueOrder.h"
#include "sluice/Analysis/CacheHintMetadata.h"
#include "sluice/Analysis/DebugPlace.h"
#include "sluice/Analysis/KernelFunction.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace sluice;

//===- Sites --------------------------------------------------------------===//

namespace {

struct AccessOf {
  const Value *Pointer = nullptr;
  Type *Moved = nullptr;
  AccessSite::KindTy Kind = AccessSite::Load;
};

} // namespace

static std::optional<AccessOf> accessOf(const Instruction &I) {
  if (auto *L = dyn_cast<LoadInst>(&I))
    return AccessOf{L->getPointerOperand(), L->getType(), AccessSite::Load};
  if (auto *S = dyn_cast<StoreInst>(&I))
    return AccessOf{S->getPointerOperand(), S->getValueOperand()->getType(),
                    AccessSite::Store};
  if (auto *A = dyn_cast<AtomicRMWInst>(&I))
    return AccessOf{A->getPointerOperand(), A->getType(), AccessSite::Atomic};
  if (auto *X = dyn_cast<AtomicCmpXchgInst>(&I))
    return AccessOf{X->getPointerOperand(), X->getNewValOperand()->getType(),
                    AccessSite::Atomic};
  if (auto *C = dyn_cast<IntrinsicInst>(&I)) {
    if (C->getIntrinsicID() == Intrinsic::masked_load)
      return AccessOf{C->getArgOperand(0), C->getType(), AccessSite::Load};
    if (C->getIntrinsicID() == Intrinsic::masked_store)
      return AccessOf{C->getArgOperand(1), C->getArgOperand(0)->getType(),
                      AccessSite::Store};
  }
  return std::nullopt;
}

const Value *sluice::accessedPointer(const Instruction &I) {
  auto A = accessOf(I);
  return A ? A->Pointer : nullptr;
}

static bool isParameterMemory(const Value *Pointer) {
  unsigned Space = Pointer->getType()->getPointerAddressSpace();
  if (Space == 4 || Space == 101)
    return true;
  const auto *A = dyn_cast<Argument>(getUnderlyingObject(Pointer));
  return A && A->hasByValAttr();
}

// As NVPTX chooses ld.global.nc (NVPTXISelDAGToDAG, canLowerToLDG).
static bool isReadOnly(const Instruction &I, const Value *Pointer) {
  auto *L = dyn_cast<LoadInst>(&I);
  if (!L || L->isVolatile() || L->isAtomic())
    return false;
  if (L->hasMetadata(LLVMContext::MD_invariant_load))
    return true;
  const auto *A = dyn_cast<Argument>(getUnderlyingObject(Pointer));
  return A && A->hasNoAliasAttr() && A->onlyReadsMemory() &&
         isKernel(*A->getParent());
}

static unsigned copyOf(std::map<std::string, unsigned> &Copies,
                       const Function &F, const CodeId &Id, char Kind) {
  return Copies[(F.getName() + "|" + Id.str() + "|" + Twine(Kind)).str()]++;
}

unsigned SiteTable::function(const DISubprogram &S) {
  auto [It, New] = Functions.try_emplace(&S, Sites.Functions.size());
  if (!New)
    return It->second;
  SmallString<128> Path(S.getFilename());
  sys::path::make_absolute(S.getDirectory(), Path);
  auto [File, Unread] = Files.try_emplace(Path);
  if (Unread)
    if (auto Buffer = MemoryBuffer::getFile(Path))
      File->second = std::move(*Buffer);
  FunctionSite F;
  F.File = sys::path::filename(Path).str();
  F.FirstLine = S.getLine();
  if (File->second)
    static_cast<FunctionText &>(F) =
        describeFunction(F.File, File->second->getBuffer(), F.FirstLine);
  if (const DICompileUnit *Unit = S.getUnit())
    F.Source = sys::path::filename(Unit->getFilename()).str();
  Sites.Functions.push_back(std::move(F));
  return It->second;
}

void SiteTable::kernel(const Function &F) {
  if (const DISubprogram *S = F.getSubprogram())
    Sites.Functions[function(*S)].Kernel = F.getName().str();
}

std::vector<unsigned> SiteTable::functionsOf(const DILocation *Location) {
  std::vector<unsigned> Of;
  for (; Location; Location = Location->getInlinedAt())
    if (const DISubprogram *S = Location->getScope()->getSubprogram())
      Of.push_back(function(*S));
  return Of;
}

int SiteTable::loop(const Loop *L) {
  if (!L)
    return -1;
  auto Known = Loops.find(L);
  if (Known != Loops.end())
    return Known->second;
  LoopSite S;
  S.Parent = loop(L->getParentLoop());
  S.Id = codeIdOf(*L);
  S.Functions = functionsOf(L->getLocRange().getStart().get());
  S.Id.Ordinal = copyOf(LoopCopies, *L->getHeader()->getParent(), S.Id, 'o');
  Sites.Loops.push_back(S);
  return Loops[L] = int(Sites.Loops.size()) - 1;
}

std::optional<uint32_t> SiteTable::access(const Instruction &I,
                                          const LoopInfo &LI) {
  auto Known = Accesses.find(&I);
  if (Known != Accesses.end())
    return Known->second;
  AccessSite S;
  const DataLayout &DL = I.getModule()->getDataLayout();
  if (auto A = accessOf(I)) {
    if (isParameterMemory(A->Pointer))
      return std::nullopt;
    S.Kind = A->Kind;
    S.Bytes = uint8_t(std::min<uint64_t>(32, DL.getTypeStoreSize(A->Moved)));
    unsigned Space = A->Pointer->getType()->getPointerAddressSpace();
    S.Space = Space == 3 || Space == 7 ? AccessSite::Shared
              : Space == 5             ? AccessSite::Local
                                       : AccessSite::Global;
    S.ReadOnly = isReadOnly(I, A->Pointer);
    if (S.Kind == AccessSite::Load && S.Space == AccessSite::Global)
      S.Hint = l1HintOf(usableCacheHint(I));
  }
  S.Id = codeIdOf(I.getDebugLoc().get());
  S.Functions = functionsOf(I.getDebugLoc().get());
  S.Id.Ordinal = copyOf(Copies, *I.getFunction(), S.Id, "lsa"[S.Kind]);
  S.Loop = loop(LI.getLoopFor(I.getParent()));
  Sites.Accesses.push_back(S);
  return Accesses[&I] = uint32_t(Sites.Accesses.size()) - 1;
}

//===- Order --------------------------------------------------------------===//

// Is it a name for registers, and no instruction on the GPU?
static bool isFree(const Instruction &I) {
  return isa<PHINode, BitCastInst, AddrSpaceCastInst, FreezeInst,
             ExtractElementInst, InsertElementInst, ExtractValueInst,
             InsertValueInst, ShuffleVectorInst, PtrToIntInst, IntToPtrInst,
             AllocaInst>(I) ||
         I.isDebugOrPseudoInst() || I.isLifetimeStartOrEnd();
}

// Instructions that the GPU issues for one of IR, about: conversions of
// integers and constant offsets are often folded into what uses them, divisions
// and functions are sequences.
static unsigned slotsOf(const Instruction &I) {
  if (isFree(I))
    return 0;
  if (auto *G = dyn_cast<GetElementPtrInst>(&I))
    return G->hasAllConstantIndices() ? 0 : 1;
  if (isa<ZExtInst, TruncInst>(I))
    return 0;
  const unsigned Wide =
      I.getType()->isDoubleTy() || I.getType()->isIntegerTy(64) ? 2 : 1;
  switch (I.getOpcode()) {
  case Instruction::UDiv:
  case Instruction::SDiv:
  case Instruction::URem:
  case Instruction::SRem:
    return isa<Constant>(I.getOperand(1)) ? 4 * Wide : 20 * Wide;
  case Instruction::FDiv:
    return 10 * Wide;
  case Instruction::Mul:
    return Wide == 2 ? 3 : 1;
  case Instruction::Call:
    if (auto *N = dyn_cast<IntrinsicInst>(&I))
      if (N->getIntrinsicID() == Intrinsic::sqrt)
        return 8 * Wide;
    return Wide;
  default:
    return Wide;
  }
}

bool sluice::isIssueFence(const Instruction &I) {
  auto *Call = dyn_cast<CallBase>(&I);
  if (!Call || accessOf(I) || I.isDebugOrPseudoInst() ||
      I.isLifetimeStartOrEnd())
    return false;
  return !isa<IntrinsicInst>(I) && !Call->isInlineAsm()
             ? true
             : Call->mayHaveSideEffects() || !Call->doesNotAccessMemory();
}

SmallVector<Instruction *, 32> sluice::issuePart(Instruction &First) {
  SmallVector<Instruction *, 32> Part;
  for (Instruction *I = &First; I; I = I->getNextNode()) {
    if (isa<PHINode>(I) || I->isDebugOrPseudoInst())
      continue;
    Part.push_back(I);
    if (isIssueFence(*I))
      break;
  }
  return Part;
}

// May a store to A change what a load from B reads? As ptxas can tell it: not
// of another space, nor at another constant distance from one base.
static bool mayAlias(const Value *A, const Value *B, const DataLayout &DL) {
  unsigned SpaceA = A->getType()->getPointerAddressSpace();
  unsigned SpaceB = B->getType()->getPointerAddressSpace();
  if (SpaceA != SpaceB && SpaceA && SpaceB)
    return false;
  int64_t OffsetA = 0, OffsetB = 0;
  const Value *BaseA = GetPointerBaseWithConstantOffset(A, OffsetA, DL);
  const Value *BaseB = GetPointerBaseWithConstantOffset(B, OffsetB, DL);
  return BaseA != BaseB || OffsetA == OffsetB;
}

namespace {

class Scheduler {
public:
  Scheduler(ArrayRef<Instruction *> Part, SiteTable &Sites,
            const LoopInfo &Loops, unsigned Registers)
      : Part(Part), Sites(Sites), Loops(Loops),
        MostWords(Registers > OtherRegisters + LeastWords
                      ? Registers - OtherRegisters
                      : LeastWords) {}
  std::vector<IssueStep> run();

private:
  void loadsBehind(const Value *V, SmallSetVector<uint32_t, 4> &Result,
                   SmallPtrSetImpl<const Value *> &Seen);
  unsigned round(const Instruction &I);
  bool isLoad(const Instruction &I) {
    auto A = accessOf(I);
    return A && A->Kind != AccessSite::Store && Sites.access(I, Loops);
  }

  // Registers of addresses, counters and sums, which hold no loaded values.
  static constexpr unsigned OtherRegisters = 12, LeastWords = 4;

  ArrayRef<Instruction *> Part;
  SiteTable &Sites;
  const LoopInfo &Loops;
  unsigned MostWords; ///< Registers for values on their way.
  DenseMap<const Instruction *, unsigned> Rounds;
};

} // namespace

// The loads whose values V is, through what is no instruction on the GPU.
void Scheduler::loadsBehind(const Value *V, SmallSetVector<uint32_t, 4> &Result,
                            SmallPtrSetImpl<const Value *> &Seen) {
  auto *I = dyn_cast<Instruction>(V);
  if (!I || !Seen.insert(V).second)
    return;
  if (isLoad(*I)) {
    Result.insert(*Sites.access(*I, Loops));
    return;
  }
  if (isFree(*I))
    for (const Value *Operand : I->operands())
      loadsBehind(Operand, Result, Seen);
}

// The round in which I issues: of those before it in the block, after the loads
// whose values it needs.
unsigned Scheduler::round(const Instruction &I) {
  unsigned Round = 0;
  for (const Value *Operand : I.operands()) {
    auto *Of = dyn_cast<Instruction>(Operand);
    auto Known = Of ? Rounds.find(Of) : Rounds.end();
    if (Known != Rounds.end() && !isa<PHINode>(I))
      Round = std::max(Round, Known->second + isLoad(*Of));
  }
  return Round;
}

std::vector<IssueStep> Scheduler::run() {
  const DataLayout &DL = Part.front()->getModule()->getDataLayout();
  unsigned Most = 0, Least = 0, Words = 0;
  struct Memory {
    const Value *Pointer;
    unsigned Round;
    bool Writes;
    bool Ordered;
  };
  SmallVector<Memory, 16> Before;
  for (Instruction *I : Part) {
    unsigned Round = std::max(round(*I), Least);
    if (auto A = accessOf(*I)) {
      const bool Writes = A->Kind != AccessSite::Load;
      if (!Writes) {
        // Registers for so many values at once, then what needs them first.
        unsigned Needs = unsigned(DL.getTypeStoreSize(A->Moved) + 3) / 4;
        if (Words + Needs > MostWords) {
          Round = Least = std::max(Round, Most);
          Words = 0;
        }
        Words += Needs;
      }
      const bool Ordered = I->isVolatile() || I->isAtomic();
      for (const Memory &M : Before)
        if ((M.Ordered && Ordered) || ((M.Writes || Writes) &&
                                       !(isReadOnly(*I, A->Pointer) ||
                                         (Sites.AssumeReadOnly && !Ordered)) &&
                                       mayAlias(M.Pointer, A->Pointer, DL)))
          Round = std::max(Round, M.Round);
      Before.push_back({A->Pointer, Round, Writes, Ordered});
    }
    if (I->isTerminator() || isIssueFence(*I))
      Round = std::max(Round, Most);
    Rounds[I] = Round;
    Most = std::max(Most, Round);
  }
  std::vector<std::pair<unsigned, Instruction *>> Order;
  for (Instruction *I : Part)
    Order.push_back({Rounds[I], I});
  llvm::sort(Order, [&](const auto &A, const auto &B) {
    return A.first != B.first ? A.first < B.first
                              : A.second->comesBefore(B.second);
  });

  std::vector<IssueStep> Steps;
  unsigned Slots = 0;
  auto Flush = [&] {
    if (Slots)
      Steps.push_back({IssueStep::Issue, Slots});
    Slots = 0;
  };
  SmallSetVector<uint32_t, 16> Waited; // since they were loaded
  for (auto [Round, I] : Order) {
    if (!isFree(*I)) {
      SmallSetVector<uint32_t, 4> Needs;
      SmallPtrSet<const Value *, 8> Seen;
      for (const Value *Operand : I->operands())
        loadsBehind(Operand, Needs, Seen);
      for (uint32_t Site : Needs)
        if (Waited.insert(Site)) {
          Flush();
          Steps.push_back({IssueStep::Wait, Site});
        }
    }
    if (accessOf(*I)) {
      if (auto Site = Sites.access(*I, Loops)) {
        Flush();
        Steps.push_back({IssueStep::Access, *Site});
        Waited.remove(*Site);
        continue;
      }
    }
    Slots += slotsOf(*I);
  }
  Flush();
  return Steps;
}

std::vector<IssueStep> sluice::issueOrder(ArrayRef<Instruction *> Part,
                                          SiteTable &Sites,
                                          const LoopInfo &Loops,
                                          unsigned Registers) {
  if (Part.empty())
    return {};
  return Scheduler(Part, Sites, Loops, Registers).run();
}
