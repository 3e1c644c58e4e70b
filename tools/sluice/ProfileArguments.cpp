// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ProfileArguments.h"
#include "Arguments.h"
#include "EmulatedProgram.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace sluice;

namespace {

/// What an option is for.
enum class Use { Either, Run, Replay };

struct ProfileOption : ToolOption {
  Use For;
  Error (*Set)(ProfileArguments &, const Setting &);
};

Error unexpected(const Setting &S, StringRef Expected) {
  return createStringError("--" + S.Name + "=" + S.Value + ": " + Expected +
                           " is expected");
}

template <std::string ProfileArguments::*Member>
Error setText(ProfileArguments &A, const Setting &S) {
  if (S.Value.empty())
    return createStringError("--" + S.Name + "= has no value");
  A.*Member = S.Value.str();
  return Error::success();
}

/// Also, or only, the emulator's.
Error pass(ProfileArguments &A, const Setting &S) {
  return addEmulatorSetting(A.Settings, S.Name, S.Value);
}

template <std::string ProfileArguments::*Member>
Error passText(ProfileArguments &A, const Setting &S) {
  if (Error E = setText<Member>(A, S))
    return E;
  return pass(A, S);
}

Error setL1(ProfileArguments &A, const Setting &S) {
  uint64_t KiB;
  if (S.Value.getAsInteger(10, KiB) || KiB == 0 || KiB > 1024)
    return unexpected(S, "a number of KiB from 1 to 1024");
  A.L1KiB = KiB;
  return pass(A, S);
}

Error setScheduler(ProfileArguments &A, const Setting &S) {
  if (S.Value != "gto" && S.Value != "lrr")
    return unexpected(S, "lrr or gto");
  A.Scheduler = S.Value == "gto" ? WarpScheduler::GreedyThenOldest
                                 : WarpScheduler::LooseRoundRobin;
  return pass(A, S);
}

Error setNoPairs(ProfileArguments &A, const Setting &) {
  A.Pairs = false;
  return addEmulatorSetting(A.Settings, "pairs", "0");
}

Error setCachedWarps(ProfileArguments &A, const Setting &) {
  A.CachedWarps = true;
  return addEmulatorSetting(A.Settings, "cached-warps", "1");
}

Error setSample(ProfileArguments &A, const Setting &S) {
  unsigned Each = 8;
  if (!S.Value.empty() && (S.Value.getAsInteger(10, Each) || Each == 0))
    return unexpected(S, "a number from 1");
  if (Error E =
          addEmulatorSetting(A.Settings, "each-launch", std::to_string(Each)))
    return E;
  // The first ones find an empty L1: of 2 waves hit rates are up to 6 points
  // lower, of 16 up to half a point (docs/profile.md).
  return addEmulatorSetting(A.Settings, "waves", "16");
}

constexpr std::pair<StringLiteral, L1Hint> HintNames[] = {
    {"normal", L1Hint::Normal},          {"evict-first", L1Hint::EvictFirst},
    {"evict-last", L1Hint::EvictLast},   {"unchanged", L1Hint::Unchanged},
    {"no-allocate", L1Hint::NoAllocate}, {"cg", L1Hint::Global},
};

Error setHint(ProfileArguments &A, const Setting &S) {
  const auto *Found = find_if(
      HintNames, [&](const auto &Known) { return Known.first == S.Value; });
  if (Found == std::end(HintNames)) {
    std::string Names;
    ListSeparator Comma;
    for (const auto &[Name, Hint] : HintNames)
      Names += (StringRef(Comma) + Name).str();
    return unexpected(S, "one of " + Names);
  }
  A.Hint = Found->second;
  return Error::success();
}

Error setThrottle(ProfileArguments &A, const Setting &S) {
  if (S.Value.getAsInteger(10, A.Throttle) || A.Throttle == 0 ||
      A.Throttle > 32)
    return unexpected(S, "a number from 1 to 32");
  return Error::success();
}

Error setBlocks(ProfileArguments &A, const Setting &S) {
  unsigned Blocks = 0;
  if (S.Value.getAsInteger(10, Blocks) || Blocks == 0 || Blocks > 32)
    return unexpected(S, "a number from 1 to 32");
  A.Blocks = Blocks;
  return Error::success();
}

Error setLaunches(ProfileArguments &A, const Setting &) {
  A.Launches = true;
  return Error::success();
}

Error setAnnotate(ProfileArguments &A, const Setting &S) {
  if (S.Value.empty())
    A.AnnotateAll = true;
  else
    A.View.Annotate.push_back(S.Value.str());
  return Error::success();
}

Error setView(ProfileArguments &A, const Setting &S) {
  return *takeViewSetting(A.View, S);
}

constexpr ProfileOption ProfileOptionTable[] = {
    {{"output", "FILE", "keep the profile (docs/profile-format.md)"},
     Use::Either,
     setText<&ProfileArguments::Output>},
    {{"profile-dir", "DIR",
      "keep it in DIR, for compiles with --sluice-profile-dir=DIR"},
     Use::Run,
     setText<&ProfileArguments::Folder>},
    {{"json", "", "all numbers, for programs"}, Use::Either, setView},
    {{"annotate", "[SOURCE]",
      "the source with the numbers in its margin (default: what is compiled)"},
     Use::Either,
     setAnnotate},
    {{"most", "N", "of each kernel no more than N accesses and N pairs"},
     Use::Either,
     setView},
    {{"kernel", "NAME", "only kernels whose names hold NAME"},
     Use::Either,
     passText<&ProfileArguments::Kernel>},
    {{"not-kernel", "NAME", "and none whose names hold NAME"},
     Use::Either,
     passText<&ProfileArguments::NotKernel>},
    {{"gpu", "sm_NN",
      "the GPU, or h200 (default: --cuda-gpu-arch's or the trace's, else "
      "sm_90)"},
     Use::Either,
     setText<&ProfileArguments::GPU>},
    {{"l1-kib", "N", "the size of its L1 (default: what the driver leaves)"},
     Use::Either,
     setL1},
    {{"scheduler", "lrr|gto",
      "warps in turn, or one while it can and then the oldest"},
     Use::Either,
     setScheduler},
    {{"no-pairs", "", "no pairs of loads, which take the most time"},
     Use::Either,
     setNoPairs},
    {{"cached-warps", "",
      "also simulate fewer warps that use the L1, for --sluice-bypass=profile"},
     Use::Either,
     setCachedWarps},
    {{"sms", "N", "SMs over which the blocks are spread (default: the GPU's)"},
     Use::Run,
     pass},
    {{"sample", "[K]",
      "of each kernel every K-th launch, and of it 16 waves of blocks "
      "(default: 8)"},
     Use::Run,
     setSample},
    {{"only-sample", "",
      "do not run blocks that are not looked at: results are wrong"},
     Use::Run,
     pass},
    {{"threads", "N", "CPU threads (default: one on each core)"},
     Use::Run,
     pass},
    {{"trace", "FILE", "keep what the warps did, for --replay"},
     Use::Run,
     setText<&ProfileArguments::Trace>},
    {{"replay", "TRACE", "simulate this trace and run nothing"},
     Use::Replay,
     setText<&ProfileArguments::Replay>},
    {{"hint", "normal|evict-first|evict-last|unchanged|no-allocate|cg",
      "how all loads use the L1 (default: as compiled)"},
     Use::Replay,
     setHint},
    {{"throttle", "N", "each outermost loop by N groups of warps in turn"},
     Use::Replay,
     setThrottle},
    {{"blocks", "M", "no more than M blocks on an SM"}, Use::Replay, setBlocks},
    {{"launches", "", "each launch by itself, as JSON"},
     Use::Replay,
     setLaunches},
};

} // namespace

