// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel beside each small one that does the work of several blocks in one:
//
//   __global__ void add(float *a, const float *b, int n) {
//     int i = blockIdx.x * blockDim.x + threadIdx.x;
//     ...
//   }
// stays, and there is
//   __global__ void merged(float *a, const float *b, int n, int blocks) {
//     int block = blockIdx.x * blockDim.z + threadIdx.z;
//     if (block >= blocks)
//       return;
//     int i = block * blockDim.x + threadIdx.x;
//     ...
//   }
//
// A block of it has the program's first two dimensions, and as many layers as
// it takes blocks. So all but four of the numbers that a thread may ask for are
// the program's own: blockIdx.x, gridDim.x, threadIdx.z and blockDim.z. The
// host launches it where a grid is large and its blocks are small
// (CarveoutPass.cpp). What a launch by other means finds is the program's
// kernel.
//
// It is a copy of the code as it comes out, so LLVM's passes run once. Where it
// helps, each thread of it does the work of several blocks side by side
// (BlocksSideBySide.cpp).

#include "BlockWork.h"
#include "BlocksSideBySide.h"
#include "sluice/Analysis/AccessAnalysis.h"
#include "sluice/Analysis/InlinePTX.h"
#include "sluice/Analysis/KernelFunction.h"
#include "sluice/Analysis/SharedMemory.h"
#include "sluice/Analysis/ThreadUniformity.h"
#include "sluice/Plan/HostRecord.h"
#include "sluice/Target/MergedBlocks.h"
#include "sluice/Transforms/LoopRounding.h"
#include "sluice/Transforms/PassByName.h"
#include "sluice/Transforms/PlacedRemarks.h"
#include "sluice/Transforms/PlanMetadata.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace sluice;

#define DEBUG_TYPE "sluice-merged-blocks"

STATISTIC(NumMerged, "Kernels that do the work of several blocks in one");

/// More than so many are not over before the GPU begins the next block, and
/// would be much code twice.
static constexpr unsigned MostInstructions = 300;

/// What all GPUs take (CUDA C++ Programming Guide, "Function Parameters").
static constexpr unsigned MostParameterBytes = 4096;

/// What a thread may ask for that is the same in the merged block, or that this
/// pass replaces.
static bool isKnownNumber(Intrinsic::ID Id) {
  switch (Id) {
  case Intrinsic::nvvm_read_ptx_sreg_tid_x:
  case Intrinsic::nvvm_read_ptx_sreg_tid_y:
  case Intrinsic::nvvm_read_ptx_sreg_tid_z:
  case Intrinsic::nvvm_read_ptx_sreg_ntid_x:
  case Intrinsic::nvvm_read_ptx_sreg_ntid_y:
  case Intrinsic::nvvm_read_ptx_sreg_ntid_z:
  case Intrinsic::nvvm_read_ptx_sreg_ctaid_x:
  case Intrinsic::nvvm_read_ptx_sreg_ctaid_y:
  case Intrinsic::nvvm_read_ptx_sreg_ctaid_z:
  case Intrinsic::nvvm_read_ptx_sreg_nctaid_x:
  case Intrinsic::nvvm_read_ptx_sreg_nctaid_y:
  case Intrinsic::nvvm_read_ptx_sreg_nctaid_z:
  case Intrinsic::nvvm_read_ptx_sreg_warpsize:
    return true;
  default:
    return false;
  }
}

/// Assembly that computes, or accesses global memory, with no register but its
/// operands.
static bool isOfOneThread(const CallBase &Call, StringRef Text) {
  if (Text.contains('%'))
    return false;
  const bool IsAccess = Text.starts_with("ld.global.") ||
                        Text.starts_with("st.global.") ||
                        Text.starts_with("prefetch.global.");
  return isArithmeticPTX(Call) || (IsAccess && Text.count(';') == 1);
}

