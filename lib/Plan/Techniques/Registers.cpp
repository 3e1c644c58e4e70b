// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A limit of a thread's registers, for more warps on an SM. Only as the user
// asks for it; nothing chooses one yet.

#include "sluice/Analysis/YAMLScalars.h"
#include "sluice/Plan/Technique.h"

using namespace llvm;
using namespace sluice;

/// What the assembler takes: below 16 it spills even addresses, and 255 is the
/// limit of every architecture since Kepler (CUDA C++ Programming Guide, table
/// "Technical Specifications per Compute Capability").
static constexpr unsigned Least = 16, Most = 255;

static constexpr OptionSpec Specs[] = {
    {"registers", "auto|off|N", "auto",
     "auto, off, or N (registers of a thread, 16 to 255)",
     "limit the registers of a thread to N, where the source does not; auto "
     "and off: as the assembler chooses",
     [](StringRef Value, Options &Result) {
       uint64_t N;
       if (!parseNumber(Value, Least, Most, N))
         return check(Value == "auto" || Value == "off");
       Result.MaxRegisters = N;
       return ParseResult::OK;
     }},
};

namespace {

/// A number from 16 to 255.
struct RegisterCount {
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

} // namespace llvm::yaml

static void limitRegisters(const KernelFacts &Facts, unsigned N,
                           KernelPlan &Kernel) {
  if (Facts.Off)
    Kernel.RegistersWhy = "the source switches Sluice off for this kernel";
  else if (Facts.MaxThreadsPerBlock)
    Kernel.RegistersWhy = "its __launch_bounds__ limit them";
  else
    Kernel.MaxRegisters = N;
  if (Kernel.MaxRegisters)
    Kernel.RegistersWhy = std::to_string(N) + " were asked for";
}

namespace {

class RegistersTechnique final : public Technique {
public:
  StringLiteral name() const override { return "registers"; }
  StringLiteral title() const override { return "register limiting"; }
  unsigned changes() const override { return Kernel; }

  ArrayRef<OptionSpec> options() const override { return Specs; }
  bool isOn(const Options &Opts) const override {
    return Opts.MaxRegisters || !Opts.PlanFile.empty();
  }
  void switchOff(Options &Opts) const override { Opts.MaxRegisters.reset(); }
  StringLiteral saidByPlans() const override { return "max-registers"; }
  bool isSaidByOptions(const Options &Opts) const override {
    return Opts.MaxRegisters.has_value();
  }

  unsigned newestVersion() const override { return 7; }
  unsigned versionOf(const KernelPlan &K) const override {
    return K.MaxRegisters || !K.RegistersWhy.empty() ? 7 : 1;
  }
  void mapKernel(yaml::IO &YAML, KernelPlan &K) const override {
    mapOptionalAs<RegisterCount>(YAML, "max-registers", K.MaxRegisters);
    YAML.mapOptional("registers-why", K.RegistersWhy, std::string());
  }
  void takeGiven(const KernelPlan *Given, const KernelFacts &Facts,
                 KernelPlan &Ours) const override {
    forget(Ours);
    if (Facts.Off || !Given || !Given->MaxRegisters)
      return;
    Ours.MaxRegisters = Given->MaxRegisters;
    Ours.RegistersWhy = "the given plan says so";
  }
  void forget(KernelPlan &K) const override {
    K.MaxRegisters.reset();
    K.RegistersWhy.clear();
  }

  void plan(PlanningContext &Context) const override {
    if (Context.Opts.MaxRegisters)
      for (KernelToPlan &Work : Context.Kernels)
        limitRegisters(Work.Facts, *Context.Opts.MaxRegisters, Work.Plan);
  }
  TechniquePass pass() const override {
    return {"sluice-register-limit", PassStage::Last};
  }
};

} // namespace

const Technique &sluice::registersTechnique() {
  static const RegistersTechnique Row;
  return Row;
}
