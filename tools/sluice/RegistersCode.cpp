// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RegistersCode.h"
#include "DeviceCompile.h"
#include "sluice/Analysis/KernelFunction.h"
#include "sluice/Transforms/CacheHintLowering.h"
#include "sluice/Transforms/ModuleAssembly.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Target/RegisterTargetPassConfigCallback.h"

using namespace llvm;
using namespace sluice;

extern "C" void LLVMInitializeNVPTXTargetInfo();
extern "C" void LLVMInitializeNVPTXTarget();
extern "C" void LLVMInitializeNVPTXTargetMC();
extern "C" void LLVMInitializeNVPTXAsmPrinter();

/// The PTX of \p M, as of the compile.
static Expected<std::string> compiledPTX(const Module &M) {
  // Other subcommands have no use for hints.
  static const RegisterTargetPassConfigCallback WithCacheHints(
      addCacheHintLowering);
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
  auto Kernel = find_if(M, [](const Function &F) { return isKernel(F); });
  if (Kernel == M.end())
    return createStringError("the file has no kernel");
  return ptxOf(M, *Kernel);
}

Expected<RegistersCode>
sluice::compileForRegisters(ArrayRef<std::string> Options, const char *Argv0) {
  auto Compiled = compileToBitcode(Options, Argv0);
  if (!Compiled)
    return Compiled.takeError();
  RegistersCode Code{std::move(Compiled->Decided),
                     std::make_unique<LLVMContext>(),
                     nullptr,
                     {}};
  auto M = parseBitcodeFile(MemoryBufferRef(Compiled->Bitcode, "kernels"),
                            *Code.Context);
  if (!M)
    return M.takeError();
  Code.M = std::move(*M);
  auto PTX = compiledPTX(*Code.M);
  if (!PTX)
    return PTX.takeError();
  Code.PTX = std::move(*PTX);
  return Code;
}

Error sluice::addOwnSpills(const RegistersCode &Code, const KernelPlan &Kernel,
                           ArrayRef<LaunchShape> Launches,
                           const SpillSetup &Setup, RegisterCandidates &Found) {
  Function *F = Code.M->getFunction(Kernel.Name);
  if (!F || !whyNoOwnSpills(*F, Kernel).empty())
    return Error::success();
  std::vector<LimitedCode *> Limits;
  for (LimitedCode &Limited : Found.Limits)
    Limits.push_back(&Limited);
  return addOwnSpills({F, &Kernel, Launches.vec()}, Setup, Limits);
}
