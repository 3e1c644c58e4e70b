// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The software L1 (S-L1): what a thread reads of rows of its own is kept in
// shared memory or in registers, a chunk at a time, in place of an L1 that many
// threads' rows do not fit. Its planner is StagingPlanner.cpp.

#include "Unplanned.h"
#include "sluice/Analysis/YAMLScalars.h"
#include "sluice/Plan/LinePlanner.h"
#include "sluice/Plan/PlanningContext.h"
#include "sluice/Plan/StagingPlanner.h"
#include "sluice/Plan/Technique.h"
#include "sluice/Target/CriticalPoints.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace sluice;

static constexpr OptionSpec Specs[] = {
    {"software-l1", "auto|off|registers|staged|shared", "auto",
     "auto, off, registers, staged, or shared",
     "keep rows that threads read, each its own, in shared memory or in "
     "registers; registers, staged: all that can be that way, also where "
     "nothing says that it pays; shared: lines of whatever threads access",
     [](StringRef Value, Options &Result) {
       Result.SoftwareL1 = Value != "off";
       Result.StageAll = Value == "staged";
       Result.WidenAll = Value == "registers";
       Result.CacheAll = Value == "shared";
       return check(Value == "auto" || Value == "off" || Result.StageAll ||
                    Result.WidenAll || Result.CacheAll);
     }},
    autoOrOff<&Options::ShortRows>(
        "short-rows",
        "launches whose parameters say that rows are short take a second "
        "kernel, which does not stage or widen them; with software-l1=auto"),
    {"test-chunk", "BYTES", "a line's", "a multiple of 16 from 16 to 1024",
     "stage so many bytes of a row at a time",
     [](StringRef Value, Options &Result) {
       uint64_t Bytes;
       if (!parseNumber(Value, 16, 1024, Bytes) || Bytes % 16 != 0)
         return ParseResult::Bad;
       Result.ChunkBytes = unsigned(Bytes);
       return ParseResult::OK;
     },
     /*Repeatable=*/false, /*Hidden=*/true},
    {"test-count", "ACCESSES", "300", "a number from 0 to 65535",
     "choose what to keep lines of after so many accesses of a thread; 0: "
     "without counting",
     [](StringRef Value, Options &Result) {
       uint64_t Accesses;
       if (!parseNumber(Value, 0, 65535, Accesses))
         return ParseResult::Bad;
       Result.CountedAccesses = unsigned(Accesses);
       return ParseResult::OK;
     },
     /*Repeatable=*/false, /*Hidden=*/true},
};

static constexpr PlantedFault Planted[] = {
    {"stale-chunk",
     [](Options &Opts) { Opts.Wrong = WrongRewrite::StaleChunk; }},
    {"short-row", [](Options &Opts) { Opts.Wrong = WrongRewrite::ShortRow; }},
    {"absent-lane",
     [](Options &Opts) { Opts.Wrong = WrongRewrite::AbsentLane; }},
    {"torn-row", [](Options &Opts) { Opts.Wrong = WrongRewrite::TornRow; }},
    {"untested-row",
     [](Options &Opts) { Opts.Wrong = WrongRewrite::UntestedRow; }},
    {"early-read", [](Options &Opts) { Opts.Wrong = WrongRewrite::EarlyRead; }},
    {"wide-misaligned",
     [](Options &Opts) { Opts.Wrong = WrongRewrite::WideMisaligned; }},
    {"stale-line", [](Options &Opts) { Opts.Wrong = WrongRewrite::StaleLine; }},
    {"aliased-line",
     [](Options &Opts) { Opts.Wrong = WrongRewrite::AliasedLine; }},
    {"lost-line", [](Options &Opts) { Opts.Wrong = WrongRewrite::LostLine; }},
};

LLVM_YAML_IS_SEQUENCE_VECTOR(sluice::StagedStream)

namespace llvm::yaml {

template <> struct MappingTraits<StagedStream> {
  static void mapping(IO &YAML, StagedStream &S) {
    mapCodeId(YAML, "at", S.Id);
  }
};

} // namespace llvm::yaml

