// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many blocks a thread does the work of side by side. By Little's law the
// memory is busy if what is on its way is its rate times what an access takes:
// an H200 moves 4.1 TB/s, and a thread that loads, computes and stores takes
// about a microsecond, so 4 MB. The threads that it has room for, 270,000, have
// 15 bytes each then. Fewer by thread is where more blocks together help.

#include "BlockWork.h"
#include "BlocksSideBySide.h"
#include "sluice/Analysis/SharedMemory.h"
#include "sluice/Target/MergedBlocks.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/PointerIntPair.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/MathExtras.h"
#include <optional>

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace sluice;

/// More would be much code, and more values than registers.
static constexpr unsigned MostInstructions = 512;

namespace {
/// By how much numbers are larger, if that is known.
class Steps {
public:
  enum class To {
    NextLane,  ///< Of a warp.
    NextBlock, ///< Over the threads of a block.
  };
  using Step = std::optional<int64_t>;

  explicit Steps(To Next) : Next(Next) {}
  Step of(const Value *V, unsigned Depth = 0);

private:
  Step compute(const Instruction &I, unsigned Depth);
  Step ofAddress(const GEPOperator &Address, unsigned Depth);

  const To Next;
  SmallDenseMap<const Value *, Step, 16> Known;
};
} // namespace

/// Of rows whose length is not known.
static constexpr int64_t LongRow = 1 << 20;

/// They wrap around as the chip's do.
static int64_t sum(int64_t A, int64_t B) {
  return int64_t(uint64_t(A) + uint64_t(B));
}
static int64_t product(int64_t A, int64_t B) {
  return int64_t(uint64_t(A) * uint64_t(B));
}

Steps::Step Steps::of(const Value *V, unsigned Depth) {
  static constexpr unsigned Deepest = 16;
  const auto *I = dyn_cast<Instruction>(V);
  if (!I)
    return 0;
  if (const auto Before = Known.find(V); Before != Known.end())
    return Before->second;
  const Step Found = Depth == Deepest ? std::nullopt : compute(*I, Depth + 1);
  Known[V] = Found;
  return Found;
}

Steps::Step Steps::ofAddress(const GEPOperator &Address, unsigned Depth) {
  SmallMapVector<Value *, APInt, 4> Indices;
  APInt Constant(64, 0);
  const Step Base = of(Address.getPointerOperand(), Depth);
  if (!Base ||
      !Address.collectOffset(cast<Instruction>(Address).getDataLayout(), 64,
                             Indices, Constant))
    return std::nullopt;
  int64_t All = *Base;
  for (const auto &[Index, Scale] : Indices)
    if (const Step Of = of(Index, Depth))
      All = sum(All, product(*Of, Scale.getSExtValue()));
    else
      return std::nullopt;
  return All;
}

/// The special register that \p V is, or not_intrinsic.
static Intrinsic::ID registerOf(const Value *V) {
  while (isa<CastInst>(V))
    V = cast<CastInst>(V)->getOperand(0);
  const auto *Call = dyn_cast<IntrinsicInst>(V);
  return Call && Call->arg_empty() ? Call->getIntrinsicID()
                                   : Intrinsic::not_intrinsic;
}

namespace {
/// A product of special registers and a constant.
struct Factors {
  unsigned Threads = 0, Blocks = 0; ///< How often blockDim.x, blockIdx.x.
  int64_t Constant = 1;
};
} // namespace

/// False: there are others.
static bool addFactors(const Value *V, Factors &To, unsigned Depth = 0) {
  static constexpr unsigned Deepest = 4;
  while (isa<CastInst>(V))
    V = cast<CastInst>(V)->getOperand(0);
  const APInt *C = nullptr;
  const Value *A = nullptr, *B = nullptr;
  if (match(V, m_APInt(C)) && C->getBitWidth() <= 64) {
    To.Constant = product(To.Constant, C->getSExtValue());
    return true;
  }
  if (match(V, m_Shl(m_Value(A), m_APInt(C))) && C->ult(32)) {
    To.Constant = product(To.Constant, int64_t(1) << C->getZExtValue());
    return Depth < Deepest && addFactors(A, To, Depth + 1);
  }
  if (match(V, m_Mul(m_Value(A), m_Value(B))))
    return Depth < Deepest && addFactors(A, To, Depth + 1) &&
           addFactors(B, To, Depth + 1);
  const Intrinsic::ID Read = registerOf(V);
  To.Threads += Read == Intrinsic::nvvm_read_ptx_sreg_ntid_x;
  To.Blocks += Read == Intrinsic::nvvm_read_ptx_sreg_ctaid_x;
  return Read == Intrinsic::nvvm_read_ptx_sreg_ntid_x ||
         Read == Intrinsic::nvvm_read_ptx_sreg_ctaid_x;
}

