// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Warp-partitioned bypassing: of each block the first warps use a cache, the
// others go past it. Only as somebody asks for it, a plan, an option or the
// tuner: where a kernel's lines do not fit the L1, turns and staged rows do
// more (docs/passes/warp-bypass.md has the numbers).

#include "AsSimulated.h"
#include "sluice/Analysis/Profile.h"
#include "sluice/Plan/BypassPlanner.h"
#include "sluice/Plan/Technique.h"
#include "sluice/Plan/ThrottlePlanner.h"
#include "sluice/Target/Occupancy.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/YAMLTraits.h"

using namespace llvm;
using namespace sluice;

/// As options and plans have them.
static constexpr std::pair<StringLiteral, BypassedCache> CacheNames[] = {
    {"l1", BypassedCache::L1},
    {"read-only", BypassedCache::ReadOnly},
    {"l2", BypassedCache::L2},
};

static constexpr OptionSpec Specs[] = {
    {"bypass", "auto|off|PI|footprint|profile|dynamic", "auto",
     "auto, off, footprint, profile, dynamic, or PI (a number of warps up to "
     "32)",
     "let only the first PI warps of a block use the L1; footprint: as many as "
     "have lines that fit; profile: as many as it predicts to be fastest; "
     "dynamic: the kernel's own warps find PI; auto: as the plan or the tuner "
     "says",
     [](StringRef Value, Options &Result) {
       uint64_t Warps;
       Result.Bypass = Value != "off";
       Result.SamplesWarps = Value == "dynamic";
       Result.BypassByFootprint = Value == "footprint";
       Result.BypassByProfile = Value == "profile";
       Result.CachedWarps.reset();
       if (!parseNumber(Value, 0, MaxWarpsPerBlock, Warps))
         return check(Value == "auto" || Value == "off" ||
                      Result.SamplesWarps || Result.BypassByFootprint ||
                      Result.BypassByProfile);
       Result.CachedWarps = Warps;
       return ParseResult::OK;
     }},
    {"bypass-of", "l1|read-only|l2", "l1", "l1, read-only, or l2",
     "with bypass=PI, footprint or profile: the cache that the other warps do "
     "not use",
     [](StringRef Value, Options &Result) {
       for (auto [Name, Cache] : CacheNames)
         if (Name == Value) {
           Result.BypassOf = Cache;
           return ParseResult::OK;
         }
       return ParseResult::Bad;
     }},
};

namespace {

/// A number of warps, or "sampled".
struct WarpsText {
  std::optional<unsigned> Warps;
};

} // namespace

namespace llvm::yaml {

template <> struct ScalarTraits<WarpsText> {
  static void output(const WarpsText &W, void *, raw_ostream &OS) {
    if (W.Warps)
      OS << *W.Warps;
    else
      OS << "sampled";
  }
  static StringRef input(StringRef Text, void *, WarpsText &W) {
    static_assert(MaxWarpsPerBlock == 32, "the message names the limit");
    unsigned Warps;
    if (Text == "sampled")
      return "";
    if (Text.getAsInteger(10, Warps) || Warps > MaxWarpsPerBlock)
      return "cached-warps must be sampled or a number from 0 to 32";
    W.Warps = Warps;
    return "";
  }
  static QuotingType mustQuote(StringRef) { return QuotingType::None; }
};

template <> struct ScalarEnumerationTraits<BypassedCache> {
  static void enumeration(IO &YAML, BypassedCache &Cache) {
    for (auto [Name, Value] : CacheNames)
      YAML.enumCase(Cache, Name.data(), Value);
  }
};

} // namespace llvm::yaml

static bool isPlanned(const KernelPlan &K) {
  return K.CachedWarps || K.SamplesWarps;
}

/// A warp has 32 threads on every GPU so far.
static unsigned warpsOf(uint64_t Threads) {
  return unsigned(divideCeil(Threads, MostThreadsPerBlock / MaxWarpsPerBlock));
}

/// The most warps that a block of the kernel has.
static unsigned mostWarps(const KernelFacts &Facts) {
  return Facts.LargestBlock ? warpsOf(*Facts.LargestBlock) : MaxWarpsPerBlock;
}

