// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many registers are needed is counted in IR: of each value from its
// definition to its last use, 32 bits at a time. The assembler orders code anew
// and needs others. So the order is a proposal, and how many of it are taken is
// found out by asking the assembler (OwnSpills.cpp).

#include "SpillCandidates.h"
#include "sluice/Transforms/LoopRounding.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/Analysis/BranchProbabilityInfo.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace sluice;

/// Of more instructions no order is found: it would take too long.
static constexpr unsigned MostInstructions = 20000;

/// Uses that are no further apart have one load.
static constexpr unsigned CloseUses = 12;

InstructionNumbers sluice::numberInstructions(const Function &F) {
  InstructionNumbers Numbers;
  for (const Instruction &I : instructions(F))
    Numbers[&I] = Numbers.size();
  return Numbers;
}

//===- Where a value would be loaded --------------------------------------===//

/// Where the value of \p U is needed: a phi takes it where its block is left.
static Instruction *placeOf(const Use &U) {
  auto *User = cast<Instruction>(U.getUser());
  if (auto *Phi = dyn_cast<PHINode>(User))
    return Phi->getIncomingBlock(U)->getTerminator();
  return User;
}

static bool hasSlot(const Type &Ty) {
  return Ty.isIntegerTy(32) || Ty.isIntegerTy(64) || Ty.isFloatTy() ||
         Ty.isDoubleTy();
}

static bool isFloatingPoint(const Value &V) {
  return V.getType()->isFloatingPointTy();
}

/// Do floating-point results depend on who else uses them, or on where a value
/// is from? Then LLVM makes other operations of them.
static bool isFastMath(const Value &V) {
  const auto *Op = dyn_cast<FPMathOperator>(&V);
  return Op && (Op->hasAllowReassoc() || Op->hasAllowReciprocal());
}

/// Could the code generator make \p V and its user one operation? What is only
/// read stays what it is.
static bool mayBeFused(const Instruction &V) {
  return isFloatingPoint(V) && !isa<LoadInst, PHINode>(V);
}

/// A product that is used once is fused with its sum wherever that is
/// (nvptx-ir-peephole).
static bool isForSumAlone(const Instruction &V) {
  return isFusedProduct(V) && V.hasOneUse() && isSum(*V.user_back());
}

static bool mayWait(const Instruction &V) {
  return hasSlot(*V.getType()) && !V.isTerminator() && !isFastMath(V) &&
         !isForSumAlone(V) && none_of(V.users(), [](const User *U) {
           return isFastMath(*U) || isa<AssumeInst>(U);
         });
}

std::vector<SpillLoad> sluice::loadsFor(Instruction &Value,
                                        const InstructionNumbers &Numbers) {
  if (!mayWait(Value))
    return {};
  const bool StaysInBlock = mayBeFused(Value);
  std::vector<std::pair<unsigned, Use *>> Uses;
  for (Use &U : Value.uses()) {
    const Instruction *At = placeOf(U);
    if (At->getParent() == Value.getParent() && StaysInBlock) {
      if (isa<PHINode>(U.getUser()))
        return {};
      continue;
    }
    auto Number = Numbers.find(At);
    if (Number == Numbers.end())
      return {};
    Uses.push_back({Number->second, &U});
  }
  llvm::sort(Uses, less_first());
  std::vector<SpillLoad> Loads;
  const BasicBlock *Block = Value.getParent();
  unsigned Last = Numbers.lookup(&Value);
  bool InRegister = !StaysInBlock; // since the definition
  for (auto [Number, U] : Uses) {
    Instruction *At = placeOf(*U);
    const bool IsClose = At->getParent() == Block && Number <= Last + CloseUses;
    Block = At->getParent();
    Last = Number;
    InRegister &= IsClose;
    if (InRegister)
      continue;
    if (!IsClose || Loads.empty())
      Loads.push_back({At, 0, {}});
    Loads.back().Uses.push_back(U);
    Loads.back().Last = Number;
  }
  return Loads;
}

