// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The table of Sluice's options, and what reads it: the parser, the help and
/// the error messages.

#include "sluice/Plan/Options.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace sluice {

namespace {

enum class ParseResult { OK, Bad };

struct OptionSpec {
  StringLiteral Key;
  StringLiteral Values;   ///< As the help shows them.
  StringLiteral Default;  ///< As the help shows it.
  StringLiteral Expected; ///< Ends the sentence "... expected".
  StringLiteral Help;
  /// Stores a value; Bad where it is not one of the expected.
  ParseResult (*Parse)(StringRef Value, Options &Result);
  /// What the option controls, where that is not in this version yet.
  StringLiteral Missing = "";
  bool Repeatable = false;
  bool Hidden = false; ///< For tests of the tests: in no help, in no list.
};

} // namespace

// What a warp count is at most: a block has 1024 threads.
static constexpr unsigned MaxWarpsPerBlock = 32;
static constexpr unsigned MaxThreadsPerBlock = 1024;
// What an SM holds at most: 32 on the architectures with the most.
static constexpr unsigned MaxBlocksPerSM = 32;
// 255 registers of a thread: the limit of every architecture since Kepler
// (CUDA C++ Programming Guide, table "Technical Specifications per Compute
// Capability").
static constexpr unsigned MaxRegisters = 255;

/// A decimal number in [Min, Max].
static bool parseNumber(StringRef Text, uint64_t Min, uint64_t Max,
                        uint64_t &Number) {
  return !Text.getAsInteger(10, Number) && Number >= Min && Number <= Max;
}

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

/// For what is not in this version: checks the value and stores nothing.
static ParseResult check(bool Valid) {
  return Valid ? ParseResult::OK : ParseResult::Bad;
}

static bool isNumber(StringRef Value, uint64_t Min, uint64_t Max) {
  uint64_t Number;
  return parseNumber(Value, Min, Max, Number);
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
    if (Size > MaxThreadsPerBlock)
      return ParseResult::Bad;
  if (Launch.Config.Block.total() > MaxThreadsPerBlock)
    return ParseResult::Bad;

  Launch.Kernel = Kernel.str();
  Result.Launches.push_back(std::move(Launch));
  return ParseResult::OK;
}

