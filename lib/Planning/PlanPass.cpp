// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The planner without clang: for pipelines that make NVPTX code by other means.

#include "sluice/Planning/PlanPass.h"
#include "sluice/Analysis/KernelFunction.h"
#include "sluice/Analysis/ProfileFolder.h"
#include "sluice/Planning/ModulePlanner.h"
#include "sluice/Planning/ModuleSource.h"
#include "sluice/Planning/PlaceTracking.h"
#include "sluice/Target/GPUModel.h"
#include "sluice/Transforms/PlanMetadata.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace sluice;

static constexpr char PassName[] = "sluice-plan";

static void warn(Module &M, const Twine &Message) {
  M.getContext().diagnose(
      DiagnosticInfoGeneric(PassName + (": " + Message), DS_Warning));
}

/// Of the first kernel: a module is for one GPU.
static const Function *kernelOf(const Module &M) {
  auto It = find_if(
      M, [](const Function &F) { return !F.isDeclaration() && isKernel(F); });
  return It == M.end() ? nullptr : &*It;
}

/// Where the loop stands; without debug information at the kernel.
static DiagnosticLocation locate(const Function &F, const SourcePlace &Place) {
  DISubprogram *SP = F.getSubprogram();
  return SP && Place.isKnown()
             ? DiagnosticLocation(DebugLoc(DILocation::get(
                   F.getContext(), Place.Line, Place.Column, SP)))
             : DiagnosticLocation(SP);
}

static void emitRemarks(const Module &M, const DevicePlan &Device) {
  auto Emit = [&](StringRef Kernel, StringRef Name, const SourcePlace &Place,
                  const std::string &Message) {
    const Function *F = M.getFunction(Kernel);
    if (!F)
      return;
    OptimizationRemarkAnalysis R(PassName, Name, locate(*F, Place),
                                 &F->getEntryBlock());
    F->getContext().diagnose(R << Message);
  };
  for (const KernelPlan &Kernel : Device.Decisions.Kernels) {
    if (!Kernel.BlocksWhy.empty())
      Emit(Kernel.Name, "Blocks", {}, Kernel.BlocksWhy);
    if (!Kernel.CarveoutWhy.empty())
      Emit(Kernel.Name, "Carveout", {}, Kernel.CarveoutWhy);
    for (const LoopPlan &Loop : Kernel.Loops)
      Emit(Kernel.Name, "Loop", Loop.Id.kernelPlace(), Loop.Why);
  }
  for (const Remark &R : Device.Remarks)
    Emit(R.Function, R.Name, R.Place, R.Message);
}

/// With the errors that a user can mend.
static Expected<DevicePlan> plan(const Module &M, const Options &Opts,
                                 StringRef GPUName, StringRef Libdevice,
                                 bool HostHears) {
  const Function *Kernel = kernelOf(M);
  if (GPUName.empty() && Kernel)
    GPUName = Kernel->getFnAttribute("target-cpu").getValueAsString();
  if (GPUName.empty())
    return createStringError("no kernel names its GPU (target-cpu); give it, "
                             "as in 'sluice-plan<gpu=sm_90>'");
  auto GPU = findGPUModel(GPUName);
  if (!GPU)
    return GPU.takeError();
  std::optional<Profile> Measured;
  if (!Opts.ProfileFile.empty()) {
    auto Read = readProfileFile(Opts.ProfileFile);
    if (!Read)
      return Read.takeError();
    Measured = std::move(*Read);
  }
  if (!Opts.ProfileFolder.empty())
    if (auto Files = filesOfProfileFolder(Opts.ProfileFolder); !Files)
      return Files.takeError();
  CompileSetup Setup;
  Setup.GPU = *GPU;
  Setup.CPU = GPUName.str();
  if (Kernel)
    Setup.Features =
        Kernel->getFnAttribute("target-features").getValueAsString().str();
  Setup.HostHears = HostHears;
  if (!Libdevice.empty()) {
    if (!sys::fs::exists(Libdevice))
      return createStringError("there is no file 'libdevice=" + Libdevice +
                               "'");
    Setup.BitcodeLibraries.push_back(Libdevice.str());
  }
  std::vector<std::string> Warnings;
  SourceFacts Source = sourceFactsOf(M, Warnings);
  Source.Unoptimized = [&M] { return &M; };
  DevicePlan Device = planModule(CloneModule(M).get(), std::move(Source), Setup,
                                 Opts, Measured ? &*Measured : nullptr);
  llvm::append_range(Device.Warnings, Warnings);
  if (!Opts.PlanFile.empty())
    if (Error E = takeGivenPlanFile(Opts.PlanFile, Device))
      return E;
  return Device;
}

PreservedAnalyses PlanPass::run(Module &M, ModuleAnalysisManager &) {
  if (!M.getTargetTriple().isNVPTX() || !kernelOf(M)) {
    if (M.getTargetTriple().empty() && kernelOf(M)) // as Triton's
      warn(M, "nothing is planned: the module has no target triple; give opt "
              "-mtriple=nvptx64-nvidia-cuda");
    return PreservedAnalyses::all();
  }
  trackPlaces(M);
  auto Device = plan(M, Opts, GPU, Libdevice, HostHears);
  if (!Device) {
    warn(M, "nothing is planned: " + toString(Device.takeError()));
    return PreservedAnalyses::all();
  }
  for (const std::string &Warning : Device->Warnings)
    warn(M, Warning);
  emitRemarks(M, *Device);
  attachPlan(M, {Device->Decisions, Args, Device->Off});
  if (!Opts.EmitPlanFile.empty())
    if (Error E = updatePlanFile(Opts.EmitPlanFile, Device->Decisions))
      warn(M, toString(std::move(E)));
  return PreservedAnalyses::all();
}

Expected<PlanPass> PlanPass::make(std::vector<std::string> Args,
                                  std::string GPU, bool HostHears) {
  PlanPass Pass;
  Pass.HostHears = HostHears;
  auto Opts = parseOptions(Args);
  if (!Opts)
    return Opts.takeError();
  Pass.Opts = std::move(*Opts);
  Pass.Args = std::move(Args);
  Pass.GPU = std::move(GPU);
  return Pass;
}

Expected<PlanPass> PlanPass::parse(StringRef Parameters) {
  SmallVector<StringRef, 4> Parts;
  Parameters.split(Parts, ';', -1, /*KeepEmpty=*/false);
  std::vector<std::string> Args;
  StringRef GPU, Libdevice;
  for (StringRef Part : Parts)
    if (Part.consume_front("gpu="))
      GPU = Part;
    else if (Part.consume_front("libdevice="))
      Libdevice = Part;
    else
      Args.push_back(Part.str());
  auto Pass = make(std::move(Args), GPU.str());
  if (Pass)
    Pass->Libdevice = Libdevice.str();
  return Pass;
}

void sluice::registerPlanPass(PassBuilder &PB) {
  PB.registerPipelineParsingCallback(
      [](StringRef Name, ModulePassManager &MPM,
         ArrayRef<PassBuilder::PipelineElement>) {
        if (!Name.consume_front(PassName))
          return false;
        if (Name.consume_front("<") != Name.consume_back(">"))
          return false;
        auto Pass = PlanPass::parse(Name);
        if (!Pass) {
          errs() << PassName << ": " << toString(Pass.takeError()) << "\n";
          return false;
        }
        MPM.addPass(std::move(*Pass));
        return true;
      });
}