/// The same by the launches that the plan knows; 0: it knows none.
static unsigned mostWarps(const KernelPlan &K) {
  uint64_t Threads = 0;
  for (const LaunchPlan &Launch : K.Launches)
    Threads = std::max(Threads, Launch.Block.total().value_or(0));
  return warpsOf(Threads);
}

/// What \p Asked says of the kernel, in \p Ours, where it does something.
static void take(const BypassPlan &Asked, const KernelFacts &Facts,
                 StringRef From, KernelPlan &Ours) {
  static_cast<BypassPlan &>(Ours) = {};
  if (Facts.Off) {
    Ours.BypassWhy = "the source switches Sluice off for this kernel";
  } else if (Asked.CachedWarps && *Asked.CachedWarps >= mostWarps(Facts)) {
    Ours.BypassWhy = formatv("its blocks have no more than the {0} warps that "
                             "may use the cache",
                             *Asked.CachedWarps);
  } else {
    static_cast<BypassPlan &>(Ours) = Asked;
    Ours.BypassWhy = From;
  }
}

static BypassOptions bypassOptions(const PlanningContext &Context) {
  return {Context.SMs, Context.Opts.L1KiB, Context.Opts.SoftwareL1};
}

/// By assumed registers, and where that leads to something by the assembler's.
static std::vector<BypassDecision>
decideByFootprint(const PlanningContext &Context) {
  auto Decide = [&](const KernelToPlan &Work, const RegisterFact &Registers) {
    return planBypassByFootprint(Work.Facts, Work.Plan, Context.GPU, Registers,
                                 bypassOptions(Context));
  };
  std::vector<BypassDecision> Decisions;
  std::vector<size_t> Chosen;
  for (auto [Number, Work] : enumerate(Context.Kernels)) {
    Decisions.push_back(
        Decide(Work, assumedRegisters(Work.Facts, Context.GPU)));
    if (Decisions.back().CachedWarps)
      Chosen.push_back(Number);
  }
  if (Chosen.empty() || !Context.OwnRegisters)
    return Decisions;
  const auto Known = Context.OwnRegisters(Chosen);
  for (size_t Number : Chosen)
    if (Known[Number])
      Decisions[Number] = Decide(Context.Kernels[Number], *Known[Number]);
  return Decisions;
}

static BypassDecision decideAsPredicted(const PlanningContext &Context,
                                        const KernelToPlan &Work) {
  if (!Work.Measured)
    return {std::nullopt, "no profile of this GPU has the kernel"};
  const auto L1KiB = Context.Opts.L1KiB;
  const bool IsOtherL1 =
      L1KiB && uint64_t(*L1KiB) * 1024 != Work.Facts.PredictedL1Bytes;
  const bool MayStage =
      Context.Opts.SoftwareL1 && any_of(Work.Facts.Loops, [](const auto &L) {
        return !L.Stageable.empty() || !L.Widenable.empty();
      });
  if (!runsAsSimulated(Work) || IsOtherL1 || MayStage)
    return {std::nullopt, "it will not run as the profile simulated it"};
  return planBypassAsPredicted(*Work.Measured, Work.Plan);
}

namespace {

class BypassTechnique final : public Technique {
public:
  StringLiteral name() const override { return "bypass"; }
  unsigned changes() const override { return Kernel; }

  ArrayRef<OptionSpec> options() const override { return Specs; }
  bool isOn(const Options &Opts) const override { return Opts.Bypass; }
  bool needsFacts(const Options &Opts) const override {
    return isSaidByOptions(Opts);
  }
  void switchOff(Options &Opts) const override {
    Opts.Bypass = false;
    Opts.CachedWarps.reset();
    Opts.SamplesWarps = false;
    Opts.BypassByFootprint = Opts.BypassByProfile = false;
  }
  StringLiteral saidByPlans() const override { return "cached-warps"; }
  bool isSaidByOptions(const Options &Opts) const override {
    return Opts.CachedWarps || Opts.SamplesWarps || isChosen(Opts);
  }

