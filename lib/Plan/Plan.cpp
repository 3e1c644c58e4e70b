// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Plans as YAML (docs/plan-format.md), and files of plans.
///
/// What a planner knows is written in full; a value that is its default (0,
/// empty, unknown place) is left out. So a plan written by hand needs only the
/// names, the places and the throttling factors:
///
///     sluice-plan: 1
///     gpu: sm_90
///     kernels:
///       - name: _Z7gesummvPKfS0_S0_Pf
///         loops:
///           - loop: gesummv.cu:23:5
///             throttle: 4

#include "sluice/Plan/Plan.h"
#include "sluice/Analysis/FileReplacement.h"
#include "sluice/Analysis/YAMLScalars.h"
#include "sluice/Plan/LaunchTable.h"
#include "sluice/Target/BlockClaim.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"
#include <chrono>
#include <cmath>
#include <mutex>
#include <system_error>

using namespace llvm;
using namespace sluice;

namespace {

/// The version of the format that this file reads, with all before it.
constexpr unsigned PlanVersion = 6;
/// A thread block has at most 1024 threads, that is 32 warps to take turns.
constexpr unsigned MaxWarpGroups = 32;

struct FormatVersion {
  unsigned Number = PlanVersion;
};

/// The first version that has all keys of \p P, which older readers read too.
unsigned versionOf(const Plan &P) {
  auto SaysOfSums = [](const LoopPlan &L) { return L.Promote.has_value(); };
  if (any_of(P.Kernels,
             [&](const KernelPlan &K) { return any_of(K.Loops, SaysOfSums); }))
    return 6;
  if (any_of(P.Kernels,
             [](const KernelPlan &K) { return !K.CarveoutWhy.empty(); }))
    return 5;
  if (any_of(P.Kernels, [](const KernelPlan &K) { return !K.Loads.empty(); }))
    return 4;
  auto IsTested = [](const LoopPlan &L) {
    return L.WarpGroups > 1 && !L.OnlyIf.empty();
  };
  if (any_of(P.Kernels,
             [&](const KernelPlan &K) { return any_of(K.Loops, IsTested); }))
    return 3;
  auto IsFromProfile = [](const LaunchPlan &L) { return L.FromProfile; };
  auto HasNewKeys = [](const LoopPlan &L) {
    return L.UnthrottledNanoseconds != 0 || !L.ByLaunch.empty() ||
           any_of(L.Accesses, [](const AccessPlan &A) {
             return A.MeasuredLinesPerWarp.has_value();
           });
  };
  return any_of(P.Kernels,
                [&](const KernelPlan &K) {
                  return K.ResidentBlocks || K.ClaimedSharedBytes != 0 ||
                         !K.BlocksWhy.empty() || K.StaticSharedBytes != 0 ||
                         any_of(K.Launches, IsFromProfile) ||
                         any_of(K.Loops, HasNewKeys);
                })
             ? 2
             : 1;
}

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

/// A number from 0 to 100.
struct Percentage {
  unsigned Value;
};

/// A number from 1 to 32, what an SM holds at most.
struct BlockCount {
  unsigned Value;
};

/// Cache lines in the mean.
struct MeanLines {
  double Value = 0;
};

/// Bytes, or '?'.
struct StrideBytes {
  MaybeStride Value;
};

/// What a block can have without the program's opting in.
struct ClaimedBytes {
  uint64_t Value = 0;
  friend bool operator==(const ClaimedBytes &A, const ClaimedBytes &B) {
    return A.Value == B.Value;
  }
};

} // namespace

LLVM_YAML_IS_SEQUENCE_VECTOR(sluice::AccessPlan)
LLVM_YAML_IS_SEQUENCE_VECTOR(sluice::ArgumentMinimum)
LLVM_YAML_IS_SEQUENCE_VECTOR(sluice::LaunchRow)
LLVM_YAML_IS_SEQUENCE_VECTOR(sluice::LoadPlan)
LLVM_YAML_IS_SEQUENCE_VECTOR(sluice::LoopPlan)
LLVM_YAML_IS_SEQUENCE_VECTOR(sluice::LaunchPlan)
LLVM_YAML_IS_SEQUENCE_VECTOR(sluice::KernelPlan)
LLVM_YAML_IS_DOCUMENT_LIST_VECTOR(sluice::Plan)