/// Of `blockIdx.x * c * blockDim.x`: c.
static Steps::Step ofProductWithThreads(const Instruction &I) {
  Factors All;
  if ((I.getOpcode() != Instruction::Mul &&
       I.getOpcode() != Instruction::Shl) ||
      !addFactors(&I, All) || All.Threads != 1 || All.Blocks != 1)
    return std::nullopt;
  return All.Constant;
}

Steps::Step Steps::compute(const Instruction &I, unsigned Depth) {
  if (const auto *Call = dyn_cast<IntrinsicInst>(&I);
      Call && Call->arg_empty()) {
    const Intrinsic::ID Read = Call->getIntrinsicID();
    if (Next == To::NextLane)
      return Read == Intrinsic::nvvm_read_ptx_sreg_tid_x;
    return Read == Intrinsic::nvvm_read_ptx_sreg_ctaid_x ? std::nullopt
                                                         : Step(0);
  }
  if (Next == To::NextBlock)
    if (const Step Found = ofProductWithThreads(I))
      return Found;
  if (isa<LoadInst, PHINode>(I))
    return std::nullopt;
  if (const auto *Address = dyn_cast<GEPOperator>(&I))
    return ofAddress(*Address, Depth);
  SmallVector<int64_t, 4> Of;
  for (const Value *Operand : I.operands())
    if (const Step Each = of(Operand, Depth))
      Of.push_back(*Each);
    else
      return std::nullopt;
  const auto *By = dyn_cast<ConstantInt>(I.getOperand(I.getNumOperands() - 1));
  switch (I.getOpcode()) {
  case Instruction::Or:
    if (!cast<PossiblyDisjointInst>(I).isDisjoint())
      break;
    [[fallthrough]];
  case Instruction::Add:
    return sum(Of[0], Of[1]);
  case Instruction::Sub:
    return sum(Of[0], product(Of[1], -1));
  case Instruction::SExt:
  case Instruction::ZExt:
  case Instruction::Trunc:
  case Instruction::AddrSpaceCast:
    return Of[0];
  case Instruction::Mul:
    if (By && By->getBitWidth() <= 64)
      return product(Of[0], By->getSExtValue());
    // By a row's length, which only the program knows.
    if (!By && (Of[0] == 0) != (Of[1] == 0))
      return product(Of[0] + Of[1], LongRow);
    break;
  case Instruction::Shl:
    if (By && By->getValue().ult(32))
      return product(Of[0], int64_t(1) << By->getZExtValue());
    break;
  default:
    break;
  }
  return all_of(Of, [](int64_t Each) { return Each == 0; }) ? Step(0)
                                                            : std::nullopt;
}

namespace {
/// What a thread accesses of one array: bytes, how many times, and bytes to
/// those of the next lane. UINT64_MAX: that is not known.
struct Accesses {
  uint64_t Bytes = 0, Number = 0, Step = 0;
  /// Of the bytes to those of the next block, by threads; 0: not known.
  uint64_t Share = 0;

  /// Those that the memory moves for each lane. If lanes read the same ones
  /// these are fewer, as what is written is not, and as it is not where a
  /// thread has elements of its own, a block apart; what lies between is moved,
  /// too, up to a sector each time.
  uint64_t moved(bool IsRead) const {
    static constexpr uint64_t Sector = 32;
    if (Step == UINT64_MAX)
      return Bytes;
    if (Step < Bytes)
      return IsRead || Step == 0 ? std::max(Step, std::min(Share, Bytes))
                                 : Bytes;
    return std::max(Bytes, std::min(Step, Number * Sector));
  }

  /// The most that one of them is aligned to.
  uint64_t Alignment = 1;

  /// Do several accesses of a thread fill a sector together, each a part of it,
  /// as the three bytes of a pixel? Those of a struct that is aligned become
  /// one.
  bool areOfParts() const {
    static constexpr uint64_t Widest = 16;
    const bool AreOne = Bytes <= Widest && Alignment >= Bytes;
    return Number > 1 && !AreOne && Step != UINT64_MAX &&
           Step * Number > Bytes && Step <= Bytes;
  }
};

/// Those of all arrays.
using AllAccesses =
    SmallMapVector<PointerIntPair<const Value *, 1, bool>, Accesses, 8>;
} // namespace