/// Is all known that \p Call does, and needs?
static bool isKnown(const CallBase &Call) {
  if (const auto *Asm = dyn_cast<InlineAsm>(Call.getCalledOperand()))
    return isOfOneThread(Call, Asm->getAsmString());
  if (isKnownTogether(Call))
    return true;
  const auto *Known = dyn_cast<IntrinsicInst>(&Call);
  if (!Known || Known->isConvergent())
    return false;
  if (Known->getCalledFunction()->getName().contains(".sreg."))
    return isKnownNumber(Known->getIntrinsicID());
  switch (Known->getIntrinsicID()) {
  case Intrinsic::assume:
  case Intrinsic::sideeffect:
  case Intrinsic::experimental_noalias_scope_decl:
    return true;
  default:
    // Operations of tensor cores are of a warp, and say no more than this.
    return (Known->hasFnAttr(Attribute::NoSync) ||
            (isa<MemIntrinsic>(Known) && !Known->isVolatile())) &&
           (Known->onlyAccessesArgMemory() || Known->doesNotAccessMemory());
  }
}

/// Where \p I is an atomic operation, if it is one.
static const Value *atomicPlace(const Instruction &I) {
  if (const auto *Update = dyn_cast<AtomicRMWInst>(&I))
    return Update->getPointerOperand();
  const auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&I);
  return Exchange ? Exchange->getPointerOperand() : nullptr;
}

/// Bytes of all parameters, as they lie one behind the other.
static uint64_t parameterBytes(const Function &F) {
  const DataLayout &DL = F.getDataLayout();
  uint64_t Bytes = 0;
  for (const Argument &Parameter : F.args()) {
    Type *Ty = Parameter.getParamByValType();
    Ty = Ty ? Ty : Parameter.getType();
    const Align Begin =
        Parameter.getParamAlign().value_or(DL.getABITypeAlign(Ty));
    Bytes = alignTo(Bytes, Begin) + DL.getTypeAllocSize(Ty);
  }
  return Bytes;
}

/// Does \p I ask for what is always 0 or 1 in the merged kernel?
static bool asksForLayers(const Instruction &I) {
  const auto *Read = dyn_cast<IntrinsicInst>(&I);
  return Read &&
         (Read->getIntrinsicID() == Intrinsic::nvvm_read_ptx_sreg_tid_z ||
          Read->getIntrinsicID() == Intrinsic::nvvm_read_ptx_sreg_ntid_z);
}

/// Why the blocks of \p F cannot be parts of a larger one; empty: they can.
static StringRef whyNot(const Function &F) {
  for (StringRef Fixed : {"nvvm.reqntid", "nvvm.cluster_dim",
                          "nvvm.maxclusterrank", "nvvm.blocksareclusters"})
    if (F.hasFnAttribute(Fixed))
      return "its blocks have a size, or are in clusters";
  if (alignTo(parameterBytes(F), 4) + 4 > MostParameterBytes)
    return "its parameters leave no room for one more";
  if (F.getInstructionCount() > MostInstructions)
    return "it is no small one";
  for (const Instruction &I : instructions(F)) {
    if (const auto *Call = dyn_cast<CallBase>(&I); Call && !isKnown(*Call))
      return "threads of a block or a warp work together in it, or it calls "
             "something";
    // The assembler adds up what a warp adds to one place, if it knows that it
    // is one: of a layer it does not.
    if (const Value *Place = atomicPlace(I); Place && !mayDifferByLane(*Place))
      return "it has atomics of one place for all threads of a warp";
  }
  // It may be one of constants then, and be rounded before it is added.
  if (any_of(instructions(F), asksForLayers) &&
      any_of(instructions(F), isFusedProduct))
    return "a product in it may depend on the third dimension";
  return "";
}

