// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Throttling of warps (CATT): the warps of a block take turns in a loop. Its
// planner, ThrottlePlanner.cpp, also decides the carveout and M, since the
// three are for one end: lines that fit the L1. The front end writes the turns.

#include "sluice/Analysis/YAMLScalars.h"
#include "sluice/Plan/LaunchTable.h"
#include "sluice/Plan/Technique.h"
#include "sluice/Plan/ThrottlePlanner.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <list>
#include <set>

using namespace llvm;
using namespace sluice;

//===- Options ------------------------------------------------------------===//

static ParseResult parseThrottle(StringRef Value, Options &Result) {
  if (Value == "auto" || Value == "off") {
    Result.Throttle = Value == "auto";
    return ParseResult::OK;
  }
  uint64_t Groups, Blocks;
  auto [N, M] = Value.split(',');
  if (!parseNumber(N, 1, MaxWarpsPerBlock, Groups) || !isPowerOf2_64(Groups))
    return ParseResult::Bad;
  Result.Throttle = true;
  Result.ForcedWarpGroups = Groups;
  if (N.size() == Value.size())
    return ParseResult::OK;
  if (!parseNumber(M, 1, MaxBlocksPerSM, Blocks))
    return ParseResult::Bad;
  Result.ForcedResidentBlocks = Blocks;
  return ParseResult::OK;
}

static constexpr OptionSpec Specs[] = {
    {"throttle", "auto|off|N[,M]", "auto",
     "auto, off, N (a power of two up to 32), or N,M (M up to 32)",
     "let the warps of a block run a loop in N groups, taking turns, and M "
     "blocks stay on an SM",
     parseThrottle},
};

static constexpr PlantedFault Planted[] = {
    {"skip-turn", [](Options &Opts) { Opts.Wrong = WrongRewrite::SkipTurn; }},
    {"unseen-wait",
     [](Options &Opts) { Opts.Wrong = WrongRewrite::UnseenWait; }},
};

//===- Plan files ---------------------------------------------------------===//

namespace {

/// A number, or `by-launch`: then the loop has rows.
struct ThrottlingFactor {
  unsigned Groups = 1;
  bool ByLaunch = false;
};

/// N of a row.
struct RowFactor {
  unsigned Groups = 1;
};

/// What an argument must at least be.
struct LeastValue {
  int64_t Value = 0;
};

} // namespace

LLVM_YAML_IS_SEQUENCE_VECTOR(sluice::ArgumentMinimum)
LLVM_YAML_IS_SEQUENCE_VECTOR(sluice::LaunchRow)

