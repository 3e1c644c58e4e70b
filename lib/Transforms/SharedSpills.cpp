// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel that is limited to few registers spills to local memory. ptxas can
// spill to shared memory too, if the kernel's body says so:
//
//   call void asm sideeffect ".pragma \"enable_smem_spilling\";", ""()
//
// How many bytes that takes nobody knows but ptxas, so it is asked. It ends
// with an error where a kernel calls functions or has dynamic shared memory,
// and a compile must not: what it refuses stays as it is.

#include "SharedSpills.h"
#include "sluice/Analysis/KernelFunction.h"
#include "sluice/Analysis/ResidencyAnalysis.h"
#include "sluice/Plan/LaunchShapes.h"
#include "sluice/Target/SharedSpills.h"
#include "sluice/Transforms/ModuleAssembly.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace sluice;

#define DEBUG_TYPE "sluice-register-limit"

STATISTIC(NumSpillShared, "Number of kernels that spill to shared memory");

/// Does the source say how large a block is at most, or how many registers a
/// thread has? Then ptxas may keep to fewer than it would like.
static bool isBounded(const Function &F) {
  return F.hasFnAttribute("nvvm.maxntid") || F.hasFnAttribute("nvvm.reqntid") ||
         registerLimit(F);
}

static void remarkLocal(Function &F, StringRef Why) {
  OptimizationRemarkEmitter(&F).emit(
      OptimizationRemarkMissed(DEBUG_TYPE, "SpillsLocal", F.getSubprogram(),
                               &F.front())
      << "what a thread spills goes to local memory: " << Why);
}

static void enable(Function &F, const AssembledKernel &Local,
                   const AssembledKernel &Shared) {
  IRBuilder<> B(&F.getEntryBlock(), F.getEntryBlock().getFirstInsertionPt());
  B.SetCurrentDebugLocation(DebugLoc());
  B.CreateCall(InlineAsm::get(FunctionType::get(B.getVoidTy(), false),
                              SharedSpillsPragma, "",
                              /*hasSideEffects=*/true));
  ++NumSpillShared;
  OptimizationRemarkEmitter(&F).emit(
      OptimizationRemark(DEBUG_TYPE, "SpillsShared", F.getSubprogram(),
                         &F.front())
      << formatv("a thread spills {0} bytes to local memory in place of {1}; "
                 "the others go to {2} bytes of shared memory that are to "
                 "spare",
                 Shared.spilledBytes(), Local.spilledBytes(),
                 Shared.StaticSharedBytes - Local.StaticSharedBytes)
             .str());
}

/// Those of \p Limited, or all that have a limit or bounds.
static std::vector<LimitedKernel>
limitedKernels(Module &M, const AttachedPlan &Attached,
               const SmallPtrSetImpl<Function *> &Limited) {
  if (Attached.Opts.Spills == SharedSpills::Off)
    return {};
  const bool All = Attached.Opts.Spills != SharedSpills::Auto;
  std::vector<LimitedKernel> Found;
  for (Function &F : M) {
    const KernelPlan *Plan =
        F.isDeclaration() || !isKernel(F) ? nullptr : Attached.kernel(F);
    if (!Plan || !(Limited.contains(&F) || (All && isBounded(F))))
      continue;
    std::string WhyNot = whyNoSharedSpills(*Plan);
    if (std::string Why = findFixedResidency(F); WhyNot.empty() && !Why.empty())
      WhyNot = "it " + Why;
    if (!WhyNot.empty()) {
      if (All) // it may spill nothing
        remarkLocal(F, WhyNot);
      continue;
    }
    Found.push_back({&F, Plan, {}});
    for (const LaunchPlan &Launch : Plan->Launches)
      Found.back().Launches.push_back(*shapeOf(Launch));
  }
  return Found;
}

/// ptxas spills what it can of \p Kernels, whose code is \p Local by now.
static bool enablePtxas(ArrayRef<LimitedKernel> Kernels,
                        const AssembledKernels &Local,
                        const ModuleAssembly &Code, unsigned SMs) {
  SharedSpillRequest Request{{Code.PTX, Code.Arch}, {}};
  for (const LimitedKernel &K : Kernels)
    Request.Kernels.insert(K.F->getName());
  const AssembledKernels Shared =
      assembleSharedSpills(Code.Cache, Request).front();
  bool Changed = false;
  for (const LimitedKernel &K : Kernels) {
    auto After = Shared.find(K.F->getName());
    if (After == Shared.end()) {
      remarkLocal(*K.F, "ptxas refuses: it calls functions, has dynamic shared "
                        "memory, or ptxas is older than CUDA 13");
      continue;
    }
    const AssembledKernel Before = Local.lookup(K.F->getName());
    std::string WhyNot =
        whyNotShared(Code.GPU, SMs, K.Launches, Before, After->second);
    if (WhyNot.empty())
      enable(*K.F, Before, After->second);
    else
      remarkLocal(*K.F, WhyNot);
    Changed |= WhyNot.empty();
  }
  return Changed;
}

static Expected<bool> spillKernels(Module &M, const AttachedPlan &Attached,
                                   std::vector<LimitedKernel> Kernels) {
  SmallVector<const Function *, 4> Functions;
  for (const LimitedKernel &K : Kernels)
    Functions.push_back(K.F);
  auto Code = assemblyOf(M, Functions, Attached);
  if (!Code)
    return Code.takeError();
  auto Local = Code->Cache.assemble({Code->PTX, Code->Arch});
  if (!Local)
    return Local.takeError();
  erase_if(Kernels, [&](const LimitedKernel &K) {
    return Local->lookup(K.F->getName()).spilledBytes() == 0;
  });
  if (Kernels.empty())
    return false;
  if (Attached.Opts.Spills == SharedSpills::Ptxas)
    return enablePtxas(Kernels, *Local, *Code, Attached.Decisions.SMs);
  const SpillSetup Setup = {Code->GPU, Attached.Decisions.SMs, Code->Cache,
                            Code->Arch};
  bool Changed = false;
  for (const LimitedKernel &K : Kernels) {
    auto WhyNot = spillValues(K, Local->lookup(K.F->getName()), Setup,
                              Attached.Opts.Wrong);
    if (!WhyNot)
      return WhyNot.takeError();
    if (!WhyNot->empty())
      remarkLocal(*K.F, *WhyNot);
    Changed |= WhyNot->empty();
  }
  return Changed;
}

bool sluice::spillToShared(Module &M, const AttachedPlan &Attached,
                           const SmallPtrSetImpl<Function *> &Limited) {
  const std::vector<LimitedKernel> Kernels =
      limitedKernels(M, Attached, Limited);
  if (Kernels.empty())
    return false;
  Expected<bool> Changed = spillKernels(M, Attached, Kernels);
  if (Changed)
    return *Changed;
  const std::string Why = toString(Changed.takeError());
  if (Attached.Opts.Spills == SharedSpills::Auto)
    remarkLocal(*Kernels.front().F, Why);
  else
    M.getContext().diagnose(DiagnosticInfoGeneric(
        "shared-spills: nothing is spilled to shared memory: " + Why,
        DS_Warning));
  return true; // some may have been
}
