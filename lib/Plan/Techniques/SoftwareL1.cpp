// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The software L1 (S-L1): what a thread reads of rows of its own is kept in
// shared memory or in registers, a chunk at a time, in place of an L1 that many
// threads' rows do not fit. Its planner is StagingPlanner.cpp.

#include "sluice/Analysis/YAMLScalars.h"
#include "sluice/Plan/StagingPlanner.h"
#include "sluice/Plan/Technique.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace sluice;

static constexpr OptionSpec Specs[] = {
    {"software-l1", "auto|off|registers|staged", "auto",
     "auto, off, registers, or staged",
     "keep rows that threads read, each its own, in shared memory or in "
     "registers; registers, staged: all that can be that way, also where "
     "nothing says that it pays",
     [](StringRef Value, Options &Result) {
       Result.SoftwareL1 = Value != "off";
       Result.StageAll = Value == "staged";
       Result.WidenAll = Value == "registers";
       return check(Value == "auto" || Value == "off" || Result.StageAll ||
                    Result.WidenAll);
     }},
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
};

LLVM_YAML_IS_SEQUENCE_VECTOR(sluice::StagedStream)

namespace llvm::yaml {

template <> struct MappingTraits<StagedStream> {
  static void mapping(IO &YAML, StagedStream &S) {
    mapCodeId(YAML, "at", S.Id);
  }
};

} // namespace llvm::yaml

namespace {

class SoftwareL1Technique final : public Technique {
public:
  StringLiteral name() const override { return "software-l1"; }
  StringLiteral title() const override { return "the software L1"; }
  unsigned changes() const override { return Kernel; }

  ArrayRef<OptionSpec> options() const override { return Specs; }
  /// Also with a plan: off is off.
  bool isOn(const Options &Opts) const override { return Opts.SoftwareL1; }
  void switchOff(Options &Opts) const override { Opts.SoftwareL1 = false; }
  ArrayRef<PlantedFault> faults() const override { return Planted; }

  unsigned newestVersion() const override { return 11; }
  unsigned versionOf(const KernelPlan &K) const override {
    unsigned Version = 1;
    for (const LoopPlan &L : K.Loops)
      if (L.ThroughL1)
        return 11;
      else if (!L.Widened.empty() || !L.WidenedWhy.empty() || L.StagedFrom)
        Version = 9;
      else if (!L.Staged.empty() || !L.StagedWhy.empty())
        Version = std::max(Version, 8U);
    return Version;
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
  }
  std::string faultInLoop(const LoopPlan &L) const override {
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
    for (LoopPlan &Loop : Ours.Loops)
      if (const LoopPlan *L = findLoop(Given, Loop.Id);
          L && (!L->Staged.empty() || !L->Widened.empty())) {
        static_cast<StagingPlan &>(Loop) = *L;
        (L->Staged.empty() ? Loop.WidenedWhy : Loop.StagedWhy) =
            "the given plan says so";
      }
  }
  void forget(KernelPlan &K) const override {
    for (LoopPlan &L : K.Loops)
      static_cast<StagingPlan &>(L) = {};
  }

  void plan(PlanningContext &Context) const override {
    const Options &Opts = Context.Opts;
    // Who asks for turns or M is not to get something in place of them.
    const bool IsForced = Opts.ForcedWarpGroups || Opts.ForcedResidentBlocks;
    if (isOn(Opts) && Opts.PlanFile.empty() && (!IsForced || Opts.WidenAll))
      for (KernelToPlan &Work : Context.Kernels)
        planStaging(Work.Facts, Context.GPU, Opts, Work.Plan);
  }
  bool isOffUntuned() const override { return true; }
  /// For each loop that the plan stages or widens.
  std::vector<Choice> knobs(const KernelPlan &K,
                            const GPUModel &) const override {
    std::vector<Choice> Result;
    for (size_t L = 0; L < K.Loops.size(); ++L) {
      const bool IsStaged = !K.Loops[L].Staged.empty();
      if (!IsStaged && K.Loops[L].Widened.empty())
        continue;
      Choice C;
      C.Name = (IsStaged ? "staged " : "widened ") + K.Loops[L].Id.str();
      C.Values = {"off", "on"};
      C.Planned = 1;
      C.Set = [L, Planned = StagingPlan(K.Loops[L])](KernelPlan &Kernel,
                                                     unsigned Index) {
        static_cast<StagingPlan &>(Kernel.Loops[L]) =
            Index ? Planned : StagingPlan();
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