namespace llvm::yaml {

template <> struct ScalarTraits<ThrottlingFactor> {
  static void output(const ThrottlingFactor &N, void *, raw_ostream &OS) {
    if (N.ByLaunch)
      OS << "by-launch";
    else
      OS << N.Groups;
  }
  static StringRef input(StringRef Text, void *, ThrottlingFactor &N) {
    static_assert(MaxWarpsPerBlock == 32, "the message below names the limit");
    N.ByLaunch = Text == "by-launch";
    if (!N.ByLaunch && (Text.getAsInteger(10, N.Groups) || N.Groups < 1 ||
                        N.Groups > MaxWarpsPerBlock))
      return "throttle must be a number from 1 (not throttled) to 32, or "
             "by-launch";
    return "";
  }
  static QuotingType mustQuote(StringRef) { return QuotingType::None; }
};

template <> struct ScalarTraits<RowFactor> {
  static void output(const RowFactor &N, void *, raw_ostream &OS) {
    OS << N.Groups;
  }
  static StringRef input(StringRef Text, void *, RowFactor &N) {
    static_assert(MaxWarpsPerBlock == 32, "the message below names the limit");
    if (Text.getAsInteger(10, N.Groups) || !isPowerOf2_32(N.Groups) ||
        N.Groups > MaxWarpsPerBlock)
      return "throttle in by-launch must be a power of two from 1 to 32";
    return "";
  }
  static QuotingType mustQuote(StringRef) { return QuotingType::None; }
};

template <> struct ScalarTraits<LeastValue> {
  static void output(const LeastValue &V, void *, raw_ostream &OS) {
    OS << V.Value;
  }
  static StringRef input(StringRef Text, void *, LeastValue &V) {
    static_assert(ArgumentMinimum::Most == 2147483647,
                  "the message below names the limit");
    if (Text.getAsInteger(10, V.Value) || V.Value < 1 ||
        V.Value > ArgumentMinimum::Most)
      return "at-least must be a number from 1 to 2147483647";
    return "";
  }
  static QuotingType mustQuote(StringRef) { return QuotingType::None; }
};

template <> struct MappingTraits<ArgumentMinimum> {
  static const bool flow = true;
  static void mapping(IO &YAML, ArgumentMinimum &M) {
    YAML.mapRequired("argument", M.Argument);
    YAML.mapOptional("name", M.Name, std::string());
    mapRequiredAs<LeastValue>(YAML, "at-least", M.Minimum);
  }
};

template <> struct MappingTraits<LaunchRow> {
  static const bool flow = true;
  static void mapping(IO &YAML, LaunchRow &Row) {
    LaunchDim Block;
    if (Row.Block)
      Block =
          LaunchDim::known((*Row.Block)[0], (*Row.Block)[1], (*Row.Block)[2]);
    if (Row.Block || !YAML.outputting())
      mapDim(YAML, "block", Block);
    if (!YAML.outputting())
      readBlock(YAML, Block, Row);
    YAML.mapOptional("threads-min", Row.MinThreads, 0U);
    YAML.mapOptional("threads-max", Row.MaxThreads, 0U);
    YAML.mapOptional("blocks-min", Row.MinBlocks, uint64_t(1));
    mapRequiredAs<RowFactor>(YAML, "throttle", Row.WarpGroups);
  }
  static void readBlock(IO &YAML, const LaunchDim &Block, LaunchRow &Row) {
    if (none_of(Block.Sizes, [](auto Size) { return Size.has_value(); }))
      return;
    Row.Block.emplace();
    for (unsigned I = 0; I < 3; ++I) {
      if (!Block.Sizes[I]) {
        YAML.setError("block in by-launch must be known");
        return;
      }
      // What is too large stays so.
      (*Row.Block)[I] = unsigned(std::min<uint64_t>(*Block.Sizes[I], ~0U));
    }
  }
  static std::string validate(IO &YAML, LaunchRow &Row) {
    return YAML.outputting() ? "" : faultOf(Row);
  }
};

} // namespace llvm::yaml

static void mapTurns(yaml::IO &YAML, LoopPlan &Loop) {
  ThrottlingFactor N{Loop.WarpGroups, !Loop.ByLaunch.empty()};
  YAML.mapRequired("throttle", N);
  YAML.mapOptional("by-launch", Loop.ByLaunch);
  // A plan that was changed to no turns needs no test of them.
  if (!YAML.outputting() || Loop.WarpGroups > 1)
    YAML.mapOptional("only-if", Loop.OnlyIf);
  if (!YAML.outputting()) {
    Loop.WarpGroups = N.Groups;
    if (N.ByLaunch && Loop.ByLaunch.empty())
      YAML.setError("'throttle: by-launch' needs rows in by-launch");
    // Rows that are not heeded would mislead.
    if (!N.ByLaunch && !Loop.ByLaunch.empty())
      YAML.setError("throttle is a number, so there must be no by-launch");
    for (const LaunchRow &Row : Loop.ByLaunch)
      Loop.WarpGroups = std::max(Loop.WarpGroups, Row.WarpGroups);
  }
  YAML.mapOptional("why", Loop.Why, std::string());
  YAML.mapOptional("footprint-bytes", Loop.FootprintBytes, uint64_t(0));
  YAML.mapOptional("throttled-footprint-bytes", Loop.ThrottledFootprintBytes,
                   uint64_t(0));
  YAML.mapOptional("predicted-nanoseconds", Loop.PredictedNanoseconds,
                   uint64_t(0));
  YAML.mapOptional("unthrottled-nanoseconds", Loop.UnthrottledNanoseconds,
                   uint64_t(0));
}

static std::string faultInTurns(const LoopPlan &Loop) {
  if (std::string Fault = faultOf(Loop.ByLaunch); !Fault.empty())
    return Fault;
  for (size_t I = 1; I < Loop.OnlyIf.size(); ++I)
    if (Loop.OnlyIf[I - 1].Argument >= Loop.OnlyIf[I].Argument)
      return "tests in only-if must be by rising argument, each once";
  return "";
}

