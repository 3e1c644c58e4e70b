// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A given plan replaces decisions and keeps facts: whoever carries it out asks
// these, so what is never safe stays refused.

#include "sluice/Planning/DevicePlan.h"
#include "sluice/Plan/Technique.h"
#include "llvm/ADT/STLExtras.h"

using namespace sluice;

const KernelFacts *DevicePlan::facts(llvm::StringRef Name) const {
  auto It = llvm::find_if(Kernels,
                          [&](const KernelFacts &K) { return K.Name == Name; });
  return It == Kernels.end() ? nullptr : &*It;
}

/// What it knows of the kernel as it will be, where it does.
static void takeGivenResources(const KernelPlan *Given, KernelPlan &Kernel) {
  if (!Given || Given->Registers == 0)
    return;
  Kernel.Registers = Given->Registers;
  Kernel.RegistersFrom = Given->RegistersFrom;
  if (!Given->Launches.empty())
    Kernel.Launches = Given->Launches;
}

void sluice::takeGivenPlan(DevicePlan &Device, const Plan &Given) {
  for (KernelPlan &Kernel : Device.Decisions.Kernels) {
    const KernelPlan *GivenKernel = Given.kernel(Kernel.Name);
    takeGivenResources(GivenKernel, Kernel);
    for (const Technique *T : techniques())
      T->takeGiven(GivenKernel, *Device.facts(Kernel.Name), Kernel);
  }
  for (const KernelPlan &Kernel : Given.Kernels) {
    const KernelPlan *Ours = Device.Decisions.kernel(Kernel.Name);
    if (!Ours) {
      Device.Warnings.push_back("the plan's kernel '" + Kernel.Name +
                                "' is not in this file");
      continue;
    }
    for (const LoopPlan &Loop : Kernel.Loops)
      if (!findLoop(Ours, Loop.Id))
        Device.Warnings.push_back("the plan's loop at " + Loop.Id.str() +
                                  " matches none in kernel '" + Kernel.Name +
                                  "'");
  }
}

char NoPlanForSource::ID = 0;

llvm::Error sluice::takeGivenPlanFile(llvm::StringRef File,
                                      DevicePlan &Device) {
  auto Plans = readPlanFile(File);
  if (!Plans)
    return Plans.takeError();
  const Plan *Given =
      planFor(*Plans, Device.Decisions.Source, Device.Decisions.GPU);
  if (!Given)
    return llvm::make_error<NoPlanForSource>(
        ("plan file '" + File + "' has no plan for " + Device.Decisions.Source +
         " on " + Device.Decisions.GPU)
            .str());
  takeGivenPlan(Device, *Given);
  return llvm::Error::success();
}