static const OptionSpec OptionTable[] = {
    {"plan", "FILE", "none: compute one", "a file name, or - for stdin",
     "carry out the plan in FILE instead of computing one",
     parsePath<&Options::PlanFile>},
    {"emit-plan", "FILE", "none", "a file name, or - for stdout",
     "write the plan that is carried out to FILE",
     parsePath<&Options::EmitPlanFile>},
    {"profile", "FILE", "none", "a file name, or - for stdin",
     "plan with what FILE, a profile of the program, has measured",
     parsePath<&Options::ProfileFile>},
    {"transforms", "auto|off", "auto", "auto or off",
     "off: of the transforms below only those with an option of their own",
     [](StringRef Value, Options &) {
       return check(Value == "auto" || Value == "off");
     }},
    {"throttle", "auto|off|N[,M]", "auto",
     "auto, off, N (a power of two up to 32), or N,M (M up to 32)",
     "let the warps of a block run a loop in N groups, taking turns, and M "
     "blocks stay on an SM",
     parseThrottle},
    {"blocks", "auto|prefer|off", "auto", "auto, prefer, or off",
     "limit the blocks on an SM where turns of warps cannot be taken; prefer: "
     "also in place of turns, where one loop is the kernel",
     [](StringRef Value, Options &Result) {
       Result.LimitBlocks = Value != "off";
       Result.PreferBlocks = Value == "prefer";
       return check(Value == "auto" || Value == "prefer" || Value == "off");
     }},
    {"carveout", "auto|off", "auto", "auto or off",
     "choose the split of the on-chip memory into L1 and shared memory where "
     "the driver's is predicted to be slower",
     [](StringRef Value, Options &Result) {
       Result.Carveout = Value != "off";
       return check(Value == "auto" || Value == "off");
     }},
    {"promote", "on|off", "on", "on or off",
     "keep in registers what a loop adds up in memory, where it overlaps "
     "nothing else",
     [](StringRef Value, Options &Result) {
       Result.Promote = Value == "on";
       Result.PromoteIsGiven = true;
       return check(Value == "on" || Value == "off");
     }},
    {"hints", "auto|off|profile", "auto", "auto, off, or profile",
     "choose cache hints for global loads; profile: demand one",
     [](StringRef Value, Options &Result) {
       Result.Hints = Value != "off";
       Result.HintsNeedProfile = Value == "profile";
       return check(Value == "auto" || Value == "off" || Value == "profile");
     }},
    {"bypass", "auto|off|PI", "auto",
     "auto, off, or PI (a number of warps up to 32)",
     "let only the warps below PI use the L1",
     [](StringRef Value, Options &) {
       return check(Value == "auto" || Value == "off" ||
                    isNumber(Value, 0, MaxWarpsPerBlock));
     },
     "warp-partitioned bypassing"},
    {"sfu", "off|LAMBDA", "off", "off, or LAMBDA (a number of warps up to 32)",
     "let the warps below LAMBDA use the approximate SFU path",
     [](StringRef Value, Options &) {
       return check(Value == "off" || isNumber(Value, 0, MaxWarpsPerBlock));
     },
     "warp-partitioned SFU branching"},
    {"registers", "auto|off|N", "auto",
     "auto, off, or N (registers of a thread, up to 255)",
     "limit the registers of a thread for the best occupancy",
     [](StringRef Value, Options &) {
       return check(Value == "auto" || Value == "off" ||
                    isNumber(Value, 1, MaxRegisters));
     },
     "register limiting"},
    {"software-l1", "auto|off", "auto", "auto or off",
     "keep streaming loads in a software cache in shared memory",
     [](StringRef Value, Options &) {
       return check(Value == "auto" || Value == "off");
     },
     "the software L1"},
    {"l1-kib", "N", "the architecture's", "a number of KiB from 1 to 1024",
     "plan for an L1 of N KiB", parseInto<1, 1024, &Options::L1KiB>},
    {"launch", "KERNEL:GRID:BLOCK[:SMEM]", "launches in the file",
     "KERNEL:GRID:BLOCK[:SMEM] with GRID and BLOCK as X, XxY or XxYxZ, at most "
     "1024 threads in a block, and SMEM in bytes",
     "how KERNEL is launched from another file; may be repeated", parseLaunch,
     "", /*Repeatable=*/true},
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
    {"test-wrong-rewrite", "FAULT", "none",
     "skip-turn, unseen-wait, unproven-nc, untested-overlap, unfused, "
     "reordered, or lost-sign",
     "transform wrongly, to see that it is noticed",
     [](StringRef Value, Options &Result) {
       Result.Wrong =
           StringSwitch<WrongRewrite>(Value)
               .Case("skip-turn", WrongRewrite::SkipTurn)
               .Case("unseen-wait", WrongRewrite::UnseenWait)
               .Case("unproven-nc", WrongRewrite::UnprovenNC)
               .Case("untested-overlap", WrongRewrite::UntestedOverlap)
               .Case("unfused", WrongRewrite::Unfused)
               .Case("reordered", WrongRewrite::Reordered)
               .Case("lost-sign", WrongRewrite::LostSign)
               .Default(WrongRewrite::None);
       return check(Result.Wrong != WrongRewrite::None);
     },
     "", /*Repeatable=*/false, /*Hidden=*/true},
    {"test-hints", "SEED", "none", "a number of 64 bits",
     "put random cache hints on the loads that no plan lists",
     [](StringRef Value, Options &Result) {
       uint64_t Seed;
       if (!parseNumber(Value, 0, UINT64_MAX, Seed))
         return ParseResult::Bad;
       Result.RandomHints = Seed;
       return ParseResult::OK;
     },
     "", /*Repeatable=*/false, /*Hidden=*/true},
    {"throttled-source", "FILE", "none", "a file name",
     "write the source as text in which warps take turns to FILE",
     parsePath<&Options::ThrottledSourceFile>, "", /*Repeatable=*/false,
     /*Hidden=*/true},
};

