// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ReportData.h"
#include "sluice/Tuning/ResultStore.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include <algorithm>
#include <map>

using namespace llvm;
using namespace sluice;

Expected<json::Value> sluice::readJSON(StringRef Path) {
  auto Buffer = MemoryBuffer::getFile(Path);
  if (!Buffer)
    return createStringError("cannot read '" + Path +
                             "': " + Buffer.getError().message());
  auto Read = json::parse((*Buffer)->getBuffer());
  if (!Read)
    return createStringError(Path + ": " + toString(Read.takeError()));
  return Read;
}

static double median(std::vector<double> Times) {
  llvm::sort(Times);
  const size_t Half = Times.size() / 2;
  return Times.size() % 2 ? Times[Half] : (Times[Half - 1] + Times[Half]) / 2;
}

//===- The tuner's store --------------------------------------------------===//

static bool isSameContext(const EvaluationContext &A,
                          const EvaluationContext &B) {
  return A.Code == B.Code && A.GPU == B.GPU && A.Compiler == B.Compiler &&
         A.Arguments == B.Arguments;
}

Expected<std::vector<MeasuredTime>>
sluice::timesOfStore(const std::string &Path, ArrayRef<std::string> Kernels) {
  // Opening would make one.
  if (!sys::fs::exists(Path))
    return createStringError("there is no result store '" + Path +
                             "': `sluice tune` makes one");
  auto Store = ResultStore::open(Path);
  if (!Store)
    return Store.takeError();
  std::vector<MeasuredTime> Times;
  for (const std::string &Kernel : Kernels) {
    auto Found = (*Store)->findKernel(Kernel);
    if (!Found)
      return Found.takeError();
    // By plan, in the order in which they were measured.
    std::map<std::string, std::vector<double>> ByPlan;
    std::vector<double> Untuned;
    for (const auto &[Context, E] : *Found) {
      if (!isSameContext(Context, Found->front().first) || E.Ms <= 0 ||
          E.WrongWords || !E.Error.empty())
        continue;
      ByPlan[E.Plan].push_back(E.Ms);
      if (E.BaseMs > 0)
        Untuned.push_back(E.BaseMs);
    }
    const std::string GPU = Found->empty() ? "" : Found->front().first.GPU;
    if (!Untuned.empty())
      Times.push_back({Kernel, "untuned", median(Untuned), GPU});
    for (const auto &[Plan, Ms] : ByPlan)
      if (!Plan.empty() && Plan != "untuned")
        Times.push_back({Kernel, Plan, median(Ms), GPU});
  }
  return Times;
}

//===- Results of benchmarks/run ------------------------------------------===//

/// Medians of rounds, the best process of each launch, added up over launches
/// and divided by their number.
static std::map<std::string, double> variantsOf(const json::Object &Kernel) {
  std::map<std::string, std::pair<double, unsigned>> Sums;
  const json::Object *At = Kernel.getObject("at");
  for (const auto &Launch : At ? *At : json::Object()) {
    const json::Object *Of = Launch.second.getAsObject();
    const json::Object *Variants = Of ? Of->getObject("variants") : nullptr;
    for (const auto &Variant : Variants ? *Variants : json::Object()) {
      const json::Object *Times = Variant.second.getAsObject();
      const json::Array *Processes = Times ? Times->getArray("ms") : nullptr;
      std::optional<double> Best;
      for (const json::Value &Process :
           Processes ? *Processes : json::Array()) {
        std::vector<double> Rounds;
        if (const json::Array *All = Process.getAsArray())
          for (const json::Value &Round : *All)
            if (auto Ms = Round.getAsNumber())
              Rounds.push_back(*Ms);
        if (!Rounds.empty())
          Best = std::min(Best.value_or(median(Rounds)), median(Rounds));
      }
      if (!Best)
        continue;
      auto &[Sum, Count] = Sums[Variant.first.str()];
      Sum += *Best;
      ++Count;
    }
  }
  std::map<std::string, double> Means;
  for (const auto &[Name, Sum] : Sums)
    Means[Name] = Sum.first / Sum.second;
  return Means;
}

Expected<std::vector<ResultsKernel>>
sluice::kernelsOfResults(const json::Object &Results, StringRef Path) {
  const json::Array *Programs = Results.getArray("programs");
  if (!Programs)
    return createStringError(
        Path + ": results of `benchmarks/run` are expected, which have "
               "\"programs\"");
  const std::string GPU = Results.getString("gpu").value_or("").str();
  std::vector<ResultsKernel> Kernels;
  for (const json::Value &One : *Programs) {
    const json::Object *Of = One.getAsObject();
    const json::Array *Listed = Of ? Of->getArray("kernels") : nullptr;
    for (const json::Value &Value : Listed ? *Listed : json::Array()) {
      const json::Object *Kernel = Value.getAsObject();
      const auto Name = Kernel ? Kernel->getString("name") : std::nullopt;
      if (!Name)
        continue;
      ResultsKernel K{
          Of->getString("name").value_or("").str(), Name->str(), {}};
      for (const auto &[Variant, Ms] : variantsOf(*Kernel))
        K.Times.push_back({K.Name, Variant, Ms, GPU});
      Kernels.push_back(std::move(K));
    }
  }
  return Kernels;
}

Expected<std::vector<MeasuredTime>>
sluice::timesOfResults(StringRef Path, StringRef Program,
                       ArrayRef<std::string> Kernels) {
  auto Read = readJSON(Path);
  if (!Read)
    return Read.takeError();
  const json::Object *Whole = Read->getAsObject();
  auto All = kernelsOfResults(Whole ? *Whole : json::Object(), Path);
  if (!All)
    return All.takeError();
  // By kernel; a program of the source's name wins.
  std::map<std::string, std::vector<MeasuredTime>> Found;
  for (ResultsKernel &K : *All)
    if (is_contained(Kernels, K.Name) &&
        (!Found.count(K.Name) || K.Program == Program))
      Found[K.Name] = std::move(K.Times);
  std::vector<MeasuredTime> Times;
  for (auto &[Name, Of] : Found)
    append_range(Times, Of);
  return Times;
}
