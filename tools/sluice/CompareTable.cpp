// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CompareTable.h"
#include "Arguments.h"
#include "sluice/Target/Occupancy.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace sluice;

/// The variants that others are compared with, as far as they are there.
static std::vector<std::string> yardsticks(const VariantRound &Round) {
  std::vector<std::string> Names;
  for (const Variant &V : Round.Variants)
    if (V.Name == "clang" || V.Name == "nvcc")
      Names.push_back(V.Name);
  return Names;
}

std::optional<double> sluice::speedUp(const MeasuredKernel &Kernel,
                                      const std::string &Name,
                                      const std::string &Over) {
  auto Times = Kernel.meanTimes(Name, Over);
  if (!Times || !(Times->first > 0))
    return std::nullopt;
  return Times->second / Times->first;
}

/// All launches of the base, in ms.
static double weight(const MeasuredKernel &Kernel, const std::string &Base) {
  auto Times = Kernel.meanTimes(Base, Base);
  return Times ? Times->first * Kernel.Launches : 0;
}

std::vector<const NamedKernel *>
sluice::byWeight(const VariantResults &Results) {
  const std::string &Base = Results.Round.Variants.front().Name;
  std::vector<const NamedKernel *> Kernels;
  for (const NamedKernel &K : Results.Kernels)
    if (!K.second.At.empty())
      Kernels.push_back(&K);
  llvm::sort(Kernels, [&](const NamedKernel *A, const NamedKernel *B) {
    return std::make_pair(-weight(A->second, Base), A->first) <
           std::make_pair(-weight(B->second, Base), B->first);
  });
  return Kernels;
}

/// "64, registers": warps on an SM and what limits them.
static std::string occupancyOf(const AssembledKernel &Code,
                               const MeasuredLaunch &Launch, StringRef Arch) {
  auto GPU = findGPUModel(Arch);
  if (!GPU) {
    consumeError(GPU.takeError());
    return "";
  }
  BlockResources Block;
  Block.ThreadsPerBlock = Launch.Block[0] * Launch.Block[1] * Launch.Block[2];
  Block.RegistersPerThread = Code.Registers;
  Block.StaticSharedBytes = Code.StaticSharedBytes;
  Block.DynamicSharedBytes = Launch.DynamicSharedBytes;
  auto Found = computeOccupancy(
      **GPU, Block, uint64_t(Launch.Grid[0]) * Launch.Grid[1] * Launch.Grid[2],
      (*GPU)->DefaultSMs);
  if (!Found) {
    consumeError(Found.takeError());
    return "";
  }
  return formatv("{0,5}  {1,-20}", Found->WarpsPerSM, Found->LimitedBy);
}

void SpeedUps::add(double Ratio) {
  Logs += std::log(Ratio);
  Lowest = std::min(Lowest, Ratio);
  Highest = std::max(Highest, Ratio);
  ++Count;
  Below95 += Ratio < 0.95;
  Below98 += Ratio < 0.98;
}

double SpeedUps::mean() const { return std::exp(Logs / Count); }

void sluice::printSpeedUps(raw_ostream &OS, StringRef Name, StringRef Over,
                           const SpeedUps &Of) {
  OS << formatv("  {0,-9}over {1,-6}{2,7:F3}  ({3:F3} to {4:F3})", Name, Over,
                Of.mean(), Of.lowest(), Of.highest());
}

namespace {

class Table {
public:
  Table(raw_ostream &OS, const VariantResults &Results)
      : OS(OS), Results(Results), Over(yardsticks(Results.Round)) {}

  void kernel(const NamedKernel &Kernel) {
    const MeasuredLaunch &First = Kernel.second.At.begin()->second;
    OS << demangle(Kernel.first) << "\n";
    OS << formatv("  {0} launches, {1} of them replayed; {2} x {3} x {4} "
                  "blocks of {5} x {6} x {7} threads\n",
                  Kernel.second.Launches, Kernel.second.At.size(),
                  First.Grid[0], First.Grid[1], First.Grid[2], First.Block[0],
                  First.Block[1], First.Block[2]);
    if (auto Bound = Results.Round.Bounds.find(Kernel.first);
        Bound != Results.Round.Bounds.end())
      OS << "  bound by: " << Bound->second << " (X-graph)\n";
    OS << formatv("  {0,-9}{1,10}", "", "ms");
    for (const std::string &Name : Over)
      OS << formatv("  {0,10}", "over " + Name);
    OS << formatv("  registers  spilled  warps  {0,-20}results\n",
                  "limited by");
    for (const Variant &V : Results.Round.Variants)
      row(V, Kernel.first, Kernel.second, First);
    OS << "\n";
  }

