// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM does not inline a large function that other modules could call, also
// where its kernel calls it once:
//
//   __device__ double step(double *x, const double *y) { ... }
//   __global__ void k(...) { double x[8], y[8]; ... step(x, y); ... }
//
// step does not know then that x is in local memory, nor what is constant.
// Inlined, its products and sums come into one block with others, where they
// would be fused anew. So it is first read from LLVM's code which are fused
// (RoundingsInCode.cpp), and written down. The assembler may fuse more: both
// are assembled, and have to have as many fused sums. A third assembly tells
// if it pays.

#include "../WrittenRounding.h"
#include "FewerInstructions.h"
#include "sluice/Analysis/AnalysisManagers.h"
#include "sluice/Analysis/DeviceCode.h"
#include "sluice/Analysis/KernelFunction.h"
#include "sluice/Transforms/ModuleAssembly.h"
#include "sluice/Transforms/PlacedRemarks.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Analysis/InlineCost.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace sluice;

#define DEBUG_TYPE "sluice-fewer-instructions"

//===- Which calls --------------------------------------------------------===//

static Function *calledFunction(Instruction &I) {
  auto *Call = dyn_cast<CallInst>(&I);
  Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  return Callee && !Callee->isDeclaration() ? Callee : nullptr;
}

/// How many calls there are of each function that \p Kernel reaches. One that
/// calls itself, through whatever others, has two.
static DenseMap<Function *, unsigned> countCalls(Function &Kernel) {
  DenseMap<Function *, unsigned> Calls;
  SetVector<Function *> Reached;
  Reached.insert(&Kernel);
  for (unsigned Next = 0; Next < Reached.size(); ++Next)
    for (Instruction &I : instructions(*Reached[Next]))
      if (Function *Callee = calledFunction(I)) {
        ++Calls[Callee];
        Reached.insert(Callee);
      }
  return Calls;
}

/// What the callee would know, if it stood in its caller: that a pointer is one
/// to local memory. (Constants alone have never paid: it costs compile time.)
static bool tellsMore(const CallInst &Call) {
  return any_of(Call.args(), [](const Value *V) {
    return V->getType()->isPointerTy() &&
           isa<AllocaInst>(getUnderlyingObject(V));
  });
}

static bool mayInline(CallInst &Call, FunctionTest MayRewrite,
                      ChangeTest MayChange) {
  Function &Callee = *Call.getCalledFunction(), &Caller = *Call.getFunction();
  return Callee.hasName() && !isKernel(Callee) && !Callee.hasAddressTaken() &&
         !Callee.hasFnAttribute(Attribute::NoInline) && !Call.isNoInline() &&
         Callee.getCallingConv() == Call.getCallingConv() &&
         AttributeFuncs::areInlineCompatible(Caller, Callee) &&
         isInlineViable(Callee).isSuccess() && MayRewrite(Callee) &&
         MayChange(Call);
}

//===- The change ---------------------------------------------------------===//

namespace {

using Names = StringSet<>;

/// A kernel with such calls.
struct CallingKernel {
  std::string Name;
  /// It, and all that would be inlined into it, by and by.
  SmallVector<std::string, 4> Functions;
  std::string Why; ///< Nothing is inlined; empty: no reason is known.
  AssembledKernel Before, After;
};

class CallInliner {
public:
  CallInliner(Module &M, const AttachedPlan &Attached, FunctionTest MayRewrite,
              ChangeTest MayChange)
      : M(M), Attached(Attached), MayRewrite(MayRewrite), MayChange(MayChange) {
  }
  unsigned run();

private:
  void findKernels();
  std::unique_ptr<Module> copyFor() const;
  Error measure();
  void readAll();
  void judge(const AssembledKernels &Before, const AssembledKernels &Written,
             const AssembledKernels &After);
  void writeAll(Module &In);
  void inlineFor(const CallingKernel &K, Module &In);
  void inlineAll(Module &In);
  void reportRefused(const CallingKernel &K) const;
  void reportDone(const CallingKernel &K) const;
  bool isFaulty() const {
    return Attached.Opts.Wrong == WrongRewrite::RoundedAnew;
  }

