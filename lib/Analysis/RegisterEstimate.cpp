// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sluice/Analysis/RegisterEstimate.h"
#include "sluice/Analysis/DebugPlace.h"
#include "sluice/Analysis/LiveRegisters.h"
#include "sluice/Analysis/Reachability.h"
#include "sluice/Target/PTXAssembler.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TimeProfiler.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace sluice;
using namespace llvm;

static Value *specialRegister(IRBuilder<> &B, Intrinsic::ID Id) {
  return B.CreateIntrinsic(Id, {});
}

/// `if (group == turn) loop; barrier;` for turn in [0, N), on the loop's edges.
static void wrapLoop(Loop &L, const ThrottledLoop &Throttled) {
  BasicBlock *Header = L.getHeader();
  BasicBlock *Exit = L.getUniqueExitBlock();
  BasicBlock *Entering = L.getLoopPredecessor();
  if (!Exit || !Entering || isa<PHINode>(Exit->front()) ||
      isa<PHINode>(Header->front()))
    return;
  Function &F = *Header->getParent();
  LLVMContext &Context = F.getContext();
  BasicBlock *Head = BasicBlock::Create(Context, "turn", &F, Header);
  BasicBlock *Latch = BasicBlock::Create(Context, "turn.end", &F, Exit);

  IRBuilder<> Before(Entering->getTerminator());
  Value *Thread = Before.CreateAdd(
      specialRegister(Before, Intrinsic::nvvm_read_ptx_sreg_tid_x),
      Before.CreateMul(
          specialRegister(Before, Intrinsic::nvvm_read_ptx_sreg_ntid_x),
          specialRegister(Before, Intrinsic::nvvm_read_ptx_sreg_tid_y)));
  Value *WarpGroups = Before.getInt32(Throttled.WarpGroups);
  if (Throttled.ByLaunch) // any choice will do: it holds a register
    WarpGroups = Before.CreateSelect(
        Before.CreateICmpUGT(
            specialRegister(Before, Intrinsic::nvvm_read_ptx_sreg_nctaid_x),
            Before.getInt32(132)),
        WarpGroups, Before.getInt32(1));
  Value *Unit = Before.CreateMul(Before.getInt32(32), WarpGroups);
  Value *Group = Before.CreateUDiv(
      Before.CreateUDiv(Thread, Before.getInt32(32)),
      Before.CreateUDiv(
          Before.CreateAdd(
              specialRegister(Before, Intrinsic::nvvm_read_ptx_sreg_ntid_x),
              Before.CreateSub(Unit, Before.getInt32(1))),
          Unit));

  for (BasicBlock *BB : L.blocks())
    BB->getTerminator()->replaceSuccessorWith(Exit, Latch);
  Entering->getTerminator()->replaceSuccessorWith(Header, Head);

  IRBuilder<> AtHead(Head);
  PHINode *Turn = AtHead.CreatePHI(AtHead.getInt32Ty(), 2);
  AtHead.CreateCondBr(AtHead.CreateICmpEQ(Group, Turn), Header, Latch);
  IRBuilder<> AtLatch(Latch);
  AtLatch.CreateIntrinsic(Intrinsic::nvvm_barrier_cta_sync_aligned_all,
                          {AtLatch.getInt32(0)});
  Value *Next = AtLatch.CreateAdd(Turn, AtLatch.getInt32(1));
  BranchInst *Back =
      AtLatch.CreateCondBr(AtLatch.CreateICmpULT(Next, WarpGroups), Head, Exit);
  Turn->addIncoming(AtLatch.getInt32(0), Entering);
  Turn->addIncoming(Next, Latch);

  MDNode *NoUnroll =
      MDNode::get(Context, MDString::get(Context, "llvm.loop.unroll.disable"));
  MDNode *Id = MDNode::getDistinct(Context, {nullptr, NoUnroll});
  Id->replaceOperandWith(0, Id);
  Back->setMetadata(LLVMContext::MD_loop, Id);
}

static void wrapLoops(Module &M, ArrayRef<ThrottledLoop> Loops) {
  for (Function &F : M) {
    if (F.isDeclaration())
      continue;
    DominatorTree DT(F);
    LoopInfo LI(DT);
    for (Loop *L : LI.getLoopsInPreorder()) {
      SourcePlace Place = codeIdOf(*L).Place;
      auto Throttled = find_if(
          Loops, [&](const ThrottledLoop &T) { return T.Place == Place; });
      if (Throttled == Loops.end())
        continue;
      wrapLoop(*L, *Throttled);
      break; // the graph has changed; a second one changes registers little
    }
  }
}