static const OptionSpec *findOption(StringRef Key) {
  auto Found =
      find_if(OptionTable, [&](const OptionSpec &S) { return S.Key == Key; });
  return Found == std::end(OptionTable) ? nullptr : Found;
}

static Error unknownOption(StringRef Key) {
  const OptionSpec *Nearest = nullptr;
  // A third of the letters wrong is no longer a slip.
  unsigned Best = Key.size() / 3 + 1;
  for (const OptionSpec &Spec : OptionTable) {
    if (Spec.Hidden)
      continue;
    unsigned Distance = Key.edit_distance(Spec.Key, true, Best);
    if (Distance < Best) {
      Best = Distance;
      Nearest = &Spec;
    }
  }
  std::string Message = ("unknown option '" + Key + "'; ").str();
  if (Nearest)
    Message += ("did you mean '" + Nearest->Key + "'? ").str();
  ListSeparator Comma;
  Message += "valid options are ";
  for (const OptionSpec &Spec : OptionTable) {
    if (Spec.Hidden)
      continue;
    Message += Comma;
    Message += (Spec.Key + "=").str();
  }
  return createStringError(Message);
}

static Error badValue(const OptionSpec &Spec, StringRef Value) {
  return createStringError("invalid value '" + Value + "' for option '" +
                           Spec.Key + "': expected " + Spec.Expected);
}

/// What a plan decides no option decides beside it.
static Error checkAgainstPlan(const Options &Given) {
  const struct {
    bool IsGiven;
    StringLiteral Key, Decides;
  } Decisions[] = {
      {!Given.Throttle || Given.ForcedWarpGroups, "throttle", "factors"},
      {!Given.LimitBlocks || Given.PreferBlocks, "blocks", "resident-blocks"},
      {!Given.Hints, "hints", "hints"},
      {!Given.Carveout, "carveout", "carveouts"},
  };
  if (Given.PlanFile.empty())
    return Error::success();
  for (const auto &D : Decisions)
    if (D.IsGiven)
      return createStringError("options 'plan' and '" + D.Key +
                               "' are both given; the plan has its own " +
                               D.Decides + ", so leave '" + D.Key + "' out");
  return Error::success();
}

Expected<Options> parseOptions(ArrayRef<std::string> Args) {
  Options Result;
  // Wherever they stand: an option of its own says more, and a plan has its own
  // factors and hints.
  if (is_contained(Args, "transforms=off")) {
    Result.Promote = false;
    Result.Throttle = Result.Hints =
        any_of(Args, [](StringRef Arg) { return Arg.starts_with("plan="); });
  }
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
    if (!Spec->Missing.empty() && Value != "off" && Value != "auto")
      Result.Notices.push_back(("option '" + Arg + "' has no effect: " +
                                Spec->Missing + " is not in this version")
                                   .str());
  }
  if (Error E = checkAgainstPlan(Result))
    return std::move(E);
  if (!Result.LimitBlocks && Result.ForcedResidentBlocks)
    return createStringError("options 'blocks=off' and 'throttle' with M are "
                             "both given; leave one of them out");
  if (Result.HintsNeedProfile && Result.ProfileFile.empty())
    return createStringError("option 'hints=profile' needs a profile; make one "
                             "with 'sluice profile' and give it with "
                             "'profile=FILE'");
  if (!Result.PlanFile.empty() && !Result.ProfileFile.empty())
    return createStringError("options 'plan' and 'profile' are both given; "
                             "where there is a plan none is made, so leave "
                             "'profile' out");
  return Result;
}

void printOptionsHelp(raw_ostream &OS, StringRef Prefix) {
  size_t Width = 0;
  for (const OptionSpec &Spec : OptionTable)
    Width = Spec.Hidden
                ? Width
                : std::max(Width, Spec.Key.size() + Spec.Values.size() + 1);
  for (const OptionSpec &Spec : OptionTable) {
    if (Spec.Hidden)
      continue;
    OS << "  " << Prefix
       << left_justify((Spec.Key + "=" + Spec.Values).str(), Width) << "  "
       << Spec.Help << " (default: " << Spec.Default << ")";
    if (!Spec.Missing.empty())
      OS << " (not in this version)";
    OS << '\n';
  }
}

} // namespace sluice
