// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The forms that only the decoder needs come last, so that what is before them,
// above all contraction, sees the blocks that NVPTX would.

#include "Prepare.h"
#include "ReadUse.h"
#include "sluice/Analysis/AnalysisManagers.h"
#include "sluice/Analysis/CacheHintMetadata.h"
#include "sluice/Analysis/KernelFunction.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/Transforms/Scalar/DCE.h"
#include "llvm/Transforms/Scalar/InferAddressSpaces.h"
#include "llvm/Transforms/Utils/FixIrreducible.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/LowerMemIntrinsics.h"
#include "llvm/Transforms/Utils/LowerSwitch.h"
#include "llvm/Transforms/Utils/UnifyFunctionExitNodes.h"
#include "llvm/Transforms/Vectorize/LoadStoreVectorizer.h"

using namespace llvm;
using namespace sluice;

extern "C" void LLVMInitializeNVPTXTargetInfo();
extern "C" void LLVMInitializeNVPTXTarget();
extern "C" void LLVMInitializeNVPTXTargetMC();
extern "C" void LLVMInitializeNVPTXAsmPrinter();

Expected<std::unique_ptr<TargetMachine>>
sluice::emulator::makeTargetMachine(StringRef GPU) {
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter(); // to count registers
  Triple NVPTX("nvptx64-nvidia-cuda");
  std::string Problem;
  const Target *T = TargetRegistry::lookupTarget(NVPTX, Problem);
  if (!T)
    return createStringError("this LLVM has no NVPTX target: " + Problem);
  return std::unique_ptr<TargetMachine>(
      T->createTargetMachine(NVPTX, GPU, "", TargetOptions(), std::nullopt));
}

// Everything that goes through \p Pointer only reads.
static bool onlyRead(Value *Pointer) {
  SmallVector<Value *, 8> Work = {Pointer};
  SmallPtrSet<Value *, 16> Seen;
  while (!Work.empty()) {
    Value *V = Work.pop_back_val();
    if (!Seen.insert(V).second)
      continue;
    for (User *U : V->users()) {
      if (isa<GetElementPtrInst, AddrSpaceCastInst, PHINode, SelectInst>(U))
        Work.push_back(U);
      else if (auto *M = dyn_cast<MemTransferInst>(U);
               M && M->getRawDest() != V)
        continue;
      else if (!isa<LoadInst>(U) && !isa<ICmpInst>(U))
        return false;
    }
  }
  return true;
}

// A parameter passed by value is the callee's own copy. A kernel's lies in the
// parameter buffer, which cannot be written; elsewhere it is the caller's.
static void copyByValue(Function &F) {
  const DataLayout &DL = F.getParent()->getDataLayout();
  for (Argument &A : F.args()) {
    Type *T = A.getParamByValType();
    if (!T || A.use_empty())
      continue;
    IRBuilder<> IR(&*F.getEntryBlock().getFirstInsertionPt());
    if (onlyRead(&A)) {
      if (!isKernel(F))
        continue;
      Value *Parameter =
          IR.CreateAddrSpaceCast(&A, PointerType::get(F.getContext(), 101));
      Value *Back = IR.CreateAddrSpaceCast(Parameter, A.getType());
      A.replaceUsesWithIf(Back,
                          [&](Use &U) { return U.getUser() != Parameter; });
      continue;
    }
    AllocaInst *Copy = IR.CreateAlloca(T);
    Copy->setAlignment(A.getParamAlign().valueOrOne());
    A.replaceAllUsesWith(Copy);
    IR.CreateMemCpy(Copy, Copy->getAlign(), &A, A.getParamAlign(),
                    DL.getTypeAllocSize(T));
  }
}

// CUDA: a pointer that comes in a kernel's parameters points to global memory.
static void pointersAreGlobal(Function &F) {
  if (!isKernel(F))
    return;
  auto *Global = PointerType::get(F.getContext(), 1);
  auto CastThere = [&](Value *V, IRBuilder<> &IR) {
    auto *There = cast<Instruction>(IR.CreateAddrSpaceCast(V, Global));
    Value *Back = IR.CreateAddrSpaceCast(There, V->getType());
    V->replaceUsesWithIf(Back, [&](Use &U) { return U.getUser() != There; });
  };
  for (Argument &A : F.args())
    if (A.getType()->isPointerTy() && !A.hasByValAttr() && !A.use_empty() &&
        A.getType()->getPointerAddressSpace() == 0) {
      IRBuilder<> IR(&*F.getEntryBlock().getFirstInsertionPt());
      CastThere(&A, IR);
    }
}

