// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `sluice profile --replay=TRACE`: simulates what a program did under another
// GPU model, L1, hint or throttling factor, without running it again.

#include "ProfileReplay.h"
#include "sluice/Simulator/Profiler.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

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
  Options.Hint = Args.Hint;
  Options.WarpGroups = Args.Throttle;
  Profiler All(Options);
  std::string Summary;
  raw_string_ostream OS(Summary);
  for (auto [I, L] : enumerate(T->Launches)) {
    if (!isSelected(L, Args))
      continue;
    auto Time = All.add(L);
    if (!Time)
      return createStringError("launch " + Twine(I) + " of " +
                               demangle(L.Kernel) + ": " +
                               toString(Time.takeError()));
    printLaunch(OS, I, L, *Time);
  }
  Profile P = All.take();
  P.GPU = (*GPU)->Name.str();
  P.Origin = "emulator";
  if (!Args.Output.empty())
    if (Error E = writeProfileFile(Args.Output, P))
      return E;
  if (Error E = showProfile(P, Args.View, "the trace"))
    return E;
  if (!Args.View.JSON && Args.View.Annotate.empty())
    outs() << "\n" << Summary;
  return Error::success();
}
