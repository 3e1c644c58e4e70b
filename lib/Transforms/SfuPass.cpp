// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Warps of a block below LAMBDA compute by the special function units, the
// others exactly (Li 2016, chapter 6; its Listing 6.3 versions a loop):
//
//   kernel k {                       kernel k {
//     x = a[i];                        if (warp < LAMBDA) {
//     a[i] = sinf(x) / x;      -->       x = a[i];
//   }                                    a[i] = div.approx(sin.approx(x), x);
//                                      } else {
//                                        x = a[i];
//                                        a[i] = sinf(x) / x;
//                                      }
//                                    }
//
// By two passes. The first, before all others, makes a copy of the kernel, and
// of the functions that it calls, in which the functions are replaced: all, or
// only in what functions do whose source asks for it. Copy and
// kernel are then optimised as two kernels, so that nothing of the one is known
// in the other: what warps above LAMBDA run is what clang makes of the kernel,
// also where it depends on a basic block's neighbours which product is fused
// with which sum. The second pass (SfuJoinPass.cpp), after all that, puts the
// copy into the kernel, behind one branch that all threads of a warp take the
// same way.
//
// A barrier is then in the code twice. Warps meet at a barrier by its number,
// wherever in the code each of them stands (PTX ISA, "barrier": all threads of
// a warp have to execute the same instruction). Only what four warps execute
// together must not be parted.

#include "SfuFunctions.h"
#include "SfuMarks.h"
#include "sluice/Analysis/KernelFunction.h"
#include "sluice/Analysis/Reachability.h"
#include "sluice/Analysis/SourceAnnotations.h"
#include "sluice/Plan/OptionSpec.h"
#include "sluice/Transforms/PassByName.h"
#include "sluice/Transforms/PlanMetadata.h"
#include "sluice/Transforms/SfuVersions.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include <array>

using namespace llvm;
using namespace sluice;

#define DEBUG_TYPE "sluice-sfu"

STATISTIC(NumKernels, "Number of kernels with warps that approximate");
STATISTIC(NumFunctions, "Number of functions computed approximately");

//===- Two kernels of one -------------------------------------------------===//

namespace {

using Counts = std::array<uint64_t, NumSfuFunctions>;

/// Makes approximate copies of functions, one each of either kind.
class Approximator {
public:
  /// \p StaysExact: for tests, copies compute what they are copies of, and
  /// there is one of every function.
  Approximator(Module &M, bool StaysExact);

  /// Of a function and what it calls all, or only functions whose source asks
  /// for it and what they call.
  enum Part : bool { All, Marked };

  /// Has \p F, or what it calls, something to approximate?
  bool concerns(const Function &F, Part Of) const {
    return Concerned[Of].contains(&F);
  }
  /// How much of what, as it stands in the code, with all that is called.
  Counts countIn(const Function &F, Part Of);
  /// \p F itself becomes approximate.
  void approximateIn(Function &F, Part Of);
  /// An approximate copy of \p F.
  Function *copy(Function &F, Part Of, const Twine &Name);
  /// "'f', 'g'": those that \p Kernel calls whose source asks for it.
  std::string marked(const Function &Kernel) const;
  /// Says of functions whose source asks for it where they stay exact.
  void reportMarks(const Module &M) const;

private:
  using Functions = SmallVector<const Function *, 16>;
  bool isOurs(const Function &F) const;
  void concern(Functions Work, Part Of);
  /// What of \p Callee goes into a copy that has \p Of of its caller.
  Part partOf(const Function &Callee, Part Of) const {
    return Marks.contains(&Callee) ? All : Of;
  }

  const bool StaysExact;
  const SfuMarks Marks;
  SmallPtrSet<const Function *, 16> Concerned[2]; ///< By part, as all below.
  DenseMap<const Function *, Function *> Copies[2];
  DenseMap<const Function *, Counts> Counted[2];
};

} // namespace

/// Has it code of the user's? The library's own divisions are a part of what it
/// promises. And does its source not say that it stays exact?
bool Approximator::isOurs(const Function &F) const {
  return !F.isDeclaration() && !isLibdevice(F.getName()) && !F.hasOptNone() &&
         Marks.lookup_or(&F, 1) != 0;
}

/// \p Work, and what calls one of it through any depth.
void Approximator::concern(Functions Work, Part Of) {
  while (!Work.empty()) {
    const Function *F = Work.pop_back_val();
    if (!Concerned[Of].insert(F).second)
      continue;
    for (const User *U : F->users())
      if (const auto *Call = dyn_cast<CallBase>(U);
          Call && Call->getCalledFunction() == F &&
          isOurs(*Call->getFunction()))
        Work.push_back(Call->getFunction());
  }
}

