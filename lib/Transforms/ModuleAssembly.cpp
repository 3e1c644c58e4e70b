// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sluice/Transforms/ModuleAssembly.h"
#include "sluice/Analysis/DeviceCode.h"
#include "sluice/Analysis/KernelFunction.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace sluice;

/// The code of a kernel does not depend on those that nobody calls.
static void dropKernels(Module &M, const StringSet<> &Kept) {
  for (Function &F : make_early_inc_range(M))
    if (isKernel(F) && F.use_empty() && !Kept.contains(F.getName()))
      F.eraseFromParent();
}

/// \p Kept: null for all kernels.
static Expected<std::string> ptxOf(const Module &M, const Function &Kernel,
                                   const StringSet<> *Kept) {
  auto TM = makeTargetMachine(
      M, Kernel.getFnAttribute("target-cpu").getValueAsString(),
      Kernel.getFnAttribute("target-features").getValueAsString());
  if (!TM)
    return createStringError("the target is not in this process");
  auto Copy = CloneModule(M);
  detachPlan(*Copy);
  if (Kept)
    dropKernels(*Copy, *Kept);
  return emitPTX(*Copy, *TM);
}

Expected<std::string> sluice::ptxOf(const Module &M, const Function &Kernel) {
  return ::ptxOf(M, Kernel, /*Kept=*/nullptr);
}

Expected<ModuleAssembly> sluice::assemblyOf(const Module &M,
                                            ArrayRef<const Function *> Kernels,
                                            const AttachedPlan &Attached) {
  StringSet<> Names;
  for (const Function *Kernel : Kernels)
    Names.insert(Kernel->getName());
  const Function &Kernel = *Kernels.front();
  auto GPU = findGPUModel(Attached.Decisions.GPU);
  if (!GPU)
    return GPU.takeError();
  auto PTX = ::ptxOf(M, Kernel, &Names);
  if (!PTX)
    return PTX.takeError();
  auto Cache = AssemblyCache::open(compilersAssembler(/*CudaPath=*/""),
                                   Attached.Opts.AssemblyCacheFolder);
  if (!Cache)
    return Cache.takeError();
  StringRef Arch = Kernel.getFnAttribute("target-cpu").getValueAsString();
  if (Arch.empty())
    Arch = (*GPU)->Name;
  return ModuleAssembly{**GPU, std::move(*Cache), Arch.str(), std::move(*PTX)};
}
