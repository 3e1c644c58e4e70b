// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// Plans as YAML (docs/plan-format.md). Each technique maps its own keys; files
/// of plans are in PlanFile.cpp.
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
#include "sluice/Analysis/YAMLScalars.h"
#include "sluice/Plan/Technique.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace llvm;
using namespace sluice;

namespace {

constexpr unsigned VersionWithChip = 21;

/// The version of the format that this file reads, with all before it.
unsigned planVersion() {
  unsigned Newest = VersionWithChip;
  for (const Technique *T : techniques())
    Newest = std::max(Newest, T->newestVersion());
  return Newest;
}

struct FormatVersion {
  unsigned Number = planVersion();
};

/// The first version that has all keys of \p P, which older readers read too.
unsigned versionOf(const Plan &P) {
  unsigned Version = P.Chip.empty() ? 1 : VersionWithChip;
  for (const KernelPlan &K : P.Kernels) {
    auto IsFromProfile = [](const LaunchPlan &L) { return L.FromProfile; };
    auto IsMeasured = [](const LoopPlan &L) {
      return any_of(L.Accesses, [](const AccessPlan &A) {
        return A.MeasuredLinesPerWarp.has_value();
      });
    };
    if (K.StaticSharedBytes != 0 || any_of(K.Launches, IsFromProfile) ||
        any_of(K.Loops, IsMeasured))
      Version = std::max(Version, 2U);
    for (const Technique *T : techniques())
      Version = std::max(Version, T->versionOf(K));
  }
  return Version;
}

/// Cache lines in the mean.
struct MeanLines {
  double Value = 0;
};

/// Bytes, or '?'.
struct StrideBytes {
  MaybeStride Value;
};

} // namespace

LLVM_YAML_IS_SEQUENCE_VECTOR(sluice::AccessPlan)
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
    static const std::string TooNew =
        "this Sluice reads plans of versions 1 to " +
        std::to_string(planVersion()) + " only";
    if (Text.getAsInteger(10, V.Number) || V.Number == 0 ||
        V.Number > planVersion())
      return TooNew;
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

template <> struct MappingTraits<LoopPlan> {
  static void mapping(IO &YAML, LoopPlan &Loop) {
    mapCodeId(YAML, "loop", Loop.Id);
    for (const Technique *T : techniques())
      T->mapLoop(YAML, Loop);
    YAML.mapOptional("accesses", Loop.Accesses);
  }
  static std::string validate(IO &YAML, LoopPlan &Loop) {
    std::string Fault;
    for (const Technique *T : techniques())
      if (!YAML.outputting() && Fault.empty())
        Fault = T->faultInLoop(Loop);
    return Fault;
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
    for (const Technique *T : techniques())
      T->mapKernel(YAML, Kernel);
    YAML.mapOptional("launches", Kernel.Launches);
    YAML.mapOptional("loops", Kernel.Loops);
    for (const Technique *T : techniques())
      T->mapLists(YAML, Kernel);
  }
  static std::string validate(IO &YAML, KernelPlan &Kernel) {
    if (YAML.outputting())
      return "";
    std::string Fault = entryThatIsTwice(Kernel.Loops, "loop");
    for (const Technique *T : techniques())
      if (Fault.empty())
        Fault = T->faultInKernel(Kernel);
    return Fault.empty() ? "" : "kernel '" + Kernel.Name + "' has " + Fault;
  }
};

template <> struct MappingTraits<Plan> {
  static void mapping(IO &YAML, Plan &P) {
    FormatVersion Version{versionOf(P)};
    YAML.mapRequired("sluice-plan", Version);
    YAML.mapOptional("source", P.Source, std::string());
    mapRequiredAs<RequiredName>(YAML, "gpu", P.GPU);
    YAML.mapOptional("chip", P.Chip, std::string());
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

bool isThrottled(const KernelPlan &Kernel) {
  return Kernel.ResidentBlocks || Kernel.CarveoutPercent ||
         any_of(Kernel.Loops,
                [](const LoopPlan &L) { return L.WarpGroups > 1; });
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
      if (Plans[I].isForSameCompile(Plans[J]))
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

} // namespace sluice