Approximator::Approximator(Module &M, bool StaysExact)
    : StaysExact(StaysExact), Marks(sfuMarksOf(M)) {
  Functions Work;
  for (const Function &F : M)
    if (isOurs(F) &&
        (StaysExact || any_of(instructions(F), [](const Instruction &I) {
           return sfuFunctionOf(I).has_value();
         })))
      Work.push_back(&F);
  concern(Work, All);
  Work.clear();
  for (const auto &[F, Warps] : Marks)
    if (concerns(*F, All))
      Work.push_back(F);
  concern(Work, Marked);
}

Counts Approximator::countIn(const Function &F, Part Of) {
  auto [At, IsNew] = Counted[Of].try_emplace(&F);
  if (!IsNew || !concerns(F, Of))
    return At->second; // of a recursion nothing yet
  Counts Sum = {};
  for (const Instruction &I : instructions(F))
    if (auto Found = sfuFunctionOf(I))
      Sum[unsigned(*Found)] += Of == All;
    else if (const Function *Callee = calleeWithBody(I))
      for (auto [To, More] :
           zip_equal(Sum, countIn(*Callee, partOf(*Callee, Of))))
        To += More;
  return Counted[Of][&F] = Sum;
}

/// Debug locations stay those of the original's scopes, by which plans and
/// remarks find their loops.
Function *Approximator::copy(Function &F, Part Of, const Twine &Name) {
  Function *&Copy = Copies[Of][&F];
  if (Copy)
    return Copy;
  DISubprogram *SP = F.getSubprogram();
  F.setSubprogram(nullptr);
  ValueToValueMapTy Map;
  Function *New = Copy = CloneFunction(&F, Map);
  F.setSubprogram(SP);
  New->setName(Name);
  New->setComdat(nullptr);
  New->setLinkage(isKernel(F) ? GlobalValue::ExternalLinkage
                              : GlobalValue::InternalLinkage);
  New->setVisibility(GlobalValue::DefaultVisibility);
  approximateIn(*New, Of);
  return New;
}

void Approximator::approximateIn(Function &F, Part Of) {
  F.addFnAttr(SfuApproximateMark);
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    if (auto Found = sfuFunctionOf(I)) {
      if (Of == Marked || StaysExact)
        continue;
      approximate(I, *Found);
      ++NumFunctions;
    } else if (auto *Call = dyn_cast<CallBase>(&I)) {
      Function *Callee = Call->getCalledFunction();
      if (!Callee)
        continue;
      const Part OfCallee = partOf(*Callee, Of);
      if (concerns(*Callee, OfCallee))
        Call->setCalledFunction(
            copy(*Callee, OfCallee,
                 Callee->getName() + SfuVersionEnding +
                     (OfCallee == Marked ? "_calls" : "")));
    }
  }
}

//===- What the source asks for -------------------------------------------===//

std::string Approximator::marked(const Function &Kernel) const {
  std::string Names;
  for (const MarkedFunction &F : sfuFunctionsOf(Kernel, Marks))
    Names += formatv("{0}'{1}'", Names.empty() ? "" : ", ", F.Name);
  return Names;
}

/// Does code do anything with its address but call it?
static bool isPointedAt(const Function &F) {
  SmallVector<const Use *, 16> Work;
  for (const Use &U : F.uses())
    Work.push_back(&U);
  while (!Work.empty()) {
    const Use *U = Work.pop_back_val();
    const User *By = U->getUser();
    const auto *G = dyn_cast<GlobalVariable>(By);
    if (const auto *Call = dyn_cast<CallBase>(By); Call && Call->isCallee(U))
      continue;
    if (G && G->getName() == "llvm.global.annotations")
      continue;
    if (isa<Instruction>(By) || G)
      return true;
    for (const Use &Of : By->uses())
      Work.push_back(&Of);
  }
  return false;
}