  Module &M;
  const AttachedPlan &Attached;
  FunctionTest MayRewrite;
  ChangeTest MayChange;
  std::unique_ptr<TargetMachine> TM;
  std::vector<CallingKernel> Kernels;
  StringMap<Roundings> Read; ///< By the functions' names.
};

} // namespace

/// Those of \p Kernels into which something is inlined.
static SmallVector<CallingKernel *, 4>
taken(std::vector<CallingKernel> &Kernels) {
  SmallVector<CallingKernel *, 4> Taken;
  for (CallingKernel &K : Kernels)
    if (K.Why.empty())
      Taken.push_back(&K);
  return Taken;
}

/// The calls in \p Kernel of \p Functions, each of which it reaches once.
static SmallVector<CallInst *, 4> callsOf(Function &Kernel,
                                          ArrayRef<std::string> Functions) {
  SmallVector<CallInst *, 4> Calls;
  for (Instruction &I : instructions(Kernel))
    if (Function *Callee = calledFunction(I);
        Callee && is_contained(Functions, Callee->getName()))
      Calls.push_back(cast<CallInst>(&I));
  return Calls;
}

/// Inlines calls of \p Callees, one of which may call another.
static void inlineInto(Function &Kernel, const SetVector<Function *> &Callees) {
  for (bool Changed = true; std::exchange(Changed, false);)
    for (Instruction &I : make_early_inc_range(instructions(Kernel)))
      if (Function *Callee = calledFunction(I); Callees.contains(Callee)) {
        InlineFunctionInfo Info;
        Changed = InlineFunction(cast<CallInst>(I), Info,
                                 /*MergeAttributes=*/true)
                      .isSuccess();
        break;
      }
}

/// Copies of what is to be inlined into \p Kernel, which it and they call.
/// Others may call what is copied, and that stays as it is.
static SetVector<Function *> copyCallees(Function &Kernel,
                                         ArrayRef<std::string> Names) {
  SetVector<Function *> Copies;
  DenseMap<Function *, Function *> CopyOf;
  for (StringRef Name : Names) {
    ValueToValueMapTy Map;
    Function *Callee = Kernel.getParent()->getFunction(Name);
    Function *Copy = CloneFunction(Callee, Map);
    Copy->setLinkage(GlobalValue::InternalLinkage);
    Copy->setComdat(nullptr);
    Copies.insert(CopyOf[Callee] = Copy);
  }
  auto CallCopies = [&](Function &F) {
    for (Instruction &I : instructions(F))
      if (Function *Copy = CopyOf.lookup(calledFunction(I)))
        cast<CallInst>(I).setCalledFunction(Copy);
  };
  CallCopies(Kernel);
  for_each(Copies, [&](Function *Copy) { CallCopies(*Copy); });
  return Copies;
}

static void clean(Function &Kernel, TargetMachine &TM) {
  PassBuilder PB(&TM);
  AnalysisManagers AM(PB);
  FunctionPassManager Clean;
  cantFail(PB.parsePassPipeline(
      Clean, "sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>,"
             "infer-address-spaces,sroa,gvn,dse,simplifycfg,"
             "instcombine<no-verify-fixpoint>,adce"));
  Clean.run(Kernel, AM.OfFunctions);
}

void CallInliner::inlineFor(const CallingKernel &K, Module &In) {
  Function &Kernel = *In.getFunction(K.Name);
  const auto Callees = ArrayRef(K.Functions).drop_front();
  const SetVector<Function *> Copies = copyCallees(Kernel, Callees);
  SmallVector<Function *, 4> All = {&Kernel};
  append_range(All, Copies);
  for (auto [F, Name] : zip_equal(All, K.Functions)) {
    if (!isFaulty())
      writeRoundings(*F, Read.find(Name)->second);
    hideApproximations(*F);
  }
  inlineInto(Kernel, Copies);
  clean(Kernel, *TM);
  for (Function *F : All) {
    if (!isFaulty())
      roundProducts(*F);
    showApproximations(*F);
  }
  for (Function *F : Copies)
    if (F->use_empty())
      F->eraseFromParent();
}