/// The most threads of a block that has little more to do than to begin. How
/// often loops go round is not known: once. (Where they go round often, merged
/// blocks took as long as others.)
static unsigned mostThreadsToMerge(Function &F, const LoopInfo &LI) {
  uint64_t Bytes = 0;
  for (const Instruction &I : instructions(F)) {
    // What loops load again is in the L1, as far as is known.
    if (isa<LoadInst, StoreInst>(I) && !LI.getLoopFor(I.getParent()) &&
        isGlobalPointer(getLoadStorePointerOperand(&I)))
      Bytes += F.getDataLayout().getTypeStoreSize(getLoadStoreType(&I));
  }
  return sluice::mostThreadsToMerge(F.getInstructionCount(), Bytes);
}

namespace {

/// Makes the kernel beside one.
class BlockMerger {
public:
  BlockMerger(Function &F, const MergedForm &Form, const Instruction *Parting,
              WrongRewrite Wrong)
      : F(F), Form(Form), Parting(Parting), Wrong(Wrong) {}
  void run();

private:
  Function *copy();
  void askForBlock();
  void replaceNumbers();
  void adaptBounds();

  Function &F;
  const MergedForm Form;
  const Instruction *Parting; ///< Where blocks part; of the copy, if it is one.
  const WrongRewrite Wrong;
  BasicBlock *Work = nullptr;
  Function *Merged = nullptr;
  Value *Block = nullptr; ///< Of the program's grid.
};

} // namespace

/// \p F with one parameter more, by the merged kernel's name.
Function *BlockMerger::copy() {
  SmallVector<Type *, 8> Types(F.getFunctionType()->params());
  Types.push_back(Type::getInt32Ty(F.getContext()));
  Function *Copy = Function::Create(
      FunctionType::get(F.getReturnType(), Types, false), F.getLinkage(),
      F.getAddressSpace(), mergedName(F.getName().str(), Form), F.getParent());
  ValueToValueMapTy Map;
  for (auto [Old, New] : zip(F.args(), Copy->args())) {
    New.setName(Old.getName());
    Map[&Old] = &New;
  }
  SmallVector<ReturnInst *, 4> Returns;
  CloneFunctionInto(Copy, &F, Map, CloneFunctionChangeType::LocalChangesOnly,
                    Returns);
  if (Parting)
    Parting = cast<Instruction>(&*Map[Parting]);
  Copy->setCallingConv(F.getCallingConv());
  return Copy;
}

void BlockMerger::askForBlock() {
  BasicBlock &Entry = Merged->getEntryBlock();
  Work = SplitBlock(&Entry, Entry.getFirstNonPHIOrDbgOrAlloca()->getIterator());
  Entry.getTerminator()->eraseFromParent();
  IRBuilder<> B(&Entry);
  auto Read = [&](Intrinsic::ID Id) -> Value * {
    return B.CreateIntrinsic(Id, {});
  };
  Value *Layers = Read(Intrinsic::nvvm_read_ptx_sreg_ntid_z);
  Block = B.CreateMul(Read(Intrinsic::nvvm_read_ptx_sreg_ctaid_x), Layers);
  if (Wrong != WrongRewrite::OneBlock)
    Block = B.CreateAdd(Block, Read(Intrinsic::nvvm_read_ptx_sreg_tid_z));
  Value *Blocks = Merged->getArg(Merged->arg_size() - 1);
  if (Form.Together > 1) {
    Block = B.CreateMul(Block, B.getInt32(Form.Together));
    return;
  }
  BasicBlock *Empty = BasicBlock::Create(F.getContext(), "", Merged);
  ReturnInst::Create(F.getContext(), Empty);
  B.CreateCondBr(B.CreateICmpULT(Block, Blocks), Work, Empty);
}