void Approximator::reportMarks(const Module &M) const {
  for (const Function &F : M) {
    if (Marks.lookup(&F) == 0)
      continue;
    const std::string Name = displayNameOf(F.getName());
    for (const User *U : F.users())
      if (const auto *Call = dyn_cast<CallBase>(U);
          Call && F.isDeclaration() && Call->getCalledFunction() == &F)
        OptimizationRemarkEmitter(Call->getFunction())
            .emit(OptimizationRemarkMissed(DEBUG_TYPE, "ExactElsewhere", Call)
                  << "'" << Name
                  << "' stays exact: its code is in another file");
    if (!F.isDeclaration() && isPointedAt(F))
      OptimizationRemarkEmitter(&F).emit(
          OptimizationRemarkMissed(DEBUG_TYPE, "ExactByPointer",
                                   F.getSubprogram(), &F.front())
          << "'" << Name << "' stays exact where it is called by a pointer");
  }
}

//===- Which kernels ------------------------------------------------------===//

/// What four warps execute as one may not be parted. Empty: nothing of it is
/// there.
static StringRef partedWarps(const Function &Kernel) {
  static constexpr StringLiteral Together[] = {"wgmma", "tcgen05",
                                               "setmaxnreg"};
  SmallVector<const Function *, 16> Called = {&Kernel};
  append_range(Called, calledFrom(Kernel));
  for (const Function *F : Called)
    for (const Instruction &I : instructions(*F)) {
      const auto *Call = dyn_cast<CallBase>(&I);
      if (!Call)
        continue;
      const auto *Asm = dyn_cast<InlineAsm>(Call->getCalledOperand());
      const Function *Callee = Call->getCalledFunction();
      StringRef Text = Asm                               ? Asm->getAsmString()
                       : Callee && Callee->isIntrinsic() ? Callee->getName()
                                                         : StringRef();
      for (StringRef Word : Together)
        if (Text.contains(Word))
          return Word;
    }
  return "";
}

/// Warps of the largest block that \p Kernel can be launched with.
static unsigned mostWarps(const Function &Kernel) {
  if (auto Threads = mostThreads(Kernel))
    return std::min((*Threads + 31) / 32, MaxWarpsPerBlock);
  return MaxWarpsPerBlock;
}

/// Warps that an SM holds at most, which `%warpid` is below.
static constexpr unsigned MostSlots = 64;

namespace {

class KernelApproximator {
public:
  KernelApproximator(Module &M, const AttachedPlan &Attached)
      : M(M), Attached(Attached), Functions(M, Attached.Opts.SfuStaysExact) {}
  bool run();

private:
  bool run(Function &Kernel, const KernelPlan &Plan);
  std::string whyNot(const Function &Kernel, const KernelPlan &Plan,
                     bool IsAll);
  void remark(Function &Kernel, const Counts &Of, StringRef Which);

  Module &M;
  const AttachedPlan &Attached;
  Approximator Functions;
};

} // namespace

/// What of a kernel the plan has approximate.
static Approximator::Part partOf(const KernelPlan &Plan) {
  return Plan.SfuOfFunctions ? Approximator::Marked : Approximator::All;
}

static bool hasSymbol(const Module &M) {
  const GlobalVariable *G = M.getGlobalVariable(SfuSymbol);
  return G && G->getValueType()->isIntegerTy(32);
}

static void warn(Module &M, const Twine &Message) {
  M.getContext().diagnose(
      DiagnosticInfoGeneric("sluice: " + Message, DS_Warning));
}

std::string KernelApproximator::whyNot(const Function &Kernel,
                                       const KernelPlan &Plan, bool IsAll) {
  if (!Functions.concerns(Kernel, partOf(Plan)) &&
      !Attached.Opts.SfuStaysExact)
    return Plan.SfuOfFunctions
               ? "it calls no function that asks for it and has one that the "
                 "units have"
               : "it has no function that the units have";
  if (Kernel.hasOptNone())
    return "it is not to be optimised";
  if (*Plan.SfuWarps == SfuWarpsOfSymbol && !hasSymbol(M))
    return formatv("there is no 'unsigned {0}' in the file", SfuSymbol);
  StringRef Together = IsAll ? "" : partedWarps(Kernel);
  if (!Together.empty())
    return formatv("four warps execute {0} together", Together);
  return "";
}

void KernelApproximator::remark(Function &Kernel, const Counts &Of,
                                StringRef Which) {
  std::string List;
  uint64_t Sum = 0;
  for (auto [Number, Count] : enumerate(Of)) {
    Sum += Count;
    if (Count)
      List += formatv("{0}{1} {2}", List.empty() ? "" : ", ",
                      nameOf(SfuFunction(Number)), Count);
  }
  OptimizationRemarkEmitter(&Kernel).emit(
      OptimizationRemark(DEBUG_TYPE, "Approximate", Kernel.getSubprogram(),
                         &Kernel.front())
      << ore::NV("Functions", Sum) << (Sum == 1 ? " function" : " functions")
      << " computed approximately by " << Which << ": " << List);
}

