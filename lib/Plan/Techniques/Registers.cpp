// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A limit of a thread's registers, for more warps on an SM. Only as the user
// asks for it: a number, a plan, or CRAT and `step`, whose choice is the
// pass's, since it looks at the code that comes out. By default `step` is for
// the kernels in which other techniques made more values alive at once.

#include "sluice/Analysis/YAMLScalars.h"
#include "sluice/Plan/ResidentBlocks.h"
#include "sluice/Plan/Technique.h"
#include "sluice/Target/Occupancy.h"
#include "llvm/Support/FormatVariadic.h"
#include <functional>
#include <set>

using namespace llvm;
using namespace sluice;

/// What the assembler takes: below 16 it spills even addresses, and 255 is the
/// limit of every architecture since Kepler (CUDA C++ Programming Guide, table
/// "Technical Specifications per Compute Capability").
static constexpr unsigned Least = 16, Most = 255;

static ParseResult parseEnough(StringRef Value, Options &Result) {
  auto [Kernel, Blocks] = Value.rsplit(':');
  uint64_t M;
  if (Kernel.empty() || !parseNumber(Blocks, 1, MostEnoughBlocks, M))
    return ParseResult::Bad;
  Result.GivenEnoughBlocks.emplace_back(Kernel.str(), unsigned(M));
  return ParseResult::OK;
}

static constexpr OptionSpec Specs[] = {
    {"registers", "auto|off|crat|crat-whole|step|N", "auto",
     "auto, off, crat, crat-whole, step, or N (registers of a thread, 16 to "
     "255)",
     "limit the registers of a thread to N, where the source does not, or to "
     "what CRAT takes, with crat-whole also where a thread then spills for "
     "more blocks; step: let it have as many as leave all blocks on an SM; "
     "auto: so for kernels in which Sluice takes iterations together or keeps "
     "arrays in registers, more where loads then wait together, and fewer "
     "where more blocks then cost next to nothing; off: as the assembler "
     "chooses",
     [](StringRef Value, Options &Result) {
       uint64_t N;
       Result.MaxRegisters.reset();
       Result.CratByTpscAlone = Value == "crat";
       Result.CratRegisters = Value == "crat" || Value == "crat-whole";
       Result.Step = Value == "step"   ? StepRegisters::All
                     : Value == "auto" ? StepRegisters::Grown
                                       : StepRegisters::None;
       if (!parseNumber(Value, Least, Most, N))
         return check(Value == "off" || Result.CratRegisters ||
                      Result.Step != StepRegisters::None);
       Result.MaxRegisters = N;
       return ParseResult::OK;
     }},
    {"enough-blocks", "KERNEL:M", "as a profile or a model says",
     "KERNEL:M with M from 1 to 32",
     "more than M blocks of KERNEL on an SM gain nothing, as was measured: "
     "registers=crat takes no more; may be repeated",
     parseEnough, /*Repeatable=*/true},
    {"shared-spills", "auto|off|ptxas|own", "auto", "auto, off, ptxas, or own",
     "spill to shared memory what a limit leaves no register for, if as many "
     "blocks stay on an SM; ptxas and own: also where the source limits "
     "registers",
     [](StringRef Value, Options &Result) {
       Result.Spills = Value == "off"     ? SharedSpills::Off
                       : Value == "ptxas" ? SharedSpills::Ptxas
                       : Value == "own"   ? SharedSpills::Own
                                          : SharedSpills::Auto;
       return check(Value == "auto" || Result.Spills != SharedSpills::Auto);
     }},
    {"test-spills", "N", "none", "a number from 1 to 64",
     "put N values of each kernel into shared memory",
     [](StringRef Value, Options &Result) {
       uint64_t N;
       if (!parseNumber(Value, 1, 64, N))
         return ParseResult::Bad;
       Result.ForcedSpills = unsigned(N);
       return ParseResult::OK;
     },
     /*Repeatable=*/false, /*Hidden=*/true},
    {"registers-code", "FILE", "none", "a file",
     "write to FILE the bitcode of which limits are tried",
     [](StringRef Value, Options &Result) {
       Result.RegistersCodeFile = Value.str();
       return check(!Value.empty());
     },
     /*Repeatable=*/false, /*Hidden=*/true},
};

static constexpr PlantedFault Planted[] = {
    {"others-slot",
     [](Options &Opts) { Opts.Wrong = WrongRewrite::OthersSlot; }},
};

namespace {

/// A number from 16 to 255.
struct RegisterCount {
  unsigned Value;
};

/// A number from 1 to 32.
struct BlockCount {
  unsigned Value;
};

} // namespace