/// The same code, with all roundings of \p In written down.
void CallInliner::writeAll(Module &In) {
  Names Done;
  for (const CallingKernel *K : taken(Kernels))
    for (StringRef Name : K->Functions)
      if (Function &F = *In.getFunction(Name); Done.insert(Name).second) {
        writeRoundings(F, Read.find(Name)->second);
        roundProducts(F);
      }
}

void CallInliner::inlineAll(Module &In) {
  for (const CallingKernel *K : taken(Kernels))
    inlineFor(*K, In);
}

//===- Whether ------------------------------------------------------------===//

void CallInliner::findKernels() {
  for (Function &F : M) {
    if (F.isDeclaration() || !isKernel(F) || !MayRewrite(F))
      continue;
    CallingKernel K{F.getName().str(), {}, "", {}, {}};
    K.Functions.push_back(K.Name);
    const auto Calls = countCalls(F);
    for (unsigned Next = 0; Next < K.Functions.size(); ++Next)
      for (Instruction &I : instructions(*M.getFunction(K.Functions[Next])))
        if (Function *Callee = calledFunction(I);
            Callee && Calls.lookup(Callee) == 1 &&
            (Next != 0 || tellsMore(cast<CallInst>(I))) &&
            mayInline(cast<CallInst>(I), MayRewrite, MayChange))
          K.Functions.push_back(Callee->getName().str());
    if (K.Functions.size() == 1)
      continue;
    Kernels.push_back(std::move(K));
  }
}

/// A copy of what the kernels need.
std::unique_ptr<Module> CallInliner::copyFor() const {
  auto Copy = CloneModule(M);
  detachPlan(*Copy);
  Names Kept;
  for (const CallingKernel &K : Kernels)
    if (K.Why.empty())
      Kept.insert(K.Name);
  for (bool Changed = true; std::exchange(Changed, false);)
    for (Function &F : make_early_inc_range(*Copy))
      if (F.use_empty() && !F.isDeclaration() && !Kept.contains(F.getName())) {
        F.eraseFromParent();
        Changed = true;
      }
  return Copy;
}

/// The time of a kernel that waits for nothing, by the warps that an SM holds.
static uint64_t costOf(const AssembledKernel &K) {
  constexpr unsigned FreeRegisters = 32; // an SM holds all its warps then
  return K.Instructions * std::max(K.Registers, FreeRegisters);
}

/// By more than chance.
static bool isGain(const AssembledKernel &Before,
                   const AssembledKernel &After) {
  constexpr unsigned LeastPerCent = 2;
  return After.Instructions <= Before.Instructions &&
         After.spilledBytes() <= Before.spilledBytes() &&
         costOf(After) * 100 <= costOf(Before) * (100 - LeastPerCent);
}

void CallInliner::judge(const AssembledKernels &Before,
                        const AssembledKernels &Written,
                        const AssembledKernels &After) {
  for (CallingKernel &K : Kernels) {
    if (!K.Why.empty())
      continue;
    const AssembledKernel Same = Written.lookup(K.Name);
    K.Before = Before.lookup(K.Name);
    K.After = After.lookup(K.Name);
    if (!K.Before.Instructions || !Same.Instructions || !K.After.Instructions)
      K.Why = "the assembler's code cannot be read";
    else if (K.Before.Sums != Same.Sums || K.Before.FusedSums != Same.FusedSums)
      K.Why = "it is not certain which products the assembler fuses";
    else if (!isGain(K.Before, K.After))
      K.Why = formatv("the kernel would have {0} instructions, {1} registers "
                      "and {2} bytes of spills, and has {3}, {4} and {5}",
                      K.After.Instructions, K.After.Registers,
                      K.After.spilledBytes(), K.Before.Instructions,
                      K.Before.Registers, K.Before.spilledBytes())
                  .str();
  }
}

/// Reads what is fused.
void CallInliner::readAll() {
  Read = readRoundings(*copyFor(), *TM);
  for (CallingKernel *K : taken(Kernels))
    for (StringRef Name : K->Functions) {
      const auto Found = Read.find(Name);
      if (K->Why.empty())
        K->Why = whyNotWritten(*M.getFunction(Name),
                               Found == Read.end() ? nullptr : &Found->second);
    }
}

