// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// First all parts are numbered and what is to be recorded of each is noted,
// then code is inserted: the table describes the program, not its
// instrumentation.
//
// The code is inline. A call would be shorter, but its registers are the
// caller's to save, in blocks that are not sampled too.
//
//   ld.global.b32 %r16, [%rd4];            // *q = *p
//   st.global.b32 [%rd5], %r16;
//   ret;
//
// is with this pass, without its arithmetic,
//
//   rem.u32       %r12, %r1, %r11;         // the block, modulo the stride
//   setp.ne.b32   %p1, %r12, %r13;         // is it sampled? Asked at the entry
//   ...
//   ld.global.b32 %r16, [%rd4];
//   st.global.b32 [%rd5], %r16;
//   @%p5 bra      out;                     // not sampled
//   activemask.b32 %r2;
//   ...                                    // only the first lane:
//   atom.global.add.u64 %rd23, [__sluice_trace_control+16], %rd1;
//   shfl.sync.idx.b32 %r26, %r25, %r24, 31, %r2;  // where, to the others
//   ...
//   st.global.b64 [%rd14], %rd4;           // each lane its p
//   st.global.b64 [%rd16], %rd5;           // and its q
//   st.global.b64 [%rd3], %rd18;           // the first lane: part and block,
//   st.global.b64 [%rd3+8], %rd22;         // warp and mask
// out:
//   ret;

#include "sluice/Transforms/TracePass.h"
#include "sluice/Analysis/CacheHintMetadata.h"
#include "sluice/Analysis/KernelFunction.h"
#include "sluice/Simulator/IssueOrder.h"
#include "sluice/Simulator/TraceControl.h"
#include "sluice/Simulator/TraceTable.h"
#include "sluice/Target/PTXAssembler.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/Debug.h"
#include "llvm/Support/Path.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Scalar/DCE.h"
#include "llvm/Transforms/Scalar/InferAddressSpaces.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include "llvm/Transforms/Vectorize/LoadStoreVectorizer.h"

using namespace llvm;
using namespace sluice;

#define DEBUG_TYPE "sluice-trace"

STATISTIC(NumParts, "Parts of blocks that are recorded");
STATISTIC(NumAddresses, "Addresses that are recorded");
STATISTIC(NumUnrecorded, "Accesses of memory that records have no place for");

static constexpr unsigned GenericSpace = 0, GlobalSpace = 1;
/// A part that only computes is recorded if it issues so many instructions.
static constexpr unsigned ManyInstructions = 16;

//===- Numbering ----------------------------------------------------------===//

namespace {

/// What is to be inserted.
struct Recording {
  struct Address {
    Value *Pointer;
    bool IsGlobal; ///< Else it may point elsewhere.
  };
  Instruction *Before;
  uint32_t Part;
  SmallVector<Address, 8> Addresses;
};

class Numbering {
public:
  Numbering(TraceTable &Table, const StringMap<AssembledKernel> &Assembled)
      : Table(Table), Assembled(Assembled), Sites(Table.Sites) {}
  std::vector<Recording> number(Function &F, const LoopInfo &Loops);

private:
  void describe(ArrayRef<Instruction *> Part, TracedPart &Of, Recording &R,
                const LoopInfo &Loops);

  TraceTable &Table;
  const StringMap<AssembledKernel> &Assembled;
  SiteTable Sites;
};

} // namespace

static bool isBlockBarrier(const Instruction &I) {
  auto *Call = dyn_cast<CallBase>(&I);
  if (!Call)
    return false;
  if (auto *Asm = dyn_cast<InlineAsm>(Call->getCalledOperand())) {
    StringRef Text = Asm->getAsmString();
    return Text.contains("bar.sync") || Text.contains("barrier.sync");
  }
  const Function *Callee = Call->getCalledFunction();
  StringRef Name = Callee ? Callee->getName() : "";
  return Name.starts_with("llvm.nvvm.barrier") && !Name.contains("cluster") &&
         !Name.contains("arrive");
}

