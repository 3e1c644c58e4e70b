// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "sluice/Target/AssemblerLog.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include <algorithm>
#include <optional>

using namespace llvm;
using namespace sluice;

/// The number that stands before \p Unit in \p Line ("8 bytes smem"), if any.
static std::optional<uint64_t> numberBefore(StringRef Line, StringRef Unit) {
  size_t End = Line.find(Unit);
  if (End == StringRef::npos)
    return std::nullopt;
  StringRef Before = Line.take_front(End).rtrim();
  int64_t Number;
  if (Before.drop_front(Before.find_last_not_of("-0123456789") + 1)
          .getAsInteger(10, Number))
    return std::nullopt;
  // Where spills go to shared memory ptxas 13.0 may say "-8 bytes".
  return std::max<int64_t>(Number, 0);
}

/// Reads what ptxas says of each kernel:
/// \code
///   ptxas info    : Compiling entry function 'NAME' for 'sm_90'
///   ptxas info    : Function properties for NAME
///   ptxas         .  16 bytes stack frame, 12 bytes spill stores, 12 bytes
///                    spill loads                           (one line)
///   ptxas info    : Used 24 registers, used 1 barriers, 1024 bytes smem
/// \endcode
/// Device functions that were not inlined have properties too, and no entry.
static StringMap<AssembledKernel> parseInfoLog(StringRef Log) {
  StringMap<AssembledKernel> Kernels;
  AssembledKernel *Entry = nullptr;
  AssembledKernel *Properties = nullptr;
  for (StringRef Line : split(Log, '\n')) {
    // The linker repeats the kernels in lines that begin so, and there counts
    // the driver's reservation as shared memory.
    if (Line.starts_with("info"))
      continue;

    StringRef Rest = Line.split("Compiling entry function '").second;
    if (!Rest.empty()) {
      Entry = &Kernels[Rest.split('\'').first];
      Properties = nullptr;
      continue;
    }
    Rest = Line.split("Function properties for ").second;
    if (!Rest.empty()) {
      auto Found = Kernels.find(Rest.trim());
      Properties = Found == Kernels.end() ? nullptr : &Found->second;
      continue;
    }
    if (Properties && Line.contains("bytes stack frame")) {
      Properties->SpillStoreBytes =
          numberBefore(Line, " bytes spill stores").value_or(0);
      Properties->SpillLoadBytes =
          numberBefore(Line, " bytes spill loads").value_or(0);
      continue;
    }
    if (std::optional<uint64_t> Used = numberBefore(Line, " registers");
        Used && Entry && Line.contains("Used ")) {
      Entry->Registers = unsigned(*Used);
      Entry->StaticSharedBytes = numberBefore(Line, " bytes smem").value_or(0);
    }
  }
  return Kernels;
}

Expected<StringMap<AssembledKernel>>
sluice::readAssemblerLog(StringRef Log, StringRef PTX, StringRef Assembler) {
  StringMap<AssembledKernel> Kernels = parseInfoLog(Log);
  bool AllKnown = all_of(
      Kernels, [](const auto &Kernel) { return Kernel.second.Registers != 0; });
  if (!AllKnown || (Kernels.empty() && PTX.contains(".entry ")))
    return createStringError(
        Assembler +
        "'s log does not tell the registers of each kernel: " + Log);
  return Kernels;
}
