// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
/// \file
/// The emulator's options as SLUICE_EMULATE has them, and their parser.

#include "sluice/Emulator/Device.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;
using namespace sluice;
using namespace sluice::emulator;

namespace {

struct OptionSpec {
  StringLiteral Key;
  StringLiteral Expected; ///< Ends the sentence "... expected".
  /// Stores a value; false where it is not one of the expected.
  bool (*Parse)(StringRef Value, EmulatorOptions &Result);
};

} // namespace

// The kernel's own limit on CPUs is 8192 (CONFIG_NR_CPUS).
static constexpr uint64_t MaxThreads = 8192;

template <auto Field, uint64_t Max>
static bool parseNumber(StringRef Value, EmulatorOptions &Result) {
  uint64_t Number;
  if (Value.getAsInteger(10, Number) || Number > Max)
    return false;
  Result.*Field = Number;
  return true;
}

template <auto Field>
static bool parseFlag(StringRef Value, EmulatorOptions &Result) {
  Result.*Field = Value == "1";
  return Value == "0" || Value == "1";
}

template <auto Field>
static bool parsePath(StringRef Value, EmulatorOptions &Result) {
  Result.*Field = Value.str();
  return !Value.empty();
}

static bool parseCheck(StringRef Value, EmulatorOptions &Result) {
  bool All = Value == "all";
  Result.CheckMemory = Result.CheckRaces = Result.CheckOrder =
      Result.CheckLeaks = All;
  if (All || Value == "none")
    return true;
  SmallVector<StringRef, 3> Checks;
  Value.split(Checks, '+');
  for (StringRef Check : Checks)
    if (Check == "memory")
      Result.CheckMemory = true;
    else if (Check == "races")
      Result.CheckRaces = true;
    else if (Check == "order")
      Result.CheckOrder = true;
    else if (Check == "leaks")
      Result.CheckLeaks = true;
    else
      return false;
  return true;
}

/// Bytes, or with K, M or G so many KiB, MiB or GiB.
static bool parseMemory(StringRef Value, EmulatorOptions &Result) {
  unsigned Shift = 0;
  if (Value.consume_back("K"))
    Shift = 10;
  else if (Value.consume_back("M"))
    Shift = 20;
  else if (Value.consume_back("G"))
    Shift = 30;
  uint64_t Number;
  if (Value.getAsInteger(10, Number) || Number == 0 ||
      Number > (GlobalWindowBytes >> Shift))
    return false;
  Result.MemoryBytes = Number << Shift;
  return true;
}

static constexpr OptionSpec OptionTable[] = {
    {"gpu", "",
     [](StringRef Value, EmulatorOptions &Result) {
       Result.GPU = Value.str();
       return true; // looked up below: that error lists the GPUs
     }},
    {"check", "none, all, or some of memory, races, order and leaks",
     parseCheck},
    {"fail-fast", "0 or 1", parseFlag<&EmulatorOptions::FailFast>},
    {"schedule-seed", "a number",
     parseNumber<&EmulatorOptions::ScheduleSeed, UINT64_MAX>},
    {"threads", "a number up to 8192; 0 for one on each core",
     parseNumber<&EmulatorOptions::Threads, MaxThreads>},
    {"instruction-limit", "a number of lane-instructions; 0 for no limit",
     parseNumber<&EmulatorOptions::InstructionLimit, UINT64_MAX>},
    {"memory", "a number of bytes up to 1024G, also with K, M or G",
     parseMemory},
    {"isa", "base, avx2, avx512, or nothing for the best",
     [](StringRef Value, EmulatorOptions &Result) {
       Result.ISA = Value.str();
       return is_contained({"", "base", "avx2", "avx512"}, Value);
     }},
    {"annotate", "a file name", parsePath<&EmulatorOptions::Annotate>},
    {"histogram", "a file name", parsePath<&EmulatorOptions::Histogram>},
    {"trace", "a file name", parsePath<&EmulatorOptions::Trace>},
    {"dump", "a file name", parsePath<&EmulatorOptions::Dump>},
    {"profile", "a file name", parsePath<&EmulatorOptions::Profile>},
    {"access-trace", "a file name", parsePath<&EmulatorOptions::AccessTrace>},
    {"sms", "a number up to 1024", parseNumber<&EmulatorOptions::SMs, 1024>},
    {"l1-kib", "a number of KiB up to 1024",
     parseNumber<&EmulatorOptions::L1KiB, 1024>},
    {"kernel", "a kernel's name", parsePath<&EmulatorOptions::Kernel>},
    {"not-kernel", "a kernel's name", parsePath<&EmulatorOptions::NotKernel>},
    {"each-launch", "a number from 1 on",
     [](StringRef Value, EmulatorOptions &Result) {
       return parseNumber<&EmulatorOptions::EachLaunch, UINT32_MAX>(Value,
                                                                    Result) &&
              Result.EachLaunch > 0;
     }},
    {"waves", "a number up to 1000",
     parseNumber<&EmulatorOptions::Waves, 1000>},
    {"pairs", "0 or 1", parseFlag<&EmulatorOptions::Pairs>},
    {"cached-warps", "0 or 1", parseFlag<&EmulatorOptions::CachedWarps>},
    {"scheduler", "gto or lrr",
     [](StringRef Value, EmulatorOptions &Result) {
       Result.Scheduler = Value == "gto" ? WarpScheduler::GreedyThenOldest
                                         : WarpScheduler::LooseRoundRobin;
       return Value == "gto" || Value == "lrr";
     }},
    {"assume-read-only", "0 or 1", parseFlag<&EmulatorOptions::AssumeReadOnly>},
    {"only-sample", "0 or 1", parseFlag<&EmulatorOptions::OnlySample>},
    {"statistics", "0 or 1", parseFlag<&EmulatorOptions::Statistics>},
};

static const OptionSpec *findOption(StringRef Key) {
  const auto *Found =
      find_if(OptionTable, [&](const OptionSpec &S) { return S.Key == Key; });
  return Found == std::end(OptionTable) ? nullptr : Found;
}

static Error unknownOption(StringRef Key) {
  std::string Message =
      ("unknown emulator option '" + Key + "'; valid options are ").str();
  ListSeparator Comma;
  for (const OptionSpec &Spec : OptionTable) {
    Message += Comma;
    Message += (Spec.Key + "=").str();
  }
  return createStringError(Message);
}

Expected<EmulatorOptions>
sluice::emulator::parseEmulatorOptions(StringRef Text) {
  EmulatorOptions Result;
  StringSet<> Given;
  SmallVector<StringRef, 16> Pairs;
  Text.split(Pairs, ',', -1, /*KeepEmpty=*/false);
  for (StringRef Pair : Pairs) {
    auto [Key, Value] = Pair.split('=');
    const OptionSpec *Spec = findOption(Key);
    if (!Spec)
      return unknownOption(Key);
    if (!Pair.contains('='))
      return createStringError("emulator option '" + Key +
                               "' has no value; write " + Key + "=VALUE");
    if (!Given.insert(Key).second)
      return createStringError("emulator option '" + Key + "' is given twice");
    if (!Spec->Parse(Value, Result))
      return createStringError("invalid value '" + Value +
                               "' for emulator option '" + Key +
                               "': expected " + Spec->Expected);
  }
  auto Model = findGPUModel(Result.GPU);
  if (!Model)
    return createStringError("emulator option 'gpu': " +
                             toString(Model.takeError()));
  return Result;
}