namespace llvm::yaml {

template <> struct ScalarTraits<RegisterCount> {
  static void output(const RegisterCount &N, void *, raw_ostream &OS) {
    OS << N.Value;
  }
  static StringRef input(StringRef Text, void *, RegisterCount &N) {
    static_assert(Least == 16 && Most == 255, "the message names the limits");
    if (Text.getAsInteger(10, N.Value) || N.Value < Least || N.Value > Most)
      return "max-registers must be a number from 16 to 255";
    return "";
  }
  static QuotingType mustQuote(StringRef) { return QuotingType::None; }
};

template <> struct ScalarTraits<BlockCount> {
  static void output(const BlockCount &N, void *, raw_ostream &OS) {
    OS << N.Value;
  }
  static StringRef input(StringRef Text, void *, BlockCount &N) {
    static_assert(MostEnoughBlocks == 32, "the message names it");
    if (Text.getAsInteger(10, N.Value) || N.Value < 1 ||
        N.Value > MostEnoughBlocks)
      return "enough-blocks must be a number from 1 to 32";
    return "";
  }
  static QuotingType mustQuote(StringRef) { return QuotingType::None; }
};

} // namespace llvm::yaml

/// What a thread of the kernel's largest block can have; the rest of a
/// sentence.
static std::string validRange(const KernelFacts &Facts) {
  return formatv("{0} to {1}", Least, Facts.MostRegisters);
}

/// Why N registers cannot be the limit, whoever asks for it; empty: they can.
/// The assembler may take more with a limit than by its own choice.
static std::string whyNever(const KernelFacts &Facts, unsigned N) {
  if (Facts.Off)
    return "the source switches Sluice off for this kernel";
  if (N > Facts.MostRegisters)
    return formatv(Facts.LargestBlock
                       ? "its blocks of {0} threads can have {1} registers a "
                         "thread"
                       : "blocks of {0} threads, which are not ruled out, can "
                         "have {1} registers a thread",
                   Facts.LargestBlock.value_or(MostThreadsPerBlock),
                   validRange(Facts));
  return "";
}

/// Why an option is not to limit them.
static std::string whyNot(const KernelFacts &Facts, unsigned N) {
  if (Facts.Off)
    return whyNever(Facts, N);
  if (Facts.MaxThreadsPerBlock)
    return "its __launch_bounds__ limit them";
  if (Facts.MaxRegisters)
    return "the source itself limits them";
  return whyNever(Facts, N);
}

static void limitRegisters(const KernelFacts &Facts, unsigned N,
                           KernelPlan &Kernel,
                           std::vector<std::string> &Warnings) {
  Kernel.RegistersWhy = whyNot(Facts, N);
  if (Kernel.RegistersWhy.empty()) {
    Kernel.MaxRegisters = N;
    Kernel.RegistersWhy = std::to_string(N) + " were asked for";
    return;
  }
  if (!Facts.Off && !Facts.MaxThreadsPerBlock && !Facts.MaxRegisters &&
      !Facts.IsLibrarys)
    Warnings.push_back(formatv(
        "registers={0}: kernel '{1}' {2} blocks of {3} threads, each of which "
        "can have {4} registers; it is not limited{5}",
        N, Facts.DisplayName, Facts.LargestBlock ? "has" : "may have",
        Facts.LargestBlock.value_or(MostThreadsPerBlock), validRange(Facts),
        Facts.LargestBlock ? "" : " (say launch=KERNEL:GRID:BLOCK)"));
}

/// A profile adds up the times of all launches, of which so many blocks are on
/// an SM only if they are of one size.
static bool hasOneBlockSize(const KernelFacts &Facts) {
  std::optional<uint64_t> Size;
  for (const LaunchConfig &Launch : Facts.Launches) {
    const std::optional<uint64_t> Threads = Launch.Block.total();
    if (!Threads || (Size && *Size != *Threads))
      return false;
    Size = Threads;
  }
  return Size.has_value();
}

/// By the user, or by a profile's simulation.
static void findEnoughBlocks(PlanningContext &Context) {
  std::set<std::string> Known;
  for (KernelToPlan &Work : Context.Kernels) {
    if (hasOneBlockSize(Work.Facts))
      if (auto Enough = enoughBlocks(Work.Facts.FewerBlocks)) {
        Work.Plan.EnoughBlocks = Enough->Blocks;
        Work.Plan.EnoughWhy = std::move(Enough->Why);
      }
    for (const auto &[Kernel, Blocks] : Context.Opts.GivenEnoughBlocks)
      if (Work.Facts.isCalled(Kernel)) {
        Known.insert(Kernel);
        Work.Plan.EnoughBlocks = Blocks;
        Work.Plan.EnoughWhy = "enough-blocks says so";
      }
  }
  for (const auto &[Kernel, Blocks] : Context.Opts.GivenEnoughBlocks)
    if (!Known.count(Kernel))
      Context.Warnings.push_back(
          formatv("enough-blocks={0}:{1}: no kernel of that name in this file",
                  Kernel, Blocks));
}

namespace {

class RegistersTechnique final : public Technique {
public:
  StringLiteral name() const override { return "registers"; }
  unsigned changes() const override { return Kernel; }