static std::vector<ToolOption> options() {
  return {std::begin(ProfileOptionTable), std::end(ProfileOptionTable)};
}

void sluice::printProfileHelp(raw_ostream &OS) {
  OS << "usage: sluice profile FILE.cu ... [clang options] [profile options] "
        "-- [program arguments]\n"
        "       sluice profile PROGRAM [profile options] -- [program "
        "arguments]\n"
        "       sluice profile --replay=TRACE [profile options]\n"
        "       sluice profile merge A.yaml B.yaml ... -o SUM.yaml\n"
        "       sluice profile show FILE.yaml [--json | --annotate=SOURCE]\n\n"
        "What a program's memory accesses do in the L1: runs it on the CPU, as "
        "sluice emulate\ndoes, and simulates the L1 of one SM. The table comes "
        "behind the program's output, and\nthe exit status is the "
        "program's. See --help of merge and show too.\n\n";
  printOptions(OS, options());
}

Expected<ProfileArguments>
sluice::readProfileArguments(ArrayRef<const char *> Args) {
  std::vector<ToolOption> Table = options();
  auto Split = splitArguments(Args, Table);
  if (!Split)
    return Split.takeError();
  ProfileArguments Result;
  Result.Help = Split->Help;
  if (Result.Help)
    return Result;
  const bool IsReplay = any_of(
      Split->Settings, [](const Setting &S) { return S.Name == "replay"; });
  for (const Setting &S : Split->Settings) {
    const auto *Option = find_if(
        ProfileOptionTable, [&](const auto &O) { return O.Name == S.Name; });
    if (Option->For == Use::Run && IsReplay)
      return createStringError(
          "--" + S.Name + " is for a run, and with --replay there is none");
    if (Option->For == Use::Replay && !IsReplay)
      return createStringError("--" + S.Name +
                               " is for a trace: --replay=TRACE names it");
    if (Error E = Option->Set(Result, S))
      return E;
  }
  Result.ForClang = std::move(Split->ForClang);
  Result.ForProgram = std::move(Split->ForProgram);
  if (IsReplay && !Result.ForClang.empty())
    return createStringError("with --replay there is no use for '" +
                             Result.ForClang.front() + "'");
  if (IsReplay && Result.AnnotateAll)
    return createStringError(
        "with --replay, --annotate=SOURCE names the source");
  if (Result.View.JSON && Result.AnnotateAll)
    return createStringError("--json and --annotate exclude each other");
  if (Error E = checkView(Result.View))
    return E;
  return Result;
}