//===- How many registers are needed --------------------------------------===//

namespace {

/// Numbers from First to Last, the ends among them.
struct Span {
  unsigned First, Last;
};
using Spans = SmallVector<Span, 4>;

struct LiveValue {
  Instruction *Value;
  unsigned Registers;
  Spans Alive;
  // Of those that may wait:
  Spans Waiting;         ///< Alive with its loads.
  unsigned Accesses = 0; ///< 0: it may not.
  double Executed = 0;
};

/// The values of a function and the registers that they need at each
/// instruction.
class Pressure {
public:
  explicit Pressure(Function &F);
  std::vector<SpillCandidate> order(unsigned Most);
  unsigned most() const {
    return Needed.empty() ? 0 : unsigned(*max_element(Needed));
  }

private:
  Spans spansOf(const Instruction &V) const;
  Spans spansWaiting(const Instruction &V, ArrayRef<SpillLoad> Loads) const;
  void add(const Spans &Of, int Registers);
  double saved(const LiveValue &V, unsigned Highest) const;
  LiveValue *bestAt(unsigned Point);

  const InstructionNumbers Numbers;
  std::vector<LiveValue> Values;
  std::vector<int> Needed;    ///< By instruction.
  std::vector<bool> IsBeyond; ///< No value there may wait.
};

} // namespace

static unsigned registersOf(const Instruction &I) {
  Type *Ty = I.getType();
  if (!Ty->isSized() || Ty->isIntegerTy(1))
    return 0;
  const uint64_t Bits =
      I.getModule()->getDataLayout().getTypeSizeInBits(Ty).getKnownMinValue();
  return unsigned((Bits + 31) / 32);
}

static bool contains(const Spans &All, unsigned Point) {
  return any_of(All,
                [&](Span S) { return S.First <= Point && Point <= S.Last; });
}

Spans Pressure::spansOf(const Instruction &V) const {
  const BasicBlock *Home = V.getParent();
  DenseMap<const BasicBlock *, unsigned> LastIn; // last point of each block
  SmallPtrSet<const BasicBlock *, 8> Entered;
  SmallVector<const BasicBlock *, 8> Work;
  auto Reach = [&](const BasicBlock *Block, unsigned Point) {
    unsigned &Last = LastIn[Block];
    Last = std::max(Last, Point);
    if (Block != Home && Entered.insert(Block).second)
      Work.push_back(Block);
  };
  for (const Use &U : V.uses()) {
    const Instruction *At = placeOf(U);
    Reach(At->getParent(), Numbers.lookup(At));
  }
  while (!Work.empty())
    for (const BasicBlock *Before : predecessors(Work.pop_back_val()))
      Reach(Before, Numbers.lookup(Before->getTerminator()));
  Spans Result;
  for (auto [Block, Last] : LastIn)
    Result.push_back(
        {Block == Home ? Numbers.lookup(&V) : Numbers.lookup(&Block->front()),
         Last});
  return Result;
}

Spans Pressure::spansWaiting(const Instruction &V,
                             ArrayRef<SpillLoad> Loads) const {
  SmallPtrSet<const Use *, 8> Loaded;
  Spans Result;
  for (const SpillLoad &Load : Loads) {
    Result.push_back({Numbers.lookup(Load.Before), Load.Last});
    Loaded.insert(Load.Uses.begin(), Load.Uses.end());
  }
  unsigned Last = Numbers.lookup(&V);
  for (const Use &U : V.uses())
    if (!Loaded.contains(&U)) // in its block
      Last = std::max(Last, Numbers.lookup(placeOf(U)));
  Result.push_back({Numbers.lookup(&V), Last});
  return Result;
}

void Pressure::add(const Spans &Of, int Registers) {
  for (Span S : Of)
    for (unsigned Point = S.First; Point <= S.Last; ++Point)
      Needed[Point] += Registers;
}

