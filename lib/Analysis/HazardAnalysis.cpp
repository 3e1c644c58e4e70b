// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A hazard is a call: each kind by its name, and what may wait and has none
// here forbids turns in the whole kernel. Of a callee the worst that it reaches
// stands for all.

#include "sluice/Analysis/HazardAnalysis.h"
#include "sluice/Analysis/DebugPlace.h"
#include "sluice/Analysis/ThreadOrder.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/Debug.h"

using namespace sluice;
using namespace llvm;

#define DEBUG_TYPE "sluice-hazards"

STATISTIC(NumHazards, "Calls that turns must not be around");
STATISTIC(NumKernelHazards, "Calls for which a whole kernel takes no turns");

namespace {

/// What a call does that a throttled region, or kernel, must not.
struct CallHazard {
  std::string What; ///< Empty: nothing.
  bool WholeKernel = false;
};

} // namespace

static CallHazard intrinsicHazard(const CallBase &Call) {
  const bool Waits = threadOrderOf(Call) == ThreadOrder::Waits;
  StringRef Name = Call.getCalledFunction()->getName();
  Name.consume_front("llvm.nvvm.");
  if (Name.starts_with("bar.warp.sync"))
    return {}; // whole warps take turns
  if (Name.starts_with("barrier.cluster"))
    return {"contains a cluster barrier", Waits};
  if (Name.starts_with("barrier") || Name.starts_with("bar."))
    return {"contains a block barrier", Waits};
  if (Name.starts_with("mbarrier"))
    return {"contains an mbarrier operation", Waits};
  if (Name.starts_with("cp.async") || Name.starts_with("tcgen05") ||
      Name.starts_with("wgmma") || Name.starts_with("fence.proxy.async"))
    return {"is part of an asynchronous pipeline", Waits};
  if (Name.starts_with("griddepcontrol") || Name.starts_with("setmaxnreg"))
    return {"controls the launch of dependent grids or registers", Waits};
  if (Name == "exit")
    return {"ends the thread", Waits};
  if (Waits)
    return {"contains '" + Name.str() + "', which may wait for other warps",
            true};
  return {};
}

static CallHazard callHazard(const CallBase &Call) {
  const bool Waits = threadOrderOf(Call) == ThreadOrder::Waits;
  if (const auto *Asm = dyn_cast<InlineAsm>(Call.getCalledOperand())) {
    bool ClobbersMemory =
        StringRef(Asm->getConstraintString()).contains("~{memory}");
    if (Asm->hasSideEffects() || ClobbersMemory || Waits)
      return {"contains inline assembly with side effects", Waits};
    return {};
  }
  const Function *Callee = Call.getCalledFunction();
  if (!Callee)
    return {"calls through a pointer, so what runs is unknown", Waits};
  if (Callee->isIntrinsic())
    return intrinsicHazard(Call);
  if (!Waits)
    return {};
  std::string Name = demangle(Callee->getName().str());
  if (Callee->isDeclaration())
    return {"calls '" + Name + "', whose body is not in this file", Waits};
  return {"calls '" + Name + "', which is weak and may be replaced", Waits};
}

/// The worst hazard in \p Entry or in what it calls, at its own place.
static std::optional<RegionHazard> worstHazardFrom(const Function &Entry) {
  std::optional<RegionHazard> Worst;
  SmallPtrSet<const Function *, 16> Seen = {&Entry};
  SmallVector<const Function *, 16> Work = {&Entry};
  while (!Work.empty()) {
    const Function *F = Work.pop_back_val();
    for (const Instruction &I : instructions(*F)) {
      const auto *Call = dyn_cast<CallBase>(&I);
      if (!Call)
        continue;
      CallHazard Hazard = callHazard(*Call);
      if (!Hazard.What.empty() &&
          (!Worst || (Hazard.WholeKernel && !Worst->WholeKernel)))
        Worst = RegionHazard{{},
                             placeOf(I.getDebugLoc().get()),
                             Hazard.What + " (in '" +
                                 demangle(F->getName().str()) + "')",
                             Hazard.WholeKernel};
      const Function *Callee = Call->getCalledFunction();
      if (Callee && !Callee->isDeclaration() && Seen.insert(Callee).second)
        Work.push_back(Callee);
    }
  }
  return Worst;
}

void HazardAnalysis::collect(const Function &Kernel,
                             std::vector<RegionHazard> &Hazards) {
  auto Add = [&](RegionHazard Hazard) {
    ++NumHazards;
    NumKernelHazards += Hazard.WholeKernel;
    LLVM_DEBUG(dbgs() << "'" << Kernel.getName() << "', " << Hazard.Place.str()
                      << ": " << Hazard.What << "\n");
    Hazards.push_back(std::move(Hazard));
  };
  for (const Instruction &I : instructions(Kernel)) {
    const auto *Call = dyn_cast<CallBase>(&I);
    if (!Call)
      continue;
    const DILocation *Location = I.getDebugLoc().get();
    SourcePlace KernelPlace = kernelPlaceOf(Location, Kernel);
    CallHazard Hazard = callHazard(*Call);
    if (!Hazard.What.empty()) {
      Add({KernelPlace, placeOf(Location), Hazard.What, Hazard.WholeKernel});
      continue;
    }
    const Function *Callee = Call->getCalledFunction();
    if (!Callee || Callee->isDeclaration())
      continue;
    auto [It, Inserted] = Summaries.try_emplace(Callee);
    if (Inserted)
      It->second = worstHazardFrom(*Callee);
    if (It->second)
      Add({KernelPlace, It->second->Place, It->second->What,
           It->second->WholeKernel});
  }
}
