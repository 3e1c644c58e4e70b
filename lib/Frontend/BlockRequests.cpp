// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Here the user's plan and the planner's meet the same refusals: blocks that
// must stay, shared memory that a launch would have to opt in to. M without a
// claim, as people write it, gets one.

#include "sluice/Frontend/BlockRequests.h"
#include "sluice/Plan/ResidentBlocks.h"
#include "sluice/Target/GPUModel.h"
#include "llvm/Support/FormatVariadic.h"

using namespace sluice;

/// A plan written by hand may have M alone: the claim follows from it. Else why
/// not.
static std::string completeClaim(const KernelFacts &Facts, llvm::StringRef GPU,
                                 KernelPlan &Kernel) {
  if (!Kernel.ResidentBlocks || Kernel.ClaimedSharedBytes != 0 ||
      Kernel.CarveoutPercent)
    return "";
  auto Model = findGPUModel(GPU);
  if (!Model)
    return llvm::toString(Model.takeError());
  const ResourceLedger Ledger(Facts, **Model, Kernel.Registers,
                              (*Model)->DefaultSMs, std::nullopt);
  BlocksDecision D = forceResidentBlocks(Ledger, *Kernel.ResidentBlocks);
  if (!D.Blocks)
    return D.Why;
  Kernel.ClaimedSharedBytes = D.Claim.Bytes;
  Kernel.CarveoutPercent = D.Claim.CarveoutPercent;
  return "";
}

/// " to M=2 of 8"; the blocks of the launch that has the most.
static std::string blocksOf(const KernelPlan &Kernel) {
  if (!Kernel.ResidentBlocks)
    return "";
  std::string M = llvm::formatv(" to M={0}", *Kernel.ResidentBlocks);
  unsigned Most = 0;
  for (const LaunchPlan &Launch : Kernel.Launches)
    Most = std::max(Most, Launch.BlocksPerSM);
  return Most <= *Kernel.ResidentBlocks
             ? M
             : M + llvm::formatv(" of {0}", Most).str();
}

/// For a carveout that is not for M.
static void requestCarveout(const KernelPlan &Kernel, const KernelFacts &Facts,
                            llvm::StringRef CannotReach, DevicePlan &Device,
                            HostRequests &Requests) {
  if (Kernel.CarveoutWhy.empty())
    return;
  const bool IsSet = Kernel.CarveoutPercent && CannotReach.empty();
  Remark R;
  R.Function = Kernel.Name;
  R.Place = Facts.Place;
  if (IsSet) {
    Requests[Kernel.Name] = HostRequest();
    Requests[Kernel.Name].CarveoutPercent = Kernel.CarveoutPercent;
    R.Kind = Remark::Passed;
    R.Name = "Carveout";
    R.Message =
        llvm::formatv("carveout of '{0}' is {1} %: {2}", Kernel.DisplayName,
                      *Kernel.CarveoutPercent, Kernel.CarveoutWhy);
  } else {
    R.Kind = Remark::Missed;
    R.Name = "NoCarveout";
    R.Message = llvm::formatv(
        "carveout of '{0}' left to the driver: {1}", Kernel.DisplayName,
        Kernel.CarveoutPercent ? CannotReach : Kernel.CarveoutWhy);
  }
  Device.Remarks.push_back(std::move(R));
}

HostRequests sluice::requestBlocks(DevicePlan &Device,
                                   llvm::StringRef CannotReach) {
  HostRequests Requests;
  for (KernelPlan &Kernel : Device.Decisions.Kernels) {
    const KernelFacts &Facts = *Device.facts(Kernel.Name);
    requestCarveout(Kernel, Facts, CannotReach, Device, Requests);
    Remark R;
    R.Function = Kernel.Name;
    R.Place = Facts.Place;
    bool IsWanted = Kernel.ResidentBlocks || Kernel.ClaimedSharedBytes != 0;
    std::string WhyNot = IsWanted ? blocksRefusal(Facts) : Kernel.BlocksWhy;
    if (IsWanted && WhyNot.empty())
      WhyNot = completeClaim(Facts, Device.Decisions.GPU, Kernel);
    if (IsWanted && WhyNot.empty() &&
        sharedBytesWithClaim(Kernel) > MostSharedWithoutOptIn)
      WhyNot =
          llvm::formatv("it declares {0} B of shared memory, and with a "
                        "claim of {1} B a block could have more than {2} B",
                        Facts.StaticSharedBytes, Kernel.ClaimedSharedBytes,
                        MostSharedWithoutOptIn);
    if (IsWanted && WhyNot.empty())
      WhyNot = CannotReach.str();
    if (!WhyNot.empty()) {
      R.Kind = Remark::Missed;
      R.Name = "BlocksNotLimited";
      R.Message = llvm::formatv("thread blocks of '{0}' not limited: {1}",
                                Kernel.DisplayName, WhyNot);
      Device.Remarks.push_back(std::move(R));
      continue;
    }
    if (!IsWanted)
      continue;
    Requests[Kernel.Name] = *requestOf(Kernel);
    R.Kind = Remark::Passed;
    R.Name = "BlocksLimited";
    std::string Carveout = Kernel.CarveoutPercent
                               ? llvm::formatv(" with a carveout of {0} %",
                                               *Kernel.CarveoutPercent)
                                     .str()
                               : "";
    R.Message = llvm::formatv(
        "thread blocks of '{0}' limited{1}: claim of {2} B{3}: {4}",
        Kernel.DisplayName, blocksOf(Kernel), Kernel.ClaimedSharedBytes,
        Carveout, Kernel.BlocksWhy);
    Device.Remarks.push_back(std::move(R));
  }
  return Requests;
}