static uint64_t movedBytes(const AllAccesses &All) {
  uint64_t Bytes = 0;
  for (const auto &[Of, Each] : All)
    Bytes += Each.moved(/*IsRead=*/Of.getInt());
  return Bytes;
}

/// Bytes that \p I reads, or those that it writes. The compiler's memory
/// functions do both, or are not known.
static uint64_t bytesOf(const Instruction &I) {
  const DataLayout &DL = I.getDataLayout();
  if (const auto *Memory = dyn_cast<MemIntrinsic>(&I)) {
    const auto *Length = dyn_cast<ConstantInt>(Memory->getLength());
    return Length ? Length->getLimitedValue(UINT32_MAX) : UINT32_MAX;
  }
  if (getLoadStorePointerOperand(&I))
    return DL.getTypeStoreSize(getLoadStoreType(&I));
  if (!I.getType()->isVoidTy())
    return DL.getTypeStoreSize(I.getType());
  // Assembly that stores, or else something that is not known.
  uint64_t Bytes = 0;
  for (const Use &Operand : cast<CallBase>(I).args())
    if (!Operand->getType()->isPointerTy())
      Bytes += DL.getTypeStoreSize(Operand->getType());
  return Bytes;
}

/// Does \p I write, as far as is known?
static bool writes(const Instruction &I) {
  return I.getType()->isVoidTy() && I.mayWriteToMemory();
}

/// And read?
static bool reads(const Instruction &I) {
  return !I.getType()->isVoidTy() ? I.mayReadFromMemory()
                                  : isa<MemTransferInst>(I);
}

/// Do the threads of a block share out what \p L goes over, as in
/// `for (i = threadIdx.x; i < n; i += blockDim.x)`? Most such go round once or
/// a few times.
static bool isSharedOut(const Loop &L, Steps &Lanes) {
  const BasicBlock *Before = L.getLoopPredecessor(), *Latch = L.getLoopLatch();
  if (!Before || !Latch || L.getParentLoop())
    return false;
  return any_of(L.getHeader()->phis(), [&](const PHINode &Index) {
    const auto Begin = Lanes.of(Index.getIncomingValueForBlock(Before));
    const auto *Next =
        dyn_cast<BinaryOperator>(Index.getIncomingValueForBlock(Latch));
    if (!Index.getType()->isIntegerTy() || !Begin || *Begin == 0 || !Next ||
        Next->getOpcode() != Instruction::Add || Next->getOperand(0) != &Index)
      return false;
    const Value *By = Next->getOperand(1);
    if (const auto *Number = dyn_cast<ConstantInt>(By))
      return Number->getValue().uge(LanesOfWarp);
    return registerOf(By) == Intrinsic::nvvm_read_ptx_sreg_ntid_x;
  });
}

/// May \p I access other memory than the block's? (What passes between its
/// threads is none.)
static bool accessesGlobal(const Instruction &I) {
  const auto *Call = dyn_cast<CallBase>(&I);
  const Value *Place = getLoadStorePointerOperand(&I);
  if (const auto *Update = dyn_cast<AtomicRMWInst>(&I))
    Place = Update->getPointerOperand();
  const auto *Known = dyn_cast<IntrinsicInst>(&I);
  return !(Known && Known->isAssumeLikeIntrinsic()) &&
         !(Call && isKnownTogether(*Call)) && !(Place && sharedVariable(Place));
}

/// Is \p End a test of a flag in memory, of which one side has nothing to do?
/// Then few threads go on, in most programs. (A number that is used again may
/// be how much there is to do.)
static bool isFlagTest(const Instruction &End) {
  const Value *Flag = conditionOf(End);
  if (!Flag)
    return false;
  while (!isa<LoadInst>(Flag)) {
    const auto *I = dyn_cast<Instruction>(Flag);
    const bool IsTest =
        I && (isa<CastInst>(I) ||
              (I->getNumOperands() == 2 && isa<Constant>(I->getOperand(1)) &&
               (I->isBitwiseLogicOp() ||
                (isa<ICmpInst>(I) && cast<ICmpInst>(I)->isEquality()))));
    if (!IsTest || !I->hasOneUse())
      return false;
    Flag = I->getOperand(0);
  }
  if (!Flag->hasOneUse())
    return false;
  return any_of(successors(&End), [](const BasicBlock *Next) {
    return all_of(reachedTogether(*Next, nullptr), [](const BasicBlock *BB) {
      return none_of(
          *BB, [](const Instruction &I) { return I.mayReadOrWriteMemory(); });
    });
  });
}