/// What is done with the loop's data; empty: nothing.
static StringRef howOf(const LoopPlan &L) {
  return !L.Staged.empty()    ? "staged"
         : !L.Widened.empty() ? "widened"
         : !L.Lines.empty()   ? "lines"
                              : "";
}

static std::string faultInLines(const LoopPlan &L) {
  if (!L.Staged.empty() || !L.Widened.empty())
    return "a loop has lines, or its rows are staged or widened";
  if (L.LinesPerThread < 1 || L.LinesPerThread > 64)
    return "lines-per-thread must be a number from 1 to 64";
  if (L.LineThreads < 32 || L.LineThreads > 1024 || L.LineThreads % 32 != 0)
    return "line-threads must be a multiple of 32 from 32 to 1024";
  return entryThatIsTwice(L.Lines, "structure");
}

/// Of kernels that will get a limit, which must not be below what they take.
static void findOwnRegisters(PlanningContext &Context) {
  std::vector<size_t> Changed;
  for (auto [Number, Work] : enumerate(Context.Kernels))
    if (!Work.Facts.MaxThreadsPerBlock && !Work.Facts.MaxRegisters &&
        any_of(Work.Plan.Loops,
               [](const LoopPlan &L) { return !howOf(L).empty(); }))
      Changed.push_back(Number);
  if (Changed.empty() || !Context.OwnRegisters)
    return;
  for (auto [Work, Own] :
       zip_equal(Context.Kernels, Context.OwnRegisters(Changed)))
    if (Own && Own->Count > mostRegisters(Context.GPU, MostThreadsPerBlock,
                                          /*Blocks=*/1))
      Work.Plan.OwnRegisters = Own->Count;
}

/// Of which the warps of a block run one or the other, and share no buffers.
static bool hasTwoVersions(const KernelPlan &Kernel) {
  const unsigned Warps = Kernel.SfuWarps.value_or(0);
  return Warps == SfuWarpsOfSymbol || (Warps && Warps < MaxWarpsPerBlock);
}

namespace {

class SoftwareL1Technique final : public Technique {
public:
  StringLiteral name() const override { return "software-l1"; }
  unsigned changes() const override { return Kernel; }

  ArrayRef<OptionSpec> options() const override { return Specs; }
  /// Also with a plan: off is off.
  bool isOn(const Options &Opts) const override { return Opts.SoftwareL1; }
  void switchOff(Options &Opts) const override { Opts.SoftwareL1 = false; }
  ArrayRef<PlantedFault> faults() const override { return Planted; }