// Local variables are in local memory, though LLVM gives them generic pointers.
static void allocasAreLocal(Function &F) {
  SmallVector<AllocaInst *, 8> Allocas;
  for (BasicBlock &B : F)
    for (Instruction &I : B)
      if (auto *A = dyn_cast<AllocaInst>(&I);
          A && !A->use_empty() && A->getAddressSpace() == 0)
        Allocas.push_back(A);
  for (AllocaInst *A : Allocas) {
    IRBuilder<> IR(A->getNextNode());
    auto *There = cast<Instruction>(
        IR.CreateAddrSpaceCast(A, PointerType::get(F.getContext(), 5)));
    Value *Back = IR.CreateAddrSpaceCast(There, A->getType());
    A->replaceUsesWithIf(Back, [&](Use &U) {
      return U.getUser() != There && !isa<LifetimeIntrinsic>(U.getUser());
    });
  }
}

// Results that differ from lane to lane though no operand does: UniformityInfo
// does not know, but takes the result of a plain call to be divergent.
static void markDivergent(Function &F) {
  for (BasicBlock &B : F)
    for (Instruction &I : B) {
      auto *Call = dyn_cast<IntrinsicInst>(&I);
      if (!Call)
        continue;
      StringRef Name = Call->getCalledFunction()->getName();
      bool Shuffle = Name.starts_with("llvm.nvvm.shfl.");
      if (!(Shuffle || Name.starts_with("llvm.nvvm.elect.") ||
            Name.starts_with("llvm.nvvm.read.ptx.sreg.lanemask.") ||
            Name.starts_with("llvm.nvvm.read.ptx.sreg.laneid") ||
            Name.starts_with("llvm.nvvm.match.") ||
            Name.starts_with("llvm.nvvm.mbarrier.")))
        continue;
      std::string Plain = ("sluice." + Name).str();
      FunctionCallee Callee =
          F.getParent()->getOrInsertFunction(Plain, Call->getFunctionType());
      Call->setCalledFunction(Callee);
    }
}

// A small copy of known size, as instruction selection makes it: all loads,
// then all stores, as wide as the alignment allows.
static bool expandSmallCopy(MemTransferInst &M) {
  auto *Length = dyn_cast<ConstantInt>(M.getLength());
  if (!Length || Length->getZExtValue() > 128)
    return false;
  IRBuilder<> IR(&M);
  const CacheHint Hint = usableCacheHint(M);
  uint64_t Align = std::min(M.getSourceAlign().valueOrOne().value(),
                            M.getDestAlign().valueOrOne().value());
  SmallVector<std::pair<Value *, uint64_t>, 16> Pieces;
  uint64_t Bytes = Length->getZExtValue();
  for (uint64_t At = 0; At < Bytes;) {
    uint64_t Size = std::min<uint64_t>(Align, 8);
    while (Size > Bytes - At)
      Size /= 2;
    Value *From =
        IR.CreateConstInBoundsGEP1_64(IR.getInt8Ty(), M.getRawSource(), At);
    LoadInst *Piece = IR.CreateAlignedLoad(
        IR.getIntNTy(8 * Size), From, commonAlignment(llvm::Align(Align), At),
        M.isVolatile());
    sluice::emulator::markStructCopy(*Piece);
    setCacheHint(*Piece, Hint);
    Pieces.push_back({Piece, At});
    At += Size;
  }
  for (auto [V, At] : Pieces)
    IR.CreateAlignedStore(
        V, IR.CreateConstInBoundsGEP1_64(IR.getInt8Ty(), M.getRawDest(), At),
        commonAlignment(llvm::Align(Align), At), M.isVolatile());
  return true;
}

// A store of what a cp.async copies.
static constexpr char AsyncCopy[] = "sluice.async.copy";

bool sluice::emulator::isOfAsyncCopy(const StoreInst &Store) {
  return Store.getMetadata(AsyncCopy);
}