/// Those that keep the memory busy.
static unsigned blocksForMemory(const Function &F, const SharedWay &Way,
                                const LoopInfo &LI) {
  Steps Lanes(Steps::To::NextLane), Blocks(Steps::To::NextBlock);
  AllAccesses Together, Apart;
  SmallDenseMap<const Value *, const Loop *> ReadBy;
  const bool IsSparse = Way.parting() && isFlagTest(*Way.parting());
  for (const Instruction &I : instructions(F)) {
    const bool IsApart = Way.isApart(*I.getParent());
    if (!IsApart && !Way.depends().varies(&I))
      continue;
    if (!accessesGlobal(I) || (!writes(I) && !reads(I)))
      continue;
    // How often is not known, and what it waits for neither.
    if (const Loop *L = LI.getLoopFor(I.getParent())) {
      if (IsApart && IsSparse)
        continue;
      // What a loop has read another one finds in the L1, which has no room
      // for several blocks' share.
      const Value *Read = reads(I) ? getLoadStorePointerOperand(&I) : nullptr;
      if (!isSharedOut(*L, Lanes) ||
          (Read &&
           ReadBy.try_emplace(getUnderlyingObject(Read), L).first->second != L))
        return 1;
    }
    const Value *Place = getLoadStorePointerOperand(&I);
    // Nobody knows where assembly writes.
    if (const auto *Call = dyn_cast<CallBase>(&I);
        Call && Call->isInlineAsm() && writes(I))
      return 1;
    const auto Lane = Place ? Lanes.of(Place) : std::nullopt,
               Block = Place ? Blocks.of(Place) : std::nullopt;
    auto Count = [&](bool IsRead) {
      const Value *Array = Place ? getUnderlyingObject(Place) : &I;
      Accesses &Of = (IsApart ? Apart : Together)[{Array, IsRead}];
      Of.Bytes += bytesOf(I);
      ++Of.Number;
      Of.Step =
          std::max(Of.Step, Lane ? AbsoluteValue(*Lane) : uint64_t(UINT64_MAX));
      Of.Share = std::max(Of.Share, Block ? AbsoluteValue(*Block) : 0);
      if (Place)
        Of.Alignment =
            std::max(Of.Alignment, getLoadStoreAlignment(&I).value());
    };
    if (writes(I))
      Count(/*IsRead=*/false);
    if (reads(I))
      Count(/*IsRead=*/true);
  }
  // Nothing is on its way together.
  if (Way.parting() &&
      none_of(Together, [](const auto &Of) { return Of.first.getInt(); }))
    return 1;
  // Stores of other blocks would come between those that fill a sector.
  if (any_of(Together, [](const auto &Of) {
        return !Of.first.getInt() && Of.second.areOfParts();
      }))
    return 1;
  const uint64_t Bytes =
      movedBytes(Together) + (IsSparse ? 0 : movedBytes(Apart) / 2);
  return Bytes <= 4 ? 8 : Bytes <= 12 ? 4 : Bytes <= 24 ? 2 : 1;
}

/// Does each block by itself go round a loop that computes only? It waits for
/// no memory that blocks beside it could wait for together, and how long it
/// takes differs between blocks, so that a thread with several is the last.
static bool computesApart(const SharedWay &Way, const LoopInfo &LI) {
  return any_of(LI.getLoopsInPreorder(), [&](const Loop *L) {
    return L->isInnermost() && Way.isApart(*L->getHeader()) &&
           none_of(L->blocks(), [](const BasicBlock *BB) {
             return any_of(*BB, [](const Instruction &I) {
               return I.mayReadOrWriteMemory();
             });
           });
  });
}

unsigned sluice::blocksTogether(const Function &F, const SharedWay &Way,
                                const LoopInfo &LI, unsigned Asked) {
  const uint64_t Instructions = count_if(instructions(F), [&](const auto &I) {
    return Way.isApart(*I.getParent()) || Way.depends().varies(&I);
  });
  const uint64_t Shared = declaredShared(F).StaticBytes;
  unsigned Blocks = Asked                    ? Asked
                    : computesApart(Way, LI) ? 1
                                             : blocksForMemory(F, Way, LI);
  while (Blocks > 1 && (Instructions * Blocks > MostInstructions ||
                        Shared * Blocks > MostSharedBytes))
    Blocks /= 2;
  return Blocks;
}