  unsigned newestVersion() const override { return 12; }
  unsigned versionOf(const KernelPlan &K) const override {
    if (K.OwnRegisters)
      return 12;
    unsigned Version = 1;
    for (const LoopPlan &L : K.Loops)
      if (L.ThroughL1 || !L.Lines.empty() || !L.LinesWhy.empty())
        return 11;
      else if (!L.Widened.empty() || !L.WidenedWhy.empty() || L.StagedFrom)
        Version = 9;
      else if (!L.Staged.empty() || !L.StagedWhy.empty())
        Version = std::max(Version, 8U);
    return Version;
  }
  void mapKernel(yaml::IO &YAML, KernelPlan &K) const override {
    YAML.mapOptional("own-registers", K.OwnRegisters, 0U);
  }
  void mapLoop(yaml::IO &YAML, LoopPlan &L) const override {
    YAML.mapOptional("staged", L.Staged);
    YAML.mapOptional("chunk-bytes", L.ChunkBytes, 0U);
    YAML.mapOptional("staged-warps", L.StagedWarps, 0U);
    YAML.mapOptional("staged-from", L.StagedFrom, uint64_t(0));
    YAML.mapOptional("through-l1", L.ThroughL1, false);
    YAML.mapOptional("staged-why", L.StagedWhy, std::string());
    YAML.mapOptional("widened", L.Widened);
    YAML.mapOptional("widened-why", L.WidenedWhy, std::string());
    YAML.mapOptional("lines", L.Lines);
    YAML.mapOptional("lines-per-thread", L.LinesPerThread, 0U);
    YAML.mapOptional("line-threads", L.LineThreads, 0U);
    YAML.mapOptional("lines-monitored", L.LinesMonitored, false);
    YAML.mapOptional("lines-why", L.LinesWhy, std::string());
  }
  std::string faultInKernel(const KernelPlan &K) const override {
    return K.OwnRegisters > 255
               ? "own-registers of " + std::to_string(K.OwnRegisters)
               : "";
  }
  std::string faultInLoop(const LoopPlan &L) const override {
    if (!L.Lines.empty())
      return faultInLines(L);
    if (L.Staged.empty())
      return entryThatIsTwice(L.Widened, "stream");
    if (!L.Widened.empty())
      return "a loop's rows are staged or widened, not both";
    if (L.ChunkBytes < 16 || L.ChunkBytes > 1024 || L.ChunkBytes % 16 != 0)
      return "chunk-bytes must be a multiple of 16 from 16 to 1024";
    if (L.StagedWarps < 1 || L.StagedWarps > MaxWarpsPerBlock)
      return "staged-warps must be a number from 1 to 32";
    return entryThatIsTwice(L.Staged, "stream");
  }
  void takeGiven(const KernelPlan *Given, const KernelFacts &Facts,
                 KernelPlan &Ours) const override {
    forget(Ours);
    if (Facts.Off)
      return; // the source has the last word
    Ours.OwnRegisters = Given ? Given->OwnRegisters : 0;
    for (LoopPlan &Loop : Ours.Loops)
      if (const LoopPlan *L = findLoop(Given, Loop.Id)) {
        static constexpr char Why[] = "the given plan says so";
        if (!L->Staged.empty() || !L->Widened.empty()) {
          static_cast<StagingPlan &>(Loop) = *L;
          (L->Staged.empty() ? Loop.WidenedWhy : Loop.StagedWhy) = Why;
        } else if (!L->Lines.empty()) {
          static_cast<LinesPlan &>(Loop) = *L;
          Loop.LinesWhy = Why;
        }
      }
  }
  void forget(KernelPlan &K) const override {
    static_cast<KeptRowsPlan &>(K) = {};
    for (LoopPlan &L : K.Loops) {
      static_cast<StagingPlan &>(L) = {};
      static_cast<LinesPlan &>(L) = {};
    }
  }

  void plan(PlanningContext &Context) const override {
    const Options &Opts = Context.Opts;
    // Who asks for turns or M is not to get something in place of them.
    const bool IsForced = Opts.ForcedWarpGroups || Opts.ForcedResidentBlocks;
    if (!isOn(Opts) || !Opts.PlanFile.empty())
      return;
    for (KernelToPlan &Work : Context.Kernels)
      if (hasTwoVersions(Work.Plan))
        continue;
      else if (Opts.CacheAll)
        planLines(Work.Facts, Context.GPU, Opts, Work.Plan);
      else if (!IsForced || Opts.WidenAll)
        planStaging(Work.Facts, Context.GPU, Opts, Work.Plan);
    findOwnRegisters(Context);
  }
  bool isOffUntuned() const override { return true; }
  /// For each loop that the plan stages or widens, or gives lines.
  std::vector<Choice> knobs(const KernelPlan &K,
                            const GPUModel &) const override {
    std::vector<Choice> Result;
    for (size_t L = 0; L < K.Loops.size(); ++L) {
      const StringRef How = howOf(K.Loops[L]);
      if (How.empty())
        continue;
      Choice C;
      C.Name = (How + " " + K.Loops[L].Id.str()).str();
      C.Values = {"off", "on"};
      C.Planned = 1;
      C.Set = [L, Planned = StagingPlan(K.Loops[L]),
               Lines = LinesPlan(K.Loops[L])](KernelPlan &Kernel,
                                              unsigned Index) {
        static_cast<StagingPlan &>(Kernel.Loops[L]) =
            Index ? Planned : StagingPlan();
        static_cast<LinesPlan &>(Kernel.Loops[L]) = Index ? Lines : LinesPlan();
      };
      Result.push_back(std::move(C));
    }
    return Result;
  }
  TechniquePass pass() const override {
    return {"sluice-software-l1", PassStage::BeforeUnrolling};
  }
};

} // namespace

const Technique &sluice::softwareL1Technique() {
  static const SoftwareL1Technique Row;
  return Row;
}
