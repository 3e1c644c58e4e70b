// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Profiles as YAML (docs/profile-format.md), and their files.
///
/// As in a plan, what has its default (0, empty) is left out, so that a file
/// shows what happened and not what did not:
///
///     sluice-profile: 1
///     gpu: sm_90
///     kernels:
///       - name: _Z7gesummvPKfS0_S0_Pf
///         accesses:
///           - at: gesummv.cu:24:12
///             kind: load
///             counts: { requests: 64, lanes: 2048, sectors: 2048, hits: 1792 }
///
/// Long because the format is one table: each struct's keys, and what is wrong
/// with what was read.

#include "sluice/Analysis/Profile.h"
#include "ProfileFields.h"
#include "sluice/Analysis/FileReplacement.h"
#include "sluice/Analysis/YAMLScalars.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;
using namespace sluice;

namespace {

struct FormatVersion {
  unsigned Number = Profile::CurrentVersion;
};

struct AccessKind {
  std::string Text;
};

/// ReuseHistogram::Count as a sequence without the zeros at its end.
struct ReuseCounts {
  decltype(ReuseHistogram::Count) Count = {};
  size_t Size = 0;
  uint64_t Excess = 0; ///< Where one too many would be read to; an error.

  const uint64_t *begin() const { return Count.data(); }
  const uint64_t *end() const { return begin() + Size; }
};

} // namespace

LLVM_YAML_IS_SEQUENCE_VECTOR(sluice::FunctionText)
LLVM_YAML_IS_SEQUENCE_VECTOR(sluice::LaunchProfile)
LLVM_YAML_IS_SEQUENCE_VECTOR(sluice::AccessCounts)
LLVM_YAML_IS_SEQUENCE_VECTOR(sluice::AccessProfile)
LLVM_YAML_IS_SEQUENCE_VECTOR(sluice::PairProfile)
LLVM_YAML_IS_SEQUENCE_VECTOR(sluice::LoopProfile)
LLVM_YAML_IS_SEQUENCE_VECTOR(sluice::TurnsPrediction)
// In the flow of TurnsPrediction a block sequence would be no YAML.
LLVM_YAML_IS_FLOW_SEQUENCE_VECTOR(sluice::CarveoutPrediction)
LLVM_YAML_IS_FLOW_SEQUENCE_VECTOR(sluice::LoadHint)
LLVM_YAML_IS_SEQUENCE_VECTOR(sluice::HintsPrediction)
LLVM_YAML_IS_SEQUENCE_VECTOR(sluice::BlocksPrediction)
LLVM_YAML_IS_SEQUENCE_VECTOR(sluice::BypassPrediction)
LLVM_YAML_IS_SEQUENCE_VECTOR(sluice::KernelProfile)

