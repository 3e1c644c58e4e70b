// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads arrays in constant memory through the L1:
//
//   %at = getelementptr float, ptr addrspace(4) @ck, i64 %i
//   %x = load float, ptr addrspace(4) %at
// becomes
//   %ck = call ptr asm "mov.b64 $0, $1;", "=l,l"(ptr addrspacecast (@ck))
//   %at = getelementptr float, ptr %ck, i64 %i          ; %ck: at the entry
//   %x = load float, ptr %at, !invariant.load
//
// Constant memory is global memory that two small caches stand before, and a
// generic address reaches it (PTX ISA, "Generic Addressing"). The assembler
// reads a[i] by one of two instructions. ULDC, where all lanes have one i, goes
// to the cache for immediates: where the warps of an SM are at different places
// of the array, they wait for each other's misses. LDC serves lanes with
// different i one address after the other. The L1 knows neither limit
// (docs/passes/constant-arrays.md has the measurement). So two kinds of loads
// are changed: those whose lanes read different elements, and in loops that
// have warps go different ways those of all but the shortest arrays. Warps that
// keep step are served best by ULDC: one of them fetches for all.
//
// ULDC needs the address in a uniform register, which has one value for the
// warp. Where lanes leave a loop about the walk, or the walk itself, at
// different times, its counter cannot be in one, and the assembler reads by
// LDC. With one address for all lanes that is about as fast as the L1, up to
// the size of the cache behind it.
//
// The move hides where the pointer comes from; else LLVM would find out.

#include "SfuMarks.h"
#include "sluice/Analysis/AccessAnalysis.h"
#include "sluice/Analysis/DebugPlace.h"
#include "sluice/Analysis/ThreadUniformity.h"
#include "sluice/Transforms/PassByName.h"
#include "sluice/Transforms/PlacedRemarks.h"
#include "sluice/Transforms/PlanMetadata.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DepthFirstIterator.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Support/NVPTXAddrSpace.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace sluice;

#define DEBUG_TYPE "sluice-constant-arrays"

STATISTIC(NumLoads, "Loads of constant memory that go through the L1");

/// From which size on an array is read faster through the L1 than through the
/// cache for immediates where warps do not keep step, in bytes
/// (benchmarks/micro/constant_arrays.cu).
static constexpr uint64_t LongBytes = 512;

/// The same where the assembler cannot take ULDC. LDC's cache holds 2 KiB; at
/// 4 KiB the L1 is 0.9 to 1.8 times as fast.
static constexpr uint64_t LongBytesByLDC = 4096;

/// The same of a loop without branches that also loads from global memory, in
/// bytes: the cache for immediates has hardly any of such an array.
static constexpr uint64_t LongBytesBesideLoads = 16384;

static constexpr uint64_t WidestAccess = 16;

namespace {

/// The loads of one function.
class ConstantLoads {
public:
  ConstantLoads(Function &F, const AttachedPlan *Attached,
                const LoopInfo &Loops, const PostDominatorTree &Meetings,
                ScalarEvolution &SE)
      : F(F), Attached(Attached), Loops(Loops), Lanes(F), Meetings(Meetings),
        SE(SE) {}

  bool change();

private:
  GlobalVariable *arrayToChange(const LoadInst &Load) const;
  bool keepsStep(const Loop &L, uint64_t Bytes) const;
  bool isLeftApart(const Loop &L) const;
  bool differs(const SCEV *Computed) const;
  bool differs(const Value *Pointer) const;
  bool mayBeInL1(const LoadInst &Load, uint64_t Bytes) const;
  Value *throughL1(Value *Pointer, GlobalVariable &Array);
  Value *baseOf(GlobalVariable &Array);

  Function &F;
  const AttachedPlan *Attached;
  const LoopInfo &Loops;
  /// LLVM's for NVPTX takes each minimum, and blockIdx, for different.
  const ThreadUniformity Lanes;
  const PostDominatorTree &Meetings; ///< Where lanes that parted meet again.
  ScalarEvolution &SE;
  DenseMap<Value *, Value *> Rebuilt; ///< Addresses, through the L1.
};

} // namespace

