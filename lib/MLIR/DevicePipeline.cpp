// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DevicePipeline.h"
#include "sluice/Analysis/DeviceCode.h"
#include "sluice/Planning/OptimizingPipeline.h"
#include "sluice/Transforms/PlanMetadata.h"
#include "sluice/Transforms/TechniquePasses.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/IPO/Internalize.h"

using namespace llvm;
using namespace sluice;

Error sluice::linkBitcode(Module &M, ArrayRef<std::string> Files) {
  for (const std::string &File : Files) {
    SMDiagnostic Problem;
    auto Library = parseIRFile(File, Problem, M.getContext());
    if (!Library)
      return createStringError("cannot link '" + File +
                               "': " + Problem.getMessage());
    // libdevice's triple has another vendor's spelling in some toolkits.
    Library->setTargetTriple(M.getTargetTriple());
    Library->setDataLayout(M.getDataLayout());
    auto MakeInternal = [](Module &Into, const StringSet<> &Linked) {
      internalizeModule(Into, [&](const GlobalValue &G) {
        return !G.hasName() || !Linked.contains(G.getName());
      });
    };
    if (Linker::linkModules(M, std::move(Library), Linker::LinkOnlyNeeded,
                            MakeInternal))
      return createStringError("cannot link '" + File + "'");
  }
  return Error::success();
}

static OptimizationLevel levelOf(unsigned Level) {
  constexpr const OptimizationLevel *Levels[] = {
      &OptimizationLevel::O0, &OptimizationLevel::O1, &OptimizationLevel::O2,
      &OptimizationLevel::O3};
  return *Levels[std::min(Level, 3u)];
}

Expected<std::optional<Plan>>
sluice::runDevicePipeline(Module &M, const DevicePipeline &P) {
  auto Planner = PlanPass::make(P.Args, P.GPU, P.HostHears);
  if (!Planner)
    return Planner.takeError();
  auto TM = makeTargetMachine(M, P.GPU, P.Features);
  if (!TM)
    return createStringError("this LLVM has no target " +
                             M.getTargetTriple().str());
  M.setDataLayout(TM->createDataLayout());
  for (Function &F : M) {
    F.addFnAttr("target-cpu", P.GPU);
    if (!P.Features.empty())
      F.addFnAttr("target-features", P.Features);
  }

  LoopAnalysisManager LAM;
  FunctionAnalysisManager FAM;
  CGSCCAnalysisManager CGAM;
  ModuleAnalysisManager MAM;
  PassBuilder PB(TM.get());
  PB.registerModuleAnalyses(MAM);
  PB.registerCGSCCAnalyses(CGAM);
  PB.registerFunctionAnalyses(FAM);
  PB.registerLoopAnalyses(LAM);
  PB.crossRegisterProxies(LAM, FAM, CGAM, MAM);
  registerTechniquePasses(PB);
  ModulePassManager MPM;
  addOptimizingPipeline(PB, MPM, std::move(*Planner), levelOf(P.OptLevel));
  MPM.run(M, MAM);

  auto Attached = attachedPlan(M);
  if (!Attached)
    return Attached.takeError();
  detachPlan(M);
  return *Attached ? std::optional<Plan>((*Attached)->Decisions) : std::nullopt;
}