void BlockMerger::replaceNumbers() {
  Type *I32 = Type::getInt32Ty(F.getContext());
  Value *Blocks = Merged->getArg(Merged->arg_size() - 1);
  auto InPlaceOf = [&](Intrinsic::ID Id) -> Value * {
    switch (Id) {
    case Intrinsic::nvvm_read_ptx_sreg_ctaid_x:
      return Block;
    case Intrinsic::nvvm_read_ptx_sreg_nctaid_x:
      return Blocks;
    case Intrinsic::nvvm_read_ptx_sreg_tid_z:
      return ConstantInt::get(I32, 0);
    case Intrinsic::nvvm_read_ptx_sreg_ntid_z:
      return ConstantInt::get(I32, 1);
    default:
      return nullptr;
    }
  };
  for (BasicBlock &Of : drop_begin(*Merged))
    for (Instruction &I : make_early_inc_range(Of))
      if (auto *Read = dyn_cast<IntrinsicInst>(&I))
        if (Value *Instead = InPlaceOf(Read->getIntrinsicID())) {
          Read->replaceAllUsesWith(Instead);
          Read->eraseFromParent();
        }
}

/// What launch bounds say of the program's blocks, of the merged ones.
void BlockMerger::adaptBounds() {
  constexpr char Threads[] = "nvvm.maxntid", Blocks[] = "nvvm.minctasm";
  const auto Most = mostThreads(F);
  if (Form.Together > 1) {
    Merged->addFnAttr(Threads, std::to_string(std::max<uint64_t>(
                                   Most.value_or(1024), MergedThreads)));
    Merged->removeFnAttr(Blocks);
    return;
  }
  if (!Most)
    return;
  Merged->addFnAttr(Threads, std::to_string(MergedThreads));
  if (!Merged->hasFnAttribute(Blocks))
    return;
  const uint64_t Fewest =
      F.getFnAttributeAsParsedInteger(Blocks) * *Most / MergedThreads;
  Merged->removeFnAttr(Blocks);
  if (Fewest > 0)
    Merged->addFnAttr(Blocks, std::to_string(Fewest));
}

void BlockMerger::run() {
  Merged = copy();
  askForBlock();
  replaceNumbers();
  if (Form.Together > 1)
    placeSideBySide(*Work, *cast<Instruction>(Block),
                    *Merged->getArg(Merged->arg_size() - 1), Form.Together,
                    Parting, Wrong == WrongRewrite::OtherBlock);
  adaptBounds();
  ++NumMerged;
}

static void report(Function &F, const MergedForm &Form) {
  OptimizationRemarkEmitter Remarks(&F);
  Remarks.emit([&] {
    OptimizationRemark R(DEBUG_TYPE, "Merged",
                         DiagnosticLocation(F.getSubprogram()),
                         &F.getEntryBlock());
    if (Form.MostThreads)
      R << "large grids of blocks of at most "
        << ore::NV("Most", Form.MostThreads)
        << " threads are launched as blocks of up to "
        << ore::NV("Threads", MergedThreads);
    if (Form.Together > 1)
      R << (Form.MostThreads ? ", and " : "")
        << "each thread of a large grid does the work of "
        << ore::NV("Together", Form.Together) << " blocks side by side";
    return R;
  });
}

static void reportMissed(Function &F, StringRef Why) {
  OptimizationRemarkEmitter Remarks(&F);
  Remarks.emit([&] {
    return OptimizationRemarkMissed(DEBUG_TYPE, "NotMerged",
                                    DiagnosticLocation(F.getSubprogram()),
                                    &F.getEntryBlock())
           << "blocks are launched as the program has them: " << Why;
  });
}

static void reportApart(Function &F, StringRef Why) {
  OptimizationRemarkEmitter Remarks(&F);
  Remarks.emit([&] {
    return OptimizationRemarkMissed(DEBUG_TYPE, "Apart",
                                    DiagnosticLocation(F.getSubprogram()),
                                    &F.getEntryBlock())
           << "no thread does the work of several blocks side by side: " << Why;
  });
}

static bool isKept(const KernelPlan &Kernel) {
  return Kernel.MergesBlocks && !*Kernel.MergesBlocks;
}

/// Does the host set something for the launches of \p F, which the merged
/// kernel would not have?
static bool asksTheHost(const Function &F, const AttachedPlan &Attached) {
  const KernelPlan *Plan = Attached.kernel(F);
  return Plan && requestOf(*Plan);
}

