// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Warps that compute transcendental functions approximately, by the special
// function units. Results change, so somebody has to ask: an option, a plan, or
// an annotation of the kernel or of functions that it calls.

#include "sluice/Analysis/YAMLScalars.h"
#include "sluice/Plan/Technique.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace sluice;

/// Warps of an SM on the architectures with the most: `%warpid` is below it.
static constexpr unsigned MostWarps = 64;

static constexpr OptionSpec Specs[] = {
    {"sfu", "auto|off|LAMBDA|symbol", "auto",
     "auto, off, LAMBDA (a number of warps up to 64), or symbol",
     "let the warps of a block below LAMBDA, or below the program's variable "
     "sluice_sfu_warps, compute sin, exp, divisions and the like "
     "approximately; auto: of the kernels whose source says how many",
     [](StringRef Value, Options &Result) {
       uint64_t N;
       Result.Sfu = Value != "off";
       Result.SfuWarps.reset();
       if (Value == "symbol")
         Result.SfuWarps = SfuWarpsOfSymbol;
       else if (parseNumber(Value, 0, MostWarps, N))
         Result.SfuWarps = N;
       else
         return check(Value == "auto" || Value == "off");
       return ParseResult::OK;
     }},
    {"sfu-kernels", "NAME", "all kernels", "a kernel's name",
     "with sfu=LAMBDA or sfu=symbol: only the kernel NAME; may be repeated",
     [](StringRef Value, Options &Result) {
       Result.SfuKernels.push_back(Value.str());
       return check(!Value.empty());
     },
     /*Repeatable=*/true},
    {"sfu-index", "block|slot", "block", "block or slot",
     "count a warp by its place in its block; slot: by its place on the SM, "
     "with which results vary from run to run",
     [](StringRef Value, Options &Result) {
       Result.SfuBySlot = Value == "slot";
       return check(Value == "block" || Value == "slot");
     }},
    {"test-sfu", "exact", "none", "exact",
     "make both versions, and have both compute exactly",
     [](StringRef Value, Options &Result) {
       Result.SfuStaysExact = true;
       return check(Value == "exact");
     },
     /*Repeatable=*/false, /*Hidden=*/true},
};

static constexpr PlantedFault Planted[] = {
    {"all-approximate",
     [](Options &Opts) { Opts.Wrong = WrongRewrite::AllApproximate; }},
    {"lost-version",
     [](Options &Opts) { Opts.Wrong = WrongRewrite::LostVersion; }},
};

namespace {

/// A number of warps, or "symbol".
struct SfuWarpCount {
  unsigned Value;
};

/// "block" or "slot".
struct SfuIndex {
  bool IsSlot = false;
  bool operator==(const SfuIndex &Other) const {
    return IsSlot == Other.IsSlot;
  }
};

/// "kernel" or "functions".
struct SfuOf {
  bool IsFunctions = false;
  bool operator==(const SfuOf &Other) const {
    return IsFunctions == Other.IsFunctions;
  }
};

} // namespace

namespace llvm::yaml {

template <> struct ScalarTraits<SfuWarpCount> {
  static void output(const SfuWarpCount &N, void *, raw_ostream &OS) {
    if (N.Value == SfuWarpsOfSymbol)
      OS << "symbol";
    else
      OS << N.Value;
  }
  static StringRef input(StringRef Text, void *, SfuWarpCount &N) {
    static_assert(MostWarps == 64, "the message names the limit");
    N.Value = SfuWarpsOfSymbol;
    if (Text != "symbol" &&
        (Text.getAsInteger(10, N.Value) || N.Value > MostWarps))
      return "sfu-warps must be a number from 0 to 64, or symbol";
    return "";
  }
  static QuotingType mustQuote(StringRef) { return QuotingType::None; }
};

template <> struct ScalarTraits<SfuIndex> {
  static void output(const SfuIndex &Index, void *, raw_ostream &OS) {
    OS << (Index.IsSlot ? "slot" : "block");
  }
  static StringRef input(StringRef Text, void *, SfuIndex &Index) {
    Index.IsSlot = Text == "slot";
    return Text == "slot" || Text == "block"
               ? ""
               : "sfu-index must be block or slot";
  }
  static QuotingType mustQuote(StringRef) { return QuotingType::None; }
};

template <> struct ScalarTraits<SfuOf> {
  static void output(const SfuOf &Of, void *, raw_ostream &OS) {
    OS << (Of.IsFunctions ? "functions" : "kernel");
  }
  static StringRef input(StringRef Text, void *, SfuOf &Of) {
    Of.IsFunctions = Text == "functions";
    return Text == "functions" || Text == "kernel"
               ? ""
               : "sfu-of must be kernel or functions";
  }
  static QuotingType mustQuote(StringRef) { return QuotingType::None; }
};

} // namespace llvm::yaml

/// Why one number of warps will not do for what the source asks for; empty: it
/// will. A kernel's 0 is for all that it calls.
static std::string whyNotOne(const KernelFacts &Facts) {
  const ArrayRef<MarkedFunction> Functions = Facts.SfuFunctions;
  if (Functions.empty() || Facts.SfuWarps == 0u)
    return "";
  const unsigned Warps = Facts.SfuWarps.value_or(Functions.front().SfuWarps);
  const auto *Other = find_if(Functions, [&](const MarkedFunction &F) {
    return F.SfuWarps != Warps;
  });
  if (Other == Functions.end())
    return "";
  return formatv("'{0}' asks for {1} warps and {2} for {3}", Other->Name,
                 Other->SfuWarps,
                 Facts.SfuWarps ? "the kernel"
                                : "'" + Functions.front().Name + "'",
                 Warps);
}

