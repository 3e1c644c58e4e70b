// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CompareList.h"
#include "Arguments.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include <cstdlib>

using namespace llvm;
using namespace sluice;

std::string sluice::firstErrorOf(StringRef Problem) {
  Problem = Problem.trim();
  auto [First, Rest] = Problem.split('\n');
  while (!Rest.empty()) {
    StringRef Line;
    std::tie(Line, Rest) = Rest.split('\n');
    if (Line.contains("error"))
      return (First + " " + Line.trim()).str();
  }
  return First.str();
}

namespace {

/// A kernel of a program.
struct Row {
  const ListedProgram &Program;
  const NamedKernel &Kernel;

  const MeasuredKernel &times() const { return Kernel.second; }
};

/// All that was measured on one GPU.
class Listing {
public:
  Listing(ArrayRef<ListedProgram> Programs, StringRef GPU);

  void print(raw_ostream &OS) const;
  json::Object toJson() const;

private:
  struct Pair {
    std::string Name, Over;
    SpeedUps Of;
  };

  bool has(StringRef Variant) const { return is_contained(Names, Variant); }
  std::vector<Pair> pairs() const;
  /// Kernels that both yardsticks have beside \p Name, and those that are 1.1
  /// times as fast as both and more.
  std::pair<unsigned, unsigned> ahead(const std::string &Name) const;
  /// Those of Sluice that are behind nvcc, the furthest first.
  std::vector<std::pair<double, const Row *>> behind() const;

  void printHead(raw_ostream &OS) const;
  void printRow(raw_ostream &OS, const Row &R, unsigned Width) const;
  void printSummary(raw_ostream &OS) const;

  std::string GPU;
  std::vector<const ListedProgram *> Programs;
  std::vector<Row> Rows;
  std::vector<std::string> Names;              ///< Of variants.
  std::map<std::string, std::string> Versions; ///< Their compilers.
};

} // namespace

static constexpr double Ahead = 1.1, Behind = 0.95;
/// Behind nvcc, in the summary; the table has all.
static constexpr size_t MostNamed = 20;

Listing::Listing(ArrayRef<ListedProgram> All, StringRef GPU) : GPU(GPU) {
  for (const ListedProgram &P : All) {
    if (!P.Results || P.Results->GPU != GPU)
      continue;
    Programs.push_back(&P);
    for (const Variant &V : P.Results->Round.Variants)
      Versions.try_emplace(V.Name, V.Compiler);
    for (const NamedKernel *K : byWeight(*P.Results))
      Rows.push_back({P, *K});
  }
  for (StringRef Name : {"clang", "nvcc", "sluice", "profiled", "planned"})
    if (Versions.count(Name.str()))
      Names.push_back(Name.str());
}

std::vector<Listing::Pair> Listing::pairs() const {
  std::vector<Pair> Pairs;
  for (const std::string &Name : Names)
    for (const char *Over : {"clang", "nvcc"}) {
      Pair P{Name, Over, {}};
      for (const Row &R : Rows)
        if (auto Ratio = speedUp(R.times(), Name, Over))
          P.Of.add(*Ratio);
      if (Name != Over && P.Of.count())
        Pairs.push_back(std::move(P));
    }
  return Pairs;
}

std::pair<unsigned, unsigned> Listing::ahead(const std::string &Name) const {
  unsigned Known = 0, Count = 0;
  for (const Row &R : Rows) {
    const auto A = speedUp(R.times(), Name, "clang"),
               B = speedUp(R.times(), Name, "nvcc");
    if (!A || !B)
      continue;
    ++Known;
    Count += *A >= Ahead && *B >= Ahead;
  }
  return {Known, Count};
}

std::vector<std::pair<double, const Row *>> Listing::behind() const {
  std::vector<std::pair<double, const Row *>> All;
  for (const Row &R : Rows)
    if (auto Ratio = speedUp(R.times(), "sluice", "nvcc");
        Ratio && *Ratio < Behind)
      All.push_back({*Ratio, &R});
  llvm::sort(All); // rows lie in their order
  return All;
}

//===- As text ------------------------------------------------------------===//

