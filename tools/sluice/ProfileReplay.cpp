// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `sluice profile --replay=TRACE`: simulates what a program did under another
// GPU model, L1, hint or throttling factor, without running it again.

#include "ProfileReplay.h"
#include "sluice/Emulator/Progress.h"
#include "sluice/Simulator/Profiler.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <ctime>

using namespace llvm;
using namespace sluice;

static bool isSelected(const LaunchTrace &L, const ProfileArguments &Args) {
  const std::string Name = demangle(L.Kernel);
  return (Args.Kernel.empty() || StringRef(Name).contains(Args.Kernel)) &&
         (Args.NotKernel.empty() || !StringRef(Name).contains(Args.NotKernel));
}

/// "launch 2: gesummv(float*): 33 of 4096 blocks, 12345 cycles; 12.3 us, ..."
static void printLaunch(raw_ostream &OS, size_t Number, const LaunchTrace &L,
                        const PredictedTime &Time) {
  OS << formatv("launch {0}: {1}: {2} of {3} blocks", Number,
                demangle(L.Kernel), L.Blocks.size(), L.gridBlocks());
  if (L.Blocks.empty())
    OS << "; not recorded\n";
  else
    OS << formatv(" in {0} cycles; {1}\n", Time.Cycles, describeTime(Time));
}

/// Simulates one launch alone. Counts are of the simulated blocks.
static Expected<json::Value> describeLaunch(const LaunchTrace &L,
                                            const ProfilerOptions &Options) {
  auto Simulation = simulationOf(L, Options);
  if (!Simulation)
    return Simulation.takeError();
  const std::clock_t Begin = std::clock();
  const SimulationResult R = simulate(L, *Simulation);
  const double Took = double(std::clock() - Begin) / CLOCKS_PER_SEC;
  const SiteTraffic Loads = R.loads(L.Sites);
  uint64_t Sectors = 0, FromL2 = 0, FromDRAM = 0;
  for (auto [T, Site] : zip(R.Sites, L.Sites.Accesses)) {
    Sectors += T.Sectors;
    if (Site.Kind == AccessSite::Load)
      FromL2 += T.L2Sectors;
    FromDRAM += T.DRAMSectors;
  }
  return json::Object{
      {"kernel", L.Kernel},
      {"blocks", int64_t(R.Blocks)},
      {"grid-blocks", int64_t(L.gridBlocks())},
      {"blocks-per-sm", int64_t(Simulation->BlocksPerSM)},
      {"l1-bytes", int64_t(Simulation->L1Bytes)},
      {"issued-instructions", int64_t(R.Instructions)},
      {"sectors", int64_t(Sectors)},
      {"load-sectors", int64_t(Loads.Sectors)},
      {"hits", int64_t(Loads.Hits)},
      {"pending-hits", int64_t(Loads.PendingHits)},
      {"l2-read-sectors", int64_t(FromL2)},
      {"dram-read-sectors", int64_t(FromDRAM)},
      {"cycles", int64_t(R.Cycles)},
      {"seconds", double(predictedNanoseconds(L, *Simulation, R)) / 1e9},
      {"bound-by", nameOfUnit(R.boundBy())},
      {"simulation-seconds", Took}};
}

static Error replayLaunches(const Trace &T, const ProfileArguments &Args,
                            const ProfilerOptions &Options) {
  json::Array Launches;
  for (const LaunchTrace &L : T.Launches) {
    if (L.Blocks.empty() || !isSelected(L, Args))
      continue;
    auto Launch = describeLaunch(L, Options);
    if (!Launch)
      return Launch.takeError();
    Launches.push_back(std::move(*Launch));
  }
  outs() << formatv("{0:2}\n", json::Value(std::move(Launches)));
  return Error::success();
}

Error sluice::replayTrace(const ProfileArguments &Args) {
  auto T = readTraceFile(Args.Replay);
  if (!T)
    return T.takeError();
  auto GPU = findGPUModel(Args.GPU.empty() ? T->GPU : Args.GPU);
  if (!GPU)
    return GPU.takeError();
  ProfilerOptions Options;
  Options.GPU = *GPU;
  if (Args.L1KiB)
    Options.L1Bytes = *Args.L1KiB * 1024;
  if (Args.Scheduler)
    Options.Scheduler = *Args.Scheduler;
  Options.Pairs = Args.Pairs;
  Options.CachedWarps = Args.CachedWarps;
  Options.Hint = Args.Hint;
  Options.WarpGroups = Args.Throttle;
  Options.ResidentBlocks = Args.Blocks;
  if (Args.Launches)
    return replayLaunches(*T, Args, Options);
  Profiler All(Options);
  std::string Summary;
  raw_string_ostream OS(Summary);
  std::optional<Progress> Simulated;
  Simulated.emplace("simulation", T->Launches.size(), "launches");
  for (auto [I, L] : enumerate(T->Launches)) {
    Simulated->update(I);
    if (!isSelected(L, Args))
      continue;
    auto Time = All.add(L);
    if (!Time)
      return createStringError("launch " + Twine(I) + " of " +
                               demangle(L.Kernel) + ": " +
                               toString(Time.takeError()));
    printLaunch(OS, I, L, *Time);
  }
  Simulated.reset(); // before anything is printed
  Profile P = All.take();
  P.GPU = (*GPU)->Name.str();
  P.Origin = T->Origin;
  if (!Args.Output.empty())
    if (Error E = writeProfileFile(Args.Output, P))
      return E;
  if (Error E = showProfile(P, Args.View, "the trace"))
    return E;
  if (!Args.View.JSON && Args.View.Annotate.empty())
    outs() << "\n" << Summary;
  return Error::success();
}
