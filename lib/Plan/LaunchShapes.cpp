// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sluice/Plan/LaunchShapes.h"
#include "llvm/ADT/STLExtras.h"

using namespace sluice;

std::optional<LaunchShape> sluice::shapeOf(const LaunchPlan &Launch,
                                           uint64_t ClaimedBytes) {
  std::optional<uint64_t> Threads = Launch.Block.total();
  if (!Threads || *Threads > MostThreadsPerBlock)
    return std::nullopt;
  return LaunchShape{unsigned(*Threads),
                     Launch.DynamicSharedBytes.value_or(0) + ClaimedBytes,
                     Launch.Grid.total()};
}

std::string sluice::whyNoSharedSpills(const KernelPlan &Plan) {
  if (Plan.ClaimedSharedBytes || Plan.CarveoutPercent)
    return "its plan divides the on-chip memory already";
  if (Plan.Launches.empty())
    return "no launch of it is in this file";
  for (const LaunchPlan &Launch : Plan.Launches) {
    if (!shapeOf(Launch))
      return "a launch's block is not known";
    if (!Launch.DynamicSharedBytes)
      return "a launch's dynamic shared memory is not known";
  }
  return "";
}

llvm::Error sluice::findRegisterPoints(const AssemblyCache &Cache,
                                       const AssemblyRequest &Code,
                                       const GPUModel &GPU, Plan &P) {
  const llvm::StringMap<KernelDirectives> Directives = directivesOf(Code.PTX);
  std::vector<KernelToLimit> Asked;
  std::vector<KernelPlan *> Plans;
  for (KernelPlan &Kernel : P.Kernels) {
    auto Own = Directives.find(Kernel.Name);
    if (Own == Directives.end() || Own->second.boundRegisters())
      continue;
    KernelToLimit Ask{Kernel.Name, {}};
    for (const LaunchPlan &Launch : Kernel.Launches)
      if (auto Shape = shapeOf(Launch)) // a claim is another knob
        Ask.Launches.push_back(*Shape);
    if (Ask.Launches.empty())
      continue;
    Asked.push_back(std::move(Ask));
    Plans.push_back(&Kernel);
  }
  auto Found = registerCandidates(Cache, Code, {&GPU, P.SMs, {}}, Asked);
  if (!Found)
    return Found.takeError();
  for (auto [Kernel, Candidates] : llvm::zip_equal(Plans, *Found))
    for (const LimitedCode &Limit : Candidates.Limits)
      Kernel->RegisterPoints.push_back(Limit.Limit);
  return llvm::Error::success();
}
