// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sluice/Tuning/KernelTimes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include <algorithm>
#include <vector>

using namespace llvm;
using namespace sluice;

/// A launch is repeated only where there is something to compare it with: the
/// same code under another name, whose times are not looked at.
std::string sluice::timingJob(StringRef Image, unsigned Rounds,
                              unsigned Launches) {
  return ("results results.jsonl\ncandidate base " + Image +
          "\ncandidate same " + Image + "\nbase base\nrounds " + Twine(Rounds) +
          "\nlaunches " + Twine(Launches) + "\ntime-wrong yes\n")
      .str();
}

double KernelTimes::totalMs() const {
  double Sum = 0;
  for (const auto &Kernel : Kernels)
    Sum += Kernel.second.Ms;
  return Sum;
}

namespace {

/// Of one kernel, as its lines come.
struct Lines {
  std::vector<double> Medians; ///< Of repeated launches.
  unsigned Launches = 0, Timed = 0;
  double TimedMs = 0; ///< Of the timed ones, once each.
};

} // namespace

static unsigned threadsOf(const json::Object &Line) {
  uint64_t Threads = 1;
  const json::Array *Block = Line.getArray("block");
  if (!Block)
    return 0;
  for (const json::Value &Size : *Block)
    Threads *= uint64_t(Size.getAsInteger().value_or(0));
  return unsigned(Threads);
}

static void readBase(const json::Object &Line, KernelTime &Time, Lines &Of) {
  std::vector<double> Ms;
  if (const json::Array *List = Line.getArray("ms"))
    for (const json::Value &V : *List)
      Ms.push_back(V.getAsNumber().value_or(0));
  if (Ms.empty())
    return;
  std::nth_element(Ms.begin(), Ms.begin() + ptrdiff_t(Ms.size() / 2), Ms.end());
  Of.Medians.push_back(Ms[Ms.size() / 2]);
  Time.MostThreads = std::max(Time.MostThreads, threadsOf(Line));
}

static double allMs(const Lines &Of) {
  if (Of.Medians.empty())
    return Of.Timed == 0 ? 0 : Of.TimedMs / Of.Timed * Of.Launches;
  double Sum = 0;
  for (double Ms : Of.Medians)
    Sum += Ms;
  return Sum / double(Of.Medians.size()) * Of.Launches;
}

KernelTimes sluice::parseKernelTimes(StringRef Results) {
  KernelTimes Times;
  StringMap<Lines> Read;
  for (StringRef Text : split(Results, '\n')) {
    auto Value = json::parse(Text);
    if (!Value) {
      consumeError(Value.takeError());
      continue;
    }
    const json::Object *Line = Value->getAsObject();
    if (!Line)
      continue;
    const StringRef Event = Line->getString("event").value_or("");
    const StringRef Kernel = Line->getString("kernel").value_or("");
    if (Event == "device")
      Times.GPU = Line->getString("name").value_or("").str();
    else if (Event == "measured" && Line->getBoolean("base").value_or(false))
      readBase(*Line, Times.Kernels[Kernel], Read[Kernel]);
    else if (Event == "launches") {
      Read[Kernel].Launches = Line->getInteger("launches").value_or(0);
      Read[Kernel].Timed = Line->getInteger("timed").value_or(0);
      Read[Kernel].TimedMs = Line->getNumber("ms").value_or(0);
    }
  }
  for (const auto &Kernel : Read) {
    KernelTime &Time = Times.Kernels[Kernel.first()];
    Time.Launches = Kernel.second.Launches;
    Time.Ms = allMs(Kernel.second);
  }
  return Times;
}
