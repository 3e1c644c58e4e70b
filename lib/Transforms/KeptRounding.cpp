// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which sums are fused hangs on what LLVM's later passes make of the loops. So
// these are run on a copy, in which each instruction has its number; where a
// loop is unrolled its copies have the same. If all copies of a sum are fused
// with the same product, or none is, that can be written down:
//
//   for (k = 0; k < n; ++k)               for (k = 0; k < n; ++k)
//     for (i = 0; i < 8; ++i)               for (i = 0; i < 8; ++i)
//       s[i] = s[i] + x[k] * y[i];   -->      s[i] = fma(x[k], y[i], s[i]);

#include "KeptRounding.h"
#include "WrittenRounding.h"
#include "sluice/Analysis/DeviceCode.h"
#include "sluice/Analysis/KernelFunction.h"
#include "sluice/Analysis/UnrollAnalysis.h"
#include "sluice/Transforms/PlanMetadata.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace sluice;

/// A copy of the module with no kernel but \p Kernel.
static std::unique_ptr<Module> copyWith(const Function &Kernel) {
  auto Copy = CloneModule(*Kernel.getParent());
  detachPlan(*Copy);
  for (Function &F : make_early_inc_range(*Copy))
    if (isKernel(F) && F.use_empty() && F.getName() != Kernel.getName())
      F.eraseFromParent();
  // Kernels that are not here may write them: they are no constants.
  for (GlobalVariable &G : Copy->globals())
    if (G.hasLocalLinkage() && !G.isConstant() && !G.isDeclaration())
      G.setLinkage(GlobalValue::ExternalLinkage);
  return Copy;
}

/// Why it is not certain that the assembler fuses nothing else in \p Kernel as
/// it is; empty: it is.
static Expected<std::string> whyFusedFurther(const Function &Kernel,
                                             const AttachedPlan &Attached,
                                             TargetMachine &TM,
                                             unsigned Level) {
  auto Copy = copyWith(Kernel);
  optimizeFurther(*Copy, TM, Level);
  auto PTX = emitPTX(*Copy, TM);
  if (!PTX)
    return PTX.takeError();
  const StringRef CPU = Kernel.getFnAttribute("target-cpu").getValueAsString();
  return whyAssemblerFuses(Kernel.getName(), *PTX,
                           CPU.empty() ? Attached.Decisions.GPU : CPU.str(),
                           Attached);
}

std::string sluice::keepRoundings(Function &Kernel,
                                  const AttachedPlan &Attached) {
  Module &M = *Kernel.getParent();
  const unsigned Level = unrollLevel(M);
  if (!isKernel(Kernel) || Level < 2)
    return "what is fused is written down in kernels alone, from -O2 on";
  if (std::string Why = whyNotWritable(Kernel); !Why.empty())
    return Why;
  auto TM = makeTargetMachine(
      M, Kernel.getFnAttribute("target-cpu").getValueAsString(),
      Kernel.getFnAttribute("target-features").getValueAsString());
  if (!TM)
    return "the target is not in this process";
  bool HasArrays = false;
  const auto All = readRoundings(*copyWith(Kernel), *TM, [&](Module &Copy) {
    optimizeFurther(Copy, *TM, Level);
    HasArrays = any_of(instructions(*Copy.getFunction(Kernel.getName())),
                       [](const Instruction &I) { return isa<AllocaInst>(I); });
  });
  if (!HasArrays)
    return "clang keeps its arrays in registers by itself";
  const auto Read = All.find(Kernel.getName());
  if (std::string Why =
          whyNotWritten(Kernel, Read == All.end() ? nullptr : &Read->second,
                        /*MayHaveCopies=*/true);
      !Why.empty())
    return Why;
  auto Why = whyFusedFurther(Kernel, Attached, *TM, Level);
  if (!Why)
    return "the code cannot be compared: " + toString(Why.takeError());
  if (!Why->empty())
    return std::move(*Why);
  writeRoundings(Kernel, Read->second);
  roundProducts(Kernel);
  return "";
}