  /// Means over the kernels. Nothing if there is one or none.
  void sum(ArrayRef<const NamedKernel *> Kernels) {
    if (Kernels.size() < 2 || Over.empty())
      return;
    OS << formatv("{0} kernels: geometric mean (lowest to highest)\n",
                  Kernels.size());
    for (const Variant &V : Results.Round.Variants)
      for (const std::string &Name : Over)
        if (V.Name != Name)
          mean(V.Name, Name, Kernels);
  }

private:
  void row(const Variant &V, const std::string &Name,
           const MeasuredKernel &Kernel, const MeasuredLaunch &First) {
    OS << formatv("  {0,-9}", V.Name);
    auto Times = Kernel.meanTimes(V.Name, V.Name);
    if (!Times) {
      const std::string Problem = Kernel.problemOf(V.Name);
      OS << "  not measured"
         << (Problem.empty() ? ": it has no kernel of this name"
                             : ": " + Problem)
         << "\n";
      return;
    }
    OS << formatv("{0,10:F4}", Times->first);
    for (const std::string &Other : Over) {
      auto Ratio = speedUp(Kernel, V.Name, Other);
      OS << (Ratio ? formatv("  {0,10:F3}", *Ratio).str()
                   : formatv("  {0,10}", "").str());
    }
    auto Code = V.Kernels.find(Name);
    if (Code == V.Kernels.end())
      OS << formatv("  {0,9}  {0,7}  {0,5}  {0,-20}", "");
    else
      OS << formatv("  {0,9}  {1,7}  ", Code->second.Registers,
                    Code->second.spilledBytes())
         << occupancyOf(Code->second, First, Results.Round.Arch);
    const uint64_t Wrong = Kernel.wrongWords(V.Name);
    if (V.Name == Results.Round.Variants.front().Name)
      OS << (First.UnstableBytes ? "differ from run to run" : "");
    else if (Wrong)
      OS << Wrong << " words differ";
    else
      OS << "equal";
    OS << "\n";
  }

  void mean(const std::string &Name, const std::string &Other,
            ArrayRef<const NamedKernel *> Kernels) {
    SpeedUps All;
    for (const NamedKernel *K : Kernels)
      if (auto Ratio = speedUp(K->second, Name, Other))
        All.add(*Ratio);
    if (!All.count())
      return;
    printSpeedUps(OS, Name, Other, All);
    if (All.below95())
      OS << formatv("; below 0.95 on {0} of {1}", All.below95(), All.count());
    OS << "\n";
  }

  raw_ostream &OS;
  const VariantResults &Results;
  std::vector<std::string> Over;
};

} // namespace

void sluice::printComparison(raw_ostream &OS, const VariantResults &Results) {
  const auto Kernels = byWeight(Results);
  OS << Results.Round.Source << " on " << Results.GPU << "\n";
  for (const Variant &V : Results.Round.Variants)
    OS << formatv("  {0,-9}{1}\n", V.Name, V.Compiler);
  OS << "\n";
  Table T(OS, Results);
  for (const NamedKernel *K : Kernels)
    T.kernel(*K);
  T.sum(Kernels);
}

void sluice::warnOfWrongResults(raw_ostream &OS, const VariantResults &Results,
                                StringRef Of) {
  for (const NamedKernel &K : Results.Kernels)
    for (const Variant &V : Results.Round.Variants)
      if (V.Name != "nvcc" && K.second.wrongWords(V.Name))
        OS << "sluice compare: warning: " << Of << demangle(K.first) << " by "
           << V.Name
           << " gives other results than by clang. This is a bug in Sluice "
              "unless the kernel has a race or the options allow it "
              "(--sluice-sfu): please report it with the source.\n";
}

static json::Object toJson(const MeasuredLaunch &Launch,
                           const std::string &Base) {
  json::Object Variants;
  for (const auto &[Name, Time] : Launch.Variants) {
    json::Object Wrong;
    if (Time.WrongWords)
      Wrong[Base] = Time.WrongWords;
    json::Array Errors;
    if (!Time.Error.empty())
      Errors.push_back(Time.Error);
    Variants[Name] = json::Object{{"ms", json::Array{json::Array(Time.Ms)}},
                                  {"wrong_words", std::move(Wrong)},
                                  {"errors", std::move(Errors)}};
  }
  return json::Object{{"grid", json::Array(Launch.Grid)},
                      {"block", json::Array(Launch.Block)},
                      {"argument_bytes", Launch.ArgumentBytes},
                      {"variants", std::move(Variants)}};
}

json::Object sluice::programToJson(const VariantResults &Results) {
  const std::string &Base = Results.Round.Variants.front().Name;
  json::Array Kernels;
  for (const auto &[Name, Kernel] : Results.Kernels) {
    json::Object At;
    for (const auto &[Ordinal, Launch] : Kernel.At)
      At[std::to_string(Ordinal)] = toJson(Launch, Base);
    Kernels.push_back(json::Object{
        {"name", Name}, {"launches", Kernel.Launches}, {"at", std::move(At)}});
  }
  return json::Object{
      {"name", json::fixUTF8(sys::path::stem(Results.Round.Source))},
      {"arguments", json::fixUTF8(Results.Arguments)},
      {"kernels", std::move(Kernels)}};
}

Error sluice::writeComparison(const std::string &Path,
                              const VariantResults &Results) {
  json::Object Versions;
  for (const Variant &V : Results.Round.Variants)
    Versions[V.Name] = V.Compiler;
  json::Object All{{"gpu", Results.GPU},
                   {"arch", Results.Round.Arch},
                   {"versions", std::move(Versions)},
                   {"programs", json::Array{programToJson(Results)}}};
  return writeOutput(Path,
                     formatv("{0:1}\n", json::Value(std::move(All))).str());
}