/// The array in constant memory that \p Pointer points into, by address
/// computations and casts alone; null: none.
static GlobalVariable *constantArrayOf(Value *Pointer) {
  while (true) {
    if (auto *Array = dyn_cast<GlobalVariable>(Pointer))
      return Array->getAddressSpace() == NVPTXAS::ADDRESS_SPACE_CONST ? Array
                                                                      : nullptr;
    if (auto *GEP = dyn_cast<GEPOperator>(Pointer))
      Pointer = GEP->getPointerOperand();
    else if (auto *Cast = dyn_cast<AddrSpaceCastOperator>(Pointer))
      Pointer = Cast->getPointerOperand();
    else
      return nullptr;
  }
}

namespace {

/// What is computed away from the edges of a grid: max(x - r, 0) is x - r
/// there, and min(x, r) is either: r, as x - min(x, r) is the same, or x, as of
/// the grid's other end. Which minima are their bound, \p Bounds says, a bit
/// for each.
class AwayFromEdges : public SCEVRewriteVisitor<AwayFromEdges> {
public:
  AwayFromEdges(ScalarEvolution &SE, unsigned Bounds)
      : SCEVRewriteVisitor(SE), Bounds(Bounds) {}

  const SCEV *visitSMaxExpr(const SCEVSMaxExpr *E) { return side(E, false); }
  const SCEV *visitUMaxExpr(const SCEVUMaxExpr *E) { return side(E, false); }
  const SCEV *visitSMinExpr(const SCEVSMinExpr *E) { return side(E, isNext()); }
  const SCEV *visitUMinExpr(const SCEVUMinExpr *E) { return side(E, isNext()); }

private:
  bool isNext() {
    const bool IsBound = Bounds & 1;
    Bounds >>= 1;
    return IsBound;
  }
  const SCEV *side(const SCEVNAryExpr *Edges, bool IsBound) {
    // A constant comes first.
    if (Edges->getNumOperands() != 2 ||
        !isa<SCEVConstant>(Edges->getOperand(0)))
      return Edges;
    return IsBound ? Edges->getOperand(0) : visit(Edges->getOperand(1));
  }

  unsigned Bounds;
};

} // namespace

/// Of so many minima each choice is tried: of both ends of two dimensions.
static constexpr unsigned MostMinima = 4;

/// Is \p Computed different in the lanes of a warp, also away from edges?
bool ConstantLoads::differs(const SCEV *Computed) const {
  if (isa<SCEVCouldNotCompute>(Computed))
    return true;
  // Differences of 32 bits that were extended with and without a sign.
  Type *I32 = Type::getInt32Ty(F.getContext());
  return all_of(seq(1U << MostMinima), [&](unsigned Bounds) {
    const SCEV *Within = AwayFromEdges(SE, Bounds).visit(Computed);
    return SCEVExprContains(
        SE.getTruncateOrNoop(Within, I32), [&](const SCEV *Part) {
          const auto *Unknown = dyn_cast<SCEVUnknown>(Part);
          return Unknown && !Lanes.isUniform(Unknown->getValue());
        });
  });
}

/// Do lanes read different elements at \p Pointer? A filter is read from its
/// beginning but at edges: (max(x - r, 0) + i) - x + r.
bool ConstantLoads::differs(const Value *Pointer) const {
  if (Lanes.isUniform(Pointer))
    return false;
  const SCEV *Place = SE.getSCEV(const_cast<Value *>(Pointer));
  const auto *Base = dyn_cast<SCEVUnknown>(SE.getPointerBase(Place));
  return !Base || !Lanes.isUniform(Base->getValue()) ||
         differs(SE.removePointerBase(Place));
}

/// Does \p F load from an array in constant memory?
static bool readsConstantArrays(Function &F) {
  return any_of(instructions(F), [](const Instruction &I) {
    const auto *Load = dyn_cast<LoadInst>(&I);
    return Load &&
           constantArrayOf(const_cast<Value *>(Load->getPointerOperand()));
  });
}