/// The user's N, or none where the user's plan does not list the loop.
static void takeGivenTurns(const LoopPlan *Given, const KernelFacts &Facts,
                           LoopPlan &Loop) {
  Loop.WarpGroups = Given ? Given->WarpGroups : 1;
  Loop.ByLaunch.clear();
  Loop.OnlyIf.clear();
  if (!Given) {
    Loop.Why = "the given plan does not list this loop";
    return;
  }
  Loop.ByLaunch = Given->ByLaunch;
  Loop.OnlyIf = Given->OnlyIf;
  for (ArgumentMinimum &M : Loop.OnlyIf) // a plan by hand needs no names
    if (M.Name.empty() && M.Argument < Facts.Parameters.size())
      M.Name = Facts.Parameters[M.Argument].Name;
  Loop.Why = Loop.ByLaunch.empty()
                 ? "the given plan says N=" + std::to_string(Loop.WarpGroups)
                 : "the given plan says so";
}

//===- Planning -----------------------------------------------------------===//

static ThrottleOptions throttleOptions(const PlanningContext &Context) {
  const Options &Opts = Context.Opts;
  ThrottleOptions Result;
  Result.SMs = Context.SMs;
  Result.L1KiB = Opts.L1KiB;
  Result.TakeTurns = Opts.Throttle;
  Result.LimitBlocks = Opts.Throttle && Opts.LimitBlocks;
  Result.BlocksForTurns = Context.HostHears;
  Result.ChooseCarveout = Opts.Throttle && Opts.Carveout && Context.HostHears;
  Result.PreferBlocks = Opts.PreferBlocks && Context.HostHears;
  Result.ForcedWarpGroups = Opts.ForcedWarpGroups;
  Result.ForcedResidentBlocks = Opts.ForcedResidentBlocks;
  return Result;
}

/// Plans with few registers first; kernels that would be throttled then are
/// assembled, or else bounded, and planned again.
static void planTurns(PlanningContext &Context) {
  const ThrottleOptions Throttle = throttleOptions(Context);
  std::list<LoopFootprints> Footprints; // they do not depend on registers
  auto PlanWith = [&](const KernelToPlan &Work, LoopFootprints &OfLoops,
                      const RegisterFact &Registers) {
    return planThrottling(Work.Facts, Context.GPU, Registers, Throttle,
                          /*Thresholds=*/{}, &OfLoops);
  };
  std::vector<LoopFootprints *> ByKernel;
  for (KernelToPlan &Work : Context.Kernels) {
    ByKernel.push_back(&Footprints.emplace_back(Work.Facts, Context.GPU));
    Work.Plan =
        PlanWith(Work, *ByKernel.back(), assumedRegisters({}, Context.GPU));
  }
  if (!Context.Opts.Throttle)
    return;
  // With more registers fewer warps share the L1: often nothing is left to do.
  auto IsLeftAlone = [&](size_t Kernel, const RegisterFact &AtLeast) {
    return !isThrottled(
        PlanWith(Context.Kernels[Kernel], *ByKernel[Kernel], AtLeast));
  };
  // What is given, N or a whole plan, does not depend on them.
  std::vector<std::optional<RegisterFact>> Known;
  if (Context.RegistersWithTurns && !Context.Opts.ForcedWarpGroups &&
      Context.Opts.PlanFile.empty())
    Known = Context.RegistersWithTurns(IsLeftAlone);
  Known.resize(Context.Kernels.size());
  for (auto [Work, OfLoops, Registers] :
       zip_equal(Context.Kernels, ByKernel, Known))
    if (isThrottled(Work.Plan))
      Work.Plan = PlanWith(
          Work, *OfLoops,
          Registers ? *Registers : assumedRegisters(Work.Facts, Context.GPU));
}

//===- The tuner's choices ------------------------------------------------===//

/// Warps of a thread block: of the smallest block of a launch that is known.
static unsigned warpsOfBlock(const KernelPlan &Kernel, const GPUModel &GPU) {
  unsigned Least = GPU.MaxThreads;
  for (const LaunchPlan &Launch : Kernel.Launches)
    Least = std::min<uint64_t>(Least, Launch.Block.total().value_or(Least));
  return std::min<unsigned>(32, divideCeil(Least, GPU.WarpSize));
}

