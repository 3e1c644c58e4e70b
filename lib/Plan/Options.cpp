// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The options of Sluice that are of no technique, and what reads all options:
/// the parser, the help and the error messages.

#include "sluice/Plan/Options.h"
#include "sluice/Plan/OptionSpec.h"
#include "sluice/Plan/Technique.h"
#include "sluice/Target/GPUModel.h"
#include "sluice/Target/Occupancy.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace sluice {

template <unsigned Min, unsigned Max, std::optional<unsigned> Options::*Field>
static ParseResult parseInto(StringRef Value, Options &Result) {
  uint64_t Number;
  if (!parseNumber(Value, Min, Max, Number))
    return ParseResult::Bad;
  Result.*Field = Number;
  return ParseResult::OK;
}

template <std::string Options::*Field>
static ParseResult parsePath(StringRef Value, Options &Result) {
  if (Value.empty())
    return ParseResult::Bad;
  Result.*Field = Value.str();
  return ParseResult::OK;
}

/// Could \p Name be a kernel's? Its only colons are pairs between names.
static bool isKernelName(StringRef Name) {
  if (Name.empty() || isDigit(Name.front()) || Name.ends_with(":"))
    return false;
  SmallVector<StringRef, 4> Scopes;
  Name.split(Scopes, "::");
  return none_of(Scopes, [](StringRef S) { return S.contains(':'); });
}

/// From the right: a kernel's name may itself contain colons, as in
/// "ns::k<float, 4>:1024:256".
static ParseResult parseLaunch(StringRef Value, Options &Result) {
  GivenLaunch Launch;
  auto [Rest, Last] = Value.rsplit(':');
  auto [Kernel, Middle] = Rest.rsplit(':');
  StringRef GridText = Middle, BlockText = Last;

  // With SMEM there is one number more before the kernel's name.
  auto [Shorter, First] = Kernel.rsplit(':');
  LaunchDim Ignored;
  if (parseDim(First, Ignored)) {
    uint64_t SharedBytes;
    if (!parseNumber(Last, 0, INT32_MAX, SharedBytes))
      return ParseResult::Bad;
    Launch.Config.DynamicSharedBytes = SharedBytes;
    Kernel = Shorter;
    GridText = First;
    BlockText = Middle;
  } else {
    Launch.Config.DynamicSharedBytes = 0; // as in <<<grid, block>>>
  }

  if (!isKernelName(Kernel) || !parseDim(GridText, Launch.Config.Grid) ||
      !parseDim(BlockText, Launch.Config.Block))
    return ParseResult::Bad;
  // Each at most 1024 first, so that the product cannot overflow.
  for (const auto &Size : Launch.Config.Block.Sizes)
    if (Size > MostThreadsPerBlock)
      return ParseResult::Bad;
  if (Launch.Config.Block.total() > MostThreadsPerBlock)
    return ParseResult::Bad;

  Launch.Kernel = Kernel.str();
  Result.Launches.push_back(std::move(Launch));
  return ParseResult::OK;
}

/// `test-wrong-rewrite=`: a technique's fault, or that of whatever makes the
/// code.
static ParseResult plantFault(StringRef Value, Options &Result) {
  if (Value == "lost-sign") {
    Result.Wrong = WrongRewrite::LostSign;
    return ParseResult::OK;
  }
  for (const Technique *T : techniques())
    for (const PlantedFault &Fault : T->faults())
      if (Fault.Name == Value) {
        Fault.Plant(Result);
        return ParseResult::OK;
      }
  return ParseResult::Bad;
}

/// What says how all others are meant.
static constexpr OptionSpec FirstOptions[] = {
    {"plan", "FILE", "none: compute one", "a file name, or - for stdin",
     "carry out the plan in FILE instead of computing one",
     parsePath<&Options::PlanFile>},
    {"emit-plan", "FILE", "none", "a file name, or - for stdout",
     "write the plan that is carried out to FILE",
     parsePath<&Options::EmitPlanFile>},
    {"profile", "FILE", "none", "a file name, or - for stdin",
     "plan with what FILE, a profile of the program, has measured",
     parsePath<&Options::ProfileFile>},
    {"profile-dir", "DIR", "none", "a folder",
     "plan with the profiles of the kernels that are in DIR",
     parsePath<&Options::ProfileFolder>},
    {"transforms", "auto|off", "auto", "auto or off",
     "off: of the transforms below only those with an option of their own",
     [](StringRef Value, Options &) {
       return check(Value == "auto" || Value == "off");
     }},
};