// cp.async of a fixed size becomes a load and a marked store, which the
// vectoriser must not see. With a size of the source it becomes inline PTX.
static void expandAsyncCopies(Function &F) {
  for (BasicBlock &B : F)
    for (Instruction &I : make_early_inc_range(B)) {
      auto *Call = dyn_cast<IntrinsicInst>(&I);
      if (!Call)
        continue;
      StringRef Name = Call->getCalledFunction()->getName(), Size = Name;
      if (!Size.consume_front("llvm.nvvm.cp.async.ca.shared.global.") &&
          !Size.consume_front("llvm.nvvm.cp.async.cg.shared.global."))
        continue;
      const bool HasSourceBytes = Size.consume_back(".s");
      unsigned Bytes = 0;
      if (Size.getAsInteger(10, Bytes))
        continue;
      IRBuilder<> IR(Call);
      Value *To = Call->getArgOperand(0), *From = Call->getArgOperand(1);
      if (HasSourceBytes) {
        const std::string Text =
            ("cp.async." + Name.substr(19, 2) + ".shared.global [$0], [$1], " +
             Twine(Bytes) + ", $2;")
                .str();
        SmallVector<Value *, 3> Operands(Call->args());
        IR.CreateCall(InlineAsm::get(Call->getFunctionType(), Text, "r,l,r",
                                     /*hasSideEffects=*/true),
                      Operands);
      } else {
        auto *Words = FixedVectorType::get(IR.getInt32Ty(), Bytes / 4);
        LoadInst *Data = IR.CreateAlignedLoad(Words, From, llvm::Align(Bytes));
        IR.CreateAlignedStore(Data, To, llvm::Align(Bytes))
            ->setMetadata(AsyncCopy, MDNode::get(F.getContext(), {}));
      }
      Call->eraseFromParent();
    }
}

static void expandMemoryIntrinsics(Function &F, TargetTransformInfo &TTI) {
  SmallVector<MemIntrinsic *, 4> Calls;
  for (BasicBlock &B : F)
    for (Instruction &I : B)
      if (auto *M = dyn_cast<MemIntrinsic>(&I))
        Calls.push_back(M);
  for (MemIntrinsic *M : Calls) {
    auto *Transfer = dyn_cast<MemTransferInst>(M);
    if (Transfer && expandSmallCopy(*Transfer)) {
      M->eraseFromParent();
      continue;
    }
    if (auto *Copy = dyn_cast<MemCpyInst>(M))
      expandMemCpyAsLoop(Copy, TTI);
    else if (auto *Move = dyn_cast<MemMoveInst>(M)) {
      if (!expandMemMoveAsLoop(Move, TTI))
        continue; // between address spaces: the decoder says so
    } else if (auto *Set = dyn_cast<MemSetInst>(M))
      expandMemSetAsLoop(Set);
    M->eraseFromParent();
  }
}

// llvm.vector.reduce.*: element after element, which is the order that an fadd
// without `reassoc` demands.
static void expandReductions(Function &F) {
  SmallVector<IntrinsicInst *, 4> Calls;
  for (BasicBlock &B : F)
    for (Instruction &I : B)
      if (auto *Call = dyn_cast<IntrinsicInst>(&I);
          Call && Call->getCalledFunction()->getName().starts_with(
                      "llvm.vector.reduce."))
        Calls.push_back(Call);
  for (IntrinsicInst *Call : Calls) {
    const Intrinsic::ID Id = Call->getIntrinsicID();
    Value *Vector = Call->getArgOperand(Call->arg_size() - 1);
    IRBuilder<> IR(Call);
    IR.setFastMathFlags(isa<FPMathOperator>(Call) ? Call->getFastMathFlags()
                                                  : FastMathFlags());
    // fadd and fmul begin with a scalar.
    Value *Sum = Call->arg_size() > 1 ? Call->getArgOperand(0) : nullptr;
    unsigned N = cast<FixedVectorType>(Vector->getType())->getNumElements();
    for (unsigned I = 0; I < N; ++I) {
      Value *Element = IR.CreateExtractElement(Vector, I);
      if (!Sum)
        Sum = Element;
      else if (unsigned Opcode = getArithmeticReductionInstruction(Id);
               Opcode && Opcode != Instruction::ICmp &&
               Opcode != Instruction::FCmp)
        Sum = IR.CreateBinOp(Instruction::BinaryOps(Opcode), Sum, Element);
      else
        Sum = IR.CreateBinaryIntrinsic(getMinMaxReductionIntrinsicOp(Id), Sum,
                                       Element);
    }
    Call->replaceAllUsesWith(Sum);
    Call->eraseFromParent();
  }
}

// Minima and maxima of integers of other widths than the hardware has.
static void expandOddMinMax(Function &F) {
  SmallVector<MinMaxIntrinsic *, 4> Calls;
  for (BasicBlock &B : F)
    for (Instruction &I : B)
      if (auto *Call = dyn_cast<MinMaxIntrinsic>(&I)) {
        unsigned Bits = Call->getType()->getScalarSizeInBits();
        if (Bits != 8 && Bits != 16 && Bits != 32 && Bits != 64)
          Calls.push_back(Call);
      }
  for (MinMaxIntrinsic *Call : Calls) {
    IRBuilder<> IR(Call);
    Value *First =
        IR.CreateICmp(Call->getPredicate(), Call->getLHS(), Call->getRHS());
    Call->replaceAllUsesWith(
        IR.CreateSelect(First, Call->getLHS(), Call->getRHS()));
    Call->eraseFromParent();
  }
}