/// N of each loop that loads: powers of two up to the first with which each
/// warp of a block runs alone, and what the static plan has, a table too. A
/// plan has the loads only where it knows the launches.
static std::vector<Choice> throttlingFactors(const KernelPlan &Kernel,
                                             const GPUModel &GPU) {
  std::vector<Choice> Result;
  unsigned Most = warpsOfBlock(Kernel, GPU);
  bool LoadsAreKnown = !Kernel.Launches.empty() &&
                       all_of(Kernel.Launches, [](const LaunchPlan &Launch) {
                         return Launch.Block.total().has_value();
                       });
  for (size_t L = 0; L < Kernel.Loops.size(); ++L) {
    const LoopPlan &Loop = Kernel.Loops[L];
    if (LoadsAreKnown && Loop.Accesses.empty() && Loop.WarpGroups == 1)
      continue;
    Choice C;
    C.Name = "throttle " + Loop.Id.str();
    const bool IsByLaunch = !Loop.ByLaunch.empty();
    std::set<unsigned> Factors = {1, Loop.WarpGroups};
    for (unsigned N = 2; N / 2 < Most; N *= 2)
      Factors.insert(N);
    for (unsigned N : Factors) {
      if (N == Loop.WarpGroups)
        C.Planned = C.Values.size();
      C.Values.push_back(std::to_string(N));
    }
    if (IsByLaunch) {
      C.Planned = C.Values.size();
      C.Values.push_back("by-launch");
    }
    C.Set = [L, Rows = Loop.ByLaunch, Most = Loop.WarpGroups,
             Ns = std::vector(Factors.begin(), Factors.end())](KernelPlan &K,
                                                               unsigned Index) {
      bool IsOneN = Index < Ns.size();
      K.Loops[L].WarpGroups = IsOneN ? Ns[Index] : Most;
      K.Loops[L].ByLaunch = IsOneN ? std::vector<LaunchRow>() : Rows;
    };
    if (C.Values.size() > 1)
      Result.push_back(std::move(C));
  }
  return Result;
}

//===- The row ------------------------------------------------------------===//

namespace {

class ThrottleTechnique final : public Technique {
public:
  StringLiteral name() const override { return "throttle"; }
  unsigned changes() const override { return Kernel; }

  ArrayRef<OptionSpec> options() const override { return Specs; }
  bool isOn(const Options &Opts) const override { return Opts.Throttle; }
  void switchOff(Options &Opts) const override { Opts.Throttle = false; }
  StringLiteral saidByPlans() const override { return "factors"; }
  bool isSaidByOptions(const Options &Opts) const override {
    return !Opts.Throttle || Opts.ForcedWarpGroups;
  }
  ArrayRef<PlantedFault> faults() const override { return Planted; }

  unsigned newestVersion() const override { return 3; }
  unsigned versionOf(const KernelPlan &K) const override {
    auto IsTested = [](const LoopPlan &L) {
      return L.WarpGroups > 1 && !L.OnlyIf.empty();
    };
    auto HasNewKeys = [](const LoopPlan &L) {
      return L.UnthrottledNanoseconds != 0 || !L.ByLaunch.empty();
    };
    return any_of(K.Loops, IsTested) ? 3 : any_of(K.Loops, HasNewKeys) ? 2 : 1;
  }
  void mapLoop(yaml::IO &YAML, LoopPlan &Loop) const override {
    mapTurns(YAML, Loop);
  }
  std::string faultInLoop(const LoopPlan &Loop) const override {
    return faultInTurns(Loop);
  }
  void takeGiven(const KernelPlan *Given, const KernelFacts &Facts,
                 KernelPlan &Ours) const override {
    if (Facts.Off)
      return; // the source has the last word
    for (LoopPlan &Loop : Ours.Loops)
      takeGivenTurns(findLoop(Given, Loop.Id), Facts, Loop);
  }
  void forget(KernelPlan &K) const override {
    for (LoopPlan &L : K.Loops) {
      L.WarpGroups = 1;
      L.ByLaunch.clear();
    }
  }

  void plan(PlanningContext &Context) const override {
    // Without turns, what is known of launches and loops: plan files, loads in
    // flight and registers are by that.
    planTurns(Context);
  }
  bool isOffUntuned() const override { return true; }
  std::vector<Choice> knobs(const KernelPlan &K,
                            const GPUModel &GPU) const override {
    return throttlingFactors(K, GPU);
  }
};

} // namespace

const Technique &sluice::throttleTechnique() {
  static const ThrottleTechnique Row;
  return Row;
}