static Error linkLibraries(Module &M, ArrayRef<std::string> Libraries) {
  bool Needed = any_of(M, [](const Function &F) {
    return F.isDeclaration() && F.getName().starts_with("__nv_");
  });
  if (!Needed)
    return Error::success();
  for (const std::string &Path : Libraries) {
    SMDiagnostic Problem;
    auto Library = getLazyIRFileModule(Path, Problem, M.getContext());
    if (!Library)
      return createStringError("cannot read %s", Path.c_str());
    Library->setTargetTriple(M.getTargetTriple());
    Library->setDataLayout(M.getDataLayout());
    if (Linker::linkModules(M, std::move(Library), Linker::LinkOnlyNeeded))
      return createStringError("cannot link %s", Path.c_str());
  }
  return Error::success();
}

/// Takes from the module what needs no assembling: an assembler takes longer
/// for a kernel of many registers than all that went before it.
static void settleByLiveValues(Module &M, const RegisterEstimateInput &Input,
                               FunctionAnalysisManager &FAM,
                               StringMap<RegisterEstimate> &Result) {
  if (!Input.IsEnough)
    return;
  for (const std::string &Name : Input.Kernels) {
    Function *F = M.getFunction(Name);
    if (!F || F->isDeclaration())
      continue;
    RegisterEstimate AtLeast;
    const UniformityInfo &Uniformity =
        FAM.getResult<UniformityInfoAnalysis>(*F);
    AtLeast.Registers = liveRegisters(
        *F, [&](const Value &V) { return Uniformity.isUniform(&V); });
    if (!Input.IsEnough(Name, AtLeast.Registers))
      continue;
    F->deleteBody();
    Result.try_emplace(Name, AtLeast);
  }
}

Expected<StringMap<RegisterEstimate>>
sluice::estimateThrottled(const RegisterEstimateInput &Input, TargetMachine &TM,
                          OptimizationLevel Level) {
  TimeTraceScope Scope("SluiceRegisterEstimate");
  SmallVector<const Function *, 8> Kernels;
  for (const std::string &Name : Input.Kernels)
    if (const Function *F = Input.Unoptimized->getFunction(Name))
      Kernels.push_back(F);
  const ReachedGlobals Reached = reachableFrom(Kernels);
  ValueToValueMapTy Map;
  std::unique_ptr<Module> M =
      CloneModule(*Input.Unoptimized, Map,
                  [&](const GlobalValue *GV) { return Reached.contains(GV); });
  wrapLoops(*M, Input.Loops);
  StripDebugInfo(*M);
  if (Error E = linkLibraries(*M, Input.BitcodeLibraries))
    return E;
  for (Function &F : *M)
    if (!F.isDeclaration() && !is_contained(Input.Kernels, F.getName()))
      F.setLinkage(GlobalValue::InternalLinkage);
  // Kernels that are not here may write them: they are no constants.
  for (GlobalVariable &G : M->globals())
    if (G.hasLocalLinkage() && !G.isConstant() && !G.isDeclaration())
      G.setLinkage(GlobalValue::ExternalLinkage);
  for (const char *Keep : {"llvm.used", "llvm.compiler.used"})
    if (GlobalVariable *Used = M->getNamedGlobal(Keep))
      Used->eraseFromParent();

  LoopAnalysisManager LAM;
  FunctionAnalysisManager FAM;
  CGSCCAnalysisManager CGAM;
  ModuleAnalysisManager MAM;
  PassBuilder PB(&TM);
  if (Input.AddPasses)
    Input.AddPasses(PB);
  PB.registerModuleAnalyses(MAM);
  PB.registerCGSCCAnalyses(CGAM);
  PB.registerFunctionAnalyses(FAM);
  PB.registerLoopAnalyses(LAM);
  PB.crossRegisterProxies(LAM, FAM, CGAM, MAM);
  PB.buildPerModuleDefaultPipeline(Level).run(*M, MAM);

  StringMap<RegisterEstimate> Result;
  settleByLiveValues(*M, Input, FAM, Result);
  if (Result.size() == Input.Kernels.size())
    return Result;

  SmallString<0> PTX;
  raw_svector_ostream OS(PTX);
  legacy::PassManager CodeGen;
  if (TM.addPassesToEmitFile(CodeGen, OS, nullptr,
                             CodeGenFileType::AssemblyFile))
    return createStringError("the target cannot emit PTX");
  CodeGen.run(*M);

  auto Assembled = assemblePTX(PTX, TM.getTargetCPU(), Input.CudaPath);
  if (!Assembled)
    return Assembled.takeError();
  for (const auto &Entry : *Assembled)
    Result.try_emplace(Entry.getKey(),
                       RegisterEstimate{Entry.getValue().Registers,
                                        /*IsAssembled=*/true});
  return Result;
}