Pressure::Pressure(Function &F)
    : Numbers(numberInstructions(F)), Needed(Numbers.size()),
      IsBeyond(Numbers.size()) {
  DominatorTree Dominators(F);
  LoopInfo Loops(Dominators);
  BranchProbabilityInfo Probabilities(F, Loops);
  BlockFrequencyInfo Frequencies(F, Probabilities, Loops);
  const double Entry = double(Frequencies.getEntryFreq().getFrequency());
  auto TimesOf = [&](const Instruction &I) {
    return double(Frequencies.getBlockFreq(I.getParent()).getFrequency()) /
           Entry;
  };
  for (Instruction &I : instructions(F)) {
    const unsigned Registers = registersOf(I);
    if (Registers == 0 || I.use_empty() || isa<AllocaInst>(I) ||
        !Dominators.isReachableFromEntry(I.getParent()))
      continue;
    LiveValue V{&I, Registers, spansOf(I), {}};
    if (const auto Loads = loadsFor(I, Numbers); !Loads.empty()) {
      V.Waiting = spansWaiting(I, Loads);
      V.Accesses = unsigned(Loads.size()) + 1;
      V.Executed = TimesOf(I);
      for (const SpillLoad &Load : Loads)
        V.Executed += TimesOf(*Load.Before);
    }
    add(V.Alive, int(Registers));
    Values.push_back(std::move(V));
  }
}

/// Registers, at instructions that need almost as many as \p Highest.
double Pressure::saved(const LiveValue &V, unsigned Highest) const {
  constexpr unsigned Almost = 8;
  double Saved = 0;
  for (Span S : V.Alive)
    for (unsigned Point = S.First; Point <= S.Last; ++Point)
      if (Needed[Point] + int(Almost) >= int(Highest) &&
          !contains(V.Waiting, Point))
        Saved += V.Registers;
  return Saved;
}

/// The one that saves the most for what it costs; null: none may wait there. An
/// access in code that is seldom run costs as one that always is, as in the
/// paper's Spill_cost: nobody knows how seldom.
LiveValue *Pressure::bestAt(unsigned Point) {
  LiveValue *Best = nullptr;
  double BestScore = 0;
  for (LiveValue &V : Values) {
    if (V.Accesses == 0 || !contains(V.Alive, Point) ||
        contains(V.Waiting, Point))
      continue;
    const double Score = saved(V, unsigned(Needed[Point])) /
                         std::max(V.Executed, double(V.Accesses));
    if (!Best || Score > BestScore) {
      Best = &V;
      BestScore = Score;
    }
  }
  return Best;
}

std::vector<SpillCandidate> Pressure::order(unsigned Most) {
  std::vector<SpillCandidate> Order;
  for (unsigned Tries = 4 * Most; Tries && Order.size() < Most; --Tries) {
    std::optional<unsigned> Highest;
    for (unsigned Point = 0; Point < Needed.size(); ++Point)
      if (!IsBeyond[Point] && (!Highest || Needed[Point] > Needed[*Highest]))
        Highest = Point;
    if (!Highest)
      break;
    LiveValue *Next = bestAt(*Highest);
    if (!Next) {
      IsBeyond[*Highest] = true;
      continue;
    }
    Order.push_back(
        {Next->Value, Next->Registers * 4, Next->Accesses, Next->Executed});
    add(Next->Alive, -int(Next->Registers));
    add(Next->Waiting, int(Next->Registers));
    Next->Alive = Next->Waiting;
    Next->Accesses = 0;
  }
  return Order;
}

std::vector<SpillCandidate> sluice::orderSpills(Function &F, unsigned Most) {
  if (F.getInstructionCount() > MostInstructions)
    return {};
  return Pressure(F).order(Most);
}

unsigned sluice::mostRegistersNeeded(Function &F) { return Pressure(F).most(); }