Error CallInliner::measure() {
  auto Cache = AssemblyCache::open(compilersAssembler(/*CudaPath=*/""),
                                   Attached.Opts.AssemblyCacheFolder);
  if (!Cache)
    return Cache.takeError();
  auto Before = copyFor(), Written = copyFor(), After = copyFor();
  writeAll(*Written);
  inlineAll(*After);
  const Function &First = *M.getFunction(Kernels.front().Name);
  const StringRef CPU = First.getFnAttribute("target-cpu").getValueAsString();
  std::vector<AssemblyRequest> Asked;
  for (Module *Copy : {Before.get(), Written.get(), After.get()}) {
    auto PTX = emitPTX(*Copy, *TM);
    if (!PTX)
      return PTX.takeError();
    Asked.push_back(
        {std::move(*PTX), CPU.empty() ? Attached.Decisions.GPU : CPU.str()});
  }
  auto Code = Cache->assembleAll(Asked);
  if (!Code)
    return Code.takeError();
  judge((*Code)[0], (*Code)[1], (*Code)[2]);
  return Error::success();
}

void CallInliner::reportRefused(const CallingKernel &K) const {
  Function &F = *M.getFunction(K.Name);
  const CallInst &First = *callsOf(F, K.Functions).front();
  const std::string Callee =
      demangle(First.getCalledFunction()->getName().str());
  OptimizationRemarkEmitter Remarks(&F);
  emitPlaced(Remarks, First.getDebugLoc(), [&](const DebugLoc &At) {
    return OptimizationRemarkMissed(DEBUG_TYPE, "NotInlined", At,
                                    First.getParent())
           << "'" << Callee << "' is not inlined: " << K.Why;
  });
}

void CallInliner::reportDone(const CallingKernel &K) const {
  Function &F = *M.getFunction(K.Name);
  const CallInst &First = *callsOf(F, K.Functions).front();
  const size_t Others = K.Functions.size() - 2;
  std::string Text = "'" + demangle(First.getCalledFunction()->getName().str());
  Text += Others == 0   ? "' is inlined"
          : Others == 1 ? "' and another function are inlined"
                        : formatv("' and {0} others are inlined", Others).str();
  if (K.After.Instructions)
    Text += formatv(": the kernel has {0} instructions in place of {1}, and "
                    "{2} registers in place of {3}",
                    K.After.Instructions, K.Before.Instructions,
                    K.After.Registers, K.Before.Registers)
                .str();
  OptimizationRemarkEmitter Remarks(&F);
  emitPlaced(Remarks, First.getDebugLoc(), [&](const DebugLoc &At) {
    return OptimizationRemark(DEBUG_TYPE, "Inlined", At, First.getParent())
           << Text;
  });
}

unsigned CallInliner::run() {
  findKernels();
  if (Kernels.empty())
    return 0;
  const Function &First = *M.getFunction(Kernels.front().Name);
  TM = makeTargetMachine(
      M, First.getFnAttribute("target-cpu").getValueAsString(),
      First.getFnAttribute("target-features").getValueAsString());
  if (!TM)
    return 0;
  if (!isFaulty())
    readAll();
  if (!isFaulty() && !taken(Kernels).empty())
    if (Error E = measure()) {
      const std::string Why = toString(std::move(E));
      for (CallingKernel *K : taken(Kernels))
        K->Why = "the code cannot be compared: " + Why;
    }
  unsigned Count = 0;
  for (const CallingKernel &K : Kernels)
    if (K.Why.empty()) {
      reportDone(K);
      Count += K.Functions.size() - 1;
    } else {
      reportRefused(K);
    }
  if (Count)
    inlineAll(M);
  return Count;
}

unsigned sluice::inlineCalls(Module &M, const AttachedPlan &Attached,
                             FunctionTest MayRewrite, ChangeTest MayChange) {
  return CallInliner(M, Attached, MayRewrite, MayChange).run();
}
