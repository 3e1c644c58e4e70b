// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Architectures.h"
#include "LocalGpus.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Regex.h"

using namespace sluice;
using namespace sluice::nvcc;
using namespace llvm;

namespace {

struct KnownArchitecture {
  StringLiteral Number;
  unsigned First, Last; ///< The toolkits that have it.
  bool HasOwn;          ///< There is an "a" of it.
};

} // namespace

// From the release notes of CUDA 11 to 13.
static constexpr unsigned Open = ~0u;
static constexpr KnownArchitecture Known[] = {
    {"50", 0, 12999, false},     {"52", 0, 12999, false},
    {"53", 0, 12999, false},     {"60", 0, 12999, false},
    {"61", 0, 12999, false},     {"62", 0, 12999, false},
    {"70", 0, 12999, false},     {"72", 0, 12999, false},
    {"75", 0, Open, false},      {"80", 11000, Open, false},
    {"86", 11010, Open, false},  {"87", 11040, Open, false},
    {"88", 13000, Open, false},  {"89", 11080, Open, false},
    {"90", 11080, Open, true},   {"100", 12080, Open, true},
    {"101", 12080, 12999, true}, {"103", 12090, Open, true},
    {"110", 13000, Open, true},  {"120", 12080, Open, true},
    {"121", 12090, Open, true},
};

static bool isInToolkit(const KnownArchitecture &A, unsigned Cuda) {
  return A.First <= Cuda && Cuda <= A.Last;
}

std::vector<std::string> sluice::nvcc::knownArchitectures(unsigned Cuda) {
  std::vector<std::string> Numbers;
  for (const KnownArchitecture &A : Known)
    if (isInToolkit(A, Cuda))
      Numbers.push_back(A.Number.str());
  return Numbers;
}

/// "90a" of "sm_90a", "compute_90a" or "lto_90a", if both the toolkit and
/// clang 22 know it.
static Expected<std::string> numberOf(StringRef Name, unsigned Cuda) {
  StringRef Number = Name.split('_').second;
  StringRef Plain = Number;
  bool Own = Plain.consume_back("a");
  for (const KnownArchitecture &A : Known)
    if (A.Number == Plain && isInToolkit(A, Cuda) && (!Own || A.HasOwn))
      return Number.str();
  std::string Remedy =
      Number.ends_with("f")
          ? "clang 22 has no architectures of families, take sm_" +
                Number.drop_back().str()
          : "the toolkit and clang 22 both know " +
                join(knownArchitectures(Cuda), ", ");
  return createStringError("unsupported gpu architecture '%s': %s",
                           Name.str().c_str(), Remedy.c_str());
}

namespace {

/// Collects what the options ask for.
class Chooser {
public:
  explicit Chooser(unsigned Cuda) : Cuda(Cuda) {}

  Error addArch(StringRef Arch, ArrayRef<std::string> Codes);
  Error addGencode(StringRef Specification);
  Error addDefault();

  Architectures Result;

private:
  Error add(StringRef Code);
  void addAll(bool OnlyMajor);
  Error addNative();

  unsigned Cuda;
};

} // namespace

static void addOnce(std::vector<std::string> &List, const std::string &Item) {
  if (!is_contained(List, Item))
    List.push_back(Item);
}

Error Chooser::add(StringRef Code) {
  auto Number = numberOf(Code, Cuda);
  if (!Number)
    return Number.takeError();
  std::string Name = "sm_" + *Number;
  addOnce(Result.Machine, Name);
  if (Code.starts_with("compute_"))
    addOnce(Result.Ptx, Name);
  return Error::success();
}

/// nvcc -arch=all, -arch=all-major: with PTX for the last major architecture.
void Chooser::addAll(bool OnlyMajor) {
  std::vector<std::string> Numbers = knownArchitectures(Cuda);
  std::string LastMajor;
  for (const std::string &N : Numbers) {
    if (StringRef(N).ends_with("0"))
      LastMajor = "sm_" + N;
    if (!OnlyMajor || StringRef(N).ends_with("0") || N == Numbers.front())
      addOnce(Result.Machine, "sm_" + N);
  }
  if (!LastMajor.empty())
    addOnce(Result.Ptx, LastMajor);
}

Error Chooser::addNative() {
  LocalDriver Driver = askDriver();
  if (Driver.Gpus.empty()) {
    errs() << "sluice-nvcc: warning: no GPU for '-arch=native' ("
           << Driver.Problem << "); the default architecture is used\n";
    return addDefault();
  }
  for (const LocalGpu &Gpu : Driver.Gpus)
    if (Error E = add(Gpu.Architecture))
      return E;
  return Error::success();
}

Error Chooser::addDefault() {
  std::string Number = Cuda >= 13000 ? "75" : "52";
  if (Error E = add("sm_" + Number))
    return E;
  return add("compute_" + Number);
}

Error Chooser::addArch(StringRef Arch, ArrayRef<std::string> Codes) {
  if (Arch == "native")
    return addNative();
  if (Arch == "all" || Arch == "all-major") {
    addAll(Arch == "all-major");
    return Error::success();
  }
  if (!Codes.empty()) {
    if (auto Number = numberOf(Arch, Cuda); !Number)
      return Number.takeError();
    for (const std::string &Code : Codes)
      if (Error E = add(Code))
        return E;
    return Error::success();
  }
  if (Error E = add(Arch))
    return E;
  // -arch=sm_N keeps the PTX that its machine code comes from.
  if (Arch.starts_with("sm_"))
    return add("compute_" + Arch.drop_front(3).str());
  return Error::success();
}

/// "arch=compute_80,code=sm_80"; several codes are in brackets or quotes.
Error Chooser::addGencode(StringRef Specification) {
  static const Regex ArchKey("arch=\"?([a-z0-9_]+)");
  static const Regex CodeKey("code=[[\"]*([a-z0-9_,]+)");
  SmallVector<StringRef, 2> Match;
  if (!ArchKey.match(Specification, &Match))
    return createStringError("'-gencode %s' has no arch=",
                             Specification.str().c_str());
  std::string Arch = Match[1].str();
  std::vector<std::string> Codes;
  if (CodeKey.match(Specification, &Match))
    for (StringRef Code : split(Match[1], ','))
      if (!Code.empty() && !Code.starts_with("arch"))
        Codes.push_back(Code.str());
  if (Codes.empty())
    Codes.push_back(Arch);
  return addArch(Arch, Codes);
}

Expected<Architectures>
sluice::nvcc::chooseArchitectures(const CommandLine &Line, unsigned Cuda) {
  Chooser C(Cuda);
  StringRef Arch = Line.last(Opt::Architecture);
  std::vector<std::string> Codes;
  for (const Occurrence &O : Line.Options)
    if (O.Row->Id == Opt::Code) // the last one counts
      Codes = O.Values;
  if (Arch.empty() && !Codes.empty())
    return createStringError("'-code' needs '-arch'");
  if (!Arch.empty())
    if (Error E = C.addArch(Arch, Codes))
      return E;
  for (const std::string &Specification : Line.all(Opt::Gencode))
    if (Error E = C.addGencode(Specification))
      return E;
  if (C.Result.Machine.empty())
    if (Error E = C.addDefault())
      return E;
  return C.Result;
}