// The accesses of Part, each as one of the addresses that are recorded and a
// distance to it.
void Numbering::describe(ArrayRef<Instruction *> Part, TracedPart &Of,
                         Recording &R, const LoopInfo &Loops) {
  const DataLayout &DL = Part.front()->getModule()->getDataLayout();
  for (Instruction *I : Part) {
    const Value *Pointer = accessedPointer(*I);
    std::optional<uint32_t> Site;
    if (Pointer)
      Site = Sites.access(*I, Loops);
    if (!Site)
      continue;
    TracedPart::Access A;
    A.Site = *Site;
    if (Table.Sites.Accesses[*Site].Space == AccessSite::Local) {
      ++NumUnrecorded;
      continue; // where it is, only the driver knows
    }
    if (Table.Sites.Accesses[*Site].Space == AccessSite::Global) {
      auto *Base = const_cast<Value *>(
          GetPointerBaseWithConstantOffset(Pointer, A.Offset, DL));
      const unsigned Space = Base->getType()->getPointerAddressSpace();
      if (Space != GenericSpace && Space != GlobalSpace) {
        ++NumUnrecorded;
        LLVM_DEBUG(dbgs() << "address space " << Space << ":" << *I << "\n");
        continue;
      }
      auto *Known = find_if(R.Addresses, [&](const Recording::Address &Of) {
        return Of.Pointer == Base;
      });
      A.Address = uint32_t(Known - R.Addresses.begin());
      if (Known == R.Addresses.end())
        R.Addresses.push_back({Base, false});
      R.Addresses[A.Address].IsGlobal |=
          Space == GlobalSpace ||
          Pointer->getType()->getPointerAddressSpace() == GlobalSpace;
    }
    Of.Accesses.push_back(A);
  }
  Of.Addresses = R.Addresses.size();
}

std::vector<Recording> Numbering::number(Function &F, const LoopInfo &Loops) {
  std::vector<Recording> Result;
  unsigned Registers = 32; // a guess
  if (auto Known = Assembled.find(F.getName()); Known != Assembled.end())
    Registers = Known->second.Registers;
  if (isKernel(F)) {
    Sites.kernel(F);
    Table.Kernels.push_back(
        {F.getName().str(), Assembled.count(F.getName()) ? Registers : 0});
  }
  ReversePostOrderTraversal<Function *> Blocks(&F);
  for (BasicBlock *B : Blocks)
    for (Instruction *First = &B->front(); First;) {
      SmallVector<Instruction *, 32> Part = issuePart(*First);
      Instruction *Last = Part.back();
      TracedPart Of;
      Recording R{Last, uint32_t(Table.Parts.size()), {}};
      Of.Steps = issueOrder(Part, Sites, Loops, Registers);
      const Loop *L = Loops.getLoopFor(B);
      Of.Loop = Sites.loop(L);
      Of.BeginsIteration = First == &B->front() && L && L->getHeader() == B;
      Of.EndsInBarrier = isBlockBarrier(*Last);
      describe(Part, Of, R, Loops);
      unsigned Instructions = 0;
      for (const IssueStep &S : Of.Steps)
        Instructions += S.Kind == IssueStep::Issue ? S.Argument : 0;
      if (!Of.Accesses.empty() || Of.BeginsIteration || Of.EndsInBarrier ||
          Instructions >= ManyInstructions) {
        ++NumParts;
        NumAddresses += R.Addresses.size();
        Table.Parts.push_back(std::move(Of));
        Result.push_back(std::move(R));
      }
      First = Last->isTerminator() ? nullptr : Last->getNextNode();
    }
  return Result;
}

//===- Inserting ----------------------------------------------------------===//

namespace {

class Inserter {
public:
  Inserter(Function &F, GlobalVariable &Control) : F(F), Control(Control) {}
  void insert(const Recording &R);

private:
  Value *field(IRBuilder<> &B, unsigned Number, Type *T) {
    return B.CreateLoad(
        T, B.CreateStructGEP(Control.getValueType(), &Control, Number));
  }
  Value *special(IRBuilder<> &B, Intrinsic::ID Id) {
    return B.CreateIntrinsic(B.getInt32Ty(), Id, {});
  }
  Value *block(IRBuilder<> &B);
  Value *warp(IRBuilder<> &B);
  Value *sampled();
  Instruction *onlyIf(Value *Condition, Instruction *Before) {
    return SplitBlockAndInsertIfThen(
        Condition, Before->getIterator(), /*Unreachable=*/false,
        MDBuilder(F.getContext()).createUnlikelyBranchWeights());
  }

