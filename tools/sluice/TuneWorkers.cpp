// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TuneWorkers.h"
#include "LocalGpus.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Process.h"

using namespace llvm;
using namespace sluice;

/// Adds a worker to those of its chip.
static void add(std::vector<ProjectWorkers> &Workers, const LocalGpu &GPU,
                std::string Device) {
  auto Same = find_if(
      Workers, [&](const ProjectWorkers &W) { return W.Name == GPU.Name; });
  if (Same == Workers.end()) {
    ProjectWorkers New;
    New.Name = GPU.Name;
    New.Architecture = GPU.Architecture;
    Same = Workers.insert(Same, std::move(New));
  }
  Same->Devices.push_back(std::move(Device));
}

static Error findLocal(std::vector<ProjectWorkers> &Workers, StringRef GPUs) {
  LocalDriver Driver = askDriver();
  if (Driver.Gpus.empty())
    return createStringError("no GPU here: " + Driver.Problem +
                             ". Other machines' are used by --engine=ray or "
                             "--engine=slurm, or measure single rounds there "
                             "with --export.");
  SmallVector<StringRef> Wanted;
  if (GPUs != "all")
    GPUs.split(Wanted, ',');
  for (StringRef Number : Wanted)
    if (size_t I; Number.getAsInteger(10, I) || I >= Driver.Gpus.size())
      return createStringError("--gpus=" + GPUs + ": there are " +
                               Twine(Driver.Gpus.size()) +
                               " GPUs here, counted from 0");
  // The driver counts those that we may see; they have other names for it.
  std::string Names = sys::Process::GetEnv("CUDA_VISIBLE_DEVICES").value_or("");
  SmallVector<StringRef> Visible;
  StringRef(Names).split(Visible, ',', -1, /*KeepEmpty=*/false);
  for (auto [I, GPU] : enumerate(Driver.Gpus))
    if (Wanted.empty() || is_contained(Wanted, std::to_string(I)))
      add(Workers, GPU,
          I < Visible.size() ? Visible[I].trim().str() : std::to_string(I));
  return Error::success();
}

Error sluice::findWorkers(std::vector<ProjectWorkers> &Workers,
                          StringRef Engine, StringRef GPUs) {
  const bool IsLocal = Engine == "local";
  if (Workers.empty() && IsLocal)
    return findLocal(Workers, GPUs);
  if (Workers.empty()) {
    ProjectWorkers Any;
    Any.Name = Any.Architecture = "sm_90";
    Workers.push_back(std::move(Any));
  }
  if (IsLocal && GPUs != "all")
    return createStringError("--gpus=" + GPUs +
                             ": the project names its [[workers]] already");
  unsigned Next = 0;
  for (ProjectWorkers &W : Workers)
    for (unsigned I = 0; IsLocal && I < std::max(1u, W.Count); ++I)
      W.Devices.push_back(std::to_string(Next++));
  return Error::success();
}
