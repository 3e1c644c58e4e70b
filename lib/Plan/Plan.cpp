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
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/YAMLTraits.h"
#include <algorithm>
#include <array>
#include <chrono>
#include <mutex>
#include <system_error>

using namespace llvm;
using namespace sluice;

namespace {

/// The version of the format that this file reads and writes.
constexpr unsigned PlanVersion = 1;
/// A thread block has at most 1024 threads, that is 32 warps to take turns.
constexpr unsigned MaxWarpGroups = 32;

// Scalars with rules of their own. The error of a bad one then stands at its
// own line and column, not at those of the mapping around it.

struct FormatVersion {
  unsigned Number = PlanVersion;
};

/// A name that must not be empty.
struct RequiredName {
  std::string Text;
};

struct ThrottlingFactor {
  unsigned Groups = 1;
};

/// A number, or '?'.
struct MaybeNumber {
  std::optional<uint64_t> Value;
};

/// A number from 0 to 100.
struct Percentage {
  unsigned Value;
};

/// LaunchDim as a sequence of one to three sizes.
struct DimSizes {
  std::array<MaybeNumber, 3> Sizes;
  size_t Count = 3;
  MaybeNumber Excess; ///< Where a fourth would be read to; an error.

  const MaybeNumber *begin() const { return Sizes.begin(); }
  const MaybeNumber *end() const { return Sizes.begin() + Count; }
};

} // namespace

LLVM_YAML_IS_SEQUENCE_VECTOR(sluice::AccessPlan)
LLVM_YAML_IS_SEQUENCE_VECTOR(sluice::LoopPlan)
LLVM_YAML_IS_SEQUENCE_VECTOR(sluice::LaunchPlan)
LLVM_YAML_IS_SEQUENCE_VECTOR(sluice::KernelPlan)
LLVM_YAML_IS_FLOW_SEQUENCE_VECTOR(sluice::SourcePlace)
LLVM_YAML_IS_DOCUMENT_LIST_VECTOR(sluice::Plan)