/// `chip=`: a name of allChips().
static ParseResult parseChip(StringRef Value, Options &Result) {
  Result.Chip = Value == "auto" ? "" : Value.str();
  return check(Value == "auto" || any_of(allChips(), [&](const GPUModel &M) {
                 return M.Chip == Value;
               }));
}

static constexpr OptionSpec LastOptions[] = {
    {"chip", "auto|h200", "auto", "auto or h200",
     "plan for the memory of this chip; auto: for that of the architecture's "
     "chip that was measured, an H100's for sm_90",
     parseChip},
    {"l1-kib", "N", "the architecture's", "a number of KiB from 1 to 1024",
     "plan for an L1 of N KiB", parseInto<1, 1024, &Options::L1KiB>},
    {"launch", "KERNEL:GRID:BLOCK[:SMEM]", "launches in the file",
     "KERNEL:GRID:BLOCK[:SMEM] with GRID and BLOCK as X, XxY or XxYxZ, at most "
     "1024 threads in a block, and SMEM in bytes",
     "how KERNEL is launched from another file; may be repeated", parseLaunch,
     /*Repeatable=*/true},
    {"sms", "N", "the architecture's largest chip",
     "a number of SMs from 1 to 1024", "plan for a GPU with N SMs",
     parseInto<1, 1024, &Options::SMs>},
    {"trace", "off|gpu", "off", "off or gpu",
     "let the program record its accesses on a GPU, for sluice profile",
     [](StringRef Value, Options &Result) {
       Result.TraceOnGPU = Value == "gpu";
       return check(Value == "gpu" || Value == "off");
     }},
    {"remarks", "auto|all", "auto", "auto or all",
     "print one remark where a kernel's loops are left alone for one reason, "
     "and none of libraries' kernels; all: each of them",
     [](StringRef Value, Options &Result) {
       Result.AllRemarks = Value == "all";
       return check(Value == "all" || Value == "auto");
     }},
    {"assembly-cache", "FOLDER|off", "$XDG_CACHE_HOME/sluice/assembly",
     "a folder, or off",
     "keep the registers that the assembler tells in FOLDER",
     [](StringRef Value, Options &Result) {
       Result.AssemblyCacheFolder = Value == "off" ? "" : Value.str();
       return check(!Value.empty());
     }},
    {"test-wrong-rewrite", "FAULT", "none", "the name of a planted fault",
     "transform wrongly, to see that it is noticed", plantFault,
     /*Repeatable=*/false, /*Hidden=*/true},
    {"throttled-source", "FILE", "none", "a file name",
     "write the source as text in which warps take turns to FILE",
     parsePath<&Options::ThrottledSourceFile>, /*Repeatable=*/false,
     /*Hidden=*/true},
};

/// All options, those of the techniques in the middle.
static ArrayRef<const OptionSpec *> optionTable() {
  static const std::vector<const OptionSpec *> Table = [] {
    std::vector<const OptionSpec *> Specs;
    for (const OptionSpec &Spec : FirstOptions)
      Specs.push_back(&Spec);
    for (const Technique *T : techniques())
      for (const OptionSpec &Spec : T->options())
        Specs.push_back(&Spec);
    for (const OptionSpec &Spec : LastOptions)
      Specs.push_back(&Spec);
    return Specs;
  }();
  return Table;
}

static const OptionSpec *findOption(StringRef Key) {
  auto Found = find_if(optionTable(),
                       [&](const OptionSpec *S) { return S->Key == Key; });
  return Found == optionTable().end() ? nullptr : *Found;
}

/// Those that users are told of.
static auto shownOptions() {
  return make_filter_range(optionTable(),
                           [](const OptionSpec *S) { return !S->Hidden; });
}