static std::string describe(const KernelPlan &Plan, bool IsAll) {
  if (IsAll)
    return "all warps";
  const StringRef Where = Plan.SfuBySlot
                              ? " of an SM, so results vary from run to run"
                              : " of a block";
  return *Plan.SfuWarps == SfuWarpsOfSymbol
             ? formatv("the warps below {0}{1}", SfuSymbol, Where).str()
             : formatv("the first {0} warps{1}", *Plan.SfuWarps, Where).str();
}

bool KernelApproximator::run(Function &Kernel, const KernelPlan &Plan) {
  const Options &Opts = Attached.Opts;
  const unsigned Warps = *Plan.SfuWarps;
  const bool IsAll = !Opts.SfuStaysExact && Warps != SfuWarpsOfSymbol &&
                     Warps >= (Plan.SfuBySlot ? MostSlots : mostWarps(Kernel));
  if (std::string Why = whyNot(Kernel, Plan, IsAll); !Why.empty()) {
    OptimizationRemarkEmitter(&Kernel).emit(
        OptimizationRemarkMissed(DEBUG_TYPE, "Exact", Kernel.getSubprogram(),
                                 &Kernel.front())
        << "nothing is computed approximately: " << Why);
    return false;
  }
  ++NumKernels;
  const Approximator::Part Part = partOf(Plan);
  std::string Which = describe(Plan, IsAll);
  if (Plan.SfuOfFunctions)
    Which += " in " + Functions.marked(Kernel);
  remark(Kernel, Functions.countIn(Kernel, Part), Which);
  if (IsAll || Opts.Wrong == WrongRewrite::AllApproximate) {
    Functions.approximateIn(Kernel, Part);
    return true;
  }
  Function *Version =
      Functions.copy(Kernel, Part, Kernel.getName() + SfuVersionEnding);
  if (Opts.Wrong == WrongRewrite::LostVersion) {
    Version->deleteBody();
    ReturnInst::Create(M.getContext(),
                       BasicBlock::Create(M.getContext(), "", Version));
    Version->setLinkage(GlobalValue::ExternalLinkage);
  }
  Version->addFnAttr(SfuWarpsMark, Warps == SfuWarpsOfSymbol
                                       ? "symbol"
                                       : std::to_string(Warps));
  if (Plan.SfuBySlot)
    Version->addFnAttr(SfuSlotMark);
  return true;
}

bool KernelApproximator::run() {
  Functions.reportMarks(M);
  SmallVector<std::pair<Function *, const KernelPlan *>, 8> Asked;
  bool LacksSymbol = false;
  for (Function &F : M) {
    const KernelPlan *Plan =
        F.isDeclaration() || !isKernel(F) || hasSfuVersions(F)
            ? nullptr
            : Attached.kernel(F);
    if (!Plan || Plan->SfuWarps.value_or(0) == 0)
      continue;
    Asked.emplace_back(&F, Plan);
    LacksSymbol |= *Plan->SfuWarps == SfuWarpsOfSymbol && !hasSymbol(M);
  }
  if (LacksSymbol)
    warn(M, Twine("sfu=symbol: there is no '__device__ unsigned ") + SfuSymbol +
                "' in this file; kernels that ask for it compute exactly");
  bool Changed = false;
  for (auto [Kernel, Plan] : Asked)
    Changed |= run(*Kernel, *Plan);
  return Changed;
}

namespace {

struct SfuPass : PassInfoMixin<SfuPass> {
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &) {
    if (!M.getTargetTriple().isNVPTX())
      return PreservedAnalyses::all();
    auto Attached =
        attachedPlanOrWarning(M, "nothing is computed approximately");
    auto IsAsked = [](const KernelPlan &K) {
      return K.SfuWarps.value_or(0) != 0;
    };
    if (!Attached || !Attached->Opts.Sfu ||
        (none_of(Attached->Decisions.Kernels, IsAsked) &&
         sfuMarksOf(M).empty()))
      return PreservedAnalyses::all();
    return KernelApproximator(M, *Attached).run() ? PreservedAnalyses::none()
                                                  : PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

} // namespace

namespace sluice {
/// The name `sluice-sfu`.
void registerSfuPass(PassBuilder &PB) {
  registerByName<SfuPass>(PB, DEBUG_TYPE);
}
} // namespace sluice