namespace llvm::yaml {

template <> struct ScalarTraits<FormatVersion> {
  static void output(const FormatVersion &V, void *, raw_ostream &OS) {
    OS << V.Number;
  }
  static StringRef input(StringRef Text, void *, FormatVersion &V) {
    static_assert(Profile::CurrentVersion == 1,
                  "the messages below name the version");
    if (Text.getAsInteger(10, V.Number) || V.Number < 1)
      return "the version of a profile is a number: 1";
    if (V.Number > Profile::CurrentVersion)
      return "the profile is of a newer version; this Sluice reads version 1";
    return "";
  }
  static QuotingType mustQuote(StringRef) { return QuotingType::None; }
};

template <> struct ScalarTraits<AccessKind> {
  static void output(const AccessKind &Kind, void *, raw_ostream &OS) {
    OS << Kind.Text;
  }
  static StringRef input(StringRef Text, void *, AccessKind &Kind) {
    Kind.Text = Text.str();
    return is_contained({"load", "store", "atomic"}, Text)
               ? ""
               : "kind is load, store or atomic";
  }
  static QuotingType mustQuote(StringRef Text) { return needsQuotes(Text); }
};

template <> struct SequenceTraits<ReuseCounts> {
  static const bool flow = true;
  static size_t size(IO &, ReuseCounts &Reuse) { return Reuse.Size; }
  static uint64_t &element(IO &YAML, ReuseCounts &Reuse, size_t Index) {
    static_assert(ReuseHistogram::Buckets == 32,
                  "the message below names the limit");
    if (Index >= Reuse.Count.size()) {
      YAML.setError("expected at most 32 counts of reuse distances");
      return Reuse.Excess;
    }
    return Reuse.Count[Index];
  }
};

template <typename T>
static void mapCount(IO &YAML, const char *Key, T &Count) {
  YAML.mapOptional(Key, Count, T(0));
}

static void mapFunctionText(IO &YAML, FunctionText &F) {
  YAML.mapOptional("file", F.File, std::string());
  mapCount(YAML, "first-line", F.FirstLine);
  mapCount(YAML, "last-line", F.LastLine);
  YAML.mapOptional("text-hash", F.TextHash, std::string());
}

template <> struct MappingTraits<FunctionText> {
  static const bool flow = true;
  static void mapping(IO &YAML, FunctionText &F) { mapFunctionText(YAML, F); }
};

template <> struct MappingTraits<LaunchProfile> {
  static void mapping(IO &YAML, LaunchProfile &Launch) {
    mapDim(YAML, "grid", Launch.Grid);
    mapDim(YAML, "block", Launch.Block);
    mapCount(YAML, "shared", Launch.DynamicSharedBytes);
    mapCount(YAML, "launches", Launch.Launches);
  }
};

template <> struct MappingTraits<AccessCounts> {
  static const bool flow = true;
  static void mapping(IO &YAML, AccessCounts &Counts) {
    for (const CountField &Field : CountFields)
      mapCount(YAML, Field.Key, Counts.*Field.Count);
  }
  static std::string validate(IO &YAML, AccessCounts &Counts) {
    if (YAML.outputting())
      return "";
    if (Counts.Hits > Counts.Sectors ||
        Counts.PendingHits > Counts.Sectors - Counts.Hits)
      return "more sectors hit, or were on their way, than were asked for";
    if (Counts.DRAMSectors > Counts.misses())
      return "more sectors came from DRAM than missed";
    return "";
  }
};

template <> struct MappingTraits<ReuseHistogram> {
  static const bool flow = true;
  static void mapping(IO &YAML, ReuseHistogram &Reuse) {
    mapCount(YAML, "never", Reuse.Never);
    ReuseCounts Counts{Reuse.Count};
    Counts.Size = Reuse.Count.size();
    while (Counts.Size != 0 && Reuse.Count[Counts.Size - 1] == 0)
      --Counts.Size;
    YAML.mapOptional("counts", Counts);
    Reuse.Count = Counts.Count;
  }
};

/// A mapping of counts, left out where all are 0.
template <typename T>
static void mapCounts(IO &YAML, const char *Key, T &Counts, bool AllZero) {
  if (!YAML.outputting() || !AllZero)
    YAML.mapOptional(Key, Counts);
}

static bool isZero(const AccessCounts &C) {
  return all_of(CountFields,
                [&](const CountField &Field) { return C.*Field.Count == 0; });
}

static bool isZero(const PredictedTime &T) {
  return all_of(TimeFields,
                [&](const TimeField &Field) { return T.*Field.Count == 0; });
}

static bool isZero(const ReuseHistogram &Reuse) {
  return Reuse.Never == 0 && all_of(Reuse.Count, [](uint64_t N) { return !N; });
}

template <> struct MappingTraits<AccessProfile> {
  static void mapping(IO &YAML, AccessProfile &Access) {
    mapCodeId(YAML, "at", Access.Id);
    mapRequiredAs<AccessKind>(YAML, "kind", Access.Kind);
    mapCount(YAML, "bytes", Access.Bytes);
    mapCounts(YAML, "counts", Access.Counts, isZero(Access.Counts));
    mapCounts(YAML, "reuse", Access.Reuse, isZero(Access.Reuse));
    mapCount(YAML, "sectors-alone", Access.SectorsAlone);
    mapCount(YAML, "hits-alone", Access.HitsAlone);
    YAML.mapOptional("copies", Access.Copies);
  }
  static std::string validate(IO &YAML, AccessProfile &Access) {
    if (!YAML.outputting() && Access.HitsAlone > Access.SectorsAlone)
      return "more sectors hit alone than were asked for alone";
    return "";
  }
};

template <> struct MappingTraits<PredictedTime> {
  static const bool flow = true;
  static void mapping(IO &YAML, PredictedTime &Time) {
    for (const TimeField &Field : TimeFields)
      mapCount(YAML, Field.Key, Time.*Field.Count);
  }
};

template <> struct MappingTraits<PairProfile> {
  static const bool flow = true;
  static void mapping(IO &YAML, PairProfile &Pair) {
    YAML.mapRequired("first", Pair.First);
    YAML.mapRequired("second", Pair.Second);
    mapCount(YAML, "hits", Pair.Hits);
  }
};

template <> struct MappingTraits<CarveoutPrediction> {
  static const bool flow = true;
  static void mapping(IO &YAML, CarveoutPrediction &Carveout) {
    YAML.mapOptional("percent", Carveout.Percent);
    YAML.mapRequired("nanoseconds", Carveout.Nanoseconds);
  }
};

template <> struct MappingTraits<LoadHint> {
  static const bool flow = true;
  static void mapping(IO &YAML, LoadHint &Load) {
    YAML.mapRequired("access", Load.Access);
    mapRequiredAs<HintText>(YAML, "hint", Load.Hint);
  }
};

template <> struct MappingTraits<HintsPrediction> {
  static const bool flow = true;
  static void mapping(IO &YAML, HintsPrediction &Hints) {
    YAML.mapOptional("loads", Hints.Loads);
    YAML.mapRequired("nanoseconds", Hints.Nanoseconds);
  }
};

template <> struct MappingTraits<TurnsPrediction> {
  static const bool flow = true;
  static void mapping(IO &YAML, TurnsPrediction &Turns) {
    YAML.mapRequired("warp-groups", Turns.WarpGroups);
    YAML.mapRequired("nanoseconds", Turns.Nanoseconds);
    YAML.mapOptional("carveouts", Turns.Carveouts);
  }
};

template <> struct MappingTraits<BlocksPrediction> {
  static const bool flow = true;
  static void mapping(IO &YAML, BlocksPrediction &Blocks) {
    YAML.mapRequired("resident-blocks", Blocks.Blocks);
    YAML.mapRequired("nanoseconds", Blocks.Nanoseconds);
  }
};

template <> struct MappingTraits<BypassPrediction> {
  static const bool flow = true;
  static void mapping(IO &YAML, BypassPrediction &Bypass) {
    YAML.mapRequired("warps", Bypass.CachedWarps);
    YAML.mapRequired("nanoseconds", Bypass.Nanoseconds);
  }
};

template <> struct MappingTraits<StagedPrediction> {
  static const bool flow = true;
  static void mapping(IO &YAML, StagedPrediction &Staged) {
    YAML.mapRequired("nanoseconds", Staged.Nanoseconds);
    YAML.mapRequired("without", Staged.Without);
  }
};

template <> struct MappingTraits<LoopProfile> {
  static void mapping(IO &YAML, LoopProfile &Loop) {
    mapCodeId(YAML, "loop", Loop.Id);
    mapCount(YAML, "entries", Loop.Entries);
    mapCount(YAML, "iterations", Loop.Iterations);
    mapCount(YAML, "iteration-lines", Loop.IterationLines);
    mapCount(YAML, "most-iteration-lines", Loop.MostIterationLines);
    YAML.mapOptional("turns", Loop.Turns);
    YAML.mapOptional("staged", Loop.Staged);
  }
};

template <> struct MappingTraits<KernelProfile> {
  static void mapping(IO &YAML, KernelProfile &Kernel) {
    mapRequiredAs<RequiredName>(YAML, "name", Kernel.Name);
    mapFunctionText(YAML, Kernel);
    YAML.mapOptional("inlined", Kernel.Inlined);
    mapCount(YAML, "registers", Kernel.Registers);
    mapCount(YAML, "l1-bytes", Kernel.L1Bytes);
    mapCount(YAML, "simulated-blocks", Kernel.SimulatedBlocks);
    mapCount(YAML, "blocks", Kernel.Blocks);
    YAML.mapOptional("launches", Kernel.Launches);
    mapCounts(YAML, "time", Kernel.Time, isZero(Kernel.Time));
    YAML.mapOptional("fewer-blocks", Kernel.FewerBlocks);
    YAML.mapOptional("carveouts", Kernel.Carveouts);
    YAML.mapOptional("cached-warps", Kernel.CachedWarps);
    YAML.mapOptional("hints", Kernel.Hints);
    YAML.mapOptional("accesses", Kernel.Accesses);
    YAML.mapOptional("pairs", Kernel.Pairs);
    YAML.mapOptional("loops", Kernel.Loops);
  }

  /// Of two entries for one thing, one would be ignored in silence.
  static std::string validate(IO &YAML, KernelProfile &Kernel) {
    if (YAML.outputting())
      return "";
    auto Wrong = [&](const Twine &What) {
      return ("kernel '" + Kernel.Name + "' has " + What).str();
    };
    for (auto A = Kernel.Accesses.begin(); A != Kernel.Accesses.end(); ++A)
      for (auto B = Kernel.Accesses.begin(); B != A; ++B)
        if (A->Id == B->Id && A->Kind == B->Kind)
          return Wrong(A->Kind + " " + A->Id.str() + " twice");
    for (auto A = Kernel.Loops.begin(); A != Kernel.Loops.end(); ++A)
      for (auto B = Kernel.Loops.begin(); B != A; ++B)
        if (A->Id == B->Id)
          return Wrong("loop " + A->Id.str() + " twice");
    auto AreCarveouts = [](ArrayRef<CarveoutPrediction> All) {
      for (size_t I = 0; I < All.size(); ++I)
        if (All[I].Percent.has_value() != (I > 0) ||
            (I > 0 && *All[I].Percent > 100) ||
            (I > 1 && *All[I].Percent <= *All[I - 1].Percent))
          return false;
      return true;
    };
    constexpr char WrongCarveouts[] =
        "carveouts that are not one without percent and then some that ascend "
        "up to 100";
    for (const LoopProfile &Loop : Kernel.Loops)
      for (size_t I = 0; I < Loop.Turns.size(); ++I) {
        if (Loop.Turns[I].WarpGroups <= (I ? Loop.Turns[I - 1].WarpGroups : 0))
          return Wrong("loop " + Loop.Id.str() +
                       " with warp-groups that do not ascend from 1");
        if (!AreCarveouts(Loop.Turns[I].Carveouts))
          return Wrong("loop " + Loop.Id.str() + " with " + WrongCarveouts);
      }
    if (!AreCarveouts(Kernel.Carveouts))
      return Wrong(WrongCarveouts);
    const auto &Fewer = Kernel.FewerBlocks;
    for (size_t I = 0; I < Fewer.size(); ++I)
      if (Fewer[I].Blocks <= (I ? Fewer[I - 1].Blocks : 0))
        return Wrong("resident-blocks that do not ascend from 1");
    if (!Fewer.empty() && Fewer.back().Blocks != BlocksPrediction::All)
      return Wrong("fewer-blocks without an entry for all, " +
                   Twine(BlocksPrediction::All));
    const auto &Cached = Kernel.CachedWarps;
    for (size_t I = 1; I < Cached.size(); ++I)
      if (Cached[I].CachedWarps <= Cached[I - 1].CachedWarps)
        return Wrong("cached-warps that do not ascend");
    if (!Cached.empty() && Cached.back().CachedWarps != BypassPrediction::All)
      return Wrong("cached-warps without an entry for all, " +
                   Twine(BypassPrediction::All));
    for (const auto &[Number, Hints] : enumerate(Kernel.Hints)) {
      if (Hints.Loads.empty() != (Number == 0))
        return Wrong("hints of which not the first, and only that, is without "
                     "loads");
      for (size_t I = 0; I < Hints.Loads.size(); ++I) {
        const unsigned Access = Hints.Loads[I].Access;
        if (Access >= Kernel.Accesses.size() ||
            Kernel.Accesses[Access].Kind != "load")
          return Wrong("a hint on access " + Twine(Access) +
                       ", which is no load of its accesses, counted from 0");
        if (I > 0 && Access <= Hints.Loads[I - 1].Access)
          return Wrong("hints whose accesses do not ascend");
      }
    }
    for (auto A = Kernel.Pairs.begin(); A != Kernel.Pairs.end(); ++A) {
      std::string Pair =
          "pair " + std::to_string(A->First) + ", " + std::to_string(A->Second);
      if (A->First >= A->Second)
        return Wrong(Pair + ": the first must be less than the second");
      if (A->Second >= Kernel.Accesses.size())
        return Wrong(Pair + " and " + Twine(Kernel.Accesses.size()) +
                     " accesses, counted from 0");
    }
    return "";
  }
};

template <> struct MappingTraits<Profile> {
  static void mapping(IO &YAML, Profile &P) {
    FormatVersion Version;
    YAML.mapRequired("sluice-profile", Version);
    YAML.mapOptional("source", P.Source, std::string());
    mapRequiredAs<RequiredName>(YAML, "gpu", P.GPU);
    YAML.mapOptional("origin", P.Origin, std::string());
    YAML.mapOptional("runs", P.Runs, uint64_t(1));
    YAML.mapOptional("kernels", P.Kernels);
  }
  static std::string validate(IO &YAML, Profile &P) {
    if (YAML.outputting())
      return "";
    if (P.Runs == 0)
      return "a profile is of at least one run";
    for (auto Kernel = P.Kernels.begin(); Kernel != P.Kernels.end(); ++Kernel)
      if (P.kernel(Kernel->Name) != &*Kernel)
        return "kernel '" + Kernel->Name + "' is in the profile twice";
    return "";
  }
};

} // namespace llvm::yaml