/// Is the address other in other iterations of \p L?
static bool changesIn(const Value *Pointer, const Loop &L) {
  const auto *I = dyn_cast<GetElementPtrInst>(Pointer);
  return I && any_of(I->operands(), [&](const Value *Operand) {
           return !L.isLoopInvariant(Operand) || changesIn(Operand, L);
         });
}

/// Are some of the kernel's warps approximate, or all of them? Warps of two
/// versions are at different places, and an approximate loop is so short that
/// its warps wait for nothing but the array. (sluice-sfu-join was before.)
static bool isApproximate(const Function &F) {
  return F.hasFnAttribute(SfuJoinedMark) ||
         F.hasFnAttribute(SfuApproximateMark);
}

/// Does \p L load from global memory, at addresses that it changes?
static bool loadsElsewhere(const Loop &L) {
  return any_of(L.blocks(), [&](const BasicBlock *Block) {
    return any_of(*Block, [&](const Instruction &I) {
      const auto *Load = dyn_cast<LoadInst>(&I);
      return Load &&
             mayBeGlobal(getUnderlyingObject(Load->getPointerOperand())) &&
             !L.isLoopInvariant(Load->getPointerOperand());
    });
  });
}

/// Do all warps do about the same in the loop, so that they are at the same
/// place of an array of so many \p Bytes, and one of them fetches for all? Of
/// those that wait for other loads the cache decides which is ahead.
bool ConstantLoads::keepsStep(const Loop &L, uint64_t Bytes) const {
  return !isApproximate(F) &&
         (Bytes < LongBytesBesideLoads || !loadsElsewhere(L)) &&
         none_of(L.blocks(), [&](const BasicBlock *Block) {
           return Lanes.isDivergent(*Block->getTerminator()) &&
                  (Block != L.getExitingBlock() ||
                   differs(SE.getBackedgeTakenCount(&L)));
         });
}

/// Does \p Block do nothing but end the kernel? Lanes that go there do not wait
/// for the others.
static bool isEnd(const BasicBlock &Block) {
  return isa<ReturnInst>(*Block.getFirstNonPHIOrDbg());
}

/// Do some lanes of a warp go through \p L while others wait for them, so that
/// its counter is not in a uniform register? Only where that is certain.
bool ConstantLoads::isLeftApart(const Loop &L) const {
  return any_of(F, [&](BasicBlock &Block) {
    if (!Lanes.isDivergent(*Block.getTerminator()))
      return false;
    const DomTreeNode *Node = Meetings.getNode(&Block);
    BasicBlock *Meeting = Node ? Node->getIDom()->getBlock() : nullptr;
    if (!Meeting || isEnd(*Meeting))
      return false;
    df_iterator_default_set<BasicBlock *> Seen;
    Seen.insert(Meeting);
    return any_of(successors(&Block), [&](BasicBlock *Way) {
      return is_contained(depth_first_ext(Way, Seen), L.getHeader());
    });
  });
}

/// Does an array of so many bytes have room in the L1 beside the kernel's other
/// data, where the plan knows its launches?
bool ConstantLoads::mayBeInL1(const LoadInst &Load, uint64_t Bytes) const {
  const KernelPlan *Plan = Attached ? Attached->kernel(F) : nullptr;
  if (!Plan || none_of(Plan->Launches, [&](const LaunchPlan &Launch) {
        return Launch.L1Bytes != 0 && 2 * Bytes > Launch.L1Bytes;
      }))
    return true;
  OptimizationRemarkEmitter Remarks(&F);
  emitPlaced(Remarks, Load.getDebugLoc(), [&](const DebugLoc &At) {
    return OptimizationRemarkMissed(DEBUG_TYPE, "NoRoom", At, Load.getParent())
           << "the constant array is not read through the L1: its "
           << ore::NV("Bytes", Bytes)
           << " bytes are more than half of the L1 that a launch leaves";
  });
  return false;
}