static Error unknownOption(StringRef Key) {
  const OptionSpec *Nearest = nullptr;
  // A third of the letters wrong is no longer a slip.
  unsigned Best = Key.size() / 3 + 1;
  for (const OptionSpec *Spec : shownOptions()) {
    unsigned Distance = Key.edit_distance(Spec->Key, true, Best);
    if (Distance < Best) {
      Best = Distance;
      Nearest = Spec;
    }
  }
  std::string Message = ("unknown option '" + Key + "'; ").str();
  if (Nearest)
    Message += ("did you mean '" + Nearest->Key + "'? ").str();
  ListSeparator Comma;
  Message += "valid options are ";
  for (const OptionSpec *Spec : shownOptions()) {
    Message += Comma;
    Message += (Spec->Key + "=").str();
  }
  return createStringError(Message);
}

static Error badValue(const OptionSpec &Spec, StringRef Value) {
  return createStringError("invalid value '" + Value + "' for option '" +
                           Spec.Key + "': expected " + Spec.Expected);
}

/// What a plan decides no option decides beside it.
static Error checkAgainstPlan(const Options &Given) {
  if (Given.PlanFile.empty())
    return Error::success();
  for (const Technique *T : techniques())
    if (T->isSaidByOptions(Given))
      return createStringError("options 'plan' and '" + T->name() +
                               "' are both given; the plan has its own " +
                               T->saidByPlans() + ", so leave '" + T->name() +
                               "' out");
  return Error::success();
}

/// `transforms=off`: of the techniques those stay that have an option of their
/// own, or that the user's plan decides.
static void switchOthersOff(const StringSet<> &Given, Options &Opts) {
  for (const Technique *T : techniques()) {
    const bool IsPlans = !Opts.PlanFile.empty() && !T->saidByPlans().empty();
    if (!Given.contains(T->name()) && !IsPlans)
      T->switchOff(Opts);
  }
}

Expected<Options> parseOptions(ArrayRef<std::string> Args) {
  Options Result;
  StringSet<> Given;
  for (StringRef Arg : Args) {
    auto [Key, Value] = Arg.split('=');
    const OptionSpec *Spec = findOption(Key);
    if (!Spec)
      return unknownOption(Key);
    if (!Arg.contains('='))
      return createStringError("option '" + Key + "' has no value; write " +
                               Key + "=" + Spec->Values);
    if (!Given.insert(Key).second && !Spec->Repeatable)
      return createStringError("option '" + Key + "' is given twice");
    if (Spec->Parse(Value, Result) == ParseResult::Bad)
      return badValue(*Spec, Value);
  }
  if (Error E = checkAgainstPlan(Result))
    return std::move(E);
  if (is_contained(Args, "transforms=off"))
    switchOthersOff(Given, Result);
  if (!Result.LimitBlocks && Result.ForcedResidentBlocks)
    return createStringError("options 'blocks=off' and 'throttle' with M are "
                             "both given; leave one of them out");
  const bool HasProfile =
      !Result.ProfileFile.empty() || !Result.ProfileFolder.empty();
  if (Result.HintsNeedProfile && !HasProfile)
    return createStringError("option 'hints=profile' needs a profile; make one "
                             "with 'sluice profile' and give it with "
                             "'profile=FILE' or 'profile-dir=DIR'");
  if (!Result.ProfileFile.empty() && !Result.ProfileFolder.empty())
    return createStringError("options 'profile' and 'profile-dir' are both "
                             "given; put the profile into the folder, or "
                             "leave one of them out");
  if (!Result.PlanFile.empty() && HasProfile) {
    StringRef Name = Result.ProfileFile.empty() ? "profile-dir" : "profile";
    return createStringError("options 'plan' and '" + Name +
                             "' are both given; where there is a plan none is "
                             "made, so leave '" +
                             Name + "' out");
  }
  return Result;
}

void printOptionsHelp(raw_ostream &OS, StringRef Prefix) {
  size_t Width = 0;
  for (const OptionSpec *Spec : shownOptions())
    Width = std::max(Width, Spec->Key.size() + Spec->Values.size() + 1);
  for (const OptionSpec *Spec : shownOptions())
    OS << "  " << Prefix
       << left_justify((Spec->Key + "=" + Spec->Values).str(), Width) << "  "
       << Spec->Help << " (default: " << Spec->Default << ")\n";
}

} // namespace sluice