  Function &F;
  GlobalVariable &Control;
  Value *Sampled = nullptr;
};

/// Others are behind these.
enum ControlField { Buffer, Capacity, Cursor, FirstBlock, Stride, Others };

} // namespace

static Value *linear(IRBuilder<> &B, ArrayRef<Value *> Index,
                     ArrayRef<Value *> Size) {
  Value *Rows = B.CreateAdd(Index[1], B.CreateMul(Size[1], Index[2]));
  return B.CreateAdd(Index[0], B.CreateMul(Size[0], Rows));
}

Value *Inserter::block(IRBuilder<> &B) {
  return linear(B,
                {special(B, Intrinsic::nvvm_read_ptx_sreg_ctaid_x),
                 special(B, Intrinsic::nvvm_read_ptx_sreg_ctaid_y),
                 special(B, Intrinsic::nvvm_read_ptx_sreg_ctaid_z)},
                {special(B, Intrinsic::nvvm_read_ptx_sreg_nctaid_x),
                 special(B, Intrinsic::nvvm_read_ptx_sreg_nctaid_y)});
}

Value *Inserter::warp(IRBuilder<> &B) {
  Value *Thread = linear(B,
                         {special(B, Intrinsic::nvvm_read_ptx_sreg_tid_x),
                          special(B, Intrinsic::nvvm_read_ptx_sreg_tid_y),
                          special(B, Intrinsic::nvvm_read_ptx_sreg_tid_z)},
                         {special(B, Intrinsic::nvvm_read_ptx_sreg_ntid_x),
                          special(B, Intrinsic::nvvm_read_ptx_sreg_ntid_y)});
  return B.CreateLShr(Thread, 5);
}

Value *Inserter::sampled() {
  if (Sampled)
    return Sampled;
  BasicBlock &Entry = F.getEntryBlock();
  IRBuilder<> B(&*Entry.getFirstNonPHIOrDbgOrAlloca());
  B.SetCurrentDebugLocation(DebugLoc());
  Value *Remainder = B.CreateURem(block(B), field(B, Stride, B.getInt32Ty()));
  Sampled = B.CreateICmpEQ(Remainder, field(B, FirstBlock, B.getInt32Ty()));
  for (unsigned I = 0; I < TracedOthers; ++I)
    Sampled = B.CreateOr(
        Sampled,
        B.CreateICmpEQ(Remainder, field(B, Others + I, B.getInt32Ty())));
  Sampled->setName("sluice.sampled");
  return Sampled;
}