namespace sluice {

BindingUnit UnitCycles::boundBy() const {
  const std::pair<uint64_t, BindingUnit> Units[] = {
      {IssueCycles, BindingUnit::Issue},
      {TagCycles, BindingUnit::TagStage},
      {L2Cycles, BindingUnit::L2},
      {DRAMCycles, BindingUnit::DRAM}};
  const auto &[Busy, Unit] = *llvm::max_element(Units, llvm::less_first());
  return Busy > Cycles / 2 ? Unit : BindingUnit::Latency;
}

llvm::StringRef nameOfUnit(BindingUnit Unit) {
  switch (Unit) {
  case BindingUnit::Latency:
    return "latency";
  case BindingUnit::Issue:
    return "issue";
  case BindingUnit::TagStage:
    return "tag stage";
  case BindingUnit::L2:
    return "L2";
  case BindingUnit::DRAM:
    return "DRAM";
  }
  llvm_unreachable("all are above");
}

bool changesAnything(const BlocksPrediction &B,
                     llvm::ArrayRef<BlocksPrediction> Of) {
  return B.Blocks == BlocksPrediction::All ||
         B.Nanoseconds != Of.back().Nanoseconds;
}

bool changesAnything(llvm::ArrayRef<CarveoutPrediction> Carveouts) {
  return any_of(Carveouts, [&](const CarveoutPrediction &C) {
    const auto Plain = double(Carveouts.front().Nanoseconds);
    return std::abs(double(C.Nanoseconds) - Plain) >= 0.03 * Plain &&
           C.Nanoseconds != Carveouts.front().Nanoseconds;
  });
}

const KernelProfile *Profile::kernel(StringRef Name) const {
  auto Found =
      find_if(Kernels, [&](const KernelProfile &K) { return K.Name == Name; });
  return Found == Kernels.end() ? nullptr : &*Found;
}

void writeProfile(const Profile &P, raw_ostream &OS) {
  Profile Document = P; // yaml::Output takes no const
  yaml::Output YAML(OS, /*Ctxt=*/nullptr, /*WrapColumn=*/0);
  YAML << Document;
}

Expected<Profile> parseProfile(StringRef Text, StringRef Name) {
  FirstYAMLError First{Name, {}};
  yaml::Input YAML(Text, /*Ctxt=*/nullptr, FirstYAMLError::handle, &First);
  Profile P;
  bool Any = YAML.setCurrentDocument();
  yaml::EmptyContext Context;
  if (Any)
    yaml::yamlize(YAML, P, /*Required=*/true, Context);
  if (Any && First.Text.empty() && YAML.nextDocument() &&
      YAML.setCurrentDocument())
    static_cast<yaml::IO &>(YAML).setError(
        "a second profile: a file has one; `sluice profile merge` "
        "makes one of several");

  if (First.Text.empty() && (YAML.error() || !Any))
    First.set(1, 1,
              "no profile here: a profile begins with "
              "'sluice-profile: 1'");
  if (!First.Text.empty())
    return createStringError(First.Text);
  return P;
}

static Error cannot(StringRef Verb, StringRef Path, const Twine &Why) {
  return createStringError("cannot " + Verb + " profile '" + Path +
                           "': " + Why);
}

Expected<Profile> readProfileFile(StringRef Path) {
  auto Buffer = MemoryBuffer::getFileOrSTDIN(Path, /*IsText=*/true);
  if (!Buffer)
    return cannot("read", Path, Buffer.getError().message());
  return parseProfile((*Buffer)->getBuffer(), Path == "-" ? "<stdin>" : Path);
}

Error writeProfileFile(StringRef Path, const Profile &P) {
  std::string Text;
  raw_string_ostream OS(Text);
  writeProfile(P, OS);
  if (Error E = writeWholeFile(Path, Text))
    return cannot("write", Path, toString(std::move(E)));
  return Error::success();
}

} // namespace sluice