// Lanes may leave a loop in different iterations, each group by a branch that
// all its lanes take alike: UniformityInfo then takes a value that is the same
// in all lanes of an iteration to be the same in all lanes behind the loop,
// too. Its phis there get what a plain call gives, which is divergent. True if
// something was done: branches may have become divergent by it.
static bool keepIterationsApart(Function &F, FunctionAnalysisManager &FAM) {
  UniformityInfo &Uniformity = FAM.getResult<UniformityInfoAnalysis>(F);
  SmallVector<std::pair<PHINode *, const Loop *>, 8> Phis;
  for (const Loop *L : FAM.getResult<LoopAnalysis>(F).getLoopsInPreorder()) {
    SmallVector<BasicBlock *, 4> Exits;
    L->getUniqueExitBlocks(Exits);
    bool DivergentInside = any_of(L->blocks(), [&](const BasicBlock *B) {
      return Uniformity.hasDivergentTerminator(*B);
    });
    if (L->getExitingBlock() || !DivergentInside)
      continue;
    for (BasicBlock *Exit : Exits)
      for (PHINode &Phi : Exit->phis())
        if (!Uniformity.isDivergent(&Phi))
          Phis.push_back({&Phi, L});
  }
  bool Changed = false;
  for (auto [Phi, L] : Phis) {
    // A block may be the phi's predecessor twice.
    DenseMap<BasicBlock *, CallInst *> Calls;
    for (Use &U : Phi->incoming_values()) {
      auto *Defined = dyn_cast<Instruction>(U.get());
      if (!Defined || !L->contains(Defined))
        continue;
      BasicBlock *From = Phi->getIncomingBlock(U);
      CallInst *&Call = Calls[From];
      if (!Call) {
        std::string Name;
        raw_string_ostream(Name) << "sluice.divergent." << *Phi->getType();
        Call = CallInst::Create(
            F.getParent()->getOrInsertFunction(
                Name,
                FunctionType::get(Phi->getType(), {Phi->getType()}, false)),
            {Defined}, "", From->getTerminator()->getIterator());
      }
      U.set(Call);
      Changed = true;
    }
  }
  return Changed;
}

void sluice::emulator::prepareModule(Module &M, TargetMachine &TM,
                                     ContractionMode Contract) {
  PassBuilder PB(&TM);
  AnalysisManagers Analyses(PB);
  FunctionAnalysisManager &FAM = Analyses.OfFunctions;

  for (Function &F : M) {
    if (F.isDeclaration())
      continue;
    removeUnreachableBlocks(F);
    copyByValue(F);
    pointersAreGlobal(F);
    allocasAreLocal(F);
    markDivergent(F);
    expandMemoryIntrinsics(F, FAM.getResult<TargetIRAnalysis>(F));
    FAM.clear(F, F.getName());

    FunctionPassManager Before;
    Before.addPass(InferAddressSpacesPass(0));
    if (!F.hasOptNone()) {
      Before.addPass(LoadStoreVectorizerPass());
      Before.addPass(DCEPass());
    }
    keepCacheHints(F, [&] { Before.run(F, FAM); });
    expandAsyncCopies(F);
    expandReductions(F);
    expandOddMinMax(F);
    expandWideIntegers(F);
    if (!F.hasOptNone()) {
      // LLVM's own, by its name since it has no header: a product that is used
      // once is fused also with a sum in another block.
      FunctionPassManager Peephole;
      cantFail(PB.parsePassPipeline(Peephole, "nvptx-ir-peephole"));
      Peephole.run(F, FAM);
      for (BasicBlock &Block : F)
        contractMultiplyAdd(Block, Contract);
    }
    FAM.clear(F, F.getName());

    FunctionPassManager After;
    After.addPass(LowerSwitchPass());
    After.addPass(FixIrreduciblePass());
    if (!isKernel(F))
      After.addPass(UnifyFunctionExitNodesPass());
    After.addPass(LoopSimplifyPass());
    After.addPass(LCSSAPass());
    After.run(F, FAM);
    do
      FAM.clear(F, F.getName());
    while (keepIterationsApart(F, FAM));
    FAM.clear(F, F.getName());
  }
}
