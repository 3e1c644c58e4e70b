// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "XKernels.h"
#include "Arguments.h"
#include "sluice/Plan/Technique.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <future>

using namespace llvm;
using namespace sluice;

//===- Compiles -----------------------------------------------------------===//

Expected<BothCompiles> sluice::compileBoth(std::vector<std::string> Options,
                                           StringRef ProfileFile,
                                           RemarksWanted Remarks,
                                           const char *Argv0) {
  // Of techniques it has none; what says how the code is launched stays.
  std::vector<std::string> Plain = Options;
  for (StringRef Name : {"transforms", "plan", "emit-plan"})
    takeSluiceOption(Plain, Name);
  for (const Technique *T : techniques())
    takeSluiceOption(Plain, T->name());
  Plain.push_back("--sluice-transforms=off");
  if (!ProfileFile.empty() && none_of(Options, [](StringRef Word) {
        return isSluiceOption(Word, "profile");
      }))
    Options.push_back(("--sluice-profile=" + ProfileFile).str());
  // It says the same as the other.
  auto Other = std::async(std::launch::async, [&] {
    return compileDevice(Plain, RemarksWanted::No, Argv0, Diagnostics::Kept);
  });
  auto WithSluice = compileDevice(Options, Remarks, Argv0);
  auto AsWritten = Other.get();
  if (!WithSluice) {
    consumeError(AsWritten.takeError());
    return WithSluice.takeError();
  }
  if (!AsWritten)
    return AsWritten.takeError();
  return BothCompiles{std::move(*AsWritten), std::move(*WithSluice)};
}

Expected<Profile> sluice::profileFor(const DeviceCode &Code, StringRef Source,
                                     StringRef Path, StringRef Tool) {
  auto P = readProfileFile(Path);
  if (!P)
    return P.takeError();
  if (P->Source != Code.Decided.Source || P->GPU != Code.Decided.GPU)
    return createStringError(
        formatv("{0} is of {1} on {2}, and this is {3} on {4}", Path, P->Source,
                P->GPU, Code.Decided.Source, Code.Decided.GPU));
  auto Text = MemoryBuffer::getFile(Source);
  if (!Text)
    return createStringError("cannot read '" + Source +
                             "': " + Text.getError().message());
  erase_if(P->Kernels, [&](KernelProfile &K) {
    if (updateProfile(K, sys::path::filename(Source), (*Text)->getBuffer()) !=
        ProfileState::Stale)
      return false;
    errs() << Tool << ": warning: " << Source << " has changed since '"
           << K.Name << "' was profiled; its profile is not used\n";
    return true;
  });
  return P;
}

//===- Graphs -------------------------------------------------------------===//

/// The launch that the graph of a kernel that was not run is of.
static std::optional<LaunchX> largestLaunch(const KernelPlan &Kernel,
                                            const GPUModel &GPU, unsigned SMs) {
  std::optional<LaunchX> Largest;
  for (const LaunchX &L : launchesOf(Kernel, GPU, SMs))
    if (!Largest || L.warps() > Largest->warps())
      Largest = L;
  return Largest;
}

static Expected<KernelX> kernelXFor(const KernelPlan &Kernel,
                                    const BothCompiles &Code,
                                    const GPUModel &GPU, const Profile *P) {
  const unsigned SMs =
      Code.Sluice.Decided.SMs ? Code.Sluice.Decided.SMs : GPU.DefaultSMs;
  const CodeMix Mix =
      codeMix(warpProgram(Code.Plain.PTX, Kernel.Name, GPU), GPU);
  if (const KernelProfile *Of = P ? P->kernel(Kernel.Name) : nullptr)
    return kernelXOf(*Of, Mix, GPU, SMs, Kernel.StaticSharedBytes);
  auto Launch = largestLaunch(Kernel, GPU, SMs);
  if (!Launch)
    return createStringError(
        "no launch of it is known: say --sluice-launch=KERNEL:GRID:BLOCK");
  if (Mix.Loads == 0)
    return createStringError("its code loads nothing from memory");
  return kernelXOf(Kernel.Name, Mix, GPU, SMs, *Launch,
                   largestReads(Kernel, GPU));
}

Expected<XKernels> sluice::xKernels(const BothCompiles &Code, const Profile *P,
                                    StringRef Kernel) {
  const Plan &Decided = Code.Sluice.Decided;
  auto Architecture = findGPUModel(Decided.GPU);
  if (!Architecture)
    return Architecture.takeError();
  const GPUModel &GPU = chipOr(Decided.Chip, **Architecture);
  XKernels All;
  bool AnyCalled = Kernel.empty();
  for (const KernelPlan &Of : Decided.Kernels) {
    if (!Kernel.empty() && !isCalled(Of, Kernel))
      continue;
    AnyCalled = true;
    auto X = kernelXFor(Of, Code, GPU, P);
    if (!X) {
      All.Without.push_back(formatv("'{0}' has no graph: {1}", Of.DisplayName,
                                    toString(X.takeError())));
      continue;
    }
    XKernel K;
    K.X = std::move(*X);
    K.DisplayName = Of.DisplayName;
    K.Possible = possibleMoves(K.X.Model, limitsOf(K.X));
    K.Planned = plannedMoves(K.X, Of);
    K.At = intersections(K.X.Model);
    K.Settled = settled(K.X.Model);
    All.Kernels.push_back(std::move(K));
  }
  if (!AnyCalled)
    return noSuchKernel(Decided, Kernel);
  return All;
}