void Inserter::insert(const Recording &R) {
  Instruction *Record = onlyIf(sampled(), R.Before);
  IRBuilder<> B(Record);
  Type *I32 = B.getInt32Ty(), *I64 = B.getInt64Ty();
  Value *Mask = special(B, Intrinsic::nvvm_activemask);
  Value *Below = special(B, Intrinsic::nvvm_read_ptx_sreg_lanemask_lt);
  Value *Rank =
      B.CreateUnaryIntrinsic(Intrinsic::ctpop, B.CreateAnd(Mask, Below));
  Value *Lanes = B.CreateUnaryIntrinsic(Intrinsic::ctpop, Mask);
  Value *IsFirst = B.CreateICmpEQ(Rank, B.getInt32(0));
  Value *Words = B.CreateZExt(
      B.CreateAdd(B.CreateMul(Lanes, B.getInt32(2 * R.Addresses.size())),
                  B.getInt32(TraceRecordWords)),
      I64);

  BasicBlock *Start = Record->getParent();
  B.SetInsertPoint(onlyIf(IsFirst, Record));
  Value *Taken = B.CreateAtomicRMW(
      AtomicRMWInst::Add,
      B.CreateStructGEP(Control.getValueType(), &Control, Cursor), Words,
      Align(8), AtomicOrdering::Monotonic,
      F.getContext().getOrInsertSyncScopeID("device"));
  BasicBlock *Taking = B.GetInsertBlock();
  B.SetInsertPoint(Record);
  PHINode *Place = B.CreatePHI(I64, 2);
  Place->addIncoming(Taken, Taking);
  Place->addIncoming(B.getInt64(0), Start);
  Value *Leader = B.CreateBinaryIntrinsic(Intrinsic::cttz, Mask, B.getTrue());
  auto FromLeader = [&](Value *V) {
    return B.CreateIntrinsic(I32, Intrinsic::nvvm_shfl_sync_idx_i32,
                             {Mask, V, Leader, B.getInt32(31)});
  };
  Value *Low = FromLeader(B.CreateTrunc(Place, I32));
  Value *High = FromLeader(B.CreateTrunc(B.CreateLShr(Place, 32), I32));
  Value *At = B.CreateOr(B.CreateZExt(Low, I64),
                         B.CreateShl(B.CreateZExt(High, I64), 32));
  Value *Fits =
      B.CreateICmpULE(B.CreateAdd(At, Words), field(B, Capacity, I64));

  Record = onlyIf(Fits, Record);
  B.SetInsertPoint(Record);
  Value *Base =
      B.CreateIntToPtr(B.CreateAdd(field(B, Buffer, I64), B.CreateShl(At, 2)),
                       B.getPtrTy(GlobalSpace));
  auto StoreAt = [&](Value *V, Value *Where) {
    B.CreateAlignedStore(V, Where, Align(8));
  };
  for (auto [I, Address] : enumerate(R.Addresses)) {
    Value *Bits = B.CreatePtrToInt(Address.Pointer, I64);
    if (!Address.IsGlobal)
      Bits = B.CreateSelect(B.CreateIntrinsic(B.getInt1Ty(),
                                              Intrinsic::nvvm_isspacep_global,
                                              {Address.Pointer}),
                            Bits, B.getInt64(0));
    Value *Index =
        B.CreateAdd(Rank, B.CreateMul(Lanes, B.getInt32(unsigned(I))));
    Value *Bytes =
        B.CreateAdd(B.CreateShl(Index, 3), B.getInt32(4 * TraceRecordWords));
    StoreAt(Bits, B.CreateGEP(B.getInt8Ty(), Base, B.CreateZExt(Bytes, I64)));
  }
  B.SetInsertPoint(onlyIf(IsFirst, Record));
  auto Both = [&](Value *First, Value *Second) {
    return B.CreateOr(B.CreateZExt(First, I64),
                      B.CreateShl(B.CreateZExt(Second, I64), 32));
  };
  StoreAt(Both(B.getInt32(R.Part), block(B)), Base);
  StoreAt(Both(warp(B), Mask), B.CreateConstGEP1_32(I64, Base, 1));
}

// It writes memory and exchanges between lanes now.
static void forgetAttributes(Function &F) {
  auto Forget = [](auto &Of) {
    for (Attribute::AttrKind K :
         {Attribute::Memory, Attribute::NoSync, Attribute::Speculatable})
      Of.removeFnAttr(K);
  };
  Forget(F);
  F.addFnAttr(Attribute::Convergent);
  for (User *U : F.users())
    if (auto *Call = dyn_cast<CallBase>(U)) {
      Forget(*Call);
      Call->addFnAttr(Attribute::Convergent);
    }
  for (Argument &A : F.args())
    A.removeAttr(Attribute::Captures);
}

//===- The pass -----------------------------------------------------------===//

static StringRef functionAttribute(const Module &M, StringRef Name) {
  for (const Function &F : M)
    if (!F.isDeclaration() && F.hasFnAttribute(Name))
      return F.getFnAttribute(Name).getValueAsString();
  return "";
}

// The registers that the kernels take without instrumentation. Empty: no
// assembler is here.
static StringMap<AssembledKernel> countRegisters(const Module &M,
                                                 StringRef GPU) {
  StringMap<AssembledKernel> None;
  std::string Problem;
  const Target *T = TargetRegistry::lookupTarget(M.getTargetTriple(), Problem);
  if (!T)
    return None;
  std::unique_ptr<TargetMachine> TM(T->createTargetMachine(
      M.getTargetTriple(), GPU, functionAttribute(M, "target-features"),
      TargetOptions(), std::nullopt));
  std::unique_ptr<Module> Copy = CloneModule(M);
  StripDebugInfo(*Copy);
  SmallString<0> PTX;
  raw_svector_ostream OS(PTX);
  legacy::PassManager Passes;
  if (!TM || TM->addPassesToEmitFile(Passes, OS, nullptr,
                                     CodeGenFileType::AssemblyFile))
    return None;
  Passes.run(*Copy);
  auto Kernels = assemblePTX(PTX, GPU, "");
  if (!Kernels) {
    consumeError(Kernels.takeError());
    return None;
  }
  return std::move(*Kernels);
}

