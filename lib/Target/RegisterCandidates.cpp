// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All kernels of a module are assembled together, each with its own limit: the
// first with its first, the second with its first, and so on. So a module takes
// as many runs of the assembler as its kernel with the most points.

#include "sluice/Target/RegisterCandidates.h"
#include "sluice/Target/SharedSpills.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/FormatVariadic.h"
#include <set>

using namespace llvm;
using namespace sluice;

using Limits = StringMap<unsigned>;

/// Below what any assembler takes, which then takes its least, as the thesis
/// asks nvcc with -maxrregcount=1.
static constexpr unsigned NoRegisters = 1;

const LimitedCode *RegisterCandidates::at(unsigned Limit) const {
  auto Found =
      find_if(Limits, [&](const LimitedCode &C) { return C.Limit == Limit; });
  return Found == Limits.end() ? nullptr : &*Found;
}

/// The largest limit with which each launch still fits.
static unsigned mostFor(const KernelToLimit &Kernel,
                        const KernelDirectives &Own,
                        const CandidateSetup &Setup) {
  unsigned Threads = Own.Threads.value_or(0);
  if (!Own.Threads)
    for (const LaunchShape &Launch : Kernel.Launches)
      Threads = std::max(Threads, Launch.Threads);
  unsigned Most =
      mostRegisters(*Setup.GPU, Threads ? Threads : MostThreadsPerBlock,
                    std::max(1u, Own.MinBlocksPerSM.value_or(1)));
  if (Own.MaxRegisters)
    Most = std::min(Most, *Own.MaxRegisters);
  else if (Setup.UsersMost && !Own.boundRegisters())
    Most = std::min(Most, *Setup.UsersMost);
  return Most;
}

/// The module once for each of \p Rounds.
static Expected<std::vector<AssembledKernels>>
assemble(const AssemblyCache &Cache, const AssemblyRequest &Code,
         ArrayRef<Limits> Rounds) {
  std::vector<AssemblyRequest> Requests;
  for (const Limits &L : Rounds)
    Requests.push_back({limitRegisters(Code.PTX, L), Code.Arch, Code.OptLevel,
                        Code.Relocatable});
  return Cache.assembleAll(Requests);
}

/// Fills in all but the points.
static Error findRanges(const AssemblyCache &Cache, const AssemblyRequest &Code,
                        const CandidateSetup &Setup,
                        ArrayRef<KernelToLimit> Kernels,
                        MutableArrayRef<RegisterCandidates> Results) {
  const StringMap<KernelDirectives> Directives = directivesOf(Code.PTX);
  Limits Users, Least, Most;
  for (auto [Kernel, Result] : zip_equal(Kernels, Results)) {
    auto Own = Directives.find(Kernel.Name);
    if (Own == Directives.end())
      return createStringError("there is no kernel '" + demangle(Kernel.Name) +
                               "'");
    Result.Own = Own->second;
    Least[Kernel.Name] = NoRegisters;
    Most[Kernel.Name] = mostFor(Kernel, Result.Own, Setup);
    if (Setup.UsersMost && !Result.Own.boundRegisters())
      Users[Kernel.Name] = *Setup.UsersMost;
  }
  auto Bounds = assemble(Cache, Code, {Users, Least, Most});
  if (!Bounds)
    return Bounds.takeError();
  for (auto [Kernel, Result] : zip_equal(Kernels, Results)) {
    Result.Chosen = (*Bounds)[0].lookup(Kernel.Name);
    Result.Range.Min = (*Bounds)[1].lookup(Kernel.Name).Registers;
    // Of its own choice the assembler may take more than with a high limit.
    Result.Range.Max = std::max((*Bounds)[2].lookup(Kernel.Name).Registers,
                                Result.Chosen.Registers);
  }
  return Error::success();
}

/// The limits to be tried.
static Expected<std::vector<unsigned>> pointsOf(const KernelToLimit &Kernel,
                                                const RegisterCandidates &Found,
                                                const CandidateSetup &Setup) {
  std::set<unsigned> Points;
  for (const LaunchShape &Launch : Kernel.Launches)
    for (const CriticalPoint &P :
         criticalPoints(*Setup.GPU, Launch.block(Found.Chosen), Found.Range,
                        Launch.GridBlocks, Setup.SMs))
      Points.insert(P.Registers);
  for (unsigned Limit : Kernel.Also) {
    if (!Found.Range.contains(Limit))
      return createStringError(formatv(
          "a limit of {0} registers is none for '{1}', whose thread "
          "takes {2} to {3}",
          Limit, demangle(Kernel.Name), Found.Range.Min, Found.Range.Max));
    Points.insert(Limit);
  }
  return std::vector<unsigned>(Points.begin(), Points.end());
}

/// Fills in LimitedCode::Shared.
static void spillToShared(const AssemblyCache &Cache,
                          const AssemblyRequest &Code, ArrayRef<Limits> Rounds,
                          ArrayRef<KernelToLimit> Kernels,
                          MutableArrayRef<RegisterCandidates> Results) {
  std::vector<SharedSpillRequest> Requests;
  for (const Limits &L : Rounds)
    Requests.push_back({{limitRegisters(Code.PTX, L), Code.Arch, Code.OptLevel,
                         Code.Relocatable},
                        {}});
  for (auto [Kernel, Result] : zip_equal(Kernels, Results))
    for (auto [Limited, Request] : zip(Result.Limits, Requests))
      if (Kernel.MaySpillToShared && Limited.Code.spilledBytes())
        Request.Kernels.insert(Kernel.Name);
  // Others need no run.
  std::vector<SharedSpillRequest> Asked = Requests;
  erase_if(Asked, [](const auto &R) { return R.Kernels.empty(); });
  const std::vector<AssembledKernels> Found =
      assembleSharedSpills(Cache, Asked);
  for (auto [Kernel, Result] : zip_equal(Kernels, Results)) {
    auto Next = Found.begin();
    for (auto [Limited, Request] : zip(Result.Limits, Requests)) {
      if (Request.Kernels.empty())
        continue;
      if (auto Code = Next->find(Kernel.Name); Code != Next->end())
        Limited.Shared = Code->second;
      ++Next;
    }
  }
}

Expected<std::vector<RegisterCandidates>> sluice::registerCandidates(
    const AssemblyCache &Cache, const AssemblyRequest &Code,
    const CandidateSetup &Setup, ArrayRef<KernelToLimit> Kernels) {
  std::vector<RegisterCandidates> Results(Kernels.size());
  if (Error E = findRanges(Cache, Code, Setup, Kernels, Results))
    return std::move(E);
  std::vector<std::vector<unsigned>> Points;
  std::vector<Limits> Rounds;
  for (auto [Kernel, Result] : zip_equal(Kernels, Results)) {
    auto OfThis = pointsOf(Kernel, Result, Setup);
    if (!OfThis)
      return OfThis.takeError();
    Rounds.resize(std::max(Rounds.size(), OfThis->size()));
    for (auto [Round, Limit] : zip(Rounds, *OfThis))
      Round[Kernel.Name] = Limit;
    Points.push_back(std::move(*OfThis));
  }
  auto Assembled = assemble(Cache, Code, Rounds);
  if (!Assembled)
    return Assembled.takeError();
  for (auto [Kernel, Result, OfThis] : zip_equal(Kernels, Results, Points))
    for (auto [Limit, Round] : zip(OfThis, *Assembled))
      Result.Limits.push_back({Limit, Round.lookup(Kernel.Name)});
  if (any_of(Kernels, [](const auto &K) { return K.MaySpillToShared; }))
    spillToShared(Cache, Code, Rounds, Kernels, Results);
  return Results;
}