/// "rows<float>" of "void rows<float>(float*)".
static std::string shortName(StringRef Mangled) {
  ItaniumPartialDemangler D;
  std::string Name = Mangled.str();
  if (!D.partialDemangle(Name.c_str()) && D.isFunction())
    if (char *Said = D.getFunctionName(nullptr, nullptr)) {
      Name = Said;
      std::free(Said);
    }
  constexpr size_t Most = 40;
  return Name.size() <= Most ? Name : Name.substr(0, Most - 3) + "...";
}

/// "equal", or all that is not as it should be.
static std::string resultsOf(const Row &R) {
  std::vector<std::string> Said;
  for (const Variant &V : drop_begin(R.Program.Results->Round.Variants)) {
    if (!R.times().meanTimes(V.Name, V.Name)) {
      const std::string Problem = R.times().problemOf(V.Name);
      Said.push_back(V.Name + ": " +
                     (Problem.empty() ? "no kernel of this name" : Problem));
    } else if (uint64_t Words = R.times().wrongWords(V.Name)) {
      Said.push_back(V.Name + ": " + std::to_string(Words) + " words differ");
    }
  }
  return Said.empty() ? "equal" : join(Said, ", ");
}

void Listing::printHead(raw_ostream &OS) const {
  OS << Programs.size() << " programs on " << GPU << "\n";
  for (const std::string &Name : Names)
    OS << formatv("  {0,-9}{1}\n", Name, Versions.at(Name));
  OS << "\n";
}

void Listing::printRow(raw_ostream &OS, const Row &R, unsigned Width) const {
  OS << left_justify(R.Program.Name, Width) << "  "
     << left_justify(shortName(R.Kernel.first), 40);
  for (const std::string &Name : Names) {
    auto Times = R.times().meanTimes(Name, Name);
    OS << (Times ? formatv("  {0,10:F4}", Times->first).str()
                 : formatv("  {0,10}", "-").str());
  }
  for (const char *Over : {"clang", "nvcc"}) {
    if (!has(Over))
      continue;
    auto Ratio = speedUp(R.times(), "sluice", Over);
    OS << (Ratio ? formatv("  {0,10:F3}", *Ratio).str()
                 : formatv("  {0,10}", "-").str());
  }
  const auto &Bounds = R.Program.Results->Round.Bounds;
  const auto Bound = Bounds.find(R.Kernel.first);
  OS << "  " << left_justify(Bound == Bounds.end() ? "" : Bound->second, 14)
     << "  " << resultsOf(R) << "\n";
}

void Listing::printSummary(raw_ostream &OS) const {
  OS << formatv("\n{0} kernels of {1} programs: geometric mean (lowest to "
                "highest)\n",
                Rows.size(), Programs.size());
  for (const Pair &P : pairs()) {
    printSpeedUps(OS, P.Name, P.Over, P.Of);
    OS << formatv("; below 0.95 on {0}, below 0.98 on {1} of {2}\n",
                  P.Of.below95(), P.Of.below98(), P.Of.count());
  }
  for (const std::string &Name : Names)
    if (auto [Known, Count] = ahead(Name);
        Known && Name != "clang" && Name != "nvcc")
      OS << formatv("  {0,-9}1.1 times as fast as both, or more: {1} of {2}\n",
                    Name, Count, Known);
  const auto Slow = behind();
  if (!Slow.empty())
    OS << "Sluice's code below 0.95 of nvcc's:\n";
  for (const auto &[Ratio, R] : ArrayRef(Slow).take_front(MostNamed))
    OS << formatv("  {0:F3}  {1} {2}\n", Ratio, R->Program.Name,
                  shortName(R->Kernel.first));
  if (Slow.size() > MostNamed)
    OS << "  and " << Slow.size() - MostNamed << " more\n";
}

void Listing::print(raw_ostream &OS) const {
  printHead(OS);
  unsigned Width = 7;
  for (const ListedProgram *P : Programs)
    Width = std::max<unsigned>(Width, P->Name.size());
  OS << left_justify("", Width + 42)
     << left_justify("  ms by", 12 * Names.size()) << "  sluice over\n"
     << left_justify("program", Width) << "  " << left_justify("kernel", 40);
  for (const std::string &Name : Names)
    OS << formatv("  {0,10}", Name);
  for (const char *Over : {"clang", "nvcc"})
    if (has(Over))
      OS << formatv("  {0,10}", Over);
  OS << "  bound by        results\n";
  for (const Row &R : Rows)
    printRow(OS, R, Width);
  printSummary(OS);
}