namespace llvm::yaml {

template <> struct ScalarTraits<FormatVersion> {
  static void output(const FormatVersion &V, void *, raw_ostream &OS) {
    OS << V.Number;
  }
  static StringRef input(StringRef Text, void *, FormatVersion &V) {
    static_assert(PlanVersion == 1, "the message below names the version");
    if (Text.getAsInteger(10, V.Number) || V.Number != PlanVersion)
      return "this Sluice reads plans of version 1 only";
    return "";
  }
  static QuotingType mustQuote(StringRef) { return QuotingType::None; }
};

template <> struct ScalarTraits<RequiredName> {
  static void output(const RequiredName &Name, void *, raw_ostream &OS) {
    OS << Name.Text;
  }
  static StringRef input(StringRef Text, void *, RequiredName &Name) {
    Name.Text = Text.str();
    return Text.empty() ? "a name must not be empty" : "";
  }
  static QuotingType mustQuote(StringRef Text) { return needsQuotes(Text); }
};

template <> struct ScalarTraits<ThrottlingFactor> {
  static void output(const ThrottlingFactor &N, void *, raw_ostream &OS) {
    OS << N.Groups;
  }
  static StringRef input(StringRef Text, void *, ThrottlingFactor &N) {
    static_assert(MaxWarpGroups == 32, "the message below names the limit");
    if (Text.getAsInteger(10, N.Groups) || N.Groups < 1 ||
        N.Groups > MaxWarpGroups)
      return "throttle must be a number from 1 (not throttled) to 32";
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

template <> struct ScalarTraits<MaybeNumber> {
  static void output(const MaybeNumber &N, void *, raw_ostream &OS) {
    if (N.Value)
      OS << *N.Value;
    else
      OS << '?';
  }
  static StringRef input(StringRef Text, void *, MaybeNumber &N) {
    N.Value.reset();
    if (Text == "?")
      return "";
    uint64_t Value;
    if (Text.getAsInteger(10, Value))
      return "expected a number, or '?' (in quotes) where it is not known";
    N.Value = Value;
    return "";
  }
  /// A bare ? would begin a mapping key.
  static QuotingType mustQuote(StringRef Text) {
    return Text == "?" ? QuotingType::Single : QuotingType::None;
  }
};

template <> struct ScalarTraits<SourcePlace> {
  static void output(const SourcePlace &Place, void *, raw_ostream &OS) {
    OS << Place.str();
  }
  static StringRef input(StringRef Text, void *, SourcePlace &Place) {
    if (!parseSourcePlace(Text.str(), Place))
      return "a place is FILE:LINE:COLUMN, FILE without its folder: "
             "'gesummv.cu:23:5'";
    return "";
  }
  /// Always: a comma in FILE would end an element of inlined-at.
  static QuotingType mustQuote(StringRef Text) {
    return std::max(QuotingType::Single, needsQuotes(Text));
  }
};

template <> struct SequenceTraits<DimSizes> {
  static const bool flow = true;
  static size_t size(IO &, DimSizes &Dim) { return Dim.Count; }
  static MaybeNumber &element(IO &YAML, DimSizes &Dim, size_t Index) {
    if (Index >= Dim.Sizes.size()) {
      YAML.setError("expected at most three sizes: [x, y, z]");
      return Dim.Excess;
    }
    Dim.Count = Index + 1;
    return Dim.Sizes[Index];
  }
};

/// Maps \p Value by way of \p ScalarTy, which holds it and its rules.
template <typename ScalarTy, typename T>
static void mapRequiredAs(IO &YAML, const char *Key, T &Value) {
  ScalarTy Scalar{Value};
  YAML.mapRequired(Key, Scalar);
  auto &[Inner] = Scalar;
  Value = std::move(Inner);
}

/// A size left out is 1, as in CUDA's dim3; a dimension left out is unknown.
static void mapDim(IO &YAML, const char *Key, LaunchDim &Dim) {
  DimSizes Sizes;
  if (YAML.outputting())
    for (unsigned I = 0; I < 3; ++I)
      Sizes.Sizes[I].Value = Dim.Sizes[I];
  else
    Sizes.Count = 0;
  YAML.mapOptional(Key, Sizes);
  if (YAML.outputting())
    return;
  for (unsigned I = 0; I < 3; ++I)
    Dim.Sizes[I] =
        Sizes.Count != 0 && I >= Sizes.Count ? 1 : Sizes.Sizes[I].Value;
}

static void mapCodeId(IO &YAML, const char *PlaceKey, CodeId &Id) {
  YAML.mapRequired(PlaceKey, Id.Place);
  YAML.mapOptional("inlined-at", Id.InlinedAt);
  YAML.mapOptional("ordinal", Id.Ordinal, 0U);
}

template <> struct MappingTraits<AccessPlan> {
  static void mapping(IO &YAML, AccessPlan &Access) {
    mapCodeId(YAML, "at", Access.Id);
    YAML.mapOptional("kind", Access.Kind, std::string());
    YAML.mapOptional("bytes", Access.Bytes, 0U);
    YAML.mapOptional("address", Access.Address, std::string());
    YAML.mapOptional("lines-per-warp", Access.LinesPerWarp, 0U);
    YAML.mapOptional("sectors-per-warp", Access.SectorsPerWarp, 0U);
    YAML.mapOptional("lines-per-block", Access.LinesPerBlock, uint64_t(0));
    YAML.mapOptional("iteration-stride", Access.IterationStride, std::string());
  }
};

template <> struct MappingTraits<LoopPlan> {
  static void mapping(IO &YAML, LoopPlan &Loop) {
    mapCodeId(YAML, "loop", Loop.Id);
    mapRequiredAs<ThrottlingFactor>(YAML, "throttle", Loop.WarpGroups);
    YAML.mapOptional("why", Loop.Why, std::string());
    YAML.mapOptional("footprint-bytes", Loop.FootprintBytes, uint64_t(0));
    YAML.mapOptional("throttled-footprint-bytes", Loop.ThrottledFootprintBytes,
                     uint64_t(0));
    YAML.mapOptional("accesses", Loop.Accesses);
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
  }
};

template <> struct MappingTraits<KernelPlan> {
  static void mapping(IO &YAML, KernelPlan &Kernel) {
    mapRequiredAs<RequiredName>(YAML, "name", Kernel.Name);
    YAML.mapOptional("display", Kernel.DisplayName, std::string());
    YAML.mapOptional("registers", Kernel.Registers, 0U);
    YAML.mapOptional("registers-from", Kernel.RegistersFrom, std::string());
    std::optional<Percentage> Carveout;
    if (Kernel.CarveoutPercent)
      Carveout = Percentage{*Kernel.CarveoutPercent};
    YAML.mapOptional("carveout", Carveout);
    if (Carveout)
      Kernel.CarveoutPercent = Carveout->Value;
    YAML.mapOptional("launches", Kernel.Launches);
    YAML.mapOptional("loops", Kernel.Loops);
  }
  /// Of two entries for one loop, one would be ignored in silence.
  static std::string validate(IO &YAML, KernelPlan &Kernel) {
    if (YAML.outputting())
      return "";
    for (auto Loop = Kernel.Loops.begin(); Loop != Kernel.Loops.end(); ++Loop)
      for (auto Other = Kernel.Loops.begin(); Other != Loop; ++Other)
        if (Loop->Id == Other->Id)
          return "kernel '" + Kernel.Name + "' has loop " + Loop->Id.str() +
                 " twice";
    return "";
  }
};

template <> struct MappingTraits<Plan> {
  static void mapping(IO &YAML, Plan &P) {
    FormatVersion Version;
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

/// Keeps the first error of a parse, as "NAME:line:column: message".
namespace {
struct FirstError {
  StringRef Name;
  std::string Text;

  static void handle(const SMDiagnostic &Diagnostic, void *Context) {
    auto &First = *static_cast<FirstError *>(Context);
    if (!First.Text.empty() || Diagnostic.getKind() != SourceMgr::DK_Error)
      return;
    First.set(std::max(Diagnostic.getLineNo(), 1),
              std::max(Diagnostic.getColumnNo() + 1, 1),
              Diagnostic.getMessage());
  }
  void set(unsigned Line, unsigned Column, const Twine &Message) {
    Text =
        (Name + ":" + Twine(Line) + ":" + Twine(Column) + ": " + Message).str();
  }
};
} // namespace

Expected<std::vector<Plan>> parsePlans(StringRef Text, StringRef Name) {
  FirstError First{Name, {}};
  std::vector<Plan> Plans;
  yaml::Input YAML(Text, /*Ctxt=*/nullptr, FirstError::handle, &First);
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

/// Replaces the file \p Path by \p Text in one step: a reader sees the old file
/// or the new one. A failure leaves the old one.
static Error replaceFile(StringRef Path, StringRef Text, unsigned Mode) {
  auto Temporary = sys::fs::TempFile::create(Path + ".tmp-%%%%%%%%", Mode);
  if (!Temporary)
    return Temporary.takeError();
  raw_fd_ostream OS(Temporary->FD, /*shouldClose=*/false);
  OS << Text;
  OS.flush();
  if (std::error_code EC = OS.error()) {
    OS.clear_error();
    return joinErrors(errorCodeToError(EC), Temporary->discard());
  }
  return Temporary->keep(Path);
}

namespace {
/// How a plan file is written.
struct Destination {
  SmallString<128> Path; ///< Where it was a link, what that leads to.
  unsigned Mode;
  /// A pipe or /dev/stdout has nothing to keep and cannot be replaced.
  bool InPlace;
};
} // namespace

static Expected<Destination> findDestination(StringRef Path) {
  Destination D{Path, sys::fs::all_read | sys::fs::all_write, Path == "-"};
  sys::fs::file_status Status;
  if (D.InPlace || sys::fs::status(Path, Status))
    return D;
  if (Status.type() == sys::fs::file_type::directory_file)
    return cannot("write", Path, "it is a folder");
  D.InPlace = Status.type() != sys::fs::file_type::regular_file;
  if (D.InPlace)
    return D;
  D.Mode = Status.permissions();
  if (std::error_code EC = sys::fs::real_path(Path, D.Path))
    return cannot("write", Path, EC.message());
  return D;
}

static Error writeInPlace(StringRef Path, const Plan &P) {
  if (Path == "-") {
    writePlans(P, outs());
    outs().flush();
    return Error::success();
  }
  std::error_code EC;
  raw_fd_ostream OS(Path, EC);
  if (EC)
    return cannot("write", Path, EC.message());
  writePlans(P, OS);
  return Error::success();
}

Error writePlanFile(StringRef Path, const Plan &P) {
  auto D = findDestination(Path);
  if (!D)
    return D.takeError();
  if (D->InPlace)
    return writeInPlace(Path, P);
  std::string Text;
  raw_string_ostream OS(Text);
  writePlans(P, OS);
  if (Error E = replaceFile(D->Path, Text, D->Mode))
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

  std::string Text;
  raw_string_ostream OS(Text);
  writePlans(Plans, OS);
  if (Text == OldText) // leave its time alone: build systems look at it
    return Error::success();
  if (Error E = replaceFile(Path, Text, Mode))
    return cannot("write", Path, toString(std::move(E)));
  return Error::success();
}

Error updatePlanFile(StringRef Path, const Plan &New) {
  auto D = findDestination(Path);
  if (!D)
    return D.takeError();
  if (D->InPlace)
    return writeInPlace(Path, New);

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
