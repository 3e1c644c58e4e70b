// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A given plan replaces decisions and keeps facts: whoever carries it out asks
// these, so what is never safe stays refused.

#include "sluice/Planning/DevicePlan.h"
#include "llvm/ADT/STLExtras.h"

using namespace sluice;

const KernelFacts *DevicePlan::facts(llvm::StringRef Name) const {
  auto It = llvm::find_if(Kernels,
                          [&](const KernelFacts &K) { return K.Name == Name; });
  return It == Kernels.end() ? nullptr : &*It;
}

static void takeGivenBlocks(const KernelPlan *Given, KernelPlan &Kernel) {
  Kernel.ResidentBlocks = Given ? Given->ResidentBlocks : std::nullopt;
  Kernel.ClaimedSharedBytes = Given ? Given->ClaimedSharedBytes : 0;
  Kernel.BlocksWhy.clear();
  if (Kernel.ResidentBlocks || Kernel.ClaimedSharedBytes != 0)
    Kernel.BlocksWhy = "the given plan says so";
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
    // The host compile sets it; emit-plan= must not lose it.
    Kernel.CarveoutPercent =
        GivenKernel ? GivenKernel->CarveoutPercent : std::nullopt;
    Kernel.CarveoutWhy.clear();
    takeGivenBlocks(GivenKernel, Kernel);
    takeGivenResources(GivenKernel, Kernel);
    const KernelFacts &Facts = *Device.facts(Kernel.Name);
    Kernel.Loads.clear();
    if (Facts.Off)
      continue; // the source has the last word
    if (GivenKernel)
      Kernel.Loads = GivenKernel->Loads;
    for (LoopPlan &Loop : Kernel.Loops) {
      const LoopPlan *GivenLoop = nullptr;
      if (GivenKernel) {
        auto It = llvm::find_if(GivenKernel->Loops, [&](const LoopPlan &L) {
          return L.Id == Loop.Id;
        });
        GivenLoop = It == GivenKernel->Loops.end() ? nullptr : &*It;
      }
      Loop.WarpGroups = GivenLoop ? GivenLoop->WarpGroups : 1;
      Loop.ByLaunch.clear();
      Loop.OnlyIf.clear();
      if (!GivenLoop) {
        Loop.Why = "the given plan does not list this loop";
        continue;
      }
      if (GivenLoop->Promote) {
        Loop.Promote = GivenLoop->Promote;
        Loop.PromoteWhy = "the given plan says so";
      }
      Loop.ByLaunch = GivenLoop->ByLaunch;
      Loop.OnlyIf = GivenLoop->OnlyIf;
      for (ArgumentMinimum &M : Loop.OnlyIf) // a plan by hand needs no names
        if (M.Name.empty() && M.Argument < Facts.Parameters.size())
          M.Name = Facts.Parameters[M.Argument].Name;
      Loop.Why = Loop.ByLaunch.empty() ? "the given plan says N=" +
                                             std::to_string(Loop.WarpGroups)
                                       : "the given plan says so";
    }
  }
  for (const KernelPlan &Kernel : Given.Kernels) {
    const KernelPlan *Ours = Device.Decisions.kernel(Kernel.Name);
    if (!Ours) {
      Device.Warnings.push_back("the plan's kernel '" + Kernel.Name +
                                "' is not in this file");
      continue;
    }
    for (const LoopPlan &Loop : Kernel.Loops)
      if (llvm::none_of(Ours->Loops,
                        [&](const LoopPlan &L) { return L.Id == Loop.Id; }))
        Device.Warnings.push_back("the plan's loop at " + Loop.Id.str() +
                                  " matches none in kernel '" + Kernel.Name +
                                  "'");
  }
}