  ArrayRef<OptionSpec> options() const override { return Specs; }
  bool isOn(const Options &Opts) const override {
    return needsFacts(Opts) || Opts.Step == StepRegisters::Grown;
  }
  bool needsFacts(const Options &Opts) const override {
    return isSaidByOptions(Opts) || !Opts.PlanFile.empty() ||
           Opts.Spills == SharedSpills::Ptxas ||
           Opts.Spills == SharedSpills::Own || Opts.ForcedSpills ||
           !Opts.RegistersCodeFile.empty();
  }
  void switchOff(Options &Opts) const override {
    Opts.MaxRegisters.reset();
    Opts.CratRegisters = false;
    Opts.Step = StepRegisters::None;
    Opts.Spills = SharedSpills::Off;
  }
  StringLiteral saidByPlans() const override { return "max-registers"; }
  bool isSaidByOptions(const Options &Opts) const override {
    return Opts.MaxRegisters || Opts.CratRegisters ||
           Opts.Step == StepRegisters::All;
  }

  ArrayRef<PlantedFault> faults() const override { return Planted; }

  unsigned newestVersion() const override { return 22; }
  unsigned versionOf(const KernelPlan &K) const override {
    if (K.EnoughBlocks || !K.EnoughWhy.empty())
      return 22;
    return K.MaxRegisters || !K.RegistersWhy.empty() ? 7 : 1;
  }
  void mapKernel(yaml::IO &YAML, KernelPlan &K) const override {
    mapOptionalAs<RegisterCount>(YAML, "max-registers", K.MaxRegisters);
    YAML.mapOptional("registers-why", K.RegistersWhy, std::string());
    mapOptionalAs<BlockCount>(YAML, "enough-blocks", K.EnoughBlocks);
    YAML.mapOptional("enough-why", K.EnoughWhy, std::string());
  }
  void takeGiven(const KernelPlan *Given, const KernelFacts &Facts,
                 KernelPlan &Ours) const override {
    forget(Ours);
    if (!Given || !Given->MaxRegisters)
      return;
    Ours.RegistersWhy = whyNever(Facts, *Given->MaxRegisters);
    if (!Ours.RegistersWhy.empty())
      return;
    Ours.MaxRegisters = Given->MaxRegisters;
    Ours.RegistersWhy = "the given plan says so";
  }
  void forget(KernelPlan &K) const override {
    K.MaxRegisters.reset();
    K.RegistersWhy.clear();
    K.EnoughBlocks.reset();
    K.EnoughWhy.clear();
  }

  void plan(PlanningContext &Context) const override {
    if (Context.Opts.MaxRegisters)
      for (KernelToPlan &Work : Context.Kernels)
        limitRegisters(Work.Facts, *Context.Opts.MaxRegisters, Work.Plan,
                       Context.Warnings);
    // The pass decides, by the code as it is then.
    if (Context.Opts.CratRegisters || Context.Opts.Step == StepRegisters::All)
      for (KernelToPlan &Work : Context.Kernels)
        Work.Plan.RegistersWhy = whyNot(Work.Facts, Least);
    // So does `sluice registers`, which asks for the code.
    if (Context.Opts.CratRegisters || !Context.Opts.RegistersCodeFile.empty())
      findEnoughBlocks(Context);
    else if (!Context.Opts.GivenEnoughBlocks.empty())
      Context.Warnings.push_back(
          "enough-blocks has no effect without registers=crat");
  }
  /// The critical points, by descending registers: what the assembler chooses
  /// is mostly near the most.
  std::vector<Choice> knobs(const KernelPlan &K,
                            const GPUModel &) const override {
    std::set<unsigned, std::greater<unsigned>> Limits(K.RegisterPoints.begin(),
                                                      K.RegisterPoints.end());
    if (Limits.size() < 2)
      return {};
    if (K.MaxRegisters)
      Limits.insert(*K.MaxRegisters);
    Choice C;
    C.Name = "registers";
    C.Values.push_back("auto");
    for (unsigned Limit : Limits) {
      if (K.MaxRegisters == Limit)
        C.Planned = C.Values.size();
      C.Values.push_back(std::to_string(Limit));
    }
    C.Set = [Limits = std::vector<unsigned>(Limits.begin(), Limits.end())](
                KernelPlan &Kernel, unsigned Index) {
      Kernel.MaxRegisters.reset();
      Kernel.RegistersWhy.clear();
      if (Index == 0)
        return;
      Kernel.MaxRegisters = Limits[Index - 1];
      Kernel.RegistersWhy = "tuned";
    };
    return {C};
  }
  TechniquePass pass() const override {
    return {"sluice-register-limit", PassStage::Code};
  }
};

} // namespace

const Technique &sluice::registersTechnique() {
  static const RegistersTechnique Row;
  return Row;
}