/// In the order in which they come.
static std::vector<std::string> gpusOf(ArrayRef<ListedProgram> Programs) {
  std::vector<std::string> GPUs;
  for (const ListedProgram &P : Programs)
    if (P.Results && !is_contained(GPUs, P.Results->GPU))
      GPUs.push_back(P.Results->GPU);
  return GPUs;
}

void sluice::printComparedList(raw_ostream &OS,
                               ArrayRef<ListedProgram> Programs) {
  for (const std::string &GPU : gpusOf(Programs)) {
    Listing(Programs, GPU).print(OS);
    OS << "\n";
  }
  auto Print = [&](StringRef Title,
                   function_ref<std::string(const ListedProgram &)> SaysOf) {
    bool IsFirst = true;
    for (const ListedProgram &P : Programs) {
      const std::string Said = SaysOf(P);
      if (Said.empty())
        continue;
      if (std::exchange(IsFirst, false))
        OS << Title << "\n";
      OS << "  " << P.Name << ": " << Said << "\n";
    }
  };
  Print("not compared:",
        [](const ListedProgram &P) { return firstErrorOf(P.Problem); });
  Print("without nvcc:", [](const ListedProgram &P) -> std::string {
    if (!P.Results || !P.Results->Round.LeftOut.count("nvcc"))
      return "";
    return firstErrorOf(P.Results->Round.LeftOut.at("nvcc"));
  });
  Print("measured, but:",
        [](const ListedProgram &P) { return firstErrorOf(P.Warning); });
}

//===- As numbers ---------------------------------------------------------===//

json::Object Listing::toJson() const {
  json::Object Compilers, Summary;
  for (const auto &[Name, Version] : Versions)
    Compilers[Name] = Version;
  json::Array Each, Ratios;
  for (const ListedProgram *P : Programs) {
    json::Object Of = programToJson(*P->Results);
    Of["case"] = P->Name;
    json::Object Bounds;
    for (const auto &[Kernel, Bound] : P->Results->Round.Bounds)
      Bounds[Kernel] = Bound;
    Of["bounds"] = std::move(Bounds);
    Each.push_back(std::move(Of));
  }
  for (const Pair &P : pairs())
    Ratios.push_back(json::Object{{"variant", P.Name},
                                  {"over", P.Over},
                                  {"kernels", P.Of.count()},
                                  {"geometric_mean", P.Of.mean()},
                                  {"lowest", P.Of.lowest()},
                                  {"highest", P.Of.highest()},
                                  {"below_0.95", P.Of.below95()},
                                  {"below_0.98", P.Of.below98()}});
  json::Object Both;
  for (const std::string &Name : Names)
    if (Name != "clang" && Name != "nvcc")
      if (auto [Known, Count] = ahead(Name); Known)
        Both[Name] = json::Object{{"kernels", Known}, {"ahead", Count}};
  Summary["kernels"] = Rows.size();
  Summary["programs"] = Programs.size();
  Summary["speed_ups"] = std::move(Ratios);
  Summary["1.1_over_both"] = std::move(Both);
  return json::Object{{"gpu", GPU},
                      {"arch", Programs.front()->Results->Round.Arch},
                      {"versions", std::move(Compilers)},
                      {"summary", std::move(Summary)},
                      {"programs", std::move(Each)}};
}

Error sluice::writeComparedList(const std::string &Path,
                                ArrayRef<ListedProgram> Programs) {
  json::Object Problems;
  for (const ListedProgram &P : Programs)
    if (!P.Problem.empty())
      Problems[P.Name] = json::fixUTF8(P.Problem);
  std::vector<json::Object> All;
  for (const std::string &GPU : gpusOf(Programs))
    All.push_back(Listing(Programs, GPU).toJson());
  if (All.empty())
    All.push_back(json::Object{{"programs", json::Array()}});
  All.front()["problems"] = std::move(Problems);
  for (auto [I, Of] : enumerate(All)) {
    SmallString<128> File(Path);
    if (I > 0)
      sys::path::replace_extension(File, std::to_string(I + 1) +
                                             sys::path::extension(Path));
    if (Error E = writeOutput(
            File, formatv("{0:1}\n", json::Value(std::move(Of))).str()))
      return E;
  }
  return Error::success();
}
