// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code that is compiled here never runs. It needs as many registers as the
// throttled kernel, and so has all that holds one over the loop: the turn, the
// thread's group, N where it is known at run time only.

#include "sluice/Analysis/RegisterEstimate.h"
#include "sluice/Analysis/AnalysisManagers.h"
#include "sluice/Analysis/DebugPlace.h"
#include "sluice/Analysis/DeviceCode.h"
#include "sluice/Analysis/KernelFunction.h"
#include "sluice/Analysis/Reachability.h"
#include "sluice/Target/AssemblyCache.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
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

/// What the loop's own variables begin with, again in each turn: else it seems
/// to go on from one turn to the next, and its length is not known. Locals are
/// in memory.
static void startVariables(const BasicBlock &Entering, BasicBlock &Start) {
  IRBuilder<> B(Start.getTerminator());
  for (const Instruction &I : Entering)
    if (const auto *Store = dyn_cast<StoreInst>(&I);
        Store && isa<AllocaInst>(Store->getPointerOperand()))
      B.Insert(Store->clone());
}

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
  BasicBlock *Start = BasicBlock::Create(Context, "turn.start", &F, Header);
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
  AtHead.CreateCondBr(AtHead.CreateICmpEQ(Group, Turn), Start, Latch);
  IRBuilder<>(Start).CreateBr(Header);
  startVariables(*Entering, *Start);
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
    return F.isDeclaration() && isLibdevice(F.getName());
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

/// PTX of which assembling costs more than a fifth of a small file's compile.
static constexpr size_t LongPTX = 32 << 10;

/// What kernels take at least, if that is enough to know of all of them; else
/// nothing. By the assembler's first level, which takes a third of the time:
/// its third level came out at 0.83 times the registers of the first and more.
static StringMap<RegisterEstimate>
estimateAtLeast(const AssemblyCache &Cache, AssemblyRequest Request,
                const RegisterEstimateInput &Input) {
  StringMap<RegisterEstimate> Result;
  Request.OptLevel = 1;
  auto Assembled = Cache.assemble(Request);
  if (!Assembled) {
    consumeError(Assembled.takeError()); // the other level says it
    return Result;
  }
  for (const auto &Entry : *Assembled)
    Result.try_emplace(Entry.getKey(),
                       RegisterEstimate{Entry.getValue().Registers * 4 / 5,
                                        /*IsExact=*/false});
  if (!all_of(Result, [&](const auto &Entry) {
        return Input.IsEnough(Entry.getKey(), Entry.getValue().Registers);
      }))
    Result.clear();
  return Result;
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

  PassBuilder PB(&TM);
  if (Input.AddPasses)
    Input.AddPasses(PB);
  AnalysisManagers Analyses(PB);
  PB.buildPerModuleDefaultPipeline(Level).run(*M, Analyses.OfModules);

  auto PTX = emitPTX(*M, TM);
  if (!PTX)
    return PTX.takeError();

  auto Cache = AssemblyCache::open(installedAssembler(Input.CudaPath),
                                   Input.AssemblyCacheFolder);
  if (!Cache)
    return Cache.takeError();
  const AssemblyRequest Request{std::move(*PTX), TM.getTargetCPU().str()};
  if (Input.IsEnough && Request.PTX.size() >= LongPTX)
    if (auto AtLeast = estimateAtLeast(*Cache, Request, Input);
        !AtLeast.empty())
      return AtLeast;
  auto Assembled = Cache->assemble(Request);
  if (!Assembled)
    return Assembled.takeError();
  StringMap<RegisterEstimate> Result;
  for (const auto &Entry : *Assembled)
    Result.try_emplace(Entry.getKey(),
                       RegisterEstimate{Entry.getValue().Registers,
                                        /*IsExact=*/true});
  return Result;
}