/// Warps of \p Kernel, of which an option may ask for some. Says why none is,
/// though the source asks for some; else empty.
static std::string choose(const KernelFacts &Facts, const Options &Opts,
                          KernelPlan &Kernel) {
  const bool IsNamed = any_of(Opts.SfuKernels, [&](const std::string &Name) {
    return Facts.isCalled(Name);
  });
  const bool IsMeant =
      Opts.SfuWarps &&
      (IsNamed || (Opts.SfuKernels.empty() && !Facts.IsLibrarys));
  // The source has the last word.
  const bool IsOfFunctions = !Facts.SfuWarps && !Facts.SfuFunctions.empty();
  if (!IsMeant && !Facts.SfuWarps && !IsOfFunctions)
    return "";
  if (Facts.Off) {
    Kernel.SfuWhy = "the source switches Sluice off for this kernel";
    return "";
  }
  if (std::string Why = whyNotOne(Facts); !Why.empty())
    return Kernel.SfuWhy = Why;
  Kernel.SfuWarps = IsOfFunctions ? Facts.SfuFunctions.front().SfuWarps
                    : Facts.SfuWarps ? Facts.SfuWarps
                                     : Opts.SfuWarps;
  if (*Kernel.SfuWarps != SfuWarpsOfSymbol)
    Kernel.SfuWarps = std::min(*Kernel.SfuWarps, MostWarps);
  Kernel.SfuOfFunctions = IsOfFunctions;
  Kernel.SfuBySlot = Opts.SfuBySlot;
  Kernel.SfuWhy = IsOfFunctions    ? "the source asks for it, of functions"
                  : Facts.SfuWarps ? "the source asks for it"
                                   : "asked for";
  return "";
}

namespace {

class SfuTechnique final : public Technique {
public:
  StringLiteral name() const override { return "sfu"; }
  unsigned changes() const override { return Kernel; }

  ArrayRef<OptionSpec> options() const override { return Specs; }
  bool isOn(const Options &Opts) const override { return Opts.Sfu; }
  /// Kernels are known without, and a kernel's own wish with them.
  bool needsFacts(const Options &Opts) const override {
    return Opts.Sfu && (Opts.SfuWarps || !Opts.PlanFile.empty());
  }
  void switchOff(Options &Opts) const override {
    Opts.Sfu = false;
    Opts.SfuWarps.reset();
  }
  StringLiteral saidByPlans() const override { return "sfu-warps"; }
  bool isSaidByOptions(const Options &Opts) const override {
    return Opts.SfuWarps.has_value();
  }
  ArrayRef<PlantedFault> faults() const override { return Planted; }

  unsigned newestVersion() const override { return 22; }
  unsigned versionOf(const KernelPlan &K) const override {
    return K.SfuOfFunctions ? 22 : K.SfuWarps || !K.SfuWhy.empty() ? 14 : 1;
  }
  void mapKernel(yaml::IO &YAML, KernelPlan &K) const override {
    mapOptionalAs<SfuWarpCount>(YAML, "sfu-warps", K.SfuWarps);
    SfuIndex Index{K.SfuBySlot};
    YAML.mapOptional("sfu-index", Index, SfuIndex());
    K.SfuBySlot = Index.IsSlot;
    SfuOf Of{K.SfuOfFunctions};
    YAML.mapOptional("sfu-of", Of, SfuOf());
    K.SfuOfFunctions = Of.IsFunctions;
    YAML.mapOptional("sfu-why", K.SfuWhy, std::string());
  }
  void takeGiven(const KernelPlan *Given, const KernelFacts &Facts,
                 KernelPlan &Ours) const override {
    forget(Ours);
    if (!Given || !Given->SfuWarps)
      return;
    if (Facts.Off) {
      Ours.SfuWhy = "the source switches Sluice off for this kernel";
      return;
    }
    Ours.SfuWarps = Given->SfuWarps;
    Ours.SfuBySlot = Given->SfuBySlot;
    Ours.SfuOfFunctions = Given->SfuOfFunctions;
    Ours.SfuWhy = "the given plan says so";
  }
  void forget(KernelPlan &K) const override { static_cast<SfuPlan &>(K) = {}; }

  void plan(PlanningContext &Context) const override {
    const Options &Opts = Context.Opts;
    if (!isOn(Opts) || !Opts.PlanFile.empty())
      return;
    for (KernelToPlan &Work : Context.Kernels)
      if (std::string Why = choose(Work.Facts, Opts, Work.Plan); !Why.empty())
        Context.Remarks.push_back(
            {Remark::Missed, "Exact", Work.Facts.Name, Work.Facts.Place,
             "nothing is computed approximately: " + Why,
             /*Location=*/0, "sluice-sfu"});
    for (const std::string &Name : Opts.SfuKernels)
      if (!Opts.SfuWarps)
        Context.Warnings.push_back("sfu-kernels=" + Name +
                                   " has no effect without sfu=LAMBDA");
      else if (none_of(Context.Kernels, [&](const KernelToPlan &Work) {
                 return Work.Facts.isCalled(Name);
               }))
        Context.Warnings.push_back("sfu-kernels=" + Name +
                                   ": no kernel of that name in this file");
    if (Opts.SfuBySlot && any_of(Context.Kernels, [](const KernelToPlan &Work) {
          return Work.Plan.SfuWarps.value_or(0) != 0;
        }))
      Context.Warnings.push_back(
          "sfu-index=slot: which warps compute approximately is up to the GPU, "
          "so results vary from run to run");
  }
  TechniquePass pass() const override {
    return {"sluice-sfu", PassStage::Start};
  }
  TechniquePass endingPass() const override {
    return {"sluice-sfu-join", PassStage::Last};
  }
};

} // namespace

const Technique &sluice::sfuTechnique() {
  static const SfuTechnique Row;
  return Row;
}