  unsigned newestVersion() const override { return 15; }
  unsigned versionOf(const KernelPlan &K) const override {
    return isPlanned(K) || !K.BypassWhy.empty() ? 15 : 1;
  }
  void mapKernel(yaml::IO &YAML, KernelPlan &K) const override {
    std::optional<WarpsText> Text;
    if (isPlanned(K))
      Text.emplace(WarpsText{K.CachedWarps});
    YAML.mapOptional("cached-warps", Text);
    K.CachedWarps = Text ? Text->Warps : std::nullopt;
    K.SamplesWarps = Text && !Text->Warps;
    YAML.mapOptional("bypass-of", K.BypassOf, BypassedCache::L1);
    YAML.mapOptional("bypass-why", K.BypassWhy, std::string());
  }
  std::string faultInKernel(const KernelPlan &K) const override {
    if (K.SamplesWarps && K.BypassOf == BypassedCache::L2)
      return "cached-warps are sampled for the L1 alone, and bypass-of is l2";
    return "";
  }
  void takeGiven(const KernelPlan *Given, const KernelFacts &Facts,
                 KernelPlan &Ours) const override {
    forget(Ours);
    if (Given && isPlanned(*Given))
      take(*Given, Facts, "the given plan says so", Ours);
  }
  void forget(KernelPlan &K) const override {
    static_cast<BypassPlan &>(K) = {};
  }

  void plan(PlanningContext &Context) const override {
    if (!isSaidByOptions(Context.Opts))
      return;
    BypassPlan Asked;
    Asked.CachedWarps = Context.Opts.CachedWarps;
    Asked.SamplesWarps = Context.Opts.SamplesWarps;
    Asked.BypassOf = Context.Opts.BypassOf;
    if (isChosen(Context.Opts))
      return choose(Context, Asked);
    for (KernelToPlan &Work : Context.Kernels)
      take(Asked, Work.Facts, "it was asked for", Work.Plan);
  }
  /// Only of a kernel that is partitioned already: it is a large knob, and of
  /// next to no use on today's chips. All warps, as the code is, then fewer: at
  /// most eight numbers, as the time over them has one valley (thesis, Figures
  /// 5.5 to 5.10).
  std::vector<Choice> knobs(const KernelPlan &K,
                            const GPUModel &) const override {
    const unsigned Most = mostWarps(K);
    if (Most < 2 || !isPlanned(K))
      return {};
    std::vector<std::optional<unsigned>> Numbers = {std::nullopt};
    const unsigned Step = divideCeil(Most, 8u);
    for (unsigned Warps = 0; Warps < Most; Warps += Step)
      Numbers.push_back(Warps);
    if (K.CachedWarps && !is_contained(Numbers, K.CachedWarps))
      Numbers.push_back(K.CachedWarps);
    Choice C;
    C.Name = "cached-warps";
    for (const auto &[I, Warps] : enumerate(Numbers)) {
      C.Values.push_back(Warps ? std::to_string(*Warps) : "all");
      if (Warps == K.CachedWarps)
        C.Planned = I;
    }
    C.Set = [Numbers](KernelPlan &Kernel, unsigned Index) {
      static_cast<BypassPlan &>(Kernel) = {};
      Kernel.CachedWarps = Numbers[Index];
      if (Kernel.CachedWarps)
        Kernel.BypassWhy = "tuned";
    };
    return {C};
  }
  TechniquePass pass() const override {
    return {"sluice-warp-bypass", PassStage::Last};
  }

private:
  /// Is the number of each kernel another, which is to be found?
  static bool isChosen(const Options &Opts) {
    return Opts.BypassByFootprint || Opts.BypassByProfile;
  }
  static void choose(PlanningContext &Context, BypassPlan Asked) {
    std::vector<BypassDecision> Decisions;
    if (Context.Opts.BypassByFootprint)
      Decisions = decideByFootprint(Context);
    else
      for (const KernelToPlan &Work : Context.Kernels)
        Decisions.push_back(decideAsPredicted(Context, Work));
    for (auto [Work, D] : zip_equal(Context.Kernels, Decisions)) {
      Asked.CachedWarps = D.CachedWarps;
      if (D.CachedWarps || Work.Facts.Off) {
        take(Asked, Work.Facts, D.Why, Work.Plan);
      } else {
        static_cast<BypassPlan &>(Work.Plan) = {};
        Work.Plan.BypassWhy = D.Why;
      }
    }
  }
};

} // namespace

const Technique &sluice::bypassTechnique() {
  static const BypassTechnique Row;
  return Row;
}