namespace llvm::yaml {

template <> struct ScalarTraits<FormatVersion> {
  static void output(const FormatVersion &V, void *, raw_ostream &OS) {
    OS << V.Number;
  }
  static StringRef input(StringRef Text, void *, FormatVersion &V) {
    static_assert(PlanVersion == 6, "the message below names the versions");
    if (Text.getAsInteger(10, V.Number) || V.Number == 0 ||
        V.Number > PlanVersion)
      return "this Sluice reads plans of versions 1 to 6 only";
    return "";
  }
  static QuotingType mustQuote(StringRef) { return QuotingType::None; }
};

template <> struct ScalarTraits<ThrottlingFactor> {
  static void output(const ThrottlingFactor &N, void *, raw_ostream &OS) {
    if (N.ByLaunch)
      OS << "by-launch";
    else
      OS << N.Groups;
  }
  static StringRef input(StringRef Text, void *, ThrottlingFactor &N) {
    static_assert(MaxWarpGroups == 32, "the message below names the limit");
    N.ByLaunch = Text == "by-launch";
    if (!N.ByLaunch && (Text.getAsInteger(10, N.Groups) || N.Groups < 1 ||
                        N.Groups > MaxWarpGroups))
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
    static_assert(MaxWarpGroups == 32, "the message below names the limit");
    if (Text.getAsInteger(10, N.Groups) || !isPowerOf2_32(N.Groups) ||
        N.Groups > MaxWarpGroups)
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

template <> struct ScalarTraits<Percentage> {
  static void output(const Percentage &P, void *, raw_ostream &OS) {
    OS << P.Value;
  }
  static StringRef input(StringRef Text, void *, Percentage &P) {
    if (Text.getAsInteger(10, P.Value) || P.Value > 100)
      return "carveout is a percentage from 0 to 100";
    return "";
  }
  static QuotingType mustQuote(StringRef) { return QuotingType::None; }
};

template <> struct ScalarTraits<BlockCount> {
  static void output(const BlockCount &M, void *, raw_ostream &OS) {
    OS << M.Value;
  }
  static StringRef input(StringRef Text, void *, BlockCount &M) {
    if (Text.getAsInteger(10, M.Value) || M.Value < 1 || M.Value > 32)
      return "resident-blocks must be a number from 1 to 32";
    return "";
  }
  static QuotingType mustQuote(StringRef) { return QuotingType::None; }
};

// The next two are in quotes because they were strings once.
template <> struct ScalarTraits<MeanLines> {
  static void output(const MeanLines &L, void *, raw_ostream &OS) {
    OS << formatv("{0:F1}", L.Value);
  }
  static StringRef input(StringRef Text, void *, MeanLines &L) {
    if (Text.getAsDouble(L.Value) || !std::isfinite(L.Value) || L.Value < 0)
      return "measured-lines-per-warp must be a number";
    return "";
  }
  static QuotingType mustQuote(StringRef) { return QuotingType::Single; }
};

template <> struct ScalarTraits<StrideBytes> {
  static void output(const StrideBytes &S, void *, raw_ostream &OS) {
    if (S.Value)
      OS << *S.Value;
    else
      OS << '?';
  }
  static StringRef input(StringRef Text, void *, StrideBytes &S) {
    int64_t Bytes = 0;
    if (Text != "?" && Text.getAsInteger(10, Bytes))
      return "iteration-stride must be a number of bytes, or '?'";
    S.Value = Text == "?" ? MaybeStride() : MaybeStride(Bytes);
    return "";
  }
  static QuotingType mustQuote(StringRef) { return QuotingType::Single; }
};

template <> struct ScalarTraits<ClaimedBytes> {
  static void output(const ClaimedBytes &S, void *, raw_ostream &OS) {
    OS << S.Value;
  }
  static StringRef input(StringRef Text, void *, ClaimedBytes &S) {
    static_assert(MostSharedWithoutOptIn == 49152,
                  "the message below names the limit");
    if (Text.getAsInteger(10, S.Value) || S.Value > MostSharedWithoutOptIn)
      return "claimed-shared-bytes must be a number up to 49152";
    return "";
  }
  static QuotingType mustQuote(StringRef) { return QuotingType::None; }
};

template <> struct MappingTraits<AccessPlan> {
  static void mapping(IO &YAML, AccessPlan &Access) {
    mapCodeId(YAML, "at", Access.Id);
    YAML.mapOptional("kind", Access.Kind, std::string());
    YAML.mapOptional("bytes", Access.Bytes, 0U);
    YAML.mapOptional("address", Access.Address, std::string());
    YAML.mapOptional("lines-per-warp", Access.LinesPerWarp, 0U);
    YAML.mapOptional("sectors-per-warp", Access.SectorsPerWarp, 0U);
    YAML.mapOptional("lines-per-block", Access.LinesPerBlock, uint64_t(0));
    mapOptionalAs<MeanLines>(YAML, "measured-lines-per-warp",
                             Access.MeasuredLinesPerWarp);
    mapOptionalAs<StrideBytes>(YAML, "iteration-stride",
                               Access.IterationStride);
  }
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

template <> struct MappingTraits<LoopPlan> {
  static void mapping(IO &YAML, LoopPlan &Loop) {
    mapCodeId(YAML, "loop", Loop.Id);
    ThrottlingFactor N{Loop.WarpGroups, !Loop.ByLaunch.empty()};
    YAML.mapRequired("throttle", N);
    YAML.mapOptional("by-launch", Loop.ByLaunch);
    // A plan that was changed to no turns needs no test of them.
    if (!YAML.outputting() || Loop.WarpGroups > 1)
      YAML.mapOptional("only-if", Loop.OnlyIf);
    if (!YAML.outputting())
      setFactor(YAML, N, Loop);
    YAML.mapOptional("why", Loop.Why, std::string());
    YAML.mapOptional("footprint-bytes", Loop.FootprintBytes, uint64_t(0));
    YAML.mapOptional("throttled-footprint-bytes", Loop.ThrottledFootprintBytes,
                     uint64_t(0));
    YAML.mapOptional("predicted-nanoseconds", Loop.PredictedNanoseconds,
                     uint64_t(0));
    YAML.mapOptional("unthrottled-nanoseconds", Loop.UnthrottledNanoseconds,
                     uint64_t(0));
    YAML.mapOptional("promote", Loop.Promote);
    YAML.mapOptional("promote-why", Loop.PromoteWhy, std::string());
    YAML.mapOptional("accesses", Loop.Accesses);
  }
  static void setFactor(IO &YAML, const ThrottlingFactor &N, LoopPlan &Loop) {
    Loop.WarpGroups = N.Groups;
    if (N.ByLaunch && Loop.ByLaunch.empty())
      YAML.setError("'throttle: by-launch' needs rows in by-launch");
    // Rows that are not heeded would mislead.
    if (!N.ByLaunch && !Loop.ByLaunch.empty())
      YAML.setError("throttle is a number, so there must be no by-launch");
    for (const LaunchRow &Row : Loop.ByLaunch)
      Loop.WarpGroups = std::max(Loop.WarpGroups, Row.WarpGroups);
  }
  static std::string validate(IO &YAML, LoopPlan &Loop) {
    if (YAML.outputting())
      return "";
    if (std::string Fault = faultOf(Loop.ByLaunch); !Fault.empty())
      return Fault;
    for (size_t I = 1; I < Loop.OnlyIf.size(); ++I)
      if (Loop.OnlyIf[I - 1].Argument >= Loop.OnlyIf[I].Argument)
        return "tests in only-if must be by rising argument, each once";
    return "";
  }
};

template <> struct MappingTraits<LoadPlan> {
  static void mapping(IO &YAML, LoadPlan &Load) {
    YAML.mapRequired("load", Load.Id.Place);
    YAML.mapOptional("inlined-at", Load.Id.InlinedAt);
    mapRequiredAs<HintText>(YAML, "hint", Load.Hint);
    YAML.mapOptional("why", Load.Why, std::string());
  }
};

template <> struct MappingTraits<LaunchPlan> {
  static void mapping(IO &YAML, LaunchPlan &Launch) {
    mapDim(YAML, "grid", Launch.Grid);
    mapDim(YAML, "block", Launch.Block);
    MaybeNumber Shared{Launch.DynamicSharedBytes};
    YAML.mapOptional("shared", Shared);
    Launch.DynamicSharedBytes = Shared.Value;
    YAML.mapOptional("at", Launch.Place, SourcePlace());
    YAML.mapOptional("blocks-per-sm", Launch.BlocksPerSM, 0U);
    YAML.mapOptional("l1-bytes", Launch.L1Bytes, uint64_t(0));
    YAML.mapOptional("from-profile", Launch.FromProfile, false);
  }
};

template <> struct MappingTraits<KernelPlan> {
  static void mapping(IO &YAML, KernelPlan &Kernel) {
    mapRequiredAs<RequiredName>(YAML, "name", Kernel.Name);
    YAML.mapOptional("display", Kernel.DisplayName, std::string());
    YAML.mapOptional("registers", Kernel.Registers, 0U);
    YAML.mapOptional("registers-from", Kernel.RegistersFrom, std::string());
    YAML.mapOptional("static-shared-bytes", Kernel.StaticSharedBytes,
                     uint64_t(0));
    mapOptionalAs<Percentage>(YAML, "carveout", Kernel.CarveoutPercent);
    YAML.mapOptional("carveout-why", Kernel.CarveoutWhy, std::string());
    mapBlocks(YAML, Kernel);
    YAML.mapOptional("launches", Kernel.Launches);
    YAML.mapOptional("loops", Kernel.Loops);
    YAML.mapOptional("loads", Kernel.Loads);
  }
  static void mapBlocks(IO &YAML, KernelPlan &Kernel) {
    mapOptionalAs<BlockCount>(YAML, "resident-blocks", Kernel.ResidentBlocks);
    ClaimedBytes Claim{Kernel.ClaimedSharedBytes};
    YAML.mapOptional("claimed-shared-bytes", Claim, ClaimedBytes());
    Kernel.ClaimedSharedBytes = Claim.Value;
    YAML.mapOptional("blocks-why", Kernel.BlocksWhy, std::string());
  }
  /// Of two entries for one loop or load, one would be ignored in silence.
  static std::string validate(IO &YAML, KernelPlan &Kernel) {
    if (YAML.outputting())
      return "";
    std::string Twice = entryThatIsTwice(Kernel.Loops, "loop");
    if (Twice.empty())
      Twice = entryThatIsTwice(Kernel.Loads, "load");
    return Twice.empty() ? "" : "kernel '" + Kernel.Name + "' has " + Twice;
  }
  template <typename Entries>
  static std::string entryThatIsTwice(const Entries &All, StringRef Kind) {
    for (auto Entry = All.begin(); Entry != All.end(); ++Entry)
      for (auto Other = All.begin(); Other != Entry; ++Other)
        if (Entry->Id == Other->Id)
          return (Kind + " " + Entry->Id.str() + " twice").str();
    return "";
  }
};

template <> struct MappingTraits<Plan> {
  static void mapping(IO &YAML, Plan &P) {
    FormatVersion Version{versionOf(P)};
    YAML.mapRequired("sluice-plan", Version);
    YAML.mapOptional("source", P.Source, std::string());
    mapRequiredAs<RequiredName>(YAML, "gpu", P.GPU);
    YAML.mapOptional("sms", P.SMs, 0U);
    YAML.mapOptional("kernels", P.Kernels);
  }
  static std::string validate(IO &YAML, Plan &P) {
    if (YAML.outputting())
      return "";
    for (auto Kernel = P.Kernels.begin(); Kernel != P.Kernels.end(); ++Kernel)
      if (P.kernel(Kernel->Name) != &*Kernel)
        return "kernel '" + Kernel->Name + "' is in the plan twice";
    return "";
  }
};

} // namespace llvm::yaml

namespace sluice {

const KernelPlan *Plan::kernel(StringRef Name) const {
  auto Found =
      find_if(Kernels, [&](const KernelPlan &K) { return K.Name == Name; });
  return Found == Kernels.end() ? nullptr : &*Found;
}

static bool isForSameCompile(const Plan &A, const Plan &B) {
  return A.Source == B.Source && A.GPU == B.GPU;
}

void writePlans(ArrayRef<Plan> Plans, raw_ostream &OS) {
  if (Plans.empty())
    return;
  std::vector<Plan> Documents = Plans.vec(); // yaml::Output takes no const
  yaml::Output YAML(OS);
  YAML << Documents;
}

Expected<std::vector<Plan>> parsePlans(StringRef Text, StringRef Name) {
  FirstYAMLError First{Name, {}};
  std::vector<Plan> Plans;
  yaml::Input YAML(Text, /*Ctxt=*/nullptr, FirstYAMLError::handle, &First);
  YAML >> Plans;

  if (First.Text.empty() && (YAML.error() || Plans.empty()))
    First.set(1, 1, "no plan here: a plan begins with 'sluice-plan: 1'");
  if (!First.Text.empty())
    return createStringError(First.Text);

  for (size_t I = 1; I < Plans.size(); ++I)
    for (size_t J = 0; J < I; ++J)
      if (isForSameCompile(Plans[I], Plans[J]))
        return createStringError(Name + ": two plans for source '" +
                                 Plans[I].Source + "' on " + Plans[I].GPU);
  return Plans;
}

const Plan *planFor(ArrayRef<Plan> Plans, StringRef Source, StringRef GPU) {
  for (StringRef Named : {Source, StringRef()})
    for (const Plan &P : Plans)
      if (P.GPU == GPU && P.Source == Named)
        return &P;
  return nullptr;
}

static Error cannot(StringRef Verb, StringRef Path, const Twine &Why) {
  return createStringError("cannot " + Verb + " plan file '" + Path +
                           "': " + Why);
}

Expected<std::vector<Plan>> readPlanFile(StringRef Path) {
  auto Buffer = MemoryBuffer::getFileOrSTDIN(Path, /*IsText=*/true);
  if (!Buffer)
    return cannot("read", Path, Buffer.getError().message());
  return parsePlans((*Buffer)->getBuffer(), Path == "-" ? "<stdin>" : Path);
}

static std::string textOf(ArrayRef<Plan> Plans) {
  std::string Text;
  raw_string_ostream OS(Text);
  writePlans(Plans, OS);
  return Text;
}

Error writePlanFile(StringRef Path, const Plan &P) {
  if (Error E = writeWholeFile(Path, textOf(P)))
    return cannot("write", Path, toString(std::move(E)));
  return Error::success();
}

/// updatePlanFile while nobody else updates the file. \p FD is the locked file;
/// it is read through FD, as closing another descriptor would end the lock.
static Error updateLockedFile(StringRef Path, sys::fs::file_t FD,
                              const Plan &New, unsigned Mode) {
  std::vector<Plan> Plans;
  auto Buffer = MemoryBuffer::getOpenFile(FD, Path, /*FileSize=*/-1,
                                          /*RequiresNullTerminator=*/true,
                                          /*IsVolatile=*/true);
  if (!Buffer)
    return cannot("read", Path, Buffer.getError().message());
  std::string OldText = (*Buffer)->getBuffer().str();

  if (!StringRef(OldText).trim().empty()) {
    auto Old = parsePlans(OldText, Path);
    if (!Old)
      return joinErrors(
          cannot("write", Path,
                 "the file exists and is not a plan; remove it or give "
                 "another name"),
          Old.takeError());
    Plans = std::move(*Old);
  }

  auto Same =
      find_if(Plans, [&](const Plan &P) { return isForSameCompile(P, New); });
  if (Same != Plans.end())
    *Same = New;
  else
    Plans.push_back(New);

  std::string Text = textOf(Plans);
  if (Text == OldText) // leave its time alone: build systems look at it
    return Error::success();
  if (Error E = replaceFile(Path, Text, Mode))
    return cannot("write", Path, toString(std::move(E)));
  return Error::success();
}

Error updatePlanFile(StringRef Path, const Plan &New) {
  auto D = findDestination(Path);
  if (!D)
    return cannot("write", Path, toString(D.takeError()));
  if (D->InPlace)
    return writePlanFile(Path, New);

  static std::mutex InThisProcess; // file locks are between processes
  std::lock_guard<std::mutex> Guard(InThisProcess);
  // Compiles that run in parallel may all put their plans into one file. The
  // lock is on the file; who waited for it holds the one that was replaced
  // meanwhile, and tries again.
  for (unsigned Try = 0; Try < 1000; ++Try) {
    int FD;
    if (std::error_code EC = sys::fs::openFileForReadWrite(
            D->Path, FD, sys::fs::CD_OpenAlways, sys::fs::OF_None, D->Mode))
      return cannot("write", Path, EC.message());
    // The data goes in through a temporary file: nothing is written here whose
    // loss a failing close could tell.
    llvm::scope_exit Close([&] {
      std::error_code Ignored = sys::Process::SafelyCloseFileDescriptor(FD);
      (void)Ignored;
    });
    if (std::error_code EC = sys::fs::tryLockFile(FD, std::chrono::seconds(30)))
      return cannot("lock", Path, EC.message());
    sys::fs::file_status Locked, Current;
    if (!sys::fs::status(FD, Locked) && !sys::fs::status(D->Path, Current) &&
        Locked.getUniqueID() == Current.getUniqueID())
      return updateLockedFile(D->Path, sys::fs::convertFDToNativeFile(FD), New,
                              D->Mode);
  }
  return cannot("write", Path, "others keep replacing it");
}

} // namespace sluice
