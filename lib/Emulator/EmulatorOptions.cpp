// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sluice/Emulator/Device.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSwitch.h"

using namespace sluice::emulator;
using namespace llvm;

Expected<EmulatorOptions>
sluice::emulator::parseEmulatorOptions(StringRef Text) {
  EmulatorOptions O;
  SmallVector<StringRef, 8> Entries;
  Text.split(Entries, ',', -1, /*KeepEmpty=*/false);
  for (StringRef Entry : Entries) {
    auto [Key, Value] = Entry.split('=');
    auto Bad = [&, K = Key, V = Value](const char *What) {
      return createStringError(K + "=" + V + ": expected " + What);
    };
    auto Number = [&, V = Value](uint64_t &Into) {
      return !V.getAsInteger(10, Into);
    };
    auto Flag = [&, V = Value](bool &Into) {
      Into = V == "1";
      return V == "0" || V == "1";
    };
    uint64_t N = 0;
    if (Key == "gpu")
      O.GPU = Value.str();
    else if (Key == "check") {
      O.CheckMemory = O.CheckRaces = O.CheckLeaks = false;
      SmallVector<StringRef, 4> Checks;
      Value.split(Checks, '+');
      for (StringRef C : Checks) {
        O.CheckMemory |= C == "memory" || C == "all";
        O.CheckRaces |= C == "races" || C == "all";
        O.CheckLeaks |= C == "leaks" || C == "all";
        if (!StringSwitch<bool>(C)
                 .Cases({"memory", "races", "leaks", "all", "none"}, true)
                 .Default(false))
          return Bad("memory, races, leaks, all or none, joined with '+'");
      }
    } else if (Key == "fail-fast") {
      if (!Flag(O.FailFast))
        return Bad("0 or 1");
    } else if (Key == "statistics") {
      if (!Flag(O.Statistics))
        return Bad("0 or 1");
    } else if (Key == "schedule-seed") {
      if (!Number(O.ScheduleSeed))
        return Bad("a number");
    } else if (Key == "threads") {
      if (!Number(N) || N > 4096)
        return Bad("a number up to 4096");
      O.Threads = N;
    } else if (Key == "instruction-limit") {
      if (!Number(O.InstructionLimit))
        return Bad("a number");
    } else if (Key == "memory") {
      if (!Number(O.MemoryBytes) || !O.MemoryBytes)
        return Bad("a number of bytes");
    } else if (Key == "isa")
      O.ISA = Value.str();
    else if (Key == "annotate")
      O.Annotate = Value.str();
    else if (Key == "histogram")
      O.Histogram = Value.str();
    else if (Key == "trace")
      O.Trace = Value.str();
    else if (Key == "dump")
      O.Dump = Value.str();
    else
      return createStringError(
          "unknown key '" + Key +
          "'; the keys are gpu, check, fail-fast, schedule-seed, threads, "
          "instruction-limit, memory, isa, annotate, histogram, trace, dump, "
          "statistics");
  }
  return O;
}