GlobalVariable *ConstantLoads::arrayToChange(const LoadInst &Load) const {
  auto *Pointer = const_cast<Value *>(Load.getPointerOperand());
  GlobalVariable *Array = constantArrayOf(Pointer);
  if (!Array || !Load.isSimple() || isa<Constant>(Pointer))
    return nullptr;
  if (Attached && isSwitchedOff(Load, *Attached))
    return nullptr;
  const uint64_t Bytes =
      F.getDataLayout().getTypeAllocSize(Array->getValueType());
  if (!differs(Pointer)) {
    const Loop *L = Loops.getLoopFor(Load.getParent());
    if (!L || Bytes < LongBytes || !changesIn(Pointer, *L) ||
        keepsStep(*L, Bytes))
      return nullptr;
    if (Bytes < LongBytesByLDC && isLeftApart(*L))
      return nullptr;
  }
  return mayBeInL1(Load, Bytes) ? Array : nullptr;
}

/// The generic address of \p Array, that LLVM does not know to be one.
Value *ConstantLoads::baseOf(GlobalVariable &Array) {
  Value *&Base = Rebuilt[&Array];
  if (Base)
    return Base;
  IRBuilder<> B(&*F.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  auto *Move = InlineAsm::get(
      FunctionType::get(B.getPtrTy(), B.getPtrTy(), /*isVarArg=*/false),
      "mov.b64 \t$0, $1;", "=l,l", /*hasSideEffects=*/false);
  Base =
      B.CreateCall(Move, ConstantExpr::getAddrSpaceCast(&Array, B.getPtrTy()),
                   Array.getName());
  cast<CallInst>(Base)->setDoesNotAccessMemory();
  if (Attached && Attached->Opts.Wrong == WrongRewrite::SkewedArray)
    Base = B.CreatePtrAdd(Base, B.getInt64(4));
  return Base;
}

Value *ConstantLoads::throughL1(Value *Pointer, GlobalVariable &Array) {
  if (auto *Known = Rebuilt.lookup(Pointer))
    return Known;
  if (Pointer == &Array)
    return baseOf(Array);
  if (auto *Cast = dyn_cast<AddrSpaceCastOperator>(Pointer))
    return throughL1(Cast->getPointerOperand(), Array);
  auto *GEP = cast<GEPOperator>(Pointer);
  Value *Base = throughL1(GEP->getPointerOperand(), Array);
  auto *I = dyn_cast<Instruction>(Pointer);
  if (!I) { // a constant: behind the base
    IRBuilder<> B(cast<Instruction>(Base)->getNextNode());
    APInt Offset(64, 0);
    const bool IsConstant =
        GEP->accumulateConstantOffset(F.getDataLayout(), Offset);
    assert(IsConstant && "a constant address with a variable offset");
    (void)IsConstant;
    return Rebuilt[Pointer] =
               B.CreatePtrAdd(Base, B.getInt64(Offset.getZExtValue()));
  }
  IRBuilder<> B(I);
  SmallVector<Value *, 4> Indices(GEP->indices());
  return Rebuilt[Pointer] = B.CreateGEP(GEP->getSourceElementType(), Base,
                                        Indices, "", GEP->getNoWrapFlags());
}

/// So that accesses can be joined to wide ones. Not by
/// GlobalValue::canIncreaseAlignment, which thinks of shared libraries, where
/// another definition may come first.
static void align(GlobalVariable &Array) {
  if (Array.isStrongDefinitionForLinker() &&
      Array.getAlign().valueOrOne() < WidestAccess)
    Array.setAlignment(Align(WidestAccess));
}

/// Of an address in constant memory: what the array's own and the steps from
/// there make of it. (LLVM's getKnownAlignment does not look behind casts.)
static Align alignmentOf(const Value *Pointer, const DataLayout &Layout) {
  Align Known(WidestAccess);
  while (!isa<GlobalVariable>(Pointer)) {
    const auto *GEP = dyn_cast<GEPOperator>(Pointer);
    if (!GEP) {
      Pointer = cast<AddrSpaceCastOperator>(Pointer)->getPointerOperand();
      continue;
    }
    const unsigned Bits = Layout.getIndexTypeSizeInBits(GEP->getType());
    SmallMapVector<Value *, APInt, 4> Steps;
    APInt Offset(Bits, 0);
    if (!GEP->collectOffset(Layout, Bits, Steps, Offset))
      return Align(1);
    Known = commonAlignment(Known, Offset.getZExtValue());
    for (const auto &[Index, Step] : Steps)
      Known = commonAlignment(Known, Step.getZExtValue());
    Pointer = GEP->getPointerOperand();
  }
  return std::min(Known,
                  cast<GlobalVariable>(Pointer)->getAlign().valueOrOne());
}

static void say(const LoadInst &Load, const GlobalVariable &Array,
                bool IsEachLanes) {
  OptimizationRemarkEmitter Remarks(Load.getFunction());
  emitPlaced(Remarks, Load.getDebugLoc(), [&](const DebugLoc &At) {
    return OptimizationRemark(DEBUG_TYPE, "ThroughL1", At, Load.getParent())
           << "'" << ore::NV("Array", Array.getName())
           << "' in constant memory is read through the L1: "
           << (IsEachLanes ? "the lanes of a warp read different elements"
                           : "the caches for constants do not hold it");
  });
}

bool ConstantLoads::change() {
  SmallVector<std::pair<LoadInst *, GlobalVariable *>, 8> Found;
  for (Instruction &I : instructions(F))
    if (auto *Load = dyn_cast<LoadInst>(&I))
      if (GlobalVariable *Array = arrayToChange(*Load))
        Found.push_back({Load, Array});
  SmallVector<WeakTrackingVH, 8> Unused;
  SmallPtrSet<const DILocation *, 8>
      Told; // copies of one load are at one place
  for (auto [Load, Array] : Found) {
    Value *Pointer = Load->getPointerOperand();
    const bool IsEachLanes = differs(Pointer);
    align(*Array);
    Load->setAlignment(
        std::max(Load->getAlign(), alignmentOf(Pointer, F.getDataLayout())));
    Load->setOperand(LoadInst::getPointerOperandIndex(),
                     throughL1(Pointer, *Array));
    Load->setMetadata(LLVMContext::MD_invariant_load,
                      MDNode::get(F.getContext(), {}));
    Unused.push_back(Pointer);
    ++NumLoads;
    if (!Load->getDebugLoc() || Told.insert(Load->getDebugLoc().get()).second)
      say(*Load, *Array, IsEachLanes);
  }
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(Unused);
  return !Found.empty();
}

static bool isKept(const KernelPlan &Kernel) {
  return Kernel.ConstantsThroughL1 && !*Kernel.ConstantsThroughL1;
}

namespace {

struct ConstantArraysPass : PassInfoMixin<ConstantArraysPass> {
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &Analyses) {
    if (!M.getTargetTriple().isNVPTX())
      return PreservedAnalyses::all();
    auto Attached =
        attachedPlanOrWarning(M, "constant arrays are read through the L1");
    if (Attached && !Attached->Opts.ConstantArrays)
      return PreservedAnalyses::all();
    auto &FAM =
        Analyses.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
    bool Changed = false;
    for (Function &F : M) {
      if (F.isDeclaration() || !readsConstantArrays(F) ||
          (Attached && isKeptFrom(F, *Attached, isKept)))
        continue;
      Changed |= ConstantLoads(F, Attached ? &*Attached : nullptr,
                               FAM.getResult<LoopAnalysis>(F),
                               FAM.getResult<PostDominatorTreeAnalysis>(F),
                               FAM.getResult<ScalarEvolutionAnalysis>(F))
                     .change();
    }
    return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

} // namespace

namespace sluice {
/// The name `sluice-constant-arrays`.
void registerConstantArraysPass(PassBuilder &PB) {
  registerByName<ConstantArraysPass>(PB, DEBUG_TYPE);
}
} // namespace sluice