static GlobalVariable &controlOf(Module &M) {
  LLVMContext &C = M.getContext();
  Type *I32 = Type::getInt32Ty(C), *I64 = Type::getInt64Ty(C);
  const TraceControl Off;
  SmallVector<Constant *> Fields(3, ConstantInt::get(I64, 0));
  Fields.push_back(ConstantInt::get(I32, Off.First));
  Fields.push_back(ConstantInt::get(I32, Off.Stride));
  for (uint32_t Other : Off.Others)
    Fields.push_back(ConstantInt::get(I32, Other));
  Constant *Initial = ConstantStruct::getAnon(C, Fields);
  auto *Control = new GlobalVariable(
      M, Initial->getType(), /*isConstant=*/false, GlobalValue::ExternalLinkage,
      Initial, TraceControlName, nullptr, GlobalValue::NotThreadLocal,
      GlobalSpace,
      /*isExternallyInitialized=*/true);
  Control->setAlignment(Align(8));
  return *Control;
}

static GlobalVariable &tableIn(Module &M, const TraceTable &Table) {
  Constant *Bytes = ConstantDataArray::getString(
      M.getContext(), writeTraceTable(Table), /*AddNull=*/false);
  auto *Global = new GlobalVariable(
      M, Bytes->getType(), /*isConstant=*/true, GlobalValue::ExternalLinkage,
      Bytes, TraceTableName, nullptr, GlobalValue::NotThreadLocal, GlobalSpace);
  Global->setAlignment(Align(8));
  return *Global;
}

static std::string sourceOf(const Module &M) {
  for (const DICompileUnit *Unit : M.debug_compile_units())
    return sys::path::filename(Unit->getFilename()).str();
  return sys::path::filename(M.getSourceFileName()).str();
}

PreservedAnalyses TracePass::run(Module &M, ModuleAnalysisManager &Analyses) {
  if (!M.getTargetTriple().isNVPTX() || M.getNamedGlobal(TraceControlName))
    return PreservedAnalyses::all();
  auto &FAM =
      Analyses.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
  TraceTable Table;
  Table.Source = sourceOf(M);
  Table.GPU = functionAttribute(M, "target-cpu").str();
  StringMap<AssembledKernel> Assembled = countRegisters(M, Table.GPU);
  Numbering Numbers(Table, Assembled);
  std::vector<std::pair<Function *, std::vector<Recording>>> ToRecord;
  for (Function &F : M) {
    if (F.isDeclaration())
      continue;
    FunctionPassManager AsNVPTX;
    AsNVPTX.addPass(InferAddressSpacesPass(GenericSpace));
    if (!F.hasOptNone()) {
      AsNVPTX.addPass(LoadStoreVectorizerPass());
      AsNVPTX.addPass(DCEPass());
    }
    keepCacheHints(F, [&] { FAM.invalidate(F, AsNVPTX.run(F, FAM)); });
    ToRecord.push_back({&F, Numbers.number(F, FAM.getResult<LoopAnalysis>(F))});
  }
  GlobalVariable &Control = controlOf(M);
  for (auto &[F, Recordings] : ToRecord) {
    OptimizationRemarkEmitter Remarks(F);
    Remarks.emit([&, F = F, Count = Recordings.size()] {
      return OptimizationRemark(DEBUG_TYPE, "Instrumented", F->getSubprogram(),
                                &F->getEntryBlock())
             << "'" << demangle(F->getName()) << "' records "
             << ore::NV("Parts", unsigned(Count)) << " parts of its code";
    });
    if (Recordings.empty())
      continue;
    Inserter Insert(*F, Control);
    for (const Recording &R : Recordings)
      Insert.insert(R);
    forgetAttributes(*F);
  }
  appendToUsed(M, {&Control, &tableIn(M, Table)});
  return PreservedAnalyses::none();
}