/// Does nothing merge blocks of \p L, whatever is not known of its grid?
static bool staysAsItIs(const LaunchPlan &L, const MergedForm &Form) {
  if (!L.Block.total())
    return false;
  auto Grid = [&](unsigned Axis) -> uint64_t {
    return L.Grid.Sizes[Axis].value_or(1U << 16);
  };
  const auto &Block = L.Block.Sizes;
  return mergedLaunch({Grid(0), Grid(1), Grid(2), *Block[0], *Block[1],
                       *Block[2], L.DynamicSharedBytes.value_or(0)},
                      Form)
             .Row == 0;
}

/// Are there launches in the file, and do all stay as they are? What other
/// files launch is the program's kernel then.
static bool launchesStay(const Function &F, const AttachedPlan &Attached,
                         const MergedForm &Form) {
  const KernelPlan *Plan = Attached.kernel(F);
  return Plan && !Plan->Launches.empty() &&
         all_of(Plan->Launches,
                [&](const LaunchPlan &L) { return staysAsItIs(L, Form); });
}

/// How many blocks a thread of \p F is to do the work of.
static unsigned chooseTogether(Function &F, const SharedWay &Way,
                               const LoopInfo &LI, const Options &Opts) {
  if (Opts.BlocksTogether == 1)
    return 1;
  if (!Way.whyNot().empty()) {
    reportApart(F, Way.whyNot());
    return 1;
  }
  return blocksTogether(F, Way, LI, Opts.BlocksTogether);
}

/// Makes the kernel beside \p F, if there may be one.
static bool merge(Function &F, const LoopInfo &LI,
                  const AttachedPlan &Attached) {
  const StringRef Why = whyNot(F);
  if (!Why.empty()) {
    reportMissed(F, Why);
    return false;
  }
  const SharedWay Way(F, LI);
  const bool HasLayers = !worksTogether(F) && !mayWait(F);
  const MergedForm Form = {
      unsigned(F.arg_size()), HasLayers ? mostThreadsToMerge(F, LI) : 0,
      chooseTogether(F, Way, LI, Attached.Opts), declaredShared(F).IsDynamic,
      unsigned(mostThreads(F).value_or(MostBlockThreads))};
  if (!HasLayers && Form.Together == 1) {
    reportMissed(F, worksTogether(F)
                        ? "threads of a block or a warp work together in it"
                        : "it may wait for another block in a loop");
    return false;
  }
  if (launchesStay(F, Attached, Form)) {
    reportMissed(F, "its launches in this file are of larger blocks or smaller "
                    "grids");
    return false;
  }
  report(F, Form);
  BlockMerger(F, Form, Way.parting(), Attached.Opts.Wrong).run();
  return true;
}

namespace {

struct MergedBlocksPass : PassInfoMixin<MergedBlocksPass> {
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &MAM) {
    if (!M.getTargetTriple().isNVPTX())
      return PreservedAnalyses::all();
    auto &FAM =
        MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
    auto Attached = attachedPlanOrWarning(M, "no blocks are merged");
    if (!Attached || !Attached->Opts.MergeBlocks)
      return PreservedAnalyses::all();
    SmallVector<Function *, 8> Kernels;
    for (Function &F : M)
      if (!F.isDeclaration() && isKernel(F) && !F.hasOptNone() &&
          !mergedKernel(F.getName().str()) &&
          !isKeptFrom(F, *Attached, isKept) && !asksTheHost(F, *Attached))
        Kernels.push_back(&F);
    bool Changed = false;
    for (Function *F : Kernels)
      Changed |= merge(*F, FAM.getResult<LoopAnalysis>(*F), *Attached);
    return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

} // namespace

namespace sluice {
/// The name `sluice-merged-blocks`.
void registerMergedBlocksPass(PassBuilder &PB) {
  registerByName<MergedBlocksPass>(PB, DEBUG_TYPE);
}
} // namespace sluice
